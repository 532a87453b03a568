"""Cameras over the network: what a camera sees, frame by frame, over TCP.

    magic 4 "HGC1" | kind u8 | flag u8 | 2 × 0 | columns u32 | rows u32 | number i64, then
    kind 0: an image, u8 [rows × columns]
    kind 1: blobs, f8 [rows × 6] (`Blobs.table`); flag 1: more was bright than fits
    kind 2: the end;  kind 3: an error, UTF-8 [columns]

Little-endian.  Numbers count the camera's trigger, so frames of cameras that are triggered together have equal
numbers, and frames that get lost are known.  A camera that finds its blobs itself sends 2 kB a frame, an image of 512²
px 262 kB.  The processes of `live` speak the same language.
"""

import contextlib
import queue
import socket
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from hitogata.capture.blobs import MOST_BLOBS, BlobFinder, Blobs, BlobSettings
from hitogata.capture.merged import COLUMNS
from hitogata.errors import ArgumentError, HitogataError

_HEAD = struct.Struct("<4sBBxxIIq")
_MAGIC = b"HGC1"
_IMAGE, _BLOBS, _END, _ERROR = range(4)
_WIDEST = 16384
"""Of images [px]."""

WAITING = 32
"""Frames that wait for a slow receiver; then it loses some."""


class CameraLinkError(HitogataError, RuntimeError):
    """A camera that cannot be reached, or that sends what is not understood; the message names it."""


class CameraFrame(NamedTuple):
    """What a camera sees at a moment.

    Attributes:
        number: of the trigger, 0 or more.
        seen: an image, uint8 of shape (height, width), or its blobs.
    """

    number: int
    seen: Any


def pack_frame(frame: CameraFrame) -> bytes:
    """As bytes."""
    number, seen = frame
    if isinstance(seen, Blobs):
        table = np.ascontiguousarray(seen.table, dtype="<f8")
        return _HEAD.pack(_MAGIC, _BLOBS, seen.overflow, COLUMNS, len(table), number) + table.tobytes()
    if not (isinstance(seen, np.ndarray) and seen.ndim == 2 and seen.dtype == np.uint8):
        raise ArgumentError(f"frame {number}: expected blobs, or an image uint8 of shape (height, width)")
    return _HEAD.pack(_MAGIC, _IMAGE, 0, seen.shape[1], seen.shape[0], number) + seen.tobytes()


def pack_end(error: str = "") -> bytes:
    """That no more comes, or why."""
    text = error.encode()[:4096]
    return _HEAD.pack(_MAGIC, _ERROR if error else _END, 0, len(text), 0, 0) + text


def body_size(head: bytes) -> int:
    """Bytes after a head.

    Raises:
        CameraLinkError: it is not one.
    """
    magic, kind, _, columns, rows, number = _HEAD.unpack(head)
    good = magic == _MAGIC and number >= 0 and kind <= _ERROR
    if good and kind == _IMAGE and columns <= _WIDEST and rows <= _WIDEST:
        return int(columns * rows)
    if good and kind == _BLOBS and columns == COLUMNS and rows <= MOST_BLOBS:
        return int(8 * columns * rows)
    if good and kind >= _END and columns <= 4096:
        return int(columns)
    raise CameraLinkError("what it sends is no frame of a camera")


def unpack_frame(message: bytes) -> CameraFrame | None:
    """The frame; None: the end.

    Raises:
        CameraLinkError: the camera's own error, or what is not understood.
    """
    if len(message) < _HEAD.size or len(message) != _HEAD.size + body_size(message[: _HEAD.size]):
        raise CameraLinkError("what it sends is no frame of a camera")
    _, kind, flag, columns, rows, number = _HEAD.unpack_from(message)
    body = message[_HEAD.size :]
    if kind == _END:
        return None
    if kind == _ERROR:
        raise CameraLinkError(body.decode(errors="replace"))
    if kind == _IMAGE:
        return CameraFrame(number, np.frombuffer(body, dtype=np.uint8).reshape(rows, columns))
    table = np.frombuffer(body, dtype="<f8").reshape(rows, columns)
    if not np.isfinite(table).all():
        raise CameraLinkError(f"frame {number}: blobs with numbers that are not finite")
    return CameraFrame(number, Blobs(table, flag == 1))


