"""How high the root should be so that feet can stand: a path through a table of costs, smooth in time.

Legs that are too short want it lower, ankles at the end of their range want it higher.  For each sample the costs of a
row of heights are known; the path with the least sum of costs and squared accelerations is found by dynamic programming
over its heights (Bellman), with the slope as the price of going from one to the next, and then smoothed.
"""

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.motion.smooth_curve import smoothest

SLOPE = 0.3
"""Speed of the change of height that costs as much as a height of `PRICE` [m/s]."""

PRICE = 0.03
"""Height that costs 1 [m]."""

_SPAN = 0.06  # [s], of the smoothing at the end


def best_heights(time: FloatArray, heights: FloatArray, costs: FloatArray) -> FloatArray:
    """Heights over time [m], shape (nt,).

    Args:
        time: [s], shape (nt,).
        heights: to choose from, evenly spaced [m], shape (k,).
        costs: of each at each time, without the price of heights themselves, shape (nt, k).
    """
    own = costs + (heights / PRICE) ** 2
    steps = np.diff(time)
    way = (heights[:, None] - heights) ** 2
    total, came = own[0], np.zeros(own.shape, np.intp)
    for k in range(1, len(time)):
        through = total[:, None] + way / (SLOPE * steps[k - 1]) ** 2
        came[k] = through.argmin(axis=0)
        total = through.min(axis=0) + own[k]
    path = np.empty(len(time), np.intp)
    path[-1] = int(total.argmin())
    for k in range(len(time) - 1, 0, -1):
        path[k - 1] = came[k, path[k]]
    return smoothest(time, heights[path][:, None], np.ones(len(time)), span=_SPAN, pull=1e-9)[:, 0]
