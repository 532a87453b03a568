"""A segment and a box: nearest point, or the least way out.  All in the axes of the box, which lies about the origin.

The segment is p(t) = c + t d, |t| ≤ 1; half sizes h.

*Apart.*  Half the squared distance, ½ Σ e_i(t)² with e(t) = p - clip(p, -h, h), is convex in t; its slope
g(t) = Σ d_i e_i(t) rises, and is linear between the six places where p(t) crosses a plane of the box.  So the nearest t
lies between the last of these with g ≤ 0 and the first with g ≥ 0, and there the root of a line is exact.

*Overlapping.*  The points of box minus segment form a polytope whose faces have the normals of the box, or those of an
edge and the segment, e_i × d.  The way out is the normal n with the greatest  n·c - Σ |n_i| h_i - |n·d|  (all six are
negative then): the separating axis test (Gottschalk 1996), exact for depth.
"""

from hitogata.contact.directions import TINY, greatest3, pick, unit_or
from hitogata.lanes import absolute, clip, copysign, inline, maximum, minimum, negated, sqrt, where
from hitogata.spatial import Vec3, dot


@inline
def nearest_on_segment(c, d, half):
    """t of the point of the segment nearest to the box; the middle of them if there are many."""
    low, high, slope_low, slope_high = -1.0, 1.0, beyond_slope(c, d, half, -1.0), beyond_slope(c, d, half, 1.0)
    start, end = slope_low, slope_high
    for p, q, h in ((c.x, d.x, half.x), (c.y, d.y, half.y), (c.z, d.z, half.z)):
        moves = absolute(q) > 1e-18
        inverse = 1.0 / where(moves, q, 1.0)
        for side in (-h, h):
            t = where(moves, clip((side - p) * inverse, -1.0, 1.0), -1.0)
            slope = beyond_slope(c, d, half, t)
            later, sooner = (slope <= 0.0) & (t > low), (slope >= 0.0) & (t < high)
            low, slope_low = where(later, t, low), where(later, slope, slope_low)
            high, slope_high = where(sooner, t, high), where(sooner, slope, slope_high)
    rise = slope_high - slope_low
    rises = rise > 0.0
    part = where(rises, clip(-slope_low / where(rises, rise, 1.0), 0.0, 1.0), 0.5)
    inner = low + (high - low) * part
    return where(start > 0.0, -1.0, where(end < 0.0, 1.0, inner))


@inline
def beyond(p, half):
    """From the nearest point of the box to p."""
    return Vec3(p.x - clip(p.x, -half.x, half.x), p.y - clip(p.y, -half.y, half.y), p.z - clip(p.z, -half.z, half.z))


@inline
def beyond_slope(c, d, half, t):
    """g(t)."""
    return dot(d, beyond(c + d * t, half))


@inline
def way_out(c, d, half, eps):
    """(n, separation, t): the best of the six axes; the part of the segment that is deepest along it."""
    s = Vec3(
        absolute(c.x) - half.x - absolute(d.x), absolute(c.y) - half.y - absolute(d.y),
        absolute(c.z) - half.z - absolute(d.z),
    )  # fmt: skip
    is_x, is_y = greatest3(s.x, s.y, s.z)
    n = Vec3(where(is_x, 1.0, 0.0), pick(is_x, is_y, 0.0, 1.0, 0.0), pick(is_x, is_y, 0.0, 0.0, 1.0))
    n = Vec3(copysign(n.x, c.x), copysign(n.y, c.y), copysign(n.z, c.z))
    best = maximum(s.x, maximum(s.y, s.z))
    down = dot(n, d)
    t = where(absolute(down) > 0.0, copysign(1.0, -down), 0.0)
    for i, axis in enumerate((Vec3(0.0, -d.z, d.y), Vec3(d.z, 0.0, -d.x), Vec3(-d.y, d.x, 0.0))):
        square = dot(axis, axis)
        good = square > maximum(TINY, eps * dot(d, d))
        m = axis * (copysign(1.0, dot(axis, c)) / sqrt(where(good, square, 1.0)))
        separation = dot(m, c) - absolute(m.x) * half.x - absolute(m.y) * half.y - absolute(m.z) * half.z
        better = good & (separation > best)
        # nearest to the edge of the box that is foremost along m; across the edge's axis i
        corner = Vec3(copysign(half.x, m.x), copysign(half.y, m.y), copysign(half.z, m.z))
        off = across(c - corner, i)
        nearest = clip(-dot(off, across(d, i)) / where(good, square, 1.0), -1.0, 1.0)
        best, n, t = where(better, separation, best), where(better, m, n), where(better, nearest, t)
    return n, best, t


def across(a, i):
    """The vector without its component i (a constant)."""
    return Vec3(0.0 if i == 0 else a.x, 0.0 if i == 1 else a.y, 0.0 if i == 2 else a.z)


@inline
def segment_from_box(c, d, half, eps):
    """(n, separation, t): unit normal from box to segment, signed distance, and where on the segment.

    Below a billionth of the size, the difference of nearest points has no direction left: the axes have one.
    """
    t = nearest_on_segment(c, d, half)
    n, distance = unit_or(beyond(c + d * t, half), Vec3(0.0, 0.0, 1.0))
    inner, depth, inner_t = way_out(c, d, half, eps)
    apart = distance > 0.1 * sqrt(eps) * maximum(half.x, maximum(half.y, half.z))
    return where(apart, n, inner), where(apart, distance, depth), where(apart, t, inner_t)


@inline
def common_stretch(c, d, half, n, t, eps):
    """(from, to, height at 0, rise, n·f): the stretch of the segment that lies over a face, seen along n.

    f is the face whose normal is nearest to n.  A point p(t) of the segment lies height/(n·f) above the plane of f, and
    its foot x = p - n height/(n·f) must lie on the face.  All of it is linear in t.  If rounding leaves nothing, t.
    """
    is_x, is_y = greatest3(absolute(n.x), absolute(n.y), absolute(n.z))
    nf = pick(is_x, is_y, n.x, n.y, n.z)
    side = copysign(1.0, nf)
    nf = absolute(nf)
    height = pick(is_x, is_y, c.x, c.y, c.z) * side - pick(is_x, is_y, half.x, half.y, half.z)
    rise = pick(is_x, is_y, d.x, d.y, d.z) * side
    foot, slide = c - n * (height / nf), d - n * (rise / nf)
    low, high = -1.0, 1.0
    for k, (p, q, h) in enumerate(((foot.x, slide.x, half.x), (foot.y, slide.y, half.y), (foot.z, slide.z, half.z))):
        room = h * (1.0 + 30.0 * eps)
        moves = absolute(q) > 30.0 * eps * h
        inverse = 1.0 / where(moves, q, 1.0)
        one, two = (-room - p) * inverse, (room - p) * inverse
        inside = absolute(p) <= room
        enter = where(moves, minimum(one, two), where(inside, -1.0, 1.0))
        leave = where(moves, maximum(one, two), where(inside, 1.0, -1.0))
        own = (is_x, negated(is_x) & is_y, negated(is_x | is_y))[k]  # the face's own axis bounds nothing
        low = where(own, low, maximum(low, enter))
        high = where(own, high, minimum(high, leave))
    empty = low > high
    return where(empty, t, low), where(empty, t, high), height, rise, nf

