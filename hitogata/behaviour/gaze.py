"""What somebody looks at: the first surface that a gaze ray meets.

A gaze stream has the ray's origin [m] and direction, and the pupil's diameter.  The surfaces are those of solids: balls
that move (`Target`), any shape in any pose (`ShapeTarget`), all shapes of a figure in motion (`figure_targets`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.behaviour.rays import stretch_inside
from hitogata.behaviour.streams import Array
from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.shapes import Shape, Sphere
from hitogata.spatial import quat_multiply, quat_rotate


@dataclass(frozen=True)
class Target:
    """A ball that can be looked at.

    Attributes:
        name: of what it is.
        centre: [m], shape (3,), or of each frame, shape (n, 3).
        radius: [m].
    """

    name: str
    centre: Any
    radius: float


@dataclass(frozen=True)
class ShapeTarget:
    """A solid that can be looked at.

    Attributes:
        name: of what it is.
        shape: a sphere, capsule, cylinder, ellipsoid, box, convex mesh or plane, in its own frame (its pose does not
            count here).
        position: of its frame [m], shape (3,), or of each frame, shape (n, 3).
        quat: likewise, shape (4,) or (n, 4).
    """

    name: str
    shape: Shape
    position: Any = (0.0, 0.0, 0.0)
    quat: Any = (1.0, 0.0, 0.0, 0.0)


def figure_targets(figure: Figure, q: Any) -> tuple[ShapeTarget, ...]:
    """The shapes of a figure's links, by the names of these.

    Args:
        figure: who is looked at.
        q: its coordinates, shape (nq,), or of each frame, shape (n, nq).
    """
    poses = forward_kinematics(figure, q)
    found = []
    for k, link in enumerate(figure.links):
        place, turn = poses.position[..., k, :], poses.quat[..., k, :]
        for shape in link.shapes:
            at = place + quat_rotate(turn, np.broadcast_to(shape.pose.position, place.shape))
            quat = quat_multiply(turn, np.broadcast_to(shape.pose.quat, turn.shape))
            found.append(ShapeTarget(link.name, shape, at, quat))
    return tuple(found)


def looked_at(
    origins: Any, directions: Any, targets: Sequence[Target | ShapeTarget]
) -> tuple[Array, Array]:  # fmt: skip
    """The first target that each ray meets; of one that it begins in, where it leaves it.

    Args:
        origins: [m], shape (n, 3).
        directions: shape (n, 3), of any length but 0; NaN: not measured.
        targets: what there is.

    Returns:
        Indices of targets, -1 for none, shape (n,); and where rays meet them [m], NaN for none, shape (n, 3).
    """
    o, d = np.asarray(origins, np.float64), np.asarray(directions, np.float64)
    if o.shape != d.shape or o.ndim != 2 or o.shape[1] != 3:
        raise ArgumentError(f"origins and directions: shapes (n, 3) expected, got {o.shape} and {d.shape}")
    with np.errstate(invalid="ignore", divide="ignore"):
        d = d / np.linalg.norm(d, axis=1, keepdims=True)
        nearest, found = np.full(len(o), np.inf), np.full(len(o), -1)
        for k, target in enumerate(targets):
            entry, leave = stretch_inside(*_in_frame(target, o, d))
            at = np.where(entry >= 0, entry, leave)
            hit = (at >= 0) & (at < nearest)
            nearest, found = np.where(hit, at, nearest), np.where(hit, k, found)
    nearest[~np.isfinite(nearest)] = np.nan
    points = o + nearest[:, None] * d
    return found, points


def _in_frame(target: Target | ShapeTarget, o: Array, d: Array) -> tuple[Shape, Array, Array]:
    """A target's shape, and rays in its frame."""
    if isinstance(target, Target):
        return Sphere(target.radius), o - np.asarray(target.centre, np.float64), d
    back = np.broadcast_to(np.asarray(target.quat, np.float64) * [1, -1, -1, -1], (len(o), 4))
    way = o - np.asarray(target.position, np.float64)
    return target.shape, quat_rotate(back, way), quat_rotate(back, d)
