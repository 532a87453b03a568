"""Views of arrays inside kernels.

Views hold a bare pointer.  They do no bounds check (but see `bounds`) and do not keep their array alive:
make them inside the compiled entry point, from its array arguments.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import lower_builtin, lower_getattr_generic
from numpy.typing import DTypeLike, NDArray

from hitogata.lanes.bounds import CHECKED, name_of, reach, size_of, view_at
from hitogata.lanes.stands import Stand, element, first_number, load, store
from hitogata.lanes.tracing import align_stack
from hitogata.lanes.types import LaneView, LayoutType, RecordView, WidthType, item


def aligned_zeros(shape: int | tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """np.zeros on a 64-byte border; batch kernels run some 10 % faster on such arrays."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(count + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + count].view(dtype).reshape(shape)


def lanes(array, width, block=0):
    """Kernel only: view of array[block], where `width` neighbours form one element."""
    raise NotImplementedError("only inside kernels")


def records(array, layout, width, block=0):
    """Kernel only: view of array[block] as records of the given layout.

    records(view, layout) gives other names to the numbers of a flat view.
    """
    raise NotImplementedError("only inside kernels")


def tail(view, start):
    """Kernel only: the same view, from element `start` on."""
    raise NotImplementedError("only inside kernels")


def packed(view):
    """Kernel only: the same view for loops over neighbours in memory.

        many = packed(view)
        for i in range(0, count, many.step):
            many[i] = many[i] + x

    At width 1 this takes `step` numbers at once (one 256-bit register), up to step - 1
    beyond the count: leave room there.  At other widths it changes nothing, and step is 1.
    """
    raise NotImplementedError("only inside kernels")


def check_array(array):
    """Complain unless a view can be made of arrays of this type."""
    if not (isinstance(array, types.Array) and array.layout == "C"):
        raise TypingError(f"views need C-contiguous arrays, not {array}")


@infer_global(operator.getitem)
class _ViewGetitem(AbstractTemplate):
    def generic(self, args, kws):
        view, i = args
        if isinstance(i, types.Integer):
            if isinstance(view, LaneView):
                return signature(item(view.dtype, view.n), view, types.intp)
            if isinstance(view, RecordView) and view.many:
                return signature(RecordView(view.layout, view.dtype, view.n, False), view, types.intp)
        return None


@lower_builtin(operator.getitem, LaneView, types.Integer)
def _lane_getitem(context, builder, sig, args):
    to = (context, builder)
    return load(to, sig.return_type, element(to, sig.args[0], args[0], Stand(to, sig.args[1], args[1]))).val


@lower_builtin(operator.getitem, RecordView, types.Integer)
def _record_getitem(context, builder, sig, args):
    align_stack(builder)
    to, numbers = (context, builder), sig.args[0].layout.SIZE * sig.args[0].n
    start = builder.mul(args[1], ir.Constant(args[1].type, numbers), flags=("nsw",))
    return view_at(to, sig.return_type, reach(to, args[0], start, numbers), numbers, 0 if not CHECKED else
                   name_of(to, args[0]))


@infer_global(operator.setitem)
class _ViewSetitem(AbstractTemplate):
    def generic(self, args, kws):
        view, i, _ = args
        if isinstance(view, LaneView) and isinstance(i, types.Integer):
            return signature(types.none, view, types.intp, item(view.dtype, view.n))
        return None


@lower_builtin(operator.setitem, LaneView, types.Integer, types.Any)
def _lane_setitem(context, builder, sig, args):
    to = (context, builder)
    i, x = Stand(to, sig.args[1], args[1]), Stand(to, sig.args[2], args[2])
    store(to, sig.args[2], element(to, sig.args[0], args[0], i), x)
    return context.get_dummy_value()


@infer_getattr
class _ViewAttributes(AttributeTemplate):
    """step: how far apart are the elements that do not overlap; width: numbers in one."""

    key = LaneView

    def generic_resolve(self, ty, attr):
        return types.intp if attr in ("step", "width") else None


@lower_getattr_generic(LaneView)
def _view_getattr(context, builder, ty, val, attr):
    return context.get_constant(types.intp, ty.n // ty.pitch if attr == "step" else ty.n)


@infer_global(lanes)
class _LanesTemplate(AbstractTemplate):
    key = lanes

    def generic(self, args, kws):
        check_array(args[0])
        return signature(LaneView(args[0].dtype, args[1].n), args[0], args[1], *[types.intp] * (len(args) - 2))


@infer_global(records)
class _RecordsTemplate(AbstractTemplate):
    key = records

    def generic(self, args, kws):
        if isinstance(args[0], LaneView):
            return signature(RecordView(args[1].layout, args[0].dtype, args[0].n, True), *args)
        check_array(args[0])
        return signature(RecordView(args[1].layout, args[0].dtype, args[2].n, True), *args[:3],
                         *[types.intp] * (len(args) - 3))


@infer_global(tail)
class _TailTemplate(AbstractTemplate):
    key = tail

    def generic(self, args, kws):
        return signature(args[0], args[0], types.intp) if isinstance(args[0], LaneView) else None


@infer_global(packed)
class _PackedTemplate(AbstractTemplate):
    key = packed

    def generic(self, args, kws):
        (view,) = args
        if not isinstance(view, LaneView):
            return None
        return signature(view if view.n > 1 else LaneView(view.dtype, 256 // view.dtype.bitwidth, 1), view)


@lower_builtin(tail, LaneView, types.Integer)
def _lower_tail(context, builder, sig, args):
    to, (view, _) = (context, builder), args
    start = first_number(to, sig.args[0], Stand(to, sig.args[1], args[1]))
    pointer = reach(to, view, start, 0)
    if not CHECKED:
        return pointer
    return view_at(to, sig.return_type, pointer, builder.sub(size_of(to, view), start), name_of(to, view))


@lower_builtin(packed, LaneView)
@lower_builtin(records, LaneView, LayoutType)
def _lower_same_pointer(context, builder, sig, args):
    return args[0]


def _lower_view(context, builder, sig, args, block):
    """Data pointer, advanced by `block` times the first stride."""
    align_stack(builder)
    to, array = (context, builder), context.make_array(sig.args[0])(context, builder, args[0])
    if block is None:
        return view_at(to, sig.return_type, array.data, array.nitems)
    stride = cgutils.unpack_tuple(builder, array.strides)[0]
    if CHECKED:  # a block of its own, or what is left of a flat array
        many, one = array.nitems, context.get_abi_sizeof(array.data.type.pointee)
        step = builder.sdiv(stride, ir.Constant(stride.type, one))
        whole = view_at(to, sig.return_type, array.data, many)
        start = builder.mul(step, block)
        size = step if sig.args[0].ndim > 1 else builder.sub(many, start)
        return view_at(to, sig.return_type, reach(to, whole, start, size), size)
    byte = builder.bitcast(array.data, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(byte, [builder.mul(stride, block, flags=("nsw",))]), array.data.type)


@lower_builtin(lanes, types.Array, WidthType)
@lower_builtin(lanes, types.Array, WidthType, types.Integer)
def _lower_lanes(context, builder, sig, args):
    return _lower_view(context, builder, sig, args, args[2] if len(args) > 2 else None)


@lower_builtin(records, types.Array, LayoutType, WidthType)
@lower_builtin(records, types.Array, LayoutType, WidthType, types.Integer)
def _lower_records(context, builder, sig, args):
    return _lower_view(context, builder, sig, args, args[3] if len(args) > 3 else None)
