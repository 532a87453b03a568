"""Inverse dynamics of a recording: coordinates over time and external loads in, generalized forces and reactions out.

Coordinates come from a table (.mot, .sto) and an OpenSim model, loads from force plates; the result goes to a table
that OpenSim's users know, with the cut-off said in it.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hitogata.dynamics.filters import spline_derivatives, zero_phase_lowpass
from hitogata.dynamics.measured_loads import load_wrenches
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure.mechanism import (
    Mechanism,
    MechanismKernels,
    MechanismMotion,
    coupling_matrix,
    followed,
    mechanism_inverse_dynamics,
    mechanism_motion,
    speed_matrix,
)
from hitogata.figure.values import FloatArray
from hitogata.files.osim import ExternalLoads, OsimModel, mechanism_from_osim, turning_coordinates
from hitogata.files.storage import StorageTable


@dataclass(frozen=True, eq=False)
class RecordedDynamics:
    """What moved a recording.

    Attributes:
        mechanism: whose motion it is.
        time: [s], shape (n,).
        q, qd, qdd: coordinates as filtered, their rates and accelerations, shape (n, nc).
        forces: on OpenSim's speeds, one for each coordinate [N m or N], shape (n, nc).
        free_forces: the same gathered on coordinates that follow no others, shape (n, nf).
        reactions: [torque; force] from parent to child at each joint, world axes, shape (n, nb, 6).
        turning: which coordinates are angles, shape (nc,).
        cutoff: of the low-pass [Hz]; None: not filtered.
        notes: what was supposed: coordinates without a column.
    """

    mechanism: Mechanism
    time: FloatArray = field(repr=False)
    q: FloatArray = field(repr=False)
    qd: FloatArray = field(repr=False)
    qdd: FloatArray = field(repr=False)
    forces: FloatArray = field(repr=False)
    free_forces: FloatArray = field(repr=False)
    reactions: FloatArray = field(repr=False)
    turning: tuple[bool, ...]
    cutoff: float | None
    notes: tuple[str, ...] = ()

    @cached_property
    def motion(self) -> MechanismMotion:
        """Poses, columns and velocities."""
        return mechanism_motion(self.mechanism, self.q, self.qd)

    def table(self) -> StorageTable:
        """Forces as OpenSim writes them: <coordinate>_moment or <coordinate>_force."""
        names = [
            f"{name}_{'moment' if turns else 'force'}"
            for name, turns in zip(self.mechanism.coordinates, self.turning, strict=True)
        ]
        said = "not filtered" if self.cutoff is None else f"low-pass {self.cutoff:g} Hz, zero-phase, order 3 twice"
        name = "Inverse Dynamics Generalized Forces"
        return StorageTable(tuple(names), self.time, self.forces, False, name=name, comments=(f"coordinates {said}",))


def recorded_dynamics(
    model: OsimModel,
    coordinates: StorageTable,
    *,
    loads: tuple[ExternalLoads, StorageTable] | None = None,
    cutoff: float | None = None,
    window: tuple[float, float] | None = None,
) -> RecordedDynamics:
    """Generalized forces that make a model move as recorded.

    Only gravity, inertia and the external loads count; the model's own forces (muscles, springs) are what is asked
    for.  Coordinates without a column keep their default.  Coordinates that follow others (couplers) are made to
    follow exactly; `forces` has one entry for each coordinate, as OpenSim's tool gives them, `free_forces` what is
    left when the followers' forces are carried over to what they follow.

    Args:
        model: whose coordinates they are.
        coordinates: angles in degrees or radians, as the table says; lengths in metres.
        loads: external loads and their table.
        cutoff: of the zero-phase low-pass on coordinates [Hz]; None: none.
        window: first and last time [s]; None: all that the table has.

    Raises:
        ArgumentError: columns that do not match, times outside the data, gaps (NaN), an unknown body.
    """
    mechanism = mechanism_from_osim(model)
    turning = turning_coordinates(model, mechanism)
    raw, notes = _coordinate_columns(model, mechanism, coordinates, turning)
    time = coordinates.time
    keep = np.ones(len(time), bool)
    if window is not None:
        low, high = window
        if not low <= high or low < time[0] - 1e-4 or high > time[-1] + 1e-4:
            raise ArgumentError(f"window {low:g} to {high:g} s is not within the data, {time[0]:g} to {time[-1]:g} s")
        keep = (time >= low - 1e-6) & (time <= high + 1e-6)
    if not keep.any():
        raise ArgumentError(f"no sample lies within the window {window}")
    smooth_time, smooth = (time, raw) if cutoff is None else zero_phase_lowpass(time, raw, cutoff)
    at = np.clip(time[keep], smooth_time[0], smooth_time[-1])
    q, qd, qdd = followed(mechanism, *spline_derivatives(smooth_time, smooth, at))
    tau, reactions = _forces(mechanism, at, q, qd, qdd, loads)
    forces = np.einsum("nij,ni->nj", speed_matrix(mechanism, q), tau)
    free = np.einsum("nij,ni->nj", coupling_matrix(mechanism, q), tau)
    return RecordedDynamics(mechanism, time[keep], q, qd, qdd, forces, free, reactions, turning, cutoff, notes)


def _forces(
    mechanism: Mechanism, at: FloatArray, q: FloatArray, qd: FloatArray, qdd: FloatArray,
    loads: tuple[ExternalLoads, StorageTable] | None,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Forces on rates and reactions: by compiled kernels, or in numpy where some function has no table."""
    try:
        fast: MechanismKernels | None = MechanismKernels(mechanism)
    except FigureError:
        fast = None
    if fast is None:
        poses = None if loads is None else mechanism_motion(mechanism, q)
        wrenches = None if loads is None or poses is None else load_wrenches(
            mechanism, poses.rotation, poses.position, at, *loads
        )  # fmt: skip
        found = mechanism_inverse_dynamics(mechanism, q, qd, qdd, wrenches)
        return found.tau, found.reactions
    return fast.loaded(q, qd, qdd, None if loads is None else load_wrenches(mechanism, *fast.poses(q), at, *loads))


