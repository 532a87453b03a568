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
from hitogata.figure import Figure, Joint, JointKind, Trajectory, velocities_of
from hitogata.figure.values import FloatArray
from hitogata.files import Bvh, figure_from_bvh, trajectory_from_bvh
from hitogata.files.bvh.eulers import unbroken_quats
from hitogata.files.names import Part, Side
from hitogata.motion.fitting import bend_twists, hinge_angles, inside, twist_angles, universal_angles
from hitogata.motion.grounding import lowest
from hitogata.motion.mapping import SkeletonMap, map_skeletons
from hitogata.motion.resting import Rest, find_rest
from hitogata.spatial import matrix_to_quat, quat_exp, quat_to_matrix

STANCE = 10
"""Percentile of the soles' heights that is put on the floor: feet are on it for more of a motion than this."""


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
    follower = _Follower(source, target, pairs, rest, np.array(poses.rotation), bend_planes)
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
    source = figure_from_bvh(bvh)
    return retarget(trajectory_from_bvh(bvh, source), source, target, **options)


class _Follower:
    """Walks down the target's tree, and gives each joint the coordinates that come nearest."""

    def __init__(
        self, source: Figure, target: Figure, pairs: SkeletonMap, rest: Rest, rotations: FloatArray, bends: bool
    ) -> None:
        self.source, self.target, self.pairs, self.rest = source, target, pairs, rest
        self.rotations, self.bends = rotations, bends
        self.residuals: dict[str, FloatArray] = {}

    def _turned(self, name: str) -> FloatArray:
        """R_s R_s0ᵀ of the source link of a target link, shape (nt, 3, 3)."""
        j = self.source.link_index(self.pairs.pairs[name])
        turned: FloatArray = self.rotations[:, j] @ self.rest.source[j].T
        return turned

    def _wanted(self, i: int) -> FloatArray | None:
        """World rotation a link should have; None if it follows none."""
        name = self.target.link_names[i]
        if name not in self.pairs.pairs:
            return None
        wanted: FloatArray = self._turned(name) @ self.rest.turns[name] @ self.rest.target[i]
        return wanted

    def _wanted_bone(self, i: int) -> FloatArray | None:
        """World direction the bone of a link should have, shape (nt, 3); None if it has none."""
        name = self.target.link_names[i]
        if name not in self.rest.source_bones:
            return None
        turned = self._turned(name) @ self.rest.turns[name] @ self.rest.target_bones[name]
        direction: FloatArray = turned
        return direction

    def coordinates(self) -> FloatArray:
        """All coordinates, shape (nt, nq); the root's position is the neutral one."""
        target, count = self.target, len(self.rotations)
        q = np.repeat(target.neutral()[None], count, axis=0)
        world = np.empty((count, target.nlinks, 3, 3))
        for i, (link, parent) in enumerate(zip(target.links, target.parents, strict=True)):
            joint = link.joint
            base = world[:, parent] @ joint.parent_frame.rotation if parent >= 0 else joint.parent_frame.rotation
            base = np.broadcast_to(base, (count, 3, 3))
            part = slice(target.q_starts[i], target.q_starts[i] + joint.nq)
            wanted = self._wanted(i)
            if wanted is not None:
                self._fit(i, joint, base, wanted, q[:, part])
            turn = _joint_rotation(joint, q[:, part])
            world[:, i] = base @ turn @ joint.child_frame.rotation.T
            if wanted is not None:
                self.residuals[link.name] = self._residual(i, world[:, i], wanted)
        return q

    def _fit(self, i: int, joint: Joint, base: FloatArray, wanted: FloatArray, q: FloatArray) -> None:
        """Write a joint's coordinates into q, shape (nt, nq of the joint)."""
        back = np.swapaxes(base, 1, 2)
        child = joint.child_frame.rotation
        if joint.kind in (JointKind.BALL, JointKind.FREE):
            turned = self._into_bend_plane(i, wanted) if self.bends else wanted
            q[:, -4:] = unbroken_quats(np.asarray(matrix_to_quat(back @ turned @ child), np.float64))
        elif joint.kind is JointKind.HINGE:
            axis, direction = np.array(joint.axis), self._wanted_bone(i)
            bone = child.T @ self._own_bone(i) if direction is not None else axis
            if direction is not None and np.linalg.norm(np.cross(axis, bone)) > 0.1:
                angles = hinge_angles(axis, bone, np.einsum("nij,nj->ni", back, direction))
            else:
                angles = twist_angles(axis, back @ wanted @ child)
            q[:, 0] = inside(angles, joint.range)
        elif joint.kind is JointKind.UNIVERSAL:
            angles = universal_angles(joint, back @ wanted @ child)
            for k in range(2):
                q[:, k] = inside(angles[:, k], joint.range[k] if joint.range else None)

    def _own_bone(self, i: int) -> FloatArray:
        """Direction of a target link's bone in its own frame."""
        bone: FloatArray = self.rest.target[i].T @ self.rest.target_bones[self.target.link_names[i]]
        return bone

    def _into_bend_plane(self, i: int, wanted: FloatArray) -> FloatArray:
        """The wanted rotation of a link, turned about its bone into the plane in which a hinge behind it must bend."""
        hinges = [k for k, parent in enumerate(self.target.parents)
                  if parent == i and self.target.links[k].joint.kind is JointKind.HINGE]  # fmt: skip
        if len(hinges) != 1 or self.target.link_names[i] not in self.rest.target_bones:
            return wanted
        direction = self._wanted_bone(hinges[0])
        if direction is None:
            return wanted
        joint = self.target.links[hinges[0]].joint
        bone, axis = wanted @ self._own_bone(i), wanted @ (joint.parent_frame.rotation @ joint.axis)
        if not len(bone) or abs(float(bone[0] @ axis[0])) > 0.5:
            return wanted
        twist = bend_twists(bone, axis, direction, joint.range)
        turned: FloatArray = quat_to_matrix(quat_exp(bone * twist[:, None])) @ wanted
        return turned

    def _residual(self, i: int, got: FloatArray, wanted: FloatArray) -> FloatArray:
        """Angle between a link's bone and its wanted direction; without bone, between the rotations [rad]."""
        direction = self._wanted_bone(i)
        if direction is not None:
            bone = got @ self._own_bone(i)
            sine = np.linalg.norm(np.cross(bone, direction), axis=1)
            angle: FloatArray = np.arctan2(sine, np.einsum("ni,ni->n", bone, direction))
            return angle
        quats = matrix_to_quat(np.swapaxes(got, 1, 2) @ wanted)
        angle = 2 * np.arctan2(np.linalg.norm(quats[:, 1:], axis=1), quats[:, 0])
        return angle


