"""Twist limits inside a region: one smooth rule for every shape.

The boundary is cut into arcs (`twist.cut_rows`) with limits at their ends.  The limit at p is the mean over all arcs,
weighted by

    W = 2 L / (|u| |v| + 2 (cos (1 − h z) − r x))        u, v: chords from p to the arc's ends,  L = 2 r sin: its chord

(x, z: p along the arc's middle and axis; cos, sin: of half its angle).  W is 2 tan(b/2) r / |z − h|, where b is half
the angle the arc fills when p is moved to the middle of its circle by a map that keeps circles.  For short arcs that
is the integral of ds / chord², the weight that makes the mean harmonic in every circular cone.  All weights are
positive, so a lower limit never passes an upper one; W grows without bound only on the arc itself, so boundary values
are met; no ray is cast, so dents and mouths do no harm.
"""

from hitogata.lanes import absolute, atan2, inline, kernel, maximum, record, sqrt, struct, where
from hitogata.spatial import Vec3, cross, dot


@record
class Cut:
    """An arc of the boundary with twist limits at its ends."""

    pull: Vec3              # cos·h·axis + r·middle
    cos: float
    chord: float            # 4 r sin
    start: Vec3
    stop: Vec3
    low0: float
    high0: float
    low1: float
    high1: float


@struct
class Limits:
    """Lower and upper limit, and their gradients."""

    low: float
    high: float
    dlow: Vec3
    dhigh: Vec3


@struct
class Sum:
    """Sums of W and of W times each limit, and their gradients in space."""

    w: float
    low: float
    high: float
    dw: Vec3
    dlow: Vec3
    dhigh: Vec3


@inline
def add_value(w_sum, low_sum, high_sum, p, pull, cos, chord, start, stop, low0, high0, low1, high1, floor):
    """Add one arc, without gradients."""
    u, v = p - start, p - stop
    lu, lv = sqrt(dot(u, u)), sqrt(dot(v, v))
    d = maximum(lu * lv + 2.0 * (cos - dot(p, pull)), floor)
    share = chord / (d * (lu + lv))
    return (w_sum + share * (lu + lv), low_sum + share * (low0 * lv + low1 * lu),
            high_sum + share * (high0 * lv + high1 * lu))


@inline
def add_arc(total, p, pull, cos, chord, start, stop, low0, high0, low1, high1, floor):
    """Add one arc, with gradients."""
    u, v = p - start, p - stop
    lu, lv = sqrt(dot(u, u) + floor), sqrt(dot(v, v) + floor)
    d = maximum(lu * lv + 2.0 * (cos - dot(p, pull)), floor)
    a, b = lu * lv, lu + lv
    one = 1.0 / (a * b * d)                                    # one division for three
    per_a, share, per_d = b * d * one, a * d * one, a * b * one
    w = chord * per_d
    du, dv = u * (lv * per_a), v * (lu * per_a)
    dd = du * lv + dv * lu - pull * 2.0
    dw = dd * (-w * per_d)
    low, high = (low0 * lv + low1 * lu) * share, (high0 * lv + high1 * lu) * share
    dlow = (dv * (low0 - low) + du * (low1 - low)) * (share * w) + dw * low
    dhigh = (dv * (high0 - high) + du * (high1 - high)) * (share * w) + dw * high
    return Sum(total.w + w, total.low + w * low, total.high + w * high,
               total.dw + dw, total.dlow + dlow, total.dhigh + dhigh)


@inline
def mean_of(s):
    """Limits from the sums."""
    share = 1.0 / s.w
    low, high = s.low * share, s.high * share
    return Limits(low, high, (s.dlow - s.dw * low) * share, (s.dhigh - s.dw * high) * share)


@inline
def still(p, low, high):
    """Limits that do not change."""
    zero = p.x * 0.0
    none = Vec3(zero, zero, zero)
    return Limits(zero + low, zero + high, none, none)


@kernel
def mean_values(p, cuts, count, floor):
    """The mean without gradients: a third of the work, enough until a limit is passed."""
    w = p.x * 0.0
    low, high = w, w
    for i in range(count):
        a = cuts[i]
        w, low, high = add_value(w, low, high, p, a.pull, a.cos, a.chord, a.start, a.stop,
                                 a.low0, a.high0, a.low1, a.high1, floor)
    return still(p, low / w, high / w)


