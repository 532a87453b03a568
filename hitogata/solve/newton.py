"""Newton's method for problems with friction discs, to the last digits (Alart & Curnier 1991).

The natural map is zero at solutions and piecewise smooth:

    rows      Φ = λ − clip(λ − ρ w, low, high)
    discs     Φ = λ_t − P(λ_t − ρ w_t),   P the projection on the disc of radius μ λ_n

Newton's steps on it converge fast near a solution; sweeps of projected Gauss-Seidel lead there, and take over again
when a step does not help.
"""

from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.solve.gauss_seidel import projected_gauss_seidel
from hitogata.solve.problem import Array, Problem
from hitogata.solve.solution import Solution, Status, residuals_of, solved

STEPS = 12
"""Newton steps before sweeps are tried again."""

GROWTH, MOST = 1.5, 100.0
"""Each round sweeps so much more than the last, up to so many times the first."""


def friction_newton(
    problem: Problem, *, sweeps: int = 50, rounds: int = 30, tolerance: float = 1e-12, start: Any = None
) -> Solution:
    """Solve rows and friction discs to high accuracy.

    Args:
        problem: what to solve; A needs a positive diagonal.
        sweeps: sweeps of projected Gauss-Seidel before Newton's first steps; up to 100 times as many before later ones.
        rounds: how often to go from sweeps to steps, at most.
        tolerance: relative residual at which to stop.
        start: impulses near the solution, shape (n,) [N s], or a Solution; None: none.

    Returns:
        CONVERGED or not as `projected_gauss_seidel`; iterations count sweeps and steps.
    """
    if not rounds >= 1:
        raise ArgumentError(f"rounds is {rounds!r}; it must be 1 or more")
    count = 0
    for k in range(rounds):
        more = round(sweeps * min(GROWTH**k, MOST))
        found = projected_gauss_seidel(problem, sweeps=more, tolerance=tolerance, start=start)
        count += found.iterations
        if found.status is not Status.MAX_ITERATIONS:
            break
        lam, steps = _newton(problem, found.lam, tolerance)
        count += steps
        better = solved(problem, lam, Status.CONVERGED, count, tolerance)
        if better.residuals.relative < found.residuals.relative:
            found = better
        if found.converged:
            break
        start = found
    return Solution(found.lam, found.w, found.status, count, found.residuals)


def _newton(problem: Problem, lam: Array, tolerance: float) -> tuple[Array, int]:
    """Newton's steps with halving; the best impulses met, and the number of steps."""
    best, least = lam, residuals_of(problem, lam).relative
    value, slope = natural_map(problem, lam)
    for step in range(1, STEPS + 1):
        change = np.linalg.lstsq(slope, -value, rcond=1e-13)[0]
        length, size = 1.0, np.linalg.norm(value)
        for _ in range(6):
            new = lam + length * change * problem.scales
            value, slope = natural_map(problem, new)
            if np.linalg.norm(value) < (1.0 - 0.1 * length) * size:
                break
            length *= 0.5
        else:
            return best, step
        lam = new
        inside = problem.projected(lam)
        residual = residuals_of(problem, inside).relative
        if residual < least:
            best, least = inside, residual
        if least <= 0.1 * tolerance:
            return best, step
    return best, STEPS


def natural_map(problem: Problem, lam: Array) -> tuple[Array, Array]:
    """Φ of the scaled problem, shape (n,), and its slope by the scaled impulses λ/s, shape (n, n)."""
    s, n = problem.scales, problem.n
    w, A = problem.speeds(lam), problem.A * np.outer(s, s)
    x, v = lam / s, w * s
    target = x - v
    low, high = problem.low / s, problem.high / s
    inner = (target > low) & (target < high)
    value = x - np.clip(target, low, high)
    slope = np.where(inner[:, None], A, np.eye(n))
    for disc in problem.discs:
        m, rows = disc.normal, np.array([disc.tangent1, disc.tangent2])
        mu = disc.mu * s[m] / s[rows[0]]
        radius, aim = mu * max(x[m], 0.0), target[rows]
        length = np.hypot(*aim)
        if length <= radius:
            continue  # sticks: Φ = v, as for a free row
        unit = aim / length
        across = np.eye(2) - np.outer(unit, unit)
        own = np.eye(n)[rows]
        value[rows] = x[rows] - radius * unit
        slope[rows] = own - radius / length * across @ (own - A[rows])
        if x[m] > 0:
            slope[rows, m] -= mu * unit
    return value, slope
