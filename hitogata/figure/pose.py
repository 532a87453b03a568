"""Pose: where a frame sits in another, as an immutable value.

`X_AB` says where frame B is in frame A: a point with coordinates p_B in B has p_A = R_AB p_B + p_AB.
"""

import math
from dataclasses import dataclass

import numpy as np

from hitogata.errors import ArgumentError, FigureError
from hitogata.figure.values import UNIT_TOLERANCE, ArrayLike, FloatArray, Quat, Vector, array, floats, unit_quat, vector
from hitogata.spatial import matrix_to_quat, quat_conjugate, quat_multiply, quat_to_matrix


@dataclass(frozen=True)
class Pose:
    """Position [m] and orientation (unit quaternion wxyz) of a frame in another frame."""

    position: Vector = (0.0, 0.0, 0.0)
    quat: Quat = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", vector(self.position, "position of a pose"))
        object.__setattr__(self, "quat", unit_quat(self.quat, "orientation of a pose"))

    @classmethod
    def from_matrix(cls, rotation: ArrayLike, position: ArrayLike = (0.0, 0.0, 0.0)) -> "Pose":
        """Pose with rotation matrix R_AB, shape (3, 3)."""
        matrix = array(rotation, (3, 3), "rotation matrix")
        if not np.allclose(matrix @ matrix.T, np.eye(3), rtol=0, atol=UNIT_TOLERANCE) or np.linalg.det(matrix) < 0:
            raise FigureError(f"rotation matrix: rows must be unit vectors, right-handed; got {matrix.tolist()}")
        quat = matrix_to_quat(matrix)
        return cls(vector(position, "position of a pose"), tuple(quat / np.linalg.norm(quat)))

    @property
    def rotation(self) -> FloatArray:
        """R_AB, shape (3, 3)."""
        matrix: FloatArray = quat_to_matrix(np.array(self.quat)).astype(np.float64, copy=False)
        return matrix

    def __matmul__(self, other: "Pose") -> "Pose":
        """X_AC = X_AB @ X_BC."""
        position = np.array(self.position) + self.rotation @ np.array(other.position)
        quat = quat_multiply(np.array(self.quat), np.array(other.quat))
        return Pose(tuple(position), tuple(quat / np.linalg.norm(quat)))

    def inverse(self) -> "Pose":
        """X_BA."""
        return Pose(tuple(-self.rotation.T @ np.array(self.position)), tuple(quat_conjugate(np.array(self.quat))))

    def apply(self, points: ArrayLike) -> FloatArray:
        """Points of B, shape (..., 3) [m], in A."""
        given = floats(points, "points")
        if given.shape[-1:] != (3,):
            raise ArgumentError(f"points: expected shape (..., 3), got {given.shape}")
        moved: FloatArray = given @ self.rotation.T + np.array(self.position)
        return moved


IDENTITY = Pose()


def turn_from_z(axis: Vector) -> Quat:
    """The shortest turn that takes +z to a unit axis: (1 + z, -y, x, 0), normalised; about x for -z."""
    x, y, z = axis
    across = x * x + y * y
    if across == 0.0:
        return (1.0, 0.0, 0.0, 0.0) if z > 0 else (0.0, 1.0, 0.0, 0.0)
    w = 1.0 + z if z > 0 else across / (1.0 - z)  # the same number, without cancellation
    norm = math.sqrt(w * w + across)
    return w / norm, -y / norm, x / norm, 0.0
