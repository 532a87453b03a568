"""Controls of motion mode: playing, the time line with keyframes and contacts, edits."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.motion import blend, change_speed, clean_feet, cut, level_feet, make_loop, mirror
from hitogata.motion.keyframes import FALL_OFF
from hitogata.studio.modes.motion import Playing
from hitogata.studio.panels.bindings import Panel
from hitogata.studio.panels.filtering import FilterPanel
from hitogata.studio.panels.pairs import PairsPanel
from hitogata.studio.sources import MOTION_FILES, Loaded, from_bytes, load_motion
from hitogata.studio.time_line import time_line

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

HELP = """**Drag** a link while the motion plays: the rest follows, feet keep their steps; **click** one to keep it
where it is.  **Pause**, and a drag sets a keyframe: its change falls off over the frames around it."""
NONE = """No motion yet.  **Open** a file; or **record** one: in the tab *Output* press *Record*, drag the figure about,
then press *Play what was recorded*."""
NO_KEYS = "(no keyframes)"

Change = Callable[[Figure, Trajectory], Trajectory]


class MotionPanel(Panel):
    """Play, scrub, loop, keyframes, edits, filter, save."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        self.help = gui.add_markdown(NONE)
        self.upload("Open a motion (BVH, NPZ)", MOTION_FILES, self._open, icon="upload")
        self.pairs = PairsPanel(studio)
        self.play = self.button("Pause", self._do(lambda mode: mode.play(not mode.playing)), icon="player-play",
                                undo=False, hint="Space; arrows go frame by frame")  # fmt: skip
        self.at = self.changed(gui.add_slider("Time", 0.0, 1.0, 0.001, 0.0), "Time", self._seek, undo=False)
        self.line = gui.add_html("")
        self.loop = self.changed(
            gui.add_checkbox("Loop", True), "Loop", lambda on: self._do(lambda mode: setattr(mode, "loop", on))()
        )
        self.speed = self.changed(
            gui.add_slider("Playing speed", 0.1, 3.0, 0.05, 1.0),
            "Speed", lambda x: self._do(lambda mode: setattr(mode, "speed", x))(),
        )  # fmt: skip
        with gui.add_folder("Keyframes") as keys:
            self._add_keyframes()
        with gui.add_folder("Edits", expand_by_default=False) as edits:
            self._add_edits()
        with gui.add_folder("Filter", expand_by_default=False) as filters:
            self.filter = FilterPanel(studio)
        save = self.button_for("Save as BVH", studio.output.bvh, icon="device-floppy")
        self._need_motion = [self.play, self.at, self.line, self.loop, self.speed, keys, edits, filters, save]
        self._drawn: Any = None

    def _add_keyframes(self) -> None:
        gui = self.gui
        self.fall_off = self.number(
            "Fall-off [s]", 0.05, 5.0, FALL_OFF, self._set_fall_off, step=0.05,
            hint="How far a keyframe reaches before and after: the chosen one, and new ones",
        )  # fmt: skip
        self.key = self.changed(gui.add_dropdown("Keyframe", (NO_KEYS,)), "The keyframe", self._go_to_key, undo=False)
        self.key_time = self.number("Its time [s]", 0.0, 3600.0, 0.0, self._move_key, step=0.01, setting=False)
        self.button("Delete the keyframe", self._do(self._delete_key), icon="trash", hint="Delete")

    def _add_edits(self) -> None:
        gui = self.gui
        self.stretch = gui.add_multi_slider("From, to [s]", 0.0, 1.0, 0.001, (0.0, 1.0))

        async def redraw(event: Any) -> None:
            self._drawn = None

        self.stretch.on_update(redraw)
        for label, icon, change, hint in (
            ("Cut to this", "cut", lambda f, m: cut(f, m, *self._stretch()), "Keep what lies between"),
            ("Fix feet", "shoe", lambda f, m: clean_feet(f, m, self._feet()).trajectory, "No more sliding"),
            ("Level feet", "ruler-2", lambda f, m: level_feet(f, m).trajectory, "Soles level where they stand"),
            ("Mirror", "flip-vertical", lambda f, m: mirror(f, m), "Left becomes right"),
            ("Make a loop", "repeat", lambda f, m: make_loop(f, m).trajectory, "One cycle without a seam"),
        ):
            self.button(label, self._edit(change), icon=icon, hint=hint)
        self.factor = self.number("Speed factor", 0.1, 10.0, 1.0, lambda _: None, step=0.05, hint="2: twice as fast",
                                  undo=False)  # fmt: skip
        self.button("Change speed", self._edit(lambda f, m: change_speed(f, m, float(self.factor.value))), icon="clock")
        self.share = gui.add_slider("Share", 0.0, 1.0, 0.05, 0.5, hint="Of the motion that is blended in")
        self.upload("Blend with a file", MOTION_FILES, self._blend, icon="arrows-join")
        self.foot = gui.add_dropdown("Foot", ("left", "right"))
        self.button("It stands from, to", self._do(lambda mode: self._stand(mode, True)), icon="arrow-bar-to-down",
                    hint="In the stretch chosen above: for keyframes and Fix feet")  # fmt: skip
        self.button("It does not", self._do(lambda mode: self._stand(mode, False)), icon="arrow-bar-up")

    # ------------------------------------------------------- files

    def _read(self, name: str, content: bytes) -> Loaded:
        figure, limit = self.studio.stage.figure, self.studio.options.upload_limit
        return from_bytes(name, content, MOTION_FILES, limit, lambda path: load_motion(path, figure))

    def _open(self, name: str, content: bytes) -> None:
        loaded = self._read(name, content)
        self.studio.post("The motion", lambda: self._show(loaded))

    def _show(self, loaded: Loaded) -> None:
        if loaded.carried is not None:
            self.studio.show_carried(loaded.carried, loaded.warnings)
        else:
            assert loaded.motion is not None
            self.studio.load_motion(loaded.motion, loaded.warnings)

    def _blend(self, name: str, content: bytes) -> None:
        loaded, share = self._read(name, content), float(self.share.value)
        other = loaded.motion
        if other is None:
            raise ArgumentError(loaded.carried.how if loaded.carried else "the file has no motion")

        def act() -> None:
            self.studio.undo.note("Blend")
            self._edit(lambda f, m: blend(f, m, other, share, match=True))()

        self.studio.post("Blend", act)

    # ------------------------------------------------------- time

    def _seek(self, time: float) -> None:
        mode = self.studio.mode
        if isinstance(mode, Playing):
            mode.play(False)
            mode.seek(float(time))

    def _stretch(self) -> tuple[float, float]:
        low, high = sorted(float(x) for x in self.stretch.value)
        return low, high

    def _do(self, task: Any) -> Any:
        def run() -> None:
            if isinstance(self.studio.mode, Playing):
                task(self.studio.mode)
                self.refresh()

        return run

    def _edit(self, change: Change) -> Callable[[], None]:
        """An edit of the whole motion, by a function that the command line uses too."""

        def run(mode: Playing) -> None:
            mode.edit(change(self.studio.stage.figure, mode.changed()))

        act: Callable[[], None] = self._do(run)
        return act

    # ------------------------------------------------------- keyframes and contacts

    def _chosen(self, mode: Playing) -> int:
        if not mode.keyframes or self.key.value == NO_KEYS:
            raise ArgumentError("there is no keyframe: pause, and drag a link")
        return min(self.key.options.index(self.key.value), len(mode.keyframes) - 1)

    def _go_to_key(self, _: str) -> None:
        self._do(lambda mode: self._seek(mode.keyframes[self._chosen(mode)].time) if mode.keyframes else None)()

    def _move_key(self, time: float) -> None:
        self._do(lambda mode: mode.move_keyframe(self._chosen(mode), float(time)))()

    def _delete_key(self, mode: Playing) -> None:
        mode.delete_keyframe(self._chosen(mode))

    def _set_fall_off(self, seconds: float) -> None:
        def act(mode: Playing) -> None:
            mode.fall_off = float(seconds)
            if mode.keyframes:
                mode.spread_keyframe(self._chosen(mode), float(seconds))

        self._do(act)()

    def _feet(self) -> Any:
        mode = self.studio.mode
        return mode.feet if isinstance(mode, Playing) and mode.feet else None

    def _stand(self, mode: Playing, stands: bool) -> None:
        mode.set_contact(self.foot.value, *self._stretch(), stands)

    # ------------------------------------------------------- what is shown

    def refresh(self) -> None:
        """See `Panel`."""
        motion, mode = self.studio.motion, self.studio.mode
        self.pairs.refresh()
        self.filter.refresh()
        self.help.content = NONE if motion is None else HELP
        for control in self._need_motion:
            control.visible = motion is not None
        if not isinstance(mode, Playing):
            return
        span = round(mode.duration, 3)
        if self.at.max != span:
            self.at.value = 0.0
            self.at.max = span
            self.stretch.max = span
            self.stretch.value = (0.0, span)
        options = tuple(f"{k + 1}: {key.time:.3f} s" for k, key in enumerate(mode.keyframes)) or (NO_KEYS,)
        if tuple(self.key.options) != options:
            near = mode.keyframe_near(mode.player.time)
            self.key.options = options
            self.key.value = options[near or 0]
        if mode.keyframes:
            key = mode.keyframes[self._chosen(mode)]
            self.key_time.value, self.fall_off.value = round(key.time, 3), key.fall_off
        self.tick()

    def settings(self) -> dict[str, Any]:
        """How a new mode begins."""
        return {"loop": self.loop.value, "speed": self.speed.value, "fall_off": float(self.fall_off.value)}

    def tick(self) -> None:
        """Show the time, a few times a second."""
        mode = self.studio.mode
        if not isinstance(mode, Playing):
            return
        self.filter.tick()
        label = "Pause" if mode.playing else "Play"
        if self.play.label != label:
            self.play.label = label
        now = round(min(mode.player.time, self.at.max), 3)
        if abs(now - self.at.value) > 0.0005:
            self.at.value = now
        drawn = (now, mode.keyframes, mode.motion, self._stretch(), id(mode.feet))
        if drawn != self._drawn:
            if self._drawn is None or drawn[1:] != self._drawn[1:]:
                options = tuple(f"{k + 1}: {key.time:.3f} s" for k, key in enumerate(mode.keyframes)) or (NO_KEYS,)
                if tuple(self.key.options) != options:
                    self._drawn = drawn
                    self.refresh()
            self._drawn = drawn
            self.line.content = time_line(mode.duration, now, mode.feet, mode.keyframes, self._stretch())
