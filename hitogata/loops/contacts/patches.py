"""From contact points to patches."""

from hitogata.constraints.contacts import axes_along, mixed_friction
from hitogata.lanes import inline, kernel, maximum, minimum, sqrt, tail
from hitogata.loops.contacts.hulls import convex_hull, spread
from hitogata.loops.contacts.layout import CORNERS, MOST_PATCHES, STICK, SURFACE
from hitogata.spatial import Vec3, cols, cross, dot, from_cols

ALIGNED = 0.9998
"""Normals of one patch: their cosine (1.1 degrees)."""

WAITING, DONE = 0.0, 1.0
"""Of a contact: it touches, and has no patch yet; it has one, or does not touch."""

LEVER = 0.9428
"""Mean distance by root mean square distance from the middle of a disc, 2 √2 / 3."""


@kernel
def gather(limbs, shapes, contacts, points, count, floor, spare):
    """Patches of all points that touch, or will within half a step; returns how many."""
    patches, rules, speeds = 0, floor.rules, tail(spare, count)
    for c in range(count):
        speeds[c] = closing_speed(limbs, contacts[c], points[c])
        spare[c] = DONE
        if touches(points[c].gap, speeds[c], rules):
            spare[c] = WAITING
    for c in range(count):
        if spare[c] == WAITING:
            if patches == MOST_PATCHES:
                rules.crowded = 1.0
                break
            own, patch = floor.ints[patches], floor.patch[patches]
            own.body_a, own.body_b, sign = moving_first(contacts[c])
            patch.axes = upright(points[c].normal * sign)
            patch.place = points[c].pos
            a, b = shapes.floats[contacts[c].a], shapes.floats[contacts[c].b]
            patch.kinetic = mixed_friction(a.friction, b.friction)
            patch.static = patch.kinetic * rules.static_share
            patch.bounce = maximum(a.restitution, b.restitution)
            found = collect(contacts, points, count, floor, patches, c, spare)
            finish(floor, patches, tail(spare, 2 * count), found)
            patches += 1
    return patches


@kernel
def moving_first(contact):
    """Bodies of a patch, a of them one that moves; and the sign of the normal."""
    if contact.body_a < 0:
        return contact.body_b, contact.body_a, -1.0
    return contact.body_a, contact.body_b, 1.0


@inline
def upright(n):
    """Axes with z along n."""
    frame = axes_along(n)
    return frame.T


@kernel
def touches(gap, speed, rules):
    """Does a point touch, or will it be there in the middle of the step?  What moves away does not touch."""
    return speed < rules.impact_speed and (gap < rules.touch or gap + 0.5 * rules.h * speed < 0.0)


@kernel
def closing_speed(limbs, contact, point):
    """Speed of the gap."""
    speed = Vec3(0.0, 0.0, 0.0)
    if contact.body_a >= 0:
        a = limbs[contact.body_a]
        speed = speed + a.speed + cross(a.omega, point.pos - a.pos)
    if contact.body_b >= 0:
        b = limbs[contact.body_b]
        speed = speed - b.speed - cross(b.omega, point.pos - b.pos)
    return dot(point.normal, speed)


@kernel
def collect(contacts, points, count, floor, p, first, spare):
    """All points of the patch that begins with point `first`, in its plane; returns how many.

    `spare`: what became of each contact; the speeds of their gaps; then the points are written: x, y and gap.
    """
    own, patch, found = floor.ints[p], floor.patch[p], 0
    (x, y, z), closing = cols(patch.axes), 1e30
    for c in range(first, count):
        a, b, sign = moving_first(contacts[c])
        mine = a == own.body_a and b == own.body_b and dot(points[c].normal * sign, z) > ALIGNED
        if spare[c] == WAITING and mine:
            spare[c] = DONE
            r, at = points[c].pos - patch.place, 2 * count + 3 * found
            spare[at] = dot(x, r)
            spare[at + 1] = dot(y, r)
            spare[at + 2] = points[c].gap
            closing = minimum(closing, spare[count + c])
            found += 1
    patch.closing = closing
    own.points = found
    return found


@kernel
def finish(floor, p, spare, found):
    """Hull, middle, plane of gaps and spread of a patch; its first hypothesis."""
    own, patch, hull = floor.ints[p], floor.patch[p], tail(floor.corner, 3 * CORNERS * p)
    corners = convex_hull(spare, found, hull)
    own.corners = corners
    x, y, gap, least = 0.0, 0.0, 0.0, 1e30
    for c in range(corners):
        x, y, gap = x + hull[3 * c], y + hull[3 * c + 1], gap + hull[3 * c + 2]
        least = minimum(least, hull[3 * c + 2])
    x, y, gap = x / corners, y / corners, gap / corners
    for c in range(corners):
        hull[3 * c] = hull[3 * c] - x
        hull[3 * c + 1] = hull[3 * c + 1] - y
    ax, ay, az = cols(patch.axes)
    patch.place = patch.place + ax * x + ay * y
    if corners == 2:  # x along the line
        length = sqrt((hull[3] - hull[0]) * (hull[3] - hull[0]) + (hull[4] - hull[1]) * (hull[4] - hull[1]))
        along = (ax * (hull[3] - hull[0]) + ay * (hull[4] - hull[1])) * (1.0 / length)
        patch.axes = from_cols(along, cross(az, along), az)
        hull[0], hull[1], hull[3], hull[4] = -0.5 * length, 0.0, 0.5 * length, 0.0
    patch.gap = gap
    patch.least = least
    patch.slope_x, patch.slope_y = slopes(hull, corners, gap)
    rms = sqrt(spread(hull, corners, 0.0, 0.0))
    patch.lever = LEVER * rms
    patch.radius = sqrt(2.0) * rms
    patch.press_x, patch.press_y = 0.0, 0.0
    own.why = 0
    start(patch, own)


@kernel
def start(patch, own):
    """First hypothesis: all of the region presses."""
    own.state = SURFACE
    if own.corners < 3:
        own.state = own.corners  # LINE of two, POINT of one
    own.slip = STICK
    own.edge = 0
    patch.at_x, patch.at_y = 0.0, 0.0
    patch.line_x, patch.line_y = 0.0, 0.0
    patch.along_x, patch.along_y = 1.0, 0.0
    patch.drag_x, patch.drag_y, patch.spin = 0.0, 0.0, 0.0


@kernel
def slopes(hull, corners, gap):
    """Slopes of the plane that fits the gaps best."""
    xx, xy, yy, xg, yg = 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(corners):
        x, y, g = hull[3 * c], hull[3 * c + 1], hull[3 * c + 2] - gap
        xx, xy, yy, xg, yg = xx + x * x, xy + x * y, yy + y * y, xg + x * g, yg + y * g
    if corners == 2 and xx > 0.0:
        return xg / xx, 0.0
    det = xx * yy - xy * xy
    if corners < 3 or det <= 0.0:
        return 0.0, 0.0
    return (xg * yy - yg * xy) / det, (yg * xx - xg * xy) / det
