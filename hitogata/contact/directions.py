"""Directions that are always of length one."""

from hitogata.lanes import copysign, inline, maximum, sqrt, where
from hitogata.spatial import Vec3, dot

TINY = 1e-36
"""Squares below this have lost their digits in single precision."""


@inline
def unit_or(a, otherwise):
    """(a / |a|, |a|); the unit vector `otherwise` where a vanishes."""
    square = dot(a, a)
    size = sqrt(square)
    good = square > TINY
    return where(good, a * (1.0 / where(good, size, 1.0)), otherwise), size


@inline
def perpendicular(a):
    """A unit vector across the unit vector a (Duff et al. 2017)."""
    sign = copysign(1.0, a.z)
    k = -1.0 / (sign + a.z)
    return Vec3(1.0 + sign * a.x * a.x * k, sign * a.x * a.y * k, -sign * a.x)


@inline
def greatest3(a, b, c):
    """Masks (first, second) that say which of three is greatest; the earlier of equals."""
    first = (a >= b) & (a >= c)
    return first, b >= maximum(c, a)


@inline
def pick(first, second, a, b, c):
    """a, b or c (numbers or structs) by the masks of `greatest3`."""
    return where(first, a, where(second, b, c))
