"""Worlds side by side: the step of `step.py` for as many worlds as a SIMD register holds, a *block*.

Worlds of a batch have the same figures, shapes, springs and ropes.  Between calls each of them is a row of numbers, in
the order of `layout`; for its steps a block is transposed into lanes.  What its worlds share is the list of contacts:
a point stands in it if any of them has it (`contact.layout`).

Worlds of a block take the same steps, but not the same pieces of them (`stepping`).  What a world does is its own
affair, bit for bit, whoever its neighbours are.
"""

from hitogata.constraints.ranges import own_ranges
from hitogata.constraints.springs import Tie, TieInts
from hitogata.contact.conservative_advancement import gap_of
from hitogata.contact.layout import open_shapes
from hitogata.contact.narrowphase import touch
from hitogata.dynamics.layout import Limit, Tree
from hitogata.lanes import (
    X1,
    Count,
    Memory,
    Table,
    any_lane,
    entry,
    float_array,
    int_array,
    kernel,
    lanes,
    many,
    memory_sizes,
    number,
    numbers,
    open_memory,
    open_table,
    pack,
    record,
    records,
    tail,
    unpack,
    where,
)
from hitogata.sim.contact_lists import Lists, restore_list
from hitogata.sim.layout import (
    Solid,
    World,
    open_control,
    open_rows,
    open_scene,
    open_state,
    open_world,
    step_work,
)
from hitogata.sim.point_rows import Neighbours, all_pairs
from hitogata.sim.step import Method, by_sweeps
from hitogata.sim.step_clock import Clock, silent
from hitogata.sim.step_entries import note_start, open_pairs, reduced_step
from hitogata.sim.stepping import Kept, Kind, Worlds, copy, run_steps
from hitogata.sim.substeps import Told, add_motors_and_limits, add_shape_impulses, add_ties, block_sums, sums_in
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


class BlockTable(Table):
    """What all worlds of a batch share, as in `StepTable`, the lists of all blocks, and scratch of one thread."""

    ints = int_array()
    floats = float_array()
    tie_ints = int_array()
    shape_ints = int_array()
    shape_floats = float_array()
    pairs = int_array()
    law = float_array()
    range_lists = int_array()  # (blocks, lists of the bodies), see `own_ranges`
    range_numbers = float_array()  # flat ranges
    contacts = int_array()  # of all blocks, see `contact_lists`
    points = float_array()
    counts = int_array()
    sums = float_array()  # what the earlier substeps of the last step did, (blocks, numbers, width), see `substeps`
    todo = int_array()  # steps left, per block; above 0 where room was lacking: then all is as before that step
    work = float_array()
    work_ints = int_array()


@entry
def take_block_steps(table, rows, timing, sweeps, first, end, width):
    """Take the steps that blocks first to end have to do; returns the room for contacts that any of them lacked, or 0.

    table: a `BlockTable`.
    rows: state, control, ties, one row per world as those of a single world; then `Nature`, and (worlds, MARKS).
    timing: h, longest piece, fast turn.
    """
    return take_steps_of_blocks(touch, gap_of, table, rows, timing, sweeps, (first, end), width)


@kernel
def take_steps_of_blocks(touch, find_gap, table, rows, timing, sweeps, blocks, width):
    """`take_block_steps` with the kernels that find points and gap of a pair."""
    state, control, ties, nature, marks = rows
    arrays, wanted = open_table(BlockTable, table, state), 0
    shared, shapes = open_world(arrays.ints, arrays.floats), open_shapes(arrays.shape_ints, arrays.shape_floats)
    sizes = state.shape[1], control.shape[1], nature.shape[1], ties.shape[1]
    block = open_memory(Block, lanes(arrays.work, width), sizes[0], sizes[1], sizes[2], sizes[3])
    rest = tail(lanes(arrays.work, width), memory_sizes(Block, sizes[0], sizes[1], sizes[2], sizes[3])[0])
    for b in range(blocks[0], blocks[1]):
        if arrays.todo[b] > 0:
            row = b * width.n
            pack(state, row, block.state)
            pack(control, row, block.control)
            pack(nature, row, block.nature)
            pack(ties, row, block.ties)
            pack(marks, row, block.marks)
            own = open_memory(Nature, block.nature, shared.tree.bodies, shapes.total)
            world = world_of(
                shared, own, part_of(arrays.range_lists, X1, b, len(arrays.todo)), lanes(arrays.range_numbers, X1)
            )
            parts = open_parts(world, block, rest, arrays.work_ints, sweeps)
            kind = Kind(touch, find_gap, reduced_step, note_block, log_nothing, stand_done, take_back_list, parts)
            lacking = run_block(kind, shapes, own, block, tail(rest, step_work(world)), arrays, b, timing, width)
            wanted = max(wanted, lacking)
            unpack(block.state, state, row)
            unpack(block.ties, ties, row)
            unpack(block.marks, marks, row)
    return wanted


