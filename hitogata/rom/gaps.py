"""Twist limits with a gap: what is allowed from low to high, but not within `half` of `middle`.

Where a range is known from data, turning all the way round may be barred at two places; which of the two it is may
change over the region.  One interval cannot follow that without a jump; the interval and a gap can, each of them linear
over the triangles of a mesh (`MeshTwist`).

A gap leaves two runs, one on each side.  With m the gap's middle, counted from the interval's, and h its half width:

    below    max(low, m + h − 2π) … min(high, m − h)
    above    max(low, m + h)      … min(high, m − h + 2π)

A pose belongs to the run on its side of the gap's middle; if that is empty, to the other; if both are, to the point
between the limits of its own.  So allowed twists are never none.  An interval of a turn or more has no ends.
"""

from hitogata.lanes import inline, kernel, record, rint, struct, where
from hitogata.rom.mean import Limits, affine, disc_of, least_of
from hitogata.spatial import Vec3

TURN = 6.283185307179586

FAR = 100.0
"""Beyond all angles [rad]."""


@record
class GapPrism:
    """A triangle of the disc: barycentric coordinates, the two limits, middle and half width of the gap; (1, a, b)."""

    first: Vec3
    second: Vec3
    third: Vec3
    low: Vec3
    high: Vec3
    middle: Vec3
    half: Vec3


@struct
class Gap:
    """Middle and half width of a gap, none if that is not positive, and their gradients."""

    middle: float
    half: float
    dmiddle: Vec3
    dhalf: Vec3


@struct
class Run:
    """An interval with gradients of its ends."""

    low: float
    high: float
    dlow: Vec3
    dhigh: Vec3


@inline
def nearest_turn(angle, other):
    """The angle, by whole turns, within half a turn of another."""
    return angle - TURN * rint((angle - other) * (1.0 / TURN))


@inline
def cut_run(low, high, dlow, dhigh, start, end, dstart, dend):
    """The part of an interval between start and end."""
    from_start, to_end = start > low, end < high
    return Run(
        where(from_start, start, low),
        where(to_end, end, high),
        where(from_start, dstart, dlow),
        where(to_end, dend, dhigh),
    )


@inline
def beside_gap(limits, gap, twist):
    """Limits of the run that a twist belongs to."""
    half_turns, centre = (limits.high - limits.low) * 0.5, (limits.high + limits.low) * 0.5
    endless = half_turns >= 0.5 * TURN
    low, high = where(endless, centre - FAR, limits.low), where(endless, centre + FAR, limits.high)
    m, h = nearest_turn(gap.middle, centre), gap.half
    up, down = gap.dmiddle + gap.dhalf, gap.dmiddle - gap.dhalf
    below = cut_run(low, high, limits.dlow, limits.dhigh, m + h - TURN, m - h, up, down)
    above = cut_run(low, high, limits.dlow, limits.dhigh, m + h, m - h + TURN, up, down)
    side = where(nearest_turn(twist, centre) >= m, 1.0, 0.0)
    side = where(
        above.low > above.high, where(below.low > below.high, side, 0.0), where(below.low > below.high, 1.0, side)
    )
    run = where(side > 0.5, above, below)
    empty = run.low > run.high
    mean, dmean = (run.low + run.high) * 0.5, (run.dlow + run.dhigh) * 0.5
    none = h <= 0.0
    low, high = where(empty, mean, run.low), where(empty, mean, run.high)
    dlow, dhigh = where(empty, dmean, run.dlow), where(empty, dmean, run.dhigh)
    return where(none, limits, Limits(low, high, dlow, dhigh))


@inline
def take_gap(best, hold, low, high, middle, half, a, b, da, db):
    """Limits and gap on a triangle if its least coordinate beats the best so far."""
    more = hold > best[0]
    limits = Limits(affine(low, a, b), affine(high, a, b), da * low.y + db * low.z, da * high.y + db * high.z)
    gap = Gap(affine(middle, a, b), affine(half, a, b), da * middle.y + db * middle.z, da * half.y + db * half.z)
    return where(more, hold, best[0]), where(more, limits, best[1]), where(more, gap, best[2])


@kernel
def gap_limits(p, twist, prisms, count, bone, f, g, known):
    """Limits on the triangle that holds p (or misses it least) of the run a twist belongs to, with gradients.

    Args:
        p: direction of the bone.
        twist: [rad].
        prisms: records of `GapPrism`.
        count: number of them.
        bone: at rest.
        f, g: axes of the disc.
        known: whether the twist is known; else the limits without the gap.
    """
    a, b, da, db = disc_of(p, bone, f, g)
    zero = p.x * 0.0
    none = Vec3(zero, zero, zero)
    best = (zero - 1e9, Limits(zero, zero, none, none), Gap(zero, zero, none, none))
    for i in range(count):
        t = prisms[i]
        best = take_gap(best, least_of(t.first, t.second, t.third, a, b), t.low, t.high, t.middle, t.half, a, b, da, db)
    if known:
        return beside_gap(best[1], best[2], twist)
    return best[1]
