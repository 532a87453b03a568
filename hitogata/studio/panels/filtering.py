"""Controls of the dynamics filter in motion mode."""

from typing import TYPE_CHECKING, Any

from hitogata.filter import Mode
from hitogata.studio.gauges import Gauge
from hitogata.studio.modes.motion import Playing
from hitogata.studio.panels.bindings import Panel
from hitogata.studio.scenery import Floor

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

ASIDE = 0.9
"""Of the unfiltered figure, at first [m]."""
MODES = (Mode.PREVIEW, Mode.RECORDING, Mode.ONLINE)


class FilterPanel(Panel):
    """Make the motion possible: once, or live while it plays and is dragged."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        self.mode = gui.add_dropdown("Look-ahead", tuple(mode.value for mode in MODES),
                                     hint="preview: 0.6 s; recording: all of it; online: none")  # fmt: skip
        self.floor = self.changed(
            gui.add_dropdown("On", tuple(floor.value for floor in Floor), initial_value=studio.stage.floor.value),
            "The ground", self._set_floor, setting=False,
        )  # fmt: skip
        self.filter = self.button_for("Filter the motion", self.run, icon="filter",
                                      hint="It plays as feet on this ground can make it")  # fmt: skip
        self.live = gui.add_checkbox("Live, while it plays and is dragged", False)
        self.live.on_update(lambda event: self._switch(event.client is not None))
        self.bar = gui.add_progress_bar(100.0, animated=True, visible=False)
        self.ghost = gui.add_checkbox("Show the unfiltered figure", True)
        self.aside = gui.add_slider("This far beside [m]", 0.0, 2.0, 0.05, ASIDE)
        self.arrows = gui.add_checkbox("Contact forces", True,
                                       hint="At corners of soles; dark: of each foot")  # fmt: skip
        self.plot = self.button("Plot the missing force", lambda: studio.page.plots.choose(Gauge.RESIDUAL),
                                icon="chart-line", undo=False)  # fmt: skip
        self.about = gui.add_markdown("")

    def run(self, client: Any = None) -> None:
        """Filter the motion; the page lives on meanwhile."""
        self._busy(lambda: self.studio.filtering.run(Mode(self.mode.value)))
        self.studio.post("The plot", lambda: self.studio.page.plots.choose(Gauge.RESIDUAL))

    def _switch(self, by_user: bool) -> None:
        if by_user:
            self.studio.guard.run("The live filter", lambda: self.set_live(bool(self.live.value)))

    def set_live(self, on: bool) -> None:
        """Let what is shown go through the filter, or no longer; in a thread of its own."""
        made = self._busy(self.studio.filtering.prepare_live) if on else None

        def act() -> None:
            self.studio.filtering.play(made)
            self.refresh()

        self.studio.post("The live filter", act)

    def _busy(self, task: Any) -> Any:
        self.bar.visible, self.filter.disabled = True, True
        try:
            return task()
        finally:
            self.bar.visible, self.filter.disabled = False, False
            self.studio.post("The filter", self.refresh)

    def _set_floor(self, name: str) -> None:
        self.studio.set_floor(Floor(name))
        if isinstance(self.studio.mode, Playing) and self.studio.mode.live is not None:
            self.studio.guard.run("The live filter", self._live_anew)

    def _live_anew(self) -> None:
        assert isinstance(self.studio.mode, Playing)
        self.studio.mode.set_live(self.studio.filtering.prepare_live())

    def refresh(self) -> None:
        """See `Panel`."""
        mode = self.studio.mode
        self.floor.value = self.studio.stage.floor.value
        self.live.value = isinstance(mode, Playing) and mode.live is not None
        self.tick()

    def tick(self) -> None:
        """Say how it is, some times a second."""
        words = self.studio.filtering.words()
        if words != self.about.content:
            self.about.content = words
