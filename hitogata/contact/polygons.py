"""Sides of convex shapes as polygons, and what two of them have in common, seen along a normal; width X1.

`side_towards` gives the side of a shape that looks in a direction: a face, an edge (2 corners), or a point (1).  It
always holds the farthest point that way.  The round sides of a cylinder are the line along which it is farthest, the
flat ones a polygon of fixed corners and the farthest point of the rim; so a standing cylinder rests on the same points
from step to step, and one that is tilted by more than LEVEL is exactly as deep as it is.

Corners of the intersection of two sides are found as in `clipping`, for polygons of any kind: corners of each that lie
in the other, and crossings.  (For two faces of boxes the parallelograms of `clipping` are faster, and run at every
width.)
"""

from hitogata.contact.faces import edge_number, face_towards
from hitogata.contact.layout import BOX, CAPSULE, CYLINDER, FAR, MESH
from hitogata.contact.support import farthest, farthest_vertex
from hitogata.contact.tables import MOST_SIDES, NORMALS, OF_FACE, OF_VERTEX, POINTS
from hitogata.lanes import kernel, record, sincos, sqrt
from hitogata.spatial import Vec3, dot, load3

RIM = 24
"""Fixed corners around an end of a cylinder."""

LEVEL = 5e-4
"""An end that is tilted by less (sine) stands on its fixed corners: where its deepest point is, is chance."""

LIES = 0.7
"""A cylinder shows its end to what lies within 45° of its axis."""

MANY = float(1 << 24)
"""More than there are vertices or edges of a shape."""

ROOM = 1e-9
"""A corner this much outside, relative to the sides, counts as inside."""


@record
class SideCorner:
    """A corner of a side, from the origin of the pair."""

    at: Vec3
    x: float  # across the normal
    y: float
    height: float  # along it
    vertex: float  # number of the corner
    edge: float  # number of the edge to the next corner


@record
class Spot:
    """A point of contact, before it is chosen."""

    pos: Vec3  # midway, from the origin of the pair
    normal: Vec3
    gap: float
    feature: float


SIDE = (MOST_SIDES + 2) * SideCorner.SIZE  # type: ignore[attr-defined]


@kernel
def side_towards(shapes, core, d, corners):
    """Write the corners of the side that looks along the unit vector d; returns how many."""
    if core.kind == MESH:
        return face_of_mesh(shapes, core, d, corners)
    if core.kind == BOX:
        return face_of_box(core, d, corners)
    if core.kind == CAPSULE and core.size.y > 0.0:
        put(corners[0], core.pos - core.z * core.size.y, 0.0, 0.0)
        put(corners[1], core.pos + core.z * core.size.y, 1.0, 0.0)
        return 2
    if core.kind == CYLINDER:
        return side_of_cylinder(core, d, corners)
    put(corners[0], farthest(shapes, core, d), 0.0, 0.0)
    return 1


@kernel
def put(corner, at, vertex, edge):
    """Fill a corner."""
    corner.at = at
    corner.vertex = vertex
    corner.edge = edge


@kernel
def face_of_box(core, d, corners):
    """The face of a box; numbers as in `faces`."""
    face = face_towards(core.pos, core.x, core.y, core.z, core.size, d)
    first, u, v = face.first, face.bit_u, face.bit_v
    put(corners[0], face.centre - face.u - face.v, first, edge_number(u, first))
    put(corners[1], face.centre + face.u - face.v, first + u, edge_number(v, first + u))
    put(corners[2], face.centre + face.u + face.v, first + u + v, edge_number(u, first + v))
    put(corners[3], face.centre - face.u + face.v, first + v, edge_number(v, first))
    return 4


