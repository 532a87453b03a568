"""Figures from OpenSim models, and their coordinates there and back.

Joints become those of the figure's kinds where they move alike, screws one after the other where each coordinate turns
or shifts evenly, and else function joints.  Coordinates that follow others are composed into the functions of their
joints, so that the figure has the free ones only.

The world is turned from y up to z up: (x, y, z) of the model are (x, -z, y) here, so that who looks along x still
does, with +y to the left.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import FigureError, FileContentWarning
from hitogata.figure.figure import Figure
from hitogata.figure.joint import Joint, JointKind, Screw
from hitogata.figure.link import Frame, Link
from hitogata.figure.mass import MassProperties
from hitogata.figure.mechanism import (
    Composed,
    Constant,
    Function,
    JointStep,
    Linear,
    Mechanism,
    MechanismJoint,
    Scaled,
    followed,
    joint_motion,
)
from hitogata.figure.pose import IDENTITY, Pose
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.files.osim.mechanism import mechanism_from_osim
from hitogata.files.osim.model import OsimModel
from hitogata.spatial import matrix_to_quat

UP = Pose((0.0, 0.0, 0.0), (0.5**0.5, 0.5**0.5, 0.0, 0.0))
"""The model's world in ours: a quarter turn about x."""

SPECK = MassProperties(1e-9, (0.0, 0.0, 0.0), (1e-13, 1e-13, 1e-13, 0.0, 0.0, 0.0))
"""Mass of what has none."""


@dataclass(frozen=True)
class _Motion:
    """A joint's moving steps, and what is fixed before and behind them."""

    before: Pose
    steps: tuple[JointStep, ...]
    behind: Pose


def figure_from_osim(model: OsimModel, *, coordinates: bool = False) -> Figure:
    """A figure with the same bodies, masses and joints.

    Args:
        model: it.
        coordinates: keep the model's coordinates and their ranges also where three turns make a ball joint, or three
            shifts and three turns a free one.

    Joints with one coordinate of their own are named after it, others keep their own names.  Markers become frames.
    Several bodies on the ground hang on a link `ground` that is fixed; what has no mass gets a billionth of a kilogram.
    Muscles, constraints other than couplers and all else that a figure does not hold are listed in one
    FileContentWarning.
    """
    mechanism = mechanism_from_osim(model)
    markers: dict[str | None, list[Frame]] = {}
    for marker in model.markers:
        carrier, pose = model.place(marker.socket_parent_frame)
        markers.setdefault(carrier, []).append(Frame(marker.name, pose @ Pose(marker.location)))
    plan, links, light = _Plan.of(model, mechanism, coordinates), [], 0
    if plan.ground is not None:
        links.append(Link(plan.ground, None, Joint(JointKind.FIXED, UP), SPECK, (), tuple(markers.pop(None, ()))))
    for body, hung in zip(mechanism.bodies, mechanism.joints, strict=True):
        light += body.mass == 0
        try:
            mass = SPECK if body.mass == 0 else MassProperties(body.mass, body.centre, _six(body.inertia), rigid=False)
        except FigureError as error:
            raise FigureError(f"body {body.name!r}: {error}") from None
        frames = tuple(markers.get(body.name, ()))
        parent = plan.ground if hung.parent is None else hung.parent
        links.append(Link(body.name, parent, _joint(model, hung, plan), mass, (), frames))
    left = [
        ("force", len(model.forces)),
        ("constraint", len(model.constraints) - len(model.couplers)),
        ("contact shape", len(model.contact_geometry)),
    ]
    left += [("drawn piece", len(model.geometry)), ("marker of the ground", len(markers.get(None, ())))]
    told = ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for what, count in left if count)
    if light:
        told = f"{told}{'; ' if told else ''}{light} bodies without mass, which got {SPECK.mass:g} kg"
    if told:
        warnings.warn(
            f"model {model.name!r}: a Figure does not hold, so left out: {told}", FileContentWarning, stacklevel=2
        )
    return Figure.from_links(model.name, links)


