"""From pairs to contact points: the narrow phase."""

from hitogata.contact.boxes import box_on_box
from hitogata.contact.capsule_box import box_on_capsule
from hitogata.contact.capsules import capsule_on_capsule
from hitogata.contact.layout import BOX, CAPSULE, PLANE, SPHERE, Found
from hitogata.contact.planes import box_on_plane, capsule_on_plane, sphere_on_plane
from hitogata.contact.spheres import box_on_sphere, capsule_on_sphere, sphere_on_sphere
from hitogata.lanes import kernel


@kernel
def touch_pairs(shapes, places, pairs, count, margin, spare, contacts, points, capacity):
    """Contact points of a list of pairs, in the order of the list.

    Args:
        shapes: from `open_shapes`.
        places: records of `ShapePlace`, from `place_shapes`.
        pairs: records of `Pair`, ints.
        count: how many.
        margin: points with a gap below this are reported [m].
        spare: flat view, `boxes.SPARE` numbers of scratch.
        contacts: records of `Contact`, ints, to be written.
        points: records of `ContactPoint`, to be written.
        capacity: room in both; nothing is written beyond it.

    Returns:
        How many points there are; if more than the capacity, the last ones were lost.
    """
    found, end = Found(points, capacity, margin, shapes.eps), 0
    for k in range(count):
        start, a, b = end, pairs[k].a, pairs[k].b
        end = touch(found, start, shapes, places, a, b, spare)
        for i in range(start, min(end, capacity)):
            contact = contacts[i]
            contact.pair = min(a, b) * shapes.count + max(a, b)
            contact.a = a
            contact.b = b
            contact.body_a = shapes.ints[a].body
            contact.body_b = shapes.ints[b].body
            contact.slot = i - start
    return end


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
