"""Words that threads share: numbers of an int64 array, read and written in an order that other threads see too.

For kernels on different threads that hand work to each other without waking a thread (see `dynamics.assembly`).
Acquire and release: what one thread wrote before `store_release` is seen by another after `load_acquire` read it.
"""

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np import arrayobj

from hitogata.lanes.clock import HAS_CYCLES


def _pointer(context, builder, ty, array, index):
    view = arrayobj.make_array(ty)(context, builder, array)
    return builder.gep(view.data, [index])


def _check(array):
    if not (isinstance(array, types.Array) and array.dtype == types.int64 and array.layout == "C"):
        raise TypingError(f"shared words are numbers of a C-contiguous int64 array, not of {array}")


@intrinsic
def load_acquire(typingctx, array, index):
    """Kernel only: array[index], and all that was written before it was stored."""
    _check(array)

    def lower(context, builder, signature, args):
        return builder.load_atomic(_pointer(context, builder, array, *args), "acquire", 8)

    return types.int64(array, types.intp), lower


@intrinsic
def store_release(typingctx, array, index, value):
    """Kernel only: array[index] = value, seen by others after all that was written before."""
    _check(array)

    def lower(context, builder, signature, args):
        pointer = _pointer(context, builder, array, *args[:2])
        builder.store_atomic(args[2], pointer, "release", 8)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.int64), lower


@intrinsic
def fetch_add(typingctx, array, index, value):
    """Kernel only: add to array[index] in one go; returns what it was."""
    _check(array)

    def lower(context, builder, signature, args):
        return builder.atomic_rmw("add", _pointer(context, builder, array, *args[:2]), args[2], "acq_rel")

    return types.int64(array, types.intp, types.int64), lower


@intrinsic
def compare_exchange(typingctx, array, index, old, new):
    """Kernel only: array[index] = new if it is `old`, in one go; whether it was."""
    _check(array)

    def lower(context, builder, signature, args):
        pointer = _pointer(context, builder, array, *args[:2])
        pair = builder.cmpxchg(pointer, args[2], args[3], "acq_rel", "acquire")
        return builder.extract_value(pair, 1)

    return types.boolean(array, types.intp, types.int64, types.int64), lower


@intrinsic
def pause(typingctx):
    """Kernel only: a moment's rest inside a loop that waits for another thread."""

    def lower(context, builder, signature, args):
        if HAS_CYCLES:  # x86
            rest = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", fnty=rest), [])
        return context.get_dummy_value()

    return types.none(), lower

