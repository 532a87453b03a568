"""Time of impact by conservative advancement, beside the gap at many moments of the motion."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata.contact.moving_pairs import impact_shares, time_of_impact
from hitogata.contact.pair_query import pair_points
from hitogata.contact.shapes import inradius_of
from hitogata.errors import ArgumentError
from hitogata.figure import (
    Box,
    Capsule,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    HeightField,
    Plane,
    Pose,
    Shape,
    Sphere,
)
from hitogata.lanes import X4

SHAPES = {
    "rod": Capsule(0.003, 0.2), "wall": Box((0.005, 0.3, 0.4)), "plate": Box((0.001, 0.1, 0.15)),
    "ball": Sphere(0.004), "cube": Box((0.2, 0.2, 0.2)), "off-centre rod": Capsule(0.004, 0.1, pose=Pose((0, 0, 0.3))),
    "mesh": ConvexMesh(np.random.default_rng(2).normal(size=(12, 3)) * (0.1, 0.1, 0.005)),
    "disc": Cylinder(0.1, 0.002), "lens": Ellipsoid((0.1, 0.06, 0.004)),
}  # fmt: skip
PAIRS = [("rod", "wall"), ("rod", "rod"), ("plate", "rod"), ("plate", "wall"), ("ball", "plate"), ("cube", "rod"),
         ("off-centre rod", "plate")]  # fmt: skip
CONVEX = [("mesh", "wall"), ("disc", "rod"), ("lens", "wall"), ("mesh", "mesh"), ("disc", "plate")]


def motions(n: int, turn: float, seed: int = 0) -> np.ndarray:
    """[R, p, shift, turn] of two bodies that fly towards each other, and beyond."""
    rng = np.random.default_rng(seed)
    paths = np.zeros((n, 2, 18))
    paths[:, :, :9] = Rotation.random(2 * n, random_state=seed).as_matrix().reshape(n, 2, 9)
    paths[:, :, 9:15] = 0.4 * rng.normal(size=(n, 2, 6))
    paths[:, :, 15:] = turn * rng.normal(size=(n, 2, 3))
    towards = paths[:, 1, 9:12] - paths[:, 0, 9:12] + 0.1 * rng.normal(size=(n, 3))
    paths[:, 0, 12:15] = paths[:, 1, 12:15] + towards * rng.uniform(0.5, 2.0, (n, 1))
    return paths.reshape(n, 36)


def poses_at(path: np.ndarray, t: np.ndarray) -> np.ndarray:
    """[R, p] of both bodies at some shares of the motion."""
    parts = []
    for p in path.reshape(2, 18):
        rot = Rotation.from_rotvec(np.outer(t, p[15:])).as_matrix() @ p[:9].reshape(3, 3)
        parts += [rot.reshape(-1, 9), p[9:12] + np.outer(t, p[12:15])]
    return np.hstack(parts)


def check(a: Shape, b: Shape, paths: np.ndarray, shares: np.ndarray, samples: int) -> int:
    """Nothing passes before the time told, and nothing is told that does not pass; returns how many pass.

    A motion is taken to pass if it is as deep as allowed at a sample; not to, if it stays above by what it may move
    between two samples.
    """
    t, depth, passing = np.linspace(0.0, 1.0, samples + 1), min(inradius_of(a), inradius_of(b)), 0
    for path, share in zip(paths, shares, strict=True):
        gap = pair_points(a, b, poses_at(path, t), 1e3)[:, :, 6].min(1)
        if gap[0] < 0.0:  # laid into each other
            continue
        between = np.abs(np.diff(gap)).max()
        if gap.min() < -1.001 * depth:
            passing += 1
            assert share < t[np.argmax(gap < -1.001 * depth)]
        if share < 1.0:
            assert gap.min() < -0.9 * depth + between
            before = gap[t <= share].min()
            assert before > -0.26 * depth - between or before > -1.001 * depth
            assert abs(np.interp(share, t, gap) + 0.25 * depth) < 0.1 * depth + between
    return passing


@pytest.mark.parametrize("turn", [0.5, 3.0, 20.0])
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_thin_things_beside_fine_sampling(a, b, turn):
    paths = motions(60, turn)
    shares = impact_shares(SHAPES[a], SHAPES[b], paths)
    assert check(SHAPES[a], SHAPES[b], paths, shares, round(2000 + 1000 * turn)) >= 2


@pytest.mark.parametrize("turn", [0.5, 5.0])
@pytest.mark.parametrize(("a", "b"), CONVEX)
def test_other_convex_shapes_beside_fine_sampling(a, b, turn):
    paths = motions(40, turn)
    shares = impact_shares(SHAPES[a], SHAPES[b], paths)
    assert check(SHAPES[a], SHAPES[b], paths, shares, round(2000 + 1000 * turn)) >= 2


@pytest.mark.parametrize(("a", "b"), [("rod", "wall"), ("plate", "rod")])
def test_all_widths_agree(a, b):
    paths = motions(50, 3.0)
    one, four = (impact_shares(SHAPES[a], SHAPES[b], paths, width=width) for width in (None, X4))
    np.testing.assert_allclose(one, four, rtol=0, atol=1e-9)


def test_a_ball_on_a_plane():
    """Closed form: 1 m away, 2 m of way, touching by a quarter of the radius."""
    ball, start = Sphere(0.01), Pose((0, 0, 1.01))
    share = time_of_impact(ball, start, Plane(), Pose(), motion_a=(5.0, 3.0, 1.0, 0.5, 0, -2.0))
    assert share == pytest.approx((1.0 + 0.0025) / 2.0, abs=3e-4)
    assert time_of_impact(ball, start, Plane(), Pose(), motion_a=(0, 0, 0, 0, 0, -1.0)) == 1.0
    assert time_of_impact(ball, start, Plane(), Pose(), motion_a=(0, 0, 0, 0, 0, 2.0)) == 1.0


def test_a_turning_rod_meets_a_ball_on_its_circle():
    """A quarter turn of a rod whose tip passes a ball: at the angle at which the ball lies."""
    rod, ball, angle = Capsule(0.002, 0.5), Sphere(0.002), np.radians(60)
    start = Pose((0, 0, 0), (np.sqrt(0.5), 0, np.sqrt(0.5), 0))  # along x
    at = Pose((0.45 * np.cos(angle), 0.45 * np.sin(angle), 0))
    share = time_of_impact(rod, start, ball, at, motion_a=(0, 0, np.pi / 2, 0, 0, 0))
    assert share == pytest.approx((angle - np.arcsin(0.0035 / 0.45)) / (np.pi / 2), abs=1e-3)
    assert time_of_impact(rod, start, ball, at, motion_a=(0, 0, -np.pi / 4, 0, 0, 0)) == 1.0
    turns = time_of_impact(rod, start, ball, at, motion_a=(0, 0, 8 * np.pi, 0, 0, 0))
    assert turns == pytest.approx(share / 16, abs=1e-3)


@pytest.mark.parametrize("turn", [0.5, 5.0])
@pytest.mark.parametrize("name", ["rod", "plate", "mesh"])
def test_height_field_beside_the_ridge_as_a_mesh(name, turn):
    """A ridge on a flat is a convex prism and a plane: what gets a depth inside must have been told, and not before."""
    ridge = HeightField(np.tile(np.where(np.arange(41) == 20, 0.4, 0.0), (3, 1)), (4.0, 20.0))
    prism = ConvexMesh([[0, y, 0.4] for y in (-20, 20)]
                       + [[x, y, z] for x in (-0.2, 0.2) for y in (-20, 20) for z in (0, -20)])  # fmt: skip
    shape, rng, passing = SHAPES[name], np.random.default_rng(1), 0
    paths = motions(30, turn)
    paths[:, 18:], paths[:, 18:27] = 0.0, np.eye(3).ravel()
    paths[:, 9:12] = rng.uniform(-0.1, 0.1, (30, 3)) + (-0.7, 0, 0.2)
    paths[:, 12:15] = rng.uniform(-0.1, 0.1, (30, 3)) + (1.4, 0, 0)
    shares, t = impact_shares(shape, ridge, paths), np.linspace(0, 1, 5001)
    for path, share in zip(paths, shares, strict=True):
        gaps = [pair_points(shape, other, poses_at(path, t), 1e3)[:, :, 6].min(1) for other in (prism, Plane())]
        gap = np.minimum(*gaps)
        if gap[0] > 0.0 and gap.min() < -1.001 * inradius_of(shape):
            passing += 1
            assert share < t[np.argmax(gap < -1.001 * inradius_of(shape))]
        if gap[0] > 0.0 and share < 1.0:
            assert np.interp(share, t, gap) < 0.05 * inradius_of(shape) + np.abs(np.diff(gap)).max()
    assert passing >= 10


def test_bad_input():
    with pytest.raises(ArgumentError, match="motion_a: expected 6 finite numbers"):
        time_of_impact(Sphere(1.0), Pose(), Plane(), Pose(), motion_a=(1, 2, 3))
    with pytest.raises(ArgumentError, match="pose_b: expected a Pose"):
        time_of_impact(Sphere(1.0), Pose(), Plane(), None)
