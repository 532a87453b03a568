"""Behaviour mode: all streams in step with the body, live or replayed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.behaviour import looked_at
from hitogata.behaviour.live_frame import LiveFrame
from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.studio.behaviour_take import BehaviourTake
from hitogata.studio.modes.mode import Grip, Mode

FAR = 4.0
"""A ray of gaze that meets nothing is so long [m]."""


@dataclass(frozen=True, eq=False)
class Gaze:
    """A ray of gaze.

    Attributes:
        origin, end: [m], shape (3,).
        target: name of what it meets; empty: nothing.
    """

    origin: FloatArray
    end: FloatArray
    target: str


@dataclass
class Behaving(Mode):
    """Streams play, or come live.

    Attributes:
        shown: what.
        cursor: time that is shown, on the take's clock [s].
        playing: whether time goes on; live it always does.
        speed: of time.
        loop: whether it begins again at its end.
    """

    shown: BehaviourTake | None = None
    cursor: float = 0.0
    playing: bool = True
    speed: float = 1.0
    loop: bool = True
    frame: LiveFrame | None = None

    def __post_init__(self) -> None:
        if self.shown is None:
            raise ArgumentError("behaviour mode shows a recording or what comes live")
        self.cursor = self.shown.span[0]
        self._show()

    @property
    def live(self) -> bool:
        """Whether it comes live."""
        return self.shown is not None and self.shown.watch is not None

    def advance(self, seconds: float) -> None:
        """See `Mode`."""
        assert self.shown is not None
        self.time += seconds
        begin, end = self.shown.span
        if self.live:
            self.cursor = end
        elif self.playing:
            self.cursor += seconds * self.speed
            if self.cursor > end:
                self.cursor = begin if self.loop else end
                self.playing = self.loop
        self._show()

    def play(self, on: bool) -> None:
        """Go on, or stand still."""
        assert self.shown is not None
        if on and self.cursor >= self.shown.span[1] - 1e-6:
            self.cursor = self.shown.span[0]
        self.playing = on

    def seek(self, time: float) -> None:
        """Go to a time, and stand still; what comes live cannot be sought."""
        assert self.shown is not None
        if not self.live:
            self.playing = False
            self.cursor = float(np.clip(time, *self.shown.span))
            self._show()

    def _show(self) -> None:
        assert self.shown is not None
        self.frame = self.shown.frame(self.cursor)
        q = None if self.frame is None else self.frame.q
        if q is not None and len(q) == self.stage.figure.nq:
            self.stage.q[0] = q

    # ------------------------------------------------------- what is there

    def gaze(self) -> Gaze | None:
        """The ray of now, and what it meets."""
        assert self.shown is not None
        ray = self.shown.gaze(self.cursor)
        if ray is None:
            return None
        found, points = looked_at(ray[0][None], ray[1][None], self.shown.targets)
        if found[0] >= 0:
            return Gaze(ray[0], points[0], self.shown.targets[int(found[0])].name)
        return Gaze(ray[0], ray[0] + FAR * ray[1], "")

    # ------------------------------------------------------- see `Mode`

    def refigure(self) -> None:
        """See `Mode`."""
        self._show()

    def take(self, grip: Grip) -> None:
        """See `Mode`: nothing is held here."""

    def release(self, grip: Grip) -> None:
        """See `Mode`."""

    def click(self, copy: int, link: int, ray: Any) -> None:
        """See `Mode`."""

    def grab(self, who: Any, copy: int, link: int, place: FloatArray) -> None:
        """See `Mode`: what was measured is not moved."""
