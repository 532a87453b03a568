"""What a solver found, how it ended, and how far from solved it is."""

import dataclasses
import enum

import numpy as np

from hitogata.solve.measured_residuals import measure
from hitogata.solve.problem import Array, Problem, vector

GOOD = 1e-9
"""Relative residual up to which a direct solver calls its result converged."""


class Status(enum.Enum):
    """How a solver ended."""

    CONVERGED = "the residual is within the tolerance"
    MAX_ITERATIONS = "sweeps or pivots ran out before the residual was within the tolerance"
    NO_SOLUTION = "proved: no impulses satisfy the rows"
    RAY = "Lemke's path went to infinity; there may or may not be a solution"
    SINGULAR = "a row without a positive diagonal asks for an impulse, which projected Gauss-Seidel cannot give"
    INDEFINITE = "A is not positive semi-definite, which this solver needs"
    DIVERGED = "the impulses grew beyond all numbers"


@dataclasses.dataclass(frozen=True)
class Residuals:
    """How far impulses are from solving a problem; all are 0 at a solution, and only there.

    Attributes:
        natural: max |λ − clip(λ − w, low, high)| over all rows but tangents (Cottle, Pang & Stone 2009, §1.4).
        friction: max |λ_t − P(λ_t − w_t)| over the discs, P the projection on the disc of radius μ λ_n.
        relative: the larger of the two in the scaled problem (λ_i/s_i and s_i w_i with s_i = 1/√A_ii), divided by
            `problem.size`, the largest speed there is without impulses.  Has no unit; the rows' units do not matter.
    """

    natural: float
    friction: float
    relative: float


@dataclasses.dataclass(frozen=True, eq=False)
class Solution:
    """Impulses and speeds that a solver found.

    Attributes:
        lam: impulses λ, shape (n,) [N s].
        w: speeds A λ + b, shape (n,) [m/s].
        status: how the solver ended.
        iterations: sweeps or pivots.
        residuals: how far from solved.
    """

    lam: Array
    w: Array
    status: Status
    iterations: int
    residuals: Residuals

    @property
    def converged(self) -> bool:
        """Whether the status is CONVERGED."""
        return self.status is Status.CONVERGED

    def residual(self, problem: Problem) -> Residuals:
        """Residuals of these impulses in a problem, worked out anew."""
        return residuals_of(problem, self.lam)


def residuals_of(problem: Problem, lam: Array) -> Residuals:
    """Residuals of impulses, shape (n,) [N s]; infinite for impulses that are not finite."""
    return _judged(problem, lam)[1]


def _judged(problem: Problem, lam: Array) -> tuple[Array, Residuals]:
    """Speeds and residuals."""
    w, out = np.empty(problem.n), np.empty(3)
    p = problem
    measure(p.A, p.b, p.low, p.high, p.scales, p.mu, p.disc_rows, p.size, lam, w, out)
    if np.isfinite(lam).all():
        return w, Residuals(*out.tolist())
    return w, Residuals(np.inf, np.inf, np.inf)


def solved(problem: Problem, lam: Array, status: Status, iterations: int, tolerance: float = GOOD) -> Solution:
    """A solution with its residuals.

    CONVERGED and MAX_ITERATIONS follow from them, whatever the solver thought; DIVERGED if λ is not finite.
    """
    w, residuals = _judged(problem, lam)
    if residuals.relative == np.inf:
        status = Status.DIVERGED
    elif status in (Status.CONVERGED, Status.MAX_ITERATIONS):
        status = Status.CONVERGED if residuals.relative <= tolerance else Status.MAX_ITERATIONS
    return Solution(lam, w, status, int(iterations), residuals)


def start_of(problem: Problem, start: object) -> Array:
    """Where to begin: the given impulses, or none, within the bounds; a new array."""
    if isinstance(start, Solution):
        start = start.lam
    if start is None:
        return np.minimum(np.maximum(0.0, problem.low), problem.high)
    return problem.projected(vector("start", start, problem.n))
