"""Convex shapes as their support functions, for GJK and EPA; width X1.

A shape is a core and a radius: every point within the radius of the core.

    sphere    its centre           capsule   its axis           others    the whole shape, radius 0

`farthest` gives the point of a core that lies farthest along a direction.  The core of an edge of a height field is
that of a capsule; below a triangle of it stands a PRISM, whose upper corners are x, y, z, and its lowest height size.z.
"""

from hitogata.contact.layout import BOX, CAPSULE, CYLINDER, ELLIPSOID, FIELD, MESH, SPHERE
from hitogata.contact.tables import BESIDE, POINTS, VERTICES
from hitogata.lanes import copysign, inline, kernel, record, sqrt
from hitogata.spatial import Vec3, dot, load3

PRISM = FIELD + 1
"""Kind of a core that no shape has."""

CLIMB_FROM = 40
"""With so many vertices, walking along edges to the farthest is faster than looking at all."""


@record
class Core:
    """A convex shape where it is now."""

    pos: Vec3  # from the origin of the pair: that of shape B
    x: Vec3
    y: Vec3
    z: Vec3
    size: Vec3
    radius: float
    scale: float  # about as large as the core and the ball around it
    kind: float
    table: float  # place of its table, of a mesh
    last: float  # the vertex found last, of a mesh


@kernel
def open_core(core, shapes, place, s, origin):
    """Fill the core of a shape; of a sphere and a capsule the axes that are not set stay untouched."""
    kind, size = shapes.ints[s].kind, shapes.floats[s].size
    core.pos = place.pos - origin
    core.z = place.z
    core.size = size
    core.kind = float(kind)
    core.table = float(shapes.ints[s].table)
    core.last = 0.0
    core.radius = 0.0
    if kind == SPHERE:
        core.radius = size.x
        core.scale = size.x
    elif kind == CAPSULE:
        core.radius = size.x
        core.scale = size.x + size.y
    else:
        core.x = place.x
        core.y = place.y
        core.scale = sqrt(dot(size, size))


@kernel
def open_segment(core, start, end):
    """Fill the core of a segment."""
    half = (end - start) * 0.5
    reach = sqrt(dot(half, half))
    core.pos = (start + end) * 0.5
    core.z = half * (1.0 / reach)
    core.size = Vec3(0.0, reach, 0.0)
    core.kind = float(CAPSULE)
    core.radius = 0.0
    core.scale = reach


@kernel
def farthest(shapes, core, d):
    """The point of a core that is farthest along d, which may have any length but 0."""
    kind = core.kind
    if kind == BOX:
        return (
            core.pos + core.x * copysign(core.size.x, dot(core.x, d)) + core.y * copysign(core.size.y, dot(core.y, d))
            + core.z * copysign(core.size.z, dot(core.z, d))
        )  # fmt: skip
    if kind == CAPSULE:
        return core.pos + core.z * copysign(core.size.y, dot(core.z, d))
    if kind == SPHERE:
        return core.pos
    if kind > ELLIPSOID:
        return on_prism(core.x, core.y, core.z, core.size.z, d)
    local = Vec3(dot(core.x, d), dot(core.y, d), dot(core.z, d))
    if kind == MESH:
        vertex = farthest_vertex(shapes, int(core.table), local, int(core.last))
        core.last = float(vertex)
        p = load3(shapes.float_tables, shapes.int_tables[int(core.table) + POINTS] + 3 * vertex)
    elif kind == CYLINDER:
        p = on_cylinder(core.size.x, core.size.z, local)
    else:
        p = on_ellipsoid(core.size, local)
    return core.pos + core.x * p.x + core.y * p.y + core.z * p.z


@kernel
def farthest_vertex(shapes, table, d, start):
    """The vertex of a mesh that is farthest along d, in the mesh's axes."""
    ints, floats = shapes.int_tables, shapes.float_tables
    points, count = ints[table + POINTS], ints[table + VERTICES]
    best = start
    high = along(floats, points + 3 * best, d)
    if count < CLIMB_FROM:
        for k in range(count):
            value = along(floats, points + 3 * k, d)
            if value > high:
                best, high = k, value
        return best
    beside = ints[table + BESIDE]
    climbing = True
    while climbing:  # a hull has no lower summits
        climbing = False
        now = best
        for e in range(ints[beside + now], ints[beside + now + 1]):
            value = along(floats, points + 3 * ints[e], d)
            if value > high:
                best, high = ints[e], value
                climbing = True
    return best


@inline
def along(floats, at, d):
    """d · the point that stands at a place."""
    return floats[at] * d.x + floats[at + 1] * d.y + floats[at + 2] * d.z


@kernel
def on_cylinder(radius, half, d):
    """The farthest point of a cylinder along d; on the flat ends and sides, the middle."""
    across = sqrt(d.x * d.x + d.y * d.y)
    k = 0.0
    if across > 1e-14 * abs(d.z):
        k = radius / across
    if abs(d.z) <= 1e-14 * across:
        half = 0.0
    return Vec3(d.x * k, d.y * k, copysign(half, d.z))


@kernel
def on_ellipsoid(axes, d):
    """The farthest point of an ellipsoid along d: (a² dx, b² dy, c² dz) / |(a dx, b dy, c dz)|."""
    x, y, z = axes.x * d.x, axes.y * d.y, axes.z * d.z
    k = 1.0 / sqrt(x * x + y * y + z * z)
    return Vec3(axes.x * x * k, axes.y * y * k, axes.z * z * k)


@kernel
def on_prism(a, b, c, bottom, d):
    """The farthest point of an upright prism along d."""
    if d.z < 0.0:
        a, b, c = Vec3(a.x, a.y, bottom), Vec3(b.x, b.y, bottom), Vec3(c.x, c.y, bottom)
    best = a
    if dot(b, d) > dot(best, d):
        best = b
    if dot(c, d) > dot(best, d):
        best = c
    return best
