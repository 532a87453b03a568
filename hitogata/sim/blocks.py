"""Worlds side by side: the step of `step.py` for as many worlds as a SIMD register holds, a *block*.

Worlds of a batch have the same figures, shapes, springs and ropes.  Between calls each of them is a row of numbers, in
the order of `layout`; for its steps a block is transposed into lanes.  What its worlds share is the list of contacts:
a point stands in it if any of them has it (`contact.layout`).

Worlds of a block take the same steps, but not the same pieces of them: h is a number per world, and a world whose step
is done, or that has become non-finite, is put back after each further piece.  So what a world does is its own affair,
bit for bit, whoever its neighbours are.
"""

from hitogata.constraints.limits import Limit
from hitogata.constraints.ranges import own_ranges
from hitogata.constraints.springs import Tie, TieInts
from hitogata.contact.conservative_advancement import gap_of
from hitogata.contact.layout import open_shapes
from hitogata.contact.narrowphase import touch
from hitogata.dynamics.layout import Tree
from hitogata.lanes import (
    X1,
    Count,
    Floats,
    Ints,
    Memory,
    Number,
    all_lanes,
    any_lane,
    entry,
    kernel,
    lanes,
    many,
    maximum,
    memory_sizes,
    minimum,
    negated,
    number,
    numbers,
    open_memory,
    pack,
    record,
    records,
    tail,
    unpack,
    where,
)
from hitogata.sim.block_contacts import (
    START,
    START_COUNT,
    Lists,
    list_at,
    next_list,
    restore_list,
    save_list,
    take_list,
)
from hitogata.sim.impacts import MOST_RETAKES, TOO_SHORT, first_impact, moves_fast, stop_at_impact
from hitogata.sim.layout import (
    CAPACITY,
    CONTACTS,
    OLD_THIRD,
    TIES,
    Law,
    Solid,
    World,
    open_control,
    open_rows,
    open_scene,
    open_state,
    open_world,
    step_work,
)
from hitogata.sim.motors import suppose
from hitogata.sim.point_rows import Surroundings, all_pairs
from hitogata.sim.step import Method, by_sweeps, step
from hitogata.sim.step_clock import Clock, silent
from hitogata.sim.step_entries import MOST_PIECES, fastest, finite_state, note_start, open_pairs, pieces_for, sliding
from hitogata.sim.substeps import (
    add_motors_and_limits,
    add_shape_impulses,
    add_ties,
    block_sums,
    forget_earlier,
    sums_in,
)
from hitogata.sim.velocity_update import synchronise
from hitogata.spatial import load3

DEAD, FRESH, TAKEN, MARKS = range(4)
"""Marks of a world, and how many: it became non-finite; it was put elsewhere, and its momenta are to be noted; steps
taken by the last call."""


@record
class Skin:
    """Surface of a shape, and mass of its figure."""

    friction: float
    restitution: float
    mass: float


class Nature(Memory):
    """Constants of a world."""

    bodies, shapes = Count(), Count()
    gravity = numbers(3)
    fall = number()  # its size
    solid = many(Solid, bodies)
    limit = many(Limit, bodies)
    range_of = numbers(bodies)  # numbers of ranges of motion, see `BatchRanges`
    skin = many(Skin, shapes)


class Block(Memory):
    """A block's worlds in lanes; what follows is the scratch of their steps."""

    states, controls, natures, tie_numbers = (Count() for _ in range(4))
    state = numbers(states)
    before = numbers(states)  # before the step
    piece = numbers(states)  # before its last piece
    ties = numbers(tie_numbers)
    old_ties = numbers(tie_numbers)
    piece_ties = numbers(tie_numbers)
    control = numbers(controls)
    nature = numbers(natures)
    marks = numbers(MARKS)


