"""Newton's method for problems with friction discs, to the last digits.

Sweeps of projected Gauss-Seidel come near a solution; Newton's steps on the natural map (`natural_map`, `newton_step`)
end there.  A step is taken as far as it helps: it is projected on bounds and discs, and where it changes who slides
and who is open, a few sweeps smooth it.  Steps are damped (Levenberg and Marquardt), less so the better they go.

Where that comes to a halt (many redundant contacts with little compliance), proximal rounds go on: each solves for
A + ε 1 about the last x, which Newton's steps do readily, and the smaller ε gets the longer is the way of a round
(Rockafellar 1976).  The solution is that of the problem itself: the proximal term vanishes there.
"""

from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.solve.gauss_seidel import projected_gauss_seidel
from hitogata.solve.natural_map import ScaledProblem
from hitogata.solve.newton_step import newton_step
from hitogata.solve.problem import Array, Problem
from hitogata.solve.solution import Solution, Status, residuals_of, solved

FIRST, LATER = 12, 25
"""Newton steps of the first round, and of proximal rounds, at most."""

SMOOTH = 50
"""Sweeps after a step that did not reduce the residual to a tenth."""

FAILURES = 3
"""Steps of no use after which a round ends."""

EPSILON, LESS, MORE = 1e-3, 0.2, 10.0
"""Proximal term of the first such round, relative to A's diagonal; its factors after a round that ended well or not."""

DAMPING = 1e-3
"""Damping of the first step at most, relative to A's diagonal."""


def friction_newton(
    problem: Problem, *, sweeps: int = 50, rounds: int = 40, tolerance: float = 1e-12, start: Any = None
) -> Solution:
    """Solve rows and friction discs to high accuracy.

    Args:
        problem: what to solve; A needs a positive diagonal.
        sweeps: sweeps of projected Gauss-Seidel before Newton's first step, and after one that was of no use.
        rounds: Newton's steps on the problem itself, then proximal rounds; so many at most.
        tolerance: relative residual at which to stop.
        start: impulses near the solution, shape (n,) [N s], or a Solution; None: none.

    Returns:
        CONVERGED or not as `projected_gauss_seidel`; iterations count sweeps and steps.
    """
    if not rounds >= 1:
        raise ArgumentError(f"rounds is {rounds!r}; it must be 1 or more")
    found = projected_gauss_seidel(problem, sweeps=sweeps, tolerance=tolerance, start=start)
    if found.status is not Status.MAX_ITERATIONS:
        return found
    newton = _Newton(ScaledProblem(problem), sweeps, found.iterations)
    best, least = found.lam, found.residuals.relative
    x, epsilon, goal = found.lam / problem.scales, 0.0, 0.3 * tolerance * problem.size
    for k in range(rounds):
        newton.scaled.set_proximal(epsilon, x)
        size = newton.scaled.measured(x)[1]
        if k == 0:
            x, _ = newton.round(x, goal, FIRST, min(DAMPING, 10.0 * size / problem.size))
            epsilon = EPSILON
        else:
            x, well = newton.round(x, max(1e-3 * size, goal), LATER, 1e-3 * epsilon)
            epsilon *= LESS if well else MORE
            epsilon = min(epsilon, 1.0)
        lam = problem.projected(x * problem.scales)
        residual = residuals_of(problem, lam).relative
        if residual < least:
            best, least = lam, residual
        if least <= tolerance:
            break
    return solved(problem, best, Status.CONVERGED, newton.count, tolerance)


class _Newton:
    """Rounds of Newton's steps; `count` counts steps and sweeps."""

    def __init__(self, scaled: ScaledProblem, sweeps: int, count: int) -> None:
        self.scaled, self.sweeps, self.count = scaled, sweeps, count

    def round(self, x: Array, goal: float, most: int, damping: float) -> tuple[Array, bool]:
        """Steps until the length of the map is within a goal: where they lead, and whether it is."""
        v, size = self.scaled.measured(x)
        failures = 0
        for _ in range(most):
            if size <= goal:
                return x, True
            self.count += 1
            step, length = newton_step(self.scaled, x, v, damping), 1.0
            for _ in range(4):
                new, v_new, size_new = self.smoothed(x + length * step, size)
                if size_new < (1.0 - 0.1 * length) * size:
                    x, v, size = new, v_new, size_new
                    damping = max(0.3 * damping, 1e-13) if length == 1.0 else damping
                    break
                length *= 0.25
            else:
                failures += 1
                if failures == FAILURES:
                    break
                damping = min(4.0 * damping, 1.0)
                x = self.swept(x, self.sweeps)
                v, size = self.scaled.measured(x)
        return x, bool(size <= goal)

    def smoothed(self, x: Array, size: float) -> tuple[Array, Array, float]:
        """x within bounds and discs, after sweeps if the map there is not much shorter; its speeds and length."""
        x = self.scaled.projected(np.where(np.isfinite(x), x, 0.0))
        v, length = self.scaled.measured(x)
        if length > 0.1 * size:
            x = self.swept(x, SMOOTH)
            v, length = self.scaled.measured(x)
        return x, v, float(length)

    def swept(self, x: Array, sweeps: int) -> Array:
        """After so many sweeps."""
        self.count += sweeps
        return self.scaled.swept(x, sweeps)
