"""Triangles of the shapes: balls and rods of unit size, which are scaled, and blocks with round edges."""

from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull

from hitogata.figure.pose import FloatArray
from hitogata.figure.values import Vector

Mesh = tuple[FloatArray, npt.NDArray[np.int64]]
"""Corners, shape (n, 3) [m], and triangles, counter-clockwise from outside, shape (m, 3)."""

FINE, COARSE = 28, 12
"""Sides of what is round: of a few figures, and of a crowd."""


def hull(points: FloatArray) -> Mesh:
    """The convex hull of points, wound outwards."""
    faces = ConvexHull(points).simplices.astype(np.int64)
    corners, middle = points[faces], points.mean(0)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = ((corners.mean(1) - middle) * normal).sum(1) < 0
    faces[inward] = faces[inward][:, ::-1]
    return points, faces


@cache
def ball(sides: int = FINE) -> Mesh:
    """Of radius 1."""
    rings = np.linspace(0.0, np.pi, sides // 2 + 1)
    turn = np.arange(sides) * (2 * np.pi / sides)
    points = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]
    points += [[np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)] for a in rings[1:-1] for b in turn]
    return hull(np.array(points))


@cache
def rod(sides: int = FINE) -> Mesh:
    """An open tube of radius 1 from z = -1 to z = 1; balls close it to a capsule."""
    turn = np.arange(sides) * (2 * np.pi / sides)
    ring = np.stack([np.cos(turn), np.sin(turn), np.zeros(sides)], 1)
    points = np.concatenate([ring - [0, 0, 1], ring + [0, 0, 1]])
    k = np.arange(sides)
    n = (k + 1) % sides
    faces = np.concatenate([np.stack([k, n, n + sides], 1), np.stack([k, n + sides, k + sides], 1)])
    return points, faces.astype(np.int64)


@cache
def block(half_sizes: Vector) -> Mesh:
    """A box, its edges rounded within it."""
    edge = min(0.035, 0.35 * min(half_sizes))
    steps = np.linspace(0.0, np.pi / 2, 4)
    octant = np.array([[np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)] for a in steps for b in steps])
    corner = np.array(half_sizes) - edge + edge * np.unique(octant.round(12), axis=0)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return hull((signs[:, None] * corner).reshape(-1, 3))
