"""Sphere with sphere, capsule and box: the nearest point of the other's core to the centre decides.

    core of a sphere: its centre; of a capsule: its axis; of a box: the whole box.

With d from the centre of B's ball to A's core, n = d / |d| and gap = |d| - radii.
"""

from hitogata.contact.directions import greatest3, perpendicular, pick, unit_or
from hitogata.contact.point_output import emit
from hitogata.lanes import absolute, clip, copysign, inline, kernel, maximum, where
from hitogata.spatial import Vec3, dot


@kernel
def sphere_on_sphere(found, count, a, size_a, b, size_b):
    """One point; straight up if the centres coincide."""
    normal, distance = unit_or(a.pos - b.pos, Vec3(0.0, 0.0, 1.0))
    return emit_balls(found, count, b.pos, normal, distance, size_a.x, size_b.x, 0.0)


@kernel
def capsule_on_sphere(found, count, a, size_a, b, size_b):
    """One point; across the axis if the centre lies on it."""
    nearest = nearest_on_axis(a.pos, a.z, size_a.y, b.pos)
    normal, distance = unit_or(nearest - b.pos, perpendicular(a.z))
    return emit_balls(found, count, b.pos, normal, distance, size_a.x, size_b.x, 0.0)


@kernel
def box_on_sphere(found, count, a, size_a, b, size_b):
    """One point; through the nearest face if the centre lies inside (Ericson 2005, 5.1.3)."""
    offset = b.pos - a.pos
    local = Vec3(dot(a.x, offset), dot(a.y, offset), dot(a.z, offset))
    out, distance = out_of_box(local, size_a)
    normal = -(a.x * out.x + a.y * out.y + a.z * out.z)
    return emit_balls(found, count, b.pos, normal, distance, 0.0, size_b.x, 0.0)


@kernel
def emit_balls(found, count, centre, normal, distance, radius_a, radius_b, feature):
    """The point between a ball of B and the core of A, `distance` away along the normal."""
    gap = distance - radius_a - radius_b
    return emit(found, count, centre + normal * (radius_b + 0.5 * gap), normal, gap, feature)


@inline
def nearest_on_axis(pos, z, half, point):
    """Nearest point of a capsule's axis."""
    return pos + z * clip(dot(z, point - pos), -half, half)


@inline
def out_of_box(p, half):
    """(unit direction, signed distance) from a box about the origin to a point; the least way out from inside."""
    beyond = Vec3(p.x - clip(p.x, -half.x, half.x), p.y - clip(p.y, -half.y, half.y), p.z - clip(p.z, -half.z, half.z))
    sx, sy, sz = absolute(p.x) - half.x, absolute(p.y) - half.y, absolute(p.z) - half.z
    is_x, is_y = greatest3(sx, sy, sz)
    one = Vec3(where(is_x, 1.0, 0.0), pick(is_x, is_y, 0.0, 1.0, 0.0), pick(is_x, is_y, 0.0, 0.0, 1.0))
    face = Vec3(copysign(one.x, p.x), copysign(one.y, p.y), copysign(one.z, p.z))
    out, distance = unit_or(beyond, face)
    return out, distance + where(distance > 0.0, 0.0, maximum(sx, maximum(sy, sz)))
