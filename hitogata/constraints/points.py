"""Point rows: contact with Coulomb friction, springs and ropes between points of two bodies.

Of a's point against b's, in the axes of the row (two across, one along the normal), with velocity u, impulse p:

    contact   u_n + f(p_n) >= 0,  p_n >= 0,  one of them zero;   |p_t| <= μ p_n, and p_t opposes u_t
              f(p) = min(soft p + bias_n, core_soft p + core_bias)        it is stiffer where it is pressed hard
    spring    u + soft p + bias = 0                  with soft = 1/(h (d + h k)),  bias = k φ/(d + h k)
              or |p| = h F and p along -(u + bias), where it has a limit F

A rope is a contact without friction whose normal leads from its slack end inwards.
"""

from hitogata.constraints.layout import SPRING
from hitogata.lanes import any_lane, inline, kernel, maximum, packed, sqrt, where
from hitogata.spatial import Sym3, Vec3, cross, dot, from_cols, from_rows, inverse, load6, load_down
from hitogata.spatial import rows as frame_rows

TINY = 1e-30


@kernel
def prepare_point(rows, p, end):
    """What unit impulses at a point do to all rows of its trees, and to its own velocity.

    Replies are written from `end` on; returns where they end.
    """
    point, own = rows.point[p], rows.point_int[p]
    point.lever_a, point.lever_b = levers(point.arm_a, point.frame), levers(point.arm_b, point.frame)
    a, both = rows.touch[own.touch_a], False
    own.first_a = a.first
    own.count_a = (a.last - a.first + 7) // 8 * 8
    own.reply_a = end
    own.count_b = 0
    end += 3 * own.count_a
    write_replies(rows, a.row, own.count_a, own.reply_a, point.frame, point.lever_a)
    if own.touch_b >= 0:
        b = rows.touch[own.touch_b]
        both = b.first == a.first
        if both:
            add_replies(rows, b.row, own.count_a, own.reply_a, point.frame, point.lever_b)
        else:
            own.first_b = b.first
            own.count_b = (b.last - b.first + 7) // 8 * 8
            own.reply_b = end
            end += 3 * own.count_b
            write_replies(rows, b.row, own.count_b, own.reply_b, point.frame * -1.0, point.lever_b * -1.0)
    reply = own_reply(rows.reply, own.reply_a + a.row - a.first, own.count_a, point.frame, point.lever_a)
    point.share = reply.zz * 0.0
    if own.touch_b >= 0:
        b = rows.touch[own.touch_b]
        count, at = own.count_b, own.reply_b
        if both:
            count, at = own.count_a, own.reply_a
        other = own_reply(rows.reply, at + b.row - b.first, count, point.frame, point.lever_b) * -1.0
        reply = reply + other
        point.share = share_of(other, reply)
    note_reply(point, own, reply)
    return end


@inline
def share_of(part, reply):
    """Share that a part has in a reply, squared."""
    share = (part.xx + part.yy + part.zz) / (reply.xx + reply.yy + reply.zz + TINY)
    return share * share


@kernel
def note_reply(point, own, reply):
    """What the law of a point needs of its own reply."""
    if own.kind == SPRING:
        point.own = inverse(softened(reply, point.soft))
        point.along = along_reach(reply, point.bias)
        point.across = 1.0 / (reply.xx + reply.yy + reply.zz + point.soft)
    else:
        point.own = reply
        if own.tie == 1:
            point.bias = no_farther(point.bias, reply, point.soft, point.swing)
        point.along = 1.0 / (reply.zz + point.soft)
        point.core_along = 1.0 / (reply.zz + point.core_soft)
        point.across = 1.0 / greatest_across(reply)


@inline
def no_farther(bias, reply, soft, swing):
    """A rope that was stretched draws in by no more than helps.

    What hangs on it may have to go t metres across for one along (a slider, a limb): drawn in by s it goes s t aside,
    which lengthens the rope again by (s t)²/2r.  So no more than half of s gets lost: s <= r/t².
    """
    aside = (reply.xz * reply.xz + reply.yz * reply.yz) / (reply.zz * reply.zz + TINY)
    return Vec3(bias.x, bias.y, maximum(bias.z, -swing * (reply.zz + soft) / (reply.zz * aside + TINY)))


@inline
def levers(arm, frame):
    """Rows: moments of unit forces along the directions of a frame."""
    x, y, z = frame_rows(frame)
    return from_rows(cross(arm, x), cross(arm, y), cross(arm, z))


@kernel
def write_replies(rows, row, count, at, frame, lever):
    """Speeds of all rows of a tree for unit impulses at a point of the touch whose rows begin at `row`."""
    coupling, reply, source, width = packed(rows.coupling), packed(rows.reply), row * rows.width, rows.width
    for k in range(0, count, reply.step):
        turn, slide = load_down(coupling, source + k, width), load_down(coupling, source + 3 * width + k, width)
        store3_apart(reply, at + k, count, lever @ turn + frame @ slide)


@kernel
def add_replies(rows, row, count, at, frame, lever):
    """The same for the opposite impulses at a point of another touch of the tree, added."""
    coupling, reply, source, width = packed(rows.coupling), packed(rows.reply), row * rows.width, rows.width
    for k in range(0, count, reply.step):
        turn, slide = load_down(coupling, source + k, width), load_down(coupling, source + 3 * width + k, width)
        before = load_down(reply, at + k, count)
        store3_apart(reply, at + k, count, before - lever @ turn - frame @ slide)


