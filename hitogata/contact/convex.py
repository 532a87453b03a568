"""Convex shapes of any kind with each other and with planes: distance or depth, then points; width X1.

`approach` finds the distance of the cores, or that they meet; then `expand` the depth.  Of directions that are as good,
but for rounding, the normal of a face is taken: it is the same in the next step.

The points are corners of the intersection of the two sides, seen along the normal, each with its gap along it, as for
boxes (see `boxes`).  If none has the least gap, the shapes are apart at corners or round, and the nearest point is the
only one.
"""

from hitogata.contact.clipping import Corner, spread
from hitogata.contact.directions import perpendicular
from hitogata.contact.epa import SPARE as EXPANDING
from hitogata.contact.epa import expand
from hitogata.contact.gjk import APART, BEYOND, approach, nearest_on_a
from hitogata.contact.layout import BOX, CYLINDER, ELLIPSOID, MESH, SPHERE
from hitogata.contact.point_output import emit
from hitogata.contact.polygons import LEVEL, SIDE, SideCorner, Spot, common_corners, side_towards
from hitogata.contact.simplices import Support
from hitogata.contact.support import Core, farthest, farthest_vertex, open_core
from hitogata.contact.tables import MOST_SIDES, NORMALS, OF_VERTEX
from hitogata.lanes import copysign, kernel, records, sqrt, tail
from hitogata.spatial import Vec3, cross, dot, load3

NEAREST = float(1 << 51)
"""Feature of the nearest point of shapes that are round or apart at corners."""

MOST_SPOTS = 4 * MOST_SIDES
RIM_LOSS = 0.005
"""Part of the tie that the fixed corners around a level end of a cylinder may miss of the depth."""

AS_GOOD = 1e-9
"""Depths that differ by less than this part of the size are equal: then the normal of a face is taken."""

_CORES = 2 * Core.SIZE + 8  # type: ignore[attr-defined]
_SPOTS = MOST_SPOTS * Spot.SIZE  # type: ignore[attr-defined]
_CHOSEN = (MOST_SPOTS + 4) * Corner.SIZE  # type: ignore[attr-defined]
SPARE = _CORES + EXPANDING + 2 * SIDE + _SPOTS + _CHOSEN
"""Scratch numbers that a pair needs."""


@kernel
def spots_in(spare):
    """Where points are noted."""
    return records(tail(spare, _CORES + EXPANDING + 2 * SIDE), Spot)


@kernel
def convex_on_convex(found, count, shapes, a, b, place_a, place_b, spare):
    """Up to four points of shapes a and b."""
    cores, origin = records(spare, Core), place_b.pos
    open_core(cores[0], shapes, place_a, a, origin)
    open_core(cores[1], shapes, place_b, b, origin)
    kept, normal = touch_cores(shapes, cores[0], cores[1], found.margin, spare)
    if kept > 0:
        tie = tie_of(shapes, cores[0], cores[1], normal)
        count = choose_spots(found, count, spots_in(spare), kept, origin, normal, tie, spare)
    return count


@kernel
def touch_cores(shapes, a, b, margin, spare):
    """Note the points of two cores; returns (how many, normal)."""
    normal, separation, on_a, near = way_out(shapes, a, b, margin, tail(spare, _CORES))
    radii = a.radius + b.radius
    least = separation - radii
    if not near or least >= margin:
        return 0, normal
    spots = spots_in(spare)
    kept, count_a, count_b = 0, 1, 1
    side_a = records(tail(spare, _CORES + EXPANDING), SideCorner)
    side_b = records(tail(spare, _CORES + EXPANDING + SIDE), SideCorner)
    if a.kind != ELLIPSOID and b.kind != ELLIPSOID and b.kind != SPHERE:
        count_a = side_towards(shapes, a, -normal, side_a)
        count_b = side_towards(shapes, b, normal, side_b)
    if count_a > 1 and count_b > 1:
        x = perpendicular(normal)
        kept, lowest = common_corners(
            side_a, count_a, side_b, count_b, x, cross(normal, x), normal, a.radius, b.radius, least, margin, spots
        )
        if lowest > least + 1e-8 * (a.scale + b.scale) + RIM_LOSS * tie_of(shapes, a, b, normal):
            kept = 0
    if kept == 0:
        spot = spots[0]
        spot.pos = on_a - normal * (a.radius + 0.5 * least)
        spot.normal = normal
        spot.gap = least
        spot.feature = NEAREST
        kept = 1
    return kept, normal


