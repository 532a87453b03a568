"""Products of small arrays, for one frame: numpy's own spend more on their arguments than on the numbers."""

import math

import numpy as np

from hitogata.figure.values import FloatArray


def carried(rows: FloatArray, arm: FloatArray) -> FloatArray:
    """A Jacobian [angular; linear] (6, nv) at a point that is `arm` away from its own, world axes."""
    result = rows.copy()
    x, y, z = arm.tolist()
    result[3] += rows[1] * z - rows[2] * y
    result[4] += rows[2] * x - rows[0] * z
    result[5] += rows[0] * y - rows[1] * x
    return result


def moment(arms: FloatArray, forces: FloatArray) -> FloatArray:
    """Σ arm × force of rows (n, 3), shape (3,)."""
    matrix = arms.T @ forces
    return np.array([matrix[1, 2] - matrix[2, 1], matrix[2, 0] - matrix[0, 2], matrix[0, 1] - matrix[1, 0]])


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross product of two vectors, shape (3,)."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def turn_of(matrix: FloatArray) -> FloatArray:
    """Rotation vector of a matrix, its angle below pi, shape (3,)."""
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    x, y, z = 0.5 * (h - f), 0.5 * (c - g), 0.5 * (d - b)
    sine, cosine = math.sqrt(x * x + y * y + z * z), 0.5 * (a + e + i - 1.0)
    if sine > 1e-7:
        scale = math.atan2(sine, cosine) / sine
        return np.array([x * scale, y * scale, z * scale])
    if cosine > 0:
        return np.array([x, y, z])
    k = int(np.argmax((a, e, i)))  # half a turn: the column of the axis' largest part
    axis = matrix[:, k] + np.eye(3)[k]
    result: FloatArray = axis * (math.pi / float(np.linalg.norm(axis)))
    return result
