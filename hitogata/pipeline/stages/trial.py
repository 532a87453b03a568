"""From the trial's file to what it holds: markers, a motion or coordinates, and measured forces, all z up."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError, FileContentWarning, FileFormatError
from hitogata.files import Axes, C3d, MarkerData, StorageTable, plate_forces, read_c3d, read_storage, read_trc
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.stages.loads import plates_of_table
from hitogata.pipeline.values import Plate, Recording

AXES = {"x": Axes.X_UP, "y": Axes.Y_UP_X_FORWARD, "z": Axes.KEEP}


def read_trial(settings: Settings, trial: TrialFiles) -> Recording:
    """What the trial's file holds."""
    path, said = Path(trial.place), settings.trial
    readers = {
        ".c3d": _c3d, ".trc": _trc, ".bvh": _bvh, ".mcap": _streams, ".xdf": _streams, ".mot": _table, ".sto": _table,
    }  # fmt: skip
    kind = path.suffix.lower()
    if kind not in readers:
        raise FileFormatError(f"{path}: a trial is one of {', '.join(readers)}, got {kind or 'no ending'}")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", FileContentWarning)
        found = readers[kind](path, settings)
    notes = tuple(" ".join(str(each.message).split()) for each in told if each.category is FileContentWarning)
    found = replace(found, notes=(*found.notes, *notes))
    return _rich(_within(found, said.begin, said.end, str(path)), said.seen)


def _c3d(path: Path, settings: Settings) -> Recording:
    c3d = read_c3d(path, axes=_c3d_axes(path, settings.trial.up))
    plates = []
    for k in range(len(c3d.plates)):
        forces = plate_forces(c3d, k)
        plates.append(Plate(f"plate {k + 1}", forces.time, forces.force, forces.centre, forces.free_moment))
    return Recording(markers=c3d.markers, plates=tuple(plates), mass=_mass(c3d))


def _c3d_axes(path: Path, up: str) -> Axes:
    if up != "auto":
        return AXES[up]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read_c3d(path, axes=Axes.FROM_FILE)
    except FileFormatError:
        return Axes.KEEP
    return Axes.FROM_FILE


def _mass(c3d: C3d) -> float | None:
    """As some programs write it: PROCESSING:Bodymass."""
    for group, parameters in c3d.parameters.items():
        if group.upper() == "PROCESSING":
            for name, parameter in parameters.items():
                if name.upper() == "BODYMASS":
                    values = np.atleast_1d(np.asarray(parameter.values, object))
                    if len(values) and isinstance(values[0], int | float | np.number) and float(values[0]) > 0:
                        return float(values[0])
    return None


def _trc(path: Path, settings: Settings) -> Recording:
    up = settings.trial.up
    return Recording(markers=read_trc(path, axes=AXES["y" if up == "auto" else up]))


def _bvh(path: Path, settings: Settings) -> Recording:
    from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh
    from hitogata.files.bvh import Up
    from hitogata.motion import without_calibration

    up = settings.trial.up
    bvh = read_bvh(path, up=Up["Y" if up == "auto" else up.upper()])
    figure = figure_from_bvh(bvh)
    motion, left = without_calibration(figure, trajectory_from_bvh(bvh, figure))
    notes = (f"{left} frames of calibration left out",) if left else ()
    return Recording(motion=motion, figure=figure, notes=notes)


def _streams(path: Path, settings: Settings) -> Recording:
    """Markers of a behaviour recording, and forces whose channels are called as OpenSim's columns."""
    from hitogata.behaviour import open_recording
    from hitogata.behaviour.export import marker_positions
    from hitogata.behaviour.streams import StreamKind

    recording = open_recording(str(path))
    tracks = [track for track in recording.tracks if track.stream.kind is StreamKind.MARKERS]
    if not tracks:
        raise FileFormatError(f"{path}: the recording has no stream of markers")
    track = tracks[0]
    labels, places = marker_positions(track)
    time = np.asarray(track.time, np.float64)
    rate = float(1.0 / np.median(np.diff(time)))
    markers = MarkerData(labels, time - time[0], rate, places, name=path.stem)
    up = settings.trial.up
    if up in ("x", "y"):
        turned = {"x": [1, 2, 0], "y": [0, 2, 1]}[up]
        sign = {"x": [1, 1, 1], "y": [1, -1, 1]}[up]
        markers = replace(markers, positions=places[..., turned] * sign)
    notes = [] if len(tracks) == 1 else [f"markers are those of {track.stream.name}; there are {len(tracks)} streams"]
    plates: list[Plate] = []
    for each in recording.tracks:
        if each.stream.kind is not StreamKind.FORCE_PLATE or not len(each):
            continue
        values = np.asarray(each.values, np.float64)
        found = plates_of_table(StorageTable(each.stream.labels, np.asarray(each.time) - time[0], values))
        plates += found
        if not found:
            notes.append(f"{each.stream.name}: where its plates lie is not known: give its forces, --loads FILE")
    return Recording(markers=markers, plates=tuple(plates), notes=tuple(notes))


def _table(path: Path, settings: Settings) -> Recording:
    return Recording(coordinates=read_storage(path))


def _within(found: Recording, begin: float, end: float, path: str) -> Recording:
    """The part of a recording between two times."""
    if begin == -np.inf and end == np.inf:
        return found

    def rows(time: Any) -> Any:
        own = (np.asarray(time) >= begin - 1e-9) & (np.asarray(time) <= end + 1e-9)
        if not own.any():
            raise ArgumentError(
                f"{path}: nothing between {begin:g} and {end:g} s; it has {time[0]:g} to {time[-1]:g} s"
            )
        return own

    markers, motion, table = found.markers, found.motion, found.coordinates
    if markers is not None:
        own = rows(markers.time)
        markers = MarkerData(markers.labels, markers.time[own], markers.rate, markers.positions[own],
                             unit=markers.unit, name=markers.name)  # fmt: skip
    if motion is not None:
        own = rows(motion.time)
        motion = type(motion)(motion.time[own], motion.q[own], motion.v[own], figure_name=motion.figure_name)
    if table is not None:
        own = rows(table.time)
        table = replace(table, time=table.time[own], values=table.values[own])
    return replace(found, markers=markers, motion=motion, coordinates=table)


def _rich(found: Recording, share: float) -> Recording:
    """Without the ends in which too few markers are seen: nobody has come in yet, or has left."""
    markers = found.markers
    if markers is None or share <= 0:
        return found
    named = [k for k, label in enumerate(markers.labels) if not label.startswith("*")]
    seen: Any = np.isfinite(markers.positions[:, named or slice(None)]).all(axis=2)
    seen = seen[:, seen.mean(axis=0) > 0.2]
    rich: Any = np.flatnonzero(seen.mean(axis=1) >= share) if seen.shape[1] else []
    if not len(rich) or (rich[0] == 0 and rich[-1] == len(seen) - 1):
        return found
    kept = _within(found, float(markers.time[rich[0]]), float(markers.time[rich[-1]]), "")
    note = (f"frames {rich[0]} to {rich[-1]} of {len(seen)}: before and after, under {share:.0%} of the markers are "
            "seen")  # fmt: skip
    return replace(kept, notes=(*found.notes, note))
