"""The step as Python calls it: flat arrays opened, steps taken, results checked."""

from hitogata.constraints.springs import Tie, TieInts
from hitogata.contact.finding import touch
from hitogata.contact.layout import Contact, ContactPoint, Pair, open_shapes
from hitogata.dynamics.layout import BALL, FREE, HINGE
from hitogata.lanes import (
    X1,
    entry,
    floats_in,
    floor,
    inline,
    ints_in,
    kernel,
    lanes,
    maximum,
    records,
    sqrt,
    tail,
    where,
)
from hitogata.sim.clocking import Clock, silent
from hitogata.sim.layout import (
    CAPACITY,
    CONTACTS,
    FOUND,
    OLD_THIRD,
    PIECES,
    TIES,
    open_control,
    open_law,
    open_rows,
    open_scene,
    open_state,
    open_world,
)
from hitogata.sim.moving import carry, synchronise
from hitogata.sim.pairing import HEADER, ORDER, PAIRS, ROOM, RULES, SPACE
from hitogata.sim.placing import place
from hitogata.sim.steadying import relax
from hitogata.sim.step import Method, by_sweeps, step
from hitogata.sim.touching import Broad, Surroundings, near_pairs
from hitogata.spatial import dot, load3

FOREVER = float("inf")
MOST_PIECES = 16.0
"""A step is not cut into more pieces than this because something is fast, only because it is long."""


@entry
def begin(ints, floats, state, work):
    """After q or v were set: note the momenta of all bodies."""
    world = open_world(ints, floats)
    scene, views = open_scene(world, work), open_state(world, state)
    note_start(world, scene, views)


@kernel
def note_start(world, scene, views):
    """The velocities of all figures are those of a step that ends now."""
    for k in range(world.tree.nv):
        views.mean[k] = views.v[k]
    for i in range(world.tree.bodies):
        views.owed[i] = views.owed[i] * 0.0
    place(scene, world.solid, views)
    carry(scene, world.solid, views)
    relax(scene, views)


@entry
def take_steps(arrays, longest, fast_turn, sweeps, h, steps):
    """Several steps of h; returns how many were taken before the world became non-finite.

    A step in which something turns by more than `fast_turn`, or slides fast along a wall, is taken in pieces, see
    `pieces_for`.

    arrays: an address table of what is unpacked first.

    counts: see `layout`; contacts are those of the last step, in and out.
    before, old_ties: room for a state and ties; afterwards, those before the last step; piece_before, piece_ties:
    before its last piece, if there were several.
    contacts, points: in thirds: those of this step and of the last take turns in two; the last holds those before a
    step in pieces, in case it cannot be taken.
    """
    clock = Clock(silent, 0)
    return take_reduced_steps(touch, by_sweeps, no_room, clock, arrays, longest, fast_turn, sweeps, h, steps)


@kernel
def no_room(world, arrays):
    """Sweeps need no scratch of their own."""
    return 0


@kernel
def take_reduced_steps(touch, solve, open_room, clock, arrays, longest, fast_turn, sweeps, h, steps):
    """`take_steps` with kernels that find the points of a pair, and the impulses, the latter's scratch, and a clock."""
    ints, tie_ints, shape_ints = ints_in(arrays, 0), ints_in(arrays, 1), ints_in(arrays, 2)
    pairs, contacts, work_ints, counts = ints_in(arrays, 3), ints_in(arrays, 4), ints_in(arrays, 5), ints_in(arrays, 6)
    floats, shape_floats, law = floats_in(arrays, 7), floats_in(arrays, 8), floats_in(arrays, 9)
    state, control, ties = floats_in(arrays, 10), floats_in(arrays, 11), floats_in(arrays, 12)
    points, work, before = floats_in(arrays, 13), floats_in(arrays, 14), floats_in(arrays, 15)
    old_ties, piece_before, piece_ties = floats_in(arrays, 16), floats_in(arrays, 17), floats_in(arrays, 18)
    world = open_world(ints, floats)
    scene, views, targets = open_scene(world, work), open_state(world, state), open_control(world, control)
    rows, method = open_rows(world, scene, work_ints), Method(solve, open_room(world, arrays), clock)
    done = run_steps(
        touch, reduced_step, (world, scene, rows, views, targets, method, sweeps), world.tree, views, views.q,
        world.tree.nq + world.tree.nv, tail(rows.reply, world.reply_room), state, ties, tie_ints, shape_ints,
        shape_floats, pairs, contacts, points, law, counts, before, old_ties, piece_before, piece_ties, h, longest,
        fast_turn, steps,
    )  # fmt: skip
    synchronise(scene, world.solid, views)
    return done


