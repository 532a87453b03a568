"""Walls: limits of joints that are near.  Intervals of hinges and sliders, ranges of motion of ball joints.

The rows are those the simulation uses (`constraints.limits`), from the same range object: the direction that leads
straight inwards, and the room left.  A wall asks that one iteration does not use up more than that room,

    row · (change of the joint) + gap >= 0

so a joint may come to its wall and slide along it.  A wall is flat and a range is not: what a step goes too far in
sliding (half the square of the step) is taken back by moving the joint to the nearest allowed pose.  Ranges over
several joints have no rows here: what an iteration goes beyond them is all taken back so.  A joint that was
set outside its range is not moved at a blow; it comes in at no more than its own speed.

In a narrow range (an ankle turns by ±10°) walls lie close together, and the nearest is now this one, now that one.  A
joint that knew only one of them would be thrown to and fro: so the wall that was nearest before is kept in mind, its
room counted on, as long as the joint has not turned far.
"""

from hitogata.constraints.limits import TWIST_SLOPE, turned_since
from hitogata.dynamics.joints import is_ball
from hitogata.lanes import absolute, any_lane, clip, inline, kernel, maximum, minimum, negated, sqrt, tail, where
from hitogata.motion.puppet.layout import OTHER, SWING, TWIST
from hitogata.rom.coupled.rows import hold_within
from hitogata.rom.violation import range_clamp, range_violation
from hitogata.spatial import (
    Vec3,
    conjugate,
    dot,
    load_quaternion,
    rotation_vector,
    store_quaternion,
    turn_by,
)

EDGE = 1e-10
"""Beyond its range by less than this counts as within [rad]."""

BENT = 0.005
"""Hinges that come to their limit stop so far before it [rad]: a limb that is stretched altogether, as elbows and knees
are at theirs, would not know how to bend again.  That costs an arm some thousandths of a millimetre of its reach."""

SAME = 0.9
"""Two rows whose unit vectors have at least this product are of the same wall."""

KNOWN = 0.35
"""A wall that is not the nearest is known until the joint has turned by this [rad]."""

PROBE = 0.01
"""How far to look whether it is still there, when it holds the joint [rad]."""

ROUNDS = 20
"""In which joints are brought back into a range of several of them: a few on walls that bend, more in corners."""

FAR = 1e9
"""Room to a wall that is not known [rad]."""


@kernel
def look(model, state, bench, law):
    """Hold joints within their ranges, and note the walls that are near; returns how many."""
    count, tree = 0, model.tree
    for k in range(model.coupled[0]):
        hold_within(state.q, tail(model.ranges, model.coupled[2 + 3 * k]), bench.scratch, bench.row, 0, ROUNDS)
    for i in range(tree.bodies):
        joint = tree.joint[i]
        if is_ball(joint):
            if model.range_start[i] >= 0:
                count = look_at_range(model, state, bench, law, i, joint.iq, count)
        elif joint.count == 1:
            count = look_at_interval(model, state, bench, law, i, joint.iq, count)
    return count


@kernel
def look_at_interval(model, state, bench, law, i, iq, count):
    """A hinge or slider."""
    limit, s = model.limit[i], state.joint[i]
    if limit.low > -1e300 or limit.high < 1e300:
        q = where(s.inside > 0.5, clip(state.q[iq], limit.low, limit.high), state.q[iq])
        state.q[iq] = q
        gap, row = nearer_end(q, limit.low, limit.high)
        s.inside = where(gap >= 0.0, 1.0, 0.0)
        if model.tree.joint[i].turns == 1:
            gap = minimum(gap, maximum(gap - BENT, 0.0))
        if any_lane(gap < law.margin):
            note_wall(bench, count, i, SWING, row, gap, s, law)
            count += 1
    return count


@inline
def nearer_end(value, low, high):
    """Room to the nearer end of an interval, and the sign of its rate."""
    a, b = value - low, high - value
    return where(a < b, a, b), Vec3(where(a < b, 1.0, -1.0), 0.0, 0.0)


