"""Splines through points: SIMM's cubic one and natural ones of odd degree."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hitogata.figure.values import FloatArray

if TYPE_CHECKING:
    from scipy.interpolate import BSpline


def cubic_spline(x: Sequence[float], y: Sequence[float]) -> FloatArray:
    """Pieces y + b t + c t² + d t³ of a cubic spline, rows (y, b, c, d), one for each point, shape (n, 4).

    Its third derivatives at the ends are those of the cubics through the first and last four points; with three points
    they vanish (Forsythe, Malcolm & Moler 1977, Computer Methods for Mathematical Computations, ch. 4).  With σ a sixth
    of the second derivative at each point the inner rows of the system are
    h₋ σ₋ + 2 (h₋ + h) σ + h σ₊ = Δ - Δ₋, and the outer ones -h σ₀ + h σ₁ = h² Δ³.
    The last row goes on from the last point.
    """
    xs, ys = np.array(x), np.array(y)
    n = len(xs)
    h = np.diff(xs)
    slope = np.diff(ys) / h
    sigma: FloatArray = np.zeros(n)
    if n > 2:
        matrix, right = np.zeros((n, n)), np.zeros(n)
        for k in range(1, n - 1):
            matrix[k, k - 1 : k + 2] = h[k - 1], 2 * (h[k - 1] + h[k]), h[k]
            right[k] = slope[k] - slope[k - 1]
        matrix[0, :2], matrix[-1, -2:] = (-h[0], h[0]), (h[-1], -h[-1])
        if n > 3:
            right[0], right[-1] = h[0] ** 2 * _third(xs[:4], slope[:3]), -(h[-1] ** 2) * _third(xs[-4:], slope[-3:])
        sigma = np.asarray(np.linalg.solve(matrix, right), np.float64)
    b = np.append(slope - h * (sigma[1:] + 2 * sigma[:-1]), slope[-1] + h[-1] * (sigma[-2] + 2 * sigma[-1]))
    d = np.diff(sigma) / h
    return np.stack([ys, b, 3 * sigma, np.append(d, d[-1])], axis=1)


def _third(x: FloatArray, slope: FloatArray) -> float:
    """Third divided difference of four points: their cubic's leading coefficient."""
    return float(((slope[2] - slope[1]) / (x[3] - x[1]) - (slope[1] - slope[0]) / (x[2] - x[0])) / (x[3] - x[0]))


def spline_rows(x: FloatArray, pieces: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Value, first and second derivative of a cubic spline at places, shape (n,); straight beyond the ends."""
    k = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 1)
    y, b, c, d = pieces[k].T
    t = at - x[k]
    beyond = (at < x[0]) | (at > x[-1])
    c, d = np.where(beyond, 0.0, c), np.where(beyond, 0.0, d)
    return y + t * (b + t * (c + t * d)), b + t * (2 * c + 3 * t * d), 2 * c + 6 * t * d


def natural_spline(x: FloatArray, y: FloatArray, degree: int) -> "BSpline":
    """The natural spline of odd degree 2m - 1 through points: derivatives m to 2m - 2 vanish at both ends.

    Args:
        x: rising, shape (n,).
        y: values, shape (n, ...).
        degree: 1, 3, 5 or 7; n > degree.
    """
    from scipy.interpolate import make_interp_spline  # slow to import: here, not for those who do without

    m = (degree + 1) // 2
    ends = [(k, np.zeros(y.shape[1:])) for k in range(m, degree)]
    return make_interp_spline(x, y, k=degree, bc_type=(ends, ends) if ends else None)
