"""Two motions at once, and one motion going over into another.

Poses are mixed on their manifold: orientations along the shortest turn (slerp), which does not change its way round in
the middle of a motion, all other coordinates in a straight line.
"""

from dataclasses import replace

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.rates import even_times
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.motion.closeness import cloud_at, cloud_of, ground_between
from hitogata.motion.cutting import cut
from hitogata.motion.easing import ease
from hitogata.motion.inputs import check_motion, check_same_figure, has_free_root, positive, weights
from hitogata.motion.phase_match import best_transition, match_phase
from hitogata.motion.root_placement import move_root
from hitogata.motion.sampling import sample, usual_step
from hitogata.motion.tangents import moved, steady_changes


def blend(
    figure: Figure,
    first: Trajectory,
    second: Trajectory,
    weight: ArrayLike,
    *,
    align: bool = True,
    match: bool = False,
) -> Trajectory:
    """A motion between two motions of the same duration, at the times of the first.

    Channels are dropped.  Velocities are computed anew.

    Args:
        figure: the figure.
        first: a motion, of two samples or more.
        second: another, as long.
        weight: of the second, from 0 to 1: one number, or one for each sample of the first.
        align: turn and move the second on the ground first, so that over the whole motion the two are nearest.
        match: warp the second first so that like poses come at like times (`match_phase`); then it may be longer or
            shorter.
    """
    for motion, what in ((first, "first"), (second, "second")):
        check_motion(figure, motion, least=2, what=what)
    check_same_figure(first, second)
    share = weights(weight, len(first))
    spans = [float(motion.time[-1] - motion.time[0]) for motion in (first, second)]
    if match:
        second = match_phase(figure, first, second)
    elif abs(spans[0] - spans[1]) > 1e-6 * max(spans):
        raise ArgumentError(
            f"first, second: {spans[0]:g} s and {spans[1]:g} s long; blend needs one duration: match=True, or cut, "
            "warp or change_speed first"
        )
    else:
        times = np.clip(first.time - first.time[0] + second.time[0], second.time[0], second.time[-1])
        second = sample(figure, second, times)
    if align and has_free_root(figure):
        pairs = [(i, i) for i in range(len(first))]
        second = move_root(figure, second, ground_between(cloud_of(figure, first), cloud_of(figure, second), pairs))
    q = _mixed(figure, first.q, second.q, share)
    return replace(first, q=q, v=velocities_of(figure, first.time, q), channels={})


def cross_fade(
    figure: Figure,
    first: Trajectory,
    second: Trajectory,
    seconds: float,
    *,
    align: bool = True,
    match: bool = False,
    reach: float | None = None,
) -> Trajectory:
    """The first motion, going over into the second.

    The last `seconds` of the first overlap the first `seconds` of the second; there the weight of the second rises from
    0 to 1, without corners (`easing.ease`).  The result goes on at the usual rate of the first; its samples before the
    overlap are those of the first.  Channels are dropped, velocities computed anew.

    Args:
        figure: the figure.
        first: a motion.
        second: another.
        seconds: duration of the overlap [s].
        align: turn and move the second on the ground, so that in the overlap it is nearest to the first.
        match: do not fade at the very end of the first and beginning of the second, but around the two moments where
            poses and velocities agree best (`best_transition`): in the same phase of a walk.
        reach: with `match`: how far into both to look for these moments [s]; None: anywhere.
    """
    for motion, what in ((first, "first"), (second, "second")):
        check_motion(figure, motion, least=2, what=what)
    check_same_figure(first, second)
    span, step = positive(seconds, "seconds"), usual_step(first)
    if span < step:
        raise ArgumentError(f"seconds: an overlap of {span:g} s is shorter than a step of the first motion, {step:g} s")
    if match:
        at = best_transition(figure, first, second, seconds=span, reach=reach)
        first = cut(figure, first, None, min(at.leave + span / 2, float(first.time[-1])))
        second = cut(figure, second, max(at.enter - span / 2, float(second.time[0])), None)
    for motion, what in ((first, "first"), (second, "second")):
        if motion.time[-1] - motion.time[0] < span - 1e-9:
            raise ArgumentError(f"{what}: it lasts {motion.time[-1] - motion.time[0]:g} s, the overlap {span:g} s")
    begin = float(first.time[-1]) - span
    second = replace(second, time=second.time - second.time[0] + begin)
    end = max(float(second.time[-1]), float(first.time[-1]))
    head = first.time[first.time < begin - 1e-9]
    times = even_times(float(head[-1]) if len(head) else begin, end, step, least=2)
    overlap = times[(times >= begin - 1e-9) & (times <= first.time[-1] + 1e-9)]
    tail = times[times > first.time[-1] + 1e-9]
    if align and has_free_root(figure):
        clouds = [cloud_at(figure, m, _between(m, overlap)) for m in (first, second)]
        onto = ground_between(clouds[0], clouds[1], [(i, i) for i in range(len(overlap))])
        second = move_root(figure, second, onto)
    poses = [sample(figure, m, _between(m, overlap)).q for m in (first, second)]
    mixed = _mixed(figure, poses[0], poses[1], ease((overlap - begin) / span))
    parts = [first.q[: len(head)], mixed]
    if len(tail):
        parts.append(sample(figure, second, _between(second, tail)).q)
    q = np.concatenate(parts)
    time = np.concatenate([head, overlap, tail])
    return Trajectory(time, q, velocities_of(figure, time, q), figure_name=first.figure_name)


def _between(motion: Trajectory, times: FloatArray) -> FloatArray:
    """Times, without rounding that would put them outside of the motion."""
    return np.clip(times, motion.time[0], motion.time[-1])


def _mixed(figure: Figure, a: FloatArray, b: FloatArray, share: FloatArray) -> FloatArray:
    """Poses a share of the way from a to b, shape (n, nq)."""
    return moved(figure, a, share[:, None] * steady_changes(figure, a, b))
