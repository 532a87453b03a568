"""What the solve by states works on.

A *held row* is one motion between two bodies, or of a joint, that an impulse may hold.  First come plain ones: limits
and ropes, which only push, and springs.  Then six for every patch (see `loops.contacts.layout`).  With B the reply of
each to each, softness on its diagonal,

    (B p)_r = -(speed_r + bias_r)         for those rows that are held
"""

from hitogata.lanes import Count, Memory, many, number, numbers, one, record, several, wholes
from hitogata.loops.contacts.layout import CORNERS, Patch, PatchInts, PatchReport
from hitogata.spatial import Force, Sym3, Vec3

MOST_ROWS = 160
"""Held rows of an island: one with more is left to the sweeps, which are the faster ones then."""

PER_ISLAND = MOST_ROWS // 6
"""Patches of an island, at the most."""


@record
class Tally:
    """What was done so far."""

    steps: float
    islands: float  # with contacts or ties
    swept: float  # of these, left to the sweeps
    too_large: float  # of those, because of their size
    passes: several(4)  # type: ignore[valid-type]  # islands that took so many passes


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


class Room(Memory):
    """Scratch; it begins with the tally, and with what the last step tells."""

    points, width = Count(), Count()  # point rows; a row of coupling
    tally = one(Tally)
    patches = number()  # of the last step
    report = many(PatchReport, points)
    patch = many(Patch, points)
    corner = numbers(points, CORNERS, 3)  # x, y, gap
    bed = many(Bed, points)
    rate = numbers(points, 6)  # motions before the step
    force = numbers(points, 6)  # their impulses, as wrenches
    spare = numbers(points, 3)
    row = many(HeldRow, MOST_ROWS)
    held = numbers(PER_ISLAND, 6, 6)  # held motions
    forces = numbers(PER_ISLAND, 6, 6)  # what forces go with them
    reply = numbers(MOST_ROWS, MOST_ROWS)  # B
    matrix = numbers(MOST_ROWS, MOST_ROWS)
    right = numbers(MOST_ROWS)
    unknown = numbers(MOST_ROWS)
    scale = numbers(MOST_ROWS)
    answer = numbers(12 * width + 8)  # (6, 2, width): of a row, or a patch's six, in the trees of its bodies
    ints = many(PatchInts, points)
    patch_of = wholes(points)  # of a point row: patch, -1 none, -2 not pressing
    row_int = many(HeldRowInts, MOST_ROWS)
    first = wholes(PER_ISLAND)  # unknown of a patch
    unknowns = wholes(PER_ISLAND)  # how many it has
    column = wholes(MOST_ROWS)  # unknown of a plain row, or -1
    order = wholes(MOST_ROWS)
