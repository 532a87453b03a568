"""Closed forms of the scenes against equations of motion that are integrated step by step."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from benchmarks.scenes import exact
from benchmarks.scenes.mujoco_run import rotate

G = 9.81
PRECISE = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13}


def cross_matrix(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@pytest.mark.parametrize("e", [0.5, 0.9, 1.0])
def test_bounces(e):
    t, height, times, heights = 0.0, 2.0, [], []
    for _ in range(4):
        speed = math.sqrt(2 * G * height)
        t += speed / G
        times.append(t)
        t, height = t + e * speed / G, (e * speed) ** 2 / (2 * G)
        heights.append(height)
    np.testing.assert_allclose(exact.bounce_times(2.0, e, G, 4), times, rtol=1e-12)
    np.testing.assert_allclose(exact.bounce_heights(2.0, e, 4), heights, rtol=1e-12)


@pytest.mark.parametrize("spin", [(0.05, 6.0, 0.05), (0.3, 4.0, 2.0), (3.0, 2.0, 0.1)])
def test_period_of_a_free_body(spin):
    inertia = np.array([0.002, 0.004, 0.005])
    rate = lambda _, w: np.cross(inertia * w, w) / inertia
    period = exact.tumbling_period(inertia, spin)
    after = solve_ivp(rate, (0, period), spin, **PRECISE).y[:, -1]
    half = solve_ivp(rate, (0, period / 2), spin, **PRECISE).y[:, -1]
    np.testing.assert_allclose(after, spin, atol=1e-6 * np.linalg.norm(spin))
    assert np.abs(half - spin).max() > 0.1


def test_heavy_top():
    mass, arm, across, along, tilt, spin = 0.5, 0.06, 2.1e-3, 4e-4, 0.4, 120.0
    inertia, t = np.diag([across, across, along]), np.linspace(0, 2, 50)

    def rate(_, y):  # quaternion and angular velocity, both of the body
        quat, w = y[:4], y[4:]
        down = rotate(quat[None], np.array([[0, 0, -mass * G]]), back=True)[0]
        spun = np.linalg.solve(inertia, np.cross((0, 0, arm), down) - np.cross(w, inertia @ w))
        turned = 0.5 * np.array([-quat[1:] @ w, *(quat[0] * w + np.cross(quat[1:], w))])
        return np.concatenate([turned, spun])

    start = [math.cos(tilt / 2), 0, math.sin(tilt / 2), 0, 0, 0, spin]
    y = solve_ivp(rate, (0, 2), start, t_eval=t, **PRECISE).y
    true = np.arccos(1 - 2 * (y[1] ** 2 + y[2] ** 2))
    assert np.ptp(true) > 0.01
    np.testing.assert_allclose(exact.top_tilt(mass, arm, (across, along), tilt, spin, t, G), true, atol=1e-7)


@pytest.mark.parametrize(("half", "angle"), [(0.0, 0.5), (0.0065, 0.52), (0.01, 1.0)])
def test_disc_that_rolls_on_its_rim(half, angle):
    """A disc that rolls without slip, in space, keeps the angle at which its centre rests."""
    a, m = 0.0375, 0.44
    across, along = m * (a * a / 4 + half * half / 3), m * a * a / 2
    up = np.array([0, 0, 1.0])

    def rate(_, y):
        e, w = y[:3] / np.linalg.norm(y[:3]), y[3:]
        e_rate = np.cross(w, e)
        slope, slope_rate = up - e * e[2], -e_rate * e[2] - e * e_rate[2]
        length = np.linalg.norm(slope)
        u = slope / length
        u_rate = slope_rate / length - u * (u @ slope_rate) / length
        r, r_rate = -(a * u + half * e), -(a * u_rate + half * e_rate)
        # velocity of the centre is r x ω, friction and normal force are what accelerates it
        mass = across * np.eye(3) + (along - across) * np.outer(e, e) - m * cross_matrix(r) @ cross_matrix(r)
        turn = (along - across) * (e_rate * (e @ w) + e * (e_rate @ w))
        return np.concatenate([e_rate, np.linalg.solve(mass, np.cross(r, m * (np.cross(r_rate, w) + G * up)) - turn)])

    spin, own = exact.rolling_disc_rate(a, half, m, (across, along), angle, G)
    axis, slope = np.array([math.sin(angle), 0, math.cos(angle)]), np.array([-math.cos(angle), 0, math.sin(angle)])
    start = np.concatenate([axis, spin * math.sin(angle) * slope + own * axis])
    y = solve_ivp(rate, (0, 1), start, **PRECISE).y
    np.testing.assert_allclose(np.arccos(y[2]), angle, atol=1e-6)
    faster = solve_ivp(rate, (0, 1), [*axis, *(1.2 * start[3:])], **PRECISE).y
    assert np.ptp(np.arccos(faster[2])) > 0.01
    if half == 0:
        assert spin == pytest.approx(math.sqrt(4 * G / (a * math.sin(angle))))


def test_no_force_at_the_floor_changes_jelletts_integral():
    rng, radius, offset = np.random.default_rng(0), 0.02, 0.003
    across, along, forces = 2.4e-6, 2.0e-6, rng.normal(scale=0.1, size=(3, 3))

    def rate(t, y):  # axis and angular momentum
        e, momentum = y[:3], y[3:]
        w = momentum / across + (1 / along - 1 / across) * e * (e @ momentum)
        force = forces[0] + forces[1] * math.sin(9 * t) + forces[2] * math.cos(17 * t)
        return np.concatenate([np.cross(w, e), np.cross(offset * e - radius * np.array([0, 0, 1]), force)])

    start = [0.6, 0.0, 0.8, 1e-4, 0.0, 4e-4]
    y = solve_ivp(rate, (0, 1), start, t_eval=np.linspace(0, 1, 20), **PRECISE).y.T
    spin = y[:, 3:] / across + (1 / along - 1 / across) * y[:, :3] * np.sum(y[:, :3] * y[:, 3:], axis=1)[:, None]
    integral = exact.jellett((across, along), y[:, :3], spin, radius, offset)
    assert np.ptp(y[:, 5]) > 1e-5
    np.testing.assert_allclose(integral, integral[0], rtol=1e-8)


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.8])
def test_restitution_of_spring_and_damper(ratio):
    force = lambda _, y: y[0] + 2 * ratio * y[1]  # x > 0 is depth; over when the force would pull
    force.terminal, force.direction = True, -1
    y = solve_ivp(lambda _, y: [y[1], -force(0, y)], (0, 20), [0.0, 1.0], events=force, **PRECISE).y
    e = -y[1, -1]
    assert exact.dashpot_restitution(ratio) == pytest.approx(e, abs=1e-8)
    assert exact.dashpot_ratio(exact.dashpot_restitution(ratio)) == pytest.approx(ratio, abs=1e-9)


def test_blocks():
    speed = way = 0.0
    for _ in range(100000):
        speed += 1e-5 * G * (math.sin(0.5) - 0.5 * math.cos(0.5))
        way += 1e-5 * speed
    assert exact.slide_down(0.5, 0.5, G, 1.0) == pytest.approx(way, rel=1e-4)
    assert exact.slide_down(0.4, 0.5, G, 1.0) == 0.0
    assert exact.stopping_distance(3.0, 0.5, G) * 0.5 * G == pytest.approx(3.0**2 / 2)
