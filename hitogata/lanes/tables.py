"""Many arrays as one argument, by name.

    class StepTable(Table):
        state = float_array()
        pairs = int_array()

    table = StepTable.of(state=state, pairs=pairs)         # in Python: their addresses, see `addresses`
    arrays = open_table(StepTable, table);  arrays.state   # in kernels: flat arrays

Of another precision:  StepTable.of(np.float32, state=...),  open_table(StepTable, table, an array of that precision).
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.core.imputils import lower_constant
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import lower_builtin, lower_getattr_generic, models, register_model, typeof_impl
from numba.np import arrayobj
from numpy.typing import NDArray

from hitogata.lanes.addresses import address_table
from hitogata.lanes.fields import LayoutError, match

_I64 = ir.IntType(64)


class _Entry:
    """An array of a table, of float64 or int64."""

    def __init__(self, dtype: Any) -> None:
        self.dtype, self.row = dtype, -1


def float_array() -> Any:
    """An array of a table, of float64, or of the precision that the table is opened with."""
    return _Entry(np.dtype(np.float64))


def int_array() -> Any:
    """An array of a table, of int64."""
    return _Entry(np.dtype(np.int64))


class _Names(dict[str, Any]):
    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(self.get(name), _Entry):
            raise LayoutError(f"{self['__qualname__']} has two arrays of the name {name!r}")
        super().__setitem__(name, value)


class TableType(type):
    """Metaclass of tables.

    Attributes:
        ENTRIES: their arrays, by name.
        SIGNATURE: the same as text, by which compiled code is known.
    """

    ENTRIES: dict[str, _Entry]
    SIGNATURE: str
    KINDS: tuple[Any, ...] = ()

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **kwds: Any) -> Any:
        return _Names()

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> "TableType":
        """Number the arrays."""
        entries = {k: v for k, v in body.items() if isinstance(v, _Entry)}
        for row, entry in enumerate(entries.values()):
            entry.row = row
        rest = {k: v for k, v in body.items() if not isinstance(v, _Entry)}
        text = ", ".join(f"{k} {v.dtype}" for k, v in entries.items())
        return super().__new__(mcs, name, bases, {**rest, "ENTRIES": entries, "SIGNATURE": text, "KINDS": ()})

    def of(cls, precision: Any = np.float64, /, **arrays: NDArray[Any]) -> NDArray[np.int64]:
        """Addresses of arrays, which must stay alive and where they are; precision: of the floats."""
        match(cls.__name__, cls.ENTRIES, arrays)
        for name, entry in cls.ENTRIES.items():
            wanted = np.dtype(precision) if entry.dtype.kind == "f" else entry.dtype
            if arrays[name].dtype != wanted:
                raise LayoutError(f"{cls.__name__}.{name}: expected {wanted}, got {arrays[name].dtype}")
        return address_table([arrays[name] for name in cls.ENTRIES])


class Table(metaclass=TableType):
    """Base of tables."""


def open_table(table, addresses, like=None):
    """Kernel only: the arrays of a table, by name; like: an array of its precision, if that is not float64."""
    raise NotImplementedError("only inside kernels")


class TableClassType(types.Dummy):
    """Type of a table passed to open_table()."""

    def __init__(self, table):
        self.table = table
        super().__init__(f"Table({table.__module__}.{table.__qualname__})")


class TableView(types.Type):
    """An opened table: where its addresses are, and its precision."""

    def __init__(self, table, precision):
        self.table, self.precision = table, precision
        super().__init__(f"TableView({table.__module__}.{table.__qualname__}, {precision})")


register_model(TableClassType)(models.OpaqueModel)
lower_constant(TableClassType)(lambda context, builder, ty, value: context.get_dummy_value())


@register_model(TableView)
class _TableModel(models.PrimitiveModel):
    def __init__(self, manager, ty):
        super().__init__(manager, ty, _I64.as_pointer())


@typeof_impl.register(TableType)
def _typeof_table(table, c):
    return TableClassType(table)


@infer_global(open_table)
class _OpenTemplate(AbstractTemplate):
    key = open_table

    def generic(self, args, kws):
        (table, addresses), like = args[:2], args[2:]
        if not (isinstance(addresses, types.Array) and addresses.dtype == types.int64 and addresses.ndim == 2):
            raise TypingError(f"{table.table.__name__}: expected an address table, not {addresses}")
        precision = like[0].dtype if like else types.float64
        return signature(TableView(table.table, precision), *args)


@lower_builtin(open_table, TableClassType, types.Array)
@lower_builtin(open_table, TableClassType, types.Array, types.Array)
def _lower_open(context, builder, sig, args):
    return context.make_array(sig.args[1])(context, builder, args[1]).data


def _array_type(ty, entry):
    return types.Array(ty.precision if entry.dtype.kind == "f" else types.int64, 1, "C")


@infer_getattr
class _TableAttributes(AttributeTemplate):
    key = TableView

    def generic_resolve(self, ty, attr):
        entry = ty.table.ENTRIES.get(attr)
        return None if entry is None else _array_type(ty, entry)


@lower_getattr_generic(TableView)
def _table_getattr(context, builder, ty, val, attr):
    entry = ty.table.ENTRIES[attr]
    own = _array_type(ty, entry)
    size_of_one = own.dtype.bitwidth // 8
    address, size = (builder.load(builder.gep(val, [ir.Constant(_I64, 2 * entry.row + k)])) for k in range(2))
    array = context.make_array(own)(context, builder)
    data = builder.inttoptr(address, context.get_value_type(own.dtype).as_pointer())
    arrayobj.populate_array(array, data=data, shape=[size], strides=[ir.Constant(_I64, size_of_one)],
                            itemsize=ir.Constant(_I64, size_of_one), meminfo=None)  # fmt: skip
    return array._getvalue()
