"""Grounds to stand on, a bar to hang from, and things to throw."""

import enum
import math
from functools import cache

import numpy as np

from hitogata.figure import Box, Capsule, Figure, FigureBuilder, HeightField, Plane, Pose, Shape, Sphere, joint
from hitogata.figure.pose import FloatArray, turn_from_z


class Floor(enum.Enum):
    """What is under the figure."""

    FLAT = "flat ground"
    GENTLE = "slope of 5°"
    DOWNHILL = "slope of -5°"
    SLOPE = "slope of 10°"
    STEEP = "slope of 20°"
    STEPS = "steps"
    HILLS = "hills"
    NONE = "none"


STEP_EDGES, STEP_RISE = tuple(0.4 + 0.3 * k for k in range(5)), 0.18
"""Where steps begin along x, and how high each is [m]."""
_ANGLES = {Floor.GENTLE: 5.0, Floor.DOWNHILL: -5.0, Floor.SLOPE: 10.0, Floor.STEEP: 20.0}
"""Of slopes, > 0 rises along x [°]."""


def floor_shapes(floor: Floor) -> tuple[Shape, ...]:
    """Shapes fixed to the world; all pass through the origin, where the figure stands."""
    if floor is Floor.FLAT:
        return (Plane(),)
    if floor is Floor.NONE:
        return ()
    if floor is Floor.STEPS:
        half = STEP_RISE / 2
        middles = [Pose((x + 0.15, 0.0, (2 * k + 1) * half)) for k, x in enumerate(STEP_EDGES)]
        steps = [Box((0.15, 1.5, half), pose=pose) for pose in middles]
        return (Plane(), *steps)
    if floor is Floor.HILLS:
        return (_hills(),)
    angle = floor_angle(floor)
    return (Plane(pose=Pose((0.0, 0.0, 0.0), turn_from_z((-math.sin(angle), 0.0, math.cos(angle))))),)


def floor_heights(floor: Floor, places: FloatArray) -> FloatArray:
    """How high the ground is under somebody who stands at places (x, y), shape (n, 2) -> (n,) [m]."""
    if floor in _ANGLES:
        return places[:, 0] * math.tan(floor_angle(floor))
    if floor is Floor.HILLS:
        corners = _hills().vertices
        near = np.abs(places[:, None] - corners[:, :2]).max(-1) < _FOOTING
        return np.where(near, corners[:, 2], -np.inf).max(1)
    return np.zeros(len(places))


_FOOTING = 0.3
"""Half of the square that one stands on [m]."""


def floor_angle(floor: Floor) -> float:
    """Of a slope, > 0 rises along x [rad]."""
    return math.radians(_ANGLES[floor])


@cache
def _hills() -> HeightField:
    """Flat where the figure stands, hills of half a metre about it, and a rim that keeps what rolls."""
    x, y = np.meshgrid(*2 * [np.linspace(-10, 10, 101)])
    away = np.hypot(x, y)
    hills = 0.28 * np.sin(1.1 * x + 0.4) * np.cos(0.9 * y) + 0.12 * np.sin(2.3 * x + 1.7 * y)
    rim = 0.12 * np.maximum(away - 7.0, 0.0) ** 2
    return HeightField(np.clip((away - 0.5) / 1.5, 0.0, 1.0) * hills + rim, (10.0, 10.0))


BAR_HEIGHT = 2.1
"""Of the bar, at first [m]."""


def bar_at(height: float) -> Capsule:
    """A bar above the origin, from the right to the left, at a height [m]."""
    return Capsule.between((0.0, -0.9, height), (0.0, 0.9, height), 0.016)


class Thing(enum.Enum):
    """What can be thrown."""

    BALL = "ball"
    BOX = "box"


_THROWN: dict[Thing, tuple[Shape, float]] = {
    Thing.BALL: (Sphere(0.11), 4.0), Thing.BOX: (Box((0.14, 0.14, 0.14)), 6.0),
}  # fmt: skip
"""Shape and mass [kg]."""


@cache
def thing_figure(kind: Thing) -> Figure:
    """A thing to throw, as a figure of one link."""
    shape, mass = _THROWN[kind]
    builder = FigureBuilder(kind.value)
    builder.add(kind.value, None, joint.free(), shapes=[shape], total_mass=mass)
    return builder.build()
