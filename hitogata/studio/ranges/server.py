"""Serves the polar editor: one page, its events, and edits; on a port of its own.

The page stands in a frame of the studio's page.  Its address has a random token, so that only who was given it can
read or edit; requests from pages of other origins are refused.
"""

import hmac
import json
import secrets
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from hitogata.errors import HitogataError
from hitogata.studio.gate import welcome

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

LARGEST = 10_000
"""Most bytes of a request."""

PERIOD = 1 / 15
"""Between two events [s]."""

_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'"


class EditorServer:
    """The polar editor's own small server.

    Args:
        studio: whose ranges are edited.
        host: to listen on.
        port: to listen on; 0: any free one.
    """

    def __init__(self, studio: "Studio", host: str, port: int) -> None:
        self.token = secrets.token_urlsafe(24)
        self.closed = threading.Event()
        self._http = ThreadingHTTPServer((host, port), type("Handler", (_Handler,), {"editor": self, "studio": studio}))
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, name="hitogata-polar", daemon=True).start()

    @property
    def port(self) -> int:
        """It listens on."""
        return int(self._http.server_address[1])

    def frame(self, height: int = 404) -> str:
        """HTML of the frame that shows the editor; it asks the machine that the studio's own page came from."""
        inner = (
            "<script>location.replace('http://' + (parent.location.hostname) + "
            f"':{self.port}/{self.token}/')</script>"
        )
        return (
            f'<iframe title="polar editor" srcdoc="{inner}" '
            f'style="width:100%;height:{height}px;border:0;display:block"></iframe>'
        )

    def close(self) -> None:
        """Listen no more."""
        self.closed.set()
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    editor: EditorServer
    studio: Any
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _path(self) -> str | None:
        """What is asked for, if it may be."""
        parts = self.path.split("?")[0].split("/")
        if len(parts) != 3 or not hmac.compare_digest(parts[1].encode(), self.editor.token.encode()):
            return None
        headers = {name: self.headers.get(name, "") for name in ("Host", "Origin") if name in self.headers}
        return parts[2] if welcome(headers, loopback=self.studio.options.loopback) else None

    def do_GET(self) -> None:
        """The page, or its events."""
        path = self._path()
        if path == "":
            page = files("hitogata.studio.ranges").joinpath("web/polar.html").read_bytes()
            self._answer(page, "text/html; charset=utf-8")
        elif path == "events":
            self._events()
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """An edit."""
        size = self.headers.get("Content-Length", "")
        if self._path() != "edit" or not size.isdigit() or int(size) > LARGEST:
            self.close_connection = True
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            request = json.loads(self.rfile.read(int(size)))
            if not isinstance(request, dict):
                raise ValueError("an object expected")
        except ValueError as error:
            self._answer(json.dumps({"error": f"not understood: {error}"}).encode(), "application/json")
            return
        answer = ""
        try:
            self.studio.clock.ask(lambda: self.studio.desk.act(request), timeout=20.0)
        except HitogataError as refused:
            answer = " ".join(str(refused).split())
        except Exception as failed:  # the studio lives on
            self.studio.guard.say("The range could not be edited", f"{type(failed).__name__}: {failed}")
            answer = "this did not work"
        self._answer(json.dumps({"error": answer}).encode(), "application/json")

    def _answer(self, body: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _POLICY)
        self.end_headers()
        self.wfile.write(body)

    def _events(self) -> None:
        """Server-sent events: the whole state when it changed, otherwise where the bone is."""
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        desk, seen, last, told = self.studio.desk, -1, "", time.monotonic()
        while not self.editor.closed.is_set():
            try:
                message = self.studio.clock.ask(lambda old=seen: _news(desk, old), timeout=20.0)
                text = json.dumps(message, separators=(",", ":"))
                seen = message.get("version", seen)
                if text != last or time.monotonic() - told > 5.0:
                    self.wfile.write(f"data: {text}\n\n".encode())
                    self.wfile.flush()
                    last, told = text, time.monotonic()
            except TimeoutError:
                continue
            except OSError:
                return  # the page was closed
            self.editor.closed.wait(PERIOD)


def _news(desk: Any, seen: int) -> dict[str, Any]:
    """What a page that has seen a version needs to know."""
    news = {"pose": desk.pose()}
    return {**news, **desk.state()} if desk.version != seen else news
