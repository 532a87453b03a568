"""A schedule on p processors, simulated: who does what when, with a cost for every message between processors.

Four sweeps over the schedule's tree, each waiting for the one before:

    placing inward      rotations and angular velocities of pieces against their tops (products, associative too)
    placing outward     the same against the world
    assembly            inward
    disassembly         outward

On one processor the first is not needed.  Inward, a node waits for its two branches; it runs where one of them ran, or
on the processor that is free first, whichever starts it earlier; a branch that ran elsewhere sends a message.  Outward,
every node runs where it ran inward.  Bodies that come to rest on the same body are summed in pairs.
"""

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics.assembly.costs import CostModel
from hitogata.dynamics.assembly.schedule import Schedule
from hitogata.errors import ArgumentError

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Timeline:
    """A schedule in time.

    Attributes:
        schedule: what was run.
        processors: how many did at least one node.
        processor: of each node, shape (joints,).
        start: of each node's assembly [ns], counted from the start of assembly, shape (joints,).
        end: its end.
        back_start: of each node's disassembly, shape (joints,).
        back_end: its end.
        placing: both placing sweeps [ns].
        time: all four sweeps [ns].
        messages: sent in all sweeps.
        work: time that processors were busy [ns].
    """

    schedule: Schedule
    processors: int
    processor: Array
    start: Array
    end: Array
    back_start: Array
    back_end: Array
    placing: float
    time: float
    messages: int
    work: float


def simulate(schedule: Schedule, processors: int | None = None, costs: CostModel | None = None) -> Timeline:
    """Run a schedule on simulated processors.

    Args:
        schedule: the order of joints.
        processors: how many, 1 or more; None: as many as there is use for.
        costs: of joining and of messages; None: the constant model.
    """
    if processors is not None and processors < 1:
        raise ArgumentError(f"processors: must be 1 or more, or None for as many as are of use; got {processors!r}")
    model = CostModel() if costs is None else costs
    inward, outward = schedule.costs(model)
    count = len(schedule)
    p = min(processors or count, count)
    nodes = schedule.nodes
    branches = _branches(nodes.upper, nodes.lower, nodes.soft, inward, model.add)
    at, start, end, sent = _inward(branches, inward, p, model)
    order = np.argsort(end, kind="stable")  # nothing ends before what it needs
    back_start, back_end, sent_back = _outward(branches, outward, at, order, model.message)
    serial = int(at.max()) == 0
    place = np.full(count, model.place)
    out_only = _outward(branches, place, at, order, model.message)
    placing = float(out_only[1].max())
    messages = sent + 2 * sent_back
    if not serial:
        placing += float(_along(branches, place, at, order, model.message))
        messages += sent
    time = placing + float(end.max()) + float(back_end.max())
    work = float(inward.sum() + outward.sum() + place.sum() * (1 if serial else 2))
    return Timeline(schedule, int(at.max()) + 1, at, start, end, back_start, back_end, placing, time, messages, work)


def best_timeline(schedule: Schedule, processors: int | None = None, costs: CostModel | None = None) -> Timeline:
    """The fastest run on at most so many processors: where messages cost more than they save, fewer are better."""
    count = min(processors or len(schedule), len(schedule))
    best = simulate(schedule, processors, costs)
    while count > 1:
        count = count // 2
        other = simulate(schedule, count, costs)
        if other.time < best.time:
            best = other
    return best


@dataclass(frozen=True)
class _Branches:
    """What a node waits for: its lower branch with all of its time, the upper with the time of adding alone."""

    upper: list[int]
    lower: list[int]
    later: list[int]  # the node that waits for this one; -1: none
    wait: list[float]  # of the upper branch: part of the node's time that does not need it


