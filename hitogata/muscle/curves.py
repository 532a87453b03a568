"""Force of muscles by length and speed: Thelen 2003, Millard 2012, De Groote 2016, MuJoCo.

All are in units of the muscle: forces in the maximal isometric force, fibre lengths in the optimal one, speeds in the
maximal one (positive: lengthening), tendon lengths in the slack one.  Numbers are those of OpenSim 4.6, from:

- Thelen (2003), J Biomech Eng 125:70, eq. 1-7, with OpenSim's straight lines beyond the curves' ends;
- Millard, Uchida, Seth & Delp (2013), J Biomech Eng 135:021005, curves as quintic Bézier corners;
- De Groote, Kinney, Rao & Fregly (2016), Ann Biomed Eng 44:2922, eq. 1-6 and supplement.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.muscle.bezier import BezierCurve


@dataclass(frozen=True)
class ModelCurves:
    """What the models have in common."""

    def active(self, length: FloatArray) -> FloatArray:
        """Active force by fibre length."""
        raise NotImplementedError

    def passive(self, length: FloatArray) -> FloatArray:
        """Passive force by fibre length."""
        raise NotImplementedError

    def speed(self, speed: FloatArray, activation: FloatArray | float = 1.0) -> FloatArray:
        """Factor of the active force by fibre speed; only Thelen's depends on activation."""
        raise NotImplementedError

    def tendon(self, length: FloatArray) -> FloatArray:
        """Tendon force by tendon length."""
        raise NotImplementedError


@dataclass(frozen=True)
class Thelen2003(ModelCurves):
    """Thelen (2003).

    Attributes:
        active_width: γ of the Gauss curve.
        passive_strain, passive_shape: strain at the maximal isometric force, and exponent.
        tendon_strain: at the maximal isometric force.
        speed_shape: Af.
        stretch_force: greatest force while lengthening.
        stretch_end: part of that force at which the curve goes on straight.
    """

    active_width: float = 0.45
    passive_strain: float = 0.6
    passive_shape: float = 5.0
    tendon_strain: float = 0.04
    speed_shape: float = 0.25
    stretch_force: float = 1.4
    stretch_end: float = 0.95

    def active(self, length: FloatArray) -> FloatArray:
        """Active force by fibre length."""
        return np.exp(-((np.asarray(length) - 1.0) ** 2) / self.active_width)

    def passive(self, length: FloatArray) -> FloatArray:
        """Passive force by fibre length."""
        over = np.maximum(np.asarray(length) - 1.0, 0.0)
        return np.expm1(self.passive_shape * over / self.passive_strain) / np.expm1(self.passive_shape)

    def speed(self, speed: FloatArray, activation: FloatArray | float = 1.0) -> FloatArray:
        """Factor of the active force by fibre speed."""
        v = np.asarray(speed, np.float64)
        c, af, most = 0.25 + 0.75 * np.asarray(activation), self.speed_shape, self.stretch_force
        k = (2.0 + 2.0 / af) / (most - 1.0)
        end = self.stretch_end * most
        end_speed = c * (end - 1.0) / (k * (most - end))
        end_slope = k * (most - end) ** 2 / (c * (most - 1.0))
        shorten = np.minimum(np.maximum(v, -c), 0.0)
        lengthen = np.clip(v, 0.0, end_speed)
        slow = (c + shorten) / (c - shorten / af) + np.minimum(v + c, 0.0) / (c * (1.0 + 1.0 / af))
        fast = (c + lengthen * k * most) / (c + lengthen * k) + np.maximum(v - end_speed, 0.0) * end_slope
        return np.where(v <= 0, slow, fast)

    def tendon(self, length: FloatArray) -> FloatArray:
        """Tendon force by tendon length."""
        x, e0 = np.asarray(length) - 1.0, self.tendon_strain
        toe = 99.0 * e0 * np.e**3 / (166.0 * np.e**3 - 67.0)
        line = 0.67 / (e0 - toe)
        start = 0.33 * np.expm1(3.0 * np.clip(x, 0.0, toe) / toe) / np.expm1(3.0)
        return np.where(x > toe, line * (x - toe) + 0.33, start)


