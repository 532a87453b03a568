"""Forward kinematics of a BVH file by itself: Euler angles to matrices, joint by joint, all frames at once."""

from typing import NamedTuple

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.files.bvh.skeleton import Bvh


class BvhPoses(NamedTuple):
    """Where the joints of a file are, in metres and with z up.

    Attributes:
        rotation: R_WJ of each joint's frame, parallel to the world's at rest, shape (n, njoints, 3, 3).
        position: of each joint [m], shape (n, njoints, 3).
        ends: of the end sites [m], in the order of their joints, shape (n, nends, 3).
    """

    rotation: FloatArray
    position: FloatArray
    ends: FloatArray


def bvh_poses(bvh: Bvh, frames: slice = slice(None)) -> BvhPoses:
    """Where all joints and end sites are, at all frames or some.

        R_j = R_parent R_1 R_2 ...  in the order of the channels,      p_j = p_parent + R_parent t_j

    Args:
        bvh: the file.
        frames: which frames.
    """
    values = bvh.values[frames]
    n, count = len(values), len(bvh.joints)
    rotation, position = np.empty((n, count, 3, 3)), np.empty((n, count, 3))
    ends = []
    for j, (joint, start) in enumerate(zip(bvh.joints, bvh.starts, strict=True)):
        place = bvh.translations(j, frames)
        if joint.parent < 0:
            turn = np.tile(np.eye(3), (n, 1, 1))
            position[:, j] = place
        else:
            turn = rotation[:, joint.parent].copy()
            position[:, j] = position[:, joint.parent] + np.einsum("nij,nj->ni", turn, np.broadcast_to(place, (n, 3)))
        for k, channel in enumerate(joint.channels):
            if channel.turns:
                _turn(turn, channel.axis, np.radians(values[:, start + k]))
        rotation[:, j] = turn
        ends += [position[:, j] + turn @ np.asarray(end) for end in joint.ends]
    order = bvh.up.order
    return BvhPoses(
        rotation[..., order, :][..., order],
        bvh.metres(position),
        bvh.metres(np.stack(ends, axis=1)) if ends else np.empty((n, 0, 3)),
    )


def _turn(matrices: FloatArray, axis: int, angle: FloatArray) -> None:
    """Matrices times a rotation about an axis, in place: it mixes the two other columns."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    first, second = matrices[..., i].copy(), matrices[..., j].copy()
    matrices[..., i] = c * first + s * second
    matrices[..., j] = c * second - s * first
