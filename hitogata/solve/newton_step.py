"""Newton's step on the natural map, for the rows that can still move (Alart & Curnier 1991).

The map is piecewise smooth; a step solves the piece that x is on.  With target = x − v:

    row, target beyond a bound      x_i goes to the bound
    row, target within              v_i = 0
    disc, normal at 0               x_t = 0
    disc, |target_t| ≤ r            v_t = 0                                                 (sticks)
    disc, else, u = target_t/|target_t|, t across u
                                    x_t = μ x_n u + y t,  t·v + (|target_t|/r − 1) (t·x_t) = 0   (slides)

so that open contacts drop out, a sliding one has two unknowns (x_n, y), and one in the plane has one.  The rest is a
dense linear system.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hitogata.solve.natural_map import ScaledProblem
from hitogata.solve.problem import Array, put_tangents, tangents_of


class Piece(NamedTuple):
    """The piece of the map that x is on.

    Attributes:
        inner: rows, no tangents, with v = 0 to come; shape (n,).
        known: how far rows go that are not solved for, shape (n,); part of the way for sliding tangents.
        stick: discs that stick, indices.
        slide: discs that slide, indices.
        along: unit direction u of sliding of these, shape (nslide, 2).
        slack: |target_t|/r − 1 of these, shape (nslide,).
    """

    inner: NDArray[np.bool_]
    known: Array
    stick: NDArray[np.int64]
    slide: NDArray[np.int64]
    along: Array
    slack: Array


def piece_of(scaled: ScaledProblem, x: Array, v: Array) -> Piece:
    """Which conditions a step from x with speeds v has to meet."""
    target, normals, rows = x - v, scaled.normals, scaled.tangents
    inner = (target > scaled.low) & (target < scaled.high) & ~scaled.is_tangent
    known = np.where(inner | scaled.is_tangent, 0.0, np.clip(target, scaled.low, scaled.high) - x)
    radius = scaled.mu * np.maximum(x[normals] + known[normals], 0.0)
    aim, here = tangents_of(target, rows), tangents_of(x, rows)
    length = np.hypot(aim[:, 0], aim[:, 1])
    slides = (length > radius) & (radius > 0.0)
    slide, none = np.flatnonzero(slides), radius <= 0.0
    along = aim[slide] / length[slide, None]
    way = np.where(none[:, None], -here, 0.0)
    way[slide] = along * (radius[slide] - (along * here[slide]).sum(1))[:, None]
    put_tangents(known, rows, way)
    stick = np.flatnonzero(~slides & ~none)
    return Piece(inner, known, stick, slide, along, length[slide] / radius[slide] - 1.0)


def newton_step(scaled: ScaledProblem, x: Array, v: Array, damping: float) -> Array:
    """The step from x, where the speeds are v, shape (n,).

    Args:
        scaled: the problem.
        x: scaled impulses, shape (n,).
        v: scaled speeds there, shape (n,).
        damping: added to the diagonal of A in the step (Levenberg and Marquardt): redundant rows make A singular.
    """
    p, A, rows = piece_of(scaled, x, v), scaled.A, scaled.tangents
    n = len(x)
    stuck = rows[p.stick]
    free = np.concatenate([np.flatnonzero(p.inner), stuck[stuck >= 0]])
    wide = rows[p.slide, 1] >= 0  # in the plane there is no direction across
    pairs, across = rows[p.slide[wide]], np.stack([-p.along[wide, 1], p.along[wide, 0]], 1)
    m, k = len(free), len(free) + len(pairs)
    if k == 0:
        return p.known
    columns = np.empty((n, k))  # what the unknowns do to the speeds
    columns[:, :m] = A[:, free]
    columns[:, m:] = A[:, pairs[:, 0]] * across[:, 0] + A[:, pairs[:, 1]] * across[:, 1]
    pressed = p.inner[scaled.normals[p.slide]]  # a sliding contact's friction follows its normal
    slide, along = p.slide[pressed], p.along[pressed] * scaled.mu[p.slide[pressed], None]
    place = np.zeros(n, np.int64)
    place[free] = np.arange(m)
    at = place[scaled.normals[slide]]
    pull = A[:, rows[slide, 0]] * along[:, 0] + A[:, rows[slide, 1]] * along[:, 1]  # along[:, 1] is 0 in the plane
    np.add.at(columns.T, at, pull.T)
    late = v + A @ p.known + damping * p.known
    matrix, right = np.empty((k, k)), np.empty(k)
    matrix[:m], right[:m] = columns[free], -late[free]
    matrix[m:] = columns[pairs[:, 0]] * across[:, :1] + columns[pairs[:, 1]] * across[:, 1:]
    slack = p.slack[wide]
    right[m:] = -(across * late[pairs]).sum(1) - slack * (across * x[pairs]).sum(1)
    matrix[np.arange(k), np.arange(k)] += damping
    matrix[np.arange(m, k), np.arange(m, k)] += slack
    found = _solved(matrix, right)
    step = p.known.copy()
    step[free] += found[:m]
    step[pairs] += across * found[m:, None]
    there = rows[slide] >= 0
    np.add.at(step, rows[slide][there], (along * found[at, None])[there])
    return step


def _solved(matrix: Array, right: Array) -> Any:
    """The solution of a linear system, by least squares if its matrix is singular."""
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(matrix, right, rcond=1e-13)[0]
