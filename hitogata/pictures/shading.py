"""Figures as lit solids, for stills and films: rays along the camera's direction, a sun and light from the sky.

Every shape is a ball swept along a line, an ellipsoid or a convex polyhedron, so where a ray meets it is known in
closed form.  With p the place of a ray across the camera's direction z, and w from a shape's middle to it,

    swept ball    |w|² - (w·d)² = r²                          d: its line; at its ends balls
    ellipsoid     wᵀ M w = 1                                  M = R diag(1/s²) Rᵀ
    polyhedron    z = least of (b - n·p)/n_z over the faces that look up, if no face that looks down cuts it off

Rays are twice as close as pixels both ways; their means are drawn.  Light is that of the studio's page: Lambert's law
under a sun and a sky that grows darker towards the ground, in linear colours.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Figure, Shape, Sphere
from hitogata.figure.meshes import points_on
from hitogata.figure.pose import FloatArray
from hitogata.pictures.camera import Camera
from hitogata.pictures.replay_shapes import drawn_shapes

Array = np.ndarray[Any, Any]
"""In single precision."""

SUN = np.array([3.0, -2.0, 6.0]) / 7.0
"""Where the sun is, unit."""

SUN_LIGHT, SKY_LIGHT = 2.2 * np.array([1.0, 0.97, 0.92]) / np.pi, 1.5 * np.array([0.96, 0.97, 1.0]) / np.pi
GROUND_LIGHT = 1.5 * np.array([0.52, 0.48, 0.44]) / np.pi

_FINER, _GAMMA, _FLAT = 2, 2.2, 1e-9


class Frame(NamedTuple):
    """What of the world a picture shows.

    Attributes:
        camera: where it is seen from.
        middle: of the picture, (right, up) [m].
        scale: pixels per metre.
        size: width and height [pixels].
    """

    camera: Camera
    middle: tuple[float, float]
    scale: float
    size: tuple[int, int]


class _Rays:
    """The nearest surface on each ray so far; rays in rows from the top."""

    def __init__(self, frame: Frame) -> None:
        width, height = (_FINER * side for side in frame.size)
        self.scale = _FINER * frame.scale
        self.x = ((np.arange(width) + 0.5 - width / 2) / self.scale + frame.middle[0]).astype(np.float32)
        self.y = ((height / 2 - np.arange(height) - 0.5) / self.scale + frame.middle[1]).astype(np.float32)
        self.depth = np.full((height, width), -np.inf, np.float32)
        self.normal = np.zeros((height, width, 3), np.float32)
        self.colour = np.zeros((height, width, 3), np.float32)
        self.opacity = np.zeros((height, width), np.float32)

    def part(self, low: FloatArray, high: FloatArray) -> tuple[slice, slice] | None:
        """Rows and columns of the rays between two corners (right, up) [m]; None: no ray is."""
        left, right = np.searchsorted(self.x, [low[0], high[0]])
        bottom, top = np.searchsorted(-self.y, [-high[1], -low[1]])
        return (slice(bottom, top), slice(left, right)) if right > left and top > bottom else None


def draw_solids(
    picture: np.ndarray[Any, np.dtype[np.uint8]], frame: Frame, actors: Any
) -> None:
    """Draw figures into a picture, shape (height, width, 3).

    Args:
        picture: changed in place.
        frame: what it shows.
        actors: of each figure (figure, q, offset [m], colour, colours by name of shape or link, opacity).
    """
    rays = _Rays(frame)
    for figure, q, offset, colour, colours, opacity in actors:
        _draw_figure(rays, frame.camera, figure, q, np.asarray(offset, float), colour, colours, opacity)
    rows, columns = (np.flatnonzero(rays.opacity.any(axis=1 - k)) for k in (0, 1))
    if not len(rows):
        return
    area = (_whole_pixels(rows), _whole_pixels(columns))
    cover: Array = rays.opacity[area][..., None]
    lit: Array = np.where(cover > 0, _lit(rays.normal[area], rays.colour[area], frame.camera), 0.0) * cover
    cover, lit = _mean(cover), _mean(lit)
    pixels = tuple(slice(part.start // _FINER, part.stop // _FINER) for part in area)
    below = (picture[pixels] / 255.0) ** _GAMMA
    picture[pixels] = np.rint(255.0 * (below * (1.0 - cover) + lit) ** (1.0 / _GAMMA))


def _draw_figure(
    rays: _Rays, camera: Camera, figure: Figure, q: FloatArray, offset: FloatArray, colour: Any,
    colours: Mapping[str, Any], opacity: float,
) -> None:  # fmt: skip
    from matplotlib.colors import to_rgb

    poses, axes = forward_kinematics(figure, q), camera.axes
    for k, shape in drawn_shapes(figure):
        turn = axes @ poses.rotation[k] @ shape.pose.rotation
        place = axes @ (poses.position[k] + poses.rotation[k] @ np.array(shape.pose.position) + offset)
        found = _surface(rays, shape, turn, place)
        if found is None:
            continue
        part, depth, normal = found
        nearer = depth > rays.depth[part]
        rgb = np.array(to_rgb(colours.get(shape.name, colours.get(figure.links[k].name, colour))), np.float32)
        rays.depth[part][nearer] = depth[nearer]
        rays.normal[part][nearer] = normal[nearer]
        rays.colour[part][nearer] = rgb**_GAMMA
        rays.opacity[part][nearer] = opacity


_Found = tuple[tuple[slice, slice], Array, Array]


def _surface(rays: _Rays, shape: Shape, turn: FloatArray, place: FloatArray) -> _Found | None:
    """Where rays meet a shape, in the camera's axes: which rays, depths (-inf: they do not), and outward normals."""
    if isinstance(shape, Sphere | Capsule):
        half = shape.half_length if isinstance(shape, Capsule) else 0.0
        return _swept_ball(rays, place, turn[:, 2], half, shape.radius)
    if isinstance(shape, Ellipsoid):
        return _ellipsoid(rays, place, turn, np.array(shape.half_axes))
    if isinstance(shape, Box):
        size = np.array(shape.half_sizes)
        return _polyhedron(rays, np.vstack([turn.T, -turn.T]), np.tile(size, 2), place, np.abs(turn) @ size)
    if isinstance(shape, ConvexMesh | Cylinder):
        mesh = ConvexMesh(points_on(shape)) if isinstance(shape, Cylinder) else shape
        normals, offsets = _planes(mesh)
        points = mesh.vertices @ turn.T
        return _polyhedron(rays, normals @ turn.T, offsets, place, np.abs(points).max(axis=0))
    return None


