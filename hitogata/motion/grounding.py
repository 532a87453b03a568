"""How low the shapes of some links come."""

from collections.abc import Sequence

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Box, Capsule, ConvexMesh, Figure, Shape, Sphere
from hitogata.figure.values import FloatArray


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
