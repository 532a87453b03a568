"""Schedules and plans: brute force over all orders, growth with the logarithm, processors that keep the rules."""

import itertools
import math
import time

import numpy as np
import pytest

from hitogata.dynamics.assembly import UNIT, CostModel, Schedule, best_timeline, plan, replan, simulate, tree_of
from hitogata.dynamics.assembly.plans import cut_order
from hitogata.dynamics.assembly.program import write_program
from hitogata.errors import ArgumentError
from hitogata.library import human40

TREES = {
    "chain": [-1, 0, 1, 2, 3, 4, 5],
    "fork": [-1, 0, 1, 1, 3, 2],
    "star": [-1, 0, 0, 0, 0, 0],
    "arms": [-1, 0, 1, 0, 3, 0],
}


def chain_of(n: int):
    return tree_of([i - 1 for i in range(n)])


def random_tree(rng: np.random.Generator, n: int):
    return tree_of([-1, *[int(rng.integers(max(0, i - 4), i)) for i in range(1, n)]], columns=rng.integers(0, 4, n))


def longest(schedule: Schedule, costs: CostModel) -> float:
    """Time of assembly on any number of processors without messages, by its definition."""
    inward, _ = schedule.costs(costs)
    nodes, done = schedule.nodes, []
    for node in range(len(schedule)):
        branches = [done[b] for b in (nodes.upper[node], nodes.lower[node]) if b >= 0]
        done.append(inward[node] + max(branches, default=0.0))
    return done[-1]


@pytest.mark.parametrize("name", TREES)
def test_no_order_does_less_work_and_hardly_one_is_shallower(name):
    """All orders of a small tree."""
    tree = tree_of(TREES[name])
    orders = [Schedule(tree, order) for order in itertools.permutations(range(1, len(tree)))]
    least = min(s.work(CostModel()) for s in orders)
    assert plan(tree).work(CostModel()) == pytest.approx(least, rel=1e-12)
    shallowest = min(s.depth for s in orders)
    assert plan(tree, processors=None, costs=UNIT).depth <= shallowest + (0 if name in ("chain", "star", "arms") else 1)


@pytest.mark.parametrize("n", [8, 16, 32, 256, 4096])
def test_depth_of_chains_grows_with_the_logarithm(n):
    """The paper's chains: n joints, that to the world last; pieces merge in pairs."""
    tree = chain_of(n)
    assert plan(tree).depth == n
    deep = Schedule(tree, tuple(cut_order(tree, 1, UNIT)))
    assert deep.depth == math.ceil(math.log2(n)) + 1


def test_depth_of_any_tree_grows_with_the_logarithm():
    rng = np.random.default_rng(0)
    for n in (100, 1000, 10000):
        tree = random_tree(rng, n)
        schedule = Schedule(tree, tuple(cut_order(tree, 1, CostModel())))
        assert sorted(schedule.order) == list(range(1, n))
        assert longest(schedule, UNIT) <= 6 * math.log2(n)


@pytest.mark.parametrize("processors", [1, 2, 5, None])
def test_timelines_keep_the_rules(processors):
    """Nobody does two things at once, nothing starts before what it needs has come, and all work is done."""
    rng = np.random.default_rng(1)
    for _ in range(6):
        tree = random_tree(rng, 60)
        costs = CostModel(message=float(rng.uniform(0, 200)))
        schedule = Schedule(tree, tuple(cut_order(tree, int(rng.integers(1, 12)), costs)))
        line = simulate(schedule, processors, costs)
        inward, outward = schedule.costs(costs)
        assert processors is None or line.processors <= processors
        assert np.allclose(line.end - line.start, inward)
        assert np.allclose(line.back_end - line.back_start, outward)
        nodes = schedule.nodes
        for starts, ends in ((line.start, line.end), (line.back_start, line.back_end)):
            for k in range(line.processors):
                own = np.flatnonzero(line.processor == k)
                own = own[np.argsort(starts[own])]
                assert (starts[own[1:]] >= ends[own[:-1]] - 1e-9).all()
        for node in range(len(schedule)):
            for branch, free in ((nodes.lower[node], 0.0), (nodes.upper[node], max(inward[node] - costs.add, 0.0))):
                if branch >= 0:
                    wait = costs.message * (line.processor[branch] != line.processor[node])
                    ahead = 0.0 if nodes.soft[node] or branch == nodes.lower[node] else free
                    assert line.start[node] + ahead >= line.end[branch] + wait - 1e-9
                    assert line.back_start[branch] >= line.back_end[node] + wait - 1e-9
        assert line.time >= line.work / line.processors - 1e-6


def test_one_processor_needs_the_work_and_many_need_less():
    tree, costs = chain_of(512), CostModel(message=0.0)
    serial = plan(tree)
    assert simulate(serial, 1, costs).time == pytest.approx(serial.work(costs))
    times = [best_timeline(plan(tree, processors=p, costs=costs), p, costs).time for p in (1, 2, 8, 64)]
    assert times == sorted(times, reverse=True)
    assert times[0] > 6 * times[-1]


def test_rows_close_where_their_bodies_meet():
    tree = tree_of(TREES["arms"])
    loop = Schedule(tree, (2, 4, 1, 3, 5), ((2, 4), (5, -1)))
    closed = dict(zip(loop.joints, loop.nodes.closed.tolist(), strict=True))
    assert closed == {2: 0, 4: 0, 1: 0, 3: 1, 5: 0, 0: 1}


def test_replanning_is_quick_and_forgets_nothing():
    """A grasp comes and goes: the same as planned from the start.  (Times are told by the benchmark.)"""
    figure = human40()
    free = plan(figure)
    held = replan(free, [(5, -1)] * 6)
    assert held == plan(figure, ends=[(5, -1)] * 6)
    assert held.order == free.order
    assert replan(held, []) == free
    assert plan(figure) is free
    start = time.process_time()
    for k in range(20):
        schedule = replan(free, [(5, -1)] * (1 + k % 6))
        write_program(schedule.tree, schedule.order, schedule.ends)
    assert time.process_time() - start < 20 * 0.05  # a guard against another order of growth, not a measurement


def test_bad_input():
    tree = tree_of([-1, 0, 1])
    for wrong in (0, -3, True, 1.5):
        with pytest.raises(ArgumentError, match="processors: must be 1 or more"):
            plan(tree, processors=wrong)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="processors: must be 1 or more"):
        simulate(plan(tree), 0)
    with pytest.raises(ArgumentError, match=r"2 bodies have no parent \(0, 2\)"):
        tree_of([-1, 0, -1])
    with pytest.raises(ArgumentError, match=r"parents\[1\] is 2"):
        tree_of([-1, 2, 0])
    with pytest.raises(ArgumentError, match="at least one body"):
        tree_of([])
    with pytest.raises(ArgumentError, match="columns: expected 3 numbers"):
        tree_of([-1, 0, 1], columns=[1, 7, 1])
    with pytest.raises(ArgumentError, match="every joint from 1 to 2 once"):
        Schedule(tree, (1, 1))
    with pytest.raises(ArgumentError, match=r"ends\[0\] is \(1, 1\)"):
        plan(tree, ends=[(1, 1)])
    with pytest.raises(ArgumentError, match="link: a cost must be a finite number"):
        CostModel(link=-1.0)
    with pytest.raises(ArgumentError, match="expected a Figure or a Topology"):
        plan([-1, 0])  # type: ignore[arg-type]
