"""Violation with memory of the last pose (Hanaoka 2010, 3.3 and 3.4).

The joint goes the short way from where it was held to where it is now.  If that way leaves the region, the range is
violated, even if the pose is allowed again (it passed through a thin forbidden part).  A bone that is outside is held
where one comes to by sliding along the boundary from the crossing: the near wall, though another be nearer.  A bone
that is inside again is held at the crossing, unless it was at the boundary before (`near_wall`) and sliding leads to
the place that is nearest to it: then it went along the wall (of a dent) and is free.
"""

from hitogata.lanes import (
    X1,
    Floats,
    absolute,
    atan2,
    entry,
    inline,
    kernel,
    lanes,
    minimum,
    pack,
    records,
    sqrt,
    struct,
    tail,
    unpack,
    where,
)
from hitogata.rom.arcs import unit_or
from hitogata.rom.crossings import NEVER, first_exit, slide, way_between
from hitogata.rom.layout import HEAD, Head, Piece
from hitogata.rom.range_layout import RangeHead
from hitogata.rom.search import seek
from hitogata.rom.violation import limits_at, pose_at, wrapped
from hitogata.spatial import (
    Quaternion,
    Vec3,
    bone_of,
    cross,
    dot,
    half_vector,
    load_quaternion,
    store3,
    store_quaternion,
    twist_of,
)


@struct
class Hold:
    """Swing with memory: depth > 0 if held, the axis that leads back, where it is held, 1 if it passed through."""

    depth: float
    row: Vec3
    at: Vec3
    passed: float


@struct
class HeldViolation:
    """Violation of a pose with memory, and the pose where it is held."""

    swing_depth: float
    swing_row: Vec3
    twist_depth: float
    twist_row: Vec3
    passed: float
    pose: Quaternion


@inline
def held_at(now, hit, at_wall, exit_angle, crossing, c, d, edge, near):
    """Decide where the bone is held."""
    point = unit_or(c, c, 0.0)
    left = dot(now, cross(c, d)) > 0.0
    inside = where(hit.sin >= -edge, 1.0, 0.0)
    leaves = where(exit_angle < NEVER * 0.5, 1.0, 0.0)
    gap = point - hit.foot
    along = where(at_wall > 0.0, where(dot(gap, gap) < near * near, 1.0, 0.0), 0.0)
    passed = leaves * inside * (1.0 - along)
    wall = where(left, unit_or(crossing, crossing, 0.0), point)
    outside = where(leaves > 0.5, wall, hit.foot)
    at = where(passed > 0.5, unit_or(crossing, crossing, 0.0), where(inside > 0.5, now, outside))
    held = where(inside > 0.5, passed, 1.0) > 0.5
    back = cross(now, at)
    depth = where(held, atan2(sqrt(dot(back, back)), dot(now, at)), -atan2(hit.sin, hit.cos))
    return Hold(depth, where(held, unit_or(back, hit.row, near), hit.row), at, passed)


@inline
def near_wall(length, margin):
    """How near to the boundary a bone was that may have slid along it: as far as a wall bends away over the step."""
    return minimum(0.5 * length * length, 1e-3) + margin


@kernel
def hold_swing(last, now, region):
    """Where a bone that was held at `last` is held now."""
    head = records(region, Head)[0]
    count, exact = int(head.count), head.exact > 0.5
    flat, polynomials = tail(region, HEAD), tail(region, int(head.polynomials))
    before = seek(last, region)
    start = where(before.sin >= 0.0, last, before.foot)
    margin = head.edge * 1e3
    way = way_between(start, now, head.edge)
    out = first_exit(way, records(flat, Piece), polynomials, count, exact, margin, head.step)
    c, d = slide(now, out.piece, out.t, flat, polynomials, count, exact, head.step)
    at_wall = near_wall(way.length, margin) - before.sin
    return held_at(now, seek(now, region), at_wall, out.angle, out.point, c, d, head.edge, head.step * 10.0)


@inline
def twist_with_memory(c, at, e, before, twist, limits):
    """Twist depth (times cos(θ/2)) and row, and the held twist: counted on from the last one, not wrapped."""
    h, cos = half_vector(c, e)
    middle, half = (limits.low + limits.high) * 0.5, (limits.high - limits.low) * 0.5
    turn = wrapped(before - middle) + wrapped(twist - before)
    free = half >= 3.141592653589793
    above = turn > 0.0
    depth = where(free, 3.141592653589793 - half, absolute(turn) - half)
    held = where(depth > 0.0, where(above, half, -half) + middle, twist)
    return depth * cos, h * where(above, -1.0, 1.0), held


@kernel
def range_violation_from(last, q, view):
    """Violation of the pose q of a joint that was held at the pose `last`."""
    head = records(view, RangeHead)[0]
    region = tail(view, int(head.region))
    e = head.bone
    c = bone_of(q, e)
    hold = hold_swing(bone_of(last, e), c, region)
    there = seek(hold.at, region)
    twist, before = twist_of(q, e), twist_of(last, e)
    limits = limits_at(hold.at, before, inside_of(there), cross(there.row, hold.at), view, False, True)
    depth, row, held = twist_with_memory(c, hold.at, e, before, twist, limits)
    pose = pose_at(q, c, hold.at, e, held - twist, hold.depth > 0.0)
    pose = where(hold.depth > 0.0, pose, where(depth > 0.0, pose, q))
    return HeldViolation(hold.depth, hold.row, depth, row, hold.passed, pose)


@inline
def inside_of(hit):
    """Distance, 0 outside."""
    return where(hit.sin > 0.0, atan2(hit.sin, hit.cos), 0.0)


@entry(lasts=Floats(2), quats=Floats(2), table=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def violation_from_rows(quats, lasts, table, out, work, width):
    """out (n, 13) = swing depth and row, twist depth and row, passed, held pose; of quaternions wxyz (n, 4)."""
    q, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, quats.shape[0], q.width):
        pack(lasts, first, q)
        last = load_quaternion(q, 0)
        pack(quats, first, q)
        v = range_violation_from(last, load_quaternion(q, 0), lanes(table, X1))
        r[0] = v.swing_depth
        store3(r, 1, v.swing_row)
        r[4] = v.twist_depth
        store3(r, 5, v.twist_row)
        r[8] = v.passed
        store_quaternion(r, 9, v.pose)
        unpack(r, out, first)
