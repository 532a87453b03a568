"""An orthographic camera: which way to look, and where points land on the picture."""

import math
from dataclasses import dataclass

import numpy as np

from hitogata.figure.pose import FloatArray


@dataclass(frozen=True)
class Camera:
    """Looks at the world from a direction, with z up.

    Attributes:
        azimuth: of the direction one looks from, about z, from +x towards +y [rad].
        elevation: of that direction above the horizon [rad].
    """

    azimuth: float = math.radians(-60)
    elevation: float = math.radians(15)

    @property
    def axes(self) -> FloatArray:
        """Rows: right, up and towards the camera, in the world, shape (3, 3)."""
        ca, sa, ce, se = (f(x) for x in (self.azimuth, self.elevation) for f in (math.cos, math.sin))
        return np.array([[-sa, ca, 0.0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]])

    def project(self, points: FloatArray) -> FloatArray:
        """World points, shape (..., 3) [m], as (right, up, nearness), shape (..., 3) [m]."""
        result: FloatArray = np.asarray(points) @ self.axes.T
        return result
