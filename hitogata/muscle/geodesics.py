"""Taut strings over ellipsoids and tori: straight to the surface, a geodesic on it, straight on; exact.

Seen from a point outside, a surface has a horizon, where lines of sight touch it.  A string from a touches at some
place of that curve, goes on in its own direction along the geodesic, which bends only with the surface (Scholz,
Sherman, Stavness, Delp & Kecskeméthy 2016),

    x'' = -(x'ᵀ H x' / |g|²) g,     g = ∇F, H = ∇∇F, F(x) = 0 on the surface,

to where b comes into view, g · (b - x) = 0, and misses it sideways by some amount: one equation for one place on the
horizon.  The roots at which the string is shortest among its neighbours are found from a scan of the horizon, so that
none is lost.  `Shooter`s tell the surfaces apart: kernels that give the horizon, the gradient and the bend.
"""

from math import acos, atan2, cos, nan, sin

from hitogata.lanes import kernel, sqrt
from hitogata.muscle.arrays import get3, put3
from hitogata.spatial import Vec3, cross, dot, length, scaled

STEP = 0.05
"""Steps of the integration, in the smallest radius: lengths are good to 1e-8 of it and better."""
LIMIT = 4000
"""Steps after which a geodesic is given up."""


@kernel
def search(horizon, bend, a, b, sizes, low, high, out):
    """A root of `miss` between two places of the horizon, rising from `low` to `high`; False if there is none.

    Illinois' method with bisections; `high` may lie before `low`.
    """
    f_low, f_high = miss(horizon, bend, a, b, sizes, low, out), miss(horizon, bend, a, b, sizes, high, out)
    if not f_low <= 0.0 < f_high:
        return False
    middle, f = low, f_low
    for k in range(80):
        middle = low - f_low * (high - low) / (f_high - f_low)
        if k % 4 == 3:
            middle = 0.5 * (low + high)
        f = miss(horizon, bend, a, b, sizes, middle, out)
        if abs(f) < 1e-13 or abs(high - low) < 1e-15:
            break
        if f <= 0.0:
            low, f_low, f_high = middle, f, 0.5 * f_high
        else:
            high, f_high, f_low = middle, f, 0.5 * f_low
    out[7] = middle
    return abs(f) < 1e-6  # not where the sign only jumps


@kernel
def miss(horizon, bend, a, b, sizes, angle, out):
    """Shoot a string from a over the horizon: how far it misses b sideways, as a sine; 1 or -1 if it never sees b.

    Out: where it touches first and last, the length between, and the middle of both.
    """
    x = horizon(a, b, sizes, angle)
    v = x - a
    reach = length(v)
    if reach < 1e-12:
        return nan
    v = v * (1.0 / reach)
    put3(out, 0, x)
    h = STEP * min(sizes.x, sizes.y, sizes.z)
    far, tau = 0.0, 0.0
    if dot(b - x, v) <= 0.0:
        return beside(bend, x, v, b, sizes)
    if ahead(bend, x, v, b, sizes) < 0.0:
        steps = 0
        y, w = advance(bend, x, v, sizes, h)
        while ahead(bend, y, w, b, sizes) < 0.0 and dot(b - y, w) > 0.0 and steps < LIMIT:
            x, v, far, steps = y, w, far + h, steps + 1
            y, w = advance(bend, x, v, sizes, h)
        if steps >= LIMIT:
            return nan
        tau = h
        if dot(b - y, w) <= 0.0:  # it has passed b by: did it see b before?
            tau = part_of_step(bend, x, v, b, sizes, h, True)
            y, w = advance(bend, x, v, sizes, tau)
            if ahead(bend, y, w, b, sizes) < 0.0:
                return beside(bend, y, w, b, sizes)
        tau = part_of_step(bend, x, v, b, sizes, tau, False)
        x, v = advance(bend, x, v, sizes, tau)
    put3(out, 3, x)
    out[6] = far + tau
    put3(out, 8, (get3(out, 0) + x) * 0.5)
    g, _ = bend(x, v, sizes)
    side, to = cross(g * (1.0 / length(g)), v), b - x
    reach = length(to)
    return -dot(to, side) / reach if reach > 1e-12 else 0.0


@kernel
def beside(bend, x, v, b, sizes):
    """On which side b lies: as far off as a sine can be."""
    g, _ = bend(x, v, sizes)
    return 1.0 if dot(b - x, cross(g, v)) < 0.0 else -1.0


@kernel
def ahead(bend, x, v, b, sizes):
    """How far b lies above the tangent plane, with the gradient's length."""
    g, _ = bend(x, v, sizes)
    return dot(g, b - x)


