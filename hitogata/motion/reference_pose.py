"""Poses in which two figures correspond, and how their links stand to each other there.

Rest poses differ (arms spread or hanging, legs apart or together).  Limbs correspond when their bones point the same
way; hands when they go on straight; trunk, head and feet when both figures stand upright.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind
from hitogata.figure.values import FloatArray
from hitogata.files.names import Part, Role, Side, figure_naming
from hitogata.motion.anatomy import standing_rotations
from hitogata.motion.calibration import UPRIGHT, standing
from hitogata.motion.link_map import SkeletonMap
from hitogata.spatial import matrix_to_quat, quat_to_matrix

_ALIGNED = (Part.THIGH, Part.SHIN, Part.UPPER_ARM, Part.FOREARM)
_SHORT = 1e-3  # [m]
_ALONG = 0.9  # cosine: legs that are nearer than this to an axis go along it


@dataclass(frozen=True)
class Rest:
    """Source and target where they correspond.

    Attributes:
        frame: of the source's motion; None: no frame of it.
        how: where the source stands like the target, in words.
        source: link rotations of the source there, shape (nlinks, 3, 3).
        target: link rotations of the target in its neutral pose, shape (nlinks, 3, 3).
        source_bones: unit direction of the bone of each matched source link, world, by target link; without those
            that have none.
        target_bones: likewise of the target, by target link.
        turns: by target link: what turns the target's neutral orientation into the one that corresponds.
    """

    frame: int | None
    how: str
    source: FloatArray
    target: FloatArray
    source_bones: dict[str, FloatArray]
    target_bones: dict[str, FloatArray]
    turns: dict[str, FloatArray]


@dataclass(frozen=True, eq=False)
class _Stance:
    """How the source stands: what is known of it, and the motion or pose in which its bones are measured."""

    frame: int | None
    how: str
    rotation: FloatArray  # of the links, standing, shape (nlinks, 3, 3)
    left: FloatArray | None  # to its left; None: from its places
    seen: LinkPoses  # one pose or many


def find_rest(
    source: Figure,
    target: Figure,
    pairs: SkeletonMap,
    poses: LinkPoses,
    frame: int | None = None,
    *,
    calibration: int = 0,
    soles: Mapping[str, FloatArray] | None = None,
) -> Rest:
    """Find where two figures correspond.

    Args:
        source: the figure that moved.
        target: the figure that follows.
        pairs: their links.
        poses: of the source, over its motion.
        frame: in which the source stands like the target.  None: its calibration pose; without one its neutral pose,
            if that stands; or else as its anatomy says (`anatomy`).
        calibration: how many frames at the beginning are a calibration pose.
        soles: by target link: upward direction in the frame of its source link while that rests on the ground, unit,
            shape (3,); such links are level then, whatever the reference says.
    """
    stance = _stance(source, pairs, poses, frame, calibration)
    own = forward_kinematics(target, target.neutral())
    heading = _heading(source, target, pairs, stance, own)
    source_bones, target_bones, turns = {}, {}, {}
    for name in pairs.pairs:
        turns[name] = heading
        role = pairs.parts.get(name)
        forearm = pairs.links(Part.FOREARM, role[1])[:1] if role else []
        if role and role[0] is Part.HAND and forearm and forearm[0] in turns:
            turns[name] = turns[forearm[0]]  # at rest hands are straight; thumbs make their own direction unsure
            continue
        bones = _bones(name, target, source, pairs, own, stance)
        if bones is None:
            continue
        target_bones[name], source_bones[name] = bones
        if role is None or role[0] in _ALIGNED:
            turns[name] = shortest_turn(heading @ bones[0], bones[1]) @ heading
    for name, up in (soles or {}).items():
        turns[name] = (
            shortest_turn(turns[name][:, 2], stance.rotation[source.link_index(pairs.pairs[name])] @ up) @ turns[name]
        )
    rotation = np.array(stance.rotation)
    return Rest(stance.frame, stance.how, rotation, np.array(own.rotation), source_bones, target_bones, turns)


def _stance(source: Figure, pairs: SkeletonMap, poses: LinkPoses, frame: int | None, calibration: int) -> _Stance:
    """How the source stands, by what is known best."""
    count = len(poses.matrices)
    if frame is not None and not -count <= frame < count:
        raise ArgumentError(f"reference: frame {frame} is not one of the motion's {count}")
    if frame is not None or calibration:
        there = LinkPoses(poses.matrices[frame or 0])
        how = f"frame {frame or 0}" + (", a calibration pose" if frame is None else "")
        return _Stance(frame or 0, how, there.rotation, None, there)
    neutral, roles = forward_kinematics(source, source.neutral()), source_roles(source, pairs)
    if not count or standing(source, roles, neutral.position[None])[0] >= UPRIGHT:
        return _Stance(None, "its neutral pose", neutral.rotation, None, neutral)
    found = standing_rotations(source, roles, poses)
    if found is not None:
        return _Stance(None, "a pose made from its anatomy", found, np.array([0.0, 1.0, 0.0]), poses)
    frame = int(standing(source, roles, poses.position).argmax())
    there = LinkPoses(poses.matrices[frame])
    return _Stance(frame, f"frame {frame}, in which it stands best", there.rotation, None, there)


def upright(figure: Figure, pairs: SkeletonMap) -> Figure:
    """The target with a neutral pose that stands along z: some files have y or x up.  Its coordinates mean the same.

    The root is turned at rest, if it is free, by the shortest turn between the axes nearest to the legs' and z.
    """
    joint, poses = figure.links[0].joint, forward_kinematics(figure, figure.neutral())
    hips, feet = (
        [poses.position[figure.link_index(name)] for part in parts for name in pairs.links(part)]
        for parts in ((Part.THIGH,), (Part.FOOT,))
    )
    if joint.kind is not JointKind.FREE or not hips or not feet:
        return figure
    way = np.mean(hips, axis=0) - np.mean(feet, axis=0)
    axis = np.zeros(3)
    axis[np.abs(way).argmax()] = np.sign(way[np.abs(way).argmax()])
    if np.linalg.norm(way) < _SHORT or axis[2] > 0 or abs(way @ axis) < _ALONG * np.linalg.norm(way):
        return figure
    base, neutral = joint.parent_frame.rotation, figure.neutral()[:7]
    turn = base.T @ shortest_turn(axis, np.array([0.0, 0.0, 1.0])) @ base
    quat = np.asarray(matrix_to_quat(turn @ quat_to_matrix(neutral[3:])))
    rest = (*(float(x) for x in turn @ neutral[:3]), *(float(x) for x in quat))
    first = replace(figure.links[0], joint=replace(joint, rest=rest))
    return replace(figure, links=(first, *figure.links[1:]))


def source_roles(source: Figure, pairs: SkeletonMap) -> dict[str, Role]:
    """Part and side of the source's links: as their partners have them; of others, as their names say."""
    paired = {pairs.pairs[name]: role for name, role in pairs.parts.items()}
    others = {name: role for name, role in figure_naming(source).roles.items() if role not in paired.values()}
    return others | paired


