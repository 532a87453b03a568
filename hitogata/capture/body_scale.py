"""A figure made larger or smaller, link by link, along the axes of each link's frame.

Every place in a link's frame is scaled with it: joints, markers, frames, the centre of mass, shapes.  Turns are not, so
that a pose keeps its joint angles.  Within a joint, shifts that follow functions grow with the parent (a knee that is
larger slides further); shifts that are coordinates themselves do not.  OpenSim scales models likewise.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, Cylinder, Ellipsoid, Figure, Frame, Joint, Link, MassProperties, Shape, Sphere
from hitogata.figure.joint import Screw
from hitogata.figure.mechanism import Composed, JointStep, Linear, Scaled
from hitogata.figure.mechanism.functions import Function
from hitogata.figure.pose import Pose
from hitogata.figure.values import FloatArray, floats


def scaled_figure(figure: Figure, scales: Any, *, mass: float | None = None) -> Figure:
    """A figure of other sizes.

    Args:
        figure: it.
        scales: factors along the axes of each link's frame, positive, shape (nlinks, 3).
        mass: of the whole, shared out as before [kg]; None: every link keeps its density.

    Raises:
        ArgumentError: wrong shape, or factors that are not positive.
    """
    factors = floats(scales, "scales").astype(np.float64)
    if factors.shape != (figure.nlinks, 3) or not (np.isfinite(factors) & (factors > 0)).all():
        raise ArgumentError(f"scales: positive numbers of shape ({figure.nlinks}, 3) expected, got {factors.shape}")
    share = None if mass is None else mass / figure.mass
    links = []
    for k, link in enumerate(figure.links):
        above = figure.parents[k]
        parent, own = (np.ones(3) if above < 0 else factors[above]), factors[k]
        links.append(
            Link(
                link.name, link.parent, scaled_joint(link.joint, parent, own), _mass(link.mass, own, share),
                tuple(_shape(shape, own) for shape in link.shapes),
                tuple(Frame(frame.name, _moved(frame.pose, own)) for frame in link.frames),
            )
        )  # fmt: skip
    return Figure(figure.name, tuple(links), figure.coupled)


def scaled_joint(joint: Joint, parent: FloatArray, own: FloatArray) -> Joint:
    """A joint between links of other sizes: factors along the axes of the parent and of the child, shape (3,)."""
    options: dict[str, Any] = {
        "parent_frame": _moved(joint.parent_frame, parent), "child_frame": _moved(joint.child_frame, own),
    }  # fmt: skip
    within = within_joint(joint, parent)
    if joint.motions:
        options["motions"] = tuple(Screw(m.axis, m.turn, m.slide, _placed(m.before, within)) for m in joint.motions)
    if joint.steps:
        options["steps"] = tuple(_step(step, within, parent) for step in joint.steps)
    return replace(joint, **options)


def within_joint(joint: Joint, parent: FloatArray) -> FloatArray:
    """The scaling of the parent in the axes of the joint's frame F, shape (3, 3)."""
    R = np.asarray(joint.parent_frame.rotation)
    within: FloatArray = R.T @ (parent[:, None] * R)
    return within


def grows(step: JointStep) -> bool:
    """Whether a step is a shift that grows with the parent: by a function, not by a coordinate as it stands."""
    return not step.turn and step.function != Linear()


def growth(step: JointStep) -> FloatArray:
    """How much each factor of the parent counts for a shift that grows, shape (3,): by its axis in the joint's frame,
    as OpenSim has it, however that frame is turned in the parent."""
    return np.asarray(step.axis) ** 2


def _step(step: JointStep, within: FloatArray, parent: FloatArray) -> JointStep:
    function = step.function
    if grows(step):
        function = _times(function, float(growth(step) @ parent))
    return JointStep(step.turn, step.axis, function, step.coordinates, tuple((within @ step.point).tolist()))


def _times(function: Function, factor: float) -> Function:
    """A function times a factor, as few layers deep as can be."""
    if factor == 1.0:
        return function
    if isinstance(function, Scaled):
        return _times(function.function, factor * function.scale)
    if isinstance(function, Composed):
        return Composed(_times(function.outer, factor), function.inner, function.count)
    return Scaled(function, factor)


def _moved(pose: Pose, factors: FloatArray) -> Pose:
    x, y, z = (factors * pose.position).tolist()
    return Pose((x, y, z), pose.quat)


def _placed(pose: Pose, within: FloatArray) -> Pose:
    x, y, z = (within @ pose.position).tolist()
    return Pose((x, y, z), pose.quat)


def _mass(mass: MassProperties, factors: FloatArray, share: float | None) -> MassProperties:
    """Second moments ∫ x xᵀ dm are scaled on both sides."""
    heavier = float(np.prod(factors)) if share is None else share
    x, y, z = (factors * mass.centre).tolist()
    inertia = mass.matrix
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    second = heavier * factors[:, None] * second * factors
    new = np.trace(second) * np.eye(3) - second
    six = (new[0, 0], new[1, 1], new[2, 2], new[0, 1], new[0, 2], new[1, 2])
    return MassProperties(mass.mass * heavier, (x, y, z), tuple(map(float, six)), rigid=mass.rigid)  # type: ignore[arg-type]


def _shape(shape: Shape, factors: FloatArray) -> Shape:
    """Round shapes stay round: across their axis they grow by the mean of the two other factors."""
    R = np.asarray(shape.pose.rotation)
    along = np.linalg.norm(factors[:, None] * R, axis=0)            # of the shape's own axes
    pose = _moved(shape.pose, factors)
    across = float(np.sqrt(along[0] * along[1]))
    if isinstance(shape, Sphere):
        return replace(shape, pose=pose, radius=shape.radius * float(np.cbrt(along.prod())))
    if isinstance(shape, Capsule | Cylinder):
        length = shape.half_length * float(along[2])
        return replace(shape, pose=pose, radius=shape.radius * across, half_length=length)
    if isinstance(shape, Ellipsoid):
        return replace(shape, pose=pose, half_axes=tuple((along * shape.half_axes).tolist()))
    if isinstance(shape, Box):
        return replace(shape, pose=pose, half_sizes=tuple((along * shape.half_sizes).tolist()))
    return replace(shape, pose=pose)