@kernel
def face_of_mesh(shapes, core, d, corners):
    """The face of a mesh with most corners at the farthest height; of such, that whose normal is nearest to d."""
    ints, floats, table = shapes.int_tables, shapes.float_tables, int(core.table)
    local = Vec3(dot(core.x, d), dot(core.y, d), dot(core.z, d))
    vertex = farthest_vertex(shapes, table, local, int(core.last))
    points, normals, around, bounds = (
        ints[table + POINTS], ints[table + NORMALS], ints[table + OF_VERTEX], ints[table + OF_FACE],
    )  # fmt: skip
    top = dot(load3(floats, points + 3 * vertex), local) - ROOM * core.scale
    best, most, nearest = -1, -1, 0.0
    for e in range(ints[around + vertex], ints[around + vertex + 1]):
        face, many = ints[e], 0
        for c in range(ints[bounds + face], ints[bounds + face + 1], 2):
            if dot(load3(floats, points + 3 * ints[c]), local) >= top:
                many += 1
        near = dot(load3(floats, normals + 3 * face), local)
        if many > most or (many == most and near > nearest):
            best, most, nearest = face, many, near
    count = 0
    for c in range(ints[bounds + best], ints[bounds + best + 1], 2):
        p = load3(floats, points + 3 * ints[c])
        at = core.pos + core.x * p.x + core.y * p.y + core.z * p.z
        put(corners[count], at, float(ints[c]), float(ints[c + 1]))
        count += 1
    return count


@kernel
def side_of_cylinder(core, d, corners):
    """A line along the round side, or an end.  Numbers: RIM corners of the lower end, of the upper end; then the
    farthest of each rim."""
    x, y, z = dot(core.x, d), dot(core.y, d), dot(core.z, d)
    across = sqrt(x * x + y * y)
    out = core.x
    if across > 1e-14:
        out = core.x * (x / across) + core.y * (y / across)
    rim, half = core.pos + out * core.size.x, core.z * core.size.z
    if abs(z) < LIES:
        put(corners[0], rim - half, 2.0 * RIM, 0.0)
        put(corners[1], rim + half, 2.0 * RIM + 1.0, 0.0)
        return 2
    first, last = 0.0, 2.0 * RIM
    if z > 0.0:
        first, last = float(RIM), 2.0 * RIM + 1.0
    else:
        half = -half
    sine, cosine, fine = 0.0, 1.0, across <= LEVEL
    step_sine, step_cosine = sincos(6.283185307179586 / RIM)
    count = 0
    for k in range(RIM):
        put(corners[count], core.pos + half + (core.x * cosine + core.y * sine) * core.size.x, first + k, first + k)
        count += 1
        next_cosine, next_sine = cosine * step_cosine - sine * step_sine, sine * step_cosine + cosine * step_sine
        if not fine and cosine * y - sine * x > 0.0 and next_cosine * y - next_sine * x <= 0.0:
            put(corners[count], rim + half, last, first + k)  # between these two
            count += 1
            fine = True
        cosine, sine = next_cosine, next_sine
    return count


# ------------------------------------------------------- what two sides have in common


@kernel
def look_along(corners, count, x, y, n):
    """Coordinates of a side's corners across and along n."""
    for k in range(count):
        corner = corners[k]
        corner.x = dot(corner.at, x)
        corner.y = dot(corner.at, y)
        corner.height = dot(corner.at, n)