def figure_coordinates(
    model: OsimModel, figure: Figure, q: ArrayLike, qd: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Coordinates and velocities of the figure from those of the model, exactly.

    Args:
        model: it.
        figure: what `figure_from_osim` made of it.
        q, qd: coordinates in the order of the mechanism, and rates, shape (n, nc) or (nc,).

    Returns:
        q (n, nq) and v (n, nv) of the figure.
    """
    mechanism = mechanism_from_osim(model)
    q, rates, _ = followed(mechanism, q, qd)
    places, speeds = np.zeros((len(q), figure.nq)), np.zeros((len(q), figure.nv))
    starts = {joint.child: k for k, joint in enumerate(mechanism.joints)}
    plan = _Plan.of(model, mechanism, _keeps(figure))
    for k, link in enumerate(figure.links):
        if link.name not in starts:
            continue
        hung = mechanism.joints[starts[link.name]]
        own = [mechanism.index(name) for name in plan.coordinates(hung)]
        at, to = slice(figure.q_starts[k], figure.q_starts[k] + link.joint.nq), figure.v_starts[k]
        if link.joint.quat_start is None:
            places[:, at], speeds[:, to : to + link.joint.nv] = q[:, own], rates[:, own]
            continue
        split = _split(hung)
        moving = MechanismJoint(hung.name, hung.parent, hung.child, hung.coordinates, split.steps)
        R, p, S, _ = joint_motion(moving, q[:, own], rates[:, own])
        V = np.einsum("nij,nj->ni", S, rates[:, own])
        places[:, at.stop - 4 : at.stop] = matrix_to_quat(R)
        speeds[:, to : to + 3] = V[:, :3]
        if link.joint.kind is JointKind.FREE:
            places[:, at.start : at.start + 3] = p
            speeds[:, to + 3 : to + 6] = V[:, 3:] + np.cross(V[:, :3], p)
    return places, speeds


def coordinate_names(model: OsimModel, figure: Figure) -> tuple[str, ...]:
    """Names of the model's coordinates that stand in q of a figure made with `coordinates=True`."""
    mechanism = mechanism_from_osim(model)
    if not _keeps(figure):
        raise FigureError(f"figure {figure.name!r} has quaternions: make it with figure_from_osim(coordinates=True)")
    plan, hung = _Plan.of(model, mechanism, True), {joint.child: joint for joint in mechanism.joints}
    return tuple(name for link in figure.links if link.name in hung for name in plan.coordinates(hung[link.name]))


def model_coordinates(model: OsimModel, figure: Figure, q: ArrayLike) -> FloatArray:
    """All coordinates of the model, those that follow others too, from q of a figure made with `coordinates=True`.

    Args:
        model: it.
        figure: what `figure_from_osim` made of it.
        q: shape (n, nq) or (nq,).

    Returns:
        In the order of the mechanism's coordinates, shape (n, nc).
    """
    mechanism, rows = mechanism_from_osim(model), np.atleast_2d(np.asarray(q, np.float64))
    given = np.zeros((len(rows), len(mechanism.coordinates)))
    given[:, [mechanism.index(name) for name in coordinate_names(model, figure)]] = rows
    complete, _, _ = followed(mechanism, given)
    return complete


def _keeps(figure: Figure) -> bool:
    return all(link.joint.quat_start is None for link in figure.links)


@dataclass(frozen=True)
class _Plan:
    """What becomes of the joints of a mechanism.

    Attributes:
        ground: name of a link for the ground, if several bodies hang on it.
        following: functions of coordinates that follow others, and the names of their arguments, all free.
        kinds: of each joint, by its name.
    """

    ground: str | None
    following: dict[str, tuple[Function, tuple[str, ...]]]
    kinds: dict[str, JointKind]

    @classmethod
    def of(cls, model: OsimModel, mechanism: Mechanism, coordinates: bool) -> "_Plan":
        roots = sum(joint.parent is None for joint in mechanism.joints)
        taken = {body.name for body in mechanism.bodies}
        ground = None if roots == 1 else next(name for name in ("ground", "ground_", "ground__") if name not in taken)
        following: dict[str, tuple[Function, tuple[str, ...]]] = {}
        for coupling in mechanism.couplings:  # sorted: those they follow come first
            following[coupling.coordinate] = _composed(coupling.function, coupling.arguments, following)
        named = {name for _, names in following.values() for name in names}
        kinds = {}
        for joint in mechanism.joints:
            kind = _kind(joint, rooted=ground is None)
            if coordinates and kind in (JointKind.BALL, JointKind.FREE):
                kind = JointKind.COMPOUND
            bound = any(name in following for name in joint.coordinates)
            alone = kind in (JointKind.HINGE, JointKind.SLIDER) and len(joint.coordinates) == 1
            if bound or kind is None or (not alone and named & set(joint.coordinates)):
                kind = JointKind.FUNCTION
            kinds[joint.name] = kind
        return cls(ground, following, kinds)

    def coordinates(self, joint: MechanismJoint) -> tuple[str, ...]:
        """Names of a joint's free coordinates, in the order of the figure's."""
        if self.kinds[joint.name] is JointKind.COMPOUND:
            return tuple(step.coordinates[0] for step in _split(joint).steps)
        return tuple(name for name in joint.coordinates if name not in self.following)


def _composed(
    function: Function, names: tuple[str, ...], following: dict[str, tuple[Function, tuple[str, ...]]]
) -> tuple[Function, tuple[str, ...]]:
    """A function of coordinates as one of free coordinates alone."""
    if isinstance(function, Constant) or not any(name in following for name in names):
        return function, names
    inner = [following.get(name, (Linear(), (name,))) for name in names]
    free = tuple(dict.fromkeys(name for _, own in inner for name in own))
    parts = tuple((each, tuple(free.index(name) for name in own)) for each, own in inner)
    return Composed(function, parts, len(free)), free


def _split(joint: MechanismJoint) -> _Motion:
    """Constant steps at both ends taken off, offsets of linear functions with them."""
    steps, before, behind = list(joint.steps), IDENTITY, IDENTITY
    while steps and isinstance(steps[0].function, Constant):
        before = before @ _still(steps.pop(0))
    while steps and isinstance(steps[-1].function, Constant):
        behind = _still(steps.pop()) @ behind
    return _Motion(before, tuple(steps), behind)


def _still(step: JointStep) -> Pose:
    assert isinstance(step.function, Constant)
    fixed = MechanismJoint("fixed", None, "fixed", (), (step,))
    R, p, _, _ = joint_motion(fixed, np.zeros((1, 0)), np.zeros((1, 0)))
    return Pose.from_matrix(R[0], p[0])


def _kind(joint: MechanismJoint, *, rooted: bool) -> JointKind | None:
    """The kind of joint that moves as the steps do; None: it follows functions."""
    steps = _split(joint).steps
    if not steps and not joint.coordinates:
        return JointKind.FIXED
    if sorted(joint.coordinates) != sorted(name for step in steps for name in step.coordinates):
        return None
    if not all(len(step.coordinates) == 1 and _slope(step.function) for step in steps):
        return None
    pattern = "".join("r" if step.turn else "t" for step in steps)
    shifts, turns = (np.array([step.axis for step in steps if step.turn is turn]) for turn in (False, True))
    plain = all(step.function == Linear() for step in steps)
    plain = plain and tuple(step.coordinates[0] for step in steps) in _orders(joint)
    at_origin = all(not any(step.point) for step in steps)
    match pattern:
        case "r" if plain:
            return JointKind.HINGE
        case "t" if plain:
            return JointKind.SLIDER
        case "rr" if plain and at_origin and abs(turns[0] @ turns[1]) < 0.99:
            return JointKind.UNIVERSAL
        case "rrr" if plain and at_origin and _spread(turns):
            return JointKind.BALL
        case "tttrrr" if plain and rooted and joint.parent is None and at_origin and _spread(turns) and _spread(shifts):
            return JointKind.FREE
    return JointKind.COMPOUND


def _orders(joint: MechanismJoint) -> tuple[tuple[str, ...], ...]:
    """Orders of the steps' coordinates that kinds of several coordinates know: as named, or shifts first."""
    names = joint.coordinates
    return (names, (*names[3:], *names[:3])) if len(names) == 6 else (names,)


def _slope(function: Function) -> float:
    """a of a function a x; 0: it is another."""
    if isinstance(function, Scaled):
        return function.scale * _slope(function.function)
    if isinstance(function, Linear) and len(function.coefficients) == 2 and function.coefficients[1] == 0.0:
        return function.coefficients[0]
    return 0.0


def _six(values: tuple[float, ...]) -> tuple[float, float, float, float, float, float]:
    xx, yy, zz, xy, xz, yz = values
    return xx, yy, zz, xy, xz, yz


def _spread(axes: FloatArray) -> bool:
    """Whether turns about three axes, one after the other, reach all rotations: each across the next."""
    return bool(abs(axes[0] @ axes[1]) < 1e-9 and abs(axes[1] @ axes[2]) < 1e-9)


def _joint(model: OsimModel, hung: MechanismJoint, plan: _Plan) -> Joint:
    """The figure's joint: X = parent_frame · before · T(point) · moving · T(-point) · behind · child_frame⁻¹."""
    kind, split = plan.kinds[hung.name], _split(hung)
    up = UP if hung.parent is None and plan.ground is None else IDENTITY
    point = Pose(split.steps[0].point) if kind is JointKind.HINGE else IDENTITY
    parent_frame, child_frame = up @ hung.parent_frame @ split.before @ point, hung.child_frame @ split.behind.inverse()
    own = [model.coordinate(name) for name in plan.coordinates(hung)]
    name = own[0].name if len(own) == 1 and kind is not JointKind.FUNCTION else hung.name
    options: dict[str, Any] = {}
    if kind not in (JointKind.BALL, JointKind.FREE, JointKind.FIXED) and own:
        options = {"rest": tuple(each.default_value for each in own)}
        spans = [each.range if each.clamped else (-np.inf, np.inf) for each in own]
        if any(each.clamped for each in own):
            options["range"] = spans[0] if len(spans) == 1 else tuple(spans)
    match kind:
        case JointKind.FUNCTION:
            steps = []
            for step in split.steps:
                function, names = _composed(step.function, step.coordinates, plan.following)
                steps.append(JointStep(step.turn, step.axis, function, names, step.point))
            options |= {"coordinates": tuple(each.name for each in own), "steps": tuple(steps)}
        case JointKind.COMPOUND:
            motions, back = [], IDENTITY
            for step in split.steps:
                slope = _slope(step.function)
                turn, slide = (slope, 0.0) if step.turn else (0.0, slope)
                motions.append(Screw(step.axis, turn, slide, back @ Pose(step.point)))
                back = Pose(step.point).inverse()
            child_frame = child_frame @ back.inverse()
            options["motions"] = tuple(motions)
        case JointKind.HINGE | JointKind.SLIDER | JointKind.UNIVERSAL:
            options["axis"], child_frame = split.steps[0].axis, child_frame @ point
            if kind is JointKind.UNIVERSAL:
                options["axis2"] = split.steps[1].axis
        case JointKind.BALL | JointKind.FREE:
            moving = MechanismJoint(hung.name, hung.parent, hung.child, hung.coordinates, split.steps)
            rest = np.array([[each.default_value for each in own]])
            R, p, _, _ = joint_motion(moving, rest, np.zeros_like(rest))
            quat = matrix_to_quat(R[0])
            options["rest"] = (*(p[0] if kind is JointKind.FREE else ()), *(quat / np.linalg.norm(quat)))
    return Joint(kind, parent_frame, child_frame, name=name, **options)
