"""Stand-ins for the numbers of a helper while it is traced, and the instructions they write.

`to` is (Numba target context, LLVM builder), or None while Numba only asks for types.
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError

from hitogata.lanes.bounds import reach
from hitogata.lanes.types import Lanes, Mask, item

# Licences to the compiler: fuse a*b+c, ignore the sign of zero, divide by reciprocal.
# NaN and infinity keep their meaning, so a diverging figure stays detectable.
FLAGS = ("contract", "nsz", "arcp")


class Stand:
    """Stand-in for one number, or for one truth value.

    With a builder, arithmetic writes instructions; without one, it only works out
    the result type (Numba asks for types first, code later).  `of` is the float type
    that a plain truth value came from, so that where(a < b, 1.0, -1.0) keeps float32.
    """

    __slots__ = ("of", "to", "ty", "val")
    __hash__ = None  # type: ignore[assignment]  # == compares lanes

    def __init__(self, to, ty, val, of=None):
        self.to, self.ty, self.val, self.of = to, ty, val, of

    def __add__(self, o):
        return o if is_zero(self) else self if is_zero(o) else _arithmetic(self, o, "add")

    def __radd__(self, o):
        return self if is_zero(o) else _arithmetic(o, self, "add")

    def __sub__(self, o):
        return self if is_zero(o) else _arithmetic(self, o, "sub")

    def __rsub__(self, o):
        return -self if is_zero(o) else _arithmetic(o, self, "sub")

    def __mul__(self, o):
        return 0.0 if is_zero(o) else self if is_one(o) else _arithmetic(self, o, "mul")

    def __rmul__(self, o):
        return 0.0 if is_zero(o) else self if is_one(o) else _arithmetic(o, self, "mul")

    def __truediv__(self, o):
        return self if is_one(o) else _arithmetic(self, o, "div")

    def __rtruediv__(self, o):
        return 0.0 if is_zero(o) else _arithmetic(o, self, "div")

    def __neg__(self):
        if isinstance(self.ty, types.Integer):
            return 0 - Stand(self.to, types.intp, self.to and convert(self.to, self, types.intp))
        return Stand(self.to, self.ty, self.to and self.to[1].fneg(self.val, flags=FLAGS))

    def __pos__(self):
        return self

    def __abs__(self):
        return intrinsic("fabs", self)

    def __lt__(self, o):
        return _compare(self, o, "<")

    def __le__(self, o):
        return _compare(self, o, "<=")

    def __gt__(self, o):
        return _compare(self, o, ">")

    def __ge__(self, o):
        return _compare(self, o, ">=")

    def __eq__(self, o):
        return _compare(self, o, "==")

    def __ne__(self, o):
        return _compare(self, o, "!=")

    def __and__(self, o):
        return _logic(self, o, "and_")

    def __or__(self, o):
        return _logic(self, o, "or_")

    def __xor__(self, o):
        return _logic(self, o, "xor")

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self):
        return _logic(self, True, "xor")

    def __bool__(self):
        raise TypeError("a helper cannot branch on a value: use where()")


class StandView:
    """Stand-in for a LaneView: view[i] and view[i] = x inside helpers."""

    def __init__(self, to, ty, val):
        self.to, self.ty, self.val = to, ty, val

    def __getitem__(self, i):
        return load(self.to, item(self.ty.dtype, self.ty.n), self.to and element(self.to, self.ty, self.val, i))

    def __setitem__(self, i, x):
        if self.to:
            store(self.to, item(self.ty.dtype, self.ty.n), element(self.to, self.ty, self.val, i), x)


def is_zero(x):
    """A literal zero, known while tracing."""
    return isinstance(x, int | float) and x == 0


def is_one(x):
    """A literal one, known while tracing."""
    return isinstance(x, int | float) and x == 1


def common(a, b):
    """Type of a op b: Lanes win over numbers, constants take the other side's type."""
    ta, tb = (x.ty if isinstance(x, Stand) else None for x in (a, b))
    if ta is None or tb is None:
        ty, constant = (tb, a) if ta is None else (ta, b)
        return types.float64 if isinstance(ty, types.Integer) and isinstance(constant, float) else ty
    if isinstance(ta, Lanes) or isinstance(tb, Lanes):
        if isinstance(ta, Lanes) and isinstance(tb, Lanes) and ta != tb:
            raise TypingError(f"cannot mix {ta} and {tb}")
        return ta if isinstance(ta, Lanes) else tb
    if isinstance(ta, types.Integer) and isinstance(tb, types.Integer):
        return types.intp
    # As with Lanes, a whole number takes the type of the float beside it.
    floats = {t for t in (ta, tb) if isinstance(t, types.Float)}
    return types.float32 if floats == {types.float32} else types.float64


