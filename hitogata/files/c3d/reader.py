"""C3D files in."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from hitogata.errors import ArgumentError, FileContentWarning, FileFormatError
from hitogata.figure.values import FloatArray
from hitogata.files.c3d.events import read_events
from hitogata.files.c3d.layout import Layout, read_layout
from hitogata.files.c3d.parameters import BLOCK, SCREEN, Groups, Parameter, Parameters, ParameterType, read_parameters
from hitogata.files.c3d.plates import read_plates
from hitogata.files.c3d.recording import AnalogData, C3d
from hitogata.files.c3d.samples import Samples, read_samples, scaling_doubts
from hitogata.files.c3d.wrenches import plate_doubts
from hitogata.files.doubts import size_doubts, unique_labels
from hitogata.files.lengths import LengthUnit, length_unit
from hitogata.files.markers import Axes, MarkerData, turn_places

HEAD = 512 * BLOCK
"""Bytes that hold header and parameters, wherever these begin."""


def read_c3d(path: str | os.PathLike[str], *, unit: LengthUnit | None = None, axes: Axes = Axes.KEEP) -> C3d:
    """Read a C3D file: points, analog channels, events, force plates.

    Numbers of Intel, DEC and MIPS processors, whole or floating-point.  The file is checked before its numbers are
    used.  What is odd is told in one FileContentWarning and kept in `C3d.warnings`.

    Args:
        path: of the file.
        unit: of its lengths; None: as it says (POINT:UNITS).
        axes: how its axes become ours.  KEEP leaves them, with a warning if the file says that z is not up; FROM_FILE
            turns them so that it is.

    Raises:
        FileFormatError: missing, cut or damaged; names the file, and the byte or parameter.
    """
    if not isinstance(axes, Axes):
        raise ArgumentError(f"axes: expected one of Axes, got {axes!r}")
    if unit is not None and not isinstance(unit, LengthUnit):
        raise ArgumentError(f"unit: expected one of LengthUnit, got {unit!r}")
    file = Path(path)
    notes: list[str] = []
    with _opened(file) as (handle, length):
        head = handle.read(min(HEAD, length))  # a buffer as long as asked for is made first
        parameters = read_parameters(head, str(file))
        layout = read_layout(head, length, parameters)
        events, odd = read_events(head, parameters)
        del head  # not beside the samples
        found = unit or _unit(parameters, notes)
        samples = read_samples(handle, layout, parameters, found.per_metre)
    turn = _turn(parameters, axes, notes)
    notes += [*layout.notes, *samples.notes, *scaling_doubts(layout, parameters), *odd]
    markers = _markers(samples, layout, parameters, found, turn, notes, file.stem)
    analog = _analog(samples, layout, parameters, notes)
    plates, odd = read_plates(parameters, analog, found, layout.frames, turn)
    notes += odd
    groups = parameters.groups if axes is Axes.KEEP else _turned(parameters)
    c3d = C3d(markers, analog, events, plates, groups, tuple(notes))
    notes += plate_doubts(c3d)
    if notes:
        warnings.warn(f"{file}: {'; '.join(notes)}", FileContentWarning, stacklevel=2)
    return replace(c3d, warnings=tuple(notes))


@contextmanager
def _opened(file: Path) -> Iterator[tuple[BinaryIO, int]]:
    """An open file and its length, or FileFormatError naming it."""
    try:
        with file.open("rb") as handle:
            yield handle, os.fstat(handle.fileno()).st_size
    except FileNotFoundError:
        raise FileFormatError(f"{file}: no such file") from None
    except OSError as error:
        raise FileFormatError(f"{file}: cannot be read ({error})") from None
    except MemoryError:
        raise FileFormatError(f"{file}: {file.stat().st_size / 1e9:.1f} GB are more than fit into memory") from None


def _unit(parameters: Parameters, notes: list[str]) -> LengthUnit:
    text = (parameters.texts("POINT", "UNITS") or [""])[0]
    unit = length_unit(text)
    if unit is None:
        notes.append(f"POINT:UNITS {text[:40]!r} is no unit that is known: mm is taken; say it with unit=")
    return unit or LengthUnit.MILLIMETRE


def _turn(parameters: Parameters, axes: Axes, notes: list[str]) -> FloatArray:
    """Rotation from the file's axes to ours: POINT:X_SCREEN goes along our x, POINT:Y_SCREEN up."""
    screen = [(parameters.texts("POINT", name) or [""])[0].upper() for name in ("X_SCREEN", "Y_SCREEN")]
    if axes is not Axes.FROM_FILE:
        if axes is Axes.KEEP and screen[1] and screen[1] not in ("+Z", "Z"):
            notes.append(f"the file says that {screen[1]} is up (POINT:Y_SCREEN); axes=Axes.FROM_FILE turns it to z")
        return axes.matrix
    x, z = (_direction(text) for text in screen)
    if x is None or z is None or abs(float(x @ z)) > 0.5:
        notes.append(f"POINT:X_SCREEN {screen[0]!r} and Y_SCREEN {screen[1]!r} do not say the axes: they are kept")
        return Axes.KEEP.matrix
    return np.stack([x, np.cross(z, x), z])


def _turned(parameters: Parameters) -> Groups:
    """The parameters, but that now z is up."""
    screen = {name: Parameter(name, ParameterType.TEXT, (2,), (text,)) for name, text in SCREEN.items()}
    return {**parameters.groups, "POINT": {**parameters.groups.get("POINT", {}), **screen}}


def _direction(text: str) -> FloatArray | None:
    """'+Z', '-X', 'Y' as a vector."""
    sign, letter = (-1.0, text[1:]) if text[:1] == "-" else (1.0, text.removeprefix("+"))
    if letter not in ("X", "Y", "Z"):
        return None
    vector: FloatArray = sign * np.eye(3)["XYZ".index(letter)]
    return vector


def _markers(
    samples: Samples, layout: Layout, parameters: Parameters, unit: LengthUnit, turn: FloatArray, notes: list[str],
    name: str,
) -> MarkerData:  # fmt: skip
    labels, renamed = _labels(parameters, "POINT", "*{}", layout.points)
    positions = samples.positions
    own = renamed + size_doubts(positions, unit, "unit=")
    notes += own
    turn_places(positions, turn)
    time = (np.arange(layout.frames) + (layout.first - 1)) / layout.rate
    return MarkerData(labels, time, layout.rate, positions, samples.residuals, unit, tuple(own), name)


def _analog(samples: Samples, layout: Layout, parameters: Parameters, notes: list[str]) -> AnalogData:
    labels, renamed = _labels(parameters, "ANALOG", "channel {}", layout.channels)
    units = (parameters.texts("ANALOG", "UNITS") + [""] * layout.channels)[: layout.channels]
    notes += renamed
    rate = layout.rate * max(layout.samples, 1)
    time = np.arange(len(samples.analog)) / rate + (layout.first - 1) / layout.rate
    return AnalogData(labels, tuple(units), rate, time, samples.analog)


def _labels(parameters: Parameters, group: str, missing: str, count: int) -> tuple[tuple[str, ...], list[str]]:
    """Unique labels, made up by number where the file has none; and what was renamed."""
    given = (parameters.texts(group, "LABELS") + [""] * count)[:count]
    labels = [text or missing.format(k) for k, text in enumerate(given, 1)]
    return unique_labels(labels, "point" if group == "POINT" else "channel")
