"""Soles: the part of a foot that may push against the floor, as corners in a plane."""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.motion.foot_contacts import named_feet
from hitogata.motion.ground_height import sole_points

NARROW = 0.35
"""Feet that are bones only (their corners lie in a line) get soles as wide as this times their length."""


@dataclass(frozen=True, eq=False)
class Sole:
    """A sole.

    Attributes:
        name: of the foot, "left" or "right".
        link: index of the link that carries it.
        rotation: of the sole's frame in the link's: x to the toes, z up, shape (3, 3).
        centre: origin of the sole's frame, the middle of its corners, in the link's frame [m], shape (3,).
        corners: in the sole's frame, z = 0 [m], shape (4, 3): front left, front right, back left, back right.
    """

    name: str
    link: int
    rotation: FloatArray
    centre: FloatArray
    corners: FloatArray

    def placed(self, poses: LinkPoses) -> tuple[FloatArray, FloatArray]:
        """The sole's frame in the world, rotations (..., 3, 3) and places (..., 3) [m]."""
        turn = poses.rotation[..., self.link, :, :]
        return turn @ self.rotation, turn @ self.centre + poses.position[..., self.link, :]


def find_soles(figure: Figure) -> tuple[Sole, ...]:
    """The soles of a figure, found by the names of its links.

    Corners are those of the rectangle around the lowest points of the foot (and its toes) in the neutral pose.
    """
    known = figure.compiled.get("soles")
    if known is not None:
        result: tuple[Sole, ...] = known
        return result
    poses = forward_kinematics(figure, figure.neutral())
    soles = []
    for name, links in named_feet(figure).items():
        points = []
        for link, point in sole_points(figure, links):
            i = figure.link_index(link)
            points.append(poses.rotation[i] @ point + poses.position[i])
        soles.append(_sole(name, figure.link_index(links[0]), poses, np.array(points)))
    if not soles:
        raise ArgumentError(f"figure {figure.name!r}: no feet are known by the names of its links")
    figure.compiled["soles"] = tuple(soles)
    return tuple(soles)


def _sole(name: str, link: int, poses: LinkPoses, points: FloatArray) -> Sole:
    ankle, middle = poses.position[link], points.mean(axis=0)
    flat = points[:, :2] - middle[:2]
    spread = np.linalg.svd(flat, full_matrices=False)[2][0] if len(points) > 1 else np.array([1.0, 0.0])
    x = np.array([*(spread * (1.0 if spread @ (middle - ankle)[:2] >= 0 else -1.0)), 0.0])
    z = np.array([0.0, 0.0, 1.0])
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    own = (points - middle) @ axes
    low, high = own.min(axis=0), own.max(axis=0)
    length = max(float(high[0] - low[0]), 1e-3)
    if high[1] - low[1] < 0.1 * length:
        low[1], high[1] = -0.5 * NARROW * length, 0.5 * NARROW * length
    centre = middle + axes @ np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    half = (high - low) / 2
    signs = np.array([(1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (-1.0, 1.0, 0.0), (-1.0, -1.0, 0.0)])
    turn = poses.rotation[link].T
    return Sole(name, link, turn @ axes, turn @ (centre - ankle), signs * half)
