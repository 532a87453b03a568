"""Capsule on capsule: nearest points of the two axes; a second point when they lie side by side.

Axes a(s) = a + s u and b(t) = b + t w with unit u, w; |s| ≤ half_a, |t| ≤ half_b.  Without bounds, with r = a - b,
c = u·w:

    s = (c (w·r) - u·r) / (1 - c²),     t = w·(a(s) - b)

s is clipped, then t, and s again for the clipped t (Ericson 2005, 5.1.9).  When the axes are nearly parallel, s is
badly determined, but then the distance hardly depends on it.  Two capsules side by side need two points to rest on each
other: the nearest one, and the end of the common stretch that is farther from it.  Each point is that of two balls
inside the capsules, so no point claims more than there is.
"""

from hitogata.contact.directions import TINY, perpendicular, unit_or
from hitogata.contact.layout import FAR
from hitogata.contact.spheres import emit_balls
from hitogata.lanes import absolute, clip, copysign, inline, kernel, maximum, sqrt, where
from hitogata.spatial import cross, dot

PARALLEL = 0.01
"""Axes with a squared sine below this get a second point."""


@kernel
def capsule_on_capsule(found, count, a, size_a, b, size_b):
    """One or two points.  Features: 0 near the start of B's axis, 1 near its end."""
    r, u, w = a.pos - b.pos, a.z, b.z
    s, t = nearest_on_axes(r, u, w, size_a.y, size_b.y)
    far_t, side_by_side = other_end(r, u, w, size_a.y, size_b.y, size_a.x + size_b.x, t)
    far_s = clip(dot(u, w * far_t - r), -size_a.y, size_a.y)
    normal, distance = apart(r + u * s - w * t, r, u, w, found.eps, size_a.x + size_b.x)
    far_normal, far_distance = apart(r + u * far_s - w * far_t, r, u, w, found.eps, size_a.x + size_b.x)
    upper = where(side_by_side, where(t > far_t, 1.0, 0.0), where(t > 0.0, 1.0, 0.0))
    count = emit_balls(found, count, b.pos + w * t, normal, distance, size_a.x, size_b.x, upper)
    far_distance = where(side_by_side, far_distance, FAR)
    return emit_balls(found, count, b.pos + w * far_t, far_normal, far_distance, size_a.x, size_b.x, 1.0 - upper)


@inline
def nearest_on_axes(r, u, w, half_a, half_b):
    """(s, t) of the nearest points."""
    c, ur, wr = dot(u, w), dot(u, r), dot(w, r)
    normal = cross(u, w)
    sine2 = dot(normal, normal)  # 1 - c², without cancellation
    good = sine2 > TINY
    s = clip(where(good, (c * wr - ur) / where(good, sine2, 1.0), 0.0), -half_a, half_a)
    t = clip(wr + c * s, -half_b, half_b)
    s = clip(c * t - ur, -half_a, half_a)
    return s, clip(wr + c * s, -half_b, half_b)


@inline
def other_end(r, u, w, half_a, half_b, radii, t):
    """(t of the end of the common stretch that is farther from t, is there one?)."""
    c, wr = dot(u, w), dot(w, r)
    normal = cross(u, w)
    reach = half_a * absolute(c)
    low, high = clip(wr - reach, -half_b, half_b), clip(wr + reach, -half_b, half_b)
    far = where(absolute(t - low) > absolute(high - t), low, high)
    return far, (dot(normal, normal) < PARALLEL) & (absolute(far - t) > 0.05 * radii)


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
