"""Principal pivoting: the exact solution for symmetric positive semi-definite A with box bounds.

Rows are driven one at a time to a right speed, as in Dantzig's method (Cottle & Dantzig 1968; Baraff 1994 for contact),
but the row to drive is the most wrong one, and the energy ½ λᵀAλ + bᵀλ falls all the while (Keller 1973; Cottle, Pang &
Stone 2009, §4.3).  A drive ends after finitely many pivots, as each but the last sends a row out.  Then λ is the least
of its pattern (who is inside, who is at which bound), with less energy than ever before: no pattern returns, so there
is no cycling, also with redundant rows.
"""

from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.solve.pivot_kernels import NEGATIVE, UNBOUNDED, pivot
from hitogata.solve.problem import Problem
from hitogata.solve.solution import Solution, Status, solved, start_of


def principal_pivoting(problem: Problem, *, start: Any = None) -> Solution:
    """Solve exactly; A must be symmetric and positive semi-definite.

    Redundant rows (a singular A) are fine: one of the solutions is returned, w is the same for all.

    Args:
        problem: what to solve, without discs.
        start: impulses near the solution, shape (n,) [N s], or a Solution: fewer pivots; None: none.

    Returns:
        CONVERGED; NO_SOLUTION (the rows contradict each other); INDEFINITE (A is not positive semi-definite); or
        MAX_ITERATIONS when rounding kept the residual up.
    """
    refuse_discs(problem, "principal_pivoting")
    if not problem.symmetric:
        raise ArgumentError("A is not symmetric; principal_pivoting needs it so, lemke does not")
    lam = start_of(problem, start)
    if _surely_indefinite(problem):
        return solved(problem, lam, Status.INDEFINITE, 0)
    inside = np.zeros(problem.n + 1, np.int64)
    p = problem
    ended, pivots = pivot(p.A, p.b, p.low, p.high, p.scales, lam, inside, 50 * p.n + 100)
    lam = np.minimum(np.maximum(lam, p.low), p.high)
    ending = {UNBOUNDED: Status.NO_SOLUTION, NEGATIVE: Status.INDEFINITE}.get(ended, Status.CONVERGED)
    return solved(problem, lam, ending, pivots)


def refuse_discs(problem: Problem, solver: str) -> None:
    """Discs are not for pivots: an ArgumentError that says what to do."""
    if problem.discs:
        raise ArgumentError(
            f"{solver} does not take friction discs; use projected_gauss_seidel or friction_newton, "
            "or make pyramids of them by with_pyramids"
        )


def _surely_indefinite(problem: Problem) -> bool:
    """Whether |A_ij| > √(A_ii A_jj) somewhere."""
    d = np.diag(problem.A)
    return bool((d < 0).any() or (np.outer(d, d) * (1 + 1e-9) < problem.A**2).any())
