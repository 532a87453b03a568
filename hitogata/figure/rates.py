"""Motions given by coordinates alone: how they change from sample to sample, their velocities, other sample times.

Coordinates live on a manifold: quaternions differ by a rotation vector, log(q₁ q₀⁻¹), written in the axes of the
velocity (see `hitogata.figure.joint`); everything else differs by subtraction.
"""

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.figure import Figure
from hitogata.figure.trajectory import Trajectory
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.spatial import quat_conjugate, quat_exp, quat_log, quat_multiply

IndexArray = np.ndarray[tuple[int, ...], np.dtype[np.intp]]

MOST_SAMPLES = 10_000_000
"""A motion that is sampled anew has fewer than this: 23 hours at 120 Hz."""


def changes(figure: Figure, start: FloatArray, end: FloatArray) -> FloatArray:
    """The shortest change from `start` to `end`, both of shape (..., nq); shape (..., nv) [rad], [m]."""
    result = np.empty((*start.shape[:-1], figure.nv))
    quats, turns = turn_places(figure)
    plain_q, plain_v = plain_places(figure)
    result[..., plain_v] = end[..., plain_q] - start[..., plain_q]
    result[..., turns] = quat_log(quat_multiply(end[..., quats], quat_conjugate(start[..., quats])))
    return result


def turn_places(figure: Figure) -> tuple[IndexArray, IndexArray]:
    """Where quaternions stand in q, shape (n, 4), and their rotation vectors in v, shape (n, 3)."""
    pairs = zip(figure.v_starts, figure.links, strict=True)
    starts = [start for start, link in pairs if link.joint.quat_start is not None]
    quats, turns = (np.array(x, np.intp).reshape(-1, 1) for x in (figure.quat_starts, starts))
    return quats + np.arange(4), turns + np.arange(3)


def plain_places(figure: Figure) -> tuple[IndexArray, IndexArray]:
    """Where all other coordinates stand in q, and their velocities in v."""
    in_q: list[int] = []
    in_v: list[int] = []
    for link, iq, iv in zip(figure.links, figure.q_starts, figure.v_starts, strict=True):
        first = 0 if link.joint.quat_start is None else 3  # turning stands first
        count = link.joint.nv - first
        in_q += range(iq, iq + count)
        in_v += range(iv + first, iv + first + count)
    return np.array(in_q, np.intp), np.array(in_v, np.intp)


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
    quats, _ = turn_places(figure)
    a, b = (trajectory.q[k][:, quats] for k in (before, after))
    turn = quat_log(quat_multiply(b, quat_conjugate(a))) * part[:, None, None]
    q[:, quats] = quat_multiply(quat_exp(turn), a)
    nearest = np.where(part >= 1.0, after, before)
    channels = {name: mixed(x) if x.dtype.kind == "f" else x[nearest] for name, x in trajectory.channels.items()}
    return Trajectory(new, q, mixed(trajectory.v), channels, trajectory.figure_name)


def even_times(first: float, last: float, step: float, *, least: int = 1) -> FloatArray:
    """Times from `first` in even steps, not beyond `last` [s]; or ArgumentError if there are too few or too many."""
    steps = (last - first) / step + 1e-6
    if steps + 1 < least:
        raise ArgumentError(f"a step of {step:g} s is longer than the motion, {last - first:g} s")
    if not steps < MOST_SAMPLES:
        raise ArgumentError(f"steps of {step:g} s would make {steps:.3g} samples of a motion of {last - first:g} s")
    times: FloatArray = np.minimum(first + step * np.arange(int(steps) + 1), last)
    return times


def unbroken_quats(quats: FloatArray) -> FloatArray:
    """The same rotations, with signs that do not jump from frame to frame; shape (n, 4)."""
    if len(quats) < 2:
        return quats
    flips = np.where(np.einsum("ni,ni->n", quats[1:], quats[:-1]) < 0, -1.0, 1.0)
    return quats * np.concatenate([[1.0], np.cumprod(flips)])[:, None]
