"""Elastic tendons where forces are found: fibres at the length that their tendons' stretch leaves them.

A tendon under the tension f has the length l_T(f) of its curve, so that the fibre's part along it and its speed are

    y = L - l_T(f),      dy/dt = dL/dt - d l_T(f)/dt

and the muscle pulls f = a C(y, dy/dt) + P(y), C and P as with a tendon that does not give.  Moments hold f nearly where
it is, and activations take up what C and P change by: repeated substitution, with shorter steps where it swings, ends
where fibre and tendon balance (De Groote, Kinney, Rao & Fregly 2016 solve the same equations with the moments as
constraints).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.muscle.curves import MujocoMuscle
from hitogata.muscle.fibres import Fibres, MuscleForces, fibres_of, forces_of_fibres
from hitogata.muscle.wires import MuscleSet

ROUNDS = 100
"""Most substitutions."""
SETTLED = 1e-5
"""Change of tendons' lengths, in parts of a strain of 5 %, at which there are no more."""
SHARE, SMALLER, LARGER = 0.5, 0.6, 1.1
"""Of a change of a tendon's length that a round takes, at the most; its factors where changes swing, and where not."""
GRID = np.linspace(0.9, 1.4, 20001)
"""Lengths at which tendons' curves are inverted [slack lengths]."""


@dataclass(eq=False)
class ElasticTendons:
    """Tendons of a set's muscles over frames; those of rigid muscles, and without slack length, do not give.

    Attributes:
        muscles: the set.
        lengths: of the wires [m], shape (n, nw).
        speeds: of lengthening [m/s].
        times: of the frames [s]; None: the stretch of tendons is counted, its speed is not.
        stretch: of tendons [m], shape (n, nm).
    """

    muscles: MuscleSet
    lengths: FloatArray
    speeds: FloatArray | None
    times: FloatArray | None

    def __post_init__(self) -> None:
        f = fibres_of(self.muscles)
        self._fibres, nm = f, len(f.max_force)
        gives = [
            not (muscle.rigid_tendon or isinstance(muscle.curves, MujocoMuscle)) and muscle.slack_length > 0
            for muscle in self.muscles.muscles
        ]
        self._elastic = np.array(gives, bool)
        self._inverse = [(_inverted(f, which), which) for _, which in f.curves]
        self._shape = (len(self.lengths), nm)
        self.stretch = np.zeros(self._shape)
        self._share, self._last = np.full(self._shape, SHARE), np.zeros(self._shape)

    def forces(self) -> MuscleForces:
        """What muscles can do with tendons stretched as they are."""
        nm = self._shape[1]
        along = self.lengths[:, :nm] - self._fibres.slack - self.stretch
        rates = None
        if self.speeds is not None:
            rates = self.speeds[:, :nm]
            if self.times is not None and len(self.times) > 2:
                rates = rates - np.gradient(self.stretch, self.times, axis=0)
        return forces_of_fibres(self._fibres, along, rates)

    def take(self, tensions: FloatArray) -> float:
        """Stretch tendons nearer to what tensions ask for; the greatest change that is left, in parts of 5 % strain.

        Args:
            tensions: of muscles along their tendons [N], shape (n, nm).
        """
        asked = self._stretched(tensions)
        change = asked - self.stretch
        left = np.abs(change) / np.maximum(self._fibres.slack * 0.05, 1e-9)  # 5 % strain: about the greatest force
        swings = change * self._last < 0
        self._share = np.where(swings, SMALLER * self._share, np.minimum(LARGER * self._share, SHARE))
        self._last = change
        self.stretch = self.stretch + self._share * change
        return float(left[:, self._elastic].max(initial=0.0))

    def _stretched(self, tensions: FloatArray) -> FloatArray:
        out = np.zeros(self._shape)
        part = tensions / self._fibres.max_force
        for (force, length), which in self._inverse:
            out[:, which] = self._fibres.slack[which] * (np.interp(part[:, which], force, length) - 1.0)
        return np.where(self._elastic, out, 0.0)


def _inverted(f: Fibres, which: Any) -> tuple[FloatArray, FloatArray]:
    """A tendon's curve where it rises: force [max forces], length [slack lengths]."""
    curves = next(curves for curves, own in f.curves if own is which)
    if isinstance(curves, MujocoMuscle):
        return np.array([0.0, 1.0]), np.array([1.0, 1.0])
    force = curves.tendon(GRID)
    first = int(np.flatnonzero(force <= 1e-12).max(initial=0))
    return force[first:], GRID[first:]


def frame_times(times: ArrayLike | None, n: int) -> FloatArray | None:
    """Checked times of n frames: rising."""
    if times is None:
        return None
    found = np.asarray(times, np.float64)
    if found.shape != (n,) or not np.isfinite(found).all() or (np.diff(found) <= 0).any():
        raise ArgumentError(f"times: {n} rising numbers are expected, one for each frame")
    return found
