"""The outline of a region: a closed curve on the unit sphere, region on its left (seen from outside).

Two forms.  A chain of circular arcs is exact.  Any other curve is a function of a parameter u that runs from 0 to the
number of segments; whole numbers are the knots, where corners may be and where users give values (twist limits).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hitogata.rom.frames import Array, unit

BACK = np.array([-1.0, 0.0, 0.0])
"""The point from which the sphere is projected: the plane's point at infinity."""

Curve = Callable[[Array, Array], Array]
"""curve(u, segment) -> points: u (m, k) within the segments (m,) of each row; points (m, k, 3)."""


def to_sphere(s: Array, t: Array) -> Array:
    """Points of the stereographic plane on the sphere (Yamaguchi 2009, eq. 2)."""
    d = s * s + t * t + 1.0
    return np.stack([(1.0 - s * s - t * t) / d, 2.0 * t / d, -2.0 * s / d], -1)


def to_plane(p: Array) -> tuple[Array, Array]:
    """s and t of points on the sphere (Yamaguchi 2009, eq. 1); infinite at (-1, 0, 0).

    1 + x is taken as (y² + z²)/(1 − x) on the far side, where it would lose its digits.
    """
    x, y, z = p[..., 0], p[..., 1], p[..., 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.where(x > 0.0, 1.0 + x, (y * y + z * z) / np.where(x > 0.0, 1.0, 1.0 - x))
        s, t = -z / near, y / near
    back = near == 0.0
    return np.where(back, np.inf, s), np.where(back, np.inf, t)


@dataclass(frozen=True)
class Arc:
    """Part of a circle, counter-clockwise about `axis` (unit) from `start` through `angle` (0, 2π] [rad]."""

    axis: Array
    start: Array
    angle: float

    def at(self, w: Array) -> Array:
        """Points at fractions w (0 to 1) of the arc, shape w.shape + (3,)."""
        height = self.axis @ self.start
        flat = self.start - self.axis * height
        turn = np.asarray(w)[..., None] * self.angle
        return self.axis * height + flat * np.cos(turn) + np.cross(self.axis, flat) * np.sin(turn)

    @property
    def stop(self) -> Array:
        """The end point, shape (3,)."""
        return self.at(np.array(1.0))


def arc_about(axis: Array, a: Array, b: Array) -> Arc:
    """The arc from a to b about an axis."""
    across = np.cross(axis, a)
    flat = a - axis * (axis @ a)
    return Arc(axis, a, float(np.arctan2(b @ across, b @ flat) % (2.0 * np.pi)))


def line_arc(a: tuple[float, float], b: tuple[float, float]) -> Arc:
    """A straight piece of the stereographic plane: a circle through the plane's point at infinity."""
    p, q = to_sphere(*np.array(a)), to_sphere(*np.array(b))
    return arc_about(unit(np.cross(q - p, BACK - q)), p, q)


def plane_arc(centre: tuple[float, float], radius: float, start: float, turn: float) -> Arc:
    """A circular arc of the stereographic plane, from the angle `start` through `turn` (negative: clockwise) [rad]."""
    a, m, b = (to_sphere(centre[0] + radius * np.cos(w), centre[1] + radius * np.sin(w))
               for w in (np.float64(start), np.float64(start + turn / 3.0), np.float64(start + 2.0 * turn / 3.0)))
    axis = unit(np.cross(m - a, b - m))
    if abs(turn) >= 2.0 * np.pi:
        return Arc(axis, a, 2.0 * np.pi)
    end = np.float64(start + turn)
    return arc_about(axis, a, to_sphere(centre[0] + radius * np.cos(end), centre[1] + radius * np.sin(end)))


@dataclass(frozen=True)
class Outline:
    """A closed curve with the region on its left.

    Attributes:
        segments: number of segments; u runs from 0 to this.
        arcs: the segments as circular arcs, if they are.
        curve: the segments as functions of u otherwise.
        breaks: where, besides at the knots, the curve is not smooth (parameters u, increasing, with 0 and `segments`).
    """

    segments: int
    arcs: tuple[Arc, ...] | None = None
    curve: Curve | None = None
    breaks: Array | None = None

    def at(self, u: Array) -> Array:
        """Points at parameters u (any shape), shape u.shape + (3,)."""
        u = np.mod(np.asarray(u, np.float64), self.segments)
        flat = u.reshape(-1)
        k = np.minimum(np.floor(flat), self.segments - 1).astype(int)
        if self.curve is not None:
            return self.curve(flat[:, None], k).reshape(*u.shape, 3)
        assert self.arcs is not None
        out = np.empty((len(flat), 3))
        for i, arc in enumerate(self.arcs):
            here = k == i
            out[here] = arc.at(flat[here] - i)
        return out.reshape(*u.shape, 3)