def _joint_rotation(joint: Joint, q: FloatArray) -> Any:
    """R_FM for a joint's coordinates, shape (nt, 3, 3)."""
    if joint.kind in (JointKind.BALL, JointKind.FREE):
        return quat_to_matrix(q[:, -4:])
    if joint.kind is JointKind.HINGE:
        return quat_to_matrix(quat_exp(q * np.array(joint.axis)))
    if joint.kind is JointKind.UNIVERSAL:
        first, second = np.array(joint.axis), np.array(joint.axis2)
        return quat_to_matrix(quat_exp(q[:, :1] * first)) @ quat_to_matrix(quat_exp(q[:, 1:] * second))
    return np.broadcast_to(np.eye(3), (len(q), 3, 3))


def _leg_ratio(source: Figure, target: Figure, pairs: SkeletonMap) -> float:
    """Length of the target's legs over that of the source's, hip to ankle; of all paired bones if there are no legs."""
    places = {f.name: forward_kinematics(f, f.neutral()).position for f in (source, target)}
    sums = [0.0, 0.0]
    legs = [pairs.links(part, side) for side in (Side.LEFT, Side.RIGHT) for part in (Part.THIGH, Part.SHIN, Part.FOOT)]
    if all(legs):
        chains = [(legs[k][0], legs[k + 1][0]) for k in (0, 1, 3, 4)]
    else:
        parents = {n: target.links[i].parent for i, n in enumerate(target.link_names)}
        chains = [(parent, n) for n in pairs.pairs if (parent := parents[n]) is not None and parent in pairs.pairs]
    for upper, lower in chains:
        names = ((target, upper, lower), (source, pairs.pairs[upper], pairs.pairs[lower]))
        for k, (figure, a, b) in enumerate(names):
            sums[k] += float(np.linalg.norm(np.subtract(*(places[figure.name][figure.link_index(n)] for n in (a, b)))))
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
