"""Boundaries that are not circles: a piece's arc guides the search, a polynomial is the curve.

With c(t), −1 ≤ t ≤ 1, and the cost φ = side |p − side·c|²/2 (see `arcs`), on the unit sphere

    φ' = −(p − side·c)·c'      φ'' = side |c'|² − (p − side·c)·c''      φ''' = 3 side c'·c'' − (p − side·c)·c'''

A piece with two critical places has p = ± c'(t) × c'(v): only if p is that near to the arc's axis (`Piece.focal`) can a
piece hold more than one place that is nearest.  Elsewhere Newton from the arc's foot finds it.
"""

from hitogata.lanes import absolute, any_lane, clip, gather, inline, kernel, maximum, sqrt, struct, where
from hitogata.rom.layout import DEGREE, ROW
from hitogata.spatial import Vec3, cross, dot


@struct
class Foot:
    """A place of the boundary: where, which way is in (not of length one), and its cost."""

    point: Vec3
    inward: Vec3
    cost: float
    piece: float
    t: float


@inline
def coefficients(polynomials, piece):
    """The piece's polynomial, highest power first."""
    flat = gather(polynomials, piece * (1.0 * ROW), ROW)
    return tuple(Vec3(*flat[k:k + 3]) for k in range(0, ROW, 3))


@inline
def curve_at(cs, t):
    """Point and first two derivatives."""
    zero = t * 0.0
    c, d, e = cs[0], Vec3(zero, zero, zero), Vec3(zero, zero, zero)
    for k in range(1, DEGREE + 1):
        e = e * t + d
        d = d * t + c
        c = c * t + cs[k]
    return c, d, e * 2.0


@inline
def slopes(cs, p, t, side):
    """φ', φ'' and φ''' at t."""
    zero = t * 0.0
    none = Vec3(zero, zero, zero)
    c, d, e, f = cs[0], none, none, none
    for k in range(1, DEGREE + 1):
        f = f * t + e
        e = e * t + d
        d = d * t + c
        c = c * t + cs[k]
    e, f, to = e * 2.0, f * 6.0, p - c * side
    return -dot(to, d), dot(d, d) * side - dot(to, e), 3.0 * side * dot(d, e) - dot(to, f)


@inline
def newton(cs, p, t, low, high):
    """One step of safe Newton towards the nearest place, between low and high; these too."""
    c, d, e = curve_at(cs, t)
    to, speed2 = p - c, dot(d, d)
    pull = dot(to, d)
    bend = maximum(absolute(speed2 - dot(to, e)), 1e-12 * speed2)      # downhill also beyond a crest
    on = pull > 0.0
    low, high = where(on, t, low), where(on, high, t)
    then = clip(t + clip(pull / bend, -0.5, 0.5), -1.0, 1.0)
    within = where(then >= low, high - then, -1.0) >= 0.0
    return where(within, then, (low + high) * 0.5), low, high


@inline
def cost_at(p, point, side):
    """side |p − side·point|²."""
    d = p - point * side
    return dot(d, d) * side


@inline
def better(best, asked, p, cs, t, inward0, inward1, piece, side):
    """The better of `best` and the place t, where the lane asked."""
    c, d, _ = curve_at(cs, t)
    cost = cost_at(p, c, side)
    take = where(asked, cost - best.cost, 1.0) < 0.0
    inward = where(t >= 1.0, inward1, where(t <= -1.0, inward0, cross(c, d)))
    return where(take, Foot(c, inward, cost, piece, t), best)


@kernel
def walk(p, cs, t, step):
    """The nearest place by Newton from t, for a piece with one critical place at most."""
    low, going = t * 0.0 - 1.0, True
    high = low + 2.0
    for _ in range(60):
        last = t
        then, low, high = newton(cs, p, t, low, high)
        t = where(going, then, t)
        going = going & (absolute(t - last) > step)                    # the next step would be at rounding
        if not any_lane(going):
            break
    return t


@inline
def euler(f, f1, f2):
    """Step to the root of f + f1 s + f2 s²/2 on the way up that is nearest; to its crest if there is none; else far
    on."""
    d = f1 * f1 - 2.0 * f * f2
    den = f1 + sqrt(maximum(d, 0.0))
    up = den > 1e-30
    root = -2.0 * f / where(up, den, 1.0)
    bent = f2 < -1e-30
    crest = where(bent, -f1 / where(bent, f2, 1.0), 0.25)
    return where(d > 0.0, where(up, root, 0.25), where(crest > 0.0, crest, 0.25))


@kernel
def descend(p, cs, way, side, step):
    """The first place that is nearest, walking from the end −way of the piece towards way (1 or −1)."""
    low = p.x * 0.0 - 1.0
    high, met, at, going = low + 2.0, low + 1.0, low, True
    for _ in range(50):
        f, f1, f2 = slopes(cs, p, at * way, side)
        f, f2 = f * way, f2 * way
        down = f < 0.0
        low, high, met = where(down, at, low), where(down, high, at), where(down, met, 1.0)
        then = at + clip(euler(f, f1, f2), -0.5, 0.5)
        safe = where(then > low, high - then, -1.0) >= 0.0             # inside the bracket, or at its open end
        middle = (low + high) * 0.5
        then = where(safe, then, where(met > 0.5, middle, where(at + 0.25 < high, at + 0.25, high)))
        moved = absolute(then - at)
        at = where(going, where(low < high, then, low), at)
        going = going & (where(low < high, moved, 0.0) > step)
        if not any_lane(going):
            break
    return at * way
