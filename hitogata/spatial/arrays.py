"""Rotations of numpy arrays, any number at once: the kernels' own helpers, on arrays.

Quaternions have shape (..., 4) in the order wxyz, vectors (..., 3), matrices (..., 3, 3);
leading axes broadcast.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hitogata.errors import ArgumentError
from hitogata.spatial.matrices import Mat3
from hitogata.spatial.rotations import (
    Quaternion,
    between,
    conjugate,
    quaternion_of,
    rotate,
    rotation,
    rotation_vector,
    turn_by,
    unit,
)
from hitogata.spatial.vectors import Vec3

Floats = NDArray[np.floating[Any]]


def _split(x: ArrayLike, numbers: int) -> Floats:
    """The numbers of the last axis, one array each; integers become floats."""
    array = np.asarray(x)
    if not np.issubdtype(array.dtype, np.floating):
        array = array.astype(np.float64)
    if array.ndim == 0 or array.shape[-1] != numbers:
        raise ArgumentError(f"expected {numbers} numbers along the last axis, not shape {array.shape}")
    return np.moveaxis(array, -1, 0)


def _join(x: Any) -> Floats:
    """The fields of a struct, along a new last axis."""
    return np.stack(np.broadcast_arrays(*[getattr(x, name) for name in x.__struct__]), axis=-1)


def quat_multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """Product: first b, then a; shape (..., 4)."""
    return _join(Quaternion(*_split(a, 4)) @ Quaternion(*_split(b, 4)))


def quat_conjugate(q: ArrayLike) -> Floats:
    """Inverse of unit quaternions, shape (..., 4)."""
    return _join(conjugate(Quaternion(*_split(q, 4))))


def quat_unit(q: ArrayLike) -> Floats:
    """q / |q|, shape (..., 4)."""
    return _join(unit(Quaternion(*_split(q, 4))))


def quat_exp(r: ArrayLike) -> Floats:
    """Unit quaternions, shape (..., 4), of rotation vectors [rad], shape (..., 3)."""
    return _join(turn_by(Vec3(*_split(r, 3))))


def quat_log(q: ArrayLike) -> Floats:
    """Rotation vectors [rad] up to pi long, shape (..., 3), of unit quaternions, shape (..., 4)."""
    return _join(rotation_vector(Quaternion(*_split(q, 4))))


def quat_slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Floats:
    """Rotations a fraction t (shape (...)) of the short way from a to b, shape (..., 4)."""
    fraction = t if isinstance(t, int | float) else np.asarray(t)
    return _join(between(Quaternion(*_split(a, 4)), Quaternion(*_split(b, 4)), fraction))


def quat_to_matrix(q: ArrayLike) -> Floats:
    """Rotation matrices, shape (..., 3, 3), of unit quaternions, shape (..., 4)."""
    m = _join(rotation(Quaternion(*_split(q, 4))))
    return m.reshape(*m.shape[:-1], 3, 3)


def matrix_to_quat(m: ArrayLike) -> Floats:
    """Unit quaternions with w >= 0, shape (..., 4), of rotation matrices, shape (..., 3, 3)."""
    array = np.asarray(m)
    if array.shape[-2:] != (3, 3):
        raise ArgumentError(f"expected matrices of shape (..., 3, 3), not {array.shape}")
    return _join(quaternion_of(Mat3(*_split(array.reshape(*array.shape[:-2], 9), 9))))


def quat_rotate(q: ArrayLike, a: ArrayLike) -> Floats:
    """Vectors a, shape (..., 3), turned by unit quaternions q, shape (..., 4)."""
    return _join(rotate(Quaternion(*_split(q, 4)), Vec3(*_split(a, 3))))
