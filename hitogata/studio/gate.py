"""Who may come in: pages that this studio served itself.

A browser lets any page open a WebSocket to this machine.  So connections are closed whose `Origin` is not the host they
came to; and a host that is a name of somebody's own (DNS rebinding) is not let in by a studio that listens on loopback.
The page's button that would open a tunnel to the internet is taken away.
"""

import urllib.parse
from collections.abc import Mapping
from typing import Any

from hitogata.studio.options import is_loopback


def welcome(headers: Mapping[str, str], *, loopback: bool) -> bool:
    """Whether a request comes from a page of this studio.

    Args:
        headers: of the request.
        loopback: whether the studio listens on loopback only.
    """
    host = headers.get("Host", "")
    if loopback and not is_loopback(_name(host)):
        return False
    origin = headers.get("Origin")
    return origin is None or urllib.parse.urlsplit(origin).netloc.lower() == host.lower()


def _name(host: str) -> str:
    """A host without its port."""
    return urllib.parse.urlsplit(f"//{host}").hostname or ""


def watch(server: Any, *, loopback: bool) -> None:
    """Let only welcome connections into a `viser.ViserServer`, and none out."""
    socket = server._websock_server

    async def check(connection: Any) -> None:
        live = socket._live_connections.get(connection.client_id)
        if live is not None and not welcome(live.request.headers, loopback=loopback):
            await live.close(1008, "not a page of this studio")  # before anything was sent to it

    socket.on_client_connect(check)
    server.request_share_url = lambda *_, **__: None


def limit_uploads(server: Any, limit: int, refuse: Any) -> None:
    """Turn away files larger than `limit` [bytes] before they are sent; `refuse` is called with their name and size."""
    from viser import _messages

    gui, socket = server.gui, server._websock_server

    def start(client: Any, message: Any) -> None:
        if message.size_bytes > limit:
            refuse(message.filename, message.size_bytes)
        else:
            gui._handle_file_transfer_start(client, message)

    def part(client: Any, message: Any) -> None:
        state = gui._current_file_upload_states.get(message.transfer_uuid)
        if state is not None and state["transferred_bytes"] + len(message.content) > limit:
            gui._current_file_upload_states.pop(message.transfer_uuid, None)  # larger than it was said to be
        else:
            gui._handle_file_transfer_part(client, message)

    for kind, handler in ((_messages.FileTransferStartUpload, start), (_messages.FileTransferPart, part)):
        socket.unregister_handler(kind)
        socket.register_handler(kind, handler)
