"""Motions given by coordinates alone: how they change from sample to sample, their velocities, other sample times.

Coordinates live on a manifold: quaternions differ by a rotation vector, log(q₁ q₀⁻¹), written in the axes of the
velocity (see `hitogata.figure.joint`); everything else differs by subtraction.
"""

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.figure import Figure
from hitogata.figure.joint import JointKind
from hitogata.figure.trajectory import Trajectory
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.spatial import quat_conjugate, quat_exp, quat_log, quat_multiply


def changes(figure: Figure, start: FloatArray, end: FloatArray) -> FloatArray:
    """The shortest change from `start` to `end`, both of shape (..., nq); shape (..., nv) [rad], [m]."""
    result = np.empty((*start.shape[:-1], figure.nv))
    for link, iq, iv in zip(figure.links, figure.q_starts, figure.v_starts, strict=True):
        kind = link.joint.kind
        if kind in (JointKind.BALL, JointKind.FREE):
            if kind is JointKind.FREE:
                result[..., iv + 3 : iv + 6] = end[..., iq : iq + 3] - start[..., iq : iq + 3]
                iq += 3
            quats = start[..., iq : iq + 4], end[..., iq : iq + 4]
            result[..., iv : iv + 3] = quat_log(quat_multiply(quats[1], quat_conjugate(quats[0])))
        else:
            n = link.joint.nv
            result[..., iv : iv + n] = end[..., iq : iq + n] - start[..., iq : iq + n]
    return result


def velocities_of(figure: Figure, time: ArrayLike, q: ArrayLike) -> FloatArray:
    """Velocities of sampled coordinates, by differences on the manifold; second order, at the ends too.

    With the mean velocities u₋, u₊ over the intervals h₋ before and h₊ after a sample,

        v = (h₊ u₋ + h₋ u₊) / (h₋ + h₊),      v = u₊ - (u₊₊ - u₊) h₊ / (h₊ + h₊₊) at the first sample,

    and likewise at the last.  Each interval is differenced by itself, so turns up to 180 degrees per sample are seen
    right; central differences over two intervals would see only 90.

    Args:
        figure: the figure.
        time: [s], shape (nt,), strictly rising.
        q: coordinates, shape (nt, nq), unit quaternions.

    Returns:
        Velocities, shape (nt, nv); zero if there is one sample only.
    """
    t, x = floats(time, "time"), floats(q, "q")
    if t.ndim != 1 or x.shape != (len(t), figure.nq):
        raise ArgumentError(f"q: expected shape ({t.shape[0] if t.ndim else 0}, {figure.nq}), got {x.shape}")
    h = np.diff(t)[:, None]
    if not (h > 0).all():
        raise ArgumentError("time: must be strictly rising")
    if len(t) < 2:
        return np.zeros((len(t), figure.nv))
    u = changes(figure, x[:-1], x[1:]) / h
    if len(t) == 2:
        return np.repeat(u, 2, axis=0)
    v = np.empty((len(t), figure.nv))
    v[1:-1] = (h[1:] * u[:-1] + h[:-1] * u[1:]) / (h[:-1] + h[1:])
    v[0] = u[0] - (u[1] - u[0]) * h[0] / (h[0] + h[1])
    v[-1] = u[-1] + (u[-1] - u[-2]) * h[-1] / (h[-1] + h[-2])
    return v


def resampled(figure: Figure, trajectory: Trajectory, time: ArrayLike) -> Trajectory:
    """The motion at other times, inside its own: coordinates and velocities run evenly between samples.

    Orientations take the short way at an even pace (slerp).  Channels of floats are interpolated, others keep the
    value of the sample before.

    Args:
        figure: the figure.
        trajectory: its motion, of one sample or more.
        time: [s], shape (n,), strictly rising, from the first time to the last.
    """
    trajectory.check(figure)
    old, new = trajectory.time, floats(time, "time")
    slack = 1e-9 * max(1.0, float(np.abs(old).max(initial=0.0)))
    if new.ndim != 1 or not len(old) or (len(new) and (new[0] < old[0] - slack or new[-1] > old[-1] + slack)):
        span = f"{old[0]:g} to {old[-1]:g} s" if len(old) else "empty"
        raise ArgumentError(f"time: must be a list of times inside the trajectory's own, {span}")
    before = np.clip(np.searchsorted(old, new, side="right") - 1, 0, max(len(old) - 2, 0))
    after = np.minimum(before + 1, len(old) - 1)
    width = np.where(after > before, old[after] - old[before], 1.0)
    part = np.clip((new - old[before]) / width, 0.0, 1.0)

    def mixed(values: FloatArray) -> FloatArray:
        weight = part.reshape(-1, *[1] * (values.ndim - 1))
        result: FloatArray = values[before] * (1 - weight) + values[after] * weight
        return result

    q = mixed(trajectory.q)
    for start in figure.quat_starts:
        a, b = (trajectory.q[k, start : start + 4] for k in (before, after))
        turn = quat_log(quat_multiply(b, quat_conjugate(a))) * part[:, None]
        q[:, start : start + 4] = quat_multiply(quat_exp(turn), a)
    nearest = np.where(part >= 1.0, after, before)
    channels = {name: mixed(x) if x.dtype.kind == "f" else x[nearest] for name, x in trajectory.channels.items()}
    return Trajectory(new, q, mixed(trajectory.v), channels, trajectory.figure_name)


def unbroken_quats(quats: FloatArray) -> FloatArray:
    """The same rotations, with signs that do not jump from frame to frame; shape (n, 4)."""
    if len(quats) < 2:
        return quats
    flips = np.where(np.einsum("ni,ni->n", quats[1:], quats[:-1]) < 0, -1.0, 1.0)
    return quats * np.concatenate([[1.0], np.cumprod(flips)])[:, None]