@inline
def store3_apart(view, at, stride, v):
    """Three numbers, `stride` apart."""
    view[at] = v.x
    view[at + stride] = v.y
    view[at + 2 * stride] = v.z


@inline
def own_reply(view, at, count, frame, lever):
    """Velocity of a point, in its axes, for unit impulses along them: from the replies of its touch's six rows."""
    x, y, z = load6(view, at), load6(view, at + count), load6(view, at + 2 * count)
    turn, slide = from_cols(x.ang, y.ang, z.ang), from_cols(x.lin, y.lin, z.lin)
    return symmetric_part(lever @ turn + frame @ slide)


@inline
def symmetric_part(m):
    """The upper half of a matrix that is symmetric but for rounding."""
    return Sym3(m.xx, m.xy, m.xz, m.yy, m.yz, m.zz)


@inline
def softened(own, soft):
    """With compliance on the diagonal."""
    return Sym3(own.xx + soft, own.xy, own.xz, own.yy + soft, own.yz, own.zz + soft)


@inline
def along_reach(reply, bias):
    """Reply along a spring."""
    return dot(bias, reply @ bias) / (dot(bias, bias) + TINY)


@inline
def greatest_across(own):
    """Greatest eigenvalue of the part across the normal."""
    d = own.xx - own.yy
    return 0.5 * (own.xx + own.yy + sqrt(d * d + 4.0 * own.xy * own.xy)) + TINY


# ------------------------------------------------------- solving


@kernel
def velocity_of(rows, point, own):
    """Velocity of a's point against b's, in the row's axes."""
    a = load6(rows.speed, rows.touch[own.touch_a].row)
    u = point.frame @ a.lin + point.lever_a @ a.ang
    if own.touch_b >= 0:
        b = load6(rows.speed, rows.touch[own.touch_b].row)
        u = u - (point.frame @ b.lin + point.lever_b @ b.ang)
    return u


@kernel
def solve_point(rows, p, asking):
    """The impulse that mends a point's velocity, within its law, in figures that ask.  Returns the square of what it
    mended."""
    point, own = rows.point[p], rows.point_int[p]
    old = point.impulse
    mended = mend(point, own.kind, velocity_of(rows, point, own), asking)
    if any_lane(changed(point.impulse, old)):
        push_point(rows, p, point.impulse - old)
    return mended


@kernel
def mend(point, kind, u, asking):
    """Give a point whose velocity is u the impulse that mends it; returns the square of what it mended."""
    old = point.impulse
    if kind == SPRING:
        wrong = u + point.bias + old * point.soft
        new, mended = old - point.own @ wrong, dot(wrong, wrong)
        over = dot(new, new) > point.friction * point.friction
        if any_lane(over):  # a gradient step no longer than 1/curvature, and back into the ball
            bounded = within(old - wrong * point.across, point.friction)
            change = (bounded - old) * (1.0 / point.across)
            new, mended = where(over, bounded, new), where(over, dot(change, change), mended)
        new = where(asking, new, old)
    else:
        core = old.z - (u.z + point.core_bias + point.core_soft * old.z) * point.core_along
        new = held(old, u, point.own, point.along, point.across, point.bias, point.soft, core)
        radius = new.z * point.friction
        slides = new.x * new.x + new.y * new.y > radius * radius
        if any_lane(slides):
            new = where(slides, shortened(new, radius), new)
        new = where(asking, new, old)
        mended = mended_square(new - old, point.along, point.across)
    point.impulse = new
    return mended


@inline
def changed(a, b):
    """Is it not the same vector?"""
    return (a.x != b.x) | (a.y != b.y) | (a.z != b.z)


@inline
def mended_square(change, along, across):
    """Square of the velocity that a change of a contact's impulse brings about, or a little more."""
    return change.z * change.z / (along * along) + (change.x * change.x + change.y * change.y) / (across * across)


@inline
def held(old, u, own, along, across, bias, soft, core):
    """A contact's impulse: first along the normal, no less than its core needs, then across, as if it stuck."""
    up = maximum(maximum(old.z - (u.z + bias.z + soft * old.z) * along, core), 0.0)
    change = up - old.z
    x, y = u.x + own.xz * change, u.y + own.yz * change
    return Vec3(old.x - (x + bias.x) * across, old.y - (y + bias.y) * across, up)


@inline
def shortened(p, radius):
    """p, its part across no longer than the radius: sliding."""
    s = radius / sqrt(maximum(p.x * p.x + p.y * p.y, radius * radius) + TINY)
    return Vec3(p.x * s, p.y * s, p.z)


@inline
def within(p, radius):
    """p, no longer than the radius."""
    return p * (radius / sqrt(maximum(dot(p, p), radius * radius) + TINY))


@kernel
def push_point(rows, p, impulse):
    """What an impulse at a point, in its axes, does to the speeds of all rows."""
    own = rows.point_int[p]
    push(rows, own.first_a, own.count_a, own.reply_a, impulse)
    if own.count_b > 0:
        push(rows, own.first_b, own.count_b, own.reply_b, impulse)


@kernel
def push(rows, first, count, at, impulse):
    """The same for the rows of one tree."""
    speed, reply = packed(rows.speed), packed(rows.reply)
    for k in range(0, count, speed.step):
        speed[first + k] = speed[first + k] + dot(load_down(reply, at + k, count), impulse)
