"""What happened in a world, as trajectories."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.sim.step_readings import link_contact_forces

if TYPE_CHECKING:
    from hitogata.sim.members import Member
    from hitogata.sim.world import World


class Recording:
    """Notes the states of a world after every step; made by `World.record`.

    Example:
        >>> from hitogata.library import human28
        >>> from hitogata.sim import World
        >>> world = World()
        >>> human = world.add(human28())
        >>> with world.record() as recording:
        ...     world.step(1 / 60, steps=20)
        >>> len(recording.trajectory(human))
        21
    """

    def __init__(self, world: "World", *, every: int, contacts: bool) -> None:
        self.world, self.every, self.contacts = world, every, contacts
        self._rows: dict[Member, list[tuple[float, FloatArray, FloatArray]]] = {}
        self._forces: dict[Member, list[FloatArray]] = {}
        self._skipped = every - 1

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Note no more."""
        if self in self.world._recordings:
            self.world._recordings.remove(self)

    def note(self) -> None:
        """Note the state now; the world calls this after every step."""
        self._skipped += 1
        if self._skipped < self.every:
            return
        self._skipped = 0
        self._forget(self.world.time)
        for member in self.world.members:
            self._rows.setdefault(member, []).append((self.world.time, member.q, member.v))
            if self.contacts:
                self._forces.setdefault(member, []).append(link_contact_forces(member))

    def go_back(self) -> None:
        """Forget what was noted since, and note the state now; the world calls this when it is restored."""
        self._skipped = self.every - 1
        self.note()

    def _forget(self, time: float) -> None:
        """Forget what was noted at a time or later [s]."""
        for member, rows in self._rows.items():
            while rows and rows[-1][0] >= time:
                rows.pop()
                if self.contacts:
                    self._forces[member].pop()

    def trajectory(self, member: "Member") -> Trajectory:
        """The motion of one figure; channel `contact_force`, shape (nt, nlinks, 3) [N], if contacts were asked for."""
        if not isinstance(member, Hashable) or not self._rows.get(member):
            name = getattr(getattr(member, "figure", None), "name", member)
            raise ArgumentError(f"member: nothing was recorded of figure {name!r} (`World.add` returns members)")
        time, q, v = (np.array(column) for column in zip(*self._rows[member], strict=True))
        channels = {"contact_force": np.array(self._forces[member])} if self.contacts else {}
        return Trajectory(time, q, v, channels, figure_name=member.figure.name)
