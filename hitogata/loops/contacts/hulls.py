"""Convex hulls in a plane: few points, small code."""

from hitogata.lanes import kernel, sqrt
from hitogata.loops.contacts.layout import CORNERS

THIN = 1e-4
"""A region thinner than this is a line, one shorter a point [m]."""


@kernel
def convex_hull(points, count, hull):
    """Corners of `count` points (x, y, gap), counter-clockwise, by gift wrapping; a line has two, a point one.

    Returns how many; at most CORNERS.
    """
    first = 0
    for i in range(1, count):
        lower = points[3 * i + 1] < points[3 * first + 1]
        if lower or (points[3 * i + 1] == points[3 * first + 1] and points[3 * i] < points[3 * first]):
            first = i
    corners, now = 0, first
    while corners < CORNERS:
        for k in range(3):
            hull[3 * corners + k] = points[3 * now + k]
        corners += 1
        best, best_length = -1, 0.0
        for i in range(count):
            x, y = points[3 * i] - points[3 * now], points[3 * i + 1] - points[3 * now + 1]
            length = sqrt(x * x + y * y)
            if length > THIN:
                if best < 0:
                    best, best_length = i, length
                else:
                    bx, by = points[3 * best] - points[3 * now], points[3 * best + 1] - points[3 * now + 1]
                    side, thin = bx * y - by * x, THIN * best_length  # of i, right of the way to the best: < 0
                    if side < -thin or (side < thin and length > best_length and bx * x + by * y > 0.0):
                        best, best_length = i, length
        if best < 0:
            break
        back = near(points, best, hull, corners)
        if back >= 0:
            break
        now = best
    return corners


@kernel
def near(points, i, hull, corners):
    """The corner at a point, or -1."""
    for c in range(corners):
        x, y = points[3 * i] - hull[3 * c], points[3 * i + 1] - hull[3 * c + 1]
        if x * x + y * y < THIN * THIN:
            return c
    return -1


@kernel
def spread(hull, corners, x, y):
    """Mean square distance of a hull's area (or line) from a point."""
    if corners == 1:
        return 0.0
    if corners == 2:
        ax, ay, bx, by = hull[0] - x, hull[1] - y, hull[3] - x, hull[4] - y
        return (ax * ax + ay * ay + bx * bx + by * by + ax * bx + ay * by) / 3.0
    area, second = 0.0, 0.0
    for c in range(corners):
        n = (c + 1) % corners
        ax, ay, bx, by = hull[3 * c] - x, hull[3 * c + 1] - y, hull[3 * n] - x, hull[3 * n + 1] - y
        part = ax * by - ay * bx
        area += part
        second += part * (ax * ax + ay * ay + bx * bx + by * by + ax * bx + ay * by) / 6.0
    if area <= 0.0:
        return 0.0
    return second / area


@kernel
def nearest_on_hull(hull, corners, x, y):
    """How far a point is outside (< 0: inside); the edge nearest to it, and where on it, 0 to 1."""
    worst, edge, where, inside = 1e30, 0, 0.0, True
    for c in range(corners):
        n = (c + 1) % corners
        ax, ay = hull[3 * c], hull[3 * c + 1]
        ex, ey = hull[3 * n] - ax, hull[3 * n + 1] - ay
        size = ex * ex + ey * ey
        if ex * (y - ay) - ey * (x - ax) < 0.0:
            inside = False
        t = 0.0
        if size > 0.0:
            t = min(max(((x - ax) * ex + (y - ay) * ey) / size, 0.0), 1.0)
        dx, dy = x - ax - t * ex, y - ay - t * ey
        distance = sqrt(dx * dx + dy * dy)
        if distance < worst:
            worst, edge, where = distance, c, t
    if inside and corners > 2:
        return -worst, edge, where
    return worst, edge, where
