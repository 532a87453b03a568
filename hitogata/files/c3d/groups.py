"""The parameters of a C3D file that is written: those of the recording, and what else the file it came from had."""

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.files.c3d.parameters import SCREEN, Groups, Parameter
from hitogata.files.c3d.recording import C3d, PlateType
from hitogata.files.c3d.section import per_channel, real, text, texts, whole
from hitogata.files.lengths import LengthUnit

_MOMENTS = {LengthUnit.METRE: "Nm", LengthUnit.CENTIMETRE: "Ncm", LengthUnit.MILLIMETRE: "Nmm"}


def all_groups(
    c3d: C3d, unit: LengthUnit, first: int, scale: float, gains: FloatArray, integers: bool, data_start: int
) -> Groups:
    """Parameters by group and name.

    Args:
        c3d: the recording.
        unit: of lengths in the file.
        first: number of the first frame.
        scale: of points.
        gains: scale of each analog channel, shape (nc,).
        integers: whole numbers of 16 bits.
        data_start: block of the data.
    """
    made = {
        "POINT": _point(c3d, unit, scale, integers, data_start),
        "ANALOG": _analog(c3d, gains),
        "FORCE_PLATFORM": _plates(c3d, unit),
        "EVENT": _events(c3d),
        "TRIAL": _trial(c3d, first),
    }
    groups: dict[str, dict[str, Parameter]] = {}
    for group in (*made, *(name for name in c3d.parameters if name not in made)):
        own = {it.name: it for it in made.get(group, [])}
        stems = {name.rstrip("0123456789") for name in own}
        kept = {
            name: it
            for name, it in c3d.parameters.get(group, {}).items()
            if name not in own and name.rstrip("0123456789") not in stems  # LABELS2 goes with LABELS
        }
        groups[group] = {**own, **kept}
    return groups


def _point(c3d: C3d, unit: LengthUnit, scale: float, integers: bool, data_start: int) -> list[Parameter]:
    given = c3d.parameters.get("POINT", {})
    screen = [given.get(name) or text(name, value) for name, value in SCREEN.items()]
    count, frames = len(c3d.markers.labels), c3d.markers.nframes
    if count > 65535:
        raise ArgumentError(f"a C3D file has at most 65535 points, got {count}")
    return [
        whole("USED", [count]),
        whole("FRAMES", [min(frames, 65535)]),
        real("LONG_FRAMES", [frames]),
        whole("DATA_START", [data_start]),
        real("SCALE", [scale if integers else -scale]),
        real("RATE", [c3d.markers.rate]),
        text("UNITS", unit.value),
        *screen,
        *texts("LABELS", c3d.markers.labels),
        *texts("DESCRIPTIONS", [""] * count),
    ]


def _analog(c3d: C3d, gains: FloatArray) -> list[Parameter]:
    count = len(c3d.analog.labels)
    units = list(c3d.analog.units)
    for plate in c3d.plates:
        if plate.kind is not PlateType.CALIBRATED:
            for channel, value in zip(plate.channels, plate.units, strict=True):
                units[channel] = units[channel] or _unit_text(plate.kind, plate.channels.index(channel), value)
    return [
        whole("USED", [count]),
        real("RATE", [c3d.analog.rate]),
        real("GEN_SCALE", [1.0]),
        *per_channel(real, "SCALE", gains),
        *per_channel(whole, "OFFSET", np.zeros(count, dtype=np.int64)),
        *texts("UNITS", units),
        *texts("LABELS", c3d.analog.labels),
        text("FORMAT", "SIGNED"),
    ]


def _unit_text(kind: PlateType, k: int, value: float) -> str:
    """The unit of channel k of a plate that had none in its file."""
    if kind is PlateType.SENSORS or k < 3:
        return "N"
    near = next((unit for unit in LengthUnit if abs(unit.metres / value - 1) < 1e-9), None)
    if near is None:
        return ""
    return near.value if kind is PlateType.CENTRE and k < 5 else _MOMENTS.get(near, "")


def _plates(c3d: C3d, unit: LengthUnit) -> list[Parameter]:
    plates = c3d.plates
    count = len(plates)
    rows = max((plate.kind.nchannels for plate in plates), default=6)
    channels = np.zeros((count, rows), dtype=np.int64)
    matrices = np.zeros((count, 6, 6))
    for k, plate in enumerate(plates):
        channels[k, : plate.kind.nchannels] = np.array(plate.channels) + 1
        if plate.calibration is not None:
            moments = np.array([1.0] * 3 + [unit.metres] * 3)
            matrices[k] = (plate.calibration * (np.array(plate.units) / moments)[:, None]).T
    zero = plates[0].zero if plates else None
    corners = [plate.corners * unit.per_metre for plate in plates]
    origins = [plate.origin * unit.per_metre for plate in plates]
    calibrated = any(plate.calibration is not None for plate in plates)
    return [
        whole("USED", [count]),
        whole("TYPE", [plate.kind.value for plate in plates], (count,)),
        whole("ZERO", (1, 0) if zero is None else (zero[0] + 1, zero[1]), (2,)),
        real("CORNERS", corners, (3, 4, count)),
        real("ORIGIN", origins, (3, count)),
        whole("CHANNEL", channels, (rows, count)),
        *([real("CAL_MATRIX", matrices, (6, 6, count))] if calibrated else []),
    ]


def _events(c3d: C3d) -> list[Parameter]:
    """Times are minutes and seconds."""
    events = c3d.events
    if len(events) > 255:
        raise ArgumentError(f"a C3D file has at most 255 events, got {len(events)}")
    times = [(int(event.time // 60), event.time - 60 * int(event.time // 60)) for event in events]
    return [
        whole("USED", [len(events)]),
        real("TIMES", times, (2, len(events))),
        *texts("LABELS", [event.label for event in events]),
        *texts("CONTEXTS", [event.context for event in events]),
        *texts("SUBJECTS", [event.subject for event in events]),
        *texts("DESCRIPTIONS", [event.description for event in events]),
    ]


def _trial(c3d: C3d, first: int) -> list[Parameter]:
    """Frames beyond 65535 are counted in two words."""
    last = max(first + c3d.markers.nframes - 1, 0)
    return [
        whole("ACTUAL_START_FIELD", [first % 65536, first // 65536], (2,)),
        whole("ACTUAL_END_FIELD", [last % 65536, last // 65536], (2,)),
    ]
