"""Box on capsule: the axis of the capsule and the box decide (`segments`); the radius is added.

Points stand at both ends of the stretch of the axis that lies over the face, seen along the normal, so that a lying
capsule rests on two points; the deepest point is one of them.
"""

from hitogata.contact.layout import FAR
from hitogata.contact.point_output import emit
from hitogata.contact.segments import common_stretch, segment_from_box
from hitogata.lanes import clip, inline, kernel, maximum, where
from hitogata.spatial import Vec3, dot


@kernel
def box_on_capsule(found, count, a, size_a, b, size_b):
    """One or two points.  Features: 0 near the start of the capsule's axis, 1 near its end."""
    r = size_b.x
    arm = b.z * size_b.y
    c, d = in_axes(a.x, a.y, a.z, b.pos - a.pos), in_axes(a.x, a.y, a.z, arm)
    n, separation, t = segment_from_box(c, d, size_a, found.eps)
    low, high, height, rise, nf = common_stretch(c, d, size_a, n, t, found.eps)
    single = (high - low) * size_b.y < 0.05 * r
    first = where(single, clip(t, low, high), low)
    normal = -(a.x * n.x + a.y * n.y + a.z * n.z)
    start, gap = above(b.pos + arm * first, normal, r, maximum((height + rise * first) / nf, separation))
    count = emit(found, count, start, normal, gap, where(single & (t > 0.0), 1.0, 0.0))
    end, gap = above(b.pos + arm * high, normal, r, maximum((height + rise * high) / nf, separation))
    return emit(found, count, end, normal, where(single, FAR, gap), 1.0)


@inline
def above(point, normal, r, distance):
    """(midway point, gap) for a point of the capsule's axis."""
    gap = distance - r
    return point + normal * (r + 0.5 * gap), gap


@inline
def in_axes(x, y, z, p):
    """A direction, in the axes x, y, z."""
    return Vec3(dot(x, p), dot(y, p), dot(z, p))
