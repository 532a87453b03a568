"""Many steps in one call, and what they report."""

from hitogata.contact.boxes import SPARE
from hitogata.contact.layout import Contact, ContactPoint, Pair, ShapePlace, open_shapes
from hitogata.dynamics.integration import subtract
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.running import BAD_SIZE, status_of
from hitogata.lanes import X1, Floats, Ints, entry, floats_in, ints_in, kernel, lanes, records, tail
from hitogata.loops.contacts.layout import (
    MEMORY,
    MOST_CONTACTS,
    MOST_PATCHES,
    Around,
    PatchInts,
    floor_size,
    open_floor,
)
from hitogata.loops.contacts.patch_rows import rows_size
from hitogata.loops.contacts.reporting import REPORT, write_report
from hitogata.loops.contacts.step import step
from hitogata.loops.layout import LinkInts, bench_size, open_bench
from hitogata.loops.marching import find_broken
from hitogata.loops.rows import wrench_in_frame
from hitogata.spatial import store6

TALLY = 9
"""Patches of the last step and of its impact; of all steps: how many, most passes of the forces and of impacts, steps
with an impact, steps whose forces did not settle; the virtual link that broke in the last one, or -1; steps whose
forces were found by sweeps."""

CROWDED, BROKEN = 3, 4
"""What `run_steps` returns beside `dynamics.running`: there was no room for all contacts; a virtual link broke."""


@entry
def scratch_sizes(ints, floats, link_ints, shapes):
    """Numbers and whole numbers of scratch."""
    tree = open_tree(ints, floats)
    held = link_ints[1]
    numbers = bench_size(tree, link_ints[1]) + rows_size(tree, held) + floor_size(held, tree.nv)
    numbers += shapes * ShapePlace.SIZE + SPARE + MOST_CONTACTS * (ContactPoint.SIZE + 5) + 64
    rows = held + 6 * MOST_PATCHES
    whole = 2 * rows + 64 + (link_ints[0] + MOST_PATCHES) * LinkInts.SIZE + MOST_PATCHES * (PatchInts.SIZE + 2)
    return numbers, whole + MOST_CONTACTS * Contact.SIZE


@kernel
def open_stage(ints, floats, link_ints, link_floats, shape_ints, shape_floats, pairs, scratch, whole):
    """Views of a stage: bench of the virtual links, room for all rows, order of rows, patches, what is around."""
    tree, memory, order = open_tree(ints, floats), lanes(scratch, X1), lanes(whole, X1)
    held, shapes = link_ints[1], open_shapes(shape_ints, shape_floats)
    rows = held + 6 * MOST_PATCHES
    floor = open_floor(memory, tail(order, 2 * rows + 64 + (link_ints[0] + MOST_PATCHES) * LinkInts.SIZE), held,
                       tree.nv)  # fmt: skip
    rest = tail(memory, floor_size(held, tree.nv))
    own = open_bench(tree, link_ints, link_floats, rest, order)
    rest = tail(rest, bench_size(tree, link_ints[1]))
    more = tail(rest, rows_size(tree, held))
    spare = tail(more, shapes.total * ShapePlace.SIZE + SPARE)
    points = tail(spare, 5 * MOST_CONTACTS)
    contacts = tail(floor.many, MOST_PATCHES)
    around = Around(shapes, records(pairs, Pair, X1), pairs.size // Pair.SIZE, more, records(contacts, Contact),
                    records(points, ContactPoint), spare)  # fmt: skip
    return own, rest, order, floor, around


@entry(table=Ints(2), q=Floats(1), v=Floats(1), tau=Floats(1), target=Floats(1), pace=Floats(1),
       state=Floats(1, write=True), report=Floats(1, write=True))  # fmt: skip
