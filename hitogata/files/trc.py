"""TRC, the marker files of Motion Analysis: places of labelled markers as text, in."""

import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hitogata.errors import ArgumentError, FileContentWarning, FileFormatError
from hitogata.figure.values import FloatArray
from hitogata.files.doubts import size_doubts, time_doubts, unique_labels
from hitogata.files.lengths import LengthUnit, length_unit
from hitogata.files.markers import Axes, MarkerData, turn_places
from hitogata.files.rows import cells, number, read_table, text_of
from hitogata.files.text_blocks import TextBlocks

HEAD = 64
"""Lines among which the head is looked for."""

IntArray = np.ndarray[tuple[int], np.dtype[np.int64]]


def read_trc(
    path: str | os.PathLike[str],
    *,
    unit: LengthUnit | None = None,
    axes: Axes = Axes.KEEP,
    zeros_are_gaps: bool = False,
) -> MarkerData:
    """Read a TRC file: places of markers, in metres.

    Empty cells and NaN are gaps.  What is odd is told in one FileContentWarning and kept in `MarkerData.warnings`.

    Args:
        path: of the file.
        unit: of its numbers; None: as it says.
        axes: how its axes become ours.  A TRC file does not say which is up; KEEP leaves them as they are.
        zeros_are_gaps: some programs write 0, 0, 0 for a marker that was not seen.

    Raises:
        FileFormatError: missing or malformed; with file and line.
    """
    if not isinstance(axes, Axes) or axes is Axes.FROM_FILE:
        raise ArgumentError(f"axes: a TRC file does not say them; expected another of Axes, got {axes!r}")
    if unit is not None and not isinstance(unit, LengthUnit):
        raise ArgumentError(f"unit: expected one of LengthUnit, got {unit!r}")
    file = Path(path)
    blocks = TextBlocks(file)
    head = _head(blocks.head(HEAD), str(file), unit)
    labels, notes = unique_labels(head.labels, "marker")
    notes = [*head.notes, *notes]
    table = read_table(blocks, head.first, (2, 3 * len(labels)), str(file), gaps=True)
    time = table.front[:, 1].copy()
    if not np.isfinite(time).all():
        raise FileFormatError(f"{file}:{table.lines[int((~np.isfinite(time)).argmax())]}: the time is not a number")
    positions = table.rest.reshape(len(time), len(labels), 3)
    positions /= head.unit.per_metre
    notes += _gaps(positions, labels, table.lines, zeros_are_gaps)
    if head.frames is not None and head.frames != len(time):
        notes.append(f"{head.frames} frames are announced, but there are {len(time)}")
    notes += time_doubts(time) + _rate_doubts(time, head.rate)
    notes += size_doubts(positions, head.unit, "unit=")
    turn_places(positions, axes.matrix)
    if notes:
        warnings.warn(f"{file}: {'; '.join(notes)}", FileContentWarning, stacklevel=2)
    return MarkerData(labels, time, head.rate, positions, None, head.unit, tuple(notes), file.stem)


@dataclass(frozen=True)
class _Head:
    rate: float
    frames: int | None
    unit: LengthUnit
    labels: list[str]
    first: int
    notes: list[str]


def _head(lines: list[bytes], file: str, unit: LengthUnit | None) -> _Head:
    """The head: keys and their values in two lines, then labels, then the names of coordinates."""
    texts = [text_of(line) for line in lines[:12]]
    keys = next((k for k, text in enumerate(texts) if "datarate" in text.lower()), None)
    if keys is None:
        found = texts[0].strip()[:40] if texts else ""
        raise FileFormatError(f"{file}:1: not a TRC file: no line with DataRate; it begins with {found!r}")
    given = dict(zip((word.lower() for word in cells(texts[keys])), cells((texts + [""])[keys + 1]), strict=False))
    where = f"{file}:{keys + 2}"
    rate = number(given.get("datarate", "").encode(), f"{where}: DataRate")
    if not rate > 0:
        raise FileFormatError(f"{where}: DataRate must be above zero, got {rate:g}")
    notes: list[str] = []
    said = length_unit(given.get("units", ""))
    if unit is None and said is None:
        raise FileFormatError(f"{where}: Units {given.get('units', '')[:40]!r} are not known; say them with unit=")
    row = next((k for k in range(keys + 2, len(texts)) if texts[k].strip().lower().startswith("frame")), None)
    if row is None:
        raise FileFormatError(f"{file}:{keys + 3}: the line 'Frame#, Time, labels of markers' is missing")
    words = [word for word in cells(texts[row]) if word]
    if len(words) < 2 or not words[1].lower().startswith("time"):
        raise FileFormatError(f"{file}:{row + 1}: 'Frame#' and 'Time' are expected before the labels of markers")
    labels = words[2:]
    count = _whole(given.get("nummarkers", ""))
    if count is not None and count != len(labels):
        notes.append(f"{count} markers are announced, but {len(labels)} have labels")
    first = row + 1
    while first < len(lines) and not lines[first].strip():
        first += 1
    if first < len(lines) and text_of(lines[first]).strip()[:1].lower() == "x":
        first += 1
    return _Head(rate, _whole(given.get("numframes", "")), unit or said or LengthUnit.MILLIMETRE, labels, first, notes)


def _whole(text: str) -> int | None:
    """A whole number, or None."""
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return None


def _gaps(positions: FloatArray, labels: tuple[str, ...], lines: IntArray, zeros_are_gaps: bool) -> list[str]:
    """Make gaps whole in place; what was odd about them."""
    notes = []
    missing = np.isnan(positions)
    part = missing.any(axis=2) & ~missing.all(axis=2)
    if part.any():
        frame, marker = np.argwhere(part)[0]
        notes.append(
            f"{part.sum()} markers have only some of x, y, z, and are taken as gaps, first {labels[marker]!r} "
            f"in line {lines[frame]}"
        )
        positions[part] = np.nan
    zeros = (positions == 0).all(axis=2)
    if zeros.any() and zeros_are_gaps:
        positions[zeros] = np.nan
    elif zeros.any():
        frame, marker = np.argwhere(zeros)[0]
        notes.append(
            f"{zeros.sum()} places are 0, 0, 0, first of {labels[marker]!r} in line {lines[frame]}: if these are "
            "gaps, read with zeros_are_gaps=True"
        )
    return notes


def _rate_doubts(time: FloatArray, rate: float) -> list[str]:
    """Whether the times tell another rate than the head."""
    if len(time) < 3:
        return []
    found = float(np.median(np.diff(time)))
    if found > 0 and abs(found * rate - 1) > 0.1:
        return [f"DataRate is {rate:g} Hz, but times go on by {found:g} s"]
    return []
