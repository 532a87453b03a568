"""Functions of coordinates, for joints and couplings that follow them.

All are frozen values that compare by what they hold, so that a model read from a file can be compared with another.
`evaluation` gives their values and exact derivatives.
"""

from dataclasses import dataclass, field
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.mechanism.splines import cubic_spline, natural_spline
from hitogata.figure.values import FloatArray, array, number

if TYPE_CHECKING:
    from scipy.interpolate import BSpline


class Function:
    """Root of all functions of coordinates."""

    arguments: int | None = 1
    """How many arguments it takes; None: any number."""


@dataclass(frozen=True)
class Constant(Function):
    """f = value, whatever the arguments."""

    value: float = 0.0
    arguments = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", number(self.value, "constant"))


@dataclass(frozen=True)
class Linear(Function):
    """f = Σ cₖ xₖ + c₀, the constant standing last: m + 1 coefficients."""

    coefficients: tuple[float, ...] = (1.0, 0.0)

    def __post_init__(self) -> None:
        _store(self, coefficients=_row(self.coefficients, "linear function: coefficients", least=2))

    @property
    def arguments(self) -> int:  # type: ignore[override]
        """How many arguments it takes."""
        return len(self.coefficients) - 1


@dataclass(frozen=True)
class Polynomial(Function):
    """f = c₀ xⁿ + c₁ xⁿ⁻¹ + … + cₙ: the highest power stands first."""

    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        _store(self, coefficients=_row(self.coefficients, "polynomial: coefficients", least=1))


@dataclass(frozen=True)
class MultivariatePolynomial(Function):
    """A polynomial of several arguments up to a total power.

    Coefficients stand in the order of exponents that count up, the last argument's fastest: for two arguments and
    order 2: 1, y, y², x, x y, x².
    """

    coefficients: tuple[float, ...]
    dimension: int
    order: int

    def __post_init__(self) -> None:
        if not 1 <= self.dimension <= 6 or not 0 <= self.order <= 20:
            raise FigureError(
                f"multivariate polynomial: dimension 1 to 6, order 0 to 20 expected, got {self.dimension}, {self.order}"
            )
        _store(self, coefficients=_row(self.coefficients, "multivariate polynomial: coefficients", least=1))
        count = comb(self.dimension + self.order, self.order)
        if len(self.coefficients) != count:
            raise FigureError(
                f"multivariate polynomial: {count} coefficients expected for {self.dimension} arguments and order "
                f"{self.order}, got {len(self.coefficients)}"
            )

    @property
    def arguments(self) -> int:  # type: ignore[override]
        """How many arguments it takes."""
        return self.dimension

    def exponents(self) -> list[tuple[int, ...]]:
        """Exponents of each coefficient's term."""
        rows: list[tuple[int, ...]] = [()]
        for _ in range(self.dimension):
            rows = [(*row, k) for row in rows for k in range(self.order - sum(row) + 1)]
        return rows


@dataclass(frozen=True)
class _Points(Function):
    """A function through points: x rising, y beside it."""

    x: tuple[float, ...]
    y: tuple[float, ...]

    def __post_init__(self) -> None:
        what = type(self).__name__
        x, y = _row(self.x, f"{what}: x", least=1), _row(self.y, f"{what}: y", least=1)
        if len(x) != len(y):
            raise FigureError(f"{what}: as many y as x expected, got {len(x)} x and {len(y)} y")
        for k in range(1, len(x)):
            if not x[k] > x[k - 1]:
                raise FigureError(f"{what}: x must rise, but x[{k}] = {x[k]:g} follows {x[k - 1]:g}")
        _store(self, x=x, y=y)


@dataclass(frozen=True)
class CubicSpline(_Points):
    """SIMM's cubic spline: end conditions from the first and last four points (Forsythe, Malcolm & Moler 1977).

    Beyond the ends it goes on straight.
    """

    pieces: FloatArray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.x) < 2:
            raise FigureError("CubicSpline: at least two points expected, got one")
        object.__setattr__(self, "pieces", cubic_spline(self.x, self.y))


