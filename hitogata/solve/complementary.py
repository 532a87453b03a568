"""Lemke's method: the linear complementarity problem of any matrix, also not symmetric (Lemke 1965).

    v = M z + d z0 + q,   z0 large first, so that z = 0 is feasible; then complementary pivots until z0 leaves

See Cottle, Pang & Stone 2009, §4.4.  Ties are broken by the lexicographic rule (§4.9), so that degenerate problems do
not cycle; the table is made anew from M every so many pivots, and the last basis solved afresh, so that rounding does
not pile up.  A positive semi-definite M is always solved, if there is a solution.
"""

from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

from hitogata.solve.principal import refuse_discs
from hitogata.solve.problem import Array, Problem
from hitogata.solve.reduction import StandardForm, standard_form
from hitogata.solve.solution import GOOD, Solution, Status, residuals_of, solved, start_of

REFRESH = 40
"""Pivots after which the table is made anew."""
TRIES = 16
"""Paths to try: from z = 0 first, then from other complementary bases."""
PIVOT = 1e-11
"""Entries below this part of a column's largest are no pivots."""
TIE = 1e-12
"""Ratios this near to each other (relative to the largest basic value) are tied."""


def lemke(problem: Problem, *, start: Any = None) -> Solution:
    """Solve exactly by complementary pivots; A may be any matrix.

    Args:
        problem: what to solve, without discs.
        start: not used by this method (checked all the same).

    Returns:
        CONVERGED; NO_SOLUTION (the linear inequalities alone have none); RAY (every path tried went to
        infinity: possible if A is not positive semi-definite); or MAX_ITERATIONS.
    """
    refuse_discs(problem, "lemke")
    best, pivots, status = start_of(problem, start), 0, Status.CONVERGED
    form = standard_form(problem)
    scale = equilibrated(form.M)
    M, q = form.M * np.outer(scale, scale), form.q * scale
    size = np.max(np.abs(q), initial=0.0)
    q = q / (size or 1.0)
    rng = np.random.default_rng(1965)
    least = residuals_of(problem, best).relative
    for attempt in range(TRIES):
        swap = rng.random(len(q)) < (0.5, 0.2, 0.8)[attempt % 3] * (attempt > 0)
        z, ended, count = _pivots_from(M, q, swap)
        pivots += count
        lam = _impulses(problem, form, z * scale * size)
        residual = residuals_of(problem, lam).relative
        if residual < least or attempt == 0:
            best, least, status = lam, residual, ended
        if least <= GOOD:
            return solved(problem, best, Status.CONVERGED, pivots)
        if attempt == 0 and infeasible(M, q):
            return solved(problem, best, Status.NO_SOLUTION, pivots)
    return solved(problem, best, status, pivots)


def _pivots_from(M: Array, q: Array, swap: NDArray[np.bool_]) -> tuple[Array, Status, int]:
    """Pivots of the same problem with some of z and v in each other's place: a path from elsewhere.

    (A principal pivotal transform: Cottle, Pang & Stone 2009, §2.3.)
    """
    n, most = len(q), 50 * len(q) + 100
    ones = np.ones(n)
    if not swap.any():
        return complementary_pivots(M, q, ones, most)
    # v − M z = q solved for the new v: z where swapped, v elsewhere
    eye = np.eye(n)
    basis = np.where(swap, -M, eye)
    if np.linalg.cond(basis) > 1e8:
        return np.zeros(n), Status.RAY, 0
    turned = np.linalg.solve(basis, np.column_stack([np.where(swap, -eye, M), q]))
    z, ended, count = complementary_pivots(turned[:, :n], turned[:, n], ones, most)
    return np.where(swap, np.maximum(turned @ np.append(z, 1.0), 0.0), z), ended, count


