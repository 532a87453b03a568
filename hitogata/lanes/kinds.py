"""What an entry takes: checked where Numba would otherwise compile a surprise.

    @entry(q=Floats(1), v=Floats(1), out=Floats(1, write=True), joints=Ints(2), gravity=Number())
    def forward(joints, q, v, out, gravity): ...

A call whose argument types were seen before goes straight to the compiled code: the check
costs it nothing.  Any other call comes here first.  Lists, wrong dtypes, strided arrays and
read-only outputs end in an ArgumentTypeError that names the argument; all float arguments of
one call must share their dtype.  Read-only inputs are welcome and share the compiled code.
Arguments that are not named are not checked.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from numba.core import types

from hitogata.errors import ArgumentError


class ArgumentTypeError(ArgumentError, TypeError):
    """A kernel was called with an argument of the wrong type; the message names it."""


@dataclasses.dataclass(frozen=True)
class Floats:
    """A C-contiguous float64 or float32 array with `ndim` axes; written to if `write`."""

    ndim: int
    write: bool = False
    dtypes = (types.float64, types.float32)
    noun = "float64 or float32"


@dataclasses.dataclass(frozen=True)
class Ints:
    """A C-contiguous int64 array with `ndim` axes; written to if `write`."""

    ndim: int
    write: bool = False
    dtypes = (types.int64,)
    noun = "int64"


@dataclasses.dataclass(frozen=True)
class Number:
    """A float; converted to the dtype of the float arrays of the call."""


Kind = Floats | Ints | Number


def admit(entry: str, names: Sequence[str], kinds: Mapping[str, Kind], args: Sequence[Any]) -> tuple[Any, ...]:
    """Argument types to compile for, or an ArgumentTypeError."""
    arrays = [ty for name, ty in zip(names, args, strict=False)
              if isinstance(kinds.get(name), Floats) and isinstance(ty, types.Array) and ty.dtype in Floats.dtypes]
    dtype = arrays[0].dtype if arrays else types.float64
    return tuple(_admit(f"{entry}: argument '{name}'", kinds.get(name), ty, dtype)
                 for name, ty in zip(names, args, strict=False))


def _admit(where: str, kind: Kind | None, ty: Any, dtype: Any) -> Any:
    if kind is None:
        return ty
    if isinstance(kind, Number):
        if isinstance(ty, types.Float | types.Integer):
            return dtype
        raise ArgumentTypeError(f"{where} must be a number, not {_describe(ty)}")
    if not (isinstance(ty, types.Array) and ty.dtype in kind.dtypes and ty.ndim == kind.ndim
            and ty.layout == "C" and ty.aligned):
        raise ArgumentTypeError(f"{where} must be a C-contiguous {kind.ndim}-D {kind.noun} array, not {_describe(ty)}")
    if isinstance(kind, Floats) and ty.dtype != dtype:
        raise ArgumentTypeError(f"{where} is {ty.dtype}, but other arguments of the call are {dtype}")
    if ty.mutable:
        return ty
    if kind.write:
        raise ArgumentTypeError(f"{where} is written to, but it is a read-only array")
    return ty.copy(readonly=False)


def _describe(ty):
    if isinstance(ty, types.Array):
        order = {"C": "contiguous", "F": "Fortran-ordered"}.get(ty.layout, "strided")
        return f"{'a' if ty.aligned else 'an unaligned'} {order} {ty.ndim}-D {ty.dtype} array"
    if isinstance(ty, types.List | types.BaseTuple | types.UnicodeType):
        return {types.List: "a list", types.UnicodeType: "a string"}.get(type(ty), "a tuple")
    return {types.none: "None", types.pyobject: "a Python object"}.get(ty, str(ty))
