"""Other times for the same poses."""

import numpy as np
import pytest
from scipy.integrate import quad

from hitogata.dynamics import difference
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory, velocities_of
from hitogata.motion import change_speed, sample, warp
from tests.motion.figures import every_joint, waving


@pytest.fixture(scope="module")
def case():
    figure = every_joint()
    return figure, waving(figure)


@pytest.mark.parametrize("keys", [[(0.5, 0.5), (2.5, 2.5)], [(1.3, 1.3)], [(0.5, 0.5), (0.9, 0.9), (2.0, 2.0)]])
def test_the_identity(case, keys):
    figure, motion = case
    same = warp(figure, motion, keys)
    np.testing.assert_allclose(same.time, motion.time, atol=1e-12)
    np.testing.assert_allclose(difference(figure, same.q, motion.q), 0, atol=1e-12)
    np.testing.assert_allclose(same.v, motion.v, atol=1e-9)
    np.testing.assert_allclose(same["load"], motion["load"], atol=1e-12)


def test_keys_are_met(case):
    """Poses of the old times are there at the new times; in between time never runs backwards."""
    figure, motion = case
    keys = [(0.5, 1.0), (0.9, 2.0), (1.0, 2.1), (2.0, 2.4), (2.5, 4.0)]
    found = warp(figure, motion, keys, rate=1000.0)
    assert found.time[0] == pytest.approx(1.0)
    assert found.time[-1] == pytest.approx(4.0, abs=1e-3)
    for old, new in keys:
        now = sample(figure, found, [min(new, found.time[-1])]).q
        np.testing.assert_allclose(difference(figure, now, sample(figure, motion, [old]).q), 0, atol=2e-3)
    clock = np.arcsin(np.clip(found["load"], -1, 1))  # of the old time, as far as it rises
    assert (np.diff(clock[found.time < 2.12]) > 0).all()


def test_velocities_are_derivatives(case):
    figure, motion = case
    keys = [(0.5, 0.0), (1.2, 0.5), (2.5, 3.0)]
    errors = []
    for rate in (100.0, 200.0):
        found = warp(figure, motion, keys, rate=rate)
        apart = velocities_of(figure, found.time, found.q) - found.v
        errors.append(np.sqrt(np.mean(apart[2:-2] ** 2)))
    assert errors[0] < 0.02 * np.abs(motion.v).max()
    assert errors[1] < 0.6 * errors[0]


def test_beyond_the_keys_time_goes_on_as_before(case):
    figure, motion = case
    found = warp(figure, motion, [(1.0, 1.0), (1.5, 2.0)])
    assert found.time[[0, -1]] == pytest.approx([0.5, 3.0])
    late = found.time > 2.0
    moments = found.time[late] - 0.5
    np.testing.assert_allclose(difference(figure, found.q[late], sample(figure, motion, moments).q), 0, atol=1e-9)


def test_twice_as_fast(case):
    figure, motion = case
    fast = change_speed(figure, motion, 2.0)
    assert len(fast) == 101
    np.testing.assert_allclose(difference(figure, fast.q, motion.q[::2]), 0, atol=1e-12)
    np.testing.assert_allclose(fast.v, 2 * motion.v[::2], atol=1e-9)
    np.testing.assert_array_equal(fast["step"], motion["step"][::2])
    back = change_speed(figure, fast, 0.5)
    np.testing.assert_allclose(difference(figure, back.q, motion.q), 0, atol=2e-4)
    assert np.diff(change_speed(figure, motion, 0.1, rate=60.0).time) == pytest.approx(1 / 60)


def test_speed_that_changes(case):
    """New times are the integral of 1/speed over the old ones."""
    figure, motion = case
    keys = [(0.7, 0.5), (1.6, 2.0), (2.2, 2.0), (2.4, 0.7)]
    found = change_speed(figure, motion, keys)

    def pace(t):
        return np.interp(t, *np.transpose(keys))

    breaks = [t for t, _ in keys]
    whole, _ = quad(lambda t: 1 / pace(t), 0.5, 2.5, points=breaks, epsabs=1e-10)
    assert found.time[-1] == pytest.approx(0.5 + whole, abs=0.01)
    for old in (0.6, 1.1, 1.9, 2.3):
        part, _ = quad(lambda t: 1 / pace(t), 0.5, old, points=[b for b in breaks if b < old] or None, epsabs=1e-10)
        now = sample(figure, found, [0.5 + part])
        then = sample(figure, motion, [old])
        np.testing.assert_allclose(difference(figure, now.q, then.q), 0, atol=1e-4)
        np.testing.assert_allclose(now.v, then.v * pace(old), atol=2e-2)


def test_bad_input(case):
    figure, motion = case
    for keys in ([], [(1.0,)], [1.0, 2.0]):
        with pytest.raises(ArgumentError, match="keys: expected pairs"):
            warp(figure, motion, keys)
    for keys in ([(1.0, 1.0), (0.9, 2.0)], [(1.0, 1.0), (1.5, 1.0)], [(1.0, np.nan)]):
        with pytest.raises(ArgumentError, match="keys: old and new times must be finite and strictly rising"):
            warp(figure, motion, keys)
    with pytest.raises(ArgumentError, match=r"keys: 0.1 s is outside the motion, which goes from 0.5 to 2.5 s"):
        warp(figure, motion, [(0.1, 0.0), (2.0, 1.0)])
    with pytest.raises(ArgumentError, match="rate"):
        warp(figure, motion, [(1.0, 1.0)], rate=0.0)
    for speed in (0.0, -1.0, np.nan, [(0.0, 1.0), (1.0, 0.0)], [(1.0, 1.0), (0.5, 1.0)], [1.0, 2.0]):
        with pytest.raises(ArgumentError, match="speed"):
            change_speed(figure, motion, speed)
    with pytest.raises(ArgumentError, match="2 samples or more"):
        warp(figure, Trajectory([0.0], motion.q[:1], motion.v[:1]), [(0.0, 0.0)])
    with pytest.raises(ArgumentError, match="longer than the motion"):
        change_speed(figure, motion, 1e6)
