"""A free-form region around a set of directions.

Level line of a field on the sphere, then a Hermite spline through few points.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.spatial import ConvexHull, cKDTree

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, unit
from hitogata.rom.spline import SplineRegion, polar
from hitogata.spatial import matrix_to_quat


@lru_cache(maxsize=4)
def sphere_grid(count: int) -> Array:
    """Directions spread evenly (Fibonacci lattice), shape (count, 3)."""
    i = np.arange(count) + 0.5
    z = 1.0 - 2.0 * i / count
    phi = np.pi * (1.0 + np.sqrt(5.0)) * i
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(phi), r * np.sin(phi), z], 1)


def _triangles(points: Array) -> Any:
    """Triangles of the convex hull of unit vectors, counter-clockwise seen from outside, shape (m, 3)."""
    t = ConvexHull(points).simplices
    a, b, c = (points[t[:, k]] for k in range(3))
    wrong = (np.cross(b - a, c - a) * a).sum(1) < 0.0
    return np.where(wrong[:, None], t[:, ::-1], t)


@lru_cache(maxsize=4)
def _grid_triangles(count: int) -> Any:
    return _triangles(sphere_grid(count))


def loops(points: Array, field: Array) -> list[Array]:
    """Closed lines where a field on the sphere is 0, positive side on the left, longest first; each shape (k, 3).

    Marching over the triangles of the points' convex hull; the field is linear along edges.

    Args:
        points: unit vectors, shape (n, 3).
        field: value at each, shape (n,).
    """
    t = _grid_triangles(len(points)) if points is sphere_grid(len(points)) else _triangles(points)
    inside = field > 0.0
    follow: dict[tuple[int, int], tuple[int, int]] = {}
    mixed = t[(inside[t].sum(1) % 3) > 0]
    for tri in mixed:
        for k in range(3):
            i, j, m = int(tri[k]), int(tri[(k + 1) % 3]), int(tri[(k + 2) % 3])
            if inside[i] and not inside[j]:  # the edge leads out: the line enters here, positive on its left
                other = (j, m) if inside[m] else (m, i)
                follow[min(i, j), max(i, j)] = min(other), max(other)
    out = []
    while follow:
        first, here = next(iter(follow.items()))
        del follow[first]
        chain = [first]
        while here != first:
            chain.append(here)
            here = follow.pop(here)
        i, j = np.array(chain).T
        w = (field[i] / (field[i] - field[j]))[:, None]
        out.append(unit(points[i] * (1.0 - w) + points[j] * w))
    out.sort(key=lambda loop: -float(np.linalg.norm(loop - np.roll(loop, 1, 0), axis=1).sum()))
    return out


def resampled(loop: Array, count: int, blur: float) -> Array:
    """The loop by `count` equal steps, blurred over a length [rad], shape (count, 3)."""
    closed = np.concatenate([loop, loop[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    s = np.arange(count) / count * length[-1]
    even = np.stack([np.interp(s, length, closed[:, k]) for k in range(3)], 1)
    if blur <= 0.0:
        return unit(even)
    return unit(gaussian_filter1d(even, blur / (length[-1] / count), axis=0, mode="wrap"))


COUNTS = (5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32)
"""Numbers of points that are tried."""


class Curve(NamedTuple):
    """A spline region fitted to a loop.

    Attributes:
        region: the region.
        stray: greatest distance of the loop from the region's boundary [rad].
    """

    region: SplineRegion
    stray: float


def spline_around(
    loop: Array, pole: Array, bone: Array, *, points: int | None, tolerance: float, most: int = 32
) -> Curve:
    """The spline with the fewest points that stays within a tolerance of the loop.

    Args:
        loop: directions, region on the left, shape (k, 3), close together.
        pole: a direction well inside; azimuth and angle are counted about it.
        bone: at rest; azimuth 0 is towards it, if it is not the pole.
        points: number of constraint points; None: as few as the tolerance allows, 5 to `most`.
        tolerance: [rad].
        most: greatest number of points.

    Raises:
        RangeError: no number of points gives a boundary that does not cross itself.
    """
    frame = _frame(pole, bone)
    local = loop @ frame
    quat = tuple(matrix_to_quat(frame).tolist())
    trouble: RangeError | None = None
    counts = [n for n in COUNTS if n <= most] if points is None else [points]
    tries = []
    for n in counts:
        tries.append(_hermite(local, n))
        if tries[-1].stray <= tolerance:
            break
    for t in sorted(tries, key=lambda t: t.stray):
        try:
            return Curve(SplineRegion(*t.values, t.turns, quat_PR=quat), t.stray)
        except RangeError as error:
            trouble = error
    raise RangeError(
        f"no spline of {points or f'5 to {most}'} points fits the boundary ({trouble}); "
        "more poses, or another margin or gap, may help"
    )


def _frame(pole: Array, bone: Array) -> Array:
    """Columns x, y, z = pole; x towards the bone, or a coordinate axis across."""
    x = bone - pole * (pole @ bone)
    if np.linalg.norm(x) < 1e-3:
        x = np.eye(3)[np.argmin(np.abs(pole))]
        x = x - pole * (pole @ x)
    x = unit(x)
    return np.stack([x, np.cross(pole, x), pole], 1)


class _Try(NamedTuple):
    """φ, θ, dφ/dt, dθ/dt at the points, turns of azimuth, and distance of the loop from the curve."""

    values: tuple[Array, Array, Array, Array]
    turns: int
    stray: float


def _basis(u: Array, n: int) -> Array:
    """Rows (k, 2n) that give a closed Hermite curve at parameters u from its n values and n tangents."""
    k, t = np.floor(u).astype(int) % n, u - np.floor(u)
    parts = (2 * t**3 - 3 * t * t + 1, -2 * t**3 + 3 * t * t, t**3 - 2 * t * t + t, t**3 - t * t)
    rows = np.arange(len(u))
    a = np.zeros((len(u), 2 * n))
    for part, at in zip(parts, (k, (k + 1) % n, n + k, n + (k + 1) % n), strict=True):
        a[rows, at] += part
    return a


def _hermite(local: Array, n: int) -> _Try:
    """Points and tangents by least squares on the sphere.

    Parameters by arc length, then by the nearest place of the curve.
    """
    turn = 2.0 * np.pi
    azimuth = np.unwrap(np.arctan2(local[:, 1], local[:, 0]))
    angle = np.arctan2(np.hypot(local[:, 0], local[:, 1]), local[:, 2])
    turns = int(np.rint((azimuth[-1] + _step(azimuth[-1], azimuth[0]) - azimuth[0]) / turn))
    step = np.linalg.norm(np.roll(local, -1, 0) - local, axis=1)
    bend = (
        np.linalg.norm(np.roll(local, -2, 0) - 2.0 * np.roll(local, -1, 0) + local, axis=1)
        / np.maximum(step, 1e-9) ** 2
    )
    pace = step * (1.0 + gaussian_filter1d(np.minimum(bend, 20.0), len(local) / 60.0, mode="wrap")) ** (
        1.0 / 3.0
    )  # more points where it bends
    u = np.concatenate([[0.0], np.cumsum(pace)[:-1]]) / pace.sum() * n
    i, tilt = np.arange(n), turns * turn / n
    ridge = np.zeros((n, 2 * n))  # tangents lean a little towards half the step between neighbours
    ridge[i, n + i], ridge[i, (i + 1) % n], ridge[i, (i - 1) % n] = 1.0, -0.5, 0.5
    lean = ridge.T @ ridge * (1e-3 * len(u) / n) + np.eye(2 * n) * 1e-9
    dense = np.arange(n * 40) / 40.0
    drawn = _basis(dense, n)
    best = None
    for _ in range(4):
        a = _basis(u, n)
        phi, theta = (
            np.linalg.solve(a.T @ (a * w[:, None]) + lean, a.T @ (v * w))
            for v, w in ((azimuth - tilt * u, np.sin(angle) ** 2), (angle, np.ones_like(angle)))
        )
        distance, which = cKDTree(polar(drawn @ phi + tilt * dense, drawn @ theta)).query(local)
        stray = float(distance.max())
        if best is None or stray < best.stray:
            best = _Try((phi[:n] + tilt * i, theta[:n], phi[n:] + tilt, theta[n:]), turns, stray)
        moved = u + (
            np.mod(dense[which] - u + n / 2.0, n) - n / 2.0
        )  # parameters move with the curve, but keep their order
        u = np.maximum.accumulate(0.5 * u + 0.5 * moved)
        u = np.minimum(u, u[0] + n - 1e-6)
    assert best is not None
    return best


def _step(a: Any, b: Any) -> Any:
    return np.mod(b - a + np.pi, 2.0 * np.pi) - np.pi


def deepest(points: Array, loop: Array, inside: Any) -> Array:
    """Of the points marked inside.

    One that is far from the loop: the mean of the deeper half, if it is inside, else the deepest.
    """
    depth = cKDTree(loop).query(points)[0] * inside
    middle = unit((points * (depth > 0.5 * depth.max())[:, None]).sum(0))
    near = int(np.argmax(points @ middle))
    return middle if depth[near] > 0.5 * depth.max() else points[int(np.argmax(depth))]
