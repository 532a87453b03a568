"""Retargeting: the motion of one figure, carried over to another.

Every matched link of the target takes the orientation of its source link, relative to poses in which both figures
correspond (`resting`).  With R_s, R_s0 the source link's rotation now and there, R_t0 the target link's neutral
rotation, and D the turn between the two figures,

    R_t = R_s R_s0ᵀ D R_t0.

Orientations are the links' own, in the world, so links that only one figure has (more vertebrae, collar bones) do no
harm.  Joints that cannot reach an orientation take the nearest they can.  The root is moved so that the hips go where
the source's went, times the ratio of the legs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind, Trajectory, velocities_of
from hitogata.figure.values import FloatArray
from hitogata.files import Bvh, figure_from_bvh, trajectory_from_bvh
from hitogata.files.names import Part, Side
from hitogata.motion.following import Follower
from hitogata.motion.grounding import STANCE, lowest
from hitogata.motion.mapping import SkeletonMap, map_skeletons
from hitogata.motion.resting import find_rest


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A motion carried over.

    Attributes:
        trajectory: of the target.
        mapping: which links follow which.
        residuals: by target link: angle between its bone (or itself, if it has none) and where it should point [rad],
            shape (nt,).
        scale: of lengths, target over source.
        reference: frame of the source in which it stands like the target; None: its neutral pose.
    """

    trajectory: Trajectory
    mapping: SkeletonMap
    residuals: Mapping[str, FloatArray]
    scale: float
    reference: int | None

    def __str__(self) -> str:
        where = "its neutral pose" if self.reference is None else f"frame {self.reference}"
        lines = [str(self.mapping), f"lengths times {self.scale:.3f}; the source stands like the target in {where}"]
        for name, angles in self.residuals.items():
            worst = float(np.degrees(np.abs(angles).max(initial=0.0)))
            if worst > 0.1:
                rms = float(np.degrees(np.sqrt(np.mean(angles**2))))
                lines.append(f"  {name:<20} off by {rms:.1f} deg rms, {worst:.1f} deg at most")
        return "\n".join(lines)


def retarget(
    trajectory: Trajectory,
    source: Figure,
    target: Figure,
    *,
    mapping: SkeletonMap | Mapping[str, str | None] | None = None,
    reference: int | None = None,
    keep_size: bool = False,
    floor: float | None = 0.0,
    bend_planes: bool = True,
) -> Retargeted:
    """Carry a motion over to another figure.

    Args:
        trajectory: of the source.
        source: the figure that moved.
        target: the figure that follows.
        mapping: from `map_skeletons`; or a table for it; None: found by names or geometry.
        reference: frame in which the source stands like the target stands at rest; None: its neutral pose, or if that
            does not stand (bones that all lie along one axis), the frame in which it stands best.
        keep_size: leave the hips' path as it is, instead of scaling it by the length of the legs.
        floor: height at which the soles stand [m]: the whole motion is lifted or lowered; None: as scaled.
        bend_planes: turn thighs and upper arms about their bones, so that hinges behind them bend the way the source
            does; otherwise they have the source's twist, and hinges come as near as they can.

    Returns:
        The target's trajectory, the pairs of links, and what hinges could not follow.
    """
    trajectory.check(source)
    pairs = mapping if isinstance(mapping, SkeletonMap) else map_skeletons(source, target, mapping)
    poses = forward_kinematics(source, trajectory.q)
    rest = find_rest(source, target, pairs, poses, reference)
    follower = Follower(source, target, pairs, rest, np.array(poses.rotation), bend_planes)
    q = follower.coordinates()
    scale = 1.0 if keep_size else _leg_ratio(source, target, pairs)
    if target.links[0].joint.kind is JointKind.FREE:
        q[:, :3] = _root_path(q, source, target, pairs, np.array(poses.position), scale)
        soles = lowest(target, q, [*pairs.links(Part.FOOT), *pairs.links(Part.TOES)]) if floor is not None else None
        if floor is not None and soles is not None and len(soles):
            up = target.links[0].joint.parent_frame.rotation.T[:, 2]
            q[:, :3] += up * (floor - float(np.percentile(soles, STANCE)))
    v = velocities_of(target, trajectory.time, q)
    motion = Trajectory(trajectory.time, q, v, figure_name=target.name)
    return Retargeted(motion, pairs, follower.residuals, scale, rest.frame)


def retarget_bvh(bvh: Bvh, target: Figure, **options: Any) -> Retargeted:
    """Carry the motion of a BVH file over to a figure; options are those of `retarget`."""
    source = figure_from_bvh(bvh, sliders=True)
    return retarget(trajectory_from_bvh(bvh, source), source, target, **options)


def _leg_ratio(source: Figure, target: Figure, pairs: SkeletonMap) -> float:
    """Length of the target's legs over that of the source's, hip to ankle; of all paired bones if there are no legs."""
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
            sums[k] += float(np.linalg.norm(places[figure.link_index(a)] - places[figure.link_index(b)]))
    return sums[0] / sums[1] if min(sums) > 0 else 1.0


def _root_path(
    q: FloatArray, source: Figure, target: Figure, pairs: SkeletonMap, places: FloatArray, scale: float
) -> FloatArray:
    """Coordinates of the root's position that put the middle of the hips where the source's is, scaled."""
    follow = pairs.links(Part.THIGH) or [name for name in target.link_names if name in pairs.pairs][:1]
    if not follow:
        raise ArgumentError("mapping: no pairs of links")
    wanted = scale * places[:, [source.link_index(pairs.pairs[name]) for name in follow]].mean(axis=1)
    now = forward_kinematics(target, q).position[:, [target.link_index(name) for name in follow]].mean(axis=1)
    path: FloatArray = q[:, :3] + (wanted - now) @ target.links[0].joint.parent_frame.rotation
    return path