@dataclass(frozen=True)
class Millard2012(ModelCurves):
    """Millard, Uchida, Seth & Delp (2013).

    Attributes:
        active_lengths: fibre lengths at which the active force begins, becomes shallow, and ends.
        active_slope: of the shallow part.
        active_least: of the active force.
        speed_slopes: of the force by speed: at the greatest shortening speed, near it, isometric, near the greatest
            lengthening speed, at it.
        stretch_force: greatest force while lengthening.
        speed_curviness: shortening, lengthening.
        passive_strains: at no force, at the maximal isometric force.
        passive_slopes: at low force, at the maximal isometric force; None: as the strains suggest.
        passive_curviness: of that curve.
        tendon_strain: at the maximal isometric force.
        tendon_slope: there; None: as the strain suggests.
        tendon_toe: force at which the tendon becomes straight.
        tendon_curviness: of that curve.
    """

    active_lengths: tuple[float, float, float] = (0.4441, 0.73, 1.8123)
    active_slope: float = 0.8616
    active_least: float = 0.0
    speed_slopes: tuple[float, float, float, float, float] = (0.0, 0.25, 5.0, 0.15, 0.0)
    stretch_force: float = 1.4
    speed_curviness: tuple[float, float] = (0.6, 0.9)
    passive_strains: tuple[float, float] = (0.0, 0.7)
    passive_slopes: tuple[float, float] | None = None
    passive_curviness: float = 0.75
    tendon_strain: float = 0.049
    tendon_slope: float | None = None
    tendon_toe: float = 2.0 / 3.0
    tendon_curviness: float = 0.5

    @cached_property
    def _active(self) -> BezierCurve:
        (x0, x1, x3), low, slope = self.active_lengths, self.active_least, self.active_slope
        delta = 0.05  # half the width of the plateau, in optimal lengths
        y1 = 1.0 - slope * (1.0 - delta - x1)
        steep = 1.25 * y1 / (x1 - x0)
        x01 = x0 + 0.5 * (x1 - x0)
        x1s, y1s = x1 + 0.5 * (1.0 - delta - x1), y1 + 0.5 * (1.0 - y1)
        fall = -1.0 / ((x3 - delta) - (1.0 + delta))
        x23 = 1.0 + delta + 0.5 * (x3 - (1.0 + delta))
        knots = [(x0, low, 0.0), (x01, 0.5 * y1, steep), (x1s, y1s, slope), (1.0, 1.0, 0.0), (x23, 0.5, fall)]
        return BezierCurve([*knots, (x3, low, 0.0)], [1.0] * 5)

    @cached_property
    def _speed(self) -> BezierCurve:
        at_short, near_short, level, near_long, at_long = self.speed_slopes
        y_short = 0.5 * (near_short + at_short) * 0.1
        y_long = self.stretch_force - 0.5 * (near_long + at_long) * 0.1
        knots = [(-1.0, 0.0, at_short), (-0.9, y_short, near_short), (0.0, 1.0, level), (0.9, y_long, near_long)]
        c, e = self.speed_curviness
        return BezierCurve([*knots, (1.0, self.stretch_force, at_long)], [c, c, e, e])

    @cached_property
    def _passive(self) -> BezierCurve:
        zero, one = self.passive_strains
        low, high = self.passive_slopes or (0.2, 2.0 / (one - zero))
        delta = min(0.1 / high, 0.1 * (one - zero))
        knots = [(1.0 + zero, 0.0, 0.0), (1.0 + zero + delta, 0.5 * low * delta, low), (1.0 + one, 1.0, high)]
        return BezierCurve(knots, [self.passive_curviness] * 2)

    @cached_property
    def _tendon(self) -> BezierCurve:
        strain, toe = self.tendon_strain, self.tendon_toe
        slope = self.tendon_slope or 1.375 / strain
        x_iso = 1.0 + strain
        x_toe = (toe - 1.0) / slope + x_iso
        x_foot = 1.0 + (x_toe - 1.0) / 10.0
        x_mid = (0.5 * toe - 1.0) / slope + x_iso
        rise = 0.5 * toe / (x_mid - x_foot)
        x_ctrl = x_foot + 0.5 * (x_mid - x_foot)
        knots = [(1.0, 0.0, 0.0), (x_ctrl, rise * (x_ctrl - x_foot), rise), (x_toe, toe, slope)]
        return BezierCurve(knots, [self.tendon_curviness] * 2)

    def active(self, length: FloatArray) -> FloatArray:
        """Active force by fibre length."""
        return self._active(length)

    def passive(self, length: FloatArray) -> FloatArray:
        """Passive force by fibre length."""
        return self._passive(length)

    def speed(self, speed: FloatArray, activation: FloatArray | float = 1.0) -> FloatArray:
        """Factor of the active force by fibre speed."""
        return self._speed(speed)

    def tendon(self, length: FloatArray) -> FloatArray:
        """Tendon force by tendon length."""
        return self._tendon(length)


