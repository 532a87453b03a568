"""The numbers of a batch of worlds: one row per world between calls, contacts in blocks; see `blocks`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hitogata.constraints.springs import Tie
from hitogata.contact.boxes import SPARE
from hitogata.contact.lane_by_lane import lane_spare
from hitogata.contact.layout import FAR, Contact, ContactPoint, ShapeFloats, ShapePlace
from hitogata.contact.layout import HEADER as SHAPE_HEADER
from hitogata.contact.sweep_and_prune import Swept
from hitogata.dynamics.dispatch import batch_width
from hitogata.dynamics.layout import NONE
from hitogata.errors import ArgumentError
from hitogata.lanes import MemoryLayout, Width, aligned_zeros, record_offsets, record_size, share
from hitogata.lanes.threads import cores
from hitogata.sim.batch_ranges import BatchRanges
from hitogata.sim.blocks import MARKS, Block, BlockTable, Nature, Skin
from hitogata.sim.contact_lists import LISTS
from hitogata.sim.coordinates import Coordinates
from hitogata.sim.impacts import scratch_size
from hitogata.sim.layout import CAPACITY, CONTACTS, COUNTS, LAST_LIST, TIES
from hitogata.sim.pair_list import SWEPT
from hitogata.sim.step_variants import VARIANTS, Steps
from hitogata.sim.substeps import HEAD, TIME, batch_sums_size
from hitogata.sim.world_model import make_forest

if TYPE_CHECKING:
    from hitogata.sim.world_data import Arrays

Array = NDArray[Any]

ROWS, LISTED = ("state", "control", "ties", "nature", "marks"), ("contacts", "points", "counts", "sums")
"""Arrays of a batch: one row per world; one list per block."""

ROOM = 32
"""Room for contact points of a block at first; it grows when it must."""


@dataclass
class BatchArrays:
    """All numbers of a batch; rows are as the arrays of a single world, `nature` as `blocks` says.

    Attributes:
        model: the arrays of the world they were made from, as it was then; nobody steps them.
        width: worlds in a block.
        state, control, ties, nature, marks: one row per world.
        contacts, points, counts: lists of contacts, one per block; see `contact_lists`.
        sums: what the earlier substeps of the last step did, in lanes, shape (blocks, numbers, width); see `substeps`.
        ranges: of motion; which world has which is in its nature.
    """

    model: "Arrays"
    width: Width
    state: Array
    control: Array
    ties: Array
    nature: Array
    marks: Array
    contacts: Array
    points: Array
    counts: Array
    sums: Array
    ranges: BatchRanges

    def __post_init__(self) -> None:
        self._shared: tuple[Any, ...] | None = None
        self._tables: list[Any] = []  # one for each thread: addresses, and the arrays that these are of
        self._todo = np.zeros(self.blocks, np.int64)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: addresses are of no use to them."""
        return {**self.__dict__, "_tables": []}

    @property
    def dtype(self) -> Any:
        """float64 or float32."""
        return self.state.dtype

    @property
    def blocks(self) -> int:
        """How many there are."""
        return len(self.counts)

    @property
    def room(self) -> int:
        """For contact points of a block."""
        return int(self.counts[0, CAPACITY])

    # ------------------------------------------------------- time

    def take_steps(self, h: float, steps: int, threads: int | None) -> None:
        """Steps of h for all worlds; what became of them is in their marks."""
        self._todo[:] = steps
        while True:
            lacking = self._run(h, threads)
            if lacking == 0:
                return
            self.make_room(2 * lacking)

    def _run(self, h: float, threads: int | None) -> int:
        settings = self.model.contents.settings
        parts = max(1, min(cores() if threads is None else threads, self.blocks))
        tables, rows = self._open_tables(parts), (self.state, self.control, self.ties, self.nature, self.marks)
        take, timing = self._take, (float(h), settings.longest_fast_step, settings.fast_turn)
        edges = [self.blocks * k // parts for k in range(parts + 1)]  # as those of `share`
        lacking = [0] * parts

        def run(first: int, end: int) -> None:
            part = edges.index(first)
            lacking[part] = take(tables[part], rows, timing, settings.sweeps, first, end, self.width)

        share(self.blocks, parts, run)
        return max(lacking)

    @property
    def _take(self) -> Any:
        return VARIANTS[Steps.SIDE_BY_SIDE][0 if self.model.shapes.plain else 1]

    def _open_tables(self, parts: int) -> list[Any]:
        """A `BlockTable` for each thread."""
        ranges = self.ranges.lists, self.ranges.table.numbers
        if self._tables and any(a is not b for a, b in zip(self._tables[0][2:], ranges, strict=True)):
            self._tables = []
        while len(self._tables) < parts:
            shared, (work, work_ints) = self._shared_arrays(), self._new_scratch()
            names = "ints", "floats", "tie_ints", "shape_ints", "shape_floats", "pairs", "law"
            arrays = dict(zip(names, shared, strict=True))
            arrays |= {"range_lists": ranges[0].reshape(-1), "range_numbers": ranges[1]}
            arrays |= {name: getattr(self, name).reshape(-1) for name in LISTED}
            arrays |= {"todo": self._todo, "work": work, "work_ints": work_ints}
            self._tables.append((BlockTable.of(self.dtype, **arrays), arrays, *ranges))
        return [table[0] for table in self._tables]

    def _shared_arrays(self) -> tuple[Any, ...]:
        if self._shared is None:
            model, points = self.model, self.room + len(self.model.contents.ties)
            figures = [m.figure for m in model.contents.members]
            single = self.dtype == np.float32
            self._forest = make_forest(figures, model.contents.gravity, points, single=single)
            self._shared = (
                self._forest.ints, self._forest.floats.astype(self.dtype), model.ties.ints, model.shapes.ints,
                model.shapes.floats_for(self.dtype), model.pairs, model.law.astype(self.dtype),
            )  # fmt: skip
        return self._shared

    def _new_scratch(self) -> tuple[Array, Array]:
        rows = Block.layout(
            states=self.state.shape[1], controls=self.control.shape[1], natures=self.nature.shape[1],
            tie_numbers=self.ties.shape[1],
        ).floats  # fmt: skip
        spare = SPARE if self.model.shapes.plain else max(SPARE, lane_spare(self.width.n))
        shapes = len(self.model.surfaces) * (record_size(ShapePlace) + record_size(Swept)) + spare + 64
        numbers = rows + shapes + scratch_size(self._forest.bodies) + self._forest.work.floats
        ints = self._forest.work.new_ints()
        return aligned_zeros(numbers * self.width.n, self.dtype), ints

    def make_room(self, room: int) -> None:
        """For so many contact points of a block."""
        old, at = self.room, np.arange(self.blocks)
        contacts, points = new_lists(self.blocks, room, self.width, self.dtype)
        contacts.reshape(self.blocks, LISTS, room, -1)[:, :, :old] = self.contacts.reshape(self.blocks, LISTS, old, -1)
        new, had = (x.reshape(self.blocks, LISTS, -1, record_size(ContactPoint), self.width.n)
                    for x in (points, self.points))  # fmt: skip
        new[at, :, :old] = had[at]
        self.contacts, self.points, self.counts[:, CAPACITY] = contacts, points, room
        self._shared, self._tables = None, []

    # ------------------------------------------------------- single worlds

    def last_contacts(self, k: int) -> tuple[Array, Array]:
        """Contacts and points of world k in its last step: copies, as those of a single world."""
        block, lane = divmod(k, self.width.n)
        which, count = self.counts[block, LAST_LIST], self.counts[block, CONTACTS]
        contacts = self.contacts[block].reshape(LISTS, self.room, -1)[which, :count]
        points = self.points[block].reshape(LISTS, self.room, -1, self.width.n)[which, :count, :, lane]
        own = points[:, record_offsets(ContactPoint)["gap"]] < FAR / 2
        return contacts[own], points[own].astype(float)

    def sums_of(self, first: int, count: int) -> Array:
        """Some numbers of the sums of all worlds, shape (worlds, count)."""
        lanes = self.sums[:, first : first + count].transpose(0, 2, 1)
        rows: Array = lanes.reshape(-1, count)[: len(self.state)].astype(float)
        return rows

    @property
    def earlier_motors(self) -> tuple[Array, Array]:
        """Impulses and greatest forces of all motors in the earlier substeps of the last step, shape (worlds, nv)."""
        nv = self.model.forest.nv
        return self.sums_of(HEAD, nv), self.sums_of(HEAD + nv, nv)

    @property
    def earlier_limits(self) -> Array:
        """The same of limits, shape (worlds, bodies, 2)."""
        nv, bodies = self.model.forest.nv, self.model.forest.bodies
        return self.sums_of(HEAD + 2 * nv, 2 * bodies).reshape(-1, bodies, 2)

    @property
    def earlier_shapes(self) -> Array:
        """Impulses of contacts on each shape in the earlier substeps of the last step, shape (worlds, shapes, 3)."""
        nv, bodies, shapes = self.model.forest.nv, self.model.forest.bodies, self.model.shapes.count
        return self.sums_of(HEAD + 2 * nv + 4 * bodies, 3 * shapes).reshape(-1, shapes, 3)

    @property
    def step_h(self) -> Array:
        """Length of the last step of each world [s], shape (worlds,); infinite where there was none."""
        return self.sums_of(TIME, 1)[:, 0] + self.state[:, self.model.forest.state.part("last").start].astype(float)

    def forget_contacts(self, worlds: Array) -> None:
        """These worlds have none."""
        at = record_offsets(ContactPoint)
        points = self.points.reshape(self.blocks, LISTS, self.room, -1, self.width.n)
        last = len(self.state) - 1
        for lane in range(self.width.n):
            blocks = worlds[worlds % self.width.n == lane] // self.width.n
            points[blocks, :, :, at["gap"], lane] = FAR
            points[blocks, :, :, at["impulse"] : at["impulse"] + 3, lane] = 0.0
        if last in worlds:  # worlds that fill up the last block are its likes
            points[-1, :, :, at["gap"], last % self.width.n :] = FAR
            points[-1, :, :, at["impulse"] : at["impulse"] + 3, last % self.width.n :] = 0.0

    def copied(self) -> "BatchArrays":
        """The same numbers once more."""
        arrays = {name: getattr(self, name).copy() for name in (*ROWS, *LISTED)}
        return replace(self, ranges=self.ranges.copied(), **arrays)

    def go_back(self, old: "BatchArrays") -> None:
        """Take over the numbers of others; rows stay where they are."""
        for name in ROWS:
            np.copyto(getattr(self, name), getattr(old, name))
        contacts, points = new_lists(self.blocks, old.room, self.width, self.dtype)
        np.copyto(contacts, old.contacts)
        np.copyto(points, old.points)
        self._tables = []
        if old.room != self.room:
            self._shared = None
        self.contacts, self.points, self.counts = contacts, points, old.counts.copy()
        np.copyto(self.sums, old.sums)
        self.ranges = old.ranges.copied()


def new_lists(blocks: int, room: int, width: Width, dtype: Any) -> tuple[Array, Array]:
    """Room for contacts and points of blocks."""
    contacts = np.zeros((blocks, LISTS * room * record_size(Contact)), np.int64)
    points = aligned_zeros((blocks, LISTS * room * record_size(ContactPoint), width.n), dtype)
    points.reshape(blocks, LISTS, room, -1, width.n)[:, :, :, record_offsets(ContactPoint)["gap"]] = FAR
    return contacts, points


def make_arrays(model: "Arrays", count: int, dtype: Any, width: Width | None = None) -> BatchArrays:
    """Arrays of so many worlds like one."""
    _check_model(model)
    width = batch_width(dtype) if width is None else width
    blocks = -(-count // width.n)
    counts = np.zeros((blocks, COUNTS), np.int64)
    contacts, points = model.last_contacts()
    room = max(ROOM, 2 * len(contacts))
    counts[:, CAPACITY], counts[:, TIES], counts[:, CONTACTS] = room, len(model.contents.ties), len(contacts)
    marks = np.zeros((count, MARKS), dtype)
    state, control, ties, nature = (
        np.tile(row, (count, 1)).astype(dtype)
        for row in (model.state, model.control, model.ties.numbers, nature_of(model))
    )
    ties.reshape(count, -1, record_size(Tie))[:, :, record_offsets(Tie)["earlier"] :] = 0.0  # as the sums
    listed, placed = new_lists(blocks, room, width, dtype)
    listed.reshape(blocks, LISTS, room, -1)[:, 0, : len(contacts)] = contacts
    placed.reshape(blocks, LISTS, room, -1, width.n)[:, 0, : len(points)] = points[:, :, None]
    ranges = BatchRanges(blocks, model.forest.bodies, width.n, dtype)
    size = batch_sums_size(model.forest.nv, model.forest.bodies, model.shapes.count)
    sums = aligned_zeros((blocks, size, width.n), dtype)
    arrays = BatchArrays(model, width, state, control, ties, nature, marks, listed, placed, counts, sums, ranges)
    _take_ranges(arrays)
    return arrays


def _take_ranges(arrays: BatchArrays) -> None:
    """All worlds have the ranges of motion of the figures."""
    own, table = NatureViews(arrays).ranges, arrays.ranges.table
    for member in arrays.model.contents.members:
        for link, body in zip(member.figure.links, arrays.model.span_of(member).body_of_link, strict=True):
            if link.joint.is_ball:
                own[:, body] = table.number_of(link.joint.range)
    arrays.ranges.list_blocks(own, np.arange(arrays.blocks))


def _check_model(model: "Arrays") -> None:
    if model.contents.coordinates is not Coordinates.REDUCED:
        raise ArgumentError("world: a batch is in reduced coordinates, this world is in maximal ones")
    if model.stated:
        raise ArgumentError("world: a batch solves its contacts by sweeps, this world by states")
    if not model.contents.members:
        raise ArgumentError("world: there is no figure in it")
    if model.pairs[SWEPT]:
        raise ArgumentError(f"world: it has {len(model.surfaces)} shapes, too many for a batch")


# ------------------------------------------------------- what differs between worlds


def nature_layout(model: "Arrays") -> MemoryLayout:
    """Where the constants of a world lie."""
    return Nature.layout(bodies=model.forest.bodies, shapes=len(model.surfaces))


def nature_of(model: "Arrays") -> Array:
    """Gravity, solids, limits and skins of a world, flat; it has no ranges of motion yet."""
    layout, forest = nature_layout(model), model.forest
    row = layout.new_floats()
    own = layout.open(row)
    own.gravity[:], own.fall[...] = model.contents.gravity, np.linalg.norm(model.contents.gravity)
    own.solid.rows[:], own.limit.rows[:], own.range_of[:] = forest.solids, forest.fields.limit.rows, float(NONE)
    own.skin.rows[:] = skins_of(model)
    return row


def skins_of(model: "Arrays") -> Array:
    """Skins of a world's shapes, a view, shape (shapes, numbers of a `Skin`)."""
    size, first = record_size(ShapeFloats), record_offsets(ShapeFloats)["friction"]
    shapes = model.shapes.floats[SHAPE_HEADER:].reshape(-1)[: len(model.surfaces) * size].reshape(-1, size)
    return shapes[:, first : first + record_size(Skin)]


def model_solids(model: "Arrays") -> Array:
    """Solids of a world, shape (bodies, numbers of a `Solid`)."""
    return model.forest.solids


class NatureViews:
    """Views of the constants of all worlds.

    Attributes:
        gravity: (count, 3), fall: (count,).
        solids: (count, bodies, numbers of a `Solid`).
        limits: (count, bodies, 2).
        ranges: (count, bodies), numbers of ranges of motion, see `BatchRanges`.
        skins: (count, shapes, numbers of a `Skin`).
    """

    def __init__(self, arrays: BatchArrays) -> None:
        own = nature_layout(arrays.model).open(arrays.nature, axis=1)
        self.gravity, self.fall, self.ranges = own.gravity, own.fall, own.range_of
        self.solids, self.limits, self.skins = own.solid.rows, own.limit.rows, own.skin.rows


def put(view: Array, worlds: Array, rows: Sequence[int], column: int, values: Array) -> None:
    """One number of some records of some worlds: the same for all records, one for each world."""
    view[worlds[:, None], np.array(rows, np.int64)[None, :], column] = values[:, None]

