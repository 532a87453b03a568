"""Two faces seen along a normal: corners of their intersection, and the four that are spread most.

In the plane of the reference face, with its half edges as x and y axes, the face is the rectangle |x| ≤ half_u,
|y| ≤ half_v; the incident face, seen along m, is the parallelogram c ± e ± f.  Corners of the intersection are

    corners of the parallelogram in the rectangle          feature: the incident box's corner
    corners of the rectangle in the parallelogram          feature: the reference box's corner
    crossings of their sides                               feature: both edges

so that a feature does not depend on which of the boxes was the reference.  (Sutherland & Hodgman 1974 finds the same
corners one side after the other; this way all lanes do the same.)
"""

from hitogata.contact.faces import added, edge_number, signed
from hitogata.contact.layout import FAR
from hitogata.lanes import absolute, any_lane, copysign, inline, kernel, maximum, minimum, record, where
from hitogata.spatial import Vec3, dot

ROOM = 1e-9
"""A corner this much outside, relative to the face, counts as inside; so a corner on a side is found once."""

ALONG = 1e-3
"""Sides that meet at a smaller angle do not cross: where faces of one size lie on each other, rounding decides where on
a side that would be, and the corners at its ends are corners of the intersection anyway [rad]."""

HAIR = 1e-3
"""Corners that are better by less than this are as good."""


@record
class Corner:
    """A corner of the intersection."""

    x: float  # in the plane of the reference face
    y: float
    gap: float  # along the normal; FAR: not a corner
    feature: float


@kernel
def clip_faces(corners, ref, inc, m, use_b, margin):
    """Write the corners with a gap below the margin; returns how many, and the least gap."""
    per_rise, c, e, f = seen_in(ref, inc, m)
    kept, least, all_in = 0, per_rise * 0.0 + FAR, per_rise > 0.0
    half_x, half_y = ref.half_u, ref.half_v
    room_x, room_y = half_x * (1.0 + ROOM), half_y * (1.0 + ROOM)
    inc_base, ref_base = where(use_b, 0.0, 8.0), where(use_b, 8.0, 0.0)
    for k in range(4):
        one, two = k % 2, k // 2
        p = c + signed(e, one) + signed(f, two)
        inside = (absolute(p.x) <= room_x) & (absolute(p.y) <= room_y)
        all_in = all_in & inside
        gap = where(inside, p.z, FAR)
        least = minimum(gap, least)
        feature = inc_base + added(added(inc.first, inc.bit_u, one), inc.bit_v, two)
        kept = keep(corners, kept, p.x, p.y, gap, feature, margin)
    if any_lane(outside_some(all_in)):
        determinant = e.x * f.y - e.y * f.x
        inverse = 1.0 / determinant
        for k in range(4):
            one, two = k % 2, k // 2
            x, y = signed(half_x, one), signed(half_y, two)
            i, j = ((x - c.x) * f.y - (y - c.y) * f.x) * inverse, ((y - c.y) * e.x - (x - c.x) * e.y) * inverse
            inside = (absolute(i) <= 1.0 + ROOM) & (absolute(j) <= 1.0 + ROOM)
            gap = where(inside, c.z + e.z * i + f.z * j, FAR)
            least = minimum(gap, least)
            feature = ref_base + added(added(ref.first, ref.bit_u, one), ref.bit_v, two)
            kept = keep(corners, kept, x, y, gap, feature, margin)
        for k in range(4):
            if k < 2:
                start, way = c + signed(f, k % 2), e
                inc_edge = edge_number(inc.bit_u, added(inc.first, inc.bit_v, k % 2))
            else:
                start, way = c + signed(e, k % 2), f
                inc_edge = edge_number(inc.bit_v, added(inc.first, inc.bit_u, k % 2))
            for j in range(2):
                wall = signed(half_x, j)
                t, y = crossing(start.x, way.x, wall, start.y, way.y)
                gap = where((absolute(t) < 1.0) & (absolute(y) < half_y), start.z + way.z * t, FAR)
                least = minimum(gap, least)
                feature = crossing_number(use_b, edge_number(ref.bit_v, added(ref.first, ref.bit_u, j)), inc_edge)
                kept = keep(corners, kept, wall, y, gap, feature, margin)
                wall = signed(half_y, j)
                t, x = crossing(start.y, way.y, wall, start.x, way.x)
                gap = where((absolute(t) < 1.0) & (absolute(x) < half_x), start.z + way.z * t, FAR)
                least = minimum(gap, least)
                feature = crossing_number(use_b, edge_number(ref.bit_u, added(ref.first, ref.bit_v, j)), inc_edge)
                kept = keep(corners, kept, x, wall, gap, feature, margin)
    return kept, least


@inline
def seen_in(ref, inc, m):
    """(m·out, c, e, f): centre and half edges of the incident face, with x, y as above and z the gap along m."""
    per_rise = 1.0 / dot(m, ref.out)
    return per_rise, *[
        _in_plane(p, ref, m, per_rise) for p in (inc.centre - ref.centre, inc.u, inc.v)
    ]  # fmt: skip


