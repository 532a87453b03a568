"""Blends and fades: at both ends the motions themselves, no jumps in between, and like phases together."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation, Slerp

from hitogata.dynamics import difference, forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory, velocities_of
from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh
from hitogata.library import human28, pendulum
from hitogata.motion import (
    GroundMove,
    best_transition,
    blend,
    change_speed,
    cross_fade,
    cut,
    join,
    match_phase,
    mirror,
    move_root,
    warp,
)
from hitogata.motion.closeness import cloud_of, distances, ground_between
from hitogata.spatial import quat_exp, quat_multiply
from tests.motion.figures import every_joint, waving
from tests.motion.steps import stepping_walk
from tests.reference import reference

AWAY = GroundMove(2.1, (4.0, -3.0, 0.0))


def places(figure, motion):
    return forward_kinematics(figure, motion.q).position


def test_points_stand_for_the_mass():
    """Four points of each link have its mass, centre and inertia."""
    figure = human28()
    still = Trajectory([0.0, 1.0], np.repeat(figure.neutral()[None], 2, axis=0), np.zeros((2, figure.nv)))
    cloud = cloud_of(figure, still)
    at = places(figure, still)[0]
    for i, link in enumerate(figure.links):
        points, mass = cloud.places[0, 4 * i : 4 * i + 4] - at[i], cloud.weights[4 * i : 4 * i + 4] * figure.mass
        assert mass.sum() == pytest.approx(link.mass.mass)
        np.testing.assert_allclose(points.T @ mass / mass.sum(), link.mass.centre, atol=1e-12)
        r = points - link.mass.centre
        inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(mass, r, strict=True))
        np.testing.assert_allclose(inertia, link.mass.matrix, atol=1e-12)


def test_distance_is_the_least_over_all_moves():
    """The closed form against a search for the best turn and shift."""
    figure = every_joint()
    a, b = (cloud_of(figure, waving(figure, seed=seed)) for seed in (1, 2))
    table = distances(a, b, [10, 80], [30, 60, 90])
    w = a.weights

    def apart(x, i, j):
        move = GroundMove(x[0], (x[1], x[2], 0.0))
        turned = GroundMove(x[0]).apply(b.rates[j])
        squares = ((a.places[i] - move.apply(b.places[j])) ** 2).sum(axis=1) + ((a.rates[i] - turned) ** 2).sum(axis=1)
        return float(np.sqrt(w @ squares))

    for r, i in enumerate((10, 80)):
        for c, j in enumerate((30, 60, 90)):
            best = min(minimize(apart, [angle, 0, 0], (i, j), tol=1e-12).fun for angle in (0, 2, 4))
            assert table[r, c] == pytest.approx(best, abs=1e-6)
            move = ground_between(a, b, [(i, j)])
            assert apart([move.angle, *move.shift[:2]], i, j) == pytest.approx(table[r, c], abs=1e-9)
    swing = waving(pendulum())
    fixed = cloud_of(pendulum(), swing)
    plain = np.sqrt(((fixed.places[3] - fixed.places[70]) ** 2).sum(axis=1) @ fixed.weights
                    + ((fixed.rates[3] - fixed.rates[70]) ** 2).sum(axis=1) @ fixed.weights)  # fmt: skip
    assert distances(fixed, fixed, [3], [70])[0, 0] == pytest.approx(plain)


def test_weights_0_and_1_are_the_motions():
    figure = every_joint()
    first, second = waving(figure, seed=1), waving(figure, seed=2)
    for weight, wanted in ((0.0, first), (1.0, second)):
        found = blend(figure, first, second, weight, align=False)
        np.testing.assert_allclose(difference(figure, found.q, wanted.q), 0, atol=1e-12)
        np.testing.assert_allclose(found.v, wanted.v, atol=1e-9)
    aligned = blend(figure, first, second, 1.0)
    onto = ground_between(cloud_of(figure, first), cloud_of(figure, second), [(i, i) for i in range(len(first))])
    np.testing.assert_allclose(difference(figure, aligned.q, move_root(figure, second, onto).q), 0, atol=1e-12)
    ramp = np.linspace(0, 1, len(first))
    mixed = blend(figure, first, second, ramp, align=False)
    np.testing.assert_allclose(difference(figure, mixed.q[[0, -1]], [first.q[0], second.q[-1]]), 0, atol=1e-12)
    np.testing.assert_allclose(velocities_of(figure, mixed.time, mixed.q), mixed.v, atol=1e-12)


def test_orientations_by_slerp():
    figure = every_joint()
    first, second = waving(figure, seed=1, size=0.2), waving(figure, seed=1, size=0.4)
    part = figure.q_slice("link1")
    found = blend(figure, first, second, 0.3, align=False).q[:, part]
    for a, b, c in zip(first.q[::20, part], second.q[::20, part], found[::20], strict=True):
        wanted = Slerp([0, 1], Rotation.from_quat([a, b], scalar_first=True))(0.3)
        assert (wanted.inv() * Rotation.from_quat(c, scalar_first=True)).magnitude() < 1e-12
    hinge = figure.q_slice("link2")
    np.testing.assert_allclose(
        blend(figure, first, second, 0.3, align=False).q[:, hinge], 0.7 * first.q[:, hinge] + 0.3 * second.q[:, hinge]
    )


def test_no_jump_where_orientations_are_half_a_turn_apart():
    figure = every_joint()
    time = np.arange(101) / 50
    q = np.repeat(figure.neutral()[None], 101, axis=0)
    first = Trajectory(time, q, np.zeros((101, figure.nv)))
    turned = q.copy()
    part = figure.q_slice("link1")
    turned[:, part] = quat_multiply(quat_exp(np.outer(0.5 + 2.0 * time, [0.6, 0.0, 0.8])), q[:, part])
    second = Trajectory(time, turned, velocities_of(figure, time, turned))
    mixed = blend(figure, first, second, 0.5, align=False)
    assert np.abs(mixed.v).max() == pytest.approx(0.8, abs=1e-9)  # half of 2 rad/s, about the same axis


def test_a_motion_and_itself_elsewhere():
    """Whatever the weight, nothing happens."""
    figure = human28()
    walk, _ = stepping_walk(figure, turn=0.4)
    for weight in (0.3, 1.0):
        found = blend(figure, walk, move_root(figure, walk, AWAY), weight)
        np.testing.assert_allclose(difference(figure, found.q, walk.q), 0, atol=1e-9)


def test_fade_goes_over_without_jumps():
    figure = human28()
    slow, _ = stepping_walk(figure, speed=0.6, turn=0.3)
    fast, _ = stepping_walk(figure, speed=1.0, turn=-0.3, start=0.15)
    second = move_root(figure, fast, AWAY)
    found = cross_fade(figure, slow, second, 0.5)
    assert found.time[-1] == pytest.approx(5.5, abs=1 / 60)
    np.testing.assert_array_equal(found.q[:150], slow.q[:150])
    np.testing.assert_allclose(np.diff(found.time), 1 / 60, atol=1e-9)
    np.testing.assert_allclose(velocities_of(figure, found.time, found.q), found.v, atol=1e-12)
    tail = found.q[181:]
    np.testing.assert_allclose(difference(figure, tail, fast.q[31 : 31 + len(tail)])[:, 6:], 0, atol=1e-9)
    ways = [places(figure, m)[n, 0] - places(figure, m)[k, 0] for m, k, n in ((found, 181, -1), (second, 31, -1))]
    assert np.linalg.norm(ways[0]) == pytest.approx(np.linalg.norm(ways[1]), abs=1e-9)
    steps = np.abs(np.diff(found.v, axis=0)).max(axis=1)
    assert steps[145:190].max() < 1.5 * max(np.abs(np.diff(m.v, axis=0)).max() for m in (slow, fast))


def test_fade_in_phase_is_one_walk():
    """The same walk begun in another phase, elsewhere, looking elsewhere: matched, it is as if nothing happened."""
    figure = human28()
    first, _ = stepping_walk(figure, turn=0.4)
    second = move_root(figure, stepping_walk(figure, turn=0.4, start=0.4)[0], AWAY)
    at = best_transition(figure, first, second, seconds=0.4)
    assert at.distance < 0.002
    phase = (at.leave - at.enter - 0.4) / 1.1
    assert phase == pytest.approx(round(phase), abs=0.02)
    found = cross_fade(figure, first, second, 0.4, match=True, reach=1.5)
    wanted, _ = stepping_walk(figure, seconds=6.0, turn=0.4)
    assert len(found) > 200
    np.testing.assert_allclose(np.diff(found.time), 1 / 60, atol=1e-9)
    count = len(found)
    assert np.abs(places(figure, found) - places(figure, wanted)[:count]).max() < 0.02
    plain = cross_fade(figure, first, second, 0.7)
    assert np.abs(places(figure, plain) - places(figure, wanted)[: len(plain)]).max() > 0.1
    assert best_transition(figure, first, second, reach=0.3).leave >= first.time[-1] - 0.3


def test_match_phase():
    """A walk at an uneven pace gets the even pace of the first one back."""
    figure = human28()
    walk, _ = stepping_walk(figure, seconds=2.2)
    uneven = warp(figure, walk, [(0, 0), (0.6, 0.8), (1.4, 1.5), (2.2, 2.5)])
    uneven = cut(figure, uneven, None, 2.49)
    matched = match_phase(figure, walk, move_root(figure, uneven, AWAY))
    np.testing.assert_array_equal(matched.time, walk.time)
    joints = slice(6, None)
    before = change_speed(figure, uneven, (uneven.time[-1] - uneven.time[0]) / 2.2)
    n = min(len(before), len(walk))
    off = [np.sqrt(np.mean(difference(figure, m.q[:n], walk.q[:n])[:, joints] ** 2)) for m in (before, matched)]
    assert off[1] < 0.35 * off[0]
    both = blend(figure, walk, uneven, 0.5, match=True)
    assert np.sqrt(np.mean(difference(figure, both.q, walk.q)[:, joints] ** 2)) < 0.35 * off[0]
    h = 1e-4
    moments = np.linspace(0.1, 2.1, 50)
    from hitogata.motion import sample

    around = [sample(figure, matched, moments + s * h).q for s in (-1, 1)]
    np.testing.assert_allclose(
        sample(figure, matched, moments).v, difference(figure, around[0], around[1]) / (2 * h), atol=1e-2
    )
    fine = velocities_of(figure, matched.time, matched.q)
    assert np.abs(fine - matched.v)[2:-2].max() < 0.1 * np.abs(matched.v).max()


def test_captured_walk_into_its_mirror_image():
    """Left and right steps go on in turn: the mirrored walk is entered half a cycle later."""
    figure = figure_from_bvh(bvh := read_bvh(reference("bvh", "16_15.bvh")))
    walk = trajectory_from_bvh(bvh, figure)
    image = mirror(figure, walk)
    at = best_transition(figure, walk, image, seconds=0.3)
    assert at.distance < 0.03
    found = cross_fade(figure, walk, image, 0.3, match=True)
    steps = [np.abs(np.diff(m.v[:, :6], axis=0)).max() for m in (found, walk)]
    assert steps[0] < 1.5 * steps[1]


def test_bad_input():
    figure = every_joint()
    motion = waving(figure)
    for bad in (-0.1, 1.1, np.nan, [0.5, 0.5], np.full(len(motion), 2.0)):
        with pytest.raises(ArgumentError, match="weight"):
            blend(figure, motion, motion, bad)
    with pytest.raises(ArgumentError, match="2 s and 1 s long"):
        blend(figure, motion, cut(figure, motion, 0.5, 1.5), 0.5)
    with pytest.raises(ArgumentError, match="second: 2 samples"):
        blend(figure, motion, Trajectory([0.0], motion.q[:1], motion.v[:1]), 0.5)
    with pytest.raises(ArgumentError, match="needs 43"):
        blend(human28(), motion, motion, 0.5)
    with pytest.raises(ArgumentError, match="it lasts 2 s, the overlap 3 s"):
        cross_fade(figure, motion, motion, 3.0)
    for bad in (0.0, -1.0, np.inf):
        with pytest.raises(ArgumentError, match="seconds"):
            cross_fade(figure, motion, motion, bad)
    with pytest.raises(ArgumentError, match="shorter than a step"):
        cross_fade(figure, motion, motion, 0.001)
    with pytest.raises(ArgumentError, match="no moments to compare"):
        cross_fade(figure, motion, motion, 1.0, match=True, reach=0.2)
    with pytest.raises(ArgumentError, match="two figures"):
        cross_fade(figure, motion, Trajectory(motion.time, motion.q, motion.v, figure_name="other"), 0.5)
    whole = join(figure, [motion])
    np.testing.assert_array_equal(whole.q, motion.q)
