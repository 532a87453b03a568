"""The exact solution by the method that fits the matrix."""

from typing import Any

from hitogata.solve.complementary import lemke
from hitogata.solve.principal import principal_pivoting, refuse_discs
from hitogata.solve.problem import Problem
from hitogata.solve.solution import Solution, Status


def direct(problem: Problem, *, start: Any = None) -> Solution:
    """Principal pivoting if A is symmetric and positive semi-definite, else Lemke's method.

    Args:
        problem: what to solve, without discs.
        start: impulses near the solution, shape (n,) [N s], or a Solution; None: none.

    Returns:
        See `principal_pivoting` and `lemke`.
    """
    refuse_discs(problem, "direct")
    if problem.symmetric:
        found = principal_pivoting(problem, start=start)
        if found.status in (Status.CONVERGED, Status.NO_SOLUTION):
            return found
    return lemke(problem, start=start)
