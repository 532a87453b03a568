"""What is true of contact points, by other means than the kernels'.

`reach` is the support function.  Along any unit n the shapes are at least their separation along n apart, so a
direction and two points at that distance prove a distance from both sides.  Depths of overlapping cores are proved by
all normals that the faces of the difference of two polytopes can have.
"""

import itertools

import numpy as np

from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Plane, Shape, Sphere


def reach(shape: Shape, rot, pos, n) -> np.ndarray:
    """Greatest n·x over the points x of a shape; rows of poses and directions."""
    local = np.einsum("nji,nj->ni", rot, n)
    middle = np.einsum("ni,ni->n", pos, n)
    if isinstance(shape, Sphere):
        return middle + shape.radius
    if isinstance(shape, Capsule):
        return middle + np.abs(local[:, 2]) * shape.half_length + shape.radius
    if isinstance(shape, Box):
        return middle + np.abs(local) @ np.array(shape.half_sizes)
    if isinstance(shape, ConvexMesh):
        return middle + (local @ shape.vertices.T).max(1)
    if isinstance(shape, Cylinder):
        return middle + np.hypot(local[:, 0], local[:, 1]) * shape.radius + np.abs(local[:, 2]) * shape.half_length
    if isinstance(shape, Ellipsoid):
        return middle + np.linalg.norm(local * np.array(shape.half_axes), axis=1)
    assert isinstance(shape, Plane)
    return np.where(local[:, 2] > 1 - 1e-9, middle, np.inf)


def split(poses):
    n = len(poses)
    return poses[:, :9].reshape(n, 3, 3), poses[:, 9:12], poses[:, 12:21].reshape(n, 3, 3), poses[:, 21:24]


def separation(a: Shape, b: Shape, poses, n) -> np.ndarray:
    """How far apart the shapes are along n (unit, from B to A)."""
    rot_a, pos_a, rot_b, pos_b = split(poses)
    return -reach(a, rot_a, pos_a, -n) - reach(b, rot_b, pos_b, n)


def core(shape: Shape, rot):
    """Normals of faces, and edges, of a shape without its rounding: (n, k, 3) each."""
    axes = np.swapaxes(rot, 1, 2)
    if isinstance(shape, Box):
        return axes, axes
    if isinstance(shape, Capsule):
        return axes[:, :0], axes[:, 2:]
    return axes[:, :0], axes[:, :0]


def deepest(a: Shape, b: Shape, poses) -> np.ndarray:
    """Greatest separation over all normals of faces and all pairs of edges: minus the depth, if the cores overlap."""
    rot_a, _, rot_b, _ = split(poses)
    (faces_a, edges_a), (faces_b, edges_b) = core(a, rot_a), core(b, rot_b)
    normals = [*np.moveaxis(faces_a, 1, 0), *np.moveaxis(faces_b, 1, 0)]
    for i, j in itertools.product(range(edges_a.shape[1]), range(edges_b.shape[1])):
        cross = np.cross(edges_a[:, i], edges_b[:, j])
        size = np.linalg.norm(cross, axis=1, keepdims=True)
        fallback = edges_a[:, i] * 0 + [[1.0, 0, 0]]
        normals.append(np.where(size > 1e-9, cross / np.maximum(size, 1e-300), fallback))
    best = np.full(len(poses), -np.inf)
    for n in normals:
        for sign in (1, -1):
            best = np.maximum(best, separation(a, b, poses, sign * n))
    return best


def inside(shape: Shape, rot, pos, points) -> np.ndarray:
    """Signed distance of points from a shape's surface, negative inside."""
    local = np.einsum("nji,nj->ni", rot, points - pos)
    if isinstance(shape, Plane):
        return local[:, 2]
    if isinstance(shape, Sphere):
        return np.linalg.norm(local, axis=1) - shape.radius
    if isinstance(shape, Capsule):
        h = shape.half_length
        local[:, 2] -= np.clip(local[:, 2], -h, h)
        return np.linalg.norm(local, axis=1) - shape.radius
    beyond = np.abs(local) - np.array(shape.half_sizes)
    return np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(1), 0)


def exact_depths(a: ConvexMesh, b: ConvexMesh, poses) -> np.ndarray:
    """Depths of two meshes from the hull of all differences of their corners; below 0 where they are apart."""
    from scipy.spatial import ConvexHull

    rot_a, pos_a, rot_b, pos_b = split(poses)
    depths = []
    for ra, pa, rb, pb in zip(rot_a, pos_a, rot_b, pos_b, strict=True):
        points = (a.vertices @ ra.T + pa)[:, None] - (b.vertices @ rb.T + pb)[None]
        depths.append(-ConvexHull(points.reshape(-1, 3)).equations[:, 3].max())
    return np.array(depths)
