"""Cycles: found where they are, closed without a seam, repeated on the ground."""

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_kinematics, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory, velocities_of
from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh
from hitogata.library import human28, pendulum
from hitogata.motion import Drift, find_loop, headings, join, make_loop, move_root, repeat, sample
from tests.motion.figures import every_joint, waving
from tests.motion.steps import stepping_walk
from tests.reference import reference


@pytest.fixture(scope="module")
def walk():
    figure = human28()
    return figure, stepping_walk(figure, seconds=4.0, turn=0.4)[0]


def test_one_stride_is_found(walk):
    figure, motion = walk
    found = find_loop(figure, motion)
    assert found.end - found.start == pytest.approx(1.1, abs=5e-4)
    assert found.distance < 1e-3
    assert found.excursion > 0.15
    assert found.step.angle == pytest.approx(0.44, abs=1e-3)
    two = find_loop(figure, motion, shortest=1.5)
    assert two.end - two.start == pytest.approx(2.2, abs=1e-3)
    longer = find_loop(figure, motion, shortest=0.5, longest=0.9)
    assert 0.5 <= longer.end - longer.start <= 0.91
    assert longer.distance > 20 * found.distance


def test_standing_still_is_no_loop(walk):
    """A second of breathing before the walk does not count, though its poses are nearer to each other."""
    figure, motion = walk
    time = np.arange(91) / 60
    sway = np.zeros((91, figure.nv))
    sway[:, 7] = 0.002 * np.sin(time * 3)
    q = integrate(figure, np.repeat(motion.q[:1], 91, axis=0), sway)
    still = Trajectory(time, q, velocities_of(figure, time, q), figure_name=figure.name)
    found = find_loop(figure, join(figure, [still, motion]))
    assert found.start > 1.4
    assert found.end - found.start == pytest.approx(1.1, abs=2e-3)


def test_long_motions_are_searched_coarsely_then_finely():
    figure = human28()
    motion, _ = stepping_walk(figure, seconds=16.0, rate=200.0)
    found = find_loop(figure, motion)
    assert len(motion) > 3000
    assert found.end - found.start == pytest.approx(1.1, abs=1e-3)
    assert found.distance < 1e-3


def seam(figure, loop):
    """Greatest jumps of velocity from sample to sample: at the seam, and anywhere else."""
    twice = repeat(figure, loop, 2)
    jumps = np.abs(np.diff(velocities_of(figure, twice.time, twice.q), axis=0)).max(axis=1)
    k = len(loop.trajectory) - 1
    near = jumps[k - 1 : k + 1].max()
    return near, np.delete(jumps, [0, k - 1, k, len(jumps) - 1]).max()


@pytest.mark.parametrize("points", [None, (0.31, 1.34), (0.5, 1.7)])
@pytest.mark.parametrize("drift", Drift)
def test_the_seam_is_closed(walk, points, drift):
    """Also where the ends do not fit at all: the last pose is the first, moved on, and velocities agree."""
    figure, motion = walk
    loop = make_loop(figure, motion, points, drift=drift)
    one = loop.trajectory
    first = Trajectory([0.0], one.q[:1], one.v[:1])
    again = move_root(figure, first, loop.step)
    np.testing.assert_allclose(difference(figure, one.q[-1], again.q[0]), 0, atol=1e-12)
    np.testing.assert_allclose(one.v[-1], again.v[0], atol=1e-9)
    near, elsewhere = seam(figure, loop)
    assert near < 1.1 * elsewhere
    np.testing.assert_allclose(np.diff(one.time), 1 / 60, atol=1e-9)
    assert abs(loop.speed - 1) < 0.5 / (60 * loop.duration) + 1e-6


def test_velocities_meet_as_steps_get_finer():
    """The cycle has no corner: what is left at the seam is the step of an even curve, and falls with it."""
    figure = human28()
    jumps = []
    for rate in (120.0, 240.0, 480.0):
        motion, _ = stepping_walk(figure, rate=rate, turn=0.4)
        jumps.append(seam(figure, make_loop(figure, motion, (0.25, 1.5)))[0])
    assert jumps[0] / jumps[1] > 1.8
    assert jumps[1] / jumps[2] > 1.8


def test_only_the_ends_are_changed(walk):
    figure, motion = walk
    loop = make_loop(figure, motion, (0.3, 1.5), fade=0.2)
    one = loop.trajectory
    inner = (one.time > 0.21) & (one.time < loop.duration - 0.21)
    plain = sample(figure, motion, loop.points.start + one.time[inner] * loop.speed)
    np.testing.assert_allclose(difference(figure, one.q[inner], plain.q), 0, atol=1e-9)
    assert inner.sum() > 40


