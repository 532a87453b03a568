"""Other sample times, and changes of poses as vectors: against closed forms and the dynamics' own integration."""

import numpy as np
import pytest

from hitogata.dynamics import difference, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory, resampled, velocities_of
from hitogata.library import human28
from hitogata.motion import resample, sample
from hitogata.motion.tangents import carried, rates_of_changes, steady_changes, velocities_of_changes
from hitogata.spatial import quat_exp, quat_multiply
from tests.motion.figures import every_joint, waving


def test_rates_of_changes():
    """q ⊞ φ(t) moves with J(φ) φ', found by differences; the inverse leads back; also for tiny changes."""
    figure, rng = every_joint(), np.random.default_rng(0)
    q = np.array([figure.random(rng) for _ in range(60)])
    phi, rate = rng.normal(size=(60, figure.nv)), rng.normal(size=(60, figure.nv))
    phi[:20] *= 1e-4
    phi[20:30] *= 1e-9
    h = 1e-6
    wanted = difference(figure, integrate(figure, q, phi - h * rate), integrate(figure, q, phi + h * rate)) / (2 * h)
    v = velocities_of_changes(figure, phi, rate)
    np.testing.assert_allclose(v, wanted, atol=1e-8)
    np.testing.assert_allclose(rates_of_changes(figure, phi, v), rate, atol=1e-12)


def test_carried_velocities():
    """A change that stays turns angular velocities with it."""
    figure, rng = every_joint(), np.random.default_rng(0)
    q = np.array([figure.random(rng) for _ in range(30)])
    phi, v = rng.normal(size=(30, figure.nv)), rng.normal(size=(30, figure.nv))
    h = 1e-6
    ahead, behind = (integrate(figure, integrate(figure, q, s * h * v), phi) for s in (1, -1))
    np.testing.assert_allclose(carried(figure, phi, v), difference(figure, behind, ahead) / (2 * h), atol=1e-8)


def test_changes_go_on_the_same_way_round():
    """A turn that grows beyond half a turn does not jump to the other way round."""
    figure = every_joint()
    angle = np.linspace(0.2, 6.0, 200)
    axis = np.stack([np.cos(0.1 * angle), np.sin(0.1 * angle), 0 * angle], axis=1)
    start = np.repeat(figure.neutral()[None], 200, axis=0)
    end = start.copy()
    part = figure.q_slice("link1")
    end[:, part] = quat_multiply(quat_exp(angle[:, None] * axis), start[:, part])
    for rows in (slice(None), slice(None, None, -1)):
        found = steady_changes(figure, start[rows], end[rows])
        np.testing.assert_allclose(found[:, figure.v_slice("link1")], (angle[:, None] * axis)[rows], atol=1e-9)
        np.testing.assert_allclose(difference(figure, integrate(figure, start[rows], found), end[rows]), 0, atol=1e-12)


def truth(rate):
    figure = every_joint()
    return figure, waving(figure, rate=rate)


def test_samples_stay_and_velocities_are_derivatives():
    figure, motion = truth(50.0)
    same = sample(figure, motion, motion.time)
    np.testing.assert_allclose(difference(figure, same.q, motion.q), 0, atol=1e-14)
    np.testing.assert_allclose(same.v, motion.v, atol=1e-12)
    h = 1e-6
    times = np.linspace(motion.time[0] + h, motion.time[-1] - h, 500)
    around = [sample(figure, motion, times + s * h).q for s in (-1, 1)]
    np.testing.assert_allclose(
        sample(figure, motion, times).v, difference(figure, around[0], around[1]) / (2 * h), atol=1e-7
    )


def test_better_than_straight_lines():
    """Third order and more: half the step, an eighth of the error at most; velocities without steps."""
    errors = []
    for rate in (25.0, 50.0):
        figure, motion = truth(rate)
        fine = waving(figure, rate=400.0)
        found = sample(figure, motion, fine.time)
        errors.append(np.abs(difference(figure, found.q, fine.q)).max())
        straight = resampled(figure, motion, fine.time)
        assert errors[-1] < 0.2 * np.abs(difference(figure, straight.q, fine.q)).max()
        inner = slice(20, -20)
        steps = [np.abs(np.diff(velocities_of(figure, fine.time, m.q), axis=0))[inner].max() for m in (found, straight)]
        assert steps[0] < 0.5 * steps[1]
    assert errors[0] / errors[1] > 7


def test_channels_and_whole_rates():
    figure, motion = truth(50.0)
    other = resample(figure, motion, 120.0)
    np.testing.assert_allclose(np.diff(other.time), 1 / 120, atol=1e-12)
    assert motion.time[-1] - 1 / 120 < other.time[-1] <= motion.time[-1]
    np.testing.assert_allclose(other["load"], np.sin(other.time), atol=1e-4)
    assert set(other["step"]) == set(range(len(motion)))
    assert other.figure_name == figure.name


def test_ranges_are_kept_between_samples():
    """A knee that stops at its limit does not swing through it."""
    figure = human28()
    time = np.arange(12) / 30
    q = np.repeat(figure.neutral()[None], 12, axis=0)
    knee = figure.q_slice("knee_left")
    q[:, knee] = np.maximum(0.8 - 0.2 * np.arange(12), 0.0)[:, None]
    motion = Trajectory(time, q, velocities_of(figure, time, q))
    fine = resample(figure, motion, 600.0)
    assert fine.q[:, knee].min() == 0.0
    assert (fine.v[fine.q[:, knee][:, 0] == 0.0, figure.v_slice("knee_left")] <= 0).all()


def test_bad_input():
    figure, motion = truth(50.0)
    with pytest.raises(ArgumentError, match=r"0.5 to 2.5 s"):
        sample(figure, motion, [0.0, 1.0])
    with pytest.raises(ArgumentError, match="strictly rising"):
        sample(figure, motion, [1.0, 1.0])
    with pytest.raises(ArgumentError, match="strictly rising"):
        sample(figure, motion, [1.0, np.nan])
    with pytest.raises(ArgumentError, match="2 samples or more"):
        sample(figure, Trajectory([0.0], motion.q[:1], motion.v[:1]), [0.0])
    with pytest.raises(ArgumentError, match="needs 43"):
        sample(human28(), motion, [1.0])
    with pytest.raises(ArgumentError, match="has norm 2"):
        sample(figure, Trajectory(motion.time, motion.q * 2, motion.v), [1.0])
    for bad in (0.0, -3.0, np.nan, "fast"):
        with pytest.raises(ArgumentError, match="rate"):
            resample(figure, motion, bad)
    with pytest.raises(ArgumentError, match="longer than the motion"):
        resample(figure, motion, 0.1)
    with pytest.raises(ArgumentError, match="expected a Trajectory"):
        sample(figure, motion.q, [1.0])
