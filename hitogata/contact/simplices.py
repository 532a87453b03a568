"""The point of a segment, triangle or tetrahedron nearest to the origin, for GJK; width X1.

Corners are `Support` records; each gets its weight in the nearest point, 0 if it has no part in it.
"""

from hitogata.lanes import kernel, record
from hitogata.spatial import Vec3, cross, dot


@record
class Support:
    """A point of A minus B."""

    diff: Vec3  # a - b
    on_a: Vec3  # a, from the origin of the pair
    weight: float


@kernel
def nearest_of(simplex, count):
    """(nearest point of so many corners, is the origin inside?), with weights written."""
    if count == 1:
        simplex[0].weight = 1.0
        return simplex[0].diff, False
    if count == 2:
        return of_segment(simplex[0], simplex[1]), False
    if count == 3:
        return of_triangle(simplex[0], simplex[1], simplex[2]), False
    return of_tetrahedron(simplex)


@kernel
def of_segment(p, q):
    """Nearest point of a segment."""
    a, ab = p.diff, q.diff - p.diff
    t, square = -dot(a, ab), dot(ab, ab)
    if t <= 0.0:
        p.weight, q.weight = 1.0, 0.0
        return a
    if t >= square:
        p.weight, q.weight = 0.0, 1.0
        return q.diff
    t = t / square
    p.weight, q.weight = 1.0 - t, t
    return a + ab * t


@kernel
def of_triangle(p, q, r):
    """Nearest point of a triangle (Ericson 2005, 5.1.5); over its inside from the normal, which keeps its direction
    when the point is near."""
    a, b, c = p.diff, q.diff, r.diff
    ab, ac = b - a, c - a
    n = cross(ab, ac)
    d1, d2, d3, d4, d5, d6 = -dot(ab, a), -dot(ac, a), -dot(ab, b), -dot(ac, b), -dot(ab, c), -dot(ac, c)
    p.weight, q.weight, r.weight = 0.0, 0.0, 0.0
    if d1 <= 0.0 and d2 <= 0.0:
        p.weight = 1.0
        return a
    if d3 >= 0.0 and d4 <= d3:
        q.weight = 1.0
        return b
    if d6 >= 0.0 and d5 <= d6:
        r.weight = 1.0
        return c
    u, v, w = dot(n, cross(b, c)), dot(n, cross(c, a)), dot(n, cross(a, b))
    if w <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return of_segment(p, q)
    if v <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return of_segment(p, r)
    if u <= 0.0 and d4 >= d3 and d5 >= d6:
        return of_segment(q, r)
    total = u + v + w
    if not total > 0.0:
        return of_segment(p, q)  # three points on a line
    k = 1.0 / total
    p.weight, q.weight, r.weight = u * k, v * k, w * k
    return n * (dot(n, a) / dot(n, n))


@kernel
def of_tetrahedron(simplex):
    """(nearest point, is the origin inside?)."""
    best, near, chosen, outside = 0.0, simplex[0].diff, -1, False
    for k in range(4):  # the face that leaves out corner k
        i, j, l = (k + 1) % 4, (k + 2) % 4, (k + 3) % 4
        a, n = simplex[i].diff, cross(simplex[j].diff - simplex[i].diff, simplex[l].diff - simplex[i].diff)
        own, height = -dot(n, a), dot(n, simplex[k].diff - a)
        if own * height < 0.0 or height * height <= 1e-28 * dot(n, n) * dot(a, a):
            outside = True
            v = of_triangle(simplex[i], simplex[j], simplex[l])
            square = dot(v, v)
            if chosen < 0 or square < best:
                best, near, chosen = square, v, k
    if not outside:
        return near, True
    i, j, l = (chosen + 1) % 4, (chosen + 2) % 4, (chosen + 3) % 4
    simplex[chosen].weight = 0.0
    return of_triangle(simplex[i], simplex[j], simplex[l]), False


@kernel
def drop_unused(simplex, count):
    """Leave the corners that have weight; returns how many."""
    kept = 0
    for k in range(count):
        if simplex[k].weight > 0.0:
            if kept < k:
                simplex[kept].diff = simplex[k].diff
                simplex[kept].on_a = simplex[k].on_a
                simplex[kept].weight = simplex[k].weight
            kept += 1
    return kept
