"""Where the short way from one direction to another first leaves a region (Hanaoka 2010, 3.3, on the
sphere).

The way is part of a great circle with normal N.  It meets a piece c(t) where N·c(t) = 0: in closed form on an arc; on
a polynomial, which has at most one extremum of N·c, by safe Newton on both sides of that.  It leaves where it passes
the boundary from left to right.
"""

from hitogata.lanes import (
    absolute,
    any_lane,
    atan2,
    gather,
    inline,
    kernel,
    maximum,
    minimum,
    sincos,
    sqrt,
    struct,
    where,
)
from hitogata.rom.arcs import unit_or
from hitogata.rom.curves import coefficients, curve_at
from hitogata.rom.layout import PIECE
from hitogata.spatial import Vec3, cross, dot

NEVER = 10.0


@struct
class Way:
    """A great circle from `start` towards `side` (unit, at right angles), of `length` [rad], about `normal`."""

    start: Vec3
    side: Vec3
    normal: Vec3
    length: float
    middle: Vec3
    reach: float            # chord from the middle to the ends


@struct
class Exit:
    """Where a way leaves: after which angle, on which piece and where on it."""

    angle: float
    point: Vec3
    piece: float
    t: float


@inline
def way_between(a, b, least):
    """The short way from a to b; any way if b is opposite to a, or if they are the same."""
    zero = a.x * 0.0
    sideways = where(absolute(a.x) < 0.6, Vec3(zero + 1.0, zero, zero), Vec3(zero, zero + 1.0, zero))
    spare = unit_or(sideways - a * dot(a, sideways), sideways, 0.0)
    side = unit_or(b - a * dot(a, b), spare, least)
    across = cross(a, b)
    middle = unit_or(a + b, side, least)
    half = middle - a
    return Way(a, side, cross(a, side), atan2(sqrt(dot(across, across)), dot(a, b)), middle, sqrt(dot(half, half)))


@inline
def earlier(best, way, point, along, piece, t, met, margin):
    """The earlier of `best` and a meeting, if it is one, lies on the way and leads out."""
    angle = atan2(dot(point, way.side), dot(point, way.start))
    out = dot(cross(point, along), cross(way.normal, point)) < 0.0
    angle = where(out, where(met > 0.0, angle, NEVER), NEVER)
    angle = where(angle > -margin, where(angle < way.length + margin, maximum(angle, 0.0), NEVER), NEVER)
    return where(angle < best.angle, Exit(angle, point, best.piece * 0.0 + piece, t), best)


@inline
def arc_meetings(best, way, i, frame, height, radius, half, margin):
    """Both meetings of the way's circle with an exact piece."""
    n = way.normal
    x = frame.xx * n.x + frame.xy * n.y + frame.xz * n.z
    y = frame.yx * n.x + frame.yy * n.y + frame.yz * n.z
    z = frame.zx * n.x + frame.zy * n.y + frame.zz * n.z
    size2 = maximum(x * x + y * y, 1e-30)
    c = -height * z / radius                                            # size · cos(turn from the direction of (x, y))
    rest = size2 - c * c
    s = sqrt(maximum(rest, 0.0))
    m, k = Vec3(frame.xx, frame.xy, frame.xz), Vec3(frame.yx, frame.yy, frame.yz)
    axis = Vec3(frame.zx, frame.zy, frame.zz)
    for sign in (1.0, -1.0):
        cos, sin = (c * x - sign * s * y) / size2, (c * y + sign * s * x) / size2
        t = atan2(sin, cos) / half
        point, along = axis * height + (m * cos + k * sin) * radius, k * cos - m * sin
        met = where(rest >= 0.0, 1.0 + margin - absolute(t), -1.0)
        best = earlier(best, way, point, along, i, minimum(maximum(t, -1.0), 1.0), met, margin)
    return best


@inline
def slope_pair(cs, n, t, rate):
    """N·c and N·c' at t, or (rate) N·c' and N·c''."""
    c, d, e = curve_at(cs, t)
    a, b, f = dot(n, c), dot(n, d), dot(n, e)
    return where(rate > 0.5, b, a), where(rate > 0.5, f, b)


@kernel
def root_between(cs, n, low, high, rate, step):
    """Root of N·c (of N·c' if rate) between low and high, and whether there is one (> 0); an end if there is none."""
    at_low, _ = slope_pair(cs, n, low, rate)
    at_high, _ = slope_pair(cs, n, high, rate)
    has = where(at_low > 0.0, -at_high, at_high) * 1e30 + where(absolute(at_high) > 0.0, 0.0, 1.0)
    a, b, t = low, high, (low + high) * 0.5
    for _ in range(60):
        f, f1 = slope_pair(cs, n, t, rate)
        same = where(at_low > 0.0, f, -f) > 0.0
        a, b = where(same, t, a), where(same, b, t)
        then = t - f / where(absolute(f1) > 1e-30, f1, 1.0)
        then = where((then - a) * (b - then) > 0.0, then, (a + b) * 0.5)
        moved = where(has > 0.0, absolute(then - t), 0.0)
        t = then
        if not any_lane(moved > step * step):
            break
    return t, has


