"""Limits of joints: intervals of hinges and sliders, ranges of motion of ball joints.  One row each, or two for a ball.

A limit acts when its gap (room left, < 0 beyond) is below a margin, by one compliant law for every sign of the gap:

    rate + soft p + bias >= 0,  p >= 0,  one of them zero       soft = 1/(h (d + h k))
    bias = gap/h ahead of the limit,  gap/(h + d/k) beyond      (see `contacts`)

so that a limit ahead lets the joint come as close as it may within the step, and a limit passed pushes back, softly or
hard as k says.  With k infinite nothing goes through but 1e-5 of its speed (see `FIRM`), and what is beyond comes back
by a fixed share per step, but no faster than a set speed: substeps may be short.

The row of a ball joint's swing is the angular velocity that leads straight inwards (Hanaoka 2010, ch. 3; here exact on
the sphere), that of its twist the half vector between the bone at rest and now.
"""

from hitogata.constraints.soft_limits import soft_law
from hitogata.lanes import absolute, any_lane, inline, kernel, maximum, packed, record, sqrt, where
from hitogata.spatial import Quaternion, Vec3, dot

FAR = 1e9
"""Bias of a row that must not act [rad/s]."""

STIFFEST = 1e12
"""Walls stiffer than this are hard [N m/rad], [N/m] ..."""

FIRM = 1e-5
"""... and keep this share of their row's own reply as softness: between hard walls and friction a limb may jam, each
sweep pressing it in farther, and nothing else would bound the impulses."""

RETURN = 5.0
"""Hard walls push back what is beyond them no faster than this [rad/s], [m/s]: a share of the way within a substep that
ends at an impact, a hundred times shorter than others, would be a blow."""

REACH = 2.0
"""Limits are looked after that a joint would reach within so many steps at its speed."""

TWIST_SLOPE = 12.0
"""How fast, at the most, room for twist shrinks as a joint turns [rad/rad]; ranges of motion keep below it."""


@record
class Watch:
    """When a ball joint was last looked at, and how far it may turn before it must be looked at again."""

    quat: Quaternion
    swing: float  # room there was [rad]
    twist: float


@kernel
def add_row(rows, count, body, slot, direction, gap, margin, impulse, wall, law):
    """Write a joint row; lanes whose gap is beyond the margin do not act."""
    row, own = rows.joint[count], rows.joint_int[count]
    row.direction = direction
    row.soft, bias = wall_law(gap, wall.wall_stiffness, wall.wall_damping, law.h, law.hard_wall)
    row.bias = where(gap < margin, bias, FAR)
    row.impulse = where(gap < margin, impulse * law.warm, 0.0)
    own.body = body
    own.slot = slot
    own.several = 0


@inline
def wall_law(gap, stiffness, damping, h, hard_share):
    """Softness (0: hard) and bias of a wall."""
    soft, bias = 1.0 / (h * (damping + h * stiffness)), gap / where(gap > 0.0, h, h + damping / stiffness)
    hard = stiffness > STIFFEST
    return where(hard, 0.0, soft), where((gap < 0.0) & hard, maximum(bias * hard_share, -RETURN), bias)


@inline
def softness(soft, reply):
    """Softness of a joint row whose reply to itself is known; soft: 0 of a hard wall."""
    return where(soft > 0.0, soft, FIRM * reply)


@inline
def along(value, sign):
    """Direction of a row of one velocity."""
    return Vec3(value * 0.0 + sign, 0.0, 0.0)


@inline
def reach_of(speed, margin, h):
    """How near a limit must be to matter: a joint at this speed might come so far within the step."""
    return margin + speed * (REACH * h)


