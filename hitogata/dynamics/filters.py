"""Recorded curves made smooth and differentiable: a low-pass without delay, and natural quintic splines.

As OpenSim's users know them: a third-order Butterworth filter run forwards and backwards over data padded by half its
length with its odd mirror image, then a natural spline of degree 5 through the samples (Woltring 1986).
"""

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.mechanism.splines import natural_spline
from hitogata.figure.values import FloatArray

ORDER = 3
"""Of the filter, in each direction."""


def zero_phase_lowpass(time: FloatArray, values: FloatArray, cutoff: float) -> tuple[FloatArray, FloatArray]:
    """Filter columns without delay; at uneven times they are first taken at the smallest step, by splines.

    Args:
        time: rising [s], shape (n,).
        values: shape (n, k).
        cutoff: where each of the two passes has -3 dB [Hz].

    Returns:
        Even times and filtered values, with half as many again at both ends, where the data is mirrored: a spline
        through all of them has no end inside the data.

    Raises:
        ArgumentError: the cut-off is not between zero and half the rate of the samples, or too few samples.
    """
    steps = np.diff(time)
    if len(time) < 8 or steps.min() <= 0:
        raise ArgumentError(f"low-pass: at least 8 samples at rising times are needed, got {len(time)}")
    if steps.max() - steps.min() > 1e-3 * steps.mean():
        step = float(steps.min())
        curve = natural_spline(time, values, 5)
        time = np.arange(time[0], time[-1] + 1e-9 * step, step)
        values = curve(time)
    rate = (len(time) - 1) / (time[-1] - time[0])
    if not 0 < cutoff < rate / 2:
        raise ArgumentError(f"low-pass: the cut-off must lie between 0 and {rate / 2:g} Hz, got {cutoff:g} Hz")
    pad = len(time) // 2
    time, values = _mirrored(time, pad), _mirrored(values, pad)
    from scipy import signal  # slow to import: here, not for those who do without

    b, a = signal.butter(ORDER, cutoff, fs=rate)
    return time, signal.filtfilt(b, a, values, axis=0, padlen=0)


def _mirrored(values: FloatArray, pad: int) -> FloatArray:
    """Values with `pad` rows more at both ends: turned about the end points, so that slopes go on."""
    before = 2 * values[:1] - values[pad:0:-1]
    behind = 2 * values[-1:] - values[-2 : -pad - 2 : -1]
    return np.concatenate([before, values, behind])


def spline_derivatives(
    time: FloatArray, values: FloatArray, at: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Values, rates and accelerations of columns at times, by natural splines of degree 5.

    Raises:
        ArgumentError: times outside the data, or too few samples.
    """
    if len(time) < 6 or np.diff(time).min() <= 0:
        raise ArgumentError(f"splines: at least 6 samples at rising times are needed, got {len(time)}")
    if len(at) and (at[0] < time[0] - 1e-9 or at[-1] > time[-1] + 1e-9):
        raise ArgumentError(f"times {at[0]:g} to {at[-1]:g} s are outside the data, {time[0]:g} to {time[-1]:g} s")
    curve = natural_spline(time, values, 5)
    inside = np.clip(at, time[0], time[-1])
    return curve(inside), curve(inside, 1), curve(inside, 2)
