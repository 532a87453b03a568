"""Twist limits that an interval of the third Euler angle means (see `euler`), and their gradients.

With longitude λ about a, latitude φ towards N (a = ν N, ν = ±1), P the bone, e its rest, h = P·N = sin φ, m = P·(a × e)
= cos φ sin λ and x = P·e, the twist of R_a(λ) R_b(φ) about the bone and its gradient on the sphere are

    δ = 2 atan2(ν h m, (1 + cos φ)(cos φ + x)),      ∇δ = ν (h a × P + m (N − h P)) / (cos²φ (1 + x))

the latter from dδ = ω·(e + P)/(1 + x), the rate of twist, with ω = dλ a + dφ R_a b.
"""

from hitogata.lanes import atan2, inline, maximum, record, sqrt, where
from hitogata.rom.mean import Limits
from hitogata.spatial import Vec3, cross, dot

SINGULAR = 1e-12
"""cos²φ is not taken below this: at the poles of longitude and latitude the gradient has no bounds."""


@record
class EulerFrame:
    """Axes of a box of Euler angles, in the parent frame."""

    axis: Vec3              # of longitude
    north: Vec3             # the pole
    side: Vec3              # middle longitude of a region that goes through a pole; zero for others


@inline
def euler_limits(at, e, low, high, axis, north, side):
    """Limits of twist at a direction; axis, north, side: see `EulerFrame`."""
    nu, h, m, x = dot(axis, north), dot(at, north), dot(at, cross(axis, e)), dot(at, e)
    flat2 = maximum(1.0 - h * h, SINGULAR)
    flat = sqrt(flat2)
    far = where(dot(at, side) < 0.0, -1.0, 1.0)       # beyond the pole cos φ < 0
    twist = 2.0 * atan2(nu * h * m * far, (1.0 + far * flat) * (flat + far * x))
    slope = (cross(axis, at) * h + (north - at * h) * m) * (nu / (flat2 * maximum(1.0 + x, SINGULAR)))
    return Limits(low + twist, high + twist, slope, slope)
