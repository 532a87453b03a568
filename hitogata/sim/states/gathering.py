"""From an island's rows to held rows and patches."""

from hitogata.constraints.contacts import point_motion
from hitogata.constraints.layout import SPRING
from hitogata.constraints.limits import spread
from hitogata.lanes import inline, kernel, sqrt, tail
from hitogata.loops.contacts.hypotheses import from_motion
from hitogata.loops.contacts.layout import POINT, STICK
from hitogata.loops.contacts.patches import ALIGNED, finish
from hitogata.loops.contacts.validity import slide_along
from hitogata.sim.moving import wrench_of
from hitogata.sim.states.layout import MOST_ROWS
from hitogata.sim.states.replying import nothing, push_bodies
from hitogata.spatial import Force, Sym3, Vec3, cols, cross, dot, inverse, load6, store3
from hitogata.spatial import rows as frame_rows

APART, WAITING = -2, -1
"""Of a point: it does not press; it does, and has no patch yet."""

BLEND = 1.4
"""Friction between sliding and turning, see `loops.contacts`."""

USED_UP = 0.99
"""Share of all friction."""

TINY_SPEED = 1e-6
"""What slides on without having a speed is given this one, against its friction [m/s]."""


@kernel(late=True)
def list_plain(rows, n, room):
    """Held rows of the limits, springs and ropes of an island; returns how many, or MOST_ROWS + 1: too many."""
    islands, count = rows.islands, 0
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        if count >= MOST_ROWS:
            return MOST_ROWS + 1
        a = islands.joint[k]
        row, own, limit = room.row[count], room.row_int[count], rows.joint[a]
        own.touch_a = -1
        own.touch_b = -1
        own.joint = a
        own.point = -1
        own.pushes = 1
        row.speed = rows.speed[rows.joint_int[a].row] - limit.bias
        row.bias = limit.bias
        row.soft = limit.soft
        row.old = limit.impulse
        own.held = begins_held(row.old, row.speed + row.bias)
        count += 1
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if rows.point_int[p].tie == 1:
            if count + 3 > MOST_ROWS:
                return MOST_ROWS + 1
            count = list_tie(rows, p, room, count)
    return count


@kernel(late=True)
def begins_held(impulse, miss):
    """First hypothesis of what only pushes: it does if it did, or if it would be passed without."""
    if impulse > 0.0 or miss < 0.0:
        return 1
    return 0


@kernel(late=True)
def list_tie(rows, p, room, count):
    """Three rows of a spring, or one of a rope."""
    point, tie = rows.point[p], rows.point_int[p]
    x, y, z = frame_rows(point.frame)
    if tie.kind == SPRING:
        write_row(rows, p, room, count, 0, x, point.bias.x, point.impulse.x)
        write_row(rows, p, room, count + 1, 1, y, point.bias.y, point.impulse.y)
        write_row(rows, p, room, count + 2, 2, z, point.bias.z, point.impulse.z)
        return count + 3
    write_row(rows, p, room, count, 2, z, point.bias.z, point.impulse.z)
    own, row = room.row_int[count], room.row[count]
    own.pushes = 1
    own.held = begins_held(row.old, row.speed + row.bias)
    return count + 1


@kernel(late=True)
def write_row(rows, p, room, at, axis, direction, bias, old):
    """A held row of a point, along a direction."""
    row, own, point, between = room.row[at], room.row_int[at], rows.point[p], rows.point_int[p]
    own.touch_a = between.touch_a
    own.touch_b = between.touch_b
    own.joint = -1
    own.point = p
    own.axis = axis
    own.pushes = 0
    own.held = 1
    row.on_a = Force(cross(point.arm_a, direction), direction)
    row.on_b = Force(cross(point.arm_b, direction), direction) * -1.0
    row.bias = bias
    row.soft = point.soft
    row.old = old
    row.speed = speed_of(rows, row, own)


@kernel(late=True)
def speed_of(rows, row, own):
    """Speed of a held row between bodies."""
    a = load6(rows.speed, rows.touch[own.touch_a].row)
    total = dot(row.on_a.ang, a.ang) + dot(row.on_a.lin, a.lin)
    if own.touch_b >= 0:
        b = load6(rows.speed, rows.touch[own.touch_b].row)
        total = total + dot(row.on_b.ang, b.ang) + dot(row.on_b.lin, b.lin)
    return total


# ------------------------------------------------------- patches


@kernel(late=True)
def find_pressing(rows, n, room):
    """Which contact points of an island press, as a first guess: those that did, or would overlap now."""
    islands, idle = rows.islands, False
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        room.patch_of[p] = APART
        if rows.point_int[p].tie == 0:
            if rows.point[p].impulse.z > 0.0:
                room.patch_of[p] = WAITING
            else:
                idle = True
    if idle:
        push_old(rows, n, 1.0)
        for k in range(islands.point_start[n], islands.point_start[n + 1]):
            p = islands.point[k]
            if rows.point_int[p].tie == 0 and opening(rows, p) + rows.point[p].bias.z < 0.0:
                room.patch_of[p] = WAITING
        push_old(rows, n, -1.0)


