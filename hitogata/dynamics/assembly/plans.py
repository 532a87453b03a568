"""Plans: good orders of joints, for the least work or for the least time on p processors.

Least work: from the tips, so that every joint puts one body on an assembly with nothing open; this is the
articulated-body recursion, and no order does less.  Least time: the tree is cut along its heavy paths (from each body
to the child with most bodies beyond it) into pieces of about the same cost; pieces grow from their lower ends, all at
the same time, and neighbours merge, those first that are ready first.  A path that hangs on a path is halved in size at
every level, so with pieces of one body the depth is O(log N) for every tree.  The size of pieces is found by trying.
"""

import heapq
from collections.abc import Sequence
from typing import Any

from hitogata.dynamics.assembly.costs import CostModel
from hitogata.dynamics.assembly.program import Program, write_program
from hitogata.dynamics.assembly.schedule import Schedule
from hitogata.dynamics.assembly.timeline import simulate
from hitogata.dynamics.assembly.topology import Topology, topology_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure

KEPT = 64
"""Programs kept for a figure."""

Ends = Sequence[tuple[int, int]]


def plan(
    figure: Figure | Topology,
    *,
    processors: int | None = 1,
    ends: Ends = (),
    costs: CostModel | None = None,
) -> Schedule:
    """A good order of joints, kept with the figure.

    Args:
        figure: a figure, or a bare tree.
        processors: to plan for, 1 or more; None: as many as there is use for.
        ends: bodies that each row of closed loops holds together, the second -1 for the world.
        costs: of joining; None: the constant model, with which plans are the same on every machine.
    """
    if processors is not None and (not isinstance(processors, int) or isinstance(processors, bool) or processors < 1):
        raise ArgumentError(f"processors: must be 1 or more, or None for as many as are of use; got {processors!r}")
    tree = topology_of(figure) if isinstance(figure, Figure) else figure
    if not isinstance(tree, Topology):
        raise ArgumentError(f"figure: expected a Figure or a Topology, got {type(figure).__name__}")
    kept: dict[Any, Schedule] = figure.compiled.setdefault("plans", {}) if isinstance(figure, Figure) else {}
    key = (processors, costs)
    base = kept.get(key)
    if base is None:
        base = _best(tree, processors, CostModel() if costs is None else costs)
        if len(kept) >= KEPT:
            kept.clear()
        kept[key] = base
    return replan(base, ends)


def replan(schedule: Schedule, ends: Ends) -> Schedule:
    """The schedule after loops came or went: the order of joints stays, rows close where their bodies now meet."""
    given = tuple((int(a), int(b)) for a, b in ends)
    if given == schedule.ends:
        return schedule
    return Schedule(schedule.tree, schedule.order, given, schedule.processors)


def program_for(figure: Figure, ends: Ends = (), schedule: Schedule | None = None) -> Program:
    """What the sweeps run, for the plan of one processor or a given one; kept with the figure."""
    kept: dict[Any, Program] = figure.compiled.setdefault("programs", {})
    key = (tuple(ends), None if schedule is None else schedule.order)
    found = kept.get(key)
    if found is None:
        chosen = plan(figure, ends=ends) if schedule is None else schedule
        found = write_program(chosen.tree, chosen.order, chosen.ends)
        if len(kept) >= KEPT:
            kept.clear()
        kept[key] = found
    return found


# ------------------------------------------------------- finding an order


def _best(tree: Topology, processors: int | None, costs: CostModel) -> Schedule:
    serial = Schedule(tree, tuple(range(len(tree) - 1, 0, -1)), (), processors)
    if processors == 1 or len(tree) < 3:
        return serial
    count, best = len(tree), serial
    least = min(simulate(serial, 1, costs).time, simulate(serial, processors, costs).time)
    share = 1.0 if processors is None else count / processors
    sizes: tuple[float, ...] = (1, 2, 3, 4, 6, 8, 12, 16)
    if processors is not None:
        sizes = (share / 4, share / 2, share * 0.75, share, share * 1.3)
    for size in sorted({max(1, round(s)) for s in sizes}):
        order = cut_order(tree, size, costs)
        schedule = Schedule(tree, tuple(order), (), processors)
        time = simulate(schedule, processors, costs).time
        if time < least:
            best, least = schedule, time
    return best


