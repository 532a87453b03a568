"""Clouds of poses: outliers, local shares, and the set that a cloud fills."""

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from hitogata.rom.fit_swing import loops, resampled
from hitogata.rom.frames import Array


def lonely(quats: Array, share: float) -> Any:
    """Outliers: poses whose neighbours are far, at most a share of all; booleans, shape (n,).

    The distance to the 6th neighbour (quaternions, both signs) is compared with what is common: beyond three times its
    95 % quantile a pose is alone.

    Args:
        quats: unit quaternions wxyz, shape (n, 4).
        share: greatest share of poses to reject; 0: none.
    """
    n = len(quats)
    if share <= 0.0 or n < 20:
        return np.zeros(n, bool)
    tree = cKDTree(np.concatenate([quats, -quats]))
    far = tree.query(quats, 7)[0][:, -1]
    limit = max(3.0 * float(np.quantile(far, 0.95)), float(np.quantile(far, 1.0 - share)))
    return far > limit


def local_share(places: Array, p: Array, allowed: Any, near: int) -> Array:
    """Share of allowed among the poses nearest to each place, nearer ones weighing more; shape (k,)."""
    gap, which = cKDTree(p).query(places, min(near, len(p)))
    gap, which = gap.reshape(len(places), -1), which.reshape(len(places), -1)
    w = np.exp(-2.0 * (gap / np.maximum(gap[:, -1:], 1e-9)) ** 2)
    return (w * allowed[which]).sum(1) / w.sum(1)


def filled(places: Array, p: Array, gap: float, margin: float) -> Array:
    """A field that is positive where a cloud of directions fills the sphere; shape (k,) [rad].

    Closing: the cloud is grown by `gap`, then shrunk by `gap` − `margin`, so that holes and bays narrower than 2·gap
    are filled.

    Args:
        places: dense grid on the sphere, shape (k, 3).
        p: directions, shape (n, 3).
        gap: [rad].
        margin: how far the set reaches beyond the cloud's own edge [rad]; negative: within.
    """
    away = _angle(cKDTree(p).query(places)[0])
    if margin >= gap:
        return margin - away
    return signed_distance(places, gap - away) - (gap - margin)


def typical_gap(p: Array) -> float:
    """The gap between neighbouring directions that closing should bridge [rad].

    Twice the 98 % quantile of the distance to the 4th neighbour, 0.03 to 0.35.
    """
    far = _angle(cKDTree(p).query(p, min(5, len(p)))[0][:, -1])
    return float(np.clip(2.0 * np.quantile(far, 0.98), 0.03, 0.35))


def _angle(chord: Array) -> Array:
    return 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))


def signed_distance(places: Array, field: Array) -> Array:
    """Distance of each place from the lines where a field is 0 [rad], positive where the field is; shape (k,)."""
    rims = loops(places, field)
    if not rims:
        return np.where(field > 0.0, np.pi, -np.pi)
    rim = np.concatenate([resampled(r, max(200, 10 * len(r)), 0.0) for r in rims])
    away = _angle(cKDTree(rim).query(places)[0])
    return np.where(field > 0.0, away, -away)
