"""Twist limits fitted to poses.

M(c) ± h(c), both linear in the values at vertices (of a mesh) or knots (of a boundary).
"""

import heapq
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.spatial import cKDTree

from hitogata.rom.frames import Array

TURN = 2.0 * np.pi


def wrapped(angle: Any) -> Any:
    """The same angle within ±π."""
    return angle - TURN * np.rint(angle / TURN)


def first_guess(places: Array, edges: Any, p: Array, twist: Array, near: int) -> Array:
    """Middle and half width at places, from the twists of the poses nearest to each; shape (2, n).

    Middles are counted on from neighbour to neighbour (edges), outwards from the place with most poses about it, so
    that they do not jump by a turn.
    """
    near = min(near, len(p))
    gap, which = cKDTree(p).query(places, near)
    gap, which = gap.reshape(len(places), near), which.reshape(len(places), near)
    turns = np.sort(np.mod(twist[which], TURN), 1)
    steps = np.diff(np.concatenate([turns, turns[:, :1] + TURN], 1), axis=1)
    widest = steps.argmax(1)
    rows = np.arange(len(places))
    half = (TURN - steps[rows, widest]) / 2.0
    middle = turns[rows, (widest + 1) % near] + half
    neighbours: list[list[int]] = [[] for _ in places]
    for i, j in edges:
        neighbours[int(i)].append(int(j))
        neighbours[int(j)].append(int(i))
    vague = half > 0.85 * np.pi  # no gap in the turn tells where its middle is
    doubt = np.where(vague, 1e3, 1.0) * (gap[:, -1] + 1e-3)
    seen = np.zeros(len(places), bool)
    for seed in np.argsort(doubt):
        queue = [] if seen[seed] else [(0.0, int(seed), float(middle[seed]))]
        while queue:  # the surest neighbour first
            _, j, beside = heapq.heappop(queue)
            if not seen[j]:
                seen[j] = True
                middle[j] = beside if vague[j] else beside + wrapped(middle[j] - beside)
                for k in neighbours[j]:
                    if not seen[k]:
                        heapq.heappush(queue, (float(doubt[k]), k, float(middle[j])))
    for _ in range(50):  # vague middles: the mean of their neighbours
        for j in np.nonzero(vague)[0]:
            middle[j] = np.mean([middle[k] for k in neighbours[j]] or [middle[j]])
    return np.stack([middle, half])


