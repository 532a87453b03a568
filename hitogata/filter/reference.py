"""The motion as it is wanted: even times, noise taken out, feet on their footholds; and the forces it would need.

Samples follow each other as those of the filter do,

    q_k+1 = q_k ⊞ h v_k+1,        v_k+1 = v_k + h v̇_k,

so the forces that frame k would need at the root are the first six of  M(q_k) v̇_k + c(q_k, v_k).
"""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body, Work
from hitogata.filter.foot_plan import FootPlan
from hitogata.filter.reference_kernels import fit_rows, need_rows, smooth_rows
from hitogata.filter.tables import SOLE

GIVE = np.array([3e-3, 3e-3, 3e-3, 1e-5, 1e-5, 1e-5])
"""How readily soles turn away from their ways, and leave them, where joints end: against a joint [rad², m²]."""


IN_AIR = 100.0
"""Soles in the air give this many times more."""
EASING = 0.06
"""Over this time the root becomes free to follow once feet stand [s]."""
ROOT = np.array([0.05, 0.05, 0.05, 0.005, 0.005, 0.2])
"""How readily the root follows, against joints: metres against radians; last, and rather down. Not in flight."""


@dataclass(frozen=True, eq=False)
class Demand:
    """What a motion does to the whole body, frame by frame.

    Attributes:
        com, com_rate: centre of mass [m], [m/s], shape (n, 3).
        spin: angular momentum about it [kg m²/s], shape (n, 3).
        inertia: of the whole body about it [kg m²], shape (n, 3, 3).
        force, torque: that the ground would have to give, about the centre of mass [N], [N m], shape (n, 3).
    """

    com: FloatArray
    com_rate: FloatArray
    spin: FloatArray
    inertia: FloatArray
    force: FloatArray
    torque: FloatArray


@dataclass(frozen=True, eq=False)
class Needs:
    """A motion's rates, and what they mean.

    Attributes:
        v, vdot: velocities with which poses were reached, and accelerations from frame to frame, shape (n, nv).
        demand: what the whole body would need.
        root: rotations of the root, shape (n, 3, 3).
        turn, place: of the soles' frames, shapes (n, feet, 3, 3), (n, feet, 3).
    """

    v: FloatArray
    vdot: FloatArray
    demand: Demand
    root: FloatArray
    turn: FloatArray
    place: FloatArray


def smoothed(work: Work, q: FloatArray, h: float, width: float) -> FloatArray:
    """Poses with a Gaussian filter over them, on the manifold; beyond the ends the motion goes on as mirrored there.

    Args:
        work: room for kernels.
        q: at even times, shape (n, nq).
        h: between them [s].
        width: standard deviation of the filter [s]; 0: none.
    """
    if width <= 0 or len(q) < 3:
        return q.copy()
    most = int(np.ceil(3 * width / h))
    weights = np.exp(-0.5 * (np.arange(-most, most + 1) * h / width) ** 2)
    result = np.empty_like(q)
    smooth_rows(work.table, q, weights / weights.sum(), result)
    return result


def on_footholds(body: Body, work: Work, q: FloatArray, h: float, plan: FootPlan, rounds: int = 5) -> FloatArray:
    """Poses nearest to some with the soles on their ways, by damped Gauss-Newton steps.

    Args:
        body: the figure.
        work: room for kernels.
        q: poses, shape (n, nq).
        h: time between them [s].
        plan: ways of the soles.
        rounds: how many steps.
    """
    n, count = len(q), len(body.soles)
    ease = np.ones((n, body.figure.nv))
    carried = gaussian_filter1d(plan.down.any(axis=1).astype(float), EASING / h, mode="nearest")[:, None]
    ease[:, :6] = ROOT * np.maximum(2.0 * carried - 1.0, 0.0) + 1e-6
    give = np.where(np.repeat(plan.down, 6, axis=1), 1.0, IN_AIR) * np.tile(GIVE, count)
    result = np.empty_like(q)
    turns, places = plan.rotation.reshape(n, -1), plan.place.reshape(n, -1)
    fit_rows(work.table, q, turns, places, ease, give, rounds, result)
    return result


def needs_of(body: Body, work: Work, q: FloatArray, h: float) -> Needs:
    """Rates of a motion, what its whole body needs, and where its soles are."""
    n, nv, feet = len(q), body.figure.nv, len(body.soles)
    if n < 2:
        raise ArgumentError("motion: needs two frames at least")
    v, vdot, whole, soles = np.empty((n, nv)), np.empty((n, nv)), np.empty((n, 33)), np.empty((n, SOLE * feet))
    need_rows(work.table, q, h, v, vdot, whole, soles)
    com, com_rate, spin, inertia, force, torque, root = np.split(whole, [3, 6, 9, 18, 21, 24], axis=1)
    demand = Demand(com, com_rate, spin, inertia.reshape(n, 3, 3), force, torque)
    frames = soles.reshape(n, feet, SOLE)
    return Needs(v, vdot, demand, root.reshape(n, 3, 3), frames[..., :9].reshape(n, feet, 3, 3), frames[..., 9:])


def resampled_evenly(figure: Figure, motion: Trajectory, rate: float | None) -> Trajectory:
    """The motion at even times; None: at its own mean rate."""
    from hitogata.motion import resample

    motion.check(figure)
    if len(motion) < 3:
        raise ArgumentError(f"motion: needs three frames at least, got {len(motion)}")
    steps = np.diff(motion.time)
    if rate is None and steps.max() - steps.min() <= 1e-3 * steps.mean():
        return motion
    return resample(figure, motion, rate if rate is not None else 1.0 / float(np.median(steps)))