@kernel
def mean_slopes(p, cuts, count, floor):
    """The mean with gradients."""
    zero = p.x * 0.0
    none = Vec3(zero, zero, zero)
    total = Sum(zero, zero, zero, none, none, none)
    for i in range(count):
        a = cuts[i]
        total = add_arc(total, p, a.pull, a.cos, a.chord, a.start, a.stop, a.low0, a.high0, a.low1, a.high1, floor)
    return mean_of(total)


# ---------------------------------------------------------------- prisms


@record
class Prism:
    """A triangle of the disc: its three barycentric coordinates and the two limits, each as (1, a, b)."""

    first: Vec3
    second: Vec3
    third: Vec3
    low: Vec3
    high: Vec3


@inline
def affine(v, a, b):
    """v.x + v.y a + v.z b."""
    return v.x + v.y * a + v.z * b


@inline
def least_of(first, second, third, a, b):
    """The least barycentric coordinate: ≥ 0 inside."""
    x, y, z = affine(first, a, b), affine(second, a, b), affine(third, a, b)
    xy = where(x < y, x, y)
    return where(xy < z, xy, z)


@inline
def disc_of(p, bone, f, g):
    """Coordinates in the sin(γ/2) disc and their gradients."""
    size2 = maximum(2.0 * (1.0 + dot(p, bone)), 1e-20)
    per = 1.0 / sqrt(size2)
    a, b = dot(p, f) * per, dot(p, g) * per
    return a, b, f * per - bone * (a / size2), g * per - bone * (b / size2)


@inline
def take(best, hold, p, low, high, a, b, da, db):
    """Limits on a triangle if its least coordinate beats the best so far."""
    more = hold > best[0]
    new = Limits(affine(low, a, b), affine(high, a, b), da * low.y + db * low.z, da * high.y + db * high.z)
    return where(more, hold, best[0]), where(more, new, best[1])


@kernel
def prism_limits(p, prisms, count, bone, f, g):
    """Limits on the triangle that holds p (or misses it least), with gradients."""
    a, b, da, db = disc_of(p, bone, f, g)
    best = (p.x * 0.0 - 1e9, still(p, 0.0, 0.0))
    for i in range(count):
        t = prisms[i]
        best = take(best, least_of(t.first, t.second, t.third, a, b), p, t.low, t.high, a, b, da, db)
    return best[1]


# ---------------------------------------------------------------- poles


@inline
def closeness(p, pole, distance, grad, has):
    """k = ρ², ρ = angle/(angle + distance): 0 at the pole, 1 on the boundary; and its gradient.  1 if the pole has no
    value."""
    across = cross(pole, p)
    sin, cos = sqrt(dot(across, across)), dot(pole, p)
    angle = atan2(sin, cos)
    away = (p * cos - pole) * (1.0 / where(sin > 0.0, sin, 1.0))
    reach = 1.0 / maximum(angle + distance, 1e-30)
    rho = angle * reach
    dk = (away * distance - grad * angle) * (2.0 * rho * reach * reach * has)
    return where(absolute(has) > 0.5, rho * rho, 1.0), dk


@inline
def blend(limits, k0, dk0, k1, dk1, low0, high0, low1, high1):
    """Mean of boundary, pole and antipole with weights k₀k₁, (1 − k₀)k₁, (1 − k₁)k₀ (one pole: Hanaoka 2010, eq.
    3.17)."""
    per = 1.0 / (k0 + k1 - k0 * k1)
    ds = dk0 * (1.0 - k1) + dk1 * (1.0 - k0)

    def one(m, dm, a, b):
        value = (k0 * k1 * m + (1.0 - k0) * k1 * a + (1.0 - k1) * k0 * b) * per
        slope = dm * (k0 * k1) + dk0 * (k1 * (m - a) + (1.0 - k1) * b) + dk1 * (k0 * (m - b) + (1.0 - k0) * a)
        return value, (slope - ds * value) * per
    low, dlow = one(limits.low, limits.dlow, low0, low1)
    high, dhigh = one(limits.high, limits.dhigh, high0, high1)
    return Limits(low, high, dlow, dhigh)
