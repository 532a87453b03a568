"""Plots of behaviour mode: one window of time for all, with a common cursor."""

import threading
from typing import Any

import numpy as np

from hitogata.behaviour import StreamKind
from hitogata.figure.pose import FloatArray
from hitogata.studio.modes.behaviour import Behaving

WINDOW, AHEAD, POINTS = 5.0, 1.0, 400
"""Seconds that are shown, of these after the cursor when it is no live one, and points of a line."""
LINES = 4
"""Channels of a stream that are drawn."""
STROKES = ("#2f6fb5", "#d9822b", "#3a8f5c", "#8a5fb0")
KINDS = (StreamKind.EMG, StreamKind.FORCE_PLATE, StreamKind.GAZE, StreamKind.TRACKER, StreamKind.ANGLES)
"""That are drawn."""


class StreamPlots:
    """A plot for each stream that is worth one, in a panel beside the view."""

    def __init__(self, gui: Any) -> None:
        self._gui = gui
        self._side: Any = None
        self._plots: dict[str, tuple[list[int], Any]] = {}
        self._lock = threading.RLock()  # no plot is drawn that another thread takes away
        self.window = (0.0, 0.0)

    def refresh(self, mode: Any) -> None:
        """Streams came or went; another mode has none."""
        with self._lock:
            self._refresh(mode)

    def _refresh(self, mode: Any) -> None:
        wanted: list[str] = []
        if isinstance(mode, Behaving) and mode.shown is not None:
            wanted = [key for kind in KINDS for key in mode.shown.of_kind(kind)][:4]
        if wanted == list(self._plots):
            return
        if self._side is not None:
            self._side.remove()
        self._side, self._plots = None, {}
        if not wanted:
            return
        self._side = self._gui.add_panel()
        with self._side.add_tab("Streams", icon="chart-line"):
            for key in wanted:
                stream = mode.shown.streams()[key]
                chosen = _chosen(stream.labels)
                names = [stream.labels[c] for c in chosen]
                self._plots[key] = chosen, self._plot(f"{stream.name} [{stream.channels[chosen[0]].unit}]", names)
        self._side.dock_left()
        self._side.set_width(380)

    def _plot(self, title: str, names: list[str]) -> Any:
        grid = {"stroke": "#e6eaef", "width": 1}
        lines = [{"label": n, "stroke": c, "width": 1.5} for n, c in zip(names, STROKES, strict=False)]
        series = ({"label": "s"}, *lines, {"label": "now", "stroke": "#b02a3e", "width": 2})
        empty = tuple(np.zeros(2) for _ in range(len(names) + 2))
        return self._gui.add_uplot(
            empty, series, title=title, axes=({"grid": grid, "size": 32}, {"grid": grid, "size": 52}), height=170,
            scales={"x": {"time": False}}, legend={"show": True, "live": False}, padding=(4, 10, 0, 0),
        )  # fmt: skip

    def tick(self, mode: Behaving) -> None:
        """Draw anew: all over the same times."""
        with self._lock:
            self._tick(mode)

    def _tick(self, mode: Behaving) -> None:
        assert mode.shown is not None
        end = mode.cursor + (0.0 if mode.live else AHEAD)
        self.window = (end - WINDOW, end)
        zero = mode.shown.span[1] if mode.live else 0.0
        grid = np.linspace(*self.window, POINTS)
        for key, (chosen, plot) in self._plots.items():
            if key not in mode.shown.streams():
                continue
            time, values = mode.shown.between(key, *self.window)
            lines = sampled(time, values[:, chosen], grid)
            lines = [_held(line) for line in lines]  # a page draws nothing of a line with NaN
            plot.data = (grid - zero, *lines, _cursor(grid, lines, mode.cursor))


def _chosen(labels: tuple[str, ...]) -> list[int]:
    """Channels to draw: upward forces and directions first, else the first ones."""
    best = [k for k, name in enumerate(labels) if name.lower().startswith(("fz", "direction"))]
    return best[:LINES] or list(range(min(LINES, len(labels))))


def sampled(time: FloatArray, values: FloatArray, grid: FloatArray) -> list[FloatArray]:
    """Lines over a grid: of the samples around each time the one farthest from 0, so that no peak is lost; or NaN."""
    step = grid[1] - grid[0]
    i, j = np.searchsorted(time, [grid - step / 2, grid + step / 2])
    found: list[FloatArray] = []
    for column in values.T:
        line = np.full(len(grid), np.nan)
        if len(time):
            k = np.minimum(np.maximum(j - 1, 0), len(time) - 1)
            near = np.abs(time[k] - grid) <= max(step, 0.05)
            line[near] = column[k][near]
            for n in np.flatnonzero(j - i > 1):
                part = column[i[n] : j[n]]
                if np.isfinite(part).any():
                    line[n] = part[np.nanargmax(np.abs(part))]
        found.append(line)
    return found


def _cursor(grid: FloatArray, lines: list[FloatArray], time: float) -> FloatArray:
    """A spike from bottom to top at a time."""
    every = np.concatenate(lines)
    low, high = float(every.min()), float(every.max())
    out = np.full(len(grid), low)
    out[int(np.clip(np.searchsorted(grid, time), 0, len(grid) - 1))] = high if high > low else low + 1.0
    return out


def _held(line: FloatArray) -> FloatArray:
    """Where nothing was measured, the value before; before the first, the first; of nothing, 0."""
    known = np.flatnonzero(np.isfinite(line))
    if not len(known):
        return np.zeros(len(line))
    held: FloatArray = line[known[np.maximum(np.searchsorted(known, np.arange(len(line)), side="right") - 1, 0)]]
    return held
