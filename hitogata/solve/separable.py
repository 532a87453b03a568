"""Separable quadratic programs with bounds and soft rows, by Newton's method on their duals; many in lanes and threads.

    minimise  Σ ½ d_i (x_i - t_i)² + Σ ½ ρ_j r_j²     with  A x + r = b,  low ≤ x ≤ high

For multipliers λ of the rows the minimiser is at hand, x_i = clip(t_i + (Aᵀλ)_i / d_i), r_j = λ_j / ρ_j, and the dual
is concave with the gradient b - A x(λ) - r(λ) and, where x_i is free, the Hessian -(A_F D⁻¹ A_Fᵀ + 1/ρ): a piecewise
quadratic function, whose semismooth Newton steps end after finitely many, exactly (Li & Swetits 1997; Qi & Sun 1993).
Powers Σ w_i x_i^p, p > 2, are taken as quadratics around the last solution until it stays (sequential programming).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.lanes import (
    X1,
    X4,
    X8,
    absolute,
    all_lanes,
    any_lane,
    bare,
    entry,
    inline,
    kernel,
    lanes,
    maximum,
    minimum,
    negated,
    pack,
    packed,
    share,
    sqrt,
    tail,
    unpack,
    where,
)
from hitogata.lanes.cpu import has_wide_registers

Array = np.ndarray[Any, np.dtype[Any]]

STEPS = 250
"""Most Newton steps for one quadratic."""
TRIALS = 40
"""Most lengths of a step that are tried."""
LEVEL = 0.1
"""A length will do if the dual rises there by no more than this part of what it did at first."""
OUTER = 60
"""Most quadratics for one power."""
BOLD = 10
"""Of them, those taken around the last solution; later ones around the middle of two, which cannot swing."""
STRETCH = 32
"""Successive programs that one lane takes, each from the solution before it."""
ROUNDING = 1e-10
"""Residual below which steps end once one of them no longer halves it."""
WELL = 1e-6
"""Residual up to which a successive program goes on from a solution."""
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
    pattern = Pattern(m, n, np.searchsorted(columns, np.arange(n + 1)), rows.astype(np.int64))
    given = np.concatenate([A[:, rows, columns], t, w, lo, hi, b, lam], axis=1)
    x, found, residual, steps = _solved(pattern, given, rho, power, threads)
    return SeparableSolution(x, found, b - np.einsum("kmn,kn->km", A, x), residual, steps)


class Pattern(NamedTuple):
    """Where a sparse A has numbers, column by column.

    Attributes:
        m, n: rows, columns.
        starts: first number of each column, and the count of all, int64 (n + 1,).
        rows: row of each number, rising in each column, int64.
    """

    m: int
    n: int
    starts: Array
    rows: Array


def sparse_separable_programs(
    pattern: Pattern,
    values: Array,
    b: Array,
    *,
    weights: Array,
    low: Array,
    softness: Array,
    power: float = 2.0,
    start: Array | None = None,
    threads: int | None = 1,
    targets: Array | None = None,
    successive: bool = False,
) -> SeparableSolution:
    """`separable_programs` with x up to 1, for A of a known pattern; arguments are not checked.

    Args:
        pattern: where A has numbers.
        values: they, shape (k, nnz).
        b: shape (k, m).
        weights, low: shape (n,), weights also (k, n).
        softness: shape (m,).
        power: 2 or more.
        start: multipliers near the solution, shape (m,); None: none.
        threads: to share the programs over; None: one per core.
        targets: shape (n,) or (k, n); None: 0.
        successive: programs change little from one to the next: each lane takes a stretch of them, in their order.

    Returns:
        Slacks are the multipliers over twice the softness, as at the optimum.
    """
    k, m, n, nnz = len(values), pattern.m, pattern.n, len(pattern.rows)
    given = np.empty((k, nnz + 4 * n + 2 * m))
    given[:, :nnz] = values
    at = nnz
    given[:, at : at + n] = 0.0 if targets is None else targets
    at += n
    for part, size in ((weights, n), (low, n), (1.0, n), (b, m), (0.0 if start is None else start, m)):
        given[:, at : at + size] = part
        at += size
    rho = 2.0 * softness
    x, found, residual, steps = _solved(pattern, given, rho, power, threads, successive)
    return SeparableSolution(x, found, found / rho, residual, steps)


def _solved(
    pattern: Pattern, given: Array, rho: Array, power: float, threads: int | None, successive: bool = False
) -> tuple[Array, Array, Array, Array]:
    """x, multipliers, residuals and steps of rows of numbers as the kernel wants them."""
    k, m, n = len(given), pattern.m, pattern.n
    width = X1 if k == 1 else (X8 if has_wide_registers() else X4)
    order, stretch = _stretches(k, width.n) if successive and k > 1 else (np.arange(k), 1)
    if stretch > 1:
        given = given[order]
    out = np.zeros((len(given), n + m + 2))

    def run(first: int, end: int) -> int:
        return int(solve_rows(pattern.starts, pattern.rows, rho, given, out, power, first, end, stretch, width))

    if k == 1 or threads == 1:
        run(0, len(given))
    else:
        _by_lanes(len(given), stretch * width.n, threads, run)
    if stretch > 1:
        found = np.empty((k, out.shape[1]))
        found[order[::-1]] = out[::-1]  # of one that was repeated, the first solution
        out = found
    return out[:, :n], out[:, n : n + m], out[:, n + m], out[:, n + m + 1]


def _stretches(k: int, size: int) -> tuple[Array, int]:
    """Programs in the order of the registers that take them, lane by lane in stretches, and how long stretches are.

    Lanes beyond the last program repeat it, from its own solution.
    """
    groups = -(-k // (size * STRETCH))
    stretch = -(-k // (size * groups))
    order = np.arange(groups * size * stretch).reshape(groups, size, stretch).swapaxes(1, 2)
    return np.minimum(order, k - 1).ravel(), stretch


def _by_lanes(k: int, size: int, threads: int | None, run: Callable[[int, int], int]) -> None:
    """Whole registers for each thread."""
    blocks = -(-k // size)
    share(blocks, threads, lambda first, end: run(first * size, min(end * size, k)))


@entry
def solve_rows(starts, rows, rho, given, out, power, first, end, stretch, width):
    """Programs first to end, `width` at a time; of every `stretch` registers all but the first go on from the last."""
    n, m, nnz = starts.shape[0] - 1, rho.shape[0], rows.shape[0]
    room = np.zeros((given.shape[1] + out.shape[1] + square(m) + 4 * m + 3 * n) * width.n)
    view = lanes(room, width)
    results = tail(view, given.shape[1])
    work, filled = tail(results, out.shape[1]), bare(np.empty(m, np.int64))
    for row in range(first, end, width.n):
        pack(given, row, view)
        begins = ((row - first) // width.n) % stretch == 0
        solve(n, m, nnz, bare(starts), bare(rows), bare(rho), view, results, work, filled, power, begins)
        unpack(results, out, row)
    return 0


@kernel
def solve(n, m, nnz, starts, rows, rho, given, results, work, filled, power, begins):
    """One program in each lane; if it does not begin a stretch, from the results as they are, where they are good.

    given: A's numbers column by column, t, w, low, high, b, λ.  results: x, λ, residual, steps.
    work: H (m, m, and a little room), gradient, step, new λ, scratch (m each), targets, 1/d, last x (n each).
    filled: room for m whole numbers.
    """
    w, lam = tail(given, nnz + n), tail(results, n)
    target, inverse = tail(work, square(m) + 4 * m), tail(work, square(m) + 4 * m + n)
    last = tail(work, square(m) + 4 * m + 2 * n)
    goes_on = results[n + m] < WELL
    for j in range(m):
        start = given[nnz + 4 * n + m + j]
        lam[j] = start if begins else where(goes_on, lam[j], start)
    for i in range(n):
        target[i] = given[nnz + i]
        inverse[i] = 0.5 / w[i]
        last[i] = given[nnz + i] * 0.0
    error, steps = newton(n, m, nnz, starts, rows, rho, given, results, work, filled)
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
            error, more = newton(n, m, nnz, starts, rows, rho, given, results, work, filled)
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
def newton(n, m, nnz, starts, rows, rho, given, results, work, filled):
    """The dual of one quadratic, from λ in the results on; returns the residual and the number of steps."""
    lam, gradient = tail(results, n), tail(work, square(m))
    step, trial = tail(work, square(m) + m), tail(work, square(m) + 2 * m)
    b = tail(given, nnz + 4 * n)
    scale = lam[0] * 0.0 + 1.0
    for j in range(m):
        scale = maximum(scale, 1.0 + absolute(b[j]))
    respond(n, m, nnz, starts, rows, rho, given, results, work, lam)
    error = worst(m, gradient) / scale
    steps, before = error * 0.0, error + 1e300
    for _ in range(STEPS):
        done = (error < 1e-12) | ((error < ROUNDING) & (error > 0.5 * before))
        if all_lanes(done):
            break
        fill_hessian(n, m, nnz, starts, rows, rho, given, work, lam)
        factor_and_solve(m, work, filled)
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
        steps, before = steps + where(done, 0.0, 1.0), error
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
    gradient = tail(work, square(m))
    target, inverse = tail(work, square(m) + 4 * m), tail(work, square(m) + 4 * m + n)
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


@inline
def square(m):
    """Room for the Hessian."""
    return m * stride(m) + 4


@inline
def stride(m):
    """From one row of it to the next: registers may reach a little beyond the end of a row."""
    return m + 4


@kernel
def fill_hessian(n, m, nnz, starts, rows, rho, given, work, lam):
    """A_F D⁻¹ A_Fᵀ + 1/ρ: its upper half, rows and columns from the last to the first."""
    low, high = tail(given, nnz + 2 * n), tail(given, nnz + 3 * n)
    target, inverse = tail(work, square(m) + 4 * m), tail(work, square(m) + 4 * m + n)
    zero, many = lam[0] * 0.0, packed(work)
    for j in range(m):
        for l in range(j, m, many.step):
            many[j * stride(m) + l] = 0.0
    for j in range(m):
        work[(m - 1 - j) * (stride(m) + 1)] = zero + 1.0 / rho[j]
    for i in range(n):
        s = zero
        for k in range(starts[i], starts[i + 1]):
            s = s + given[k] * lam[rows[k]]
        x = target[i] + inverse[i] * s
        gain = where((x >= low[i]) & (x <= high[i]), inverse[i], 0.0)
        if any_lane(gain > 0.0):
            for k in range(starts[i], starts[i + 1]):
                part, at = gain * given[k], (m - 1 - rows[k]) * stride(m) + m - 1
                for l in range(starts[i], k + 1):
                    work[at - rows[l]] = work[at - rows[l]] + part * given[l]


@kernel
def factor_and_solve(m, work, filled):
    """The step H⁻¹ gradient by elimination, in place; rows that do not meet the pivot's are left out.

    Where rows follow a tree from the root outwards, taking the last first keeps limbs apart (no fill).  Programs side
    by side take only the columns that meet the pivot's row (`filled`), one alone takes neighbours in memory together.
    """
    gradient, step = tail(work, square(m)), tail(work, square(m) + m)
    many = packed(work)
    for j in range(m):
        step[m - 1 - j] = gradient[j]  # in the order of elimination
    for k in range(m):
        row = k * stride(m)
        scale = 1.0 / maximum(work[row + k], 1e-300 + 0.0 * work[row + k])
        work[row + k] = scale
        count = 0
        for i in range(k + 1, m):
            if any_lane(work[row + i] != 0.0):
                filled[count] = i
                count += 1
        for at in range(count):
            i = filled[at]
            below, own = work[row + i] * scale, filled[at] * stride(m)
            if many.step > 1:
                for l in range(i, m, many.step):
                    many[own + l] = many[own + l] - many[row + l] * below
            else:
                for other in range(at, count):
                    l = filled[other]
                    work[own + l] = work[own + l] - work[row + l] * below
            step[i] = step[i] - step[k] * below
    for k in range(m - 1, -1, -1):
        row, total = k * stride(m), step[k]
        for i in range(k + 1, m):
            total = total - work[row + i] * step[i]
        step[k] = total * work[row + k]
    for k in range(m // 2):
        first, last = step[k], step[m - 1 - k]
        step[k] = last
        step[m - 1 - k] = first
