"""Force plates of a C3D file, found in its parameters.

A plate that cannot be used is named and left out; the others are kept.
"""

import re

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.files.c3d.parameters import Parameters
from hitogata.files.c3d.recording import AnalogData, ForcePlate, PlateType
from hitogata.files.lengths import LengthUnit, length_unit

_FORCES = {"n": 1.0, "newton": 1.0, "newtons": 1.0, "kn": 1000.0, "lbf": 4.4482216152605, "lb": 4.4482216152605}

_ROLES = {
    PlateType.CENTRE: "FFFLLM",
    PlateType.WRENCH: "FFFMMM",
    PlateType.SENSORS: "FFFFFFFF",
    PlateType.CALIBRATED: "FFFMMM",
}
"""Whether a channel is a force, a length or a moment."""

PLATE_SIZES = 0.05, 6.0
"""Edges of a plate that are not doubted [m]."""


def read_plates(
    parameters: Parameters, analog: AnalogData, unit: LengthUnit, frames: int, turn: FloatArray
) -> tuple[tuple[ForcePlate, ...], list[str]]:
    """All plates that can be used, and notes on the others.

    Args:
        parameters: of the file.
        analog: its channels.
        unit: of lengths in the file.
        frames: how many there are.
        turn: rotation from the file's axes to ours, shape (3, 3).
    """
    plates, notes = [], []
    used = parameters.count("FORCE_PLATFORM", "USED") or 0
    types = parameters.numbers("FORCE_PLATFORM", "TYPE")
    if used > len(types):
        notes.append(f"FORCE_PLATFORM:USED is {used}, but TYPE has {len(types)} plates")
    for k in range(min(used, len(types))):
        plate = _plate(k, int(types[k]), parameters, analog, unit, frames, turn, notes)
        if plate is not None:
            plates.append(plate)
    return tuple(plates), notes


def _plate(
    k: int, number: int, parameters: Parameters, analog: AnalogData, unit: LengthUnit, frames: int, turn: FloatArray,
    notes: list[str],
) -> ForcePlate | None:  # fmt: skip
    """Plate k, or None and a note."""
    name = f"force plate {k + 1}"
    if number not in (1, 2, 3, 4):
        notes.append(f"{name} is of type {number}, and left out: types 1 to 4 are read")
        return None
    kind = PlateType(number)
    group = "FORCE_PLATFORM"
    channel = parameters.get(group, "CHANNEL")
    rows = channel.shape[0] if channel and channel.shape else 0
    numbers = parameters.numbers(group, "CHANNEL")[rows * k : rows * (k + 1)][: kind.nchannels].astype(int)
    corners = parameters.numbers(group, "CORNERS")[12 * k : 12 * k + 12]
    origin = parameters.numbers(group, "ORIGIN")[3 * k : 3 * k + 3]
    calibration = parameters.numbers(group, "CAL_MATRIX")[36 * k : 36 * k + 36]
    problem = ""
    if len(numbers) < kind.nchannels or ((numbers < 1) | (numbers > len(analog.labels))).any():
        problem = f"its channels are {numbers.tolist()} of {len(analog.labels)}, {kind.nchannels} are needed"
    elif len(corners) < 12 or not np.isfinite(corners).all() or _flat(corners.reshape(4, 3)):
        problem = "it has no four corners"
    elif len(origin) < 3 or not np.isfinite(origin).all():
        problem = "it has no origin"
    elif kind is PlateType.CALIBRATED and (len(calibration) < 36 or not np.isfinite(calibration).all()):
        problem = "it has no calibration matrix (CAL_MATRIX)"
    if not problem:
        channels = tuple(int(n) - 1 for n in numbers)
        units, problem = _units(kind, channels, analog, unit, name, notes)
    if problem:
        notes.append(f"{name} is left out: {problem}")
        return None
    if origin[2] > 0:  # written the other way round; the surface is above what is measured, and z points down
        origin = origin * (1, 1, -1) if kind is PlateType.SENSORS else -origin
    places = corners.reshape(4, 3) / unit.per_metre
    edges = np.linalg.norm(np.diff(places, axis=0, append=places[:1]), axis=1)
    if edges.min() < PLATE_SIZES[0] or edges.max() > PLATE_SIZES[1]:
        notes.append(f"{name} has edges of {edges.min():.3g} to {edges.max():.3g} m: is the unit {unit.value!r} right?")
    matrix = calibration.reshape(6, 6, order="F") if kind is PlateType.CALIBRATED else None
    zero = _zero(parameters, frames)
    return ForcePlate(kind, places @ turn.T + 0.0, origin / unit.per_metre, channels, units, matrix, zero)


def _flat(corners: FloatArray) -> bool:
    """Whether corners have no area."""
    x, y = corners[0] - corners[1], corners[0] - corners[3]
    size = float(np.linalg.norm(x) * np.linalg.norm(y))
    return not size > 0 or float(np.linalg.norm(np.cross(x, y))) < 1e-3 * size


def _units(
    kind: PlateType, channels: tuple[int, ...], analog: AnalogData, unit: LengthUnit, name: str, notes: list[str]
) -> tuple[tuple[float, ...], str]:
    """What one of each channel is in N, N m or m; and why the plate cannot be used."""
    result, guessed = [], []
    for role, channel in zip(_ROLES[kind], channels, strict=True):
        text = analog.units[channel]
        if kind is PlateType.CALIBRATED or not text:  # what a matrix makes of its channels is in the file's length unit
            guessed += [analog.labels[channel]] if kind is not PlateType.CALIBRATED else []
            result.append({"F": 1.0, "L": unit.metres, "M": unit.metres}[role])
            continue
        value = {"F": _force, "L": _length, "M": _moment}[role](text)
        if value is None:
            what = {"F": "a force", "L": "a length", "M": "a moment"}[role]
            return (), f"channel {analog.labels[channel]!r} is in {text!r}, not in a unit of {what}: not calibrated?"
        result.append(value)
    if guessed:
        notes.append(
            f"{name}: channels {', '.join(guessed)} have no unit: N, N {unit.value} and {unit.value} are taken"
        )
    return tuple(result), ""


def _force(text: str) -> float | None:
    return _FORCES.get(text.strip("[]() ").lower())


def _length(text: str) -> float | None:
    unit = length_unit(text)
    return None if unit is None else unit.metres


def _moment(text: str) -> float | None:
    """'Nmm', 'N.m', 'N*mm', 'Newton-meters' ..."""
    match = re.fullmatch(r"(newtons?|kn|n|lbf?)[\s.*·⋅x/-]*([a-zµ]+)", text.strip("[]() ").lower())
    unit = length_unit(match[2]) if match else None
    return None if match is None or unit is None else _FORCES[match[1]] * unit.metres


def _zero(parameters: Parameters, frames: int) -> tuple[int, int] | None:
    """Frames of FORCE_PLATFORM:ZERO, which counts from 1; (1, 0) and (0, 0) are none."""
    found = parameters.numbers("FORCE_PLATFORM", "ZERO")
    if len(found) < 2 or not 1 <= found[0] <= found[1] <= frames:
        return None
    return int(found[0]) - 1, int(found[1])
