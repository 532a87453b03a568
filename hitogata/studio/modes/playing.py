"""Motion mode: a motion plays, and is changed by dragging while it does (`motion.Player`)."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.motion import Handle, Player
from hitogata.studio.modes.mode import Grip, Mark, MarkKind, Mode


@dataclass(eq=False)
class Fixed:
    """A link that stays at a place of the world while the motion plays."""

    handle: Handle
    point: FloatArray
    place: FloatArray


@dataclass
class Playing(Mode):
    """Drag a link while the motion plays; click it to keep it where it is, or to give it back to the motion.

    The first copy is the one that can be changed; others play the same motion at their places.

    Attributes:
        motion: with all that was changed before this pass.
        playing: whether time goes on.
        loop: whether it begins again at its end.
        speed: of time.
        passes: motions as they were before each pass that changed something, the last one last.
    """

    motion: Trajectory = field(kw_only=True)
    playing: bool = True
    loop: bool = True
    speed: float = 1.0
    passes: list[Trajectory] = field(default_factory=list)
    player: Player = field(init=False)
    fixed: dict[int, Fixed] = field(default_factory=dict)
    _at: float = 0.0
    _touched: bool = False

    def __post_init__(self) -> None:
        self.motion.check(self.stage.figure)
        if len(self.motion) < 2:
            raise ArgumentError(f"the motion has {len(self.motion)} samples; at least 2 are needed to play it")
        self.motion = replace(self.motion, time=self.motion.time - self.motion.time[0])
        self._begin(0)

    def _begin(self, index: int) -> None:
        """A new pass over the motion."""
        pins = () if not self._has_feet() else None
        self.player = Player(self.stage.figure, self.motion, pins=pins)
        self._touched = False
        self.player.seek(index)
        self._at = self.player.time
        self._show()

    def _has_feet(self) -> bool:
        from hitogata.motion.footing import named_feet

        try:
            return bool(named_feet(self.stage.figure))
        except HitogataError:
            return False

    # ------------------------------------------------------- time

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.motion.time[-1])

    def advance(self, seconds: float) -> None:
        """See `Mode`."""
        for grip in self.grips.values():
            self.player.set_target(grip.handle, position=grip.leash.advance(seconds))
        if not self.playing:
            return
        self.time += seconds
        self._at += seconds * self.speed
        while not self.player.done and self.motion.time[self.player.index + 1] <= self._at + 1e-9:
            self.player.advance()
            self._touched = self._touched or bool(self.grips) or bool(self.fixed)
        if self.player.done:
            if self.loop:
                self.seek(0.0)
            else:
                self.playing = False
        self._show()

    def seek(self, time: float) -> None:
        """Go to a time [s]; what this pass changed becomes part of the motion."""
        self._let_all_loose()
        index = int(np.clip(np.searchsorted(self.motion.time, time - 1e-9), 0, len(self.motion) - 1))
        self.keep_pass(index)
        self.player.seek(index)
        self._at = self.player.time
        self._show()

    def keep_pass(self, index: int = 0) -> None:
        """If this pass changed something, the changed motion is the motion from now on."""
        if self._touched:
            self.passes.append(self.motion)
            self.motion = self.player.trajectory()
            self._begin(index)

    def undo(self) -> None:
        """The motion as it was before the last pass that changed something."""
        self._let_all_loose()
        if self._touched:  # this one
            self._begin(self.player.index)
        elif self.passes:
            self.motion = self.passes.pop()
            self._begin(self.player.index)

    def changed(self) -> Trajectory:
        """The motion with all that was changed so far."""
        return self.player.trajectory() if self._touched else self.motion

    def refigure(self) -> None:
        """See `Mode`."""
        self._let_all_loose()
        self.motion.check(self.stage.figure)
        self.motion = self.changed()
        self._begin(self.player.index)

    def _let_all_loose(self) -> None:
        self.let_all_go()
        for link in list(self.fixed):
            self.player.release(self.fixed.pop(link).handle)

    def _show(self) -> None:
        """Copies play the same motion, each from its own place."""
        self.stage.q[:] = self.player.q
        if self.stage.count > 1:
            self.stage.q[:, :3] += self.stage.homes(self.stage.count)

    # ------------------------------------------------------- the mouse

    def grab(self, who: Any, copy: int, link: int, place: FloatArray) -> None:
        """See `Mode`."""
        if copy == 0:
            super().grab(who, copy, link, place)

    def take(self, grip: Grip) -> None:
        """See `Mode`."""
        name = self.stage.figure.link_names[grip.link]
        grip.handle = self.player.drag(name, point=grip.point, position=grip.leash.place)

    def release(self, grip: Grip) -> None:
        """See `Mode`."""
        self.player.release(grip.handle)

    def click(self, copy: int, link: int, ray: FloatArray) -> None:
        """Keep a link where it is in the world, or give it back to the motion."""
        if copy != 0:
            return
        if link in self.fixed:
            self.player.release(self.fixed.pop(link).handle)
            return
        point = np.array(self.stage.figure.links[link].mass.centre)
        matrix = self.stage.poses().matrices[0, link]
        place = matrix[:, :3] @ point + matrix[:, 3]
        handle = self.player.drag(self.stage.figure.link_names[link], point=point, position=place)
        self.fixed[link] = Fixed(handle, point, place)

    # ------------------------------------------------------- what is shown

    def velocity(self) -> FloatArray:
        """See `Mode`; that of the motion before it was changed."""
        return self.motion.v[self.player.index] * self.speed if self.playing else super().velocity()

    def marks(self) -> list[Mark]:
        """See `Mode`."""
        return [Mark(MarkKind.PIN, it.place) for it in self.fixed.values()]

    def painted(self) -> dict[tuple[int, int], str]:
        """See `Mode`."""
        return {**{(0, link): "pin" for link in self.fixed}, **super().painted()}
