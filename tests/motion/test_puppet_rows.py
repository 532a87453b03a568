"""Every kind of row against differences of what it is the rate of; helpers run in plain Python."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata.lanes import X1, X4, X8
from hitogata.lanes.testing import run_helper
from hitogata.motion.puppet import rows
from hitogata.spatial import Mat3, Quaternion, Vec3, power
from hitogata.spatial.motion import Motion
from tests.motion import puppet_oracle as oracle

EPS = 1e-6


def vec(a):
    return Vec3(*np.asarray(a, float))


def numbers(v):
    return np.array([v.x, v.y, v.z])


def matrix(rot):
    return Mat3(*rot.ravel())


def random_motion(rng):
    """A motion about the world's origin, and how it moves a frame: (Motion, function of (at, rot, time))."""
    omega, v = rng.normal(size=3), rng.normal(size=3)

    def moved(at, rot, t):
        turn = Rotation.from_rotvec(omega * t).as_matrix()
        return turn @ at + v * t, turn @ rot

    return Motion(vec(omega), vec(v)), moved


@pytest.mark.parametrize("seed", range(5))
def test_points_and_turning(seed):
    rng = np.random.default_rng(seed)
    motion, moved = random_motion(rng)
    at, rot = rng.normal(size=3), Rotation.random(random_state=seed).as_matrix()
    (a, before), (b, after) = moved(at, rot, -EPS), moved(at, rot, EPS)
    rates = [power(f, motion) for f in rows.moving_along(vec(at))]
    assert rates == pytest.approx((b - a) / (2 * EPS), abs=1e-8)
    rates = [power(f, motion) for f in rows.turning_about(0.0)]
    assert rates == pytest.approx(Rotation.from_matrix(after @ before.T).as_rotvec() / (2 * EPS), abs=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_gaze(seed):
    """Also far off its target, up to almost behind."""
    rng = np.random.default_rng(seed)
    motion, moved = random_motion(rng)
    at, rot = rng.normal(size=3), Rotation.random(random_state=seed).as_matrix()
    target = rng.normal(size=3) * 2.0

    def looked(t):
        x, r = moved(at, rot, t)
        found = rows.looking(matrix(r), vec(x), vec(target - x))
        return -numbers(found[2])[:2]

    first, second, error = rows.looking(matrix(rot), vec(at), vec(target - at))
    rates = np.array([power(first, motion), power(second, motion)])
    assert rates == pytest.approx((looked(EPS) - looked(-EPS)) / (2 * EPS), rel=1e-6, abs=1e-6)
    u = (target - at) / np.linalg.norm(target - at)
    assert np.linalg.norm(numbers(error)) == pytest.approx(np.linalg.norm(u - rot[:, 0]), abs=1e-9), "the chord"


def test_orientation_left():
    rng = np.random.default_rng(0)
    for seed in range(20):
        here, there = Rotation.random(random_state=seed), Rotation.random(random_state=seed + 100)
        quat = np.roll(there.as_quat(), 1) * rng.choice([-1, 1])
        found = numbers(rows.turn_left(Quaternion(*quat), matrix(here.as_matrix())))
        assert found == pytest.approx((there * here.inv()).as_rotvec(), abs=1e-9)


def test_nearest_place_of_a_side():
    for p in np.random.default_rng(0).normal(size=(50, 2)) * 2:
        x, y, _ = rows.from_side(*p, -0.5, 0.0, 0.7, 0.3)
        t = np.linspace(0, 1, 20001)[:, None]
        line = np.array([-0.5, 0.0]) + t * np.array([1.2, 0.3])
        assert np.hypot(x, y) == pytest.approx(np.linalg.norm(p - line, axis=1).min(), abs=1e-6)


@pytest.mark.parametrize("width", [X1, X4, X8])
def test_helpers_at_all_widths(width):
    rng = np.random.default_rng(1)
    rot = Rotation.random(7, random_state=2).as_matrix().reshape(7, 9).T
    x, way = rng.normal(size=(2, 3, 7))
    expected = rows.looking(Mat3(*rot), Vec3(*x), Vec3(*way))
    found = run_helper(rows.looking, (Mat3(*rot), Vec3(*x), Vec3(*way)), width)
    for a, b in ((expected[0].ang, found[0].ang), (expected[1].lin, found[1].lin), (expected[2], found[2])):
        assert numbers(b)[:2] == pytest.approx(numbers(a)[:2], abs=1e-12)


def test_chord_of_the_oracle_is_the_chord():
    """The oracle's own error of a gaze has the same length, though other axes."""
    from hitogata.library import human28

    figure = human28()
    q = figure.random(np.random.default_rng(4))
    at, rot = oracle.frame_pose(figure, q, "eyes")
    target = np.array([0.3, 2.0, -1.0])
    u = (target - at) / np.linalg.norm(target - at)
    assert np.linalg.norm(oracle.chord(figure, q, "eyes", target, (1, 0, 0))) == pytest.approx(
        np.linalg.norm(u - rot[:, 0])
    )
