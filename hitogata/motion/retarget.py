"""Retargeting: the motion of one figure, carried over to another.

Every matched link of the target takes the orientation of its source link, relative to poses in which both figures
correspond (`reference_pose`).  With R_s, R_s0 the source link's rotation now and there, R_t0 the target link's neutral
rotation, and D the turn between the two figures,

    R_t = R_s R_s0ᵀ D R_t0.

Orientations are the links' own, in the world, so links that only one figure has (more vertebrae, collar bones) do no
harm.  Joints that cannot reach an orientation take the nearest they can.  The root is moved so that the hips go where
the source's went, times the ratio of the legs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.values import FloatArray
from hitogata.files import Bvh, figure_from_bvh, trajectory_from_bvh
from hitogata.files.names import Part, Side
from hitogata.motion.calibration import calibration_length
from hitogata.motion.chains import first_of
from hitogata.motion.foot_plants import Trodden, tread
from hitogata.motion.ground_height import STANCE, lowest
from hitogata.motion.link_map import SkeletonMap, map_skeletons
from hitogata.motion.orientation_tracking import Follower
from hitogata.motion.reference_pose import find_rest, source_roles, upright
from hitogata.motion.spikes import without_spikes
from hitogata.motion.stances import LEG, Stance, find_stances


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A motion carried over.

    Attributes:
        trajectory: of the target.
        mapping: which links follow which.
        residuals: by target link: angle between its bone (or itself, if it has none) and where it should point [rad],
            shape (nt,).
        scale: of lengths, target over source.
        reference: frame of the source in which it stands like the target; None: no frame of it.
        stands: where the source stands like the target, in words.
        calibration: how many frames at the beginning of the source's motion are a calibration pose.
        first: frame of the source that is the first of the trajectory: calibration poses are left out.
        held: by joint of the target: how far its range of motion held it back [rad], shape (nt,).
        feet: what was done to feet that stand; None: nothing.
        spikes: samples of the trajectory in which the source's body jumps aside; they follow their neighbours.
    """

    trajectory: Trajectory
    mapping: SkeletonMap
    residuals: Mapping[str, FloatArray]
    scale: float
    reference: int | None
    stands: str
    calibration: int
    first: int
    held: Mapping[str, FloatArray]
    feet: Trodden | None
    spikes: tuple[int, ...] = ()

    def __str__(self) -> str:
        lines = [
            str(self.mapping),
            f"lengths times {self.scale:.3f}; the source stands like the target in {self.stands}",
        ]
        if self.first:
            frames = "1 frame" if self.first == 1 else f"{self.first} frames"
            lines.append(f"{frames} of calibration at the beginning left out")
        if self.spikes:
            times = ", ".join(f"{self.trajectory.time[k]:.3f}" for k in self.spikes[:5])
            lines.append(f"single samples in which the body jumps aside, put between their neighbours: "
                         f"{len(self.spikes)}, at {times}{', ...' if len(self.spikes) > 5 else ''} s")  # fmt: skip
        for name, angles in self.residuals.items():
            lines += _line(name, angles, "off by")
        for name, angles in self.held.items():
            lines += _line(name, angles, "held in its range by")
        return "\n".join([*lines, *([str(self.feet)] if self.feet is not None else [])])


def _line(name: str, angles: FloatArray, what: str) -> list[str]:
    worst = float(np.degrees(np.abs(angles).max(initial=0.0)))
    if worst <= 0.1:
        return []
    rms = float(np.degrees(np.sqrt(np.mean(angles**2))))
    return [f"  {name:<20} {what} {rms:.1f} deg rms, {worst:.1f} deg at most"]


def retarget(
    trajectory: Trajectory,
    source: Figure,
    target: Figure,
    *,
    mapping: SkeletonMap | Mapping[str, str | None] | None = None,
    reference: int | None = None,
    keep_size: bool = False,
    floor: float | None = 0.0,
    feet: bool = True,
    ranges: bool = True,
    bend_planes: bool = True,
    keep_calibration: bool = False,
) -> Retargeted:
    """Carry a motion over to another figure.

    Args:
        trajectory: of the source.
        source: the figure that moved.
        target: the figure that follows.
        mapping: from `map_skeletons`; or a table for it; None: found by names or geometry.
        reference: frame in which the source stands like the target stands at rest; None: its calibration pose, if it
            begins with one; or its neutral pose, if that stands; or else a pose made from its anatomy (`anatomy`).
        keep_size: leave the hips' path as it is, instead of scaling it by the length of the legs.
        floor: height at which the soles stand [m]: the whole motion is lifted or lowered; None: as scaled, and feet as
            they are.
        feet: soles that stand are level, on the floor, and do not slide (`foot_plants`).
        ranges: hold joints inside their ranges of motion.  Those of hinges are always kept.
        bend_planes: turn thighs and upper arms about their bones, so that hinges behind them bend the way the source
            does; otherwise they have the source's twist, and hinges come as near as they can.
        keep_calibration: do not leave out a calibration pose at the beginning.

    Returns:
        The target's trajectory, the pairs of links, and what could not be followed.
    """
    trajectory.check(source)
    pairs = mapping if isinstance(mapping, SkeletonMap) else map_skeletons(source, target, mapping)
    target = upright(target, pairs)
    roles = source_roles(source, pairs)
    calibration = calibration_length(source, trajectory, roles)
    first = 0 if keep_calibration else calibration
    body, spikes = without_spikes(source, _from(trajectory, calibration))
    everything = forward_kinematics(source, np.concatenate([trajectory.q[:calibration], body.q]))
    time, poses = trajectory.time[first:], LinkPoses(everything.matrices[first:])
    ratio, leg = _leg_ratio(source, target, pairs)
    stances = find_stances(source, roles, time, poses, leg) if feet and floor is not None else {}
    soles = _soles(pairs, stances)
    moved = everything if reference is not None or calibration else poses
    rest = find_rest(source, target, pairs, moved, reference, calibration=calibration, soles=soles)
    rotations = np.array(poses.rotation)
    follower = Follower(source, target, pairs, rest, time, rotations, bends=bend_planes, ranges=ranges)
    q = follower.coordinates()
    scale = 1.0 if keep_size else ratio
    trodden = None
    if target.links[0].joint.floating:
        q[:, :3] = _root_path(q, source, target, pairs, np.array(poses.position), scale)
        if floor is not None:
            _lift(target, pairs, q, floor)
        if floor is not None and any((it.flat | it.tiptoe).any() for it in stances.values()):
            trodden = tread(target, pairs, follower, q, stances, floor)
            q = trodden.q
    motion = Trajectory(time, q, velocities_of(target, time, q), figure_name=target.name)
    return Retargeted(
        motion, pairs, follower.residuals, scale, rest.frame, rest.how, calibration, first, follower.held, trodden,
        tuple(k + calibration - first for k in spikes),
    )  # fmt: skip


