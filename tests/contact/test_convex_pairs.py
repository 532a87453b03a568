"""Meshes, cylinders and ellipsoids: gap, normal and points beside coal, and proved by other means."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from hitogata.contact.pair_query import pair_points
from hitogata.figure import Box, ConvexMesh, Cylinder, Ellipsoid, Plane, Sphere
from tests.contact.cases import random_poses, rows
from tests.contact.convex_cases import NEW, PAIRS, convex, mesh_of
from tests.contact.oracle import exact_depths, separation
from tests.contact.peers import coal_distances

every_pair = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
SHARP = [pair for pair in PAIRS if pair[0] == "mesh"]


def drawn(pair, shapes, poses):
    """Shapes, poses, all points, and the deepest of each: [position, normal, gap, ...]."""
    rng = np.random.default_rng(100 + PAIRS.index(pair))
    for _ in range(shapes):
        a, b = (convex(kind, rng) for kind in pair)
        given = random_poses(a, b, poses, rng)
        points = pair_points(a, b, given, np.inf)
        yield a, b, given, points, points[np.arange(poses), points[..., 6].argmin(1)]


@pytest.mark.parametrize("pair", SHARP, ids="-".join)
def test_meshes_beside_coal(pair):
    """Gaps to 1e-6 in 10,000 poses of meshes with meshes and 2,000 of others; normals where they are unique."""
    pytest.importorskip("coal")
    for a, b, given, points, best in drawn(pair, 50 if pair == ("mesh", "mesh") else 10, 200):
        distance, normal, middle = coal_distances(a, b, given)
        np.testing.assert_allclose(best[:, 6], distance, rtol=0, atol=1e-6)
        unique = (best[:, 6] > 1e-3) | isinstance(b, Plane)
        np.testing.assert_allclose(best[unique, 3:6], normal[unique], rtol=0, atol=1e-6)
        gaps = np.sort(points[..., 6], axis=1)
        single = (best[:, 6] > 1e-3) & (gaps[:, 1] - gaps[:, 0] > 1e-3) & (np.arange(200) < 100)
        np.testing.assert_allclose(best[single, :3], middle[single], rtol=0, atol=1e-6)


def test_witness_points_of_meshes_lie_on_both():
    """In 10,000 poses: half a gap to either side of the deepest point is the surface, to 1e-6.

    With the gap that the normal proves (below), no other points are nearer, or less deep.
    """
    for a, b, given, _, best in drawn(("mesh", "mesh"), 50, 200):
        half = best[:, 3:6] * best[:, 6:7] / 2
        for shape, first, points in ((a, 0, best[:, :3] + half), (b, 12, best[:, :3] - half)):
            turn, at = given[:, first : first + 9].reshape(-1, 3, 3), given[:, first + 9 : first + 12]
            local = np.einsum("nji,nj->ni", turn, points - at)
            assert np.abs(height_above(shape, local)).max() < 1e-6


def height_above(mesh, points):
    """How far points are beyond the faces of a hull, at the most: 0 on its surface, below 0 inside."""
    planes = ConvexHull(mesh.vertices).equations
    return (points @ planes[:, :3].T + planes[:, 3]).max(1)


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair not in SHARP], ids="-".join)
def test_round_shapes_beside_coal(pair):
    """No direction that coal finds parts the shapes by less, or by more if they are apart, to 1e-7.

    (coal's own depth of round shapes is often wrong by far more: its directions are judged, by support functions.)
    """
    pytest.importorskip("coal")
    for a, b, given, _, best in drawn(pair, 10, 200):
        _, normal, _ = coal_distances(a, b, given)
        size = np.linalg.norm(normal, axis=1)
        known = np.abs(size - 1) < 1e-9
        along = separation(a, b, given[known], normal[known])
        assert (along - best[known, 6]).max() < 1e-7


@every_pair
def test_gap_is_the_separation_along_the_normal(pair):
    for a, b, given, _, best in drawn(pair, 6, 200):
        np.testing.assert_allclose(np.linalg.norm(best[:, 3:6], axis=1), 1, rtol=0, atol=1e-12)
        np.testing.assert_allclose(separation(a, b, given, best[:, 3:6]), best[:, 6], rtol=0, atol=2e-7)


def test_depth_of_meshes_is_exact():
    """Beside the hull of all differences of corners."""
    inside = 0
    for a, b, given, _, best in drawn(("mesh", "mesh"), 15, 40):
        depth = exact_depths(a, b, given)
        deep = depth > 0
        inside += deep.sum()
        np.testing.assert_allclose(best[deep, 6], -depth[deep], rtol=0, atol=2e-8)
    assert inside > 100


@pytest.mark.parametrize("other", ["plane", "sphere", "capsule", "box"])
def test_mesh_of_a_box_is_the_box(other):
    """The same least gap, and where there are several points, in the same places."""
    rng = np.random.default_rng(8)
    for _ in range(6):
        box, b = Box(tuple(rng.uniform(0.1, 0.6, 3))), convex(other, rng)
        given = random_poses(box, b, 200, rng)
        ours, theirs = (pair_points(a, b, given, 0.02) for a in (mesh_of(box), box))
        touching = theirs[..., 6].min(1) < 0.01
        np.testing.assert_allclose(ours[touching, :, 6].min(1), theirs[touching, :, 6].min(1), rtol=0, atol=2e-7)


def test_faces_that_lie_on_each_other():
    """Coplanar, also when tilted by a hair or apart by one: four points, the normal of the face, and the same features
    from step to step."""
    rng = np.random.default_rng(1)
    cube = mesh_of(Box((0.5, 0.5, 0.5)))
    n = 200
    turns = np.repeat(np.eye(3)[None], n, 0)
    tilt = 10 ** rng.uniform(-15, -5, n) * (np.arange(n) % 2)
    turns[:, 0, 2], turns[:, 2, 0] = tilt, -tilt
    height = 1 + rng.choice([-1, 0, 1], n) * 10 ** rng.uniform(-16, -4, n)
    pos = np.stack([np.full(n, 0.1), np.full(n, -0.05), height], 1)
    given = rows(turns, pos, np.repeat(np.eye(3)[None], n, 0), np.zeros((n, 3)))
    points = pair_points(cube, cube, given, 0.01)
    there = points[..., 6] < 0.01
    assert (there.sum(1) == 4).all()
    assert points[there][:, 5].min() > 1 - 1e-9
    features = {tuple(sorted(row[:, 7][row[:, 6] < 0.01])) for row in points}
    assert len(features) == 1


def test_sizes_from_a_millimetre_to_a_kilometre():
    rng = np.random.default_rng(3)
    for _ in range(30):
        kinds = rng.choice(NEW, 2)
        a, b = (convex(kind, rng) for kind in kinds)
        scale = 10 ** rng.uniform(-2, 3)
        a, b = (grown(s, scale) for s in (a, b))
        given = random_poses(a, b, 40, rng)
        given[:, 9:12] = given[:, 21:24] + (given[:, 9:12] - given[:, 21:24]) * scale
        points = pair_points(a, b, given, np.inf)
        best = points[np.arange(40), points[..., 6].argmin(1)]
        assert np.isfinite(best).all()
        error = separation(a, b, given, best[:, 3:6]) - best[:, 6]
        assert np.abs(error).max() < 1e-6 * scale


def grown(s, k):
    if isinstance(s, ConvexMesh):
        return ConvexMesh(s.vertices * k)
    if isinstance(s, Cylinder):
        return Cylinder(s.radius * k, s.half_length * k)
    assert isinstance(s, Ellipsoid)
    return Ellipsoid(tuple(np.array(s.half_axes) * k))


def test_coinciding_centres():
    rng = np.random.default_rng(4)
    for kind in NEW:
        a = convex(kind, rng)
        for b in (a, Sphere(0.1), Box((0.1, 0.1, 0.1))):
            given = rows(np.eye(3)[None], np.zeros((1, 3)), np.eye(3)[None], np.zeros((1, 3)))
            points = pair_points(a, b, given, np.inf)[0]
            best = points[points[:, 6].argmin()]
            assert np.isfinite(best).all()
            assert best[6] < 0
            np.testing.assert_allclose(separation(a, b, given, best[None, 3:6]), best[6], atol=1e-6)
