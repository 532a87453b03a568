"""Controls of capture mode: a trial plays, gaps on a time line, labels are mended, a body is fitted."""

import dataclasses
from typing import TYPE_CHECKING, Any

from hitogata.capture import Scope
from hitogata.capture.marker_files import read_marker_set
from hitogata.errors import ArgumentError
from hitogata.files import Axes
from hitogata.studio.capture_trial import CAMERA_FILES, SET_FILES, TRIAL_FILES, CaptureTrial, load_cameras, load_trial
from hitogata.studio.gap_line import gap_line
from hitogata.studio.modes.capture import Capturing
from hitogata.studio.panels.bindings import Panel
from hitogata.studio.sources import from_bytes

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

NONE = """No markers yet.  **Open** a trial (C3D, TRC); or give one when the studio starts: `--capture FILE`."""
HELP = """**Click** a point to choose its marker.  A wrong label: **drag** it from its point to the right one, and both
labels are exchanged."""
NOBODY = "(no marker)"
UPS = {"z up": Axes.KEEP, "y up, x forward": Axes.Y_UP_X_FORWARD, "y up, z forward": Axes.Y_UP_Z_FORWARD,
       "x up": Axes.X_UP, "as the file says": Axes.FROM_FILE}  # fmt: skip


class CapturePanel(Panel):
    """Open, play, gaps, labels, body."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        self.help = gui.add_markdown(NONE)
        self.up = gui.add_dropdown("Axes of files", tuple(UPS))
        self.upload("Open a trial (C3D, TRC)", TRIAL_FILES, self._open, icon="upload")
        self.play = self.button("Pause", self._do(lambda mode: mode.play(not mode.playing)), icon="player-play",
                                undo=False, hint="Space; arrows go frame by frame")  # fmt: skip
        self.at = self.changed(gui.add_slider("Frame", 0, 1, 1, 0), "Frame", self._seek, undo=False)
        self.line = gui.add_html("")
        self.about = gui.add_markdown("")
        self.names = gui.add_checkbox("Names", False, hint="Of all markers; otherwise of the chosen one")
        self.rays = gui.add_checkbox("Rays", True, hint="From the cameras to the points they see")
        self.body = gui.add_checkbox("Body", True)
        with gui.add_folder("Labels") as labels:
            self._add_labels()
        with gui.add_folder("Body in the markers") as body:
            self._add_body()
        self.stop = self.button("Stop, and look at it", studio.stop_capture, icon="player-stop", undo=False)
        save = self.button_for("Save as C3D", self._save, icon="device-floppy")
        self._need_trial = [self.play, self.at, self.line, self.names, self.rays, self.body, labels, body, save]
        self._drawn: Any = None

    def _add_labels(self) -> None:
        gui = self.gui
        self.chosen = self.changed(gui.add_dropdown("Marker", (NOBODY,)), "The marker", self._choose, undo=False)
        self.target = gui.add_dropdown("Its point is now", (NOBODY,), hint="The label that its point wrongly has")
        self.scope = self.changed(
            gui.add_dropdown("Change", tuple(scope.value for scope in Scope), hint="How far around this frame"),
            "How far", lambda word: self._do(lambda mode: setattr(mode, "scope", Scope(word)))(), undo=False,
        )  # fmt: skip
        self.button("Exchange labels", self._exchange_chosen, icon="arrows-exchange", undo=False)
        self.button("Take the label away", self._take, icon="tag-off", undo=False, hint="Delete")
        self.button("Label anew", self._anew, icon="wand", undo=False,
                    hint="By what the trial itself tells of its markers")  # fmt: skip

    def _add_body(self) -> None:
        self.upload("Open a marker set", SET_FILES, self._open_set, icon="upload",
                    hint="Where the labels sit on the figure of the stage")  # fmt: skip
        self.upload("Open cameras", CAMERA_FILES, self._open_cameras, icon="camera")
        self.button_for("Fit the body", self._fit, icon="stretching", hint="Sizes of the figure, and joint angles")
        self.button_for("Joint angles only", self._pose, icon="angle", hint="The figure has the person's sizes already")
        self.fitting = self.gui.add_markdown("", visible=False)

    # ------------------------------------------------------- files

    def _open(self, name: str, content: bytes) -> None:
        axes, limit = UPS[self.up.value], self.studio.options.upload_limit
        trial, said = from_bytes(name, content, TRIAL_FILES, limit, lambda path: load_trial(path, axes))
        self.studio.post("The trial", lambda: self.studio.show_trial(trial, said))

    def _open_set(self, name: str, content: bytes) -> None:
        figure, limit = self.studio.stage.figure, self.studio.options.upload_limit
        markers = from_bytes(name, content, SET_FILES, limit, lambda path: read_marker_set(figure, path))
        self._change("The marker set", lambda trial: _with(trial, marker_set=markers, angles=None))

    def _open_cameras(self, name: str, content: bytes) -> None:
        cameras = from_bytes(name, content, CAMERA_FILES, self.studio.options.upload_limit, load_cameras)
        self._change("The cameras", lambda trial: _with(trial, cameras=cameras))

    def _save(self, client: Any) -> None:
        trial = self._trial()
        path = self.studio.folder.new("trial", ".c3d")
        path.write_bytes(trial.written())
        self.studio.hand_over(client, path)

    # ------------------------------------------------------- the body

    def _fit(self, client: Any) -> None:
        """In a thread of its own; the stage changes when it is done."""
        trial, figure = self._trial(), self.studio.stage.figure
        self.fitting.visible = True
        try:
            found, _ = trial.fitted(figure, self._say)
        finally:
            self.fitting.visible = False
        self.studio.post("The body", lambda: self.studio.show_trial(found))

    def _pose(self, client: Any) -> None:
        trial, figure = self._trial(), self.studio.stage.figure
        found = trial.posed(figure)
        self.studio.post("The body", lambda: self.studio.show_trial(found))

    def _say(self, line: str) -> None:
        self.fitting.content = f"Fitting ... {line}"

    def _trial(self) -> CaptureTrial:
        trial = self.studio.trial_now()
        if trial is None:
            raise ArgumentError("there is no trial: open one")
        return trial

    # ------------------------------------------------------- labels

    def exchange(self, label: str, target: str) -> None:
        """The point called `target` is `label`; in the clock's thread."""
        self.studio.undo.note(f"{label} to the point of {target}")
        self._do(lambda mode: mode.move_label(label, target))()

    def _exchange_chosen(self) -> None:
        if NOBODY in (self.chosen.value, self.target.value):
            raise ArgumentError("choose a marker, and the label that its point has now")
        self.exchange(self.chosen.value, self.target.value)

    def _take(self) -> None:
        label = self.chosen.value
        if label == NOBODY:
            raise ArgumentError("choose a marker first: click its point")
        self.studio.undo.note(f"No {label}")
        self._do(lambda mode: mode.take_label(label))()

    def _anew(self) -> None:
        trial = self._trial()
        self.studio.undo.note("Label anew")
        self._do(lambda mode: mode.change(trial.labelled_anew()))()

    def _choose(self, label: str) -> None:
        self._do(lambda mode: setattr(mode, "chosen", None if label == NOBODY else label))()

    def _change(self, what: str, change: Any) -> None:
        def act() -> None:
            trial = self._trial()
            self.studio.undo.note(what)
            self._do(lambda mode: mode.change(change(trial)))()

        self.studio.post(what, act)

    # ------------------------------------------------------- time

    def _seek(self, frame: float) -> None:
        mode = self.studio.mode
        if isinstance(mode, Capturing):
            mode.seek(int(frame))

    def _do(self, task: Any) -> Any:
        def run() -> None:
            if isinstance(self.studio.mode, Capturing):
                task(self.studio.mode)
                self.refresh()

        return run

    # ------------------------------------------------------- what is shown

    def refresh(self) -> None:
        """See `Panel`."""
        mode = self.studio.mode
        shown = isinstance(mode, Capturing)
        self.help.content = HELP if shown else NONE
        for control in self._need_trial:
            control.visible = shown
        self.about.visible = shown
        self.stop.visible = isinstance(mode, Capturing) and mode.trial is None
        if not isinstance(mode, Capturing):
            return
        if mode.trial is not None:
            last = max(1, mode.trial.markers.nframes - 1)
            if self.at.max != last:
                self.at.value = 0
                self.at.max = last
        options = (NOBODY, *(mode.trial.markers.labels if mode.trial is not None else mode.labels))
        for box, value in ((self.chosen, mode.chosen), (self.target, self.target.value)):
            if tuple(box.options) != options:
                box.options = options
            wanted = value if value in options else NOBODY
            if box.value != wanted:
                box.value = wanted
        self._drawn = None
        self.tick()

    def tick(self) -> None:
        """Show the time, a few times a second."""
        mode = self.studio.mode
        if not isinstance(mode, Capturing):
            return
        self.about.content = about(mode)
        if mode.trial is None:
            return
        label = "Pause" if mode.playing else "Play"
        if self.play.label != label:
            self.play.label = label
        if self.at.value != mode.index:
            self.at.value = mode.index
        drawn = (mode.index, mode.trial, mode.chosen)
        if drawn != self._drawn:
            self._drawn = drawn
            self.line.content = gap_line(mode.trial.markers, mode.index, mode.chosen)