def _coordinate_columns(
    model: OsimModel, mechanism: Mechanism, table: StorageTable, turning: tuple[bool, ...]
) -> tuple[FloatArray, tuple[str, ...]]:
    """Coordinates in radians and metres, shape (n, nc), from columns called as they are or by their full paths."""
    if table.values.ndim != 2 or not len(table.time):
        raise ArgumentError(f"table {table.name!r}: rows of single numbers are expected")
    if (np.diff(table.time) <= 0).any():
        at = int((np.diff(table.time) <= 0).argmax())
        raise ArgumentError(f"table {table.name!r}: time does not rise behind {table.time[at]:g} s")
    paths = {f"/jointset/{joint.name}/{c.name}/value": c.name for joint in model.joints for c in joint.coordinates}
    by_name = {paths.get(column, column): k for k, column in enumerate(table.columns)}
    following = {coupling.coordinate for coupling in mechanism.couplings}
    values, missing = np.empty((len(table.time), len(mechanism.coordinates))), []
    for k, name in enumerate(mechanism.coordinates):
        if name not in by_name:
            values[:, k] = model.coordinate(name).default_value
            if name not in following:
                missing.append(name)
            continue
        column = table.values[:, by_name[name]]
        if np.isnan(column).any():
            at = int(np.isnan(column).argmax())
            where = f"column {name!r} has a gap at {table.time[at]:g} s"
            raise ArgumentError(f"table {table.name!r}: {where}: fill it first")
        values[:, k] = column * (math.pi / 180 if table.in_degrees and turning[k] else 1.0)
    if len(missing) == len(mechanism.coordinates) - len(following):
        raise ArgumentError(
            f"table {table.name!r}: none of its columns is a coordinate of {model.name!r}: it has "
            f"{', '.join(table.columns[:12])}; the model {', '.join(mechanism.coordinates[:12])}"
        )
    notes = (f"held at their defaults, for there is no column: {', '.join(missing)}",) if missing else ()
    return values, notes
