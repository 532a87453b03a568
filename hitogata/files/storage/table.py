"""A table over time, as in a .mot or .sto file."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, floats

_KEYS = {"nrows", "ncolumns", "datarows", "datacolumns", "indegrees", "version", "datatype", "name", "endheader"}
"""Keys of a header that follow from the table."""


class StorageType(enum.Enum):
    """What a cell holds; the value is how many numbers that are."""

    DOUBLE = 1
    VEC3 = 3
    QUATERNION = 4
    VEC6 = 6

    @property
    def header(self) -> str:
        """Its name in files."""
        return {1: "double", 3: "Vec3", 4: "Quaternion", 6: "Vec6"}[self.value]


@dataclass(frozen=True, eq=False)
class StorageTable:
    """Named columns over time.

    The table does not know which of its columns are angles: that is the model's to say.  So numbers are as in the
    file, and `in_degrees` says what angles among them are.

    Attributes:
        columns: their names, unique, without that of the time.
        time: [s], shape (nt,), read-only; as in the file, so perhaps uneven, repeated or going back.
        values: shape (nt, nc), or (nt, nc, k) for cells of k numbers, in the file's units, read-only; NaN is missing.
        in_degrees: whether angles are in degrees; None: the file does not say.
        kind: what a cell holds.
        name: of the table.
        metadata: what else the header says, by key.
        comments: lines of the header without a key.
        warnings: what was odd about the file.
    """

    columns: tuple[str, ...]
    time: FloatArray = field(repr=False)
    values: FloatArray = field(repr=False)
    in_degrees: bool | None = None
    kind: StorageType = StorageType.DOUBLE
    name: str = "table"
    metadata: Mapping[str, str] = field(default_factory=dict, repr=False)
    comments: tuple[str, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what in ("columns", "comments", "warnings"):
            object.__setattr__(self, what, tuple(getattr(self, what)))
        if not isinstance(self.kind, StorageType):
            raise ArgumentError(f"table: kind must be of StorageType, got {self.kind!r}")
        if self.in_degrees not in (True, False, None):
            raise ArgumentError(f"table: in_degrees must be True, False or None, got {self.in_degrees!r}")
        _check_texts(self)
        time = floats(self.time, "table: time").astype(np.float64, copy=False)
        values = floats(self.values, "table: values").astype(np.float64, copy=False)
        if time.ndim != 1 or not np.isfinite(time).all():
            raise ArgumentError(f"table: time must be finite and of shape (nt,), got shape {time.shape}")
        cell = () if self.kind is StorageType.DOUBLE else (self.kind.value,)
        shape = (len(time), len(self.columns), *cell)
        if values.shape != shape:
            raise ArgumentError(f"table: values must have shape {shape}, got {values.shape}")
        if np.isinf(values).any():
            row, column = np.argwhere(np.isinf(values))[0, :2]
            raise ArgumentError(f"table: row {row}, column {self.columns[column]!r} is infinite; NaN is missing")
        for what, array in (("time", time), ("values", values)):
            view = array.view()
            view.setflags(write=False)
            object.__setattr__(self, what, view)
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def index(self, column: str) -> int:
        """Index of a column by its name."""
        try:
            return self.columns.index(column)
        except ValueError:
            raise ArgumentError(
                f"table {self.name!r}: no column {column!r}; there are: {', '.join(self.columns)}"
            ) from None

    def column(self, column: str) -> FloatArray:
        """A column by its name, in the file's units, shape (nt,) or (nt, k)."""
        return self.values[:, self.index(column)]

    def __reduce__(self) -> tuple[object, ...]:
        rest = (self.in_degrees, self.kind, self.name, dict(self.metadata), self.comments, self.warnings)
        return type(self), (self.columns, self.time, self.values, *rest)

    def __str__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self.time) else "no rows"
        degrees = {True: "degrees", False: "radians", None: "angles not said"}[self.in_degrees]
        return f"StorageTable {self.name!r}: {len(self.time)} rows, {len(self.columns)} columns, {span}, {degrees}"


def _check_texts(table: StorageTable) -> None:
    """Names that can be written and read again."""
    seen: set[str] = set()
    for column in table.columns:
        if not isinstance(column, str) or not column or column != column.strip() or set(column) & set("\t\r\n"):
            raise ArgumentError(
                f"table: a column needs a name without outer spaces, tabs and line ends, got {column!r}"
            )
        if column in seen or column.lower() == "time":
            raise ArgumentError(f"table: {'duplicate column' if column in seen else 'a second time column'} {column!r}")
        seen.add(column)
    for text in (table.name, *table.comments):
        if not isinstance(text, str) or set(text) & set("\r\n") or text.strip().lower() == "endheader":
            raise ArgumentError(f"table: name and comments are single lines, got {text!r}")
    for key, value in table.metadata.items():
        if not key or key != key.strip() or set(key + value) & set("=\r\n") & set(key) or set(value) & set("\r\n"):
            raise ArgumentError(f"table: metadata {key!r}: a key has no '=', and both are single lines")
        if key.lower() in _KEYS:
            raise ArgumentError(f"table: metadata {key!r} is written from the table itself")
