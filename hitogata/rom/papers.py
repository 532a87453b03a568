"""The papers' cheap corrections, kept for comparison: each has a failure that the exact one does not.

Yamaguchi 2009 corrects in the stereographic plane; on the sphere that is not the nearest point, may go round the
back, and on an ellipse drifts under a steady pull.  Hanaoka 2010 scales twist limits along the meridian; that needs a
star shape, and jumps at the mouth of a re-entrant one. Use `Region.nearest` and `BoundaryTwist` for real work.
"""

from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, unit_rows
from hitogata.rom.outline import to_plane, to_sphere
from hitogata.rom.plane import EllipseRegion, RectangleRegion, SuperellipseRegion
from hitogata.rom.spline import SplineRegion
from hitogata.rom.twist import BoundaryTwist
from hitogata.spatial import quat_conjugate, quat_rotate


def clamp_in_plane(region: RectangleRegion, p: Any) -> Array:
    """s and t each brought to its limit (Yamaguchi 2009, eq. 14).

    Near the nearest point if the region and the correction are small; goes round the back of the sphere if they are
    not (fig. 27).

    Args:
        region: a rectangle.
        p: unit vectors in the parent frame, shape (3,) or (n, 3).

    Returns:
        Allowed directions, same shape.
    """
    s, t, alone = _plane(region, p)
    return _back(region, np.clip(s, *region.s), np.clip(t, *region.t), alone)


def pull_to_centre(region: EllipseRegion | SuperellipseRegion, p: Any) -> Array:
    """Moved in the plane towards the middle of the (super)ellipse until it is inside (Yamaguchi 2009, eq. 15 and
    4.6.1).

    Right only for circles about the bone; elsewhere a joint that is pulled steadily creeps along the boundary (fig.
    29).

    Args:
        region: an ellipse or superellipse.
        p: unit vectors in the parent frame, shape (3,) or (n, 3).

    Returns:
        Allowed directions, same shape.
    """
    s, t, alone = _plane(region, p)
    m, n = (region.m, region.n) if isinstance(region, SuperellipseRegion) else (2.0, 2.0)
    (a, b), (sc, tc) = region.half, region.centre
    x, y = (s - sc) / a, (t - tc) / b
    if m == n:
        size = (np.abs(x) ** m + np.abs(y) ** m) ** (1.0 / m)
        k = np.where(size > 1.0, 1.0 / np.maximum(size, 1.0), 1.0)
    else:
        k = np.where(np.abs(x) ** m + np.abs(y) ** n > 1.0, _scale(np.abs(x), np.abs(y), m, n), 1.0)
    return _back(region, sc + k * x * a, tc + k * y * b, alone)


def _scale(x: Array, y: Array, m: float, n: float) -> Array:
    """k in (0, 1] with (k x)^m + (k y)^n = 1, by bisection."""
    low, high = np.zeros_like(x), np.ones_like(x)
    for _ in range(60):
        k = (low + high) / 2.0
        out = (k * x) ** m + (k * y) ** n > 1.0
        low, high = np.where(out, low, k), np.where(out, k, high)
    return low


def _plane(region: Any, p: Any) -> tuple[Array, Array, bool]:
    rows, alone = unit_rows(p, 3, "point")
    s, t = to_plane(quat_rotate(quat_conjugate(np.array(region.quat_PR)), rows))
    big = 1e150                                                         # stands for the plane's point at infinity
    return np.clip(s, -big, big), np.clip(t, -big, big), alone


def _back(region: Any, s: Array, t: Array, alone: bool) -> Array:
    out = quat_rotate(np.array(region.quat_PR), to_sphere(s, t))
    return out[0] if alone else out


def radial_twist_limits(region: SplineRegion, twist: BoundaryTwist, p: Any) -> tuple[Any, Any]:
    """Twist limits by the thesis's rule (Hanaoka 2010, eq. 3.17, weights put right).

        ψ = (1 − ρ²) ψ_pole + ρ² ψ_curve(φ)      ρ = θ/θ_curve(φ)

    Args:
        region: a star shape about θ = 0: every φ meets the curve once.
        twist: limits at the region's points, with the pole's.
        p: unit vectors in the parent frame, shape (3,) or (n, 3); beyond the curve its values hold.

    Returns:
        Low and high [rad], shape (n,).

    Raises:
        RangeError: the region is no star shape, or the pole has no limits.
    """
    if region.turns != 1 or twist.pole is None:
        raise RangeError("radial_twist_limits needs a region around θ = 0 (turns = 1) and the pole's limits")
    fine = np.linspace(0.0, len(region.azimuth), 64 * len(region.azimuth) + 1)
    azimuth, _ = region.polar_at(fine)
    back = np.diff(azimuth) <= 0.0
    if back.any():
        k = int(fine[np.argmax(back)])
        raise RangeError(f"radial_twist_limits: not a star shape: azimuth turns back on segment {k}")
    rows, alone = unit_rows(p, 3, "point")
    own = quat_rotate(quat_conjugate(np.array(region.quat_PR)), rows)
    phi = np.arctan2(own[:, 1], own[:, 0])
    phi = azimuth[0] + np.mod(phi - azimuth[0], 2.0 * np.pi)
    theta = np.arctan2(np.hypot(own[:, 0], own[:, 1]), own[:, 2])
    k = np.clip(np.searchsorted(azimuth, phi) - 1, 0, len(fine) - 2)
    low, high = fine[k], fine[k + 1]
    for _ in range(50):
        mid = (low + high) / 2.0
        below = region.polar_at(mid)[0] < phi
        low, high = np.where(below, mid, low), np.where(below, high, mid)
    rho = np.minimum(theta / region.polar_at(low)[1], 1.0)
    out = tuple((1.0 - rho**2) * c + rho**2 * v for c, v in zip(twist.pole, twist.at(low), strict=True))
    return (float(out[0][0]), float(out[1][0])) if alone else (out[0], out[1])
