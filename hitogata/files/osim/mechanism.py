"""The mechanism of an OpenSim model: its joints as turns and shifts by functions of coordinates.

Types of joints as in OpenSim's documentation; the scapulothoracic joint after Seth et al. (2016): a turn on an
ellipsoid, then winging about an axis in the plane of the scapula.
"""

import math

from hitogata.errors import FigureError
from hitogata.figure.mechanism import (
    Constant,
    Coupling,
    Function,
    JointStep,
    Linear,
    Mechanism,
    MechanismBody,
    MechanismJoint,
    Product,
    Scaled,
    Sine,
)
from hitogata.figure.values import Vector
from hitogata.files.osim.document import Joint
from hitogata.files.osim.model import OsimModel

X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)
_XYZ = (X, Y, Z)
_SIN, _COS = Sine(), Sine(phase=math.pi / 2)


def mechanism_from_osim(model: OsimModel) -> Mechanism:
    """The mechanism of a model, in OpenSim's axes; coordinates keep their names, couplers become couplings.

    Raises:
        FigureError: bodies that hang on two joints (closed loops) or on none, couplers in a circle.
    """
    bodies = [MechanismBody(body.name, body.mass, body.mass_center, body.inertia) for body in model.bodies]
    couplings = [
        Coupling(
            coupler.dependent_coordinate_name,
            _scaled(coupler.coupled_coordinates_function, coupler.scale_factor),
            coupler.independent_coordinate_names,
            coupler.name,
        )
        for coupler in model.couplers
    ]
    return Mechanism.of(model.name, bodies, _tree(model), couplings, model.gravity)


def _tree(model: OsimModel) -> list[MechanismJoint]:
    """Joints as they hang from the ground: one whose child is reached first is passed backwards."""
    placed: set[str | None] = {None}
    waiting = [(joint, model.place(joint.parent_frame), model.place(joint.child_frame)) for joint in model.joints]
    result = []
    while waiting:
        later = []
        for joint, (parent, X_PF), (child, X_BM) in waiting:
            if parent in placed and child in placed:
                raise FigureError(f"joint {joint.name!r} closes a loop: {child or 'ground'!r} hangs elsewhere already")
            if parent not in placed and child not in placed:
                later.append((joint, (parent, X_PF), (child, X_BM)))
                continue
            names, steps = tuple(c.name for c in joint.coordinates), joint_steps(joint)
            if parent in placed:
                axes = _speed_axes(joint)
                result.append(MechanismJoint(joint.name, parent, str(child), names, steps, X_PF, X_BM, axes))
            else:
                back = tuple(_backwards(step) for step in reversed(steps))
                result.append(MechanismJoint(joint.name, child, str(parent), names, back, X_BM, X_PF))
            placed.add(child if parent in placed else parent)
        if len(later) == len(waiting):
            names_left = ", ".join(repr(joint.name) for joint, _, _ in later[:5])
            raise FigureError(f"joints {names_left} do not hang on the ground")
        waiting = later
    return result


def joint_steps(joint: Joint) -> tuple[JointStep, ...]:
    """Turns and shifts of a joint, the outermost first."""
    q = [coordinate.name for coordinate in joint.coordinates]
    match joint.type:
        case "WeldJoint":
            return ()
        case "PinJoint":
            return (_turn(Z, q[0]),)
        case "SliderJoint":
            return (_shift(X, q[0]),)
        case "UniversalJoint":
            return _turn(X, q[0]), _turn(Y, q[1])
        case "BallJoint" | "GimbalJoint":
            return tuple(_turn(axis, name) for axis, name in zip(_XYZ, q, strict=True))
        case "PlanarJoint":
            return _shift(X, q[1]), _shift(Y, q[2]), _turn(Z, q[0])
        case "FreeJoint":
            shifts = [_shift(axis, name) for axis, name in zip(_XYZ, q[3:], strict=True)]
            return (*shifts, *(_turn(axis, name) for axis, name in zip(_XYZ, q[:3], strict=True)))
        case "EllipsoidJoint":
            return _on_ellipsoid(joint.parameter("radii_x_y_z"), _XYZ, q)
        case "ScapulothoracicJoint":
            return _scapulothoracic(joint, q)
        case "CustomJoint":
            axes = [*joint.transform[3:], *joint.transform[:3]]
            steps = [JointStep(axis.name.startswith("r"), axis.axis, axis.function, axis.coordinates) for axis in axes]
            return tuple(step for step in steps if step.function != Constant(0.0))
    raise FigureError(f"joint {joint.name!r}: a {joint.type} is not known")


