"""Figures from OpenSim models, where every joint is of a kind that figures have, and their coordinates there and back.

The world is turned from y up to z up: (x, y, z) of the model are (x, -z, y) here, so that who looks along x still
does, with +y to the left.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import FigureError, FileContentWarning
from hitogata.figure.figure import Figure
from hitogata.figure.joint import Joint, JointKind
from hitogata.figure.link import Frame, Link
from hitogata.figure.mass import MassProperties
from hitogata.figure.mechanism import (
    Constant,
    JointStep,
    Linear,
    Mechanism,
    MechanismJoint,
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


@dataclass(frozen=True)
class _Motion:
    """A joint's moving steps, and what is fixed before and behind them."""

    before: Pose
    steps: tuple[JointStep, ...]
    behind: Pose


def figure_from_osim(model: OsimModel) -> Figure:
    """A figure with the same bodies, masses and joints.

    Joints with one coordinate are named after it, others keep their own names.  Markers become frames.  Muscles,
    constraints and all else that a figure does not hold are listed in one FileContentWarning.

    Raises:
        FigureError: joints that follow functions, couplers, bodies without mass or several roots; all named.
    """
    mechanism = mechanism_from_osim(model)
    _check(model, mechanism)
    markers: dict[str | None, list[Frame]] = {}
    for marker in model.markers:
        carrier, pose = model.place(marker.socket_parent_frame)
        markers.setdefault(carrier, []).append(Frame(marker.name, pose @ Pose(marker.location)))
    links = []
    for body, hung in zip(mechanism.bodies, mechanism.joints, strict=True):
        try:
            mass = MassProperties(body.mass, body.centre, body.inertia)  # type: ignore[arg-type]
        except FigureError as error:
            raise FigureError(f"body {body.name!r}: {error}") from None
        frames = tuple(markers.get(body.name, ()))
        links.append(Link(body.name, hung.parent, _joint(model, hung), mass, (), frames))
    left = [
        ("force", len(model.forces)),
        ("constraint", len(model.constraints)),
        ("contact shape", len(model.contact_geometry)),
    ]
    left += [("drawn piece", len(model.geometry)), ("marker of the ground", len(markers.get(None, ())))]
    told = ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for what, count in left if count)
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
    for k, link in enumerate(figure.links):
        hung = mechanism.joints[starts[link.name]]
        own = [mechanism.index(name) for name in hung.coordinates]
        at, to = slice(figure.q_starts[k], figure.q_starts[k] + link.joint.nq), figure.v_starts[k]
        if link.joint.kind not in (JointKind.BALL, JointKind.FREE):
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


def _check(model: OsimModel, mechanism: Mechanism) -> None:
    """All that stands in the way, in one error."""
    wrong = [f"joint {joint.name!r} ({_why(joint)})" for joint in mechanism.joints if _why(joint)]
    wrong += [f"coordinate {coupling.coordinate!r} (it follows others)" for coupling in mechanism.couplings]
    roots = [joint.child for joint in mechanism.joints if joint.parent is None]
    if len(roots) > 1:
        wrong.append(f"bodies {', '.join(map(repr, roots))} (a figure has one root)")
    wrong += [f"body {body.name!r} (it has no mass)" for body in mechanism.bodies if body.mass == 0]
    if wrong:
        raise FigureError(f"model {model.name!r}: a Figure cannot hold {'; '.join(wrong)}: use mechanism_from_osim")


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


def _kind(joint: MechanismJoint) -> JointKind | None:
    """The kind of joint that moves as the steps do; None: there is none."""
    steps = _split(joint).steps
    if not all(step.function == Linear() for step in steps) or len(steps) != len(joint.coordinates):
        return None
    pattern = "".join("r" if step.turn else "t" for step in steps)
    shifts, turns = (np.array([step.axis for step in steps if step.turn is turn]) for turn in (False, True))
    at_origin = all(not any(step.point) for step in steps)
    match pattern:
        case "":
            return JointKind.FIXED
        case "r":
            return JointKind.HINGE
        case "t":
            return JointKind.SLIDER
        case "rr" if at_origin and abs(turns[0] @ turns[1]) < 0.99:
            return JointKind.UNIVERSAL
        case "rrr" if at_origin and _spread(turns):
            return JointKind.BALL
        case "tttrrr" if joint.parent is None and at_origin and _spread(turns) and _spread(shifts):
            return JointKind.FREE
    return None


def _spread(axes: FloatArray) -> bool:
    """Whether turns about three axes, one after the other, reach all rotations: each across the next."""
    return bool(abs(axes[0] @ axes[1]) < 1e-9 and abs(axes[1] @ axes[2]) < 1e-9)


def _why(joint: MechanismJoint) -> str:
    if _kind(joint) is not None:
        return ""
    bent = sorted({type(step.function).__name__ for step in _split(joint).steps} - {"Linear"})
    return f"it follows {', '.join(bent)}" if bent else f"its {len(joint.coordinates)} coordinates fit no kind of joint"


def _joint(model: OsimModel, hung: MechanismJoint) -> Joint:
    """The figure's joint: X = parent_frame · before · T(point) · moving · T(-point) · behind · child_frame⁻¹."""
    kind, split = _kind(hung), _split(hung)
    assert kind is not None
    point = Pose(split.steps[0].point) if kind is JointKind.HINGE else IDENTITY
    parent_frame = (UP @ hung.parent_frame if hung.parent is None else hung.parent_frame) @ split.before @ point
    child_frame = hung.child_frame @ split.behind.inverse() @ point
    own = [model.coordinate(name) for name in hung.coordinates]
    name = own[0].name if len(own) == 1 else hung.name
    options: dict[str, Any] = {}
    if kind in (JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL):
        options = {"axis": split.steps[0].axis, "rest": tuple(each.default_value for each in own)}
        spans = [each.range if each.clamped else (-np.inf, np.inf) for each in own]
        if any(each.clamped for each in own):
            options["range"] = spans[0] if len(spans) == 1 else tuple(spans)
    if kind is JointKind.UNIVERSAL:
        options["axis2"] = split.steps[1].axis
    if kind in (JointKind.BALL, JointKind.FREE):
        moving = MechanismJoint(hung.name, hung.parent, hung.child, hung.coordinates, split.steps)
        rest = np.array([[each.default_value for each in own]])
        R, p, _, _ = joint_motion(moving, rest, np.zeros_like(rest))
        quat = matrix_to_quat(R[0])
        options["rest"] = (*(p[0] if kind is JointKind.FREE else ()), *(quat / np.linalg.norm(quat)))
    return Joint(kind, parent_frame, child_frame, name=name, **options)
