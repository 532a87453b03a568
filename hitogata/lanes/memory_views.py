"""Declared memory inside kernels: one view of all its fields.

A view holds a pointer for the floats, one for the ints, and what the memory was given.  Where a field begins is worked
out at its name, from these; compilers see the same sums again and again, and keep one of each.
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.core.imputils import lower_constant
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import (
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
    typeof_impl,
)

from hitogata.lanes.bounds import CHECKED, data_of, reach, size_of, view_at
from hitogata.lanes.counts import Count, Part, Quotient
from hitogata.lanes.fields import Field
from hitogata.lanes.memory import MemoryType
from hitogata.lanes.records import Layout
from hitogata.lanes.stands import Stand, load, store
from hitogata.lanes.types import LaneView, RecordView, item

_I64 = ir.IntType(64)
INTS = LaneView(types.int64, 1)


class MemoryClassType(types.Dummy):
    """Type of a declaration passed to open_memory()."""

    def __init__(self, memory):
        self.memory = memory
        super().__init__(f"Memory({memory.__module__}.{memory.__qualname__})")


class MemoryView(types.Type):
    """An opened memory: views of its floats and ints (None: it has none), and types of what it was given."""

    def __init__(self, memory, floats, ints, givens):
        self.memory, self.floats, self.ints, self.givens = memory, floats, ints, givens
        name = f"{memory.__module__}.{memory.__qualname__}"
        super().__init__(f"MemoryView({name}, {floats}, {ints}, {', '.join(map(str, givens))})")

    @property
    def members(self):
        """(name, type) of what a view holds."""
        labels = (*self.memory.STORED, *self.memory.GIVENS)
        own = [("@floats", self.floats), ("@ints", self.ints)]
        return [(k, ty) for k, ty in own if ty is not None] + list(zip(labels, self.givens, strict=True))


register_model(MemoryClassType)(models.OpaqueModel)
lower_constant(MemoryClassType)(lambda context, builder, ty, value: context.get_dummy_value())


@register_model(MemoryView)
class _MemoryModel(models.StructModel):
    def __init__(self, manager, ty):
        super().__init__(manager, ty, ty.members)


@typeof_impl.register(MemoryType)
def _typeof_memory(memory, c):
    return MemoryClassType(memory)


def open_memory(memory, *arrays_and_givens):
    """Kernel only: a view of declared memory.

    Args:
        memory: the declaration.
        arrays_and_givens: if it has floats, a flat view or array of them; the same of its ints; what it is given, in
            the order of the declaration.
    """
    raise NotImplementedError("only inside kernels")


@infer_global(open_memory)
class _OpenTemplate(AbstractTemplate):
    key = open_memory

    def generic(self, args, kws):
        memory, rest = args[0].memory, list(args[1:])
        sources = [name for name, size in zip(("floats", "ints"), memory.SIZES, strict=True) if size.terms]
        wanted = [*sources, *memory.GIVENS]
        if kws or len(rest) != len(wanted):
            raise TypingError(f"{memory.__name__} is opened with ({', '.join(wanted)}), got {len(rest)} arguments")
        views = {name: _as_view(memory, name, ty) for name, ty in zip(sources, rest, strict=False)}
        plain = []
        for (name, given), ty in zip(memory.GIVENS.items(), rest[len(sources):], strict=True):
            if given.whole and not isinstance(ty, types.Integer):
                raise TypingError(f"{memory.__name__}: {name} must be a whole number, not {ty}")
            plain.append(types.intp if given.whole else types.unliteral(ty))
        held = (*[types.intp] * len(memory.STORED), *plain)
        view = MemoryView(memory, views.get("floats"), views.get("ints"), held)
        return signature(view, args[0], *rest[:len(sources)], *plain)


def memory_sizes(memory, *givens):
    """Kernel only: floats and ints of a memory, for what it is given."""
    raise NotImplementedError("only inside kernels")


@infer_global(memory_sizes)
class _SizesTemplate(AbstractTemplate):
    key = memory_sizes

    def generic(self, args, kws):
        memory, rest = args[0].memory, args[1:]
        wanted = [*memory.STORED, *memory.GIVENS]
        if kws or len(rest) != len(wanted):
            raise TypingError(f"{memory.__name__} has a size for ({', '.join(wanted)}), got {len(rest)} arguments")
        givens = (*memory.STORED.values(), *memory.GIVENS.values())
        plain = [types.intp if given.whole else types.unliteral(ty) for given, ty in zip(givens, rest, strict=True)]
        return signature(types.UniTuple(types.intp, 2), args[0], *plain)


@lower_builtin(memory_sizes, MemoryClassType, types.VarArg(types.Any))  # type: ignore[attr-defined]
def _lower_sizes(context, builder, sig, args):
    to, memory = (context, builder), sig.args[0].memory
    ty = MemoryView(memory, None, None, sig.args[1:])
    held = ir.Constant(context.get_value_type(ty), ir.Undefined)
    for k, value in enumerate(args[1:]):
        held = builder.insert_value(held, value, k)
    return context.make_tuple(builder, sig.return_type, [_write(to, ty, held, size) for size in memory.SIZES])


def _as_view(memory, name, ty):
    if isinstance(ty, types.Array) and ty.ndim == 1 and ty.layout == "C":
        ty = LaneView(ty.dtype, 1)
    if not isinstance(ty, LaneView) or ty.pitch != ty.n:
        raise TypingError(f"{memory.__name__}: its {name} are a flat view or array, not {ty}")
    if name == "ints" and ty != INTS:
        raise TypingError(f"{memory.__name__}: its ints are an int64 view of width 1, not {ty}")
    if name == "floats" and not isinstance(ty.dtype, types.Float):
        raise TypingError(f"{memory.__name__}: its floats are not {ty.dtype}")
    return ty


@lower_builtin(open_memory, MemoryClassType, types.VarArg(types.Any))  # type: ignore[attr-defined]
def _lower_open(context, builder, sig, args):
    to, ty = (context, builder), sig.return_type
    out, k = ir.Constant(context.get_value_type(ty), ir.Undefined), 0
    numbers = {}
    for label, member in ty.members:
        if label in ty.memory.STORED:
            at = reach(to, numbers["@ints"], list(ty.memory.STORED).index(label), 1)
            value = builder.load(at)
        else:
            k += 1
            value = args[k]
            if label.startswith("@"):
                value = numbers[label] = _flat(to, sig.args[k], member, value)
        out = builder.insert_value(out, value, [name for name, _ in ty.members].index(label))
    if CHECKED:
        _check_size(to, ty, out)
    return out


def _flat(to, given, ty, value):
    """A view of an array; of a view, itself."""
    if not isinstance(given, types.Array):
        return value
    array = to[0].make_array(given)(*to, value)
    return view_at(to, ty, array.data, array.nitems)


def _check_size(to, ty, view):
    """The arrays must be long enough for all fields: the last one that does not fit is told."""
    for field in ty.memory.FIELDS.values():
        whole = field.whole if not field.is_memory else None
        for ints, label in ((False, "@floats"), (True, "@ints")):
            if whole not in (None, ints) or not field.sizes[ints].terms:
                continue
            source = _member(to, ty, view, label)
            width = ty.floats.n if not ints else 1
            at, many = (_write(to, ty, view, x * width) for x in (field.at[ints], field.sizes[ints]))
            named = to[1].insert_value(source, ir.Constant(_I64, field.number), 2)
            reach(to, named, at, many)


def _member(to, ty, view, label):
    return to[1].extract_value(view, [name for name, _ in ty.members].index(label))


def _write(to, ty, view, count):
    """Instructions for a count."""
    builder = to[1]

    def value(atom):
        if not isinstance(atom, Part):
            return _member(to, ty, view, atom.label)
        own, held = dict(ty.members)[atom.given.label], _member(to, ty, view, atom.given.label)
        if isinstance(own, MemoryView):
            return _count(to, own, held, atom.name)
        return builder.extract_value(held, own.fields.index(atom.name))

    total = None
    constant = 0
    for atoms, n in count.terms.items():
        if not atoms:
            constant = n
            continue
        product = None
        for atom in atoms:
            if isinstance(atom, Quotient):
                one = builder.udiv(_write(to, ty, view, atom.count), ir.Constant(_I64, atom.divisor))
            else:
                one = value(atom)
            product = one if product is None else builder.mul(product, one, flags=("nsw",))
        if n != 1:
            product = builder.mul(product, ir.Constant(_I64, n), flags=("nsw",))
        total = product if total is None else builder.add(total, product, flags=("nsw",))
    if total is None:
        return ir.Constant(_I64, constant)
    return builder.add(total, ir.Constant(_I64, constant), flags=("nsw",)) if constant else total


def _count(to, ty, view, name):
    """A count, or something given, by its name."""
    if name in ty.memory.COUNTS:
        return _write(to, ty, view, ty.memory.COUNTS[name])
    return _member(to, ty, view, name)


def _field_type(ty, field):
    if field.is_memory:
        inner = field.kind
        floats, ints = (source if size.terms else None
                        for source, size in zip((ty.floats, ty.ints), inner.SIZES, strict=True))
        own = dict(ty.members)
        held = tuple(types.intp if isinstance(x, Count) else own[x.label] for x in
                     (field.givens[name] for name in inner.GIVENS))
        return MemoryView(inner, floats, ints, held)
    source = INTS if field.whole else ty.floats
    if isinstance(field.kind, Layout):
        return RecordView(field.kind, source.dtype, source.n, not field.single)
    return item(source.dtype, source.n) if field.single else source


@infer_getattr
class _MemoryAttributes(AttributeTemplate):
    key = MemoryView

    def generic_resolve(self, ty, attr):
        if attr in ty.memory.FIELDS:
            return _field_type(ty, ty.memory.FIELDS[attr])
        if attr in ty.memory.COUNTS:
            return types.intp
        return dict(ty.members).get(attr)


def _source(to, ty, view, field: Field) -> Any:
    """The view that a field lies in, where it begins there, and the numbers of one element."""
    width = 1 if field.whole else ty.floats.n
    source = _member(to, ty, view, "@ints" if field.whole else "@floats")
    return source, _write(to, ty, view, field.at[field.whole] * width), width


@lower_getattr_generic(MemoryView)
def _memory_getattr(context, builder, ty, view, attr):
    to = (context, builder)
    if attr not in ty.memory.FIELDS:
        return _count(to, ty, view, attr)
    field = ty.memory.FIELDS[attr]
    own = _field_type(ty, field)
    if field.is_memory:
        return _open_part(to, ty, view, field, own)
    source, start, width = _source(to, ty, view, field)
    if field.single and not isinstance(field.kind, Layout):
        return load(to, own, reach(to, source, start, width)).val
    pointer = builder.gep(data_of(to, source), [start])
    size = _write(to, ty, view, field.sizes[field.whole] * width) if CHECKED else 0
    return view_at(to, own, pointer, size, field.number)


def _open_part(to, ty, view, field, own):
    out = ir.Constant(to[0].get_value_type(own), ir.Undefined)
    for k, (label, member) in enumerate(own.members):
        if label.startswith("@"):
            ints = label == "@ints"
            source = _member(to, ty, view, label)
            width = 1 if ints else ty.floats.n
            start = _write(to, ty, view, field.at[ints] * width)
            pointer = to[1].gep(data_of(to, source), [start])
            left = to[1].sub(size_of(to, source), start) if CHECKED else 0
            value = view_at(to, member, pointer, left, field.number)
        else:
            x = field.givens[label]
            value = _write(to, ty, view, x) if isinstance(x, Count) else _member(to, ty, view, x.label)
        out = to[1].insert_value(out, value, k)
    return out


@lower_setattr_generic(MemoryView)
def _memory_setattr(context, builder, sig, args, attr):
    ty, to = sig.args[0], (context, builder)
    field = ty.memory.FIELDS.get(attr)
    if field is None or not field.single or field.kind not in (int, float):
        raise TypingError(f"{ty.memory.__name__}.{attr} cannot be set: it is not one number")
    source, start, width = _source(to, ty, args[0], field)
    store(to, _field_type(ty, field), reach(to, source, start, width), Stand(to, sig.args[1], args[1]))