@kernel
def reduced_step(parts, around, law, old_contacts):
    """One step in reduced coordinates."""
    world, scene, rows, state, control, method, sweeps = parts
    contacts, joint_rows = step(world, scene, rows, around, state, control, law, method, sweeps, old_contacts)
    return contacts, sliding(world.tree, state.mean, rows, joint_rows)


@kernel
def run_steps(
    touch, core, parts, tree, views, checked, numbers, spare, state, ties, tie_ints, shape_ints, shape_floats, pairs,
    contacts, points, law, counts, before, old_ties, piece_before, piece_ties, h, longest, fast_turn, steps,
):  # fmt: skip
    """The steps of `take_steps`, each of them, or each piece, by core(parts, around, law, old contacts), which returns
    how many contacts there were, and what `sliding` says.

    touch: the kernel that finds the points of a pair of shapes.
    tree, views: of the joints; when they turn fast, a step is taken in pieces.
    checked, numbers: the first so many of these must stay finite.
    """
    for k in range(steps):
        copy_numbers(state, before)
        copy_numbers(ties, old_ties)
        old_count, old_third, taken, left, again = counts[CONTACTS], counts[OLD_THIRD], 0, h, False
        pieces = pieces_for(fastest(tree, views.mean), 0.0, left, longest, fast_turn)
        while pieces > 0:
            if taken > 0 or pieces > 1:
                copy_numbers(state, piece_before)
                copy_numbers(ties, piece_ties)
                if taken == 0:
                    copy_part(contacts, points, counts[CAPACITY], old_third, 2, old_count)
            laws = open_law(law, left / pieces, views.last[0])
            around = look_around(
                touch, ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, counts, spare
            )
            found, slide = core(parts, around, laws, counts[CONTACTS])
            lost = found > counts[CAPACITY] or around.broad.head[PAIRS] > around.broad.head[ROOM]
            needed = pieces_for(fastest(tree, views.mean), slide, left, longest, fast_turn)
            if needed > pieces and not again and taken + pieces < MOST_PIECES and not lost:
                again = True  # too far in one go: once more, in more pieces
                pieces = max(min(needed, MOST_PIECES - taken), pieces + 1.0)
                if taken > 0:
                    copy_numbers(piece_before, state)
                    copy_numbers(piece_ties, ties)
                else:
                    copy_numbers(before, state)
                    copy_numbers(old_ties, ties)
            else:
                again = False
                taken += 1
                pieces -= 1.0
                left -= laws.h
                views.last[0] = laws.h
                counts[FOUND] = found
                counts[PIECES] = taken
                if lost or not finite(checked, numbers):
                    if pieces + taken > 1:
                        copy_part(contacts, points, counts[CAPACITY], 2, old_third, old_count)
                    counts[CONTACTS] = old_count
                    counts[OLD_THIRD] = old_third
                    return k
                counts[CONTACTS] = found
                counts[OLD_THIRD] = 1 - counts[OLD_THIRD]
    return steps


@kernel
def copy_numbers(source, target):
    """Copy an array; a slice assignment would compile Numba's fancy indexing."""
    for k in range(len(source)):
        target[k] = source[k]


