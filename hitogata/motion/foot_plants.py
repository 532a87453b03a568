"""Feet of a motion that was carried over: level, on the floor and still wherever the source's stand.

Where feet should be is said by `foot_placement`; the root is lifted or lowered a little, so that legs reach and ankles
can hold soles level (`heights`); legs bend and turn so that feet are there (`strides`, `legs`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.files.names import Part, Side
from hitogata.motion.chains import first_of
from hitogata.motion.foot_contacts import BoolArray, runs
from hitogata.motion.foot_placement import Sole, sole_of
from hitogata.motion.heights import best_heights
from hitogata.motion.legs import leg_of
from hitogata.motion.link_map import SkeletonMap
from hitogata.motion.orientation_tracking import Follower
from hitogata.motion.root_placement import UP
from hitogata.motion.stances import Stance
from hitogata.motion.strides import Stride

_HEIGHTS = np.linspace(-1.0, 1.0, 31)
"""Changes of the root's height that are looked at, by the greatest."""

_LEAST, _MOST, _SHARE = 0.01, 0.03, 0.009
"""The greatest change of the root's height is this share of the root's path, but no less and no more than these [m]."""

_HEELS = (False,) * 3 + (True,) * 6
"""Rounds of turning legs and moving ankles for feet that their ranges of motion turn: whether heels rise for ankles."""


_NOTED = np.radians(1.0)
"""Heels that are up by more than this are told of."""


@dataclass(frozen=True, eq=False)
class Tread:
    """What was done to one foot.

    Attributes:
        flat: when it stands flat, shape (nt,).
        tiptoe: when it stands on its tip, shape (nt,).
        heel: how far the heel is up because the ankle is at the end of its range while the source's foot is flat
            [rad], shape (nt,).
        tilt: angle between sole and floor while flat and the heel is down, before and after [rad], shape (2, nflat).
        height: greatest distance of a point of the sole from the floor then, before and after [m], shape (2, nflat).
        slide: how far the sole's middle, or its tip where the heel is up, goes in each time it stands flat, before and
            after [m], shape (2, nstances).
    """

    flat: BoolArray
    tiptoe: BoolArray
    heel: FloatArray
    tilt: FloatArray
    height: FloatArray
    slide: FloatArray


@dataclass(frozen=True, eq=False)
class Trodden:
    """A motion whose feet stand.

    Attributes:
        q: coordinates, shape (nt, nq).
        feet: by side.
        rise: how far the root was lifted, so that ankles stay in their ranges and legs reach [m], shape (nt,).
    """

    q: FloatArray
    feet: Mapping[Side, Tread]
    rise: FloatArray

    def __str__(self) -> str:
        lines = []
        for side, foot in self.feet.items():
            was, now = (
                f"{np.degrees(foot.tilt[k].max(initial=0)):.1f} deg, {1000 * foot.height[k].max(initial=0):.0f} mm, "
                f"{1000 * foot.slide[k].max(initial=0):.0f} mm"
                for k in (0, 1)
            )
            lines.append(f"  {side.value} foot stands flat {foot.slide.shape[1]} times: off level, off the floor and "
                         f"sliding by {was} at most; now {now}")  # fmt: skip
            up = foot.heel[foot.flat]
            if len(up) and up.max() > _NOTED:
                lines.append(f"    heel up by at most {np.degrees(up.max()):.1f} deg, in {(up > _NOTED).mean():.0%} of "
                             f"that time, where the ankle is at the end of its range")  # fmt: skip
        low, high = (1000 * f(self.rise, initial=0.0) for f in (np.min, np.max))
        if high - low > 0.1:
            lines.append(f"  root lifted by {low:.0f} to {high:.0f} mm, for ankles and legs to reach")
        return "\n".join(lines)


