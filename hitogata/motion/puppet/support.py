"""Support of the centre of mass: the convex outline of points on the ground."""

from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray


def support_of(points: Any, inset: float, count: int) -> FloatArray:
    """Corners of the outline, counter-clockwise, drawn in towards its middle.

    Args:
        points: shape (k, 2), (k, 3), or with a leading axis of n characters [m].
        inset: share of the way to the middle that corners are drawn in, 0 ... 1.
        count: number of characters.

    Returns:
        Shape (n, corners, 2); characters with fewer corners repeat their last.
    """
    try:
        array = np.asarray(points, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"over: expected points of shape (k, 2) or (k, 3), got {points!r}") from None
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3 or array.shape[-1] not in (2, 3) or array.shape[1] == 0 or array.shape[0] not in (1, count):
        raise ArgumentError(f"over: expected points of shape (k, 2), (k, 3) or ({count}, k, 3), got {array.shape}")
    if not np.isfinite(array).all():
        raise ArgumentError("over: every number must be finite")
    outlines = [_outline(row) for row in array[..., :2]]
    most = max(map(len, outlines))
    corners = np.stack([np.concatenate([o, np.repeat(o[-1:], most - len(o), axis=0)]) for o in outlines])
    middle = np.stack([o.mean(axis=0) for o in outlines])[:, None]
    return np.broadcast_to(middle + (corners - middle) * (1.0 - inset), (count, most, 2)).copy()


def _outline(points: FloatArray) -> FloatArray:
    """Convex hull by Andrew's monotone chain (1979); also of points on a line, or of one point."""
    ordered = np.unique(points, axis=0)
    if len(ordered) < 3:
        return ordered
    halves = []
    for way in (ordered, ordered[::-1]):
        half: list[FloatArray] = []
        for p in way:
            while len(half) > 1 and _cross(half[-1] - half[-2], p - half[-1]) <= 1e-12:
                half.pop()
            half.append(p)
        halves.append(half[:-1])
    return np.array([*halves[0], *halves[1]])


def _cross(a: FloatArray, b: FloatArray) -> float:
    return float(a[0] * b[1] - a[1] * b[0])
