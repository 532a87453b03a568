"""Friction of the last step, shared anew among the points of a contact before it is begun with.

Several points of two bodies hold more than there is to hold: friction of one may pull against that of another, and
nobody feels it.  Sweeps leave such self-stress behind and never take it away; under a great load it grows from step to
step until it uses up the friction that there is.  So points along one normal share force and torque across it in
proportion to how hard they are pressed,

    t_i = p_i (F/P + (T/S) z × (r_i - c))       P = Σ p_i,  c = Σ p_i r_i/P,  S = Σ p_i |r_i - c|²

with F = Σ t_i and T = Σ (r_i - c) × t_i as before: nothing moves otherwise, and sliding points stay at their limit.
"""

from hitogata.constraints.contacts import axes_along
from hitogata.lanes import any_lane, inline, kernel, where
from hitogata.spatial import Vec3, dot
from hitogata.spatial import rows as frame_rows

ALIKE = 2e-9
"""Square of the distance between normals that are one: their cosine would be lost in single precision."""

NARROW = 1e-10
"""Points that lie nearer to their middle than this have no torque to share [m²]."""

TINY = 1e-30


@kernel
def share_friction(contacts, points, count):
    """Share the friction of each pair of bodies' points; the points of a pair stand together."""
    begin = 0
    while begin < count:
        end = begin + 1
        while end < count and contacts[end].pair == contacts[begin].pair:
            end += 1
        if end - begin > 1:
            share_pair(points, begin, end, contacts[begin].body_a < 0)
        begin = end


@kernel
def share_pair(points, begin, end, turned):
    """Share the friction of points `begin` to `end`; turned: their axes are along minus their normal."""
    total, normal, alike = points[begin].impulse.z * 0.0, points[begin].normal, True
    middle, pressed = points[begin].pos * 0.0, total
    for k in range(begin, end):
        press = points[k].impulse.z
        normal = where(press > 0.0, points[k].normal, normal)
        total, middle = total + press, middle + points[k].pos * press
        pressed = pressed + where(press > 0.0, 1.0, 0.0)
    if not any_lane(pressed > 1.0):
        return
    for k in range(begin, end):
        alike = alike & ((points[k].impulse.z == 0.0) | (apart(points[k].normal, normal) < ALIKE))
    acts = alike & (pressed > 1.0)
    if any_lane(acts):
        middle, sign = middle / where(total > 0.0, total, 1.0), 1.0
        if turned:
            sign = -1.0
        x, y, _ = frame_rows(axes_along(normal * sign))
        fx, fy, torque, spread = total * 0.0, total * 0.0, total * 0.0, total * 0.0
        for k in range(begin, end):
            rx, ry, p = dot(x, points[k].pos - middle), dot(y, points[k].pos - middle), points[k].impulse
            fx, fy, torque = fx + p.x, fy + p.y, torque + (rx * p.y - ry * p.x)
            spread = spread + p.z * (rx * rx + ry * ry)
        for k in range(begin, end):
            rx, ry, p = dot(x, points[k].pos - middle), dot(y, points[k].pos - middle), points[k].impulse
            points[k].impulse = where(acts, shared(p, rx, ry, fx, fy, torque, total, spread), p)


@inline
def apart(a, b):
    """|a - b|²."""
    return dot(a - b, a - b)


@inline
def shared(p, rx, ry, fx, fy, torque, total, spread):
    """A point's share."""
    part, turn = p.z / (total + TINY), where(spread > NARROW * total, p.z * torque / (spread + TINY), 0.0)
    return Vec3(fx * part - turn * ry, fy * part + turn * rx, p.z)
