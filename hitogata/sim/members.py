"""A figure in a world: its state, targets, motors and pushes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.dynamics.jacobians import frame_in_body
from hitogata.dynamics.layout import model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_size
from hitogata.sim import reading
from hitogata.sim.checking import number, numbers, state_of
from hitogata.sim.layout import Motor, Pull
from hitogata.sim.loose import gaps_of

if TYPE_CHECKING:
    from hitogata.sim.world import World


MOTOR, PULL = record_size(Motor), record_size(Pull)


class Member:
    """A figure in a world; made by `World.add`."""

    def __init__(
        self, world: "World", figure: Figure, friction: float, restitution: float, group: int, mask: int,
        ignored: tuple[tuple[str, str], ...],
    ) -> None:  # fmt: skip
        self.world, self.figure, self.friction, self.restitution = world, figure, friction, restitution
        self.group, self.mask, self.ignored = group, mask, ignored

    @property
    def _index(self) -> int:
        for k, member in enumerate(self.world.members):
            if member is self:
                return k
        raise ArgumentError(f"figure {self.figure.name!r} was removed from the world")

    @property
    def q(self) -> FloatArray:
        """Coordinates, shape (nq,), a copy."""
        return self.world._state[self.world._forest.spans[self._index].q].copy()

    @property
    def v(self) -> FloatArray:
        """Velocities, shape (nv,), a copy."""
        span, nq = self.world._forest.spans[self._index], self.world._forest.nq
        return self.world._state[nq + span.v.start : nq + span.v.stop].copy()

    @property
    def state(self) -> State:
        """Coordinates and velocities."""
        return State(self.q, self.v)

    @state.setter
    def state(self, state: State) -> None:
        state = state_of(self.figure, state)
        self.world._set_state(self._index, np.asarray(state.q, float), np.asarray(state.v, float))

    def set_target(self, q: Any, rate: Any = None) -> None:
        """Where the motors' springs pull to, shape (nq,), and at what rates, shape (nv,)."""
        figure, control, span = self.figure, self.world._control, self.world._forest.spans[self._index]
        target = state_of(figure, State(numbers(q, figure.nq, "q"), np.zeros(figure.nv))).q
        rates = None if rate is None else numbers(rate, figure.nv, "rate")
        control[span.q] = figure.normalised(target)
        if rates is not None:
            start = self.world._forest.nq
            control[start + span.v.start : start + span.v.stop] = rates

    def set_motor(self, stiffness: float, damping: float, joints: Iterable[str] | None = None) -> None:
        """Spring [N m/rad] and damper [N m s/rad] of some joints; None: of all but a free base."""
        values = number(stiffness, "stiffness"), number(damping, "damping")
        motors, rows = self._motors(joints)
        motors[rows, :2] = values

    def set_wall(self, stiffness: float, damping: float = 0.0, joints: Iterable[str] | None = None) -> None:
        """Spring [N m/rad] and damper [N m s/rad] at the ends of some joints' ranges; None: of all joints.

        An infinitely stiff wall (`math.inf`) is hard: nothing goes through.  A soft one gives way in proportion.
        """
        values = number(stiffness, "stiffness", positive=True, infinite=True), number(damping, "damping")
        motors, rows = self._motors(joints)
        motors[rows, 2:] = values

    def _motors(self, joints: Iterable[str] | None) -> tuple[FloatArray, list[int]]:
        """All motors of the world, a view, and the rows of some joints; None: of all but a free base."""
        figure, forest, index = self.figure, self.world._forest, self._index
        if joints is None:
            joints = [n for n, k in zip(figure.joint_names, figure.links, strict=True) if k.joint.kind.value != "free"]
        if not isinstance(joints, Iterable):
            raise ArgumentError(f"joints: expected names of joints of {figure.name!r}, got {joints!r}")
        rows = []
        for name in [joints] if isinstance(joints, str) else joints:
            k = figure.joint_index(name)
            if figure.links[k].joint.kind.value == "free":
                raise ArgumentError(f"joints: {name!r} is a free base, which has no motor and no limits")
            body = forest.spans[index].body_of_link[k]
            rows += [body - 1, body] if figure.links[k].joint.kind.value == "universal" else [body]
        start = forest.nq + 2 * forest.nv
        return self.world._control[start : start + MOTOR * forest.bodies].reshape(-1, MOTOR), rows

    def push(self, tau: Any) -> None:
        """Generalized forces [N m], [N], shape (nv,), that act until changed."""
        forest = self.world._forest
        start = forest.nq + forest.nv
        span = forest.spans[self._index].v
        self.world._control[start + span.start : start + span.stop] = numbers(tau, self.figure.nv, "tau")

    def pull(self, frame: str, force: Any = (0.0, 0.0, 0.0), torque: Any = (0.0, 0.0, 0.0), *, at: Any = None) -> None:
        """A force [N] and a torque [N m] on a link, in world axes, that act until changed; one of each per link.

        Args:
            frame: name of a link or frame.  The force acts at its origin.
            force: shape (3,); zero ends it.
            torque: shape (3,).
            at: a point in that frame [m], shape (3,), where the force acts instead.
        """
        forest, index = self.world._forest, self._index
        place = None if at is None else numbers(at, 3, "at")
        body, *point = frame_in_body(self.figure, model_of(self.figure), frame, place)
        values = [*numbers(force, 3, "force"), *numbers(torque, 3, "torque"), *point]
        start = forest.nq + 2 * forest.nv + MOTOR * forest.bodies
        pulls = self.world._control[start : start + PULL * forest.bodies].reshape(-1, PULL)
        pulls[forest.spans[index].bodies.start + body] = values
        self.world._control[-1] = float(np.any(pulls[:, :6]))

    # ------------------------------------------------------- what happened in the last step

    def joint_forces(self) -> FloatArray:
        """Torque [N m] and force [N] that each link feels from its joint, world axes, about the joint: (nlinks, 6)."""
        return reading.joint_forces(self)

    def joint_gaps(self) -> FloatArray:
        """How far each link's joint has come apart, angle [rad] and distance [m], shape (nlinks, 2).

        Always zero in reduced coordinates.
        """
        loose, links = self.world._loose, self.world._forest.spans[self._index].links
        return np.zeros((self.figure.nlinks, 2)) if loose is None else gaps_of(loose.held_in(self.world._state)[links])

    def motor_forces(self) -> FloatArray:
        """What the motors did, shape (nv,) [N m], [N]."""
        return reading.motor_forces(self)

    def limit_forces(self) -> FloatArray:
        """How hard the ends of ranges pushed back, shape (nlinks, 2) [N m], [N].

        Of a ball joint: swing and twist; of a universal joint: its two intervals; of others: theirs, and 0.
        """
        return reading.limit_forces(self)

    def contact_forces(self) -> FloatArray:
        """Sum of the contact forces on each link, world axes [N], shape (nlinks, 3)."""
        return reading.link_contact_forces(self)
