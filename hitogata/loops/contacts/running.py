"""Many steps in one call, and what they report."""

from hitogata.contact.boxes import SPARE
from hitogata.contact.layout import Contact, ContactPoint, Pair, ShapePlace, open_shapes
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.running import status_of
from hitogata.lanes import X1, entry, kernel, lanes, records, tail
from hitogata.loops.contacts.layout import (
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


@entry
def scratch_sizes(ints, floats, link_ints, shapes):
    """Numbers and whole numbers of scratch."""
    tree = open_tree(ints, floats)
    held = link_ints[2]
    numbers = bench_size(tree, link_ints[1]) + rows_size(tree, held) + floor_size(held, tree.nv)
    numbers += shapes * ShapePlace.SIZE + SPARE + MOST_CONTACTS * (ContactPoint.SIZE + 4) + 64
    rows = held + 6 * MOST_PATCHES
    whole = 2 * rows + 64 + (link_ints[0] + MOST_PATCHES) * LinkInts.SIZE + MOST_PATCHES * (PatchInts.SIZE + 2)
    return numbers, whole + MOST_CONTACTS * Contact.SIZE


@kernel
def open_stage(ints, floats, link_ints, link_floats, shape_ints, shape_floats, pairs, scratch, whole):
    """Views of a stage: bench of the virtual links, room for all rows, order of rows, patches, what is around."""
    tree, memory, order = open_tree(ints, floats), lanes(scratch, X1), lanes(whole, X1)
    held, shapes = link_ints[2], open_shapes(shape_ints, shape_floats)
    rows = held + 6 * MOST_PATCHES
    floor = open_floor(memory, tail(order, 2 * rows + 64 + (link_ints[0] + MOST_PATCHES) * LinkInts.SIZE), held)
    rest = tail(memory, floor_size(held, tree.nv))
    own = open_bench(tree, link_ints, link_floats, rest, order)
    rest = tail(rest, bench_size(tree, link_ints[1]))
    more = tail(rest, rows_size(tree, held))
    spare = tail(more, shapes.total * ShapePlace.SIZE + SPARE)
    points = tail(spare, 4 * MOST_CONTACTS)
    contacts = tail(floor.many, MOST_PATCHES)
    around = Around(shapes, records(pairs, Pair, X1), pairs.shape[0], more, records(contacts, Contact),
                    records(points, ContactPoint), spare)  # fmt: skip
    return own, rest, order, floor, around


@entry
def run_steps(ints, floats, link_ints, link_floats, shape_ints, shape_floats, pairs, tau, wrenches, scratch, whole,
              steps, state, report, tally):  # fmt: skip
    """Steps of one state [q | v | v̇], moved on in place.

    `scratch` begins with what stays from step to step: rules and memory of the patches.
    """
    own, rest, order, floor, around = open_stage(ints, floats, link_ints, link_floats, shape_ints, shape_floats, pairs,
                                                 scratch, whole)  # fmt: skip
    tree = own.tree
    now = lanes(state, X1)
    loop(own, rest, order, floor, around, now, lanes(tau, X1), lanes(wrenches, X1), wrenches.shape[1] > 0, steps,
         lanes(tally, X1), lanes(report, X1))  # fmt: skip
    view = lanes(state, X1)
    return status_of(tree, view, tail(view, tree.nq), lanes(tau, X1), None, view, state.size)


@kernel
def loop(own, rest, order, floor, around, now, tau, wrenches, pushed, steps, tally, report):
    """The steps."""
    tree = own.tree
    v, vdot = tail(now, tree.nq), tail(now, tree.nq + tree.nv)
    for _ in range(steps):
        patches, struck, passes, knocks, valid = step(
            own, rest, order, floor, around, now, v, tau, wrenches, pushed, vdot, tail(report, MOST_PATCHES * REPORT)
        )
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
    write_report(floor, own.links.held, int(tally[0]), report)
    for k in range(own.links.total):
        wrench = wrench_in_frame(own.limb, own.links.link[k], own.links.number[k], own.links.row)
        store6(report, 2 * MOST_PATCHES * REPORT + 6 * k, wrench)
