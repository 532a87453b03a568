"""Points of any pair of shapes, with meshes, cylinders, ellipsoids and height fields; width X1.

`narrowphase.touch` knows planes, spheres, capsules and boxes, at every width, and takes part of the time of every step
that is compiled with it.  This one knows all kinds, and is compiled only where they are used.
"""

from hitogata.contact.boxes import SPARE as BOXES
from hitogata.contact.convex import convex_on_convex, convex_on_plane
from hitogata.contact.fields import SPARE as FIELDS
from hitogata.contact.fields import convex_on_field
from hitogata.contact.layout import BOX, FIELD, PLANE
from hitogata.contact.narrowphase import touch
from hitogata.lanes import kernel

SPARE_ANY = max(BOXES, FIELDS)
"""Scratch numbers that a pair of any kinds needs."""


@kernel
def touch_any(found, count, shapes, places, a, b, spare):
    """Points of one pair, from place `count` on; returns the new count.  The kind of a is not below that of b."""
    if shapes.ints[a].kind <= BOX:
        return touch(found, count, shapes, places, a, b, spare)
    return touch_general(found, count, shapes, a, b, places[a], places[b], spare)


@kernel
def touch_general(found, count, shapes, a, b, place_a, place_b, spare):
    """The same of a mesh, cylinder, ellipsoid or height field a with any b, both placed."""
    kind_a, kind_b = shapes.ints[a].kind, shapes.ints[b].kind
    if kind_a == FIELD:
        if PLANE < kind_b < FIELD:
            count = convex_on_field(found, count, shapes, a, b, place_a, place_b, spare)
        return count
    if kind_b == PLANE:
        return convex_on_plane(found, count, shapes, a, place_a, place_b, spare)
    return convex_on_convex(found, count, shapes, a, b, place_a, place_b, spare)
