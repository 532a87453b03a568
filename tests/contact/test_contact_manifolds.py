"""Enough points to rest on, and the same features while shapes move a little."""

from itertools import pairwise

import numpy as np
import pytest

from hitogata.contact import contact_points, distance
from hitogata.contact.pair_query import pair_points
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, Plane, Pose, Sphere
from hitogata.spatial import quat_exp
from tests.contact.cases import rows

ORIGIN = Pose()
SIDE = Pose(quat=(np.sqrt(0.5), 0, np.sqrt(0.5), 0))  # z to x


def at(*position: float, turn=(0.0, 0.0, 0.0)) -> Pose:
    return Pose(position, tuple(quat_exp(np.array(turn))))


def test_box_on_plane():
    points = contact_points(Box((0.2, 0.3, 0.4)), at(0, 0, 0.399), Plane(), ORIGIN)
    assert len(points) == 4
    np.testing.assert_allclose(points.gap, -0.001, atol=1e-15)
    np.testing.assert_allclose(points.normal, [[0, 0, 1]] * 4)
    np.testing.assert_allclose(points.position[:, 2], -0.0005, atol=1e-15)
    assert {tuple(np.sign(p[:2])) for p in points.position} == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    assert sorted(points.feature) == [0, 1, 2, 3]


def test_box_on_plane_on_edge_and_corner():
    edge = contact_points(Box((0.2, 0.2, 0.4)), at(0, 0, 0.28, turn=(np.pi / 4, 0, 0)), Plane(), ORIGIN)
    assert len(edge) == 2
    tip = contact_points(Box((0.2, 0.2, 0.2)), at(0, 0, 0.33, turn=(0.6, -0.6, 0)), Plane(), ORIGIN)
    assert len(tip) == 1


def test_order_of_arguments_only_turns_the_normal():
    a, b = Box((0.2, 0.3, 0.4)), Plane()
    one = contact_points(a, at(0, 0, 0.3), b, ORIGIN)
    two = contact_points(b, ORIGIN, a, at(0, 0, 0.3))
    np.testing.assert_array_equal(one.position, two.position)
    np.testing.assert_array_equal(one.normal, -two.normal)


def test_shapes_own_pose_counts():
    ball = Sphere(0.1, pose=Pose((0, 0, 1.0)))
    assert distance(ball, at(0, 0, 0.5), Plane(), ORIGIN) == pytest.approx(1.4)


def test_capsule_lies_on_two_points():
    lying = Pose((0, 0, 0.0995), SIDE.quat)
    for ground, pose in ((Plane(), ORIGIN), (Box((2, 2, 0.5)), at(0, 0, -0.5))):
        points = contact_points(Capsule(0.1, 0.5), lying, ground, pose)
        assert len(points) == 2
        np.testing.assert_allclose(np.sort(points.position[:, 0]), [-0.5, 0.5], atol=1e-9)
        np.testing.assert_allclose(points.gap, -0.0005, atol=1e-12)


def test_capsule_across_a_beam_rests_on_its_edges():
    """Also when it is tilted by a hair, and an edge is nearest."""
    for tilt in (0.0, 1e-9, -1e-6, 1e-3):
        lying = Pose((0, 0, 0.0995), tuple(quat_exp(np.array([0, np.pi / 2 + tilt, 0]))))
        points = contact_points(Capsule(0.1, 1.0), lying, Box((0.3, 1, 0.5)), at(0, 0, -0.5), margin=0.01)
        assert len(points) == 2
        np.testing.assert_allclose(np.sort(points.position[:, 0]), [-0.3, 0.3], atol=2e-3)


def test_capsules_side_by_side():
    for tilt in (0.0, 1e-12, 1e-6, 0.01):
        points = contact_points(
            Capsule(0.1, 0.5), at(0.199, 0, 0.2, turn=(tilt, 0, 0)), Capsule(0.1, 0.5), ORIGIN, margin=0.01
        )
        assert sorted(points.feature)[:2] == [0, 1]
        assert np.ptp(points.position[:, 2]) > 0.3
    crossed = contact_points(Capsule(0.1, 0.5), Pose((0, 0.15, 0), SIDE.quat), Capsule(0.1, 0.5), ORIGIN)
    assert len(crossed) == 1


@pytest.mark.parametrize("offset", [(0, 0), (0.1, 0), (0.1, -0.2), (1e-12, 0)])
@pytest.mark.parametrize("turn", [(0, 0, 0), (0, 0, 0.3), (0, 0, np.pi / 4), (1e-9, 1e-9, 0), (1e-4, -2e-4, 0.1)])
def test_box_on_box(offset, turn):
    """Four points that hold the upper box's centre between them."""
    upper = at(*offset, 0.9995, turn=turn)
    points = contact_points(Box((0.5, 0.5, 0.5)), upper, Box((0.5, 0.5, 0.5)), ORIGIN, margin=0.005)
    assert len(points) == 4
    assert points.normal[:, 2].min() > 0.999
    around = np.unwrap(np.sort(np.arctan2(*(points.position[:, :2] - np.array(offset) / 2).T)))
    assert np.diff(np.append(around, around[0] + 2 * np.pi)).max() < np.pi
    assert np.ptp(points.position[:, 0]) > 0.7
    assert np.ptp(points.position[:, 1]) > 0.7


