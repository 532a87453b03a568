"""Where rays pass through solid shapes: the stretch of each ray that lies inside, in closed form.

All shapes are convex, so a ray o + s d is inside from one s to another; for s apart from NaN, which stands for a miss:

    ball, ellipsoid   |o/h + s d/h| = 1, a quadratic
    slab |z| ≤ h      (±h - o_z) / d_z; of a box the greatest entry and the least exit of three
    cylinder          a circle in x and y, and a slab
    capsule           the least entry and the greatest exit of its cylinder and its two balls
    mesh, plane       of each face's half-space, entries where d goes inwards, exits where outwards (Cyrus & Beck 1978)
"""

from typing import Any

import numpy as np

from hitogata.behaviour.streams import Array
from hitogata.errors import ArgumentError
from hitogata.figure.meshes import ConvexMesh
from hitogata.figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere

Stretch = tuple[Array, Array]
"""Entry and exit of each ray [m], NaN where it misses, shape (n,)."""


def stretch_inside(shape: Shape, o: Array, d: Array) -> Stretch:
    """Where rays are inside a shape; origins and unit directions in the shape's own frame, shapes (n, 3)."""
    if isinstance(shape, Sphere):
        return _ellipsoid(o, d, np.full(3, shape.radius))
    if isinstance(shape, Ellipsoid):
        return _ellipsoid(o, d, np.array(shape.half_axes))
    if isinstance(shape, Box):
        return _both(*(_slab(o[:, k], d[:, k], half) for k, half in enumerate(shape.half_sizes)))
    if isinstance(shape, Cylinder):
        return _cylinder(o, d, shape.radius, shape.half_length)
    if isinstance(shape, Capsule):
        end = np.array([0.0, 0.0, shape.half_length])
        parts = [_ellipsoid(o + e, d, np.full(3, shape.radius)) for e in (end, -end)]
        if shape.half_length > 0:
            parts.append(_cylinder(o, d, shape.radius, shape.half_length))
        entries, exits = zip(*parts, strict=True)
        return np.fmin.reduce(entries), np.fmax.reduce(exits)
    if isinstance(shape, Plane):
        return _faces(o, d, np.array([[0.0, 0.0, 1.0]]), np.zeros(1))
    if isinstance(shape, ConvexMesh):
        a, b, c = (shape.vertices[shape.faces[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        return _faces(o, d, normals, np.einsum("ij,ij->i", normals, a))
    raise ArgumentError(f"rays: a {type(shape).__name__} cannot be looked at")


def _ellipsoid(o: Array, d: Array, half: Any) -> Stretch:
    return _quadratic(o / half, d / half)


def _quadratic(o: Array, d: Array) -> Stretch:
    """|o + s d| = 1."""
    a, b = np.einsum("ni,ni->n", d, d), np.einsum("ni,ni->n", o, d)
    c = np.einsum("ni,ni->n", o, o) - 1.0
    inside = b * b - a * c
    root = np.sqrt(np.where((inside >= 0) & (a > 0), inside, np.nan))
    never = (a == 0) & (c <= 0)  # it does not move across: inside for ever
    a = np.where(a > 0, a, 1.0)
    return np.where(never, -np.inf, (-b - root) / a), np.where(never, np.inf, (-b + root) / a)


def _slab(o: Array, d: Array, half: float) -> Stretch:
    return _faces(o[:, None], d[:, None], np.array([[1.0], [-1.0]]), np.array([half, half]))


def _cylinder(o: Array, d: Array, radius: float, half: float) -> Stretch:
    return _both(_quadratic(o[:, :2] / radius, d[:, :2] / radius), _slab(o[:, 2], d[:, 2], half))


def _faces(o: Array, d: Array, normals: Array, offsets: Array) -> Stretch:
    """Inside all half-spaces n·x ≤ offset."""
    along, left = d @ normals.T, offsets - o @ normals.T
    crossing = left / np.where(along == 0, np.nan, along)
    entry = np.where(along < 0, crossing, -np.inf).max(axis=1)
    leave = np.where(along > 0, crossing, np.inf).min(axis=1)
    miss = (entry > leave) | ((along == 0) & (left < 0)).any(axis=1) | ~np.isfinite(d).all(axis=1)
    return np.where(miss, np.nan, entry), np.where(miss, np.nan, leave)


def _both(*parts: Stretch) -> Stretch:
    """Inside all of them."""
    entry = np.maximum.reduce([p[0] for p in parts])
    leave = np.minimum.reduce([p[1] for p in parts])
    miss = ~(entry <= leave)
    return np.where(miss, np.nan, entry), np.where(miss, np.nan, leave)
