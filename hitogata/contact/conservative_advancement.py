"""Time of impact of two moving shapes by conservative advancement (Mirtich 1996; Tang, Kim & Manocha 2009).

Within a substep the origin of a body moves along a straight line by `shift`, and the body turns evenly about it by the
rotation vector θ (`turn`).  At the share t of the substep let g be the gap of shapes A and B and n the unit normal from
B to A.  A point of a body at r from its origin has moved along any m, after a further share τ, by no more than

    τ m · shift + τ (m × θ) · r + ½ τ² |m × θ| |θ × r|                                  (Taylor; |θ × r| is constant)

so with the support function h(m) = max m · r of a shape about its body's origin, along n the gap is at least

    F(τ) = g + τ n · (shift_A - shift_B) - [h_A(-n - τ n × θ_A) - h_A(-n)] - [h_B(n + τ n × θ_B) - h_B(n)]
             - ½ τ² (|n × θ_A| w_A + |n × θ_B| w_B),                                   w = max |θ × r|

F is concave: where it is above a goal at the end of an interval, it is so inside; if not, the chord tells how far it is
(regula falsi).  Nor does the gap shrink faster than by |shift_A - shift_B| + w_A + w_B, which tells more where bodies
turn round and round.  After that, g and n are found anew.  So t creeps up on the time of impact and never passes it,
however far the bodies turn; what slides or rolls takes few advances.  The gap may be negative: then it is the depth
along n, and the bounds hold as well.

Shapes in contact overlap by a little.  What counts as passing is a depth of the inradius of the thinner shape: the way
out turns round at twice that, where one shape is halfway through the other.  The time told is the last at which the
shapes still had no more than a quarter of that depth.  What began deeper may come nearer to LIMIT by half.  What was
beyond that from the start, as links that were put there or are driven there may, is not kept from anything.
"""

from hitogata.contact.layout import BOX, CAPSULE, CYLINDER, ELLIPSOID, FAR, FIELD, SPHERE, WORLD, Found
from hitogata.lanes import absolute, any_lane, inline, kernel, maximum, minimum, negated, record, sqrt, where
from hitogata.spatial import Mat3, Vec3, cols, cross, dot, rotation, turn_by

MOST_ADVANCES = 200
"""Of one pair in one substep; a pair that needs more is taken to touch as far as it came."""

SLOTS = 8
"""Room for the points of one pair."""

LIMIT = 1.5
"""Of the inradius of the thinner shape: what is deeper must not go deeper at all."""

THROUGH = 0.95
"""Of the depth at which the way out turns round: what is deeper is not looked at."""

MOST_LOOKS = 60
"""Advances of one pair that may pass by; one that needs more is taken to touch."""

OPEN = 0.25
"""Of its gap, what a pair that may pass by keeps in one advance."""

PASSING = 0.75
"""Pairs that move by less than this part of the depth cannot pass within the substep."""


@record
class Path:
    """How a body moves within a substep, from its pose at the start."""

    rot: Mat3  # R_WB
    pos: Vec3  # p_WB [m]
    shift: Vec3  # of the origin, world axes [m]
    turn: Vec3  # rotation vector, world axes [rad]


@kernel
def stand_still(path):
    """Path of the world; it stands first, so that body b has the path b + 1."""
    path.rot = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    path.pos = Vec3(0.0, 0.0, 0.0)
    path.shift = Vec3(0.0, 0.0, 0.0)
    path.turn = Vec3(0.0, 0.0, 0.0)


@kernel
def place_at(shapes, paths, places, s, t):
    """Write where a shape is at the share t of the substep: origin and axes, not the box around it."""
    body = shapes.ints[s].body
    if body != WORLD:
        own, path, place = shapes.floats[s], paths[body + 1], places[s]
        rot = rotation(turn_by(path.turn * t)) @ path.rot
        place.pos = path.pos + path.shift * t + rot @ own.pos
        place.x, place.y, place.z = cols(rot @ own.rot)


@kernel
def gap_of(touch, shapes, places, a, b, depth, margin, points, spare):
    """(gap, normal from B to A) of the nearest or deepest point of a pair; FAR if all are beyond the margin."""
    count = touch(Found(points, SLOTS, margin, shapes.eps), 0, shapes, places, a, b, spare)
    gap, normal = margin * 0.0 + FAR, places[a].pos * 0.0
    for k in range(min(count, SLOTS)):
        nearer = points[k].gap < gap
        gap, normal = where(nearer, points[k].gap, gap), where(nearer, points[k].normal, normal)
    return gap, normal


