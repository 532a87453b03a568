"""Convex shapes and poses for tests: hulls of random points, with coplanar faces, slivers and few or many corners."""

import numpy as np

from hitogata.figure import Box, ConvexMesh, Cylinder, Ellipsoid, Shape
from tests.contact.cases import shape

KINDS = ("plane", "sphere", "capsule", "box", "mesh", "cylinder", "ellipsoid")
NEW = ("mesh", "cylinder", "ellipsoid")
PAIRS = [(a, b) for i, b in enumerate(KINDS) for a in KINDS[max(i, 1) :] if a in NEW]
CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def mesh_of(box: Box) -> ConvexMesh:
    """A box as the hull of its corners."""
    return ConvexMesh(CORNERS * np.array(box.half_sizes), pose=box.pose, name=box.name)


def convex(kind: str, rng: np.random.Generator) -> Shape:
    if kind == "mesh":
        return mesh(rng)
    if kind == "cylinder":
        return Cylinder(rng.uniform(0.1, 0.5), rng.uniform(0.1, 0.6))
    if kind == "ellipsoid":
        return Ellipsoid(tuple(rng.uniform(0.1, 0.6, 3)))
    return shape(kind, rng)


def mesh(rng: np.random.Generator) -> ConvexMesh:
    """A cube, a prism, a tetrahedron, a slab with coplanar points on it, or points on or in an ellipsoid."""
    which = rng.integers(6)
    sizes = rng.uniform(0.1, 0.6, 3)
    if which == 0:
        points = CORNERS
    elif which == 1:
        angle = 2 * np.pi * np.arange(n := int(rng.integers(3, 14))) / n
        ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        points = np.vstack([np.insert(ring, 2, z, axis=1) for z in (-1.0, 1.0)])
    elif which == 2:
        points = rng.normal(size=(4, 3))
    elif which == 3:
        flat = np.column_stack([rng.uniform(-1, 1, (12, 2)), rng.choice([-1.0, 1.0], 12)])
        points = np.vstack([CORNERS, flat])
    else:
        points = rng.normal(size=(int(rng.integers(5, 80)), 3))
        points /= np.linalg.norm(points, axis=1, keepdims=True) if which == 4 else 2
    return ConvexMesh(points * sizes + rng.normal(size=3) * 0.1)