@dataclass(frozen=True)
class NaturalSpline(_Points):
    """The natural spline through points: of odd degree 2m - 1, its derivatives m to 2m - 2 vanish at the ends.

    Beyond the ends it goes on with the powers below m.
    """

    degree: int = 5
    curve: "BSpline" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.degree not in (1, 3, 5, 7):
            raise FigureError(f"NaturalSpline: degree 1, 3, 5 or 7 expected, got {self.degree!r}")
        if len(self.x) < self.degree + 1:
            raise FigureError(f"NaturalSpline: degree {self.degree} needs {self.degree + 1} points, got {len(self.x)}")
        object.__setattr__(self, "curve", natural_spline(np.array(self.x), np.array(self.y), self.degree))


@dataclass(frozen=True)
class PiecewiseLinear(_Points):
    """Straight lines between points; the first and last go on beyond the ends."""


@dataclass(frozen=True)
class PiecewiseConstant(_Points):
    """y[k] from x[k] up to the next x; y[0] before the first."""


@dataclass(frozen=True)
class Sine(Function):
    """f = amplitude sin(omega x + phase) + offset."""

    amplitude: float = 1.0
    omega: float = 1.0
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        _store(self, **{k: number(getattr(self, k), f"sine: {k}") for k in ("amplitude", "omega", "phase", "offset")})


@dataclass(frozen=True)
class Step(Function):
    """From `low` before `start` to `high` behind `end`, by 10 t³ - 15 t⁴ + 6 t⁵ between them."""

    start: float
    end: float
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        _store(self, **{k: number(getattr(self, k), f"step: {k}") for k in ("start", "end", "low", "high")})
        if not self.end > self.start:
            raise FigureError(f"step: the end must lie behind the start, got {self.start:g} to {self.end:g}")


@dataclass(frozen=True)
class Scaled(Function):
    """scale · function."""

    function: Function
    scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", number(self.scale, "scale of a function"))

    @property
    def arguments(self) -> int | None:  # type: ignore[override]
        """As many as the function inside."""
        return self.function.arguments


@dataclass(frozen=True)
class Sum(Function):
    """Σ fₖ(x): every term takes all arguments."""

    terms: tuple[Function, ...]

    def __post_init__(self) -> None:
        counts = {term.arguments for term in self.terms} - {None}
        if len(counts) > 1:
            raise FigureError(f"sum: its terms take different numbers of arguments: {sorted(map(str, counts))}")

    @property
    def arguments(self) -> int | None:  # type: ignore[override]
        """As many as each term."""
        return next((term.arguments for term in self.terms if term.arguments is not None), None)


@dataclass(frozen=True)
class Product(Function):
    """Π fₖ(xₖ): every factor takes one argument of its own."""

    factors: tuple[Function, ...]

    @property
    def arguments(self) -> int:  # type: ignore[override]
        """One for each factor."""
        return len(self.factors)


@dataclass(frozen=True)
class Composed(Function):
    """f(g₁, g₂, ...): each inner function takes some of the arguments, by their places.

    Attributes:
        outer: f.
        inner: for each argument of f a function and the places of its arguments.
        count: how many arguments there are.
    """

    outer: Function
    inner: tuple[tuple[Function, tuple[int, ...]], ...]
    count: int

    @property
    def arguments(self) -> int:  # type: ignore[override]
        """As said."""
        return self.count


def constant_value(function: Function) -> float | None:
    """The value of a function that takes no arguments, scaled or not; None: it varies."""
    scale = 1.0
    while isinstance(function, Scaled):
        scale, function = scale * function.scale, function.function
    return scale * function.value if isinstance(function, Constant) else None


def _row(values: Any, what: str, *, least: int) -> tuple[float, ...]:
    result = array(values, (None,), what)
    if len(result) < least:
        raise FigureError(f"{what}: at least {least} expected, got {len(result)}")
    return tuple(result.tolist())


def _store(target: Any, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(target, name, value)