@kernel
def part_of_step(bend, x, v, b, sizes, h, abeam):
    """The part of a step after which b comes into view, or, abeam, lies straight to one side (Illinois)."""
    low, high, f_low, f_high = 0.0, h, 0.0, 0.0
    y, w = advance(bend, x, v, sizes, h)
    if abeam:
        f_low, f_high = -dot(b - x, v), -dot(b - y, w)
    else:
        f_low, f_high = ahead(bend, x, v, b, sizes), ahead(bend, y, w, b, sizes)
    span, tau = f_high - f_low, h
    for _ in range(60):
        if f_high == f_low:
            break
        tau = low - f_low * (high - low) / (f_high - f_low)
        y, w = advance(bend, x, v, sizes, tau)
        f = -dot(b - y, w) if abeam else ahead(bend, y, w, b, sizes)
        if high - low < 1e-15 * h or abs(f) < 1e-16 * span:
            break
        if f <= 0.0:
            low, f_low, f_high = tau, f, 0.5 * f_high
        else:
            high, f_high, f_low = tau, f, 0.5 * f_low
    return tau


@kernel
def advance(bend, x, v, sizes, h):
    """One step of length h along a geodesic (Runge & Kutta's fourth order), put back on the surface."""
    a1 = pull(bend, x, v, sizes)
    v2 = v + a1 * (0.5 * h)
    a2 = pull(bend, x + v * (0.5 * h), v2, sizes)
    v3 = v + a2 * (0.5 * h)
    a3 = pull(bend, x + v2 * (0.5 * h), v3, sizes)
    v4 = v + a3 * h
    a4 = pull(bend, x + v3 * h, v4, sizes)
    y = x + (v + (v2 + v3) * 2.0 + v4) * (h / 6.0)
    w = v + (a1 + (a2 + a3) * 2.0 + a4) * (h / 6.0)
    return y, w * (1.0 / length(w))


@kernel
def pull(bend, x, v, sizes):
    """Acceleration that keeps a speed on the surface."""
    g, curve = bend(x, v, sizes)
    return g * (-curve / dot(g, g))


@kernel
def ellipsoid_horizon(a, b, axes, angle):
    """The horizon seen from a, counted from the direction of b: a circle, once divided by the half axes."""
    inverse = Vec3(1.0 / axes.x, 1.0 / axes.y, 1.0 / axes.z)
    p, s = scaled(a, inverse), scaled(b, inverse)
    pp = dot(p, p)
    e1 = s - p * (dot(s, p) / pp)
    if dot(e1, e1) < 1e-18 * dot(s, s):  # b opposite a: any direction to count from
        e1 = cross(p, Vec3(1.0, 0.0, 0.0) if abs(p.x) < 0.7 * sqrt(pp) else Vec3(0.0, 1.0, 0.0))
    e1 = e1 * (1.0 / length(e1))
    e2 = cross(p, e1) * (1.0 / sqrt(pp))
    radius = sqrt(max(1.0 - 1.0 / pp, 0.0))
    return scaled(p * (1.0 / pp) + e1 * (radius * cos(angle)) + e2 * (radius * sin(angle)), axes)


@kernel
def ellipsoid_bend(x, v, axes):
    """g and vᵀ H v of F = ½ Σ (x/a)²."""
    square = Vec3(1.0 / (axes.x * axes.x), 1.0 / (axes.y * axes.y), 1.0 / (axes.z * axes.z))
    return scaled(x, square), dot(v, scaled(v, square))


@kernel
def torus_horizon(a, b, sizes, angle):
    """The horizon's point on the tube's circle at an angle about z, on the side of the hole.

    With the circle's normal n(v) = cos v e + sin v z: n · (x - a) = 0 is A cos v + B sin v = -r.  sizes: radius of the
    tube, of the ring.
    """
    r, ring = sizes.x, sizes.y
    ex, ey = cos(angle), sin(angle)
    A, B = ring - (a.x * ex + a.y * ey), -a.z
    off = acos(max(min(-r / sqrt(A * A + B * B), 1.0), -1.0))
    middle = atan2(B, A)
    v = middle + off
    if cos(middle - off) < cos(v):
        v = middle - off
    rho = ring + r * cos(v)
    return Vec3(rho * ex, rho * ey, r * sin(v))


@kernel
def torus_bend(x, v, sizes):
    """g and vᵀ H v of F = ½ ((ρ - R)² + z²), ρ the distance from the axis."""
    rho = sqrt(x.x * x.x + x.y * x.y)
    rate = (x.x * v.x + x.y * v.y) / rho
    off = rho - sizes.y
    turn = (v.x * v.x + v.y * v.y - rate * rate) / rho
    return Vec3(off * x.x / rho, off * x.y / rho, x.z), rate * rate + off * turn + v.z * v.z
