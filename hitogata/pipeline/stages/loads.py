"""Measured forces on bodies: each plate's force goes to the foot that stands where it acts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.files import StorageTable, read_storage
from hitogata.files.osim import ExternalForce, ExternalLoads, read_external_loads
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.values import Body, Loads, Motion, Plate, Recording

FEET = ("calcn", "foot", "heel", "ankle")
"""Links that carry forces are called so, the first of these that there is."""

REACH = 0.35
"""A force that acts further from every foot is nobody's [m]."""

FAINT = 0.25
"""Who stands by the threshold stands as long as the force is above so much of it."""

FORCE, POINT, TORQUE = "_force_v", "_force_p", "_torque_"
"""Endings of columns, after the name of the body."""


def loads_of_trial(
    settings: Settings, files: TrialFiles, *, label: Recording, body: Body, angles: Motion | None
) -> Loads | None:
    """Forces and the bodies they act on; None: none are measured, or wanted."""
    said = settings.loads
    if not said.on or angles is None:
        return None
    path = Path(files.named(said.file)) if said.file else files.path("loads")
    if said.file and path is not None and not path.is_file():
        raise ArgumentError(f"loads.file: {path}: no such file")
    if path is not None and path.suffix.lower() == ".xml":
        loads = read_external_loads(path)
        table = Path(files.named(said.table)) if said.table else loads.datafile
        if table is None:
            raise ArgumentError(f"{path}: it names no table: set loads.table")
        return Loads(loads, read_storage(table), notes=(f"forces of {path.name}",))
    plates = label.plates if path is None else plates_of_table(read_storage(path))
    if path is not None and not plates:
        raise ArgumentError(f"{path}: no columns of forces: NAME_vx, NAME_vy, NAME_vz and NAME_px, NAME_py, NAME_pz")
    if not plates:
        return None
    found = shared_out(plates, body.figure, angles, said.threshold)
    if path is None:
        return found
    return Loads(found.external, found.table, found.stances, (f"forces of {path.name}", *found.notes))


def plates_of_table(table: StorageTable) -> tuple[Plate, ...]:
    """Forces by their columns' names, as OpenSim's files have them: y up."""
    plates = []
    for name in table.columns:
        stem = name.removesuffix("vx")
        force = [f"{stem}v{axis}" for axis in "xyz"]
        point = [f"{stem}p{axis}" for axis in "xyz"]
        if stem == name or not all(column in table.columns for column in (*force, *point)):
            continue
        torques = [stem.replace("force", "torque"), stem.replace("force", "moment"), f"{stem}m"]
        turn = next((t for t in torques if t != stem and f"{t}x" in table.columns), None)
        columns = [force, point, [] if turn is None else [f"{turn}{axis}" for axis in "xyz"]]
        values = [
            np.stack([table.column(c) for c in part], axis=1) if part else np.zeros((len(table.time), 3))
            for part in columns
        ]
        push, at, turning = (_z_up(each) for each in values)
        at = np.where((np.abs(push).sum(axis=1) > 0)[:, None], at, np.nan)
        plates.append(Plate(stem.rstrip("_") or "force", table.time, push, at, turning))
    return tuple(plates)


def _z_up(a: FloatArray) -> FloatArray:
    return np.stack([a[:, 0], -a[:, 2], a[:, 1]], axis=1)


def y_up(a: FloatArray) -> FloatArray:
    """Vectors in OpenSim's axes."""
    return np.stack([a[..., 0], a[..., 2], -a[..., 1]], axis=-1)


@dataclass(frozen=True)
class _Feet:
    """Where feet are: heel and toe of each over time [m], shapes (n, 2, 3)."""

    names: tuple[str, ...]
    time: FloatArray
    places: tuple[FloatArray, ...]

    @classmethod
    def of(cls, figure: Figure, angles: Motion) -> "_Feet":
        chosen = next((found for word in FEET if len(found := [
            k for k, name in enumerate(figure.link_names) if word in name.lower()]) >= 1), [])  # fmt: skip
        if not chosen:
            raise ArgumentError(
                f"figure {figure.name!r}: no link is called {' or '.join(FEET)}, so nobody can stand on a plate; "
                "give forces with their bodies (loads.file, .xml), or set loads.on = false"
            )
        poses = forward_kinematics(figure, angles.q)
        places = []
        for k in chosen:
            toes = [j for j, parent in enumerate(figure.parents) if parent == k]
            places.append(poses.position[:, [k, toes[0] if toes else k]])
        return cls(tuple(figure.link_names[k] for k in chosen), angles.time, tuple(places))

    def distances(self, time: FloatArray, at: FloatArray) -> FloatArray:
        """Along the floor from points to each foot, shape (n, nfeet)."""
        found = []
        for places in self.places:
            a, b = (np.stack([np.interp(time, self.time, places[:, end, axis]) for axis in (0, 1)], axis=1)
                    for end in (0, 1))  # fmt: skip
            along, off = b - a, at[:, :2] - a
            part = np.clip((along * off).sum(1) / np.maximum((along**2).sum(1), 1e-12), 0, 1)
            found.append(np.linalg.norm(off - part[:, None] * along, axis=1))
        return np.stack(found, axis=1)


