"""Many arrays as one argument: a table of their addresses.

Handing an array to compiled code costs about 60 ns.  A table costs that once, however many arrays it holds.  The
arrays must stay alive, and where they are, as long as the table is in use.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import carray
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from hitogata.lanes.compiler import kernel


def address_table(arrays: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Addresses and sizes of flat arrays of floats or int64, shape (n, 2)."""
    for k, array in enumerate(arrays):
        if array.ndim != 1 or not array.flags.c_contiguous or array.dtype not in (np.float64, np.float32, np.int64):
            raise TypeError(f"array {k}: expected a flat array of floats or int64, got {array.dtype} {array.shape}")
    return np.array([[array.ctypes.data, array.size] for array in arrays], np.int64)


@intrinsic
def _pointer(typingctx, address):
    """A number as a pointer."""

    def lower(context, builder, signature, args):
        return builder.inttoptr(args[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), lower


@kernel
def floats_in(table, k):
    """Kernel only: array k of a table, of float64."""
    return carray(_pointer(table[k, 0]), (table[k, 1],), np.float64)


@kernel
def ints_in(table, k):
    """Kernel only: array k of a table, of int64."""
    return carray(_pointer(table[k, 0]), (table[k, 1],), np.int64)
