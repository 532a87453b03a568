"""For tests: run a helper inside a kernel, at any width.

A helper is tested in plain Python; what is left to test is that it compiles at every width
and gives the same there.  Kernels are easily written so that they compile at width 1 only
(an `if` on a figure's value): tests should run each at the widths of VARIANTS.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit
from numba.core import types
from numba.np.numpy_support import from_dtype

from hitogata.lanes.compiler import OPTIONS
from hitogata.lanes.lane_layout import from_blocks, to_blocks
from hitogata.lanes.numbers import where
from hitogata.lanes.stands import Stand
from hitogata.lanes.tracing import inline, make
from hitogata.lanes.types import X1, X4, X8, X16, Mask, Width, item
from hitogata.lanes.views import aligned_zeros, lanes

VARIANTS = [(X1, np.float64), (X4, np.float64), (X8, np.float64), (X1, np.float32), (X8, np.float32),
            (X16, np.float32)]


def run_helper(fn: Callable[..., Any], args: Sequence[Any], width: Width, dtype: Any = np.float64) -> Any:
    """fn(*args), computed in a compiled kernel.

    Args:
        fn: a helper; it may return numbers, truth values, structs, and tuples of these.
        args: numbers or arrays of shape (n,), one item per figure, or structs of these.
        width: figures side by side.
        dtype: np.float64 or np.float32.

    Returns:
        What fn returns, with arrays of shape (n,) and the given dtype as numbers; truth values are 0 and 1.
    """
    leaves = [np.atleast_1d(x) for arg in args for x in _leaves(arg)]
    rows = np.stack(np.broadcast_arrays(*leaves), axis=-1).astype(dtype)
    one = Stand(None, item(from_dtype(np.dtype(dtype)), width.n), None)
    shape = fn(*[_filled(arg, lambda: one) for arg in args])

    @inline
    def body(view, out):
        at = iter(range(rows.shape[1]))
        for i, x in enumerate(_leaves(fn(*[_filled(arg, lambda: view[next(at)]) for arg in args]))):
            out[i] = _number(x)

    @njit(**OPTIONS)
    def run(source, target, width):
        for block in range(source.shape[0]):
            body(lanes(source, width, block), lanes(target, width, block))

    blocks = to_blocks(rows, width)
    results = aligned_zeros((len(blocks), len(list(_leaves(shape))), width.n), dtype)
    run(blocks, results, width)
    return _filled(shape, iter(from_blocks(results, len(rows)).T).__next__)


def _leaves(x):
    """The numbers of structs and tuples, in order."""
    if hasattr(x, "__struct__"):
        x = tuple(getattr(x, name) for name in x.__struct__)
    if isinstance(x, tuple):
        for part in x:
            yield from _leaves(part)
    else:
        yield x


def _filled(x, number):
    """The same structs and tuples as x, with other numbers."""
    if hasattr(x, "__struct__"):
        return make(type(x), [_filled(getattr(x, name), number) for name in x.__struct__])
    if isinstance(x, tuple):
        return tuple(_filled(part, number) for part in x)
    return number()


def _number(x):
    """Truth values as 0 and 1."""
    if isinstance(x, Stand) and isinstance(x.ty, Mask | types.Boolean):
        return where(x, 1.0, 0.0)
    return x