@kernel
def share_before_impact(find_gap, touch, shapes, paths, places, a, b, asking, least, until, points, spare):
    """Share of the substep after which a pair must not move on as it does; `until` if it does not pass before that.

    Args:
        find_gap: `gap_of`, or `field_gaps.gap_of_any`, which knows height fields.
        touch: kernel that finds the points of a pair, see `narrowphase`.
        shapes: from `open_shapes`.
        paths: records of `Path`: of the world, then of each body.
        places: records of `ShapePlace`; those of a and b are moved.
        a: shape, of the higher kind.
        b: shape.
        asking: is it of interest?  Of others, `until`.
        least: pairs that move by less than this part of the depth are not looked at; PASSING.
        until: share of the substep, up to 1.
        points: room for SLOTS `ContactPoint`.
        spare: scratch of `touch`.
    """
    one, two = paths[shapes.ints[a].body + 1], paths[shapes.ints[b].body + 1]
    depth, through = allowed_depth(shapes, a, b)
    shift = one.shift - two.shift
    turning_a, turning_b = turning_speed(shapes, one, a), turning_speed(shapes, two, b)
    fastest = sqrt(dot(shift, shift)) + turning_a + turning_b
    going = asking & (fastest * until > least * depth)
    if not any_lane(going):
        return until
    t = until * 0.0
    cut, level, deepest, close, towards_level, passes = t, t, t, t, going, fastest < 0.0
    radian = 1.0 / maximum(1.0, sqrt(maximum(dot(one.turn, one.turn), dot(two.turn, two.turn))))
    for k in range(MOST_ADVANCES):
        place_at(shapes, paths, places, a, t)
        place_at(shapes, paths, places, b, t)
        gap, normal = find_gap(touch, shapes, places, a, b, depth, fastest, points, spare)
        if k == 0:
            deepest = maximum(maximum(depth, 0.5 * (LIMIT * depth - gap)), depth / 16384.0 - gap)
            level = minimum(-0.25 * depth, 0.5 * (gap - deepest))
            close = minimum(depth / 32.0, 0.125 * (gap + deepest))
            going = going & (gap > -through)
        cut = where(going & towards_level, t, cut)
        passes = passes | (going & (gap <= close - deepest))
        towards_level = gap > level + close
        goal, left = where(towards_level, level, -deepest), minimum(until - t, radian)
        ahead = share_ahead(
            shapes, one, two, places, a, b, t, gap, normal, goal, shift, turning_a, turning_b, left, going
        )
        t = where(going & negated(passes), t + maximum(ahead, (gap - goal) / fastest), t)
        going = going & negated(passes) & (t < until)
        if not any_lane(going):
            break
    return where(passes | going, cut, until)


@kernel
def least_gap(find_gap, touch, shapes, paths, places, a, b, asking, enough, points, spare):
    """A gap that two shapes keep on their whole way, or 0 where they come nearer than `enough`, which is above 0.

    It is no more than OPEN of the least gap; what else is to be told as `share_before_impact` is.
    """
    one, two = paths[shapes.ints[a].body + 1], paths[shapes.ints[b].body + 1]
    shift = one.shift - two.shift
    turning_a, turning_b = turning_speed(shapes, one, a), turning_speed(shapes, two, b)
    fastest = sqrt(dot(shift, shift)) + turning_a + turning_b
    t, going = fastest * 0.0, asking
    least = t + FAR
    radian = 1.0 / maximum(1.0, sqrt(maximum(dot(one.turn, one.turn), dot(two.turn, two.turn))))
    for _ in range(MOST_LOOKS):
        place_at(shapes, paths, places, a, t)
        place_at(shapes, paths, places, b, t)
        gap, normal = find_gap(touch, shapes, places, a, b, fastest, fastest, points, spare)
        goal, left = OPEN * gap, minimum(1.0 - t, radian)
        least = where(going, where(gap > enough, minimum(least, goal), 0.0), least)
        going = going & (gap > enough)
        ahead = share_ahead(
            shapes, one, two, places, a, b, t, gap, normal, goal, shift, turning_a, turning_b, left, going
        )
        t = where(going, t + maximum(ahead, (gap - goal) / fastest), t)
        going = going & (t < 1.0)
        if not any_lane(going):
            break
    return where(going, 0.0, least)


