"""What the kernels of this room read and write: flat arrays, opened as records.

    shapes   ints    header, then one `ShapeInts` per shape, then the tables of `tables`
             floats  header, then one `ShapeFloats` per shape, then the tables of `tables`
    places           one `ShapePlace` per shape: where it is now
    pairs    ints    one `Pair` per candidate pair
    contacts ints    one `Contact` per point: whose it is
             floats  one `ContactPoint` per point: where it is

Ints are what all figures side by side share (width X1), floats what each has for itself.  Shapes are constant, and read
at width X1.

In every pair A is the shape of the higher kind (PLANE < SPHERE < CAPSULE < BOX < MESH < CYLINDER < ELLIPSOID <
FIELD); among equals, the one with the lower index.  The normal points from B to A: the way A must go to get free.
"""

from typing import NamedTuple

from hitogata.lanes import X1, kernel, lanes, record, records, tail
from hitogata.spatial import Mat3, Vec3

PLANE, SPHERE, CAPSULE, BOX, MESH, CYLINDER, ELLIPSOID, FIELD = range(8)
"""Kinds of shapes.  Those above BOX are for `narrowphase_all_shapes`, compiled only by worlds that have them."""

WORLD = -1
"""Body of what never moves."""

FAR = 1e9
"""Gap of a point that one figure has and its neighbour in the register has not [m]."""

MOST_POINTS = 4
"""Points of one pair, at most."""

MOST_SLOTS = 5
"""Points of one pair in all figures side by side, at most."""

PAIR = 1 << 32
"""The number of a pair is PAIR * (lower index) + (higher index)."""

HEADER = 4


@record
class ShapeInts:
    """Whose a shape is, and with whom it may touch."""

    kind: int
    body: int  # row of the poses; WORLD: its pose is the world pose
    group: int  # bits
    mask: int  # bits; a and b may touch if group_a & mask_b and group_b & mask_a
    link: int  # where it came from: link of its figure, -1 if none
    figure: int  # which figure, -1 if none
    table: int  # where in the ints the table of a mesh or height field begins; 0 if there is none


@record
class ShapeFloats:
    """Constants of a shape."""

    rot: Mat3  # of the shape in its body
    pos: Vec3
    size: Vec3  # sphere: radius; capsule: radius, half length; others: half sizes of the box around; plane: nothing
    friction: float
    restitution: float
    mass: float  # of its figure; infinite for what is fixed to the world [kg]
    inradius: float  # of about the largest ball inside; infinite for planes and height fields [m]


@record
class BodyPose:
    """Where a body is in the world.  Kernels take any record with these two fields for it."""

    rot: Mat3
    pos: Vec3


@record
class ShapePlace:
    """Where a shape is: its origin, its axes, the box around it grown by `reach`.  World axes.

    Of a capsule and a plane only z is set, of a sphere no axis; of a plane no box.
    """

    pos: Vec3
    x: Vec3
    y: Vec3
    z: Vec3
    low: Vec3
    high: Vec3
    reach: float  # points of two shapes are looked for up to the sum of their reaches apart [m]


@record
class Pair:
    """Two shapes that may touch."""

    a: int
    b: int


@record
class Contact:
    """Whose a point is."""

    pair: int  # (lower index) * 2^32 + (higher index): points stand in this order
    a: int  # shapes
    b: int
    body_a: int
    body_b: int
    slot: int  # number within its pair


@record
class ContactPoint:
    """A point where two shapes touch, or come nearer than the margin."""

    pos: Vec3  # midway between the surfaces, world [m]
    normal: Vec3  # unit, from B to A
    gap: float  # between the surfaces along the normal; < 0: they overlap [m]
    feature: float  # a whole number, the same for the same corner, edge or end in the next step
    impulse: Vec3  # the solver's, carried from step to step


class Shapes(NamedTuple):
    """Views of the shapes inside kernels."""

    total: int
    eps: float  # of the floats in use
    thinnest: float  # least inradius [m]
    ints: records  # type: ignore[valid-type]
    floats: records  # type: ignore[valid-type]
    int_tables: lanes  # type: ignore[valid-type]
    float_tables: lanes  # type: ignore[valid-type]


@kernel
def open_shapes(ints, floats):
    """Views of the shapes' two arrays."""
    header, numbers = lanes(ints, X1), lanes(floats, X1)
    return Shapes(
        header[0], numbers[0], numbers[1], records(tail(header, HEADER), ShapeInts),
        records(tail(numbers, HEADER), ShapeFloats), header, numbers,
    )  # fmt: skip


class Found(NamedTuple):
    """Where points go, inside kernels."""

    points: records  # type: ignore[valid-type]
    capacity: int  # nothing is written beyond it
    margin: float  # points with a greater gap are left out [m]
    eps: float
