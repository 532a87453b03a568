"""Many steps in one call, and what they report."""

from hitogata.contact.layout import Pair, open_shapes
from hitogata.dynamics.batches import BAD_SIZE, status_of
from hitogata.dynamics.integration import subtract
from hitogata.dynamics.layout import open_tree
from hitogata.lanes import X1, Floats, Ints, entry, kernel, lanes, open_memory, open_table, records
from hitogata.loops.contacts.layout import (
    MEMORY,
    Around,
    SpringMemory,
    Stage,
    StageMemory,
    StageTable,
    StepReport,
    StepResult,
)
from hitogata.loops.contacts.report_output import write_report
from hitogata.loops.contacts.step import step
from hitogata.loops.integration import find_broken
from hitogata.loops.layout import LinkMemory, bench_in
from hitogata.loops.rows import wrench_in_frame
from hitogata.spatial import store6

CROWDED, BROKEN = 3, 4
"""What `run_steps` returns beside `dynamics.batches`: there was no room for all contacts; a virtual link broke."""


@kernel
def open_stage(arrays):
    """Views of a stage; arrays: an opened `StageTable`."""
    tree, shapes = open_tree(arrays.ints, arrays.floats), open_shapes(arrays.shape_ints, arrays.shape_floats)
    held = open_memory(LinkMemory, arrays.link_floats, arrays.link_ints)
    room = open_memory(StageMemory, arrays.scratch, arrays.whole, tree, held.total, held.rows, shapes.total)
    around = Around(shapes, records(arrays.pairs, Pair, X1), arrays.pairs.size // Pair.SIZE)
    return Stage(bench_in(room.patches.bench, held), room, around)


@entry(table=Ints(2), q=Floats(1), v=Floats(1), tau=Floats(1), target=Floats(1), pace=Floats(1),
       state=Floats(1, write=True), report=Floats(1, write=True))  # fmt: skip
def run_steps(table, q, v, tau, target, pace, led, pushed, taken, steps, state, report):
    """Steps from one state, until a virtual link breaks; if anything is wrong, contacts remember what they did before.

    Args:
        table: a `StageTable`.
        q: coordinates to begin with.
        v: velocities.
        tau: generalized forces.
        target: coordinates that springs pull to.
        pace: velocities of the target.
        led: 1: there are springs.
        pushed: 1: there are wrenches.
        taken: how many of the steps were taken before; 0: all is new.
        steps: how many to take in all.
        state: a `StepResult`, out.
        report: a `StepReport`, out.
    """
    arrays = open_table(StageTable, table)
    stage = open_stage(arrays)
    tree, floor = stage.own.tree, stage.room.patches.floor
    if q.size != tree.nq or v.size != tree.nv or tau.size != tree.nv:
        return BAD_SIZE
    if led == 1 and (target.size != tree.nq or pace.size != tree.nv):
        return BAD_SIZE
    now, told = open_memory(StepResult, state, tree.nq, tree.nv), open_memory(StepReport, report, stage.own.links.total)
    given, goal, speed = lanes(tau, X1), lanes(target, X1), lanes(pace, X1)
    copy(lanes(q, X1), now.q, tree.nq)
    copy(lanes(v, X1), now.v, tree.nv)
    if taken == 0:
        copy(floor.memory, floor.kept, MEMORY)
        forget_tally(now)
    springs = open_memory(SpringMemory, arrays.springs, tree.nv)
    copy(given, springs.torque, tree.nv)
    for _ in range(steps - taken):
        if led == 1:
            pull(tree, springs, now, goal, speed, floor.rules.h, given)
        if not take_step(stage, now, springs.torque, lanes(arrays.wrenches, X1), pushed == 1, told):
            break
    tell(stage, now, told)
    status = status_of(tree, now.q, now.v, given, None, lanes(state, X1), tree.nq + 2 * tree.nv)
    if led == 1:
        status = max(status, status_of(tree, goal, speed, None, None, now.q, 0))
    if status == 0 and floor.rules.crowded > 0.0:
        status = CROWDED
    if status != 0:
        floor.rules.crowded = 0.0
        copy(floor.kept, floor.memory, MEMORY)
    elif now.broken >= 0.0:
        status = BROKEN
    return status


@kernel
def forget_tally(now):
    """Nothing was done yet."""
    now.patches, now.struck, now.steps, now.passes, now.knocks = 0.0, 0.0, 0.0, 0.0, 0.0
    now.impacts, now.unresolved, now.broken, now.swept = 0.0, 0.0, 0.0, 0.0


@kernel
def copy(source, target, count):
    """So many numbers."""
    for k in range(count):
        target[k] = source[k]


@kernel
def take_step(stage, now, torques, wrenches, pushed, told):
    """One step; whether there may be more."""
    patches, struck, passes, knocks, valid = step(
        stage, now.q, now.v, torques, wrenches, pushed, now.vdot, told.impact
    )
    now.patches = patches
    now.struck = struck
    now.steps = now.steps + 1
    now.passes = max(now.passes, passes)
    now.knocks = max(now.knocks, knocks)
    if knocks > 0:
        now.impacts = now.impacts + 1
    if valid == 0:
        now.unresolved = now.unresolved + 1
    if valid == 2:
        now.swept = now.swept + 1
    now.broken = find_broken(stage.own)
    return now.broken < 0.0 and stage.room.patches.floor.rules.crowded <= 0.0


@kernel
def tell(stage, now, told):
    """What the last step did."""
    own = stage.own
    write_report(stage.room.patches.floor, own.links.rows, int(now.patches), told.patch)
    for k in range(own.links.total):
        wrench = wrench_in_frame(own.limb, own.links.link[k], own.links.number[k], own.links.row)
        store6(told.wrench, 6 * k, wrench)


@kernel
def pull(tree, springs, now, target, pace, h, tau):
    """Torques of implicit springs towards a target (see `loops.servo`), and those that are given."""
    torque = springs.torque
    subtract(tree, now.q, target, torque)
    for k in range(tree.nv):
        lag = pace[k] - now.v[k]
        torque[k] = tau[k] + springs.stiffness[k] * (torque[k] + h * lag) + springs.damping[k] * lag
