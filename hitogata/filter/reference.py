"""The motion as it is wanted: even times, noise taken out, feet on their footholds; and the forces it would need.

Samples follow each other as those of the filter do,

    q_k+1 = q_k ⊞ h v_k+1,        v_k+1 = v_k + h v̇_k,

so the forces that frame k would need at the root are the first six of  M(q_k) v̇_k + c(q_k, v_k).
"""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from hitogata.dynamics import (
    centre_of_mass,
    difference,
    integrate,
    inverse_dynamics,
    mass_matrix,
    momentum,
)
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body, Work
from hitogata.filter.foot_plan import FootPlan
from hitogata.filter.sole_fit import fit_rows

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


def smoothed(figure: Figure, q: FloatArray, h: float, width: float) -> FloatArray:
    """Poses with a Gaussian filter over them, on the manifold.

    Args:
        figure: the figure.
        q: at even times, shape (n, nq).
        h: between them [s].
        width: standard deviation of the filter [s]; 0: none.
    """
    if width <= 0 or len(q) < 3:
        return q.copy()
    n, most = len(q), int(np.ceil(3 * width / h))
    weights = np.exp(-0.5 * (np.arange(-most, most + 1) * h / width) ** 2)
    total = np.zeros((n, figure.nv))
    index = np.arange(n)
    for j, weight in zip(range(-most, most + 1), weights / weights.sum(), strict=True):
        other = index + j
        # beyond the ends the motion goes on as mirrored through its end point
        inside = np.clip(other, 0, n - 1)
        back = np.clip(2 * inside - other, 0, n - 1)
        ahead = difference(figure, q, q[inside])
        past = difference(figure, q[back], q[inside])
        total += weight * np.where((other == inside)[:, None], ahead, ahead + past)
    result: FloatArray = integrate(figure, q, total)
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


def rates(figure: Figure, q: FloatArray, h: float) -> tuple[FloatArray, FloatArray]:
    """Velocities with which poses were reached, and accelerations from frame to frame, both (n, nv)."""
    if len(q) < 2:
        raise ArgumentError("motion: needs two frames at least")
    steps = difference(figure, q[:-1], q[1:]) / h
    v = np.concatenate([steps[:1], steps])
    vdot = np.concatenate([(v[1:] - v[:-1]) / h, np.zeros((1, figure.nv))])
    vdot[0] = vdot[1] if len(vdot) > 2 else 0.0
    v[0] = v[1] - h * vdot[0]
    return v, vdot


def demand_of(figure: Figure, q: FloatArray, v: FloatArray, vdot: FloatArray) -> Demand:
    """What the whole body needs."""
    com = centre_of_mass(figure, q)
    whole = momentum(figure, q, v)
    wrench = inverse_dynamics(figure, q, v, vdot)[:, :6]
    arm = com - q[:, :3]
    spin_part = mass_matrix(figure, q)[:, :3, :3]
    square = np.einsum("ni,nj->nij", arm, arm) - np.einsum("ni,ni->n", arm, arm)[:, None, None] * np.eye(3)
    inertia = spin_part + figure.mass * square
    torque = wrench[:, :3] - np.cross(arm, wrench[:, 3:])
    return Demand(com, whole[:, 3:] / figure.mass, whole[:, :3], inertia, wrench[:, 3:], torque)


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
