"""Gaps on a time line: a row for each label, in its colour, where it is seen; and what is now."""

from html import escape

import numpy as np

from hitogata.files import MarkerData
from hitogata.studio.view.colours import hexed, of_labels

_WIDTH, _ROW, _LEFT = 320, 8, 74
_NOW, _CHOSEN = "#c0392b", "#dce6f2"


def gap_line(markers: MarkerData, frame: int, chosen: str | None = None) -> str:
    """An SVG picture."""
    labels, nt = markers.labels, markers.nframes
    scale = (_WIDTH - _LEFT - 4) / nt
    height, parts = len(labels) * _ROW + 16, []
    for row, (name, colour) in enumerate(zip(labels, of_labels(labels), strict=True)):
        y = row * _ROW + 2
        if name == chosen:
            parts.append(f'<rect x="0" y="{y}" width="{_WIDTH}" height="{_ROW}" fill="{_CHOSEN}"/>')
        parts.append(f'<text x="2" y="{y + 6.5}">{escape(name[-16:])}</text>')
        edges = np.flatnonzero(np.diff(np.concatenate([[0], markers.seen[:, row].astype(int), [0]])))
        wide = [max(0.6, (b - a) * scale) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        path = "".join(f"M{_LEFT + a * scale:.1f} {y + 1}h{w:.1f}v{_ROW - 3}h-{w:.1f}z"
                       for a, w in zip(edges[::2], wide, strict=True))  # fmt: skip
        parts.append(f'<path d="{path}" fill="{hexed(colour)}"/>')
    for k in range(5):
        at = (nt - 1) * k / 4
        parts.append(f'<text x="{_LEFT + at * scale:.1f}" y="{height - 3}" text-anchor="middle">'
                     f"{markers.time[round(at)]:.2f}</text>")  # fmt: skip
    x = _LEFT + (frame + 0.5) * scale
    parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - 12}" stroke="{_NOW}"/>')
    return (f'<svg viewBox="0 0 {_WIDTH} {height}" width="100%" role="img" aria-label="Gaps of the markers" '
            f'style="font: 7px sans-serif; background: #f6f8fa; border-radius: 4px; padding: 0 4px">'
            f'{"".join(parts)}</svg>')  # fmt: skip
