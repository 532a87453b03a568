"""Tables of meshes and height fields behind the shapes' arrays.

A mesh, in the ints: a head, and lists that it tells the places of.  Its faces are polygons: triangles of the hull that
lie in one plane are one face, for a face that rests on another must be seen whole.

    VERTICES, FACES      how many
    POINTS, NORMALS      where in the floats vertices and unit normals of faces begin
    OF_FACE              where the list of bounds begins; face f has the entries from list[f] up to list[f + 1],
                         (vertex, edge to the next) in turn, counter-clockwise
    OF_VERTEX            the same for the faces around a vertex
    BESIDE               the same for the neighbours of a vertex along edges

A height field, in the ints: POINTS as above, COLUMNS, ROWS, then for each node of the grid which of its edges are
sharp, in bits (RIGHT, UP, DIAGONAL); in the floats the spacing along x and y, then the heights.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hitogata.contact.layout import HEADER, ShapeFloats, ShapeInts
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, HeightField, Shape, Sphere
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_size

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

POINTS, VERTICES, FACES, NORMALS, OF_FACE, OF_VERTEX, BESIDE, MESH_HEAD = range(8)
COLUMNS, ROWS, FIELD_HEAD = 1, 2, 3
RIGHT, UP, DIAGONAL = 1, 2, 4

MOST_SIDES = 128
"""Corners of one face, at most."""

FLAT = 1e-9
"""Vertices within this part of the size of a mesh of a face's plane belong to the face."""


class Tables:
    """Tables of meshes and height fields, each kept once, behind the rows of so many shapes."""

    def __init__(self, shapes: int) -> None:
        self.ints: list[int] = []
        self.floats: list[FloatArray] = []
        self._first_int = HEADER + shapes * record_size(ShapeInts)
        self._next_float = HEADER + shapes * record_size(ShapeFloats)
        self._places: dict[Any, tuple[FloatArray, FloatArray, int]] = {}

    def add(self, shape: Shape) -> tuple[FloatArray | None, Any, int]:
        """(middle of the box around it if that is not its origin, size, place of its table or 0)."""
        if not isinstance(shape, ConvexMesh | HeightField):
            return None, _size(shape), 0
        key = (type(shape), shape.vertices.tobytes())
        if key not in self._places:
            place = self._first_int + len(self.ints)
            if isinstance(shape, ConvexMesh):
                table = mesh_table(shape, place, self._next_float)
            else:
                table = field_table(shape, self._next_float)
            self.ints += table.ints
            self.floats.append(table.floats)
            self._next_float += len(table.floats)
            self._places[key] = table.centre, table.half_sizes, place
        return self._places[key]


def _size(shape: Shape) -> tuple[float, float, float]:
    if isinstance(shape, Sphere):
        return shape.radius, 0.0, 0.0
    if isinstance(shape, Capsule):
        return shape.radius, shape.half_length, 0.0
    if isinstance(shape, Box):
        return shape.half_sizes
    if isinstance(shape, Cylinder):
        return shape.radius, shape.radius, shape.half_length
    if isinstance(shape, Ellipsoid):
        return shape.half_axes
    return 0.0, 0.0, 0.0


@dataclass(frozen=True)
class Table:
    """What is kept of a shape: the middle of the box around it, the box's half sizes, ints and floats."""

    centre: FloatArray
    half_sizes: FloatArray
    ints: list[int]
    floats: FloatArray


def mesh_table(mesh: ConvexMesh, first_int: int, first_float: int) -> Table:
    """The table of a mesh that begins at these places."""
    low, high = mesh.vertices.min(0), mesh.vertices.max(0)
    polygons, normals = faces_of(mesh)
    used = np.unique(np.concatenate(polygons))
    number = np.full(len(mesh.vertices), -1)
    number[used] = np.arange(len(used))
    edges: dict[tuple[int, int], int] = {}
    around: list[list[int]] = [[] for _ in used]
    beside: list[set[int]] = [set() for _ in used]
    bounds: list[list[int]] = []
    for face, polygon in enumerate(polygons):
        corners = [int(k) for k in number[polygon]]
        entries = []
        for one, two in zip(corners, corners[1:] + corners[:1], strict=True):
            entries += [one, edges.setdefault((min(one, two), max(one, two)), len(edges))]
            around[one].append(face)
            beside[one].add(two)
            beside[two].add(one)
        bounds.append(entries)
    ints = [first_float, len(used), len(polygons), first_float + 3 * len(used)]
    lists: list[int] = []
    start = first_int + MESH_HEAD
    for entries_of in (bounds, around, [sorted(b) for b in beside]):
        ints.append(start + len(lists))
        ends = np.cumsum([0, *(len(e) for e in entries_of)]) + start + len(lists) + len(entries_of) + 1
        lists += [*(int(e) for e in ends), *(k for entries in entries_of for k in entries)]
    centre = (low + high) / 2
    floats = np.concatenate([(mesh.vertices[used] - centre).ravel(), normals.ravel()])
    return Table(centre, (high - low) / 2, ints + lists, floats)


