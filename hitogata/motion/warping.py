"""The same poses at other times: faster, slower, or by keys."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.rates import even_times
from hitogata.figure.values import FloatArray, floats
from hitogata.motion.inputs import SLACK, check_motion, positive
from hitogata.motion.sampling import sample, usual_step

Keys = Sequence[tuple[float, float]]


def warp(figure: Figure, trajectory: Trajectory, keys: Keys, *, rate: float | None = None) -> Trajectory:
    """Let moments of a motion happen at other times.

    Between keys, old time is a monotone cubic of new time without corners (Fritsch & Butland 1984), so the motion
    never stops or runs backwards, and its speed does not jump.  Before the first and after the last key it goes on at
    its own speed.  Poses are those of `sample`; velocities are multiplied by the speed.  Channels go along.  What is
    left after the last whole step of the result is dropped.

    Args:
        figure: the figure.
        trajectory: its motion, of two samples or more.
        keys: pairs (old time, new time) [s], both rising.
        rate: samples per second of the result; None: the usual rate of the motion.
    """
    check_motion(figure, trajectory, least=2)
    pairs = floats(keys, "keys")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs):
        raise ArgumentError(f"keys: expected pairs of times (old, new), got shape {pairs.shape}")
    if not np.isfinite(pairs).all() or not (np.diff(pairs, axis=0) > 0).all():
        raise ArgumentError(f"keys: old and new times must be finite and strictly rising, got {pairs.tolist()}")
    first, last = float(trajectory.time[0]), float(trajectory.time[-1])
    outside = (pairs[:, 0] < first - SLACK) | (pairs[:, 0] > last + SLACK)
    if outside.any():
        at = float(pairs[outside][0, 0])
        raise ArgumentError(f"keys: {at:g} s is outside the motion, which goes from {first:g} to {last:g} s")
    clock = _clock(pairs[:, 0], pairs[:, 1], first, last)
    step = usual_step(trajectory) if rate is None else 1 / positive(rate, "rate")
    return warped_at(figure, trajectory, clock, even_times(float(clock.x[0]), float(clock.x[-1]), step, least=2))


def change_speed(
    figure: Figure, trajectory: Trajectory, speed: float | Sequence[tuple[float, float]], *, rate: float | None = None
) -> Trajectory:
    """The motion faster or slower; it begins when it began.

    Args:
        figure: the figure.
        trajectory: its motion, of two samples or more.
        speed: above 0; 2 is twice as fast.  Or keys (time in the motion [s], speed), with straight lines between them.
        rate: samples per second of the result; None: the usual rate of the motion.
    """
    check_motion(figure, trajectory, least=2)
    old = trajectory.time
    step = usual_step(trajectory) if rate is None else 1 / positive(rate, "rate")
    keys = floats([(old[0], positive(speed, "speed"))] if np.ndim(speed) == 0 else speed, "speed")
    if keys.ndim != 2 or keys.shape[1] != 2 or not (np.diff(keys[:, 0]) > 0).all():
        raise ArgumentError(f"speed: expected a number, or pairs (time, speed) at rising times, got {speed!r}")
    if not np.isfinite(keys).all() or not (keys[:, 1] > 0).all():
        raise ArgumentError(f"speed: every speed must be finite and positive, got {keys[:, 1].tolist()}")
    inside = keys[(keys[:, 0] > old[0]) & (keys[:, 0] < old[-1]), 0]
    moments = np.union1d(old, inside)
    new = old[0] + _durations(moments, keys)
    times = even_times(float(new[0]), float(new[-1]), step, least=2)
    return warped_at(figure, trajectory, monotone(new, moments), times)


def _durations(moments: FloatArray, keys: FloatArray) -> FloatArray:
    """∫ dt / speed from the first moment on [s]; over a straight piece (t₁ - t₀) ln(s₁/s₀) / (s₁ - s₀)."""
    speeds = np.interp(moments, keys[:, 0], keys[:, 1])
    a, b = speeds[:-1], speeds[1:]
    x = (b - a) / a
    small = np.abs(x) < 1e-6
    mean = a * np.where(small, 1 + x / 2, x / np.log1p(np.where(small, 1.0, x)))  # logarithmic mean
    return np.concatenate([[0.0], np.cumsum(np.diff(moments) / mean)])


def monotone(new: FloatArray, old: FloatArray) -> Any:
    """Old time as a monotone cubic of new time."""
    from scipy.interpolate import PchipInterpolator

    return PchipInterpolator(new, old)


def _clock(old: FloatArray, new: FloatArray, first: float, last: float) -> Any:
    """Old time as a function of new time, by keys, and straight on at speed 1 to the ends of the motion."""
    from scipy.interpolate import CubicHermiteSpline

    slopes = monotone(new, old)(new, 1) if len(new) > 1 else np.ones(1)
    steepest = 3 * np.diff(old) / np.diff(new)  # for a cubic that does not turn back
    if old[0] > first + SLACK:
        slopes[0] = min([1.0, *steepest[:1]])
        old, new, slopes = np.append(first, old), np.append(new[0] - (old[0] - first), new), np.append(1.0, slopes)
    if old[-1] < last - SLACK:
        slopes[-1] = min([1.0, *steepest[-1:]])
        old, new, slopes = np.append(old, last), np.append(new, new[-1] + (last - old[-1])), np.append(slopes, 1.0)
    return CubicHermiteSpline(new, old, slopes)


def warped_at(figure: Figure, trajectory: Trajectory, clock: Any, times: FloatArray) -> Trajectory:
    """The motion at some new times; the clock, a spline, says which old times they are [s]."""
    result = sample(figure, trajectory, np.clip(clock(times), trajectory.time[0], trajectory.time[-1]))
    return replace(result, time=times, v=result.v * clock(times, 1)[:, None])
