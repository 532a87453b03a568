"""Depth of two convex cores that overlap: EPA, the expanding polytope algorithm (van den Bergen 2001); width X1.

A polytope of points of A minus B begins as a tetrahedron and grows where it is nearest to the origin: the face with the
least n·x is asked for the farthest point along its normal n; if that is no farther, the face is one of the set itself,
and its distance the depth; else the faces that see the point give way to a fan around it.  Distances are signed, so the
origin may lie outside at first, and where the cores do not quite meet, the result is the greatest separation of all
face planes, as in `axes`.

Every direction that was asked bounds the depth from above by its farthest point, and the best of them is the result:
whatever rounding does to slivers of the polytope, gap and normal belong together.
"""

from hitogata.contact.directions import perpendicular
from hitogata.contact.layout import MESH
from hitogata.contact.simplices import Support
from hitogata.contact.support import farthest
from hitogata.lanes import kernel, record, records, sqrt, tail
from hitogata.spatial import Vec3, cross, dot

MOST_POINTS = 160
MOST_FACES = 2 * MOST_POINTS + 8
EXACT, EXACT_ROUND = 1e-12, 1e-10
"""Faces this near to the set's, relative to the size, are the set's own; of round shapes."""

NEVER = 1e300


@record
class Facet:
    """A face of the polytope: three corners, counter-clockwise from outside."""

    normal: Vec3  # unit
    height: float  # normal · corner; NEVER if the face is too small to have a normal
    i: float
    j: float
    k: float


@record
class Rim:
    """An edge between faces that see a point and such that do not."""

    i: float
    j: float


SPARE = MOST_POINTS * Support.SIZE + MOST_FACES * (Facet.SIZE + 3 * Rim.SIZE)  # type: ignore[attr-defined]


@kernel
def expand(shapes, a, b, count, spare):
    """(unit normal from B to A, separation along it, point of A): minus the depth, if the cores overlap.

    The separation is that of the cores along the normal; the point of A lies on its side nearest to B.  The first
    points in `spare`, if `count` is 4, have the origin between them, as `approach` leaves them.
    """
    points = records(spare, Support)
    facets = records(tail(spare, MOST_POINTS * Support.SIZE), Facet)
    rims = records(tail(spare, MOST_POINTS * Support.SIZE + MOST_FACES * Facet.SIZE), Rim)
    exact = EXACT * (a.scale + b.scale)
    enough = exact
    if a.kind > MESH or b.kind > MESH:
        enough = EXACT_ROUND * (a.scale + b.scale)
    if count < 4:
        count = begin(shapes, a, b, points, exact)
    faces, total = 0, count
    best, normal, on_a = NEVER, Vec3(0.0, 0.0, 1.0), points[0].on_a
    if count == 4:
        for f in range(4):
            faces = add_facet(points, facets, faces, (f + 1) % 4, (f + 2) % 4, (f + 3) % 4, f, exact)
    while faces > 0:
        f = lowest(facets, faces)
        facet = facets[f]
        low, n = facet.height, facet.normal
        if low >= best - enough:
            break
        add_point(shapes, a, b, points, total, n)
        high = dot(n, points[total].diff)
        if high < best:
            best, normal = high, n
            on_a = point_under(points, int(facet.i), int(facet.j), int(facet.k), n * low)
        if high - low <= enough or total + 1 >= MOST_POINTS:
            break
        faces = grow(points, facets, faces, rims, total, exact)
        total += 1
        if faces + 8 >= MOST_FACES:
            break
    return -normal, -best, on_a


