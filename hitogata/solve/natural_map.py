"""The natural map of a scaled problem, whose zeros are the solutions (Cottle, Pang & Stone 2009, §1.4).

With x = λ/s, v = s w and A scaled to s A s (see `Problem.scales`):

    rows      Φ = x − clip(x − v, low, high)
    discs     Φ = x_t − P(x_t − v_t),   P the projection on the disc of radius μ max(x_n, 0)

A proximal term ε (x − centre) may be added to v: the same map for the better conditioned A + ε 1 (Rockafellar 1976).
"""

from typing import Any

import numpy as np

from hitogata.solve.gauss_seidel import arranged, plain_rows, sweep_one
from hitogata.solve.problem import Array, Problem, into_discs, put_tangents, tangents_of


class ScaledProblem:
    """A problem with a unit diagonal, and a proximal term that can be changed.

    Attributes:
        problem: the problem as it was given.
        A: scaled, with ε on its diagonal, shape (n, n).
        b: scaled, less ε times the centre, shape (n,).
        low, high: scaled bounds, shape (n,).
        normals: rows of the discs' normals, shape (k,).
        tangents: rows of their tangents, shape (k, 2); −1 where there is no second.
        mu: their coefficients in the scaled problem, shape (k,).
        is_tangent: which rows are tangents, shape (n,).
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, self.scale = problem, problem.scales
        self._A, self._b = problem.A * np.outer(self.scale, self.scale), problem.b * self.scale
        self.A, self.b = self._A.copy(), self._b
        self.low, self.high = problem.low / self.scale, problem.high / self.scale
        self.normals, self.tangents = problem.disc_rows[:, 0], problem.disc_rows[:, 1:]
        self.mu = problem.mu * self.scale[self.normals] / self.scale[self.tangents[:, 0]]
        self.is_tangent = np.zeros(problem.n, bool)
        self.is_tangent[self.tangents[self.tangents >= 0]] = True
        self._columns, self._floats = arranged(problem, np.zeros(problem.n))
        self._plain, self._own_b = plain_rows(problem), problem.b

    def set_proximal(self, epsilon: float, centre: Array) -> None:
        """Solve for A + ε 1 and b − ε centre from now on; ε = 0: the problem itself."""
        i = np.arange(self.problem.n)
        self.A[i, i] = self._A[i, i] + epsilon
        self.b = self._b - epsilon * centre
        self._columns[i, i] = self.problem.A[i, i] + epsilon / self.scale**2
        self._own_b = self.problem.b - epsilon * centre / self.scale

    def projected(self, x: Array) -> Array:
        """Within bounds and discs, shape (n,)."""
        return self.problem.projected(x * self.scale) / self.scale

    def swept(self, x: Array, sweeps: int) -> Array:
        """After sweeps of projected Gauss-Seidel, shape (n,)."""
        n, stride = self.problem.n, self._columns.shape[1]
        impulse = self._floats[stride : stride + n]
        self._floats[:n], impulse[:] = self._own_b, x * self.scale
        sweep_one(self._columns, self._floats, self._plain, self.problem.disc_rows, self._own_b, sweeps, -1.0)
        return impulse / self.scale

    def speeds(self, x: Array) -> Array:
        """v = A x + b, shape (n,)."""
        return self.A @ x + self.b

    def natural_map(self, x: Array, v: Array) -> Array:
        """Φ, shape (n,)."""
        target = x - v
        value = x - np.clip(target, self.low, self.high)
        held = into_discs(tangents_of(target, self.tangents), self.mu * np.maximum(x[self.normals], 0.0))
        put_tangents(value, self.tangents, tangents_of(x, self.tangents) - held)
        return value

    def measured(self, x: Array) -> tuple[Array, Any]:
        """Speeds, shape (n,), and the length of Φ."""
        v = self.speeds(x)
        return v, np.linalg.norm(self.natural_map(x, v))
