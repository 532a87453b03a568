"""A target figure's coordinates, joint by joint, for orientations its links should have."""

from collections.abc import Mapping

import numpy as np

from hitogata.figure import Figure, Joint, JointKind
from hitogata.figure.joint_poses import joint_motion
from hitogata.figure.rates import unbroken_quats
from hitogata.figure.values import FloatArray
from hitogata.motion.chains import Chain, chain_angles, chain_to, row_to
from hitogata.motion.joint_fit import bend_twists, hinge_angles, inside, steady_twists, twist_angles, universal_angles
from hitogata.motion.link_map import SkeletonMap
from hitogata.motion.reference_pose import Rest
from hitogata.motion.speeds import FASTER, SLOWEST, greatest_turning, slowed
from hitogata.spatial import matrix_to_quat, quat_conjugate, quat_exp, quat_log, quat_multiply, quat_to_matrix

NOTED = 1e-6
"""Changes below this are rounding [rad]."""


class Follower:
    """Walks down the target's tree, and gives each joint the coordinates that come nearest.

    Args:
        source: the figure that moved.
        target: the figure that follows.
        pairs: their links.
        rest: where they correspond.
        time: [s], shape (nt,).
        rotations: of the source's links over time, shape (nt, nlinks, 3, 3).
        bends: turn limbs into the plane in which hinges behind them must bend.
        ranges: hold ball joints inside their ranges of motion.

    Attributes:
        residuals: by target link: what it misses [rad], shape (nt,); known after `coordinates`.
        held: by joint: how far its range of motion held it back [rad], shape (nt,); without those it never did.
    """

    def __init__(
        self, source: Figure, target: Figure, pairs: SkeletonMap, rest: Rest, time: FloatArray, rotations: FloatArray,
        *, bends: bool, ranges: bool,
    ) -> None:  # fmt: skip
        self.source, self.target, self.pairs, self.rest = source, target, pairs, rest
        self.time, self.rotations, self.bends, self.ranges = time, rotations, bends, ranges
        self.held: dict[str, FloatArray] = {}
        self.residuals: dict[str, FloatArray] = {}
        self._speeds: dict[int, float] = {}

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

    def coordinates(self, instead: Mapping[str, FloatArray] | None = None) -> FloatArray:
        """All coordinates, shape (nt, nq); the root's position is the neutral one.

        Args:
            instead: world rotations that some links should have, not those of their source links, shape (nt, 3, 3).
        """
        self.residuals, self.held, given = {}, {}, instead or {}
        target, count = self.target, len(self.rotations)
        q = np.repeat(target.neutral()[None], count, axis=0)
        world = np.empty((count, target.nlinks, 3, 3))
        for i, (link, parent) in enumerate(zip(target.links, target.parents, strict=True)):
            joint = link.joint
            base = world[:, parent] @ joint.parent_frame.rotation if parent >= 0 else joint.parent_frame.rotation
            base = np.broadcast_to(base, (count, 3, 3))
            part = slice(target.q_starts[i], target.q_starts[i] + joint.nq)
            wanted = self._wanted(i)
            links = row_to(target, i, self.pairs.pairs)
            if wanted is not None and len(links) > 1 and (chain := chain_to(target, links)) is not None:
                self._fit_row(i, chain, links, world, given.get(link.name), wanted, q)
                base = world[:, parent] @ joint.parent_frame.rotation
                turn, _ = joint_motion(joint, q[:, part])
                world[:, i] = base @ quat_to_matrix(turn) @ joint.child_frame.rotation.T
                self.residuals[link.name] = self._residual(i, world[:, i], wanted)
                continue
            if link.name in given:
                self._fit(i, joint, base, given[link.name], q[:, part], exact=True)
            elif wanted is not None:
                self._fit(i, joint, base, wanted, q[:, part])
            turn, _ = joint_motion(joint, q[:, part])
            world[:, i] = base @ quat_to_matrix(turn) @ joint.child_frame.rotation.T
            if wanted is not None:
                self.residuals[link.name] = self._residual(i, world[:, i], wanted)
        return q

    def _fit(
        self, i: int, joint: Joint, base: FloatArray, wanted: FloatArray, q: FloatArray, exact: bool = False
    ) -> None:
        """Write a joint's coordinates into q, shape (nt, nq of the joint); `exact`: do not look at bones."""
        back = np.swapaxes(base, 1, 2)
        child = joint.child_frame.rotation
        if joint.quat_start is not None:
            turned = self._into_bend_plane(i, wanted) if self.bends and not exact else wanted
            quats = np.asarray(matrix_to_quat(back @ turned @ child), np.float64)
            if self.ranges and joint.is_ball and joint.range is not None and len(quats):
                quats = self._within(i, joint, quats, exact)
            q[:, -4:] = unbroken_quats(quats)
        elif len(joint.screws) == 1 and joint.screws[0].turn:
            axis, direction = np.array(joint.axis), None if exact else self._wanted_bone(i)
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

    def _fit_row(
        self, i: int, chain: Chain, links: list[int], world: FloatArray, given: FloatArray | None, wanted: FloatArray,
        q: FloatArray,
    ) -> None:  # fmt: skip
        """Write the coordinates of hinges in a row, and where the links between are."""
        target, carrier = self.target, self.target.parents[links[0]]
        name = target.link_names[i]
        base = world[:, carrier] if carrier >= 0 else np.broadcast_to(np.eye(3), (len(q), 3, 3))
        bone = self._own_bone(i) if name in self.rest.target_bones else None
        if given is None:
            given = self._into_bend_plane(i, wanted) if self.bends and len(chain.axes) > 2 else wanted
        start = target.neutral()[list(chain.coordinates)]
        q[:, list(chain.coordinates)] = chain_angles(chain, base, given, start, bone)
        for k in links[:-1]:
            joint, parent = target.links[k].joint, target.parents[k]
            turn, _ = joint_motion(joint, q[:, target.q_starts[k] : target.q_starts[k] + joint.nq])
            above = world[:, parent] @ joint.parent_frame.rotation if parent >= 0 else joint.parent_frame.rotation
            world[:, k] = above @ quat_to_matrix(turn) @ joint.child_frame.rotation.T

    def _within(self, i: int, joint: Joint, quats: FloatArray, exact: bool) -> FloatArray:
        """Orientations in the joint's range of motion, no faster than the source's; what was held back is noted."""
        allowed = np.asarray(joint.range.clamp(quats), np.float64)
        most = None if exact else self._fastest(i)
        if most is not None:
            allowed = slowed(self.time, allowed, most, joint.range.clamp)
        angles = np.linalg.norm(quat_log(quat_multiply(allowed, quat_conjugate(quats))), axis=1)
        if angles.max() > NOTED:
            self.held[joint.name] = angles
        return allowed

    def _fastest(self, i: int) -> float | None:
        """How fast a joint may turn [rad/s]; None if no joint of the source tells."""
        pairs, names = self.pairs.pairs, self.target.link_names
        above = self.target.parents[i]
        while above >= 0 and names[above] not in pairs:
            above = self.target.parents[above]
        if above < 0 or names[i] not in pairs:
            return None
        if i not in self._speeds:
            a, b = (self.rotations[:, self.source.link_index(pairs[names[k]])] for k in (above, i))
            self._speeds[i] = FASTER * max(SLOWEST, greatest_turning(self.time, np.swapaxes(a, 1, 2) @ b))
        return self._speeds[i]

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
        twist = steady_twists(self.time, *bend_twists(bone, axis, direction, joint.range))
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