def _across(rays: _Rays, place: FloatArray, reach: Any) -> Any:
    """Rays within a reach of a place, and how far they are from it (right, up)."""
    part = rays.part(place[:2] - reach, place[:2] + reach)
    if part is None:
        return None, None, None
    return part, rays.x[None, part[1]] - np.float32(place[0]), rays.y[part[0], None] - np.float32(place[1])


def _swept_ball(rays: _Rays, place: FloatArray, line: FloatArray, half: float, radius: float) -> _Found | None:
    part, u, v = _across(rays, place, np.abs(line[:2]) * half + radius)
    if part is None:
        return None
    d, r = line.astype(np.float32), np.float32(radius)
    # on the line, the ray comes nearest to the point at `along`; there and at the ends are balls
    flat = 1.0 - d[2] * d[2]
    m = u * d[0] + v * d[1]
    beside = u * u + v * v
    inside = (d[2] * m) ** 2 - flat * (beside - m * m - r * r)
    with np.errstate(invalid="ignore"):
        z = (d[2] * m + np.sqrt(inside)) / max(flat, np.float32(_FLAT))
    along = m + z * d[2]
    out = ~(np.abs(along) <= half)  # not a number: the ray misses
    along = np.clip(np.where(np.isfinite(along), along, m), -half, half)
    depth = np.where(out, -np.inf, z)
    for end in (-half, half):
        p, q = u - end * d[0], v - end * d[1]
        under = r * r - p * p - q * q
        ball = np.where(under >= 0, np.sqrt(np.maximum(under, 0.0)) + end * d[2], -np.inf)
        along = np.where(ball > depth, end, along)
        depth = np.maximum(depth, ball)
    normal = np.stack([u - along * d[0], v - along * d[1], np.where(np.isfinite(depth), depth, 0.0) - along * d[2]], -1)
    return part, depth + place[2], normal / r


