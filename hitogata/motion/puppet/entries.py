"""Frames and solves as Python calls them: flat arrays opened, characters one by one or in lanes."""

from typing import Any

import numpy as np

from hitogata.dynamics.batches import scratch
from hitogata.dynamics.layout import ModelMemory
from hitogata.lanes import X1, Floats, Ints, Number, entry, kernel, lanes, memory_sizes, open_memory, open_table
from hitogata.motion.puppet.iteration import finite, iterate
from hitogata.motion.puppet.layout import (
    GoalMemory,
    LawMemory,
    PuppetModel,
    PuppetTable,
    open_ends,
    open_goals,
    open_law,
    open_model,
    open_state,
)
from hitogata.motion.puppet.workspace import Bench

_KINDS: dict[str, Any] = {
    "table": Ints(2), "aims": Floats(3, write=True), "state": Floats(3, write=True), "dt": Number(),
}  # fmt: skip


@entry(**_KINDS)
def run_one(table, aims, state, dt, iterations, to_the_end):
    """One character; False if it became non-finite.

    Args:
        table: a `PuppetTable`.
        aims: of each character, `AimMemory` in blocks.
        state: the same of `State`.
        dt: time of a frame; of a solve, that each of its iterations stands for.
        iterations: how many.
        to_the_end: a solve, not a frame.
    """
    return run(table, aims, state, dt, iterations, to_the_end, (0, 1), X1)


@entry(**_KINDS)
def run_many(table, aims, state, dt, iterations, to_the_end, first, end, width):
    """Blocks first to end of many characters; False if any became non-finite."""
    return run(table, aims, state, dt, iterations, to_the_end, (first, end), width)


@kernel
def run(table, aims, state, dt, iterations, to_the_end, blocks, width):
    """Characters of some blocks."""
    arrays = open_table(PuppetTable, table)
    known, own = open_memory(ModelMemory, arrays.floats, arrays.ints), open_memory(PuppetModel, arrays.own_ints)
    groups, good = open_memory(GoalMemory, arrays.goal_floats, arrays.goal_ints).groups, True
    floats, ints = memory_sizes(
        Bench, known.bodies, known.nq, known.nv, groups, own.walls, own.leads, known.arguments, known.registers
    )
    work, work_ints = scratch(floats, state, width), np.empty(ints, np.int64)
    bench = open_memory(Bench, lanes(work, width), work_ints, known.bodies, known.nq, known.nv, groups, own.walls,
                        own.leads, known.arguments, known.registers)  # fmt: skip
    model, law = open_model(arrays, bench), open_memory(LawMemory, arrays.law)
    ends, each, ramp = open_ends(law, to_the_end), dt, 1.0
    if not to_the_end:
        each, ramp = dt / iterations, dt / law.ramp
    for block in range(blocks[0], blocks[1]):
        goals, views = open_goals(arrays, aims, width, block), open_state(model, state, width, block)
        iterate(model, views, goals, bench, open_law(law, each, to_the_end), ramp, iterations, ends)
        good = good and finite(model, views)
    return good