@dataclass(frozen=True)
class DeGroote2016(ModelCurves):
    """De Groote, Kinney, Rao & Fregly (2016).

    Attributes:
        active_scale: widens the active force's curve.
        passive_strain: at the maximal isometric force; 0: no passive force.
        tendon_strain: at the maximal isometric force.
    """

    active_scale: float = 1.0
    passive_strain: float = 0.6
    tendon_strain: float = 0.049

    def active(self, length: FloatArray) -> FloatArray:
        """Active force by fibre length: three bell curves."""
        x = (np.asarray(length) - 1.0) / self.active_scale + 1.0
        return sum(b1 * np.exp(-0.5 * ((x - b2) / (b3 + b4 * x)) ** 2) for b1, b2, b3, b4 in _BELLS)  # type: ignore

    def passive(self, length: FloatArray) -> FloatArray:
        """Passive force by fibre length."""
        x = np.asarray(length, np.float64)
        if self.passive_strain == 0.0:
            return np.zeros_like(x)
        offset = np.exp(4.0 * (0.2 - 1.0) / self.passive_strain)
        return (np.exp(4.0 * (x - 1.0) / self.passive_strain) - offset) / (np.exp(4.0) - offset)

    def speed(self, speed: FloatArray, activation: FloatArray | float = 1.0) -> FloatArray:
        """Factor of the active force by fibre speed."""
        return _D1 * np.arcsinh(_D2 * np.asarray(speed) + _D3) + _D4

    def tendon(self, length: FloatArray) -> FloatArray:
        """Tendon force by tendon length."""
        k = np.log((1.0 + 0.2) / 0.2) / self.tendon_strain
        return 0.2 * np.exp(k * (np.asarray(length) - 1.0)) - 0.2


@dataclass(frozen=True)
class MujocoMuscle(ModelCurves):
    """MuJoCo's muscle (Todorov, documentation of MuJoCo: Modeling, Muscles): a rigid tendon, parabolas.

    Attributes:
        shortest, longest: fibre lengths between which it pulls actively.
        passive_force: twice the passive force at the middle between 1 and the longest length.
        stretch_force: greatest force while lengthening.
    """

    shortest: float = 0.5
    longest: float = 1.6
    passive_force: float = 1.3
    stretch_force: float = 1.2

    def active(self, length: FloatArray) -> FloatArray:
        """Active force by fibre length."""
        x = np.asarray(length, np.float64)
        a, b = 0.5 * (self.shortest + 1.0), 0.5 * (1.0 + self.longest)
        rise = 0.5 * ((x - self.shortest) / (a - self.shortest)) ** 2
        left, right = 1.0 - 0.5 * ((1.0 - x) / (1.0 - a)) ** 2, 1.0 - 0.5 * ((x - 1.0) / (b - 1.0)) ** 2
        fall = 0.5 * ((self.longest - x) / (self.longest - b)) ** 2
        inside = (x >= self.shortest) & (x <= self.longest)
        return np.where(inside, np.where(x <= a, rise, np.where(x <= 1.0, left, np.where(x <= b, right, fall))), 0.0)

    def passive(self, length: FloatArray) -> FloatArray:
        """Passive force by fibre length."""
        x = np.asarray(length, np.float64)
        half = 0.5 * (self.longest - 1.0)
        over = np.maximum(x - 1.0, 0.0) / half
        return self.passive_force * np.where(over <= 1.0, 0.5 * over**2, over - 0.5)

    def speed(self, speed: FloatArray, activation: FloatArray | float = 1.0) -> FloatArray:
        """Factor of the active force by fibre speed."""
        v, y = np.asarray(speed, np.float64), self.stretch_force - 1.0
        slow = np.maximum(v + 1.0, 0.0) ** 2
        return np.where(v <= 0, slow, self.stretch_force - np.maximum(y - v, 0.0) ** 2 / y)

    def tendon(self, length: FloatArray) -> FloatArray:
        """Its tendon does not give."""
        raise ArgumentError("MuJoCo's muscles have rigid tendons: take rigid_tendon_forces")


_BELLS = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
_D1, _D2, _D3, _D4 = -0.3211346127989808, -8.149, -0.374, 0.8825327733249912