def tread(
    figure: Figure, pairs: SkeletonMap, follower: Follower, q: FloatArray, stances: Mapping[Side, Stance], floor: float
) -> Trodden:
    """Let feet stand.

    Args:
        figure: the target, with a free root.
        pairs: its links, and those of the source.
        follower: that gave its coordinates, and gives others for other rotations of the legs.
        q: its coordinates, shape (nt, nq).
        stances: when the source's feet stand.
        floor: height of the ground [m].
    """
    forward = _forward(figure, pairs)
    soles, legs = {}, {}
    for side in stances:
        links = [pairs.links(part, side)[:1] for part in (Part.THIGH, Part.SHIN, Part.FOOT)]
        if not all(links):
            continue
        hip = first_of(figure, links[0][0], pairs.pairs)
        leg = leg_of(figure, (links[0][0], links[1][0], links[2][0]), hip, np.cross(UP, forward))
        if leg is not None:
            soles[side] = sole_of(figure, links[2] + pairs.links(Part.TOES, side), forward)
            legs[side] = leg
    if not legs:
        return Trodden(q, {}, np.zeros(len(q)))
    q = _on_the_floor(figure, q, soles, stances, floor)
    poses = forward_kinematics(figure, q)
    steps = [Stride(legs[side], soles[side], stances[side], poses, follower.time, floor) for side in legs]
    path = float(np.linalg.norm(np.diff(q[:, :3], axis=0), axis=1).sum())
    rise = _rise(follower.time, steps, float(np.clip(_SHARE * path, _LEAST, _MOST)))
    for heels in _HEELS:
        wanted: dict[str, FloatArray] = {}
        for step in steps:
            step.raise_heels(follower.time, rise, heels)
            names = [figure.link_names[i] for i in step.leg.links]
            wanted.update(zip(names, step.rotations(follower.time, rise), strict=True))
        done = follower.coordinates(wanted)
        done[:, :3] = q[:, :3] + rise[:, None] * figure.links[0].joint.parent_frame.rotation.T[:, 2]
        after = forward_kinematics(figure, done)
        for step in steps:
            foot = step.leg.links[2]
            step.see(follower.time, np.array(after.rotation[:, foot]), np.array(after.position[:, foot]))
    treads = {side: _judged(soles[side], step, poses, after, floor) for side, step in zip(legs, steps, strict=True)}
    return Trodden(done, treads, rise)


def _rise(time: FloatArray, steps: Sequence[Stride], most: float) -> FloatArray:
    """How much higher the root should be [m], shape (nt,); at most so much, either way."""
    heights = most * _HEIGHTS
    costs = np.stack([np.sum([step.cost(float(rise)) for step in steps], axis=0) for rise in heights], axis=1)
    return best_heights(time, heights, costs)


def _forward(figure: Figure, pairs: SkeletonMap) -> FloatArray:
    """Where the figure looks in its neutral pose, level, unit, shape (3,)."""
    places = forward_kinematics(figure, figure.neutral()).position
    for part in (Part.THIGH, Part.SHIN, Part.FOOT, Part.UPPER_ARM):
        left, right = pairs.links(part, Side.LEFT), pairs.links(part, Side.RIGHT)
        if left and right:
            across = places[figure.link_index(left[0])] - places[figure.link_index(right[0])]
            if np.hypot(*across[:2]) > 1e-3:
                return np.array([across[1], -across[0], 0.0]) / np.hypot(*across[:2])
    return np.array([1.0, 0.0, 0.0])


def _on_the_floor(
    figure: Figure, q: FloatArray, soles: Mapping[Side, Sole], stances: Mapping[Side, Stance], floor: float
) -> FloatArray:
    """The motion lifted or lowered as a whole, so that ankles of flat feet are as high as they stand, in the median."""
    poses = forward_kinematics(figure, q).position
    off = [poses[stances[side].flat, sole.link, 2] - floor - sole.height for side, sole in soles.items()]
    if not sum(map(len, off)):
        return q
    up = figure.links[0].joint.parent_frame.rotation.T[:, 2]
    result: FloatArray = q.copy()
    result[:, :3] -= up * float(np.median(np.concatenate(off)))
    return result


def _judged(sole: Sole, step: Stride, before: LinkPoses, after: LinkPoses, floor: float) -> Tread:
    """How a foot stood before and stands after."""
    tilts, heights, slides, stance = [], [], [], step.stance
    heel = np.where(stance.flat, step.heel, 0.0)
    down = stance.flat & (heel <= _NOTED)
    for poses in (before, after):
        rotation, place = poses.rotation[:, sole.link], poses.position[:, sole.link]
        up = (rotation @ (sole.rest.T[:, 2]))[:, 2]
        points = place[:, None] + sole.points @ np.swapaxes(rotation, 1, 2)
        middle, tip = ((place + rotation @ point)[:, :2] for point in (sole.centre, sole.tip))
        tilts.append(np.arccos(np.clip(up[down], -1.0, 1.0)))
        heights.append(np.abs(points[down, :, 2] - floor).max(axis=1))
        stays = [(tip if (heel[a : b + 1] > _NOTED).any() else middle)[a : b + 1] for a, b in runs(stance.flat)]
        slides.append([np.linalg.norm(point - point[0], axis=1).max() for point in stays])
    return Tread(stance.flat, stance.tiptoe, heel, np.array(tilts), np.array(heights), np.array(slides))
