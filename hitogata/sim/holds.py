"""Links of a world held to each other, or to the world, while it runs: a bag in a hand, a door, two hand in hand.

A hold is one, two or three stiff implicit springs between points that coincide when it is made: with one point the ends
turn as they like about each other, with two only about the line through them, with three not at all.  It is held as it
is: nothing snaps.  Springs are rows of the same solve as contacts and ranges, so a hold is stable at any step; it gives
way by what it carries over its stiffness (0.1 mm for 100 N).  Links held to each other do not touch each other.
For constraints that are exact, with gimbals and slides, on one figure: `hitogata.loops`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import values
from hitogata.figure.pose import FloatArray
from hitogata.loops.virtual_links import Turning
from hitogata.sim.arguments import number, numbers
from hitogata.sim.fasteners import Fastening
from hitogata.sim.members import Member
from hitogata.sim.ties import End, Tie, on_link
from hitogata.spatial import quat_rotate

POINTS = {Turning.FREE: 1, Turning.HINGE: 2, Turning.HELD: 3}
"""Springs of a hold."""


@dataclass(frozen=True, eq=False)
class Hold(Fastening):
    """Two links held to each other, or one to the world; made by `hold`.

    Attributes:
        ties: its springs.
        turning: how the ends may turn against each other.
        force_limit: it breaks if its force is greater [N].
        torque_limit: it breaks if its torque about its middle is greater [N m].
        points: where its springs are, in the held frame, about the held point [m], shape (n, 3).
    """

    ties: tuple[Tie, ...]
    turning: Turning
    force_limit: float
    torque_limit: float
    points: FloatArray

    def move(
        self, position: Any, quat: Any = (1.0, 0.0, 0.0, 0.0), velocity: Any = (0.0, 0.0, 0.0),
        angular_velocity: Any = (0.0, 0.0, 0.0),
    ) -> None:  # fmt: skip
        """Of a hold to the world: where the held frame is to be now, and how that goes on by itself.

        Args:
            position: of the held point [m], shape (3,).
            quat: of the held frame, wxyz.
            velocity: of the held point [m/s], shape (3,).
            angular_velocity: world axes [rad/s], shape (3,).
        """
        if on_link(self.ties[0].ends[1]):
            raise ArgumentError("move: this hold is between two links; only one to the world can be moved")
        middle, turn = numbers(position, 3, "position"), numbers(quat, 4, "quat")
        length = number(float(np.linalg.norm(turn)), "quat: its length", positive=True)
        rate, spin = numbers(velocity, 3, "velocity"), numbers(angular_velocity, 3, "angular_velocity")
        arms = quat_rotate(turn / length, self.points)
        for tie, arm in zip(self.ties, arms, strict=True):
            tie.move_anchor(middle + arm, rate + np.cross(spin, arm))

    @property
    def torque(self) -> FloatArray:
        """On the first end about the hold's middle, mean over the last step, world axes [N m], shape (3,)."""
        places = np.array([tie.places[0] for tie in self.ties])
        impulses = [tie._own_impulse() for tie in self.ties]  # turned with the link: the arms do not change
        first = self.ties[0]
        total = np.cross(places - places.mean(axis=0), impulses).sum(axis=0)
        result: FloatArray = total / first._arrays.h_of(first.ends[0][0])
        return result

    @property
    def gap(self) -> float:
        """How far apart the points are that it holds together, the worst, before the last step [m]."""
        return max(float(np.linalg.norm(a - b)) for a, b in (tie.places for tie in self.ties))

    @property
    def too_much(self) -> bool:
        """Whether its force or torque was above its limit in the last step; then the world ends it."""
        too_heavy = np.linalg.norm(self.force) > self.force_limit
        return bool(too_heavy or np.linalg.norm(self.torque) > self.torque_limit)


