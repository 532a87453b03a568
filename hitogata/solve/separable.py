"""Separable quadratic programs with bounds and soft rows, by Newton's method on their duals; many in lanes and threads.

    minimise  Σ ½ d_i (x_i - t_i)² + Σ ½ ρ_j r_j²     with  A x + r = b,  low ≤ x ≤ high

For multipliers λ of the rows the minimiser is at hand, x_i = clip(t_i + (Aᵀλ)_i / d_i), r_j = λ_j / ρ_j, and the dual
is concave with the gradient b - A x(λ) - r(λ) and, where x_i is free, the Hessian -(A_F D⁻¹ A_Fᵀ + 1/ρ): a piecewise
quadratic function, whose semismooth Newton steps end after finitely many, exactly (Li & Swetits 1997; Qi & Sun 1993).
Powers Σ w_i x_i^p, p > 2, are taken as quadratics around the last solution until it stays (sequential programming).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.lanes import (
    X1,
    X4,
    X8,
    absolute,
    all_lanes,
    entry,
    kernel,
    lanes,
    maximum,
    minimum,
    negated,
    pack,
    share,
    sqrt,
    tail,
    unpack,
    where,
)
from hitogata.lanes.cpu import has_wide_registers

Array = np.ndarray[Any, np.dtype[Any]]

STEPS = 60
"""Most Newton steps for one quadratic."""
TRIALS = 40
"""Most lengths of a step that are tried."""
LEVEL = 0.1
"""A length will do if the dual rises there by no more than this part of what it did at first."""
OUTER = 60
"""Most quadratics for one power."""
BOLD = 10
"""Of them, those taken around the last solution; later ones around the middle of two, which cannot swing."""
SMALL = 1e-3
"""Values below this are curved as at this, in powers above two."""


@dataclass(frozen=True, eq=False)
class SeparableSolution:
    """Solutions of k programs.

    Attributes:
        x: shape (k, n).
        multipliers: λ of the rows, shape (k, m).
        slack: r = b - A x, shape (k, m).
        residual: the worst violation of the optimality conditions: of r = λ/ρ, scaled by 1 + |b|, and for powers of
            x's last change, shape (k,).  At or below 1e-9: solved.
        steps: Newton steps, shape (k,).
    """

    x: Array
    multipliers: Array
    slack: Array
    residual: Array
    steps: Array


def separable_programs(
    A: Array,
    b: Array,
    *,
    weights: Any = 1.0,
    targets: Any = 0.0,
    low: Any = 0.0,
    high: Any = 1.0,
    softness: Any = 1.0,
    power: float = 2.0,
    start: Any = None,
    threads: int | None = 1,
) -> SeparableSolution:
    """Minimise Σ w_i |x_i - t_i|^p + Σ s_j r_j² with A x + r = b and bounds.

    Args:
        A: shape (k, m, n); zeros that all programs share cost nothing.
        b: shape (k, m).
        weights: w, positive, shape (n,) or (k, n), or one for all.
        targets: t, as weights; with powers above 2 they must be 0, and `low` 0 or more.
        low, high: bounds, as weights.
        softness: s of the slacks, positive, shape (m,) or one for all; the larger, the harder the rows.
        power: 2 or more.
        start: multipliers near the solution, shape (k, m) or (m,); None: none.
        threads: to share the programs over; None: one per core.
    """
    A, b = np.asarray(A, np.float64), np.asarray(b, np.float64)
    if A.ndim != 3 or b.shape != A.shape[:2]:
        raise ArgumentError(f"A and b: expected shapes (k, m, n) and (k, m), got {A.shape} and {b.shape}")
    if not power >= 2.0:
        raise ArgumentError(f"power: 2 or more is expected, got {power!r}")
    k, m, n = A.shape
    w, t, lo, hi = (np.broadcast_to(np.asarray(v, np.float64), (k, n)) for v in (weights, targets, low, high))
    rho = 2.0 * np.broadcast_to(np.asarray(softness, np.float64), (m,))
    lam = np.broadcast_to(np.asarray(0.0 if start is None else start, np.float64), (k, m))
    checks = (
        ("A", A, None), ("b", b, None), ("weights", w, w > 0), ("targets", t, None), ("low", lo, lo <= hi),
        ("high", hi, None), ("softness", rho, rho > 0), ("start", lam, None),
    )  # fmt: skip
    for name, values, good in checks:
        if not np.isfinite(values).all() or (good is not None and not good.all()):
            bad = ~np.isfinite(values) if good is None else ~(np.isfinite(values) & good)
            raise ArgumentError(f"{name}: not usable at {tuple(int(i) for i in np.argwhere(bad)[0])}")
    if power > 2.0 and ((lo < 0).any() or (t != 0).any()):
        raise ArgumentError("powers above 2 need targets of 0 and bounds of 0 or more")
    there = (A != 0.0).any(axis=0)
    columns, rows = np.nonzero(there.T)
    starts = np.searchsorted(columns, np.arange(n + 1))
    given = np.concatenate([A[:, rows, columns], t, w, lo, hi, b, lam], axis=1)
    out = np.zeros((k, n + m + 2))
    width = X1 if k == 1 else (X8 if has_wide_registers() else X4)

    def run(first: int, end: int) -> int:
        return int(solve_rows(starts, rows.astype(np.int64), rho, given, out, power, first, end, width))

    if k == 1 or threads == 1:
        run(0, k)
    else:
        _by_lanes(k, width.n, threads, run)
    x, found = out[:, :n], out[:, n : n + m]
    slack = b - np.einsum("kmn,kn->km", A, x)
    return SeparableSolution(x, found, slack, out[:, n + m], out[:, n + m + 1])


def _by_lanes(k: int, size: int, threads: int | None, run: Callable[[int, int], int]) -> None:
    """Whole registers for each thread."""
    blocks = -(-k // size)
    share(blocks, threads, lambda first, end: run(first * size, min(end * size, k)))


@entry
def solve_rows(starts, rows, rho, given, out, power, first, end, width):
    """Programs first to end, `width` at a time."""
    n, m, nnz = starts.shape[0] - 1, rho.shape[0], rows.shape[0]
    room = np.zeros((given.shape[1] + out.shape[1] + m * m + 4 * m + 3 * n) * width.n)
    view = lanes(room, width)
    results = tail(view, given.shape[1])
    work = tail(results, out.shape[1])
    for row in range(first, end, width.n):
        pack(given, row, view)
        solve(n, m, nnz, starts, rows, rho, view, results, work, power)
        unpack(results, out, row)
    return 0


@kernel
def solve(n, m, nnz, starts, rows, rho, given, results, work, power):
    """One program in each lane.

    given: A's numbers column by column, t, w, low, high, b, λ.  results: x, λ, residual, steps.
    work: H (m, m), gradient, step, new λ, scratch (m each), targets, 1/d, last x (n each).
    """
    w, lam = tail(given, nnz + n), tail(results, n)
    target, inverse = tail(work, m * m + 4 * m), tail(work, m * m + 4 * m + n)
    last = tail(work, m * m + 4 * m + 2 * n)
    for j in range(m):
        lam[j] = given[nnz + 4 * n + m + j]
    for i in range(n):
        target[i] = given[nnz + i]
        inverse[i] = 0.5 / w[i]
        last[i] = given[nnz + i] * 0.0
    error, steps = newton(n, m, nnz, starts, rows, rho, given, results, work)
    if power > 2.0:
        for outer in range(OUTER):
            change = error * 0.0
            for i in range(n):
                x = results[i] if outer < BOLD else 0.5 * (results[i] + last[i])
                x = maximum(x, SMALL + 0.0 * x)
                # around x, w x^p has the curvature p (p - 1) w x^(p-2) and least at x (p - 2)/(p - 1)
                curve = power * (power - 1.0) * w[i] * raised(x, power - 2.0)
                inverse[i] = 1.0 / curve
                target[i] = x * ((power - 2.0) / (power - 1.0))
                last[i] = x
            error, more = newton(n, m, nnz, starts, rows, rho, given, results, work)
            steps = steps + more
            for i in range(n):
                change = maximum(change, absolute(maximum(results[i], SMALL + 0.0 * change) - last[i]))
            error = maximum(error, change)
            if all_lanes(change < 1e-10):
                break
    results[n + m] = error
    results[n + m + 1] = steps


@kernel
def raised(x, power):
    """x to a power: whole and half ones."""
    whole = int(2.0 * power + 0.5)
    result, root = x * 0.0 + 1.0, sqrt(x)
    for _ in range(whole):
        result = result * root
    return result


@kernel
def newton(n, m, nnz, starts, rows, rho, given, results, work):
    """The dual of one quadratic, from λ in the results on; returns the residual and the number of steps."""
    lam, gradient = tail(results, n), tail(work, m * m)
    step, trial = tail(work, m * m + m), tail(work, m * m + 2 * m)
    b = tail(given, nnz + 4 * n)
    scale = lam[0] * 0.0 + 1.0
    for j in range(m):
        scale = maximum(scale, 1.0 + absolute(b[j]))
    respond(n, m, nnz, starts, rows, rho, given, results, work, lam)
    error = worst(m, gradient) / scale
    steps = error * 0.0
    for _ in range(STEPS):
        done = error < 1e-12
        if all_lanes(done):
            break
        fill_hessian(n, m, nnz, starts, rows, rho, given, work, lam)
        factor_and_solve(m, work)
        slope = along(m, gradient, step)
        size, low, high = error * 0.0 + 1.0, error * 0.0, error * 0.0 - 1.0
        at_low, at_high = slope, slope * 0.0
        for _ in range(TRIALS):  # where the dual stops rising along the step: it is concave
            for j in range(m):
                trial[j] = lam[j] + size * step[j]
            respond(n, m, nnz, starts, rows, rho, given, results, work, trial)
            now = along(m, gradient, step)
            good = (absolute(now) <= LEVEL * slope) | done
            if all_lanes(good):
                break
            rising = now > 0.0
            low, at_low = where(good | negated(rising), low, size), where(good | negated(rising), at_low, now)
            high, at_high = where(good | rising, high, size), where(good | rising, at_high, now)
            part = minimum(maximum(at_low / (at_low - at_high), 0.05 + 0.0 * low), 0.95 + 0.0 * low)
            size = where(good, size, where(high < 0.0, 4.0 * size, low + part * (high - low)))
        for j in range(m):
            lam[j] = where(done, lam[j], trial[j])
        steps = steps + where(done, 0.0, 1.0)
        respond(n, m, nnz, starts, rows, rho, given, results, work, lam)
        error = worst(m, gradient) / scale
    return error, steps


@kernel
def along(m, gradient, step):
    """How fast the dual rises along a step."""
    result = gradient[0] * 0.0
    for j in range(m):
        result = result + gradient[j] * step[j]
    return result


@kernel
def worst(m, gradient):
    """Largest number."""
    result = gradient[0] * 0.0
    for j in range(m):
        result = maximum(result, absolute(gradient[j]))
    return result


@kernel
def respond(n, m, nnz, starts, rows, rho, given, results, work, lam):
    """x at multipliers, and the gradient b - A x - λ/ρ."""
    low, high, b = tail(given, nnz + 2 * n), tail(given, nnz + 3 * n), tail(given, nnz + 4 * n)
    gradient = tail(work, m * m)
    target, inverse = tail(work, m * m + 4 * m), tail(work, m * m + 4 * m + n)
    for j in range(m):
        gradient[j] = b[j] - lam[j] / rho[j]
    for i in range(n):
        s = lam[0] * 0.0
        for k in range(starts[i], starts[i + 1]):
            s = s + given[k] * lam[rows[k]]
        x = minimum(maximum(target[i] + inverse[i] * s, low[i]), high[i])
        results[i] = x
        for k in range(starts[i], starts[i + 1]):
            gradient[rows[k]] = gradient[rows[k]] - given[k] * x


@kernel
def fill_hessian(n, m, nnz, starts, rows, rho, given, work, lam):
    """A_F D⁻¹ A_Fᵀ + 1/ρ, its lower half."""
    low, high = tail(given, nnz + 2 * n), tail(given, nnz + 3 * n)
    target, inverse = tail(work, m * m + 4 * m), tail(work, m * m + 4 * m + n)
    zero = lam[0] * 0.0
    for j in range(m):
        for k in range(j):
            work[j * m + k] = zero
        work[j * m + j] = zero + 1.0 / rho[j]
    for i in range(n):
        s = zero
        for k in range(starts[i], starts[i + 1]):
            s = s + given[k] * lam[rows[k]]
        x = target[i] + inverse[i] * s
        gain = where((x >= low[i]) & (x <= high[i]), inverse[i], 0.0)
        for k in range(starts[i], starts[i + 1]):
            part, at = gain * given[k], rows[k] * m
            for l in range(starts[i], k + 1):
                work[at + rows[l]] = work[at + rows[l]] + part * given[l]


@kernel
def factor_and_solve(m, work):
    """Cholesky's factorisation of H in place, and the step H⁻¹ gradient."""
    gradient, step = tail(work, m * m), tail(work, m * m + m)
    for j in range(m):
        at = j * m
        for k in range(j):
            s = work[at + k]
            for l in range(k):
                s = s - work[at + l] * work[k * m + l]
            work[at + k] = s * work[k * m + k]
        s = work[at + j]
        for l in range(j):
            s = s - work[at + l] * work[at + l]
        work[at + j] = 1.0 / sqrt(maximum(s, 1e-300 + 0.0 * s))  # its inverse is kept
    for j in range(m):
        s = gradient[j]
        for k in range(j):
            s = s - work[j * m + k] * step[k]
        step[j] = s * work[j * m + j]
    for j in range(m - 1, -1, -1):
        s = step[j]
        for k in range(j + 1, m):
            s = s - work[k * m + j] * step[k]
        step[j] = s * work[j * m + j]
