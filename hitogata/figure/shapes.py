"""Shapes of links: sphere, capsule, cylinder, ellipsoid, box, plane; for contact, drawing and mass from density.

Convex meshes are in `meshes`, height fields in `terrain`.
"""

import math
from dataclasses import dataclass

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.mass import MassProperties
from hitogata.figure.pose import IDENTITY, FloatArray, Pose, turn_from_z
from hitogata.figure.values import ArrayLike, Vector, not_negative, positive, vector


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
class Cylinder(Shape):
    """Cylinder along the shape's z axis from -half_length to +half_length [m], with flat ends."""

    radius: float
    half_length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", positive(self.radius, "radius of a cylinder"))
        object.__setattr__(self, "half_length", positive(self.half_length, "half_length of a cylinder"))

    @property
    def volume(self) -> float:
        """2 π r² h [m³]."""
        return 2 * math.pi * self.radius**2 * self.half_length

    def unit_inertia(self) -> FloatArray:
        """r²/4 + h²/3 across, r²/2 along."""
        r, h = self.radius, self.half_length
        across = r * r / 4 + h * h / 3
        return np.diag([across, across, r * r / 2])

    @property
    def bounding_radius(self) -> float:
        """From the middle to a rim [m]."""
        return math.hypot(self.radius, self.half_length)


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """Ellipsoid with half axes (x, y, z) [m] about the shape's origin."""

    half_axes: Vector

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = vector(self.half_axes, "half_axes of an ellipsoid")
        for axis, size in zip("xyz", sizes, strict=True):
            positive(size, f"half axis {axis} of an ellipsoid")
        object.__setattr__(self, "half_axes", sizes)

    @property
    def volume(self) -> float:
        """4/3 π a b c [m³]."""
        return 4 / 3 * math.pi * math.prod(self.half_axes)

    def unit_inertia(self) -> FloatArray:
        """(b² + c²)/5, (c² + a²)/5, (a² + b²)/5 for half axes a, b, c."""
        a, b, c = (x * x / 5 for x in self.half_axes)
        return np.diag([b + c, c + a, a + b])

    @property
    def bounding_radius(self) -> float:
        """The longest half axis [m]."""
        return max(self.half_axes)


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
