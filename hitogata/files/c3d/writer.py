"""C3D files out."""

import os
import struct
from pathlib import Path

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.files.c3d.groups import all_groups
from hitogata.files.c3d.parameters import BLOCK
from hitogata.files.c3d.recording import C3d, no_analog
from hitogata.files.c3d.section import section
from hitogata.files.lengths import LengthUnit
from hitogata.files.markers import MarkerData


def write_c3d(
    c3d: C3d | MarkerData, path: str | os.PathLike[str], *, unit: LengthUnit | None = None, integers: bool = False
) -> None:
    """Write a C3D file: points with residuals, analog channels, events, force plates, other parameters.

    Numbers are floating-point of 32 bits; residuals are multiples of the file's scale, at most 255 of them.  Which
    cameras saw a point is not kept.

    Args:
        c3d: what to write; markers alone will do.
        path: where to.
        unit: of lengths in the file; None: that of the file the markers came from.
        integers: whole numbers of 16 bits: half the size, places to 1/32000 of the largest.

    Raises:
        ArgumentError: what a C3D file cannot hold: uneven times, times before 0, too many or too long labels.
    """
    if isinstance(c3d, MarkerData):
        c3d = C3d(c3d, no_analog(c3d.rate))
    if not isinstance(c3d, C3d):
        raise ArgumentError(f"c3d: expected C3d or MarkerData, got {type(c3d).__name__}")
    unit = c3d.markers.unit if unit is None else unit
    if not isinstance(unit, LengthUnit):
        raise ArgumentError(f"unit: expected one of LengthUnit, got {unit!r}")
    first = _first_frame(c3d.markers)
    places = c3d.markers.positions * unit.per_metre
    scale = _scale(c3d, places, unit, integers)
    analog, gains = _analog(c3d, integers)
    blocks = len(section(all_groups(c3d, unit, first, scale, gains, integers, 1))) // BLOCK
    parameters = section(all_groups(c3d, unit, first, scale, gains, integers, 2 + blocks))
    frames = _frames(c3d, places, scale, unit, analog, integers)
    head = _head(c3d, first, scale, integers, 2 + blocks)
    with Path(path).open("wb") as file:
        file.write(head + parameters)
        file.write(frames.tobytes())
        file.write(b"\0" * (-frames.nbytes % BLOCK))


def _first_frame(markers: MarkerData) -> int:
    """Number of the first frame, by its time; frame 1 is at 0."""
    if not markers.nframes:
        return 1
    number = markers.time * markers.rate
    first = round(float(number[0]))
    apart = np.abs(number - first - np.arange(markers.nframes))
    if apart.max() > 0.1:
        at = int(apart.argmax())
        raise ArgumentError(
            f"a C3D file has even times: frame {at} is at {markers.time[at]:g} s, {apart[at]:.2g} frames off "
            f"the rate of {markers.rate:g} Hz; resample the markers first"
        )
    if first < 0:
        raise ArgumentError(f"a C3D file begins at time 0 or later, got {markers.time[0]:g} s")
    return first + 1


def _scale(c3d: C3d, places: FloatArray, unit: LengthUnit, integers: bool) -> float:
    """Step of residuals, and of integers: that of the file it came from where that will do."""
    largest = float(np.nanmax(np.abs(places), initial=0.0))
    own = c3d.parameters.get("POINT", {}).get("SCALE")
    if own is not None and len(own.values) and own.values[0] and np.isfinite(own.values[0]):
        found = abs(float(own.values[0])) * unit.per_metre / c3d.markers.unit.per_metre
        if not integers or found * 32767 >= largest:
            return found
    residuals = c3d.markers.residuals
    worst = 0.0 if residuals is None else float(np.nanmax(residuals, initial=0.0)) * unit.per_metre
    return float(np.float32(max(largest / 32000, worst / 255) or 1.0))


def _analog(c3d: C3d, integers: bool) -> tuple[FloatArray, FloatArray]:
    """Analog numbers to write, and the scale of each channel."""
    values = c3d.analog.values
    gains = np.ones(values.shape[1])
    if not integers:
        return values, gains
    if np.isnan(values).any():
        raise ArgumentError("integers: analog channels have NaN, which whole numbers cannot be")
    gains = (np.abs(values).max(axis=0, initial=0.0) / 32000).astype(np.float32).astype(np.float64)
    gains[gains == 0] = 1.0
    return np.rint(values / gains), gains


def _frames(
    c3d: C3d, places: FloatArray, scale: float, unit: LengthUnit, analog: FloatArray, integers: bool
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]] | np.ndarray[tuple[int, int], np.dtype[np.int16]]:
    """All frames: x, y, z and residual of each point, then the analog samples."""
    nframes, count = places.shape[:2]
    frames = np.zeros((nframes, 4 * count + c3d.samples * analog.shape[1]), "<i2" if integers else "<f4")
    points = frames[:, : 4 * count].reshape(nframes, count, 4)
    seen = c3d.markers.seen
    numbers = np.where(seen[..., None], places / scale if integers else places, 0.0)
    points[..., :3] = np.rint(numbers) if integers else numbers
    residuals = np.zeros(seen.shape) if c3d.markers.residuals is None else np.nan_to_num(c3d.markers.residuals)
    points[..., 3] = np.where(seen, np.clip(np.rint(residuals * unit.per_metre / scale), 0, 255), -1)
    frames[:, 4 * count :] = analog.reshape(nframes, c3d.samples * analog.shape[1])
    return frames


def _head(c3d: C3d, first: int, scale: float, integers: bool, data_start: int) -> bytes:
    """The first block."""
    count, channels = len(c3d.markers.labels), len(c3d.analog.labels)
    samples = c3d.samples if channels else 0
    last = first + c3d.markers.nframes - 1
    words = struct.pack(
        "<BBHHHHHfHHf", 2, 0x50, count, channels * samples, min(first, 65535), min(last, 65535), 10,
        scale if integers else -scale, data_start, samples, c3d.markers.rate,
    )  # fmt: skip
    return words.ljust(BLOCK, b"\0")
