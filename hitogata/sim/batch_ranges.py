"""Ranges of motion in a batch: each range once, worlds have numbers of them, blocks have lists of those they need."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hitogata.dynamics.layout import NONE
from hitogata.rom import RangeOfMotion

Array = NDArray[Any]

ROOM, SPARE = 4096, 64
"""Numbers that a table has room for at first, and beyond its end: kernels may read a register too far."""

FEW = 64
"""A table is not tidied up before it holds so many ranges."""


class RangeTable:
    """Ranges by number; equal ones have the same.  It only grows: `BatchRanges` makes a new one when too much is idle.

    Attributes:
        ranges: all of them.
        starts: where in `numbers` each begins.
        numbers: their flat arrays, float64 or float32, one after the other, and room for more.
    """

    def __init__(self, dtype: Any) -> None:
        self.ranges, self.starts, self.numbers = list[RangeOfMotion](), list[int](), np.zeros(ROOM, dtype)
        self._known, self._end = dict[RangeOfMotion, int](), 0

    def number_of(self, range_: RangeOfMotion | None) -> int:
        """Number of a range, which is put into the table if it is not there; NONE if there is none."""
        if range_ is None:
            return NONE
        number = self._known.get(range_)
        if number is None:
            flat = range_.flat32 if self.numbers.dtype == np.float32 else range_.flat
            end = self._end + len(flat)
            if end + SPARE > len(self.numbers):
                self.numbers = np.concatenate([self.numbers, np.zeros(end + SPARE, self.numbers.dtype)])
            self.numbers[self._end : end] = flat
            number = self._known[range_] = len(self.ranges)
            self.ranges.append(range_)
            self.starts.append(self._end)
            self._end = end
        return number

    def copied(self) -> "RangeTable":
        """The same once more."""
        other = copy.copy(self)
        other.ranges, other.starts, other.numbers = self.ranges.copy(), self.starts.copy(), self.numbers.copy()
        other._known = self._known.copy()
        return other


class BatchRanges:
    """The ranges of all worlds of a batch.

    Which world has which is in its constants, `Nature.ranges`: (count, bodies), called `own` here.

    Attributes:
        table: the ranges.
        lists: those that the worlds of each block need, see `own_ranges`: (blocks, bodies * (1 + 2 width)), int64.
    """

    def __init__(self, blocks: int, bodies: int, width: int, dtype: Any) -> None:
        self.table, self._width, self._most = RangeTable(dtype), width, FEW
        self.lists = np.zeros((blocks, bodies * (1 + 2 * width)), np.int64)

    def of(self, numbers: Array) -> list[RangeOfMotion | None]:
        """The ranges that have these numbers."""
        return [None if k == NONE else self.table.ranges[int(k)] for k in numbers]

    def put(self, own: Array, worlds: Array, body: int, ranges: Sequence[RangeOfMotion | None]) -> None:
        """Other ranges of a body's joint in some worlds, one each."""
        numbers = {id(range_): self.table.number_of(range_) for range_ in {id(r): r for r in ranges}.values()}
        own[worlds, body] = [numbers[id(range_)] for range_ in ranges]
        if len(self.table.ranges) > self._most:
            self._tidy(own)
            self.list_blocks(own, np.arange(len(self.lists)))
        else:
            self.list_blocks(own, np.unique(worlds // self._width))

    def _tidy(self, own: Array) -> None:
        """Leave out ranges that no world has."""
        old, self.table = self.table, RangeTable(self.table.numbers.dtype)
        used = np.unique(own[own != NONE]).astype(np.int64)
        number = np.full(len(old.ranges) + 1, NONE)  # the last is that of NONE
        number[used] = [self.table.number_of(old.ranges[k]) for k in used]
        own[:] = number[own.astype(np.int64)]
        self._most = max(FEW, 2 * len(used))

    def list_blocks(self, own: Array, blocks: Array) -> None:
        """Write the lists of some blocks."""
        width, bodies, starts = self._width, own.shape[1], np.array([*self.table.starts, 0], np.int64)
        worlds = np.minimum(blocks[:, None] * width + np.arange(width), len(own) - 1)  # the last fills up its block
        numbers = np.sort(own[worlds].astype(np.int64), axis=1)
        first = numbers != NONE
        first[:, 1:] &= numbers[:, 1:] != numbers[:, :-1]
        lists = np.zeros((len(blocks), bodies, 1 + 2 * width), np.int64)
        lists[:, :, 0] = first.sum(axis=1)
        block, lane, body = np.nonzero(first)
        place, number = np.cumsum(first, axis=1)[block, lane, body] - 1, numbers[block, lane, body]
        lists[block, body, 1 + 2 * place], lists[block, body, 2 + 2 * place] = number, starts[number]
        self.lists[blocks] = lists.reshape(len(blocks), -1)

    def copied(self) -> "BatchRanges":
        """The same once more."""
        other = copy.copy(self)
        other.table, other.lists = self.table.copied(), self.lists.copy()
        return other
