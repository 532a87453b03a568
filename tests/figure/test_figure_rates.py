"""Velocities of sampled coordinates, and other sample times: against closed forms and the dynamics' own integration."""

import numpy as np
import pytest

from hitogata.dynamics import difference, integrate, link_velocities
from hitogata.errors import ArgumentError
from hitogata.figure import FigureBuilder, MassProperties, Pose, Trajectory, joint, resampled, velocities_of
from hitogata.figure.rates import changes, even_times
from hitogata.library import human28
from hitogata.spatial import quat_exp, quat_multiply

BODY = MassProperties.principal(1.0, (0, 0, 0), (0.1, 0.1, 0.1))


def everything():
    """A figure with a joint of each kind."""
    builder = FigureBuilder("everything")
    builder.add("root", None, joint.free(), BODY)
    turned = Pose((0.1, 0.2, 0.3), (0.5, 0.5, 0.5, 0.5))
    builder.add("ball", "root", joint.ball(parent_frame=turned, child_frame=turned), BODY)
    builder.add("hinge", "ball", joint.hinge(), BODY)
    builder.add("universal", "hinge", joint.universal(), BODY)
    builder.add("slider", "universal", joint.slider(), BODY)
    builder.add("fixed", "slider", joint.fixed(), BODY)
    return builder.build()


def moving(figure, time):
    """A smooth motion of every coordinate, and its velocities from differences of 1e-5 s, by the dynamics room."""
    rng = np.random.default_rng(5)
    rate, phase = rng.uniform(0.5, 2.0, figure.nv), rng.uniform(0, 6, figure.nv)
    start = figure.random(rng)

    def at(t):
        return np.array([integrate(figure, start, np.sin(rate * s + phase)) for s in t])

    h = 1e-5
    return at(time), difference(figure, at(time - h), at(time + h)) / (2 * h)


def test_changes_are_those_of_the_dynamics():
    figure, rng = everything(), np.random.default_rng(0)
    a, b = (np.array([figure.random(rng) for _ in range(20)]) for _ in range(2))
    np.testing.assert_allclose(changes(figure, a, b), difference(figure, a, b), atol=1e-12)


def test_second_order_everywhere():
    """Halving the steps quarters the error, at uneven times and at both ends."""
    figure = everything()
    errors = []
    for n in (200, 400):
        s = np.linspace(0, 1, n)
        time = 2 * s + 0.3 * np.sin(3 * s)
        q, v = moving(figure, time)
        errors.append(np.abs(velocities_of(figure, time, q) - v).max(axis=1))
    assert errors[1].max() < 2e-4
    for part in (slice(0, 1), slice(-1, None), slice(None)):
        assert errors[0][part].max() / errors[1][part].max() > 3.3


def test_a_steady_spin_is_exact_up_to_half_a_turn_per_sample():
    figure = everything()
    time = np.arange(6) * 0.1
    omega = np.array([10.0, -20.0, 15.0])  # 2.7 rad per sample
    q = np.repeat(figure.neutral()[None], 6, axis=0)
    q[:, figure.q_slice("ball")] = quat_multiply(quat_exp(time[:, None] * omega), quat_exp([0.3, 0.2, 0.1]))
    q[::2, figure.q_slice("ball")] *= -1  # the same rotations
    v = velocities_of(figure, time, q)
    np.testing.assert_allclose(v[:, figure.v_slice("ball")], np.tile(omega, (6, 1)), rtol=1e-12)


def test_they_are_the_links_velocities():
    """The velocities make the links move as their places do."""
    from hitogata.dynamics import forward_kinematics

    figure = human28()
    time = np.arange(400) * 1e-3
    q, _ = moving(figure, time)
    v = velocities_of(figure, time, q)
    places = forward_kinematics(figure, q).position
    moved = np.gradient(places, time, axis=0)[1:-1]
    np.testing.assert_allclose(link_velocities(figure, q, v)[1:-1, :, 3:], moved, atol=1e-4)


def test_few_samples():
    figure = everything()
    assert velocities_of(figure, [0.0], figure.neutral()[None]).tolist() == [[0.0] * figure.nv]
    assert velocities_of(figure, [], np.empty((0, figure.nq))).shape == (0, figure.nv)
    q = np.array([figure.random(np.random.default_rng(k)) for k in range(2)])
    v = velocities_of(figure, [0.0, 0.5], q)
    np.testing.assert_allclose(v, np.tile(changes(figure, q[0], q[1]) * 2, (2, 1)))
    with pytest.raises(ArgumentError, match="rising"):
        velocities_of(figure, [0.0, 0.0], q)
    with pytest.raises(ArgumentError, match="q: expected shape"):
        velocities_of(figure, [0.0], q)


def test_even_times():
    np.testing.assert_allclose(even_times(1.0, 2.0, 0.25), [1, 1.25, 1.5, 1.75, 2])
    np.testing.assert_allclose(even_times(1.0, 2.1, 0.25), [1, 1.25, 1.5, 1.75, 2])
    assert even_times(0.0, 3.0, 0.1)[-1] == 3.0  # not beyond, by rounding
    assert even_times(1.0, 2.0, 5.0).tolist() == [1.0]
    with pytest.raises(ArgumentError, match="5 s is longer than the motion, 1 s"):
        even_times(1.0, 2.0, 5.0, least=2)
    with pytest.raises(ArgumentError, match="1e-09 s would make 1e\\+09 samples"):
        even_times(1.0, 2.0, 1e-9)


def test_resampled():
    figure = everything()
    time = np.linspace(1.0, 3.0, 401)
    q, v = moving(figure, time)
    channels = {"force": np.sin(time), "phase": np.array(["a", "b"])[(time > 2).astype(int)]}
    motion = Trajectory(time, q, v, channels, "everything")
    new = np.linspace(1.0, 3.0, 1003)
    other = resampled(figure, motion, new)
    truth, rates = moving(figure, new)
    assert np.abs(difference(figure, other.q, truth)).max() < 2e-5
    assert np.abs(other.v - rates).max() < 1e-4
    np.testing.assert_allclose(other["force"], np.sin(new), atol=1e-5)
    assert other["phase"][0] == "a"
    assert other["phase"][-1] == "b"
    assert other.figure_name == "everything"
    same = resampled(figure, motion, time)
    np.testing.assert_allclose(same.q, q, atol=1e-15)
    np.testing.assert_array_equal(same["phase"], motion["phase"])
    with pytest.raises(ArgumentError, match="1 to 3 s"):
        resampled(figure, motion, [0.5, 2.0])
    assert len(resampled(figure, motion, [])) == 0
