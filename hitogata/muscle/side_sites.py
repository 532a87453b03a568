"""Wrapping around spheres and cylinders without end, past a side site: MuJoCo's rules (engine_util_misc, mju_wrap).

The string never crosses the ray from the centre away from the site: where the straight line does, or cuts the surface,
it goes round on the site's side (the rule of MuJoCo 4.0; those before compared the middles of both ways with the site).
A site inside the surface keeps the string inside: it bends at one point, or runs along the inner wall not at all.
"""

from math import asin, atan2, cos, pi, sin

from hitogata.lanes import kernel, sqrt
from hitogata.muscle.arrays import put3
from hitogata.muscle.circles import NONE, SURE, TURN, arc_around
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
    """Length around a circle, -1 if the string passes by; contact goes to out[0, 1] and out[3, 4].

    With a site at s, no string crosses the ray from the centre along -s.  A line that does, or that cuts the circle,
    goes round the way whose angles from a to b leave that ray out.  Without a site, a line that cuts the circle goes
    round the way of the shorter chord.
    """
    dx, dy = bx - ax, by - ay
    dd = dx * dx + dy * dy
    if ax * ax + ay * ay < r * r or bx * bx + by * by < r * r or dd < 1e-15:
        return -1.0
    t = min(max(-(dx * ax + dy * ay) / dd, 0.0), 1.0)
    nx, ny = ax + t * dx, ay + t * dy
    cuts = nx * nx + ny * ny <= r * r
    side = 1.0
    if sited:
        behind_a, behind_b = ax * sy - ay * sx, bx * sy - by * sx  # which side of the ray's line they are on
        at = (ax * sx + ay * sy) * behind_b - (bx * sx + by * sy) * behind_a  # where the line meets it, along s
        if not cuts and not (behind_a * behind_b < 0.0 and at * (behind_b - behind_a) < 0.0):
            return -1.0
        side = 1.0 if angle_from(ax, ay, -sx, -sy) > angle_from(ax, ay, bx, by) else -1.0
    elif not cuts:
        return -1.0
    arc = arc_around(ax, ay, bx, by, r, side)
    if not sited:
        other = arc_around(ax, ay, bx, by, r, -1.0)
        if chord(other) < chord(arc):
            arc = other
    out[0], out[1], out[3], out[4] = arc.x1, arc.y1, arc.x2, arc.y2
    return r * arc.angle


@kernel
def angle_from(ax, ay, bx, by):
    """The angle from a to b, anticlockwise, 0 to 2 pi."""
    angle = atan2(ax * by - ay * bx, ax * bx + ay * by)
    return angle if angle >= 0.0 else angle + TURN


@kernel
def chord(arc):
    """Distance between both points of contact, squared."""
    dx, dy = arc.x1 - arc.x2, arc.y1 - arc.y2
    return dx * dx + dy * dy


@kernel
def wrap_inside(ax, ay, bx, by, r, out):
    """A string kept inside a circle bends at one point of it, with equal angles: 0, or -1 if it need not bend.

    With A = r/|a|, B = r/|b|, G the angle between both, and e the string's angle to the circle at the bend,

        f(e) = asin(A cos e) + asin(B cos e) - π + 2 e + G = 0

    (MuJoCo's wrap_inside, with cos e for its z, which keeps strings that nearly touch exact).  f rises and is concave,
    so that Newton's steps from e = 0, where f < 0 unless the line passes through the circle, never go too far.
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
    A, B = r / la, r / lb
    G = abs(atan2(ax * by - ay * bx, ax * bx + ay * by))
    e = 0.0
    for _ in range(50):
        c, s = cos(e), sin(e)
        f = asin(A * c) + asin(B * c) - pi + 2.0 * e + G
        deep_a, deep_b = sqrt(max(1.0 - A * A * c * c, 1e-30)), sqrt(max(1.0 - B * B * c * c, 1e-30))
        step = -f / max(2.0 - s * (A / deep_a + B / deep_b), 1e-9)
        e = min(e + step, 0.5 * pi)
        if abs(step) < 1e-15:
            break
    ux, uy, turn = ax / la, ay / la, 0.5 * pi - e - asin(A * cos(e))
    if ax * by - ay * bx < 0.0:
        ux, uy, turn = bx / lb, by / lb, 0.5 * pi - e - asin(B * cos(e))
    c, s = cos(turn), sin(turn)
    out[0] = out[3] = r * (c * ux - s * uy)
    out[1] = out[4] = r * (s * ux + c * uy)
    return 0.0