@kernel(late=True)
def push_old(rows, n, sign):
    """What the impulses of the last step, times a sign, do to the speeds of an island."""
    islands = rows.islands
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        a = islands.joint[k]
        spread(rows, rows.joint_int[a], rows.joint[a].impulse * sign)
    begin, k = islands.point_start[n], islands.point_start[n]
    while k < islands.point_start[n + 1]:  # points between the same bodies, which stand together, at once
        own, on_a, on_b, same = rows.point_int[islands.point[k]], nothing(), nothing(), True
        begin = k
        while k < islands.point_start[n + 1] and same:
            p = islands.point[k]
            same = rows.point_int[p].touch_a == own.touch_a and rows.point_int[p].touch_b == own.touch_b
            if same:
                point = rows.point[p]
                push = point.frame.T @ (point.impulse * sign)
                on_a, on_b = on_a + wrench_of(point.arm_a, push), on_b - wrench_of(point.arm_b, push)
                k += 1
        if k > begin:
            push_bodies(rows, own.touch_a, own.touch_b, on_a, on_b)


@kernel(late=True)
def opening(rows, p):
    """Speed at which a contact opens, as the solver's speeds are now."""
    point, own = rows.point[p], rows.point_int[p]
    normal = frame_rows(point.frame)[2]
    total = dot(normal, point_motion(load6(rows.speed, rows.touch[own.touch_a].row), point.arm_a))
    if own.touch_b >= 0:
        total = total - dot(normal, point_motion(load6(rows.speed, rows.touch[own.touch_b].row), point.arm_b))
    return total


@kernel(late=True)
def gather(scene, rows, n, around, room, law, first, plain):
    """Patches of the points that press, numbered from `first` on, and their held rows; returns how many patches.

    MOST_ROWS of them if there is no room for their rows.
    """
    islands, count = rows.islands, 0
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        if room.patch_of[islands.point[k]] >= 0:
            room.patch_of[islands.point[k]] = WAITING
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        if room.patch_of[islands.point[k]] == WAITING:
            if plain + 6 * (count + 1) > MOST_ROWS:
                return MOST_ROWS
            make_patch(scene, rows, n, k, around, room, law, first + count)
            write_patch_rows(scene, rows, room, first + count, plain + 6 * count)
            count += 1
    return count


@kernel(late=True)
def make_patch(scene, rows, n, k, around, room, law, i):
    """The patch of a point and of all others between the same bodies with the same normal."""
    p, islands = rows.islands.point[k], rows.islands
    own, patch, point, between = room.ints[i], room.patch[i], rows.point[p], rows.point_int[p]
    own.body_a = between.body_a
    own.body_b = between.body_b
    patch.axes = upright(point.frame)
    patch.place = scene.placed[own.body_a].pos + point.arm_a
    patch.kinetic = point.friction
    patch.static = point.friction * law.static_share
    x, y, z = cols(patch.axes)
    found, known = 0, 0
    for j in range(k, islands.point_start[n + 1]):
        o = islands.point[j]
        if room.patch_of[o] == WAITING and belongs(rows, o, own, z):
            room.patch_of[o] = i
            r = scene.placed[own.body_a].pos + rows.point[o].arm_a - patch.place
            room.spare[3 * found] = dot(x, r)
            room.spare[3 * found + 1] = dot(y, r)
            room.spare[3 * found + 2] = around.points[rows.point_int[o].slot].gap
            if rows.point[o].impulse.z > 0.0:
                known = 1
            found += 1
    own.points = found
    finish(room, i, room.spare, found)
    own.known = known
    lay_bed(scene, rows, n, room, i)
    suppose(scene, room, law, i)


@kernel(late=True)
def belongs(rows, p, own, normal):
    """Is a point of a patch?"""
    between = rows.point_int[p]
    same = between.body_a == own.body_a and between.body_b == own.body_b
    return same and dot(frame_rows(rows.point[p].frame)[2], normal) > ALIGNED


@inline
def upright(frame):
    """Columns x, y and the normal."""
    return frame.T


