"""When strings go around ellipsoids and tori, and which geodesic they take."""

from math import atan2, cos, sin

from hitogata.lanes import kernel, sqrt
from hitogata.muscle.arrays import get3
from hitogata.muscle.circles import INSIDE, NONE, POSSIBLE, SURE, component
from hitogata.muscle.geodesics import (
    ellipsoid_bend,
    ellipsoid_horizon,
    miss,
    search,
    torus_bend,
    torus_horizon,
)
from hitogata.spatial import Vec3, dot, scaled

TRIES = 16
"""Places of the horizon that are tried."""
NEAR = 0.15
"""How far from the last place on the horizon it is looked for again [rad]."""
FAR = 1e6
"""Added to the length of strings on the wrong side [m]."""


@kernel
def wrap_ellipsoid(a, b, axes, axis, sign, out):
    """A string from a to b around an ellipsoid, where the straight line would cut it: the shortest of all.

    With a sign: of those that are shortest among their neighbours, the shortest whose middle lies on that side of
    `axis`, if there is one.  out[7]: place on the horizon to begin with, NaN for none; it is replaced by the one found.
    """
    inverse = Vec3(1.0 / axes.x, 1.0 / axes.y, 1.0 / axes.z)
    p, s = scaled(a, inverse), scaled(b, inverse)
    d = s - p
    dd = dot(d, d)
    if dot(p, p) < 1.0 or dot(s, s) < 1.0:
        return INSIDE
    if dd < 1e-24:
        return NONE
    t = -dot(p, d) / dd
    near = p + d * t
    if dot(near, near) >= 1.0 or t <= 0.0 or t >= 1.0:
        return NONE
    before = out[7]
    if before == before and search(ellipsoid_horizon, ellipsoid_bend, a, b, axes, before - NEAR, before + NEAR, out):
        return SURE
    best, best_angle, found = 0.0, 0.0, False
    step = 6.283185307179586 / TRIES
    angle = -0.5 * step - 3.141592653589793
    last = miss(ellipsoid_horizon, ellipsoid_bend, a, b, axes, angle, out)
    for _ in range(TRIES):
        now = miss(ellipsoid_horizon, ellipsoid_bend, a, b, axes, angle + step, out)
        if last <= 0.0 < now and search(ellipsoid_horizon, ellipsoid_bend, a, b, axes, angle, angle + step, out):
            merit = whole(a, b, out)
            if sign != 0.0 and component(get3(out, 8), axis) * sign < 0.0:
                merit += FAR
            if not found or merit < best:
                found, best, best_angle = True, merit, out[7]
        angle, last = angle + step, now
    if not found:
        return NONE
    miss(ellipsoid_horizon, ellipsoid_bend, a, b, axes, best_angle, out)
    out[7] = best_angle
    return SURE


@kernel
def whole(a, b, out):
    """Length of a string with its straight parts."""
    before, behind = get3(out, 0) - a, b - get3(out, 3)
    return sqrt(dot(before, before)) + out[6] + sqrt(dot(behind, behind))


@kernel
def wrap_torus(a, b, sizes, axis, sign, out):
    """A string from a to b through the hole of a torus about z; sizes: radius of the tube, of the ring.

    Where it bends, and when, by the circle at the ring's place that is nearest to the straight line, as OpenSim has
    it; the string itself is a geodesic of the torus, OpenSim's one of a cylinder put there.
    """
    r, ring = sizes.x, sizes.y
    at = nearest_on_ring(a, b, ring, axis, sign)
    ex, ey = cos(at), sin(at)
    ax, az, bx, bz = ring - (a.x * ex + a.y * ey), a.z, ring - (b.x * ex + b.y * ey), b.z
    if ax * ax + az * az < r * r or bx * bx + bz * bz < r * r:
        return INSIDE
    dx, dz = bx - ax, bz - az
    dd = dx * dx + dz * dz
    if dd < 1e-24:
        return NONE
    t = -(ax * dx + az * dz) / dd
    nx, nz = ax + t * dx, az + t * dz
    cut = nx * nx + nz * nz < r * r and 0.0 < t < 1.0
    first, last = ax >= 0.0, bx >= 0.0
    if not cut and ((first and last) or ((first or last) and nx >= 0.0)):
        return NONE
    spread = 0.6 if a.z < b.z else -0.6  # so that the miss rises
    for _ in range(4):
        if search(torus_horizon, torus_bend, a, b, Vec3(r, ring, ring), at - spread, at + spread, out):
            return SURE if cut and (first or last) else POSSIBLE
        spread *= 0.5
    return NONE


@kernel
def nearest_on_ring(a, b, ring, axis, sign):
    """Angle of the ring's point that is nearest to the line a b; with a sign, of those on that side."""
    best, angle = 1e300, 0.0
    steps = 64
    for k in range(steps + 1):
        t = k / steps
        x, y, z = a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)
        off = sqrt(x * x + y * y) - ring
        far = off * off + z * z
        if sign != 0.0 and component(Vec3(x, y, z), axis) * sign < 0.0:
            far += 1e6
        if far < best:
            best, angle = far, t
    low, high = max(angle - 1.0 / steps, 0.0), min(angle + 1.0 / steps, 1.0)
    for _ in range(60):  # golden section
        one, two = high - 0.6180339887498949 * (high - low), low + 0.6180339887498949 * (high - low)
        if ring_distance(a, b, ring, one) < ring_distance(a, b, ring, two):
            high = two
        else:
            low = one
    t = 0.5 * (low + high)
    return atan2(a.y + t * (b.y - a.y), a.x + t * (b.x - a.x))


@kernel
def ring_distance(a, b, ring, t):
    """Squared distance of a point of the line from the ring."""
    x, y, z = a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)
    off = sqrt(x * x + y * y) - ring
    return off * off + z * z
