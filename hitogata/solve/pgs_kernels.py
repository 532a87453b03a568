"""Kernels of projected Gauss-Seidel: one problem, or lanes of problems with the same rows and discs.

Each row in turn takes the impulse that mends its own speed, within its bounds; its change is spread at once over the
speeds of all rows, w += A_col Δλ.  A row that does not change costs nothing.  A friction disc is a block of three rows:
first the normal, then both tangents together, within the disc of radius μ λ_n.  In the plane it has one tangent,
between −μ λ_n and μ λ_n.
"""

from typing import Any, NamedTuple

from hitogata.lanes import (
    absolute,
    any_lane,
    clip,
    inline,
    kernel,
    maximum,
    packed,
    record,
    records,
    sqrt,
    struct,
    tail,
    where,
)


@struct
class Pair:
    """Two numbers in the plane of contact."""

    x: float
    y: float

    def __sub__(self, o):
        return Pair(self.x - o.x, self.y - o.y)

    def __mul__(self, s):
        return Pair(self.x * s, self.y * s)


@struct
class Grip:
    """How tangent impulses answer sliding: 1/(largest eigenvalue of the tangents' own block), and its inverse."""

    along: float
    xx: float
    xy: float
    yx: float
    yy: float


@record
class Slide:
    """A friction disc, prepared."""

    mu: float
    grip: Grip


SLIDE: int = Slide.SIZE  # type: ignore[attr-defined]
"""Numbers per disc; the first is μ."""

ROW = 5
"""Numbers per row besides A: speed, impulse, low, high, inverse of the diagonal."""


class Rows(NamedTuple):
    """Views of a problem, or of lanes of problems.

    `coupling` holds A column by column, `stride` apart; at width 1 columns and `speed` have room for 7 more numbers.
    `plain`: rows that are no part of a disc; `triples`: rows (normal, tangent, tangent) of each disc; the last is
    −1 for friction in the plane.
    """

    count: Any
    stride: Any
    coupling: Any
    speed: Any
    impulse: Any
    low: Any
    high: Any
    inverse: Any
    slide: Any
    plain: Any
    triples: Any


@kernel
def open_rows(count, stride, coupling, floats, plain, triples):
    """Rows of a flat view: speed, impulse, low, high, inverse, `stride` apart; then the discs."""
    return Rows(
        count, stride, coupling, floats, tail(floats, stride), tail(floats, 2 * stride), tail(floats, 3 * stride),
        tail(floats, 4 * stride), records(tail(floats, ROW * stride), Slide), plain, triples,
    )  # fmt: skip


@kernel
def prepare(rows):
    """Inverses of the diagonal blocks; then speeds with the impulses of the start: w = b + A λ."""
    for i in range(rows.count):
        rows.inverse[i] = inverse_or_zero(rows.coupling[i * rows.stride + i])
    for c in range(rows.triples.shape[0]):
        slide, i, j = rows.slide[c], rows.triples[c, 1], rows.triples[c, 2]
        if j >= 0:
            slide.grip = grip_of(rows.coupling, i, j, rows.stride)
    speed, coupling = packed(rows.speed), packed(rows.coupling)
    for i in range(rows.count):
        spread(speed, coupling, i * rows.stride, rows.count, rows.impulse[i])


@inline
def inverse_or_zero(x):
    """1/x; 0 unless x is positive: such a row is left alone."""
    return where(x > 0.0, 1.0 / where(x > 0.0, x, 1.0), 0.0)


@inline
def grip_of(coupling, i, j, stride):
    """Grip of the 2 x 2 block of the tangents; of a singular one, its largest eigenvalue alone."""
    a, b = coupling[i * stride + i], coupling[j * stride + i]
    c, d = coupling[i * stride + j], coupling[j * stride + j]
    apart, det = a - d, a * d - b * c
    along = inverse_or_zero(0.5 * (a + d + sqrt(maximum(apart * apart + 4.0 * b * c, 0.0))))
    regular = det > 1e-9 * a * d
    over = 1.0 / where(regular, det, 1.0)
    inverse = Grip(along, d * over, -b * over, -c * over, a * over)
    return where(regular, inverse, Grip(along, along, along * 0.0, along * 0.0, along))


@kernel
def sweep(rows):
    """One sweep over all rows, then over all discs."""
    speed, coupling, stride = packed(rows.speed), packed(rows.coupling), rows.stride
    for k in range(rows.plain.size):
        i = rows.plain[k]
        old = rows.impulse[i]
        new = clip(old - rows.speed[i] * rows.inverse[i], rows.low[i], rows.high[i])
        if any_lane(new != old):
            rows.impulse[i] = new
            spread(speed, coupling, i * stride, rows.count, new - old)
    for c in range(rows.triples.shape[0]):
        n, i, j = rows.triples[c, 0], rows.triples[c, 1], rows.triples[c, 2]
        if j >= 0:
            sweep_disc(rows, speed, coupling, rows.slide[c], n, i, j)
        else:
            sweep_line(rows, speed, coupling, rows.slide[c].mu, n, i)


