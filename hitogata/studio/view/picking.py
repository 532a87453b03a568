"""From the mouse to the world: rays of a camera, the link that a ray meets, and places at a depth."""

from typing import Any, NamedTuple

import numpy as np

from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Figure, Shape, Sphere
from hitogata.figure.pose import FloatArray
from hitogata.pictures.replay_shapes import drawn_shapes
from hitogata.spatial import quat_to_matrix

NEAR = 0.03
"""A ray that passes a shape by less than this picks it still [m]."""


class Ray(NamedTuple):
    """From the eye, in the world.

    Attributes:
        origin: [m], shape (3,).
        direction: unit, shape (3,).
        forward: where the camera looks, unit, shape (3,).
    """

    origin: FloatArray
    direction: FloatArray
    forward: FloatArray

    def at_depth(self, depth: float) -> FloatArray:
        """The place of the ray at a depth along the camera's view [m]."""
        return self.origin + self.direction * (depth / float(self.direction @ self.forward))

    def depth_of(self, place: FloatArray) -> float:
        """Of a place along the camera's view [m]."""
        return float((place - self.origin) @ self.forward)


def ray_through(camera: Any, screen: tuple[float, float]) -> Ray:
    """The ray through a place of a page's picture, from (0, 0) at its upper left to (1, 1)."""
    rotation: FloatArray = np.asarray(quat_to_matrix(np.array(camera.wxyz)), np.float64)
    tangent = np.tan(camera.fov / 2)
    local = np.array([(2 * screen[0] - 1) * tangent * camera.aspect, (2 * screen[1] - 1) * tangent, 1.0])
    direction = rotation @ local
    return Ray(np.array(camera.position), direction / np.linalg.norm(direction), rotation[:, 2])


class Picked(NamedTuple):
    """A link that a ray meets: which copy's, and where [m]."""

    copy: int
    link: int
    place: FloatArray


def pick(figure: Figure, matrices: FloatArray, ray: Ray) -> Picked | None:
    """The nearest link on a ray, or the one that it passes closest by; None: there is none near.

    Shapes are taken as capsules.

    Args:
        figure: of the copies.
        matrices: poses of links, shape (n, nlinks, 3, 4).
        ray: from the eye.
    """
    if not any(_capsule(shape) is not None for _, shape in drawn_shapes(figure)):
        return None  # it is ground alone
    links, a, b, radius = _capsules(figure)
    parts = matrices[:, links]
    rotation, position = parts[..., :3], parts[..., 3]
    start, end = ((rotation @ x[..., None])[..., 0] + position for x in (a, b))
    along, across = end - start, start - ray.origin
    # nearest places of the line origin + t d and the segment start + u along (Ericson 2005, 5.1.9)
    e, f, c = (along**2).sum(-1), (along * across).sum(-1), across @ ray.direction
    g = along @ ray.direction
    u = np.clip((g * c - f) / np.maximum(e - g * g, 1e-12), 0.0, 1.0)
    t = c + u * g
    gap = np.linalg.norm(across + u[..., None] * along - t[..., None] * ray.direction, axis=-1) - radius
    score = np.where(gap <= 0, t - radius, 1e3 + gap)
    score[(t < 0) | (gap > NEAR)] = np.inf
    copy, part = np.unravel_index(int(np.argmin(score)), score.shape)
    if not np.isfinite(score[copy, part]):
        return None
    place = ray.origin + ray.direction * max(0.0, float(t[copy, part]) - float(radius[part]))
    return Picked(int(copy), int(links[part]), place)


def _capsules(figure: Figure) -> tuple[Any, FloatArray, FloatArray, FloatArray]:
    """Links, ends in the link's frame and radii of all shapes as capsules."""
    rows = []
    for link, shape in drawn_shapes(figure):
        found = _capsule(shape)
        if found is not None:
            half, radius, middle = found
            ends = [shape.pose.apply(middle + sign * half) for sign in (-1, 1)]
            rows.append((link, *ends, radius))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return columns[0], columns[1], columns[2], columns[3]


def _capsule(shape: Shape) -> tuple[FloatArray, float, FloatArray] | None:
    """Half axis, radius and middle of a capsule that is about the shape; None for ground."""
    if isinstance(shape, Sphere):
        return np.zeros(3), shape.radius, np.zeros(3)
    if isinstance(shape, Capsule):
        return np.array([0.0, 0.0, shape.half_length]), shape.radius, np.zeros(3)
    if isinstance(shape, Cylinder):
        return np.array([0.0, 0.0, max(0.0, shape.half_length - shape.radius)]), shape.radius, np.zeros(3)
    if isinstance(shape, Ellipsoid):
        return np.zeros(3), float(np.mean(shape.half_axes)), np.zeros(3)
    if isinstance(shape, Box):
        sizes = np.array(shape.half_sizes)
        longest = int(np.argmax(sizes))
        radius = float(np.delete(sizes, longest).mean())
        half = np.zeros(3)
        half[longest] = max(0.0, sizes[longest] - radius)
        return half, radius, np.zeros(3)
    if isinstance(shape, ConvexMesh):
        middle = shape.vertices.mean(0)
        return np.zeros(3), float(np.linalg.norm(shape.vertices - middle, axis=1).mean()), middle
    return None