def shared_out(plates: tuple[Plate, ...], figure: Figure, angles: Motion, threshold: float) -> Loads:
    """Each time that somebody stands on a plate goes to the foot that is nearest on the mean."""
    feet = _Feet.of(figure, angles)
    step = min(float(np.median(np.diff(plate.time))) for plate in plates)
    last = min(float(p.time[-1]) for p in plates)
    time = np.arange(max(p.time[0] for p in plates), last + step / 2, step)
    time = np.minimum(time[time <= last + 1e-6 * step], last)  # the last sample, however its time is rounded
    force = np.zeros((len(feet.names), len(time), 3))
    moment = np.zeros_like(force)  # about the world's origin
    stances, notes = [], []
    for plate in plates:
        push, turn = (_at(time, plate.time, np.nan_to_num(a)) for a in (plate.force, plate.torque))
        centre = _at(time, plate.time, np.nan_to_num(plate.centre))
        whole: Any = np.isfinite(plate.centre).all(axis=1)
        known: Any = _at(time, plate.time, whole[:, None].astype(float))[:, 0] > 0.999
        stands: Any = (push[:, 2] > FAINT * threshold) & known
        for begin, end in _runs(stands):
            rows = slice(begin, end)
            if push[rows, 2].max() <= threshold:
                continue
            seen = (time[rows] >= angles.time[0]) & (time[rows] <= angles.time[-1])
            if not seen.any():
                continue
            gaps = feet.distances(time[rows][seen], centre[rows][seen]).mean(axis=0)
            whose = int(gaps.argmin())
            span = f"{plate.name}, {time[begin]:.2f} to {time[end - 1]:.2f} s"
            if gaps[whose] > REACH:
                notes.append(f"{span}: {gaps[whose]:.2f} m from the nearest foot, left out")
                continue
            stances.append(f"{span}: {feet.names[whose]}, {gaps[whose] * 100:.0f} cm from its line")
            force[whose, rows] += push[rows]
            moment[whose, rows] += turn[rows] + np.cross(centre[rows], push[rows])
    return Loads(*_as_external(feet.names, time, force, moment), tuple(stances), tuple(notes))


def _at(time: FloatArray, of: FloatArray, values: FloatArray) -> FloatArray:
    return np.stack([np.interp(time, of, column) for column in values.T], axis=1)


def _runs(flags: Any) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _as_external(
    names: tuple[str, ...], time: FloatArray, force: FloatArray, moment: FloatArray
) -> tuple[ExternalLoads, StorageTable]:
    """Force at the place on the floor z = 0 where its moment has no part along the floor, and the rest as a torque."""
    columns: list[str] = []
    values, forces = [], []
    for k, name in enumerate(names):
        fz = force[k, :, 2]
        loaded = fz > 1e-9
        by = np.where(loaded, fz, 1.0)
        point = np.stack([-moment[k, :, 1] / by, moment[k, :, 0] / by, 0 * fz], axis=1) * loaded[:, None]
        torque = (moment[k] - np.cross(point, force[k])) * loaded[:, None]
        for ending, array in ((FORCE, force[k] * loaded[:, None]), (POINT, point), (TORQUE, torque)):
            columns += [f"{name}{ending}{axis}" for axis in "xyz"]
            values.append(y_up(array))
        forces.append(ExternalForce(
            name=f"on {name}", applied_to_body=name, force_identifier=name + FORCE, point_identifier=name + POINT,
            torque_identifier=name + TORQUE,
        ))  # fmt: skip
    table = StorageTable(tuple(columns), time, np.concatenate(values, axis=1), False, name="Ground reaction forces")
    return ExternalLoads(tuple(forces), None, "measured forces"), table
