"""Convex shapes on height fields; width X1.  All in the field's own axes, z up.

The ground is solid below, so the triangle above or below a corner of a shape is the one that holds it up, by the
triangle's own normal.  Balls touch the triangles that hold the foot of their centre.  Where the ground sticks out, at a
sharp edge (`tables.sharp_edges`) or its end, the edge and the shape are a pair of convex shapes like any other, and
count if their normal lies in the cone of normals of that edge or node.  Edges between triangles in one plane, or in a
valley, have no such cone, and are never felt: a shape that slides over a flat ground made of triangles slides as on a
plane.

Points with nearly the same normal are a group, of which four are chosen.
"""

from hitogata.contact.convex import SPARE as CONVEX
from hitogata.contact.convex import choose_spots, evenness, spots_in, touch_cores
from hitogata.contact.layout import BOX, CAPSULE, CYLINDER, MESH, SPHERE
from hitogata.contact.polygons import MANY, SideCorner, Spot, side_towards
from hitogata.contact.support import Core, farthest, open_core, open_segment
from hitogata.contact.tables import COLUMNS, DIAGONAL, FIELD_HEAD, MOST_SIDES, POINTS, RIGHT, ROWS, UP, VERTICES
from hitogata.lanes import floor, kernel, record, records, sqrt, tail
from hitogata.spatial import Vec3, cross, dot, load3

MOST_GATHERED = 256
SAME = 0.99
"""Normals whose cosine is above this belong to one group."""

EDGE = 1e-9
"""A point this much beyond the side of a triangle, relative to the spacing, is still on it."""

CONE = 1e-6
"""Sine by which a normal may lie outside a cone."""

HALFWAY = 2.2
"""A shape that an edge has cut by more than half its thickness is still held up, as long as the depth is less than this
times its inradius."""

OF_NODE, OF_EDGE, PER_EDGE = float(1 << 26), float(1 << 46), float(1 << 20)
"""Features: 8 * corner of the shape + number; OF_NODE + node; OF_EDGE + PER_EDGE * edge + part of the shape."""

_SIDE = (MOST_SIDES + 2) * SideCorner.SIZE  # type: ignore[attr-defined]
_GROUND = 16
SPARE = CONVEX + 2 * MOST_GATHERED * Spot.SIZE + _SIDE + _GROUND  # type: ignore[attr-defined]
"""Scratch numbers that a pair needs."""


@record
class Ground:
    """A height field, and the part of it below a shape."""

    dx: float
    dy: float
    table: float
    columns: float
    rows: float
    left: float  # x of the first column, y of the first row
    front: float
    kept: float  # points gathered
    thin: float  # inradius of the shape


@kernel
def convex_on_field(found, count, shapes, field, shape, place_f, place_s, spare):
    """Points of a shape on a height field; normals from the shape to the field."""
    cores, ground = records(spare, Core), records(tail(spare, CONVEX), Ground)[0]
    gathered = records(tail(spare, CONVEX + _GROUND), Spot)
    core = cores[1]
    open_core(core, shapes, place_s, shape, place_f.pos)
    to_field(core, place_f)
    open_ground(shapes, ground, field)
    ground.thin = shapes.floats[shape].inradius
    lay_on_faces(shapes, ground, core, gathered, found.margin, spare)
    lay_on_edges(shapes, ground, core, cores[0], gathered, found.margin, spare)
    return choose_groups(found, count, shapes, gathered, int(ground.kept), place_f, core, spare)


@kernel
def open_ground(shapes, ground, field):
    """Fill what is known of a height field."""
    ints, table = shapes.int_tables, shapes.ints[field].table
    start, size = ints[table + POINTS], shapes.floats[field].size
    ground.dx, ground.dy = shapes.float_tables[start], shapes.float_tables[start + 1]
    ground.table, ground.kept = float(table), 0.0
    ground.columns, ground.rows = float(ints[table + COLUMNS]), float(ints[table + ROWS])
    ground.left, ground.front = -size.x, -size.y


