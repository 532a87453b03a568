"""Controls of motion mode."""

from typing import TYPE_CHECKING, Any

from hitogata.studio.modes.playing import Playing
from hitogata.studio.panels.binding import Panel
from hitogata.studio.sources import MOTION_FILES, Loaded, from_bytes, load_motion

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

HELP = """**Drag** a link while the motion plays: the rest follows, feet keep their steps.
**Click** a link to keep it where it is.  Each pass becomes part of the motion."""
NONE = """No motion yet.  **Open** a file; or **record** one: in the tab *Output* press *Record*, drag the figure about,
then press *Play what was recorded*."""


class MotionPanel(Panel):
    """Play, scrub, loop, undo, save."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        self.help = gui.add_markdown(NONE)
        self.upload("Open a motion (BVH, NPZ)", MOTION_FILES, self._open, icon="upload")
        self.play = self.button("Play or pause", self._do(self._toggle), icon="player-play")
        self.at = self.changed(gui.add_slider("Time", 0.0, 1.0, 0.001, 0.0), "Time", self._seek)
        self.loop = self.changed(
            gui.add_checkbox("Loop", True), "Loop", lambda on: self._do(lambda mode: setattr(mode, "loop", on))()
        )
        self.speed = self.changed(
            gui.add_slider("Speed", 0.1, 3.0, 0.05, 1.0),
            "Speed", lambda x: self._do(lambda mode: setattr(mode, "speed", x))(),
        )  # fmt: skip
        undo = self.button("Undo the last pass", self._do(lambda mode: mode.undo()), icon="arrow-back-up")
        save = self.button_for("Save as BVH", studio.output.bvh, icon="device-floppy")
        self._need_motion = [self.play, self.at, self.loop, self.speed, undo, save]
        self._last = -1.0

    def _open(self, name: str, content: bytes) -> None:
        figure = self.studio.stage.figure
        loaded = from_bytes(
            name, content, MOTION_FILES, self.studio.options.upload_limit, lambda path: load_motion(path, figure)
        )
        self.studio.post("The motion", lambda: self._show(loaded))

    def _show(self, loaded: Loaded) -> None:
        assert loaded.motion is not None
        self.studio.load_motion(loaded.motion, loaded.warnings)

    def _toggle(self, mode: Playing) -> None:
        if not mode.playing and mode.player.done:
            mode.seek(0.0)
        mode.playing = not mode.playing

    def _seek(self, time: float) -> None:
        mode = self.studio.mode
        if isinstance(mode, Playing):
            mode.playing = False
            mode.seek(float(time))

    def _do(self, task: Any) -> Any:
        def run() -> None:
            if isinstance(self.studio.mode, Playing):
                task(self.studio.mode)

        return run

    def refresh(self) -> None:
        """See `Panel`."""
        motion = self.studio.motion
        self.help.content = NONE if motion is None else HELP
        for control in self._need_motion:
            control.visible = motion is not None
        if motion is not None:
            span = round(float(motion.time[-1] - motion.time[0]), 3)
            if self.at.max != span:
                self.at.value = 0.0
                self.at.max = span

    def settings(self) -> dict[str, Any]:
        """How a new mode begins."""
        return {"loop": self.loop.value, "speed": self.speed.value}

    def tick(self) -> None:
        """Show the time, a few times a second."""
        mode = self.studio.mode
        if isinstance(mode, Playing) and mode.playing and abs(mode.player.time - self._last) > 0.03:
            self._last = mode.player.time
            self.at.value = round(min(mode.player.time, self.at.max), 3)
