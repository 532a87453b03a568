"""From a schedule to what the sweeps run: sizes of all interfaces, and where everything stands in memory.

Depends on the order of joints and on which bodies the rows of loops hold, not on numbers: made once per topology.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics.assembly.elements import TOP
from hitogata.dynamics.assembly.sweeps import SMALL, Leaf, Step
from hitogata.dynamics.assembly.topology import Topology
from hitogata.lanes import record_offsets

HEADER = 4
"""Before the leaves: bodies, numbers of memory, shares of coordinates in joints, coordinates of several joints."""

Ends = tuple[int, int]
"""Bodies that a row holds together, the second -1 for the world."""


@dataclass(frozen=True)
class Program:
    """A schedule laid out.

    Attributes:
        ints: header, one `Leaf` per body, one `Step` per joint, places.
        memory: numbers of scratch that it needs.
        sizes: interface of each assembly [numbers], in the order of the steps: 6 for its top, 6 for each open body,
            1 for each open row and each coordinate whose joints are not all inside.
    """

    ints: np.ndarray[Any, np.dtype[np.int64]]
    memory: int
    sizes: tuple[int, ...]


class _Piece(NamedTuple):
    """An assembly while the program is written.

    Its interface as keys, in order: ("top", number), (body, number), ("row", row), ("coordinate", number).
    """

    top: int
    keys: tuple[Any, ...]
    at: int
    x: int  # with room for what its joint adds: its top as an open body, coordinates
    used: dict[int, int]  # of each coordinate that is open, how many joints inside it moves
    met: tuple[int, ...]  # rows with both ends inside, open while coordinates are: these may be all that moves them


class _Memory:
    def __init__(self) -> None:
        self.end = SMALL

    def take(self, count: int) -> int:
        at = self.end
        self.end += count
        return at

    def element(self, n: int) -> int:
        return self.take(n * n + n)


def write_program(tree: Topology, order: Sequence[int], ends: Sequence[Ends] = ()) -> Program:
    """Lay out a schedule.

    Args:
        tree: the bodies.
        order: all joints but joint 0, in the order in which they are added.
        ends: bodies of each row of closed loops.
    """
    memory = _Memory()
    places: list[int] = []
    step_at = HEADER + len(tree) * Leaf.SIZE  # type: ignore[attr-defined]
    first = step_at + len(tree) * Step.SIZE  # type: ignore[attr-defined]
    room = TOP + max(map(len, tree.followers), default=0)

    def keep(numbers: Sequence[int]) -> int:
        at = first + len(places)
        places.extend(numbers)
        return at

    at_body: list[list[tuple[int, int]]] = [[] for _ in range(len(tree))]
    for row, pair in enumerate(ends):
        for end, body in enumerate(pair):
            if body >= 0:
                at_body[body].append((row, end))
    leaves, pieces = [], []
    for body in range(len(tree)):
        size = TOP + len(at_body[body])
        at, x = memory.element(size), memory.take(size + room)
        leaves += [at, size, x, keep([k for pair in at_body[body] for k in pair])]
        keys = (*[("top", h) for h in range(TOP)], *[("row", row) for row, _ in at_body[body]])
        pieces.append(_Piece(body, keys, at, x, {}, ()))
    waiting = [len(c) for c in tree.children]
    group = list(range(len(tree)))
    steps, sizes = [], []
    for body in [*order, 0]:
        low = pieces[_find(group, body)]
        parent = tree.parents[body]
        up = pieces[_find(group, parent)] if parent >= 0 else None
        if parent >= 0:
            waiting[parent] -= 1
        step, piece = _write_step(tree, body, low, up, waiting, memory, keep)
        steps += step
        sizes.append(len(piece.keys))
        root = _find(group, body)
        if parent >= 0:
            group[root] = _find(group, parent)
        pieces[_find(group, body)] = piece
    header = [len(tree), memory.end, sum(map(len, tree.followers)), len(tree.joints_moved)]
    ints = np.array([*header, *leaves, *steps, *places], np.int64)
    return Program(ints, memory.end, tuple(sizes))


def _find(group: list[int], i: int) -> int:
    while group[i] != i:
        group[i] = group[group[i]]
        i = group[i]
    return i


def _write_step(
    tree: Topology, body: int, low: _Piece, up: _Piece | None, waiting: list[int], memory: _Memory, keep: Any
) -> tuple[list[int], _Piece]:
    """One joint: the step's integers, and the assembly that it makes."""
    opens = waiting[body] > 0  # the lower top has joints still to come: it stays in sight
    moved = tree.followers[body] if tree.followers else ()
    fresh = [("coordinate", c) for c in moved if c not in low.used]
    ready = (*low.keys, *fresh, *([(body, h) for h in range(TOP)] if opens else ()))
    used, freed = _used(tree, moved, low, up) if tree.followers else ({}, [])
    parent = tree.parents[body]
    above = up.keys if up is not None else ()
    handle = 0 if up is None or up.top == parent else above.index((parent, 0))
    gone = handle > 0 and waiting[parent] == 0
    upper = [k for k in above if not (gone and k[0] == parent)]
    joined = list(dict.fromkeys([*upper, *ready[TOP:]]))
    rows = [k[1] for k in joined if k[0] == "row"]
    both = set(above) & set(ready)  # a row that both bring: its two bodies have met
    met = tuple(r for r in rows if ("row", r) in both or r in low.met or (up is not None and r in up.met))
    closing = rows if up is None else [] if used else list(met)
    whole = [
        k for k in joined if not ((k[0] == "row" and k[1] in closing) or (k[0] == "coordinate" and k[1] in freed))
    ]
    joined = [*whole, *[("row", r) for r in closing], *[("coordinate", c) for c in freed]]
    where = {key: i for i, key in enumerate(joined)}
    n, count, size = len(ready), tree.columns[body], len(joined)
    ready_at, joined_at = memory.element(n), memory.element(size)
    whole_at = memory.element(len(whole)) if closing or freed else joined_at
    room = TOP + max(map(len, tree.followers), default=0)
    numbers = {
        "body": body, "lower_at": low.at, "lower_size": len(low.keys), "ready_at": ready_at, "ready_size": n,
        "upper_at": -1 if up is None else up.at, "upper_size": len(above), "handle": handle,
        "upper_places_at": keep([where.get(k, -1) for k in above]),
        "lower_places_at": keep([*range(TOP), *[where[k] for k in ready[TOP:]]]),
        "joined_at": joined_at, "joined_size": size, "closed": len(closing), "rows_at": keep(closing),
        "whole_at": whole_at, "whole_size": len(whole),
        "force_at": memory.take(TOP * (len(above) + n)) if handle else 0,
        "columns_at": memory.take(count * (n + 2)),
        "close_at": memory.take(2 * len(closing) + (len(whole) + 1) * len(closing) + size),
        "lower_x": low.x, "upper_x": 0 if up is None else up.x, "whole_x": memory.take(len(whole) + room),
        "fresh": len(fresh), "moved": len(moved), "moved_at": keep([ready.index(("coordinate", c)) for c in moved]),
        "share_at": tree.first_share[body], "freed": len(freed), "freed_at": keep(freed),
        "freed_x": memory.take(len(freed) * (size + 2)),
    }  # fmt: skip
    piece = _Piece(-1 if up is None else up.top, tuple(whole), whole_at, numbers["whole_x"], used, met if used else ())
    return [numbers[name] for name in record_offsets(Step)], piece


def _used(tree: Topology, moved: Sequence[int], low: _Piece, up: _Piece | None) -> tuple[dict[int, int], list[int]]:
    """Coordinates that stay open when a joint is added, with how many joints of theirs are inside; and the others."""
    counts = dict(low.used)
    for c, count in [*[(c, 1) for c in moved], *(up.used.items() if up is not None else ())]:
        counts[c] = counts.get(c, 0) + count
    freed = [c for c, count in counts.items() if count == tree.joints_moved[c]]
    return {c: count for c, count in counts.items() if c not in freed}, freed

