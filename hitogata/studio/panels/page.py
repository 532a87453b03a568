"""The page's controls: which mode, and a tab for each thing one can do."""

import enum
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.studio.panels.behaviour import BehaviourPanel
from hitogata.studio.panels.bindings import Panel
from hitogata.studio.panels.capture import CapturePanel
from hitogata.studio.panels.coupled import CoupledPanel
from hitogata.studio.panels.figure import FigurePanel
from hitogata.studio.panels.motion import MotionPanel
from hitogata.studio.panels.output import OutputPanel
from hitogata.studio.panels.physics import PhysicsPanel
from hitogata.studio.panels.plots import PlotsPanel
from hitogata.studio.panels.pose import PosePanel
from hitogata.studio.panels.ranges import RangesPanel
from hitogata.studio.ranges.server import EditorServer
from hitogata.studio.readings import reading
from hitogata.studio.shortcuts import show_sheet

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio


STEPS = ("Undo", "Redo", "Frame", "Keys")
"""What can be done in every mode."""

CHOSEN = "● "
"""Before the name of the mode that is on."""


class ModeName(enum.Enum):
    """Modes as the page calls them."""

    POSE = "Pose"
    PHYSICS = "Physics"
    MOTION = "Motion"
    CAPTURE = "Capture"
    BEHAVIOUR = "Streams"


class Page(Panel):
    """All controls."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(52, 98, 158))
        gui.main_panel.dock_right()
        gui.set_panel_label("hitogata studio")
        self._bar = gui.add_progress_bar(0.0, animated=True)
        self._words = gui.add_markdown("Starting ...")
        self.modes = gui.add_button_group("Mode", tuple(name.value for name in ModeName))

        async def choose(event: Any) -> None:
            name = ModeName(self.modes.value.removeprefix(CHOSEN))
            studio.post("The mode", lambda: studio.choose_mode(name))

        self.modes.on_click(choose)
        self._steps = gui.add_button_group("Edit", STEPS)

        async def step(event: Any) -> None:
            client, which = event.client, self._steps.value
            studio.post(which, lambda: self._step(which, client))

        self._steps.on_click(step)
        self.reading = gui.add_markdown("", visible=False)
        self._folders: dict[ModeName, Any] = {}
        tabs = gui.add_tab_group()
        with tabs.add_tab("Move"):
            self.pose = self._folder(ModeName.POSE, PosePanel)
            self.physics = self._folder(ModeName.PHYSICS, PhysicsPanel)
            self.motion = self._folder(ModeName.MOTION, MotionPanel)
            self.capture = self._folder(ModeName.CAPTURE, CapturePanel)
            self.behaviour = self._folder(ModeName.BEHAVIOUR, BehaviourPanel)
        with tabs.add_tab("Scene"):
            self.figure = FigurePanel(studio)
        self.editor = EditorServer(studio, studio.options.host, studio.options.editor_port)
        with tabs.add_tab("Ranges"):
            self.ranges = RangesPanel(studio, self.editor)
            with gui.add_folder("Several joints", expand_by_default=False):
                self.coupled = CoupledPanel(studio)
        with tabs.add_tab("Plots"):
            self.plots = PlotsPanel(studio)
        with tabs.add_tab("Output"):
            self.output = OutputPanel(studio)
        self.panels = [self.pose, self.physics, self.motion, self.capture, self.behaviour, self.figure, self.ranges,
                       self.coupled, self.plots, self.output]  # fmt: skip
        self.show_mode(ModeName.POSE)

    def _folder(self, name: ModeName, kind: Any) -> Any:
        self._folders[name] = self.gui.add_folder(name.value, visible=False)
        with self._folders[name]:
            return kind(self.studio)

    def _step(self, which: str, client: Any) -> None:
        if which == "Undo":
            self.studio.undo.undo()
        elif which == "Redo":
            self.studio.undo.redo()
        elif which == "Frame":
            self.studio.frame_figure(client)
        else:
            show_sheet(client)

    def control_values(self) -> dict[str, Any]:
        """See `Panel`; of all panels."""
        return {name: value for panel in self.panels for name, value in panel.control_values().items()}

    def set_control_values(self, values: dict[str, Any]) -> None:
        """See `Panel`; of all panels."""
        for panel in self.panels:
            panel.set_control_values(values)

    def progress(self, share: float, what: str) -> None:
        """How far starting is, 0 ... 1; at 1 it is over."""
        self._bar.value = 100.0 * share
        self._bar.visible = self._words.visible = share < 1.0
        self._words.content = f"Getting ready: **{what}** ...  (The first time on a machine: compiling, some minutes.)"

    def show_mode(self, name: ModeName) -> None:
        """Show which mode is on, and its controls."""
        self.modes.options = tuple(CHOSEN * (each is name) + each.value for each in ModeName)
        self.show_controls(name)

    def show_controls(self, name: ModeName) -> None:
        """Show the controls of a mode, which need not be on."""
        for each, folder in self._folders.items():
            folder.visible = each is name

    def refresh(self) -> None:
        """See `Panel`."""
        for panel in self.panels:
            panel.refresh()

    def tick(self, frame: int) -> None:
        """After each frame."""
        if frame % 6 == 0:
            self._read()
            self.motion.tick()
            self.capture.tick()
            self.behaviour.tick()
            self.physics.tick()
            self.plots.tick()
        if frame % 30 == 0:
            self.output.tick()

    def _read(self) -> None:
        """Say where the link is that was clicked last, and how its joint stands."""
        chosen, stage, mode = self.studio.chosen, self.studio.stage, self.studio.mode
        there = chosen is not None and chosen[0] < stage.count and chosen[1] < stage.figure.nlinks
        if chosen is None or mode is None or not there:
            words = ""
        else:
            v = mode.velocity() if chosen[0] == 0 else np.zeros(stage.figure.nv)
            words = reading(stage.figure, stage.q[chosen[0]], v, chosen[1])
        if words != self.reading.content:
            self.reading.content, self.reading.visible = words, bool(words)

    def close(self) -> None:
        """The studio ends."""
        self.editor.close()
