"""The maximal step as Python calls it; compiled only for worlds that use it."""

from hitogata.constraints.joint_places import Held, JointPlace, Joints
from hitogata.constraints.links import LIMITS, SIDE, LinkInts, LinkRow, Links
from hitogata.contact.conservative_advancement import gap_of
from hitogata.contact.narrowphase import touch
from hitogata.lanes import X1, entry, kernel, lanes, open_table, records, tail
from hitogata.sim.body_state import place
from hitogata.sim.layout import open_control, open_rows, open_scene, open_state, open_world
from hitogata.sim.maximal import maximal_step
from hitogata.sim.pieces import sliding
from hitogata.sim.step_entries import log_piece, note_start, run_single, stays_failed, take_back
from hitogata.sim.stepping import Kind
from hitogata.sim.substeps import (
    JointSums,
    add_contacts,
    add_joint,
    add_motors_and_limits,
    add_ties,
)
from hitogata.sim.tables import StepTable
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
def take_maximal_steps(table, longest, fast_turn, sweeps, h, steps, start, held_start, share):
    """`take_steps` in maximal coordinates; the last arguments are told at `begin_maximal` and `maximal_step`."""
    places = start, held_start
    return take_apart_steps(touch, gap_of, table, places, share, sweeps, (h, longest, fast_turn, steps))


@kernel
def take_apart_steps(touch, find_gap, table, places, share, sweeps, timing):
    """`take_maximal_steps` with the kernels that find points and gap of a pair."""
    arrays, (start, held_start), (h, longest, fast_turn, steps) = open_table(StepTable, table), places, timing
    world, bodies = open_world(arrays.ints, arrays.floats), open_world(arrays.loose_ints, arrays.loose_floats)
    scene, of_joints = open_scene(bodies, arrays.work), open_state(world, lanes(arrays.state, X1))
    of_bodies = open_state(bodies, tail(lanes(arrays.state, X1), start))
    joints = open_joints(world, arrays.state[held_start:], arrays.link_work)
    links = open_links(world, arrays.link_work, arrays.link_ints)
    given, acting = open_control(world, arrays.control), open_control(bodies, arrays.outside)
    rows = open_rows(bodies, arrays.work, arrays.work_ints)
    parts = (world, bodies, joints, scene, rows, links, of_joints, of_bodies, given, acting, share, sweeps, start)
    kind = Kind(touch, find_gap, take_one, note_loose, log_piece, stays_failed, take_back, parts)
    return run_single(kind, arrays, world.tree, of_joints, of_bodies, scene.x, (h, longest, fast_turn), steps)


@kernel
def take_one(parts, around, law, old_contacts, passes, begin, going, last_try):
    """One step in maximal coordinates; it is not checked for what would pass."""
    world, bodies, joints, scene, rows, links, of_joints, of_bodies, control, outside, share, sweeps, _ = parts
    contacts, limits, mistaken = maximal_step(
        world, bodies, joints, scene, rows, links, around, of_joints, of_bodies, control, outside, law, share, sweeps,
        old_contacts, passes,
    )  # fmt: skip
    return contacts, sliding(world.tree, of_joints.mean, rows, limits), mistaken, 1.0


@kernel
def note_loose(parts, told, around, law, found, counts, before, more):
    """`step_entries.note_reduced` in maximal coordinates."""
    world, bodies, joints, scene, _, _, of_joints, _, _, _, _, _, start = parts
    place(scene, bodies.solid, open_state(bodies, tail(before, start)))
    add_motors_and_limits(told.sums, world.tree, of_joints, law.h, more)
    add_ties(scene, around, law.h, more)
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
