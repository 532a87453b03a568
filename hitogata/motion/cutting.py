"""Pieces of a motion, and pieces put end to end."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.motion.closeness import cloud_of, ground_between
from hitogata.motion.inputs import SLACK, check_free_root, check_motion, check_same_figure, finite, time_inside
from hitogata.motion.root_placement import move_root
from hitogata.motion.sampling import sample
from hitogata.motion.tangents import with_unbroken_quats


def cut(figure: Figure, trajectory: Trajectory, start: float | None = None, end: float | None = None) -> Trajectory:
    """The motion from one time to another.

    Samples stay as they are, times, velocities and channels too.  Where no sample is at `start` or `end`, one is added
    (see `sample`).

    Args:
        figure: the figure.
        trajectory: its motion, of two samples or more.
        start: first time kept [s]; None: the motion's own.
        end: last time kept [s], after `start`; None: the motion's own.
    """
    check_motion(figure, trajectory, least=2)
    time = trajectory.time
    first = float(time[0]) if start is None else time_inside(trajectory, start, "start")
    last = float(time[-1]) if end is None else time_inside(trajectory, end, "end")
    if last - first <= 2 * SLACK:
        raise ArgumentError(f"start, end: nothing is left of the motion from {first:g} to {last:g} s")
    kept = np.flatnonzero((time >= first - SLACK) & (time <= last + SLACK))
    pieces = [_taken(trajectory, kept)] if len(kept) else []
    if not len(kept) or time[kept[0]] > first + SLACK:
        pieces.insert(0, sample(figure, trajectory, [first]))
    if not len(kept) or time[kept[-1]] < last - SLACK:
        pieces.append(sample(figure, trajectory, [last]))
    return _put_together(pieces)


def join(figure: Figure, motions: Sequence[Trajectory], *, gap: float = 0.0, align: bool = False) -> Trajectory:
    """Motions one after the other.

    Without a gap the last sample of one and the first sample of the next are the same moment: the latter is dropped.
    Poses are not changed, so they should agree there; `cross_fade` goes over from one to the other.  Velocities are
    computed anew.  Channels that all motions have, with the same shape and type, are kept.

    Args:
        figure: the figure.
        motions: of two samples or more each; the times of the first one are kept.
        gap: time between the last sample of one and the first of the next [s].
        align: turn and move each motion on the ground so that its first pose is near the last pose of the one before;
            channels are dropped.
    """
    if not len(motions):
        raise ArgumentError("motions: there are none to join")
    wait = finite(gap, "gap")
    if wait < 0:
        raise ArgumentError(f"gap: must not be negative, got {wait:g} s; use cross_fade to let motions overlap")
    for k, motion in enumerate(motions):
        check_motion(figure, motion, least=2, what=f"motions[{k}]")
        check_same_figure(motions[0], motion)
    if align:
        check_free_root(figure, "align")
    pieces = [replace(motions[0], channels={}) if align and len(motions) > 1 else motions[0]]
    for motion in motions[1:]:
        last = pieces[-1]
        if align:
            onto = ground_between(cloud_of(figure, last), cloud_of(figure, motion), [(len(last) - 1, 0)])
            motion = move_root(figure, motion, onto)
        motion = replace(motion, time=motion.time - motion.time[0] + (last.time[-1] + wait))
        pieces.append(motion if wait > 0 else _taken(motion, np.arange(1, len(motion))))
    whole = _put_together(pieces)
    q = with_unbroken_quats(figure, whole.q)
    return replace(whole, q=q, v=velocities_of(figure, whole.time, q))


def _taken(trajectory: Trajectory, rows: Any) -> Trajectory:
    """Some samples of a motion."""
    channels = {name: values[rows] for name, values in trajectory.channels.items()}
    time, q, v = (array[rows] for array in (trajectory.time, trajectory.q, trajectory.v))
    return Trajectory(time, q, v, channels, trajectory.figure_name)


def _put_together(pieces: Sequence[Trajectory]) -> Trajectory:
    """Samples of several motions in a row, with the channels that all have."""

    def alike(name: str) -> bool:
        found = [piece.channels.get(name) for piece in pieces]
        kinds = {(x.shape[1:], x.dtype.kind) for x in found if x is not None}
        return len(kinds) == 1 and all(x is not None for x in found)

    channels = {name: np.concatenate([p.channels[name] for p in pieces]) for name in pieces[0].channels if alike(name)}
    time, q, v = (np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("time", "q", "v"))
    return Trajectory(time, q, v, channels, pieces[0].figure_name)
