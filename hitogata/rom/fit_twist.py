"""Twist limits fitted to poses: m(c) ± h(c), both linear in the values at vertices (of a mesh) or knots (of a boundary)."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

from hitogata.rom.frames import Array

TURN = 2.0 * np.pi


def wrapped(angle: Any) -> Any:
    """The same angle within ±π."""
    return angle - TURN * np.rint(angle / TURN)


def first_guess(places: Array, edges: Any, p: Array, twist: Array, near: int) -> Array:
    """Middle and half width at places, from the twists of the poses nearest to each; shape (2, n).

    Middles are counted on from neighbour to neighbour (edges), outwards from the place with most poses about it, so that they do not jump by a turn.
    """
    from scipy.spatial import cKDTree

    near = min(near, len(p))
    gap, which = cKDTree(p).query(places, near)
    gap, which = gap.reshape(len(places), near), which.reshape(len(places), near)
    turns = np.sort(np.mod(twist[which], TURN), 1)
    steps = np.diff(np.concatenate([turns, turns[:, :1] + TURN], 1), axis=1)
    widest = steps.argmax(1)
    rows = np.arange(len(places))
    half = (TURN - steps[rows, widest]) / 2.0
    middle = turns[rows, (widest + 1) % near] + half
    direction = np.exp(1j * twist[which]).mean(1)                       # for full turns, where no gap tells
    middle = np.where(half > 0.9 * np.pi, np.angle(direction), middle)
    neighbours: list[list[int]] = [[] for _ in places]
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    order = np.argsort(gap[:, -1])
    seen = np.zeros(len(places), bool)
    for seed in order:
        if seen[seed]:
            continue
        seen[seed] = True
        queue = [seed]
        while queue:
            i = queue.pop(0)
            for j in sorted(neighbours[i], key=lambda k: gap[k, -1]):
                if not seen[j]:
                    seen[j] = True
                    middle[j] = middle[i] + wrapped(middle[j] - middle[i])
                    queue.append(j)
    return np.stack([middle, half])


def separate(weights: Any, twist: Array, allowed: Any, start: Array, edges: Any, *, softness: float, stiffness: float, most: int = 60) -> Array:
    """Middle and half width that part allowed from forbidden twists best; shape (2, n).

    Minimises 1 − (soft intersection over union) with membership 1/(1 + exp(−room/softness)), plus stiffness times the mean square difference
    between neighbours.

    Args:
        weights: (k, n) sparse or dense: values at vertices to values at poses.
        twist: [rad], shape (k,).
        allowed: labels, shape (k,).
        start: middle and half width to begin with, shape (2, n).
        edges: pairs of neighbours, shape (e, 2).
        softness: [rad].
        stiffness: weight of smoothness.
        most: iterations.
    """
    n = start.shape[1]
    y = np.asarray(allowed, np.float64)
    back = weights.T.tocsr() if hasattr(weights, "tocsr") else weights.T
    i, j = np.asarray(edges).T

    def cost(x: Array) -> tuple[float, Array]:
        middle, half = x[:n], x[n:]
        turn = wrapped(twist - weights @ middle)
        member = 1.0 / (1.0 + np.exp(np.clip((np.abs(turn) - weights @ half) / softness, -40.0, 40.0)))
        both = member @ y
        either = member.sum() + y.sum() - both
        slope = (both * (1.0 - y) - y * either) / either ** 2 * member * (1.0 - member) / softness
        grad = np.concatenate([back @ (slope * np.sign(turn)), back @ slope])
        value = 1.0 - both / either
        for k, v in ((0, middle), (n, half)):
            d = v[i] - v[j]
            value += stiffness * (d @ d) / len(i)
            pull = 2.0 * stiffness * d / len(i)
            grad[k:k + n] += np.bincount(i, pull, n) - np.bincount(j, pull, n)
        return float(value), grad

    bounds = [(None, None)] * n + [(0.0, 5.0)] * n
    found = minimize(cost, start.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": most, "maxcor": 12})
    return found.x.reshape(2, n)


def enclose(weights: Any, twist: Array, start: Array, edges: Any, *, share: float, softness: float, stiffness: float) -> Array:
    """Low and high limits that hold all but a share of the twists at each end; shape (2, n).

    Quantile regression: the mean of share·r above and (1 − share)·r below, rounded over `softness`, plus smoothness (see `separate`).

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
            r = (z - weights @ x) / softness                            # > 0: beyond the limit
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
