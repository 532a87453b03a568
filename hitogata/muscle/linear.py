"""Least sum of forces, least greatest activation: linear programs, by HiGHS (Huangfu & Hall 2018), with residuals."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray

TIE = 1e-4
"""Cost of each activation beside the greatest: of many solutions the one with least sum."""


def linear_costs(
    programs: Any,
    least: float,
    by_force: bool,
    reserve: float,
    progress: Callable[[int, int], None] | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Activations, reserves, and the relative gap between the program and its dual in each frame.

    minimise Σ F a (by force) or max a, of muscles, + reserve Σ |r|, with A a + r = b, least ≤ a ≤ 1.

    Args:
        programs: `forces.Programs`.
        least: of activations.
        by_force: least sum of forces, not least greatest activation.
        reserve: cost of reserves.
        progress: called with frames done, and in all.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csc_matrix, hstack, identity

    A, b, strength, muscles = programs
    n, m, nm = A.shape
    priced = np.arange(nm) < muscles
    out = np.empty((n, nm)), np.empty((n, m)), np.empty(n)
    for k in range(n):
        price = strength[k] / strength[k, :muscles].mean() if by_force else np.full(nm, TIE)
        cost = np.concatenate([price * priced, np.full(2 * m, reserve)])
        rows = hstack([csc_matrix(A[k]), identity(m), -identity(m)], format="csc")
        bounds = [(least, 1.0) if each else (0.0, 1.0) for each in priced] + [(0.0, None)] * (2 * m)
        upper = limits = None
        if not by_force:
            cost = np.append(cost, 1.0)
            rows = hstack([rows, csc_matrix((m, 1))], format="csc")
            bounds.append((0.0, None))
            upper = hstack([identity(nm), csc_matrix((nm, 2 * m)), csc_matrix(-np.ones((nm, 1)))], format="csc")[priced]
            limits = np.zeros(muscles)
        found = linprog(cost, upper, limits, rows, b[k], bounds, method="highs")
        if found.x is None:
            raise ArgumentError(f"frame {k}: the linear program was not solved: {found.message}")
        out[0][k] = found.x[:nm]
        out[1][k] = b[k] - A[k] @ found.x[:nm]
        dual = b[k] @ found.eqlin.marginals + sum(
            float(np.sum(np.where(np.isfinite(at), at, 0.0) * marginal))
            for at, marginal in (
                (np.array([low for low, _ in bounds]), found.lower.marginals),
                (np.array([np.inf if high is None else high for _, high in bounds]), found.upper.marginals),
            )
        )
        out[2][k] = abs(found.fun - dual) / (1.0 + abs(found.fun))
        if progress is not None and (k % 16 == 15 or k == n - 1):
            progress(k + 1, n)
    return out