def complementary_pivots(M: Array, q: Array, cover: Array, most: int) -> tuple[Array, Status, int]:
    """Solve v = M z + q, 0 ≤ z ⟂ v ≥ 0.

    Args:
        M: shape (n, n), its entries about one.
        q: shape (n,), about one.
        cover: the covering vector d > 0, shape (n,).
        most: pivots after which to give up.

    Returns:
        z, shape (n,) (of the last basis if the method failed); how it ended; and the number of pivots.
    """
    n = len(q)
    if n == 0 or q.min() >= 0:
        return np.zeros(n), Status.CONVERGED, 0
    # variables: v are 0 to n−1, z are n to 2n−1, z0 is 2n; the table is B⁻¹ [I, −M, −d | q]
    full = np.hstack([np.eye(n), -M, -cover[:, None], q[:, None]])
    table, basis = full.copy(), np.arange(n)
    row = int(np.argmin(q / cover))
    entering = 2 * n
    for count in range(1, most + 1):
        leaving = basis[row]
        _pivot(table, row, entering)
        basis[row] = entering
        if leaving == 2 * n:
            return _values(full, basis, n), Status.CONVERGED, count
        if count % REFRESH == 0:
            table = np.linalg.solve(full[:, basis], full)
        entering = leaving + n if leaving < n else leaving - n
        row = _leaving_row(table, entering, basis, n)
        if row < 0:
            return _values(full, basis, n), Status.RAY, count
    return _values(full, basis, n), Status.MAX_ITERATIONS, most


def _pivot(table: Array, row: int, column: int) -> None:
    table[row] /= table[row, column]
    factors = table[:, column].copy()
    factors[row] = 0.0
    table -= np.outer(factors, table[row])


def _leaving_row(table: Array, entering: int, basis: Any, n: int) -> int:
    """The row that blocks first, by the lexicographic rule; z0 goes first of all; −1: none does."""
    column, values = table[:, entering], table[:, -1]
    rows = np.flatnonzero(column > PIVOT * max(1.0, np.abs(column).max()))
    if len(rows) == 0:
        return -1
    ratios = values[rows] / column[rows]
    rows = rows[ratios <= ratios.min() + TIE * max(1.0, np.abs(values).max())]
    z0 = rows[basis[rows] == 2 * n]
    if len(z0):
        return int(z0[0])
    for k in range(n):  # B⁻¹ stands in the columns of v
        if len(rows) == 1:
            break
        ratios = table[rows, k] / column[rows]
        rows = rows[ratios <= ratios.min() + TIE]
    return int(rows[np.argmax(column[rows])])


def _values(full: Array, basis: Any, n: int) -> Array:
    """z of a basis, solved afresh with a step of refinement."""
    B, q = full[:, basis], full[:, -1]
    try:
        x = np.linalg.solve(B, q)
        x += np.linalg.solve(B, q - B @ x)
    except np.linalg.LinAlgError:
        x = np.linalg.lstsq(B, q, rcond=None)[0]
    values = np.zeros(2 * n + 1)
    values[basis] = x
    return np.maximum(values[n : 2 * n], 0.0)


def equilibrated(M: Array) -> Array:
    """Factors s, powers of two, so that the rows and columns of s_i M_ij s_j have a largest entry of about one."""
    s = np.ones(len(M))
    for _ in range(4):
        size = np.abs(M) * np.outer(s, s)
        largest = np.maximum(size.max(axis=0), size.max(axis=1)) if len(M) else s
        s = s / np.sqrt(np.where(largest > 0, largest, 1.0))
    return np.exp2(np.rint(np.log2(s)))


def infeasible(M: Array, q: Array) -> bool:
    """Whether no z ≥ 0 has M z + q ≥ 0: then there is no solution for certain (by linear programming)."""
    if len(q) == 0:
        return False
    done = scipy.optimize.linprog(np.zeros(len(q)), A_ub=-M, b_ub=q, bounds=(0, None), method="highs")
    return bool(done.status == 2)


def _impulses(problem: Problem, form: StandardForm, z: Array) -> Array:
    """λ of z, within the bounds; the rows between theirs solved once more in terms of A itself, if that is better."""
    rough = problem.projected(form.base + form.turn @ z)
    inner = np.flatnonzero((rough > problem.low) & (rough < problem.high))
    polished = rough.copy()
    s = problem.scales[inner]
    block = problem.A[np.ix_(inner, inner)] * np.outer(s, s)
    for _ in range(3):
        change = np.linalg.lstsq(block, -problem.speeds(polished)[inner] * s, rcond=None)[0]
        polished[inner] += change * s
    polished = problem.projected(polished)
    before, after = residuals_of(problem, rough), residuals_of(problem, polished)
    return polished if after.relative < before.relative else rough
