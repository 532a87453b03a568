"""Angles of a whole trial at once: minimum of a dense solver, better where markers tell badly, ranges kept."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from hitogata.capture import SmoothSettings, smooth_angles, solve_ik, spread_markers
from hitogata.dynamics import difference, integrate
from hitogata.errors import ArgumentError
from hitogata.files import MarkerData
from hitogata.library import pendulum, virtual_human
from hitogata.library.samples import sample_reach, sample_walk

RATE = 100.0


def trial_of(figure, markers, q, noise, seed=0, hidden=0.0):
    rng = np.random.default_rng(seed)
    places = markers.positions(figure, q) + rng.normal(0, noise, (len(q), len(markers.labels), 3))
    places[rng.random(places.shape[:2]) < hidden] = np.nan
    return MarkerData(markers.labels, np.arange(len(q)) / RATE, RATE, places)


def test_minimum_of_a_dense_solver():
    figure = pendulum()
    markers = spread_markers(figure, 3)
    q = 0.8 * np.sin(5 * np.arange(30) / RATE)[:, None]
    trial = trial_of(figure, markers, q, 0.01)
    raw = solve_ik(figure, markers, trial)
    found = smooth_angles(raw, trial, settings=SmoothSettings(turning=20.0, iterations=20, tolerance=1e-9))

    def misses(x):
        off = (markers.positions(figure, x[:, None]) - trial.positions).ravel() / raw.sigma
        return np.concatenate([off, np.diff(x, 2) * RATE**2 / 20.0])

    best = least_squares(misses, raw.q[:, 0], xtol=1e-14, ftol=1e-14)
    np.testing.assert_allclose(found.q[:, 0], best.x, atol=1e-6)
    assert np.abs(found.q - q).mean() < 0.7 * np.abs(raw.q - q).mean()


def test_a_person_with_noise_and_hidden_markers():
    figure = virtual_human()
    markers, q = spread_markers(figure, 41), sample_walk(strides=1, rate=RATE).q
    trial = trial_of(figure, markers, q, 0.003, hidden=0.1)
    raw = solve_ik(figure, markers, trial)
    found = smooth_angles(raw, trial)
    rms = [np.sqrt((difference(figure, each.q, q)[:, 6:] ** 2).mean()) for each in (raw, found)]
    assert rms[1] < 0.6 * rms[0]
    for link, iq in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.is_ball and link.joint.range is not None:
            inside = link.joint.range.clamp(found.q[:, iq : iq + 4])
            assert np.abs(np.abs((inside * found.q[:, iq : iq + 4]).sum(axis=1)) - 1).max() < 1e-9


def test_exact_markers_are_kept_and_time_may_jump():
    figure = virtual_human()
    markers, q = spread_markers(figure, 41), sample_reach(rate=RATE).q[20:60]
    trial = trial_of(figure, markers, q, 0.0)
    found = smooth_angles(solve_ik(figure, markers, trial), trial)
    assert np.abs(difference(figure, found.q, q)).max() < 0.01
    turned = q.copy()
    turned[20:] = integrate(figure, q[20:], np.eye(figure.nv)[5] * 0.5 + np.zeros((20, figure.nv)))
    time = np.r_[np.arange(20), np.arange(20) + 200] / RATE
    jumped = MarkerData(markers.labels, time, RATE, trial_of(figure, markers, turned, 0.001).positions)
    found = smooth_angles(solve_ik(figure, markers, jumped), jumped)
    assert np.abs(difference(figure, found.q, turned)[:, 3:6]).max() < 0.002


def test_bad_input():
    with pytest.raises(ArgumentError, match="turning"):
        SmoothSettings(turning=0.0)
    figure = virtual_human()
    markers, q = spread_markers(figure, 41), sample_walk(strides=1, rate=RATE).q[:8]
    trial = trial_of(figure, markers, q, 0.0)
    with pytest.raises(ArgumentError, match="8 frames, the angles have 5"):
        smooth_angles(solve_ik(figure, markers, trial.positions[:5]), trial)
