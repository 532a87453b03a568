"""Forces of OpenSim besides muscles: ligaments, actuators, springs, contact, bushings.  They are kept as data."""

import math
from dataclasses import dataclass
from typing import ClassVar

from hitogata.figure.mechanism import Function
from hitogata.figure.values import Vector
from hitogata.files.osim.document import ZERO
from hitogata.files.osim.functions import OPTIONAL_FUNCTION
from hitogata.files.osim.paths import GeometryPath
from hitogata.files.osim.properties import FLAG, LEAF, NUMBER, TEXT, VECTOR, OsimObject, prop

_Z: Vector = (0.0, 0.0, 1.0)
_X: Vector = (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Force(OsimObject):
    """What all forces have: whether it acts."""

    appliesForce: bool = prop(FLAG, True)


@dataclass(frozen=True)
class Ligament(OsimObject):
    """A band with a force [N] by its length in rest lengths [m]."""

    TYPE: ClassVar[str] = "Ligament"
    path: GeometryPath
    appliesForce: bool = prop(FLAG, True)
    resting_length: float = prop(NUMBER, 0.0)
    pcsa_force: float = prop(NUMBER, 0.0)
    force_length_curve: Function | None = prop(OPTIONAL_FUNCTION, None)


@dataclass(frozen=True)
class Blankevoort1991Ligament(OsimObject):
    """A band with a toe and a straight part (Blankevoort 1991): stiffness [N], lengths [m]."""

    TYPE: ClassVar[str] = "Blankevoort1991Ligament"
    path: GeometryPath
    appliesForce: bool = prop(FLAG, True)
    linear_stiffness: float = prop(NUMBER, 1.0)
    transition_strain: float = prop(NUMBER, 0.06)
    damping_coefficient: float = prop(NUMBER, 0.003)
    slack_length: float = prop(NUMBER, 0.0)


@dataclass(frozen=True)
class PathActuator(OsimObject):
    """A motor that pulls along a path [N]."""

    TYPE: ClassVar[str] = "PathActuator"
    path: GeometryPath
    appliesForce: bool = prop(FLAG, True)
    min_control: float = prop(NUMBER, -math.inf)
    max_control: float = prop(NUMBER, math.inf)
    optimal_force: float = prop(NUMBER, 1.0)


@dataclass(frozen=True)
class PathSpring(OsimObject):
    """A spring along a path."""

    TYPE: ClassVar[str] = "PathSpring"
    path: GeometryPath
    resting_length: float = prop(NUMBER)
    stiffness: float = prop(NUMBER)
    dissipation: float = prop(NUMBER)
    appliesForce: bool = prop(FLAG, True)


@dataclass(frozen=True)
class Actuator(Force):
    """What all motors have: bounds of their control, and force per control [N or N m]."""

    min_control: float = prop(NUMBER, -math.inf)
    max_control: float = prop(NUMBER, math.inf)
    optimal_force: float = prop(NUMBER, 1.0)


@dataclass(frozen=True)
class CoordinateActuator(Actuator):
    """A motor of a coordinate."""

    TYPE: ClassVar[str] = "CoordinateActuator"
    coordinate: str = prop(LEAF, "")


@dataclass(frozen=True)
class ActivationCoordinateActuator(CoordinateActuator):
    """A motor of a coordinate that rises and falls like a muscle's activation."""

    TYPE: ClassVar[str] = "ActivationCoordinateActuator"
    activation_time_constant: float = prop(NUMBER, 0.01)
    default_activation: float = prop(NUMBER, 0.5)


@dataclass(frozen=True)
class TorqueActuator(Actuator):
    """A torque between two bodies."""

    TYPE: ClassVar[str] = "TorqueActuator"
    bodyA: str = prop(LEAF, "")
    bodyB: str = prop(LEAF, "")
    torque_is_global: bool = prop(FLAG, True)
    axis: Vector = prop(VECTOR, _Z)


@dataclass(frozen=True)
class PointActuator(Actuator):
    """A force at a point of a body."""

    TYPE: ClassVar[str] = "PointActuator"
    body: str = prop(LEAF, "")
    point: Vector = prop(VECTOR, ZERO)
    point_is_global: bool = prop(FLAG, False)
    direction: Vector = prop(VECTOR, _X)
    force_is_global: bool = prop(FLAG, False)


@dataclass(frozen=True)
class PointToPointActuator(Actuator):
    """A force along the line between two points."""

    TYPE: ClassVar[str] = "PointToPointActuator"
    bodyA: str = prop(LEAF, "")
    bodyB: str = prop(LEAF, "")
    points_are_global: bool = prop(FLAG, False)
    pointA: Vector = prop(VECTOR, ZERO)
    pointB: Vector = prop(VECTOR, ZERO)


@dataclass(frozen=True)
class SpringGeneralizedForce(Force):
    """A spring with a damper on a coordinate."""

    TYPE: ClassVar[str] = "SpringGeneralizedForce"
    coordinate: str = prop(LEAF, "")
    stiffness: float = prop(NUMBER, 0.0)
    rest_length: float = prop(NUMBER, 0.0)
    viscosity: float = prop(NUMBER, 0.0)


@dataclass(frozen=True)
class CoordinateLimitForce(Force):
    """Springs at the ends of a coordinate's range, in degrees or metres."""

    TYPE: ClassVar[str] = "CoordinateLimitForce"
    coordinate: str = prop(LEAF, "")
    upper_stiffness: float = prop(NUMBER, 1.0)
    upper_limit: float = prop(NUMBER, 0.0)
    lower_stiffness: float = prop(NUMBER, 1.0)
    lower_limit: float = prop(NUMBER, 0.0)
    damping: float = prop(NUMBER, 0.001)
    transition: float = prop(NUMBER, 0.1)
    compute_dissipation_energy: bool = prop(FLAG, False)


@dataclass(frozen=True)
class ExpressionBasedCoordinateForce(Force):
    """A force on a coordinate, as an expression of its value q and rate qdot; it is kept as text."""

    TYPE: ClassVar[str] = "ExpressionBasedCoordinateForce"
    coordinate: str = prop(LEAF, "")
    expression: str = prop(TEXT, "0.0")


@dataclass(frozen=True)
class BushingForce(Force):
    """Springs and dampers between two frames, by x-y-z angles and shifts."""

    TYPE: ClassVar[str] = "BushingForce"
    socket_frame1: str = prop(TEXT, "")
    socket_frame2: str = prop(TEXT, "")
    rotational_stiffness: Vector = prop(VECTOR, ZERO)
    translational_stiffness: Vector = prop(VECTOR, ZERO)
    rotational_damping: Vector = prop(VECTOR, ZERO)
    translational_damping: Vector = prop(VECTOR, ZERO)


@dataclass(frozen=True)
class ExpressionBasedBushingForce(Force):
    """Forces between two frames as expressions of x-y-z angles and shifts; they are kept as text."""

    TYPE: ClassVar[str] = "ExpressionBasedBushingForce"
    socket_frame1: str = prop(TEXT, "")
    socket_frame2: str = prop(TEXT, "")
    Mx_expression: str = prop(TEXT, "0.0")
    My_expression: str = prop(TEXT, "0.0")
    Mz_expression: str = prop(TEXT, "0.0")
    Fx_expression: str = prop(TEXT, "0.0")
    Fy_expression: str = prop(TEXT, "0.0")
    Fz_expression: str = prop(TEXT, "0.0")
    rotational_damping: Vector = prop(VECTOR, ZERO)
    translational_damping: Vector = prop(VECTOR, ZERO)
    moment_visual_scale: float = prop(NUMBER, 1.0)
    force_visual_scale: float = prop(NUMBER, 1.0)
    visual_aspect_ratio: float = prop(NUMBER, 1.0)


@dataclass(frozen=True)
class SmoothSphereHalfSpaceForce(Force):
    """Contact of a sphere with a half-space, smoothed (Serrancolí et al. 2019)."""

    TYPE: ClassVar[str] = "SmoothSphereHalfSpaceForce"
    socket_sphere: str = prop(LEAF, "")
    socket_half_space: str = prop(LEAF, "")
    stiffness: float = prop(NUMBER, 1.0)
    dissipation: float = prop(NUMBER, 0.0)
    static_friction: float = prop(NUMBER, 0.0)
    dynamic_friction: float = prop(NUMBER, 0.0)
    viscous_friction: float = prop(NUMBER, 0.0)
    transition_velocity: float = prop(NUMBER, 0.01)
    constant_contact_force: float = prop(NUMBER, 1e-5)
    hertz_smoothing: float = prop(NUMBER, 300.0)
    hunt_crossley_smoothing: float = prop(NUMBER, 50.0)


WITH_PATHS = (Ligament, Blankevoort1991Ligament, PathActuator, PathSpring)

PLAIN: tuple[type[Force], ...] = (
    CoordinateActuator,
    ActivationCoordinateActuator,
    TorqueActuator,
    PointActuator,
    PointToPointActuator,
    SpringGeneralizedForce,
    CoordinateLimitForce,
    ExpressionBasedCoordinateForce,
    BushingForce,
    ExpressionBasedBushingForce,
    SmoothSphereHalfSpaceForce,
)
