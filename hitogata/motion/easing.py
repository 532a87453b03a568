"""How weights go from 0 to 1."""

import numpy as np

from hitogata.figure.values import FloatArray


def ease(x: FloatArray) -> FloatArray:
    """10x³ - 15x⁴ + 6x⁵ of x clipped to 0 ... 1: starts and ends without speed and acceleration."""
    s = np.clip(x, 0.0, 1.0)
    result: FloatArray = s**3 * (10 + s * (6 * s - 15))
    return result


def arrive(x: FloatArray) -> FloatArray:
    """-4x³ + 7x⁴ - 3x⁵ of x clipped to 0 ... 1: zero at both ends, with speed 1 at x = 1 and no other."""
    s = np.clip(x, 0.0, 1.0)
    result: FloatArray = s**3 * (s * (7 - 3 * s) - 4)
    return result
