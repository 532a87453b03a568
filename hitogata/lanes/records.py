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

from hitogata.lanes.bounds import data_of
from hitogata.lanes.stands import load, store
from hitogata.lanes.tracing import make, unwrap, wrap
from hitogata.lanes.types import LayoutType, RecordView, Struct, item


class reuse:
    """Default of a record field that shares memory with an earlier field.

    Args:
        field: name of the earlier field.
        skip: numbers to skip from its start.
    """

    def __init__(self, field: str, skip: int = 0) -> None:
        self.field, self.skip = field, skip


class Layout(type):
    """Metaclass of records, so that Numba can tell a record class from other classes.

    Attributes:
        SIZE: numbers in one record, also inside kernels.
        OFFSETS: first number of each field.
        KINDS: float, int or the struct class of each field.
    """

    SIZE: int
    OFFSETS: dict[str, int]
    KINDS: dict[str, Any]


def size(kind: Any) -> int:
    """Numbers in a field: 1 for float and int, all leaves for a struct."""
    return 1 if kind in (int, float) else sum(map(size, kind.__kinds__))


def record(cls: type) -> Layout:
    """Class decorator: layout of one element of a flat array.  Sets SIZE and OFFSETS."""
    kinds = dict(cls.__annotations__)
    offsets: dict[str, int] = {}
    end = 0
    for name, kind in kinds.items():
        if kind not in (int, float) and not hasattr(kind, "__struct__"):
            raise TypeError(f"{cls.__qualname__}.{name}: a field is float, int or a struct, not {kind!r}")
        default = cls.__dict__.get(name)
        if isinstance(default, reuse):
            offsets[name] = offsets[default.field] + default.skip
            if offsets[name] + size(kind) > offsets[default.field] + size(kinds[default.field]):
                raise TypeError(f"{cls.__qualname__}: {name} overruns {default.field}")
        else:
            offsets[name], end = end, end + size(kind)
    return Layout(cls.__name__, (), {"__module__": cls.__module__, "__qualname__": cls.__qualname__,
                                     "__doc__": cls.__doc__, "KINDS": kinds, "OFFSETS": offsets, "SIZE": end})


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
            return _field_type(ty.layout.KINDS[attr], item(ty.dtype, ty.n))
        return None


@lower_getattr_generic(RecordView)
def _record_getattr(context, builder, ty, val, attr):
    to, kind, one = (context, builder), ty.layout.KINDS[attr], item(ty.dtype, ty.n)
    value, _ = _load_field(to, kind, one, _after(to, data_of(to, val), ty.layout.OFFSETS[attr] * ty.n), ty.n)
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
