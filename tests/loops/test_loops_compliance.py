"""Compliant links: closed forms where the step resolves them, no gain of energy where it does not; their energy."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import Integrator, difference, energy, integrate
from hitogata.figure import Box, FigureBuilder, MassProperties, Pose, State, joint
from hitogata.loops import Links, constrained_dynamics, here, link_energy, link_rows, move, pin, rod, slide, weld
from hitogata.loops.contacts import ContactStage
from tests.loops.cases import random_loops
from tests.loops.mechanisms import bar


def block(mass=2.0):
    b = FigureBuilder("block")
    b.add("block", None, joint.free(), MassProperties.principal(mass, (0, 0, 0), (0.02, 0.03, 0.04)))
    return b.build()


def on_a_spring(stiffness, relaxation=0.0, **options):
    figure = block()
    links, handle = Links(figure).add(pin("block", compliance=1 / stiffness, relaxation=relaxation, **options))
    return figure, links, handle, State(figure.neutral(), np.zeros(6))


def test_an_oscillator_where_the_step_resolves_it():
    figure, links, _, start = on_a_spring(200.0)
    moved = move(links, start, 1e-2, steps=300)
    exact = -2.0 * 9.81 / 200.0 * (1 - np.cos(10.0 * moved.time))
    np.testing.assert_allclose(moved.q[:, 2], exact, atol=2e-5)
    total = energy(figure, moved.q, moved.v).total + link_energy(links, moved.q).sum(axis=1)
    assert np.abs(total - total[0]).max() < 1e-4


@pytest.mark.parametrize("method", [Integrator.SEMI_IMPLICIT_EULER, Integrator.RUNGE_KUTTA_4])
@pytest.mark.parametrize("relaxation", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("stiffness", 10.0 ** np.arange(3, 15))
def test_stable_at_any_stiffness(stiffness, relaxation, method):
    """k h²/m from 0.05 to 5e9: no gain, and it comes to hang at m g / k where it is damped."""
    figure, links, _, start = on_a_spring(stiffness, relaxation)
    moved = move(links, start, 1e-2, steps=500, integrator=method)
    stored = link_energy(links, moved.q).sum(axis=1)
    total = energy(figure, moved.q, moved.v).total + stored
    first = (2.0 * 9.81) ** 2 / stiffness  # what falling onto the spring may store
    slack = 0.25 if method is Integrator.SEMI_IMPLICIT_EULER else 1e-9  # Euler's energy swings within a period
    assert total.max() - total[0] <= slack * first + 1e-12
    if stiffness >= 1e5 and relaxation < 1.0:
        np.testing.assert_allclose(moved.q[-1, 2], -2.0 * 9.81 / stiffness, rtol=1e-6)


def test_a_stiff_link_is_a_rigid_one():
    """A double pendulum hung by a pin: as compliance goes to 0, the motion becomes that of the rigid pin."""
    b = FigureBuilder("two bars")
    b.add("upper", None, joint.free(), bar(0.4, 1.0))
    b.add("lower", "upper", joint.ball(parent_frame=Pose((0.4, 0, 0))), bar(0.3, 0.5))
    figure = b.build()
    start = State(figure.neutral(), np.zeros(figure.nv))
    rigid = move(Links(figure).add(pin("upper"))[0], start, 2e-3, steps=300)
    off = []
    for compliance in (1e-6, 1e-8, 1e-10):
        links, _ = Links(figure).add(pin("upper", compliance=compliance))
        moved = move(links, start, 2e-3, steps=300)
        off.append(np.abs(difference(figure, rigid.q[-1], moved.q[-1])).max())
        total = energy(figure, moved.q, moved.v).total + link_energy(links, moved.q).sum(axis=1)
        assert total.max() - total[0] < 1e-6
    assert off[0] > off[1] > off[2]
    assert off[2] < 1e-6


def test_many_links_that_are_resolved_alone_but_not_together():
    """Twelve springs with k h²/m = 0.5 each: explicit, they would gain without bound."""
    figure = block()
    links = Links(figure).add_all(*[pin("block", compliance=1e-4) for _ in range(12)])
    start = State(figure.neutral(), np.zeros(6))
    moved = move(links, start, 1e-2, steps=2000)
    total = energy(figure, moved.q, moved.v).total + link_energy(links, moved.q).sum(axis=1)
    assert total.max() <= total[0] + 1e-9
    np.testing.assert_allclose(moved.q[-1, 2], -2.0 * 9.81 / 12e4, rtol=1e-3)


def test_a_soft_link_beside_a_stiff_one_keeps_its_period():
    """A block on a stiff rail, pulled along it by a soft spring: x is the oscillator's."""
    figure = block()
    links = Links(figure).add_all(
        slide("block", axis=(1, 0, 0), compliance=1e-9),
        rod("block", length=1.0, parent_point=(-1, 0, 0), compliance=1 / 50.0),
    )
    q = figure.neutral()
    q[0] = 0.1
    moved = move(links, State(q, np.zeros(6)), 1e-2, steps=400, gravity=(0, 0, 0))
    np.testing.assert_allclose(moved.q[:, 0], 0.1 * np.cos(5.0 * moved.time), atol=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_link_energy_is_the_work_of_its_forces(seed):
    """Its gradient is minus the generalized force, by finite differences."""
    figure, links, q, _ = random_loops(seed, loops=3)
    soft = Links(figure, tuple((h, replace(k, compliance=0.01 * (n + 1))) for n, (h, k) in enumerate(links.links)))
    rng = np.random.default_rng(seed)
    q = integrate(figure, q, 0.05 * rng.normal(size=figure.nv))
    rows = link_rows(soft, q)
    forces = constrained_dynamics(soft, q, np.zeros(figure.nv)).forces
    steps = 1e-6 * np.eye(figure.nv)
    slope = [(link_energy(soft, integrate(figure, q, e)) - link_energy(soft, integrate(figure, q, -e))).sum() / 2e-6
             for e in steps]  # fmt: skip
    np.testing.assert_allclose(slope, -rows.jacobian.T @ forces, atol=1e-6 * (1 + np.abs(slope).max()))


def test_rigid_links_store_nothing_and_batches_are_their_states():
    figure, links, _, start = on_a_spring(100.0)
    links, _ = links.add(here(figure, start.q, weld("block")))
    many = np.array([integrate(figure, start.q, 0.1 * e) for e in np.eye(6)])
    stored = link_energy(links, many)
    assert stored.shape == (6, 2)
    for k in range(6):
        np.testing.assert_array_equal(link_energy(links, many[k]), stored[k])
    assert stored[:, links.handles.index(links.handles[0])].max() == 0.0
    assert stored.max() == pytest.approx(0.5 * 100 * 0.01)


@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e9, 1e12])
def test_in_a_stage_too(stiffness):
    """A box that hangs on a compliant pin, and touches nothing: it comes to rest at m g / k."""
    b = FigureBuilder("box")
    b.add("box", None, joint.free(), shapes=[Box((0.1, 0.1, 0.1))], total_mass=2.0)
    figure = b.build()
    q = figure.neutral()
    q[2] = 1.0
    links, handle = Links(figure).add(here(figure, q, weld("box", compliance=1 / stiffness, relaxation=0.02)))
    stage, state, level = ContactStage(links), State(q, np.zeros(6)), []
    for _ in range(100):
        step = stage.step(state, 1e-2, steps=5)
        state = step.state
        level.append(energy(figure, state.q, state.v).total + link_energy(links, state.q).sum())
    assert max(level) <= energy(figure, q, 0 * state.v).total + 1e-9
    assert 1.0 - state.q[2] == pytest.approx(2.0 * 9.81 / stiffness, rel=1e-3, abs=1e-14)
    np.testing.assert_allclose(step.wrench(handle)[3:], [0, 0, 2.0 * 9.81], atol=1e-3)
