"""A motion of any human figure, on the built-in body, with the tensions behind it: a BVH walk in one call.

    found = muscles_of_motion(read_bvh("walk.bvh"))
    found.solution.force          # of 366 muscles, (n, 366)

The motion is retargeted to the body's outline, shared over its bones (`Outline`), low-passed, and the moments of its
joints found with the ground's forces (`ground_forces`); muscles then do what they can (`muscle_forces`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hitogata.dynamics import inverse_dynamics
from hitogata.dynamics.filters import zero_phase_lowpass
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.rates import turn_places
from hitogata.figure.values import FloatArray
from hitogata.files import Bvh, figure_from_bvh, trajectory_from_bvh
from hitogata.motion import Retargeted, retarget
from hitogata.muscle.body import musculoskeletal
from hitogata.muscle.contact import contact_forces
from hitogata.muscle.forces import ForceOptions, MuscleSolution, muscle_forces
from hitogata.muscle.ground_forces import GroundForces, ground_forces
from hitogata.muscle.outline import Outline
from hitogata.muscle.wires import MuscleSet


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """A motion of the built-in body.

    Attributes:
        figure: its skeleton.
        time: [s], shape (n,).
        q, v, vdot: shape (n, nq), (n, nv), (n, nv).
        retargeted: how the source was followed; None: it was the body's own.
    """

    figure: Figure
    time: FloatArray = field(repr=False)
    q: FloatArray = field(repr=False)
    v: FloatArray = field(repr=False)
    vdot: FloatArray = field(repr=False)
    retargeted: Retargeted | None = field(default=None, repr=False)

    @property
    def trajectory(self) -> Trajectory:
        """For film and replay."""
        return Trajectory(self.time, self.q, self.v, figure_name=self.figure.name)


@dataclass(frozen=True, eq=False)
class MuscleMotion:
    """A motion and the muscles behind it.

    Attributes:
        motion: of the body.
        ground: forces of the ground; None: not looked for.
        moments: of the joints, the root's residual first, shape (n, nv).
        solution: activations, tensions, reserves.
        contact: [torque; force] that each joint presses with (`contact_forces`) [N m, N], shape (n, nlinks, 6).
    """

    motion: BodyMotion
    ground: GroundForces | None
    moments: FloatArray = field(repr=False)
    solution: MuscleSolution
    contact: FloatArray = field(repr=False)


def body_motion(
    motion: Bvh | Trajectory, skeleton: Figure, *, figure: Figure | None = None, cutoff: float | None = 6.0
) -> BodyMotion:
    """Carry a motion over to the built-in body's skeleton.

    Args:
        motion: a BVH file's, or of a figure.
        skeleton: of `musculoskeletal` or `musculoskeletal_gait`.
        figure: whose trajectory it is; of the skeleton itself: taken as it is.
        cutoff: of a zero-phase low-pass [Hz]; None: none.
    """
    if isinstance(motion, Bvh):
        source = figure_from_bvh(motion, sliders=True)
        trajectory = trajectory_from_bvh(motion, source)
    elif figure is None:
        raise ArgumentError("body_motion: say whose trajectory it is: figure=")
    else:
        source, trajectory = figure, motion
    if source is skeleton or source == skeleton:
        return smoothed_motion(skeleton, trajectory.time, trajectory.q, cutoff)
    outline = Outline(skeleton)
    followed = retarget(trajectory, source, outline.figure)
    time, q = followed.trajectory.time, outline.expand(followed.trajectory.q)
    plain = smoothed_motion(skeleton, time, q, cutoff)
    return BodyMotion(skeleton, plain.time, plain.q, plain.v, plain.vdot, followed)


def smoothed_motion(figure: Figure, time: FloatArray, q: FloatArray, cutoff: float | None) -> BodyMotion:
    """Coordinates low-passed, with velocities and accelerations by differences."""
    if not np.isfinite(q).all():
        raise ArgumentError(f"q: frame {int(np.argwhere(~np.isfinite(q))[0, 0])} is not finite: fill it first")
    rows = np.array(q)
    quats, _ = turn_places(figure)
    for places in quats:  # of q and -q the one that is near to the last
        flips = np.cumprod(np.where((rows[1:, places] * rows[:-1, places]).sum(axis=1) < 0, -1.0, 1.0))
        rows[1:, places] *= flips[:, None]
    if cutoff is not None:
        even, smooth = zero_phase_lowpass(time, rows, cutoff)
        keep = (even >= time[0] - 1e-9) & (even <= time[-1] + 1e-9)
        time, rows = even[keep], smooth[keep]
        rows[:, quats] /= np.linalg.norm(rows[:, quats], axis=2, keepdims=True)
    v = velocities_of(figure, time, rows)
    return BodyMotion(figure, time, rows, v, np.gradient(v, time, axis=0))


def muscles_of_motion(
    motion: Bvh | Trajectory,
    muscles: MuscleSet | None = None,
    *,
    figure: Figure | None = None,
    cutoff: float | None = 6.0,
    ground: bool = True,
    options: ForceOptions | None = None,
    threads: int | None = 1,
    progress: Callable[[int, int], None] | None = None,
) -> MuscleMotion:
    """The tensions behind a motion of any human figure.

    Args:
        motion: a BVH file's, or of a figure.
        muscles: the built-in body, scaled as you like; None: `musculoskeletal()`.
        figure: whose trajectory it is.
        cutoff: see `body_motion`.
        ground: the soles stand on the ground z = 0; False: nothing but gravity and inertia.
        options: of `muscle_forces`; None: squares, and nodes where they rest.
        threads: to share frames over; None: one per core.
        progress: called with frames done and frames in all.
    """
    muscles = muscles or musculoskeletal()
    if not isinstance(muscles.body, Figure):
        raise ArgumentError(f"muscles of {muscles.name!r} are on a mechanism: take recorded_dynamics and muscle_forces")
    found = body_motion(motion, muscles.body, figure=figure, cutoff=cutoff)
    floor = ground_forces(muscles.body, found.q, found.v, found.vdot) if ground else None
    wrenches = None if floor is None else floor.wrenches
    moments = inverse_dynamics(muscles.body, found.q, found.v, found.vdot, wrenches=wrenches)
    solution = muscle_forces(
        muscles, found.q, found.v, moments,
        options=options or ForceOptions(settle_nodes=True), times=found.time, threads=threads,
        progress=progress,
    )  # fmt: skip
    contact = contact_forces(solution, found.q, found.v, found.vdot, wrenches=wrenches)
    return MuscleMotion(found, floor, moments, solution, contact)
