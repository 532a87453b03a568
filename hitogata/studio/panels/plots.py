"""Plots and arrows."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.studio.gauges import SERIES, Gauge
from hitogata.studio.panels.bindings import Panel

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

_STROKES = ("#2f6fb5", "#d9822b", "#3a8f5c")
_HEIGHT, _WIDTH, _CONTROLS = 170, 360, 330
"""Of a plot, of the panel beside the view, and about of the controls [pixels]."""

NARROW = 1000
"""Pages narrower than this show plots when they are asked to [pixels]."""


class PlotsPanel(Panel):
    """What is drawn of what is measured: arrows on the figure, two plots."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        self.contacts = gui.add_checkbox("Contact arrows", False, hint="In physics mode: contact forces and their sum")
        self.joints = gui.add_checkbox("Joint force arrows", False, hint="What each link feels from its joint")
        names = tuple(gauge.value for gauge in Gauge)
        self.choices = [gui.add_dropdown(f"Plot {k + 1}", names) for k in range(2)]
        for choice in self.choices:
            self.changed(choice, "Plots", lambda _: self._rebuild(), undo=False)
        gui.add_markdown("Angles and margin are those of the joint chosen in *Ranges*.")
        self._plots: list[tuple[Gauge, Any]] = []
        self._side: Any = None
        self._folded = False

    @property
    def chosen(self) -> list[Gauge]:
        """Plots that are shown."""
        return [gauge for choice in self.choices if (gauge := Gauge(choice.value)) is not Gauge.NONE]

    def choose(self, *gauges: Gauge) -> None:
        """Show these plots."""
        for choice, gauge in zip(self.choices, (*gauges, Gauge.NONE, Gauge.NONE), strict=False):
            choice.value = gauge.value
        self._rebuild()

    def _rebuild(self) -> None:
        if self._side is not None:
            self._side.remove()
        self._side, self._plots = None, []
        self.studio.gauges.show(set(self.chosen))
        if not self.chosen:
            return
        self._side = self.gui.add_panel()
        with self._side.add_tab("Plots", icon="chart-line"):
            for gauge in self.chosen:
                self._plots.append((gauge, self._plot(gauge)))
        self._side.dock_left()
        self._side.set_width(_WIDTH)
        self._folded = False
        self._fold()

    def _fold(self) -> None:
        """Plots fold away where a page is narrow, and unfold where it is not."""
        pages = [int(client.camera.image_width) for client in self.studio.server.get_clients().values()]
        if self._side is None or not pages:
            return
        width = min(pages) + _CONTROLS + (0 if self._folded else _WIDTH)
        if (width < NARROW) != self._folded:
            self._folded = not self._folded
            if self._folded:
                self._side.minimize()
            else:
                self._side.expand()

    def _plot(self, gauge: Gauge) -> Any:
        names, unit = SERIES[gauge]
        grid = {"stroke": "#e6eaef", "width": 1}
        lines = [{"label": n, "stroke": c, "width": 2} for n, c in zip(names, _STROKES, strict=False)]
        series = ({"label": "s"}, *lines)
        axes = ({"grid": grid, "size": 32}, {"grid": grid, "size": 48})
        empty = tuple(np.zeros(1) for _ in range(len(names) + 1))
        return self.gui.add_uplot(
            empty, series, title=f"{gauge.value} [{unit}]", axes=axes, height=_HEIGHT,
            scales={"x": {"time": False}}, legend={"show": True, "live": False}, padding=(4, 10, 0, 0),
        )  # fmt: skip

    def tick(self) -> None:
        """Draw the plots anew, some times a second."""
        self._fold()
        for gauge, plot in self._plots:
            time, values = self.studio.gauges.lines(gauge)
            if len(time) > 1:
                thin = slice(len(time) % 2, None, 2)
                plot.data = (time[thin], *values[thin].T.copy())
