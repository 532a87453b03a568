"""Declared memory: what lies in a flat array, said once.

    class Springs(Memory):
        "What pulls on a figure."
        nv = Count()                          # given when memory is laid out, and when it is opened
        rows = rounded_up(nv)                 # a count made of others
        stiffness = numbers(nv)               # floats; wholes(...) are ints
        spring = many(Spring, nv)             # records
        time = number()                       # one float; whole(): one int; one(Record): one record

From this come the sizes and numpy views of `Springs.layout(nv=3)`, and the view that kernels open by
`open_memory(Springs, lanes(array, width, block), nv)`.  A memory has up to two arrays: its floats, at any width and
precision, and its ints, which all figures side by side share (width X1).  Fields follow each other in the order of the
declaration.

    given = Given()                     something else that is given, such as a view: `given.name` is a count it holds
    part(Other, nv=nv)                  another memory, as a field
    same(field)                         another name for the floats or ints of a field that stands before
    Count(stored=True)                  a count that stands at the head of the ints, and is read from there
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hitogata.lanes.bounds import register_name
from hitogata.lanes.counts import Count, Given, as_count
from hitogata.lanes.fields import Field, LayoutError
from hitogata.lanes.memory_layout import MemoryLayout


class _Names(dict[str, Any]):
    """The body of a declaration: no name comes twice."""

    def __init__(self, memory: str) -> None:
        super().__init__()
        self.memory = memory

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self and isinstance(self[name], Field | Count | Given):
            raise LayoutError(f"{self.memory} has two fields of the name {name!r}")
        super().__setitem__(name, value)


class MemoryType(type):
    """Metaclass of memories.

    Attributes:
        GIVENS: what a memory is given, by name, in the order of the declaration; those that are stored are not.
        STORED: counts that its ints begin with.
        COUNTS: counts made of others.
        FIELDS: by name.
        SIZES: floats and ints in all.
        SIGNATURE: all of this as text, by which compiled code is known.
    """

    GIVENS: dict[str, Given]
    STORED: dict[str, Given]
    COUNTS: dict[str, Count]
    FIELDS: dict[str, Field]
    SIZES: tuple[Count, Count]
    SIGNATURE: str

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **kwds: Any) -> Any:
        return _Names(name)

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> "MemoryType":
        """Give everything its place."""
        givens: dict[str, Given] = {}
        stored: dict[str, Given] = {}
        counts, fields = {}, {}
        for label, value in body.items():
            own = value.own if isinstance(value, Count) else value if isinstance(value, Given) else None
            if own is not None and not own.label:
                own.label = label
                (stored if own.stored else givens)[label] = own
            elif isinstance(value, Count):
                counts[label] = value
            elif isinstance(value, Field):
                fields[label] = value
        ends = as_count(0), as_count(len(stored))
        for number, (label, field) in enumerate(fields.items()):
            if field.label:
                raise LayoutError(f"{name}: {field.label!r} and {label!r} are one field; say same({field.label})")
            field.label, field.number = label, register_name(f"{name}.{label}")
            if field.of is None:
                field.at = ends
                ends = ends[0] + field.sizes[0], ends[1] + field.sizes[1]
            else:
                _place_same(name, field, list(fields.values())[:number])
        rest = {k: v for k, v in body.items() if not isinstance(v, Count | Given | Field)}
        text = f"{[*stored]} {[*givens]} {counts} {fields} {ends}"
        kinds = tuple(f.kind for f in fields.values() if isinstance(f.kind, type))
        return super().__new__(mcs, name, bases, {
            **rest, "GIVENS": givens, "STORED": stored, "COUNTS": counts, "FIELDS": fields, "SIZES": ends,
            "SIGNATURE": text, "KINDS": kinds,
        })  # fmt: skip

    def layout(cls, **givens: Any) -> "MemoryLayout":
        """Its sizes and places, for what it is given: whole numbers, and things that hold counts."""
        return MemoryLayout(cls, givens)

    def layout_of(cls, ints: NDArray[Any], **givens: Any) -> "MemoryLayout":
        """The same, with the stored counts of an array."""
        if ints.dtype != np.int64 or len(ints) < len(cls.STORED):
            raise LayoutError(f"{cls.__name__}: expected an int64 array that begins with {', '.join(cls.STORED)}")
        stored = {name: int(x) for name, x in zip(cls.STORED, ints, strict=False)}
        return MemoryLayout(cls, {**stored, **givens})


class Memory(metaclass=MemoryType):
    """Base of declarations."""


def _place_same(memory: str, field: Field, before: list[Field]) -> None:
    other = field.of
    if other not in before:
        raise LayoutError(f"{memory}.{field.label}: the field that it shares numbers with must stand before it")
    mine, theirs = field.sizes[field.whole], other.sizes[other.whole]
    if field.whole != other.whole or other.is_memory:
        raise LayoutError(f"{memory}.{field.label}: {other.label} has numbers of another kind")
    left = (theirs - mine).terms
    if set(left) <= {()} and left.get((), 0) < 0:
        raise LayoutError(f"{memory}.{field.label}: {mine!r} numbers do not fit into {other.label}, {theirs!r}")
    field.at = other.at
