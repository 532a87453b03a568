"""How a studio is opened."""

import ipaddress
import socket
from dataclasses import dataclass, field
from pathlib import Path

from hitogata.errors import ArgumentError

MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class StudioOptions:
    """Where the studio listens and writes.

    Attributes:
        host: address to listen on; the default is this machine alone.
        port: of the page; if it is taken, the next free one; 0: any free one.
        editor_port: of the polar editor, which the page shows in a frame; 0: any free one.
        folder: where pictures, replays and motions are written; nothing is written outside of it.
        upload_limit: largest file that the page may send [bytes].
        shadows: whether shadows are drawn at first.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    editor_port: int = 0
    folder: Path = field(default=Path("out/studio"))
    upload_limit: int = 20 * MEGABYTE
    shadows: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.host, str) or not self.host:
            raise ArgumentError(f"host: an address expected, got {self.host!r}")
        for name in ("port", "editor_port"):
            value = getattr(self, name)
            if not isinstance(value, int) or not 0 <= value <= 65535:
                raise ArgumentError(f"{name}: a number from 0 to 65535 expected, got {value!r}")
        if not isinstance(self.upload_limit, int) or self.upload_limit <= 0:
            raise ArgumentError(f"upload_limit: a number of bytes above 0 expected, got {self.upload_limit!r}")
        object.__setattr__(self, "folder", Path(self.folder))

    def check_addresses(self) -> None:
        """Whether one can listen there; `port` may be taken, since the next free one does as well.

        Raises:
            ArgumentError: the host is no address of this machine, or the editor's port is taken.
        """
        for name, port in (("host", 0), ("editor_port", self.editor_port)):
            try:
                family, kind, _, _, place = socket.getaddrinfo(self.host, port, type=socket.SOCK_STREAM)[0]
                with socket.socket(family, kind) as listener:
                    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    listener.bind(place)
            except OSError as error:
                value = getattr(self, name)
                raise ArgumentError(f"{name}: cannot listen on {value!r}: {error.strerror or error}") from None

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the studio."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
