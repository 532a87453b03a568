"""Does a closed curve cross itself?  Exact: parts are halved until they are proved apart or nearly meet.

Two parts of the curve lie in balls; balls apart: no crossing.  Two neighbours meet at their common end only, if the
cone of ways back along the first and the cone of ways on along the second have no direction in common.  A single part
whose directions fit in half a space cannot meet itself.
"""

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.build import Pieces
from hitogata.rom.frames import Array, unit
from hitogata.rom.layout import AT, DEGREE

GAP = 1e-7
"""Parts of a boundary must keep this distance [rad]."""

_T = np.linspace(0.0, 1.0, 9)


def check_simple(pieces: Pieces) -> None:
    """Check that the boundary neither crosses nor touches itself.

    Raises:
        RangeError: names the two segments and the place.
    """
    parts = _split_all(pieces)
    n = len(parts)
    i, j = np.triu_indices(n)
    after = (j - i == 1) | ((i == 0) & (j == n - 1))
    kind = np.where(i == j, 2, np.where(after, 1, 0))
    i, j = np.where((kind == 1) & (j - i != 1), j, i), np.where((kind == 1) & (j - i != 1), i, j)
    for _ in range(60):
        centre, radius, way, spread = _bounds(pieces, parts)
        apart = np.linalg.norm(centre[i] - centre[j], axis=1) > radius[i] + radius[j] + GAP
        turn = np.linalg.norm(way[i] + way[j], axis=1)                   # from the way back to the way on, as a chord
        angle = 2.0 * np.arcsin(np.minimum(1.0, turn / 2.0))
        clear = (angle > spread[i] + spread[j]) & (spread[i] < 1.5) & (spread[j] < 1.5)
        fine = np.select([kind == 0, kind == 1], [apart, clear], spread[i] < 1.5)
        open_ = ~fine
        if not open_.any():
            return
        i, j, kind = i[open_], j[open_], kind[open_]
        small = np.maximum(radius[i], radius[j]) < GAP
        if small.any() or len(i) > 200_000:
            k = int(np.argmax(small))
            _report(pieces, parts[i[k]], parts[j[k]], centre[i[k]])
        parts, i, j, kind = _halve(parts, i, j, kind)
    _report(pieces, parts[i[0]], parts[j[0]], centre[i[0]])


def _split_all(pieces: Pieces) -> Array:
    """(m, 3): piece, and from where to where on it (-1 to 1); at least four parts."""
    n = len(pieces.rows)
    cuts = np.linspace(-1.0, 1.0, 3 if n > 1 else 9)
    k = len(cuts) - 1
    return np.stack([np.repeat(np.arange(n), k), np.tile(cuts[:-1], n), np.tile(cuts[1:], n)], 1)


def points_on(pieces: Pieces, k: Array, t: Array) -> tuple[Array, Array]:
    """Points and derivatives of pieces k (m,) at t (m, q) from -1 to 1: shapes (m, q, 3)."""
    rows = pieces.rows[k]
    if pieces.exact:
        m, along, axis = rows[:, None, 0:3], rows[:, None, 3:6], rows[:, None, 6:9]
        half = rows[:, AT["half"], None]
        turn = t * half
        c, s = np.cos(turn)[..., None], np.sin(turn)[..., None]
        radius = rows[:, AT["radius"], None, None]
        return (axis * rows[:, AT["height"], None, None] + (m * c + along * s) * radius,
                (along * c - m * s) * radius * half[..., None])
    coefficients = pieces.polynomials[k].reshape(len(k), DEGREE + 1, 3)
    x, d = np.repeat(coefficients[:, :1], t.shape[1], 1), np.zeros((len(k), t.shape[1], 3))
    for q in range(1, DEGREE + 1):
        d = d * t[..., None] + x
        x = x * t[..., None] + coefficients[:, q:q + 1]
    return x, d


def _bounds(pieces: Pieces, parts: Array) -> tuple[Array, Array, Array, Array]:
    """Ball and cone of directions of each part: centre, radius; mean direction, half angle."""
    x, d = points_on(pieces, parts[:, 0].astype(int), parts[:, 1:2] + (parts[:, 2:3] - parts[:, 1:2]) * _T)
    centre = (x[:, 0] + x[:, -1]) / 2.0
    gap = np.linalg.norm(np.diff(x, axis=1), axis=-1).max(1)
    radius = np.linalg.norm(x - centre[:, None], axis=-1).max(1) + 0.2 * gap
    d = unit(d)
    mean = d.sum(1)
    size = np.linalg.norm(mean, axis=1)
    way = mean / np.maximum(size, 1e-9)[:, None]
    spread = 2.0 * np.arcsin(np.minimum(1.0, np.linalg.norm(d - way[:, None], axis=-1).max(1) / 2.0))
    return centre, radius, way, np.where(size > 1.0, spread * 1.2, np.pi)


def _halve(parts: Array, i: Array, j: Array, kind: Array) -> tuple[Array, Array, Array, Array]:
    """Halves of all parts still in doubt, and the pairs of halves still in doubt."""
    used, flat = np.unique(np.concatenate([i, j]), return_inverse=True)
    i, j = flat[:len(i)] * 2, flat[len(i):] * 2
    mid = parts[used, 1:].mean(1)
    halves = np.repeat(parts[used], 2, 0)
    halves[0::2, 2], halves[1::2, 1] = mid, mid
    far, near, self_ = kind == 0, kind == 1, kind == 2
    pairs = [(i[far] + a, j[far] + b, 0) for a in (0, 1) for b in (0, 1)]
    pairs += [(i[near], j[near], 0), (i[near], j[near] + 1, 0), (i[near] + 1, j[near] + 1, 0)]
    pairs += [(i[near] + 1, j[near], 1)]
    pairs += [(i[self_], i[self_], 2), (i[self_] + 1, i[self_] + 1, 2), (i[self_], i[self_] + 1, 1)]
    return (halves, np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs]),
            np.concatenate([np.full(len(p[0]), p[2]) for p in pairs]))


def _report(pieces: Pieces, a: Array, b: Array, place: Array) -> None:
    first, second = (int(np.floor(pieces.spans[int(x[0])].mean())) for x in (a, b))
    where = ", ".join(f"{v:.6f}" for v in unit(place))
    if first == second:
        raise RangeError(f"the boundary crosses itself: segment {first} meets itself near ({where})")
    low, high = sorted((first, second))
    raise RangeError(f"the boundary crosses itself: segments {low} and {high} meet near ({where})")