@entry(
    ints=Ints(1), floats=Floats(1), tie_ints=Ints(1), shape_ints=Ints(1), shape_floats=Floats(1), pairs=Ints(1),
    law=Floats(1), state=Floats(2, write=True), control=Floats(2), nature=Floats(2), ties=Floats(2, write=True),
    marks=Floats(2, write=True), sums=Floats(3, write=True), range_lists=Ints(2), range_numbers=Floats(1),
    contacts=Ints(2, write=True),
    points=Floats(3, write=True), counts=Ints(2, write=True), todo=Ints(1, write=True), work=Floats(1, write=True),
    work_ints=Ints(1, write=True), h=Number(), longest=Number(), fast_turn=Number(),
)  # fmt: skip
def take_block_steps(
    ints, floats, tie_ints, shape_ints, shape_floats, pairs, law, state, control, nature, ties, marks, sums,
    range_lists, range_numbers, contacts, points, counts, todo, work, work_ints, h, longest, fast_turn, sweeps, first,
    end, width,
):  # fmt: skip
    """Take the steps that blocks first to end have to do; returns the room for contacts that any of them lacked, or 0.

    ints, floats, shape_ints, shape_floats, pairs, tie_ints, law: what all worlds share, see `layout`.
    state, control, ties: one row per world, as those of a single world; nature: see `Nature`; marks: (worlds, MARKS).
    sums: what the earlier substeps of the last step did, (blocks, numbers, width), see `substeps`.
    range_lists: (blocks, lists of the bodies), see `own_ranges`; range_numbers: flat ranges.
    contacts, points, counts: see `block_contacts`.
    todo: steps left, per block; stays above 0 where room was lacking: everything is then as before the step at hand.
    """
    shared, shapes, wanted = open_world(ints, floats), open_shapes(shape_ints, shape_floats), 0
    sizes = state.shape[1], control.shape[1], nature.shape[1], ties.shape[1]
    block = open_memory(Block, lanes(work, width), sizes[0], sizes[1], sizes[2], sizes[3])
    rest = tail(lanes(work, width), memory_sizes(Block, sizes[0], sizes[1], sizes[2], sizes[3])[0])
    for b in range(first, end):
        if todo[b] > 0:
            row = b * width.n
            pack(state, row, block.state)
            pack(control, row, block.control)
            pack(nature, row, block.nature)
            pack(ties, row, block.ties)
            pack(marks, row, block.marks)
            lists = Lists(lanes(contacts, X1, b), lanes(points, width, b), lanes(counts, X1, b))
            own = open_memory(Nature, block.nature, shared.tree.bodies, shapes.total)
            world = world_of(shared, own, lanes(range_lists, X1, b), lanes(range_numbers, X1))
            todo[b], lacking = run_block(
                world, shapes, (block, own, rest), lists, open_pairs(pairs), records(tie_ints, TieInts, X1),
                lanes(law, X1), work_ints, sums_in(world.tree, lanes(sums, width, b)), todo[b], h, longest, fast_turn,
                sweeps,
            )  # fmt: skip
            wanted = max(wanted, lacking)
            unpack(block.state, state, row)
            unpack(block.ties, ties, row)
            unpack(block.marks, marks, row)
    return wanted


@kernel
def world_of(shared, nature, range_lists, range_numbers):
    """What the worlds of a block are: one tree, but gravity, masses, limits and ranges of their own."""
    tree = shared.tree
    own = Tree(tree.bodies, tree.nq, tree.nv, tree.links, load3(nature.gravity, 0), tree.joint, tree.body)
    ranges = own_ranges(range_lists, nature.range_of, range_numbers)
    return World(
        own, shared.chains, nature.solid, nature.limit, ranges, shared.coupled, shared.width, shared.points,
        shared.walls, shared.followers,
    )  # fmt: skip


@kernel
def law_of(numbers, h, part, last_h, fall):
    """The laws of a step; see `layout.open_law`.  A world is one island: whatever touches in its neighbours."""
    return Law(
        h, part, h / last_h, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
        numbers[7], numbers[8], numbers[9], fall, numbers[11], numbers[12], numbers[13], 0.0, numbers[15],
    )  # fmt: skip


