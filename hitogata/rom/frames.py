"""Frames of a ball joint: which way the bone points at rest, and unit checks of what users pass in.

A region is written in its own frame R; `quat_PR` turns that frame into the parent frame P.  The bone at rest is an axis
of R: x in Yamaguchi 2009 (stereographic plane), z in Hanaoka 2010 (azimuth and angle).
"""

import enum
from typing import Any

import numpy as np
import numpy.typing as npt

from hitogata.errors import RangeError
from hitogata.spatial import quat_multiply

Array = npt.NDArray[Any]
"""Mostly float64."""

UNIT_TOLERANCE = 1e-6
"""How far from 1 the length of a direction or quaternion may be."""


class Bone(enum.Enum):
    """Axis along which the bone points at rest, as a direction in the region's own frame.

    The three are turns of one another that keep the order of axes: what is (x, y, z) for `X` is (z, x, y) for `Z`.
    """

    X = (1.0, 0.0, 0.0)
    Y = (0.0, 1.0, 0.0)
    Z = (0.0, 0.0, 1.0)
    YAMAGUCHI = X
    """The stereographic papers' convention (Yamaguchi 2009, fig. 1)."""
    HANAOKA = Z
    """The convention of azimuth, angle and twist about z (Hanaoka 2010, fig. 3.1)."""


_ORDER = (Bone.X, Bone.Y, Bone.Z)
_THIRD = (0.5, 0.5, 0.5, 0.5)
"""A third of a turn about (1, 1, 1): x to y, y to z, z to x."""


def quat_between(source: Bone, target: Bone) -> Array:
    """Quaternion (wxyz) of the cyclic change of axes that takes the bone `source` to `target`."""
    quat = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range((_ORDER.index(target) - _ORDER.index(source)) % 3):
        quat = quat_multiply(np.array(_THIRD), quat)
    return quat


def unit(v: Array) -> Array:
    """v (..., 3) scaled to length 1."""
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def unit_rows(x: Any, size: int, what: str) -> tuple[Array, bool]:
    """x as float64 rows (n, size) of length 1, and whether it was a single row.

    Lengths off by rounding only (at most 1e-6) are scaled to 1.

    Raises:
        RangeError: wrong shape, not a number, or a length off by more than `UNIT_TOLERANCE`.
    """
    rows = np.asarray(x, np.float64)
    single = rows.ndim == 1
    rows = np.atleast_2d(rows)
    if rows.ndim != 2 or rows.shape[1] != size:
        raise RangeError(f"{what}: shape ({size},) or (n, {size}) expected, got {np.shape(x)}")
    length = np.sqrt((rows * rows).sum(1))
    bad = ~(np.abs(length - 1.0) <= UNIT_TOLERANCE)
    if bad.any():
        k = int(np.argmax(bad))
        raise RangeError(f"{what} {k} is {rows[k].tolist()}: its length {length[k]:.9g} is not 1 "
                         f"(within {UNIT_TOLERANCE})")
    return np.ascontiguousarray(rows / length[:, None]), single


def interval(x: Any, what: str, *, may_be_empty: bool = False) -> tuple[float, float]:
    """x as (min, max).

    Raises:
        RangeError: not two finite numbers, or min > max (min = max too, unless `may_be_empty`).
    """
    try:
        low, high = (float(v) for v in x)
    except (TypeError, ValueError):
        raise RangeError(f"{what}: (min, max) expected, got {x!r}") from None
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RangeError(f"{what} = ({low}, {high}) is not finite")
    if low > high or (low == high and not may_be_empty):
        raise RangeError(f"{what} = ({low}, {high}) is empty: min must be {'at most' if may_be_empty else 'below'} max")
    return low, high


def numbers(x: Any, what: str) -> tuple[float, ...]:
    """x as a tuple of finite floats.

    Raises:
        RangeError: not one-dimensional, or a value that is not finite.
    """
    try:
        array = np.asarray(x, np.float64)
    except (TypeError, ValueError):
        raise RangeError(f"{what}: numbers expected, got {x!r}") from None
    if array.ndim != 1:
        raise RangeError(f"{what}: one dimension expected, got shape {array.shape}")
    bad = ~np.isfinite(array)
    if bad.any():
        raise RangeError(f"{what}[{int(np.argmax(bad))}] = {array[np.argmax(bad)]} is not finite")
    return tuple(array.tolist())
