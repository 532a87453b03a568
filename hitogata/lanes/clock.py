"""The processor's own clock, for kernels that measure what they spend."""

import platform

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

HAS_CYCLES = platform.machine().lower() in ("x86_64", "amd64")
"""Whether `cycles` may be read: elsewhere, processors do not let every program do so."""


@intrinsic
def cycles(typingctx):
    """Kernel only: ticks of the processor's clock, an int; how long they are must be measured beside them."""

    def lower(context, builder, signature, args):
        count = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=count), [])

    return types.int64(), lower
