"""Which contact points press, as a first guess."""

from hitogata.constraints.contacts import point_motion
from hitogata.constraints.limits import spread
from hitogata.lanes import kernel
from hitogata.sim.states.response import nothing, push_bodies
from hitogata.sim.velocity_update import wrench_of
from hitogata.spatial import dot, load6
from hitogata.spatial import rows as frame_rows

APART, WAITING = -2, -1
"""Of a point: it does not press; it does, and has no patch yet."""


@kernel
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


@kernel
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


@kernel
def opening(rows, p):
    """Speed at which a contact opens, as the solver's speeds are now."""
    point, own = rows.point[p], rows.point_int[p]
    normal = frame_rows(point.frame)[2]
    total = dot(normal, point_motion(load6(rows.speed, rows.touch[own.touch_a].row), point.arm_a))
    if own.touch_b >= 0:
        total = total - dot(normal, point_motion(load6(rows.speed, rows.touch[own.touch_b].row), point.arm_b))
    return total
