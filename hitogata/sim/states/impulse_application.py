"""Impulses of a valid pass, on points and speeds; and back, if contacts close that were not held."""

from hitogata.constraints.layout import SPRING
from hitogata.constraints.limits import spread
from hitogata.lanes import kernel, maximum
from hitogata.loops.contacts.layout import NONE
from hitogata.sim.states.active_points import WAITING, opening
from hitogata.sim.states.response import push_bodies
from hitogata.sim.states.wrench_distribution import share
from hitogata.spatial import Vec3


@kernel
def write_impulses(scene, rows, n, room, plain, patches, first):
    """Impulses of limits, ties and contact points, as the sweeps would leave them."""
    for r in range(plain):
        own, value = room.row_int[r], room.row[r].impulse
        if own.joint >= 0:
            rows.joint[own.joint].impulse = value
        else:
            put(rows.point[own.point], rows.point_int[own.point].kind, own.axis, value)
    islands = rows.islands
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if rows.point_int[p].tie == 0:
            rows.point[p].impulse = Vec3(0.0, 0.0, 0.0)
    for i in range(first, first + patches):
        if room.ints[i].state != NONE:
            share(scene, rows, n, room, i)


@kernel
def put(point, kind, axis, value):
    """One part of a tie's impulse."""
    p = point.impulse
    if kind != SPRING:
        point.impulse = Vec3(0.0, 0.0, value)
    elif axis == 0:
        point.impulse = Vec3(value, p.y, p.z)
    elif axis == 1:
        point.impulse = Vec3(p.x, value, p.z)
    else:
        point.impulse = Vec3(p.x, p.y, value)


@kernel
def push_all(rows, n, room, plain, patches, first, sign):
    """What the impulses, times a sign, do to all speeds of the island."""
    for r in range(plain):
        own, row, value = room.row_int[r], room.row[r], room.row[r].impulse * sign
        if own.joint >= 0:
            spread(rows, rows.joint_int[own.joint], value)
        else:
            push_bodies(rows, own.touch_a, own.touch_b, row.on_a * value, row.on_b * value)
    for i in range(patches):
        at = plain + 6 * i
        own, row = room.row_int[at], room.row[at]
        on_a, on_b = row.on_a * (row.impulse * sign), row.on_b * (row.impulse * sign)
        for k in range(1, 6):
            more = room.row[at + k]
            on_a, on_b = on_a + more.on_a * (more.impulse * sign), on_b + more.on_b * (more.impulse * sign)
        push_bodies(rows, own.touch_a, own.touch_b, on_a, on_b)


@kernel
def closing(rows, p):
    """How fast a contact without impulse closes, beyond what its law allows."""
    if rows.point_int[p].tie == 0 and rows.point[p].impulse.z == 0.0:
        return -(opening(rows, p) + rows.point[p].bias.z)
    return 0.0


@kernel
def worst_closing(rows, n):
    """The fastest of an island."""
    islands, worst = rows.islands, 0.0
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        worst = maximum(worst, closing(rows, islands.point[k]))
    return worst


@kernel
def take_back(rows, n, around, room, plain, patches, first, law, fast):
    """Undo `write_impulses` and `push_all`; contacts that close faster than `fast` are to press from now on."""
    islands = rows.islands
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if closing(rows, p) > fast:
            room.patch_of[p] = WAITING
    push_all(rows, n, room, plain, patches, first, -1.0)
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if rows.point_int[p].tie == 0:
            rows.point[p].impulse = around.points[rows.point_int[p].slot].impulse * law.warm
    for r in range(plain):
        own, value = room.row_int[r], room.row[r].old
        if own.joint >= 0:
            rows.joint[own.joint].impulse = value
        else:
            put(rows.point[own.point], rows.point_int[own.point].kind, own.axis, value)
