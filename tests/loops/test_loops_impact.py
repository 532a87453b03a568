"""Impact: momentum balance, energy, restitution."""

import numpy as np
import pytest

from hitogata.dynamics import energy, mass_matrix, momentum
from hitogata.figure import FigureBuilder, Pose, Sphere, State, joint
from hitogata.library import human28
from hitogata.loops import Links, Turning, VirtualLink, impact, link_rows
from tests.loops.cases import random_loops


def floor(child, *, point=(0, 0, 0)):
    """A point that cannot go on downwards."""
    return VirtualLink(child, child_pose=Pose(point), slides=(True, True, False), turning=Turning.FREE)


def kinetic(figure, state):
    return energy(figure, state.q, state.v).kinetic


@pytest.mark.parametrize("seed", range(12))
def test_momentum_balance_and_energy(seed):
    figure, links, q, _ = random_loops(seed)
    rng = np.random.default_rng(seed)
    state = State(q, rng.normal(size=figure.nv) * 3)
    before, rows = kinetic(figure, state), link_rows(links, q, state.v)
    for e in (0.0, 0.4, 1.0):
        after = impact(links, state, restitution=e)
        change = mass_matrix(figure, q) @ (after.state.v - state.v)
        np.testing.assert_allclose(change, rows.jacobian.T @ after.impulses, atol=1e-9 * (1 + np.abs(change).max()))
        np.testing.assert_allclose(rows.jacobian @ after.state.v, -e * rows.rate, atol=1e-8)
        assert kinetic(figure, after.state) <= before * (1 + 1e-12)
        assert after.bounce == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_array_equal(after.state.q, q)
    assert kinetic(figure, after.state) == pytest.approx(before, rel=1e-10)


@pytest.mark.parametrize("seed", range(40))
def test_energy_never_grows_whatever_the_restitutions(seed):
    figure, links, q, _ = random_loops(seed, loops=3)
    rng = np.random.default_rng(seed)
    state = State(q, rng.normal(size=figure.nv) * 3)
    after = impact(links, state, restitution=rng.choice([0.0, 0.5, 1.0], links.rows))
    assert kinetic(figure, after.state) <= kinetic(figure, state) * (1 + 1e-10)
    assert 0 < after.bounce <= 1


def test_newtons_law_alone_would_gain_energy_somewhere():
    """So the reduction is not idle."""
    kept = []
    for seed in range(40):
        figure, links, q, _ = random_loops(seed, loops=3)
        rng = np.random.default_rng(seed)
        state = State(q, rng.normal(size=figure.nv) * 3)
        kept.append(impact(links, state, restitution=rng.choice([0.0, 1.0], links.rows)).bounce)
    assert min(kept) < 0.999


def test_a_ball_bounces_as_high():
    b = FigureBuilder("ball")
    b.add("ball", None, joint.free(), shapes=[Sphere(0.1)], total_mass=2.0)
    figure = b.build()
    q = figure.neutral()
    q[2] = 0.1
    state = State(q, np.array([1.0, 2, 3, 0.5, -0.4, -3.0]))
    links, handle = Links(figure).add(floor("ball", point=(0, 0, -0.1)))
    full = impact(links, state, restitution=1.0)
    np.testing.assert_allclose(full.state.v, [1, 2, 3, 0.5, -0.4, 3.0], atol=1e-14)
    np.testing.assert_allclose(full.wrench(handle)[3:], [0, 0, 12.0], atol=1e-13)
    assert kinetic(figure, full.state) == pytest.approx(kinetic(figure, state), rel=1e-14)
    dead = impact(links, state)
    np.testing.assert_allclose(dead.state.v, [1, 2, 3, 0.5, -0.4, 0.0], atol=1e-14)


def test_a_foot_bounces_and_the_body_takes_the_impulse():
    figure = human28()
    rng = np.random.default_rng(5)
    state = State(figure.neutral(), rng.normal(size=figure.nv) * 0.3 + np.eye(figure.nv)[5] * -2.0)
    links, handle = Links(figure).add(floor("sole_left"))
    after = impact(links, state, restitution={handle: 1.0})
    before_rate, after_rate = (link_rows(links, s.q, s.v).rate[0] for s in (state, after.state))
    assert before_rate < -1.0
    assert after_rate == pytest.approx(-before_rate, abs=1e-11)
    assert kinetic(figure, after.state) == pytest.approx(kinetic(figure, state), rel=1e-12)
    pushed = momentum(figure, state.q, after.state.v)[3:] - momentum(figure, state.q, state.v)[3:]
    np.testing.assert_allclose(pushed, after.wrench(handle)[3:], atol=1e-11)
    assert after.wrench(handle)[5] > 0


def test_gaining_a_hold_takes_energy_and_a_link_at_rest_none():
    figure, links, q, v = random_loops(0)
    state = State(q, v)  # does not move against the links
    after = impact(links, state, restitution=0.7)
    np.testing.assert_allclose(after.state.v, v, atol=1e-10)
    assert figure.nv == len(v)


