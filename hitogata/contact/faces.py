"""Faces of boxes.

Corners are numbered by bits: 1 for +x, 2 for +y, 4 for +z.  An edge is numbered by its axis and its lower corner:
8 * axis + corner.
"""

from hitogata.contact.directions import greatest3, pick
from hitogata.lanes import absolute, copysign, floor, inline, struct, where
from hitogata.spatial import Vec3, dot


@struct
class Face:
    """One face of a box."""

    out: Vec3  # unit normal, outwards
    centre: Vec3
    u: Vec3  # half edges: corners are centre ± u ± v
    v: Vec3
    half_u: float  # their lengths
    half_v: float
    first: float  # number of the corner centre - u - v
    bit_u: float  # what +u adds to it
    bit_v: float


@inline
def face_towards(pos, x, y, z, half, direction):
    """The face of a box whose normal is nearest to a direction."""
    along = Vec3(dot(x, direction), dot(y, direction), dot(z, direction))
    is_x, is_y = greatest3(absolute(along.x), absolute(along.y), absolute(along.z))
    side = copysign(1.0, pick(is_x, is_y, along.x, along.y, along.z))
    out = pick(is_x, is_y, x, y, z) * side
    half_out = pick(is_x, is_y, half.x, half.y, half.z)
    half_u, half_v = where(is_x, half.y, half.x), where(is_x | is_y, half.z, half.y)
    bit_out, bit_u, bit_v = pick(is_x, is_y, 1.0, 2.0, 4.0), where(is_x, 2.0, 1.0), where(is_x | is_y, 4.0, 2.0)
    return Face(
        out, pos + out * half_out, where(is_x, y, x) * half_u, where(is_x | is_y, z, y) * half_v, half_u, half_v,
        where(side > 0.0, bit_out, 0.0), bit_u, bit_v,
    )  # fmt: skip


@inline
def edge_number(bit, corner):
    """Number of the edge along the axis with that bit, from its lower corner."""
    return 8.0 * floor(0.5 * bit) + corner


@inline
def signed(a, plus):
    """+a if `plus` (0 or 1, the same for all figures), else -a."""
    return where(plus > 0, a, -a)


@inline
def added(a, b, plus):
    """a + b if `plus` (0 or 1, the same for all figures), else a."""
    return where(plus > 0, a + b, a)