@kernel
def begin(shapes, a, b, points, exact):
    """Four points that span a volume; returns how many there are, fewer if the set has none."""
    way = a.pos - b.pos
    square = dot(way, way)
    if square <= exact * exact:
        way, square = Vec3(0.0, 0.0, 1.0), 1.0
    way = way * (1.0 / sqrt(square))
    add_point(shapes, a, b, points, 0, way)
    add_point(shapes, a, b, points, 1, -way)
    line = points[1].diff - points[0].diff
    square = dot(line, line)
    if square <= exact * exact:
        return 1
    across = perpendicular(line * (1.0 / sqrt(square)))
    for k in range(2):
        add_point(shapes, a, b, points, 2, across)
        n = cross(line, points[2].diff - points[0].diff)
        far = dot(n, n)
        if far <= exact * exact * square:
            add_point(shapes, a, b, points, 2, -across)
            n = cross(line, points[2].diff - points[0].diff)
            far = dot(n, n)
        if far > exact * exact * square:
            break
        across = cross(line, across) * (1.0 / sqrt(square))
        if k == 1:
            return 2
    n = n * (1.0 / sqrt(far))
    add_point(shapes, a, b, points, 3, n)
    height = dot(n, points[3].diff - points[0].diff)
    if height <= exact:
        add_point(shapes, a, b, points, 3, -n)
        height = dot(n, points[3].diff - points[0].diff)
    if abs(height) <= exact:
        return 3
    return 4


@kernel
def add_point(shapes, a, b, points, at, n):
    """Write the farthest point of A minus B along n."""
    on_a = farthest(shapes, a, n)
    points[at].on_a = on_a
    points[at].diff = on_a - farthest(shapes, b, -n)


@kernel
def add_facet(points, facets, faces, i, j, k, inner, exact):
    """Write a face, turned so that the point `inner` is behind it; -1: as it is."""
    p = points[i].diff
    n = cross(points[j].diff - p, points[k].diff - p)
    if inner >= 0 and dot(n, points[inner].diff - p) > 0.0:
        n, j, k = -n, k, j
    square = dot(n, n)
    facet = facets[faces]
    facet.i, facet.j, facet.k = float(i), float(j), float(k)
    if square > exact * exact * exact * exact:
        n = n * (1.0 / sqrt(square))
        facet.normal = n
        facet.height = (dot(n, p) + dot(n, points[j].diff) + dot(n, points[k].diff)) * (1.0 / 3.0)
    else:
        facet.normal = Vec3(0.0, 0.0, 0.0)
        facet.height = NEVER
    return faces + 1


@kernel
def lowest(facets, faces):
    """The face nearest to the origin."""
    best = 0
    for f in range(1, faces):
        if facets[f].height < facets[best].height:
            best = f
    return best


@kernel
def grow(points, facets, faces, rims, new, exact):
    """Replace the faces that see a point by a fan around it; returns how many there are."""
    p, f, edges = points[new].diff, 0, 0
    while f < faces:
        facet = facets[f]
        if dot(facet.normal, p) - facet.height > 0.1 * exact and facet.height < NEVER:
            edges = toggle(rims, edges, facet.i, facet.j)
            edges = toggle(rims, edges, facet.j, facet.k)
            edges = toggle(rims, edges, facet.k, facet.i)
            faces -= 1
            last = facets[faces]
            facet.normal, facet.height = last.normal, last.height
            facet.i, facet.j, facet.k = last.i, last.j, last.k
        else:
            f += 1
    for e in range(edges):
        if faces + 1 < MOST_FACES:
            faces = add_facet(points, facets, faces, int(rims[e].i), int(rims[e].j), new, -1, exact)
    return faces


@kernel
def toggle(rims, edges, i, j):
    """Add an edge, or take it away if its other side is there."""
    for e in range(edges):
        if rims[e].i == j and rims[e].j == i:
            rims[e].i, rims[e].j = rims[edges - 1].i, rims[edges - 1].j
            return edges - 1
    rims[edges].i, rims[edges].j = i, j
    return edges + 1


@kernel
def point_under(points, i, j, k, foot):
    """The point of A where a face of the polytope is nearest to the origin; clipped to the face."""
    p, q, r = points[i].diff, points[j].diff, points[k].diff
    n = cross(q - p, r - p)
    u = max(dot(n, cross(q - foot, r - foot)), 0.0)
    v = max(dot(n, cross(r - foot, p - foot)), 0.0)
    w = max(dot(n, cross(p - foot, q - foot)), 0.0)
    t = 1.0 / max(u + v + w, 1e-300)
    return points[i].on_a * (u * t) + points[j].on_a * (v * t) + points[k].on_a * (w * t)
