"""Frames of virtual links, from points and axes."""

from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Pose, values


def frame_at(point: Any, quat: Any) -> Pose:
    """Frame at a point."""
    return Pose(values.vector(point, "point of a virtual link"), quat)


def direction_of(axis: Any) -> tuple[float, float, float]:
    """A unit vector."""
    direction = np.array(values.vector(axis, "axis of a virtual link"))
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        raise ArgumentError("axis of a virtual link: it must not be zero")
    x, y, z = (direction / length).tolist()
    return x, y, z


def shortest_turn(a: tuple[float, float, float], b: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """Quaternion of the shortest turn that takes one unit vector to another: (1 + a · b, a × b), normalised."""
    if a == b:
        return 1.0, 0.0, 0.0, 0.0
    middle = np.add(a, b)
    size = float(np.linalg.norm(middle))
    if size < 1e-7:  # opposite: half a turn about any axis across
        across = np.cross(a, np.eye(3)[int(np.abs(a).argmin())])
        x, y, z = (across / np.linalg.norm(across)).tolist()
        return 0.0, x, y, z
    half = middle / size
    x, y, z = np.cross(a, half).tolist()
    return float(np.dot(a, half)), x, y, z