@kernel
def find_interval(rows, count, body, limit, value, rate, impulses, wall, law):
    """Rows of a hinge or slider for each end that is near: both, if it has little room; returns how many there are now.
    """
    slot, margin = 2 * body, reach_of(absolute(rate), law.range_margin, law.h)
    if any_lane(value - limit.low < margin):
        add_row(rows, count, body, slot, along(value, 1.0), value - limit.low, margin, impulses[slot], wall, law)
        soften(rows, count, value - limit.low, rate, wall, law)
        count += 1
    if any_lane(limit.high - value < margin):
        gap, old = limit.high - value, impulses[slot + 1]
        add_row(rows, count, body, slot + 1, along(value, -1.0), gap, margin, old, wall, law)
        soften(rows, count, gap, -rate, wall, law)
        count += 1
    impulses[slot] = 0.0
    impulses[slot + 1] = 0.0
    return count


@kernel
def soften(rows, row, gap, rate, wall, law):
    """The row just written, where the wall asks for an acceleration; see `soft_limits`."""
    soft = wall.soft
    chosen = soft.mobility > 0.0
    if any_lane(chosen):
        own = rows.joint[row]
        give, bias = soft_law(soft, gap, rate, law.h)
        acts = gap < 0.0
        own.soft = where(chosen, give, own.soft)
        own.bias = where(chosen, where(acts, bias, FAR), own.bias)
        own.impulse = where(chosen & (gap >= 0.0), 0.0, own.impulse)


@inline
def turned_since(q, watch):
    """Angle of the turn between two orientations, or a little more [rad]."""
    dot = q.w * watch.w + q.x * watch.x + q.y * watch.y + q.z * watch.z
    left = 1.0 - dot * dot                      # sin² of half the angle
    return 3.1415926535897932 * sqrt(where(left > 0.0, left, 0.0))


@kernel
def find_range(rows, count, body, q, rate, watch, ranges, having, impulses, wall, law):
    """The rows of a ball joint, if near its range's wall, in figures that have one; returns how many there are now.

    Looking at the wall costs more than all else here, and the distance to it cannot shrink faster than the joint turns:
    so after a look the joint is left alone until it has turned by the room it had.
    """
    slot, margin = 2 * body, reach_of(sqrt(dot(rate, rate)), law.range_margin, law.h)
    turned = turned_since(q, watch.quat)
    looks = having & ((turned + margin >= watch.swing) | (turned * TWIST_SLOPE + margin >= watch.twist))
    if any_lane(looks):
        found = ranges.look(ranges, body, q, looks)
        swing, twist = where(looks, -found.swing_depth, FAR), where(looks, -found.twist_depth, FAR)
        watch.quat = where(looks, q, watch.quat)
        watch.swing = where(looks, swing, watch.swing)
        watch.twist = where(looks, twist, watch.twist)
        if any_lane(swing < margin):
            add_row(rows, count, body, slot, found.swing_row, swing, margin, impulses[slot], wall, law)
            count += 1
        if any_lane(twist < margin):
            add_row(rows, count, body, slot + 1, found.twist_row, twist, margin, impulses[slot + 1], wall, law)
            count += 1
    impulses[slot] = 0.0
    impulses[slot + 1] = 0.0
    return count


@kernel
def keep_impulses(rows, joint_rows, impulses):
    """Note the impulses for the next step to begin with."""
    for a in range(joint_rows):
        if rows.joint_int[a].several == 0:
            impulses[rows.joint_int[a].slot] = rows.joint[a].impulse


@kernel
def solve_joint_row(rows, a, asking):
    """The impulse that mends a limit's speed, in figures that ask; limits only push.  Returns the
    square of the speed it mended."""
    row, own = rows.joint[a], rows.joint_int[a]
    old = row.impulse
    new = old - (rows.speed[own.row] + row.soft * old) * row.inverse
    new = where(asking, where(new > 0.0, new, 0.0), old)
    row.impulse = new
    if any_lane(new != old):
        spread(rows, own, new - old)
    mended = (new - old) / row.inverse
    return mended * mended


@kernel
def spread(rows, own, change):
    """What an impulse in a joint row does to the speeds of its tree."""
    speed, coupling, at = packed(rows.speed), packed(rows.coupling), own.row * rows.width
    for k in range(0, own.last - own.first, speed.step):
        speed[own.first + k] = speed[own.first + k] + coupling[at + k] * change

