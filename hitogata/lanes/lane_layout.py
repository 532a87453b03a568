"""Between users' arrays (one figure per row) and lanes (one figure per lane).

    pack(rows, first, view)      view[i], lane j  =  rows[first + j, i]
    unpack(view, rows, first)    the other way

Square tiles, as wide as a register, are loaded row by row, transposed by log2(width) rounds of
shuffles, and stored column by column.  The last tile is moved back to end at the last column,
so that some numbers are copied twice and none one by one.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numpy.typing import DTypeLike, NDArray

from hitogata.lanes.compiler import kernel
from hitogata.lanes.numbers import minimum
from hitogata.lanes.stands import Stand, element, load, store
from hitogata.lanes.tracing import inline
from hitogata.lanes.types import X1, LaneView, Width, item
from hitogata.lanes.views import aligned_zeros, lanes


@kernel
def pack(rows, first, view):
    """Kernel only: fill a flat view from rows first, first + 1, ... of a 2-D array.

    Lanes beyond the last row repeat it, so that they compute something harmless.

    Args:
        rows: array, shape (n, k), C-contiguous, of the view's dtype.
        first: row of the first lane.
        view: flat view with room for k elements.
    """
    n, k = rows.shape
    numbers = lanes(rows, X1)
    tile = tile_size(view)
    for lane in range(0, view.width, tile):
        row = first + lane
        if k >= tile:
            for column in range(0, k - tile + 1, tile):
                load_tile(numbers, row, n - 1, k, column, view, lane)
            if k % tile != 0:
                load_tile(numbers, row, n - 1, k, k - tile, view, lane)
        else:
            for column in range(k):
                load_column(numbers, row, n - 1, k, column, view, lane)


@kernel
def unpack(view, rows, first):
    """Kernel only: write a flat view to rows first, first + 1, ... of a 2-D array.

    Lanes beyond the last row are left out.

    Args:
        view: flat view of k elements.
        rows: array, shape (n, k), C-contiguous, of the view's dtype.
        first: row of the first lane.
    """
    n, k = rows.shape
    numbers = lanes(rows, X1)
    tile = tile_size(view)
    for lane in range(0, view.width, tile):
        row = first + lane
        if row + tile <= n and k >= tile:
            for column in range(0, k - tile + 1, tile):
                store_tile(view, lane, numbers, row, k, column)
            if k % tile != 0:
                store_tile(view, lane, numbers, row, k, k - tile)
        else:
            single = lane_numbers(view)
            for j in range(min(tile, n - row)):
                for column in range(k):
                    numbers[(row + j) * k + column] = single[column * view.width + lane + j]


def to_blocks(rows: NDArray[Any], width: Width, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """From rows to lanes in numpy: shape (n, k) -> (blocks, k, width), the last row repeated as needed."""
    count = -(-len(rows) // width.n)
    full = rows[np.minimum(np.arange(count * width.n), len(rows) - 1)]
    out = aligned_zeros((count, rows.shape[1], width.n), rows.dtype if dtype is None else dtype)
    out[...] = full.reshape(count, width.n, -1).transpose(0, 2, 1)
    return out


def from_blocks(blocks: NDArray[Any], count: int) -> NDArray[Any]:
    """From lanes to rows in numpy: shape (blocks, k, width) -> (count, k)."""
    return np.ascontiguousarray(blocks.transpose(0, 2, 1).reshape(-1, blocks.shape[1])[:count])


# ---------------------------------------------------------------- tiles


def _tile(view):
    """Numbers in a row of a tile: one 256-bit register, or all lanes if they are fewer."""
    if view.pitch != view.n:
        raise TypingError("pack and unpack need a plain view, not a packed one")
    return min(view.n, 256 // view.dtype.bitwidth)


@intrinsic
def tile_size(typingctx, view):
    """Rows and columns of a tile, a constant."""
    return types.intp(view), lambda context, builder, sig, args: context.get_constant(types.intp, _tile(view))


@intrinsic
def lane_numbers(typingctx, view):
    """The same memory, number by number."""
    return LaneView(view.dtype, 1)(view), lambda context, builder, sig, args: args[0]


@inline
def load_tile(numbers, row, last, k, column, view, lane):
    """A tile of rows (none beyond the last) becomes part of the lanes."""
    to, tile = view.to, _tile(view.ty)
    if to:
        ty = item(view.ty.dtype, tile)
        vectors = [load(to, ty, element(to, numbers.ty, numbers.val, minimum(row + j, last) * k + column)).val
                   for j in range(tile)]
        for i, vector in enumerate(_transposed(to[1], vectors)):
            _store_vector(to, ty, _lane_address(to, view, column + i, lane), vector)


@inline
def load_column(numbers, row, last, k, column, view, lane):
    """One column of a tile, number by number."""
    to = view.to
    if to:
        for j in range(_tile(view.ty)):
            x = numbers[minimum(row + j, last) * k + column]
            store(to, view.ty.dtype, _lane_address(to, view, column, lane + j), x)


@inline
def store_tile(view, lane, numbers, row, k, column):
    """Part of the lanes becomes a tile of rows."""
    to, tile = view.to, _tile(view.ty)
    if to:
        ty = item(view.ty.dtype, tile)
        vectors = [load(to, ty, _lane_address(to, view, column + i, lane)).val for i in range(tile)]
        for j, vector in enumerate(_transposed(to[1], vectors)):
            _store_vector(to, ty, element(to, numbers.ty, numbers.val, (row + j) * k + column), vector)


def _lane_address(to, view, i, lane):
    """Address of one lane of view[i]."""
    return element(to, LaneView(view.ty.dtype, 1), view.val, i * view.ty.n + lane)


def _store_vector(to, ty, pointer, vector):
    store(to, ty, pointer, Stand(to, ty, vector))


def _transposed(builder, vectors):
    """Transpose a square: swap its off-diagonal quarters, then those of its quarters, and so on."""
    n = len(vectors)
    half = n // 2
    while half:
        low = [lane if not lane & half else lane - half + n for lane in range(n)]
        high = [lane + half if not lane & half else lane + n for lane in range(n)]
        for i in range(n):
            if not i & half:
                a, b = vectors[i], vectors[i + half]
                vectors[i], vectors[i + half] = (_shuffle(builder, a, b, m) for m in (low, high))
        half //= 2
    return vectors


def _shuffle(builder, a, b, lanes):
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes))