@kernel
def copy_part(contacts, points, capacity, source, target, count):
    """Copy contacts from one third of their arrays to another."""
    size, room = Contact.SIZE, capacity * Contact.SIZE
    for k in range(count * size):
        contacts[target * room + k] = contacts[source * room + k]
    size, room = ContactPoint.SIZE, capacity * ContactPoint.SIZE
    for k in range(count * size):
        points[target * room + k] = points[source * room + k]


@kernel
def fastest(tree, v):
    """Speed of the joint that turns fastest [rad/s]; infinite if one is not a number."""
    most = 0.0
    for i in range(tree.bodies):
        joint, iv = tree.joint[i], tree.joint[i].iv
        if joint.kind == HINGE:
            most = not_below(v[iv] * v[iv], most)
        elif joint.kind == BALL or joint.kind == FREE:
            most = not_below(square(load3(v, iv)), most)
    return sqrt(most)


@inline
def not_below(a, b):
    """The greater of two numbers; infinite if a is not a number."""
    return where(a <= b, b, where(a > b, a, FOREVER))


@inline
def square(a):
    """|a|²."""
    return dot(a, a)


@kernel
def sliding(tree, v, rows, joint_rows):
    """Speed of the fastest ball joint that is pressed on the wall of its range [rad/s]."""
    most = 0.0
    for a in range(joint_rows):
        joint = tree.joint[rows.joint_int[a].body]
        if joint.kind == BALL:
            most = where(rows.joint[a].impulse > 0.0, not_below(square(load3(v, joint.iv)), most), most)
    return sqrt(most)


@inline
def pieces_for(speed, slide, h, longest, fast_turn):
    """Into how many pieces to cut a step in which something is fast: a whole number, as a float.

    None is longer than `longest`; nothing turns by two fast turns in one, or by half a fast turn on the wall of a
    range: walls bend, and what slides along leaves them by half the square of its turn, times how sharply they bend.
    """
    turn, along = speed * h, slide * h
    calm = ((turn <= fast_turn) & (along <= 0.5 * fast_turn)) | (longest == FOREVER)
    wanted = maximum(turn / (2.0 * fast_turn), along / (0.5 * fast_turn))
    few = maximum(floor(wanted), floor(h / longest * (1.0 - 1e-9))) + 1.0
    many = maximum(floor(h / longest), MOST_PIECES)
    return where(calm, 1.0, where(wanted >= MOST_PIECES, many, few))


@kernel
def finite(view, count):
    """Are all numbers finite?"""
    total = 0.0
    for k in range(count):
        total = total + view[k] * 0.0
    return total == 0.0


@kernel
def open_pairs(pairs):
    """Views of the pairs to be tested."""
    head = lanes(pairs, X1)
    listed = records(tail(head, HEADER), Pair)
    return Broad(head, listed, tail(head, head[RULES]), tail(head, head[ORDER]), tail(head, head[SPACE]))


@kernel
def look_around(touch, ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, counts, spare):
    """Views of the shapes, and of the contacts of this step and of the last."""
    shapes, capacity, new = open_shapes(shape_ints, shape_floats), counts[CAPACITY], 1 - counts[OLD_THIRD]
    contact_list, point_list = lanes(contacts, X1), lanes(points, X1)
    third_contact, third_point = capacity * Contact.SIZE, capacity * ContactPoint.SIZE
    return Surroundings(
        touch, near_pairs, shapes, shapes.floats, spare, open_pairs(pairs),
        records(tail(contact_list, new * third_contact), Contact),
        records(tail(point_list, new * third_point), ContactPoint),
        records(tail(contact_list, (1 - new) * third_contact), Contact),
        records(tail(point_list, (1 - new) * third_point), ContactPoint),
        capacity, counts[TIES], records(ties, Tie, X1), records(tie_ints, TieInts, X1),
    )  # fmt: skip
