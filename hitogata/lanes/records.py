"""@record: layout of one element of a flat array, with fields read and written by name.

    link = links[i];  link.velocity = v

Names are loads: `link.inertia` reads memory at that line.  Read a field into a variable if
it is used after being overwritten.
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import lower_getattr_generic, lower_setattr_generic, typeof_impl

from hitogata.lanes.bounds import data_of, register_name, view_at
from hitogata.lanes.stands import load, store
from hitogata.lanes.tracing import make, unwrap, wrap
from hitogata.lanes.types import LaneView, LayoutType, RecordView, Struct, item


class reuse:
    """Default of a record field that shares memory with an earlier field.

    Args:
        field: name of the earlier field.
        skip: numbers to skip from its start.
    """

    def __init__(self, field: str, skip: int = 0) -> None:
        self.field, self.skip = field, skip


class several:
    """Kind of a record field: so many floats or ints in a row; in kernels a flat view.

    Args:
        count: how many.
        kind: float or int.
    """

    def __init__(self, count: int, kind: Any = float) -> None:
        if type(count) is not int or count < 1 or kind not in (int, float):
            raise TypeError(f"several: a whole number of floats or ints, not {count!r} of {kind!r}")
        self.count, self.kind = count, kind

    def __repr__(self) -> str:
        return f"several({self.count}, {self.kind.__name__})"


class Layout(type):
    """Metaclass of records, so that Numba can tell a record class from other classes.

    Attributes:
        SIZE: numbers in one record, also inside kernels.
        OFFSETS: first number of each field.
        SHARED: fields that share numbers with an earlier one.
        NAMES: number of the name of each field; see `bounds`.
        KINDS: float, int, the struct class or `several` of each field.
    """

    SIZE: int
    OFFSETS: dict[str, int]
    KINDS: dict[str, Any]
    NAMES: dict[str, int]
    SHARED: tuple[str, ...]


def size(kind: Any) -> int:
    """Numbers in a field: 1 for float and int, all leaves for a struct."""
    if isinstance(kind, several):
        return kind.count
    return 1 if kind in (int, float) else sum(map(size, kind.__kinds__))


def record(cls: type) -> Layout:
    """Class decorator: layout of one element of a flat array.  Sets SIZE and OFFSETS."""
    kinds = dict(cls.__annotations__)
    names = {name: register_name(f"{cls.__name__}.{name}") for name in kinds}
    offsets: dict[str, int] = {}
    shared: list[str] = []
    end = 0
    for name, kind in kinds.items():
        if kind not in (int, float) and not hasattr(kind, "__struct__") and not isinstance(kind, several):
            raise TypeError(f"{cls.__qualname__}.{name}: a field is float, int or a struct, not {kind!r}")
        default = cls.__dict__.get(name)
        if isinstance(default, reuse):
            shared.append(name)
            offsets[name] = offsets[default.field] + default.skip
            if offsets[name] + size(kind) > offsets[default.field] + size(kinds[default.field]):
                raise TypeError(f"{cls.__qualname__}: {name} overruns {default.field}")
        else:
            offsets[name], end = end, end + size(kind)
    return Layout(cls.__name__, (), {"__module__": cls.__module__, "__qualname__": cls.__qualname__,
                                     "__doc__": cls.__doc__, "KINDS": kinds, "OFFSETS": offsets, "SIZE": end,
                                     "NAMES": names, "SHARED": tuple(shared)})


@typeof_impl.register(Layout)
def _typeof_layout(layout, c):
    return LayoutType(layout)


@infer_getattr
class _LayoutAttributes(AttributeTemplate):
    """Layout.SIZE inside kernels."""

    key = LayoutType

    def generic_resolve(self, ty, attr):
        return types.intp if attr == "SIZE" else None


@lower_getattr_generic(LayoutType)
def _layout_getattr(context, builder, ty, val, attr):
    return context.get_constant(types.intp, ty.layout.SIZE)


def _field_type(kind, item):
    return item if kind in (int, float) else Struct(kind, tuple(_field_type(k, item) for k in kind.__kinds__))


def _after(to, pointer, numbers):
    return to[1].gep(pointer, [ir.Constant(ir.IntType(64), numbers)])


def _load_field(to, kind, item, pointer, step):
    """Load a field; returns it as helpers see it, and the number of elements read."""
    if kind in (int, float):
        return load(to, item, pointer), 1
    parts, at = [], 0
    for k in kind.__kinds__:
        part, n = _load_field(to, k, item, _after(to, pointer, at * step), step)
        parts.append(part)
        at += n
    return make(kind, parts), at


def _store_field(to, kind, item, pointer, step, x):
    if kind in (int, float):
        store(to, item, pointer, x)
        return 1
    at = 0
    for name, k in zip(kind.__struct__, kind.__kinds__, strict=True):
        at += _store_field(to, k, item, _after(to, pointer, at * step), step, getattr(x, name))
    return at


@infer_getattr
class _RecordAttributes(AttributeTemplate):
    key = RecordView

    def generic_resolve(self, ty, attr):
        if not ty.many and attr in ty.layout.KINDS:
            if isinstance(ty.layout.KINDS[attr], several):
                return LaneView(ty.dtype, ty.n)
            return _field_type(ty.layout.KINDS[attr], item(ty.dtype, ty.n))
        return None


@lower_getattr_generic(RecordView)
def _record_getattr(context, builder, ty, val, attr):
    to, kind, one = (context, builder), ty.layout.KINDS[attr], item(ty.dtype, ty.n)
    start = _after(to, data_of(to, val), ty.layout.OFFSETS[attr] * ty.n)
    if isinstance(kind, several):
        return view_at(to, LaneView(ty.dtype, ty.n), start, kind.count * ty.n, ty.layout.NAMES[attr])
    value, _ = _load_field(to, kind, one, start, ty.n)
    return unwrap(to, value, _field_type(kind, one))


@lower_setattr_generic(RecordView)
def _record_setattr(context, builder, sig, args, attr):
    ty, to = sig.args[0], (context, builder)
    start = _after(to, data_of(to, args[0]), ty.layout.OFFSETS[attr] * ty.n)
    _store_field(to, ty.layout.KINDS[attr], item(ty.dtype, ty.n), start, ty.n, wrap(to, sig.args[1], args[1]))


def record_size(layout: Any) -> int:
    """Numbers in one element of a record."""
    return int(layout.SIZE)


def record_offsets(layout: Any) -> dict[str, int]:
    """Where each field of a record begins."""
    return dict(layout.OFFSETS)
