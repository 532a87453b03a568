"""@struct: small immutable value classes (Vec3, Motion, ...) with operators."""

import dataclasses
from typing import TypeVar, dataclass_transform

from numba.core.typing.templates import AttributeTemplate, infer_getattr, signature
from numba.extending import lower_getattr_generic

from hitogata.lanes.tracing import lower_traced, make, result_type, trace_calls
from hitogata.lanes.types import Struct

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def struct(cls: type[T]) -> type[T]:
    """Class decorator: an immutable value with named fields, for Python and kernels.

    Fields are annotated float or with another struct; methods that are operators and
    properties are traced like @inline helpers.  The annotations are read as classes, so
    the file must not use `from __future__ import annotations`.
    """
    made = dataclasses.dataclass(frozen=True, slots=True)(cls)
    fields = dataclasses.fields(made)  # type: ignore[arg-type]
    for field in fields:
        if field.type is not float and not hasattr(field.type, "__struct__"):
            raise TypeError(f"{cls.__qualname__}.{field.name}: a field is float or a struct, not {field.type!r}")
    made.__struct__ = tuple(f.name for f in fields)  # type: ignore[attr-defined]
    made.__kinds__ = tuple(f.type for f in fields)  # type: ignore[attr-defined]
    made.__array_ufunc__ = None  # type: ignore[attr-defined]  # array * vector: the vector knows how

    def construct(*parts):
        if len(parts) != len(fields):
            raise TypeError(f"{cls.__qualname__} takes {len(fields)} values, not {len(parts)}")
        return make(made, parts)

    trace_calls(made, construct)
    return made


@infer_getattr
class _StructAttributes(AttributeTemplate):
    """Fields and properties of structs."""

    key = Struct

    def generic_resolve(self, ty, attr):
        if attr in ty.cls.__struct__:
            return ty.fields[ty.cls.__struct__.index(attr)]
        if isinstance(getattr(ty.cls, attr, None), property):
            return result_type(getattr(ty.cls, attr).fget, (ty,))
        return None


@lower_getattr_generic(Struct)
def _struct_getattr(context, builder, ty, val, attr):
    if attr in ty.cls.__struct__:
        return builder.extract_value(val, ty.cls.__struct__.index(attr))
    fget = getattr(ty.cls, attr).fget
    return lower_traced(fget)(context, builder, signature(result_type(fget, (ty,)), ty), (val,))
