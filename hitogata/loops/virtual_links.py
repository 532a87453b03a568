"""Virtual links: a constraint between two links, or a link and the world, as a joint that may come and go.

Nakamura & Yamane 2000, §2.1: a new contact, grasp or joint is a link with six motions against its parent, some of them
held; the figure's coordinates stay what they are, and the force that holds is computed directly.

A virtual link is a frame C fixed to the `child` and a frame P fixed to the `parent`, given by points and axes or by
poses.  What may still move is said in the axes of P: along which of them C may slide, and how C may turn.  As numbers
that are zero while it holds:

    held slide along n        n · r                          r = p_C - p_P, n an axis of P
    held turning              2 v, v the vector part of the quaternion of R_PC       (three numbers)
    turning about z only      -y_P · z_C,  x_P · z_C                                 (two)
    turning about x_P and y_C -x_P · y_C                                             (one)
    rod                       |r| - length
"""

import enum
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Pose
from hitogata.figure.pose import IDENTITY, turn_from_z
from hitogata.loops.frames import direction_of, frame_at, shortest_turn


class Turning(enum.Enum):
    """How C may turn against P."""

    FREE = 0
    GIMBAL = 1  # about x of P, and y of C
    HINGE = 2  # about z
    HELD = 3


ROTATION_ROWS = {Turning.FREE: 0, Turning.GIMBAL: 1, Turning.HINGE: 2, Turning.HELD: 3}


@dataclass(frozen=True)
class VirtualLink:
    """A constraint between two links; made by `weld`, `pin`, `hinge`, `gimbal`, `slide`, `grasp` or `rod`.

    Attributes:
        child: name of a link or named frame.
        parent: the other one's name; None: the world.
        child_pose: C in the child's frame.
        parent_pose: P in the parent's frame (or in the world).
        slides: along which axes of P the origin of C may move.
        turning: how C may turn against P.
        length: of a rod [m]: only the distance of the origins is held; None: not a rod.
        compliance: how far it gives way [m/N, rad/(N m)]; 0: not at all.
        relaxation: of a compliant one: its damping, as the time in which it would creep back [s].
        force_limit: it breaks if its force is greater [N].
        torque_limit: it breaks if its torque about C is greater [N m].
    """

    child: str
    parent: str | None = None
    child_pose: Pose = IDENTITY
    parent_pose: Pose = IDENTITY
    slides: tuple[bool, bool, bool] = (False, False, False)
    turning: Turning = Turning.HELD
    length: float | None = None
    compliance: float = 0.0
    relaxation: float = 0.0
    force_limit: float = math.inf
    torque_limit: float = math.inf

    def __post_init__(self) -> None:
        for what, pose in (("child_pose", self.child_pose), ("parent_pose", self.parent_pose)):
            if not isinstance(pose, Pose):
                raise ArgumentError(f"virtual link on {self.child!r}: {what} must be a Pose, got {pose!r}")
        if not isinstance(self.turning, Turning):
            raise ArgumentError(f"virtual link on {self.child!r}: turning must be a Turning, got {self.turning!r}")
        if np.shape(self.slides) != (3,):
            raise ArgumentError(f"virtual link on {self.child!r}: slides must be 3 truth values, got {self.slides!r}")
        object.__setattr__(self, "slides", tuple(bool(s) for s in self.slides))
        for name, least, infinite in (("compliance", 0.0, False), ("relaxation", 0.0, False),
                                      ("force_limit", 0.0, True), ("torque_limit", 0.0, True)):  # fmt: skip
            object.__setattr__(self, name, _number(self, name, getattr(self, name), least, infinite))
        if self.length is not None:
            object.__setattr__(self, "length", _number(self, "length", self.length, 0.0, False))
            if self.length == 0.0:
                raise ArgumentError(f"rod on {self.child!r}: its length must be positive; for 0 use a pin")

    @property
    def rows(self) -> int:
        """How many motions it holds."""
        if self.length is not None:
            return 1
        return 3 - sum(self.slides) + ROTATION_ROWS[self.turning]

    @property
    def child_point(self) -> tuple[float, float, float]:
        """Origin of C, in the child's frame [m]."""
        return self.child_pose.position

    @property
    def parent_point(self) -> tuple[float, float, float]:
        """Origin of P, in the parent's frame, or in the world [m]."""
        return self.parent_pose.position

    @property
    def axis(self) -> tuple[float, float, float]:
        """What it turns about or slides along, in the child's frame: z of C; of a gimbal, y."""
        x, y, z = self.child_pose.rotation[:, 1 if self.turning is Turning.GIMBAL else 2].tolist()
        return x, y, z

    @property
    def parent_axis(self) -> tuple[float, float, float]:
        """The same in the parent's frame, or in the world: z of P; of a gimbal, x."""
        x, y, z = self.parent_pose.rotation[:, 0 if self.turning is Turning.GIMBAL else 2].tolist()
        return x, y, z

    @property
    def rigid(self) -> bool:
        """Whether it holds exactly; a compliant one is a spring and damper."""
        return self.compliance == 0.0


