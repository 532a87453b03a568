"""Checked arguments of a puppet: numbers for all characters or for each, or an error that names them."""

import math
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.figure.values import UNIT_TOLERANCE

_NUMBERS, _WHOLE = (int, float, np.number), (int, np.integer)

MOST = 1e50
"""Numbers above this are taken for mistakes: their squares and products would not be finite."""


def numbers(what: str, value: Any, size: int, characters: int = 1) -> FloatArray:
    """Finite numbers, shape (size,), or (n, size) if there are n > 1 characters to tell apart."""
    try:
        array: FloatArray = np.array(value, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: expected {size} numbers, got {value!r}") from None
    if array.shape != (size,) and array.shape != (characters, size):
        wanted = f"({size},)" if characters == 1 else f"({size},) or ({characters}, {size})"
        raise ArgumentError(f"{what}: expected shape {wanted}, got {array.shape}")
    if not (np.abs(array) < MOST).all():
        raise ArgumentError(f"{what}: every number must be finite and below {MOST:g}, got {array.tolist()}")
    return array


def quaternion(what: str, value: Any, characters: int) -> FloatArray:
    """Unit quaternions wxyz, shape (4,) or (n, 4)."""
    quat = numbers(what, value, 4, characters)
    norm = np.linalg.norm(quat, axis=-1, keepdims=True)
    if (np.abs(norm - 1) > UNIT_TOLERANCE).any():
        worst = float(norm.flat[np.abs(norm - 1).argmax()])
        raise ArgumentError(f"{what}: quaternion {quat.tolist()} has norm {worst:.9g}; normalise it (order w, x, y, z)")
    return quat / norm


def weight(what: str, value: Any, characters: int) -> FloatArray:
    """Numbers of 0 or more, shape (1,) or (n, 1)."""
    each = np.ndim(value) == 1 and characters > 1
    array = numbers(what, np.reshape(value, (-1, 1)) if each else [value], 1, characters)
    if (array < 0).any():
        raise ArgumentError(f"{what}: must be 0 or more, got {value!r}")
    return array


def times(what: str, value: Any, characters: int) -> FloatArray:
    """Times above 0, infinite ones too [s], shape (1,) or (n,)."""
    try:
        array: FloatArray = np.array(value, np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: must be above 0, got {value!r}") from None
    if len(array) not in (1, characters) or not (array > 0).all():
        raise ArgumentError(f"{what}: must be above 0, one number or {characters}, got {value!r}")
    return array


def shares(what: str, value: Any) -> FloatArray:
    """Three numbers of 0 ... 1, not all 0."""
    array = numbers(what, value, 3)
    if (array < 0).any() or (array > 1).any() or not array.any():
        raise ArgumentError(f"{what}: expected three shares of 0 ... 1, not all 0, got {value!r}")
    return array


def direction(what: str, value: Any) -> FloatArray:
    """A unit vector along the given one."""
    array = numbers(what, value, 3)
    length = float(np.linalg.norm(array))
    if length < 1e-12:
        raise ArgumentError(f"{what}: a direction needs a length, got {value!r}")
    return array / length


def above_zero(what: str, value: Any) -> float:
    """A finite number above 0."""
    if not isinstance(value, _NUMBERS) or not 0 < value < math.inf:
        raise ArgumentError(f"{what}: must be a finite number above 0, got {value!r}")
    return float(value)


def count(what: str, value: Any) -> int:
    """A whole number, 1 or more."""
    if not isinstance(value, _WHOLE) or value < 1:
        raise ArgumentError(f"{what}: must be a whole number, 1 or more, got {value!r}")
    return int(value)
