"""The smoothest curve through what is known: displacements between contacts, and angles known only now and then.

    minimise  ∫ w (x - y)² + p x² + 2 √p τ² (x')² + τ⁴ (x'')² dt

Where nothing is known, it returns to zero as fast as it can without swinging, like (1 + t/T) exp(-t/T), T = τ / p^¼.
With samples this is a system of five diagonals.  (Witkin & Popovic 1995 and Lee & Shin 1999 change a motion by such
displacement curves; a smoothing spline, Reinsch 1967, is the same with p = 0.)
"""

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.motion.foot_contacts import BoolArray

_EXACT = 1e9
"""Weight of values that are met exactly, against the bending term."""


def smoothest(time: FloatArray, values: FloatArray, weights: FloatArray, *, span: float, pull: float) -> FloatArray:
    """The curve x.

    Args:
        time: [s], shape (nt,), strictly rising.
        values: y, shape (nt, k).
        weights: w ≥ 0, shape (nt,).
        span: τ [s]: what is shorter than about this is smoothed away where the weight is 1.
        pull: p > 0, towards zero.
    """
    from scipy.linalg import solveh_banded

    n = len(time)
    if n < 3:
        result: FloatArray = values * (weights / (weights + pull))[:, None]
        return result
    h = np.diff(time)
    a, c = 2 / (h[:-1] * (h[:-1] + h[1:])), 2 / (h[1:] * (h[:-1] + h[1:]))
    rows = np.stack([a, -(a + c), c]) * span**2  # second derivatives at the inner samples
    bands = np.zeros((3, n))
    bands[0] = weights + pull
    for k in range(3):
        bands[0, k : n - 2 + k] += rows[k] ** 2
    bands[1, : n - 2] += rows[0] * rows[1]
    bands[1, 1 : n - 1] += rows[1] * rows[2]
    bands[2, : n - 2] += rows[0] * rows[2]
    slope = 2 * np.sqrt(pull) * (span / h) ** 2
    bands[0, :-1] += slope
    bands[0, 1:] += slope
    bands[1, :-1] -= slope
    solved: FloatArray = solveh_banded(bands, weights[:, None] * values, lower=True)
    return solved


def bridged(time: FloatArray, values: FloatArray, known: BoolArray, *, span: float) -> FloatArray:
    """A curve that has known values exactly, and goes to zero within about `span` where nothing is known.

    Args:
        time: [s], shape (nt,).
        values: shape (nt, k); those that are not known do not matter.
        known: shape (nt,).
        span: [s].
    """
    if not known.any():
        return np.zeros_like(values)
    step = float(np.median(np.diff(time))) if len(time) > 1 else span
    weight = _EXACT * max(1.0, (span / step) ** 4)
    given = np.where(known[:, None], values, 0.0)
    curve = smoothest(time, given, np.where(known, weight, 0.0), span=span, pull=1.0)
    return np.where(known[:, None], values, curve)


def raised(time: FloatArray, least: FloatArray, *, span: float) -> FloatArray:
    """A smooth curve that is nowhere below `least`, shape (nt,): the mean over ± span of the greatest over ± span."""
    low, high = np.searchsorted(time, time - span, "left"), np.searchsorted(time, time + span, "right")
    greatest = np.array([least[a:b].max() for a, b in zip(low, high, strict=True)])
    weights = [np.cos(np.pi / 2 * (time[a:b] - t) / span) ** 2 + 1e-9 for a, b, t in zip(low, high, time, strict=True)]
    return np.array([w @ greatest[a:b] / w.sum() for w, a, b in zip(weights, low, high, strict=True)])

