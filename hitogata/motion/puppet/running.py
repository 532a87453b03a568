"""Frames and solves as Python calls them: flat arrays opened, characters one by one or in lanes."""

from typing import Any

import numpy as np

from hitogata.dynamics.running import scratch
from hitogata.lanes import X1, Floats, Ints, Number, entry, kernel
from hitogata.motion.puppet.bench import WallInts, bench_size, open_bench
from hitogata.motion.puppet.layout import open_doll, open_ends, open_goals, open_law, open_state
from hitogata.motion.puppet.stepping import finite, iterate

_KINDS: dict[str, Any] = {
    "ints": Ints(1), "floats": Floats(1), "goal_ints": Ints(1), "goal_floats": Floats(1),
    "aims": Floats(3, write=True), "state": Floats(3, write=True), "law": Floats(1), "dt": Number(),
}  # fmt: skip


@entry(**_KINDS)
def run_one(ints, floats, goal_ints, goal_floats, aims, state, law, dt, iterations, to_the_end):
    """One character; False if it became non-finite."""
    return run(ints, floats, goal_ints, goal_floats, aims, state, law, dt, iterations, to_the_end, 0, 1, X1)


@entry(**_KINDS)
def run_many(
    ints, floats, goal_ints, goal_floats, aims, state, law, dt, iterations, to_the_end, first, end, width
):  # fmt: skip
    """Blocks first to end of many characters; False if any became non-finite."""
    return run(ints, floats, goal_ints, goal_floats, aims, state, law, dt, iterations, to_the_end, first, end, width)


@kernel
def run(ints, floats, goal_ints, goal_floats, aims, state, law, dt, iterations, to_the_end, first, end, width):
    """A frame of dt in some iterations; or a solve, each of its iterations standing for dt."""
    doll = open_doll(ints, floats)
    work = scratch(bench_size(doll, goal_ints[0]), state, width)
    work_ints = np.empty((doll.most_walls + 1) * WallInts.SIZE, np.int64)
    return run_blocks(
        doll, goal_ints, goal_floats, aims, state, law, dt, iterations, to_the_end, first, end, width, work, work_ints
    )


@kernel
def run_blocks(
    doll, goal_ints, goal_floats, aims, state, law, dt, iterations, to_the_end, first, end, width, work, work_ints
):  # fmt: skip
    """The same, with scratch that the caller holds."""
    bench, ends = open_bench(doll, goal_ints[0], work, work_ints, width), open_ends(law, to_the_end)
    each, ramp, good = dt, 1.0, True
    if not to_the_end:
        each, ramp = dt / iterations, dt / law[5]
    for block in range(first, end):
        goals = open_goals(doll, goal_ints, goal_floats, aims, width, block)
        own = open_state(doll, state, width, block)
        iterate(doll, own, goals, bench, open_law(law, each, to_the_end), ramp, iterations, ends)
        good = good and finite(doll, own)
    return good
