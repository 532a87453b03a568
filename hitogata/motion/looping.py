"""Cyclic motions: where a motion repeats itself, one cycle of it without a seam, and as many cycles as wanted."""

import enum
from dataclasses import dataclass, replace

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.values import FloatArray
from hitogata.motion.closeness import cloud_at, cloud_of, distances, ground_between
from hitogata.motion.inputs import check_motion, has_free_root, positive, time_inside
from hitogata.motion.phase_match import MOST
from hitogata.motion.root_placement import GroundMove, move_root, moved_samples
from hitogata.motion.sampling import sample, usual_step
from hitogata.motion.seams import close_seam
from hitogata.motion.tangents import with_unbroken_quats

AS_GOOD = 1.25
"""Of all loops that are not worse than the best one by more than this factor and 0.01, the shortest are looked at."""


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
    rows = np.arange(0, len(time), -(-len(time) // MOST))
    apart = distances(cloud, cloud, rows, rows)
    lasting = time[rows] - time[rows][:, None]
    excursion = np.maximum.accumulate(np.where(lasting > 0, apart, 0.0), axis=1)
    allowed = (lasting >= least) & (lasting <= most)
    if not allowed.any():
        raise ArgumentError(f"shortest, longest: no two samples are {least:g} to {most:g} s apart")
    score = np.where(allowed, _dips(apart) / np.maximum(excursion, 1e-9), np.inf)
    if not np.isfinite(score).any():  # it never comes back: the ends of the time allowed are the best there is
        score = np.where(allowed, apart / np.maximum(excursion, 1e-9), np.inf)
    good = score <= AS_GOOD * score.min() + 0.01
    short = good & (lasting < 1.1 * lasting[good].min())  # not two cycles if one is as good
    i, j = np.unravel_index(int(np.where(short, score, np.inf).argmin()), score.shape)
    start = float(time[rows[i]])
    around = [float(time[rows[k]]) for k in (max(int(j) - 1, 0), min(int(j) + 1, len(rows) - 1))]
    return _points(figure, trajectory, start, _nearest(figure, trajectory, start, around[0], around[1], (least, most)))


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
    (`seams`).  The cycle has as many whole steps of the motion's usual rate as fit best, and runs a little faster or
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
    period, step = points.end - points.start, usual_step(trajectory)
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
    if not isinstance(count, int | np.integer) or count < 1:
        raise ArgumentError(f"count: must be a whole number, 1 or more, got {count!r}")
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
    moments = np.linspace(start, end, 65)
    cloud = cloud_at(figure, trajectory, moments)
    apart = distances(cloud, cloud, [0])[0]
    step = ground_between(cloud, cloud, [(len(moments) - 1, 0)])
    return LoopPoints(start, end, float(apart[-1]), float(apart.max()), step)


def _dips(apart: FloatArray) -> FloatArray:
    """Where a row of distances has a dip, its depth between the samples; infinite elsewhere.

    The squares around a dip lie on a parabola a, b, c, whose lowest point is b - (c - a)² / 8(a - 2b + c).
    """
    squares = apart**2
    result = np.full_like(apart, np.inf)
    a, b, c = squares[:, :-2], squares[:, 1:-1], squares[:, 2:]
    curve = a - 2 * b + c
    lowest = np.sqrt(np.maximum(b - (c - a) ** 2 / (8 * np.maximum(curve, 1e-12)), 0.0))
    result[:, 1:-1] = np.where((b <= a) & (b <= c), lowest, np.inf)
    result[:, -1] = np.where(squares[:, -1] <= squares[:, -2], apart[:, -1], np.inf)
    return result


def _nearest(
    figure: Figure, trajectory: Trajectory, start: float, low: float, high: float, limits: tuple[float, float]
) -> float:
    """The moment between two others at which the pose is nearest to that at `start` [s]."""
    low, high = max(low, start + limits[0]), min(high, start + limits[1])
    there = cloud_at(figure, trajectory, [start])
    for _ in range(4):  # each round narrows the stretch to an eighth
        if high - low < 1e-6:
            break
        moments = np.linspace(low, high, 17)
        k = int(distances(there, cloud_at(figure, trajectory, moments))[0].argmin())
        low, high = float(moments[max(k - 1, 0)]), float(moments[min(k + 1, 16)])
    return (low + high) / 2


def _cyclic_velocities(figure: Figure, time: FloatArray, q: FloatArray, move: GroundMove) -> FloatArray:
    """Velocities of a cycle, with those before and after it."""
    before, after = q[-3:-1], q[1:3]
    if has_free_root(figure):
        before, after = moved_samples(figure, before, [move.inverse()] * 2), moved_samples(figure, after, [move] * 2)
    times = np.concatenate([time[-3:-1] - time[-1], time, time[1:3] + time[-1]])
    v: FloatArray = velocities_of(figure, times, np.concatenate([before, q, after]))[2:-2]
    return v