ORIGIN = (0.0, 0.0, 0.0)


def weld(
    child: str, parent: str | None = None, *, child_point: Any = ORIGIN, parent_point: Any = ORIGIN, **options: Any
) -> VirtualLink:
    """Holds all six motions: two points together, and the frames of both turned alike.

    Args:
        child: name of a link or named frame.
        parent: the other one's name; None: the world.
        child_point: the point, in the child's frame [m]; also called `point`, here and in the functions below.
        parent_point: where it is held, in the parent's frame, or in the world [m].
        **options: other attributes of `VirtualLink`; child_pose and parent_pose to hold frames that are turned.
    """
    return _link(child, parent, (child_point, None), (parent_point, None), options)


def pin(
    child: str, parent: str | None = None, *, child_point: Any = ORIGIN, parent_point: Any = ORIGIN, **options: Any
) -> VirtualLink:
    """Holds a point of the child at one of the parent; it may turn as it likes (a ball joint).

    Args:
        child: name of a link or named frame.
        parent: the other one's name; None: the world.
        child_point: the point, in the child's frame [m].
        parent_point: where it is held, in the parent's frame, or in the world [m].
        **options: other attributes of `VirtualLink`.
    """
    return _link(child, parent, (child_point, None), (parent_point, None), {"turning": Turning.FREE, **options})


def hinge(
    child: str, parent: str | None = None, *, axis: Any, parent_axis: Any = None, child_point: Any = ORIGIN,
    parent_point: Any = ORIGIN, **options: Any,
) -> VirtualLink:  # fmt: skip
    """Lets the child turn about an axis through a point, and nothing else.

    Args:
        child: name of a link or named frame.
        parent: the other one's name; None: the world.
        axis: direction, in the child's frame.
        parent_axis: the same direction in the parent's frame, or in the world; None: the same numbers.
        child_point: a point of the axis, in the child's frame [m].
        parent_point: where it is held, in the parent's frame, or in the world [m].
        **options: other attributes of `VirtualLink`.
    """
    ends = (child_point, axis), (parent_point, axis if parent_axis is None else parent_axis)
    return _link(child, parent, *ends, {"turning": Turning.HINGE, **options})


def gimbal(
    child: str, parent: str | None = None, *, axis: Any = (0.0, 1.0, 0.0), parent_axis: Any = (1.0, 0.0, 0.0),
    child_point: Any = ORIGIN, parent_point: Any = ORIGIN, **options: Any,
) -> VirtualLink:  # fmt: skip
    """Lets the child turn about two axes through a point: one fixed to the parent, and one, across it, to the child.

    Args:
        child: name of a link or named frame.
        parent: the other one's name; None: the world.
        axis: direction of the child's, in its frame; y of C.
        parent_axis: direction of the parent's, in its frame, or in the world; x of P.
        child_point: where they meet, in the child's frame [m].
        parent_point: the same in the parent's frame, or in the world [m].
        **options: other attributes of `VirtualLink`.
    """
    own = frame_at(child_point, shortest_turn((0.0, 1.0, 0.0), direction_of(axis)))
    other = frame_at(parent_point, shortest_turn((1.0, 0.0, 0.0), direction_of(parent_axis)))
    return _framed(child, parent, own, other, {"turning": Turning.GIMBAL, **options})


def slide(
    child: str, parent: str | None = None, *, axis: Any, parent_axis: Any = None, child_point: Any = ORIGIN,
    parent_point: Any = ORIGIN, turning: Turning = Turning.HELD, **options: Any,
) -> VirtualLink:  # fmt: skip
    """Lets the child slide along an axis.

    Args:
        child: name of a link or named frame.
        parent: the other one's name; None: the world.
        axis: direction, in the child's frame.
        parent_axis: the same direction in the parent's frame, or in the world; None: the same numbers.  If all turning
            is held, the child is turned against the parent by the shortest turn that takes `axis` to it.
        child_point: the point that slides, in the child's frame [m].
        parent_point: a point of its way, in the parent's frame, or in the world [m].
        turning: HELD: no turning; HINGE: about the axis too; FREE: only the point stays on the axis.
        **options: other attributes of `VirtualLink`.
    """
    ends = (child_point, axis), (parent_point, axis if parent_axis is None else parent_axis)
    return _link(child, parent, *ends, {"slides": (False, False, True), "turning": turning, **options})


