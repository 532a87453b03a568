"""`BoundaryTwist` as a linear map.

Limits at directions from values at knots and pole (numpy twin of `mean.mean_values` and `mean.blend`).
"""

from typing import Any

import numpy as np

from hitogata.rom.frames import Array
from hitogata.rom.region import Region
from hitogata.rom.twist import cut_rows


def boundary_weights(region: Region, p: Array, pole: Any = None) -> Array:
    """Weights of the knots' values, then of the pole's, in the twist limit at directions; shape (k, segments) or (k,
    segments + 1).

    Args:
        region: the region.
        p: directions within it, shape (k, 3); outside, those of the nearest allowed direction.
        pole: the bone at rest, if it has values of its own (only the pole, no antipole).
    """
    p = region.nearest(p)
    n = region.segments
    rows = cut_rows(region, np.zeros(n), np.zeros(n))
    steps = len(rows) // n
    pull, cos, chord, start, stop = rows[:, :3], rows[:, 3], rows[:, 4], rows[:, 5:8], rows[:, 8:11]
    lu, lv = (np.sqrt(np.maximum(((p[:, None] - x) ** 2).sum(-1), 0.0)) for x in (start, stop))
    share = chord / (np.maximum(lu * lv + 2.0 * (cos - p @ pull.T), 1e-28) * np.maximum(lu + lv, 1e-28))
    at = np.arange(n * steps) / steps
    first = np.floor(at + 1e-12).astype(int)
    mix = np.zeros((2, n * steps, n))
    for side, f in ((0, at - first), (1, at - first + 1.0 / steps)):
        np.add.at(mix[side], (np.arange(len(at)), first), 1.0 - f)
        np.add.at(mix[side], (np.arange(len(at)), (first + 1) % n), f)
    out = (share * lv) @ mix[0] + (share * lu) @ mix[1]
    out /= out.sum(1, keepdims=True)
    if pole is None:
        return out
    angle = np.arctan2(np.linalg.norm(np.cross(pole, p), axis=1), p @ pole)
    k = (angle / np.maximum(angle + np.maximum(region.distance(p), 0.0), 1e-30)) ** 2
    return np.concatenate([out * k[:, None], 1.0 - k[:, None]], 1)
