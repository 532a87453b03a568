"""Undo history: what the stage was before each thing that somebody did, and back again.

A memento holds references to what never changes (figures, ranges, motions) and copies of what does (coordinates), so
that a long history is small.
"""

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.figure import Capsule, Figure, State, Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.motion.foot_contacts import Foot
from hitogata.studio.capture_trial import CaptureTrial
from hitogata.studio.modes.behaviour import Behaving
from hitogata.studio.modes.capture import Capturing
from hitogata.studio.modes.motion import Edit, Playing
from hitogata.studio.modes.physics import Physics
from hitogata.studio.modes.pose import Pin, Posing
from hitogata.studio.scenery import Floor, Thing
from hitogata.studio.stage import CoupledEdit, RangeEdit

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

MOST = 200
"""Things that can be undone."""

_TOGETHER = 1.0
"""The same thing done again within this time is one [s]: a slider that is dragged."""


@dataclass(frozen=True, eq=False)
class Memento:
    """The stage, its mode and its controls at a moment.

    Attributes:
        label: what was done next.
        original, edits, coupled, ranges_on, floor, bar, q: of the stage.
        mode: its page name.
        motion: that can be played.
        edit: of motion mode: motion, base, keyframes; None in others.
        place, feet: of motion mode: sample, and whether it plays; when feet stand.
        pins: of pose mode.
        states, things, targets: of physics mode.
        trial: of markers.
        controls: values of settings on the page, by name.
    """

    label: str
    original: Figure
    edits: dict[str, RangeEdit]
    coupled: tuple[CoupledEdit, ...]
    ranges_on: bool
    floor: Floor
    bar: Capsule | None
    q: FloatArray
    mode: Any
    motion: Trajectory | None
    edit: Edit | None = None
    place: tuple[int, bool] = (0, False)
    feet: dict[str, Foot] | None = None
    pins: tuple[Pin, ...] = ()
    states: tuple[State, ...] = ()
    things: tuple[tuple[Thing, State], ...] = ()
    targets: FloatArray | None = None
    trial: CaptureTrial | None = None
    controls: dict[str, Any] = field(default_factory=dict)

    def same(self, other: "Memento") -> bool:
        """Whether going from one to the other would change nothing that one sees."""
        plain = ("original", "ranges_on", "floor", "bar", "mode", "motion", "controls")
        return (
            all(getattr(self, name) == getattr(other, name) for name in plain if name not in ("original", "motion"))
            and self.original is other.original
            and self.motion is other.motion
            and self.trial is other.trial
            and (self.edit is None or other.edit is None or self.edit[0] is other.edit[0])
            and self.q.shape == other.q.shape
            and (self.edit is not None or np.array_equal(self.q, other.q))
            and [(p.copy, p.link) for p in self.pins] == [(p.copy, p.link) for p in other.pins]
            and all(self.edits[name].range is other.edits.get(name, edit).range for name, edit in self.edits.items())
            and all((a.on, a.stiffness) == (b.on, b.stiffness)
                    for a, b in zip(self.edits.values(), other.edits.values(), strict=False))
            and [(id(e.range), e.on) for e in self.coupled] == [(id(e.range), e.on) for e in other.coupled]
            and self.feet is other.feet
        )


class UndoHistory:
    """What can be undone, and done again.  All in the clock's thread."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self._done: list[Memento] = []
        self._undone: list[Memento] = []
        self._last = ("", -np.inf)

    @property
    def labels(self) -> tuple[str, ...]:
        """What can be undone, the last thing last."""
        return tuple(memento.label for memento in self._done)

    def note(self, label: str, controls: dict[str, Any] | None = None) -> None:
        """Something is about to be done; `controls`: values that a control had before it was changed."""
        now = time.monotonic()
        again = self._last[0] == label and now - self._last[1] < _TOGETHER
        self._last = (label, now)
        if self._studio.mode is None or again:
            return
        self._done.append(self._memento(label, controls or {}))
        del self._done[:-MOST]
        self._undone.clear()

    def undo(self) -> None:
        """Go back to before the last thing that changed something."""
        self._go(self._done, self._undone, "undo")

    def redo(self) -> None:
        """Do again what was undone."""
        self._go(self._undone, self._done, "do again")

    def clear(self) -> None:
        """Forget all."""
        self._done, self._undone = [], []

    def _go(self, source: list[Memento], sink: list[Memento], what: str) -> None:
        self._last = ("", -np.inf)
        if self._studio.mode is not None:
            self._studio.mode.let_all_go()
        while source:
            goal = source.pop()
            now = self._memento(goal.label, {})
            if not goal.same(now):
                sink.append(now)
                self._restore(goal)
                return
        self._studio.guard.say("Undo history", f"there is nothing to {what}")

    def _memento(self, label: str, controls: dict[str, Any]) -> Memento:
        studio, stage, mode = self._studio, self._studio.stage, self._studio.mode
        memento = Memento(
            label, stage.original, {name: replace(edit) for name, edit in stage.edits.items()},
            tuple(replace(edit) for edit in stage.coupled), stage.ranges_on, stage.floor, stage.bar, stage.q.copy(),
            studio.mode_name, studio.motion, trial=studio.trial_now(),
            controls={**studio.page.control_values(), **controls},
        )  # fmt: skip
        if isinstance(mode, Playing):
            mode.keep_pass(mode.player.index)
            return replace(memento, motion=mode.motion, edit=(mode.motion, mode.base, mode.keyframes),
                           place=(mode.player.index, mode.playing), feet=mode.feet)  # fmt: skip
        if isinstance(mode, Posing):
            return replace(memento, pins=tuple(mode.pins.values()))
        if isinstance(mode, Capturing):
            return replace(memento, place=(mode.index, mode.playing))
        if isinstance(mode, Behaving):
            return memento
        assert isinstance(mode, Physics)
        return replace(
            memento, states=tuple(member.state for member in mode.members), targets=mode.targets.copy(),
            things=tuple((kind, member.state) for kind, member in mode.things),
        )  # fmt: skip

    def _restore(self, memento: Memento) -> None:
        studio, stage = self._studio, self._studio.stage
        studio.drop_mode()
        if stage.original is not memento.original:
            stage.load(memento.original)
            studio.recorder.clear()
            studio.gauges.clear()
            studio.desk.joint = ""
        stage.edits = {name: replace(edit) for name, edit in memento.edits.items()}
        stage.coupled = [replace(edit) for edit in memento.coupled]
        stage.ranges_on, stage.floor, stage.bar = memento.ranges_on, memento.floor, memento.bar
        stage.apply_ranges()
        stage.q = memento.q.copy()
        studio.page.set_control_values(memento.controls)
        studio.motion, studio.trial = memento.motion, memento.trial
        studio.set_mode(memento.mode)
        mode = studio.mode
        if isinstance(mode, Playing) and memento.edit is not None:
            mode.put_back(memento.edit, memento.feet, *memento.place)
        elif isinstance(mode, Capturing):
            mode.seek(memento.place[0])
            mode.play(memento.place[1])
        elif isinstance(mode, Posing):
            mode.set_pins(memento.pins)
        elif isinstance(mode, Physics) and memento.targets is not None:
            mode.put_back(list(memento.states), list(memento.things), memento.targets)
        studio.show.load()
        studio.ranges_shown()
        studio.page.refresh()
