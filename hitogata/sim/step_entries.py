"""The step as Python calls it: flat arrays opened, steps taken, results checked."""

from hitogata.constraints.springs import Tie, TieInts
from hitogata.contact.conservative_advancement import gap_of
from hitogata.contact.layout import Pair, open_shapes
from hitogata.contact.narrowphase import touch
from hitogata.dynamics.followers import follow_rates
from hitogata.lanes import X1, any_lane, entry, kernel, lanes, open_table, records, tail, where
from hitogata.sim.body_state import place, turn_momenta
from hitogata.sim.contact_lists import Lists, back_to_list, restore_list
from hitogata.sim.contact_log import CLOCK, keep_log, log_contacts, restore_log
from hitogata.sim.contact_log import ROOM as LOG_ROOM
from hitogata.sim.geometric_stiffness import relax
from hitogata.sim.impacts import TOO_SHORT, first_impact, moves_fast, stop_at_impact
from hitogata.sim.layout import PIECES, open_control, open_rows, open_scene, open_state, open_world
from hitogata.sim.pair_list import HEADER, ORDER, RULES, SPACE
from hitogata.sim.pieces import sliding
from hitogata.sim.point_rows import Broad, Neighbours, near_pairs
from hitogata.sim.step import Method, by_sweeps, step
from hitogata.sim.step_clock import NARROW, Clock, silent
from hitogata.sim.stepping import Kept, Kind, Worlds, finite_state, forget_substeps, run_steps
from hitogata.sim.substeps import (
    Told,
    add_contacts,
    add_joints,
    add_motors_and_limits,
    add_ties,
    sums_in,
    world_sums,
)
from hitogata.sim.tables import StepTable
from hitogata.sim.tree_energy import UNKNOWN
from hitogata.sim.velocity_update import carry, note_spin, synchronise


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
    """Several steps of h; returns how many were taken before the world became non-finite, or lacked room.

    A step in which something turns by more than `fast_turn`, or slides fast along a wall, is taken in pieces, see
    `pieces.pieces_for`.

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
    scene, views = open_scene(world, arrays.work), open_state(world, lanes(arrays.state, X1))
    targets, rows = open_control(world, arrays.control), open_rows(world, arrays.work, arrays.work_ints)
    method = Method(solve, open_room(world, arrays), clock)
    parts = world, scene, rows, views, targets, method, sweeps
    kind = Kind(touch, find_gap, reduced_step, note_reduced, log_piece, stays_failed, take_back, parts)
    return run_single(kind, arrays, world.tree, views, views, scene.x, (h, longest, fast_turn), steps)


@kernel
def run_single(kind, arrays, tree, views, checked, guess, timing, steps):
    """Steps of one world; returns how many were taken before it became non-finite, or lacked room.

    arrays: an opened `StepTable`; the rest: see `stepping`.
    """
    law, shapes = lanes(arrays.law, X1), open_shapes(arrays.shape_ints, arrays.shape_floats)
    neighbours = Neighbours(
        kind.touch, kind.find_gap, near_pairs, shapes, shapes.floats, lanes(arrays.spare, X1), open_pairs(arrays.pairs),
        records(arrays.tie_ints, TieInts, X1),
    )  # fmt: skip
    lists = Lists(lanes(arrays.contacts, X1), lanes(arrays.points, X1), lanes(arrays.counts, X1))
    told = Told(
        sums_in(tree, lanes(arrays.sums, X1)), world_sums(tree), lanes(arrays.earlier, X1),
        lanes(arrays.earlier_points, X1), lanes(arrays.log, X1), lanes(arrays.log_numbers, X1),
        lanes(arrays.told_scratch, X1),
    )  # fmt: skip
    kept = Kept(
        lanes(arrays.state, X1), lanes(arrays.before, X1), lanes(arrays.piece_before, X1), len(arrays.state),
        lanes(arrays.ties, X1), lanes(arrays.old_ties, X1), lanes(arrays.piece_ties, X1), len(arrays.ties),
        records(arrays.ties, Tie, X1),
    )  # fmt: skip
    worlds = Worlds(kept, lists, neighbours, told, tree, views, checked, guess, law, law[10], law[14], 0.0)
    _, taken, _, _ = run_steps(kind, worlds, False, steps, timing)
    return int(taken)


@kernel
def reduced_step(parts, around, law, old_contacts, passes, start, going, last_try):
    """One step in reduced coordinates, at any width; see `stepping.Kind`."""
    world, scene, rows, state, control, method, sweeps = parts
    contacts, joint_rows, mistaken = step(
        world, scene, rows, around, state, control, law, method, sweeps, old_contacts, passes
    )
    slide, share, begin = sliding(world.tree, state.mean, rows, joint_rows), passes * 0.0 + 1.0, start
    fast = going & (mistaken == 0.0)
    if any_lane(fast):
        fast = fast & moves_fast(scene, world.solid, around, begin, state.q, law.h)
    if any_lane(fast):
        fast = fast & finite_state(state)
        if any_lane(fast):
            hit, led = first_impact(world, scene, around, state, begin, contacts, law)
            share = where(fast, hit, 1.0)
            here = (share < 1.0) & (last_try | (share < TOO_SHORT))
            for_led = fast & (share == 1.0) & (led < 1.0)
            if any_lane(here):
                stop_at_impact(world, scene, around, state, begin, law, here, True)
                share = where(here, 1.0, share)
            if any_lane(for_led):
                stop_at_impact(world, scene, around, state, begin, law, for_led, False)
        method.clock.note(method.clock.times, NARROW)
    return contacts, slide, mistaken, share


@kernel
def note_reduced(parts, told, around, law, found, counts, before, more):
    """Sum up what a piece did that is not the last of its step; see `add_contacts` for what is returned.

    before: the state it began with.
    """
    world, scene, _, state, control, _, _ = parts
    start = open_state(world, before)
    place(scene, world.solid, start)
    if law.keep_energy == 0.0:
        turn_momenta(scene, world.solid, start, law.h)
    add_motors_and_limits(told.sums, world.tree, state, law.h, more)
    add_ties(scene, around, law.h, more)
    add_joints(world, scene, told, start, state, control, around, found, law.h)
    return add_contacts(told, counts, around.contacts, around.points, found, law.h)


@kernel
def stays_failed(done, fails):
    """A single world that failed stays as it is: `failure.describe_failure` looks at it."""
    return done | fails


@kernel
def log_piece(told, counts, around, found, begin, h, taken, several):
    """Log the contacts of a piece that counts, which began so long after the call [s].

    taken: pieces so far, with it; several: there are more to come.
    """
    counts[PIECES] = int(taken)
    if told.log[LOG_ROOM] > 0:
        if several and taken == 1.0:
            keep_log(told.log, told.log_numbers)
        time = told.log_numbers[CLOCK] + begin
        log_contacts(told.log, told.log_numbers, around.contacts, around.points, found, time, h)


@kernel
def take_back(worlds, earlier, saved):
    """A step cannot be taken: nothing is told of its earlier pieces."""
    told, lists = worlds.told, worlds.lists
    lists.counts[PIECES] = int(earlier) + 1
    forget_substeps(worlds)
    if saved:
        restore_list(lists)
    else:
        back_to_list(lists)
    if earlier > 0.0 and told.log[LOG_ROOM] > 0:
        restore_log(told.log, told.log_numbers)


@kernel
def gather(scene):
    """Inertias of subtrees, without the mass matrix."""
    for i in range(scene.tree.bodies - 1, -1, -1):
        above = scene.tree.joint[i].parent
        if above >= 0:
            parent = scene.placed[above]
            parent.inertia = parent.inertia + scene.placed[i].inertia


@kernel
def open_pairs(pairs):
    """Views of the pairs to be tested."""
    head = lanes(pairs, X1)
    listed = records(tail(head, HEADER), Pair)
    return Broad(head, listed, tail(head, head[RULES]), tail(head, head[ORDER]), tail(head, head[SPACE]))
