"""Projected Gauss-Seidel over many problems of the same rows, several to a register."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hitogata.errors import ArgumentError
from hitogata.lanes import (
    X4,
    X8,
    X16,
    Floats,
    Ints,
    Width,
    entry,
    kernel,
    lanes,
    pack,
    share,
    tail,
    unpack,
)
from hitogata.lanes.cpu import has_wide_registers
from hitogata.solve.gauss_seidel import check_sweeps
from hitogata.solve.pgs_kernels import ROW, SLIDE, open_rows, prepare, sweep, unsolved
from hitogata.solve.problem import disc_rows, into_discs


def sweep_batch(
    A: Any,
    b: Any,
    *,
    low: Any = 0.0,
    high: Any = np.inf,
    discs: Sequence[Sequence[int]] = (),
    mu: Any = 0.0,
    start: Any = None,
    sweeps: int = 20,
    threads: int | None = 1,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Fixed sweeps of projected Gauss-Seidel over m problems with the same n rows and k discs.

    Problems with fewer rows are filled up with rows of low = high = 0.  A problem's result does not depend on its
    neighbours.

    Args:
        A: shape (m, n, n); computed in float32 if A is float32.
        b: shape (m, n) or (n,).
        low: bounds, a number, shape (n,) or (m, n); a number stands for all rows but tangents.
        high: as low.
        discs: rows (normal, tangent, tangent) of each friction disc, or (normal, tangent) in the plane.
        mu: coefficients, a number, shape (k,) or (m, k).
        start: impulses to begin with, shape (m, n); None: none.
        sweeps: number of sweeps.
        threads: to share the problems over; None: one per core.

    Returns:
        Impulses λ, shape (m, n), and the largest scaled natural residual of each problem, shape (m,):
        max |λ − P(λ − w/A_ii)| √A_ii.  It is NaN or infinite where a problem diverged.
    """
    count = check_sweeps(sweeps)
    A = np.asarray(A)
    if A.ndim != 3 or A.shape[1] != A.shape[2]:
        raise ArgumentError(f"A: expected shape (m, n, n), got {A.shape}")
    dtype = np.float32 if A.dtype == np.float32 else np.float64
    m, n = A.shape[:2]
    triples = _triples(discs, n)
    tangents = _tangents(triples)
    arrays = {
        "A": np.ascontiguousarray(A.swapaxes(1, 2), dtype).reshape(m, n * n),
        "b": _rows("b", b, (m, n), dtype),
        "low": _bound("low", low, (m, n), tangents, -np.inf, dtype),
        "high": _bound("high", high, (m, n), tangents, np.inf, dtype),
        "mu": _rows("mu", mu, (m, len(triples)), dtype),
        "start": _rows("start", 0.0 if start is None else start, (m, n), dtype),
    }
    for name, array in arrays.items():
        bad = np.isnan(array) if name in ("low", "high") else ~np.isfinite(array)
        if bad.any():
            row, column = (int(k) for k in np.argwhere(bad)[0])
            at = f"{row}, {column % n}, {column // n}" if name == "A" else f"{row}, {column}"
            raise ArgumentError(f"{name}[{at}] is {array[row, column]}; it must be a number")
    if (arrays["low"] > arrays["high"]).any():
        row, column = (int(k) for k in np.argwhere(arrays["low"] > arrays["high"])[0])
        raise ArgumentError(f"low[{row}, {column}] is above high[{row}, {column}]")
    if (arrays["mu"] < 0).any():
        row, column = (int(k) for k in np.argwhere(arrays["mu"] < 0)[0])
        raise ArgumentError(f"mu[{row}, {column}] is {arrays['mu'][row, column]}; it must be 0 or more")
    begin = np.clip(arrays["start"], arrays["low"], arrays["high"])
    for c, (normal, *pair) in enumerate(triples):
        pair = [row for row in pair if row >= 0]
        begin[:, pair] = into_discs(begin[:, pair], arrays["mu"][:, c] * np.maximum(begin[:, normal], 0))
    arrays["start"] = begin
    lam, residual = np.zeros((m, n), dtype), np.zeros((m, 1), dtype)
    if m and n:
        width, inputs = _width(dtype), tuple(arrays.values())
        plain = np.setdiff1d(np.arange(n), triples)  # −1, for no tangent, is no row

        def run(first: int, end: int) -> None:
            sweep_rows(*inputs, plain, triples, lam, residual, count, first * width.n, min(end * width.n, m), width)

        share(-(-m // width.n), threads, run)
    return lam, residual[:, 0]


def _width(dtype: Any) -> Width:
    wide = has_wide_registers()
    if dtype == np.float32:
        return X16 if wide else X8
    return X8 if wide else X4


def _tangents(triples: NDArray[np.int64]) -> NDArray[np.int64]:
    rows = triples[:, 1:].ravel()
    return rows[rows >= 0]


def _triples(discs: Sequence[Sequence[int]], n: int) -> NDArray[np.int64]:
    rows = [list(disc) for disc in discs]
    for k, row in enumerate(rows):
        if not 2 <= len(row) <= 3:
            raise ArgumentError(f"discs[{k}]: expected (normal, tangent) or (normal, tangent, tangent), got {row!r}")
    given = [row[:-1] if len(row) == 3 and row[2] in (None, -1) else row for row in rows]
    triples = disc_rows(given)
    tangents = _tangents(triples)
    if any(not 0 <= index < n for row in given for index in row):
        raise ArgumentError(f"discs: expected rows from 0 to {n - 1}, got {discs!r}")
    if len(set(tangents)) < len(tangents) or set(tangents) & set(triples[:, 0]):
        raise ArgumentError(f"discs: a tangent belongs to one disc, and is no normal; got {discs!r}")
    return triples


def _rows(name: str, value: Any, shape: tuple[int, int], dtype: Any) -> NDArray[Any]:
    try:
        return np.array(np.broadcast_to(np.asarray(value, dtype), shape))
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected numbers of shape {shape}, got {np.shape(value)}") from None


def _bound(name: str, value: Any, shape: tuple[int, int], tangents: Any, infinite: float, dtype: Any) -> NDArray[Any]:
    array = _rows(name, value, shape, dtype)
    if np.ndim(value) == 0:
        array[:, tangents] = infinite
    elif (array[:, tangents] != infinite).any():
        raise ArgumentError(f"{name}: the tangents of a disc are unbounded ({infinite})")
    return array


@entry(A=Floats(2), b=Floats(2), low=Floats(2), high=Floats(2), mu=Floats(2), start=Floats(2), plain=Ints(1),
       triples=Ints(2), lam=Floats(2, write=True), residual=Floats(2, write=True))  # fmt: skip
def sweep_rows(A, b, low, high, mu, start, plain, triples, lam, residual, sweeps, first, end, width):
    """Problems first to end."""
    n, k = b.shape[1], triples.shape[0]
    work = np.empty((n * (n + ROW) + SLIDE * k + k + 8) * width.n, b.dtype)
    _sweep_rows(A, b, low, high, mu, start, plain, triples, lam, residual, sweeps, first, end, width, work)


@kernel
def _sweep_rows(A, b, low, high, mu, start, plain, triples, lam, residual, sweeps, first, end, width, work):
    n, k = b.shape[1], triples.shape[0]
    own = lanes(work, width)
    rows = open_rows(n, n, own, tail(own, n * n), plain, triples)
    spare = tail(own, n * (n + ROW) + SLIDE * k)
    for row in range(first, end, width.n):
        pack(A, row, rows.coupling)
        pack(b, row, rows.speed)
        pack(start, row, rows.impulse)
        pack(low, row, rows.low)
        pack(high, row, rows.high)
        pack(mu, row, spare)
        for c in range(k):
            rows.slide[c].mu = spare[c]
        prepare(rows)
        for _ in range(sweeps):
            sweep(rows)
        spare[0] = unsolved(rows)
        unpack(rows.impulse, lam, row)
        unpack(spare, residual, row)