@kernel
def to_field(core, place):
    """A core in the axes of the field."""
    core.pos = turned_in(place, core.pos)
    if core.kind != SPHERE:
        core.z = turned_in(place, core.z)
    if core.kind >= BOX:
        core.x, core.y = turned_in(place, core.x), turned_in(place, core.y)


@kernel
def turned_in(place, p):
    """A direction in the axes of a place."""
    return Vec3(dot(place.x, p), dot(place.y, p), dot(place.z, p))


@kernel
def below(shapes, ground, core, reach):
    """(first column, last, first row, last) of the cells below a core grown by `reach`, and its least height."""
    more = core.radius + reach
    low_x = farthest(shapes, core, Vec3(-1.0, 0.0, 0.0)).x - more - ground.left
    high_x = farthest(shapes, core, Vec3(1.0, 0.0, 0.0)).x + more - ground.left
    low_y = farthest(shapes, core, Vec3(0.0, -1.0, 0.0)).y - more - ground.front
    high_y = farthest(shapes, core, Vec3(0.0, 1.0, 0.0)).y + more - ground.front
    c0, c1 = cells(low_x, high_x, ground.dx, ground.columns)
    r0, r1 = cells(low_y, high_y, ground.dy, ground.rows)
    return c0, c1, r0, r1, farthest(shapes, core, Vec3(0.0, 0.0, -1.0)).z - more


@kernel
def cells(low, high, step, nodes):
    """First and last cell of an interval; the last before the first if there is none."""
    most = nodes - 2.0
    if high < 0.0 or low > (most + 1.0) * step:
        return 0, -1
    return int(min(max(floor(low / step), 0.0), most)), int(min(max(floor(high / step), 0.0), most))


@kernel
def height(shapes, ground, c, r):
    """Height of a node."""
    table = int(ground.table)
    start = shapes.int_tables[table + POINTS] + 2
    return shapes.float_tables[start + r * int(ground.columns) + c]


@kernel
def node(shapes, ground, c, r):
    """A node."""
    return Vec3(ground.left + c * ground.dx, ground.front + r * ground.dy, height(shapes, ground, c, r))


@kernel
def upwards(shapes, ground, c, r, half):
    """Unit normal of one of the two triangles of a cell; half 0 is that at high x."""
    z00, z11 = height(shapes, ground, c, r), height(shapes, ground, c + 1, r + 1)
    if half == 0:
        z = height(shapes, ground, c + 1, r)
        n = Vec3((z00 - z) / ground.dx, (z - z11) / ground.dy, 1.0)
    else:
        z = height(shapes, ground, c, r + 1)
        n = Vec3((z - z11) / ground.dx, (z00 - z) / ground.dy, 1.0)
    return n * (1.0 / sqrt(dot(n, n)))


# ------------------------------------------------------- on faces


@kernel
def lay_on_faces(shapes, ground, core, gathered, margin, spare):
    """Points where triangles hold a shape up."""
    kind = core.kind
    if kind == SPHERE:
        lay_ball(shapes, ground, core.pos, core.radius, 0.0, gathered, margin)
    elif kind == CAPSULE:
        arm = core.z * core.size.y
        lay_ball(shapes, ground, core.pos - arm, core.radius, 0.0, gathered, margin)
        lay_ball(shapes, ground, core.pos + arm, core.radius, 1.0, gathered, margin)
    elif kind == BOX:
        for k in range(8):
            p = core.pos + core.x * sign(k, 1, core.size.x) + core.y * sign(k, 2, core.size.y)
            lay_corner(shapes, ground, core, p + core.z * sign(k, 4, core.size.z), float(k), gathered, margin)
    elif kind == MESH:
        table = int(core.table)
        points = shapes.int_tables[table + POINTS]
        for k in range(shapes.int_tables[table + VERTICES]):
            p = load3(shapes.float_tables, points + 3 * k)
            lay_corner(shapes, ground, core, core.pos + core.x * p.x + core.y * p.y + core.z * p.z, float(k), gathered,
                       margin)  # fmt: skip
    else:
        lay_round(shapes, ground, core, gathered, margin, spare)