@kernel
def part_of(numbers, width, k, parts):
    """Flat view of part k of an array of so many parts."""
    return tail(lanes(numbers, width), k * (len(numbers) // (parts * width.n)))


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
def open_parts(world, block, work, work_ints, sweeps):
    """What `step_entries.reduced_step` needs."""
    method, rows = Method(by_sweeps, 0, Clock(silent, 0)), open_rows(world, work, work_ints)
    state, control = open_state(world, block.state), open_control(world, block.control)
    return world, open_scene(world, work), rows, state, control, method, sweeps


@kernel
def run_block(kind, shapes, nature, block, spare, arrays, b, timing, width):
    """Steps of block b; returns room for contacts that was lacking, or 0.

    spare: scratch of the search for contacts; arrays: an opened `BlockTable`.
    """
    world, scene, _, views, _, _, _ = kind.parts
    tree, marks, blocks = world.tree, block.marks, len(arrays.todo)
    lists = Lists(
        part_of(arrays.contacts, X1, b, blocks), part_of(arrays.points, width, b, blocks),
        part_of(arrays.counts, X1, b, blocks),
    )  # fmt: skip
    neighbours = Neighbours(
        kind.touch, kind.find_gap, all_pairs, shapes, nature.skin, spare, open_pairs(arrays.pairs),
        records(arrays.tie_ints, TieInts, X1),
    )  # fmt: skip
    no_ints, none = lanes(arrays.work_ints, X1), lanes(arrays.law, X1)
    told = Told(
        sums_in(tree, part_of(arrays.sums, width, b, blocks)), block_sums(tree, shapes.total), no_ints, none, no_ints,
        none, none,
    )  # fmt: skip
    kept = Kept(
        block.state, block.before, block.piece, block.states, block.ties, block.old_ties, block.piece_ties,
        block.tie_numbers, records(block.ties, Tie),
    )  # fmt: skip
    zero, dead = marks[DEAD] * 0.0, marks[DEAD] > 0.0
    worlds = Worlds(
        kept, lists, neighbours, told, tree, views, views, scene.x, lanes(arrays.law, X1), nature.fall, 0.0, zero
    )
    if any_lane(marks[FRESH] > 0.0):
        begin_fresh(world, scene, views, block)
    left, taken, dead, lacking = run_steps(kind, worlds, dead, arrays.todo[b], timing)
    marks[TAKEN], marks[DEAD] = taken, where(dead, 1.0, zero)
    arrays.todo[b] = 0
    if lacking > 0:
        arrays.todo[b] = left
    synchronise(scene, world.solid, views, worlds.law[1])
    return lacking


@kernel
def note_block(parts, told, around, law, listed, counts, start, more):
    """Sum up what a piece did that is not the last of its step, in worlds where more are to come."""
    world, scene, _, state, _, _, _ = parts
    add_motors_and_limits(told.sums, world.tree, state, law.h, more)
    add_ties(scene, around, law.h, more)
    add_shape_impulses(told.sums.rest, around, listed, more)
    return 0


@kernel
def log_nothing(told, counts, around, found, begin, h, taken, several):
    """Worlds side by side keep no log."""


@kernel
def stand_done(done, fails):
    """Worlds that failed are put back, too."""
    return done


@kernel
def take_back_list(worlds, earlier, saved):
    """A step could not be taken: the list of contacts is the one it began with."""
    if saved:
        restore_list(worlds.lists)


@kernel
def begin_fresh(world, scene, views, block):
    """Note the momenta of worlds that were put elsewhere; see `step_entries.begin`."""
    fresh, none = block.marks[FRESH] > 0.0, block.marks[FRESH] * 0.0
    copy(block.state, block.before, block.states)
    note_start(world, scene, views)
    for k in range(block.states):
        block.state[k] = where(fresh, block.state[k], block.before[k])
    block.marks[FRESH] = none
