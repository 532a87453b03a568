"""A patch's wrench as impulses of its points, none of which pulls."""

from hitogata.lanes import kernel
from hitogata.loops.contacts.hulls import THIN
from hitogata.loops.contacts.layout import CORNERS, LINE, POINT
from hitogata.spatial import cols, dot

EVEN = 0.01
"""Turning friction is shared by pressure, and by this share evenly: a foot on its corner may still brake a turn."""


@kernel
def share(scene, rows, n, room, i):
    """Impulses at the corners of what presses, whose sum is the wrench.

    Normal ones by Wachspress's coordinates (1975) of the balance point: positive, and exact in both moments.  Friction
    in proportion, and what is left of the torque about the normal as a couple around their mean.
    """
    own, patch, w = room.ints[i], room.patch[i], 6 * i
    fx, fy, fz, nx, ny, nz = (room.force[w], room.force[w + 1], room.force[w + 2], room.force[w + 3],
                              room.force[w + 4], room.force[w + 5])  # fmt: skip
    x, y = -ny / fz, nx / fz
    weigh(room, i, x, y)
    mx, my, total, even = 0.0, 0.0, 0.0, EVEN / own.corners
    hull, weight = 3 * CORNERS * i, room.spare
    for c in range(own.corners):
        q = weight[c] + even
        mx, my, total = mx + q * room.corner[hull + 3 * c], my + q * room.corner[hull + 3 * c + 1], total + q
    mx, my = mx / total, my / total
    arm = 0.0
    for c in range(own.corners):
        dx, dy = room.corner[hull + 3 * c] - mx, room.corner[hull + 3 * c + 1] - my
        arm = arm + (weight[c] + even) * (dx * dx + dy * dy)
    turn, whirl = nz - (x * fy - y * fx), 0.0
    if arm > 0.0:
        whirl = turn / arm
    islands, done = rows.islands, 0
    for c in range(own.corners):
        room.scale[c] = 0.0
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if room.patch_of[p] == i and done < own.corners:
            c = corner_of(scene, rows, room, i, p)
            if c >= 0:
                done += 1
                room.scale[c] = 1.0
                q, dx, dy = weight[c] + even, room.corner[hull + 3 * c] - mx, room.corner[hull + 3 * c + 1] - my
                tx, ty = weight[c] * fx - whirl * q * dy, weight[c] * fy + whirl * q * dx
                along, across, up = cols(patch.axes)
                force = along * tx + across * ty + up * (weight[c] * fz)
                rows.point[p].impulse = rows.point[p].frame @ force
    return done


@kernel
def corner_of(scene, rows, room, i, p):
    """The corner of the hull that a point is, unless another point was it before; -1: none."""
    own, patch, hull = room.ints[i], room.patch[i], 3 * CORNERS * i
    r = scene.placed[own.body_a].pos + rows.point[p].arm_a - patch.place
    ax, ay, _ = cols(patch.axes)
    x, y, best, near = dot(ax, r), dot(ay, r), -1, THIN * THIN
    for c in range(own.corners):
        dx, dy = x - room.corner[hull + 3 * c], y - room.corner[hull + 3 * c + 1]
        if dx * dx + dy * dy < near and room.scale[c] == 0.0:
            best, near = c, dx * dx + dy * dy
    return best


@kernel
def weigh(room, i, x, y):
    """Shares of the corners in a normal force at (x, y), into spare."""
    own, hull, weight = room.ints[i], 3 * CORNERS * i, room.spare
    for c in range(own.corners):
        weight[c] = 0.0
    if own.corners == 1:
        weight[0] = 1.0
    elif own.state == POINT:
        weight[own.edge] = 1.0
    elif own.state == LINE:
        n = (own.edge + 1) % own.corners
        ax, ay = room.corner[hull + 3 * own.edge], room.corner[hull + 3 * own.edge + 1]
        ex, ey = room.corner[hull + 3 * n] - ax, room.corner[hull + 3 * n + 1] - ay
        t = min(max(((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey), 0.0), 1.0)
        weight[own.edge] = 1.0 - t
        weight[n] = t
    else:
        total = 0.0
        for c in range(own.corners):
            weight[c] = wachspress(room.corner, hull, own.corners, c, x, y)
            total = total + weight[c]
        for c in range(own.corners):
            weight[c] = weight[c] / total


@kernel
def wachspress(corner, hull, corners, c, x, y):
    """Coordinate of a corner, not yet scaled: its own triangle, times those of (x, y) with all sides it is not on."""
    before = (c + corners - 1) % corners
    after = (c + 1) % corners
    value = twice_area(corner, hull + 3 * before, hull + 3 * c, corner[hull + 3 * after], corner[hull + 3 * after + 1])
    for side in range(corners):
        if side != c and side != before:
            value = value * max(twice_area(corner, hull + 3 * side, hull + 3 * ((side + 1) % corners), x, y), 0.0)
    return value


@kernel
def twice_area(corner, a, b, x, y):
    """Of the triangle of two corners and a point."""
    return (corner[b] - corner[a]) * (y - corner[a + 1]) - (corner[b + 1] - corner[a + 1]) * (x - corner[a])
