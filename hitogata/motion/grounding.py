"""How low the shapes of some links come."""

from collections.abc import Sequence

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Box, Capsule, ConvexMesh, Figure, Shape, Sphere
from hitogata.figure.values import FloatArray

STANCE = 10
"""Percentile of the soles' heights that is put on the floor: feet are on it for more of a motion than this."""

_SOLE = 0.02  # [m]: points of a box or mesh that are no higher than this above its lowest one


def lowest(figure: Figure, q: FloatArray, links: Sequence[str]) -> FloatArray | None:
    """Height of the lowest point of the links' shapes, or of their origins if they have none [m], shape (nt,).

    Args:
        figure: the figure.
        q: coordinates, shape (nt, nq).
        links: names; None is returned if there are none.
    """
    if not links or not len(q):
        return None
    poses = forward_kinematics(figure, q)
    heights = []
    for name in links:
        i = figure.link_index(name)
        corners = [c for shape in figure.links[i].shapes if (c := _corners(shape)) is not None]
        for points, radius in corners or [(np.zeros((1, 3)), 0.0)]:
            z = poses.position[:, i, 2:] + poses.rotation[:, i, 2] @ points.T
            heights.append(z.min(axis=1) - radius)
    result: FloatArray = np.min(heights, axis=0)
    return result


def sole_points(figure: Figure, link: str) -> list[tuple[FloatArray, float]]:
    """Points of a link's shapes that may stand on the ground, in its frame [m], and their radii.

    Those of a box or mesh that are lowest in the figure's neutral pose; both ends of a capsule; without shapes the
    link's origin and its named frames.
    """
    i = figure.link_index(link)
    up = np.array(forward_kinematics(figure, figure.neutral()).rotation[i, 2])
    found: list[tuple[FloatArray, float]] = []
    for shape in figure.links[i].shapes:
        corners = _corners(shape)
        if corners is None:
            continue
        points, radius = corners
        if radius == 0.0:
            heights = points @ up
            points = _outermost(points[heights < heights.min() + _SOLE], up)
        found += [(point, radius) for point in points]
    bare = [np.zeros(3), *(np.array(frame.pose.position) for frame in figure.links[i].frames)]
    return found or [(point, 0.0) for point in bare]


def _outermost(points: FloatArray, up: FloatArray) -> FloatArray:
    """Of more than eight points, those that are outermost in eight directions across `up`."""
    if len(points) <= 8:
        return points
    first = np.cross(up, np.eye(3)[np.abs(up).argmin()])
    axes = np.stack([first / np.linalg.norm(first), np.cross(up, first / np.linalg.norm(first))])
    angles = np.arange(8) * np.pi / 4
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1) @ axes
    return points[np.unique((points @ directions.T).argmax(axis=0))]


def _corners(shape: Shape) -> tuple[FloatArray, float] | None:
    """Points in the link's frame, and a radius: the shape is the hull of balls about them."""
    if isinstance(shape, Sphere):
        points: FloatArray = np.zeros((1, 3))
        radius = shape.radius
    elif isinstance(shape, Capsule):
        points, radius = np.array([[0, 0, -1.0], [0, 0, 1.0]]) * shape.half_length, shape.radius
    elif isinstance(shape, Box):
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        points, radius = signs * np.array(shape.half_sizes), 0.0
    elif isinstance(shape, ConvexMesh):
        points, radius = shape.vertices, 0.0
    else:
        return None
    return shape.pose.apply(points), radius
