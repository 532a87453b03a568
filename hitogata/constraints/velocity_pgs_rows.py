"""Rows of heaps, solved along the chains of velocities that move them.

Elsewhere an impulse is told at once to all rows of its trees, and a row finds its speed where it stands (`points`).  In
a heap nearly every body is touched, by several others: that is some hundred rows to a tree, and many times more numbers
than caches hold.  Here an impulse moves the whitened velocities x of the chain it acts on, and a row's speed is worked
out when it is asked for:

    u = y x,   x += yᵀ p        y = J L⁻¹, as long as the chain: for a human's body 11 of 34 velocities on average

The same sweeps, in the same order, with the same result but for rounding; the impulses of such rows are then already in
x (`sim.velocity_update.apply` passes them over).  In `PointRowInts`, first is where in
`Chains.velocity` a chain begins, count its length, and reply where its y begins, three numbers for each velocity.  Of
two bodies of one tree, the chain of a has the part that both share, with the difference of both.
"""

from hitogata.constraints.points import changed, levers, mend, note_reply, share_of
from hitogata.dynamics.factor import shared_depth
from hitogata.lanes import any_lane, inline, kernel, where
from hitogata.spatial import Sym3, Vec3, dot, load3, load6, store3


@kernel
def prepare_along(scene, rows, p, end):
    """y of a point, and its reply to itself.  Written from `end` on; returns where it ends."""
    point, own, stride = rows.point[p], rows.point_int[p], scene.chains.stride
    point.lever_a, point.lever_b = levers(point.arm_a, point.frame), levers(point.arm_b, point.frame)
    own.first_a = own.body_a * stride
    own.count_a = length_of(scene, own.body_a)
    own.reply_a = end
    own.count_b = 0
    write_along(rows, own.touch_a * stride, own.count_a, own.reply_a, point.frame, point.lever_a)
    end += 3 * own.count_a
    if own.touch_b >= 0:
        shared, at = shared_depth(scene.tree, own.body_a, own.body_b), own.touch_b * stride
        frame, lever = point.frame * -1.0, point.lever_b * -1.0
        add_along(rows, at, shared, own.reply_a, frame, lever)
        own.first_b = own.body_b * stride + shared
        own.count_b = length_of(scene, own.body_b) - shared
        own.reply_b = end
        write_along(rows, at + shared, own.count_b, own.reply_b, frame, lever)
        end += 3 * own.count_b
    reply = square_of(rows.reply, own.reply_a, own.count_a)
    point.share = reply.zz * 0.0
    if own.count_b > 0:
        other = square_of(rows.reply, own.reply_b, own.count_b)
        reply = reply + other
        point.share = share_of(other, reply)
    note_reply(point, own, reply)
    return end


@kernel
def length_of(scene, body):
    """How many velocities move a body."""
    joint = scene.tree.joint[body]
    return joint.depth + joint.count


@kernel
def write_along(rows, source, count, at, frame, lever):
    """y of a point, from the touch whose y stands at `source`."""
    for d in range(count):
        store3(rows.reply, at + 3 * d, of_point(load6(rows.touch_y, 6 * (source + d)), frame, lever))


@kernel
def add_along(rows, source, count, at, frame, lever):
    """The same, added."""
    for d in range(count):
        more = of_point(load6(rows.touch_y, 6 * (source + d)), frame, lever)
        store3(rows.reply, at + 3 * d, load3(rows.reply, at + 3 * d) + more)


@inline
def of_point(motion, frame, lever):
    """Velocity of a point, in its axes, from the motion of its body."""
    return lever @ motion.ang + frame @ motion.lin


@kernel
def square_of(view, at, count):
    """y yᵀ."""
    zero = view[at] * 0.0
    total = Sym3(zero, zero, zero, zero, zero, zero)
    for d in range(count):
        total = total + squared(load3(view, at + 3 * d))
    return total


@inline
def squared(a):
    """a aᵀ."""
    return Sym3(a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.y, a.y * a.z, a.z * a.z)


# ------------------------------------------------------- solving


@kernel
def velocity_along(scene, rows, own):
    """Velocity of a's point against b's, in the row's axes."""
    u = gathered(scene, rows.reply, own.first_a, own.count_a, own.reply_a)
    if own.count_b > 0:
        u = u + gathered(scene, rows.reply, own.first_b, own.count_b, own.reply_b)
    return u


@kernel
def gathered(scene, y, first, count, at):
    """y x of one chain."""
    x, velocity, zero = scene.x, scene.chains.velocity, y[at] * 0.0
    u, odd = Vec3(zero, zero, zero), Vec3(zero, zero, zero)
    for d in range(0, count - 1, 2):  # two sums, so that one need not wait for the other
        u = u + load3(y, at + 3 * d) * x[velocity[first + d]]
        odd = odd + load3(y, at + 3 * d + 3) * x[velocity[first + d + 1]]
    if count % 2 == 1:
        u = u + load3(y, at + 3 * count - 3) * x[velocity[first + count - 1]]
    return u + odd


@kernel
def push_along(scene, rows, p, impulse):
    """What an impulse at a point, in its axes, does to the whitened velocities."""
    own = rows.point_int[p]
    push_chain(scene, rows.reply, own.first_a, own.count_a, own.reply_a, impulse)
    if own.count_b > 0:
        push_chain(scene, rows.reply, own.first_b, own.count_b, own.reply_b, impulse)


@kernel
def push_chain(scene, y, first, count, at, impulse):
    """x += yᵀ p for one chain."""
    x, velocity = scene.x, scene.chains.velocity
    for d in range(count):
        k = velocity[first + d]
        x[k] = x[k] + dot(load3(y, at + 3 * d), impulse)


@kernel
def solve_point_along(scene, rows, p, asking):
    """`points.solve_point` along chains."""
    point, own = rows.point[p], rows.point_int[p]
    old = point.impulse
    mended = mend(point, own.kind, velocity_along(scene, rows, own), asking)
    if any_lane(changed(point.impulse, old)):
        push_along(scene, rows, p, point.impulse - old)
    return mended


@kernel
def solve_joint_row_along(scene, rows, a, asking):
    """`limits.solve_joint_row` along chains."""
    row, own, stride = rows.joint[a], rows.joint_int[a], scene.chains.stride
    x, velocity, y, count = scene.x, scene.chains.velocity, rows.joint_y, length_of(scene, own.body)
    first, at = own.body * stride, a * stride
    old, speed = row.impulse, row.bias
    for d in range(count):
        speed = speed + y[at + d] * x[velocity[first + d]]
    new = old - (speed + row.soft * old) * row.inverse
    new = where(asking, where(new > 0.0, new, 0.0), old)
    row.impulse = new
    if any_lane(new != old):
        spread_along(scene, rows, a, new - old)
    mended = (new - old) / row.inverse
    return mended * mended


@kernel
def spread_along(scene, rows, a, change):
    """What an impulse in a joint row does to the whitened velocities."""
    x, velocity, stride, body = scene.x, scene.chains.velocity, scene.chains.stride, rows.joint_int[a].body
    for d in range(length_of(scene, body)):
        k = velocity[body * stride + d]
        x[k] = x[k] + rows.joint_y[a * stride + d] * change
