"""Blocks dealt out to threads: who is free takes the next few, so a thread that wakes up late, or is slow, does less.

Fit for work whose results do not depend on who does it.
"""

from collections import deque
from collections.abc import Callable
from itertools import pairwise

from hitogata.lanes import share


def portions(count: int, threads: int) -> list[tuple[int, int]]:
    """Contiguous parts of range(count), smaller and smaller: each half of an even share of what is left, 1 at least."""
    edges = [0]
    while edges[-1] < count:
        edges.append(edges[-1] + max(1, (count - edges[-1]) // (2 * threads)))
    return list(pairwise(edges))


def deal(count: int, threads: int, run: Callable[[int, int, int], object]) -> None:
    """Call run(thread, first, end) for parts of range(count), one after the other on each thread.

    Args:
        count: number of things to deal out.
        threads: how many, 1 to count; with 1, there is one part.
        run: called with the number of the thread, the first and one past the last thing of a part.
    """
    if threads == 1:
        run(0, 0, count)
        return
    left = deque(portions(count, threads))

    def work(thread: int, _: int) -> None:
        while True:
            try:
                first, end = left.popleft()
            except IndexError:  # all are taken
                return
            run(thread, first, end)

    share(threads, threads, work)
