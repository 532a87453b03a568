"""Sphere, capsule and box on a plane.  A plane is solid below its z axis, so there is only one way out: up.

A point p of the other shape has the gap z · (p - origin of the plane); its partner on the plane lies straight below,
and the contact point midway.
"""

from hitogata.contact.faces import added, face_towards, signed
from hitogata.contact.point_output import emit
from hitogata.lanes import inline, kernel
from hitogata.spatial import dot


@kernel
def sphere_on_plane(found, count, sphere, size, plane):
    """One point."""
    return emit_ball(found, count, sphere.pos, size.x, plane, 0.0)


@kernel
def capsule_on_plane(found, count, capsule, size, plane):
    """A point below each end; one if the capsule is a ball."""
    arm = capsule.z * size.y
    count = emit_ball(found, count, capsule.pos - arm, size.x, plane, 0.0)
    if size.y > 0.0:
        count = emit_ball(found, count, capsule.pos + arm, size.x, plane, 1.0)
    return count


@kernel
def box_on_plane(found, count, box, size, plane):
    """The corners of the lowest face; the deepest corner of the box is always one of them."""
    face = face_towards(box.pos, box.x, box.y, box.z, size, -plane.z)
    for k in range(4):
        corner, feature = corner_of(face, k % 2, k // 2)
        gap = dot(plane.z, corner - plane.pos)
        count = emit(found, count, corner - plane.z * (0.5 * gap), plane.z, gap, feature)
    return count


@kernel
def emit_ball(found, count, centre, radius, plane, feature):
    """The lowest point of a ball."""
    gap = dot(plane.z, centre - plane.pos) - radius
    return emit(found, count, centre - plane.z * (radius + 0.5 * gap), plane.z, gap, feature)


@inline
def corner_of(face, plus_u, plus_v):
    """Corner and its number; plus_u and plus_v are 0 or 1."""
    corner = face.centre + signed(face.u, plus_u) + signed(face.v, plus_v)
    return corner, added(added(face.first, face.bit_u, plus_u), face.bit_v, plus_v)
