"""The step as Python calls it: flat arrays opened, steps taken, results checked."""

from hitogata.constraints.springs import Tie, TieInts
from hitogata.contact.layout import Contact, ContactPoint, Pair, open_shapes
from hitogata.lanes import X1, entry, kernel, lanes, records, tail
from hitogata.sim.layout import open_control, open_law, open_rows, open_scene, open_state, open_world
from hitogata.sim.moving import carry
from hitogata.sim.placing import place
from hitogata.sim.step import step
from hitogata.sim.touching import Surroundings


@entry
def begin(ints, floats, state, work):
    """After q or v were set: note the momenta of all bodies."""
    world = open_world(ints, floats)
    scene, views = open_scene(world, work), open_state(world, state)
    place(scene, world.solid, views, 0.0)
    carry(scene, views)


@entry
def take_steps(
    ints, floats, state, control, ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, law, work,
    work_ints, counts, before, sweeps, steps,
):  # fmt: skip
    """Several steps; returns how many were taken before the world became non-finite.

    counts: ties, pairs, capacity, contacts (in and out), joint rows (out), which half is old.
    before: room for a state; afterwards, the one before the last step.
    """
    world = open_world(ints, floats)
    scene, views, targets = open_scene(world, work), open_state(world, state), open_control(world, control)
    rows, laws = open_rows(world, scene, work_ints), open_law(law)
    for k in range(steps):
        before[:] = state
        around = look_around(
            ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, counts, rows, world.row_room
        )
        found, joint_rows = step(world, scene, rows, around, views, targets, laws, sweeps, counts[3])
        counts[3] = found
        counts[4] = joint_rows
        counts[5] = 1 - counts[5]
        if not finite(views.q, world.tree.nq) or not finite(views.v, world.tree.nv):
            return k
    return steps


@kernel
def finite(view, count):
    """Are all numbers finite?"""
    total = 0.0
    for k in range(count):
        total = total + view[k] * 0.0
    return total == 0.0


@kernel
def look_around(ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, counts, rows, room):
    """Views of the shapes; contacts of this step and of the last take turns in the two halves of their arrays."""
    shapes, capacity, new = open_shapes(shape_ints, shape_floats), counts[2], 1 - counts[5]
    contact_list, point_list = lanes(contacts, X1), lanes(points, X1)
    half_contact, half_point = capacity * Contact.SIZE, capacity * ContactPoint.SIZE
    return Surroundings(
        shapes, tail(rows.coupling, room), counts[1], records(pairs, Pair, X1),
        records(tail(contact_list, new * half_contact), Contact),
        records(tail(point_list, new * half_point), ContactPoint),
        records(tail(contact_list, (1 - new) * half_contact), Contact),
        records(tail(point_list, (1 - new) * half_point), ContactPoint),
        capacity, counts[0], records(ties, Tie, X1), records(tie_ints, TieInts, X1),
    )  # fmt: skip