def grasp(
    child: str, parent: str | None = None, *, bar: Any = None, parent_axis: Any = None, child_point: Any = ORIGIN,
    parent_point: Any = ORIGIN, **options: Any,
) -> VirtualLink:  # fmt: skip
    """A hand that holds something: a bar, about which it may turn, or anything else, which it may not.

    Args:
        child: name of a link or named frame, the hand.
        parent: what it holds; None: something fixed in the world.
        bar: direction of the bar, in the child's frame; None: the grip is firm in all directions.
        parent_axis: direction of the bar in the parent's frame, or in the world; None: the same numbers.
        child_point: middle of the grip, in the child's frame [m].
        parent_point: the same in the parent's frame, or in the world [m].
        **options: other attributes of `VirtualLink`, such as force_limit.
    """
    points = {"child_point": child_point, "parent_point": parent_point}
    if bar is None:
        return weld(child, parent, **points, **options)
    return hinge(child, parent, axis=bar, parent_axis=parent_axis, **points, **options)


def rod(
    child: str, parent: str | None = None, *, length: float, child_point: Any = ORIGIN, parent_point: Any = ORIGIN,
    **options: Any,
) -> VirtualLink:  # fmt: skip
    """A massless rod between two points; with compliance, a spring of that length.

    Args:
        child: name of a link or named frame.
        parent: the other one's name; None: the world.
        length: of the rod [m].
        child_point: where it holds the child, in the child's frame [m].
        parent_point: where it holds the parent, in the parent's frame, or in the world [m].
        **options: other attributes of `VirtualLink`.
    """
    given = {"turning": Turning.FREE, "length": length, **options}
    return _link(child, parent, (child_point, None), (parent_point, None), given)


def here(figure: Figure, q: Any, link: VirtualLink) -> VirtualLink:
    """The virtual link with P where C is in a pose: grasp at what is there, hold what has come together.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,).
        link: the virtual link; its parent_pose is replaced (of a rod, its length).
    """
    poses = forward_kinematics(figure, q)
    if poses.position.ndim != 2:
        raise ArgumentError("q: expected one pose, got a batch")
    X_WC = _frame(figure, poses, link.child) @ link.child_pose
    X_WA = IDENTITY if link.parent is None else _frame(figure, poses, link.parent)
    if link.length is not None:
        way = np.subtract(X_WC.position, (X_WA @ link.parent_pose).position)
        return replace(link, length=float(np.linalg.norm(way)))
    return replace(link, parent_pose=X_WA.inverse() @ X_WC)


def _frame(figure: Figure, poses: Any, name: str) -> Pose:
    index, pose = figure.frame(name)
    return Pose(tuple(poses.position[index]), tuple(poses.quat[index])) @ pose


def _link(child: str, parent: str | None, own: Any, other: Any, options: dict[str, Any]) -> VirtualLink:
    """A virtual link from points and axes: z of C and of P; the shortest turn from one to the other takes C to P."""
    (child_point, axis), (parent_point, parent_axis) = own, other
    turn = side = (1.0, 0.0, 0.0, 0.0)
    if axis is not None:
        direction = direction_of(axis)
        turn = turn_from_z(direction)
        side = (Pose(quat=shortest_turn(direction, direction_of(parent_axis))) @ Pose(quat=turn)).quat
    return _framed(child, parent, frame_at(child_point, turn), frame_at(parent_point, side), options)


def _framed(child: str, parent: str | None, own: Pose, other: Pose, options: dict[str, Any]) -> VirtualLink:
    """A virtual link with frames that may be given in other ways."""
    options = dict(options)
    if "point" in options:
        own = frame_at(options.pop("point"), own.quat)
    for name, pose in (("child", own), ("parent", other)):
        if f"{name}_pose" in options and pose.position != ORIGIN:
            raise ArgumentError(f"virtual link on {child!r}: give {name}_point or {name}_pose, not both")
    return VirtualLink(child, parent, **{"child_pose": own, "parent_pose": other, **options})


def _number(link: VirtualLink, name: str, value: Any, least: float, infinite: bool) -> float:
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = math.nan
    if not result >= least or (math.isinf(result) and not infinite):
        what = f"virtual link on {link.child!r}: {name}"
        raise ArgumentError(f"{what} must be a number, {least:g} or more; got {value!r}")
    return result
