"""Motions moved on the ground: every link goes along."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics, link_velocities
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.library import human28, pendulum
from hitogata.motion import GroundMove, headings, move_root, put_on_floor, start_at, turn_root
from hitogata.motion.ground_height import lowest
from tests.motion.figures import every_joint, waving
from tests.motion.steps import stepping_walk


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_moves_form_a_group():
    rng = np.random.default_rng(0)
    a, b = (GroundMove(rng.uniform(-3, 3), tuple(rng.normal(size=3))) for _ in range(2))
    points = rng.normal(size=(5, 3))
    np.testing.assert_allclose(a.apply(points), points @ turn(a.angle).T + a.shift, atol=1e-14)
    np.testing.assert_allclose((a @ b).apply(points), a.apply(b.apply(points)), atol=1e-14)
    np.testing.assert_allclose(a.inverse().apply(a.apply(points)), points, atol=1e-14)
    np.testing.assert_allclose(GroundMove.about(points[0], 1.3).apply(points[0]), points[0], atol=1e-14)


@pytest.mark.parametrize("angle", [2.0, -0.3, 1e-5, 1e-12, 0.0])
def test_parts_of_a_move(angle):
    """Nine ninths are the whole, and all parts lie on one arc."""
    whole = GroundMove(angle, (0.5, -0.2, 0.1))
    step, sum_ = whole.part(1 / 9), GroundMove()
    for _ in range(9):
        sum_ = step @ sum_
    assert sum_.angle == pytest.approx(angle)
    np.testing.assert_allclose(sum_.shift, whole.shift, atol=1e-12)
    np.testing.assert_allclose(whole.part(1.0).shift, whole.shift, atol=1e-15)
    np.testing.assert_allclose((whole.part(-0.4) @ whole.part(0.4)).shift, 0, atol=1e-15)


def test_links_go_along():
    figure, rng = every_joint(), np.random.default_rng(1)
    motion, move = waving(figure), GroundMove(1.1, tuple(rng.normal(size=3)))
    moved = move_root(figure, motion, move)
    before, after = (forward_kinematics(figure, m.q) for m in (motion, moved))
    np.testing.assert_allclose(after.position, move.apply(before.position), atol=1e-12)
    np.testing.assert_allclose(after.rotation, turn(1.1) @ before.rotation, atol=1e-12)
    speeds = [link_velocities(figure, m.q, m.v).reshape(len(m), -1, 3) for m in (motion, moved)]
    np.testing.assert_allclose(speeds[1], speeds[0] @ turn(1.1).T, atol=1e-12)
    assert not moved.channels


def test_start_at():
    figure = human28()
    walk, _ = stepping_walk(figure, turn=0.4)
    begun = start_at(figure, walk, (2.0, -1.0), 0.7)
    np.testing.assert_allclose(begun.q[0, :3], [2.0, -1.0, walk.q[0, 2]], atol=1e-12)
    assert headings(figure, begun.q)[0] == pytest.approx(0.7)
    np.testing.assert_allclose(np.diff(headings(figure, begun.q)), np.diff(headings(figure, walk.q)), atol=1e-12)
    kept = start_at(figure, walk, heading=None)
    np.testing.assert_allclose(headings(figure, kept.q), headings(figure, walk.q), atol=1e-12)


def test_turn_in_place():
    figure = human28()
    walk, _ = stepping_walk(figure, turn=0.4)
    moved = move_root(figure, walk, GroundMove(0.3, (2.0, 1.0, 0.0)))
    turned = turn_root(figure, moved, 1.2)
    np.testing.assert_allclose(turned.q[0, :3], moved.q[0, :3], atol=1e-12)
    np.testing.assert_allclose(headings(figure, turned.q), headings(figure, moved.q) + 1.2, atol=1e-12)


def test_headings_of_a_lean():
    """Leaning does not change the heading, and neither do turns beyond half a turn make it jump."""
    from hitogata.spatial import quat_exp, quat_multiply

    figure = human28()
    angle = np.linspace(0, 9, 100)
    q = np.repeat(figure.neutral()[None], 100, axis=0)
    q[:, 3:7] = quat_multiply(quat_exp(np.outer(angle, [0, 0, 1])), quat_exp([0.3, 0.5, 0.0]))
    np.testing.assert_allclose(headings(figure, q), angle, atol=1e-12)


def test_put_on_floor():
    figure = human28()
    walk, _ = stepping_walk(figure)
    high = move_root(figure, walk, GroundMove(shift=(0, 0, 0.37)))
    np.testing.assert_allclose(put_on_floor(figure, high).q, walk.q, atol=1e-9)
    up = put_on_floor(figure, walk, floor=0.5)
    assert np.min(lowest(figure, up.q, ["foot_left", "foot_right"])) == pytest.approx(0.5)
    chain = every_joint()
    hung = put_on_floor(chain, waving(chain))
    assert np.mean(lowest(chain, hung.q, chain.link_names) < 0) == pytest.approx(0.1, abs=0.01)


def test_bad_input():
    figure, swing = human28(), waving(pendulum())
    for call in (lambda f, m: move_root(f, m, GroundMove()), start_at, put_on_floor):
        with pytest.raises(ArgumentError, match=r"'pendulum' hangs on a .* joint, not a free one"):
            call(pendulum(), swing)
    walk, _ = stepping_walk(figure, seconds=0.2)
    with pytest.raises(ArgumentError, match="position: expected x and y"):
        start_at(figure, walk, (1, 2, 3))
    with pytest.raises(ArgumentError, match="heading: must be finite"):
        start_at(figure, walk, heading=np.nan)
    with pytest.raises(ArgumentError, match="floor"):
        put_on_floor(figure, walk, floor=np.inf)
    for bad in ((1.0, 2.0), 3.0, (0.0, np.nan, 0.0)):
        with pytest.raises(ArgumentError, match="shift: expected three"):
            GroundMove(0.0, bad)
    with pytest.raises(ArgumentError, match="not a free one"):
        headings(pendulum(), swing.q)
    with pytest.raises(ArgumentError, match="angle: must be finite"):
        GroundMove(np.nan)
    with pytest.raises(ArgumentError, match="1 samples or more"):
        start_at(figure, Trajectory([], np.empty((0, figure.nq)), np.empty((0, figure.nv))))
