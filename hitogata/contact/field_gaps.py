"""How far a convex shape is from a height field, for conservative advancement; width X1.

The ground is solid below: below each triangle stands a prism, convex, and GJK tells its distance.  To measure depths
as well, the shape is made smaller by the depth to which it may sink in, all round: with d the distance of what is left,

    gap = d - depth

That is the gap of a sphere or a capsule, of others the gap of the shape with its edges rounded off.  So a crest counts
however sharp it is.  Where what is left meets the ground, each prism is lowered until the plane of its triangle is as
far below: with d the distance from there,

    gap = d - 2 depth

beside a face, more beside a crest, but no more than -MET depth, and -2 depth where that is met as well.  Meshes cannot
be made smaller so simply: they are measured whole, from the lowered ground, with gap = d - depth.

Only cells within some spacings of the shape are looked at; where all of them are farther away the gap is that bound.
There is no normal: what moves along one prism may come nearer to another.
"""

from hitogata.contact.conservative_advancement import gap_of
from hitogata.contact.convex import SPARE as CONVEX
from hitogata.contact.fields import Ground, cells, height, node, open_ground, to_field, upwards
from hitogata.contact.gjk import APART, BEYOND, approach
from hitogata.contact.layout import BOX, FIELD, MESH
from hitogata.contact.simplices import Support
from hitogata.contact.support import PRISM, Core, farthest, open_core
from hitogata.lanes import kernel, records, sqrt, tail
from hitogata.spatial import Vec3, dot

LOOK_AHEAD = 3.0
"""Cells nearer than so many spacings are looked at."""

LEFT = 1e-3
"""Of its inradius, half the thickness of what is left of a shape: an ellipsoid without any has no farthest point."""

MET = 1.25
"""Depth, in inradii, of shapes whose middle meets the ground, at the least: what was higher must not come there, see
`conservative_advancement.LIMIT`."""


@kernel
def gap_of_any(touch, shapes, places, a, b, depth, margin, points, spare):
    """`conservative_advancement.gap_of` for all kinds of shapes; the normal is 0 where there is none."""
    if shapes.ints[a].kind == FIELD:
        return depth_in_field(shapes, a, b, places[a], places[b], depth, margin, spare), Vec3(0.0, 0.0, 0.0)
    return gap_of(touch, shapes, places, a, b, depth, margin, points, spare)


@kernel
def depth_in_field(shapes, field, shape, place_f, place_s, depth, margin, spare):
    """Gap of a shape over a height field, down to -2 depth."""
    if shapes.ints[shape].kind == MESH:
        return field_gap(shapes, field, shape, place_f, place_s, depth, depth, margin, spare)
    gap = field_gap(shapes, field, shape, place_f, place_s, depth, 0.0, margin, spare)
    if gap <= -depth:
        gap = min(-MET * depth, field_gap(shapes, field, shape, place_f, place_s, depth, depth, margin, spare))
    return gap


@kernel
def make_smaller(core, depth):
    """Take a depth off a core, all round; its radius makes up for it.  Those with a radius are left as they are."""
    if core.kind >= BOX and core.kind != MESH:
        core.radius = (1.0 - LEFT) * depth
        core.size = core.size - Vec3(core.radius, core.radius, core.radius)


@kernel
def field_gap(shapes, field, shape, place_f, place_s, depth, lowered, margin, spare):
    """How far a shape is from a height field; less than -depth is not told unless the ground is lowered."""
    cores, ground = records(spare, Core), records(tail(spare, CONVEX), Ground)[0]
    prism, core, simplex = cores[0], cores[1], records(tail(spare, 2 * Core.SIZE + 8), Support)
    open_core(core, shapes, place_s, shape, place_f.pos)
    to_field(core, place_f)
    make_smaller(core, depth)
    open_ground(shapes, ground, field)
    best = min(margin, LOOK_AHEAD * max(ground.dx, ground.dy))
    low_x, high_x = farthest(shapes, core, Vec3(-1.0, 0.0, 0.0)).x, farthest(shapes, core, Vec3(1.0, 0.0, 0.0)).x
    low_y, high_y = farthest(shapes, core, Vec3(0.0, -1.0, 0.0)).y, farthest(shapes, core, Vec3(0.0, 1.0, 0.0)).y
    low_z, more = farthest(shapes, core, Vec3(0.0, 0.0, -1.0)).z, core.radius + best
    c0, c1 = cells(low_x - more - ground.left, high_x + more - ground.left, ground.dx, ground.columns)
    r0, r1 = cells(low_y - more - ground.front, high_y + more - ground.front, ground.dy, ground.rows)
    bottom = -shapes.floats[field].size.z - lowered
    for r in range(r0, r1 + 1):
        for c in range(c0, c1 + 1):
            top = max(max(height(shapes, ground, c, r), height(shapes, ground, c + 1, r)),
                      max(height(shapes, ground, c, r + 1), height(shapes, ground, c + 1, r + 1)))  # fmt: skip
            x, y, z = ground.left + c * ground.dx, ground.front + r * ground.dy, max(low_z - top, 0.0)
            x, y = max(max(x - high_x, low_x - x - ground.dx), 0.0), max(max(y - high_y, low_y - y - ground.dy), 0.0)
            for half in range(2):
                limit = best + core.radius
                if x * x + y * y + z * z < limit * limit:
                    open_prism(shapes, ground, prism, c, r, half, lowered, bottom)
                    state, v, _ = approach(shapes, core, prism, simplex, limit)
                    if state == APART and dot(v, v) < limit * limit:
                        best = sqrt(dot(v, v)) - core.radius
                    elif state != APART and state != BEYOND:
                        return -depth - lowered
    return best - lowered


@kernel
def open_prism(shapes, ground, core, c, r, half, lowered, bottom):
    """Fill the core of the prism below one of the two triangles of a cell, lowered; see `fields.upwards`."""
    a, b, c1, r1 = node(shapes, ground, c, r), node(shapes, ground, c + 1, r + 1), c + 1, r
    if half == 1:
        c1, r1 = c, r + 1
    third, down = node(shapes, ground, c1, r1), Vec3(0.0, 0.0, lowered / upwards(shapes, ground, c, r, half).z)
    core.x, core.y, core.z = a - down, b - down, third - down
    core.pos = (core.x + core.y + core.z) * (1.0 / 3.0)
    core.size = Vec3(0.0, 0.0, bottom)
    core.kind = float(PRISM)
    core.radius = 0.0
    core.scale = ground.dx + ground.dy
