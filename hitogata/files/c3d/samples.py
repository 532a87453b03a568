"""The data section of a C3D file: points and analog samples, frame by frame."""

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.files.c3d.layout import Layout
from hitogata.files.c3d.parameters import Parameters

Raw = np.ndarray[tuple[int, int], np.dtype[np.float32]] | np.ndarray[tuple[int, int], np.dtype[np.int16]]


def raw_frames(data: bytes, layout: Layout, parameters: Parameters) -> Raw:
    """The numbers of all frames as they stand, shape (frames, words); a view of the file where that can be."""
    part = memoryview(data)[layout.start : layout.start + layout.size]
    if layout.real:
        return parameters.processor.real(part).reshape(layout.frames, layout.words)
    return np.frombuffer(part, f"{parameters.processor.order}i2").reshape(layout.frames, layout.words)


def read_points(raw: Raw, layout: Layout, per_metre: float) -> tuple[FloatArray, FloatArray, list[str]]:
    """Places [m], shape (frames, points, 3), residuals [m], shape (frames, points), both NaN in gaps; and notes.

    The fourth number of a point, taken as a whole number of 16 bits, is negative in a gap; otherwise its low byte is
    the residual, in units of the scale.
    """
    points = raw[:, : 4 * layout.points].reshape(layout.frames, layout.points, 4)
    positions: FloatArray = np.empty((layout.frames, layout.points, 3))
    with np.errstate(invalid="ignore", over="ignore"):
        np.multiply(points[..., :3], 1.0 if layout.real else layout.scale, out=positions)
        positions /= per_metre
        mark = points[..., 3]
        odd = ~((mark >= -32768) & (mark <= 32767))
        seen = ~odd & (mark >= 0)
        residuals: FloatArray = np.where(seen, mark, 0).astype(np.int16).astype(np.float64)
    residuals %= 256.0
    residuals *= layout.scale / per_metre
    broken = seen & ~np.isfinite(positions).all(axis=2)
    gap = ~seen | broken
    positions[gap] = np.nan
    residuals[gap] = np.nan
    notes = []
    for bad, what in ((odd, "have no valid residual"), (broken, "are not finite")):
        if bad.any():
            frame, point = np.argwhere(bad)[0]
            notes.append(f"{bad.sum()} places {what}, and are gaps, first in frame {frame} of point {point + 1}")
    return positions, residuals, notes


def read_analog(raw: Raw, layout: Layout, parameters: Parameters) -> tuple[FloatArray, list[str]]:
    """Scaled values, shape (frames * samples, channels), and notes: (number - OFFSET) * SCALE * GEN_SCALE."""
    count, notes = layout.channels, []
    rows = raw[:, 4 * layout.points :]
    if parameters.texts("ANALOG", "FORMAT")[:1] == ["UNSIGNED"] and rows.dtype.kind == "i":
        rows = rows.view(rows.dtype.str.replace("i", "u"))
        wrap = 65536.0
    else:
        wrap = 0.0
    values: FloatArray = np.empty((layout.frames * layout.samples if count else 0, count))
    if not values.size:
        return values, notes
    values[:] = rows.reshape(layout.frames, layout.samples, count).reshape(-1, count)
    offset, scale = parameters.numbers("ANALOG", "OFFSET"), parameters.numbers("ANALOG", "SCALE")
    general = parameters.one("ANALOG", "GEN_SCALE")
    for what, found in (("OFFSET", offset), ("SCALE", scale)):
        if len(found) < count:
            neutral = "0" if what == "OFFSET" else "1"
            notes.append(f"ANALOG:{what} has {len(found)} numbers for {count} channels: {neutral} is taken for the others")
    offset = np.concatenate([offset, np.zeros(count)])[:count]
    scale = np.concatenate([scale, np.ones(count)])[:count] * (1.0 if general is None else general)
    offset[offset < 0] += wrap
    with np.errstate(invalid="ignore", over="ignore"):
        values -= offset
        values *= scale
    bad = ~np.isfinite(values)
    if bad.any():
        sample, channel = np.argwhere(bad)[0]
        notes.append(f"{bad.sum()} analog values are not finite, and are NaN, first in sample {sample} of channel {channel + 1}")
        values[bad] = np.nan
    return values, notes
