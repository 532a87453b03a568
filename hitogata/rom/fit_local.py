"""Allowed or forbidden between labelled poses: a plane through the labels of the poses about each place.

With labels y = ±1 of the k nearest poses, at rotation vectors v from the place, weights w = 1 − (|v|/h)² and h just
beyond the farthest of them,

    minimise  Σ w (a + b·v/h − y)² + ridge Σ w |b|²          a is the score of the place: allowed if positive

(local linear regression, Cleveland 1979).  Where labels have no noise and limits are smooth, its error falls with
the square of the distance between poses; that of the nearest neighbours' majority with the distance itself.
"""

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from hitogata.rom.frames import Array

RIDGE = 1e-2
"""Of the slopes, as a share of the weights."""

COUNTS = (10, 14, 20, 28)
"""Numbers of poses that are tried."""

CHUNK = 20_000
"""Places at a time."""


class LocalPlanes:
    """Labelled poses, to be asked for scores between them.

    Args:
        quats: unit quaternions wxyz, shape (n, 4); both signs mean the same.
        allowed: labels, shape (n,).
    """

    def __init__(self, quats: Array, allowed: Any) -> None:
        self.quats, self.labels = quats, np.where(allowed, 1.0, -1.0)
        self.tree = cKDTree(np.concatenate([quats, -quats]))

    def scores(self, places: Array, count: int) -> Array:
        """Scores at poses (k, 4) from the `count` nearest ones, about −1 to 1; shape (k,)."""
        count = min(count, len(self.quats))
        parts = [places[i : i + CHUNK] for i in range(0, len(places), CHUNK)]
        return np.concatenate([self._scores(part, *self.tree.query(part, count)) for part in parts] or [np.zeros(0)])

    def left_out(self, which: Any, count: int) -> Array:
        """Scores of some of the poses themselves, each without its own label."""
        places = self.quats[which]
        gap, near = self.tree.query(places, min(count + 1, len(self.quats)))
        return self._scores(places, gap[:, 1:], near[:, 1:])

    def best_count(self) -> int:
        """Of `COUNTS`, the one that tells most poses right that are left out, by intersection over union."""
        which = np.arange(0, len(self.quats), max(1, len(self.quats) // 3000))
        truth, found = self.labels[which] > 0, []
        for count in COUNTS:
            told = self.left_out(which, count) > 0
            found.append(float((told & truth).sum() / max((told | truth).sum(), 1)))
        return COUNTS[int(np.argmax(found))]

    def _scores(self, places: Array, gap: Array, near: Any) -> Array:
        n = len(self.quats)
        gap, near = gap.reshape(len(places), -1), near.reshape(len(places), -1)
        labels = self.labels[near % n]
        out = labels[:, 0].copy()
        mixed = np.flatnonzero((labels != labels[:, :1]).any(1))
        if len(mixed) == 0:
            return out
        gap, near, labels = gap[mixed], near[mixed], labels[mixed]
        others = self.quats[near % n] * np.where(near < n, 1.0, -1.0)[..., None]
        reach = 1.05 * gap[:, -1:] + 1e-12
        w = 1.0 - (gap / reach) ** 2
        rows = np.concatenate([np.ones((*w.shape, 1)), _between(places[mixed], others) / reach[..., None]], 2)
        weighted = rows * w[..., None]
        matrix = weighted.transpose(0, 2, 1) @ rows
        total = w.sum(1)
        matrix[:, range(4), range(4)] += total[:, None] * np.array([1e-9, RIDGE, RIDGE, RIDGE])
        out[mixed] = np.linalg.solve(matrix, (weighted * labels[..., None]).sum(1)[..., None])[:, 0, 0]
        return out


def _between(q: Array, r: Array) -> Array:
    """Vector parts of q⁻¹ r: half the small rotations from q (n, 4) to r (n, k, 4); shape (n, k, 3)."""
    w, v = q[:, None, :1], q[:, None, 1:]
    return w * r[..., 1:] - r[..., :1] * v - np.cross(np.broadcast_to(v, r[..., 1:].shape), r[..., 1:])
