"""TRC files out."""

import os
from pathlib import Path

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.files.lengths import LengthUnit
from hitogata.files.markers import Axes, MarkerData
from hitogata.files.rows import number_text


def write_trc(
    markers: MarkerData,
    path: str | os.PathLike[str] | None = None,
    *,
    unit: LengthUnit | None = None,
    axes: Axes = Axes.KEEP,
) -> str:
    """The text of a TRC file; written to a file too if `path` is given.

    Gaps are empty cells.  Numbers have as many digits as they need; read again, they differ by the rounding of the
    unit, not at all in metres.  Residuals have no place in the format.

    Args:
        markers: what to write.
        path: where to, or None.
        unit: of the numbers in the file; None: that of the file the markers came from.
        axes: what the axes of the file are to be, by the same words as for reading: what was read with one of them is
            written with it as it was.
    """
    unit = markers.unit if unit is None else unit
    if not isinstance(unit, LengthUnit):
        raise ArgumentError(f"unit: expected one of LengthUnit, got {unit!r}")
    if not isinstance(axes, Axes) or axes is Axes.FROM_FILE:
        raise ArgumentError(f"axes: expected another of Axes, got {axes!r}")
    places = markers.positions if axes is Axes.KEEP else markers.positions @ axes.matrix + 0.0
    rate, count = number_text(markers.rate), markers.nframes
    name = f"{markers.name}.trc" if path is None else Path(path).name
    keys = [
        "DataRate",
        "CameraRate",
        "NumFrames",
        "NumMarkers",
        "Units",
        "OrigDataRate",
        "OrigDataStartFrame",
        "OrigNumFrames",
    ]
    values = [rate, rate, str(count), str(len(markers.labels)), unit.value, rate, "1", str(count)]
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{name}",
        "\t".join(keys),
        "\t".join(values),
        "Frame#\tTime\t" + "\t\t\t".join(markers.labels),
        "\t\t" + "\t".join(f"{axis}{k}" for k in range(1, len(markers.labels) + 1) for axis in "XYZ"),
        "",
    ]
    for k, (time, row) in enumerate(zip(markers.time.tolist(), places, strict=True)):
        numbers = ("" if x != x else number_text(x) for x in np.ravel(row * unit.per_metre).tolist())
        lines.append("\t".join([str(k + 1), number_text(time), *numbers]))
    text = "\n".join(lines) + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text
