"""Floors: heights and normals over the ground."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.terrain import HeightField
from hitogata.figure.values import FloatArray


class Floor(Protocol):
    """What feet stand on: `height` and `normal` at places (..., 2)."""

    def height(self, places: FloatArray) -> FloatArray:
        """Height above the origin [m], shape (...)."""
        ...

    def normal(self, places: FloatArray) -> FloatArray:
        """Unit normals, shape (..., 3)."""
        ...


@dataclass(frozen=True)
class Slope:
    """A plane.

    Attributes:
        angle: of the slope, > 0 goes up along `heading` [rad].
        heading: direction in which it rises, from x towards y [rad].
        origin: a point of it [m].
    """

    angle: float = 0.0
    heading: float = 0.0
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not abs(self.angle) < math.radians(60):
            raise ArgumentError(f"floor: a slope of {math.degrees(self.angle):g} degrees; less than 60 can be walked")

    def height(self, places: FloatArray) -> FloatArray:
        """Height above the origin [m], shape (...)."""
        along = np.array([math.cos(self.heading), math.sin(self.heading)])
        result: FloatArray = self.origin[2] + math.tan(self.angle) * ((places - self.origin[:2]) @ along)
        return result

    def normal(self, places: FloatArray) -> FloatArray:
        """Unit normals, shape (..., 3)."""
        s, c = math.sin(self.angle), math.cos(self.angle)
        up = np.array([-s * math.cos(self.heading), -s * math.sin(self.heading), c])
        return np.broadcast_to(up, (*places.shape[:-1], 3)).copy()


LEVEL = Slope()
"""The floor z = 0."""


@dataclass(frozen=True)
class Steps:
    """Level steps across a direction.

    Attributes:
        edges: where the steps' edges are along `heading`, rising [m].
        rise: of each step [m].
        heading: direction in which they follow each other, from x towards y [rad].
    """

    edges: tuple[float, ...]
    rise: float = 0.1
    heading: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(float(x) for x in self.edges))
        if not (np.diff(self.edges) > 0).all():
            raise ArgumentError(f"floor: edges of steps must rise, got {self.edges}")

    def height(self, places: FloatArray) -> FloatArray:
        """Height above the origin [m], shape (...)."""
        along = places @ np.array([math.cos(self.heading), math.sin(self.heading)])
        result: FloatArray = self.rise * np.searchsorted(np.array(self.edges), along, side="right").astype(float)
        return result

    def normal(self, places: FloatArray) -> FloatArray:
        """Unit normals, shape (..., 3)."""
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), (*places.shape[:-1], 3)).copy()


@dataclass(frozen=True, eq=False)
class Ground:
    """Heights on a grid, bilinear in between; level beyond its border."""

    field: HeightField

    def height(self, places: FloatArray) -> FloatArray:
        """Height above the origin [m], shape (...)."""
        heights, (hx, hy) = self.field.heights, self.field.half_sizes
        own = places - np.array(self.field.pose.position[:2])
        rows, columns = heights.shape
        x = np.clip((own[..., 0] / hx + 1) / 2 * (columns - 1), 0, columns - 1 - 1e-9)
        y = np.clip((own[..., 1] / hy + 1) / 2 * (rows - 1), 0, rows - 1 - 1e-9)
        i, j = y.astype(int), x.astype(int)
        s, t = x - j, y - i
        low = heights[i, j] * (1 - s) + heights[i, j + 1] * s
        high = heights[i + 1, j] * (1 - s) + heights[i + 1, j + 1] * s
        result: FloatArray = low * (1 - t) + high * t + self.field.pose.position[2]
        return result

    def normal(self, places: FloatArray) -> FloatArray:
        """Unit normals, by differences over the size of a foot, shape (..., 3)."""
        d = 0.05
        gx = (self.height(places + [d, 0]) - self.height(places - [d, 0])) / (2 * d)
        gy = (self.height(places + [0, d]) - self.height(places - [0, d])) / (2 * d)
        up = np.stack([-gx, -gy, np.ones_like(gx)], axis=-1)
        result: FloatArray = up / np.linalg.norm(up, axis=-1, keepdims=True)
        return result


def steps_under(footholds: Sequence[FloatArray], rise: float, heading: float, start: float, spacing: float) -> Steps:
    """Steps whose edges lie between footholds: every `spacing` metres from `start`, moved to where no foot stands.

    Args:
        footholds: middles of the feet that stand, (x, y) [m].
        rise: of each step [m].
        heading: direction of walking [rad].
        start: first edge along it [m].
        spacing: of the edges [m].
    """
    along = sorted(float(p[0] * math.cos(heading) + p[1] * math.sin(heading)) for p in footholds)
    if not along:
        raise ArgumentError("floor: no foot stands, so there is nowhere to put steps")
    gaps = [(a + b) / 2 for a, b in pairwise(along) if b - a > 0.2]
    edges, last = [], start - spacing
    for gap in gaps:
        if gap >= start and gap - last >= 0.8 * spacing:
            edges.append(gap)
            last = gap
    return Steps(tuple(edges), rise, heading)