@kernel
def run_block(
    world, shapes, own, lists, pairs, tie_ints, numbers, work_ints, sums, steps, h, longest, fast_turn, sweeps
):  # fmt: skip
    """Steps of h, each world in pieces of its own; returns how many are left, and room for contacts that was lacking.

    `step_entries.run_steps` says when a step is cut.
    """
    block, nature, work = own
    tree, views, marks, counts = world.tree, open_state(world, block.state), block.marks, lists.counts
    scene, control = open_scene(world, work), open_control(world, block.control)
    rows, method = open_rows(world, work, work_ints), Method(by_sweeps, 0, Clock(silent, 0))
    spare, dead = tail(work, step_work(world)), marks[DEAD] > 0.0
    marks[TAKEN] = marks[DEAD] * 0.0
    if any_lane(marks[FRESH] > 0.0):
        begin_fresh(world, scene, views, block)
    lacking = 0
    while steps > 0 and lacking == 0:
        forget_earlier(sums, block_sums(tree, shapes.total), records(block.ties, Tie), counts[TIES])
        keep_start(block, lists)
        start, start_ties = block.before, block.old_ties
        left, taken = marks[DEAD] * 0.0 + h, marks[DEAD] * 0.0
        pieces = where(dead, 0.0, pieces_for(fastest(tree, views, left), (0.0, 0.0), left, longest, fast_turn, 0.0))
        again, first, passes = False, True, marks[DEAD] * 0.0
        share, retakes, parts_of_pieces, patience = taken + 1.0, taken, taken, taken + 1.0
        while any_lane(pieces > 0.0):
            if not first:
                copy(block.state, block.piece, block.states)
                copy(block.ties, block.piece_ties, block.tie_numbers)
                start, start_ties = block.piece, block.piece_ties
            going = pieces > 0.0
            length = where(going, left / maximum(pieces, 1.0) * share, h)
            law = law_of(numbers, length, patience * length / h, views.last[0], nature.fall)
            around = look_around(shapes, block, nature, lists, pairs, tie_ints, spare)
            found, joint_rows, mistaken = step(
                world, scene, rows, around, views, control, law, method, sweeps, counts[CONTACTS], passes
            )
            slide, well = sliding(tree, views.mean, rows, joint_rows), finite_state(views)
            supposing = going & (mistaken > 0.0)  # once more, with other motors at their limits
            fast = going & well & negated(supposing) & moves_fast(scene, world.solid, around, start, views.q, length)
            impact, led = taken * 0.0 + 1.0, taken * 0.0 + 1.0
            if any_lane(fast):
                impact, led = first_impact(world, scene, around, views, start, found, law)
                impact, led = where(fast, impact, 1.0), where(fast, led, 1.0)
            last_try = (impact < 1.0) & ((retakes >= MOST_RETAKES) | (impact < TOO_SHORT))
            if any_lane(last_try):
                stop_at_impact(world, scene, around, views, start, law, last_try, True)
                impact = where(last_try, 1.0, impact)
            stopping = (impact == 1.0) & (led < 1.0) & negated(last_try)
            if any_lane(stopping):
                stop_at_impact(world, scene, around, views, start, law, stopping, False)
            used = taken - parts_of_pieces
            needed = pieces_for(fastest(tree, views, left), slide, left, longest, fast_turn, used)
            retry = going & negated(supposing) & (needed > pieces) & negated(again) & (used + pieces < MOST_PIECES)
            hits = negated(retry) & (impact < 1.0)  # once more, to where something touches
            done = going & negated(retry | supposing | hits)
            fails = done & negated(well)
            done, dead = done & well, dead | fails
            put_back(block, start, start_ties, done, fails)
            if any_lane(supposing | retry | hits):
                suppose(scene.x, views.motor, tree.nv, supposing | retry | hits)
            passes = where(supposing, passes + 1.0, 0.0)
            patience = where(supposing | retry | hits, 0.0, patience)
            views.last[0] = where(done, length, views.last[0])
            more = maximum(minimum(needed, MOST_PIECES - used), pieces + 1.0)  # too far in one go: once more
            part = done & (share < 1.0)
            pieces = where(dead, 0.0, where(retry, more, where(done & (share >= 1.0), pieces - 1.0, pieces)))
            left, taken = where(done, left - length, left), where(done, taken + 1.0, taken)
            parts_of_pieces = where(part, parts_of_pieces + 1.0, parts_of_pieces)
            share = where(hits, share * impact, where(supposing, share, 1.0))
            retakes = where(hits, retakes + 1.0, retakes)
            again = retry | (again & (supposing | hits))
            if first and any_lane(pieces > 0.0):
                save_list(lists)
            listed = found
            found = take_list(lists, found, done | dead)
            if found > counts[CAPACITY]:
                lacking = found
                break
            more = done & (pieces > 0.0)
            if any_lane(more):
                add_motors_and_limits(sums, tree, views, length, more)
                add_ties(scene, around, length, more)
                add_shape_impulses(sums.rest, around, listed, more)
            first = False
        if lacking > 0:
            back_to_start(block, lists, first)
        else:
            marks[TAKEN] = where(dead, marks[TAKEN], marks[TAKEN] + 1.0)
            marks[DEAD] = where(dead, 1.0, 0.0)
            steps -= 1
    synchronise(scene, world.solid, views, numbers[1])
    return steps, lacking


