"""Declared memory in Python: sizes for given counts, and numpy views of the fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hitogata.lanes.counts import Count, Given, Part, as_count
from hitogata.lanes.fields import Field, LayoutError, match
from hitogata.lanes.records import Layout
from hitogata.lanes.records import size as size_of
from hitogata.lanes.views import aligned_zeros

Array = NDArray[Any]


@dataclass(frozen=True)
class Place:
    """Where a field lies: numbers start to start + size of the ints or the floats."""

    start: int
    size: int
    shape: tuple[int, ...]
    ints: bool

    @property
    def part(self) -> slice:
        """Of the array."""
        return slice(self.start, self.start + self.size)


class MemoryLayout:
    """A memory for given counts: sizes, places, numpy views.

    Attributes:
        memory: what is laid out.
        floats, ints: how many there are.
    """

    def __init__(self, memory: Any, givens: Mapping[str, Any]) -> None:
        self.memory, self._givens = memory, dict(givens)
        self._places: dict[str, Place] = {}
        self._parts: dict[Any, slice] = {}
        match(memory.__name__, (*memory.STORED, *memory.GIVENS), givens)
        for name, given in (*memory.STORED.items(), *memory.GIVENS.items()):
            x = givens[name]
            if given.whole and not (isinstance(x, int | np.integer) and not isinstance(x, bool) and x >= 0):
                raise LayoutError(f"{memory.__name__}: {name} must be a whole number, 0 or more, got {x!r}")
        self.floats, self.ints = (self.number_of(size) for size in memory.SIZES)

    def number_of(self, count: Count | int) -> int:
        """The value of a count."""
        return int(as_count(count).evaluate(self._value))

    @property
    def givens(self) -> dict[str, Any]:
        """What it was laid out for, by name."""
        return dict(self._givens)

    def _value(self, atom: Given | Part) -> Any:
        if isinstance(atom, Part):
            return getattr(self._givens[atom.given.label], atom.name)
        return self._givens[atom.label]

    def __getattr__(self, name: str) -> Any:
        """A count: one given, or one made of others."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.memory.COUNTS:
            return self.number_of(self.memory.COUNTS[name])
        if name in self._givens:
            return self._givens[name]
        raise AttributeError(f"{self.memory.__name__} has no count {name!r}")

    def _field(self, name: str) -> Field:
        field: Field | None = self.memory.FIELDS.get(name)
        if field is None:
            raise LayoutError(f"{self.memory.__name__} has no field {name!r}; it has {', '.join(self.memory.FIELDS)}")
        return field

    def place(self, name: str) -> Place:
        """Where a field lies."""
        found = self._places.get(name)
        if found is None:
            found = self._places[name] = self._place(name)
        return found

    def _place(self, name: str) -> Place:
        field = self._field(name)
        if field.is_memory:
            raise LayoutError(f"{self.memory.__name__}.{name} is a memory with two places: see inner()")
        size = self.number_of(field.sizes[field.whole])
        shape = tuple(self.number_of(axis) for axis in field.shape)
        return Place(self.number_of(field.at[field.whole]), size, shape, field.whole)

    def part(self, name: str, k: int | None = None, of: str | None = None) -> slice:
        """Where the numbers of a field lie; or of its record k; or of a field of that."""
        key = (name, k, of)
        found = self._parts.get(key)
        if found is None:
            place, record = self.place(name), self._field(name).kind
            start, size = place.start, place.size
            if k is not None:
                start, size = start + k * record.SIZE, record.SIZE
            if of is not None:
                start, size = start + record.OFFSETS[of], size_of(record.KINDS[of])
            found = self._parts[key] = slice(start, start + size)
        return found

    def stretch(self, name: str, rows: slice) -> slice:
        """Where some rows of a field lie: those along its first axis."""
        place = self.place(name)
        each = place.size // max(place.shape[0], 1)
        return slice(place.start + each * rows.start, place.start + each * rows.stop)

    def inner(self, name: str) -> "MemoryLayout":
        """The layout of a field that is a memory."""
        field, givens = self._field(name), {}
        for label, x in field.givens.items():
            givens[label] = self.number_of(x) if isinstance(x, Count) else self._value(x)
        return MemoryLayout(field.kind, givens)

    def new_floats(self, dtype: DTypeLike = np.float64, *, blocks: int = 0, width: int = 1) -> Array:
        """Zeros, shape (floats,); for worlds side by side (blocks, floats, width)."""
        return aligned_zeros((blocks, self.floats, width) if blocks else (self.floats,), dtype)

    def new_ints(self) -> Array:
        """Zeros, shape (ints,), which begin with the stored counts."""
        ints = np.zeros(self.ints, np.int64)
        ints[: len(self.memory.STORED)] = [self._givens[name] for name in self.memory.STORED]
        return ints

    def check(self, floats: Array | None, ints: Array | None, axis: int = 0, dtype: DTypeLike | None = None) -> None:
        """Complain unless these arrays are this memory."""
        for array, size, noun, kind in ((floats, self.floats, "floats", "f"), (ints, self.ints, "ints", "i")):
            if array is None:
                continue
            name, at = self.memory.__name__, axis if noun == "floats" else array.ndim - 1
            if array.dtype.kind != kind or array.dtype.itemsize not in (4, 8) or (kind == "i" and array.itemsize != 8):
                raise LayoutError(f"{name}: its {noun} are not an array of {array.dtype}")
            if dtype is not None and noun == "floats" and array.dtype != dtype:
                raise LayoutError(f"{name}: expected floats of {np.dtype(dtype)}, got {array.dtype}")
            if array.shape[at] != size:
                raise LayoutError(f"{name}: has {size} {noun}, got {array.shape[at]} (shape {array.shape})")

    def open(self, floats: Array | None = None, ints: Array | None = None, *, axis: int = 0) -> "Fields":
        """Numpy views of the fields of one or both arrays.

        Args:
            floats: an array; rows of one world each, (worlds, floats), have axis=1, and fields (worlds, ...); so have
                blocks, (blocks, floats, width), whose fields are (blocks, ..., width).
            ints: an array, or rows of them.
            axis: of `floats`, along which the memory lies.
        """
        self.check(floats, ints, axis)
        return self._open(floats, ints, axis)

    def _open(self, floats: Array | None, ints: Array | None, axis: int) -> "Fields":
        fields: dict[str, Any] = {}
        for name, field in self.memory.FIELDS.items():
            if field.is_memory:
                inner = self.inner(name)
                at = [self.number_of(x) for x in field.at]
                fields[name] = inner._open(
                    None if floats is None else _cut(floats, axis, at[0], inner.floats),
                    None if ints is None else _cut(ints, ints.ndim - 1, at[1], inner.ints), axis,
                )  # fmt: skip
            elif (ints if field.whole else floats) is not None:
                fields[name] = self.field(name, ints if field.whole else floats, axis=axis)
        return Fields(self.memory.__name__, fields)

    def field(self, name: str, array: Any, *, axis: int = 0) -> Any:
        """Numpy view of one field, in the floats or ints that it lies in; as `open`, but unchecked and quick."""
        field, place = self._field(name), self.place(name)
        at = array.ndim - 1 if field.whole else axis
        each = (field.each,) if isinstance(field.kind, Layout) else ()
        shape = (*array.shape[:at], *place.shape, *each, *array.shape[at + 1 :])
        view = _cut(array, at, place.start, place.size).reshape(shape)
        return RecordFields(field.kind, view, at + len(place.shape)) if each else view

    def open_world(self, floats: Array, k: int) -> "Fields":
        """The fields of world k of blocks, (blocks, floats, width): views."""
        width = floats.shape[2]
        self.check(floats, None, 1)
        return self._open(floats[k // width, :, k % width], None, 0)


def _cut(array: Array, axis: int, start: int, size: int) -> Array:
    return array[(slice(None),) * axis + (slice(start, start + size),)]


class Fields:
    """Numpy views of a memory, by name."""

    def __init__(self, memory: str, fields: dict[str, Any]) -> None:
        self._memory = memory
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_memory":  # asked by copies, of what has no fields yet
            raise AttributeError(name)
        raise AttributeError(f"{self._memory} has no field {name!r} here; it has {', '.join(list(self.__dict__)[1:])}")


def record_fields(record: Any, rows: Array) -> "RecordFields":
    """Numpy views of records by the names of their fields; rows, shape (..., numbers of a record)."""
    if rows.shape[-1:] != (record.SIZE,):
        raise LayoutError(f"{record.__name__}: has {record.SIZE} numbers, got shape {rows.shape}")
    return RecordFields(record, rows, rows.ndim - 1)


class RecordFields:
    """Numpy views of records, by the names of their fields; `rows` are the numbers themselves."""

    def __init__(self, record: Any, rows: Array, axis: int) -> None:
        self.rows, self._record, self._axis = rows, record, axis

    def __getattr__(self, name: str) -> Any:
        """Numbers of a field: those of a struct along one more axis."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._record.OFFSETS:
            raise AttributeError(f"{self._record.__name__} has no field {name!r}")
        start, kind = self._record.OFFSETS[name], self._record.KINDS[name]
        place = start if kind in (int, float) else slice(start, start + size_of(kind))
        return self.rows[(slice(None),) * self._axis + (place, ...)]

    def set(self, k: Any, **values: Any) -> None:
        """Set all fields of record k; those that share numbers with others may be left out."""
        own = {name for name in self._record.OFFSETS if name not in self._record.SHARED}
        match(self._record.__name__, own, values)
        for name, value in values.items():
            numbers = getattr(self, name)
            numbers[k] = np.reshape(value, np.shape(numbers[k]))

    def __len__(self) -> int:
        return len(self.rows)