class CameraServer:
    """A camera's end: whoever connects gets every frame from then on; who is too slow loses some, and goes on."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen.

        Args:
            host: own address; the default hears this computer alone.
            port: own port; 0: any that is free.
        """
        self._listener = socket.create_server((host, port))
        self.host, self.port = self._listener.getsockname()[:2]
        self.lost = 0
        self._receivers: list[queue.Queue[bytes | None]] = []
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "CameraServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def receivers(self) -> int:
        """How many are connected."""
        return len(self._receivers)

    def send(self, frame: CameraFrame) -> None:
        """Send a frame to all."""
        self._put(pack_frame(frame))

    def _put(self, message: bytes) -> None:
        with self._lock:
            for waiting in self._receivers:
                try:
                    waiting.put_nowait(message)
                except queue.Full:
                    self.lost += 1

    def close(self, error: str = "", *, patience: float = 5.0) -> None:
        """Tell that it ends, or why, and end when the receivers have what is under way.

        Args:
            error: what is told.
            patience: for receivers that are slow [s].
        """
        with self._lock:
            waiting = list(self._receivers)
        for one in waiting:
            for last in (pack_end(error), None):
                with contextlib.suppress(queue.Full):
                    one.put(last, timeout=patience)
        for thread in self._threads:
            thread.join(patience)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # closed
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            waiting: queue.Queue[bytes | None] = queue.Queue(WAITING)
            thread = threading.Thread(target=self._serve, args=(connection, waiting), daemon=True)
            with self._lock:
                self._receivers.append(waiting)
                self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket, waiting: "queue.Queue[bytes | None]") -> None:
        with connection, contextlib.suppress(OSError):
            while (message := waiting.get()) is not None:
                connection.sendall(message)
        with self._lock:
            self._receivers.remove(waiting)


class FrameSender(Protocol):
    """Where a camera's frames go: `CameraServer`, or `behaviour.CameraOutlet`."""

    @property
    def receivers(self) -> int:
        """How many are connected."""

    def send(self, frame: CameraFrame) -> None:
        """Send a frame to all."""


def serve_camera(
    images: Iterable[Any], server: FrameSender, rate: float, *, settings: BlobSettings | None = None,
    whole: bool = False, begin: float | None = None,
) -> int:  # fmt: skip
    """Play images as a camera would, at its rate; the number of frames.

    Args:
        images: uint8, shape (height, width).
        server: sends them.
        rate: frames per second [Hz].
        settings: of the blobs.
        whole: send images, not their blobs.
        begin: time of frame 0 on the computer's monotonic clock, the same for all cameras; None: when somebody has
            connected.
    """
    finder = BlobFinder(settings)
    finder(np.zeros((8, 8), dtype=np.uint8))
    while begin is None and not server.receivers:
        time.sleep(0.01)
    start = time.monotonic() if begin is None else begin
    count = 0
    for count, image in enumerate(images, start=1):
        time.sleep(max(0.0, start + (count - 1) / rate - time.monotonic()))
        server.send(CameraFrame(count - 1, image if whole else finder(image)))
    return count


def frames_from(host: str, port: int, *, patience: float = 10.0) -> Iterator[CameraFrame]:
    """Frames of a camera on the network; a connection that breaks is made anew.

    Args:
        host: of the camera.
        port: of the camera.
        patience: how long it is tried to connect, and how long it may be silent [s].

    Raises:
        CameraLinkError: it cannot be reached, tells an error, or sends what is not understood.
    """
    while True:
        with contextlib.closing(_connected(host, port, patience)) as connection:
            try:
                yield from _frames(connection)
                return
            except TimeoutError:
                raise CameraLinkError(f"{host}:{port} has sent nothing for {patience:g} s") from None
            except CameraLinkError as error:
                raise CameraLinkError(f"{host}:{port}: {error}") from None
            except OSError:
                continue  # broken: once more


def _frames(connection: socket.socket) -> Iterator[CameraFrame]:
    while True:
        head = _received(connection, _HEAD.size)
        frame = unpack_frame(head + _received(connection, body_size(head)))
        if frame is None:
            return
        yield frame


def _received(connection: socket.socket, count: int) -> bytes:
    whole = bytearray(count)
    view, have = memoryview(whole), 0
    while have < count:
        more = connection.recv_into(view[have:])
        if not more:
            raise ConnectionResetError
        have += more
    return bytes(whole)


def _connected(host: str, port: int, patience: float) -> socket.socket:
    until = time.monotonic() + patience
    while True:
        try:
            return socket.create_connection((host, port), timeout=patience)
        except OSError as error:
            if time.monotonic() > until:
                raise CameraLinkError(f"{host}:{port} cannot be reached: {error}") from None
            time.sleep(0.1)