def heavy_paths(tree: Topology, *, forest: bool = False) -> list[list[int]]:
    """The tree as paths from the top down, deepest paths first: what hangs on a path comes before it.

    forest: the root is left out, and each of its children begins a path.
    """
    sizes, heavy = tree.sizes, [-1] * len(tree)
    for i in range(len(tree)):
        if tree.children[i]:
            heavy[i] = max(tree.children[i], key=lambda c: (sizes[c], -c))
    paths = []
    if forest:
        heavy[0] = -1
    for i in range(1 if forest else 0, len(tree)):
        if i == 0 or heavy[tree.parents[i]] != i:
            path, at = [], i
            while at >= 0:
                path.append(at)
                at = heavy[at]
            paths.append(path)
    return paths[::-1]  # bodies come parents first, so a path's first body comes after what it hangs on


def cut_order(tree: Topology, size: int, costs: CostModel) -> list[int]:
    """An order with pieces of about `size` bodies along every heavy path."""
    order: list[int] = []
    ready = [0.0] * len(tree)  # time at which what hangs aside of a body is there
    for path in heavy_paths(tree):
        segments = cut_path(tree, path, size)
        times = []
        for k, segment in enumerate(segments):
            below = 6 if k + 1 < len(segments) else 0
            time = 0.0
            for n in range(len(segment) - 1, -1, -1):
                time = max(time, ready[segment[n]])
                if n:
                    order.append(segment[n])
                    time += costs.inward(tree.columns[segment[n]], below, False, 0)
            times.append(time)
        done = _merge(tree, segments, times, order, costs)
        top = path[0]
        if top:
            order.append(top)
            parent = tree.parents[top]
            cost = costs.inward(tree.columns[top], 0, False, 0)
            ready[parent] = max(ready[parent], done + cost - costs.add) + costs.add
    return order


def cut_path(tree: Topology, path: list[int], size: int) -> list[list[int]]:
    """A path in pieces of about equal length, none of them ending in a light body."""
    parts = max(1, round(len(path) / size))
    edges = [len(path) * k // parts for k in range(parts + 1)]
    segments: list[list[int]] = []
    start = 0
    for end in edges[1:]:
        while end < len(path) and tree.light[path[end - 1]]:
            end += 1
        if end > start:
            segments.append(path[start:end])
            start = end
    return segments


def _merge(
    tree: Topology, segments: list[list[int]], times: list[float], order: list[int], costs: CostModel
) -> float:
    """Merge neighbours, those first that are done first; returns when all are."""
    count = len(segments)
    after, before = list(range(1, count + 1)), list(range(-1, count - 1))
    alive, done, stamp = [True] * count, list(times), [0] * count

    def offer(i: int) -> tuple[float, int, int, int]:
        j = after[i]
        below = 6 if after[j] < count else 0
        cost = costs.inward(tree.columns[segments[j][0]], below, len(segments[i]) > 1 or i != j - 1, 0)
        return max(done[i], done[j]) + cost, i, stamp[i], stamp[j]

    offers = [offer(i) for i in range(count - 1)]
    heapq.heapify(offers)
    while offers:
        time, i, own, other = heapq.heappop(offers)
        j = after[i]
        if not alive[i] or stamp[i] != own or j >= count or stamp[j] != other:
            continue
        order.append(segments[j][0])
        done[i], alive[j], after[i] = time, False, after[j]
        stamp[i] += 1
        if after[j] < count:
            before[after[j]] = i
            heapq.heappush(offers, offer(i))
        if before[i] >= 0:
            heapq.heappush(offers, offer(before[i]))
    return done[0]
