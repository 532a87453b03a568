"""What a step tells of patches that were left to the sweeps."""

from hitogata.lanes import kernel
from hitogata.loops.contacts.layout import LINE, NONE, POINT, SLIDE, STICK, SURFACE
from hitogata.spatial import Vec3, cols, cross, dot

BY_SWEEPS = 128
"""Bit beside the reasons for a change: no hypothesis was consistent."""


@kernel
def report_swept(scene, rows, n, room, first, patches):
    """States and wrenches of patches that were left to the sweeps, from the impulses of their points."""
    islands = rows.islands
    for i in range(first, first + patches):
        own, patch, pressing = room.ints[i], room.patch[i], 0
        force, torque, most = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0), 0.0
        for k in range(islands.point_start[n], islands.point_start[n + 1]):
            p = islands.point[k]
            if room.patch_of[p] == i:
                point = rows.point[p]
                push = point.frame.T @ point.impulse
                force = force + push
                torque = torque + cross(scene.placed[own.body_a].pos + point.arm_a - patch.place, push)
                most = most + point.impulse.z
                if point.impulse.z > 0.0:
                    pressing += 1
        x, y, z = cols(patch.axes)
        w = 6 * i
        room.force[w], room.force[w + 1], room.force[w + 2] = dot(x, force), dot(y, force), dot(z, force)
        room.force[w + 3], room.force[w + 4], room.force[w + 5] = dot(x, torque), dot(y, torque), dot(z, torque)
        own.why = BY_SWEEPS
        own.state = state_of(pressing, own.corners)
        own.slip = STICK
        across = (room.force[w] * room.force[w] + room.force[w + 1] * room.force[w + 1]) ** 0.5
        if own.state != NONE:
            patch.press_x, patch.press_y = -room.force[w + 4] / most, room.force[w + 3] / most
            if across > 0.999 * patch.kinetic * most:
                own.slip = SLIDE


@kernel
def state_of(pressing, corners):
    """How much of a patch presses, if so many of its points do."""
    if pressing == 0:
        return NONE
    if pressing == 1:
        return POINT
    if pressing == 2 and corners <= 4:
        return LINE
    return min(corners, SURFACE)