def _ellipsoid(rays: _Rays, place: FloatArray, turn: FloatArray, half: FloatArray) -> _Found | None:
    part, u, v = _across(rays, place, np.sqrt((turn[:2] ** 2) @ half**2))
    if part is None:
        return None
    form = ((turn / half**2) @ turn.T).astype(np.float32)
    mixed = form[0, 2] * u + form[1, 2] * v
    under = mixed**2 - form[2, 2] * (form[0, 0] * u * u + 2 * form[0, 1] * u * v + form[1, 1] * v * v - 1.0)
    z = (np.sqrt(np.maximum(under, 0.0)) - mixed) / form[2, 2]
    normal = np.stack(np.broadcast_arrays(*(row[0] * u + row[1] * v + row[2] * z for row in form)), -1)
    return part, np.where(under >= 0, z, -np.inf) + place[2], normal / np.linalg.norm(normal, axis=-1, keepdims=True)


def _polyhedron(
    rays: _Rays, normals: FloatArray, offsets: FloatArray, place: FloatArray, reach: FloatArray
) -> _Found | None:
    """Faces n·x <= b about the place, in the camera's axes."""
    part, u, v = _across(rays, place, reach[:2])
    if part is None:
        return None
    top, bottom = np.full(np.broadcast_shapes(u.shape, v.shape), np.inf, np.float32), np.float32(-np.inf)
    which, inside = np.zeros(top.shape, np.intp), True
    for k, (n, b) in enumerate(zip(normals.astype(np.float32), offsets.astype(np.float32), strict=True)):
        left = b - n[0] * u - n[1] * v
        if n[2] > 1e-6:
            z = left / n[2]
            which = np.where(z < top, k, which)
            top = np.minimum(top, z)
        elif n[2] < -1e-6:
            bottom = np.maximum(bottom, left / n[2])
        else:
            inside = inside & (left >= 0)
    hit = inside & (top >= bottom)
    return part, np.where(hit, top + np.float32(place[2]), -np.inf), normals[which].astype(np.float32)


def _planes(mesh: ConvexMesh) -> tuple[FloatArray, FloatArray]:
    """Outward normals and offsets of a mesh's faces, each plane once."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    _, first = np.unique(np.round(normals, 6), axis=0, return_index=True)
    return normals[first], np.einsum("ij,ij->i", normals, a)[first]


def _lit(normal: Array, colour: Array, camera: Camera) -> Array:
    """Light that comes from surfaces, linear, shape (..., 3)."""
    axes = camera.axes.astype(np.float32)
    up = 0.5 + 0.5 * (normal @ axes[:, 2])[..., None]
    sun = np.maximum(normal @ (axes @ SUN.astype(np.float32)), 0.0)[..., None]
    light = GROUND_LIGHT + (SKY_LIGHT - GROUND_LIGHT) * up + SUN_LIGHT * sun
    lit: Array = np.minimum(colour * light.astype(np.float32), 1.0)
    return lit


def _whole_pixels(indices: Any) -> slice:
    """Rays from the first to the last of some, filled up to whole pixels."""
    return slice(int(indices[0]) // _FINER * _FINER, (int(indices[-1]) // _FINER + 1) * _FINER)


def _mean(values: Array) -> Array:
    """Means over the rays of each pixel."""
    height, width, depth = values.shape
    parts = values.reshape(height // _FINER, _FINER, width // _FINER, _FINER, depth)
    result: Array = parts.mean(axis=(1, 3))
    return result
