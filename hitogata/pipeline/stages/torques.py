"""Torques of joints behind the motion, and what no measured force explains."""

from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics, inverse_dynamics
from hitogata.dynamics.filters import spline_derivatives, zero_phase_lowpass
from hitogata.dynamics.recorded import recorded_dynamics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, velocities_of
from hitogata.figure.mechanism import coupling_matrix, speed_matrix
from hitogata.figure.values import FloatArray
from hitogata.files import StorageTable
from hitogata.files.osim import mechanism_from_osim
from hitogata.muscle.bodies import skeleton_of
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.stages.given import given_columns, given_table
from hitogata.pipeline.stages.loads import FORCE, POINT, TORQUE
from hitogata.pipeline.values import Body, Loads, Motion, Possible, Torques

FEWEST = 12
"""Frames that a motion must have."""


def torques_of_trial(
    settings: Settings,
    files: TrialFiles,
    *,
    body: Body,
    angles: Motion | None,
    loads: Loads | None,
    filter: Possible | None,
) -> Torques | None:
    """Forces on all coordinates; None: they are not wanted, or there is no motion."""
    if not settings.torques.on or angles is None:
        return None
    found = _found(settings, files, body, angles, loads, filter)
    return _given(settings.torques.file, files, body, found) if settings.torques.file else found


def _given(path: str, files: TrialFiles, body: Body, found: Torques) -> Torques:
    """With a file's torques in place of those found; what they leave to the root of a model is not known."""
    setting = "torques.file"
    table = given_table(files, setting, path)
    rows: Any = np.flatnonzero((found.time >= table.time[0] - 1e-6) & (found.time <= table.time[-1] + 1e-6))
    if len(rows) < FEWEST:
        raise ArgumentError(
            f"{setting}: {files.named(path)}: {table.time[0]:g} to {table.time[-1]:g} s; torques need {FEWEST} frames "
            f"of the motion, {found.time[0]:g} to {found.time[-1]:g} s"
        )
    time, q = found.time[rows], found.q[rows]
    forces = given_columns(table, found.table.columns, time, setting, files.named(path))
    moments, residual = forces, np.full((len(rows), 6), np.nan)
    if body.model is not None:
        mechanism = mechanism_from_osim(body.model)
        rates = np.linalg.solve(np.swapaxes(speed_matrix(mechanism, q), 1, 2), forces[..., None])[..., 0]
        moments = np.einsum("nij,ni->nj", coupling_matrix(mechanism, q), rates)
    own = StorageTable(found.table.columns, time, forces, False, name="Generalized forces", comments=("given",))
    return replace(found, time=time, q=q, v=found.v[rows], moments=moments, table=own, residual=residual,
                   loads=found.loads[rows], notes=("torques were given from a file: the root's residual is not known",)
                   )  # fmt: skip


def _found(
    settings: Settings, files: TrialFiles, body: Body, angles: Motion, loads: Loads | None, filter: Possible | None
) -> Torques:
    """By inverse dynamics, or as the filter has them."""
    if filter is not None and filter.found:
        return _of_filter(body.figure, filter)
    begin, end = float(angles.time[0]), float(angles.time[-1])
    notes: list[str] = []
    if loads is not None:
        first, last = _measured(loads, settings)
        if first > begin + 1e-6 or last < end - 1e-6:
            begin, end = max(begin, first), min(end, last)
            notes.append(f"torques from {begin:.3f} to {end:.3f} s, while forces were measured")
    else:
        notes.append("no forces were measured: what the floor gives is left to the root, and missing in the legs")
    kept = int(((angles.time >= begin - 1e-6) & (angles.time <= end + 1e-6)).sum())
    if kept < FEWEST:
        raise ArgumentError(f"{files.place}: torques need {FEWEST} frames with forces, there are {kept}")
    cutoff = settings.torques.cutoff or None
    if body.model is not None:
        return _of_model(body, angles, loads, cutoff, (begin, end), notes)
    return _of_figure(body.figure, angles, loads, cutoff, (begin, end), notes)


def _of_model(
    body: Body, angles: Motion, loads: Loads | None, cutoff: float | None, window: tuple[float, float],
    notes: list[str],
) -> Torques:  # fmt: skip
    assert body.model is not None
    assert angles.table is not None
    pair = None if loads is None else (loads.external, loads.table)
    found = recorded_dynamics(body.model, angles.table, loads=pair, cutoff=cutoff, window=window)
    joints = found.mechanism.joints
    root = next(k for k, joint in enumerate(joints) if joint.parent is None)
    residual = found.reactions[:, root]
    following = {coupling.coordinate for coupling in found.mechanism.couplings}
    names = tuple(name for name in found.mechanism.coordinates if name not in following)
    return Torques(
        found.time, found.q, found.qd, found.free_forces, names, found.table(), np.concatenate(
            [_z_up(residual[:, :3]), _z_up(residual[:, 3:])], axis=1),
        _total(loads, found.time), (*notes, *found.notes),
    )  # fmt: skip


def _of_filter(figure: Figure, possible: Possible) -> Torques:
    """Torques as the filter found them, with the floor's forces."""
    motion = possible.motion
    names = skeleton_of(figure).coordinates
    table = StorageTable(names, motion.time, motion["tau"], False, name="Generalized forces", comments=("filtered",))
    residual = np.asarray(motion["residual"], np.float64)
    notes = ("forces of the floor are those of the dynamics filter",)
    return Torques(motion.time, motion.q, motion.v, motion["tau"], names, table, residual, possible.floor, notes)


