"""From shapes and poses to contact points."""

from hitogata.contact.bounds import place_shapes
from hitogata.contact.boxes import SPARE, box_on_box
from hitogata.contact.capsule_box import box_on_capsule
from hitogata.contact.capsules import capsule_on_capsule
from hitogata.contact.layout import BOX, CAPSULE, PAIR, PLANE, SPHERE, Found, ShapePlace
from hitogata.contact.planes import box_on_plane, capsule_on_plane, sphere_on_plane
from hitogata.contact.spheres import box_on_sphere, capsule_on_sphere, sphere_on_sphere
from hitogata.lanes import absolute, any_lane, inline, kernel, records, tail
from hitogata.spatial import dot


@kernel
def find_contacts(touch, shapes, poses, pairs, count, margin, work, contacts, points, capacity):
    """Contact points of a list of pairs, in the order of the list; all widths.

    Args:
        touch: the kernel `touch`, or `narrowphase_all_shapes.touch_any`, which knows more kinds of shapes, at width X1.
        shapes: from `open_shapes`.
        poses: records with fields rot (Mat3) and pos (Vec3), world, one per body; `BodyPose` or others.
        pairs: records of `Pair`, ints, width X1, sorted (`ShapeTable.pairs`, or what `sweep` found).
        count: how many.
        margin: points with a gap below this are reported; well below FAR [m].
        work: flat view of scratch: the `ShapePlace` of all shapes, then what `touch` needs (`boxes.SPARE`, or
            `narrowphase_all_shapes.SPARE_ANY`).
        contacts: records of `Contact`, ints, width X1, to be written.
        points: records of `ContactPoint`, to be written.
        capacity: room in both; nothing is written beyond it.

    Returns:
        How many points there are; if more than the capacity, the last ones were lost.
    """
    places = records(work, ShapePlace)
    place_shapes(shapes, poses, places, margin)
    spare = tail(work, shapes.total * ShapePlace.SIZE)
    return touch_pairs(touch, shapes, places, pairs, count, spare, contacts, points, capacity)


@kernel
def work_size(total):
    """Numbers of scratch that `find_contacts` needs for so many shapes, with `touch`."""
    return total * ShapePlace.SIZE + SPARE


@kernel
def touch_pairs(touch, shapes, places, pairs, count, spare, contacts, points, capacity):
    """`find_contacts` for shapes that are placed; `spare`: flat view, the scratch that `touch` needs."""
    end = 0
    for k in range(count):
        a, b = pairs[k].a, pairs[k].b
        if near(shapes.ints[b].kind, places[a], places[b]):
            start, found = end, Found(points, capacity, places[a].reach + places[b].reach, shapes.eps)
            end = touch(found, start, shapes, places, a, b, spare)
            for i in range(start, min(end, capacity)):
                contact = contacts[i]
                contact.pair = min(a, b) * PAIR + max(a, b)
                contact.a = a
                contact.b = b
                contact.body_a = shapes.ints[a].body
                contact.body_b = shapes.ints[b].body
                contact.slot = i - start
    return end


@kernel
def near(kind_b, a, b):
    """Do the boxes around two shapes meet, in any figure?  B may be a plane."""
    if kind_b == PLANE:
        return any_lane(above_plane(a.low, a.high, b.pos, b.z) < b.reach)
    return any_lane(boxes_meet(a.low, a.high, b.low, b.high))


@inline
def boxes_meet(low_a, high_a, low_b, high_b):
    """Do two axis-aligned boxes meet?"""
    x = (low_a.x <= high_b.x) & (low_b.x <= high_a.x)
    y = (low_a.y <= high_b.y) & (low_b.y <= high_a.y)
    return x & y & (low_a.z <= high_b.z) & (low_b.z <= high_a.z)


@inline
def above_plane(low, high, pos, z):
    """Height of the lowest corner of an axis-aligned box over a plane."""
    reach = absolute(z.x) * (high.x - low.x) + absolute(z.y) * (high.y - low.y) + absolute(z.z) * (high.z - low.z)
    return dot(z, (low + high) * 0.5 - pos) - 0.5 * reach


@kernel
def touch(found, count, shapes, places, a, b, spare):
    """Points of one pair, from place `count` on; returns the new count.  The kind of a is not below that of b."""
    kind_a, kind_b = shapes.ints[a].kind, shapes.ints[b].kind
    size_a, size_b = shapes.floats[a].size, shapes.floats[b].size
    pa, pb = places[a], places[b]
    if kind_b == PLANE:
        if kind_a == SPHERE:
            return sphere_on_plane(found, count, pa, size_a, pb)
        if kind_a == CAPSULE:
            return capsule_on_plane(found, count, pa, size_a, pb)
        if kind_a == BOX:
            return box_on_plane(found, count, pa, size_a, pb)
    elif kind_b == SPHERE:
        if kind_a == SPHERE:
            return sphere_on_sphere(found, count, pa, size_a, pb, size_b)
        if kind_a == CAPSULE:
            return capsule_on_sphere(found, count, pa, size_a, pb, size_b)
        if kind_a == BOX:
            return box_on_sphere(found, count, pa, size_a, pb, size_b)
    elif kind_b == CAPSULE:
        if kind_a == CAPSULE:
            return capsule_on_capsule(found, count, pa, size_a, pb, size_b)
        if kind_a == BOX:
            return box_on_capsule(found, count, pa, size_a, pb, size_b)
    elif kind_b == BOX and kind_a == BOX:
        return box_on_box(found, count, pa, size_a, pb, size_b, spare)
    return count
