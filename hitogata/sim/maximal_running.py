"""The maximal step as Python calls it; compiled only for worlds that use it."""

from hitogata.constraints.joint_places import Held, JointPlace, Joints
from hitogata.constraints.links import LIMITS, SIDE, LinkInts, LinkRow, Links
from hitogata.contact.conservative_advancement import gap_of
from hitogata.contact.finding import touch
from hitogata.lanes import X1, entry, floats_in, ints_in, kernel, lanes, records, tail
from hitogata.sim.layout import open_control, open_rows, open_scene, open_state, open_world
from hitogata.sim.maximal import maximal_step
from hitogata.sim.placing import place
from hitogata.sim.running import note_start, run_steps, sliding
from hitogata.sim.substeps import (
    JointSums,
    Told,
    add_contacts,
    add_joint,
    add_motors_and_limits,
    add_ties,
    sums_in,
)
from hitogata.spatial import quaternion_of, store3, store6, store_quaternion


@entry
def begin_maximal(ints, floats, loose_ints, loose_floats, state, start, held_start, work, first, end):
    """After q or v of the bodies from first to end of the tree were set: put the loose bodies there.

    start, held_start: where in `state` that of the loose bodies begins, and what their joints keep.
    """
    world, bodies = open_world(ints, floats), open_world(loose_ints, loose_floats)
    scene, of_joints, of_bodies = open_scene(world, work), open_state(world, state), open_state(bodies, state[start:])
    note_start(world, scene, of_joints)
    for i in range(first, end):
        link = world.tree.joint[i].link
        if link >= 0:
            joint, placed, old = bodies.tree.joint[link], scene.placed[i], of_joints.carried[i]
            store3(of_bodies.q, joint.iq, placed.pos)
            store_quaternion(of_bodies.q, joint.iq + 3, quaternion_of(placed.rot))
            store6(of_bodies.mean, joint.iv, placed.motion)
            of_bodies.carried[link].centre = old.centre
            of_bodies.carried[link].spin = old.spin
            of_bodies.carried[link].angular = old.angular
            of_bodies.carried[link].energy = old.energy
            forget(open_joints(world, state[held_start:], work), link)


@kernel
def forget(joints, link):
    """A joint without gap or history."""
    held = joints.held[link]
    held.gap = held.gap * 0.0
    held.reaction = held.reaction * 0.0
    for k in range(SIDE * link, SIDE * (link + 1)):
        joints.impulse[k] = 0.0


@entry
def take_maximal_steps(
    ints, floats, loose_ints, loose_floats, state, start, held_start, control, outside, ties, tie_ints, shape_ints,
    shape_floats, pairs, contacts, points, law, share, work, work_ints, link_work, link_ints, counts, before,
    old_ties, piece_before, piece_ties, told, h, longest, fast_turn, sweeps, steps,
):  # fmt: skip
    """`take_steps` in maximal coordinates; its further arguments are told at `begin_maximal` and `maximal_step`."""
    return take_apart_steps(
        touch, gap_of, (ints, floats, loose_ints, loose_floats), (state, start, held_start, control, outside),
        (ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, law, counts),
        (work, work_ints, link_work, link_ints), (before, old_ties, piece_before, piece_ties, told), share, h, longest,
        fast_turn, sweeps, steps,
    )  # fmt: skip


@kernel
def take_apart_steps(
    touch, find_gap, constants, states, surroundings, scratch, old, share, h, longest, fast_turn, sweeps, steps
):  # fmt: skip
    """`take_maximal_steps` with the kernels that find points and gap of a pair; its arrays in groups, for Numba takes
    no kernel among more than 30 arguments."""
    ints, floats, loose_ints, loose_floats = constants
    state, start, held_start, control, outside = states
    ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, law, counts = surroundings
    work, work_ints, link_work, link_ints = scratch
    before, old_ties, piece_before, piece_ties, table = old
    world, bodies = open_world(ints, floats), open_world(loose_ints, loose_floats)
    scene, of_joints, of_bodies = open_scene(bodies, work), open_state(world, state), open_state(bodies, state[start:])
    joints, links = open_joints(world, state[held_start:], link_work), open_links(world, link_work, link_ints)
    given, acting = open_control(world, control), open_control(bodies, outside)
    rows = open_rows(bodies, scene, work_ints)
    parts = (world, bodies, joints, scene, rows, links, of_joints, of_bodies, given, acting, share, sweeps, start)
    told = Told(
        sums_in(world.tree, lanes(floats_in(table, 0), X1)), lanes(ints_in(table, 1), X1),
        lanes(floats_in(table, 2), X1), lanes(ints_in(table, 3), X1), lanes(floats_in(table, 4), X1),
        lanes(floats_in(table, 5), X1), scene.x,
    )  # fmt: skip
    return run_steps(
        touch, find_gap, take_one, note_loose, parts, told, world.tree, of_joints, of_bodies.q,
        bodies.tree.nq + bodies.tree.nv,
        tail(rows.reply, bodies.reply_room), state, ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points,
        law, counts, before, old_ties, piece_before, piece_ties, h, longest, fast_turn, steps,
    )  # fmt: skip


@kernel
def take_one(parts, around, law, old_contacts, passes, begin, last_try):
    """One step in maximal coordinates; it is not checked for what would pass."""
    world, bodies, joints, scene, rows, links, of_joints, of_bodies, control, outside, share, sweeps, _ = parts
    contacts, limits, mistaken = maximal_step(
        world, bodies, joints, scene, rows, links, around, of_joints, of_bodies, control, outside, law, share, sweeps,
        old_contacts, passes,
    )  # fmt: skip
    return contacts, sliding(world.tree, of_joints.mean, rows, limits), mistaken, 1.0


@kernel
def note_loose(parts, told, around, law, found, counts, before):
    """`running.note_reduced` in maximal coordinates."""
    world, bodies, joints, scene, _, _, of_joints, _, _, _, _, _, start = parts
    place(scene, bodies.solid, open_state(bodies, before[start:]))
    add_motors_and_limits(told.sums, world.tree, of_joints, law.h, True)
    add_ties(scene, around, law.h, True)
    sums = records(told.sums.rest, JointSums)
    for i in range(world.tree.bodies):
        link = world.tree.joint[i].link
        if link >= 0:
            add_joint(sums[i], joints.held[link].reaction, law.h)
    return add_contacts(told, counts, around.contacts, around.points, found, law.h)


@kernel
def open_joints(world, held, work):
    """Views of the joints between loose bodies."""
    kept, place, tree = lanes(held, X1), lanes(work, X1), world.tree
    impulse, push = tail(kept, tree.links * Held.SIZE), tail(place, tree.bodies * JointPlace.SIZE)
    return Joints(tree, records(place, JointPlace), records(kept, Held), impulse, push)


@kernel
def open_links(world, work, ints):
    """Views of the scratch of link rows: of each link a joint, and its limits."""
    links, block = world.tree.links, lanes(ints, X1)
    row = tail(lanes(work, X1), world.tree.bodies * JointPlace.SIZE + world.tree.nv)
    inverse, slot = tail(row, (SIDE + LIMITS) * links * LinkRow.SIZE), tail(block, (1 + LIMITS) * links * LinkInts.SIZE)
    return Links(records(block, LinkInts), records(row, LinkRow), slot, inverse)