@kernel
def sweep_disc(rows, speed, coupling, slide, n, i, j):
    """The normal, then the tangents.

    If the tangents can stop the sliding they do, exactly; else they take a projected gradient step (never uphill).
    """
    stride, up, column = rows.stride, rows.impulse[n], tail(rows.coupling, n * rows.stride)
    new_up = clip(up - rows.speed[n] * rows.inverse[n], rows.low[n], rows.high[n])
    press = new_up - up
    old = Pair(rows.impulse[i], rows.impulse[j])
    v = Pair(rows.speed[i] + column[i] * press, rows.speed[j] + column[j] * press)
    new = held(slide.grip, old, v, slide.mu * maximum(new_up, 0.0))
    change = new - old
    if any_lane((press != 0.0) | (change.x != 0.0) | (change.y != 0.0)):
        rows.impulse[n], rows.impulse[i], rows.impulse[j] = new_up, new.x, new.y
        spread3(speed, coupling, n * stride, i * stride, j * stride, rows.count, press, change.x, change.y)


@kernel
def sweep_line(rows, speed, coupling, mu, n, i):
    """The normal, then the one tangent of friction in the plane."""
    stride, up, old = rows.stride, rows.impulse[n], rows.impulse[i]
    new_up = clip(up - rows.speed[n] * rows.inverse[n], rows.low[n], rows.high[n])
    press, radius = new_up - up, mu * maximum(new_up, 0.0)
    v = rows.speed[i] + rows.coupling[n * stride + i] * press
    new = clip(old - v * rows.inverse[i], -radius, radius)
    if any_lane((press != 0.0) | (new != old)):
        rows.impulse[n], rows.impulse[i] = new_up, new
        spread2(speed, coupling, n * stride, i * stride, rows.count, press, new - old)


@inline
def held(grip, old, v, radius):
    """Tangent impulses that stop the sliding if the disc has room for them; else on the way there, within the disc."""
    stick = old - Pair(grip.xx * v.x + grip.xy * v.y, grip.yx * v.x + grip.yy * v.y)
    return where(stick.x * stick.x + stick.y * stick.y <= radius * radius, stick, within(old - v * grip.along, radius))


@inline
def within(p, radius):
    """The point, or the nearest one of the disc about the origin."""
    length2 = p.x * p.x + p.y * p.y
    outside = length2 > radius * radius
    return where(outside, p * (radius / sqrt(where(outside, length2, 1.0))), p)


@kernel
def spread(speed, coupling, column, count, change):
    """What an impulse in one row does to the speeds of all."""
    for k in range(0, count, speed.step):
        speed[k] = speed[k] + coupling[column + k] * change


@kernel
def spread2(speed, coupling, first, second, count, x, y):
    """The same for two rows at once."""
    for k in range(0, count, speed.step):
        speed[k] = speed[k] + (coupling[first + k] * x + coupling[second + k] * y)


@kernel
def spread3(speed, coupling, first, second, third, count, x, y, z):
    """The same for three rows at once."""
    for k in range(0, count, speed.step):
        speed[k] = speed[k] + (coupling[first + k] * x + coupling[second + k] * y + coupling[third + k] * z)


@kernel
def unsolved(rows):
    """The largest scaled natural residual, |λ − P(λ − w/A_ii)| √A_ii; NaN if a speed is."""
    worst = 0.0 * rows.speed[0]
    for k in range(rows.plain.size):
        worst = worse(worst, row_missed(rows, rows.plain[k]))
    for c in range(rows.triples.shape[0]):
        slide, n, i, j = rows.slide[c], rows.triples[c, 0], rows.triples[c, 1], rows.triples[c, 2]
        radius = slide.mu * maximum(rows.impulse[n], 0.0)
        worst = worse(worst, row_missed(rows, n))
        if j >= 0:
            old, v = Pair(rows.impulse[i], rows.impulse[j]), Pair(rows.speed[i], rows.speed[j])
            worst = worse(worst, slipped(slide.grip, old, v, radius))
        else:
            worst = worse(worst, missed(rows.speed[i], rows.impulse[i], -radius, radius, rows.inverse[i]))
    return worst


@kernel
def row_missed(rows, i):
    """Scaled natural residual of row i."""
    return missed(rows.speed[i], rows.impulse[i], rows.low[i], rows.high[i], rows.inverse[i])


@inline
def worse(a, b):
    """The larger; NaN if either is."""
    return where(a >= b, a, b) + 0.0 * (a + b)


@inline
def missed(speed, impulse, low, high, inverse):
    """Scaled natural residual of one row; a row without a positive diagonal is not judged here."""
    regular = inverse > 0.0
    miss = absolute(clip(speed * inverse, impulse - high, impulse - low))
    return where(regular, miss / sqrt(where(regular, inverse, 1.0)), 0.0 * speed)


@inline
def slipped(grip, old, v, radius):
    """Scaled residual of a disc."""
    moved, regular = old - within(old - v * grip.along, radius), grip.along > 0.0
    length = sqrt(moved.x * moved.x + moved.y * moved.y)
    return where(regular, length / sqrt(where(regular, grip.along, 1.0)), 0.0 * v.x)
