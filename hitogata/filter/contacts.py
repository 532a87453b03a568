"""When feet stand: found in a motion, or given as times."""

from collections.abc import Mapping, Sequence

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body, Work
from hitogata.filter.floor import Floor
from hitogata.filter.foot_plan import Interval
from hitogata.filter.reference import needs_of, smoothed
from hitogata.motion import RestLimits, find_contacts
from hitogata.motion.foot_contacts import BoolArray, runs

CARRIED = 0.35
"""A body that needs more of its weight than this from the ground stands on something."""
NEAR = 0.05
"""On a sole that is lower than this above where it stands [m]."""
SHORTEST = 0.05
"""Stands that are shorter are left out [s]."""


def found_stands(
    body: Body, motion: Trajectory, floor: Floor | None, ground: float | None = None
) -> dict[str, list[Interval]]:
    """Frames from which to which each foot stands.

    Feet stand while points of their soles rest (`motion.find_contacts`).  Quick feet, as those of a run, are down
    longer than they rest: where none rests and the motion's own accelerations say that the ground carries
    the body, the lowest foot stands, too.

    Args:
        body: the figure.
        motion: its motion, at even times.
        floor: None: feet may stand at any height.
        ground: height of the floor on which the motion was made [m]; None: where feet stand.
    """
    limits = RestLimits(height=(1e3, 1e3), speed=(0.2, 0.5)) if floor is None else None
    found = find_contacts(body.figure, motion, limits=limits, floor=None if floor is None else ground)
    names = [sole.name for sole in body.soles]
    down = np.zeros((len(motion), len(names)), np.bool_)
    for f, name in enumerate(names):
        down[:, f] = found[name].down
    h = float(motion.time[-1] - motion.time[0]) / (len(motion) - 1)
    carried = _load(body, motion.q, h) > CARRIED
    heights = _sole_heights(body, motion.q, ground)
    nearest = heights.argmin(axis=1)
    for k in np.flatnonzero(carried & ~down.any(axis=1)):
        f = nearest[k]
        if heights[k, f] < NEAR:
            down[k, f] = True
    least = SHORTEST / h
    return {
        name: [(a, b) for a, b in runs(_closed(down[:, f], 0.03 / h)) if b - a >= least or a == 0 or b == len(down) - 1]
        for f, name in enumerate(names)
    }


def _closed(mask: BoolArray, gap: float) -> BoolArray:
    """The mask without breaks of fewer frames than `gap`."""
    result = mask.copy()
    for a, b in runs(~mask):
        if a > 0 and b < len(mask) - 1 and b - a + 1 <= gap:
            result[a : b + 1] = True
    return result


def _load(body: Body, q: FloatArray, h: float) -> FloatArray:
    """Upward force that the ground would have to give, in body weights, shape (n,)."""
    work = Work(body)
    result: FloatArray = needs_of(body, work, smoothed(work, q, h, 0.03), h).demand.force[:, 2] / body.weight
    return result


def _sole_heights(body: Body, q: FloatArray, ground: float | None) -> FloatArray:
    """How high the lowest corner of each sole is above where it stands [m], shape (n, feet)."""
    poses = forward_kinematics(body.figure, q)
    heights = []
    for sole in body.soles:
        turn, place = sole.placed(poses)
        low = (np.einsum("ti,ki->tk", turn[:, 2], sole.corners) + place[:, None, 2]).min(axis=1)
        heights.append(low - (np.percentile(low, 10) if ground is None else ground))
    return np.stack(heights, axis=1)


def given_stands(
    motion: Trajectory, contacts: Mapping[str, Sequence[tuple[float, float]]]
) -> dict[str, list[Interval]]:
    """Frames from which to which each foot stands, of times that are given [s]."""
    result: dict[str, list[Interval]] = {}
    for name, spans in contacts.items():
        result[name] = []
        for start, end in sorted(spans):
            if not start < end:
                raise ArgumentError(f"contacts: {name} stands from {start:g} to {end:g} s, which is no time")
            inside = np.flatnonzero((motion.time >= start - 1e-9) & (motion.time <= end + 1e-9))
            if not len(inside):
                continue
            if result[name] and inside[0] <= result[name][-1][1]:
                raise ArgumentError(f"contacts: spans of {name} overlap at {start:g} s")
            result[name].append((int(inside[0]), int(inside[-1])))
    return result