@kernel
def look_around(shapes, block, nature, lists, pairs, tie_ints, spare):
    """Views of the shapes, and of the contacts of this step and of the last."""
    old = lists.counts[OLD_THIRD]
    contacts, points = list_at(lists, next_list(old))
    old_contacts, old_points = list_at(lists, old)
    return Surroundings(
        touch, gap_of, all_pairs, shapes, nature.skin, spare, pairs, contacts, points, old_contacts,
        old_points, lists.counts[CAPACITY], lists.counts[TIES], records(block.ties, Tie), tie_ints,
    )  # fmt: skip


@kernel
def begin_fresh(world, scene, views, block):
    """Note the momenta of worlds that were put elsewhere; see `step_entries.begin`."""
    fresh, none = block.marks[FRESH] > 0.0, block.marks[FRESH] * 0.0
    copy(block.state, block.before, block.states)
    note_start(world, scene, views)
    for k in range(block.states):
        block.state[k] = where(fresh, block.state[k], block.before[k])
    block.marks[FRESH] = none


@kernel
def copy(source, target, count):
    """Copy numbers of all worlds."""
    for k in range(count):
        target[k] = source[k]


@kernel
def keep_start(block, lists):
    """Note where the step begins."""
    copy(block.state, block.before, block.states)
    copy(block.ties, block.old_ties, block.tie_numbers)
    lists.counts[START], lists.counts[START_COUNT] = lists.counts[OLD_THIRD], lists.counts[CONTACTS]


@kernel
def back_to_start(block, lists, first):
    """All worlds are where the step began, if it failed in its first piece or in a later one."""
    copy(block.before, block.state, block.states)
    copy(block.old_ties, block.ties, block.tie_numbers)
    if not first:
        restore_list(lists)


@kernel
def put_back(block, start, start_ties, done, fails):
    """Worlds that are not done with their piece stand where it began; those that failed, where their step began."""
    if not all_lanes(done):
        for k in range(block.states):
            block.state[k] = where(done, block.state[k], where(fails, block.before[k], start[k]))
        for k in range(block.tie_numbers):
            block.ties[k] = where(done, block.ties[k], where(fails, block.old_ties[k], start_ties[k]))
