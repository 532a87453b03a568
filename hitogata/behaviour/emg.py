"""EMG from raw voltage to envelope: band-pass, rectified, low-pass, normalised.

The usual chain and the usual numbers (Merletti & Di Torino 1999, standards for reporting EMG data; De Luca et al. 2010
for the high-pass at 20 Hz): Butterworth of fourth order forwards and backwards, so that nothing is delayed.
"""

from typing import Any

import numpy as np

from hitogata.behaviour.streams import Array
from hitogata.errors import ArgumentError

BAND, LOW = (20.0, 450.0), 6.0


def band_passed(values: Any, rate: float, band: tuple[float, float] = BAND) -> Array:
    """Without movement artefacts below and noise above.

    Args:
        values: raw, shape (n,) or (n, nc); NaN is not measured.
        rate: [Hz].
        band: edges [Hz]; the upper one is taken down to 0.45 times the rate if it lies above.
    """
    low, high = band
    high = min(high, 0.45 * rate)
    if not 0 < low < high:
        raise ArgumentError(f"band: {low:g} to {high:g} Hz cannot be passed at {rate:g} samples per second")
    return _filtered(values, rate, (low, high), "bandpass")


def envelope(values: Any, rate: float, *, band: tuple[float, float] = BAND, low: float = LOW) -> Array:
    """How active: band-passed, rectified, low-passed; never below 0.

    Args:
        values: raw, shape (n,) or (n, nc); NaN is not measured.
        rate: [Hz].
        band: as for `band_passed`.
        low: cut-off of the envelope [Hz].
    """
    if not 0 < low < 0.5 * rate:
        raise ArgumentError(f"low: a cut-off between 0 and {0.5 * rate:g} Hz expected, got {low!r}")
    found = _filtered(np.abs(band_passed(values, rate, band)), rate, low, "lowpass")
    return np.clip(found, 0.0, None)


def normalised(envelopes: Any, reference: Any | None = None) -> Array:
    """Envelopes as shares of a reference.

    Args:
        envelopes: shape (n, nc).
        reference: of each channel (a maximal contraction), shape (nc,); None: the 99th percentile of the envelopes.
    """
    table = np.asarray(envelopes, np.float64)
    top = np.nanpercentile(table, 99.0, axis=0) if reference is None else np.asarray(reference, np.float64)
    if top.shape != table.shape[1:] or not (np.isfinite(top) & (top > 0)).all():
        raise ArgumentError(f"reference: one positive number per channel expected, shape {table.shape[1:]}")
    found: Array = table / top
    return found


def _filtered(values: Any, rate: float, edge: Any, kind: str) -> Array:
    """Forwards and backwards, run by run between gaps; runs too short to filter become NaN."""
    from scipy.signal import butter, sosfiltfilt

    table = np.asarray(values, np.float64)
    flat = table.reshape(len(table), -1)
    out = np.full(flat.shape, np.nan)
    sections = butter(2, edge, kind, fs=rate, output="sos")  # twice: forwards and backwards
    shortest = 3 * (2 * len(sections) + 1) + 1
    for c in range(flat.shape[1]):
        good = np.isfinite(flat[:, c])
        edges = np.flatnonzero(np.diff(np.r_[False, good, False].astype(np.int8)))
        for i, j in edges.reshape(-1, 2):
            if j - i >= shortest:
                out[i:j, c] = sosfiltfilt(sections, flat[i:j, c])
    return out.reshape(table.shape)
