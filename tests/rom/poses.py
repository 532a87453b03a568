"""Helpers of the tests: poses and small rotations, by scipy."""

import numpy as np
from scipy.spatial.transform import Rotation

from tests.rom import oracle


def wxyz(rotation):
    return np.ascontiguousarray(rotation.as_quat()[..., [3, 0, 1, 2]])


def rotation(quat):
    return Rotation.from_quat(np.asarray(quat)[..., [1, 2, 3, 0]])


def random_quats(n, seed=0):
    return wxyz(Rotation.random(n, random_state=seed))


def pose_at(direction, bone, twist=0.0):
    """Quaternion of the pose with that bone direction and twist."""
    c, e = np.atleast_2d(direction), np.asarray(bone, float)
    axis = np.cross(e, c)
    size = np.linalg.norm(axis, axis=1, keepdims=True)
    axis = np.where(size > 0, axis / np.where(size > 0, size, 1), 0)
    swing = Rotation.from_rotvec(axis * oracle.angle(np.broadcast_to(e, c.shape), c)[:, None])
    return wxyz(swing * Rotation.from_rotvec(np.broadcast_to(np.reshape(twist, (-1, 1)), (len(c), 1)) * e))


def bones(quat, bone):
    return rotation(quat).apply(bone)
