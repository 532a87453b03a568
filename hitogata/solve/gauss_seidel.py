"""Projected Gauss-Seidel: sweeps of constant cost, better the more of them.

    λ_i ← clip(λ_i − w_i/A_ii, low_i, high_i),   w = A λ + b

Converges for symmetric positive semi-definite A with positive diagonal when there is a solution (Cottle, Pang & Stone
2009, §5.3); with friction discs in practice.  The kernels are in `pgs_kernels`; simulators call them directly.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hitogata.errors import ArgumentError
from hitogata.lanes import X1, Floats, Ints, Number, any_lane, entry, kernel, lanes
from hitogata.solve.pgs_kernels import ROW, SLIDE, open_rows, prepare, sweep, unsolved
from hitogata.solve.problem import Array, Problem
from hitogata.solve.solution import Solution, Status, solved, start_of

JUDGE = 1e-6
"""Relative residual up to which a result is called converged when no tolerance is asked for."""

STRICT = 0.7
"""The kernel scales discs by their largest eigenvalue, `Residuals` by the diagonal: at most √2 apart."""

REFRESH = 64
"""Sweeps after which the speeds are worked out anew, so that rounding does not pile up."""


def projected_gauss_seidel(
    problem: Problem, *, sweeps: int = 20, tolerance: float | None = None, start: Any = None
) -> Solution:
    """Solve by sweeps over the rows.

    Args:
        problem: what to solve; A needs a positive diagonal.
        sweeps: number of sweeps; with a tolerance, at most so many.
        tolerance: relative residual at which to stop; None: never, so that the cost is constant.
        start: impulses to begin with, shape (n,) [N s], or an earlier Solution; None: none.

    Returns:
        CONVERGED if the relative residual is within the tolerance (1e-6 if None), else MAX_ITERATIONS, SINGULAR or
        DIVERGED.  Non-convergence does not raise.
    """
    count = check_sweeps(sweeps)
    if tolerance is not None and not tolerance >= 0:
        raise ArgumentError(f"tolerance is {tolerance!r}; it must be 0 or more, or None")
    lam = start_of(problem, start)
    columns, floats = arranged(problem, lam)
    limit = -1.0 if tolerance is None else STRICT * tolerance * problem.size
    used = sweep_one(columns, floats, plain_rows(problem), problem.disc_rows, problem.b, count, limit)
    lam = floats[columns.shape[1] :][: problem.n].copy()
    found = solved(problem, lam, Status.CONVERGED, used, JUDGE if tolerance is None else tolerance)
    if found.status is Status.MAX_ITERATIONS and _stuck(problem, found):
        return solved(problem, lam, Status.SINGULAR, used)
    return found


def check_sweeps(sweeps: Any) -> int:
    """A number of sweeps, or an ArgumentError."""
    if isinstance(sweeps, bool) or not isinstance(sweeps, int | np.integer) or sweeps < 0:
        raise ArgumentError(f"sweeps is {sweeps!r}; it must be a whole number, 0 or more")
    return int(sweeps)


def arranged(problem: Problem, lam: Array) -> tuple[Array, Array]:
    """Columns of A and the other numbers as the kernels take them, the stride a multiple of 8."""
    n = problem.n
    stride = -(-max(n, 1) // 8) * 8
    columns = np.zeros((n, stride))
    columns[:, :n] = problem.A.T
    floats = np.zeros(ROW * stride + SLIDE * len(problem.discs))
    for k, values in enumerate((problem.b, lam, problem.low, problem.high)):
        floats[k * stride : k * stride + n] = values
    floats[ROW * stride :: SLIDE] = problem.mu
    return columns, floats


def plain_rows(problem: Problem) -> NDArray[np.int64]:
    """Rows that are no part of a disc."""
    plain = np.ones(problem.n, bool)
    plain[problem.disc_rows[problem.disc_rows >= 0]] = False
    return np.flatnonzero(plain)


def _stuck(problem: Problem, found: Solution) -> bool:
    """Whether a row that cannot be swept is among those not solved."""
    target = found.lam - problem.scales**2 * found.w
    miss = np.abs(found.lam - np.clip(target, problem.low, problem.high)) / problem.scales
    free = np.diag(problem.A) <= 0
    return bool(free.any() and miss[free].max() > 0.5 * miss.max())


@entry(columns=Floats(2), floats=Floats(1, write=True), plain=Ints(1), triples=Ints(2), b=Floats(1), limit=Number())
def sweep_one(columns, floats, plain, triples, b, sweeps, limit):
    """Sweeps over one problem, until its scaled residual is within a limit (never if that is below 0); how many."""
    return _sweep_one(columns, floats, plain, triples, b, sweeps, limit)


@kernel
def _sweep_one(columns, floats, plain, triples, b, sweeps, limit):
    rows = open_rows(columns.shape[0], columns.shape[1], lanes(columns, X1), lanes(floats, X1), plain, triples)
    if rows.count == 0:
        return 0
    prepare(rows)
    for k in range(sweeps):
        if limit >= 0.0:
            if k > 0 and k % REFRESH == 0:
                for i in range(rows.count):
                    rows.speed[i] = b[i]
                prepare(rows)
            if any_lane(unsolved(rows) <= limit):
                return k
        sweep(rows)
    return sweeps
