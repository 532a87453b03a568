"""Gaps of markers closed by the body: where it says they were, off by what each marker was off before and after.

A marker strays from the body as its skin does, slowly: what it is off at the ends of a gap still holds near them and is
forgotten within it, so that filled places join on to those that were seen, and long gaps are the body's alone.
"""

from typing import Any

import numpy as np

from hitogata.capture.ik import JointAngles
from hitogata.figure.values import FloatArray
from hitogata.files import MarkerData

FORGET = 0.1
"""Time constant with which what a marker was off is forgotten in a gap [s]."""


def fill_gaps(angles: JointAngles, trial: MarkerData) -> MarkerData:
    """The set's markers of a trial without gaps; what was seen stays as it is.

    Args:
        angles: of the same frames.
        trial: that they were found from.
    """
    column = {label: k for k, label in enumerate(trial.labels)}
    places = angles.places.copy()
    for k, label in enumerate(angles.markers.labels):
        if label in column:
            own = np.asarray(trial.positions[:, column[label]])
            seen = np.isfinite(own).all(axis=1)
            places[:, k] += _kept_off(own - angles.places[:, k], seen, angles.time)
            places[seen, k] = own[seen]
    return MarkerData(angles.markers.labels, trial.time, trial.rate, places, unit=trial.unit, name=trial.name)


def _kept_off(off: FloatArray, seen: Any, time: FloatArray) -> FloatArray:
    """What a marker is off in its gaps: between its last and next values, less and less away from them."""
    known = np.flatnonzero(seen)
    if not len(known):
        return np.zeros_like(off)
    between = np.stack([np.interp(time, time[known], off[known, axis]) for axis in range(3)], axis=1)
    after = np.clip(np.searchsorted(known, np.arange(len(time))), 0, len(known) - 1)
    before = np.maximum(after - 1, 0)
    away = np.minimum(np.abs(time - time[known[after]]), np.abs(time - time[known[before]]))
    kept: FloatArray = between * np.exp(-away / FORGET)[:, None]
    return kept
