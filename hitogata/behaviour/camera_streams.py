"""Cameras over the Lab Streaming Layer: blobs of each frame as one sample, for `capture.CameraProcesses`.

A sample is the number of the frame (-1: the end), how many blobs there are, 1 if more was bright than fits, and `MOST`
times six numbers of blobs (`Blobs.table`), 0 for those that are not there.  Images are too large to go this way.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from hitogata.behaviour.lsl import Inlet, Outlet, StreamWatch
from hitogata.behaviour.streams import Channel, Samples, Stream, StreamKind
from hitogata.capture import Blobs, CameraFrame, CameraLinkError
from hitogata.errors import ArgumentError

MOST = 128
"""Blobs in a sample; of more, the brightest."""

COLUMNS = ("u", "v", "radius", "light", "elongation", "origin")
_HEAD = (Channel("number"), Channel("blobs"), Channel("overflow"))


def blob_stream(camera: str, rate: float) -> Stream:
    """The stream of a camera's blobs.

    Args:
        camera: its name.
        rate: frames per second [Hz].
    """
    channels = tuple(Channel(f"{k}.{name}") for k in range(MOST) for name in COLUMNS)
    return Stream(camera, StreamKind.BLOBS, rate, (*_HEAD, *channels), source=f"camera {camera}", dtype="<f8")


def blob_sample(frame: CameraFrame) -> Any:
    """A frame of blobs as one sample, shape (1, nc)."""
    number, blobs = frame
    if not isinstance(blobs, Blobs):
        raise ArgumentError(f"frame {number}: LSL carries blobs, not images: find them first (BlobFinder)")
    table = blobs.table
    if len(table) > MOST:
        table = table[np.sort(np.argsort(-table[:, 3], kind="stable")[:MOST])]
    row = np.zeros((1, len(_HEAD) + MOST * len(COLUMNS)))
    row[0, :3] = number, len(table), blobs.overflow or len(table) < len(blobs.table)
    row[0, 3 : 3 + table.size] = table.ravel()
    return row


def blob_frames(samples: Samples) -> Iterator[CameraFrame | None]:
    """Frames of samples; None: the end.

    Raises:
        CameraLinkError: they are no blobs.
    """
    for row in np.asarray(samples.values, dtype=np.float64):
        number, count, more = row[:3]
        if number == -1:
            yield None
            return
        if not (np.isfinite(row).all() and number >= 0 and 0 <= count <= MOST):
            raise CameraLinkError(f"its samples are no blobs: {number:g}, {count:g} ...")
        table = row[3 : 3 + int(count) * len(COLUMNS)].reshape(-1, len(COLUMNS))
        yield CameraFrame(int(number), Blobs(table, bool(more)))


class CameraOutlet:
    """A camera's end: `send` as `capture.CameraServer` has it."""

    def __init__(self, camera: str, rate: float) -> None:
        """Announce the stream of a camera."""
        self._outlet = Outlet(blob_stream(camera, rate))

    @property
    def receivers(self) -> int:
        """1 if anybody listens, else 0."""
        return int(self._outlet.has_receivers())

    def send(self, frame: CameraFrame) -> None:
        """Send a frame of blobs."""
        self._outlet.send(blob_sample(frame), np.array([time.monotonic()]))

    def close(self) -> None:
        """Tell that it ends, and be gone."""
        end = np.zeros((1, len(self._outlet.stream.channels)))
        end[0, 0] = -1
        self._outlet.send(end, np.array([time.monotonic()]))
        self._outlet.close()


def frames_of_stream(camera: str, *, patience: float = 10.0) -> Iterator[CameraFrame]:
    """Frames of a camera whose blobs are streamed, until it is silent.

    Args:
        camera: its name, that of the stream.
        patience: for it to be found, and how long it may be silent [s].

    Raises:
        CameraLinkError: there is no such stream, it falls silent, or it sends no blobs.
    """
    inlet = Inlet(_found(camera, patience))
    try:
        if len(inlet.stream.channels) != len(_HEAD) + MOST * len(COLUMNS):
            raise CameraLinkError(f"stream {camera!r} is no stream of blobs: {len(inlet.stream.channels)} channels")
        last = time.monotonic()
        while time.monotonic() - last < patience:
            samples = inlet.receive()
            if samples is not None:
                last = time.monotonic()
                for frame in blob_frames(samples):
                    if frame is None:
                        return
                    yield frame
        raise CameraLinkError(f"stream {camera!r} has sent nothing for {patience:g} s")
    finally:
        inlet.close()


def _found(camera: str, patience: float) -> Any:
    watch, until = StreamWatch(), time.monotonic() + patience
    while time.monotonic() < until:
        for info in watch.found():
            if info.name() == camera and info.type() == StreamKind.BLOBS.value:
                return info
        time.sleep(0.1)
    raise CameraLinkError(f"no stream of blobs is called {camera!r}")
