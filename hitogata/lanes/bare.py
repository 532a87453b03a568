"""Arrays without reference counts, for kernels that index them.

Numba counts references to every array that a kernel names or passes on, with an atomic instruction each: in kernels
that go over many small arrays that was two thirds of the time.  `bare(array)` is the same memory without an owner;
whoever called the entry keeps it alive.
"""

from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model


class BareArray(types.Array):
    """An array that nobody owns."""

    def __init__(self, like):
        super().__init__(like.dtype, like.ndim, like.layout, readonly=not like.mutable, aligned=like.aligned)
        self.name = f"bare {self.name}"


@register_model(BareArray)
class BareArrayModel(models.StructModel):
    """As Numba's arrays, but the owner is a plain pointer, which is not counted."""

    def __init__(self, dmm, fe_type):
        sizes = types.UniTuple(types.intp, fe_type.ndim)
        members = [
            ("meminfo", types.voidptr), ("parent", types.voidptr), ("nitems", types.intp), ("itemsize", types.intp),
            ("data", types.CPointer(fe_type.dtype)), ("shape", sizes), ("strides", sizes),
        ]  # fmt: skip
        super().__init__(dmm, fe_type, members)


@intrinsic
def bare(_context, given):
    """An array, or a tuple of arrays and tuples, without owners; everything else as it is."""
    return _bare_type(given)(given), _without_owners


def _bare_type(ty):
    if isinstance(ty, BareArray):
        return ty
    if isinstance(ty, types.Array):
        return BareArray(ty)
    if isinstance(ty, types.NamedTuple | types.NamedUniTuple):
        return types.NamedTuple([_bare_type(member) for member in ty.types], ty.instance_class)
    if isinstance(ty, types.BaseTuple):
        return types.Tuple([_bare_type(member) for member in ty.types])
    return ty


def _without_owners(context, builder, signature, args):
    return _stripped(context, builder, signature.args[0], signature.return_type, args[0])


def _stripped(context, builder, ty, to, value):
    if ty == to:
        return value
    if isinstance(ty, types.Array):
        array = context.make_array(ty)(context, builder, value=value)
        out = cgutils.create_struct_proxy(to)(context, builder)
        for name in ("nitems", "itemsize", "data", "shape", "strides"):
            setattr(out, name, getattr(array, name))
        out.meminfo = cgutils.get_null_value(out.meminfo.type)
        out.parent = cgutils.get_null_value(out.parent.type)
        return out._getvalue()
    parts = [
        _stripped(context, builder, member, into, builder.extract_value(value, k))
        for k, (member, into) in enumerate(zip(ty.types, to.types, strict=True))
    ]
    return context.make_tuple(builder, to, parts)
