"""Live capture: each camera in a process of its own finds blobs; here they are put together frame by frame.

A process reads images from its own source (files, video, a grabber: anything that yields images), so pixels never cross
process borders; what comes over is a table of some forty rows.  Frames are joined by their number: a camera that lags
is waited for, one that ends ends the capture.
"""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from hitogata.capture.blobs import BlobFinder, Blobs, BlobSettings
from hitogata.errors import HitogataError

Source = Callable[[], Iterable[Any]]
"""Called in the camera's process: yields images, uint8 of shape (height, width)."""


class CameraLostError(HitogataError, RuntimeError):
    """A camera's process has ended with an error; the message names the camera."""


class CameraProcesses:
    """Processes that find blobs, one for each camera; iterate over it for the blobs of all cameras, frame by frame.

    Use it in a `with` statement: processes end with it.
    """

    def __init__(
        self, sources: Sequence[Source], settings: BlobSettings | None = None, *, patience: float = 10.0
    ) -> None:
        """Start the processes.

        Args:
            sources: of images, one for each camera; they must be picklable (module-level functions, partials).
            settings: what counts as a blob.
            patience: how long to wait for a camera [s].
        """
        BlobFinder(settings)(np.zeros((8, 8), dtype=np.uint8))  # compiled once, here: cameras find it on disk
        context = multiprocessing.get_context("spawn")
        self._patience = patience
        self._ends: list[Connection] = []
        self._processes = []
        for source in sources:
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_watch, args=(source, settings, there), daemon=True)
            process.start()
            there.close()
            self._ends.append(here)
            self._processes.append(process)

    def __enter__(self) -> "CameraProcesses":
        return self

    def __exit__(self, *_: object) -> None:
        for end in self._ends:
            end.close()
        for process in self._processes:
            process.terminate()
            process.join(5)

    def __iter__(self) -> Iterator[list[Blobs]]:
        while True:
            frame = []
            for k, end in enumerate(self._ends):
                message = self._received(k, end)
                if message is None:
                    return
                frame.append(Blobs(np.frombuffer(message[1:]).reshape(-1, 6), message[0] == 1))
            yield frame

    def _received(self, k: int, end: Connection) -> bytes | None:
        try:
            if not end.poll(self._patience if self._processes[k].is_alive() else 0):
                raise CameraLostError(f"camera {k + 1} has sent nothing for {self._patience:g} s")
            message = end.recv_bytes()
        except EOFError:
            raise CameraLostError(f"camera {k + 1}: its process has ended") from None
        if message[:1] == b"\x02":
            raise CameraLostError(f"camera {k + 1}: {message[1:].decode()}")
        return message if message[:1] != b"\x03" else None


def _watch(source: Source, settings: BlobSettings | None, end: Connection) -> None:
    """What a camera's process does: 0/1 + table for a frame (1: overflow), 2 + text for an error, 3 at the end."""
    try:
        finder = BlobFinder(settings)
        for image in source():
            found = finder(image)
            end.send_bytes(bytes([found.overflow]) + found.table.tobytes())
        end.send_bytes(b"\x03")
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    except Exception as error:  # told where it can be read: a process has no other voice
        end.send_bytes(b"\x02" + f"{type(error).__name__}: {error}".encode())