@kernel
def common_corners(a, count_a, b, count_b, x, y, n, radius_a, radius_b, least, margin, spots):
    """Write the corners of the intersection of two sides with a gap below the margin; returns how many, and the least
    gap.  No gap is below `least`, the separation of the shapes along n."""
    look_along(a, count_a, x, y, n)
    look_along(b, count_b, x, y, n)
    kept, lowest, radii = 0, FAR, radius_a + radius_b
    for k in range(count_a + count_b):
        if k < count_a:
            corner, feature = a[k], a[k].vertex
            inside, other = look_into(b, count_b, corner.x, corner.y)
            rise = corner.height - other
            foot = corner.at - n * rise
        else:
            corner, feature = b[k - count_a], MANY + b[k - count_a].vertex
            inside, other = look_into(a, count_a, corner.x, corner.y)
            rise = other - corner.height
            foot = corner.at
        if inside:
            lowest = min(lowest, rise - radii)
            kept = note_spot(spots, kept, foot, n, rise - radii, radius_b, least, feature, margin)
    for i in range(sides_of(count_a)):
        p, q = a[i], a[(i + 1) % count_a]
        for j in range(sides_of(count_b)):
            r, s = b[j], b[(j + 1) % count_b]
            t, u = crossing(p, q, r, s)
            if t > 0.0 and t < 1.0 and u > 0.0 and u < 1.0:
                low = r.height + (s.height - r.height) * u
                rise = p.height + (q.height - p.height) * t - low
                lowest = min(lowest, rise - radii)
                feature = 2.0 * MANY + p.edge * MANY + r.edge
                foot = r.at + (s.at - r.at) * u
                kept = note_spot(spots, kept, foot, n, rise - radii, radius_b, least, feature, margin)
    return kept, lowest


@kernel
def sides_of(count):
    """How many edges a side has."""
    if count > 2:
        return count
    return count - 1


@kernel
def look_into(corners, count, x, y):
    """(does (x, y) lie in the side?, height of the side there)."""
    if count < 3:
        return look_onto(corners, count, x, y)
    first = corners[0]
    high, low, area, slope_x, slope_y = first.height, first.height, 0.0, 0.0, 0.0
    for k in range(count):  # normal of the polygon (Newell; Sutherland, Sproull & Schumacker 1974), and its orientation
        p, q = corners[k], corners[(k + 1) % count]
        area += (p.x - first.x) * (q.y - first.y) - (p.y - first.y) * (q.x - first.x)
        slope_x += (p.y - q.y) * (p.height + q.height - 2.0 * first.height)
        slope_y += (p.height - q.height) * (p.x + q.x - 2.0 * first.x)
        high, low = max(high, p.height), min(low, p.height)
    turn = 1.0
    if area < 0.0:
        turn = -1.0
    for k in range(count):
        p, q = corners[k], corners[(k + 1) % count]
        ex, ey = q.x - p.x, q.y - p.y
        if turn * (ex * (y - p.y) - ey * (x - p.x)) < -ROOM * (ex * ex + ey * ey):
            return False, 0.0
    height = 0.5 * (low + high)
    if abs(area) > 1e-12 * (slope_x * slope_x + slope_y * slope_y + area * area) ** 0.5:
        height = first.height - (slope_x * (x - first.x) + slope_y * (y - first.y)) / area
    return True, min(max(height, low), high)


@kernel
def look_onto(corners, count, x, y):
    """The same for an edge or a point."""
    p, q = corners[0], corners[count - 1]
    ex, ey, dx, dy = q.x - p.x, q.y - p.y, x - p.x, y - p.y
    square = ex * ex + ey * ey
    if square == 0.0:
        return False, p.height
    t = (ex * dx + ey * dy) / square
    off = ex * dy - ey * dx
    inside = abs(off) <= ROOM * square and t >= -ROOM and t <= 1.0 + ROOM
    return inside, p.height + (q.height - p.height) * t


@kernel
def crossing(p, q, r, s):
    """Where two edges cross, as parts of each; -1 if they are parallel."""
    ax, ay, bx, by = q.x - p.x, q.y - p.y, s.x - r.x, s.y - r.y
    area = ax * by - ay * bx
    if area * area <= 1e-24 * (ax * ax + ay * ay) * (bx * bx + by * by):
        return -1.0, -1.0
    dx, dy = r.x - p.x, r.y - p.y
    return (dx * by - dy * bx) / area, (dx * ay - dy * ax) / area


@kernel
def note_spot(spots, kept, foot, n, gap, radius_b, least, feature, margin):
    """Write a point with its foot on the core of B."""
    if gap < margin:
        spot = spots[kept]
        spot.pos = foot + n * (radius_b + 0.5 * gap)
        spot.normal = n
        spot.gap = max(gap, least)
        spot.feature = feature
        kept += 1
    return kept