def shortest_turn(a: FloatArray, b: FloatArray) -> FloatArray:
    """The smallest rotation that takes the unit vector a to b, shape (3, 3); about any axis across them if b = -a."""
    c, axis = float(a @ b), np.cross(a, b)
    if c < -1 + 1e-12:
        across = np.cross(a, np.eye(3)[np.abs(a).argmin()])
        across /= np.linalg.norm(across)
        return 2 * np.outer(across, across) - np.eye(3)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn: FloatArray = np.eye(3) + cross + cross @ cross / (1 + c)
    return turn


def _bones(
    name: str, target: Figure, source: Figure, pairs: SkeletonMap, own: LinkPoses, stance: _Stance
) -> tuple[FloatArray, FloatArray] | None:
    """Directions of a pair's bones: to the next pair behind it, or else to the centre of mass."""
    i, j = target.link_index(name), source.link_index(pairs.pairs[name])
    after = [k for k, parent in enumerate(target.parents) if parent == i and target.link_names[k] in pairs.pairs]
    seen = LinkPoses(stance.seen.matrices.reshape(-1, source.nlinks, 3, 4))
    if len(after) == 1:
        nearest = source.link_index(pairs.pairs[target.link_names[after[0]]])
        ends = own.position[after[0]], seen.position[:, nearest]
    else:
        ends = (own.position[i] + own.rotation[i] @ target.links[i].mass.centre,
                seen.position[:, j] + seen.rotation[:, j] @ source.links[j].mass.centre)  # fmt: skip
    inside = np.einsum("tji,tj->i", seen.rotation[:, j], ends[1] - seen.position[:, j]) / len(seen.matrices)
    a, b = ends[0] - own.position[i], stance.rotation[j] @ inside
    if min(np.linalg.norm(a), np.linalg.norm(b)) < _SHORT:
        return None
    return a / np.linalg.norm(a), b / np.linalg.norm(b)


def _heading(source: Figure, target: Figure, pairs: SkeletonMap, stance: _Stance, own: LinkPoses) -> FloatArray:
    """Turn about the vertical that brings the target's left to the source's left."""
    for part in (Part.THIGH, Part.UPPER_ARM, Part.SHIN, Part.FOREARM, Part.CLAVICLE, Part.FOOT, Part.HAND):
        left, right = pairs.links(part, Side.LEFT), pairs.links(part, Side.RIGHT)
        if left and right:
            mine = [own.position[target.link_index(side[0])] for side in (left, right)]
            a, b = mine[0] - mine[1], stance.left
            if b is None:
                theirs = [stance.seen.position[source.link_index(pairs.pairs[side[0]])] for side in (left, right)]
                b = theirs[0] - theirs[1]
            if min(np.hypot(*a[:2]), np.hypot(*b[:2])) > _SHORT:
                angle = np.arctan2(b[1], b[0]) - np.arctan2(a[1], a[0])
                c, s = np.cos(angle), np.sin(angle)
                return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return np.eye(3)