@kernel(late=True)
def lay_bed(scene, rows, n, room, i):
    """Softness and bias of a patch from those of its points, had all of them pressed; how they pressed last.

    A point at (x, y) has u = a · (v_z, ω_x, ω_y) with a = (1, y, -x), and u + s p + b = 0.  So the sums of p and of its
    moments are -G ((v_z, ω_x, ω_y) + G⁻¹ Σ a b/s) with G = Σ a aᵀ/s.
    """
    islands, own, patch, bed = rows.islands, room.ints[i], room.patch[i], room.bed[i]
    x, y, _ = cols(patch.axes)
    g, right, press, px, py = Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0
    old = Vec3(0.0, 0.0, 0.0)
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if room.patch_of[p] == i:
            point = rows.point[p]
            r = scene.placed[own.body_a].pos + point.arm_a - patch.place
            ax, ay = dot(x, r), dot(y, r)
            g, right = g + spread_of(ax, ay, 1.0 / point.soft), right + Vec3(1.0, ay, -ax) * (point.bias.z / point.soft)
            press, px, py = press + point.impulse.z, px + point.impulse.z * ax, py + point.impulse.z * ay
            old = old + point.frame.T @ point.impulse
    if own.corners == 1:
        bed.soft = Sym3(1.0 / g.xx, 0.0, 0.0, 0.0, 0.0, 0.0)
    elif own.corners == 2:  # x runs along the line
        det = g.xx * g.zz - g.xz * g.xz
        bed.soft = Sym3(g.zz / det, 0.0, -g.xz / det, 0.0, 0.0, g.xx / det)
    else:
        bed.soft = inverse(g)
    bed.bias = bed.soft @ right
    store3(room.force, 6 * i, patch.axes.T @ old)
    if press > 0.0:
        patch.press_x, patch.press_y = px / press, py / press


@inline
def spread_of(x, y, weight):
    """a aᵀ times a weight."""
    return Sym3(weight, weight * y, -weight * x, weight * y * y, -weight * x * y, weight * x * x)


@kernel(late=True)
def suppose(scene, room, law, i):
    """First hypothesis of how a patch holds across: it sticks if friction could stop it within the step."""
    own, patch, rate = room.ints[i], room.patch[i], tail(room.rate, 6 * i)
    a = scene.placed[own.body_a]
    motion = a.motion
    turn, slide = motion.ang, point_motion(motion, patch.place - a.pos)
    if own.body_b >= 0:
        b = scene.placed[own.body_b]
        other = b.motion
        turn, slide = turn - other.ang, slide - point_motion(other, patch.place - b.pos)
    x, y, z = cols(patch.axes)
    rate[0], rate[1], rate[2] = dot(x, slide), dot(y, slide), dot(z, slide)
    rate[3], rate[4], rate[5] = dot(x, turn), dot(y, turn), dot(z, turn)
    from_motion(patch, own, rate, slow(patch, law), BLEND)
    if own.state == POINT and own.slip != STICK:
        patch.spin = 0.0
    if own.slip == STICK:
        slide_on(room, i)


@kernel(late=True)
def slide_on(room, i):
    """A patch whose friction was used up in the last step slides on, however slowly; unless what sticks holds more."""
    own, patch, rate, old = room.ints[i], room.patch[i], tail(room.rate, 6 * i), tail(room.force, 6 * i)
    across = sqrt(old[0] * old[0] + old[1] * old[1])
    if across > USED_UP * patch.kinetic * old[2] and patch.static == patch.kinetic:
        x, y = old[0] / across, old[1] / across
        slide_along(patch, own, x, y, 1.0, 0.0)
        for k in range(6):
            rate[k] = 0.0
        rate[0], rate[1] = -TINY_SPEED * x, -TINY_SPEED * y


@kernel(late=True)
def slow(patch, law):
    """What friction can stop within a step [m/s]."""
    return max(1e-3, patch.kinetic * law.fall * law.h)


@kernel(late=True)
def write_patch_rows(scene, rows, room, i, at):
    """Six held rows of a patch."""
    own, patch = room.ints[i], room.patch[i]
    x, y, z = cols(patch.axes)
    touch_a, touch_b = rows.touch_of_body[own.body_a], -1
    arm_a = patch.place - scene.placed[own.body_a].pos
    arm_b = arm_a * 0.0
    if own.body_b >= 0:
        touch_b = rows.touch_of_body[own.body_b]
        arm_b = patch.place - scene.placed[own.body_b].pos
    for k in range(6):
        row, row_int = room.row[at + k], room.row_int[at + k]
        row_int.touch_a = touch_a
        row_int.touch_b = touch_b
        row_int.joint = -1
        row_int.point = -1
        row.bias = 0.0
        row.soft = 0.0
    write_axis(room, at, x, arm_a, arm_b)
    write_axis(room, at + 1, y, arm_a, arm_b)
    write_axis(room, at + 2, z, arm_a, arm_b)
    for k in range(6):
        room.row[at + k].speed = speed_of(rows, room.row[at + k], room.row_int[at + k])
    bed = room.bed[i]
    b = bed.bias
    room.row[at + 2].bias = b.x
    room.row[at + 3].bias = b.y
    room.row[at + 4].bias = b.z


@kernel(late=True)
def write_axis(room, at, axis, arm_a, arm_b):
    """A push along an axis, and three rows on a turn about it."""
    push, turn = room.row[at], room.row[at + 3]
    push.on_a = Force(cross(arm_a, axis), axis)
    push.on_b = Force(cross(arm_b, axis), axis) * -1.0
    turn.on_a = Force(axis, axis * 0.0)
    turn.on_b = Force(axis * -1.0, axis * 0.0)
