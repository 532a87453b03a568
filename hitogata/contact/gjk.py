"""Distance of two convex cores that are apart: GJK (Gilbert, Johnson & Keerthi 1988); width X1.

The points of A minus B form a convex set; its point v nearest to the origin is the shortest way from B to A.  A simplex
of points of the set creeps up on it: w = the point farthest against v, added to the simplex, of which the part is kept
that holds its own nearest point.  No point of the set is nearer than v·w / |v|, which bounds the distance from below,
and |v| from above (van den Bergen 1999).
"""

from hitogata.contact.simplices import drop_unused, nearest_of
from hitogata.contact.support import farthest
from hitogata.lanes import kernel
from hitogata.spatial import Vec3, dot

BEYOND, APART, MEETING = 0, 1, 2
"""Farther than the limit; apart, with nearest points; overlapping, or too near for a direction."""

CLOSE = 1e-10
"""Nearer than this part of the size, a difference of points has no direction left."""

MOST_STEPS = 100


@kernel
def approach(shapes, a, b, simplex, limit):
    """(BEYOND, APART or MEETING, v, corners of the simplex); of cores whose distance up to `limit` is of interest.

    Of cores that meet, four corners have the origin between them; or there are none.
    """
    v, scale, limit = a.pos - b.pos, a.scale + b.scale, max(limit, 0.0)
    if dot(v, v) <= CLOSE * CLOSE * scale * scale:
        v = Vec3(scale, 0.0, 0.0)
    count, found = 0, Vec3(0.0, 0.0, 0.0)
    least = 1e300
    for _ in range(MOST_STEPS):
        on_a = farthest(shapes, a, -v)
        w = on_a - farthest(shapes, b, v)
        square, reached = dot(v, v), dot(v, w)
        if reached > 0.0 and reached * reached > limit * limit * square:
            return BEYOND, v, count
        if count > 0 and (square - reached <= 1e-15 * square or known(simplex, count, w)):
            break
        simplex[count].diff = w
        simplex[count].on_a = on_a
        count += 1
        found, inside = nearest_of(simplex, count)
        if inside:
            return MEETING, found, 4
        count = drop_unused(simplex, count)
        square = dot(found, found)
        if square <= CLOSE * CLOSE * scale * scale:
            return MEETING, found, 0
        if square >= least * (1.0 - 1e-15):
            break
        least, v = square, found
    return APART, v, count


@kernel
def known(simplex, count, w):
    """Is w a corner already?"""
    for k in range(count):
        d = simplex[k].diff - w
        if dot(d, d) == 0.0:
            return True
    return False


@kernel
def nearest_on_a(simplex, count):
    """The point of A that is nearest to B."""
    total = Vec3(0.0, 0.0, 0.0)
    for k in range(count):
        total = total + simplex[k].on_a * simplex[k].weight
    return total
