"""How low the shapes of some links come."""

from collections.abc import Sequence

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Figure, Shape, Sphere
from hitogata.figure.meshes import points_on
from hitogata.figure.values import FloatArray

STANCE = 10
"""Percentile of the soles' heights that is put on the floor: feet are on it for more of a motion than this."""

_SOLE = 0.02  # [m]: points of a box or mesh that are no higher than this above its lowest one
_DEEP = 0.15  # [m]: soles are not farther than this below the bones of a foot


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


def sole_points(figure: Figure, links: Sequence[str]) -> list[tuple[str, FloatArray]]:
    """Points of a foot that may stand on the ground: a link, and the place in its frame [m].

    In the neutral pose all are at the height of the foot's lowest point: the lowest corners of boxes and meshes, and
    what is below the ends of capsules and the centres of spheres (so a foot that is a bone from ankle to toes has a
    heel).  Links without shapes have what is below their origin and their named frames.
    """
    poses = forward_kinematics(figure, figure.neutral())
    found: list[tuple[str, FloatArray, float]] = []
    for name in links:
        i = figure.link_index(name)
        link, up = figure.links[i], np.array(poses.rotation[i, 2])
        solid = [corners for shape in link.shapes if (corners := _corners(shape)) is not None]
        for points, radius in solid:
            if radius == 0.0:
                heights = points @ up
                points = _outermost(points[heights < heights.min() + _SOLE], up)
            found += [(name, point, radius) for point in points]
        if not solid:
            found += [(name, np.array(at), 0.0) for at in [(0.0, 0.0, 0.0), *(f.pose.position for f in link.frames)]]
    sole = min(_height(figure, poses, name, point) - radius for name, point, radius in found)
    result = []
    for name, point, radius in found:
        above = _height(figure, poses, name, point) - sole
        up = np.array(poses.rotation[figure.link_index(name), 2])
        result.append((name, point - up * (above if above < _DEEP else radius)))
    return result


def _height(figure: Figure, poses: LinkPoses, link: str, point: FloatArray) -> float:
    """Height of a point of a link [m]."""
    i = figure.link_index(link)
    return float(poses.position[i, 2] + poses.rotation[i, 2] @ point)


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
    elif isinstance(shape, Cylinder | Ellipsoid):
        points, radius = points_on(shape), 0.0
    else:
        return None
    return shape.pose.apply(points), radius
