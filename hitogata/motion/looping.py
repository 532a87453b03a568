"""Cyclic motions: where a motion repeats itself, one cycle of it without a seam, and as many cycles as wanted."""

import enum
from dataclasses import dataclass, replace

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.values import FloatArray
from hitogata.motion.closeness import Cloud, cloud_of, distances, ground_between
from hitogata.motion.inputs import check_motion, has_free_root, positive, time_inside
from hitogata.motion.matching import MOST
from hitogata.motion.placing import GroundMove, move_root, moved_samples
from hitogata.motion.sampling import mean_step, sample
from hitogata.motion.seams import close_seam
from hitogata.motion.tangents import with_unbroken_quats

AS_GOOD = 1.25
"""Of all loops whose seam is not worse than the best one by more than this factor, the shortest is taken."""


class Drift(enum.Enum):
    """What happens to the way that a figure makes in one cycle."""

    KEEP = "keep"
    """It goes on: the last pose is the first one, moved on the ground."""
    REMOVE = "remove"
    """It stays in place, as on a treadmill: the steady part of moving and turning is taken out."""


@dataclass(frozen=True)
class LoopPoints:
    """A stretch of a motion that ends as it began.

    Attributes:
        start: [s].
        end: [s]; between samples if that fits better.
        distance: of the poses and velocities at both (`closeness`) [m].
        excursion: greatest distance from the first pose in between [m].
        step: what moves the first pose to the last on the ground.
    """

    start: float
    end: float
    distance: float
    excursion: float
    step: GroundMove


@dataclass(frozen=True, eq=False)
class Loop:
    """One cycle of a motion.

    Attributes:
        trajectory: the cycle, from 0 on; its last pose is the first one, moved by `step`.
        step: what moves one cycle to the next.
        points: where it was taken from.
        speed: at which the cycle runs against the motion; not quite 1, for it lasts a whole number of samples.
    """

    trajectory: Trajectory
    step: GroundMove
    points: LoopPoints
    speed: float

    @property
    def duration(self) -> float:
        """Of one cycle [s]."""
        return float(self.trajectory.time[-1])


