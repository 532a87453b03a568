"""Capsule on capsule: nearest points of the two axes; a second point when they lie side by side.

Axes a(s) = a + s u and b(t) = b + t w with unit u, w; |s| ≤ half_a, |t| ≤ half_b.  Without bounds, with r = a - b,
m = u × w:

    r + s u - t w = k m   →   s = -(r × w)·m / m²,     t = w·(a(s) - b)

s is clipped, then t, and s again for the clipped t (Ericson 2005, 5.1.9).  When the axes are nearly parallel, s is
badly determined, but then the distance hardly depends on it; and of the usual forms this one loses the fewest digits,
by 1/|m| instead of 1/m².

Two capsules side by side rest on each other at the two ends of their common stretch.  These are reported, and the
nearest point too unless one of them is as near.  Each point is that of two balls inside the capsules, so no point
claims more than there is.
"""

from hitogata.contact.directions import TINY, perpendicular, unit_or
from hitogata.contact.layout import FAR
from hitogata.contact.spheres import emit_balls
from hitogata.lanes import absolute, any_lane, clip, copysign, inline, kernel, maximum, minimum, sqrt, where
from hitogata.spatial import cross, dot

PARALLEL = 0.01
"""Axes with a squared sine below this lie side by side."""

SAME = 1e-8
"""Distances that differ by less, relative to the radii, are the same."""


@kernel
def capsule_on_capsule(found, count, a, size_a, b, size_b):
    """One to three points.  Features: 0 and 1 the ends of the common stretch along B's axis, 2 the nearest point."""
    r, u, w, radii = a.pos - b.pos, a.z, b.z, size_a.x + size_b.x
    s, t = nearest_on_axes(r, u, w, size_a.y, size_b.y)
    normal, distance = apart(r + u * s - w * t, r, u, w, found.eps, radii)
    if any_lane(distance < radii + found.margin):
        low, high, beside = common_stretch(r, u, w, size_a.y, size_b.y, radii)
        least = distance * 0.0 + FAR
        if any_lane(beside):
            for k in range(2):
                t_end = where(k > 0, high, low)
                s_end = clip(dot(u, w * t_end - r), -size_a.y, size_a.y)
                across, far = apart(r + u * s_end - w * t_end, r, u, w, found.eps, radii)
                far = where(beside, far, FAR)
                least = minimum(least, far)
                feature = where(k > 0, 1.0, 0.0)
                count = emit_balls(found, count, b.pos + w * t_end, across, far, size_a.x, size_b.x, feature)
        distance = where(distance < least - SAME * radii, distance, FAR)
        count = emit_balls(found, count, b.pos + w * t, normal, distance, size_a.x, size_b.x, 2.0)
    return count


@inline
def nearest_on_axes(r, u, w, half_a, half_b):
    """(s, t) of the nearest points."""
    c, ur, wr = dot(u, w), dot(u, r), dot(w, r)
    normal = cross(u, w)
    sine2 = dot(normal, normal)
    good = sine2 > TINY
    s = clip(where(good, -dot(cross(r, w), normal) / where(good, sine2, 1.0), 0.0), -half_a, half_a)
    t = clip(wr + c * s, -half_b, half_b)
    s = clip(c * t - ur, -half_a, half_a)
    return s, clip(wr + c * s, -half_b, half_b)


@inline
def common_stretch(r, u, w, half_a, half_b, radii):
    """(from, to, is it one?): the part of B's axis beside A's, if they are nearly parallel."""
    reach, wr, normal = half_a * absolute(dot(u, w)), dot(w, r), cross(u, w)
    low, high = clip(wr - reach, -half_b, half_b), clip(wr + reach, -half_b, half_b)
    return low, high, (dot(normal, normal) < PARALLEL) & (high - low > 0.05 * radii)


@inline
def apart(d, r, u, w, eps, radii):
    """(unit normal, distance) for d from B's axis to A's.

    Where the axes meet, d has no direction left: across both, to the side of A's centre.
    """
    across, sine = unit_or(cross(u, w), perpendicular(u))
    across = where(sine > sqrt(eps), across, perpendicular(u))
    across = across * copysign(1.0, dot(across, r))
    square = dot(d, d)
    good = square > maximum(TINY, 0.01 * eps * radii * radii)
    distance = sqrt(square)
    return where(good, d * (1.0 / where(good, distance, 1.0)), across), distance
