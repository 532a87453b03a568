"""Where shapes are now, and the axis-aligned boxes around them."""

from hitogata.contact.layout import BOX, CAPSULE, PLANE, SPHERE, WORLD
from hitogata.lanes import absolute, inline, kernel
from hitogata.spatial import Vec3, cols


@kernel
def place_shapes(shapes, poses, places, margin):
    """Place every shape.

    Args:
        shapes: from `open_shapes`.
        poses: records with fields rot (Mat3) and pos (Vec3), world, one per body.
        places: records of `ShapePlace`, one per shape, to be written.
        margin: points may be this far apart [m]; half of it is the reach of every shape.
    """
    for i in range(shapes.total):
        own, place = shapes.floats[i], places[i]
        body = shapes.ints[i].body
        if body == WORLD:
            x, y, z = cols(own.rot)
            put(shapes.ints[i].kind, own.size, place, own.pos, x, y, z, 0.5 * margin)
        else:
            pose = poses[body]
            x, y, z = cols(pose.rot @ own.rot)
            put(shapes.ints[i].kind, own.size, place, pose.pos + pose.rot @ own.pos, x, y, z, 0.5 * margin)


@kernel
def put(kind, size, place, pos, x, y, z, more):
    """Write one place."""
    place.pos = pos
    place.reach = more
    if kind == SPHERE:
        around(place, pos, Vec3(size.x, size.x, size.x), more)
    elif kind == CAPSULE:
        place.z = z
        around(place, pos, capsule_reach(z, size), more)
    elif kind >= BOX:
        place.x = x
        place.y = y
        place.z = z
        around(place, pos, box_reach(x, y, z, size), more)
    elif kind == PLANE:
        place.z = z


@kernel
def around(place, pos, reach, more):
    """The box from pos - reach to pos + reach, and a little more."""
    place.low, place.high = grown(pos - reach, pos + reach, more)


@inline
def grown(low, high, more):
    """A box that is larger on every side."""
    by = Vec3(more, more, more)
    return low - by, high + by


@inline
def capsule_reach(z, size):
    """Half sizes of the box around a capsule."""
    return Vec3(
        absolute(z.x) * size.y + size.x, absolute(z.y) * size.y + size.x, absolute(z.z) * size.y + size.x
    )  # fmt: skip


@inline
def box_reach(x, y, z, half):
    """Half sizes of the box around a turned box."""
    return Vec3(
        absolute(x.x) * half.x + absolute(y.x) * half.y + absolute(z.x) * half.z,
        absolute(x.y) * half.x + absolute(y.y) * half.y + absolute(z.y) * half.z,
        absolute(x.z) * half.x + absolute(y.z) * half.y + absolute(z.z) * half.z,
    )
