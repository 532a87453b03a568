"""Tensions of the muscles that make the torques."""

from dataclasses import replace

import numpy as np

from hitogata.errors import FileFormatError, HitogataError
from hitogata.figure import Trajectory, velocities_of
from hitogata.figure.values import FloatArray
from hitogata.files import StorageTable
from hitogata.muscle import Cost, ForceOptions, MuscleSolution, muscle_forces, muscles_of_motion, musculoskeletal
from hitogata.muscle.report import muscle_tables
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.stages.given import given_columns, given_table
from hitogata.pipeline.values import Body, Motion, Tensions, Torques


def tensions_of_trial(
    settings: Settings, files: TrialFiles, *, body: Body, angles: Motion | None, torques: Torques | None
) -> Tensions | None:
    """Activations and forces; None: not wanted, no muscles, or no torques."""
    said = settings.muscles
    if said.on and said.file:
        return _given(said.file, files, body)
    if not said.on or angles is None or torques is None:
        return None
    if body.muscles is None and body.model is None:
        return _of_skeleton(settings, body, angles)
    if body.muscles is None or not body.muscles.muscles or not np.any(torques.loads):
        return None  # torques of legs without a floor are nobody's
    rows = np.arange(len(torques.time))
    if said.rate > 0 and len(rows) > 1:
        rate = 1.0 / float(np.median(np.diff(torques.time)))
        rows = rows[:: max(1, round(rate / said.rate))]
    found = muscle_forces(
        body.muscles, torques.q[rows], torques.v[rows], torques.moments[rows], options=_options(settings),
        times=torques.time[rows],
    )  # fmt: skip
    return _tensions(found, torques.time[rows])


def _given(path: str, files: TrialFiles, body: Body) -> Tensions:
    """Forces of a file; its columns that are no muscles (reserves) are left out."""
    setting = "muscles.file"
    table = given_table(files, setting, path)
    own = body.muscles
    if own is None and body.model is None:
        own = musculoskeletal(mass=body.figure.mass)
    known = () if own is None else tuple(muscle.name for muscle in own.muscles)
    names = tuple(name for name in known if name in table.columns)
    if not names:
        has, of = ", ".join(table.columns[:6]), ", ".join(known[:6]) or "none"
        raise FileFormatError(
            f"{setting}: {files.named(path)}: none of its columns ({has}) is a muscle of the body ({of})"
        )
    forces = given_columns(table, names, table.time, setting, files.named(path))
    kept = StorageTable(names, table.time, forces, False, name="Muscles: force", comments=("given",))
    mean, most = forces.mean(axis=0), forces.max(axis=0)
    busiest = [(names[k], float(mean[k]), float(most[k]), float("nan")) for k in np.argsort(-mean)[:10]]
    notes = [f"forces of {len(names)} muscles, of {len(known)}, were given from a file: activations are not known"]
    if len(names) < len(table.columns):
        notes.append(f"{len(table.columns) - len(names)} of its columns are no muscles of the body, and are left out")
    return Tensions({"force": kept}, busiest, [], (0, 0), float("nan"), tuple(notes))


def _options(settings: Settings) -> ForceOptions:
    said = settings.muscles
    return ForceOptions(Cost[said.cost.upper()], said.reserve, smooth=said.smooth)


def _of_skeleton(settings: Settings, body: Body, angles: Motion) -> Tensions:
    """A skeleton's motion on the built-in body of 366 muscles, scaled to its mass, on a floor."""
    v = velocities_of(body.figure, angles.time, angles.q)
    motion = Trajectory(angles.time, angles.q, v, figure_name=body.figure.name)
    options = replace(_options(settings), settle_nodes=True)
    try:
        muscles = musculoskeletal(mass=body.figure.mass)
        found = muscles_of_motion(motion, muscles, figure=body.figure, options=options)
    except HitogataError as error:
        return Tensions({}, [], [], (0, 0), float("nan"), (f"no tensions of muscles: {error}",))
    note = "muscles are those of the built-in body, to which the motion is retargeted, on a floor of its own"
    done = _tensions(found.solution, found.motion.time)
    return replace(done, notes=(note, *done.notes))


def _tensions(found: MuscleSolution, time: FloatArray) -> Tensions:
    good = found.good
    reserves = [
        (name, float(np.abs(reserve[good]).max(initial=0.0)), float(np.abs(moment[good]).max(initial=0.0)))
        for name, reserve, moment in zip(found.coordinates, found.reserves.T, found.moments.T, strict=True)
    ]
    worst = float(np.nanmax(found.optimality)) if good.any() else float("nan")
    tables = muscle_tables(found, time)
    return Tensions(tables, found.busiest(10), reserves, (int(good.sum()), len(good)), worst, found.notes)
