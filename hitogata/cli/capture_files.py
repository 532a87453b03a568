"""What is in a capture file, in lines: .c3d, .trc, .mot, .sto."""

from typing import Any

KINDS = (".c3d", ".trc", ".mot", ".sto")
"""Endings of names of capture files."""


def capture_lines(path: str, kind: str, *, names: bool) -> list[str]:
    """Lines that say what is in a capture file.

    Args:
        path: of the file.
        kind: its ending, one of `KINDS`.
        names: also list markers, channels or columns.
    """
    from hitogata.files import read_c3d, read_storage, read_trc

    if kind == ".c3d":
        return _c3d_lines(read_c3d(path), names)
    if kind == ".trc":
        return _marker_lines(read_trc(path), names)
    return _table_lines(read_storage(path), names)


def _marker_lines(markers: Any, names: bool) -> list[str]:
    span = float(markers.time[-1] - markers.time[0]) if markers.nframes else 0.0
    share = 100 * (1 - markers.seen.mean()) if markers.seen.size else 0.0
    lines = [
        f"markers     {int(markers.labelled.sum())} with labels, {int((~markers.labelled).sum())} without; unit of the "
        f"file {markers.unit.value}",
        f"frames      {markers.nframes} at {markers.rate:g} per second, {span:.3f} s; {share:.1f} % gaps",
    ]
    if names:
        seen = markers.seen.mean(axis=0) if markers.nframes else [0.0] * len(markers.labels)
        lines += [f"  {label:<32} seen {100 * part:.1f} %" for label, part in zip(markers.labels, seen, strict=True)]
    return lines


def _c3d_lines(c3d: Any, names: bool) -> list[str]:
    from hitogata.files import plate_forces

    lines = _marker_lines(c3d.markers, names)
    lines.append(f"analog      {len(c3d.analog.labels)} channels at {c3d.analog.rate:g} per second")
    if names:
        lines += [f"  {label:<32} {unit}" for label, unit in zip(c3d.analog.labels, c3d.analog.units, strict=True)]
    for k, plate in enumerate(c3d.plates):
        largest = abs(plate_forces(c3d, k).force).max(axis=0) if len(c3d.analog.time) else (0.0, 0.0, 0.0)
        text = ", ".join(f"{x:.0f}" for x in largest)
        lines.append(f"plate {k + 1}     type {plate.kind.value}; largest forces along x, y, z: {text} N")
    lines += [f"event       {event.time:.3f} s {event.context} {event.label}".rstrip() for event in c3d.events]
    return lines


def _table_lines(table: Any, names: bool) -> list[str]:
    degrees = {True: "degrees", False: "radians", None: "not said"}[table.in_degrees]
    span = f"{table.time[0]:g} to {table.time[-1]:g} s" if len(table.time) else "no times"
    lines = [
        f"table       {table.name}: {len(table.columns)} columns, angles in {degrees}",
        f"rows        {len(table.time)}, {span}",
    ]
    return lines + ([f"  {column}" for column in table.columns] if names else [])
