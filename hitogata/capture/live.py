"""Live capture: each camera in a process of its own finds blobs; here they are put together frame by frame.

A process reads images or blobs from its own source (files, video, a grabber, a socket: anything that yields them), so
pixels never cross process borders; what comes over is a table of some forty rows.  Frames are joined by their numbers:
a frame that one camera has lost is put together without it, and a camera that fails is left out, by name.
"""

import contextlib
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from hitogata.capture.blobs import BlobFinder, Blobs, BlobSettings
from hitogata.capture.camera_link import CameraFrame, CameraLinkError, pack_end, pack_frame, unpack_frame
from hitogata.capture.frame_join import FrameJoin
from hitogata.errors import ArgumentError, HitogataError

Source = Callable[[], Iterable[Any]]
"""Called in the camera's process: yields images, uint8 of shape (height, width), which are counted; or
`CameraFrame`s, with their own numbers, of images or blobs."""

STARTING, STARTED = 300.0, b""
"""Processes may take so long to start [s], and what they say then."""

FEWEST = 2
"""Cameras without which there are no points."""


class CameraLostError(HitogataError, RuntimeError):
    """Fewer than two cameras are left; the message names those that are lost, and why."""


class CameraProcesses:
    """Processes that find blobs, one for each camera; iterate over it for the blobs of all cameras, frame by frame.

    Use it in a `with` statement: processes end with it.

    Attributes:
        problems: cameras that were lost, and why, in sentences.
        incomplete: how many frames were put together without a camera that is not lost.
    """

    def __init__(
        self, sources: Sequence[Source], settings: BlobSettings | None = None, *, patience: float = 10.0,
        lag: float | None = None, names: Sequence[str] | None = None, threads: bool = False,
    ) -> None:  # fmt: skip
        """Start the processes.

        Args:
            sources: of images, one for each camera; they must be picklable (module-level functions, partials).
            settings: what counts as a blob.
            patience: a camera that sends nothing for so long is lost [s].
            lag: a camera that is later than the others by more is not waited for until it sends again [s]; None: all
                are waited for, as it should be with files.
            names: of the cameras, for messages; None: camera 1, camera 2 ...
            threads: in the place of processes; enough for cameras on the network that find their blobs themselves.
        """
        names = [f"camera {k + 1}" for k in range(len(sources))] if names is None else list(names)
        if len(names) != len(sources):
            raise ArgumentError(f"{len(sources)} sources, but {len(names)} names of cameras")
        BlobFinder(settings)(np.zeros((8, 8), dtype=np.uint8))  # compiled once, here: cameras find it on disk
        context = multiprocessing.get_context("spawn")
        self._patience, self._lag, self._names = patience, lag, names
        self._join = FrameJoin(len(sources))
        self._ends: list[Connection] = []
        self._processes: list[Any] = []
        self.problems: list[str] = []
        for source in sources:
            here, there = context.Pipe(duplex=False)
            self._ends.append(here)
            if threads:
                threading.Thread(target=_watch, args=(source, settings, there), daemon=True).start()
                continue
            process = context.Process(target=_watch, args=(source, settings, there), daemon=True)
            process.start()
            there.close()
            self._processes.append(process)

    def __enter__(self) -> "CameraProcesses":
        return self

    def __exit__(self, *_: object) -> None:
        for end in self._ends:
            end.close()
        for process in self._processes:
            process.terminate()
            process.join(5)

    @property
    def incomplete(self) -> int:
        """Frames without a camera that is not lost."""
        return self._join.incomplete

    def __iter__(self) -> Iterator[list[Blobs]]:
        join, now = self._join, time.monotonic()
        heard = [now + max(0.0, STARTING - self._patience)] * len(self._ends)
        begun = [False] * len(self._ends)
        while True:
            waited = join.missing()
            if not waited:
                yield from join.frames()
                continue
            ready = wait([self._ends[k] for k in waited], self._pause(waited, heard))
            now = time.monotonic()
            for k in (k for k in waited if self._ends[k] in ready):
                try:
                    message = self._ends[k].recv_bytes()
                    if message == STARTED:
                        heard[k] = now
                        continue
                    frame = unpack_frame(message)
                except (EOFError, OSError):
                    self._lose(k, "its process has ended")
                except CameraLinkError as error:
                    self._lose(k, str(error))
                else:
                    if frame is None:
                        return
                    if join.add(k, frame) or not begun[k]:
                        heard[k], begun[k] = now, True
            for k in join.missing() + join.left_out():
                if now - heard[k] > self._patience:
                    self._lose(k, f"has sent nothing for {self._patience:g} s{join.behind(k)}")
            here = join.here()
            if self._lag is not None and here and now - max(heard[k] for k in here) > self._lag:
                for k in join.missing():
                    if begun[k]:
                        join.leave_out(k)
            for k in join.left_out():
                if self._ends[k].poll():
                    join.take_in(k)

    def _pause(self, waited: list[int], heard: list[float]) -> float:
        """How long to wait for any of them [s]."""
        left = min(heard[k] for k in waited) + self._patience - time.monotonic()
        return max(0.0, left if self._lag is None or not self._join.here() else min(left, self._lag))

    def _lose(self, k: int, why: str) -> None:
        self.problems.append(f"{self._names[k]}: {why}")
        self._join.lose(k)
        if self._join.left < FEWEST:
            raise CameraLostError("; ".join(self.problems))


def _watch(source: Source, settings: BlobSettings | None, end: Connection) -> None:
    """What a camera's process does: sends frames of blobs, then the end, or an error."""
    try:
        finder = BlobFinder(settings)
        end.send_bytes(STARTED)
        for count, given in enumerate(source()):
            frame = given if isinstance(given, CameraFrame) else CameraFrame(count, given)
            found = frame.seen if isinstance(frame.seen, Blobs) else finder(frame.seen)
            end.send_bytes(pack_frame(CameraFrame(frame.number, found)))
        end.send_bytes(pack_end())
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    except Exception as error:  # told where it can be read: a process has no other voice
        with contextlib.suppress(OSError):
            end.send_bytes(pack_end(f"{type(error).__name__}: {error}"))
