"""A figure in a world: its state, targets, motors and pushes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.figure.pose import FloatArray

if TYPE_CHECKING:
    from hitogata.sim.world import World


class Member:
    """A figure in a world; made by `World.add`."""

    def __init__(self, world: "World", figure: Figure, friction: float, restitution: float) -> None:
        self.world, self.figure, self.friction, self.restitution = world, figure, friction, restitution

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
        state.check(self.figure)
        self.world._set_state(self._index, np.asarray(state.q, float), np.asarray(state.v, float))

    def set_target(self, q: Any, rate: Any = None) -> None:
        """Where the motors' springs pull to, shape (nq,), and at what rates, shape (nv,)."""
        q = np.asarray(q, float)
        State(q, np.zeros(self.figure.nv)).check(self.figure)
        control, span = self.world._control, self.world._forest.spans[self._index]
        control[span.q] = self.figure.normalised(q)
        if rate is not None:
            start = self.world._forest.nq
            control[start + span.v.start : start + span.v.stop] = self._velocities(rate, "rate")

    def set_motor(self, stiffness: float, damping: float, joints: Iterable[str] | None = None) -> None:
        """Spring [N m/rad] and damper [N m s/rad] of some joints; None: of all but a free base."""
        for name, value in (("stiffness", stiffness), ("damping", damping)):
            if not np.isfinite(value) or value < 0:
                raise ArgumentError(f"{name}: must be 0 or more, got {value}")
        figure, forest = self.figure, self.world._forest
        names = [n for n, link in zip(figure.joint_names, figure.links, strict=True) if link.joint.kind.value != "free"]
        start = forest.nq + 2 * forest.nv
        for name in names if joints is None else joints:
            index = figure.joint_index(name)
            body = forest.spans[self._index].body_of_link[index]
            bodies = [body - 1, body] if figure.links[index].joint.kind.value == "universal" else [body]
            for b in bodies:
                self.world._control[start + 2 * b : start + 2 * b + 2] = stiffness, damping

    def push(self, tau: Any) -> None:
        """Generalized forces [N m], [N], shape (nv,), that act until changed."""
        forest = self.world._forest
        start = forest.nq + forest.nv
        span = forest.spans[self._index].v
        self.world._control[start + span.start : start + span.stop] = self._velocities(tau, "tau")

    def _velocities(self, values: Any, name: str) -> FloatArray:
        array = np.asarray(values, float)
        if array.shape != (self.figure.nv,) or not np.isfinite(array).all():
            raise ArgumentError(f"{name}: expected {self.figure.nv} finite numbers, got {values!r}")
        return array
