"""An OpenSim model as a value: bodies, joints, coordinates, constraints, markers, contact geometry.

In OpenSim's words, units and axes (SI, radians, y up), whatever the version of the file.  Frames are named by their
paths: /ground, /bodyset/pelvis, /jointset/hip_r/pelvis_offset.  Coordinates are named by their own names.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.mechanism import Constant, Function
from hitogata.figure.pose import IDENTITY, Pose
from hitogata.figure.values import FloatArray, Vector, unique
from hitogata.files.osim.functions import FUNCTION, OPTIONAL_FUNCTION
from hitogata.files.osim.properties import FLAG, NAMES, NUMBER, PAIR, SIX, TEXT, VECTOR, OsimObject, prop

ZERO: Vector = (0.0, 0.0, 0.0)
ONES: Vector = (1.0, 1.0, 1.0)
GROUND = "/ground"


@dataclass(frozen=True)
class Raw:
    """An element that is kept as it stands, because nothing here understands it."""

    tag: str
    text: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple["Raw", ...] = ()

    @property
    def name(self) -> str:
        """Its attribute `name`, or nothing."""
        return dict(self.attributes).get("name", "")


@dataclass(frozen=True)
class Geometry(OsimObject):
    """What is drawn at a frame: a mesh of a file, or a solid with the sizes that its type has.

    Attributes:
        type: Mesh, Brick, Sphere, Cylinder, Cone, Ellipsoid ...
        frame: path of the frame it is fixed to.
        file: of a mesh, as written; "" for solids.
        scale_factors: along x, y, z.
        sizes: of a solid, by OpenSim's names [m].
        colour: red, green, blue, 0 to 1.
        opacity: 0 to 1.
        visible: whether it is drawn.
    """

    type: str
    frame: str
    file: str = ""
    scale_factors: Vector = ONES
    sizes: tuple[tuple[str, tuple[float, ...]], ...] = ()
    colour: Vector = ONES
    opacity: float = 1.0
    visible: bool = True


@dataclass(frozen=True)
class OffsetFrame(OsimObject):
    """A frame fixed to another: X = translation, then turns about x, y, z of the turned frame.

    Attributes:
        path: its own.
        socket_parent: path of the frame it is fixed to.
        translation: [m].
        orientation: body-fixed x-y-z angles [rad].
    """

    TYPE: ClassVar[str] = "PhysicalOffsetFrame"
    path: str
    socket_parent: str = prop(TEXT)
    translation: Vector = prop(VECTOR, ZERO)
    orientation: Vector = prop(VECTOR, ZERO)

    @property
    def pose(self) -> Pose:
        """Its pose in its parent."""
        return Pose.from_matrix(xyz_rotation(self.orientation), self.translation)


@dataclass(frozen=True)
class Body(OsimObject):
    """A rigid body: mass [kg], centre of mass [m], inertia (xx, yy, zz, xy, xz, yz) about it [kg m²]."""

    TYPE: ClassVar[str] = "Body"
    mass: float = prop(NUMBER)
    mass_center: Vector = prop(VECTOR, ZERO)
    inertia: tuple[float, ...] = prop(SIX, (0.0,) * 6)

    @property
    def path(self) -> str:
        """Its path."""
        return f"/bodyset/{self.name}"


@dataclass(frozen=True)
class Coordinate(OsimObject):
    """A coordinate of a joint [rad or m].

    Attributes:
        default_value, default_speed_value: before any are given.
        range: least and greatest.
        clamped: whether values are held within the range.
        locked: whether it stands still at its default.
        prescribed_function: of time.
        prescribed: whether it follows that function.
        is_free_to_satisfy_constraints: whether a solver may change it though locked or prescribed.
    """

    TYPE: ClassVar[str] = "Coordinate"
    default_value: float = prop(NUMBER, 0.0)
    default_speed_value: float = prop(NUMBER, 0.0)
    range: tuple[float, float] = prop(PAIR, (-10.0, 10.0))
    clamped: bool = prop(FLAG, False)
    locked: bool = prop(FLAG, False)
    prescribed_function: Function | None = prop(OPTIONAL_FUNCTION, None)
    prescribed: bool = prop(FLAG, False)
    is_free_to_satisfy_constraints: bool = prop(FLAG, False)


@dataclass(frozen=True)
class TransformAxis(OsimObject):
    """One of six: a turn about, or a shift along, an axis by a function of coordinates."""

    TYPE: ClassVar[str] = "TransformAxis"
    coordinates: tuple[str, ...] = prop(NAMES, ())
    axis: Vector = prop(VECTOR, (1.0, 0.0, 0.0))
    function: Function = field(default_factory=Constant)


@dataclass(frozen=True)
class Joint(OsimObject):
    """A joint of any of OpenSim's types.

    Attributes:
        type: PinJoint, CustomJoint ...
        parent_frame, child_frame: paths.
        coordinates: in the order of the type.
        transform: of a CustomJoint: rotation1 to 3, translation1 to 3; otherwise empty.
        parameters: numbers of other types, by OpenSim's names, such as the radii of an EllipsoidJoint.
    """

    type: str
    parent_frame: str
    child_frame: str
    coordinates: tuple[Coordinate, ...] = ()
    transform: tuple[TransformAxis, ...] = ()
    parameters: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def parameter(self, name: str) -> tuple[float, ...]:
        """Numbers by their name."""
        return dict(self.parameters)[name]


@dataclass(frozen=True)
class CoordinateCoupler(OsimObject):
    """A coordinate that follows others: dependent = scale_factor · function(independent ones)."""

    TYPE: ClassVar[str] = "CoordinateCouplerConstraint"
    coupled_coordinates_function: Function = prop(FUNCTION)
    independent_coordinate_names: tuple[str, ...] = prop(NAMES)
    dependent_coordinate_name: str = prop(TEXT)
    scale_factor: float = prop(NUMBER, 1.0)
    isEnforced: bool = prop(FLAG, True)


@dataclass(frozen=True)
class PointConstraint(OsimObject):
    """A point of one body stays at a point of another."""

    TYPE: ClassVar[str] = "PointConstraint"
    socket_body_1: str = prop(TEXT)
    socket_body_2: str = prop(TEXT)
    location_body_1: Vector = prop(VECTOR, ZERO)
    location_body_2: Vector = prop(VECTOR, ZERO)
    isEnforced: bool = prop(FLAG, True)


@dataclass(frozen=True)
class WeldConstraint(OsimObject):
    """Two frames stay together."""

    TYPE: ClassVar[str] = "WeldConstraint"
    socket_frame1: str = prop(TEXT)
    socket_frame2: str = prop(TEXT)
    isEnforced: bool = prop(FLAG, True)


@dataclass(frozen=True)
class ConstantDistance(OsimObject):
    """Two points keep their distance [m]."""

    TYPE: ClassVar[str] = "ConstantDistanceConstraint"
    socket_body_1: str = prop(TEXT)
    socket_body_2: str = prop(TEXT)
    constant_distance: float = prop(NUMBER)
    location_body_1: Vector = prop(VECTOR, ZERO)
    location_body_2: Vector = prop(VECTOR, ZERO)
    isEnforced: bool = prop(FLAG, True)


Constraint = CoordinateCoupler | PointConstraint | WeldConstraint | ConstantDistance


@dataclass(frozen=True)
class Marker(OsimObject):
    """A point fixed to a frame [m]."""

    TYPE: ClassVar[str] = "Marker"
    socket_parent_frame: str = prop(TEXT)
    location: Vector = prop(VECTOR, ZERO)
    fixed: bool = prop(FLAG, False)


@dataclass(frozen=True)
class ContactSphere(OsimObject):
    """A sphere that touches."""

    TYPE: ClassVar[str] = "ContactSphere"
    socket_frame: str = prop(TEXT)
    location: Vector = prop(VECTOR, ZERO)
    orientation: Vector = prop(VECTOR, ZERO)
    radius: float = prop(NUMBER, 0.0)


@dataclass(frozen=True)
class ContactHalfSpace(OsimObject):
    """All of space behind a plane: x < 0 of its frame is free, x > 0 is solid."""

    TYPE: ClassVar[str] = "ContactHalfSpace"
    socket_frame: str = prop(TEXT)
    location: Vector = prop(VECTOR, ZERO)
    orientation: Vector = prop(VECTOR, ZERO)


@dataclass(frozen=True)
class ContactMesh(OsimObject):
    """A mesh that touches."""

    TYPE: ClassVar[str] = "ContactMesh"
    socket_frame: str = prop(TEXT)
    filename: str = prop(TEXT)
    location: Vector = prop(VECTOR, ZERO)
    orientation: Vector = prop(VECTOR, ZERO)


ContactGeometry = ContactSphere | ContactHalfSpace | ContactMesh


def xyz_rotation(angles: Vector) -> FloatArray:
    """R of body-fixed turns about x, then y, then z: Rx Ry Rz, shape (3, 3)."""
    (a, b, c), (u, v, w) = np.cos(angles), np.sin(angles)
    result: FloatArray = np.array(
        [
            [b * c, -b * w, v],
            [a * w + u * v * c, a * c - u * v * w, -u * b],
            [u * w - a * v * c, u * c + a * v * w, a * b],
        ]
    )
    return result


def base_of(frames: dict[str, OffsetFrame], path: str) -> tuple[str, Pose]:
    """The body (or the ground) that carries a frame, and the frame's pose in it."""
    pose = IDENTITY
    seen: list[str] = []
    while path in frames:
        if path in seen:
            raise FigureError(f"frames in a circle: {', '.join(seen)} are fixed to one another")
        seen.append(path)
        pose, path = frames[path].pose @ pose, frames[path].socket_parent
    return path, pose


def check_names(kind: str, objects: tuple[OsimObject, ...]) -> None:
    """No two of one name."""
    unique([each.name for each in objects], kind)
