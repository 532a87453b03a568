"""Checked numbers: array-likes from users become immutable tuples of floats, or an error that names them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hitogata.errors import ArgumentError, FigureError

Vector = tuple[float, float, float]
Quat = tuple[float, float, float, float]
ArrayLike = npt.ArrayLike
FloatArray = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

UNIT_TOLERANCE = 1e-6
"""How far the norm of a unit quaternion may be from 1 before it is an error."""


def numbers(value: Any, count: int, what: str) -> tuple[float, ...]:
    """`count` finite floats, or FigureError naming `what`."""
    return tuple(array(value, (count,), what).tolist())


def array(value: Any, shape: tuple[int | None, ...], what: str) -> FloatArray:
    """A new array of finite floats, or FigureError naming `what`; None in the shape stands for any length."""
    expected = f"expected {shape[0]} numbers" if len(shape) == 1 else f"expected numbers of shape {_text(shape)}"
    try:
        result: FloatArray = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise FigureError(f"{what}: {expected}, got {value!r}") from None
    if result.ndim != len(shape) or any(n not in (None, m) for n, m in zip(shape, result.shape, strict=True)):
        raise FigureError(f"{what}: {expected}, got an array of shape {result.shape}")
    if not np.isfinite(result).all():
        raise FigureError(f"{what}: every number must be finite, got {result.tolist()}")
    return result


def floats(value: Any, what: str) -> FloatArray:
    """An array of floats, the same object if it is one already (also of float32), or ArgumentError naming `what`."""
    try:
        result = np.asarray(value)
    except ValueError:
        raise ArgumentError(f"{what}: expected an array of numbers, got rows of different lengths") from None
    if result.dtype.kind in "iu":
        return result.astype(np.float64)
    if result.dtype.kind != "f":
        raise ArgumentError(f"{what}: expected an array of numbers, got dtype {result.dtype}")
    return result


def _text(shape: tuple[int | None, ...]) -> str:
    return f"({', '.join('n' if n is None else str(n) for n in shape)})"


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


def number(
    value: Any, what: str, *, infinite: bool = False, error: type[FigureError | ArgumentError] = FigureError
) -> float:
    """One finite float; with `infinite`, it may be infinite."""
    try:
        x = float(value)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{what}: expected a number, got {value!r}") from None
    if math.isnan(x) or (math.isinf(x) and not infinite):
        raise error(f"{what}: must be finite, got {x}")
    return x


def positive(value: Any, what: str, *, error: type[FigureError | ArgumentError] = FigureError) -> float:
    """One finite float above zero."""
    x = number(value, what, error=error)
    if x <= 0:
        raise error(f"{what}: must be positive, got {x:g}")
    return x


def not_negative(value: Any, what: str, *, infinite: bool = False) -> float:
    """One finite float, zero or more; with `infinite`, it may be infinite."""
    x = number(value, what, infinite=infinite)
    if x < 0:
        raise FigureError(f"{what}: must not be negative, got {x}")
    return x


def interval(value: Any, what: str) -> tuple[float, float]:
    """(low, high) with low <= high; infinities allowed."""
    try:
        low, high = (float(x) for x in value)
    except (TypeError, ValueError, OverflowError):
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
