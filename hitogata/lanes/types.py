"""Numba types of the lane machinery, and how their values look in memory."""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.core.imputils import lower_constant
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, lower_getattr_generic, models, register_model, unbox

from hitogata.lanes.bounds import CHECKED


class Value(types.Type):
    """Base of the types whose operators are traced (see `tracing`)."""


class Lanes(Value):
    """n floats of n figures: one LLVM vector."""

    def __init__(self, dtype, n):
        self.dtype, self.n = dtype, n
        super().__init__(f"{dtype}x{n}")

    def can_convert_from(self, ctx, other):
        """A scalar is copied to all lanes."""
        if isinstance(other, types.Float | types.Integer):
            return Conversion.promote
        return None


class Mask(Value):
    """n truth values, from comparing Lanes of a dtype; for where()."""

    def __init__(self, dtype, n):
        self.dtype, self.n = dtype, n
        super().__init__(f"mask({dtype}x{n})")

    def can_convert_from(self, ctx, other):
        """A truth value that all figures share is copied to all lanes."""
        if isinstance(other, types.Boolean):
            return Conversion.promote
        return None


class Struct(Value):
    """An instance of a @struct class with known field types."""

    def __init__(self, cls, fields):
        self.cls, self.fields = cls, fields
        super().__init__(f"{cls.__module__}.{cls.__qualname__}({', '.join(map(str, fields))})")

    def can_convert_from(self, ctx, other):
        """Field by field."""
        if isinstance(other, Struct) and other.cls is self.cls:
            parts = [ctx.can_convert(o, s) for o, s in zip(other.fields, self.fields, strict=True)]
            return None if None in parts else max(parts)
        return None


class LaneView(types.Type):
    """Pointer to a flat array; element i is one Lanes (or a plain number at n = 1).

    It starts `pitch` numbers after element i - 1: n of them, or 1 in a packed view.
    """

    def __init__(self, dtype, n, pitch=None):
        self.dtype, self.n, self.pitch = dtype, n, pitch or n
        item(dtype, n)
        super().__init__(f"LaneView({dtype}x{n}, {self.pitch})")


class RecordView(types.Type):
    """Pointer to records; `many` tells the array of records from one of its records."""

    def __init__(self, layout, dtype, n, many):
        self.layout, self.dtype, self.n, self.many = layout, dtype, n, many
        item(dtype, n)
        super().__init__(f"RecordView({layout.__module__}.{layout.__qualname__}, {dtype}x{n}, {many})")


class WidthType(types.Dummy):
    """Type of a Width: the number of lanes, known to the compiler."""

    def __init__(self, n):
        self.n = n
        super().__init__(f"Width({n})")


class LayoutType(types.Dummy):
    """Type of a @record class passed to records()."""

    def __init__(self, layout):
        self.layout = layout
        super().__init__(f"Layout({layout.__module__}.{layout.__qualname__})")


class Width:
    """Number of figures side by side; its type carries the number to the compiler.

    Attributes:
        n: the number, also inside kernels (`width.n`), where it is a constant.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._numba_type_ = WidthType(n)

    def __repr__(self) -> str:
        return f"X{self.n}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Width, (self.n,)


X1, X4, X8, X16 = Width(1), Width(4), Width(8), Width(16)


def item(dtype, n):
    """Type of one element of a view: a number, or Lanes of numbers."""
    if n == 1:
        return dtype
    if not isinstance(dtype, types.Float):
        raise TypingError(f"lanes hold floats, not {dtype}: what figures share is read at width X1")
    return Lanes(dtype, n)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, ty):
        base = ir.DoubleType() if ty.dtype == types.float64 else ir.FloatType()
        super().__init__(manager, ty, ir.VectorType(base, ty.n))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager, ty):
        super().__init__(manager, ty, ir.VectorType(ir.IntType(1), ty.n))


@register_model(Struct)
class _StructModel(models.StructModel):
    def __init__(self, manager, ty):
        super().__init__(manager, ty, list(zip(ty.cls.__struct__, ty.fields, strict=True)))


if CHECKED:

    @register_model(LaneView)
    @register_model(RecordView)
    class _CheckedModel(models.StructModel):
        def __init__(self, manager, ty):
            parts = [("data", types.CPointer(ty.dtype)), ("size", types.intp), ("name", types.intp)]
            super().__init__(manager, ty, parts)

else:

    @register_model(LaneView)
    @register_model(RecordView)
    class _PointerModel(models.PrimitiveModel):
        def __init__(self, manager, ty):
            super().__init__(manager, ty, manager[ty.dtype].get_data_type().as_pointer())


for _dummy in (WidthType, LayoutType):
    register_model(_dummy)(models.OpaqueModel)
    lower_constant(_dummy)(lambda context, builder, ty, value: context.get_dummy_value())
    unbox(_dummy)(lambda ty, obj, c: NativeValue(c.context.get_dummy_value()))


@infer_getattr
class _WidthAttributes(AttributeTemplate):
    """width.n inside kernels."""

    key = WidthType

    def generic_resolve(self, ty, attr):
        return types.intp if attr == "n" else None


@lower_getattr_generic(WidthType)
def _width_getattr(context, builder, ty, val, attr):
    return context.get_constant(types.intp, ty.n)
