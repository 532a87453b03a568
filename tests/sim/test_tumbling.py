"""Free flight at large steps: kinetic energy and momentum of tumbling figures and bodies."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import energy, momentum
from hitogata.figure import Box, Figure, FigureBuilder, State, joint
from hitogata.library import human28
from hitogata.sim import Settings, World


def bare_human() -> Figure:
    """human28 without shapes and limits: nothing in it may lose energy."""
    human = human28()
    links = [replace(link, shapes=(), joint=replace(link.joint, range=None)) for link in human.links]
    return Figure.from_links("bare human", links)


def box() -> Figure:
    builder = FigureBuilder("box")
    builder.add("box", None, joint.free(), shapes=[Box((0.1, 0.2, 0.3))], total_mass=5.0)
    return builder.build()


def fly(figure: Figure, v: np.ndarray, h: float, seconds: float, **settings: object):
    """Kinetic energy and momentum [about the centre of mass; linear] after each step."""
    world = World(gravity=(0.0, 0.0, 0.0), settings=Settings(longest_fast_step=np.inf, **settings))
    member = world.add(figure, State(figure.neutral(), v))
    kinetic, momenta = [], []
    for _ in range(round(seconds / h)):
        world.step(h)
        kinetic.append(energy(figure, member.q, member.v).kinetic)
        momenta.append(momentum(figure, member.q, member.v))
    return np.array(kinetic), np.array(momenta)


def throw(figure: Figure, spin: list[float], limbs: float) -> np.ndarray:
    loose = limbs * np.random.default_rng(1).normal(size=figure.nv - 6)
    return np.concatenate([spin, [0.5, -0.2, 0.3], loose])


@pytest.mark.parametrize("h", [1 / 60, 1 / 240])
@pytest.mark.parametrize(("spin", "limbs"), [([0.3, 2.0, 0.6], 0.5), ([1.0, 6.0, 2.0], 2.0), ([1.0, 6.0, 2.0], 0.0)])
def test_tumbling_figure_keeps_kinetic_energy_and_linear_momentum(spin, limbs, h):
    figure = bare_human()
    v = throw(figure, spin, limbs)
    kinetic, momenta = fly(figure, v, h, 5.0)
    start = energy(figure, figure.neutral(), v).kinetic
    assert np.abs(kinetic / start - 1).max() < 0.05
    linear = momentum(figure, figure.neutral(), v)[3:]
    np.testing.assert_allclose(momenta[:, 3:], np.tile(linear, (len(momenta), 1)), atol=1e-10 * np.abs(linear).max())


def test_without_keeping_most_of_the_energy_is_lost():
    figure = bare_human()
    v = throw(figure, [1.0, 6.0, 2.0], 2.0)
    kinetic, _ = fly(figure, v, 1 / 60, 5.0, keep_energy=False)
    assert kinetic[-1] < 0.5 * kinetic[0]
    assert np.diff(kinetic).max() < 1e-3 * kinetic[0]  # but it hardly grows


def test_angular_momentum_does_not_wander():
    figure = bare_human()
    v = throw(figure, [1.0, 6.0, 2.0], 2.0)
    v[3:6] = 0.0
    start = momentum(figure, figure.neutral(), v)[:3]
    for h in (1 / 60, 1 / 240):
        _, momenta = fly(figure, v, h, 5.0)
        assert np.linalg.norm(momenta[:, :3] - start, axis=1).max() < 0.01 * np.linalg.norm(start)
    plain = fly(figure, v, 1 / 60, 5.0, keep_energy=False)[1]
    assert np.linalg.norm(plain[-1, :3] - start) > 0.3 * np.linalg.norm(start)


@pytest.mark.parametrize("spin", [[5, 0.1, 0.1], [0.1, 5, 0.1], [0.1, 0.1, 5], [3, 3, 3], [0.1, 10, 0.1]])
def test_tumbling_box_keeps_its_energy(spin):
    """The second starts near the unstable axis, and turns over again and again."""
    figure = box()
    v = np.array([*spin, 0.0, 0.0, 0.0])
    kinetic, _ = fly(figure, v, 1 / 60, 10.0)
    assert np.abs(kinetic / energy(figure, figure.neutral(), v).kinetic - 1).max() < 0.01
