"""The gaps in which twist is forbidden, direction by direction, sorted into two that each change gradually.

At one direction of the bone the twists that are forbidden form gaps of the circle.  Neighbouring directions have much
the same gaps: starting from a sure one, each gap is known again as the first or the second by what it overlaps.
"""

import heapq
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from hitogata.rom.fit_mesh import Mesh
from hitogata.rom.fit_twist import TURN, wrapped
from hitogata.rom.frames import Array

NARROW = 0.15
"""Half width of a gap that may give its place to a new one; and what a gap lacks where it ends [rad]."""


class Gap(NamedTuple):
    """A forbidden interval: middle and half width [rad]; a negative half width: how far off it is."""

    middle: float
    half: float


def gaps_of(scores: Array, twists: Array) -> list[Gap]:
    """Gaps of one direction.

    Args:
        scores: > 0 where allowed, shape (k,), at even twists round the circle.
        twists: [rad], shape (k,).
    """
    k, step = len(scores), TURN / len(scores)
    banned = scores <= 0.0
    if banned.all():
        return [Gap(float(twists[0]), np.pi)]
    out = []
    for first in np.flatnonzero(banned & ~np.roll(banned, 1)).tolist():
        length = 1
        while banned[(first + length) % k]:
            length += 1
        before, start = scores[first - 1], scores[first]
        end, after = scores[(first + length - 1) % k], scores[(first + length) % k]
        low = twists[0] + (first - 1 + before / (before - start)) * step
        high = twists[0] + (first + length - 1 - end / (after - end)) * step
        out.append(Gap(float(low + high) / 2.0, float(high - low) / 2.0))
    return sorted(out, key=lambda gap: -gap.half)


def surest(gaps: list[list[Gap]], room: Array) -> Array:
    """How sure each direction is to begin with, shape (n,): the half width of its gap if it has one only.

    Args:
        gaps: of each direction.
        room: how much twist is allowed there [rad], shape (n,); too little: not sure at all.
    """
    return np.array([own[0].half if len(own) == 1 and room[i] > 1.0 else 0.0 for i, own in enumerate(gaps)])


def starts(p: Array, sure: Array, count: int) -> list[int]:
    """Directions (of p, shape (n, 3)) to begin with: the surest, then such as are far from those before."""
    found = [int(np.argmax(sure))]
    fit = np.flatnonzero(sure > 2.0 * NARROW)
    while len(found) < count and len(fit):
        found.append(int(fit[np.argmin((p[fit] @ p[found].T).max(1))]))
    return found


def tracked(
    gaps: list[list[Gap]], neighbours: list[list[int]], sure: Array, start: int
) -> tuple[list[Gap | None], list[Gap | None]]:
    """First and second gap of each direction; None where nothing is known of one.

    Args:
        gaps: of each direction.
        neighbours: of each direction, indices.
        sure: see `surest`; what cannot be reached from the start is reached from the surest of the rest.
        start: the direction to begin with.
    """
    found: tuple[list[Gap | None], list[Gap | None]] = ([None] * len(gaps), [None] * len(gaps))
    seen = np.zeros(len(gaps), bool)
    for seed in [start, *np.argsort(sure, kind="stable")[::-1].tolist()]:
        queue: list[tuple[float, int, int]] = [(0.0, seed, -1)] if not seen[seed] and gaps[seed] else []
        while queue:
            _, i, parent = heapq.heappop(queue)
            if seen[i]:
                continue
            seen[i] = True
            beside = (None, None) if parent < 0 else (found[0][parent], found[1][parent])
            found[0][i], found[1][i] = _known_again(gaps[i], beside)
            here = [gap for gap in (found[0][i], found[1][i]) if gap is not None and gap.half > 0.0]
            for j in neighbours[i]:
                if not seen[j]:
                    alike = max((_overlap(a, b) for a in gaps[j] for b in here), default=0.0)
                    heapq.heappush(queue, (-alike - 0.5 * (len(gaps[j]) == len(here)), j, i))
    return found


def _overlap(a: Gap, b: Gap) -> float:
    """Share of the narrower gap that the other covers."""
    apart = abs(wrapped(a.middle - b.middle))
    common = min(a.half, b.half, (a.half + b.half - apart) / 2.0)
    return float(max(common, 0.0) / max(min(a.half, b.half), 5e-4))


def _known_again(own: list[Gap], beside: tuple[Gap | None, Gap | None]) -> list[Gap | None]:
    """The gaps of a direction as first and second, by those of its neighbour; gaps that ended count as off."""
    out: list[Gap | None] = [None, None]
    pairs = [
        (_overlap(gap, old) - 0.1 * abs(wrapped(gap.middle - old.middle)), slot, k)
        for k, gap in enumerate(own) for slot, old in enumerate(beside) if old is not None
    ]  # fmt: skip
    used = set()
    for like, slot, k in sorted(pairs, key=lambda pair: -pair[0]):
        if like > 0.05 and out[slot] is None and k not in used:
            out[slot] = _near(own[k], beside[slot])
            used.add(k)
    for k, gap in enumerate(own):
        free = [slot for slot in (0, 1) if out[slot] is None]
        if k not in used and free:  # a new gap: in the place of none, or of the one that is least
            slot = min(free, key=lambda s: -np.inf if beside[s] is None else beside[s].half)  # type: ignore[union-attr]
            old = beside[slot]
            out[slot] = gap if old is None or old.half < NARROW else _near(gap, old)
    for slot, old in enumerate(beside):
        if out[slot] is None and old is not None:
            out[slot] = Gap(old.middle, -NARROW if old.half > 0.0 else old.half - 0.1)
    return out


def _near(gap: Gap, other: Gap | None) -> Gap:
    """The gap, its middle counted on from another's."""
    return gap if other is None else Gap(float(other.middle + wrapped(gap.middle - other.middle)), gap.half)


def vertex_gaps(mesh: Mesh, weights: Any, gaps: list[Gap | None]) -> Array:
    """Middle and half width of a gap at the vertices of a mesh, by smooth least squares; shape (2, vertices).

    Args:
        mesh: the mesh.
        weights: of the vertices at the directions, sparse, shape (n, vertices).
        gaps: one at each direction, or None.
    """
    n, steps = len(mesh.vertices), mesh.steps
    known = np.array([gap is not None for gap in gaps])
    if not known.any():
        return np.stack([np.zeros(n), np.full(n, -0.5)])
    middle = np.array([0.0 if gap is None else gap.middle for gap in gaps])
    half = np.array([-0.3 if gap is None else gap.half for gap in gaps])
    out = []
    for value, sure in ((middle, np.where(known, np.where(half > 0.0, 1.0, 0.02), 0.0)), (half, 0.05 + 0.95 * known)):
        smooth = steps.T @ steps * (0.05 * max(float(sure.sum()) / n, 1e-3)) + sparse.eye(n) * 1e-9
        out.append(spsolve((weights.T @ sparse.diags(sure) @ weights + smooth).tocsc(), weights.T @ (sure * value)))
    return np.stack(out)
