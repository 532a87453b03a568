"""Checked numbers: array-likes from users become immutable tuples of floats, or an error that names them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hitogata.errors import FigureError

Vector = tuple[float, float, float]
Quat = tuple[float, float, float, float]
ArrayLike = npt.ArrayLike

UNIT_TOLERANCE = 1e-6
"""How far the norm of a unit quaternion may be from 1 before it is an error."""


def numbers(value: Any, count: int, what: str) -> tuple[float, ...]:
    """`count` finite floats, or FigureError naming `what`."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise FigureError(f"{what}: expected {count} numbers, got {value!r}") from None
    if array.shape != (count,):
        raise FigureError(f"{what}: expected {count} numbers, got an array of shape {array.shape}")
    if not np.isfinite(array).all():
        raise FigureError(f"{what}: every number must be finite, got {array.tolist()}")
    return tuple(array.tolist())


def vector(value: Any, what: str) -> Vector:
    """Three finite floats."""
    x, y, z = numbers(value, 3, what)
    return x, y, z


def unit_vector(value: Any, what: str) -> Vector:
    """A direction, scaled to length 1; its own length only has to be positive."""
    x, y, z = vector(value, what)
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-12:
        raise FigureError(f"{what}: a direction needs a length, got {(x, y, z)}")
    return x / length, y / length, z / length


def unit_quat(value: Any, what: str) -> Quat:
    """A unit quaternion wxyz; an error if its norm is off by more than UNIT_TOLERANCE."""
    w, x, y, z = numbers(value, 4, what)
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    if abs(norm - 1.0) > UNIT_TOLERANCE:
        raise FigureError(f"{what}: quaternion {(w, x, y, z)} has norm {norm:.9g}; normalise it (order is w, x, y, z)")
    return w / norm, x / norm, y / norm, z / norm


def number(value: Any, what: str) -> float:
    """One finite float."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise FigureError(f"{what}: expected a number, got {value!r}") from None
    if not math.isfinite(x):
        raise FigureError(f"{what}: must be finite, got {x}")
    return x


def positive(value: Any, what: str) -> float:
    """One finite float above zero."""
    x = number(value, what)
    if x <= 0:
        raise FigureError(f"{what}: must be positive, got {x}")
    return x


def not_negative(value: Any, what: str) -> float:
    """One finite float, zero or more."""
    x = number(value, what)
    if x < 0:
        raise FigureError(f"{what}: must not be negative, got {x}")
    return x


def interval(value: Any, what: str) -> tuple[float, float]:
    """(low, high) with low <= high; infinities allowed."""
    try:
        low, high = (float(x) for x in value)
    except (TypeError, ValueError):
        raise FigureError(f"{what}: expected (low, high), got {value!r}") from None
    if math.isnan(low) or math.isnan(high) or low > high:
        raise FigureError(f"{what}: low must not exceed high, got ({low}, {high})")
    return low, high


def name(value: Any, what: str) -> str:
    """A name: a string that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise FigureError(f"{what}: a name must be a string that is not empty, got {value!r}")
    return value


def unique(names: Sequence[str], what: str) -> None:
    """Raise FigureError naming the first name that stands twice."""
    seen: set[str] = set()
    for each in names:
        if each in seen:
            raise FigureError(f"duplicate {what} {each!r}: every {what} of a figure needs its own")
        seen.add(each)
