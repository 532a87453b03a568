"""Two motions in step: where one can go over into the other, and which of their moments belong together."""

from dataclasses import dataclass

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.motion.closeness import cloud_at, cloud_of, distances
from hitogata.motion.inputs import check_motion, check_same_figure, positive
from hitogata.motion.warping import monotone, warped_at

MOST = 1500
"""Poses of a motion that are compared at most; of longer motions, every second, third ... sample."""


@dataclass(frozen=True)
class Transition:
    """Where one motion comes nearest to another.

    Attributes:
        leave: time in the first motion [s].
        enter: time in the second [s].
        distance: of the poses and velocities there (`closeness`) [m].
    """

    leave: float
    enter: float
    distance: float


def best_transition(
    figure: Figure, first: Trajectory, second: Trajectory, *, seconds: float = 0.0, reach: float | None = None
) -> Transition:
    """Find where the second motion goes on best from the first.

    Args:
        figure: the figure.
        first: a motion.
        second: another, which may stand and look elsewhere on the ground.
        seconds: time that must be left of the first, and of the second, for a fade from one to the other around the two
            moments: half of it before and half after [s].
        reach: look only into this much of the end of the first and of the beginning of the second [s]; None: all.
    """
    for motion, what in ((first, "first"), (second, "second")):
        check_motion(figure, motion, least=2, what=what)
    check_same_figure(first, second)
    depth = np.inf if reach is None else positive(reach, "reach")
    half = seconds / 2
    rows = []
    for motion, early, late in ((first, first.time[-1] - depth, np.inf), (second, -np.inf, second.time[0] + depth)):
        low, high = motion.time[0] + half, motion.time[-1] - half
        found = np.flatnonzero((motion.time >= max(low, early)) & (motion.time <= min(high, late)))
        if not len(found):
            raise ArgumentError(
                f"no moments to compare: a motion of {motion.time[-1] - motion.time[0]:g} s leaves none for a fade of "
                f"{seconds:g} s within a reach of {depth:g} s"
            )
        rows.append(found[:: -(-len(found) // MOST)])
    apart = distances(cloud_of(figure, first), cloud_of(figure, second), rows[0], rows[1])
    i, j = np.unravel_index(int(apart.argmin()), apart.shape)
    return Transition(float(first.time[rows[0][i]]), float(second.time[rows[1][j]]), float(apart[i, j]))


def match_phase(figure: Figure, first: Trajectory, second: Trajectory, *, grid: float = 1 / 30) -> Trajectory:
    """The second motion with the timing of the first: warped so that like poses come at like times.

    Both begin together and end together.  In between, the monotone path through the table of distances is found on
    which their sum is least (dynamic time warping; Kovar & Gleicher 2003, section 3.1), and smoothed.  Against an even
    stretch the second motion is at most twice as fast or slow.  It has the times of the first's samples.

    Args:
        figure: the figure.
        first: whose timing is taken.
        second: a motion like it: as many steps, beginning with the same foot.
        grid: time between poses that are compared [s]; wider for long motions.
    """
    for motion, what in ((first, "first"), (second, "second")):
        check_motion(figure, motion, least=2, what=what)
    check_same_figure(first, second)
    spans = [float(motion.time[-1] - motion.time[0]) for motion in (first, second)]
    count = min(max(int(max(spans) / positive(grid, "grid")) + 1, 8), MOST)
    share = np.linspace(0.0, 1.0, count)
    clouds = []
    for motion, span in zip((first, second), spans, strict=True):
        times = np.minimum(motion.time[0] + share * span, motion.time[-1])
        clouds.append(cloud_at(figure, motion, times))
    path = _path(distances(clouds[0], clouds[1]))
    smooth = _smoothed(np.interp(np.arange(count), path[:, 0], path[:, 1]), max(2, count // 20)) / (count - 1)
    old, new = second.time[0] + smooth * spans[1], first.time[0] + share * spans[0]
    new[-1], old[-1] = first.time[-1], second.time[-1]
    return warped_at(figure, second, monotone(new, old), first.time)


def _path(cost: FloatArray) -> FloatArray:
    """Cells (i, j) of the cheapest way from corner to corner of a square table, by steps (1, 1), (1, 2) and (2, 1)."""
    n = len(cost)
    steps = ((1, 1), (1, 2), (2, 1))
    total = np.full((n, n), np.inf)
    total[0, 0] = cost[0, 0]
    came = np.zeros((n, n), np.int8)
    for i in range(1, n):
        options = np.full((3, n), np.inf)
        options[0, 1:] = total[i - 1, :-1] + cost[i, 1:]
        options[1, 2:] = total[i - 1, :-2] + (cost[i, 1:-1] + cost[i, 2:]) / 2  # each row counts once
        if i > 1:
            options[2, 1:] = total[i - 2, :-1] + cost[i - 1, 1:] + cost[i, 1:]
        came[i] = options.argmin(axis=0)
        total[i] = options.min(axis=0)
    cells = [(n - 1, n - 1)]
    while cells[-1] != (0, 0):
        i, j = cells[-1]
        di, dj = steps[came[i, j]]
        cells.append((i - di, j - dj))
    return np.array(cells[::-1], np.float64)


def _smoothed(values: FloatArray, radius: int) -> FloatArray:
    """A mean over ± radius samples; rising values stay rising, and the ends where they are."""
    before, after = 2 * values[0] - values[radius:0:-1], 2 * values[-1] - values[-2 : -radius - 2 : -1]
    padded = np.concatenate([before, values, after])
    return np.convolve(padded, np.full(2 * radius + 1, 1 / (2 * radius + 1)), mode="valid")
