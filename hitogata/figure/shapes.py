"""Shapes of links: sphere, capsule, box, convex mesh, plane; for contact, drawing and mass from density."""

import math
from dataclasses import dataclass, field

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.mass import MassProperties
from hitogata.figure.pose import IDENTITY, FloatArray, Pose, turn_from_z
from hitogata.figure.values import ArrayLike, Vector, array, not_negative, positive, vector


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A solid shape fixed to a link.

    Attributes:
        pose: of the shape's own frame in the link.
        name: for messages and selection; may be empty.
    """

    pose: Pose = IDENTITY
    name: str = ""

    def __post_init__(self) -> None:
        what = type(self).__name__.lower()
        if not isinstance(self.pose, Pose):
            raise FigureError(f"{what}: pose must be a Pose, got {self.pose!r}")
        if not isinstance(self.name, str):
            raise FigureError(f"{what}: name must be a string, got {self.name!r}")

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        raise FigureError(f"a {type(self).__name__} has no volume: give the link's mass properties explicitly")

    def unit_inertia(self) -> FloatArray:
        """Inertia about the centre for mass 1, in the shape's axes, shape (3, 3) [m²]."""
        raise FigureError(f"a {type(self).__name__} has no inertia: give the link's mass properties explicitly")

    def centre(self) -> FloatArray:
        """Centre of volume in the shape's own frame [m]."""
        return np.zeros(3)

    @property
    def bounding_radius(self) -> float:
        """Of the ball about the shape's origin that holds it [m]; 0 for a plane, which is not bounded."""
        return 0.0

    def mass_properties(self, density: float = 1000.0) -> MassProperties:
        """Mass properties in the link's frame, for a uniform density [kg/m³]."""
        mass = positive(density, "density") * self.volume
        return MassProperties.from_matrix(mass, self.centre(), mass * self.unit_inertia()).placed(self.pose)


@dataclass(frozen=True)
class Sphere(Shape):
    """Ball of a radius [m] about the shape's origin."""

    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", positive(self.radius, "radius of a sphere"))

    @property
    def volume(self) -> float:
        """4/3 π r³ [m³]."""
        return 4 / 3 * math.pi * self.radius**3

    def unit_inertia(self) -> FloatArray:
        """2/5 r² about every axis."""
        return np.eye(3) * (0.4 * self.radius**2)

    @property
    def bounding_radius(self) -> float:
        """Its radius [m]."""
        return self.radius


@dataclass(frozen=True)
class Capsule(Shape):
    """Cylinder along the shape's z axis from -half_length to +half_length [m], with half-ball caps."""

    radius: float
    half_length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", positive(self.radius, "radius of a capsule"))
        object.__setattr__(self, "half_length", not_negative(self.half_length, "half_length of a capsule"))

    @classmethod
    def between(cls, start: ArrayLike, end: ArrayLike, radius: float, *, name: str = "") -> "Capsule":
        """The capsule whose axis runs from `start` to `end` [m] in the link's frame."""
        a, b = np.array(vector(start, "start of a capsule")), np.array(vector(end, "end of a capsule"))
        length = float(np.linalg.norm(b - a))
        turn = turn_from_z(tuple((b - a) / length)) if length > 0 else IDENTITY.quat
        return cls(radius, length / 2, pose=Pose(tuple((a + b) / 2), turn), name=name)

    @property
    def volume(self) -> float:
        """Cylinder and two half balls [m³]."""
        return math.pi * self.radius**2 * (2 * self.half_length + 4 / 3 * self.radius)

    def unit_inertia(self) -> FloatArray:
        """Cylinder of mass m_c and two half balls of mass m_b in all, each half ball's centre 3/8 r from its face."""
        r, h = self.radius, self.half_length
        cylinder = 2 * h / (2 * h + 4 / 3 * r)
        balls = 1 - cylinder
        along = cylinder * r * r / 2 + balls * 0.4 * r * r
        # half ball about its own centre: (2/5 - (3/8)²) r² across; shifted out to h + 3/8 r
        across = cylinder * (3 * r * r + 4 * h * h) / 12 + balls * ((0.4 - 9 / 64) * r * r + (h + 0.375 * r) ** 2)
        return np.diag([across, across, along])

    @property
    def bounding_radius(self) -> float:
        """From the middle to an end [m]."""
        return self.half_length + self.radius


@dataclass(frozen=True)
class Box(Shape):
    """Box with half sizes (x, y, z) [m] about the shape's origin."""

    half_sizes: Vector

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = vector(self.half_sizes, "half_sizes of a box")
        for axis, size in zip("xyz", sizes, strict=True):
            positive(size, f"half size {axis} of a box")
        object.__setattr__(self, "half_sizes", sizes)

    @property
    def volume(self) -> float:
        """8 a b c [m³]."""
        return 8 * math.prod(self.half_sizes)

    def unit_inertia(self) -> FloatArray:
        """(b² + c²)/3, (c² + a²)/3, (a² + b²)/3 for half sizes a, b, c."""
        a, b, c = (x * x / 3 for x in self.half_sizes)
        return np.diag([b + c, c + a, a + b])

    @property
    def bounding_radius(self) -> float:
        """From the middle to a corner [m]."""
        return math.hypot(*self.half_sizes)


@dataclass(frozen=True)
class Plane(Shape):
    """The plane z = 0 of the shape's frame; solid below, free above.  For the ground."""


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
        points = array(self.vertices, (None, 3), "vertices of a convex mesh")
        if len(points) < 4:
            raise FigureError(f"vertices of a convex mesh: expected at least 4 points, got {len(points)}")
        try:
            hull = ConvexHull(points)
        except QhullError:
            raise FigureError("convex mesh: the points lie in one plane; a solid needs volume") from None
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
