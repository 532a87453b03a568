"""How the data section of a C3D file lies: counted by the header and again by parameters, checked against the file."""

import math
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from hitogata.errors import FileFormatError
from hitogata.files.c3d.parameters import BLOCK, Parameters


@dataclass(frozen=True)
class Layout:
    """The data section.

    Attributes:
        start: its first byte.
        points: per frame.
        channels: analog channels.
        samples: analog samples of a channel per frame of points.
        frames: how many.
        first: number of the first frame, from 1.
        rate: of the frames [Hz].
        scale: of whole numbers, in the file's unit; of floating-point files, that of the residuals.
        real: floating-point numbers, otherwise whole numbers of 16 bits.
        notes: where header and parameters do not agree.
    """

    start: int
    points: int
    channels: int
    samples: int
    frames: int
    first: int
    rate: float
    scale: float
    real: bool
    notes: tuple[str, ...]

    @property
    def words(self) -> int:
        """Numbers of a frame."""
        return 4 * self.points + self.channels * self.samples

    @property
    def size(self) -> int:
        """Bytes of the section."""
        return self.words * self.frames * (4 if self.real else 2)


def read_layout(data: bytes, length: int, parameters: Parameters) -> Layout:
    """Find the layout that fits into the file.

    Args:
        data: the beginning of the file.
        length: bytes of the file.
        parameters: of the file.

    Raises:
        FileFormatError: none does; with the counts that do not fit.
    """
    file = parameters.file
    head = np.frombuffer(data, f"{parameters.processor.order}u2", 10)
    scale, rate = (float(x) for x in parameters.processor.real(data[12:16] + data[20:24]))
    notes: list[str] = []
    scale = _chosen("POINT:SCALE", parameters.one("POINT", "SCALE"), scale, notes)
    rate = _chosen("POINT:RATE", parameters.one("POINT", "RATE"), rate, notes)
    points = _counts("POINT:USED", parameters.count("POINT", "USED"), int(head[1]), notes)
    analog = _analog(parameters, int(head[2]), int(head[9]), rate, notes)
    starts = _counts("POINT:DATA_START", parameters.count("POINT", "DATA_START"), int(head[8]), notes)
    frames, first = _frames(parameters, int(head[3]), int(head[4]))
    if not math.isfinite(scale) or scale == 0:
        raise FileFormatError(f"{file}: POINT:SCALE must be a number that is not zero, got {scale:g}")
    if not (math.isfinite(rate) and rate > 0):
        if points[0] or analog[0][0]:
            raise FileFormatError(f"{file}: POINT:RATE must be above zero, got {rate:g}")
        rate = 1.0
    tried = []
    for count, start, n, (m, k) in product(frames, starts, points, analog):
        layout = Layout((start - 1) * BLOCK, n, m, k, count, first, rate, abs(scale), scale < 0, tuple(notes))
        if not layout.words:
            return replace(layout, frames=0)
        if start >= 2 and layout.start + layout.size <= length:
            return _with_rest(layout, length)
        tried.append(layout)
    want = tried[0]
    there = max(length - want.start, 0) // max(want.words * (4 if want.real else 2), 1)
    raise FileFormatError(
        f"{file}: {want.frames} frames of {want.points} points and {want.channels} analog channels with {want.samples} "
        f"samples from byte {want.start} on need {want.start + want.size} bytes, but the file has {length}: it is cut "
        f"or damaged; {there} whole frames are there"
    )


def _with_rest(layout: Layout, length: int) -> Layout:
    """The layout, with a note if the file goes on for more than a block and a frame behind it."""
    rest = length - layout.start - layout.size
    if rest <= 2 * BLOCK or rest < layout.words * (4 if layout.real else 2):
        return layout
    return replace(layout, notes=(*layout.notes, f"{rest} bytes behind the last frame are not read"))


def _chosen(what: str, parameter: float | None, header: float, notes: list[str]) -> float:
    """The parameter if there is one, otherwise what the header says."""
    if parameter is None or not math.isfinite(parameter) or parameter == 0:
        return header
    if math.isfinite(header) and header and abs(parameter - header) > 1e-4 * abs(parameter):
        notes.append(f"{what} is {parameter:g}, the header says {header:g}")
    return parameter


def _counts(what: str, parameter: int | None, header: int, notes: list[str]) -> list[int]:
    """What the parameter and the header say, the parameter first."""
    if parameter is None or parameter == header:
        return [header]
    notes.append(f"{what} is {parameter}, the header says {header}")
    return [parameter, header]


def _analog(parameters: Parameters, total: int, samples: int, rate: float, notes: list[str]) -> list[tuple[int, int]]:
    """Channels and samples per frame: by the header, and by the parameters if they differ."""
    by_header = (total // samples, samples) if samples and total % samples == 0 else (0, 0)
    used = parameters.count("ANALOG", "USED")
    if used is None or used == 0 == by_header[0]:
        return [by_header]
    fast = parameters.one("ANALOG", "RATE") or 0.0
    ratio = fast / rate if math.isfinite(fast) and math.isfinite(rate) and rate > 0 else 0.0
    even = 1 <= ratio < 65536 and abs(ratio - round(ratio)) < 1e-3
    by_parameters = (used, round(ratio)) if used and even else (0, 0)
    if by_parameters == by_header:
        return [by_header]
    notes.append(
        f"ANALOG:USED and RATE say {used} channels at {fast:g} Hz, the header {by_header[0]} with {by_header[1]} "
        "samples per frame"
    )
    return [pair for pair in (by_header, by_parameters) if pair != (0, 0)] or [(0, 0)]


def _frames(parameters: Parameters, first: int, last: int) -> tuple[list[int], int]:
    """Possible numbers of frames, the likeliest first, and the number of the first frame.

    The header counts to 65535; longer files say more in TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD (low and high
    word), POINT:LONG_FRAMES or POINT:FRAMES.
    """
    found, actual = [], first
    start, end = parameters.numbers("TRIAL", "ACTUAL_START_FIELD"), parameters.numbers("TRIAL", "ACTUAL_END_FIELD")
    if len(start) >= 2 and len(end) >= 2:
        a, b = (int(pair[0]) % 65536 + 65536 * (int(pair[1]) % 65536) for pair in (start, end))
        if 1 <= a <= b:
            found.append(b - a + 1)
            actual = a if first in (a % 65536, min(a, 65535)) else first
    long = parameters.one("POINT", "LONG_FRAMES")
    if long is not None and math.isfinite(long) and 0 < long < 2**40:
        found.append(int(long))
    if last >= first:
        found.append(last - first + 1)
    count = parameters.count("POINT", "FRAMES")
    if count is not None and not (count == 1 and last == 0 == first):
        found.append(count)
    if first == 0 == last and (count or 0) == 0:
        found = [0]
    return list(dict.fromkeys(found)) or [0], max(actual, 1)