def separate(
    weights: Any,
    twist: Array,
    allowed: Any,
    start: Array,
    smooth: Any,
    *,
    softness: float,
    most: int = 60,
) -> Array:
    """Middle and half width that part allowed from forbidden twists best; shape (2, n).

    Minimises 1 − (soft intersection over union) with membership 1/(1 + exp(−room/softness)), plus xᵀ S x for middles
    and for half widths.

    Args:
        weights: (k, n) sparse or dense: values at vertices to values at poses.
        twist: [rad], shape (k,).
        allowed: labels, shape (k,).
        start: middle and half width to begin with, shape (2, n).
        smooth: S, sparse and symmetric, shape (n, n); see `smoothness`.
        softness: [rad].
        most: iterations.
    """
    n = start.shape[1]
    y = np.asarray(allowed, np.float64)
    total = y.sum()
    back = weights.T.tocsr() if hasattr(weights, "tocsr") else weights.T

    def cost(x: Array) -> tuple[float, Array]:
        middle, half = x[:n], np.abs(x[n:])  # a width has no sign: no bounds are needed
        turn = wrapped(twist - weights @ middle)
        member = 1.0 / (1.0 + np.exp(np.clip((np.abs(turn) - weights @ half) / softness, -40.0, 40.0)))
        both = (member * y).sum()
        either = member.sum() + total - both
        slope = (both * (1.0 - y) - y * either) / either**2 * member * (1.0 - member) / softness
        rough = smooth @ middle, smooth @ half
        grad = np.concatenate([back @ (slope * np.sign(turn)) + 2.0 * rough[0], back @ slope + 2.0 * rough[1]])
        grad[n:] *= np.sign(x[n:])
        return float(1.0 - both / either + middle @ rough[0] + half @ rough[1]), grad

    found = minimize(cost, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": most, "maxcor": 12})
    return np.stack([found.x[:n], np.abs(found.x[n:])])


def smoothness(n: int, *parts: tuple[Any, float]) -> Any:
    """S with xᵀ S x = the sum over parts (rows, weight) of weight times the mean square of rows @ x; sparse (n, n)."""
    out = sparse.csr_matrix((n, n))
    for rows, weight in parts:
        out = out + rows.T @ rows * (weight / max(rows.shape[0], 1))
    return out.tocsr()


def steps_along(edges: Any, n: int) -> Any:
    """Sparse (e, n): differences of n values along edges (e, 2)."""
    e = np.asarray(edges)
    rows, signs = np.repeat(np.arange(len(e)), 2), np.tile([1.0, -1.0], len(e))
    return sparse.csr_matrix((signs, (rows, e.ravel())), (len(e), n))


def separate_gaps(
    weights: Any,
    twist: Array,
    allowed: Any,
    trust: Array,
    start: Array,
    smooth: Any,
    *,
    softness: float,
    most: int = 60,
) -> Array:
    """Middles and half widths of two gaps that part allowed from forbidden twists best; shape (4, n).

    Minimises the mean square of (a b − label) with a, b = 1/(1 + exp(−room/softness)), room the distance from each
    gap, plus xᵀ S x for each of the four rows.

    Args:
        weights: (k, n) sparse: values at vertices to values at poses.
        twist: [rad], shape (k,).
        allowed: labels, shape (k,).
        trust: weight of each pose, shape (k,).
        start: middle and half width of the first gap, then of the second, shape (4, n); negative: no gap.
        smooth: S, sparse and symmetric, shape (n, n); see `smoothness`.
        softness: [rad].
        most: iterations.
    """
    n, share = start.shape[1], trust / trust.sum()
    y, back = np.asarray(allowed, np.float64), weights.T.tocsr()

    def cost(flat: Array) -> tuple[float, Array]:
        x = flat.reshape(4, n)
        turns = [wrapped(twist - weights @ x[k]) for k in (0, 2)]
        free = [
            1.0 / (1.0 + np.exp(np.clip((weights @ x[k + 1] - np.abs(turn)) / softness, -40.0, 40.0)))
            for k, turn in zip((0, 2), turns, strict=True)
        ]
        both = free[0] * free[1]
        off, bent = both - y, (smooth @ x.T).T
        grad, pull = 2.0 * bent, 2.0 * share * off * both / softness
        for k, turn, own in zip((0, 2), turns, free, strict=True):
            slope = pull * (1.0 - own)
            grad[k] -= back @ (slope * np.sign(turn))
            grad[k + 1] -= back @ slope
        return float(share @ (off * off) + (x * bent).sum()), grad.ravel()

    found = minimize(cost, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": most, "maxcor": 12})
    return np.asarray(found.x, np.float64).reshape(4, n)


def enclose(
    weights: Any, twist: Array, start: Array, edges: Any, *, share: float, softness: float, stiffness: float
) -> Array:
    """Low and high limits that hold all but a share of the twists at each end; shape (2, n).

    Quantile regression: the mean of share·r above and (1 − share)·r below, rounded over `softness`, plus smoothness
    (see `separate`).

    Args:
        weights: (k, n) sparse or dense.
        twist: [rad], shape (k,).
        start: middle and half width to begin with, shape (2, n).
        edges: pairs of neighbours, shape (e, 2).
        share: of poses beyond each limit.
        softness: [rad].
        stiffness: weight of smoothness.
    """
    n = start.shape[1]
    middle = weights @ start[0]
    unwound = middle + wrapped(twist - middle)
    i, j = np.asarray(edges).T
    out = []
    for sign, first in ((-1.0, start[0] - start[1]), (1.0, start[0] + start[1])):
        z = sign * unwound

        def cost(x: Array, z: Array = z) -> tuple[float, Array]:
            r = (z - weights @ x) / softness  # > 0: beyond the limit
            soft = np.logaddexp(0.0, r)
            member = 1.0 / (1.0 + np.exp(-np.clip(r, -40.0, 40.0)))
            d = x[i] - x[j]
            value = softness * (soft - share * r).mean() + stiffness * (d @ d) / len(i)
            grad = weights.T @ ((share - member) / len(z))
            pull = 2.0 * stiffness * d / len(i)
            return float(value), grad + np.bincount(i, pull, n) - np.bincount(j, pull, n)

        found = minimize(cost, sign * first, jac=True, method="L-BFGS-B", options={"maxiter": 300, "maxcor": 20})
        out.append(sign * found.x)
    low, high = out
    middle, half = (low + high) / 2.0, np.maximum((high - low) / 2.0, 0.0)
    return np.stack([middle, half])