def find_loop(
    figure: Figure, trajectory: Trajectory, *, shortest: float = 0.4, longest: float | None = None
) -> LoopPoints:
    """Find the stretch of a motion that ends most nearly as it began, wherever on the ground.

    Of all pairs of moments the one is best for which the distance of poses and velocities is smallest, against how far
    the motion goes in between: standing still is no loop.

    Args:
        figure: the figure.
        trajectory: its motion.
        shortest: least duration [s].
        longest: greatest duration [s]; None: any.
    """
    check_motion(figure, trajectory, least=3)
    time, least = trajectory.time, positive(shortest, "shortest")
    most = np.inf if longest is None else positive(longest, "longest")
    if least > min(most, float(time[-1] - time[0])):
        raise ArgumentError(
            f"shortest: no loop of {least:g} s or more fits into a motion of {time[-1] - time[0]:g} s"
            + ("" if longest is None else f" if none may be longer than {most:g} s")
        )
    cloud = cloud_of(figure, trajectory)
    stride = -(-len(time) // MOST)
    rows = np.arange(0, len(time), stride)
    apart = distances(cloud, cloud, rows, rows)
    lasting = time[rows] - time[rows][:, None]
    excursion = np.maximum.accumulate(np.where(lasting > 0, apart, 0.0), axis=1)
    allowed = (lasting >= least) & (lasting <= most)
    if not allowed.any():
        raise ArgumentError(f"shortest, longest: no two samples are {least:g} to {most:g} s apart")
    score = np.where(allowed, apart / np.maximum(excursion, 1e-9), np.inf)
    good = score <= max(AS_GOOD * score.min(), 1e-6)
    best = np.where(good, lasting + 1e-6 * score, np.inf).argmin()  # the better one of two that are as long
    i, j = (int(rows[k]) for k in np.unravel_index(int(best), score.shape))
    if stride > 1:
        i, j = _refined(cloud, time, i, j, stride, (least, most))
    end = _between_samples(cloud, time, i, j)
    return _points(figure, trajectory, float(time[i]), end)


def make_loop(
    figure: Figure,
    trajectory: Trajectory,
    points: LoopPoints | tuple[float, float] | None = None,
    *,
    drift: Drift = Drift.KEEP,
    fade: float = 0.3,
) -> Loop:
    """One cycle of a motion, that goes over into the next without a seam.

    Poses and velocities at both ends are brought together half way each, by changes that fade out over some time
    (`seams`).  The cycle has as many whole steps of the motion's mean rate as fit best, and runs a little faster or
    slower for it.  Velocities are computed across the seam.  Channels are dropped.

    Args:
        figure: the figure.
        trajectory: its motion.
        points: from `find_loop`, or (start, end) [s]; None: found.
        drift: keep the way of one cycle, or take it out.
        fade: time at both ends over which they are brought together [s]; at most half of the cycle.
    """
    check_motion(figure, trajectory, least=3)
    if not isinstance(drift, Drift):
        raise ArgumentError(f"drift: expected a Drift, got {drift!r}")
    span = positive(fade, "fade")
    if points is None:
        points = find_loop(figure, trajectory)
    elif not isinstance(points, LoopPoints):
        try:
            start, end = points
        except (TypeError, ValueError):
            raise ArgumentError(f"points: expected (start, end) [s], got {points!r}") from None
        start, end = time_inside(trajectory, start, "start"), time_inside(trajectory, end, "end")
        if end <= start:
            raise ArgumentError(f"points: the end, {end:g} s, must be after the start, {start:g} s")
        points = _points(figure, trajectory, start, end)
    period, step = points.end - points.start, mean_step(trajectory)
    count = round(period / step)
    if count < 3:
        raise ArgumentError(f"points: {period:g} s is too short for a loop at steps of {step:g} s")
    moments = points.start + period * np.linspace(0.0, 1.0, count + 1)
    one = sample(figure, trajectory, np.clip(moments, points.start, points.end))
    q = close_seam(figure, one.time - one.time[0], one.q, one.v, points.step, min(span, period / 2))
    move = points.step
    if drift is Drift.REMOVE:
        if has_free_root(figure):
            q = moved_samples(figure, q, [move.part(-k / count) for k in range(count + 1)])
        move = GroundMove()
    time = np.arange(count + 1.0) * step
    v = _cyclic_velocities(figure, time, q, move)
    cycle = Trajectory(time, q, v, figure_name=trajectory.figure_name)
    return Loop(cycle, move, points, period / float(time[-1]))


def repeat(figure: Figure, loop: Loop, count: int) -> Trajectory:
    """Several cycles in a row, each moved on by the loop's step."""
    check_motion(figure, loop.trajectory, least=3)
    if count < 1:
        raise ArgumentError(f"count: must be 1 or more, got {count}")
    one, move = loop.trajectory, GroundMove()
    times, rows, rates = [one.time], [one.q], [one.v]
    for k in range(1, count):
        move = loop.step @ move
        cycle = move_root(figure, one, move) if has_free_root(figure) else one
        times.append(one.time[1:] + k * loop.duration)
        rows.append(cycle.q[1:])
        rates.append(cycle.v[1:])
    q = with_unbroken_quats(figure, np.concatenate(rows))
    return replace(one, time=np.concatenate(times), q=q, v=np.concatenate(rates))


def _points(figure: Figure, trajectory: Trajectory, start: float, end: float) -> LoopPoints:
    """A loop, measured."""
    inside = trajectory.time[(trajectory.time > start + 1e-9) & (trajectory.time < end - 1e-9)]
    first, last = float(trajectory.time[0]), float(trajectory.time[-1])
    h = min(mean_step(trajectory), (end - start) / 4)
    around = [t for t in (start - h, start + h, end - h, end + h) if first <= t <= last]
    moments = np.union1d(np.concatenate([[start], inside, [end]]), around)
    moments = moments[np.concatenate([[True], np.diff(moments) > 1e-6])]
    cloud = cloud_of(figure, sample(figure, trajectory, moments))
    i, j = (int(np.abs(moments - t).argmin()) for t in (start, end))
    apart = distances(cloud, cloud, np.array([i]), np.arange(i, j + 1))[0]
    return LoopPoints(start, end, float(apart[-1]), float(apart.max()), ground_between(cloud, cloud, [(j, i)]))


def _refined(
    cloud: Cloud, time: FloatArray, i: int, j: int, stride: int, limits: tuple[float, float]
) -> tuple[int, int]:
    """The best pair of samples around one that was found among every `stride`-th."""
    rows = [np.arange(max(0, k - stride), min(len(time), k + stride + 1)) for k in (i, j)]
    lasting = time[rows[1]] - time[rows[0]][:, None]
    allowed = (lasting >= limits[0]) & (lasting <= limits[1])
    apart = np.where(allowed, distances(cloud, cloud, *rows), np.inf)
    a, b = np.unravel_index(int(apart.argmin()), apart.shape)
    return int(rows[0][a]), int(rows[1][b])


def _between_samples(cloud: Cloud, time: FloatArray, i: int, j: int) -> float:
    """Where, around sample j, the squared distance to sample i is least: the lowest point of a parabola [s]."""
    if not 0 < j < len(time) - 1:
        return float(time[j])
    a, b, c = distances(cloud, cloud, np.array([i]), np.arange(j - 1, j + 2))[0] ** 2
    curve, slope = a - 2 * b + c, (c - a) / 2
    offset = float(np.clip(-slope / curve, -0.5, 0.5)) if curve > 0 else 0.0
    return float(time[j] + offset * (time[j + 1] - time[j] if offset > 0 else time[j] - time[j - 1]))


def _cyclic_velocities(figure: Figure, time: FloatArray, q: FloatArray, move: GroundMove) -> FloatArray:
    """Velocities of a cycle, with those before and after it."""
    before, after = q[-3:-1], q[1:3]
    if has_free_root(figure):
        before, after = moved_samples(figure, before, [move.inverse()] * 2), moved_samples(figure, after, [move] * 2)
    times = np.concatenate([time[-3:-1] - time[-1], time, time[1:3] + time[-1]])
    v: FloatArray = velocities_of(figure, times, np.concatenate([before, q, after]))[2:-2]
    return v