@kernel
def curve_meetings(best, way, i, cs, margin, step):
    """All meetings of the way's circle with a polynomial piece."""
    low = way.length * 0.0 - 1.0
    high = low + 2.0
    crest, has = root_between(cs, way.normal, low, high, 1.0, step)
    crest = where(has > 0.0, crest, high)
    best = one_meeting(best, way, i, cs, low, crest, margin, step)
    return one_meeting(best, way, i, cs, crest, high, margin, step)


@kernel
def one_meeting(best, way, i, cs, low, high, margin, step):
    """The meeting between low and high, where N·c only rises or falls."""
    t, has = root_between(cs, way.normal, low, high, 0.0, step)
    return meeting_at(best, way, i, cs, t, has, margin)


@inline
def meeting_at(best, way, i, cs, t, has, margin):
    """Account for a meeting at t."""
    c, d, _ = curve_at(cs, t)
    return earlier(best, way, c, d, i, t, has, margin)


@inline
def may_meet(way, frame, height, radius, half, slack):
    """> 0 if the way may meet the piece."""
    centre = Vec3(frame.zx, frame.zy, frame.zz) * height + Vec3(frame.xx, frame.xy, frame.xz) * radius
    size = radius * half + slack + 1e-6
    off, reach = centre - way.middle, size + way.reach
    return minimum(size - absolute(dot(way.normal, centre)), reach * reach - dot(off, off))


@kernel
def first_exit(way, pieces, polynomials, count, exact, margin, step):
    """The first place where the way leaves the region; angle NEVER if it does not."""
    zero = way.length * 0.0
    best = Exit(zero + NEVER, way.start, zero, zero)
    for i in range(count):
        a = pieces[i]
        if any_lane(may_meet(way, a.frame, a.height, a.radius, a.half, a.slack) > 0.0):
            if exact:
                best = arc_meetings(best, way, i * 1.0, a.frame, a.height, a.radius, a.half, margin)
            else:
                best = curve_meetings(best, way, i * 1.0, coefficients(polynomials, zero + i), margin, step)
    return best


# ---------------------------------------------------------------- along the boundary


@inline
def arc_place(flat, piece, t):
    """Point and two derivatives of an exact piece."""
    v = gather(flat, piece * (1.0 * PIECE), 14)
    m, k, n = Vec3(*v[0:3]), Vec3(*v[3:6]), Vec3(*v[6:9])
    height, radius, half = v[9], v[10], v[13]
    s, c = sincos(t * half)
    out, along = m * c + k * s, k * c - m * s
    return n * height + out * radius, along * (radius * half), out * (-radius * half * half)


@inline
def curve_place(polynomials, piece, t):
    """Point and two derivatives of a polynomial piece."""
    return curve_at(coefficients(polynomials, piece), t)


@inline
def slid(p, c, d, e, piece, t, hop, count, limit, before):
    """One step along the boundary towards p.

    Returns new piece and t, hop (the way it changed pieces), how far it moved; the limit of a step, halved whenever the
    pull changes its sign; and the pull."""
    to, speed2 = p - c, dot(d, d)
    pull = dot(to, d)
    bend = maximum(absolute(speed2 - dot(to, e)), 1e-12 * speed2)
    limit = where(pull * before < 0.0, limit * 0.5, limit)
    step = minimum(maximum(pull / bend, -limit), limit)
    on = where(t >= 1.0, pull, -1.0) > 0.0
    back = where(t <= -1.0, -pull, -1.0) > 0.0
    stuck = where(on, where(hop < -0.5, 1.0, 0.0), where(back, where(hop > 0.5, 1.0, 0.0), 0.0)) > 0.5
    way = where(stuck, 0.0, where(on, 1.0, where(back, -1.0, 0.0)))
    then = minimum(maximum(t + step, -1.0), 1.0)
    new_t = where(stuck, t, where(on, -1.0, where(back, 1.0, then)))
    new = piece + way
    new = where(new > count - 0.5, 0.0, where(new < -0.5, count - 1.0, new))
    moved = where(stuck, 0.0, where(absolute(way) > 0.5, 1.0, absolute(then - t)))
    hop = where(absolute(way) > 0.5, way, where(absolute(then - t) > 1e-9, 0.0, hop))
    return new, new_t, hop, moved, limit, where(absolute(way) > 0.5, 0.0, pull)


@kernel
def slide(p, piece, t, flat, polynomials, count, exact, step):
    """From a place of the boundary, along it, to where it is nearest to p of all places around; returns point and
    derivative."""
    hop = t * 0.0
    limit, pull = hop + 0.5, hop
    c, d, e = curve_place_any(flat, polynomials, piece, t, exact)
    for _ in range(200):
        piece, t, hop, moved, limit, pull = slid(p, c, d, e, piece, t, hop, count * 1.0, limit, pull)
        c, d, e = curve_place_any(flat, polynomials, piece, t, exact)
        if not any_lane(moved > step * 1e-3):
            break
    return c, d


@kernel
def curve_place_any(flat, polynomials, piece, t, exact):
    """Point and two derivatives at t of each lane's piece."""
    if exact:
        return arc_place(flat, piece, t)
    return curve_place(polynomials, piece, t)
