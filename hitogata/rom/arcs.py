"""An arc is the edge of a cap.

An arc runs counter-clockwise (seen from outside) about an axis n, along the edge of the cap {x : n·x ≥ h}.  The
allowed side is the left one, so locally the region is that cap; a dent has its axis outside the region and h < 0.
With z = n·p, out = |p × n|, r = √(1 − h²) and flat the unit vector from the axis towards p:

    distance   atan2(r z − h out, h z + r out)        > 0 inside
    foot       h n + r flat
    row        flat × n                               d(distance)/dt = row · ω

No pole, no projection, no known inside point, no case for great circles or for ranges beyond 90 degrees.  Beyond its
ends an arc is its corner.  Squared chords are compared, never cosines: no cancellation near the boundary.  Near the
antipode of a tiny region, where chords no longer tell feet apart, those to −p are compared (`side` = −1):

    cost = side |p − side·foot|²
"""

from hitogata.lanes import absolute, atan2, gather, inline, sqrt, struct, where
from hitogata.rom.layout import PIECE
from hitogata.spatial import Vec3, cross, dot


@struct
class Hit:
    """The place of the boundary nearest to a point p, and what it tells."""

    sin: float              # of the signed distance, > 0 inside
    cos: float
    foot: Vec3
    row: Vec3               # unit angular velocity that raises the distance fastest
    piece: float            # number of the piece
    t: float                # place on it, -1 to 1


@inline
def unit_or(v, other, least):
    """v to length one, or `other` if v is not longer than `least`."""
    size2 = dot(v, v)
    long = size2 > least * least
    return where(long, v * (1.0 / sqrt(where(long, size2, 1.0))), other)


@inline
def seen_from(frame, p):
    """p along the rows of an arc's frame, and its distance from the axis."""
    x = frame.xx * p.x + frame.xy * p.y + frame.xz * p.z
    y = frame.yx * p.x + frame.yy * p.y + frame.yz * p.z
    z = frame.zx * p.x + frame.zy * p.y + frame.zz * p.z
    return x, y, z, sqrt(x * x + y * y)


@inline
def arc_cost(p, frame, height, radius, cos, sin, side):
    """Cost of the nearest place of the arc; and p seen from the arc (x, y, out)."""
    x, y, z, out = seen_from(frame, p)
    up, beyond = z - height * side, out - radius * side
    dx, dy = x - radius * cos * side, absolute(y) - radius * sin * side
    return side * (up * up + where(x >= out * cos, beyond * beyond, dx * dx + dy * dy)), x, y, out


@inline
def corner_hit(p, corner, inward, edge):
    """sin, cos and row of the distance to a corner, of which `inward` halves the inside."""
    away = cross(corner, p)
    size = sqrt(dot(away, away))
    sign = where(dot(p, inward) > 0.0, 1.0, -1.0)
    return size * sign, dot(p, corner), unit_or(away * sign, cross(p, inward), edge)


@inline
def arc_hit(p, pieces, piece, edge):
    """The nearest place of one exact piece, each lane on its own."""
    v = gather(pieces, piece * (1.0 * PIECE), PIECE)
    m, k, n = Vec3(*v[0:3]), Vec3(*v[3:6]), Vec3(*v[6:9])
    height, radius, cos, half = v[9], v[10], v[11], v[13]
    x, y, z = dot(m, p), dot(k, p), dot(n, p)
    out = sqrt(x * x + y * y)
    on = x >= out * cos
    some = out > 0.0
    per = 1.0 / where(some, out, 1.0)
    cx, cy = where(some, x * per, 1.0), where(some, y * per, 0.0)
    flat = m * cx + k * cy
    first = y < 0.0
    corner = where(first, Vec3(*v[16:19]), Vec3(*v[22:25]))
    c_sin, c_cos, c_row = corner_hit(p, corner, where(first, Vec3(*v[19:22]), Vec3(*v[25:28])), edge)
    return Hit(where(on, radius * z - height * out, c_sin), where(on, height * z + radius * out, c_cos),
               where(on, n * height + flat * radius, corner), where(on, cross(flat, n), c_row),
               piece, where(on, atan2(cy, cx) / half, where(first, -1.0, 1.0)))

