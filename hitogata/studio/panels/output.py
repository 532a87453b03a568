"""Recording and files."""

from pathlib import Path
from typing import TYPE_CHECKING

from hitogata.studio.panels.bindings import Panel

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

HELP = """Press **Record**, move the figure, press it again; or play a motion.  Files are written to the folder below,
and offered for download."""


class OutputPanel(Panel):
    """Record, screenshot, replay, film, trajectory."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui, output = self.gui, studio.output
        gui.add_markdown(HELP)
        self.record = self.button("Record", self._toggle, icon="player-record", color="red", undo=False)
        self.length = gui.add_markdown("")
        self.button("Play what was recorded", studio.play_recording, icon="player-play", undo=False,
                    hint="In motion mode: look at it, change it")  # fmt: skip
        self.button_for("Screenshot", output.screenshot, icon="camera")
        self.button_for("HTML replay", output.replay, icon="file-code")
        self.button_for("Film (mp4)", lambda client: output.film(client, ".mp4"), icon="movie")
        self.button_for("Moving picture (gif)", lambda client: output.film(client, ".gif"), icon="gif")
        self.button_for("Trajectory (npz)", output.trajectory, icon="database")
        self.button_for("BVH", output.bvh, icon="file-export")
        gui.add_markdown(f"Folder: `{studio.folder.path}`")
        self.last = gui.add_markdown("")

    def _toggle(self) -> None:
        recorder = self.studio.recorder
        if recorder.on:
            recorder.stop()
        else:
            recorder.start()
        self.refresh()

    def refresh(self) -> None:
        """See `Panel`."""
        recorder = self.studio.recorder
        self.record.label = "Stop recording" if recorder.on else "Record"
        self.tick()

    def written(self, path: Path) -> None:
        """Say which file was written last."""
        self.last.content = f"Written: `{path.name}`"

    def tick(self) -> None:
        """Show how long the recording is."""
        recorder = self.studio.recorder
        now = f"{recorder.seconds:.1f} s recorded" if recorder.times else ""
        if not recorder.on and self.record.label != "Record":
            self.record.label = "Record"
        if self.length.content != now:
            self.length.content = now