def _branches(upper: Array, lower: Array, soft: Array, cost: Array, add: float) -> _Branches:
    """Sums of many closed pieces on one body, one after the other in the order, cost `add` each and no more.

    A node whose joint rests on the top of the piece above needs that piece only for a sum at its end.
    """
    later = [-1] * len(upper)
    up, low = upper.tolist(), lower.tolist()
    for node, (u, b) in enumerate(zip(up, low, strict=True)):
        if u >= 0:
            later[u] = node
        if b >= 0:
            later[b] = node
    wait = np.where(soft, 0.0, np.maximum(cost - add, 0.0)).tolist()
    return _Branches(up, low, later, wait)


def _priorities(branches: _Branches, cost: Array) -> list[float]:
    """Cost from a node to the end."""
    left, costs = [0.0] * len(cost), cost.tolist()
    for node in range(len(costs) - 1, -1, -1):
        later = branches.later[node]
        left[node] = costs[node] + (left[later] if later >= 0 else 0.0)
    return left


def _inward(branches: _Branches, cost: Array, p: int, model: CostModel) -> tuple[Array, Array, Array, int]:
    count, costs, message = len(cost), cost.tolist(), model.message
    upper, lower, later, wait = branches.upper, branches.lower, branches.later, branches.wait
    left = _priorities(branches, cost)
    missing = [(u >= 0) + (b >= 0) for u, b in zip(upper, lower, strict=True)]
    at, start, end = [0] * count, [0.0] * count, [0.0] * count
    free = [0.0] * p
    idle = [(0.0, k) for k in range(p)]
    ready = [(0.0, -left[n], n) for n in range(count) if missing[n] == 0]
    heapq.heapify(ready)
    sent = 0
    while ready:
        _, _, node = heapq.heappop(ready)
        u, b = upper[node], lower[node]
        while idle[0][0] != free[idle[0][1]]:
            heapq.heapreplace(idle, (free[idle[0][1]], idle[0][1]))
        choices = {idle[0][1]: None}
        for branch in (b, u):
            if branch >= 0:
                choices[at[branch]] = None
        best, chosen = float("inf"), 0
        for k in sorted(choices, reverse=True):
            begin = free[k]
            if b >= 0:
                begin = max(begin, end[b] + (message if at[b] != k else 0.0))
            if u >= 0:
                begin = max(begin, end[u] + (message if at[u] != k else 0.0) - wait[node])
            if begin <= best:
                best, chosen = begin, k
        sent += sum(1 for branch in (b, u) if branch >= 0 and at[branch] != chosen)
        at[node], start[node], end[node] = chosen, best, best + costs[node]
        free[chosen] = end[node]
        after = later[node]
        if after >= 0:
            missing[after] -= 1
            if missing[after] == 0:
                known = max(end[k] for k in (upper[after], lower[after]) if k >= 0)
                heapq.heappush(ready, (known, -left[after], after))
    return np.array(at), np.array(start), np.array(end), sent


def _outward(branches: _Branches, cost: Array, at: Array, order: Array, message: float) -> tuple[Array, Array, int]:
    """Back the same way: every processor in the reverse of its own order."""
    where, costs, later = at.tolist(), cost.tolist(), branches.later
    free = [0.0] * (int(at.max()) + 1)
    begin, end, sent = [0.0] * len(costs), [0.0] * len(costs), 0
    for node in order[::-1].tolist():
        k, after = where[node], later[node]
        time = free[k]
        if after >= 0:
            away = where[after] != k
            sent += away
            time = max(time, end[after] + (message if away else 0.0))
        begin[node], end[node] = time, time + costs[node]
        free[k] = end[node]
    return np.array(begin), np.array(end), sent


def _along(branches: _Branches, cost: Array, at: Array, order: Array, message: float) -> float:
    """Another inward sweep on the same processors in the same order; when it ends."""
    where, costs = at.tolist(), cost.tolist()
    free, end = [0.0] * (int(at.max()) + 1), [0.0] * len(costs)
    for node in order.tolist():
        k = where[node]
        time = free[k]
        for branch in (branches.upper[node], branches.lower[node]):
            if branch >= 0:
                time = max(time, end[branch] + (message if where[branch] != k else 0.0))
        end[node] = time + costs[node]
        free[k] = end[node]
    return max(end)
