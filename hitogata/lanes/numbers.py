"""Functions of numbers, the same at every width, and in plain Python and on numpy arrays."""

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError

from hitogata.lanes.bounds import reach
from hitogata.lanes.stands import Stand, common, convert, intrinsic, load
from hitogata.lanes.tracing import inline, make
from hitogata.lanes.types import Lanes, Mask


@inline
def sqrt(x):
    """Square root."""
    return intrinsic("sqrt", x) if isinstance(x, Stand) else np.sqrt(x)


@inline
def rint(x):
    """Nearest whole number."""
    return intrinsic("rint", x) if isinstance(x, Stand) else np.rint(x)


@inline
def floor(x):
    """Greatest whole number that is not above x."""
    return intrinsic("floor", x) if isinstance(x, Stand) else np.floor(x)


@inline
def absolute(x):
    """|x|."""
    return intrinsic("fabs", x) if isinstance(x, Stand) else np.abs(x)


@inline
def copysign(size, sign):
    """|size| with the sign of `sign` (either sign where that is a computed zero)."""
    if isinstance(size, Stand) or isinstance(sign, Stand):
        return intrinsic("copysign", size, sign)
    return np.copysign(size, sign)


@inline
def where(condition, a, b):
    """Lane by lane: a where the condition holds, else b (numbers or structs).  Both are computed."""
    if hasattr(a, "__struct__"):
        return make(type(a), [where(condition, getattr(a, f), getattr(b, f)) for f in a.__struct__])
    if isinstance(condition, bool | np.bool_):
        return a if condition else b
    if not isinstance(condition, Stand):
        return np.where(condition, a, b)
    to = condition.to
    if isinstance(condition.ty, Mask):
        ty = Lanes(condition.ty.dtype, condition.ty.n)
        for x in (a, b):
            if isinstance(x, Stand) and isinstance(x.ty, Lanes) and x.ty != ty:
                raise TypingError(f"cannot mix {x.ty} and {condition.ty}")
    elif isinstance(a, Stand) or isinstance(b, Stand):
        ty = common(a, b)
    else:
        ty = condition.of or types.float64
    return Stand(to, ty, to and to[1].select(condition.val, convert(to, a, ty), convert(to, b, ty)))


@inline
def minimum(a, b):
    """The lesser; b if either is NaN."""
    return where(a < b, a, b)


@inline
def maximum(a, b):
    """The greater; b if either is NaN."""
    return where(a > b, a, b)


@inline
def clip(x, low, high):
    """x, but not below `low` nor above `high`; NaN stays NaN."""
    return where(x < low, low, where(x > high, high, x))


@inline
def is_finite(x):
    """Neither infinite nor NaN, lane by lane."""
    return absolute(x) < np.inf


@inline
def negated(condition):
    """Not, for masks and truth values.  (`~` of a plain bool is a whole number in Python and in Numba.)"""
    return ~condition if isinstance(condition, Stand) else np.logical_not(condition)


@inline
def any_lane(condition):
    """True if the condition holds for any figure: what a kernel may branch on."""
    if not isinstance(condition, Stand):
        return bool(np.any(condition))
    return _lanes_are(condition, "!=", 0)


@inline
def all_lanes(condition):
    """True if the condition holds for all figures: what a kernel may branch on."""
    if not isinstance(condition, Stand):
        return bool(np.all(condition))
    return _lanes_are(condition, "==", -1)


def _lanes_are(condition, op, bits):
    if not isinstance(condition.ty, Mask):
        return condition
    to = condition.to

    def emit(builder):
        whole = ir.IntType(condition.ty.n)
        return builder.icmp_unsigned(op, builder.bitcast(condition.val, whole), ir.Constant(whole, bits))
    return Stand(to, types.boolean, to and emit(to[1]))


@inline
def gather(view, start, count):
    """Tuple of view[start] ... view[start + count - 1], each lane from its own start.

    `start` holds whole numbers as floats; `view` has width X1; `count` is a constant.
    """
    if isinstance(count, Stand):
        raise TypingError("gather: count must be a constant")
    if not isinstance(start, Stand):
        first = np.asarray(start).astype(np.intp)
        return tuple(np.asarray(view)[first + k] for k in range(count))
    to, dtype = view.to, view.ty.dtype
    if view.ty.n != 1:
        raise TypingError("gather: needs a view of width X1")
    if isinstance(start.ty, Lanes) and start.ty.dtype != dtype:
        raise TypingError(f"gather: {start.ty} cannot point into {view.ty}")
    if not to:
        return tuple(Stand(None, start.ty if isinstance(start.ty, Lanes) else dtype, None) for _ in range(count))
    builder, i64 = to[1], ir.IntType(64)
    if not isinstance(start.ty, Lanes):
        base = reach(to, view.val, convert(to, start, types.intp), count)
        return tuple(load(to, dtype, builder.gep(base, [ir.Constant(i64, k)])) for k in range(count))
    lane = [ir.Constant(ir.IntType(32), j) for j in range(start.ty.n)]
    bases = [reach(to, view.val, builder.fptosi(builder.extract_element(start.val, j), i64), count) for j in lane]
    out = []
    for k in range(count):
        value = ir.Constant(to[0].get_value_type(start.ty), ir.Undefined)
        for j, base in zip(lane, bases, strict=True):
            value = builder.insert_element(value, load(to, dtype, builder.gep(base, [ir.Constant(i64, k)])).val, j)
        out.append(Stand(to, start.ty, value))
    return tuple(out)
