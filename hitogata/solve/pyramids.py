"""Friction discs as polygons: a linear complementarity problem, for `lemke` (Stewart & Trinkle 1996).

With directions d_1 … d_k around the circle, columns of D, and a speed of sliding γ:

    λ_t = D β,   0 ≤ β ⟂ Dᵀ w_t + γ ≥ 0,   0 ≤ γ ⟂ μ λ_n − Σ β ≥ 0

The polygon lies inside the disc: friction is up to 1 − cos(π/k) too weak, and pulls along the nearest direction.
In the plane the directions are 1 and −1, and nothing is lost.
"""

import dataclasses
import itertools

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.solve.problem import Array, Problem


@dataclasses.dataclass(frozen=True, eq=False)
class Pyramids:
    """A problem with polygons in place of discs.

    Attributes:
        problem: rows that are no tangents, as they were; then β of all discs, then γ of all discs.
        turn: λ of the first problem from that of this one, shape (n, m).
    """

    problem: Problem
    turn: Array

    def impulses(self, lam: Array) -> Array:
        """Impulses of the first problem, shape (n,), from those of this one, shape (m,)."""
        return self.turn @ lam


def with_pyramids(problem: Problem, *, sides: int = 8) -> Pyramids:
    """Replace each friction disc by a regular polygon.

    Args:
        problem: a problem with discs.
        sides: corners of each polygon, 3 or more; 4 is the usual pyramid.  Friction in the plane has two directions.

    Returns:
        The new problem, its A not symmetric: solve it with `lemke`, then ask `impulses`.
    """
    if isinstance(sides, bool) or not isinstance(sides, int) or sides < 3:
        raise ArgumentError(f"sides is {sides!r}; a polygon has 3 or more")
    n, discs = problem.n, len(problem.discs)
    kept = np.setdiff1d(np.arange(n), problem.disc_rows[:, 1:])
    at = {int(row): k for k, row in enumerate(kept)}
    corners = [2 if disc.tangent2 is None else sides for disc in problem.discs]
    starts = len(kept) + np.concatenate([[0], np.cumsum(corners)]).astype(int)
    betas = [slice(a, b) for a, b in itertools.pairwise(starts.tolist())]
    first, last = len(kept), int(starts[-1])
    turn = np.zeros((n, last + discs))
    turn[kept, np.arange(first)] = 1.0
    angle = 2 * np.pi * np.arange(sides) / sides
    for disc, beta in zip(problem.discs, betas, strict=True):
        if disc.tangent2 is None:
            turn[disc.tangent1, beta] = 1.0, -1.0
        else:
            turn[disc.tangent1, beta], turn[disc.tangent2, beta] = np.cos(angle), np.sin(angle)
    A, b = turn.T @ problem.A @ turn, turn.T @ problem.b
    for k, (disc, beta) in enumerate(zip(problem.discs, betas, strict=True)):
        A[beta, last + k], A[last + k, beta] = 1.0, -1.0
        A[last + k, at[disc.normal]] = disc.mu
    more = np.zeros(last + discs - first)
    low, high = np.concatenate([problem.low[kept], more]), np.concatenate([problem.high[kept], more + np.inf])
    return Pyramids(Problem(A, b, low, high), turn)
