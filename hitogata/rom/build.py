"""From an outline to pieces: arcs that guide the search, and polynomials of the true curve.

All intervals of one round are worked on together; those that are not good enough are halved for the next.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, unit
from hitogata.rom.layout import AT, DEGREE, EDGE, HEAD, PIECE, ROW
from hitogata.rom.outline import Outline

SLACK = 5e-4
"""Largest distance of a curve from the arc that guides to it [rad]; smaller means more pieces, larger more rivals."""

FIT = 1e-13
"""Largest error of a polynomial [rad]."""

SMALLEST = 1e-8
"""Intervals of u are not halved below this."""

_NODES = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))[::-1]
_CHECK = np.linspace(-1.0, 1.0, 33)
_FIT = np.linalg.inv(chebyshev.chebvander(_NODES, DEGREE))
_AT_CHECK = chebyshev.chebvander(_CHECK, DEGREE)
_D1 = chebyshev.chebder(np.eye(DEGREE + 1))
_D2 = chebyshev.chebder(np.eye(DEGREE + 1), 2)
_FIRST = chebyshev.chebvander(_CHECK, DEGREE - 1) @ _D1
_SECOND = chebyshev.chebvander(_CHECK, DEGREE - 2) @ _D2
_POWERS = np.stack([np.pad(chebyshev.cheb2poly(row), (0, DEGREE + 1))[:DEGREE + 1]
                    for row in np.eye(DEGREE + 1)])[:, ::-1]


@dataclass(frozen=True)
class Pieces:
    """Pieces in order of travel.

    Attributes:
        rows: (n, PIECE).
        polynomials: (n, ROW); empty if the arcs are exact.
        spans: (n, 2) parameters u of start and end.
        turns: (n,) angle by which the boundary turns left at the start of each piece [rad].
        bends: (n,) integral of the geodesic curvature over each piece [rad]; empty for polynomials.
    """

    rows: Array
    polynomials: Array
    spans: Array
    turns: Array
    bends: Array

    @property
    def exact(self) -> bool:
        """Whether the arcs are the boundary."""
        return len(self.polynomials) == 0

    def flat(self) -> Array:
        """The region as `layout` describes it."""
        count = len(self.rows)
        head = np.zeros(HEAD)
        at = HEAD + count * PIECE
        size = at + self.polynomials.size
        slack = self.rows[:, AT["slack"]].max()
        head[:7] = count, float(self.exact), slack, EDGE, 1e-7, at, size
        return np.concatenate([head, self.rows.ravel(), self.polynomials.ravel()])

    def area(self) -> float:
        """Solid angle on the left [sr].

        Arcs: 2π − turning (Gauss and Bonnet).  Polynomials: ∮ e·(c × c')/(1 + e·c) dt, with −e far from the curve, by
        Gauss quadrature.
        """
        if self.exact:
            return float(np.mod(2.0 * np.pi - self.turns.sum() - self.bends.sum(), 4.0 * np.pi))
        c = self.polynomials.reshape(-1, DEGREE + 1, 3)
        t, weight = np.polynomial.legendre.leggauss(24)
        powers = t[:, None] ** np.arange(DEGREE, -1, -1.0)
        x, d = powers @ c, powers[:, 1:] @ (c[:, :-1] * np.arange(DEGREE, 0, -1.0)[:, None])
        trial = np.concatenate([np.eye(3), -np.eye(3), np.stack(np.meshgrid(*[(-1.0, 1.0)] * 3), -1).reshape(-1, 3)])
        trial = unit(np.concatenate([trial, -x[:, 12].mean(0, keepdims=True) - 1e-9]))
        e = -trial[(x.reshape(-1, 3) @ trial.T).max(0).argmin()]
        return float(np.mod(((np.cross(x, d) @ e / (1.0 + x @ e)) @ weight).sum(), 4.0 * np.pi))


def single(flat: Array) -> np.ndarray:
    """A flat region in float32, with tolerances to match.

    Args:
        flat: region, shape (size,).

    Returns:
        The same numbers as float32; the head's tolerances and the slacks widened by the rounding.
    """
    out = flat.copy()
    count = int(out[0])
    out[2] += 1e-6
    out[3], out[4] = 2e-6, 1e-3
    pieces = out[HEAD:HEAD + count * PIECE].reshape(count, PIECE)
    pieces[:, AT["slack"]] += 1e-6
    return out.astype(np.float32)


def pieces_of(outline: Outline, *, slack: float = SLACK, fit: float = FIT) -> Pieces:
    """The pieces of an outline; `slack` and `fit` (see module) change their number, not what they mean."""
    if outline.arcs is not None:
        return _from_arcs(outline)
    return _from_curve(outline, slack, fit)


def _from_arcs(outline: Outline) -> Pieces:
    assert outline.arcs is not None
    rows, ways = [], []
    for arc in outline.arcs:
        half = arc.angle / 2.0
        height = arc.axis @ arc.start
        across = np.cross(arc.axis, arc.start)
        radius = np.linalg.norm(across)
        first = upright(across[None] / radius, arc.axis[None])[0]
        m = upright((np.cross(first, arc.axis) * np.cos(half) + first * np.sin(half))[None], arc.axis[None])[0]
        k = np.cross(arc.axis, m)
        norm = np.hypot(height, radius)
        height, radius = height / norm, radius / norm
        c, s = np.cos(half), np.sin(half)
        start, stop = (arc.axis * height + radius * (m * c + k * d) for d in (-s, s))
        rows.append([*m, *k, *arc.axis, height, radius, c, s, half, 1e-15, 0.0, *start, 0, 0, 0, *stop, 0, 0, 0])
        ways.append([k * c + m * s, k * c - m * s])
    table, way = np.array(rows), np.array(ways)
    turns = _corners(table, way[:, 0], way[:, 1], [(i, i) for i in range(len(table))])
    u = np.arange(len(table) + 1.0)
    return Pieces(table, np.empty((0, ROW)), np.stack([u[:-1], u[1:]], 1), turns,
                  2.0 * table[:, AT["height"]] * table[:, AT["half"]])


def _corners(rows: Array, first: Array, last: Array, names: list[tuple[int, int]]) -> Array:
    """Fill in the inward tangents at starts and stops; returns the turn at each start.  first, last: unit tangents."""
    start = slice(AT["start"], AT["start"] + 3)
    a, t0, t1 = rows[:, start], np.roll(last, 1, 0), first
    turn = np.arctan2((a * np.cross(t0, t1)).sum(1), (t0 * t1).sum(1))
    sharp = np.abs(turn) > np.pi - 1e-6
    if sharp.any():
        k = int(np.argmax(sharp))
        raise RangeError(f"the boundary turns back on itself (a cusp) at the start of segment {names[k][0]}")
    w = (turn / 2.0 + np.pi / 2.0)[:, None]
    side = t0 * np.cos(w) + np.cross(a, t0) * np.sin(w)
    side = unit(side - a * (side * a).sum(1, keepdims=True))
    rows[:, AT["inward0"]:AT["inward0"] + 3] = side
    rows[:, AT["inward1"]:AT["inward1"] + 3] = np.roll(side, -1, 0)
    return turn


def _from_curve(outline: Outline, slack: float, fit: float) -> Pieces:
    assert outline.curve is not None
    breaks = np.arange(outline.segments + 1.0) if outline.breaks is None else outline.breaks
    todo = np.stack([breaks[:-1], breaks[1:]], 1)
    done = []
    while len(todo):
        mid, half = todo.mean(1), (todo[:, 1] - todo[:, 0]) / 2.0
        k = np.floor(mid).astype(int)
        cheb = _FIT @ outline.curve(mid[:, None] + half[:, None] * _NODES, k)
        true = outline.curve(mid[:, None] + half[:, None] * _CHECK, k)
        error = np.abs(_AT_CHECK @ cheb - true).max((1, 2))
        d1, d2 = _FIRST @ cheb, _SECOND @ cheb
        rows, stray, monotone = _guides(true)
        good = (error <= fit) & (stray <= slack) & monotone & (rows[:, AT["half"]] <= 1.0) \
            & (_vertices(true, d1, d2) <= 1)
        good |= half < SMALLEST
        rows[:, AT["focal"]] = _focal(rows[:, 6:9], d1, d2)
        ends = np.stack([d1[:, 0], d1[:, -1]], 1)
        done.append([x[good] for x in (todo, rows, (_POWERS.T @ cheb).reshape(len(todo), ROW), ends)])
        again = todo[~good]
        m = again.mean(1)
        todo = np.concatenate([np.stack([again[:, 0], m], 1), np.stack([m, again[:, 1]], 1)])
    spans, rows, polynomials, ends = (np.concatenate(x) for x in zip(*done, strict=True))
    order = np.argsort(spans[:, 0])
    spans, rows, polynomials, ends = (x[order] for x in (spans, rows, polynomials, ends))
    stop, start = AT["stop"], AT["start"]
    rows[:, stop:stop + 3] = np.roll(rows[:, start:start + 3], -1, 0)
    names = [(int(a), int(b)) for a, b in np.floor(spans)]
    turns = _corners(rows, unit(ends[:, 0]), unit(ends[:, 1]), names)
    return Pieces(rows, polynomials, spans, turns, np.empty(0))


def upright(v: Array, axis: Array) -> Array:
    """v (n, 3), almost unit and at right angles to the axes (n, 3), made so to the last digit: small arcs need it."""
    return unit(v - axis * (v * axis).sum(1, keepdims=True))


def arcs_through(a: Array, m: Array, b: Array) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Arcs from a over m to b, all (n, 3): towards the middle, along there, axis; height, radius, half angle."""
    n = np.cross(m - a, b - m)
    size, chord = np.linalg.norm(n, axis=1), np.linalg.norm(b - a, axis=1)
    flat = size <= 1e-13 * chord + 1e-300                      # too short to tell its bend: a great circle
    great = np.cross(a, b)
    n = np.where(flat[:, None], great / np.maximum(np.linalg.norm(great, axis=1), 1e-300)[:, None],
                 n / np.maximum(size, 1e-300)[:, None])
    height = (n * a).sum(1)
    across = np.cross(n, a)
    radius = np.linalg.norm(across, axis=1)
    k0 = upright(across / radius[:, None], n)
    m0 = np.cross(k0, n)
    half = np.mod(np.arctan2((b * k0).sum(1), (b * m0).sum(1)), 2.0 * np.pi) / 2.0
    mid = upright(m0 * np.cos(half)[:, None] + k0 * np.sin(half)[:, None], n)
    return mid, np.cross(n, mid), n, height, radius, half


def _guides(true: Array) -> tuple[Array, Array, Array]:
    """The arc through start, middle and end of each interval: rows, largest stray, and whether its azimuth only
    grows."""
    a, b = true[:, 0], true[:, -1]
    mid, along, n, h, r, half = arcs_through(a, true[:, 16], b)
    x, y, z = (np.einsum("mki,mi->mk", true, v) for v in (mid, along, n))
    turn = np.arctan2(y, x)
    stray = np.hypot(z - h[:, None], np.hypot(x, y) - r[:, None]).max(1)
    monotone = (np.diff(turn, axis=1) > 0.0).all(1)
    zero, one = np.zeros_like(a), np.ones(len(a))
    columns = np.stack([h, r, np.cos(half), np.sin(half), half, stray * 1.1 + 1e-15, one], 1)
    return np.concatenate([mid, along, n, columns, a, zero, b, zero], 1), stray, monotone


def _vertices(true: Array, d1: Array, d2: Array) -> Array:
    """How many extrema of curvature each interval seems to hold."""
    speed = np.sqrt((d1 * d1).sum(-1))
    curvature = (true * np.cross(d1, d2)).sum(-1) / speed ** 3
    step = np.diff(curvature[:, ::2], axis=1)
    noise = 1e-3 * np.abs(step).max(1, keepdims=True) + 1e-7 * (1.0 + np.abs(curvature).max(1, keepdims=True))
    sign = np.where(np.abs(step) > noise, np.sign(step), 0.0)
    for k in range(1, sign.shape[1]):
        sign[:, k] = np.where(sign[:, k] == 0.0, sign[:, k - 1], sign[:, k])
    return (sign[:, 1:] * sign[:, :-1] < 0.0).sum(1)


def _focal(axis: Array, d1: Array, d2: Array) -> Array:
    """Sine of the cap about ±axis that holds every p with two critical places c(t), c(v) on the piece.

    There p is at right angles to c'(t) and c'(v), so p = ± c'(t) × c'(v) (in the limit c' × c''): sampled, with margin.
    """
    d = d1[:, ::4]
    i, j = np.triu_indices(d.shape[1], 1)
    cross = np.concatenate([np.cross(d[:, i], d[:, j]), np.cross(d1[:, ::4], d2[:, ::4])], 1)
    size = np.linalg.norm(cross, axis=-1)
    out = np.linalg.norm(np.cross(cross, axis[:, None]), axis=-1) / np.maximum(size, 1e-300)
    behind = (cross * axis[:, None]).sum(-1) <= 0.0
    unclear = size < 1e-12 * (d * d).sum(-1).max(1)[:, None]
    return np.minimum(1.0, np.where(behind | unclear, 1.0, out).max(1) * 1.3 + 1e-6)
