"""Gap, normal and position of every kind of pair: beside coal, and proved by support functions."""

import numpy as np
import pytest

from hitogata.contact.pair_query import pair_points
from hitogata.figure import Plane
from tests.contact.cases import PAIRS, random_poses, shape
from tests.contact.oracle import deepest, inside, separation, split
from tests.contact.peers import coal_distances

every_pair = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
SHAPES, POSES = 20, 500  # 10,000 poses of each kind of pair


def drawn(pair, shapes=SHAPES, poses=POSES):
    """Shapes, poses, and the deepest point of each: [position, normal, gap, ...]."""
    rng = np.random.default_rng(PAIRS.index(pair))
    for _ in range(shapes):
        a, b = (shape(kind, rng) for kind in pair)
        rows = random_poses(a, b, poses, rng)
        points = pair_points(a, b, rows, np.inf)
        yield a, b, rows, points, points[np.arange(poses), points[..., 6].argmin(1)]


@every_pair
def test_gap_and_normal_beside_coal(pair):
    """1e-6 in all 10,000 poses.

    Normals are compared where the direction is unique: where the shapes are apart, or either is a plane or a sphere.
    (Depths of two faces or edges may tie, above all in the poses turned by right angles.)
    """
    pytest.importorskip("coal")
    for a, b, rows, _, best in drawn(pair):
        distance, normal, _ = coal_distances(a, b, rows)
        np.testing.assert_allclose(best[:, 6], distance, rtol=0, atol=1e-6)
        unique = (best[:, 6] > 1e-3) | isinstance(b, Plane)
        np.testing.assert_allclose(best[unique, 3:6], normal[unique], rtol=0, atol=1e-6)


@every_pair
def test_positions_beside_coal(pair):
    """1e-6 where the nearest points are unique: apart, general position, no face or axis parallel to another."""
    pytest.importorskip("coal")
    for a, b, rows, points, best in drawn(pair, shapes=4):
        _, _, middle = coal_distances(a, b, rows)
        gaps = np.sort(points[..., 6], axis=1)
        single = (best[:, 6] > 1e-3) & (gaps[:, 1] - gaps[:, 0] > 1e-3) & (np.arange(POSES) < POSES // 2)
        assert single.mean() > 0.02
        np.testing.assert_allclose(best[single, :3], middle[single], rtol=0, atol=1e-6)


@every_pair
def test_gap_is_the_separation_along_the_normal(pair):
    """With the next test: moving A by -gap along the normal makes the shapes just touch, and nothing less would do."""
    for a, b, rows, _, best in drawn(pair):
        np.testing.assert_allclose(np.linalg.norm(best[:, 3:6], axis=1), 1, rtol=0, atol=1e-12)
        np.testing.assert_allclose(separation(a, b, rows, best[:, 3:6]), best[:, 6], rtol=0, atol=2e-8)


@every_pair
def test_points_lie_on_both_surfaces(pair):
    """Half a gap to either side of the deepest point; the others at least not outside."""
    for a, b, rows, points, best in drawn(pair):
        rot_a, pos_a, rot_b, pos_b = split(rows)
        for k in range(points.shape[1] + 1):
            point = best if k == points.shape[1] else points[:, k]
            there, half = point[:, 6] < 1e8, point[:, 3:6] * point[:, 6:7] / 2
            for which, rot, pos, where in ((a, rot_a, pos_a, half), (b, rot_b, pos_b, -half)):
                out = inside(which, rot, pos, point[:, :3] + where)[there]
                assert out.max(initial=0) < 2e-7
                if point is best:
                    assert out.min() > -2e-7


@pytest.mark.parametrize("pair", [("box", "box"), ("box", "capsule")], ids="-".join)
def test_depth_is_the_least_of_all_axes(pair):
    """Beside every normal that a face of the difference of the cores can have, when the cores overlap."""
    for a, b, rows, _, best in drawn(pair):
        exact = deepest(a, b, rows)
        radius = getattr(b, "radius", 0.0)
        overlap = exact < -radius - 1e-9
        assert overlap.mean() > 0.1
        np.testing.assert_allclose(best[overlap, 6], exact[overlap], rtol=0, atol=2e-8)


@pytest.mark.parametrize("pair", [p for p in PAIRS if p[1] != "plane"], ids="-".join)
def test_no_sampled_direction_is_shorter(pair):
    """Depth: 2,000 directions about each of 50 poses part the shapes no sooner."""
    rng = np.random.default_rng(7)
    for a, b, rows, _, best in drawn(pair, shapes=2, poses=48):
        for row, point in zip(rows, best, strict=True):
            wide = rng.normal(size=(1000, 3))
            close = point[3:6] + rng.normal(size=(1000, 3)) * 10 ** rng.uniform(-4, 0, (1000, 1))
            n = np.concatenate([wide, close])
            n /= np.linalg.norm(n, axis=1, keepdims=True)
            assert separation(a, b, np.repeat(row[None], len(n), 0), n).max() <= point[6] + 1e-9


@every_pair
def test_margin_only_leaves_points_out(pair):
    for a, b, rows, _, best in drawn(pair, shapes=3):
        near = pair_points(a, b, rows, 0.01)
        reported = (near[..., 6] < 0.01).any(1)
        np.testing.assert_array_equal(reported, best[:, 6] < 0.01)
        least = near[..., 6].min(1)
        np.testing.assert_allclose(least[reported], best[reported, 6], rtol=0, atol=2e-8)