@kernel
def sign(k, bit, size):
    """+size if k has the bit, else -size."""
    if k & bit:
        return size
    return -size


@kernel
def lay_corner(shapes, ground, core, p, vertex, gathered, margin):
    """A corner of a shape and the triangle above or below it."""
    x, y = (p.x - ground.left) / ground.dx, (p.y - ground.front) / ground.dy
    if x < -EDGE or y < -EDGE or x > ground.columns - 1.0 + EDGE or y > ground.rows - 1.0 + EDGE:
        return
    c, r = min(max(floor(x), 0.0), ground.columns - 2.0), min(max(floor(y), 0.0), ground.rows - 2.0)
    half = 0
    if y - r > x - c:
        half = 1
    n = upwards(shapes, ground, int(c), int(r), half)
    gap = dot(n, p - node(shapes, ground, int(c), int(r)))
    if dot(n, p - core.pos) < 0.0:
        gather(ground, gathered, p - n * (0.5 * gap), n, gap, vertex, margin)


@kernel
def lay_ball(shapes, ground, centre, radius, vertex, gathered, margin):
    """A ball and the triangles that hold the foot of its centre; if none does, and it is below, the one above it."""
    more, kept = radius + margin, ground.kept
    x, y = centre.x - ground.left, centre.y - ground.front
    c0, c1 = cells(x - more, x + more, ground.dx, ground.columns)
    r0, r1 = cells(y - more, y + more, ground.dy, ground.rows)
    for r in range(r0, r1 + 1):
        for c in range(c0, c1 + 1):
            corner = node(shapes, ground, c, r)
            for half in range(2):
                n = upwards(shapes, ground, c, r, half)
                rise = dot(n, centre - corner)
                if rise < more and rise > -more:
                    foot = centre - n * rise
                    u, v = (foot.x - corner.x) / ground.dx, (foot.y - corner.y) / ground.dy
                    if half == 1:
                        u, v = v, u
                    if v >= -EDGE and v <= u + EDGE and u <= 1.0 + EDGE:
                        gap = rise - radius
                        gather(ground, gathered, centre - n * (radius + 0.5 * gap), n, gap, vertex, margin)
    if ground.kept == kept:
        u, v = x / ground.dx, y / ground.dy
        if u >= 0.0 and v >= 0.0 and u <= ground.columns - 1.0 and v <= ground.rows - 1.0:
            c, r, half = min(floor(u), ground.columns - 2.0), min(floor(v), ground.rows - 2.0), 0
            if v - r > u - c:
                half = 1
            n = upwards(shapes, ground, int(c), int(r), half)
            rise = dot(n, centre - node(shapes, ground, int(c), int(r)))
            if rise < 0.0:
                gap = rise - radius
                gather(ground, gathered, centre - n * (radius + 0.5 * gap), n, gap, vertex, margin)


@kernel
def lay_round(shapes, ground, core, gathered, margin, spare):
    """A round shape: the side it shows to each triangle, as far as it is above or below it."""
    side = records(tail(spare, CONVEX + _GROUND + 2 * MOST_GATHERED * Spot.SIZE), SideCorner)
    c0, c1, r0, r1, _ = below(shapes, ground, core, margin)
    for r in range(r0, r1 + 1):
        for c in range(c0, c1 + 1):
            corner = node(shapes, ground, c, r)
            for half in range(2):
                n = upwards(shapes, ground, c, r, half)
                if dot(n, farthest(shapes, core, -n) - corner) < margin:
                    for k in range(side_towards(shapes, core, -n, side)):
                        p = side[k].at
                        u, v = (p.x - corner.x) / ground.dx, (p.y - corner.y) / ground.dy
                        if half == 1:
                            u, v = v, u
                        if v >= -EDGE and v <= u + EDGE and u <= 1.0 + EDGE:
                            gap = dot(n, p - corner)
                            gather(ground, gathered, p - n * (0.5 * gap), n, gap, side[k].vertex, margin)


