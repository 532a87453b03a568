"""What the solve by states works on.

A *held row* is one motion between two bodies, or of a joint, that an impulse may hold.  First come plain ones: limits
and ropes, which only push, and springs.  Then six for every patch (see `loops.contacts.layout`).  With B the reply of
each to each, softness on its diagonal,

    (B p)_r = -(speed_r + bias_r)         for those rows that are held
"""

from typing import NamedTuple

from hitogata.lanes import X1, kernel, lanes, record, record_size, records, tail
from hitogata.loops.contacts.layout import CORNERS, Patch, PatchInts
from hitogata.loops.contacts.reporting import REPORT
from hitogata.spatial import Force, Sym3, Vec3

MOST_ROWS = 160
"""Held rows of an island: one with more is left to the sweeps, which are the faster ones then."""

STEPS, ISLANDS, SWEPT, TOO_LARGE, PASSES, PATCHES, TALLY = 0, 1, 2, 3, 4, 8, 10
"""Places in the tally, and its length.  So far: steps; islands with contacts or ties; those of them left to the sweeps,
and those of these that were too large; islands that took so many passes, from PASSES + 1 on.  Of the last step:
patches."""


@record
class HeldRow:
    """Unit impulses of a row on its bodies, about their origins, world axes; and its law."""

    on_a: Force
    on_b: Force
    speed: float  # without impulses
    bias: float
    soft: float
    impulse: float
    old: float  # impulse of the last step


@record
class HeldRowInts:
    """Whose it is."""

    touch_a: int  # -1: a joint row
    touch_b: int
    joint: int  # joint row, or -1
    point: int  # point row of a spring or rope, or -1
    axis: int  # of a spring
    pushes: int  # 1: it only pushes
    held: int  # hypothesis


@record
class Bed:
    """What the points of a patch give way by: motions (v_z, ω_x, ω_y) for normal impulses, and their bias."""

    soft: Sym3
    bias: Vec3
    arm_a: Vec3  # from the bodies' origins to the patch
    arm_b: Vec3


class Room(NamedTuple):
    """Views of the scratch."""

    patch: records  # type: ignore[valid-type]
    ints: records  # type: ignore[valid-type]
    corner: lanes  # type: ignore[valid-type]  # (patches, CORNERS, 3): x, y, gap
    bed: records  # type: ignore[valid-type]
    rate: lanes  # type: ignore[valid-type]  # (patches, 6): motions before the step
    force: lanes  # type: ignore[valid-type]  # (patches, 6): their impulses, as wrenches
    row: records  # type: ignore[valid-type]  # HeldRow
    row_int: records  # type: ignore[valid-type]  # HeldRowInts
    held: lanes  # type: ignore[valid-type]  # (patches of an island, 6, 6): held motions
    forces: lanes  # type: ignore[valid-type]  # (patches of an island, 6, 6): what forces go with them
    first: lanes  # type: ignore[valid-type]  # (patches of an island,) int: first unknown
    many: lanes  # type: ignore[valid-type]  # (patches of an island,) int: unknowns
    column: lanes  # type: ignore[valid-type]  # (rows,) int: unknown of a plain row, or -1
    order: lanes  # type: ignore[valid-type]  # (rows,) int
    reply: lanes  # type: ignore[valid-type]  # (rows, rows): B
    matrix: lanes  # type: ignore[valid-type]  # (rows, rows)
    right: lanes  # type: ignore[valid-type]  # (rows,)
    unknown: lanes  # type: ignore[valid-type]  # (rows,)
    scale: lanes  # type: ignore[valid-type]  # (rows,)
    answer: lanes  # type: ignore[valid-type]  # (6, 2, width): of a row, or a patch's six, in the trees of its bodies
    spare: lanes  # type: ignore[valid-type]  # (points, 3)
    patch_of: lanes  # type: ignore[valid-type]  # (point rows,) int: patch, -1 none, -2 not pressing
    report: lanes  # type: ignore[valid-type]  # (patches, REPORT)
    tally: lanes  # type: ignore[valid-type]


PER_ISLAND = MOST_ROWS // 6


def room_sizes(points: int, width: int) -> tuple[int, int]:
    """Numbers and whole numbers of scratch; for so many point rows, a row of coupling."""
    patch = record_size(Patch) + 3 * CORNERS + record_size(Bed) + 12 + REPORT
    own = MOST_ROWS * (record_size(HeldRow) + 2 * MOST_ROWS + 3) + 72 * PER_ISLAND
    numbers = TALLY + points * (patch + 3) + own + 12 * width
    whole = points * (record_size(PatchInts) + 1) + MOST_ROWS * (record_size(HeldRowInts) + 2) + 2 * PER_ISLAND
    return numbers + 64, whole + 64


@kernel
def open_room(numbers, whole, points, width):
    """Views of the scratch, from arrays of `room_sizes`."""
    tally, ints = lanes(numbers, X1), lanes(whole, X1)
    report = tail(tally, TALLY)
    patch = tail(report, points * REPORT)
    corner = tail(patch, points * Patch.SIZE)
    bed = tail(corner, points * 3 * CORNERS)
    rate = tail(bed, points * Bed.SIZE)
    force, spare = tail(rate, 6 * points), tail(rate, 12 * points)
    row = tail(spare, 3 * points)
    held = tail(row, MOST_ROWS * HeldRow.SIZE)
    forces = tail(held, 36 * PER_ISLAND)
    reply = tail(forces, 36 * PER_ISLAND)
    matrix = tail(reply, MOST_ROWS * MOST_ROWS)
    right = tail(matrix, MOST_ROWS * MOST_ROWS)
    unknown, scale, answer = tail(right, MOST_ROWS), tail(right, 2 * MOST_ROWS), tail(right, 3 * MOST_ROWS)
    patch_of = tail(ints, points * PatchInts.SIZE)
    row_int = tail(patch_of, points)
    first = tail(row_int, MOST_ROWS * HeldRowInts.SIZE)
    column = tail(first, 2 * PER_ISLAND)
    return Room(
        records(patch, Patch), records(ints, PatchInts), corner, records(bed, Bed), rate, force, records(row, HeldRow),
        records(row_int, HeldRowInts), held, forces, first, tail(first, PER_ISLAND), column, tail(column, MOST_ROWS),
        reply, matrix, right, unknown, scale, answer, spare, patch_of, report, tally,
    )  # fmt: skip
