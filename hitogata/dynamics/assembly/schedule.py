"""Schedules: which joint is added when, as a binary tree (Nakamura & Yamane: trees of figures 2, 3 and 5).

An order of joints is a tree: a joint's node has two branches, the joints last added to the pieces on its two sides.
Different orders may be the same tree; joints in different branches do not wait for each other.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hitogata.dynamics.assembly.costs import CostModel
from hitogata.dynamics.assembly.elements import TOP
from hitogata.dynamics.assembly.topology import Topology
from hitogata.errors import ArgumentError

IntArray = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Nodes:
    """The tree of a schedule; one node per joint, in the order of adding, joint 0 (to the world) last.

    Attributes:
        upper: node of the joint last added to the piece above, -1: a bare body (or the world).
        lower: the same of the piece below.
        above: numbers of the interface of the piece above, beside its top.
        below: the same of the piece below, its top included if that stays open.
        soft: whether the joint hangs on an open body of the piece above.
        closed: rows of loops that close here.
    """

    upper: IntArray
    lower: IntArray
    above: IntArray
    below: IntArray
    soft: np.ndarray[Any, np.dtype[np.bool_]]
    closed: IntArray


@dataclass(frozen=True)
class Schedule:
    """An order of joints for a tree of bodies.

    Attributes:
        tree: the bodies.
        order: all joints but joint 0, in the order of adding.
        ends: bodies that each row of closed loops holds together, the second -1 for the world.
        processors: it was planned for; None: as many as there is use for.
    """

    tree: Topology
    order: tuple[int, ...]
    ends: tuple[tuple[int, int], ...] = ()
    processors: int | None = 1
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if sorted(self.order) != list(range(1, len(self.tree))):
            raise ArgumentError(f"order: expected every joint from 1 to {len(self.tree) - 1} once")
        _check_rows(self.tree, self.ends)
        if any(self.tree.light):
            _check_light(self.tree, self.order)

    def __len__(self) -> int:
        """Joints, that to the world included."""
        return len(self.tree)

    @property
    def joints(self) -> tuple[int, ...]:
        """The joint of each node."""
        return (*self.order, 0)

    @cached_property
    def nodes(self) -> Nodes:
        """The tree."""
        return _nodes(self)

    @cached_property
    def depth(self) -> int:
        """Joints on the longest way from a tip of the schedule to its end."""
        return int(self._longest(np.ones(len(self))))

    def costs(self, model: CostModel) -> tuple[Any, Any]:
        """Time of each node, inward and outward [ns]."""
        n, columns = self.nodes, self.tree.columns
        each = zip(self.joints, n.below.tolist(), n.soft.tolist(), n.above.tolist(), strict=True)
        inward = np.array([model.inward(columns[j], below, soft, above) for j, below, soft, above in each])
        outward = np.array(
            [model.outward(columns[j], soft) for j, soft in zip(self.joints, n.soft.tolist(), strict=True)]
        )
        return inward, outward

    def work(self, model: CostModel) -> float:
        """Time of all nodes on one processor [ns]."""
        inward, outward = self.costs(model)
        return float(inward.sum() + outward.sum() + model.place * len(self))

    def _longest(self, cost: Any) -> float:
        """Cost of the longest way."""
        done: list[float] = []
        for c, u, low in zip(cost.tolist(), self.nodes.upper.tolist(), self.nodes.lower.tolist(), strict=True):
            done.append(c + max(done[u] if u >= 0 else 0.0, done[low] if low >= 0 else 0.0))
        return done[-1]


def _check_rows(tree: Topology, ends: Sequence[tuple[int, int]]) -> None:
    for row, (a, b) in enumerate(ends):
        if not (0 <= a < len(tree) and -1 <= b < len(tree) and a != b):
            raise ArgumentError(f"ends[{row}] is {(a, b)}: expected two different bodies below {len(tree)}, or -1")


def _check_light(tree: Topology, order: Sequence[int]) -> None:
    place = {joint: k for k, joint in enumerate(order)}
    for i in range(1, len(tree)):
        parent = tree.parents[i]
        if parent > 0 and tree.light[parent] and place[parent] < place[i]:
            raise ArgumentError(
                f"order: joint {tree.names[parent]!r} (body {parent}) would be added while nothing with mass hangs on "
                f"its body; add joint {tree.names[i]!r} (body {i}) before it"
            )


def _nodes(schedule: Schedule) -> Nodes:
    tree, joints, count = schedule.tree, schedule.joints, len(schedule)
    used = [Counter[int]() for _ in tree.followers]  # by piece: of each coordinate yet open, how many joints inside
    group = list(range(count))
    last = [-1] * count  # node of the joint last added, by piece
    tops = list(range(count))
    waiting = [len(c) for c in tree.children]
    opened: list[set[Any]] = [set() for _ in range(count)]  # open bodies but the top, and open rows as (row,)
    met: list[set[Any]] = [set() for _ in range(count)]  # rows that wait for coordinates, both their ends inside
    for row, pair in enumerate(schedule.ends):
        for body in pair:
            if body >= 0:
                opened[body].add((row,))
    upper, lower, above, below, closed = (np.zeros(count, np.int64) for _ in range(5))
    soft = np.zeros(count, np.bool_)

    def find(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    for node, body in enumerate(joints):
        low, parent = find(body), tree.parents[body]
        lower[node], upper[node] = last[low], -1
        inside = opened[low]
        if waiting[body]:
            inside.add(body)
        below[node] = sum(TOP if isinstance(k, int) else 1 for k in inside)
        if used:
            used[low].update(tree.followers[body])
            below[node] += len(used[low])
        if parent < 0:
            closed[node] = len(inside)
            break
        up = find(parent)
        upper[node] = last[up]
        above[node] = sum(TOP if isinstance(k, int) else 1 for k in opened[up])
        if used:
            above[node] += len(used[up])
            used[up].update(used[low])
            used[up] = Counter({c: n for c, n in used[up].items() if n < tree.joints_moved[c]})
        soft[node] = tops[up] != parent
        waiting[parent] -= 1
        if soft[node] and waiting[parent] == 0:
            opened[up].discard(parent)
        closing = {k for k in inside & opened[up] if not isinstance(k, int)} | met[low] | met[up]
        met[up] = set()
        if used and used[up]:
            met[up], closing = closing, set()
        closed[node] = len(closing)
        small, large = sorted((inside, opened[up]), key=len)
        large |= small
        large -= closing
        group[low] = up
        opened[up], last[up] = large, node
    return Nodes(upper, lower, above, below, soft, closed)
