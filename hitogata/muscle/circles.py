"""Taut strings around spheres and cylinders: closed forms, by the circle that the string bends around.

A point at distance d from the centre of a circle of radius r sees it touched at an angle acos(r/d) to either side.
Around a cylinder the taut string is straight on the unrolled surface, so that it climbs evenly with the length of its
projection.  Which side of a constrained surface is taken, and when, follows OpenSim's rules (WrapCylinder, WrapSphere)
so that models behave as they were made to; MuJoCo's are in `side_sites`.
"""

from hitogata.lanes import atan2, inline, kernel, maximum, sqrt, struct, where
from hitogata.muscle.arrays import put3
from hitogata.spatial import Vec3, cross, dot, length

NONE, INSIDE, POSSIBLE, SURE = 0, 1, 2, 3
"""What became of a segment: passes by; an end lies inside; may go around, if no other segment does; must go around."""

TURN = 6.283185307179586
SIZE = 11
"""Numbers of a result: first and last point of contact (3, 3), length between them, a start for the next search, and
the middle between both points (3)."""


@struct
class Arc:
    """Contact of a string with a circle: first and last point, the angle between, and the lengths of both tangents."""

    x1: float
    y1: float
    x2: float
    y2: float
    angle: float
    before: float
    behind: float


@inline
def arc_around(ax, ay, bx, by, r, side):
    """The string from a to b around the circle, anticlockwise for side = 1, clockwise for -1."""
    aa, bb = ax * ax + ay * ay, bx * bx + by * by
    before, behind = sqrt(maximum(aa - r * r, 0.0)), sqrt(maximum(bb - r * r, 0.0))
    ka, kb, ha, hb = r * r / aa, r * r / bb, side * r * before / aa, side * r * behind / bb
    x1, y1, x2, y2 = ka * ax - ha * ay, ka * ay + ha * ax, kb * bx + hb * by, kb * by - hb * bx
    angle = atan2(side * (x1 * y2 - y1 * x2), x1 * x2 + y1 * y2)
    angle = where(angle < -1e-9, angle + TURN, maximum(angle, 0.0))  # rounding at take-off is not a whole turn
    return Arc(x1, y1, x2, y2, angle, before, behind)


@inline
def component(v, axis):
    """Component 0, 1 or 2 of a vector."""
    return where(axis == 0, v.x, where(axis == 1, v.y, v.z))


@kernel
def wrap_cylinder(a, b, shape, axis, sign, out):
    """A string from a to b around a cylinder along z; shape: radius, half its length.

    Without a sign the shorter way is taken where the straight line would cut the cylinder.  With one, the way that lies
    on the side `sign` of `axis`.  A string whose contact begins and ends beyond the cylinder's ends passes by.
    """
    r, half = shape.x, shape.y
    if a.x * a.x + a.y * a.y < r * r or b.x * b.x + b.y * b.y < r * r:
        return INSIDE
    d = b - a
    dd = d.x * d.x + d.y * d.y
    if dd <= 1e-24 * r * r:
        return NONE
    t = -(a.x * d.x + a.y * d.y) / dd
    near = a + d * t
    cut = near.x * near.x + near.y * near.y < r * r and 0.0 < t < 1.0
    result, side = SURE, 1.0
    if sign == 0.0:
        if not cut:
            return NONE
        if a.x * b.y - a.y * b.x < 0.0:
            side = -1.0
    else:
        first, last = on_side(component(a, axis), sign), on_side(component(b, axis), sign)
        if not cut:
            if (first and last) or ((first or last) and on_side(component(near, axis), sign)):
                return NONE
            result = POSSIBLE
        elif not (first or last):
            result = POSSIBLE
        side = side_around_cylinder(a, b, r, axis, sign)
    arc = arc_around(a.x, a.y, b.x, b.y, r, side)
    bend = r * arc.angle
    climb = (b.z - a.z) / (arc.before + bend + arc.behind)
    z1, z2 = a.z + climb * arc.before, b.z - climb * arc.behind
    if absolute_beyond(z1, half) and absolute_beyond(z2, half):
        return NONE
    put3(out, 0, Vec3(arc.x1, arc.y1, z1))
    put3(out, 3, Vec3(arc.x2, arc.y2, z2))
    out[6] = bend * sqrt(1.0 + climb * climb)
    return result


@kernel
def on_side(x, sign):
    """Whether a component lies on a side; zero counts as positive."""
    return (x >= 0.0) == (sign > 0.0)


@kernel
def absolute_beyond(z, half):
    """Whether a place lies beyond either end."""
    return z > half or z < -half


@kernel
def side_around_cylinder(a, b, r, axis, sign):
    """Which way round reaches the wanted side: by the points of contact that lie on it (OpenSim's rule)."""
    left, right = arc_around(a.x, a.y, b.x, b.y, r, 1.0), arc_around(a.x, a.y, b.x, b.y, r, -1.0)
    left1 = on_side(component(Vec3(left.x1, left.y1, a.z), axis), sign)
    right1 = on_side(component(Vec3(right.x1, right.y1, a.z), axis), sign)
    left2 = on_side(component(Vec3(left.x2, left.y2, b.z), axis), sign)
    right2 = on_side(component(Vec3(right.x2, right.y2, b.z), axis), sign)
    if left1 != right1:
        return 1.0 if left1 else -1.0
    if right2:
        return -1.0
    if left1 or left2:
        return 1.0
    wide = left.x1 * left.x2 + left.y1 * left.y2 < right.x1 * right.x2 + right.y1 * right.y2
    return 1.0 if wide else -1.0


@kernel
def wrap_sphere(a, b, r, axis, sign, out):
    """A string from a to b around a sphere, in the plane of a, b and the centre, where the straight line would cut it.

    With a sign, and unless both ends lie on that side of `axis`, it goes round the way that bulges to that side.
    """
    aa = length(a)
    if aa < r or length(b) < r:
        return INSIDE
    d = b - a
    dd = dot(d, d)
    if dd <= 1e-24 * r * r:
        return NONE
    t = -dot(a, d) / dd
    near = a + d * t
    if dot(near, near) >= r * r or t <= 0.0 or t >= 1.0:
        return NONE
    e1 = a * (1.0 / aa)
    n = cross(e1, b)
    if length(n) < 1e-9 * r:  # through the centre: all ways are as long
        n = cross(e1, Vec3(where(abs(e1.x) < 0.6, 1.0, 0.0), where(abs(e1.x) < 0.6, 0.0, 1.0), 0.0))
    n = n * (1.0 / length(n))
    e2 = cross(n, e1)
    bx, by = dot(b, e1), dot(b, e2)
    arc = arc_around(aa, 0.0, bx, by, r, 1.0)
    if sign != 0.0 and not (on_side(component(a, axis), sign) and on_side(component(b, axis), sign)):
        longer = arc_around(aa, 0.0, bx, by, r, -1.0)
        bulge = e1 * (longer.x1 - aa + longer.x2 - bx) + e2 * (longer.y1 + longer.y2 - by)
        if component(bulge, axis) * sign >= 0.0:
            arc = longer
    put3(out, 0, e1 * arc.x1 + e2 * arc.y1)
    put3(out, 3, e1 * arc.x2 + e2 * arc.y2)
    out[6] = r * arc.angle
    return SURE
