"""Shapes of declared memory: whole numbers that are known when memory is laid out, and sums and products of them.

A `Count` is a polynomial in what a memory is given: its counts, counts of things it is given, and quotients of these.
In Python it is worked out from values, in kernels it becomes a few instructions.
"""

from collections.abc import Callable, Mapping
from itertools import count as serial_numbers
from typing import Any

_serial = serial_numbers()


class Given:
    """What a memory is told when it is opened; `given.name` in a shape is a count that it holds."""

    def __init__(self, *, whole: bool = False, stored: bool = False) -> None:
        self.label, self.whole, self.stored, self.serial = "", whole, stored, next(_serial)

    def __repr__(self) -> str:
        return self.label

    def __getattr__(self, name: str) -> "Count":
        if name.startswith("__"):
            raise AttributeError(name)
        return Count({(Part(self, name),): 1})


class Part:
    """A count that something given holds."""

    def __init__(self, given: Given, name: str) -> None:
        self.given, self.name = given, name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and (self.given, self.name) == (other.given, other.name)

    def __hash__(self) -> int:
        return hash((id(self.given), self.name))


class Quotient:
    """A count divided by a whole number, rounded down."""

    def __init__(self, count: "Count", divisor: int) -> None:
        self.count, self.divisor = count, divisor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient) and (self.count, self.divisor) == (other.count, other.divisor)

    def __hash__(self) -> int:
        return hash((self.count, self.divisor))


Atom = Given | Part | Quotient
Terms = dict[tuple[Atom, ...], int]


class Count:
    """A whole number that is known when memory is laid out.

    Args:
        terms: of the polynomial; None: a new number, to be given.
        stored: a new number that the memory itself begins with.
    """

    def __init__(self, terms: Terms | None = None, *, stored: bool = False) -> None:
        new: Terms = {(Given(whole=True, stored=stored),): 1}
        self.terms = new if terms is None else {atoms: n for atoms, n in terms.items() if n}

    @property
    def own(self) -> Given | None:
        """The number that is to be given, if this is one."""
        if len(self.terms) == 1:
            ((atoms, n),) = self.terms.items()
            if n == 1 and len(atoms) == 1 and isinstance(atoms[0], Given):
                return atoms[0]
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Count) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __add__(self, other: "Count | int") -> "Count":
        terms = dict(self.terms)
        for atoms, n in as_count(other).terms.items():
            terms[atoms] = terms.get(atoms, 0) + n
        return Count(terms)

    def __sub__(self, other: "Count | int") -> "Count":
        return self + as_count(other) * -1

    def __mul__(self, other: "Count | int") -> "Count":
        terms: Terms = {}
        for a, n in self.terms.items():
            for b, m in as_count(other).terms.items():
                atoms = tuple(sorted((*a, *b), key=_order))
                terms[atoms] = terms.get(atoms, 0) + n * m
        return Count(terms)

    def __floordiv__(self, divisor: int) -> "Count":
        if type(divisor) is not int or divisor < 1:
            raise TypeError(f"a count is divided by a whole number, not by {divisor!r}")
        return Count({(Quotient(self, divisor),): 1})

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: int) -> "Count":
        return as_count(other) - self

    def __repr__(self) -> str:
        terms = sorted((sorted(map(_text, atoms)), n) for atoms, n in self.terms.items())
        return " + ".join("*".join([*atoms, *([str(n)] if n != 1 or not atoms else [])]) for atoms, n in terms) or "0"

    def evaluate(self, value: Callable[[Given | Part], Any]) -> Any:
        """The number, from those of what is given."""
        total = 0
        for atoms, n in self.terms.items():
            product = n
            for atom in atoms:
                one = atom.count.evaluate(value) // atom.divisor if isinstance(atom, Quotient) else value(atom)
                product = product * one
            total = total + product
        return total

    def replaced(self, by: Mapping[Given, "Count | Given"]) -> "Count":
        """The same, of other things that are given."""
        total = as_count(0)
        for atoms, n in self.terms.items():
            product = as_count(n)
            for atom in atoms:
                if isinstance(atom, Quotient):
                    one = atom.count.replaced(by) // atom.divisor
                elif isinstance(atom, Part):
                    other = by[atom.given]
                    one = Count({(Part(other, atom.name),): 1}) if isinstance(other, Given) else as_count(0)
                else:
                    found = by[atom]
                    one = found if isinstance(found, Count) else as_count(0)
                product = product * one
            total = total + product
        return total


def as_count(x: Count | int) -> Count:
    """A number as a count."""
    return x if isinstance(x, Count) else Count({(): int(x)})


def rounded_up(count: Count, multiple: int = 8) -> Count:
    """A shape: the next multiple."""
    return (count + (multiple - 1)) // multiple * multiple


def _text(atom: Atom) -> str:
    if isinstance(atom, Quotient):
        return f"({atom.count!r})//{atom.divisor}"
    return f"{atom.given.label}.{atom.name}" if isinstance(atom, Part) else atom.label


def _order(atom: Atom) -> tuple[int, str]:
    """Products are the same whatever the order of their factors."""
    if isinstance(atom, Quotient):
        return -1, _text(atom)
    return (atom.given.serial, atom.name) if isinstance(atom, Part) else (atom.serial, "")