def check_faces(mesh: ConvexMesh) -> None:
    """Raise ArgumentError if a face has too many corners."""
    for face, polygon in enumerate(faces_of(mesh)[0]):
        if len(polygon) > MOST_SIDES:
            raise ArgumentError(
                f"shape {mesh.name!r}: face {face} of the hull has {len(polygon)} corners, more than {MOST_SIDES}; "
                "use a Cylinder, or fewer points"
            )


@lru_cache(256)
def faces_of(mesh: ConvexMesh) -> tuple[list[IntArray], FloatArray]:
    """Polygons of vertices, counter-clockwise from outside, and their unit normals, shape (n, 3).

    Beginning with the largest triangle, neighbours join whose corners all lie in its plane; so slivers, whose own
    normals are lost in rounding, end in the face they are part of.
    """
    points, triangles = mesh.vertices, mesh.faces
    size = np.linalg.norm(np.ptp(points, axis=0))
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    sizes = np.linalg.norm(area, axis=1)
    sides: dict[tuple[int, int], int] = {}
    for t, corners in enumerate(triangles.tolist()):
        for k in range(3):
            sides[corners[k], corners[k - 2]] = t
    free, polygons, normals = np.ones(len(triangles), bool), [], []
    for seed in np.argsort(-sizes, kind="stable"):
        if not free[seed] or sizes[seed] < FLAT * FLAT * size * size:
            continue
        normal = area[seed] / sizes[seed]
        heights = np.abs((points - points[triangles[seed, 0]]) @ normal)
        free[seed], joined, waiting = False, [int(seed)], [int(seed)]
        while waiting:
            corners = triangles[waiting.pop()].tolist()
            for k in range(3):
                other = sides[corners[k - 2], corners[k]]
                if free[other] and heights[triangles[other]].max() < FLAT * size:
                    free[other] = False
                    joined.append(other)
                    waiting.append(other)
        polygons.append(_outline(points, np.unique(triangles[joined]), normal))
        normals.append(normal)
    return polygons, np.array(normals)


def _outline(points: FloatArray, members: IntArray, normal: FloatArray) -> IntArray:
    """The corners of a face in order, without those that lie inside it."""
    from scipy.spatial import ConvexHull

    x = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    x /= np.linalg.norm(x)
    flat = (points[members] - points[members].mean(0)) @ np.stack([x, np.cross(normal, x)], 1)
    order: IntArray = members if len(members) == 3 else members[ConvexHull(flat).vertices]
    if len(members) == 3:
        (x0, y0), (x1, y1), (x2, y2) = flat
        if (x1 - x0) * (y2 - y0) < (y1 - y0) * (x2 - x0):
            order = order[::-1]
    return order


def field_table(field: HeightField, first_float: int) -> Table:
    """The table of a height field whose floats begin at this place."""
    (rows, columns), (x, y) = field.heights.shape, field.half_sizes
    low, high = field.heights.min() - max(x, y), field.heights.max()  # solid below: what sank in is still found
    middle = (low + high) / 2
    floats = np.array([2 * x / (columns - 1), 2 * y / (rows - 1), *(field.heights - middle).ravel()])
    half = np.array([x, y, (high - low) / 2])
    ints = [first_float, columns, rows, *(int(k) for k in sharp_edges(field).ravel())]
    return Table(np.array([0.0, 0.0, middle]), half, ints, floats)


def sharp_edges(field: HeightField) -> IntArray:
    """Bits of the edges of each node that stick out: the ground falls off on both sides, or ends there.

    A fourth corner lies below the plane of the other three by the second difference of the heights, whatever the plane.
    """
    z, (rows, columns) = field.heights, field.heights.shape
    least = FLAT * max(*field.half_sizes, float(np.ptp(z)))
    bits = np.zeros((rows, columns), np.int64)
    middle = z[:-1, :-1] + z[1:, 1:] - z[:-1, 1:] - z[1:, :-1]  # > 0: the diagonal is a ridge
    bits[:-1, :-1] |= np.where(middle > least, DIAGONAL, 0)
    bits[0, :-1] |= RIGHT
    bits[-1, :-1] |= RIGHT
    bits[:-1, 0] |= UP
    bits[:-1, -1] |= UP
    # along x: above lies the triangle (corner, right, both), below (corner below, both below, up) of the next row
    across = z[1:-1, :-1] + z[1:-1, 1:] - z[2:, 1:] - z[:-2, :-1]
    bits[1:-1, :-1] |= np.where(across > least, RIGHT, 0)
    along = z[:-1, 1:-1] + z[1:, 1:-1] - z[1:, 2:] - z[:-1, :-2]
    bits[:-1, 1:-1] |= np.where(along > least, UP, 0)
    return bits
