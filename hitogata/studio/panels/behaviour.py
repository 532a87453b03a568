"""Controls of behaviour mode: open or watch, record, play, cut and export."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hitogata.behaviour import open_recording
from hitogata.behaviour.export import export
from hitogata.behaviour.status_page import status_line
from hitogata.errors import ArgumentError
from hitogata.studio.behaviour_plots import StreamPlots
from hitogata.studio.behaviour_take import BehaviourTake
from hitogata.studio.modes.behaviour import Behaving
from hitogata.studio.panels.bindings import Panel
from hitogata.studio.sources import from_bytes

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

NONE = """No streams yet.  **Open** a recording, or **watch** the devices that send now (Lab Streaming Layer, this
computer)."""
RECORDINGS = (".mcap", ".xdf")
FORMATS = ("MCAP", "XDF", "CSV", "STO", "TRC", "C3D")


class BehaviourPanel(Panel):
    """Open, watch, record, play, scrub, cut, export."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        self.help = gui.add_markdown(NONE)
        self.upload("Open a recording (MCAP, XDF)", RECORDINGS, self._open, icon="upload")
        self.watch = self.button("Watch devices", studio.watch_devices, icon="antenna", undo=False)
        self.record = self.button("Record streams", self._record, icon="player-record", undo=False,
                                  hint="All streams into a file")  # fmt: skip
        self.stop = self.button("Stop and replay", self._stop, icon="player-stop", undo=False)
        self.play = self.button("Pause", self._do(lambda mode: mode.play(not mode.playing)), icon="player-play",
                                undo=False)  # fmt: skip
        self.at = self.changed(gui.add_slider("Time", 0.0, 1.0, 0.001, 0.0), "Time", self._seek, undo=False)
        self.speed = self.changed(
            gui.add_slider("Playing speed", 0.05, 4.0, 0.05, 1.0), "Speed",
            lambda x: self._do(lambda mode: setattr(mode, "speed", float(x)))(), undo=False,
        )  # fmt: skip
        with gui.add_folder("Cut and export") as cut:
            self.stretch = gui.add_multi_slider("From, to [s]", 0.0, 1.0, 0.001, (0.0, 1.0))
            self.format = gui.add_dropdown("Format", FORMATS)
            self.button_for("Export the cut", self._export, icon="device-floppy")
        self.about = gui.add_markdown("")
        self.plots = StreamPlots(gui)
        self._replay, self._live = [self.play, self.at, self.speed, cut], [self.record, self.stop]

    # ------------------------------------------------------- files

    def _open(self, name: str, content: bytes) -> None:
        limit = self.studio.options.upload_limit
        recording = from_bytes(name, content, RECORDINGS, limit, lambda path: open_recording(str(path)))
        now = self.studio.take
        take = BehaviourTake(recording, body=now.body if now else None, targets=now.targets if now else ())
        self.studio.post("The recording", lambda: self.studio.show_behaviour(take))

    def _record(self) -> None:
        watch = self._watch()
        path = self.studio.folder.new("recording", ".mcap")
        path.unlink()  # its name is ours; recorders never write over a file
        watch.record(str(path))
        self.refresh()

    def _stop(self) -> None:
        watch, take = self._watch(), self.studio.take
        path = watch.stop_recording()
        assert take is not None
        self.studio.page.output.written(Path(path))
        self.studio.show_behaviour(BehaviourTake(open_recording(path), body=take.body, targets=take.targets))

    def _export(self, client: Any) -> None:
        take = self.studio.take
        if take is None or take.recording is None:
            raise ArgumentError("there is no recording: open one, or record one")
        begin, end = sorted(float(x) for x in self.stretch.value)
        first = take.span[0]
        path = self.studio.folder.new("cut", f".{self.format.value.lower()}")
        path.unlink()  # its name is ours; recordings never write over a file
        export(take.recording.cut(first + begin, first + end), str(path))
        self.studio.hand_over(client, path)

    def _watch(self) -> Any:
        take = self.studio.take
        if take is None or take.watch is None:
            raise ArgumentError("nothing comes live: watch devices first")
        return take.watch

    # ------------------------------------------------------- time

    def _seek(self, time: float) -> None:
        self._do(lambda mode: mode.seek(mode.shown.span[0] + float(time)))()

    def _do(self, task: Any) -> Any:
        def run() -> None:
            if isinstance(self.studio.mode, Behaving):
                task(self.studio.mode)

        return run

    # ------------------------------------------------------- what is shown

    def refresh(self) -> None:
        """See `Panel`."""
        mode = self.studio.mode
        shown = isinstance(mode, Behaving)
        live = isinstance(mode, Behaving) and mode.live
        self.help.visible = not shown
        for control in self._replay:
            control.visible = shown and not live
        for control in self._live:
            control.visible = live
        self.about.visible = shown
        self.plots.refresh(mode)
        if isinstance(mode, Behaving) and mode.shown is not None and not mode.live:
            begin, end = mode.shown.span
            span = max(round(end - begin, 3), 0.001)
            if self.at.max != span:
                self.at.value, self.at.max = 0.0, span
                self.stretch.max, self.stretch.value = span, (0.0, span)
        if live:
            self.record.visible = self._watch().recorder is None
            self.stop.visible = not self.record.visible

    def tick(self) -> None:
        """Plots and numbers, some times a second."""
        mode = self.studio.mode
        self.plots.refresh(mode)
        if not isinstance(mode, Behaving) or mode.shown is None:
            return
        self.plots.tick(mode)
        self.about.content = about(mode)
        if mode.live:
            return
        label = "Pause" if mode.playing else "Play"
        if self.play.label != label:
            self.play.label = label
        now = round(min(mode.cursor - mode.shown.span[0], self.at.max), 3)
        if abs(now - self.at.value) > 0.0005:
            self.at.value = now


def about(mode: Behaving) -> str:
    """What is seen now, and how it goes, as Markdown."""
    assert mode.shown is not None
    gaze, watch, lines = mode.gaze(), mode.shown.watch, []
    if gaze is not None:
        lines.append(f"Gaze: **{gaze.target or 'nothing known'}**")
    frame = mode.frame
    if frame is not None and frame.muscles is not None and mode.shown.body is not None:
        muscles = mode.shown.body.muscles
        assert muscles is not None
        best = int(frame.muscles.activation.argmax())
        lines.append(f"Most active: {muscles.muscles[best].name} {100 * float(frame.muscles.activation[best]):.0f} %")
    if frame is not None and frame.marks:
        lines.append("Frame: " + ", ".join(frame.marks))
    if watch is not None:
        lines += status_line(watch.watcher, watch.pipeline).split(" | ")
        said = list(watch.watcher.told)[-4:]
        lines += [f"{when:.1f} s: {text}" for when, text in said]
        if watch.recorder is not None:
            lines.append(f"**Recording** {Path(watch.recorder.path).name}")
    return "\n\n".join(lines)
