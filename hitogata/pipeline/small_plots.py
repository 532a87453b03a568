"""Many small plots over one time as a single SVG, written directly: a page of matplotlib's axes costs seconds."""

import html
from collections.abc import Sequence

import numpy as np

from hitogata.figure.values import FloatArray

ACROSS = 5
WIDTH, HEIGHT = 190, 118
"""Of a cell [px]."""

LEFT, RIGHT, TOP, BOTTOM = 42, 8, 18, 16
"""Margins in a cell [px]."""

SPAN = 25.0
"""Ends of a range are drawn if they are so near to the values [°]."""


def small_plots(time: FloatArray, columns: Sequence[tuple[str, FloatArray, tuple[float, float] | None]]) -> str:
    """An SVG with a cell for each column, five across.

    Args:
        time: [s], shape (n,), rising.
        columns: name, values of shape (n,), and the range's ends, drawn dashed; None: there is none.
    """
    rows = -(-len(columns) // ACROSS)
    width, height = ACROSS * WIDTH, rows * HEIGHT + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="8">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for k, (name, values, span) in enumerate(columns):
        parts.append(f'<g transform="translate({k % ACROSS * WIDTH},{k // ACROSS * HEIGHT})">')
        parts += _cell(time, name, values, span)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _cell(time: FloatArray, name: str, values: FloatArray, span: tuple[float, float] | None) -> list[str]:
    good = np.isfinite(values)
    low, high = (float(values[good].min()), float(values[good].max())) if good.any() else (0.0, 1.0)
    edges = [edge for edge in span or () if low - SPAN < edge < high + SPAN]
    low, high = min([low, *edges]), max([high, *edges])
    room = 0.06 * (high - low) or 0.5
    low, high = low - room, high + room
    begin, end = float(time[0]), float(time[-1])
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    x = LEFT + (time - begin) / ((end - begin) or 1.0) * (right - LEFT)
    y = bottom - (values - low) / (high - low) * (bottom - TOP)

    def level(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - TOP)

    parts = [
        f'<text x="{(LEFT + right) / 2:.0f}" y="11" text-anchor="middle" font-size="9">{html.escape(name)}</text>',
        f'<path d="M{LEFT},{TOP}V{bottom}H{right}" fill="none" stroke="#444" stroke-width="0.8"/>',
    ]
    for value in _ticks(low, high, 4):
        at = level(value)
        parts.append(f'<path d="M{LEFT - 3},{at:.1f}H{LEFT}" stroke="#444" stroke-width="0.8"/>')
        parts.append(f'<text x="{LEFT - 5}" y="{at + 3:.1f}" text-anchor="end">{value:g}</text>')
    for value in _ticks(begin, end, 4):
        at = LEFT + (value - begin) / ((end - begin) or 1.0) * (right - LEFT)
        parts.append(f'<path d="M{at:.1f},{bottom}V{bottom + 3}" stroke="#444" stroke-width="0.8"/>')
        parts.append(f'<text x="{at:.1f}" y="{bottom + 12}" text-anchor="middle">{value:g}</text>')
    parts += [
        f'<path d="M{LEFT},{level(edge):.1f}H{right}" stroke="#d1495b" stroke-width="0.8" stroke-dasharray="4 3"/>'
        for edge in edges
    ]
    for run in np.split(np.arange(len(values)), np.flatnonzero(np.diff(good)) + 1):
        if len(run) and good[run[0]]:
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[run], y[run], strict=True))
            parts.append(f'<polyline points="{points}" fill="none" stroke="#24476f" stroke-width="1.2"/>')
    return parts


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Round values between two, at most so many steps apart."""
    if not high > low:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** np.floor(np.log10(raw))
    step = float(next(each * power for each in (1.0, 2.0, 5.0, 10.0) if each * power >= raw * (1 - 1e-9)))
    first = int(np.ceil(low / step - 1e-9))
    last = int(np.floor(high / step + 1e-9))
    return [float(f"{k * step:.10g}") for k in range(first, last + 1)]
