"""From the contact points of an island that press to patches: hull, softness, first hypothesis, held rows."""

from hitogata.constraints.contacts import point_motion
from hitogata.lanes import inline, kernel, sqrt, tail
from hitogata.loops.contacts import ContactSettings
from hitogata.loops.contacts.hypotheses import from_motion
from hitogata.loops.contacts.layout import POINT, STICK
from hitogata.loops.contacts.patches import ALIGNED, finish
from hitogata.loops.contacts.validity import slide_along
from hitogata.sim.states.active_points import WAITING
from hitogata.sim.states.layout import MOST_ROWS
from hitogata.spatial import Force, Sym3, Vec3, cols, cross, dot, inverse, load6, store3
from hitogata.spatial import rows as frame_rows

BLEND = ContactSettings.blend
"""k of the laws of friction between sliding and turning, times the region's radius."""

USED_UP = 0.99
"""Share of all friction."""

TINY_SPEED = 1e-6
"""What slides on without having a speed is given this one, against its friction [m/s]."""


@kernel
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


@kernel
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


@kernel
def belongs(rows, p, own, normal):
    """Is a point of a patch?"""
    between = rows.point_int[p]
    same = between.body_a == own.body_a and between.body_b == own.body_b
    return same and dot(frame_rows(rows.point[p].frame)[2], normal) > ALIGNED


@inline
def upright(frame):
    """Columns x, y and the normal."""
    return frame.T


@kernel
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
            hard = 1.0 / point.soft
            g, right = g + spread_of(ax, ay, hard), right + Vec3(1.0, ay, -ax) * (point.bias.z * hard)
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


@kernel
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


@kernel
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


@kernel
def slow(patch, law):
    """What friction can stop within a step [m/s]."""
    return max(1e-3, patch.kinetic * law.fall * law.h)


@kernel
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
    turn, slide = motion_of(rows, touch_a, arm_a)
    if touch_b >= 0:
        other_turn, other_slide = motion_of(rows, touch_b, arm_b)
        turn, slide = turn - other_turn, slide - other_slide
    for k, axis in enumerate((x, y, z)):
        room.row[at + k].speed = dot(axis, slide)
        room.row[at + 3 + k].speed = dot(axis, turn)
    bed = room.bed[i]
    bed.arm_a = arm_a
    bed.arm_b = arm_b
    b = bed.bias
    room.row[at + 2].bias = b.x
    room.row[at + 3].bias = b.y
    room.row[at + 4].bias = b.z


@kernel
def motion_of(rows, touch, arm):
    """How a touched body turns, and how it moves at the end of an arm, as the solver's speeds are now."""
    u = load6(rows.speed, rows.touch[touch].row)
    return u.ang, point_motion(u, arm)


@kernel
def write_axis(room, at, axis, arm_a, arm_b):
    """A push along an axis, and three rows on a turn about it."""
    push, turn = room.row[at], room.row[at + 3]
    push.on_a = Force(cross(arm_a, axis), axis)
    push.on_b = Force(cross(arm_b, axis), axis) * -1.0
    turn.on_a = Force(axis, axis * 0.0)
    turn.on_b = Force(axis * -1.0, axis * 0.0)
