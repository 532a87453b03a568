"""Functions of coordinates as programs: short lists of instructions with values and gradients, for kernels.

Every instruction writes one register, a value with its gradient; the last one is the function.  Piecewise polynomials
are tables (`compiled.FunctionTables`); the rest is put together from sums, products and sines.
"""

from dataclasses import dataclass, field

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.mechanism.compiled import FunctionTables, taylor_pieces
from hitogata.figure.mechanism.functions import (
    Composed,
    Constant,
    Function,
    Linear,
    MultivariatePolynomial,
    NaturalSpline,
    Polynomial,
    Product,
    Scaled,
    Sine,
    Sum,
)

ARGUMENT, CONSTANT, PIECES, POLYNOMIAL, SINE, LINE, SUM, PRODUCT = range(8)
"""Instructions (what, a, b, place of numbers): argument a; a constant; table, polynomial, sine or straight line of
register a; sum and product of registers a and b."""


@dataclass
class Programs:
    """Programs one behind the other, each once, and their numbers.

    Attributes:
        ints: of each program how many instructions it has, then four numbers for each.
        tables: pieces, each once.
        numbers: coefficients that are in no table.
        longest: instructions of the longest.
    """

    ints: list[int] = field(default_factory=list)
    tables: FunctionTables = field(default_factory=FunctionTables)
    numbers: list[float] = field(default_factory=list)
    longest: int = 0
    _known: dict[tuple[Function, int], int] = field(default_factory=dict)
    _shift: list[int] = field(default_factory=list)  # places of instructions that read a table

    def add(self, function: Function, arguments: int) -> int:
        """Where the program of a function begins.

        Raises:
            FigureError: no kernel knows such a function.
        """
        key = (function, arguments)
        if key not in self._known:
            rows: list[tuple[int, int, int, int]] = []
            self._write(function, tuple(self._row(rows, ARGUMENT, k) for k in range(arguments)), rows)
            self._known[key] = len(self.ints)
            self.ints.append(len(rows))
            for row in rows:
                self.ints += row
            self.longest = max(self.longest, len(rows))
        return self._known[key]

    def flat(self) -> tuple[list[int], list[float]]:
        """All programs, and all numbers: coefficients, then tables."""
        ints, at = list(self.ints), 0
        while at < len(ints):
            for k in range(ints[at]):
                if ints[at + 1 + 4 * k] == PIECES:
                    ints[at + 4 + 4 * k] += len(self.numbers)
            at += 1 + 4 * ints[at]
        return ints, [*self.numbers, *self.tables.numbers.tolist()]

    def _row(self, rows: list[tuple[int, int, int, int]], what: int, a: int, b: int = 0, at: int = 0) -> int:
        rows.append((what, a, b, at))
        return len(rows) - 1

    def _put(self, *numbers: float) -> int:
        self.numbers += numbers
        return len(self.numbers) - len(numbers)

    def _write(self, function: Function, args: tuple[int, ...], rows: list[tuple[int, int, int, int]]) -> int:
        """Instructions of a function of registers; the register of its value."""
        if isinstance(function, Constant):
            return self._row(rows, CONSTANT, 0, 0, self._put(function.value))
        if isinstance(function, Linear):
            *slopes, offset = function.coefficients
            found = self._row(rows, LINE, args[0], 0, self._put(slopes[0], offset))
            for a, slope in zip(args[1:], slopes[1:], strict=True):
                found = self._row(rows, SUM, found, self._row(rows, LINE, a, 0, self._put(slope, 0.0)))
            return found
        table = self.tables.table(function) if len(args) == 1 else None
        if table is not None:
            return self._row(rows, PIECES, args[0], 0, table)
        if isinstance(function, NaturalSpline):
            return self._long_spline(function, args[0], rows)
        if isinstance(function, Polynomial):
            return self._row(
                rows, POLYNOMIAL, args[0], 0, self._put(float(len(function.coefficients)), *function.coefficients)
            )
        if isinstance(function, Sine):
            numbers = self._put(function.amplitude, function.omega, function.phase, function.offset)
            return self._row(rows, SINE, args[0], 0, numbers)
        if isinstance(function, Scaled):
            inner = self._write(function.function, args, rows)
            return self._row(rows, LINE, inner, 0, self._put(function.scale, 0.0))
        if isinstance(function, Sum):
            return self._joined(rows, SUM, [self._write(term, args, rows) for term in function.terms])
        if isinstance(function, Product):
            factors = [self._write(f, (a,), rows) for f, a in zip(function.factors, args, strict=True)]
            return self._joined(rows, PRODUCT, factors)
        if isinstance(function, Composed):
            inner_values = [self._write(f, tuple(args[k] for k in places), rows) for f, places in function.inner]
            return self._write(function.outer, tuple(inner_values), rows)
        if isinstance(function, MultivariatePolynomial):
            terms = []
            for c, powers in zip(function.coefficients, function.exponents(), strict=True):
                if c != 0.0:
                    start = self._row(rows, CONSTANT, 0, 0, self._put(c))
                    factors = [a for a, n in zip(args, powers, strict=True) for _ in range(n)]
                    terms.append(self._joined(rows, PRODUCT, [start, *factors]))
            return self._joined(rows, SUM, terms or [self._row(rows, CONSTANT, 0, 0, self._put(0.0))])
        raise FigureError(f"a {type(function).__name__} of coordinates has no compiled form; write it as a spline")

    def _long_spline(self, function: NaturalSpline, a: int, rows: list[tuple[int, int, int, int]]) -> int:
        """A spline of degree 7, too long for one table: with t from the beginning of a piece,

            (c0 + ... + c5 t⁵) + t⁶ (c6 + c7 t)

        three tables (the second is t itself) and products.
        """
        breaks, c = np.array(function.x), taylor_pieces(function)
        origin = breaks[np.maximum(np.arange(len(breaks) + 1) - 1, 0)]
        zero = np.zeros_like(c[:, :4])
        t = np.tile([0.0, 0.0, 0.0, 0.0, 1.0, 0.0], (len(origin), 1))
        low, way, high = (
            self._row(rows, PIECES, a, 0, self.tables.put((function, name), breaks, origin, part))
            for name, part in (("low", c[:, 5::-1]), ("t", t), ("high", np.column_stack([zero, c[:, 7], c[:, 6]])))
        )
        square = self._row(rows, PRODUCT, way, way)
        six = self._joined(rows, PRODUCT, [square, square, square])
        return self._row(rows, SUM, low, self._row(rows, PRODUCT, six, high))

    def _joined(self, rows: list[tuple[int, int, int, int]], what: int, registers: list[int]) -> int:
        found = registers[0]
        for register in registers[1:]:
            found = self._row(rows, what, found, register)
        return found
