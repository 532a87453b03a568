"""Single samples of a capture in which the whole body jumps aside, and back in the next one.

Where most links are farther from where the samples around lead (the cubic through two before and two after) than is
usual near there, while the samples beside go on as before, the solver of the capture has failed once.  (Outliers by the
median of a moving window: Hampel 1974.)
"""

from dataclasses import replace

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.rates import changes
from hitogata.figure.values import FloatArray
from hitogata.motion.foot_contacts import BoolArray
from hitogata.motion.tangents import moved

_AROUND = 12  # samples on either side that say what is usual
_JUMP, _LEAST = 8.0, 0.01  # so many times what is usual, and so many metres, is a jump


def without_spikes(figure: Figure, trajectory: Trajectory) -> tuple[Trajectory, tuple[int, ...]]:
    """The motion with such samples put half way between their neighbours, and their indices.

    Velocities are computed anew if there are any; channels stay.

    Args:
        figure: the figure.
        trajectory: its motion.
    """
    if len(trajectory) < 5:
        return trajectory, ()
    found = np.flatnonzero(spikes(np.array(forward_kinematics(figure, trajectory.q).position)))
    if not len(found):
        return trajectory, ()
    q = np.array(trajectory.q, np.float64)
    time = trajectory.time
    share = (time[found] - time[found - 1]) / (time[found + 1] - time[found - 1])
    q[found] = moved(figure, q[found - 1], share[:, None] * changes(figure, q[found - 1], q[found + 1]))
    return replace(trajectory, q=q, v=velocities_of(figure, time, q)), tuple(int(k) for k in found)


def spikes(places: FloatArray) -> BoolArray:
    """Which samples jump aside, shape (n,), of places of links [m], shape (n, nlinks, 3)."""
    mask: BoolArray = np.zeros(len(places), np.bool_)
    if len(places) < 5:
        return mask
    middle = (-places[:-4] + 4 * places[1:-3] + 4 * places[3:-1] - places[4:]) / 6
    off = np.median(np.linalg.norm(places[2:-2] - middle, axis=2), axis=1)
    past = np.median(np.linalg.norm(places[3:-1] - places[1:-3], axis=2), axis=1)
    beside = np.pad(off, 1)
    highest = off >= np.maximum(beside[:-2], beside[2:])
    goes_on = past < 2 * _medians(past) + _LEAST
    mask[2:-2] = highest & goes_on & (off > np.maximum(_JUMP * _medians(off), _LEAST))
    return mask


def _medians(values: FloatArray) -> FloatArray:
    """Of each value and those around it, shape (n,)."""
    return np.array([np.median(values[max(k - _AROUND, 0) : k + _AROUND + 1]) for k in range(len(values))])
