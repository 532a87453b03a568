"""Turns over time that are nowhere faster than they may be, within a range of motion.

Where a range holds a joint, the nearest pose it allows may run along the wall, or the next joint may make up for it,
much faster than anything moved before.  Such places are smoothed: a Gaussian of width σ leaves of a sudden turn by A a
speed of A/(σ √(2π)), so that σ grows until the speed fits; elsewhere nothing changes.
"""

from collections.abc import Callable

import numpy as np

from hitogata.figure.rates import unbroken_quats
from hitogata.figure.values import FloatArray
from hitogata.motion.easing import ease
from hitogata.spatial import quat_conjugate, quat_exp, quat_log, quat_multiply

FASTER, SLOWEST = 1.35, 1.0
"""A joint may turn so many times faster than the source's ever does, which counts as no slower than this [rad/s]."""

_WIDTHS = 0.02 * 1.5 ** np.arange(12)  # [s], up to 1.7 s
_REACH = 2.5  # times σ: how far around a fast place is smoothed


def greatest_turning(time: FloatArray, rotation: FloatArray) -> float:
    """Greatest speed of turning from sample to sample [rad/s], of rotations, shape (nt, 3, 3)."""
    if len(time) < 2:
        return 0.0
    step = np.swapaxes(rotation[:-1], 1, 2) @ rotation[1:]
    twice = np.stack([step[:, 2, 1] - step[:, 1, 2], step[:, 0, 2] - step[:, 2, 0], step[:, 1, 0] - step[:, 0, 1]], 1)
    angles = np.arctan2(np.linalg.norm(twice, axis=1), np.trace(step, axis1=1, axis2=2) - 1)
    return float((angles / np.diff(time)).max())


def slowed(
    time: FloatArray, quats: FloatArray, most: float, allowed: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Orientations that turn no faster than asked, as far as smoothing over a second or two can, shape (nt, 4).

    Args:
        time: [s], shape (nt,).
        quats: unit, shape (nt, 4).
        most: greatest speed [rad/s].
        allowed: what a range of motion leaves of orientations.
    """
    from scipy.ndimage import gaussian_filter1d

    if len(time) < 3:
        return quats
    quats = unbroken_quats(quats.copy())
    step = float(np.median(np.diff(time)))
    for width in _WIDTHS:
        fast = np.flatnonzero(_speeds(time, quats) > most)
        if not len(fast):
            break
        middle = (time[fast] + time[fast + 1]) / 2
        k = np.clip(np.searchsorted(middle, time), 1, len(middle) - 1) if len(middle) > 1 else np.zeros(len(time), int)
        away = np.minimum(np.abs(time - middle[k]), np.abs(time - middle[np.maximum(k - 1, 0)])) / (_REACH * width)
        share = ease(2 * (1 - away))
        smooth = gaussian_filter1d(quats, width / step, axis=0, mode="nearest")
        smooth /= np.linalg.norm(smooth, axis=1, keepdims=True)
        turn = quat_log(quat_multiply(smooth, quat_conjugate(quats)))
        moved = np.asarray(quat_multiply(quat_exp(share[:, None] * turn), quats), np.float64)
        quats = unbroken_quats(np.asarray(allowed(moved), np.float64))
    return quats


def _speeds(time: FloatArray, quats: FloatArray) -> FloatArray:
    turns = quat_log(quat_multiply(quats[1:], quat_conjugate(quats[:-1])))
    speeds: FloatArray = np.linalg.norm(turns, axis=1) / np.diff(time)
    return speeds
