"""The pointer's way, smoothed: the page tells of it 20 times a second, frames come 60 times."""

import math

import numpy as np

from hitogata.figure.pose import FloatArray

LAG = 0.06
"""Time in which the leash goes 63 % of its way to the pointer [s]."""


class Leash:
    """A point that follows the pointer."""

    def __init__(self, place: FloatArray) -> None:
        self.pointer = np.array(place, float)
        self.place = self.pointer.copy()

    def lead(self, pointer: FloatArray) -> None:
        """The pointer moved."""
        self.pointer = np.array(pointer, float)

    def advance(self, seconds: float) -> FloatArray:
        """Where the leash is after some time, shape (3,) [m]."""
        self.place = self.place + (self.pointer - self.place) * (1.0 - math.exp(-seconds / LAG))
        return self.place
