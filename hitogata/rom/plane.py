"""Regions drawn in the stereographic plane of a bone along +x (Yamaguchi 2009).

The sphere is projected from (−1, 0, 0) onto the plane x = 0:

    s = −z/(x + 1)      t = y/(x + 1)          of Euler limits: s = tan(ry/2), t = tan(rz/2)

Circles stay circles (or lines), so rectangle, oval and chains of arcs and lines are exact chains of arcs on the sphere.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, interval
from hitogata.rom.outline import Arc, Outline, line_arc, plane_arc, to_sphere
from hitogata.rom.region import Region

SMALLEST = 1e-6
LARGEST = 1e6
"""Sides of a region in the plane must lie between these."""


@dataclass(frozen=True)
class _Box(Region):
    """s and t each between two limits, in some shape."""

    s: Any
    t: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("s", "t"):
            low, high = interval(getattr(self, name), f"{type(self).__name__} {name}")
            if high - low < SMALLEST or max(abs(low), abs(high)) > LARGEST:
                raise RangeError(f"{type(self).__name__} {name} = ({low}, {high}): "
                                 f"at least {SMALLEST} wide and within ±{LARGEST:g} expected")
            object.__setattr__(self, name, (low, high))

    @property
    def centre(self) -> tuple[float, float]:
        """Middle (s, t) of the box (Yamaguchi 2009, eq. 8)."""
        return (self.s[0] + self.s[1]) / 2.0, (self.t[0] + self.t[1]) / 2.0

    @property
    def half(self) -> tuple[float, float]:
        """Half the sides of the box (Yamaguchi 2009, eq. 8)."""
        return (self.s[1] - self.s[0]) / 2.0, (self.t[1] - self.t[0]) / 2.0


@dataclass(frozen=True)
class RectangleRegion(_Box):
    """s₀ ≤ s ≤ s₁ and t₀ ≤ t ≤ t₁ (Yamaguchi 2009, 3.1).  Knots: the corners, from (s₀, t₀) counter-clockwise.

    Attributes:
        s, t: (min, max) in the stereographic plane of a bone along +x.
    """

    def _outline(self) -> Outline:
        (s0, s1), (t0, t1) = self.s, self.t
        q = [(s0, t0), (s1, t0), (s1, t1), (s0, t1)]
        return Outline(4, tuple(line_arc(q[i], q[(i + 1) % 4]) for i in range(4)))


@dataclass(frozen=True)
class OvalRegion(_Box):
    """Two half circles and the two sides between them, in the box (Yamaguchi 2009, 3.3).

    Knots: where a half circle begins or ends, from the beginning of the upper (or right) one; the ends of two
    diameters if the box is square.

    Attributes:
        s, t: (min, max) in the stereographic plane of a bone along +x.
    """

    def _outline(self) -> Outline:
        (a, b), (s, t) = self.half, self.centre
        r, quarter = min(a, b), np.pi / 2.0
        if abs(a - b) < 1e-9 * r:
            return Outline(4, tuple(plane_arc((s, t), r, k * quarter, quarter) for k in range(4)))
        ends = [(s, self.t[1] - r), (s, self.t[0] + r)] if a < b else [(self.s[1] - r, t), (self.s[0] + r, t)]
        turn = 0.0 if a < b else -quarter
        arcs: list[Arc] = []
        for k, c in enumerate(ends):
            w = turn + k * np.pi
            x, y = r * np.cos(w + np.pi), r * np.sin(w + np.pi)
            other = ends[1 - k]
            arcs += [plane_arc(c, r, w, np.pi), line_arc((c[0] + x, c[1] + y), (other[0] + x, other[1] + y))]
        return Outline(4, tuple(arcs))


@dataclass(frozen=True)
class SuperellipseRegion(_Box):
    """(|s − s_b|/s_a)^m + (|t − t_b|/t_a)^n ≤ 1 (Yamaguchi 2009, eq. 9).  Knots: the ends of its axes, from +s
    counter-clockwise.

    Attributes:
        s, t: (min, max) in the stereographic plane of a bone along +x.
        m, n: powers, 1 to 100 (below 1 the shape would have cusps).
    """

    m: float = 2.0
    n: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("m", "n"):
            value = float(getattr(self, name))
            if not 1.0 <= value <= 100.0:
                raise RangeError(f"{type(self).__name__} {name} = {value}: 1 to 100 expected")
            object.__setattr__(self, name, value)

    def _outline(self) -> Outline:
        half, centre, powers = self.half, self.centre, (self.m, self.n)
        return Outline(4, curve=lambda u, k: _superellipse(u, half, centre, *powers), breaks=np.arange(9.0) / 2.0)


@dataclass(frozen=True)
class EllipseRegion(_Box):
    """((s − s_b)/s_a)² + ((t − t_b)/t_a)² ≤ 1 (Yamaguchi 2009, eq. 7).  Knots: the ends of its axes, from +s
    counter-clockwise.

    Attributes:
        s, t: (min, max) in the stereographic plane of a bone along +x.
    """

    def _outline(self) -> Outline:
        half, centre = self.half, self.centre
        if abs(half[0] - half[1]) < 1e-12 * half[0]:
            return Outline(4, tuple(plane_arc(centre, half[0], k * np.pi / 2.0, np.pi / 2.0) for k in range(4)))

        def curve(u: Array, k: Array) -> Array:
            w = u * (np.pi / 2.0)
            return to_sphere(centre[0] + half[0] * np.cos(w), centre[1] + half[1] * np.sin(w))
        return Outline(4, curve=curve)


def _superellipse(u: Array, half: tuple[float, float], centre: tuple[float, float], m: float, n: float) -> Array:
    """Points at u in quarters, by eight octants: each by the coordinate that is the smaller, so that the flat ends
    stay smooth.

    An octant belongs to a row of u as a whole: the one its middle lies in.
    """
    v = 2.0 * u
    octant = np.floor((v.min(1) + v.max(1)) / 2.0)[:, None]
    k = np.mod(octant, 8).astype(int)
    w = np.clip(np.where(k % 2 == 0, v - octant, 1.0 - (v - octant)), 0.0, None)       # 0: axis, 1: diagonal
    by_t = (k == 0) | (k == 3) | (k == 4) | (k == 7)
    small = w * np.where(by_t, 0.5 ** (1.0 / n), 0.5 ** (1.0 / m))
    large = np.where(by_t, (1.0 - small ** n) ** (1.0 / m), (1.0 - small ** m) ** (1.0 / n))
    s, t = np.where(by_t, large, small), np.where(by_t, small, large)
    s = s * np.where((k < 2) | (k > 5), 1.0, -1.0)
    t = t * np.where(k < 4, 1.0, -1.0)
    return to_sphere(centre[0] + half[0] * s, centre[1] + half[1] * t)
