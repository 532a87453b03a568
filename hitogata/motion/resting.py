"""Poses in which two figures correspond, and how their links stand to each other there.

Rest poses differ (arms spread or hanging, legs apart or together).  Limbs correspond when their bones point the same
way; hands when they go on straight; trunk, head and feet when both figures stand upright.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.files.names import Part, Side
from hitogata.motion.mapping import SkeletonMap

UPRIGHT = 0.5
"""A pose stands if the cosines of thighs and shins downwards and of the trunk upwards are all above this."""

_ALIGNED = (Part.THIGH, Part.SHIN, Part.UPPER_ARM, Part.FOREARM)
_SHORT = 1e-3  # [m]


@dataclass(frozen=True)
class Rest:
    """Source and target where they correspond.

    Attributes:
        frame: of the source's motion; None: its neutral pose.
        source: link rotations of the source there, shape (nlinks, 3, 3).
        target: link rotations of the target in its neutral pose, shape (nlinks, 3, 3).
        source_bones: unit direction of the bone of each matched source link, world, by target link; without those
            that have none.
        target_bones: likewise of the target, by target link.
        turns: by target link: what turns the target's neutral orientation into the one that corresponds.
    """

    frame: int | None
    source: FloatArray
    target: FloatArray
    source_bones: dict[str, FloatArray]
    target_bones: dict[str, FloatArray]
    turns: dict[str, FloatArray]


def find_rest(source: Figure, target: Figure, pairs: SkeletonMap, poses: LinkPoses, frame: int | None) -> Rest:
    """Find where two figures correspond.

    Args:
        source: the figure that moved.
        target: the figure that follows.
        pairs: their links.
        poses: of the source, over its motion.
        frame: in which the source stands like the target; None: its neutral pose if it stands, or else the frame in
            which it stands best.
    """
    neutral = forward_kinematics(source, source.neutral())
    count = len(poses.matrices)
    if frame is not None and not -count <= frame < count:
        raise ArgumentError(f"reference: frame {frame} is not one of the motion's {count}")
    if frame is None and count and _standing(source, pairs, neutral.position[None])[0] < UPRIGHT:
        frame = int(_standing(source, pairs, poses.position).argmax())
    there = neutral if frame is None else LinkPoses(poses.matrices[frame])
    own = forward_kinematics(target, target.neutral())
    theirs = {name: source.link_index(other) for name, other in pairs.pairs.items()}
    mine = {name: target.link_index(name) for name in pairs.pairs}
    heading = _heading(pairs, there.position, own.position, theirs, mine)
    source_bones, target_bones, turns = {}, {}, {}
    for name in pairs.pairs:
        turns[name] = heading
        role = pairs.parts.get(name)
        forearm = pairs.links(Part.FOREARM, role[1])[:1] if role else []
        if role and role[0] is Part.HAND and forearm and forearm[0] in turns:
            turns[name] = turns[forearm[0]]  # at rest hands are straight; thumbs make their own direction unsure
            continue
        bones = _bones(name, target, source, pairs, own, there)
        if bones is None:
            continue
        target_bones[name], source_bones[name] = bones
        if role is None or role[0] in _ALIGNED:
            turns[name] = shortest_turn(heading @ bones[0], bones[1]) @ heading
    return Rest(frame, np.array(there.rotation), np.array(own.rotation), source_bones, target_bones, turns)


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
    name: str, target: Figure, source: Figure, pairs: SkeletonMap, own: LinkPoses, there: LinkPoses
) -> tuple[FloatArray, FloatArray] | None:
    """Directions of a pair's bones: to the next pair behind it, or else to the centre of mass."""
    i, j = target.link_index(name), source.link_index(pairs.pairs[name])
    after = [k for k, parent in enumerate(target.parents) if parent == i and target.link_names[k] in pairs.pairs]
    if len(after) == 1:
        nearest = source.link_index(pairs.pairs[target.link_names[after[0]]])
        ends = own.position[after[0]], there.position[nearest]
    else:
        ends = (own.position[i] + own.rotation[i] @ target.links[i].mass.centre,
                there.position[j] + there.rotation[j] @ source.links[j].mass.centre)  # fmt: skip
    a, b = ends[0] - own.position[i], ends[1] - there.position[j]
    if min(np.linalg.norm(a), np.linalg.norm(b)) < _SHORT:
        return None
    return a / np.linalg.norm(a), b / np.linalg.norm(b)


def _heading(
    pairs: SkeletonMap, theirs: FloatArray, own: FloatArray, source: dict[str, int], target: dict[str, int]
) -> FloatArray:
    """Turn about the vertical that brings the target's left to the source's left."""
    for part in (Part.THIGH, Part.UPPER_ARM, Part.SHIN, Part.FOREARM, Part.CLAVICLE, Part.FOOT, Part.HAND):
        left, right = pairs.links(part, Side.LEFT), pairs.links(part, Side.RIGHT)
        if left and right:
            a = own[target[left[0]]] - own[target[right[0]]]
            b = theirs[source[left[0]]] - theirs[source[right[0]]]
            if min(np.hypot(*a[:2]), np.hypot(*b[:2])) > _SHORT:
                angle = np.arctan2(b[1], b[0]) - np.arctan2(a[1], a[0])
                c, s = np.cos(angle), np.sin(angle)
                return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return np.eye(3)


def _standing(source: Figure, pairs: SkeletonMap, places: FloatArray) -> FloatArray:
    """Least cosine of thighs and shins downwards and the trunk upwards, shape (n,), of places (n, nlinks, 3)."""
    index = {name: source.link_index(other) for name, other in pairs.pairs.items()}
    cosines = []
    for side in (Side.LEFT, Side.RIGHT):
        chain = [pairs.links(part, side) for part in (Part.THIGH, Part.SHIN, Part.FOOT)]
        for upper, lower in pairwise(chain):
            if upper and lower:
                cosines.append(_up(places[:, index[upper[0]]] - places[:, index[lower[0]]]))
    tops = pairs.links(Part.HEAD) or pairs.links(Part.TRUNK)[-1:]
    hips = [index[name] for name in pairs.links(Part.THIGH)]
    if tops and hips:
        cosines.append(_up(places[:, index[tops[0]]] - places[:, hips].mean(axis=1)))
    return np.min(cosines, axis=0) if cosines else np.ones(len(places))


def _up(vectors: FloatArray) -> FloatArray:
    cosine: FloatArray = vectors[:, 2] / np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)
    return cosine