def _in_plane(p, ref, m, per_rise):
    gap = dot(p, ref.out) * per_rise
    foot = p - m * gap
    return Vec3(dot(foot, ref.u) * (1.0 / ref.half_u), dot(foot, ref.v) * (1.0 / ref.half_v), gap)


@inline
def outside_some(all_in):
    """Where not all corners are inside."""
    return where(all_in, 0.0, 1.0) > 0.5


@inline
def crossing(start, way, wall, other_start, other_way):
    """(t, other coordinate) where start + t way meets a wall; t is FAR if it runs along the wall."""
    moves = absolute(way) > ALONG * absolute(other_way)
    t = where(moves, (wall - start) / where(moves, way, 1.0), FAR)
    return t, other_start + other_way * t


@inline
def crossing_number(use_b, ref_edge, inc_edge):
    """Feature of two edges."""
    return 16.0 + 24.0 * where(use_b, inc_edge, ref_edge) + where(use_b, ref_edge, inc_edge)


@kernel
def keep(corners, kept, x, y, gap, feature, margin):
    """Write a corner, if any figure has it."""
    if any_lane(gap < margin):
        corner = corners[kept]
        corner.x = x
        corner.y = y
        corner.gap = gap
        corner.feature = feature
        kept += 1
    return kept


# ------------------------------------------------------- four of many


@kernel
def spread(corners, kept, margin, tie, behind):
    """Leave four corners: the deepest, the farthest from it, the farthest from their line, and from their triangle.

    Corners that add nothing (in one place, or on one line with others) are left out, however few there are.  Depths
    within `tie` are equal.  The four are put at `behind`, behind the others, then to the front, by feature.  Returns
    how many are left.
    """
    if kept <= 1:
        return kept
    for k in range(4):
        choose(corners, kept, k, margin, tie, behind)
    for k in range(4):
        one = corners[behind + k]
        write(corners[k], one.x, one.y, one.gap, one.feature)
    order(corners[0], corners[1])
    order(corners[2], corners[3])
    order(corners[0], corners[2])
    order(corners[1], corners[3])
    order(corners[1], corners[2])
    return 4


@kernel
def choose(corners, kept, k, margin, tie, behind):
    """Put the k-th of the four in its place behind the others; with gap FAR if there is none."""
    first, second, third = corners[behind], corners[behind + 1], corners[behind + 2]
    least = corners[0].gap * 0.0
    if k == 0:
        least = least - FAR
    elif k > 1:
        least = 1e-6 * squared(second.x - first.x, second.y - first.y)
    best, x, y, gap, feature = least, least * 0.0, least * 0.0, least * 0.0 + FAR, least * 0.0
    for i in range(kept):
        corner = corners[i]
        if k == 0:
            score = -corner.gap
        elif k == 1:
            score = squared(corner.x - first.x, corner.y - first.y)
        elif k == 2:
            score = absolute(area(first.x, first.y, second.x, second.y, corner.x, corner.y))
        else:
            score = beyond_triangle(first.x, first.y, second.x, second.y, third.x, third.y, corner.x, corner.y)
        # by a hair is not better: of corners in one place the first is taken, step after step
        better = (corner.gap < margin) & (score > best + hair(best, k, tie))
        best = where(better, score, best)
        x, y = where(better, corner.x, x), where(better, corner.y, y)
        gap, feature = where(better, corner.gap, gap), where(better, corner.feature, feature)
    write(corners[behind + k], x, y, gap, feature)


@inline
def hair(best, k, tie):
    """How much better is better."""
    return where(k == 0, tie, best * HAIR)


@kernel
def order(a, b):
    """Exchange two corners unless their features stand in order."""
    ax, ay, ag, af, bx, by, bg, bf = a.x, a.y, a.gap, a.feature, b.x, b.y, b.gap, b.feature
    keeps = af <= bf
    write(a, where(keeps, ax, bx), where(keeps, ay, by), where(keeps, ag, bg), where(keeps, af, bf))
    write(b, where(keeps, bx, ax), where(keeps, by, ay), where(keeps, bg, ag), where(keeps, bf, af))


@kernel
def write(corner, x, y, gap, feature):
    """Fill a corner."""
    corner.x = x
    corner.y = y
    corner.gap = gap
    corner.feature = feature


@inline
def squared(x, y):
    """x² + y²."""
    return x * x + y * y


@inline
def area(x0, y0, x1, y1, x, y):
    """Twice the signed area of a triangle."""
    return (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)


@inline
def beyond_triangle(x0, y0, x1, y1, x2, y2, x, y):
    """Twice the greatest area that a point adds to a triangle beyond one of its sides; < 0 inside."""
    turn = copysign(1.0, area(x0, y0, x1, y1, x2, y2))
    one, two = area(x1, y1, x0, y0, x, y) * turn, area(x2, y2, x1, y1, x, y) * turn
    return maximum(maximum(one, two), area(x0, y0, x2, y2, x, y) * turn)
