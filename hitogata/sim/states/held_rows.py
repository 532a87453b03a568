"""Limits, springs and ropes of an island as held rows."""

from hitogata.constraints.layout import SPRING
from hitogata.lanes import kernel
from hitogata.sim.states.layout import MOST_ROWS
from hitogata.spatial import Force, cross, dot, load6
from hitogata.spatial import rows as frame_rows


@kernel
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


@kernel
def begins_held(impulse, miss):
    """First hypothesis of what only pushes: it does if it did, or if it would be passed without."""
    if impulse > 0.0 or miss < 0.0:
        return 1
    return 0


@kernel
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


@kernel
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


@kernel
def speed_of(rows, row, own):
    """Speed of a held row between bodies."""
    a = load6(rows.speed, rows.touch[own.touch_a].row)
    total = dot(row.on_a.ang, a.ang) + dot(row.on_a.lin, a.lin)
    if own.touch_b >= 0:
        b = load6(rows.speed, rows.touch[own.touch_b].row)
        total = total + dot(row.on_b.ang, b.ang) + dot(row.on_b.lin, b.lin)
    return total
