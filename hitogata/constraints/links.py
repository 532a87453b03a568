"""Link rows: what one body may do against another (or against the world), in blocks of up to six scalar rows.

A row has a direction on each of its two bodies: the wrench [torque about the body's origin; force], world axes, that a
unit impulse is there.  With V the velocities [turning; origin] of the bodies, p the impulse,

    u = on_a · V_a + on_b · V_b
    u + soft p + bias = 0                                                  a block of equalities
    p = low, u + soft p + bias >= 0   or between   or   p = high, <= 0     bounded rows: one-sided (0, ∞), or a box

A block of equalities is solved at once, all else held: six rows of a joint need no sweeps among themselves.  Bounded
rows are solved one after the other.

Like point rows these know bodies by their touches, so they may lie between bodies of one tree or of two: the joints of
loose bodies, loops, grasps.
"""

from typing import NamedTuple

from hitogata.lanes import clip, inline, kernel, lanes, maximum, packed, record, records
from hitogata.spatial import Force, dot, load6, load_down, power

UNBOUNDED = float("inf")
"""Bound of an impulse that has none."""

SIDE = 6
"""Most rows in a block."""

LIMITS = 4
"""Most limits of a link: both ends of both axes of a universal joint."""


@record
class LinkRow:
    """One scalar row."""

    on_a: Force
    on_b: Force
    bias: float  # speed
    soft: float  # speed per impulse
    low: float  # bounds of the impulse
    high: float
    impulse: float
    off: float  # u + soft p + bias, while its block is solved


@record
class LinkInts:
    """A block: between whom, and where its rows are."""

    body_a: int
    body_b: int  # -1: the world
    touch_a: int
    touch_b: int
    first: int
    count: int
    bounded: int  # 1: rows one after the other, within their bounds


class Links(NamedTuple):
    """Everything about link rows."""

    block: records  # type: ignore[valid-type]  # LinkInts
    row: records  # type: ignore[valid-type]  # LinkRow
    slot: lanes  # type: ignore[valid-type]  # (rows,) int: where a row's impulse is kept between steps
    inverse: lanes  # type: ignore[valid-type]  # (blocks, SIDE, SIDE)


# ------------------------------------------------------- writing rows


@kernel
def begin_block(links, block, body_a, body_b, first, bounded):
    """A block that has no rows yet."""
    own = links.block[block]
    own.body_a = body_a
    own.body_b = body_b
    own.first = first
    own.count = 0
    own.bounded = bounded


@kernel
def add_link_row(links, block, on_a, on_b, bias, soft, low, high, impulse, slot):
    """One more row of a block."""
    own = links.block[block]
    at = own.first + own.count
    row = links.row[at]
    row.on_a = on_a
    row.on_b = on_b
    row.bias = bias
    row.soft = soft
    row.low = low
    row.high = high
    row.impulse = impulse
    links.slot[at] = slot
    own.count = own.count + 1


# ------------------------------------------------------- touched bodies


@kernel
def mark_linked(rows, links, blocks):
    """Bodies of link rows are touched; the others keep what `rows.touch_of_body` says."""
    for k in range(blocks):
        own = links.block[k]
        rows.touch_of_body[own.body_a] = 0
        if own.body_b >= 0:
            rows.touch_of_body[own.body_b] = 0


@kernel
def tell_linked(rows, links, blocks):
    """Tell each block its touches, once they are numbered."""
    for k in range(blocks):
        own = links.block[k]
        own.touch_a = rows.touch_of_body[own.body_a]
        own.touch_b = -1
        if own.body_b >= 0:
            own.touch_b = rows.touch_of_body[own.body_b]


# ------------------------------------------------------- solving


@kernel
def warm_link(rows, links, k):
    """Begin with the impulses the rows came with."""
    own = links.block[k]
    for n in range(own.count):
        row = links.row[own.first + n]
        push_link(rows, own, row.on_a * row.impulse, row.on_b * row.impulse)


@kernel
def solve_link(rows, links, k):
    """The impulses that mend a block's speeds.  Returns the greatest square of what a row mended."""
    own = links.block[k]
    if own.bounded == 0:
        return solve_at_once(rows, links, own, k * SIDE * SIDE)
    return solve_in_turn(rows, links, own, k * SIDE * SIDE)


@kernel
def solve_at_once(rows, links, own, at):
    """All rows of a block of equalities."""
    (motion_a, motion_b), worst = motions(rows, own), 0.0
    for n in range(own.count):
        row = links.row[own.first + n]
        row.off = power(row.on_a, motion_a) + power(row.on_b, motion_b) + row.bias + row.soft * row.impulse
        worst = maximum(worst, row.off * row.off)
    wrench_a = links.row[own.first].on_a * 0.0
    wrench_b = wrench_a
    for n in range(own.count):
        row, change = links.row[own.first + n], links.row[own.first].off * 0.0
        for m in range(own.count):
            change = change - links.inverse[at + SIDE * n + m] * links.row[own.first + m].off
        row.impulse = row.impulse + change
        wrench_a = wrench_a + row.on_a * change
        wrench_b = wrench_b + row.on_b * change
    push_link(rows, own, wrench_a, wrench_b)
    return worst


@kernel
def solve_in_turn(rows, links, own, at):
    """Bounded rows, one after the other."""
    worst = 0.0
    for n in range(own.count):
        row, old, reply = links.row[own.first + n], links.row[own.first + n].impulse, links.inverse[at + (SIDE + 1) * n]
        motion_a, motion_b = motions(rows, own)
        off = power(row.on_a, motion_a) + power(row.on_b, motion_b) + row.bias + row.soft * old
        new = clip(old - off * reply, row.low, row.high)
        row.impulse = new
        push_link(rows, own, row.on_a * (new - old), row.on_b * (new - old))
        mended = (new - old) / reply
        worst = maximum(worst, mended * mended)
    return worst


@kernel
def motions(rows, own):
    """Velocities of both bodies."""
    motion_a = load6(rows.speed, rows.touch[own.touch_a].row)
    motion_b = motion_a * 0.0
    if own.touch_b >= 0:
        motion_b = load6(rows.speed, rows.touch[own.touch_b].row)
    return motion_a, motion_b


@kernel
def push_link(rows, own, wrench_a, wrench_b):
    """What a wrench on each of both bodies does to the speeds of their trees."""
    push_body(rows, own.touch_a, wrench_a)
    if own.touch_b >= 0:
        push_body(rows, own.touch_b, wrench_b)


@kernel
def push_body(rows, touch, wrench):
    """What a wrench on a touched body, about its origin, does to the speeds of its tree."""
    own = rows.touch[touch]
    speed, coupling, at = packed(rows.speed), packed(rows.coupling), own.row * rows.width
    for k in range(0, own.last - own.first, speed.step):
        speed[own.first + k] = speed[own.first + k] + pushed(coupling, at + k, rows.width, wrench)


@inline
def pushed(view, at, width, wrench):
    """Six rows of coupling, times a wrench."""
    return dot(load_down(view, at, width), wrench.ang) + dot(load_down(view, at + 3 * width, width), wrench.lin)