def retarget_bvh(bvh: Bvh, target: Figure, **options: Any) -> Retargeted:
    """Carry the motion of a BVH file over to a figure; options are those of `retarget`."""
    source = figure_from_bvh(bvh, sliders=True)
    return retarget(trajectory_from_bvh(bvh, source), source, target, **options)


def _from(trajectory: Trajectory, first: int) -> Trajectory:
    """The samples from one on."""
    time, q, v = trajectory.time[first:], trajectory.q[first:], trajectory.v[first:]
    return replace(trajectory, time=time, q=q, v=v, channels={})


def _soles(pairs: SkeletonMap, stances: Mapping[Side, Stance]) -> dict[str, FloatArray]:
    """By target foot: what is up in its source link while that stands."""
    return {
        name: stance.up
        for side, stance in stances.items() if stance.up is not None
        for name in pairs.links(Part.FOOT, side)[:1]
    }  # fmt: skip


def _lift(target: Figure, pairs: SkeletonMap, q: FloatArray, floor: float) -> None:
    """Lift or lower the whole motion so that soles stand on the floor."""
    soles = lowest(target, q, [*pairs.links(Part.FOOT), *pairs.links(Part.TOES)])
    if soles is not None and len(soles):
        up = target.links[0].joint.parent_frame.rotation.T[:, 2]
        q[:, :3] += up * (floor - float(np.percentile(soles, STANCE)))


def _leg_ratio(source: Figure, target: Figure, pairs: SkeletonMap) -> tuple[float, float]:
    """Length of the target's legs over that of the source's, hip to ankle, and the source's [m].

    Without legs, it is the ratio of all paired bones.
    """
    theirs, own = (forward_kinematics(figure, figure.neutral()).position for figure in (source, target))
    sums = [0.0, 0.0]
    legs = [pairs.links(part, side) for side in (Side.LEFT, Side.RIGHT) for part in (Part.THIGH, Part.SHIN, Part.FOOT)]
    if all(legs):
        chains = [(legs[k][0], legs[k + 1][0]) for k in (0, 1, 3, 4)]
    else:
        parents = {n: target.links[i].parent for i, n in enumerate(target.link_names)}
        chains = [(parent, n) for n in pairs.pairs if (parent := parents[n]) is not None and parent in pairs.pairs]
    for upper, lower in chains:
        bones = ((target, own, upper, lower), (source, theirs, pairs.pairs[upper], pairs.pairs[lower]))
        for k, (figure, places, a, b) in enumerate(bones):
            begin = first_of(target, a, pairs.pairs) if figure is target else figure.link_index(a)
            sums[k] += float(np.linalg.norm(places[begin] - places[figure.link_index(b)]))
    return (sums[0] / sums[1] if min(sums) > 0 else 1.0), (sums[1] / 2 if all(legs) else LEG)


def _root_path(
    q: FloatArray, source: Figure, target: Figure, pairs: SkeletonMap, places: FloatArray, scale: float
) -> FloatArray:
    """Coordinates of the root's position that put the middle of the hips where the source's is, scaled."""
    follow = pairs.links(Part.THIGH) or [name for name in target.link_names if name in pairs.pairs][:1]
    if not follow:
        raise ArgumentError("mapping: no pairs of links")
    wanted = scale * places[:, [source.link_index(pairs.pairs[name]) for name in follow]].mean(axis=1)
    own = [first_of(target, name, pairs.pairs) for name in follow]
    now = forward_kinematics(target, q).position[:, own].mean(axis=1)
    path: FloatArray = q[:, :3] + (wanted - now) @ target.links[0].joint.parent_frame.rotation
    return path
