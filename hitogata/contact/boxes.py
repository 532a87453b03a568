"""Box on box: the axis test gives the normal and the gap, clipping gives the points.

*Axis.*  `axes` finds n and the separation; beyond the margin we are done.

*Points.*  Of all faces of both boxes the one nearest to n is the reference, and the face of the other box that looks at
it the incident one.  Along n, both are seen as a rectangle and a parallelogram (`clipping`); the corners of their
intersection are the points, each with its gap along n.  No gap is smaller than the separation, for that holds for all
points of the boxes; and n lies between the normals at the nearest features, so these are seen, and one point has
exactly that gap.  This needs no preference of faces over edges: an edge pair that wins by a hair between two faces that
lie on each other still gives four points.

*Apart.*  When no point has it, the nearest features are corners, or a corner and an edge, and the distance is greater
than the separation.  Then the least of the distances of the edges of each box from the other is the distance
(`segments`): every nearest pair has such a representative.
"""

from hitogata.contact.axes import best_edges, best_face, seen_from_a
from hitogata.contact.clipping import Corner, clip_faces, spread
from hitogata.contact.directions import unit_or
from hitogata.contact.faces import face_towards, signed
from hitogata.contact.layout import FAR
from hitogata.contact.point_output import emit
from hitogata.contact.segments import beyond, nearest_on_segment
from hitogata.lanes import all_lanes, any_lane, clip, copysign, inline, kernel, maximum, records, sqrt, where
from hitogata.spatial import Vec3, dot

MOST_CORNERS = 24
"""Corners that two faces have in all figures side by side, at most."""

SPARE = (MOST_CORNERS + 4) * Corner.SIZE  # type: ignore[attr-defined]
"""Scratch numbers that a pair of boxes needs."""

CORNERS_APART = 1000.0
"""Feature of the nearest points of boxes that are apart at corners: this and the number of the edge."""


@kernel
def box_on_box(found, count, a, size_a, b, size_b, spare):
    """Up to four points.  Features: 0 to 7 corners of A, 8 to 15 of B, then pairs of edges."""
    rot, d = seen_from_a(a.x, a.y, a.z, b.x, b.y, b.z, a.pos - b.pos)
    n, separation = best_face(rot, d, size_a, size_b)
    if all_lanes(separation >= found.margin):
        return count
    n, separation = best_edges(rot, d, size_a, size_b, n, separation, found.eps)
    if all_lanes(separation >= found.margin):
        return count
    normal = a.x * n.x + a.y * n.y + a.z * n.z
    use_b, ref, inc, m = reference(a.pos, a.x, a.y, a.z, size_a, b.pos, b.x, b.y, b.z, size_b, normal)
    corners = records(spare, Corner)
    kept, least = clip_faces(corners, ref, inc, m, use_b, found.margin)
    scale = maximum(maximum(size_a.x, size_a.y), maximum(size_a.z, size_b.x))
    kept = spread(corners, kept, found.margin, 1e-8 * scale, MOST_CORNERS)
    missed = least > separation + 0.1 * sqrt(found.eps) * scale
    x, y = ref.u * (1.0 / ref.half_u), ref.v * (1.0 / ref.half_v)
    if any_lane(missed):
        pos, other, gap, feature = nearest_corners(a, size_a, b, size_b)
        inside = separation <= 0.0
        pos = where(inside, foremost(a.pos, a.x, a.y, a.z, size_a, b.pos, b.x, b.y, b.z, size_b, normal), pos)
        other, gap = where(inside, normal, other), where(inside, separation, gap)
        count = emit(found, count, pos, where(missed, other, normal), where(missed, gap, FAR), feature)
    for k in range(kept):
        corner = corners[k]
        gap = where(missed, FAR, maximum(corner.gap, separation))  # a corner just outside may seem deeper
        pos = ref.centre + x * corner.x + y * corner.y + m * (0.5 * corner.gap)
        count = emit(found, count, pos, normal, gap, corner.feature)
    return count


@inline
def reference(pos_a, ax, ay, az, half_a, pos_b, bx, by, bz, half_b, normal):
    """(is it B's?, reference face, incident face, n from the former to the latter).  In doubt, A's."""
    face_a = face_towards(pos_a, ax, ay, az, half_a, -normal)
    face_b = face_towards(pos_b, bx, by, bz, half_b, normal)
    use_b = dot(face_b.out, normal) > 1e-3 - dot(face_a.out, normal)
    return use_b, where(use_b, face_b, face_a), where(use_b, face_a, face_b), where(use_b, normal, -normal)


# ------------------------------------------------------- apart, at corners


@kernel
def nearest_corners(a, size_a, b, size_b):
    """(midway point, normal, gap, feature) of boxes that are apart, through all their edges."""
    pos, way, least, feature = a.pos, a.pos - b.pos, dot(a.pos - b.pos, a.pos - b.pos), a.pos.x * 0.0
    for k in range(12):
        centre, arm = edge(a.x, a.y, a.z, size_a, k)
        point, gap = edge_to_box(a.pos + centre, arm, b.pos, b.x, b.y, b.z, size_b)
        square = dot(gap, gap)
        closer = square < least
        pos, way = where(closer, point - gap * 0.5, pos), where(closer, gap, way)
        least, feature = where(closer, square, least), where(closer, CORNERS_APART + k, feature)
        centre, arm = edge(b.x, b.y, b.z, size_b, k)
        point, gap = edge_to_box(b.pos + centre, arm, a.pos, a.x, a.y, a.z, size_a)
        square = dot(gap, gap)
        closer = square < least
        pos, way = where(closer, point - gap * 0.5, pos), where(closer, -gap, way)
        least, feature = where(closer, square, least), where(closer, CORNERS_APART + 12.0 + k, feature)
    normal, gap = unit_or(way, a.z)
    return pos, normal, gap, feature


@kernel
def edge(x, y, z, half, k):
    """(centre, half edge) of edge k = 4 * axis + signs of a box."""
    one, two = k % 2, k // 2 % 2
    if k < 4:
        return signed(y * half.y, one) + signed(z * half.z, two), x * half.x
    if k < 8:
        return signed(z * half.z, one) + signed(x * half.x, two), y * half.y
    return signed(x * half.x, one) + signed(y * half.y, two), z * half.z


@inline
def edge_to_box(centre, arm, pos, x, y, z, half):
    """(point of the edge nearest to a box, way to it from the box)."""
    r = centre - pos
    c, d = Vec3(dot(x, r), dot(y, r), dot(z, r)), Vec3(dot(x, arm), dot(y, arm), dot(z, arm))
    t = nearest_on_segment(c, d, half)
    e = beyond(c + d * t, half)
    return centre + arm * t, x * e.x + y * e.y + z * e.z


@inline
def foremost(pos_a, ax, ay, az, half_a, pos_b, bx, by, bz, half_b, normal):
    """The corner of A that is deepest in B, drawn into B.  For overlaps too thin for clipping; none is known."""
    corner = pos_a - ax * copysign(half_a.x, dot(ax, normal)) - ay * copysign(half_a.y, dot(ay, normal))
    r = corner - az * copysign(half_a.z, dot(az, normal)) - pos_b
    return (
        pos_b + bx * clip(dot(bx, r), -half_b.x, half_b.x) + by * clip(dot(by, r), -half_b.y, half_b.y)
        + bz * clip(dot(bz, r), -half_b.z, half_b.z)
    )  # fmt: skip
