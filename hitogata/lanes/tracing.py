"""Tracing: how plain Python helpers become part of a compiled kernel.

When a kernel uses an @inline helper, a @struct class or an operator on their values, we run
the Python function once on stand-ins for its arguments; every +, *, ... on a stand-in writes
one LLVM instruction into the kernel.  So helpers cost no call, no compilation of their own,
and no Numba type inference.  The price: a helper must be straight-line code (no `if` on a
value - use where(); Python loops with a fixed count are unrolled).  The constants 0.0 and 1.0
written in a helper are known while it runs, so `0.0 * x` and `x + 0.0` write nothing: sparse
matrices stay sparse for free.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

from numba.core import types
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast

from hitogata.lanes.stands import Stand, StandView, convert
from hitogata.lanes.types import Lanes, LaneView, Mask, Struct, Value

F = TypeVar("F", bound=Callable[..., Any])


def make(cls, parts):
    """cls(*parts), without the cost of a frozen dataclass's __init__."""
    x = object.__new__(cls)
    for name, p in zip(cls.__struct__, parts, strict=True):
        object.__setattr__(x, name, p)
    return x


def wrap(to, ty, val):
    """Numba value -> what the helper sees."""
    if isinstance(ty, Struct):
        return make(ty.cls, [wrap(to, f, to and to[1].extract_value(val, k)) for k, f in enumerate(ty.fields)])
    if isinstance(ty, types.BaseTuple):
        return tuple(wrap(to, f, to and to[1].extract_value(val, k)) for k, f in enumerate(ty))
    if isinstance(ty, LaneView):
        return StandView(to, ty, val)
    if isinstance(ty, types.Literal):  # Numba's second try: a constant of the kernel stays a Python number
        return ty.literal_value
    if isinstance(ty, types.Number | types.Boolean | Lanes | Mask):
        return Stand(to, ty, val)
    raise TypingError(f"a helper cannot take {ty}")


def type_of(x):
    """Numba type of what a helper returned."""
    if isinstance(x, Stand):
        return x.ty
    if hasattr(x, "__struct__"):
        parts = [getattr(x, f) for f in x.__struct__]
        kinds = [type_of(p) for p in parts]
        widest = next((k for k in kinds if isinstance(k, Lanes)), None)
        if widest:  # constants beside Lanes become Lanes, so that all Vec3 have one type
            kinds = [widest if isinstance(k, types.Number) else k for k in kinds]
        elif types.float32 in kinds:
            kinds = [types.float32 if isinstance(p, float) else k for p, k in zip(parts, kinds, strict=True)]
        return Struct(type(x), tuple(kinds))
    if isinstance(x, tuple):
        return types.BaseTuple.from_types([type_of(p) for p in x])
    if x is None:
        return types.none
    if isinstance(x, bool):
        return types.boolean
    if isinstance(x, int | float):
        return types.float64
    raise TypingError(f"a helper cannot return {x!r}")


def unwrap(to, x, ty):
    """What the helper returned -> LLVM value of Numba type ty."""
    context, builder = to
    if isinstance(ty, Struct):
        members = [unwrap(to, getattr(x, f), t) for f, t in zip(x.__struct__, ty.fields, strict=True)]
        return builder.pack(context.get_value_type(ty), members)
    if isinstance(ty, types.BaseTuple):
        return context.make_tuple(builder, ty, [unwrap(to, p, t) for p, t in zip(x, ty, strict=True)])
    if ty == types.none:
        return context.get_dummy_value()
    return convert(to, x, ty)


def align_stack(builder):
    """Keep SIMD values that LLVM parks on the stack off cache-line borders.

    Without this, one process in two (by the luck of its stack address) ran 10 % slower.
    """
    builder.function.attributes.alignstack = 64
    builder.function.attributes.add("nonlazybind")  # no effect; llvmlite drops alignstack if alone


@functools.cache
def result_type(fn, args):
    """Type of fn(*args), by tracing it without a builder."""
    return type_of(fn(*[wrap(None, a, None) for a in args]))


def lower_traced(fn):
    """Numba lowering that runs fn on stand-ins."""
    def lower(context, builder, sig, args):
        align_stack(builder)
        to = (context, builder)
        return unwrap(to, fn(*[wrap(to, t, v) for t, v in zip(sig.args, args, strict=True)]), sig.return_type)
    return lower


def trace_calls(name, fn):
    """Let kernels call `name` (a function or class of Python) by tracing fn."""
    class Template(AbstractTemplate):
        key = name

        def generic(self, args, kws):
            if kws:
                raise TypingError(f"{name.__name__}: helpers take positional arguments only")
            return signature(result_type(fn, args), *args)
    infer_global(name, types.Function(Template))
    lower_builtin(name, types.VarArg(types.Any))(lower_traced(fn))


def inline(fn: F) -> F:
    """Decorator: a straight-line helper, written into each kernel that calls it.

    The function itself is returned unchanged: it also runs in plain Python, on numbers
    and on numpy arrays.
    """
    trace_calls(fn, fn)
    return fn


def _register_operator(op, fn):
    class Template(AbstractTemplate):
        key = op

        def generic(self, args, kws):
            if any(isinstance(a, Value) for a in args):
                return signature(result_type(fn, args), *args)
            return None
    infer_global(op)(Template)
    unary, binary = [(Value,)], [(Value, Value), (Value, types.Any), (types.Any, Value)]
    for formal in unary if op in (operator.neg, operator.pos, operator.invert) else binary:
        lower_builtin(op, *formal)(lower_traced(fn))


for _op in ("add", "sub", "mul", "truediv", "matmul", "and_", "or_", "xor",
            "lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "invert"):
    _register_operator(getattr(operator, _op), getattr(operator, _op))
for _op in ("add", "sub", "mul", "truediv", "matmul"):
    _register_operator(getattr(operator, "i" + _op), getattr(operator, _op))
for _op in ("and", "or", "xor"):
    _register_operator(getattr(operator, "i" + _op), getattr(operator, _op if _op == "xor" else _op + "_"))


@infer_global(bool)
class _NoBranch(AbstractTemplate):
    def generic(self, args, kws):
        if isinstance(args[0], Mask | Lanes):
            raise TypeError("lanes may disagree, so no `if` on them: use where() or any_lane()")


@lower_cast(types.Number, Lanes)
@lower_cast(types.Boolean, Mask)
def _splat(context, builder, fromty, toty, val):
    to = (context, builder)
    return convert(to, wrap(to, fromty, val), toty)


@lower_cast(Struct, Struct)
def _cast_struct(context, builder, fromty, toty, val):
    to = (context, builder)
    return unwrap(to, wrap(to, fromty, val), toty)


