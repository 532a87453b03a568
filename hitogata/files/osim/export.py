"""OpenSim models from figures: bodies, joints, ranges, frames as markers."""

import math
import warnings

import numpy as np

from hitogata.errors import FileContentWarning
from hitogata.figure.figure import Figure
from hitogata.figure.joint import JointKind
from hitogata.figure.link import Link
from hitogata.figure.mechanism import Constant, Linear
from hitogata.figure.pose import Pose, turn_from_z
from hitogata.figure.values import FloatArray, Vector
from hitogata.files.osim.document import GROUND, Body, Coordinate, Joint, Marker, OffsetFrame, TransformAxis
from hitogata.files.osim.figures import UP
from hitogata.files.osim.joints import AXES
from hitogata.files.osim.model import OsimModel

_TURNS, _SHIFTS = ("rx", "ry", "rz"), ("tx", "ty", "tz")
_TYPES = {
    JointKind.FREE: "FreeJoint",
    JointKind.BALL: "BallJoint",
    JointKind.HINGE: "PinJoint",
    JointKind.SLIDER: "SliderJoint",
    JointKind.FIXED: "WeldJoint",
}


def osim_from_figure(figure: Figure) -> OsimModel:
    """The model of a figure, y up as OpenSim has it.

    A joint of one screw (hinge, slider) has one coordinate with the joint's name, one of two <joint>_1 and _2; ball and
    free joints have x-y-z angles <joint>_rx, _ry, _rz, free ones also <joint>_tx, _ty, _tz.  Named frames become
    markers.
    Shapes, ranges of ball joints, damping and armature are listed in one FileContentWarning.
    """
    bodies, joints, frames, markers = [], [], [], []
    left: dict[str, None] = {}
    for link in figure.links:
        bodies.append(Body(link.name, link.mass.mass, link.mass.centre, link.mass.inertia))
        name = link.joint.name or link.name
        parent = GROUND if link.parent is None else f"/bodyset/{link.parent}"
        align = _aligned(link)
        placed = (UP.inverse() if link.parent is None else Pose()) @ link.joint.parent_frame @ align
        ends = (f"/jointset/{name}/parent_offset", parent, placed), (
            f"/jointset/{name}/child_offset", f"/bodyset/{link.name}", link.joint.child_frame @ align,
        )  # fmt: skip
        for path, base, pose in ends:
            frames.append(OffsetFrame(path.rsplit("/", 1)[-1], path, base, pose.position, xyz_angles(pose.rotation)))
        coordinates = _coordinates(link, name)
        type_ = _TYPES.get(link.joint.kind, "CustomJoint")
        transform = _transform(link, [each.name for each in coordinates]) if type_ == "CustomJoint" else ()
        joints.append(Joint(name, type_, ends[0][0], ends[1][0], coordinates, transform))
        markers += [Marker(frame.name, f"/bodyset/{link.name}", frame.pose.position) for frame in link.frames]
        for what, held in (
            ("shapes", bool(link.shapes)),
            ("ranges of ball joints", link.joint.kind is JointKind.BALL and link.joint.range is not None),
            ("damping", link.joint.damping > 0),
            ("armature", link.joint.armature > 0),
            ("effort limits", link.joint.effort_limit < math.inf),
        ):
            if held:
                left[what] = None
    if left:
        told = f"figure {figure.name!r}: not written: {', '.join(left)}"
        warnings.warn(told, FileContentWarning, stacklevel=2)
    return OsimModel(figure.name, tuple(bodies), tuple(joints), tuple(frames), markers=tuple(markers))


def _aligned(link: Link) -> Pose:
    """The turn that takes OpenSim's axis of a joint to the figure's: z of a pin, x of a slider."""
    if link.joint.kind is JointKind.HINGE:
        return Pose(quat=turn_from_z(link.joint.axis))
    if link.joint.kind is JointKind.SLIDER:
        half = math.sqrt(0.5)
        return Pose(quat=turn_from_z(link.joint.axis)) @ Pose(quat=(half, 0.0, -half, 0.0))  # x of it is z
    return Pose()


def _coordinates(link: Link, name: str) -> tuple[Coordinate, ...]:
    joint = link.joint
    assert joint.rest is not None
    if joint.quat_start is not None:
        angles = xyz_angles(Pose(quat=joint.rest[-4:]).rotation)  # type: ignore[arg-type]
        turns = [_coordinate(f"{name}_{end}", angle, None) for end, angle in zip(_TURNS, angles, strict=True)]
        moves = zip(_SHIFTS, joint.rest[:-4], strict=False)
        return (*turns, *(_coordinate(f"{name}_{end}", value, None) for end, value in moves))
    if len(joint.screws) == 1:
        return (_coordinate(name, joint.rest[0], joint.range),)
    spans = joint.range or (None,) * joint.nq
    return tuple(_coordinate(f"{name}_{k + 1}", joint.rest[k], spans[k]) for k in range(joint.nq))


def _coordinate(name: str, rest: float, span: tuple[float, float] | None) -> Coordinate:
    """Infinite ends become wide ones: OpenSim wants numbers."""
    if span is None:
        return Coordinate(name, rest)
    low, high = (float(np.clip(end, -1e3, 1e3)) for end in span)
    return Coordinate(name, rest, 0.0, (low, high), True)


def _transform(link: Link, names: list[str]) -> tuple[TransformAxis, ...]:
    """A custom joint of one or two screws: turns about their axes, which need not be square, and slides along."""
    screws = link.joint.screws
    first = np.array(screws[0].axis)
    second = np.array(screws[1].axis) if len(screws) > 1 else np.cross(first, np.eye(3)[np.abs(first).argmin()])
    third = np.cross(first, second)
    axes = [first, second / np.linalg.norm(second), third / np.linalg.norm(third)]
    rows: list[TransformAxis] = []
    for part, along in (("turn", axes), ("slide", axes if any(s.slide for s in screws) else np.eye(3))):
        for k in range(3):
            amount = getattr(screws[k], part) if k < len(screws) else 0.0
            function = Linear((amount, 0.0)) if amount else Constant()
            rows.append(TransformAxis(AXES[len(rows)], (names[k],) if amount else (), _vector(along[k]), function))
    return tuple(rows)


def _vector(values: FloatArray) -> Vector:
    x, y, z = values.tolist()
    return x, y, z


def xyz_angles(R: FloatArray) -> Vector:
    """Body-fixed x-y-z angles of a rotation matrix; the third is zero where the second is a quarter turn."""
    across = math.hypot(R[0, 0], R[0, 1])
    b = math.atan2(R[0, 2], across)
    if across < 1e-9:
        return math.atan2(R[1, 0] * math.copysign(1.0, R[0, 2]), R[1, 1]), b, 0.0
    return math.atan2(-R[1, 2], R[2, 2]), b, math.atan2(-R[0, 1], R[0, 0])
