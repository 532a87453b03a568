"""Motions as controllers ask for them: at any time, looped, placed, and reached from another pose without a jump.

A switch adds what the figure was off, and lets it fade: x(t) = motion(t) + (x₀ - motion(t₀)) w(t) (inertialization,
Bollo 2018), with w from 1 to 0 by a polynomial whose first and second derivatives vanish at both ends.
"""

from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d

from hitogata.dynamics import difference, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.spatial import quat_multiply, quat_rotate

RATE = 120.0
"""Samples of a reference [1/s]."""

SMOOTH = (0.012, 0.03)
"""Velocities and accelerations are smoothed over so long (standard deviation) [s]."""


class Moment(NamedTuple):
    """A motion at one time."""

    q: FloatArray
    v: FloatArray
    vdot: FloatArray


class Reference:
    """A motion of a figure with a free root.

    Args:
        figure: whose motion it is.
        motion: sampled anyhow; at least two samples.
        loop: go on from its beginning where it ends: turned and moved on, so that the root does not jump.
    """

    def __init__(self, figure: Figure, motion: Trajectory, *, loop: bool = False) -> None:
        motion.check(figure)
        self.figure, self.loop = figure, bool(loop)
        length = float(motion.time[-1] - motion.time[0]) if len(motion.time) > 1 else 0.0
        count = int(length * RATE + 1e-9) + 1
        if count < 4:
            raise ArgumentError(f"motion: {length:.3g} s are too short to follow, {3 / RATE:.3g} s are needed")
        times = motion.time[0] + np.arange(count) / RATE
        self.q = _sampled(figure, motion, times)
        v = difference(figure, self.q[:-1], self.q[1:]) * RATE
        v = np.concatenate([v[:1], 0.5 * (v[1:] + v[:-1]), v[-1:]])
        self.v = gaussian_filter1d(v, SMOOTH[0] * RATE, axis=0, mode="nearest")
        self.vdot = np.gradient(gaussian_filter1d(v, SMOOTH[1] * RATE, axis=0, mode="nearest"), 1.0 / RATE, axis=0)
        self.length = (count - 1) / RATE

    def at(self, time: float) -> Moment:
        """The motion so long after its beginning [s]; after its end it stands still, or goes on if it is looped."""
        turns, rest = divmod(time, self.length) if self.loop else (0.0, min(max(time, 0.0), self.length))
        k = min(int(rest * RATE), len(self.q) - 2)
        share = rest * RATE - k
        q = integrate(self.figure, self.q[k], share * difference(self.figure, self.q[k], self.q[k + 1]))
        v = (1 - share) * self.v[k] + share * self.v[k + 1]
        vdot = (1 - share) * self.vdot[k] + share * self.vdot[k + 1]
        if not self.loop and not 0.0 <= time < self.length:
            v, vdot = np.zeros_like(v), np.zeros_like(vdot)
        moment = Moment(q, v, vdot)
        for _ in range(int(turns)):
            moment = self._again(moment)
        return moment

    def _again(self, moment: Moment) -> Moment:
        """Moved from the motion's beginning to its end."""
        first, last = self.q[0], self.q[-1]
        turn = yaw_of(last) - yaw_of(first)
        return placed(moment, turn, last[:2] - turned(first[:2], turn))


def _sampled(figure: Figure, motion: Trajectory, times: FloatArray) -> FloatArray:
    k = np.clip(np.searchsorted(motion.time, times, side="right") - 1, 0, len(motion.time) - 2)
    share = np.clip((times - motion.time[k]) / (motion.time[k + 1] - motion.time[k]), 0.0, 1.0)[:, None]
    q = np.ascontiguousarray(motion.q)
    return integrate(figure, q[k], share * difference(figure, q[k], q[k + 1]))


def yaw_of(q: FloatArray) -> float:
    """Where a root looks, from x towards y [rad]."""
    w, x, y, z = q[3:7]
    return float(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)))


def turned(point: FloatArray, angle: float) -> FloatArray:
    """A point of the plane, turned about the origin, shape (2,)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])


def placed(moment: Moment, turn: float, move: FloatArray) -> Moment:
    """Turned about the vertical through the origin, then moved across."""
    about_z = np.array([np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)])
    q, v, vdot = moment.q.copy(), moment.v.copy(), moment.vdot.copy()
    q[:2] = turned(q[:2], turn) + move
    q[3:7] = quat_multiply(about_z, q[3:7])
    for rate in (v, vdot):
        rate[:3], rate[3:6] = quat_rotate(about_z, rate[:3]), quat_rotate(about_z, rate[3:6])
    return Moment(q, v, vdot)


class Transition:
    """What is left of another pose, fading.

    Args:
        figure: whose poses they are.
        start: (q, v) that it begins with.
        goal: (q, v) of the motion at that time.
        length: of the transition [s].
    """

    def __init__(
        self, figure: Figure, start: tuple[FloatArray, FloatArray], goal: tuple[FloatArray, FloatArray], length: float
    ) -> None:
        self.figure, self.length, self.time = figure, length, 0.0
        self.off = difference(figure, goal[0], start[0])
        self.rate = start[1] - goal[1]

    @property
    def over(self) -> bool:
        """Nothing is left."""
        return self.time >= self.length

    def apply(self, moment: Moment) -> Moment:
        """A moment of the motion with what is left at this time."""
        if self.over:
            return moment
        t, T = self.time / self.length, self.length
        w, dw, ddw = _fade(t)
        r, dr, ddr = _brake(t)
        off = w * self.off + r * T * self.rate
        rate = dw / T * self.off + dr * self.rate
        more = ddw / T**2 * self.off + ddr / T * self.rate
        q = integrate(self.figure, moment.q, off)
        return Moment(q, moment.v + rate, moment.vdot + more)


def _fade(t: float) -> tuple[float, float, float]:
    """From 1 to 0, flat at both ends; and its derivatives."""
    w = 1 - t**3 * (10 - 15 * t + 6 * t * t)
    return w, -30 * t * t * (1 - t) ** 2, -60 * t * (1 - t) * (1 - 2 * t)


def _brake(t: float) -> tuple[float, float, float]:
    """From 0 with slope 1 to 0, flat in the end: t (1 - t)³ (1 + 3 t); and its derivatives."""
    a, b = (1 - t) ** 3, t + 3 * t * t
    da, db = -3 * (1 - t) ** 2, 1 + 6 * t
    dda, ddb = 6 * (1 - t), 6.0
    return a * b, da * b + a * db, dda * b + 2 * da * db + a * ddb
