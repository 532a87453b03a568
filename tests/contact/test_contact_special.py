"""Where formulas divide by nothing: coincident, parallel, touching in corners, tiny and huge; at every width."""

import itertools

import numpy as np
import pytest

from hitogata.contact.pair_query import pair_points
from hitogata.figure import Box, Capsule, Plane, Sphere
from hitogata.lanes.testing import VARIANTS
from hitogata.spatial import quat_to_matrix
from tests.contact.cases import PAIRS, nearest, random_poses, rotations, rows, shape
from tests.contact.oracle import separation

every_pair = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
SIZES = {
    "plane": [Plane()],
    "sphere": [Sphere(0.5), Sphere(1e-3), Sphere(50.0)],
    "capsule": [Capsule(0.5, 0.5), Capsule(0.1, 0.0), Capsule(1e-3, 2.0), Capsule(20.0, 1e-3)],
    "box": [Box((0.5, 0.5, 0.5)), Box((0.5, 1e-3, 2.0)), Box((30.0, 30.0, 30.0))],
}
TURNS = [
    np.eye(3), np.diag([-1.0, -1.0, 1.0]), np.diag([1.0, -1.0, -1.0]),
    np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]), np.array([[0, -1.0, 0], [1, 0, 0], [0, 0, 1]]),
    np.array([[np.sqrt(0.5), -np.sqrt(0.5), 0], [np.sqrt(0.5), np.sqrt(0.5), 0], [0, 0, 1]]),
    quat_to_matrix(np.array([1.0, 0, 0, 1e-9])), quat_to_matrix(np.array([1.0, 1e-16, 1e-7, 0])),
]  # fmt: skip


def lattice() -> np.ndarray:
    """A on a lattice about B, both with special turns: coincident, in line, corner on corner."""
    offsets = np.array(list(itertools.product([0.0, 0.5, -1.0, 1e-12, 1e-20], repeat=3)))
    all_of = [
        rows(*[np.repeat(r[None], len(offsets), 0), offsets, np.repeat(s[None], len(offsets), 0), offsets * 0])
        for r, s in itertools.product(TURNS, TURNS)
    ]
    return np.concatenate(all_of)


@every_pair
@pytest.mark.parametrize(("width", "dtype"), VARIANTS, ids=lambda x: getattr(x, "__name__", str(x)))
def test_special_poses(pair, width, dtype):
    """Every point finite, every normal of length one, and the gap that of the normal; same at every width."""
    poses = lattice()
    tolerance = 1e-7 if dtype is np.float64 else 2e-3
    for a, b in itertools.product(SIZES[pair[0]], SIZES[pair[1]]):
        points = pair_points(a, b, poses.astype(dtype), np.inf, width=width).astype(float)
        assert np.isfinite(points).all()
        there = points[..., 6] < 1e8
        assert there.any(1).all()
        assert np.abs(np.linalg.norm(points[there][:, 3:6], axis=1) - 1).max() < 100 * np.finfo(dtype).eps
        best = points[np.arange(len(points)), points[..., 6].argmin(1)]
        size = max(max(getattr(s, "half_sizes", (getattr(s, "radius", 0),))) for s in (a, b))
        if pair[1] == "plane":  # the only direction; the oracle knows no other
            continue
        error = np.abs(separation(a, b, poses, best[:, 3:6]) - best[:, 6])
        assert error.max() < tolerance * max(size, 1)


@every_pair
@pytest.mark.parametrize(("width", "dtype"), VARIANTS[1:], ids=lambda x: getattr(x, "__name__", str(x)))
def test_lanes_do_what_one_does(pair, width, dtype):
    """In float64 the same features, and numbers but for the last bits; in float32 gaps, and normals where unique."""
    rng = np.random.default_rng(3)
    for margin in (0.02, np.inf):
        a, b = (shape(kind, rng) for kind in pair)
        poses = random_poses(a, b, 203, rng)
        if dtype is np.float64:
            one, many = pair_points(a, b, poses, margin), pair_points(a, b, poses, margin, width=width)
            for x, y in zip(one, many, strict=True):
                x, y = x[x[:, 6] < min(margin, 1e8)], y[y[:, 6] < min(margin, 1e8)]
                np.testing.assert_allclose(y[np.argsort(y[:, 7])], x[np.argsort(x[:, 7])], rtol=0, atol=1e-12)
        else:
            gap, normal = nearest(a, b, poses)
            gap32, normal32 = nearest(a, b, poses.astype(dtype), width=width)
            np.testing.assert_allclose(gap32, gap, rtol=0, atol=1e-5)
            apart = gap > 0.05
            np.testing.assert_allclose(normal32[apart], normal[apart], rtol=0, atol=2e-4)


@every_pair
def test_random_sizes_and_poses(pair):
    """Sizes from 1e-3 to 1e3, centres from coincident to far: finite, unit, consistent."""
    rng = np.random.default_rng(11)
    for _ in range(40):
        a, b = (scaled(shape(kind, rng), rng) for kind in pair)
        n = 100
        pos = rng.normal(size=(n, 3)) * 10 ** rng.uniform(-12, 3, (n, 1))
        poses = rows(rotations(n, rng), pos, rotations(n, rng), np.zeros((n, 3)))
        gap, normal = nearest(a, b, poses)
        assert np.isfinite(gap).all()
        assert np.abs(np.linalg.norm(normal, axis=1) - 1).max() < 1e-12
        scale = np.maximum(np.abs(gap), 1e-3)
        assert (np.abs(separation(a, b, poses, normal) - gap) / scale).max() < 1e-4
        assert np.abs(separation(a, b, poses, normal) - gap).max() < 1e-4


def scaled(s, rng):
    k = 10 ** rng.uniform(-2, 3)
    if isinstance(s, Sphere):
        return Sphere(s.radius * k)
    if isinstance(s, Capsule):
        return Capsule(s.radius * k, s.half_length * 10 ** rng.uniform(-2, 3))
    if isinstance(s, Box):
        return Box(tuple(np.array(s.half_sizes) * 10 ** rng.uniform(-2, 3, 3)))
    return s
