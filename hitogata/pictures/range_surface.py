"""A region of swing as triangles on the unit sphere, with its boundary among their edges."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull

from hitogata.figure.pose import FloatArray
from hitogata.rom import Region
from hitogata.rom.fit_swing import sphere_grid

SPACING = 0.05
"""Between points of the boundary [rad]; within the region they are about 0.1 rad apart."""

_GRID = 1200


class RangeSurface(NamedTuple):
    """A region on the unit sphere.

    Attributes:
        vertices: unit vectors in the region's parent frame, shape (n, 3).
        faces: corners of triangles, counter-clockwise from outside, shape (m, 3).
        boundary: its boundary in order of travel, the knots among it, shape (k, 3).
    """

    vertices: FloatArray
    faces: npt.NDArray[np.int64]
    boundary: FloatArray


def range_surface(region: Region) -> RangeSurface:
    """Triangles of a region.

    The convex hull of points on a sphere is their Delaunay triangulation.  A pair of neighbours on the boundary is an
    edge of it if the circle over the pair is empty, so no other point is put near the boundary.
    """
    boundary = _boundary(region)
    grid = sphere_grid(_GRID)
    points = np.concatenate([boundary, grid[np.abs(region.distance(grid)) > 0.6 * SPACING]])
    faces = ConvexHull(points).simplices
    corners = points[faces]
    inward = np.linalg.det(corners) < 0
    faces[inward] = faces[inward][:, ::-1]
    middle = corners.sum(1)
    faces = faces[region.contains(middle / np.linalg.norm(middle, axis=1, keepdims=True))]
    used, place = np.unique(faces, return_inverse=True)
    return RangeSurface(points[used], place.reshape(-1, 3).astype(np.int64), boundary)


def _boundary(region: Region) -> FloatArray:
    """Points of the boundary, each segment cut into equal steps of its parameter."""
    u = []
    for k in range(region.segments):
        line: Any = region.at(np.linspace(k, k + 1, 65))
        length = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
        steps = int(np.ceil(max(length / SPACING, 48 / region.segments)))
        u.append(k + np.arange(steps) / steps)
    points: FloatArray = region.at(np.concatenate(u))
    return points