@kernel
def share_ahead(shapes, one, two, places, a, b, t, gap, normal, goal, shift, turning_a, turning_b, left, asking):
    """A further share of the substep, up to `left`, in which the gap stays above a goal: F is above it."""
    bend = 0.5 * (across(normal, one.turn) * turning_a + across(normal, two.turn) * turning_b)
    after = gap - approached(shapes, one, two, places, a, b, t, normal, shift, bend, left)
    known, ahead, there = dot(normal, normal) > 0.5, t * 0.0, gap
    short = asking & known & (after < goal)
    if any_lane(short):
        for _ in range(2):
            ahead = ahead + (left - ahead) * ((there - goal) / where(short, there - after, 1.0))
            there = gap - approached(shapes, one, two, places, a, b, t, normal, shift, bend, ahead)
    return where(known, where(short, ahead, left), 0.0)


@kernel
def allowed_depth(shapes, a, b):
    """(depth that counts as passing, depth from which on it is too late) of a pair [m]; see `fields.HALFWAY`."""
    one, two = shapes.floats[a].inradius, shapes.floats[b].inradius
    if shapes.ints[a].kind == FIELD:
        one = two
    return min(one, two), min(THROUGH * (one + two), LIMIT * min(one, two))


@kernel
def turning_speed(shapes, path, s):
    """w: how far a point of a shape moves by turning, at the most; its rounding does not [m per substep]."""
    if shapes.ints[s].body == WORLD:
        return path.turn.x * 0.0
    kind, own, turn = shapes.ints[s].kind, shapes.floats[s], path.turn
    x, y, z = cols(path.rot @ own.rot)
    speed = across(turn, path.rot @ own.pos)
    if kind == CAPSULE:
        speed = speed + across(turn, z) * own.size.y
    elif kind >= BOX:  # of others, the box around them
        speed = speed + across(turn, x) * own.size.x + across(turn, y) * own.size.y + across(turn, z) * own.size.z
    return speed


@inline
def across(a, b):
    """|a × b|."""
    c = cross(a, b)
    return sqrt(dot(c, c))


@kernel
def approached(shapes, one, two, places, a, b, t, normal, shift, bend, ahead):
    """g - F(ahead): how much nearer two shapes may be after a further share of the substep, at the most."""
    nearer = bend * (ahead * ahead) - dot(normal, shift) * ahead
    nearer = nearer + reached_out(shapes, one, places[a], a, t, -normal, ahead)
    return nearer + reached_out(shapes, two, places[b], b, t, normal, ahead)


@kernel
def reached_out(shapes, path, place, s, t, m, ahead):
    """h(m + ahead m × θ) - h(m) of a shape that stands where it is at the share t.

    Of meshes more: h(m + d) - h(m) <= h(d), and h(d) is no more than that of the box around them.
    """
    if shapes.ints[s].body == WORLD:
        return ahead * 0.0
    kind, size = shapes.ints[s].kind, shapes.floats[s].size
    turning = cross(m, path.turn) * ahead
    more = dot(turning, place.pos - path.pos - path.shift * t)
    if kind == CAPSULE:
        more = more + longer(place.z, m, turning) * size.y
    elif kind == BOX:
        more = more + longer(place.x, m, turning) * size.x + longer(place.y, m, turning) * size.y
        more = more + longer(place.z, m, turning) * size.z
    elif kind == CYLINDER:
        more = more + longer(place.z, m, turning) * size.z
        more = more + (across(place.z, m + turning) - across(place.z, m)) * size.x
    elif kind == ELLIPSOID:
        more = more + sqrt(square(stretched(place, size, m + turning))) - sqrt(square(stretched(place, size, m)))
    elif kind != SPHERE:
        more = more + absolute(dot(place.x, turning)) * size.x + absolute(dot(place.y, turning)) * size.y
        more = more + absolute(dot(place.z, turning)) * size.z
    return more


@kernel
def stretched(place, size, m):
    """(a x · m, b y · m, c z · m); its length is the support of an ellipsoid."""
    return Vec3(dot(place.x, m) * size.x, dot(place.y, m) * size.y, dot(place.z, m) * size.z)


@inline
def square(a):
    """|a|²."""
    return dot(a, a)


@inline
def longer(axis, m, turning):
    """|axis · (m + turning)| - |axis · m|."""
    return absolute(dot(axis, m + turning)) - absolute(dot(axis, m))
