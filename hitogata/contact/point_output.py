"""Writing points down."""

from hitogata.contact.layout import FAR
from hitogata.lanes import any_lane, kernel, where
from hitogata.spatial import Vec3


@kernel
def emit(found, count, pos, normal, gap, feature):
    """Write a point, if any figure has it nearer than the margin; returns the new count.  The others see it FAR away.

    The count goes on beyond the capacity, so that the caller knows how many were lost.
    """
    if any_lane(gap < found.margin):
        if count < found.capacity:
            point = found.points[count]
            point.pos = pos
            point.normal = normal
            point.gap = where(gap < found.margin, gap, FAR)
            point.feature = feature
            point.impulse = Vec3(0.0, 0.0, 0.0)
        count += 1
    return count
