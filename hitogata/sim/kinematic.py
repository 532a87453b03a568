"""Bodies whose motion is given: lifts, doors, a hand of an animated character.  They push others; nothing pushes them.

A kinematic body is a free body with a great armature, as the roots of `strands`: before a step it gets its velocity,
which nothing then changes; after the step it is put where that velocity brings it.  Snapshots hold where it is, not
what it was told.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.contact.shapes import ALL
from hitogata.errors import ArgumentError
from hitogata.figure import FigureBuilder, Pose, Shape, State, joint
from hitogata.figure.pose import FloatArray
from hitogata.sim.arguments import number, numbers
from hitogata.sim.coordinates import Coordinates
from hitogata.sim.parts import state_parts
from hitogata.spatial import quat_exp, quat_log, quat_multiply

if TYPE_CHECKING:
    from hitogata.sim.members import Member
    from hitogata.sim.world import World

MASS, ARMATURE = 100.0, 1e9
"""Of its body [kg]: contacts are as firm as with this mass; and what holds its velocity."""


class KinematicBody:
    """A body in a world that moves as it is told.

    Args:
        world: where; in reduced coordinates.
        shapes: what others touch.
        pose: where it is at first.
        velocity: with which it moves on [m/s], shape (3,).
        angular_velocity: the same [rad/s], world axes, shape (3,).
        name: of it.
        friction: coefficient of its surface.
        restitution: the same.
        group: bits, see `World.add`.
        mask: bits, see `World.add`.

    Example:
        >>> from hitogata.figure import Box, Pose
        >>> from hitogata.sim import KinematicBody, World
        >>> world = World()
        >>> lift = KinematicBody(world, Box((0.5, 0.5, 0.05)), velocity=(0.0, 0.0, 0.4))
        >>> load = world.add_body(Box((0.1, 0.1, 0.1)), mass=5.0, pose=Pose((0.0, 0.0, 0.15)))
        >>> world.step(1 / 60, steps=60)
        >>> round(float(lift.position[2]), 6)
        0.4
    """

    def __init__(
        self, world: "World", shapes: Shape | Sequence[Shape], *, pose: Pose | None = None,
        velocity: Any = (0.0, 0.0, 0.0), angular_velocity: Any = (0.0, 0.0, 0.0), name: str = "kinematic",
        friction: float = 0.8, restitution: float = 0.0, group: int = 1, mask: int = ALL,
    ) -> None:  # fmt: skip
        if world.coordinates is not Coordinates.REDUCED:
            raise ArgumentError("world: kinematic bodies need a world in reduced coordinates")
        parts = [shapes] if isinstance(shapes, Shape) else shapes
        if not isinstance(parts, Sequence) or not all(isinstance(part, Shape) for part in parts):
            raise ArgumentError(f"shapes: expected a Shape or a list of them, got {shapes!r}")
        self._velocity: FloatArray = _rates(velocity, angular_velocity)
        builder = FigureBuilder(name)
        builder.add(name, None, joint.free(armature=ARMATURE), shapes=parts, total_mass=MASS)
        at = pose or Pose()
        self._left = np.inf  # until it stops [s]
        self._world = world
        self._member = world.add(
            builder.build(), State(np.array([*at.position, *at.quat]), self._velocity.copy()), friction=friction,
            restitution=restitution, group=group, mask=mask,
        )  # fmt: skip
        world._led.append(self)

    @property
    def member(self) -> "Member":
        """As a figure of the world: for contacts, recordings, removing."""
        return self._member

    @property
    def position(self) -> FloatArray:
        """Where its frame's origin is [m], shape (3,), a copy."""
        return self._member.q[:3]

    @property
    def quat(self) -> FloatArray:
        """How it is turned, wxyz, a copy."""
        return self._member.q[3:]

    def set_velocity(self, velocity: Any, angular_velocity: Any = (0.0, 0.0, 0.0)) -> None:
        """Move on like this until told otherwise [m/s], [rad/s], world axes."""
        self._velocity, self._left = _rates(velocity, angular_velocity), np.inf
        self._member.wake()

    def move_to(self, position: Any, quat: Any = None, *, within: float) -> None:
        """Go there at even speed, be there after `within` [s], and stay.

        Args:
            position: [m], shape (3,).
            quat: wxyz; None: not turned.
            within: a whole number of steps, to be there exactly.
        """
        goal, time = numbers(position, 3, "position"), number(within, "within", positive=True)
        turn = np.zeros(3)
        if quat is not None:
            wanted = numbers(quat, 4, "quat")
            length = number(float(np.linalg.norm(wanted)), "quat: its length", positive=True)
            back = self.quat * [1.0, -1.0, -1.0, -1.0]
            turn = np.asarray(quat_log(quat_multiply(wanted / length, back)), float)
        self.set_velocity((goal - self.position) / time, turn / time)
        self._left = time

    # ------------------------------------------------------- what the world calls

    def lead(self, h: float) -> None:
        """Before a step of h [s]: its place and velocity."""
        if self._left < h * (1.0 - 1e-9):
            self._velocity, self._left = self._velocity * (max(self._left, 0.0) / h), 0.0
        if self._velocity.any() and self._member.asleep:
            self._member.wake()
        self._start = self._member.q
        self._put(self._start)

    def follow(self, h: float) -> None:
        """After a step of h [s]: it is where its velocity brought it."""
        if self._member.asleep:
            return
        turned = quat_multiply(quat_exp(h * self._velocity[:3]), self._start[3:])
        place = np.concatenate([self._start[:3] + h * self._velocity[3:], turned / np.linalg.norm(turned)])
        if self._left < np.inf:
            self._left -= h
            if self._left <= h * 1e-9:
                self._velocity, self._left = np.zeros(6), np.inf
        self._put(place)

    def together(self) -> list["Member"]:
        """It alone."""
        return [self._member]

    def leaving_with(self, member: "Member") -> set["Member"]:
        """Somebody leaves the world."""
        if member is self._member and self in self._world._led:
            self._world._led.remove(self)
        return set()

    def _put(self, place: FloatArray) -> None:
        if self._member.asleep:
            return
        arrays = self._world.arrays
        part = state_parts(arrays.forest, arrays.span_of(self._member))
        arrays.state[part.q] = place
        arrays.state[part.v] = arrays.state[part.mean] = self._velocity


def _rates(velocity: Any, angular_velocity: Any) -> FloatArray:
    return np.concatenate([numbers(angular_velocity, 3, "angular_velocity"), numbers(velocity, 3, "velocity")])
