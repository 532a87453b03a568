"""The step as Python calls it: flat arrays opened, steps taken, results checked."""

from hitogata.constraints.springs import Tie, TieInts
from hitogata.contact.conservative_advancement import gap_of
from hitogata.contact.layout import Contact, ContactPoint, Pair, open_shapes
from hitogata.contact.narrowphase import touch
from hitogata.dynamics.followers import follow_rates
from hitogata.dynamics.joints import is_ball, is_floating, speeds
from hitogata.lanes import (
    X1,
    entry,
    floor,
    inline,
    kernel,
    lanes,
    maximum,
    minimum,
    open_table,
    records,
    sqrt,
    tail,
    where,
)
from hitogata.sim.body_state import place, turn_momenta
from hitogata.sim.contact_log import CLOCK, keep_log, log_contacts, restore_log
from hitogata.sim.contact_log import ROOM as LOG_ROOM
from hitogata.sim.geometric_stiffness import relax
from hitogata.sim.impacts import MOST_RETAKES, TOO_SHORT, first_impact, is_led, moves_fast, stop_at_impact
from hitogata.sim.layout import (
    CAPACITY,
    CONTACTS,
    EARLIER,
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
from hitogata.sim.motors import suppose
from hitogata.sim.pair_list import HEADER, ORDER, PAIRS, ROOM, RULES, SPACE
from hitogata.sim.point_rows import Broad, Surroundings, near_pairs
from hitogata.sim.step import Method, by_sweeps, step
from hitogata.sim.step_clock import NARROW, Clock, silent
from hitogata.sim.substeps import (
    TIME,
    Told,
    add_contacts,
    add_joints,
    add_motors_and_limits,
    add_ties,
    forget_earlier,
    sums_in,
    world_sums,
)
from hitogata.sim.tables import StepTable
from hitogata.sim.tree_energy import UNKNOWN
from hitogata.sim.velocity_update import carry, note_spin, synchronise
from hitogata.spatial import dot, load3

FOREVER = float("inf")
ALONE = 0.8
"""Steps are not cut for a body alone in flight that turns by less than this [rad]."""

WHOLE = 1e-6
"""A step is a whole number of longest pieces if no more than this is left of it: single precision tells no less."""

MOST_PIECES = 16.0
"""A step is not cut into more pieces than this because something is fast, only because it is long."""

LED = 0.08
"""... and not into more than this over the square of a fast turn where that is led: into two, usually.  Hair is not to
make single steps many times as dear as others; who asks for finer turns gets them: walls are left by half their
square."""


@entry
def begin(ints, floats, state, work):
    """After q or v were set: note the momenta of all bodies."""
    world = open_world(ints, floats)
    scene, views = open_scene(world, work), open_state(world, state)
    note_start(world, scene, views)


@kernel
def note_start(world, scene, views):
    """The velocities of all figures are those of a step that ends now."""
    for i in range(world.tree.bodies):
        views.owed[i] = views.owed[i] * 0.0
        views.spare[i] = views.spare[i] * 0.0
        views.depth[i] = views.spare[i] + UNKNOWN
        views.told[i] = views.spare[i] + 1.0
    place(scene, world.solid, views)
    follow_rates(world.tree, scene.chains, scene.followers, views.v)
    for k in range(world.tree.nv):
        views.mean[k] = views.v[k]
    carry(scene, world.solid, views)
    gather(scene)
    note_spin(scene, world.solid, views)
    relax(scene, views)


@entry
def tell_velocities(ints, floats, state, work, law):
    """Velocities at the end of the last step, where they are not told yet."""
    world = open_world(ints, floats)
    synchronise(open_scene(world, work), world.solid, open_state(world, state), law[1])


@entry
def take_steps(table, longest, fast_turn, sweeps, h, steps):
    """Several steps of h; returns how many were taken before the world became non-finite.

    A step in which something turns by more than `fast_turn`, or slides fast along a wall, is taken in pieces, see
    `pieces_for`.

    table: a `StepTable`; contacts are those of the last step, in and out.
    """
    clock = Clock(silent, 0)
    return take_reduced_steps(
        touch, gap_of, by_sweeps, no_room, clock, table, longest, fast_turn, sweeps, h, steps
    )  # fmt: skip


@kernel
def no_room(world, arrays):
    """Sweeps need no scratch of their own."""
    return 0


@kernel
def take_reduced_steps(touch, find_gap, solve, open_room, clock, table, longest, fast_turn, sweeps, h, steps):
    """`take_steps` with kernels that find the points of a pair and its gap, and the impulses, the latter's scratch, and
    a clock."""
    arrays = open_table(StepTable, table)
    world = open_world(arrays.ints, arrays.floats)
    scene, views = open_scene(world, arrays.work), open_state(world, arrays.state)
    targets, rows = open_control(world, arrays.control), open_rows(world, arrays.work, arrays.work_ints)
    method, told = Method(solve, open_room(world, arrays), clock), open_told(world.tree, arrays, scene.x)
    parts = world, scene, rows, views, targets, method, sweeps
    return run_steps(
        touch, find_gap, reduced_step, note_reduced, parts, told, world.tree, views, views, arrays, h, longest,
        fast_turn, steps,
    )  # fmt: skip


@kernel
def open_told(tree, arrays, guess):
    """What is known of a step besides the state."""
    return Told(
        sums_in(tree, lanes(arrays.sums, X1)), lanes(arrays.earlier, X1), lanes(arrays.earlier_points, X1),
        lanes(arrays.log, X1), lanes(arrays.log_numbers, X1), lanes(arrays.told_scratch, X1), guess,
    )  # fmt: skip


@kernel
def reduced_step(parts, around, law, old_contacts, passes, start, last_try):
    """One step in reduced coordinates."""
    world, scene, rows, state, control, method, sweeps = parts
    contacts, joint_rows, mistaken = step(
        world, scene, rows, around, state, control, law, method, sweeps, old_contacts, passes
    )
    slide, share, begin = sliding(world.tree, state.mean, rows, joint_rows), 1.0, lanes(start, X1)
    if mistaken == 0.0 and moves_fast(scene, world.solid, around, begin, state.q, law.h):
        if finite_state(state):
            share, led = first_impact(world, scene, around, state, begin, contacts, law)
            if share < 1.0 and (last_try or share < TOO_SHORT):
                stop_at_impact(world, scene, around, state, begin, law, True, True)
                share = 1.0
            elif share == 1.0 and led < 1.0:
                stop_at_impact(world, scene, around, state, begin, law, True, False)
        method.clock.note(method.clock.times, NARROW)
    return contacts, slide, mistaken, share


@kernel
def note_reduced(parts, told, around, law, found, counts, before):
    """Sum up what a piece did that is not the last of its step; see `add_contacts` for what is returned.

    before: the state it began with.
    """
    world, scene, _, state, control, _, _ = parts
    start = open_state(world, before)
    place(scene, world.solid, start)
    if law.keep_energy == 0.0:
        turn_momenta(scene, world.solid, start, law.h)
    add_motors_and_limits(told.sums, world.tree, state, law.h, True)
    add_ties(scene, around, law.h, True)
    add_joints(world, scene, told, start, state, control, around, found, law.h)
    return add_contacts(told, counts, around.contacts, around.points, found, law.h)


@kernel
def run_steps(
    touch, find_gap, core, note, parts, told, tree, views, checked, arrays, h, longest, fast_turn, steps
):  # fmt: skip
    """The steps of `take_steps`, each of them, or each piece, by core(parts, around, law, old contacts, passes,
    state at the start, is it the last try?), which returns how many contacts there were, what `sliding` says, what
    `motors.note_motors` does, and the share of the piece after which something would pass (`impacts`): then it is taken
    again, to end there.

    touch, find_gap: the kernels that find the points of a pair of shapes, and its gap.
    note: the kernel that sums up what a piece did, as `note_reduced`; told: where to.
    tree, views: of the joints; when they turn fast, a step is taken in pieces.
    checked: the state that must stay finite.
    arrays: an opened `StepTable`.
    """
    state, before, piece_before = arrays.state, arrays.before, arrays.piece_before
    ties, old_ties, piece_ties = arrays.ties, arrays.old_ties, arrays.piece_ties
    contacts, points, counts = arrays.contacts, arrays.points, arrays.counts
    for k in range(steps):
        forget_substeps(told, counts, tree, records(ties, Tie, X1))
        copy_numbers(state, before)
        copy_numbers(ties, old_ties)
        old_count, old_third, taken, left, again = counts[CONTACTS], counts[OLD_THIRD], 0, h, False
        share, retakes, parts_of_pieces, patience = 1.0, 0, 0, 1.0
        pieces, passes = pieces_for(fastest(tree, views, left), (0.0, 0.0), left, longest, fast_turn, 0.0), 0.0
        while pieces > 0:
            if taken > 0 or pieces > 1 or share < 1.0:
                copy_numbers(state, piece_before)
                copy_numbers(ties, piece_ties)
                if taken == 0:
                    copy_part(contacts, points, counts[CAPACITY], old_third, 2, old_count)
            length = left / pieces * share
            laws = open_law(arrays.law, length, patience * length / h, views.last[0])
            around = look_around(touch, find_gap, arrays)
            begin = before
            if taken > 0:
                begin = piece_before
            found, slide, mistaken, impact = core(
                parts, around, laws, counts[CONTACTS], passes, begin, retakes >= MOST_RETAKES
            )
            lost = found > counts[CAPACITY] or around.broad.head[PAIRS] > around.broad.head[ROOM]
            used = taken - parts_of_pieces
            needed = pieces_for(fastest(tree, views, left), slide, left, longest, fast_turn, used)
            supposing = mistaken > 0.0 and not lost  # once more, with other motors at their limits
            too_far = needed > pieces and not again and used + pieces < MOST_PIECES and not lost
            if supposing or too_far or (impact < 1.0 and not lost):
                if taken > 0:
                    copy_numbers(piece_before, state)
                    copy_numbers(piece_ties, ties)
                else:
                    copy_numbers(before, state)
                    copy_numbers(old_ties, ties)
                suppose(told.guess, views.motor, tree.nv, True)
                patience = 0.0  # what is taken again is not to cost many times as much as other steps
                if supposing:
                    passes += 1.0
                elif too_far:
                    again, passes, share = True, 0.0, 1.0  # too far in one go: once more, in more pieces
                    pieces = max(min(needed, MOST_PIECES - used), pieces + 1.0)
                else:  # something would pass: once more, to where it touches
                    retakes += 1
                    passes, share = 0.0, share * impact
            else:
                again = False
                passes = 0.0
                taken += 1
                if share < 1.0:
                    parts_of_pieces += 1
                else:
                    pieces -= 1.0
                share = 1.0
                left -= laws.h
                views.last[0] = laws.h
                well, wanted = finite_state(checked), 0
                if pieces > 0 and well and not lost:
                    wanted = note(parts, told, around, laws, found, counts, piece_before)
                    lost = wanted > counts[CAPACITY]
                counts[FOUND] = max(found, wanted)
                counts[PIECES] = taken
                if lost or not well:
                    if pieces + taken > 1 or parts_of_pieces > 0:
                        copy_part(contacts, points, counts[CAPACITY], 2, old_third, old_count)
                    if taken > 1:
                        undo_log(told)
                    forget_substeps(told, counts, tree, records(ties, Tie, X1))
                    counts[CONTACTS] = old_count
                    counts[OLD_THIRD] = old_third
                    return k
                log_piece(told, around, found, k * h + h - left - laws.h, laws.h, taken == 1 and pieces > 0)
                counts[CONTACTS] = found
                counts[OLD_THIRD] = 1 - counts[OLD_THIRD]
    return steps


@kernel
def forget_substeps(told, counts, tree, ties):
    """Before a step: what the earlier substeps of the last one did is told no more."""
    if told.sums.head[TIME] > 0.0:
        forget_earlier(told.sums, world_sums(tree), ties, counts[TIES])
        counts[EARLIER] = 0


@kernel
def log_piece(told, around, found, begin, h, several):
    """Log the contacts of a piece that counts, which began so long after the call [s]; several: it is the first of
    several."""
    if told.log[LOG_ROOM] > 0:
        if several:
            keep_log(told.log, told.log_numbers)
        time = told.log_numbers[CLOCK] + begin
        log_contacts(told.log, told.log_numbers, around.contacts, around.points, found, time, h)


@kernel
def undo_log(told):
    """Forget what pieces logged of a step that could not be taken."""
    if told.log[LOG_ROOM] > 0:
        restore_log(told.log, told.log_numbers)


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
def fastest(tree, state, h):
    """Speed of the joint that turns fastest, and of that of what is led (`strands`) [rad/s]; infinite if one is not a
    number.

    A body alone that nothing touches turns exactly (`energy_momentum`) if it does so by less than ALONE within h, and
    does not count: nobody else's steps are cut for its sake.
    """
    most, most_led, v, led = 0.0, 0.0, state.mean, False
    for i in range(tree.bodies):
        joint = tree.joint[i]
        if joint.parent < 0:
            led = is_led(tree, i)
        if joint.count > 0:
            turning, _ = speeds(joint, tree.body[i], v)
            if led:
                most_led = not_below(turning, most_led)
            else:
                if is_floating(joint) and joint.end == i + 1 and joint.parent < 0:
                    turning = where((state.owed[i] > 0.0) & (turning * (h * h) < ALONE * ALONE), 0.0, turning)
                most = not_below(turning, most)
    return sqrt(most), sqrt(most_led)


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
    """Speed of the fastest ball joint that is pressed on the wall of its range, alone or with others; and the same of
    what is led [rad/s]."""
    most, most_led = 0.0, 0.0
    for a in range(joint_rows):
        joint, up, worst = tree.joint[rows.joint_int[a].body], rows.joint_int[a].several == 1, 0.0
        while True:
            if is_ball(joint):
                worst = where(rows.joint[a].impulse > 0.0, not_below(square(load3(v, joint.iv)), worst), worst)
            if not up or joint.parent < 0:
                break
            joint = tree.joint[joint.parent]
        if is_led(tree, rows.joint_int[a].body):
            most_led = maximum(most_led, worst)
        else:
            most = maximum(most, worst)
    return sqrt(most), sqrt(most_led)


@inline
def pieces_for(speeds, slides, h, longest, fast_turn, used):
    """Into how many pieces to cut a step in which something is fast: a whole number, as a float.

    speeds, slides: of `fastest`, of `sliding`; used: pieces that were taken before.
    """
    few = maximum(maximum(floor(LED / (fast_turn * fast_turn) + 0.5) - used, 1.0), floor(h / longest) + 1.0)
    for_led = minimum(cut(speeds[1], slides[1], h, longest, fast_turn), few)
    return maximum(cut(speeds[0], slides[0], h, longest, fast_turn), for_led)


@inline
def cut(speed, slide, h, longest, fast_turn):
    """The same, for one speed.

    None is longer than `longest`; nothing turns by two fast turns in one, or by half a fast turn on the wall of a
    range: walls bend, and what slides along leaves them by half the square of its turn, times how sharply they bend.
    """
    turn, along = speed * h, slide * h
    calm = ((turn <= fast_turn) & (along <= 0.5 * fast_turn)) | (longest == FOREVER)
    wanted = maximum(turn / (2.0 * fast_turn), along / (0.5 * fast_turn))
    few = maximum(floor(wanted), floor(h / longest * (1.0 - WHOLE))) + 1.0
    many = maximum(floor(h / longest), MOST_PIECES)
    return where(calm, 1.0, where(wanted >= MOST_PIECES, many, few))


@kernel
def gather(scene):
    """Inertias of subtrees, without the mass matrix."""
    for i in range(scene.tree.bodies - 1, -1, -1):
        above = scene.tree.joint[i].parent
        if above >= 0:
            parent = scene.placed[above]
            parent.inertia = parent.inertia + scene.placed[i].inertia


@kernel
def finite(view, count):
    """Are all numbers finite?"""
    total = 0.0
    for k in range(count):
        total = total + view[k] * 0.0
    return total == 0.0


@kernel
def finite_state(state):
    """Are all places and velocities finite?"""
    return finite(state.q, state.nq) & finite(state.v, state.nv)


@kernel
def open_pairs(pairs):
    """Views of the pairs to be tested."""
    head = lanes(pairs, X1)
    listed = records(tail(head, HEADER), Pair)
    return Broad(head, listed, tail(head, head[RULES]), tail(head, head[ORDER]), tail(head, head[SPACE]))


@kernel
def look_around(touch, find_gap, arrays):
    """Views of the shapes, and of the contacts of this step and of the last."""
    shapes, counts = open_shapes(arrays.shape_ints, arrays.shape_floats), arrays.counts
    capacity, new = counts[CAPACITY], 1 - counts[OLD_THIRD]
    contact_list, point_list = lanes(arrays.contacts, X1), lanes(arrays.points, X1)
    third_contact, third_point = capacity * Contact.SIZE, capacity * ContactPoint.SIZE
    return Surroundings(
        touch, find_gap, near_pairs, shapes, shapes.floats, lanes(arrays.spare, X1), open_pairs(arrays.pairs),
        records(tail(contact_list, new * third_contact), Contact),
        records(tail(point_list, new * third_point), ContactPoint),
        records(tail(contact_list, (1 - new) * third_contact), Contact),
        records(tail(point_list, (1 - new) * third_point), ContactPoint),
        capacity, counts[TIES], records(arrays.ties, Tie, X1), records(arrays.tie_ints, TieInts, X1),
    )  # fmt: skip
