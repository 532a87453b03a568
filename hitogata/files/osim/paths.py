"""Paths of muscles and ligaments: points, and surfaces they wrap around."""

from dataclasses import dataclass
from typing import ClassVar

from hitogata.figure.mechanism import Constant, Function
from hitogata.figure.values import Vector
from hitogata.files.osim.document import ZERO
from hitogata.files.osim.functions import FUNCTION
from hitogata.files.osim.properties import FLAG, LEAF, NUMBER, PAIR, TEXT, VECTOR, OsimObject, prop


@dataclass(frozen=True)
class WrapObject(OsimObject):
    """A surface that paths wrap around, fixed to a frame.

    Attributes:
        frame: path of the frame.
        active: whether it is wrapped around.
        xyz_body_rotation: body-fixed x-y-z angles [rad].
        translation: [m].
        quadrant: the half that may be touched: all, x, +x, -x ... -z.
    """

    frame: str
    active: bool = prop(FLAG, True)
    xyz_body_rotation: Vector = prop(VECTOR, ZERO)
    translation: Vector = prop(VECTOR, ZERO)
    quadrant: str = prop(TEXT, "all")


@dataclass(frozen=True)
class WrapSphere(WrapObject):
    """A sphere [m]."""

    TYPE: ClassVar[str] = "WrapSphere"
    radius: float = prop(NUMBER, 0.05)


@dataclass(frozen=True)
class WrapCylinder(WrapObject):
    """A cylinder along z [m]."""

    TYPE: ClassVar[str] = "WrapCylinder"
    radius: float = prop(NUMBER, 1.0)
    length: float = prop(NUMBER, 1.0)


@dataclass(frozen=True)
class WrapEllipsoid(WrapObject):
    """An ellipsoid with half axes along x, y, z [m]."""

    TYPE: ClassVar[str] = "WrapEllipsoid"
    dimensions: Vector = prop(VECTOR, (0.05, 0.05, 0.05))


@dataclass(frozen=True)
class WrapTorus(WrapObject):
    """A torus about z [m]."""

    TYPE: ClassVar[str] = "WrapTorus"
    inner_radius: float = prop(NUMBER, 0.01)
    outer_radius: float = prop(NUMBER, 0.05)


@dataclass(frozen=True)
class PathPoint(OsimObject):
    """A point of a path, fixed to a frame [m]."""

    TYPE: ClassVar[str] = "PathPoint"
    socket_parent_frame: str = prop(TEXT)
    location: Vector = prop(VECTOR, ZERO)


@dataclass(frozen=True)
class ConditionalPathPoint(PathPoint):
    """A point that counts only while a coordinate is within a range."""

    TYPE: ClassVar[str] = "ConditionalPathPoint"
    socket_coordinate: str = prop(LEAF, "")
    range: tuple[float, float] = prop(PAIR, (0.0, 0.0))


@dataclass(frozen=True)
class MovingPathPoint(OsimObject):
    """A point whose x, y, z follow functions of coordinates."""

    TYPE: ClassVar[str] = "MovingPathPoint"
    socket_parent_frame: str = prop(TEXT)
    socket_x_coordinate: str = prop(LEAF, "")
    socket_y_coordinate: str = prop(LEAF, "")
    socket_z_coordinate: str = prop(LEAF, "")
    x_location: Function = prop(FUNCTION, Constant())
    y_location: Function = prop(FUNCTION, Constant())
    z_location: Function = prop(FUNCTION, Constant())


AnyPathPoint = PathPoint | ConditionalPathPoint | MovingPathPoint


@dataclass(frozen=True)
class PathWrap(OsimObject):
    """How a path wraps around a surface.

    Attributes:
        wrap_object: name of the surface.
        method: hybrid, midpoint or axial, for ellipsoids.
        range: first and last point between which it wraps, from 1; -1: any.
    """

    TYPE: ClassVar[str] = "PathWrap"
    wrap_object: str = prop(TEXT)
    method: str = prop(TEXT, "hybrid")
    range: tuple[float, float] = prop(PAIR, (-1.0, -1.0))


@dataclass(frozen=True)
class GeometryPath:
    """Where a muscle or ligament runs: its points in order, and what it wraps around."""

    points: tuple[AnyPathPoint, ...] = ()
    wraps: tuple[PathWrap, ...] = ()
