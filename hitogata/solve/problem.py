"""What is solved: speeds w = A λ + b, impulses λ within bounds, and what they must be to each other.

    row             λ = low ⇒ w ≥ 0,   low < λ < high ⇒ w = 0,   λ = high ⇒ w ≤ 0
    friction disc   |λ_t| ≤ μ λ_n;     |λ_t| < μ λ_n ⇒ w_t = 0;  else w_t = −γ λ_t with γ ≥ 0

λ_t has two tangents, or one where motion is in a plane: the disc is then the interval −μ λ_n to μ λ_n.

An equality row has the bounds (−∞, ∞), a row of a linear complementarity problem (0, ∞): 0 ≤ λ ⟂ w ≥ 0.
Compliance is on the diagonal of A already.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hitogata.errors import ArgumentError

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Disc:
    """Coulomb friction of one contact: |λ_t| ≤ μ λ_n, against the sliding (maximal dissipation).

    Attributes:
        normal: row of the pressing impulse λ_n; its lower bound is 0 or more.
        tangent1: row of the first tangent.
        tangent2: row of the second tangent, at right angles to the first; None: friction in the plane, one tangent.
        mu: coefficient of friction, ≥ 0.
    """

    normal: int
    tangent1: int
    tangent2: int | None
    mu: float

    @property
    def tangents(self) -> tuple[int, ...]:
        """Rows of the tangents, one or two."""
        return (self.tangent1,) if self.tangent2 is None else (self.tangent1, self.tangent2)


@dataclasses.dataclass(frozen=True, eq=False)
class Problem:
    """A box-bounded linear complementarity problem, with friction discs.

    Arrays are copied, and cannot be written to.

    Attributes:
        A: what impulses do to speeds, shape (n, n); [m/s per N s] for contacts.  Symmetric and positive semi-definite
            when it comes from mechanics; `lemke` takes any.
        b: speeds without impulses, shape (n,) [m/s].
        low: least impulse of each row, shape (n,) [N s]; a number stands for all rows but tangents.
        high: greatest impulse of each row, shape (n,) [N s]; a number stands for all rows but tangents.
        discs: friction; tangents have the bounds (−∞, ∞).
    """

    A: Array
    b: Array
    low: Array = 0.0  # type: ignore[assignment]
    high: Array = np.inf  # type: ignore[assignment]
    discs: tuple[Disc, ...] = ()

    def __post_init__(self) -> None:
        b = _numbers("b", self.b, None)
        n = len(b)
        A = _numbers("A", self.A, (n, n))
        for name, array in (("A", A), ("b", b)):
            _refuse(name, array, ~np.isfinite(array), "it must be finite")
        discs = _discs(self.discs, n)
        free = [row for d in discs for row in d.tangents]
        low, high = _bound("low", self.low, n, free, -np.inf), _bound("high", self.high, n, free, np.inf)
        _refuse("low", low, np.isnan(low) | (low == np.inf), "it must be a number, or -inf")
        _refuse("high", high, np.isnan(high) | (high == -np.inf), "it must be a number, or inf")
        _refuse("low", low, low > high, "it is above high")
        for k, d in enumerate(discs):
            if low[d.normal] < 0:
                raise ArgumentError(f"discs[{k}]: low[{d.normal}] is {low[d.normal]}; a normal row needs 0 or more")
        for name, value in (("A", A), ("b", b), ("low", low), ("high", high)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "discs", discs)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.b)

    def speeds(self, lam: Array) -> Array:
        """w = A λ + b, shape (n,) [m/s]."""
        return self.A @ lam + self.b

    @cached_property
    def symmetric(self) -> bool:
        """Whether A is its own mirror image, to 1e-12 of its scale (A_ij against √(d_i d_j))."""
        s = self.scales
        return bool(np.all(np.abs(self.A - self.A.T) * np.outer(s, s) <= 1e-12))

    @cached_property
    def scales(self) -> Array:
        """s_i = 1/√A_ii, shape (n,): λ_i/s_i and s_i w_i then have one unit, the root of energy.

        A row without a positive diagonal takes the largest of its row and column instead; the tangents of a disc share
        theirs, so that discs stay discs.
        """
        size = np.abs(self.A)
        largest = np.maximum(size.max(axis=0), size.max(axis=1)) if self.n else np.zeros(0)
        d = np.diag(self.A).copy()
        d = np.where(d > 1e-14 * largest, d, largest)
        for disc in self.discs:
            d[list(disc.tangents)] = max(d[row] for row in disc.tangents)
        s = 1.0 / np.sqrt(np.where(d > 0, d, 1.0))
        s.flags.writeable = False
        return s

    @cached_property
    def size(self) -> float:
        """What residuals are relative to: the largest scaled speed |s w| with λ = 0, or as near as bounds allow.

        1 if that is zero.
        """
        least = np.minimum(np.maximum(0.0, self.low), self.high)
        speeds = np.maximum(np.abs(self.b), np.abs(self.speeds(least))) * self.scales
        return float(np.max(speeds, initial=0.0)) or 1.0

    @cached_property
    def disc_rows(self) -> NDArray[np.int64]:
        """Rows (normal, tangent1, tangent2) of the discs, shape (ndiscs, 3); tangent2 is −1 in the plane."""
        return disc_rows((d.normal, *d.tangents) for d in self.discs)

    @cached_property
    def mu(self) -> Array:
        """Coefficients of the discs, shape (ndiscs,)."""
        return np.array([d.mu for d in self.discs], np.float64)

    def projected(self, lam: ArrayLike) -> Array:
        """The impulses clipped to their bounds, then the tangents to their discs, shape (n,) [N s]."""
        x = np.clip(np.asarray(lam, np.float64), self.low, self.high)
        t = self.disc_rows[:, 1:]
        put_tangents(x, t, into_discs(tangents_of(x, t), self.mu * x[self.disc_rows[:, 0]]))
        return x


def disc_rows(rows: Iterable[Sequence[int]]) -> NDArray[np.int64]:
    """Rows (normal, tangent) or (normal, tangent, tangent) as an array of shape (k, 3), with −1 where there is none."""
    return np.array([[*row, -1][:3] for row in rows], np.int64).reshape(-1, 3)


def tangents_of(x: Array, rows: NDArray[np.int64]) -> Array:
    """Values at the tangents of discs, shape (k, 2), from those of all rows; 0 for the second tangent in the plane."""
    return np.where(rows < 0, 0.0, x[rows])


def put_tangents(x: Array, rows: NDArray[np.int64], values: Array) -> None:
    """Write values of tangents, shape (k, 2), among those of all rows."""
    there = rows >= 0
    x[rows[there]] = values[there]


def into_discs(points: Array, radii: Array) -> Array:
    """Points, shape (k, 1 or 2), drawn to the nearest of discs about the origin, radii of shape (k,)."""
    length = np.hypot(points[:, 0], points[:, -1]) if points.shape[1] > 1 else np.abs(points[:, 0])
    factor = np.where(length > radii, radii / np.where(length > 0, length, 1.0), 1.0)
    return points * factor[:, None]


def vector(name: str, value: Any, n: int) -> Array:
    """n finite numbers, a new array; else an ArgumentError that names the first bad one."""
    array = _numbers(name, value, (n,))
    _refuse(name, array, ~np.isfinite(array), "it must be finite")
    return array


def _numbers(name: str, value: Any, shape: tuple[int, ...] | None) -> Array:
    try:
        given = np.asarray(value)
        if not np.can_cast(given.dtype, np.float64, "safe"):
            raise TypeError
        array = np.array(given, np.float64, order="C")
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected an array of real numbers, got {value!r}") from None
    if shape is None and array.ndim != 1:
        raise ArgumentError(f"{name}: expected shape (n,), got {array.shape}")
    if shape is not None and array.shape != shape:
        raise ArgumentError(f"{name}: expected shape {shape}, got {array.shape}")
    return array


def _bound(name: str, value: Any, n: int, free: list[int], infinite: float) -> Array:
    if np.ndim(value) == 0:
        array = np.full(n, _numbers(name, value, ()))
        array[free] = infinite
        return array
    array = _numbers(name, value, (n,))
    wrong = np.zeros(n, bool)
    wrong[free] = array[free] != infinite
    _refuse(name, array, wrong, f"the tangents of a disc are unbounded ({infinite})")
    return array


def _discs(given: Iterable[Disc], n: int) -> tuple[Disc, ...]:
    discs = tuple(given)
    tangents: dict[int, int] = {}
    for k, d in enumerate(discs):
        if not isinstance(d, Disc):
            raise ArgumentError(f"discs[{k}]: expected a Disc, got {d!r}")
        for name in ("normal", "tangent1", "tangent2"):
            row = getattr(d, name)
            if name == "tangent2" and row is None:
                continue
            if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < n:
                raise ArgumentError(f"discs[{k}].{name}: expected a row from 0 to {n - 1}, got {row!r}")
        if not (np.isfinite(d.mu) and d.mu >= 0):
            raise ArgumentError(f"discs[{k}].mu is {d.mu}; it must be finite, 0 or more")
        for row in d.tangents:
            if row in tangents:
                raise ArgumentError(f"discs[{k}]: row {row} is a tangent of discs[{tangents[row]}] already")
            tangents[row] = k
    for k, d in enumerate(discs):
        if d.normal in tangents:
            raise ArgumentError(f"discs[{k}]: its normal, row {d.normal}, is a tangent of discs[{tangents[d.normal]}]")
    return discs


def _refuse(name: str, array: Array, wrong: NDArray[np.bool_], why: str) -> None:
    if wrong.any():
        at = tuple(int(k) for k in np.argwhere(wrong)[0])
        raise ArgumentError(f"{name}[{', '.join(map(str, at))}] is {array[at]}; {why}")