@kernel
def way_out(shapes, a, b, margin, spare):
    """(unit normal from B to A, separation of the cores, point of A, is it below the margin?)."""
    simplex = records(spare, Support)
    state, v, corners = approach(shapes, a, b, simplex, margin + a.radius + b.radius)
    if state == BEYOND:
        return v, 0.0, v, False
    if state == APART:
        distance = sqrt(dot(v, v))
        return v * (1.0 / distance), distance, nearest_on_a(simplex, corners), True
    normal, separation, on_a = expand(shapes, a, b, corners, spare)
    if separation < -1e299:
        return normal, 0.0, on_a, False
    enough = separation - AS_GOOD * (a.scale + b.scale)
    for k in range(2):
        if k == 0:
            n = -face_normal(shapes, a, -normal)
        else:
            n = face_normal(shapes, b, normal)
        if dot(n, n) > 0.5:
            along = dot(n, farthest(shapes, a, -n) - farthest(shapes, b, n))
            if along >= enough:
                return n, along, on_a, True
    return normal, separation, on_a, True


@kernel
def face_normal(shapes, core, d):
    """The normal of a face near the farthest point along d that is nearest to d; 0 if there is none."""
    if core.kind == BOX:
        x, y, z = dot(core.x, d), dot(core.y, d), dot(core.z, d)
        if abs(x) >= abs(y) and abs(x) >= abs(z):
            return core.x * copysign(1.0, x)
        if abs(y) >= abs(z):
            return core.y * copysign(1.0, y)
        return core.z * copysign(1.0, z)
    if core.kind != MESH:
        return d * 0.0
    ints, table = shapes.int_tables, int(core.table)
    local = Vec3(dot(core.x, d), dot(core.y, d), dot(core.z, d))
    vertex = farthest_vertex(shapes, table, local, int(core.last))
    around, best, n = ints[table + OF_VERTEX], -2.0, local
    for e in range(ints[around + vertex], ints[around + vertex + 1]):
        normal = load3(shapes.float_tables, ints[table + NORMALS] + 3 * ints[e])
        near = dot(normal, local)
        if near > best:
            best, n = near, normal
    return core.x * n.x + core.y * n.y + core.z * n.z


# ------------------------------------------------------- on a plane


@kernel
def convex_on_plane(found, count, shapes, a, place_a, plane, spare):
    """Up to four corners of the lowest side; the deepest point is always one of them."""
    core, origin, n = records(spare, Core)[0], plane.pos, plane.z
    open_core(core, shapes, place_a, a, origin)
    if dot(n, farthest(shapes, core, -n)) >= found.margin:
        return count
    side, spots, kept = records(tail(spare, _CORES + EXPANDING), SideCorner), spots_in(spare), 0
    sides = side_towards(shapes, core, -n, side)
    for k in range(sides):
        gap = dot(n, side[k].at)
        if gap < found.margin:
            spot = spots[kept]
            spot.pos = side[k].at - n * (0.5 * gap)
            spot.normal = n
            spot.gap = gap
            spot.feature = side[k].vertex
            kept += 1
    tie = 1e-8 * core.scale
    if core.kind == CYLINDER:
        tie = evenness(shapes, core, -n)
    return choose_spots(found, count, spots, kept, origin, n, tie, spare)


# ------------------------------------------------------- four of many


@kernel
def tie_of(shapes, a, b, normal):
    """Depths of points of two cores that differ by less are equal: of a cylinder that stands level on something level,
    the same corners are chosen in every step; of others, the deepest."""
    if a.kind == CYLINDER or b.kind == CYLINDER:
        return min(evenness(shapes, a, -normal), evenness(shapes, b, normal))
    return 1e-8 * min(a.scale, b.scale)


@kernel
def evenness(shapes, core, d):
    """How much the depths of corners of the side towards d may differ by chance."""
    if core.kind == CYLINDER:
        x, y = dot(core.x, d), dot(core.y, d)
        if x * x + y * y <= LEVEL * LEVEL:
            return 2.0 * LEVEL * core.size.x
    elif BOX <= core.kind <= MESH:
        off = cross(face_normal(shapes, core, d), d)
        if dot(off, off) <= LEVEL * LEVEL:
            return 2.0 * LEVEL * core.scale
    return 1e-8 * core.scale


@kernel
def choose_spots(found, count, spots, kept, origin, normal, tie, spare):
    """Write down the four spots that are spread most, or all if they are few; returns the new count."""
    chosen = records(tail(spare, _CORES + EXPANDING + 2 * SIDE + _SPOTS), Corner)
    x = perpendicular(normal)
    y = cross(normal, x)
    for k in range(kept):
        corner, spot = chosen[k], spots[k]
        corner.x = dot(spot.pos, x)
        corner.y = dot(spot.pos, y)
        corner.gap = spot.gap
        corner.feature = spot.feature
    left = spread(chosen, kept, found.margin, tie, MOST_SPOTS)
    for k in range(left):
        if chosen[k].gap < found.margin:
            spot = spots[place_of(spots, kept, chosen[k].feature)]
            count = emit(found, count, spot.pos + origin, spot.normal, spot.gap, spot.feature)
    return count


@kernel
def place_of(spots, kept, feature):
    """The first spot with a feature; the last if there is none."""
    for k in range(kept):
        if spots[k].feature == feature:
            return k
    return kept - 1