def test_what_every_joint_does():
    """Large mismatches of all kinds of joints, in turned frames."""
    figure = every_joint()
    motion = waving(figure, seconds=2.0, rate=200.0)
    loop = make_loop(figure, motion, (0.7, 2.1), drift=Drift.REMOVE)
    one = loop.trajectory
    np.testing.assert_allclose(difference(figure, one.q[-1], one.q[0]), 0, atol=1e-12)
    near, elsewhere = seam(figure, loop)
    assert near < 1.1 * elsewhere
    fixed = pendulum()
    swing = waving(fixed, seconds=4.0)
    loop = make_loop(fixed, swing, (0.7, 2.1))
    np.testing.assert_allclose(loop.trajectory.q[-1], loop.trajectory.q[0], atol=1e-12)
    assert len(repeat(fixed, loop, 3)) == 3 * (len(loop.trajectory) - 1) + 1


def test_cycles_go_on_around_the_circle(walk):
    figure, motion = walk
    loop = make_loop(figure, motion)
    many = repeat(figure, loop, 4)
    np.testing.assert_allclose(np.diff(many.time), 1 / 60, atol=1e-9)
    start = loop.points.start
    wanted = stepping_walk(figure, seconds=4.3, turn=0.4, start=start)[0]
    onto = move_root(figure, many, wanted_place(figure, many, wanted))
    apart = forward_kinematics(figure, onto.q).position[:259] - forward_kinematics(figure, wanted.q).position
    assert np.abs(apart).max() < 0.01
    assert headings(figure, many.q)[-1] - headings(figure, many.q)[0] == pytest.approx(4 * 0.44, abs=5e-3)
    inner = slice(2, -2)
    np.testing.assert_allclose(velocities_of(figure, many.time, many.q)[inner], many.v[inner], atol=1e-9)


def wanted_place(figure, motion, wanted):
    from hitogata.motion.closeness import cloud_of, ground_between

    return ground_between(cloud_of(figure, wanted), cloud_of(figure, motion), [(0, 0)])


def test_in_place(walk):
    """On the treadmill the root comes back, and joints are those of the moving cycle."""
    figure, motion = walk
    kept, removed = (make_loop(figure, motion, drift=drift).trajectory for drift in Drift)
    np.testing.assert_allclose(difference(figure, removed.q[-1], removed.q[0]), 0, atol=1e-12)
    np.testing.assert_array_equal(removed.q[:, 7:], kept.q[:, 7:])
    np.testing.assert_allclose(removed.q[:, 2], kept.q[:, 2], atol=1e-12)
    assert np.ptp(removed.q[:, :2], axis=0).max() < 0.05
    assert np.ptp(kept.q[:, :2], axis=0).max() > 0.8
    assert np.abs(headings(figure, removed.q) - headings(figure, removed.q)[0]).max() < 0.15


@pytest.mark.parametrize("name", ["02_01.bvh", "16_15.bvh"])
def test_captured_walks(name):
    """One stride of about a second, its seam as smooth as the walk."""
    figure = figure_from_bvh(bvh := read_bvh(reference("bvh", name)))
    motion = trajectory_from_bvh(bvh, figure)
    loop = make_loop(figure, motion)
    assert 0.9 < loop.duration < 1.3
    assert loop.points.distance < 0.03
    assert np.hypot(*loop.step.shift[:2]) > 1.0
    near, elsewhere = seam(figure, loop)
    assert near < 0.6 * elsewhere


def test_bad_input(walk):
    figure, motion = walk
    with pytest.raises(ArgumentError, match="no loop of 9 s or more fits into a motion of 4 s"):
        find_loop(figure, motion, shortest=9.0)
    with pytest.raises(ArgumentError, match=r"longer than 0.3 s"):
        find_loop(figure, motion, longest=0.3)
    with pytest.raises(ArgumentError, match="shortest"):
        find_loop(figure, motion, shortest=-1.0)
    with pytest.raises(ArgumentError, match="end: 9 s is outside"):
        make_loop(figure, motion, (0.0, 9.0))
    with pytest.raises(ArgumentError, match="must be after the start"):
        make_loop(figure, motion, (2.0, 1.0))
    with pytest.raises(ArgumentError, match="too short for a loop"):
        make_loop(figure, motion, (1.0, 1.03))
    with pytest.raises(ArgumentError, match="expected \\(start, end\\)"):
        make_loop(figure, motion, 1.0)
    with pytest.raises(ArgumentError, match="fade"):
        make_loop(figure, motion, fade=np.nan)
    with pytest.raises(ArgumentError, match="drift"):
        make_loop(figure, motion, drift="keep")
    with pytest.raises(ArgumentError, match="3 samples or more"):
        find_loop(figure, Trajectory(motion.time[:2], motion.q[:2], motion.v[:2]))
    for bad in (0, 2.5):
        with pytest.raises(ArgumentError, match="count"):
            repeat(figure, make_loop(figure, motion), bad)
