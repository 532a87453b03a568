"""What happens on the stage, kept as it happens."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.pose import FloatArray
from hitogata.motion.tangents import with_unbroken_quats
from hitogata.pictures import Actor, Arrows
from hitogata.studio.view import colours

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

LARGEST = 30_000_000
"""Most bytes that a recording holds."""

Pairs = list[tuple[FloatArray, FloatArray]]


@dataclass
class Recorder:
    """Keeps states of all copies, and contact forces on the first.

    Attributes:
        on: whether it records.
    """

    studio: "Studio"
    on: bool = False
    figure: Figure | None = None
    times: list[float] = field(default_factory=list)
    states: list[FloatArray] = field(default_factory=list)
    contacts: list[Pairs] = field(default_factory=list)
    _size: int = 0

    def start(self) -> None:
        """Record from now on; what was recorded before is forgotten."""
        self.clear()
        self.on, self.figure = True, self.studio.stage.figure

    def stop(self) -> None:
        """Record no more."""
        self.on = False

    def clear(self) -> None:
        """Forget all."""
        self.on, self.figure, self._size = False, None, 0
        self.times, self.states, self.contacts = [], [], []

    @property
    def seconds(self) -> float:
        """How long it is [s]."""
        return self.times[-1] - self.times[0] if self.times else 0.0

    def note(self) -> None:
        """A frame; the same moment is kept once."""
        mode, stage = self.studio.mode, self.studio.stage
        if not self.on or mode is None:
            return
        if self.states and self.states[-1].shape != stage.q.shape:
            self._end("the figures changed")
            return
        if self.times and mode.time <= self.times[-1] + 1e-6:
            return
        self.times.append(mode.time)
        self.states.append(stage.q.copy())
        found = self.studio.gauges.touching
        self.contacts.append([] if found is None else list(zip(found.places, found.forces, strict=True)))
        self._size += stage.q.nbytes + 400
        if self._size > LARGEST:
            self._end("it is full")

    def _end(self, why: str) -> None:
        self.stop()
        self.studio.guard.say("The recording ended", why)

    def trajectories(self) -> list[Trajectory]:
        """Motions of all copies."""
        if self.figure is None or len(self.times) < 2:
            raise ArgumentError("nothing was recorded yet: press Record, move the figure, and stop")
        time = np.array(self.times) - self.times[0]
        states = np.array(self.states)
        motions = []
        for copy in range(states.shape[1]):
            q = with_unbroken_quats(self.figure, states[:, copy])
            motions.append(Trajectory(time, q, velocities_of(self.figure, time, q), figure_name=self.figure.name))
        return motions

    def actors(self) -> list[Actor]:
        """Who played, with contact forces on the first."""
        motions = self.trajectories()
        assert self.figure is not None
        cast = []
        for k, motion in enumerate(motions):
            forces = [Arrows.ragged("contact forces", self.contacts)] if k == 0 and any(self.contacts) else []
            red, green, blue = colours.FIGURES[k % len(colours.FIGURES)]
            cast.append(Actor(self.figure, motion, colour=f"#{red:02x}{green:02x}{blue:02x}", overlays=forces))
        return cast