def _measured(loads: Loads, settings: Settings) -> tuple[float, float]:
    """First and last time of the loads, or that anything pushed."""
    time = loads.table.time
    if not settings.torques.measured:
        return float(time[0]), float(time[-1])
    pushed = np.flatnonzero(np.linalg.norm(_total(loads, time), axis=1) > settings.loads.threshold)
    if not len(pushed):
        return float(time[0]), float(time[-1])
    return float(time[pushed[0]]), float(time[pushed[-1]])


def _z_up(a: FloatArray) -> FloatArray:
    return np.stack([a[:, 0], -a[:, 2], a[:, 1]], axis=1)


def _total(loads: Loads | None, time: FloatArray) -> FloatArray:
    """Sum of the measured forces, z up; of those that are given in the ground's axes."""
    total = np.zeros((len(time), 3))
    if loads is None:
        return total
    for force in loads.external.forces:
        if force.appliesForce and force.force_expressed_in_body == "ground":
            columns = [c for c in loads.table.columns if c.startswith(force.force_identifier)]
            named = [force.force_identifier + a for a in "xyz"]
            columns = named if set(named) <= set(columns) else columns
            if len(columns) == 3:
                total += np.stack([np.interp(time, loads.table.time, np.nan_to_num(loads.table.column(c)))
                                   for c in columns], axis=1)  # fmt: skip
    return _z_up(total)


def _of_figure(
    figure: Figure, angles: Motion, loads: Loads | None, cutoff: float | None, window: tuple[float, float],
    notes: list[str],
) -> Torques:  # fmt: skip
    """Inverse dynamics of a figure: coordinates low-passed, quaternions made unit again, rates by splines."""
    time, q = _smooth(figure, angles, cutoff)
    v = velocities_of(figure, time, q)
    own = (angles.time >= window[0] - 1e-6) & (angles.time <= window[1] + 1e-6)
    at = np.clip(angles.time[own], time[0], time[-1])
    v_at, vdot, _ = spline_derivatives(time, v, at)
    nearest = np.clip(np.searchsorted(time, at - 1e-9), 0, len(time) - 1)
    q_at = (
        q[nearest] if np.abs(time[nearest] - at).max() < 1e-6 else _normal(figure, spline_derivatives(time, q, at)[0])
    )
    wrenches = None if loads is None else _wrenches(figure, q_at, at, loads)
    tau = np.asarray(inverse_dynamics(figure, q_at, v_at, vdot, wrenches=wrenches))
    names = skeleton_of(figure).coordinates
    free = np.array([not link.joint.follows for link in figure.links])
    plain = tuple(
        n for k, link in enumerate(figure.links) if free[k]
        for n in _names(figure.joint_names[k], link.joint.nv)
    )  # fmt: skip
    names = names if len(names) == figure.nv else plain
    table = StorageTable(names, at, tau, False, name="Generalized forces", comments=(
        "coordinates not filtered" if cutoff is None else f"coordinates low-pass {cutoff:g} Hz, zero-phase",
    ))  # fmt: skip
    turn = forward_kinematics(figure, q_at).rotation[:, 0]
    residual = np.concatenate(
        [np.einsum("nij,nj->ni", turn, tau[:, 0:3]), np.einsum("nij,nj->ni", turn, tau[:, 3:6])], 1
    )
    if figure.links[0].joint.nv != 6:
        residual = np.zeros((len(at), 6))
        notes.append("the root does not move freely: no residual")
    return Torques(at, q_at, v_at, tau, names, table, residual, _total(loads, at), tuple(notes))


def _names(joint: str, count: int) -> list[str]:
    return [joint] if count == 1 else [f"{joint}[{i}]" for i in range(count)]


def _quats(figure: Figure) -> list[slice]:
    return [
        slice(start + link.joint.quat_start, start + link.joint.quat_start + 4)
        for start, link in zip(figure.q_starts, figure.links, strict=False)
        if link.joint.quat_start is not None
    ]


def _normal(figure: Figure, q: FloatArray) -> FloatArray:
    q = q.copy()
    for at in _quats(figure):
        q[:, at] /= np.linalg.norm(q[:, at], axis=1, keepdims=True)
    return q


def _smooth(figure: Figure, angles: Motion, cutoff: float | None) -> tuple[FloatArray, FloatArray]:
    q: Any = np.array(angles.q, np.float64)
    for at in _quats(figure):
        turned = np.cumprod(np.where((q[1:, at] * q[:-1, at]).sum(axis=1) < 0, -1.0, 1.0))
        q[1:, at] *= turned[:, None]
    if cutoff is None:
        return angles.time, q
    time, smooth = zero_phase_lowpass(angles.time, q, cutoff)
    return time, _normal(figure, smooth)


def _wrenches(figure: Figure, q: FloatArray, time: FloatArray, loads: Loads) -> FloatArray:
    """[torque about the link's origin; force] on every link, z up, from loads in the ground's axes."""
    poses = forward_kinematics(figure, q)
    found = np.zeros((len(time), figure.nlinks, 6))
    for load in loads.external.forces:
        if load.force_identifier != load.applied_to_body + FORCE:
            raise ArgumentError(f"{loads.external.file}: loads by OpenSim's file go with an OpenSim model")
        k = figure.link_index(load.applied_to_body)
        force, point, torque = (
            _z_up(np.stack([np.interp(time, loads.table.time, loads.table.column(f"{load.applied_to_body}{ending}{a}"))
                            for a in "xyz"], axis=1))
            for ending in (FORCE, POINT, TORQUE)
        )  # fmt: skip
        found[:, k, :3] = torque + np.cross(point - poses.position[:, k], force)
        found[:, k, 3:] = force
    return found