def convert(to, x, ty):
    """LLVM value of x as type ty (a number type, Lanes or Mask), copied to all lanes if needed."""
    context, builder = to
    llty = context.get_value_type(ty)
    if isinstance(x, Stand):
        if x.ty == ty:
            return x.val
        if isinstance(x.ty, Lanes | Mask):
            raise TypingError(f"cannot use {x.ty} as {ty}")
        if isinstance(ty, Mask):
            base = types.boolean
        else:
            base = ty.dtype if isinstance(ty, Lanes) else ty
        value = context.cast(builder, x.val, x.ty, base)
        if base is ty:
            return value
        undefined = ir.Constant(llty, ir.Undefined)
        first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(first, undefined, _lane_numbers([0] * ty.n))
    if isinstance(ty, Lanes):
        return ir.Constant(llty, [ir.Constant(llty.element, float(x))] * ty.n)
    if isinstance(ty, Mask):
        return ir.Constant(llty, [ir.Constant(llty.element, int(x))] * ty.n)
    return ir.Constant(llty, int(x) if isinstance(ty, types.Integer | types.Boolean) else float(x))


def _lane_numbers(numbers):
    return ir.Constant(ir.VectorType(ir.IntType(32), len(numbers)), numbers)


def _arithmetic(a, b, name):
    if not (isinstance(a, Stand | int | float) and isinstance(b, Stand | int | float)):
        return NotImplemented  # 2.0 * vector: the vector knows how
    to, ty = (a if isinstance(a, Stand) else b).to, common(a, b)
    if isinstance(ty, types.Integer):
        if name == "div":
            raise TypingError("integer division in a helper")
        return Stand(to, types.intp, to and getattr(to[1], name)(
            convert(to, a, types.intp), convert(to, b, types.intp), flags=("nsw",)))
    if not isinstance(ty, types.Float | Lanes):
        raise TypingError(f"no arithmetic with {ty}: use where()")
    return Stand(to, ty, to and getattr(to[1], "f" + name)(convert(to, a, ty), convert(to, b, ty), flags=FLAGS))


def _compare(a, b, op):
    to, ty = a.to, common(a, b)
    if isinstance(ty, types.Integer):
        compare = to and to[1].icmp_signed
    elif isinstance(ty, types.Float | Lanes):
        compare = to and (to[1].fcmp_unordered if op == "!=" else to[1].fcmp_ordered)  # NaN differs from itself
    else:
        raise TypingError(f"cannot compare {ty}")
    result = Mask(ty.dtype, ty.n) if isinstance(ty, Lanes) else types.boolean
    of = ty if isinstance(ty, types.Float) else None
    return Stand(to, result, to and compare(op, convert(to, a, ty), convert(to, b, ty)), of)


def _logic(a, b, name):
    """And, or, exclusive or of truth values."""
    stands = [x for x in (a, b) if isinstance(x, Stand)]
    masks = {x.ty for x in stands if isinstance(x.ty, Mask)}
    if len(masks) > 1 or not all(isinstance(x.ty, Mask | types.Boolean) for x in stands):
        raise TypingError(f"cannot combine {' and '.join(str(x.ty) for x in stands)} with & | ^ ~")
    to, ty = stands[0].to, next(iter(masks), types.boolean)
    of = next((x.of for x in stands if x.of), None)
    return Stand(to, ty, to and getattr(to[1], name)(convert(to, a, ty), convert(to, b, ty)), of)


def intrinsic(name, *xs):
    """llvm.<name> of floats or Lanes."""
    to = next(x for x in xs if isinstance(x, Stand)).to
    ty = xs[0].ty if len(xs) == 1 else common(*xs)
    if not isinstance(ty, types.Float | Lanes):
        raise TypingError(f"{name} of {ty}")
    if not to:
        return Stand(to, ty, None)
    llty = to[0].get_value_type(ty)
    base, n = (ty.dtype, f"v{ty.n}") if isinstance(ty, Lanes) else (ty, "")
    fn = cgutils.get_or_insert_function(to[1].module, ir.FunctionType(llty, [llty] * len(xs)),
                                        f"llvm.{name}.{n}f{base.bitwidth}")
    return Stand(to, ty, to[1].call(fn, [convert(to, x, ty) for x in xs]))


def element(to, ty, view, i):
    """Address of element i of a view."""
    return reach(to, view, first_number(to, ty, i), ty.n)


def first_number(to, ty, i):
    """Of element i of a view."""
    i = convert(to, i, types.intp)
    return to[1].mul(i, ir.Constant(i.type, ty.pitch), flags=("nsw",)) if ty.pitch > 1 else i


def _address(to, ty, pointer):
    llty = to[0].get_value_type(ty)
    return to[1].bitcast(pointer, llty.as_pointer()), (ty.dtype if isinstance(ty, Lanes) else ty).bitwidth // 8


def load(to, ty, pointer):
    """The number or Lanes at an address (aligned as one number only)."""
    if not to:
        return Stand(to, ty, None)
    pointer, align = _address(to, ty, pointer)
    return Stand(to, ty, to[1].load(pointer, align=align))


def store(to, ty, pointer, x):
    """Put x, as type ty, at an address."""
    pointer, align = _address(to, ty, pointer)
    to[1].store(convert(to, x, ty), pointer, align=align)
