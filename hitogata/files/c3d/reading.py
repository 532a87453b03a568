"""C3D files in."""

import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from hitogata.errors import ArgumentError, FileContentWarning
from hitogata.figure.values import FloatArray
from hitogata.files.c3d.events import read_events
from hitogata.files.c3d.layout import Layout, read_layout
from hitogata.files.c3d.parameters import SCREEN, Groups, Parameter, Parameters, ParameterType, read_parameters
from hitogata.files.c3d.plates import read_plates
from hitogata.files.c3d.recording import AnalogData, C3d
from hitogata.files.c3d.samples import Raw, raw_frames, read_analog, read_points
from hitogata.files.c3d.wrenches import plate_doubts
from hitogata.files.lengths import LengthUnit, length_unit
from hitogata.files.markers import Axes, MarkerData, size_doubts, unique_labels
from hitogata.files.source import read_bytes


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
    data = read_bytes(file)
    parameters = read_parameters(data, str(file))
    layout = read_layout(data, parameters)
    notes = list(layout.notes)
    found = unit or _unit(parameters, notes)
    turn = _turn(parameters, axes, notes)
    raw = raw_frames(data, layout, parameters)
    markers = _markers(raw, layout, parameters, found, turn, notes, file.stem)
    analog = _analog(raw, layout, parameters, notes)
    events, more = read_events(data, parameters)
    plates, odd = read_plates(parameters, analog, found, layout.frames, turn)
    notes += more + odd
    groups = parameters.groups if axes is Axes.KEEP else _turned(parameters)
    c3d = C3d(markers, analog, events, plates, groups, tuple(notes))
    notes += plate_doubts(c3d)
    if notes:
        warnings.warn(f"{file}: {'; '.join(notes)}", FileContentWarning, stacklevel=2)
    return replace(c3d, warnings=tuple(notes))


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
    raw: Raw, layout: Layout, parameters: Parameters, unit: LengthUnit, turn: FloatArray, notes: list[str], name: str
) -> MarkerData:
    given = parameters.texts("POINT", "LABELS")[: layout.points]
    labels = [text or f"*{k + 1}" for k, text in enumerate(given)]
    labels += [f"*{k + 1}" for k in range(len(labels), layout.points)]
    unique, renamed = unique_labels(labels, "point")
    positions, residuals, odd = read_points(raw, layout, unit.per_metre)
    own = renamed + odd + size_doubts(positions, unit, "unit=")
    notes += own
    if not np.array_equal(turn, np.eye(3)):
        positions = positions @ turn.T + 0.0
    time = (np.arange(layout.frames) + (layout.first - 1)) / layout.rate
    return MarkerData(unique, time, layout.rate, positions, residuals, unit, tuple(own), name)


def _analog(raw: Raw, layout: Layout, parameters: Parameters, notes: list[str]) -> AnalogData:
    values, odd = read_analog(raw, layout, parameters)
    given = parameters.texts("ANALOG", "LABELS")[: layout.channels]
    labels = [text or f"channel {k + 1}" for k, text in enumerate(given)]
    labels += [f"channel {k + 1}" for k in range(len(labels), layout.channels)]
    unique, renamed = unique_labels(labels, "channel")
    units = (parameters.texts("ANALOG", "UNITS") + [""] * layout.channels)[: layout.channels]
    notes += odd + renamed
    rate = layout.rate * max(layout.samples, 1)
    time = np.arange(len(values)) / rate + (layout.first - 1) / layout.rate
    return AnalogData(unique, tuple(units), rate, time, values)
