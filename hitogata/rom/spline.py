"""Free-form regions: a closed Hermite spline in swing azimuth and angle (Hanaoka 2010, 3.1)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, Bone, numbers
from hitogata.rom.outline import Outline
from hitogata.rom.region import Region
from hitogata.rom.simple import check_simple

SLOWEST = 1e-6
"""Least speed of the curve on the sphere [rad per segment]."""


def polar(azimuth: Array, angle: Array) -> Array:
    """Directions at swing azimuth and swing angle about +z (Hanaoka 2010, fig. 3.1), shape (..., 3)."""
    return np.stack([np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle)], -1)


@dataclass(frozen=True)
class SplineRegion(Region):
    """The region on the left of a closed curve through constraint points (φᵢ, θᵢ) about a bone along +z.

    Between points, φ(t) and θ(t) are cubics with the given tangents (Hanaoka 2010, eq. 3.6–3.15, with m₀ and m₁ of B
    put right), for 0 ≤ t ≤ 1:

        A t³ + B t² + C t + D      A = 2p₀ − 2p₁ + m₀ + m₁      B = −3p₀ + 3p₁ − 2m₀ − m₁      C = m₀      D = p₀

    One φ may meet several θ.  Knots: the points.

    Attributes:
        azimuth: φᵢ [rad], shape (n,), unwrapped: each step, also the last one back to φ₀ + 2π·turns, at most half a
            turn.
        angle: θᵢ [rad], shape (n,), between 0 and π.
        d_azimuth, d_angle: dφ/dt and dθ/dt at the points [rad per segment], shape (n,).
        turns: how often φ goes round: +1, θ = 0 is inside; −1, θ = 180° is; 0, neither (counter-clockwise in the
            polar plot with φ as angle and θ as radius, that is seen from outside) or both (clockwise).
    """

    azimuth: Any
    angle: Any
    d_azimuth: Any
    d_angle: Any
    turns: int = 1

    bone_R: ClassVar[Bone] = Bone.Z

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("azimuth", "angle", "d_azimuth", "d_angle"):
            object.__setattr__(self, name, numbers(getattr(self, name), f"SplineRegion {name}"))
        n = len(self.azimuth)
        if n < 3:
            raise RangeError(f"SplineRegion: {n} points; at least 3 are needed")
        for name in ("angle", "d_azimuth", "d_angle"):
            if len(getattr(self, name)) != n:
                raise RangeError(f"SplineRegion {name} has {len(getattr(self, name))} values, azimuth has {n}")
        if self.turns not in (-1, 0, 1):
            raise RangeError(f"SplineRegion turns = {self.turns}: -1, 0 or 1 expected")
        object.__setattr__(self, "turns", int(self.turns))
        self._check_points()
        self._check_curve()
        check_simple(self.pieces)

    @classmethod
    def through(cls, azimuth: Any, angle: Any, *, turns: int = 1, **options: Any) -> Self:
        """The curve whose tangent at each point is half the step from the point before to the point after."""
        a, b = np.array(numbers(azimuth, "SplineRegion azimuth")), np.array(numbers(angle, "SplineRegion angle"))
        if len(a) != len(b) or len(a) < 3:
            raise RangeError(f"SplineRegion: {len(a)} azimuths and {len(b)} angles; "
                             "the same number, at least 3, is needed")
        turn = 2.0 * np.pi * turns
        around = np.concatenate([[a[-1] - turn], a, [a[0] + turn]])
        return cls(a, b, (around[2:] - around[:-2]) / 2.0, (np.roll(b, -1) - np.roll(b, 1)) / 2.0, turns, **options)

    @cached_property
    def cubics(self) -> Array:
        """Coefficients, highest power first: (2, 4, n) for φ and θ of each segment."""
        turn = 2.0 * np.pi * self.turns
        out = []
        for values, tangents, wrap in ((self.azimuth, self.d_azimuth, turn), (self.angle, self.d_angle, 0.0)):
            p, m = np.array(values), np.array(tangents)
            q, k = np.append(p[1:], p[0] + wrap), np.append(m[1:], m[0])
            out.append(np.stack([2 * p - 2 * q + m + k, -3 * p + 3 * q - 2 * m - k, m, p]))
        return np.stack(out)

    def polar_at(self, u: Array) -> tuple[Array, Array]:
        """φ and θ [rad] at parameters u (whole numbers are the points)."""
        u = np.asarray(u, np.float64)
        k = np.minimum(np.floor(u), len(self.azimuth) - 1).astype(int)
        return self._polar(u - k, k)

    def _polar(self, t: Array, k: Array) -> tuple[Array, Array]:
        phi, theta = (((c[0][k] * t + c[1][k]) * t + c[2][k]) * t + c[3][k] for c in self.cubics)
        return phi, theta

    def _outline(self) -> Outline:
        return Outline(len(self.azimuth), curve=lambda u, k: polar(*self._polar(u - k[:, None], k[:, None])))

    def _check_points(self) -> None:
        azimuth = np.append(self.azimuth, self.azimuth[0] + 2.0 * np.pi * self.turns)
        steps = np.abs(np.diff(azimuth))
        if steps.max() > np.pi:
            k = int(np.argmax(steps))
            raise RangeError(
                f"SplineRegion: azimuth goes from {azimuth[k]:.6g} at point {k} to {azimuth[k + 1]:.6g} "
                f"at point {(k + 1) % len(steps)}, more than half a turn: "
                f"it does not wind {self.turns} times (turns), or is not unwrapped")

    def _check_curve(self) -> None:
        """θ between 0 and π, and no standstill, along every segment: extrema of the cubics."""
        for k in range(len(self.azimuth)):
            (a, b, c, _), (e, f, g, _) = self.cubics[0, :, k], self.cubics[1, :, k]
            still = _roots(3 * e, 2 * f, g)
            t = np.concatenate([[0.0, 1.0], still])
            theta = self._polar(t, np.full(len(t), k))[1]
            worst = int(np.argmax(np.maximum(-theta, theta - np.pi)))
            if theta[worst] <= 0.0 or theta[worst] >= np.pi:
                raise RangeError(f"SplineRegion: angle is {theta[worst]:.6g} {self._place(k, t[worst])}; "
                                 "it must stay between 0 and π")
            t = np.concatenate([[0.0, 1.0], still, _roots(3 * a, 2 * b, c), _slow_places(self.cubics[:, :, k])])
            angle = self._polar(t, np.full(len(t), k))[1]
            speed = np.hypot(((3 * a * t + 2 * b) * t + c) * np.sin(angle), (3 * e * t + 2 * f) * t + g)
            if speed.min() < SLOWEST:
                raise RangeError(f"SplineRegion: the curve stands still {self._place(k, t[np.argmin(speed)])}")

    def _place(self, k: int, t: float) -> str:
        """A place on segment k, in words."""
        if t in (0.0, 1.0):
            return f"at point {(k + int(t)) % len(self.azimuth)}"
        return f"on segment {k} (t = {t:.4f})"


def _roots(a: float, b: float, c: float) -> Array:
    """Roots of a t² + b t + c within (0, 1)."""
    roots = np.roots([a, b, c]) if max(abs(a), abs(b)) > 0.0 else np.empty(0)
    real = roots[np.abs(roots.imag) < 1e-7].real
    return real[(real > 0.0) & (real < 1.0)]


def _slow_places(cubics: Array) -> Array:
    """Where φ'² + θ'² is least, within (0, 1)."""
    square = np.polyadd(*(np.polymul(np.polyder(c), np.polyder(c)) for c in cubics))
    roots = np.roots(np.polyder(square))
    real = roots[np.abs(roots.imag) < 1e-7].real
    return real[(real > 0.0) & (real < 1.0)]
