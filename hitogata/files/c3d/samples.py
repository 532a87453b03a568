"""The data section of a C3D file: points and analog samples, read some frames at a time."""

from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from hitogata.errors import FileFormatError
from hitogata.figure.values import FloatArray
from hitogata.files.c3d.layout import Layout
from hitogata.files.c3d.parameters import Parameters
from hitogata.files.markers import Residuals

CHUNK = 1 << 12, 1 << 18
"""Bytes that are read at a time, at least and at most; otherwise 1/32 of the section."""

Raw = np.ndarray[tuple[int, int], np.dtype[np.float32]] | np.ndarray[tuple[int, int], np.dtype[np.int16]]
Mask = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass
class Samples:
    """What the frames hold.

    Attributes:
        positions: [m], shape (frames, points, 3); NaN in gaps.
        residuals: [m], of 32 bits, shape (frames, points); NaN in gaps.
        analog: scaled, shape (frames * samples, channels).
        odd: how many numbers could not be used, by what is wrong with them, and the first frame and place.
    """

    positions: FloatArray
    residuals: Residuals
    analog: FloatArray
    odd: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def note(self, what: str, bad: Mask, frame: int) -> None:
        """Count what is odd in frames from one on; `bad` has shape (n, places)."""
        count = int(bad.sum())
        if count:
            row, place = np.argwhere(bad)[0]
            before, *first = self.odd.get(what, (0, frame + int(row), int(place) + 1))
            self.odd[what] = (before + count, first[0], first[1])

    @property
    def notes(self) -> list[str]:
        """All that was odd, in words."""
        return [f"{n} {what}, first in frame {row}, number {k}" for what, (n, row, k) in self.odd.items()]


def read_samples(file: BinaryIO, layout: Layout, parameters: Parameters, per_metre: float) -> Samples:
    """All frames of an open file."""
    analog = layout.frames * layout.samples if layout.channels else 0
    found = Samples(
        np.empty((layout.frames, layout.points, 3)),
        np.empty((layout.frames, layout.points), np.float32),
        np.empty((analog, layout.channels)),
    )
    size = layout.words * (4 if layout.real else 2)
    step = max(1, min(max(layout.size // 32, CHUNK[0]), CHUNK[1]) // max(size, 1))
    offset, gain = _scaling(layout, parameters)
    unsigned = parameters.texts("ANALOG", "FORMAT")[:1] == ["UNSIGNED"] and not layout.real
    file.seek(layout.start)
    for start in range(0, layout.frames, step):
        count = min(step, layout.frames - start)
        data = file.read(count * size)
        if len(data) < count * size:
            raise FileFormatError(f"{parameters.file}: ended while it was read")
        if layout.real:
            raw: Raw = parameters.processor.real(data).reshape(count, layout.words)
        else:
            raw = np.frombuffer(data, f"{parameters.processor.order}i2").reshape(count, layout.words)
        _points(raw, layout, per_metre, found, start)
        if layout.channels:
            rows = raw[:, 4 * layout.points :]
            rows = rows.view(rows.dtype.str.replace("i", "u")) if unsigned else rows
            _analog(rows, layout, offset, gain, found, start)
    return found


def _points(raw: Raw, layout: Layout, per_metre: float, found: Samples, start: int) -> None:
    """Points of some frames.

    The fourth number of a point, taken as a whole number of 16 bits, is negative in a gap; otherwise its low byte is
    the residual, in units of the scale, and its high byte says which cameras saw it.
    """
    points = raw[:, : 4 * layout.points].reshape(len(raw), layout.points, 4)
    positions = found.positions[start : start + len(raw)]
    with np.errstate(invalid="ignore", over="ignore"):
        np.multiply(points[..., :3], 1.0 if layout.real else layout.scale, out=positions)
        positions /= per_metre
        mark = points[..., 3]
        odd = ~((mark >= -32768) & (mark <= 32767))
        seen = ~odd & (mark >= 0)
        whole = np.where(seen, mark, 0).astype(np.int16)
    broken = seen & ~np.isfinite(positions).all(axis=2)
    gap = ~seen | broken
    positions[gap] = np.nan
    found.residuals[start : start + len(raw)] = np.where(gap, np.nan, (whole & 255) * (layout.scale / per_metre))
    found.note("points have no valid residual, and are gaps", odd, start)
    found.note("points are not finite, and are gaps", broken, start)


def _analog(
    rows: Raw, layout: Layout, offset: FloatArray, gain: FloatArray, found: Samples, start: int
) -> None:  # fmt: skip
    """Analog samples of some frames: (number - OFFSET) * SCALE * GEN_SCALE."""
    values = found.analog[start * layout.samples : (start + len(rows)) * layout.samples]
    values[:] = rows.reshape(len(rows), layout.samples, layout.channels).reshape(-1, layout.channels)
    with np.errstate(invalid="ignore", over="ignore"):
        values -= offset
        values *= gain
    bad = ~np.isfinite(values)
    if bad.any():
        found.note("analog values are not finite, and are NaN", bad.reshape(len(rows), -1), start)
        values[bad] = np.nan


def _scaling(layout: Layout, parameters: Parameters) -> tuple[FloatArray, FloatArray]:
    """Offset and scale of each channel; 0 and 1 where the file has none."""
    count = layout.channels
    offset, scale = parameters.numbers("ANALOG", "OFFSET"), parameters.numbers("ANALOG", "SCALE")
    general = parameters.one("ANALOG", "GEN_SCALE")
    offset = np.concatenate([offset, np.zeros(count)])[:count]
    scale = np.concatenate([scale, np.ones(count)])[:count] * (1.0 if general is None else general)
    if parameters.texts("ANALOG", "FORMAT")[:1] == ["UNSIGNED"]:
        offset[offset < 0] += 65536.0
    return offset, scale


def scaling_doubts(layout: Layout, parameters: Parameters) -> list[str]:
    """Channels without offset or scale."""
    found = []
    for what, neutral in (("OFFSET", 0), ("SCALE", 1)):
        given = len(parameters.numbers("ANALOG", what))
        if given < layout.channels:
            found.append(
                f"ANALOG:{what} has {given} numbers for {layout.channels} channels: {neutral} is taken for others"
            )
    return found
