"""Wrapping around spheres and cylinders without end, past a side site: MuJoCo's rules (engine_util_misc, mju_wrap).

The string goes round where the straight line cuts the surface, or passes it on the other side than the site.  A site
inside the surface keeps the string inside: it bends at one point, or runs along the inner wall not at all.
"""

from math import acos, asin, cos, sin

from hitogata.lanes import kernel, sqrt
from hitogata.muscle.arrays import put3
from hitogata.muscle.circles import NONE, SURE, arc_around
from hitogata.spatial import Vec3, cross, dot, length


@kernel
def wrap_past_site(a, b, r, round_, site, sited, out):
    """A string from a to b around a sphere (round_) or a cylinder along z.

    Args:
        a, b: its ends, in the surface's frame [m].
        r: radius.
        round_: a sphere.
        site: side site in the surface's frame.
        sited: whether there is one.
        out: points of contact and the length between them.
    """
    if r < 1e-15 or length(a) < 1e-15:
        return NONE
    e1, e2 = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)
    if round_:
        e1 = a * (1.0 / length(a))
        n = cross(a, b)
        if length(n) < 1e-15:  # any plane through both: MuJoCo takes the smallest component's axis
            n = cross(e1, Vec3(1.0, 0.0, 0.0) if abs(e1.x) < abs(e1.y) else Vec3(0.0, 1.0, 0.0))
        n = n * (1.0 / length(n))
        e2 = cross(n, e1)
    ax, ay, bx, by = dot(a, e1), dot(a, e2), dot(b, e1), dot(b, e2)
    sx, sy = dot(site, e1), dot(site, e2)
    bend = -1.0
    if sited and length(site) < r:
        bend = wrap_inside(ax, ay, bx, by, r, out)
    else:
        bend = wrap_outside(ax, ay, bx, by, r, sx, sy, sited, out)
    if bend < 0.0:
        return NONE
    x1, y1, x2, y2 = out[0], out[1], out[3], out[4]
    first, last = e1 * x1 + e2 * y1, e1 * x2 + e2 * y2
    if not round_:
        before = sqrt((ax - x1) * (ax - x1) + (ay - y1) * (ay - y1))
        behind = sqrt((bx - x2) * (bx - x2) + (by - y2) * (by - y2))
        climb = (b.z - a.z) / (before + bend + behind)
        first, last = Vec3(x1, y1, a.z + climb * before), Vec3(x2, y2, b.z - climb * behind)
        bend = bend * sqrt(1.0 + climb * climb)
    put3(out, 0, first)
    put3(out, 3, last)
    out[6] = bend
    return SURE


@kernel
def wrap_outside(ax, ay, bx, by, r, sx, sy, sited, out):
    """Length around a circle, -1 if the string passes by; contact goes to out[0, 1] and out[3, 4]."""
    dx, dy = bx - ax, by - ay
    dd = dx * dx + dy * dy
    if ax * ax + ay * ay < r * r or bx * bx + by * by < r * r or dd < 1e-15:
        return -1.0
    t = min(max(-(dx * ax + dy * ay) / dd, 0.0), 1.0)
    nx, ny = ax + t * dx, ay + t * dy
    if nx * nx + ny * ny > r * r and (not sited or sx * nx + sy * ny >= 0.0):
        return -1.0
    left, right = arc_around(ax, ay, bx, by, r, -1.0), arc_around(ax, ay, bx, by, r, 1.0)
    arc = right
    if merit(left, ax, ay, bx, by, sx, sy, sited) > merit(right, ax, ay, bx, by, sx, sy, sited):
        arc = left
    if crossing(ax, ay, arc.x1, arc.y1, bx, by, arc.x2, arc.y2):
        return -1.0
    out[0], out[1], out[3], out[4] = arc.x1, arc.y1, arc.x2, arc.y2
    return r * arc.angle


@kernel
def merit(arc, ax, ay, bx, by, sx, sy, sited):
    """How good a way round is: near the side site, or short; not with tangents that cross."""
    if crossing(ax, ay, arc.x1, arc.y1, bx, by, arc.x2, arc.y2):
        return -10000.0
    if sited:
        mx, my = arc.x1 + arc.x2, arc.y1 + arc.y2
        return (mx * sx + my * sy) / sqrt((mx * mx + my * my) * (sx * sx + sy * sy) + 1e-300)
    mx, my = arc.x1 - arc.x2, arc.y1 - arc.y2
    return -(mx * mx + my * my)


@kernel
def crossing(ax, ay, bx, by, cx, cy, dx, dy):
    """Whether segments a b and c d cross."""
    det = (dy - cy) * (bx - ax) - (dx - cx) * (by - ay)
    if abs(det) < 1e-15:
        return False
    s = ((dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)) / det
    t = ((bx - ax) * (ay - cy) - (by - ay) * (ax - cx)) / det
    return 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0


@kernel
def wrap_inside(ax, ay, bx, by, r, out):
    """A string kept inside a circle bends at one point of it, with equal angles: 0, or -1 if it need not bend.

    With A = r/|a|, B = r/|b| and G the cosine between them, asin(A z) + asin(B z) - 2 asin(z) + acos(G) = 0 gives the
    sine z of the angle to the circle's normal (MuJoCo: wrap_inside).
    """
    la, lb = sqrt(ax * ax + ay * ay), sqrt(bx * bx + by * by)
    dx, dy = bx - ax, by - ay
    dd = dx * dx + dy * dy
    if la <= r or lb <= r or r < 1e-15 or la < 1e-15 or lb < 1e-15:
        return -1.0
    if dd > 1e-15:  # the straight line passes through the circle: nothing to bend at
        t = -(dx * ax + dy * ay) / dd
        if 0.0 < t < 1.0:
            nx, ny = ax + t * dx, ay + t * dy
            if nx * nx + ny * ny <= r * r:
                return -1.0
    mx, my = 0.5 * (ax + bx), 0.5 * (ay + by)  # where the search does not end: the middle, as MuJoCo
    lm = sqrt(mx * mx + my * my)
    out[0] = out[3] = mx / lm * r
    out[1] = out[4] = my / lm * r
    A, B, G = r / la, r / lb, (la * la + lb * lb - dd) / (2.0 * la * lb)
    if A * B > 0.999999999999999 or G < -1.0:
        return -1.0
    if G > 1.0 - 1e-15:
        return 0.0
    from_g = acos(G)
    z = 1.0 - 1e-7
    f = asin(A * z) + asin(B * z) - 2.0 * asin(z) + from_g
    if f > 0.0:
        return 0.0
    for _ in range(30):
        slope = A / sqrt(1.0 - A * A * z * z) + B / sqrt(1.0 - B * B * z * z) - 2.0 / sqrt(1.0 - z * z)
        if slope > -1e-15:
            break
        new = z - f / slope
        if not new < z:
            break
        z = new
        f = asin(A * z) + asin(B * z) - 2.0 * asin(z) + from_g
    if abs(f) > 1e-6:
        return 0.0
    ux, uy, turn = ax / la, ay / la, asin(z) - asin(A * z)
    if ax * by - ay * bx < 0.0:
        ux, uy, turn = bx / lb, by / lb, asin(z) - asin(B * z)
    c, s = cos(turn), sin(turn)
    out[0] = out[3] = r * (c * ux - s * uy)
    out[1] = out[4] = r * (s * ux + c * uy)
    return 0.0
