"""Signed distance on a grid from a function whose sign says what is inside."""

from typing import Any

import numpy as np

from hitogata.rom.frames import Array

NEAR = 1.0
"""Within so many cells of the boundary, f/|∇f| is the distance."""


def grid_points(axes: Any) -> Array:
    """All places of a grid, shape (n, size), the last coordinate fastest."""
    return np.stack(np.meshgrid(*[a.places for a in axes], indexing="ij"), -1).reshape(-1, len(axes))


def distances_from_sign(axes: Any, f: Array) -> Array:
    """Signed distances (> 0 where f > 0) of a grid's places from where f is zero.

    The boundary is met on the grid's edges where f changes sign (linear between neighbours), and each place is as far
    from it as from the nearest of these, or as f and its slope say, next to it.
    """
    from scipy.spatial import cKDTree

    points = grid_points(axes).reshape(*f.shape, len(axes))
    crossings = []
    for k, axis in enumerate(axes):
        after = np.roll(f, -1, k)
        here = (f > 0.0) != (after > 0.0)
        if not axis.turns:
            here &= np.arange(f.shape[k]).reshape([-1 if j == k else 1 for j in range(f.ndim)]) < f.shape[k] - 1
        place = points[here]
        place[:, k] += axis.step * (f[here] / (f[here] - after[here]))
        crossings.append(place)
    wall = np.concatenate(crossings)
    if not len(wall):
        return np.sign(f) * 10.0
    for k, axis in enumerate(axes):
        if axis.turns:
            shifted = [wall]
            for turn in (-2.0 * np.pi, 2.0 * np.pi):
                more = wall.copy()
                more[:, k] += turn
                shifted.append(more[np.abs(more[:, k] - (axis.low + axis.high) / 2.0) < 4.5])
            wall = np.concatenate(shifted)
    far = cKDTree(wall).query(points.reshape(-1, len(axes)))[0].reshape(f.shape)
    slope = np.sqrt(sum(_slope(f, k, axis) ** 2 for k, axis in enumerate(axes)))
    by_slope = np.abs(f) / np.maximum(slope, 1e-9)
    size = np.sqrt(sum(axis.step**2 for axis in axes) / len(axes))
    close = by_slope < NEAR * size
    distance: Array = np.sign(f) * np.where(close, np.minimum(by_slope, far + size), np.maximum(far, 0.5 * size))
    return distance


def spline_weights(axes: Any, values: Array) -> Array:
    """Weights of the quadratic B-spline that passes through values at a grid's places."""
    from scipy.ndimage import spline_filter1d

    weights = values
    for k, axis in enumerate(axes):
        weights = spline_filter1d(weights, 2, k, mode="grid-wrap" if axis.turns else "mirror")
    return weights


def spline_taps(axes: Any, y: Array) -> Any:
    """What the places of a grid count in the B-spline's values at y (n, size): a sparse matrix (n, places)."""
    from scipy.sparse import csr_array

    n = len(y)
    index, weight = np.zeros((n, 1), np.int64), np.ones((n, 1))
    for k, axis in enumerate(axes):
        u = (y[:, k] - axis.low) / axis.step
        u = np.mod(u, axis.count) if axis.turns else np.clip(u, 0.5, axis.count - 1.5)
        i = np.rint(u) if axis.turns else np.clip(np.rint(u), 1, axis.count - 2)
        t = u - i
        three = np.stack([0.5 * (0.5 - t) ** 2, 0.75 - t * t, 0.5 * (0.5 + t) ** 2], 1)
        column = (i.astype(np.int64)[:, None] + np.arange(-1, 2)) % axis.count
        index = (index[:, :, None] * axis.count + column[:, None]).reshape(n, -1)
        weight = (weight[:, :, None] * three[:, None]).reshape(n, -1)
    rows = np.arange(n + 1) * index.shape[1]
    shape = n, int(np.prod([a.count for a in axes]))
    return csr_array((weight.ravel(), index.ravel(), rows), shape=shape)


def _slope(f: Array, k: int, axis: Any) -> Array:
    """Central differences along an axis; one-sided at its ends."""
    if axis.turns:
        return (np.roll(f, -1, k) - np.roll(f, 1, k)) / (2.0 * axis.step)
    slope: Array = np.gradient(f, axis.step, axis=k)
    return slope
