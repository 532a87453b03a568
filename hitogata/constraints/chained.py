"""Rows of heaps, solved along the chains of velocities that move them.

Elsewhere an impulse is told at once to all rows of its trees, and a row finds its speed where it stands (`points`).  In
a heap nearly every body is touched, by several others: that is some hundred rows to a tree, and many times more numbers
than caches hold.  Here an impulse moves the whitened velocities x of the chain it acts on, and a row's speed is worked
out when it is asked for:

    u = y x,   x += yᵀ p        y = J L⁻¹, as long as the chain: for a human's body 11 of 34 velocities on average

The same sweeps, in the same order, with the same result but for rounding; the impulses of such rows are then already in
x (`sim.moving.apply` passes them over).  In `PointRowInts`, first is where in
`Chains.velocity` a chain begins, count its length, and reply where its y begins, three numbers for each velocity.  Of
two bodies of one tree, the chain of a has the part that both share, with the difference of both.

Rows of trees that nothing moved any more, by more than the tolerance, since the beginning of the last sweep are passed
over: a strand of hair on a head is done when it is done, whatever the others need.  `Islands.above`, whose trees are
known by then, tells when a tree was moved last.
"""

from hitogata.constraints.islands import ALIGNED, tree_of
from hitogata.constraints.layout import SPRING
from hitogata.constraints.points import changed, levers, mend, no_higher, note_reply
from hitogata.dynamics.factor import shared_depth
from hitogata.lanes import any_lane, inline, kernel, maximum, where
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
        part = trace(other) / trace(reply)
        point.share = part * part
    note_reply(point, own, reply)
    if own.kind != SPRING and any_lane(point.bounce > 0.0):
        point.bias = no_higher(point.bias, velocity_along(scene, rows, own).z, point.bounce)
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
def trace(m):
    """Sum of the diagonal."""
    return m.xx + m.yy + m.zz


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


# ------------------------------------------------------- an island


@kernel
def prepare_heap(scene, rows, n):
    """y of an island's points, and the impulses of the last step to begin with."""
    islands, end = rows.islands, 0
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        own = rows.point_int[islands.point[k]]
        islands.above[tree_of(rows, own.touch_a)] = -1
        if own.touch_b >= 0:
            islands.above[tree_of(rows, own.touch_b)] = -1
        end = prepare_along(scene, rows, islands.point[k], end)
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        a = islands.joint[k]
        islands.above[rows.joint_int[a].first // ALIGNED] = -1
        spread_along(scene, rows, a, rows.joint[a].impulse)
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        push_along(scene, rows, p, rows.point[p].impulse)


@kernel
def sweep_heap(scene, rows, n, k, tolerance, asking):
    """Sweep k, projected Gauss-Seidel: each row in turn takes the impulse that mends its speed; returns the worst,
    squared."""
    worst, islands, enough = 0.0, rows.islands, tolerance * tolerance
    moved = islands.above
    for i in range(islands.joint_start[n], islands.joint_start[n + 1]):
        a = islands.joint[i]
        tree = rows.joint_int[a].first // ALIGNED
        if moved[tree] >= k - 1:
            mended = solve_joint_row_along(scene, rows, a, asking)
            worst = maximum(worst, mended)
            if any_lane(mended > enough):
                moved[tree] = k
    for i in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[i]
        own = rows.point_int[p]
        tree, other = tree_of(rows, own.touch_a), tree_of(rows, max(own.touch_b, 0))
        if moved[tree] >= k - 1 or (own.touch_b >= 0 and moved[other] >= k - 1):
            mended = solve_point_along(scene, rows, p, asking)
            worst = maximum(worst, mended)
            if any_lane(mended > enough):
                moved[tree] = k
            if own.touch_b >= 0 and any_lane(mended * rows.point[p].share > enough):
                moved[other] = k
    return worst
