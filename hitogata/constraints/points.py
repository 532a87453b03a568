"""Point rows: contact with Coulomb friction, springs and ropes between points of two bodies.

Of a's point against b's, in the axes of the row (two across, one along the normal), with velocity u, impulse p:

    contact   u_n + soft p_n + bias_n >= 0,  p_n >= 0,  one of them zero;   |p_t| <= μ p_n, and p_t opposes u_t
    spring    u + soft p + bias = 0                  with soft = 1/(h (d + h k)),  bias = k φ/(d + h k)

A rope is a contact without friction whose normal leads from its slack end inwards.
"""

from hitogata.constraints.layout import SPRING
from hitogata.lanes import any_lane, inline, kernel, maximum, packed, sqrt
from hitogata.spatial import Mat3, Sym3, Vec3, cross, dot, inverse, load6, load_down, symmetric

TINY = 1e-30


@kernel
def prepare_point(rows, p):
    """What a unit impulse at a point does to its own velocity."""
    point, own = rows.point[p], rows.point_int[p]
    reply = reply_of(rows, own.touch_a, own.touch_a, point.arm_a, point.arm_a)
    if own.touch_b >= 0:
        reply = reply + reply_of(rows, own.touch_b, own.touch_b, point.arm_b, point.arm_b)
        if rows.touch[own.touch_a].first == rows.touch[own.touch_b].first:
            cross_reply = reply_of(rows, own.touch_a, own.touch_b, point.arm_a, point.arm_b)
            reply = reply - cross_reply - cross_reply.T
    own_axes = in_axes(point.frame, reply)
    if own.kind == SPRING:
        point.own = inverse(softened(own_axes, point.soft))
    else:
        point.own = own_axes
        point.across = 1.0 / greatest_across(own_axes)


@kernel
def reply_of(rows, a, b, arm_a, arm_b):
    """Velocity of the point on touch a for unit impulses at the point on touch b: a 3x3 matrix."""
    at = rows.touch[b].row * rows.width + rows.touch[a].row - rows.touch[a].first
    return point_reply(rows.coupling, at, rows.width, arm_a, arm_b)


@inline
def point_reply(view, at, width, arm_a, arm_b):
    """Columns: velocity at the end of arm_a for a unit impulse at the end of arm_b along x, y, z."""

    def moved(direction):
        lever = cross(arm_b, direction)
        force = lever.x, lever.y, lever.z, direction.x, direction.y, direction.z
        total = load6(view, at) * force[0]
        for k in range(1, 6):
            total = total + load6(view, at + width * k) * force[k]
        return total.lin + cross(total.ang, arm_a)

    x, y, z = moved(Vec3(1.0, 0.0, 0.0)), moved(Vec3(0.0, 1.0, 0.0)), moved(Vec3(0.0, 0.0, 1.0))
    return Mat3(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z)


@inline
def in_axes(frame, reply):
    """frame @ reply @ frame.T, which is symmetric."""
    return symmetric(frame @ reply, frame.T)


@inline
def softened(own, soft):
    """With compliance on the diagonal."""
    return Sym3(own.xx + soft, own.xy, own.xz, own.yy + soft, own.yz, own.zz + soft)


@inline
def greatest_across(own):
    """Greatest eigenvalue of the part across the normal."""
    d = own.xx - own.yy
    return 0.5 * (own.xx + own.yy + sqrt(d * d + 4.0 * own.xy * own.xy)) + TINY


# ------------------------------------------------------- solving


@kernel
def velocity_at(rows, touch, arm):
    """Velocity of a point of a touched body."""
    return point_velocity(load6(rows.speed, rows.touch[touch].row), arm)


@inline
def point_velocity(motion, arm):
    """Velocity of the end of an arm."""
    return motion.lin + cross(motion.ang, arm)


@kernel
def solve_point(rows, p):
    """The impulse that mends a point's velocity, within its law.  Returns the square of what it mended."""
    point, own = rows.point[p], rows.point_int[p]
    v = velocity_at(rows, own.touch_a, point.arm_a)
    if own.touch_b >= 0:
        v = v - velocity_at(rows, own.touch_b, point.arm_b)
    old, u = point.impulse, point.frame @ v
    if own.kind == SPRING:
        wrong = u + point.bias + old * point.soft
        new, mended = old - point.own @ wrong, dot(wrong, wrong)
    else:
        new = held(old, u, point.own, point.across, point.bias, point.soft)
        radius = new.z * point.friction
        if any_lane(new.x * new.x + new.y * new.y > radius * radius):
            new = shortened(new, radius)
        mended = mended_square(new - old, point.own.zz + point.soft, point.across)
    point.impulse = new
    push_point(rows, p, new - old)
    return mended


@inline
def mended_square(change, along, across):
    """Square of the velocity that a change of a contact's impulse brings about, or a little more."""
    z = change.z * along
    return z * z + (change.x * change.x + change.y * change.y) / (across * across)


@inline
def held(old, u, own, across, bias, soft):
    """A contact's impulse: first along the normal, then across, as if it stuck."""
    up = maximum(old.z - (u.z + bias.z + soft * old.z) / (own.zz + soft), 0.0)
    change = up - old.z
    x, y = u.x + own.xz * change, u.y + own.yz * change
    return Vec3(old.x - (x + bias.x) * across, old.y - (y + bias.y) * across, up)


@inline
def shortened(p, radius):
    """p, its part across no longer than the radius: sliding."""
    s = radius / sqrt(maximum(p.x * p.x + p.y * p.y, radius * radius) + TINY)
    return Vec3(p.x * s, p.y * s, p.z)


@kernel
def push_point(rows, p, impulse):
    """What an impulse at a point, in its axes, does to the speeds of all rows."""
    point, own = rows.point[p], rows.point_int[p]
    force = point.frame.T @ impulse
    push(rows, own.touch_a, point.arm_a, force)
    if own.touch_b >= 0:
        push(rows, own.touch_b, point.arm_b, force * -1.0)


@kernel
def push(rows, touch, arm, force):
    """What an impulse at a point of a touched body does to the speeds of its tree."""
    own, lever = rows.touch[touch], cross(arm, force)
    speed, coupling, at = packed(rows.speed), packed(rows.coupling), own.row * rows.width
    for k in range(0, own.last - own.first, speed.step):
        speed[own.first + k] = speed[own.first + k] + pushed(coupling, at + k, rows.width, lever, force)


@inline
def pushed(view, at, width, lever, force):
    """Six rows of coupling, times a wrench."""
    return dot(load_down(view, at, width), lever) + dot(load_down(view, at + 3 * width, width), force)