def hold(
    a: End, b: End | None = None, *, turning: Turning = Turning.HELD, axis: object = None, width: float = 0.1,
    stiffness: float = 1e6, damping: float = 1e3, force_limit: float = np.inf, torque_limit: float = np.inf,
) -> Hold:  # fmt: skip
    """Hold a link to another, or to the world, as they are now.

    Args:
        a: (figure in a world, name of a link or frame), or the same with a point in that frame [m]: the middle.
        b: (figure in the same world, link or frame); None: the world.
        turning: HELD: not at all (a weld); HINGE: about the axis; FREE: in all directions (a pin, a ball joint).
        axis: of a hinge, in the frame of a.
        width: how far apart its springs are [m]: turning is held with stiffness · width²/2 [N m/rad] or more.
        stiffness: of each spring [N/m].
        damping: of each spring [N s/m].
        force_limit: it breaks, after the step in which its force was greater [N].
        torque_limit: the same for its torque [N m].

    Example:
        >>> from hitogata.figure import Box, Pose
        >>> from hitogata.library import human28
        >>> from hitogata.sim import World, hold
        >>> world = World()
        >>> human = world.add(human28())
        >>> bag = world.add_body(Box((0.1, 0.05, 0.1)), mass=3.0, pose=Pose((0.0, 0.25, 0.6)))
        >>> grip = hold((human, "grip_left"), (bag, "body"), force_limit=200.0)
        >>> world.step(1 / 60)
        >>> grip.holds
        True
    """
    if not on_link(a):
        raise ArgumentError(f"a: expected (figure in a world, frame), got {a!r}")
    if b is not None and not (on_link(b) and b[0].world is a[0].world):
        raise ArgumentError(f"b: expected (figure in the same world, frame) or None, got {b!r}")
    if b is not None and b[0] is a[0] and _link(*b[:2]) == _link(*a[:2]):
        raise ArgumentError(f"b: link {b[1]!r} of figure {b[0].figure.name!r} cannot be held to itself")
    if turning not in POINTS:
        raise ArgumentError(f"turning: a hold is HELD, HINGE or FREE, got {turning!r}; for gimbals see hitogata.loops")
    if (axis is None) == (turning is Turning.HINGE):
        raise ArgumentError(f"axis: needed for a hinge, and only there, got {axis!r} with {turning}")
    options = {"stiffness": number(stiffness, "stiffness", positive=True), "damping": number(damping, "damping")}
    limits = [number(x, n, infinite=True) for x, n in ((force_limit, "force_limit"), (torque_limit, "torque_limit"))]
    points = _points(turning, axis, number(width, "width", positive=True) / 2)
    middle = _point_of(a, "a")
    if b is not None:
        _point_of(b, "b")
    places = [_in_world(a[0], a[1], middle + point) for point in points]
    ties = tuple(
        a[0].world.add_spring(
            _seen_from(a, place), place if b is None else _seen_from(b, place), touching=k > 0, **options
        )
        for k, place in enumerate(places)
    )
    result = Hold(ties, turning, limits[0], limits[1], points)
    if min(limits) < np.inf:
        a[0].world._watch(result)
    return result


def _points(turning: Turning, axis: object, half: float) -> FloatArray:
    """Where the springs are, about the middle, in the frame of the first end [m], shape (n, 3)."""
    if turning is Turning.FREE:
        return np.zeros((1, 3))
    if turning is Turning.HINGE:
        along = np.array(values.vector(axis, "axis of a hold"))
        if not np.linalg.norm(along) > 0:
            raise ArgumentError("axis of a hold: it must not be zero")
        along *= half / np.linalg.norm(along)
        return np.array([-along, along])
    return np.sqrt(2.0) * half * (np.eye(3) - 1 / 3)  # a triangle with equal sides, about the middle


def _point_of(end: End, name: str) -> FloatArray:
    """The point that an end may name in its frame, or the frame's origin [m], shape (3,)."""
    _, _, *point = end
    return numbers(point[0], 3, f"{name}: point in the frame [m]") if point else np.zeros(3)


def _link(member: Member, frame: str) -> int:
    return member.figure.frame(frame)[0]


def _in_world(member: Member, frame: str, point: FloatArray) -> FloatArray:
    """A point of a frame, in the world now [m], shape (3,)."""
    link, pose = member.figure.frame(frame)
    poses = forward_kinematics(member.figure, member.q)
    result: FloatArray = poses.position[link] + poses.rotation[link] @ pose.apply(point)
    return result


def _seen_from(end: End, place: FloatArray) -> End:
    """A point of the world as an end on a link."""
    member, frame = end[:2]
    link, _ = member.figure.frame(frame)
    poses = forward_kinematics(member.figure, member.q)
    return member, member.figure.link_names[link], poses.rotation[link].T @ (place - poses.position[link])
