"""A motion at other times, without corners.

Between two samples the pose follows a cubic in the changes from the first one (`tangents`), with the velocities of
`velocities_of` at both ends: q(t) = q₀ ⊞ φ(s), s = (t - t₀)/h,

    φ(s) = (3s² - 2s³) δ + (s³ - 2s² + s) h v₀ + (s³ - s²) h J⁻¹(δ) v₁,        δ = q₁ ⊟ q₀.

So q has no corners, v no jumps, and v is the derivative of q.  (`hitogata.figure.resampled` goes straight from sample
to sample: seen at a higher rate, velocities are steps.)
"""

from dataclasses import replace

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, resampled, velocities_of
from hitogata.figure.rates import changes, even_times
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.motion.inputs import SLACK, check_motion, positive
from hitogata.motion.tangents import moved, rates_of_changes, velocities_of_changes


def sample(figure: Figure, trajectory: Trajectory, time: ArrayLike) -> Trajectory:
    """The motion at other times, inside its own; q and v run smoothly between samples.

    Hinges, sliders and universal joints that are within their ranges stay there.  Velocities follow from the
    coordinates, whatever the trajectory says.  Channels of floats are interpolated, others keep the value of the sample
    before.

    Args:
        figure: the figure.
        trajectory: its motion, of two samples or more.
        time: [s], shape (n,), strictly rising, from the first time to the last.
    """
    check_motion(figure, trajectory, least=2)
    old, new = trajectory.time, floats(time, "time")
    if new.ndim != 1 or not np.isfinite(new).all() or not (np.diff(new) > 0).all():
        raise ArgumentError("time: must be a list of finite, strictly rising times")
    new = _at_samples(old, new)
    carried = resampled(figure, trajectory, new)  # refuses times outside
    before = np.clip(np.searchsorted(old, new, side="right") - 1, 0, len(old) - 2)
    first, last = (max(int(before[0]) - 2, 0), int(before[-1]) + 4) if len(before) else (0, 2)
    near = slice(first, last)  # what the velocities around the new times depend on
    q, rates = trajectory.q[near], velocities_of(figure, old[near], trajectory.q[near])
    old, before = old[near], before - first
    h = (old[before + 1] - old[before])[:, None]
    s = np.clip((new - old[before])[:, None] / h, 0.0, 1.0)
    whole = changes(figure, q[before], q[before + 1])
    ends = h * rates[before], h * rates_of_changes(figure, whole, rates[before + 1])
    part = s * s * (3 - 2 * s) * whole + s * (s - 1) ** 2 * ends[0] + s * s * (s - 1) * ends[1]
    rate = 6 * s * (1 - s) * whole + (1 - s) * (1 - 3 * s) * ends[0] + s * (3 * s - 2) * ends[1]
    at = moved(figure, q[before], part)
    v = velocities_of_changes(figure, part, rate) / h
    _keep_ranges(figure, np.minimum(q[before], q[before + 1]), np.maximum(q[before], q[before + 1]), at, v)
    return replace(carried, q=at, v=v)


def resample(figure: Figure, trajectory: Trajectory, rate: float) -> Trajectory:
    """The motion at an even rate [samples per second], from its first time on; see `sample`.

    What is left of the motion after the last whole step is dropped.  Nothing is filtered: frequencies above half the
    new rate appear as lower ones.
    """
    check_motion(figure, trajectory, least=2)
    first, last = (float(trajectory.time[k]) for k in (0, -1))
    return sample(figure, trajectory, even_times(first, last, 1 / positive(rate, "rate"), least=2))


def usual_step(trajectory: Trajectory) -> float:
    """Median of the times between samples [s]: a sample that a cut added does not matter."""
    return float(np.median(np.diff(trajectory.time)))


def _at_samples(old: FloatArray, new: FloatArray) -> FloatArray:
    """New times, those that are but for rounding at an old one exactly there."""
    after = np.clip(np.searchsorted(old, new), 0, len(old) - 1)
    for k in (after, np.maximum(after - 1, 0)):
        new = np.where(np.abs(old[k] - new) < SLACK, old[k], new)
    return new


def _keep_ranges(figure: Figure, low: FloatArray, high: FloatArray, q: FloatArray, v: FloatArray) -> None:
    """Where a cubic leaves a joint's range between samples that are inside, stop at the wall."""
    for link, iq, iv in zip(figure.links, figure.q_starts, figure.v_starts, strict=True):
        if link.joint.is_ball or link.joint.range is None:
            continue
        for k, (least, most) in enumerate(np.reshape(link.joint.range, (-1, 2))):
            wanted = q[:, iq + k].copy()
            q[:, iq + k] = np.clip(wanted, np.minimum(least, low[:, iq + k]), np.maximum(most, high[:, iq + k]))
            v[q[:, iq + k] != wanted, iv + k] = 0.0
