"""Curves of quintic Bézier corners, as Millard, Uchida, Seth & Delp (2013) draw muscles' characteristics.

Each corner is a curve between two lines: it begins and ends on them with their slopes, and bends near their crossing,
the sharper the curvier it is.  Beyond its ends a curve goes on straight.
"""

from collections.abc import Sequence

import numpy as np

from hitogata.figure.values import FloatArray

_BINOMIAL = np.array([1.0, 5.0, 10.0, 10.0, 5.0, 1.0])


class BezierCurve:
    """y(x) through corners, each from (x0, y0, slope0) to (x1, y1, slope1)."""

    def __init__(self, knots: Sequence[tuple[float, float, float]], curviness: Sequence[float]) -> None:
        """Knots (x, y, slope), rising in x, and a curviness (0 to 1) for each corner between two of them."""
        self.knots = np.array(knots)
        corners = [
            _corner(first, last, 0.1 + 0.8 * c) for first, last, c in zip(knots[:-1], knots[1:], curviness, strict=True)
        ]
        self.x = np.array([x for x, _ in corners])
        self.y = np.array([y for _, y in corners])

    def __call__(self, x: FloatArray) -> FloatArray:
        """Values at x."""
        return self.with_slope(x)[0]

    def with_slope(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values and slopes at x."""
        x = np.asarray(x, np.float64)
        knots = self.knots
        k = np.clip(np.searchsorted(knots[:, 0], x, side="right") - 1, 0, len(self.x) - 1)
        inside = np.clip(x, knots[0, 0], knots[-1, 0])
        px, py = self.x[k], self.y[k]
        u = np.clip((inside - px[..., 0]) / (px[..., 5] - px[..., 0]), 0.0, 1.0)
        low, high = np.zeros_like(u), np.ones_like(u)
        for _ in range(60):  # Newton's method, kept between bounds: x(u) rises
            value, slope = _bezier(px, u)
            error = value - inside
            low, high = np.where(error <= 0, u, low), np.where(error >= 0, u, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = u - error / slope
            new = np.where((new > low) & (new < high), new, 0.5 * (low + high))
            new = np.where(error == 0, u, new)
            done = np.abs(new - u).max(initial=0.0) < 1e-15
            u = new
            if done:
                break
        _, dx = _bezier(px, u)
        y, dy = _bezier(py, u)
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = dy / dx
        before, behind = x < knots[0, 0], x > knots[-1, 0]
        rate = np.where(
            before | (x == knots[0, 0]), knots[0, 2], np.where(behind | (x == knots[-1, 0]), knots[-1, 2], rate)
        )
        y = np.where(before, knots[0, 1] + (x - knots[0, 0]) * knots[0, 2], y)
        y = np.where(behind, knots[-1, 1] + (x - knots[-1, 0]) * knots[-1, 2], y)
        return y, rate


def _corner(
    first: tuple[float, float, float], last: tuple[float, float, float], bend: float
) -> tuple[FloatArray, FloatArray]:
    """Control points x and y."""
    (x0, y0, s0), (x1, y1, s1) = first, last
    xc = (y1 - y0 - x1 * s1 + x0 * s0) / (s0 - s1) if abs(s0 - s1) > 1.5e-8 else 0.5 * (x0 + x1)
    yc = (xc - x1) * s1 + y1
    xa, ya, xb, yb = x0 + bend * (xc - x0), y0 + bend * (yc - y0), x1 + bend * (xc - x1), y1 + bend * (yc - y1)
    return np.array([x0, xa, xa, xb, xb, x1]), np.array([y0, ya, ya, yb, yb, y1])


def _bezier(p: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Value and derivative by u."""
    w = 1.0 - u
    value = sum(_BINOMIAL[i] * p[..., i] * u**i * w ** (5 - i) for i in range(6))
    quartic = (1.0, 4.0, 6.0, 4.0, 1.0)
    slope = sum(5.0 * quartic[i] * (p[..., i + 1] - p[..., i]) * u**i * w ** (4 - i) for i in range(5))
    return np.asarray(value), np.asarray(slope)
