"""From box bounds to the standard linear complementarity problem: v = M z + q, 0 ≤ z ⟂ v ≥ 0.

    row              impulse         conditions
    (low, ∞)         λ = low + z     v = w
    (−∞, high)       λ = high − z    v = −w
    (low, high)      λ = low + z     v = w + y,  and  high − low − z ≥ 0 ⟂ y ≥ 0
    low = high       λ = low
    (−∞, ∞)          solved for, w = 0; if their own block of A is singular, λ = z − z', v = w, v' = −w

Positive semi-definite A give positive semi-definite M.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from hitogata.solve.problem import Array, Problem

SINGULAR = 1e-10
"""Reciprocal condition below which the block of the equality rows is not solved for."""

NOISE = 1e-14
"""Numbers below this part of the terms they were made of are zeros, spoilt by rounding."""


class StandardForm(NamedTuple):
    """v = M z + q with 0 ≤ z ⟂ v ≥ 0, and λ = base + turn z."""

    M: Array
    q: Array
    base: Array
    turn: Array


def standard_form(problem: Problem) -> StandardForm:
    """The linear complementarity problem whose solutions are those of a problem without discs."""
    low, high, n = problem.low, problem.high, problem.n
    free = np.isinf(low) & np.isinf(high)
    flip = np.isinf(low) & ~free
    both = ~np.isinf(low) & ~np.isinf(high) & (low < high)
    base = np.where(flip, high, np.where(free, 0.0, low))
    A, b, equal = problem.A, problem.b, np.flatnonzero(free)
    terms = _magnitudes(problem, equal)
    answer = _answer(problem, equal)
    if answer is None:  # equality rows become pairs of rows
        columns = [np.flatnonzero(low < high), equal]
        signs = [np.where(flip[columns[0]], -1.0, 1.0), -np.ones(len(equal))]
        split = np.concatenate(columns)
        turn = np.zeros((n, len(split)))
        turn[split, np.arange(len(split))] = np.concatenate(signs)
        back = turn
    else:
        rows = np.flatnonzero((low < high) & ~free)
        back = np.zeros((n, len(rows)))
        back[rows, np.arange(len(rows))] = np.where(flip[rows], -1.0, 1.0)
        turn = back.copy()
        turn[equal] = answer(A[equal] @ back)
        base[equal] = answer(A[equal] @ base + b[equal])
        split = rows
    M, q = back.T @ (A @ turn), back.T @ (A @ base + b)
    M[np.abs(M) <= NOISE * (np.abs(back.T) @ (np.abs(A) @ terms(turn)))] = 0.0
    q[np.abs(q) <= NOISE * (np.abs(back.T) @ (np.abs(A) @ terms(base) + np.abs(b)))] = 0.0
    places = np.flatnonzero(both[split])
    k, m = len(places), len(q)
    cap = np.zeros((m, k))
    cap[places, np.arange(k)] = 1.0
    M = np.block([[M, cap], [-cap.T, np.zeros((k, k))]])
    q = np.concatenate([q, (high - low)[split[places]]])
    return StandardForm(M, q, base, np.hstack([turn, np.zeros((n, k))]))


def _magnitudes(problem: Problem, equal: NDArray[np.int64]) -> Callable[[Array], Array]:
    """The function x ↦ size of what x was made of, which rounding is in proportion to: |x|, and |A_EE⁻¹| |A_EE| |x_E|
    where x_E solves equations, also in components that are zero (Skeel 1979).
    """
    s = problem.scales[equal]
    block = problem.A[np.ix_(equal, equal)] * np.outer(s, s)
    spread = np.abs(np.linalg.pinv(block)) @ np.abs(block)

    def magnitudes(x: Array) -> Array:
        sizes = np.abs(x)
        sizes[equal] = np.maximum(sizes[equal], ((spread @ (sizes[equal].T / s).T).T * s).T)
        return sizes

    return magnitudes


def _answer(problem: Problem, equal: NDArray[np.int64]) -> Callable[[Array], Array] | None:
    """The function r ↦ −A_EE⁻¹ r, or None if the block is singular."""
    if len(equal) == 0:
        return lambda r: r
    s = problem.scales[equal]
    block = problem.A[np.ix_(equal, equal)] * np.outer(s, s)
    if not block.any() or not np.linalg.cond(block, 1) < 1.0 / SINGULAR:
        return None
    factor = scipy.linalg.lu_factor(block)

    def answer(r: Array) -> Array:
        scaled = (r.T * s).T
        x = scipy.linalg.lu_solve(factor, scaled)
        x += scipy.linalg.lu_solve(factor, scaled - block @ x)
        return -(x.T * s).T

    return answer
