"""Strings over a picture of solids, the far ones first: muscles in films and stills."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hitogata.figure.pose import FloatArray
from hitogata.pictures.overlays import Spindles
from hitogata.pictures.shading import Frame

_DPI = 100.0


def draw_spindles(
    picture: np.ndarray[Any, np.dtype[np.uint8]], frame: Frame, strings: Sequence[tuple[Spindles, int, FloatArray]]
) -> None:
    """Draw spindles into a picture, shape (height, width, 3), in place.

    Args:
        picture: what is behind them.
        frame: what it shows.
        strings: overlays, their rows, and by how much they are moved aside [m].
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure as Canvas

    width, height = frame.size
    canvas = FigureCanvasAgg(Canvas(figsize=(width / _DPI, height / _DPI), dpi=_DPI))
    canvas.figure.patch.set_alpha(0.0)
    axes = canvas.figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    (x, y), half = frame.middle, np.array([width, height]) / (2 * frame.scale)
    axes.set_xlim(x - half[0], x + half[0])
    axes.set_ylim(y - half[1], y + half[1])
    for overlay, row, offset in strings:
        seen = np.asarray(frame.camera.project(overlay.at[row] + offset))  # (n, k, 3)
        k = seen.shape[1]
        pieces = np.stack([seen[:, :-1, :2], seen[:, 1:, :2]], axis=2).reshape(-1, 2, 2)
        depth = (0.5 * (seen[:, :-1, 2] + seen[:, 1:, 2])).ravel()
        belly = np.sin(np.pi * (np.arange(k - 1) + 0.5) / (k - 1)) ** 1.5
        widths = (1.0 + (overlay.widths[:, None] - 1.0) * belly).ravel() * 72.0 / _DPI * height / 720.0
        colours = np.repeat(overlay.shades(overlay.values[row]), k - 1, axis=0)
        order = np.argsort(depth)
        lines, shades, thick = list(pieces[order]), colours[order], widths[order]
        edge = LineCollection(lines, colors=0.45 * shades, linewidths=thick + 0.7)
        fill = LineCollection(lines, colors=shades, linewidths=thick, capstyle="round")
        axes.add_collection(edge, autolim=False)
        axes.add_collection(fill, autolim=False)
    canvas.draw()
    drawn = np.asarray(canvas.buffer_rgba()).astype(np.float64)
    cover = drawn[..., 3:] / 255.0
    picture[:] = np.rint(picture * (1.0 - cover) + drawn[..., :3] * cover)