@kernel
def gather(ground, gathered, pos, n, gap, vertex, margin):
    """Note a point on a face, unless the same corner has one with the same normal."""
    kept, twins = int(ground.kept), 0.0
    if gap >= margin or kept >= MOST_GATHERED:
        return
    for k in range(kept):
        if floor(gathered[k].feature * 0.125) == vertex:
            if dot(gathered[k].normal, n) > 1.0 - 1e-12:
                return
            twins += 1.0
    note(ground, gathered, pos, n, gap, 8.0 * vertex + min(twins, 7.0))


@kernel
def note(ground, gathered, pos, n, gap, feature):
    """Write a point; the normal still points up."""
    kept = int(ground.kept)
    if kept < MOST_GATHERED:
        spot = gathered[kept]
        spot.pos = pos
        spot.normal = n
        spot.gap = gap
        spot.feature = feature
        ground.kept = kept + 1.0


# ------------------------------------------------------- on sharp edges


@kernel
def lay_on_edges(shapes, ground, core, segment, gathered, margin, spare):
    """Points where edges that stick out touch a shape."""
    c0, c1, r0, r1, low = below(shapes, ground, core, margin)
    if c1 < c0 or r1 < r0:
        return
    flags, columns = int(ground.table) + FIELD_HEAD, int(ground.columns)
    for r in range(r0, r1 + 2):
        for c in range(c0, c1 + 2):
            bits = shapes.int_tables[flags + r * columns + c]
            if bits & RIGHT and c <= c1:
                lay_on_edge(shapes, ground, core, segment, c, r, 0, low, gathered, margin, spare)
            if bits & UP and r <= r1:
                lay_on_edge(shapes, ground, core, segment, c, r, 1, low, gathered, margin, spare)
            if bits & DIAGONAL and c <= c1 and r <= r1:
                lay_on_edge(shapes, ground, core, segment, c, r, 2, low, gathered, margin, spare)


@kernel
def lay_on_edge(shapes, ground, core, segment, c, r, which, low, gathered, margin, spare):
    """One edge: along x (0), along y (1), or diagonal (2)."""
    c_end, r_end = c, r
    if which != 1:
        c_end += 1
    if which != 0:
        r_end += 1
    start, end = node(shapes, ground, c, r), node(shapes, ground, c_end, r_end)
    if max(start.z, end.z) < low:
        return
    open_segment(segment, start, end)
    kept, normal = touch_cores(shapes, segment, core, margin, spare)
    if kept == 0:
        return
    up, spots = -normal, spots_in(spare)
    if not in_cone(shapes, ground, c, r, which, start, end, up):
        up = normal
        gap = dot(up, farthest(shapes, core, -up)) - core.radius - max(dot(up, start), dot(up, end))
        if gap < -HALFWAY * ground.thin or not in_cone(shapes, ground, c, r, which, start, end, up):
            return
        kept, spots[0].gap = 1, gap  # more than half of the shape is below the edge, but not all
    slope = dot(up, segment.z)
    if slope > CONE and not on_peak(shapes, ground, c_end, r_end, up):
        return
    if slope < -CONE and not on_peak(shapes, ground, c, r, up):
        return
    columns = int(ground.columns)
    for k in range(kept):
        spot = spots[k]
        if slope > CONE or spot.feature == 1.0:
            feature = OF_NODE + float(r_end * columns + c_end)
        elif slope < -CONE or spot.feature == 0.0:
            feature = OF_NODE + float(r * columns + c)
        else:
            part = 0.0
            if spot.feature < 3.0 * MANY:
                part = 1.0 + spot.feature - MANY
                if spot.feature >= 2.0 * MANY:
                    part = 2.0 + 8.0 * MOST_SIDES + spot.feature - 2.0 * MANY
            feature = OF_EDGE + PER_EDGE * float(3 * (r * columns + c) + which) + part
        if not has(gathered, int(ground.kept), feature):
            note(ground, gathered, spot.pos, up, spot.gap, feature)