def _scapulothoracic(joint: Joint, q: list[str]) -> tuple[JointStep, ...]:
    """Abduction about y, elevation about -x, upward rotation about the surface's normal z, then winging."""
    axes = (Y, (-1.0, 0.0, 0.0), Z)
    on_ribs = _on_ellipsoid(joint.parameter("thoracic_ellipsoid_radii_x_y_z"), axes, q)
    (direction,), (x, y) = (
        joint.parameter("scapula_winging_axis_direction"),
        joint.parameter("scapula_winging_axis_origin"),
    )
    wing = JointStep(True, (-math.sin(direction), math.cos(direction), 0.0), Linear(), (q[3],), (x, y, 0.0))
    return (*on_ribs, wing)


def _on_ellipsoid(radii: tuple[float, ...], axes: tuple[Vector, Vector, Vector], q: list[str]) -> tuple[JointStep, ...]:
    """Turns about three axes, the third the normal: p = radii ∘ R z, which the first two angles say.

    With R = Rx(a) Ry(b) Rz(c): R z = (sin b, -sin a cos b, cos a cos b), in the axes that are turned about.
    """
    normal = (Product((Constant(1.0), _SIN)), Scaled(Product((_SIN, _COS)), -1.0), Product((_COS, _COS)))
    shifts = []
    for axis, function in zip(axes, normal, strict=True):
        radius = sum(r * abs(a) for r, a in zip(radii, axis, strict=True))
        shifts.append(JointStep(False, axis, Scaled(function, radius), (q[0], q[1])))
    return (*shifts, *(_turn(axis, name) for axis, name in zip(axes, q[:3], strict=True)))


def _speed_axes(joint: Joint) -> tuple[Vector, Vector, Vector] | None:
    """Where OpenSim's speeds are angular velocities: their axes."""
    if joint.type in ("BallJoint", "FreeJoint", "EllipsoidJoint"):
        return _XYZ
    return (Y, (-1.0, 0.0, 0.0), Z) if joint.type == "ScapulothoracicJoint" else None


def _turn(axis: Vector, name: str) -> JointStep:
    return JointStep(True, axis, Linear(), (name,))


def _shift(axis: Vector, name: str) -> JointStep:
    return JointStep(False, axis, Linear(), (name,))


def _backwards(step: JointStep) -> JointStep:
    return JointStep(step.turn, step.axis, _scaled(step.function, -1.0), step.coordinates, step.point)


def _scaled(function: Function, scale: float) -> Function:
    return function if scale == 1.0 else Scaled(function, scale)


def turning_coordinates(model: OsimModel, mechanism: Mechanism) -> tuple[bool, ...]:
    """Which coordinates of a mechanism are angles: those that turn, but for ones that only shift.

    A coordinate of a custom joint that does both is an angle if it turns the body by itself: OpenSim calls a coordinate
    translational only if a linear function shifts along an axis by it, and nothing turns linearly.
    """
    result = []
    for joint in mechanism.joints:
        for name in joint.coordinates:
            turned = [step for step in joint.steps if name in step.coordinates and step.turn]
            shifted = [step for step in joint.steps if name in step.coordinates and not step.turn]
            plain = any(_linear(step.function) for step in shifted) and not any(_linear(s.function) for s in turned)
            result.append(bool(turned or not shifted) and not plain)
    return tuple(result)


def _linear(function: Function) -> bool:
    return isinstance(function.function if isinstance(function, Scaled) else function, Linear)
