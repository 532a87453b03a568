"""Grounds to stand on, and things to throw."""

import enum
import math
from dataclasses import dataclass

from hitogata.figure import Box, Plane, Pose, Shape, Sphere
from hitogata.figure.pose import turn_from_z


class Floor(enum.Enum):
    """What is under the figure."""

    FLAT = "flat ground"
    SLOPE = "slope of 10°"
    STEEP = "slope of 20°"
    STEPS = "steps"
    NONE = "none"


def floor_shapes(floor: Floor) -> tuple[Shape, ...]:
    """Shapes fixed to the world; all pass through the origin, where the figure stands."""
    if floor is Floor.FLAT:
        return (Plane(),)
    if floor is Floor.NONE:
        return ()
    if floor is Floor.STEPS:
        steps = [Box((0.15, 1.5, 0.09), pose=Pose((0.55 + 0.3 * k, 0.0, 0.09 + 0.18 * k))) for k in range(5)]
        return (Plane(), *steps)
    angle = math.radians(10 if floor is Floor.SLOPE else 20)
    return (Plane(pose=Pose((0.0, 0.0, 0.0), turn_from_z((-math.sin(angle), 0.0, math.cos(angle))))),)


class Thing(enum.Enum):
    """What can be thrown."""

    BALL = "ball"
    BOX = "box"


@dataclass(frozen=True)
class Throw:
    """A thing and how heavy it is [kg]."""

    shape: Shape
    mass: float


THROWS = {Thing.BALL: Throw(Sphere(0.11), 4.0), Thing.BOX: Throw(Box((0.14, 0.14, 0.14)), 6.0)}
