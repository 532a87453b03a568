"""Random pairs of shapes: anywhere, nearly touching, deep inside each other, aligned; poses as rows of 24 numbers."""

import numpy as np

from hitogata.contact.pair_query import pair_points
from hitogata.figure import Box, Capsule, Plane, Shape, Sphere
from hitogata.spatial import quat_to_matrix

KINDS = ("plane", "sphere", "capsule", "box")
PAIRS = [(a, b) for i, b in enumerate(KINDS) for a in KINDS[max(i, 1) :]]  # A of the higher kind


def shape(kind: str, rng: np.random.Generator) -> Shape:
    if kind == "plane":
        return Plane()
    if kind == "sphere":
        return Sphere(rng.uniform(0.1, 0.5))
    if kind == "capsule":
        return Capsule(rng.uniform(0.05, 0.4), rng.uniform(0.05, 1.0))
    return Box(tuple(rng.uniform(0.1, 0.6, 3)))


def rotations(n: int, rng: np.random.Generator) -> np.ndarray:
    quats = rng.normal(size=(n, 4))
    return quat_to_matrix(quats / np.linalg.norm(quats, axis=1, keepdims=True))


def rows(rot_a, pos_a, rot_b, pos_b) -> np.ndarray:
    n = len(rot_a)
    return np.concatenate([rot_a.reshape(n, 9), pos_a, rot_b.reshape(n, 9), pos_b], axis=1)


def random_poses(a: Shape, b: Shape, n: int, rng: np.random.Generator) -> np.ndarray:
    """A quarter each: anywhere, within 1e-9 ... 1e-2 of touching, deep, and turned by right angles."""
    rot_a, rot_b = rotations(n, rng), rotations(n, rng)
    quarter = n // 4
    squares = _right_angles(rng, quarter)
    rot_a[-quarter:] = rot_b[-quarter:] @ squares
    pos_a, pos_b = rng.uniform(-0.8, 0.8, (n, 3)), rng.uniform(-0.8, 0.8, (n, 3))
    deep = slice(2 * quarter, 3 * quarter)
    pos_a[deep] = pos_b[deep] + rng.normal(size=(quarter, 3)) * 0.1
    poses = rows(rot_a, pos_a, rot_b, pos_b)
    near = slice(quarter, 2 * quarter)
    gap, normal = nearest(a, b, poses[near])
    wanted = rng.choice([-1, 1], quarter) * 10 ** rng.uniform(-9, -2, quarter)
    poses[near, 9:12] += normal * (wanted - gap)[:, None]
    return poses


def _right_angles(rng: np.random.Generator, n: int) -> np.ndarray:
    result = np.zeros((n, 3, 3))
    for k in range(n):
        result[k, np.arange(3), rng.permutation(3)] = rng.choice([-1, 1], 3)
        result[k] *= np.linalg.det(result[k])
    return result


def nearest(a: Shape, b: Shape, poses: np.ndarray, **options) -> tuple[np.ndarray, np.ndarray]:
    """Least gap and its normal."""
    points = pair_points(a, b, poses, np.inf, **options)
    k = points[..., 6].argmin(1)
    best = points[np.arange(len(points)), k]
    return best[:, 6], best[:, 3:6]