def test_crossed_edges_touch_in_one_point():
    roof, beam = (np.pi / 4, 0, 0), tuple(np.array([0, np.pi / 4, 0]))
    points = contact_points(
        Box((0.5, 0.5, 0.5)), at(0, 0, np.sqrt(2) - 0.001, turn=roof), Box((0.5, 0.5, 0.5)), at(0, 0, 0, turn=beam)
    )
    assert len(points) == 1
    np.testing.assert_allclose(points.position[0], [0, 0, np.sqrt(0.5) - 0.0005], atol=1e-12)
    np.testing.assert_allclose(points.normal[0], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(points.gap, -0.001, atol=1e-12)


RESTING = {
    "box on plane": (Box((0.3, 0.2, 0.1)), (0, 0, 0.0995), Plane(), (0, 0, 0)),
    "box on a greater box": (Box((0.3, 0.2, 0.1)), (0, 0, 0.0995), Box((1, 1, 0.5)), (0.1, 0, -0.5)),
    "box on a smaller box": (Box((0.3, 0.2, 0.1)), (0, 0, 0.0995), Box((0.1, 0.1, 0.5)), (0.1, 0, -0.5)),
    "box over an edge": (Box((0.3, 0.2, 0.1)), (0.2, 0.05, 0.0995), Box((0.3, 0.3, 0.5)), (0, 0, -0.5)),
    "capsule on plane": (Capsule(0.1, 0.4, pose=SIDE), (0, 0, 0.0995), Plane(), (0, 0, 0)),
    "capsule on box": (Capsule(0.1, 0.4, pose=SIDE), (0, 0, 0.0995), Box((1, 1, 0.5)), (0.1, 0, -0.5)),
    "capsule on capsule": (Capsule(0.1, 0.4), (0.1995, 0, 0.1), Capsule(0.1, 0.5), (0, 0, 0)),
}


@pytest.mark.parametrize("name", RESTING)
def test_features_stay_while_shapes_move_a_little(name):
    """Turned by up to 1e-3 rad, moved by up to 1 mm: the same features, and points that moved no more than that."""
    a, pos_a, b, pos_b = RESTING[name]
    rng, n = np.random.default_rng(0), 300
    turns = np.array([Pose(quat=tuple(quat_exp(r))).rotation for r in rng.uniform(-5e-4, 5e-4, (n, 3))])
    turns[0] = np.eye(3)
    moves = rng.uniform(-1e-3, 1e-3, (n, 3)) * (np.arange(n) > 0)[:, None]
    poses = rows(turns, pos_a + moves, np.repeat(np.eye(3)[None], n, 0), np.repeat([pos_b], n, 0).astype(float))
    points = pair_points(a, b, poses, 0.01)
    first = {p[7]: p[:3] for p in points[0] if p[6] < 0.01}
    assert len(first) == (4 if isinstance(a, Box) else 2)
    for row in points:
        features = {p[7]: p[:3] for p in row if p[6] < 0.01}
        features.pop(2.0, None) if isinstance(b, Capsule) else None  # between the ends, where it is nearer
        assert features.keys() == first.keys()
        assert max(np.abs(features[k] - first[k]).max() for k in first) < 0.005


def test_equal_boxes_keep_their_corners_nearly_always():
    """Edges that coincide give way to each other as they move; most points are known again."""
    rng, n = np.random.default_rng(0), 300
    steps = np.cumsum(rng.normal(size=(n, 6)) * 1e-6, axis=0)
    turns = np.array([Pose(quat=tuple(quat_exp(r))).rotation for r in steps[:, :3]])
    poses = rows(turns, steps[:, 3:] + [0, 0, 0.9995], np.repeat(np.eye(3)[None], n, 0), np.zeros((n, 3)))
    points = pair_points(Box((0.5, 0.5, 0.5)), Box((0.5, 0.5, 0.5)), poses, 0.01)
    sets = [{p[7] for p in row if p[6] < 0.01} for row in points]
    assert all(len(s) == 4 for s in sets)
    again = [len(one & two) / 4 for one, two in pairwise(sets)]
    assert np.mean(again) > 0.9


def test_bad_arguments_are_named():
    ball = Sphere(0.1)
    with pytest.raises(ArgumentError, match="planes"):
        contact_points(Plane(), ORIGIN, Plane(), ORIGIN)
    with pytest.raises(ArgumentError, match="margin"):
        contact_points(ball, ORIGIN, ball, ORIGIN, margin=float("nan"))
    with pytest.raises(ArgumentError, match="pose_b"):
        contact_points(ball, ORIGIN, ball, (0, 0, 0))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="expected one of Plane"):
        distance("ball", ORIGIN, ball, ORIGIN)  # type: ignore[arg-type]
