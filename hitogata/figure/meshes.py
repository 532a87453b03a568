"""Convex meshes: hulls of points."""

from dataclasses import dataclass, field

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.pose import FloatArray
from hitogata.figure.shapes import Cylinder, Ellipsoid, Shape
from hitogata.figure.values import ArrayLike, array

THIN = 1e-9
"""A hull thinner than this part of its length has no volume to speak of."""


def checked_points(value: ArrayLike, what: str) -> FloatArray:
    """Points, shape (n, 3), or FigureError naming the first that is not finite."""
    try:
        given = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim == 2 and not np.isfinite(given).all():
        bad = int(np.flatnonzero(~np.isfinite(given).all(1))[0])
        raise FigureError(f"{what}: vertex {bad} is not finite: {given[bad].tolist()}")
    return array(value, (None, 3), f"vertices of a {what}")


@dataclass(frozen=True, eq=False)
class ConvexMesh(Shape):
    """Convex hull of points, shape (n, 3) [m]; triangles are found and wound outwards.

    Attributes:
        vertices: corners of the hull, shape (m, 3) [m], read-only.
        faces: corners of each triangle, counter-clockwise from outside, shape (k, 3), read-only.
    """

    vertices: FloatArray
    faces: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = field(init=False)

    def __post_init__(self) -> None:
        from scipy.spatial import ConvexHull, QhullError

        super().__post_init__()
        points = checked_points(self.vertices, "convex mesh")
        if len(points) < 4:
            raise FigureError(f"vertices of a convex mesh: expected at least 4 points, got {len(points)}")
        try:
            hull = ConvexHull(points)
        except QhullError:
            raise FigureError("convex mesh: the points lie in one plane; a solid needs volume") from None
        if hull.volume < THIN * np.ptp(points, axis=0).max() ** 3:
            raise FigureError(f"convex mesh: its volume is {hull.volume:g} m³; a solid needs volume")
        corners = np.unique(hull.vertices)
        place = np.full(len(points), -1)
        place[corners] = np.arange(len(corners))
        faces, vertices = place[hull.simplices].astype(np.int64), points[corners]
        a, b, c = (vertices[faces[:, k]] for k in range(3))
        inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
        faces[inward] = faces[inward][:, ::-1]
        vertices.setflags(write=False)
        faces.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConvexMesh)
            and (self.pose, self.name) == (other.pose, other.name)
            and np.array_equal(self.vertices, other.vertices)
        )

    def __hash__(self) -> int:
        return hash((self.pose, self.name, self.vertices.tobytes()))

    def _tetrahedra(self) -> tuple[FloatArray, FloatArray]:
        """Corners (k, 3, 3) and signed volumes (k,) of the cones from the origin to the triangles."""
        corners = self.vertices[self.faces]
        return corners, np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6

    @property
    def volume(self) -> float:
        """Sum of signed tetrahedra [m³]."""
        return float(self._tetrahedra()[1].sum())

    def centre(self) -> FloatArray:
        """Volume-weighted mean of the tetrahedra's centres [m]."""
        corners, volumes = self._tetrahedra()
        result: FloatArray = volumes @ corners.sum(1) / 4 / volumes.sum()
        return result

    def unit_inertia(self) -> FloatArray:
        """From ∫ x xᵀ of each tetrahedron (0, a, b, c): V/20 (Σ p pᵀ + s sᵀ), s = a + b + c (Blow & Binstock 2004)."""
        corners, volumes = self._tetrahedra()
        sums = corners.sum(1)
        second = np.einsum("k,kia,kib->ab", volumes, corners, corners) + np.einsum("k,ka,kb->ab", volumes, sums, sums)
        second = second / 20 / volumes.sum() - np.outer(self.centre(), self.centre())
        result: FloatArray = np.trace(second) * np.eye(3) - second
        return result

    @property
    def bounding_radius(self) -> float:
        """From the origin to the farthest corner [m]."""
        return float(np.linalg.norm(self.vertices, axis=1).max())


def points_on(shape: Cylinder | Ellipsoid, *, corners: int = 32) -> FloatArray:
    """Points on a round shape whose hull is inside by at most 0.5 % of the radius, for pictures; shape (n, 3) [m].

    Args:
        shape: in its own frame.
        corners: around it.
    """
    angle = 2 * np.pi * np.arange(corners) / corners
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if isinstance(shape, Cylinder):
        ends = (-shape.half_length, shape.half_length)
        return np.vstack([np.insert(shape.radius * circle, 2, z, axis=1) for z in ends])
    rings = [np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])]
    for z, r in circle[1 : corners // 2]:
        rings.append(np.insert(r * circle, 2, z, axis=1))
    result: FloatArray = np.vstack(rings) * np.array(shape.half_axes)
    return result