@kernel
def has(gathered, kept, feature):
    """Is there a point with this feature?"""
    k = 0
    while k < kept and gathered[k].feature != feature:
        k += 1
    return k < kept


@kernel
def in_cone(shapes, ground, c, r, which, start, end, up):
    """Does a direction lie between the normals of the triangles beside an edge?"""
    if which == 0:
        return leans_out(shapes, ground, c, r, 0, c + 1, r + 1, start, end, up) and leans_out(
            shapes, ground, c, r - 1, 1, c, r - 1, start, end, up
        )
    if which == 1:
        return leans_out(shapes, ground, c, r, 1, c + 1, r + 1, start, end, up) and leans_out(
            shapes, ground, c - 1, r, 0, c - 1, r, start, end, up
        )
    return leans_out(shapes, ground, c, r, 0, c + 1, r, start, end, up) and leans_out(
        shapes, ground, c, r, 1, c, r + 1, start, end, up
    )


@kernel
def leans_out(shapes, ground, c, r, half, far_c, far_r, start, end, up):
    """Does a direction point away from a triangle beside an edge, or straight up from it?  True if there is none."""
    if c < 0 or r < 0 or c > int(ground.columns) - 2 or r > int(ground.rows) - 2:
        return up.z > -CONE
    n, way = upwards(shapes, ground, c, r, half), end - start
    inward = cross(n, way)
    inward = inward * (1.0 / sqrt(dot(inward, inward)))
    if dot(inward, node(shapes, ground, far_c, far_r) - start) < 0.0:
        inward = -inward
    return dot(inward, up) <= CONE and up.z > -CONE  # of a sharp ridge, it may point to below the other side


@kernel
def on_peak(shapes, ground, c, r, up):
    """Does a direction point away from all edges of a node?"""
    middle = node(shapes, ground, c, r)
    for k in range(6):
        dc, dr = 1, 1  # the six neighbours along edges: ±(1, 0), ±(0, 1), ±(1, 1)
        if k < 4:
            dc, dr = 1 - k // 2, k // 2
        if k % 2 == 1:
            dc, dr = -dc, -dr
        if c + dc >= 0 and r + dr >= 0 and c + dc < int(ground.columns) and r + dr < int(ground.rows):
            way = node(shapes, ground, c + dc, r + dr) - middle
            if dot(way, up) > CONE * sqrt(dot(way, way)):
                return False
    return True


# ------------------------------------------------------- choice


@kernel
def choose_groups(found, count, shapes, gathered, kept, place, core, spare):
    """Of each group of points with nearly the same normal choose four, the group of the deepest point first."""
    spots, left = spots_in(spare), kept
    while left > 0:
        deepest = 0
        for k in range(1, left):
            if gathered[k].gap < gathered[deepest].gap - 1e-8 * core.scale:
                deepest = k
        normal, members, rest = gathered[deepest].normal, 0, 0
        for k in range(left):
            spot = gathered[k]
            if dot(spot.normal, normal) >= SAME or k == deepest:
                member = spots[members]
                member.pos = turned_out(place, spot.pos)
                member.normal = -turned_out(place, spot.normal)
                member.gap = spot.gap
                member.feature = spot.feature
                members += 1
            else:
                other = gathered[rest]
                other.pos, other.normal = spot.pos, spot.normal
                other.gap, other.feature = spot.gap, spot.feature
                rest += 1
        tie, down = 1e-8 * core.scale, -turned_out(place, normal)
        if core.kind == CYLINDER:
            tie = evenness(shapes, core, -normal)
        count = choose_spots(found, count, spots, members, place.pos, down, tie, spare)
        left = rest
    return count


@kernel
def turned_out(place, p):
    """A direction given in the axes of a place, in the world's."""
    return place.x * p.x + place.y * p.y + place.z * p.z