def about(mode: Capturing) -> str:
    """What is shown, in words."""
    if mode.trial is None:
        feed = mode.feed
        assert feed is not None
        given = sum(bool(x >= 0) for x in feed.frames[-1].labels) if feed.frames else 0
        state = f"ended: {feed.ended}" if feed.ended else f"{feed.pace:.0f} frames/s"
        return f"**Live**: {state}; {given} of {len(feed.labels)} markers, frame {feed.count}"
    trial, lines = mode.trial, []
    lines.append(f"Frame {mode.index} of {trial.markers.nframes}, {trial.markers.rate:g} Hz")
    if mode.chosen is not None and mode.chosen in trial.markers.labels:
        seen = trial.markers.seen[:, trial.markers.labels.index(mode.chosen)]
        off = mode.residual()
        words = "" if off is None else f", {off * 1e3:.1f} mm from the body"
        lines.append(f"**{mode.chosen}**: seen in {100 * seen.mean():.0f} % of the frames{words}")
    if trial.angles is not None:
        lines.append(f"Body: markers to {trial.angles.rms * 1e3:.1f} mm rms")
    lines += [f"⚠ {problem}" for problem in trial.problems]
    return "  \n".join(lines)


def _with(trial: CaptureTrial, **changes: Any) -> CaptureTrial:
    return dataclasses.replace(trial, **changes)