@kernel
def look_at_range(model, state, bench, law, i, iq, count):
    """A ball joint.  As the room cannot shrink faster than the joint turns, it is looked at only when need be."""
    s, q = state.joint[i], load_quaternion(state.q, iq)
    turned = turned_since(q, s.quat)
    due = (turned + law.margin >= s.swing) | (turned * TWIST_SLOPE + law.margin >= s.twist)
    if any_lane(due):
        due = due & negated(same(q, s.quat))
        if any_lane(due):
            view = tail(model.ranges, model.range_start[i])
            found = range_violation(q, view)
            beyond = due & (maximum(found.swing_depth, found.twist_depth) > EDGE) & (s.inside > 0.5)
            if any_lane(beyond):
                before = load_quaternion(bench.before, iq)
                q = held(q, range_clamp(q, view), before, s.turn_speed * law.dt, beyond)
                store_quaternion(state.q, iq, q)
                found = where(beyond, range_violation(q, view), found)
            note_room(s, due, q, found)
        swing, twist = s.swing, s.twist
        other = other_room(s.other, s.other_row, s.other_quat, q)
        if any_lane(swing < law.margin):
            note_wall(bench, count, i, SWING, s.swing_row, swing, s, law)
            count += 1
        if any_lane((swing < law.margin) & (other < PROBE) & (s.pressed.z + s.pressed_two.z > 0.5)):
            other = doubted(s, q, swing, other, law.margin, tail(model.ranges, model.range_start[i]))
        if any_lane((swing < law.margin) & (other < law.margin)):
            note_wall(bench, count, i, OTHER, s.other_row, where(swing < law.margin, other, FAR), s, law)
            count += 1
        if any_lane(twist < law.margin):
            note_wall(bench, count, i, TWIST, s.twist_row, twist, s, law)
            count += 1
    return count


@kernel
def note_room(s, due, q, found):
    """Keep what was found of a joint that was due; if another wall is the nearest now, keep the old one in mind."""
    changed = due & (dot(found.swing_row, s.swing_row) < SAME) & (dot(s.swing_row, s.swing_row) > 0.5)
    s.other_row = where(changed, s.swing_row, s.other_row)
    s.other = where(changed, s.swing, s.other)
    s.other_quat = where(changed, s.quat, s.other_quat)
    outside = maximum(found.swing_depth, found.twist_depth) > EDGE
    s.inside = where(due, where(outside, 0.0, 1.0), s.inside)
    s.quat = where(due, q, s.quat)
    s.swing = where(due, -found.swing_depth, s.swing)
    s.twist = where(due, -found.twist_depth, s.twist)
    s.swing_row = where(due, found.swing_row, s.swing_row)
    s.twist_row = where(due, found.twist_row, s.twist_row)


@inline
def other_room(room, row, seen, q):
    """Room to a wall that is not the nearest, counted on from where it was; none is known after a long way."""
    gone = rotation_vector(q @ conjugate(seen))
    return where(dot(gone, gone) < KNOWN * KNOWN, maximum(room + dot(row, gone), 0.0), FAR)


@kernel
def doubted(s, q, swing, other, margin, view):
    """Room to the other wall if it is still there, else FAR.

    In a range with dents it may stand where no wall is any more.  A step of PROBE along the nearest wall, towards the
    other one, must lead out of the range by a part of it.
    """
    asked = (swing < margin) & (other < PROBE) & (s.pressed.z + s.pressed_two.z > 0.5)
    way, lean = towards(s.other_row, s.swing_row)
    found = range_violation(turn_by(way * -PROBE) @ q, view)
    gone = asked & (lean > 0.4) & (found.swing_depth < 0.3 * (PROBE * lean - other))
    s.other = where(gone, FAR, s.other)
    return where(gone, FAR, other)


@inline
def towards(row, along):
    """Unit part of a row across another one, and its length."""
    part = row - along * dot(row, along)
    lean = sqrt(dot(part, part) + 1e-30)
    return part * (1.0 / lean), lean


@inline
def held(q, clamped, before, most, beyond):
    """The nearest allowed pose; or, if that is too far, the pose the joint came from.

    (Where a bone points almost backwards, a small step may turn the twist over.)
    """
    return where(beyond, where(angle_between(before, clamped) > most, before, clamped), q)


@inline
def angle_between(a, b):
    """Angle of the turn between two orientations [rad]; exact to its square for small ones."""
    near = absolute(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z)
    d = a - where(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0.0, -b, b)
    chord = sqrt(d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z)
    return where(near > 0.0, 2.0 * chord * (1.0 + chord * chord * (1.0 / 24.0)), 2.0 * chord)


@inline
def same(a, b):
    """Equal in all numbers."""
    return (a.w == b.w) & (a.x == b.x) & (a.y == b.y) & (a.z == b.z)


@kernel
def note_wall(bench, count, body, which, row, gap, s, law):
    """Write a wall down; it does not act on characters that are not near it, whatever their neighbours do.

    A joint outside its range comes in by half of what its speed allows, at most.
    """
    wall, own = bench.wall[count], bench.wall_int[count]
    most = minimum(s.turn_speed, s.slide_speed) * (0.5 * law.dt)
    wall.row = row
    wall.gap = where(gap < law.margin, maximum(gap, -most), FAR)
    own.body = body
    own.which = which
