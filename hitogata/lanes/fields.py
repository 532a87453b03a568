"""Fields of declared memory (see `memory`): of what kind, of which shape, and where they begin."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from hitogata.errors import ArgumentError
from hitogata.lanes.counts import Count, as_count
from hitogata.lanes.records import Layout, several

Shape = tuple[Count | int, ...]


class LayoutError(ArgumentError, TypeError):
    """Memory is declared, laid out or opened wrongly; the message names the memory and the field."""


class Field:
    """A field of a memory, before and after it has its place.

    Attributes:
        kind: float, int, a record, or a memory.
        shape: axes; of one thing alone, ().
        single: one thing, not an array of one.
        of: the field whose numbers these are too; givens: of a memory, by name.
        label: its name; at: first float or int, of a memory both.
    """

    def __init__(self, kind: Any, shape: Shape, *, single: bool = False, of: "Field | None" = None,
                 givens: Mapping[str, Any] | None = None) -> None:  # fmt: skip
        self.kind, self.shape, self.single, self.of, self.givens = kind, shape, single, of, dict(givens or {})
        self.label, self.at, self.number = "", (as_count(0), as_count(0)), 0
        for axis in shape:
            if not (isinstance(axis, Count) or (type(axis) is int and axis >= 0)):
                raise LayoutError(f"a shape is made of counts and whole numbers, not of {axis!r}")

    @cached_property
    def is_memory(self) -> bool:
        """Another memory, with floats and ints."""
        return hasattr(self.kind, "SIZES")

    @property
    def items(self) -> Count:
        """How many things there are."""
        total = as_count(1)
        for axis in self.shape:
            total = total * as_count(axis)
        return total

    @cached_property
    def whole(self) -> bool:
        """Ints, not floats (if it is no memory)."""
        return self.kind is int or (isinstance(self.kind, Layout) and _leaves(self.kind) == {int})

    @property
    def each(self) -> int:
        """Numbers of one thing."""
        return self.kind.SIZE if isinstance(self.kind, Layout) else 1

    @cached_property
    def sizes(self) -> tuple[Count, Count]:
        """Floats and ints that it takes."""
        if self.is_memory:
            by = {given: self.givens[name] for name, given in self.kind.GIVENS.items()}
            floats, ints = (size.replaced(by) for size in self.kind.SIZES)
            return floats, ints
        size = self.items * self.each
        return (as_count(0), size) if self.whole else (size, as_count(0))

    def __repr__(self) -> str:
        kind = getattr(self.kind, "__qualname__", self.kind)
        if self.is_memory or isinstance(self.kind, Layout):
            kind = f"{self.kind.__module__}.{kind}"
        return f"{kind}{self.shape} at {self.at[0]!r}, {self.at[1]!r} {self.single} {self.givens}"


def number() -> Any:
    """A field: one float."""
    return Field(float, (), single=True)


def whole() -> Any:
    """A field: one int."""
    return Field(int, (), single=True)


def numbers(*shape: Count | int) -> Any:
    """A field: floats, in an array of this shape; in kernels flat."""
    return Field(float, shape)


def wholes(*shape: Count | int) -> Any:
    """A field: ints."""
    return Field(int, shape)


def one(record: Any) -> Any:
    """A field: one record."""
    return _records(record, (), single=True)


def many(record: Any, *shape: Count | int) -> Any:
    """A field: records."""
    return _records(record, shape, single=False)


def part(memory: Any, **givens: Any) -> Any:
    """A field: another memory, with what it is given."""
    if not hasattr(memory, "SIZES"):
        raise LayoutError(f"part: expected a Memory, not {memory!r}")
    match(f"part {memory.__name__}", memory.GIVENS, givens)
    return Field(memory, (), single=True, givens={
        name: as_count(x) if isinstance(x, int) else x for name, x in givens.items()
    })  # fmt: skip


def same(field: Any, kind: Any = float, *shape: Count | int) -> Any:
    """A field: other names for the first numbers of a field that stands before.

    Args:
        field: that one.
        kind: float, int or a record.
        shape: None: as many numbers as there are.
    """
    if not isinstance(field, Field):
        raise LayoutError(f"same: expected a field that stands before, not {field!r}")
    own = field.shape if kind is field.kind and not shape else shape
    return Field(kind, own, of=field)


def _records(record: Any, shape: Shape, *, single: bool) -> Field:
    if not isinstance(record, Layout):
        raise LayoutError(f"one, many: expected a @record, not {record!r}")
    if int in _leaves(record) and _leaves(record) != {int}:
        raise LayoutError(f"{record.__name__} has ints and floats: they cannot lie in one array")
    return Field(record, shape, single=single)


def _leaves(record: Any) -> set[Any]:
    """Kinds of the fields of a record, as far as they tell ints from floats."""
    return {int if (k.kind if isinstance(k, several) else k) is int else float for k in record.KINDS.values()}


def floats_of(memory: Any, **givens: Any) -> Count:
    """A shape: the floats of another memory, with what it is given."""
    size: Count = part(memory, **givens).sizes[0]
    return size


def ints_of(memory: Any, **givens: Any) -> Count:
    """A shape: its ints."""
    size: Count = part(memory, **givens).sizes[1]
    return size


def match(where: str, wanted: Iterable[str], got: Iterable[str]) -> None:
    """Complain unless these names are those."""
    missing, unknown = [x for x in wanted if x not in got], [x for x in got if x not in wanted]
    if missing or unknown:
        lacks = [f"lacks {', '.join(missing)}"] if missing else []
        raise LayoutError(f"{where}: {'; '.join(lacks + [f'does not know {x}' for x in unknown])}")
