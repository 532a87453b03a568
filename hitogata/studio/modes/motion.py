"""Motion mode: a motion plays, and is changed by dragging while it does (`motion.Player`), or while it is paused.

A drag while it is paused sets a keyframe (`motion.Keyframe`), whose change falls off over the frames around it.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.figure.rates import changes
from hitogata.motion import Handle, Hold, Keyframe, Player, Priority, Puppet, find_contacts, with_keyframes
from hitogata.motion.foot_contacts import Foot, named_feet, with_contact
from hitogata.motion.keyframes import FALL_OFF
from hitogata.motion.reach import GLIDING, ease_limbs, follow
from hitogata.studio.modes.live_filter import LiveFilter
from hitogata.studio.modes.mode import Grip, Mark, MarkKind, Mode

Edit = tuple[Trajectory, Trajectory, tuple[Keyframe, ...]]
"""A motion, the same without its keyframes, and these."""


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
        passes: motions as they were before each pass or keyframe that changed something, the last one last.
        base: the motion without its keyframes.
        keyframes: of it, in the order of their times.
        fall_off: of new keyframes [s].
        live: makes what is shown possible while it plays; None: the motion is shown as it is.
    """

    motion: Trajectory = field(kw_only=True)
    playing: bool = True
    loop: bool = True
    speed: float = 1.0
    passes: list[Edit] = field(default_factory=list)
    base: Trajectory = field(init=False)
    keyframes: tuple[Keyframe, ...] = ()
    fall_off: float = FALL_OFF
    live: LiveFilter | None = None
    player: Player = field(init=False)
    fixed: dict[int, Fixed] = field(default_factory=dict)
    _at: float = 0.0
    _touched: bool = False
    _editor: Puppet | None = None
    _before: FloatArray | None = None
    _feet: dict[str, Foot] | None = None

    def __post_init__(self) -> None:
        self.motion.check(self.stage.figure)
        if len(self.motion) < 2:
            raise ArgumentError(f"the motion has {len(self.motion)} samples; at least 2 are needed to play it")
        self.motion = self.base = replace(self.motion, time=self.motion.time - self.motion.time[0])
        self._begin(0)

    def _begin(self, index: int) -> None:
        """A new pass over the motion."""
        pins = () if not self._has_feet() else None
        self.player = Player(self.stage.figure, self.motion, pins=pins)
        self._touched = False
        self._go(index)

    def _go(self, index: int) -> None:
        self.player.seek(index)
        self._at = self.player.time
        if self.live is not None:
            self.live.begin(self.stage.figure, self.motion)
        self._show()

    def _has_feet(self) -> bool:
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
        if self._editor is not None:
            self._lead_editor(seconds)
            return
        for grip in self.grips.values():
            self.player.set_target(grip.handle, position=grip.leash.advance(seconds))
        if not self.playing:
            return
        self.time += seconds
        self._at += seconds * self.speed
        while not self.player.done and self.motion.time[self.player.index + 1] <= self._at + 1e-9:
            self.player.advance()
            if self.live is not None:
                self.live.feed(self.player.q)
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
        self._go(index)

    def keep_pass(self, index: int = 0) -> None:
        """If this pass changed something, the changed motion is the motion from now on; keyframes are part of it."""
        if self._touched:
            self._set(self.player.trajectory(), index)

    def undo(self) -> None:
        """The motion as it was before the last pass or keyframe that changed something."""
        self._let_all_loose()
        if self._touched:  # this one
            self._begin(self.player.index)
        elif self.passes:
            self.motion, self.base, self.keyframes = self.passes.pop()
            self._feet = None
            self._begin(min(self.player.index, len(self.motion) - 1))

    def edit(self, motion: Trajectory) -> None:
        """Another motion, made of this one; what was keyframes is part of it."""
        self._let_all_loose()
        self.keep_pass(self.player.index)
        motion.check(self.stage.figure)
        if len(motion) < 2:
            raise ArgumentError(f"the motion would have {len(motion)} samples; at least 2 are needed to play it")
        self._set(replace(motion, time=motion.time - motion.time[0]), min(self.player.index, len(motion) - 1))

    def put_back(self, edit: Edit, feet: dict[str, Foot] | None, index: int, playing: bool) -> None:
        """The motion, keyframes and contacts of another time."""
        self._let_all_loose()
        self.motion, self.base, self.keyframes = edit
        self._feet, self.playing = feet, playing
        self._begin(min(index, len(self.motion) - 1))

    def _set(self, motion: Trajectory, index: int, base: Trajectory | None = None, keys: Any = ()) -> None:
        """Another motion; the one before can be had again."""
        self.passes.append((self.motion, self.base, self.keyframes))
        self.motion, self.base = motion, motion if base is None else base
        self.keyframes, self._feet = tuple(keys), None
        self._begin(index)

    # ------------------------------------------------------- keyframes

    @property
    def feet(self) -> dict[str, Foot]:
        """When feet stand; none if the figure has none."""
        if self._feet is None:
            self._feet = dict(find_contacts(self.stage.figure, self.base)) if self._has_feet() else {}
        return self._feet

    def set_contact(self, foot: str, start: float, end: float, stands: bool) -> None:
        """Say that a foot stands from one time to another [s], or that it does not."""
        if foot not in self.feet:
            raise ArgumentError(f"foot: {', '.join(self.feet) or 'the figure has none'} expected, got {foot!r}")
        known = with_contact(self.feet[foot], self.base.time, start, end, stands)
        feet = {**self.feet, foot: known}
        self._feet = feet
        if self.keyframes:
            self.set_keyframes(self.keyframes)

    def set_keyframes(self, keyframes: Any) -> None:
        """Other keyframes on the same motion."""
        self._let_all_loose()
        self.keep_pass(self.player.index)
        keys, feet = tuple(sorted(keyframes, key=lambda key: key.time)), self.feet
        made = with_keyframes(self.stage.figure, self.base, keys, feet=feet)
        self._set(made, self.player.index, self.base, keys)
        self._feet = feet

    def move_keyframe(self, which: int, time: float) -> None:
        """Put a keyframe at another time [s]."""
        keys = list(self.keyframes)
        keys[which] = replace(keys[which], time=self._nearest(time))
        self.set_keyframes(keys)

    def spread_keyframe(self, which: int, fall_off: float) -> None:
        """Let a keyframe reach farther, or less far [s]."""
        keys = list(self.keyframes)
        keys[which] = replace(keys[which], fall_off=float(fall_off))
        self.set_keyframes(keys)

    def delete_keyframe(self, which: int) -> None:
        """Take a keyframe away."""
        self.set_keyframes([key for k, key in enumerate(self.keyframes) if k != which])

    def keyframe_near(self, time: float) -> int | None:
        """Which keyframe is at a time, to half a sample; None: none is."""
        for k, key in enumerate(self.keyframes):
            if abs(key.time - time) < 0.5 * float(np.median(np.diff(self.motion.time))):
                return k
        return None

    def _nearest(self, time: float) -> float:
        """The sample nearest to a time [s]."""
        return float(self.motion.time[int(np.abs(self.motion.time - time).argmin())])

    def _lead_editor(self, seconds: float) -> None:
        """A frame of a drag while time stands still."""
        assert self._editor is not None
        assert self._before is not None
        for grip in self.grips.values():
            self._editor.set_target(grip.handle, position=grip.leash.advance(seconds))
        follow(self._editor, self._before, max(seconds, 1e-3))
        self._show()

    def _open_editor(self, link: int) -> Puppet:
        """A puppet in the pose of now, its standing feet pinned, but for one that is dragged itself."""
        figure, now = self.stage.figure, self.player.time
        puppet = Puppet(figure, self.player.q, settings=GLIDING)
        for foot in self.feet.values():
            stands = any(contact.start <= now <= contact.end for contact in foot.contacts)
            if stands and figure.link_names[link] not in foot.links:
                puppet.pin(foot.links[0], hold=Hold.POSE, priority=Priority.FIRST)
        self._before = self.player.q
        return puppet

    def _close_editor(self, names: set[str]) -> None:
        """What was dragged becomes a keyframe, if anything moved."""
        assert self._editor is not None
        q, k = self._editor.q, self.player.index
        self._editor = None
        if np.abs(changes(self.stage.figure, self.player.q, q)).max() < 1e-4:
            return
        time = float(self.base.time[k])
        known = self.keyframe_near(time)
        others = [key for j, key in enumerate(self.keyframes) if j != known]
        if known is not None:
            names = names | self.keyframes[known].links
        spread = self.fall_off if known is None else self.keyframes[known].fall_off
        new = Keyframe(time, changes(self.stage.figure, self.base.q[k], q), spread, frozenset(names))
        self.set_keyframes([*others, new])

    def set_live(self, live: LiveFilter | None) -> None:
        """Let what is shown go through a filter from now on, or no longer; the motion itself stays as it is."""
        self.live = live
        self._go(self.player.index)

    @property
    def touched(self) -> bool:
        """Whether this pass changed something."""
        return self._touched

    def changed(self) -> Trajectory:
        """The motion with all that was changed so far."""
        return self.player.trajectory() if self._touched else self.motion

    def refigure(self) -> None:
        """See `Mode`."""
        self._let_all_loose()
        self.motion.check(self.stage.figure)
        self.keep_pass(self.player.index)
        self._begin(self.player.index)

    def _let_all_loose(self) -> None:
        self.let_all_go()
        for link in list(self.fixed):
            self.player.release(self.fixed.pop(link).handle)

    def _show(self) -> None:
        """Copies play the same motion, each from its own place."""
        self.stage.q[:] = self._shown() if self._editor is None else self._editor.q
        if self.stage.count > 1:
            self.stage.q[:, :3] += self.stage.homes(self.stage.count)

    def _shown(self) -> FloatArray:
        frame = self.live.frame if self.live is not None else None
        return self.player.q if frame is None else frame.q

    # ------------------------------------------------------- the mouse

    def grab(self, who: Any, copy: int, link: int, place: FloatArray) -> None:
        """See `Mode`."""
        if copy == 0:
            super().grab(who, copy, link, place)

    def take(self, grip: Grip) -> None:
        """See `Mode`."""
        name = self.stage.figure.link_names[grip.link]
        options: dict[str, Any] = {"point": grip.point, "position": grip.leash.place}
        if self.playing:
            grip.handle = self.player.drag(name, **options)
            return
        self.keep_pass(self.player.index)
        if self._editor is None:
            self._editor = self._open_editor(grip.link)
        grip.handle = self._editor.drag(name, priority=Priority.SECOND, **options)
        held = [self.stage.figure.link_names[g.link] for g in self.grips.values()]
        ease_limbs(self._editor, [*held, name])

    def release(self, grip: Grip) -> None:
        """See `Mode`."""
        if self._editor is None:
            self.player.release(grip.handle)
            return
        name = self.stage.figure.link_names[grip.link]
        if self.grips:  # somebody else drags still
            self._editor.release(grip.handle)
        else:
            self._close_editor({name})

    def play(self, on: bool = True) -> None:
        """Let time go on, from the beginning if it is at its end; or stop it.  Links that are held are let go."""
        self.let_all_go()
        if on and self.player.done:
            self.seek(0.0)
        self.playing = on

    def step_frames(self, count: int) -> None:
        """Pause, and go by some samples, forwards or backwards."""
        self.play(False)
        index = int(np.clip(self.player.index + count, 0, len(self.motion) - 1))
        self.seek(float(self.motion.time[index]))

    def click(self, copy: int, link: int, ray: FloatArray) -> None:
        """Keep a link where it is in the world, or give it back to the motion."""
        if copy != 0 or not self.playing:
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
        """See `Mode`; that of the motion before it was changed, or of what the live filter makes of it."""
        if self.playing and self.live is not None and self.live.frame is not None:
            return self.live.frame.v * self.speed
        return self.motion.v[self.player.index] * self.speed if self.playing else super().velocity()

    def marks(self) -> list[Mark]:
        """See `Mode`."""
        return [Mark(MarkKind.PIN, it.place) for it in self.fixed.values()]

    def painted(self) -> dict[tuple[int, int], str]:
        """See `Mode`."""
        return {**{(0, link): "pin" for link in self.fixed}, **super().painted()}