def run_steps(table, q, v, tau, target, pace, led, pushed, taken, steps, state, report):
    """Steps from one state, until a virtual link breaks; if anything is wrong, contacts remember what they did before.

    Args:
        table: addresses of the arrays of `open_stage`; then external wrenches, and the numbers of springs, 3 nv: their
            stiffness, their damping, and room for their torques.
        q: coordinates to begin with.
        v: velocities.
        tau: generalized forces.
        target: coordinates that springs pull to.
        pace: velocities of the target.
        led: 1: there are springs.
        pushed: 1: there are wrenches.
        taken: how many of the steps were taken before; 0: all is new.
        steps: how many to take in all.
        state: out, [q | v | v̇ | tally].
        report: out.
    """
    own, rest, order, floor, around = open_stage(
        ints_in(table, 0), floats_in(table, 1), ints_in(table, 2), floats_in(table, 3), ints_in(table, 4),
        floats_in(table, 5), ints_in(table, 6), floats_in(table, 7), ints_in(table, 8),
    )  # fmt: skip
    tree, memory, kept = own.tree, floor.memory, tail(floor.memory, MEMORY)
    if q.size != tree.nq or v.size != tree.nv or tau.size != tree.nv:
        return BAD_SIZE
    if led == 1 and (target.size != tree.nq or pace.size != tree.nv):
        return BAD_SIZE
    now, given, goal, speed = lanes(state, X1), lanes(tau, X1), lanes(target, X1), lanes(pace, X1)
    begin(tree, lanes(q, X1), lanes(v, X1), now)
    tally = tail(now, tree.nq + 2 * tree.nv)
    if taken == 0:
        copy(memory, kept, MEMORY)
        for k in range(TALLY):
            tally[k] = 0.0
    springs = lanes(floats_in(table, 10), X1)
    loop(own, rest, order, floor, around, now, given, springs, goal, speed, led == 1, lanes(floats_in(table, 9), X1),
         pushed == 1, steps - taken, tally, lanes(report, X1))  # fmt: skip
    status = status_of(tree, now, tail(now, tree.nq), given, None, now, tree.nq + 2 * tree.nv)
    if led == 1:
        status = max(status, status_of(tree, goal, speed, None, None, now, 0))
    if status == 0 and floor.rules[0].crowded > 0.0:
        status = CROWDED
    if status != 0:
        floor.rules[0].crowded = 0.0
        copy(kept, memory, MEMORY)
    elif tally[7] >= 0.0:
        status = BROKEN
    return status


@kernel
def begin(tree, q, v, now):
    """Where the steps begin."""
    copy(q, now, tree.nq)
    copy(v, tail(now, tree.nq), tree.nv)


@kernel
def copy(source, target, count):
    """So many numbers."""
    for k in range(count):
        target[k] = source[k]


@kernel
def loop(own, rest, order, floor, around, now, tau, springs, target, pace, led, wrenches, pushed, steps, tally, report):
    """The steps."""
    tree, torques = own.tree, tail(springs, 2 * own.tree.nv)
    v, vdot = tail(now, tree.nq), tail(now, tree.nq + tree.nv)
    copy(tau, torques, tree.nv)
    for _ in range(steps):
        if led:
            pull(tree, springs, now, v, target, pace, floor.rules[0].h, tau, torques)
        patches, struck, passes, knocks, valid = step(
            own, rest, order, floor, around, now, v, torques, wrenches, pushed, vdot,
            tail(report, MOST_PATCHES * REPORT),
        )  # fmt: skip
        tally[0] = patches
        tally[1] = struck
        tally[2] = tally[2] + 1
        tally[3] = max(tally[3], passes)
        tally[4] = max(tally[4], knocks)
        if knocks > 0:
            tally[5] = tally[5] + 1
        if valid == 0:
            tally[6] = tally[6] + 1
        if valid == 2:
            tally[8] = tally[8] + 1
        tally[7] = find_broken(own)
        if tally[7] >= 0.0 or floor.rules[0].crowded > 0.0:
            break
    write_report(floor, own.links.rows, int(tally[0]), report)
    for k in range(own.links.total):
        wrench = wrench_in_frame(own.limb, own.links.link[k], own.links.number[k], own.links.row)
        store6(report, 2 * MOST_PATCHES * REPORT + 6 * k, wrench)


@kernel
def pull(tree, springs, q, v, target, pace, h, tau, torques):
    """Torques of implicit springs towards a target (see `loops.tracking`), and those that are given."""
    stiff, damp = springs, tail(springs, tree.nv)
    subtract(tree, q, target, torques)
    for k in range(tree.nv):
        lag = pace[k] - v[k]
        torques[k] = tau[k] + stiff[k] * (torques[k] + h * lag) + damp[k] * lag
