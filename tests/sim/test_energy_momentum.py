"""Bodies along their curves: energy, momentum and order of what nothing touches, beside other integrators."""

import math

import numpy as np
import pytest
from scipy.special import ellipk

from hitogata.dynamics import Integrator, difference, energy, integrate, momentum, step
from hitogata.figure import FigureBuilder, JointKind, MassProperties, State, joint
from hitogata.library import chain
from hitogata.sim import Settings, World
from hitogata.spatial import quat_conjugate, quat_rotate


def total(figure, member):
    found = energy(figure, member.q, member.v)
    return float(found.kinetic + found.potential)


def lowest(figure):
    """Potential energy of a chain that hangs straight down."""
    return float(energy(figure, figure.neutral(), np.zeros(figure.nv)).potential)


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 1 / 30, 0.1])
@pytest.mark.parametrize("links", [1, 3, 8])
def test_hung_chains_never_gain(links, h):
    """For a minute, from starts in which links turn at up to 40 rad/s."""
    figure, rng = chain(links, kind=JointKind.BALL), np.random.default_rng(links)
    world = World()
    member = world.add(figure, State(figure.neutral(), 2.0 * rng.normal(size=figure.nv)), mask=0)
    start = total(figure, member)
    above = start - lowest(figure)
    most = start
    for _ in range(60):
        world.step(h, steps=round(1.0 / h))
        most = max(most, total(figure, member))
    assert most - start < 0.01 * above


@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize("kind", [JointKind.BALL, JointKind.HINGE])
def test_second_order(kind, free_base):
    figure, rng = chain(3, kind=kind, free_base=free_base), np.random.default_rng(7)
    start = State(integrate(figure, figure.neutral(), 0.2 * rng.normal(size=figure.nv)), rng.normal(size=figure.nv))
    truth = step(figure, start, 2e-4, steps=2000, integrator=Integrator.RUNGE_KUTTA_4)
    errors = []
    for h in (1 / 50, 1 / 100, 1 / 200):
        world = World(settings=Settings(longest_fast_step=math.inf))
        member = world.add(figure, start, mask=0)
        world.step(h, steps=round(0.4 / h))
        errors.append((np.abs(difference(figure, truth.q, member.q)).max(), np.abs(member.v - truth.v).max()))
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert ratios.min() > 3.0  # 4: half the step, a quarter of the error
    assert errors[-1][0] < 1e-3


def test_heavy_top():
    """Half a kilogram at 120 rad/s; tilt after 5 s beside a fourth-order integrator at a tenth of the step."""
    builder = FigureBuilder("top")
    builder.add("top", None, joint.ball(), MassProperties.principal(0.5, (0, 0, 0.06), (3e-4, 3e-4, 4e-4)))
    figure = builder.build()
    start = State(np.array([math.cos(0.2), 0, math.sin(0.2), 0]), 120 * np.array([math.sin(0.4), 0, math.cos(0.4)]))
    truth = step(figure, start, 1e-4, steps=50000, integrator=Integrator.RUNGE_KUTTA_4)
    world = World()
    member = world.add(figure, start)
    before = total(figure, member)
    world.step(1e-3, steps=5000)
    assert tilt(member.q) == pytest.approx(tilt(truth.q), abs=0.5)
    assert total(figure, member) == pytest.approx(before, rel=1e-3)


def tilt(q):
    return math.degrees(math.acos(1 - 2 * (q[1] ** 2 + q[2] ** 2)))


@pytest.mark.parametrize("aside", [0.1, 1e-3, 1e-5])
@pytest.mark.parametrize("speed", [3.0, 10.0])
def test_tennis_racket_turns_over_in_time(aside, speed):
    """About the axis of middle inertia; half a period from Jacobi's elliptic functions (Landau & Lifshitz, § 37)."""
    i1, i2, i3 = 1e-3, 2e-3, 3e-3
    builder = FigureBuilder("racket")
    builder.add("racket", None, joint.free(), MassProperties.principal(0.3, (0, 0, 0), (i1, i2, i3)))
    figure = builder.build()
    spin = np.array([aside * speed, speed, 0.0])
    twice, square = np.array([i1, i2, i3]) @ spin**2, (np.array([i1, i2, i3]) ** 2) @ spin**2
    inner, outer = (twice * i3 - square), (square - twice * i1)
    if square > twice * i2:
        rate, modulus = (i3 - i2) * outer, (i2 - i1) * inner / ((i3 - i2) * outer)
    else:
        rate, modulus = (i2 - i1) * inner, (i3 - i2) * outer / ((i2 - i1) * inner)
    half = 2.0 * ellipk(modulus) * math.sqrt(i1 * i2 * i3 / rate)
    world, h = World(gravity=(0, 0, 0)), 1 / 60
    member = world.add(figure, State(figure.neutral(), np.concatenate([spin, np.zeros(3)])))
    times, last, before = [], 1.0, 1.0
    while len(times) < 4 and world.time < 8.0 * half:
        world.step(h)
        now = quat_rotate(quat_conjugate(member.q[3:]), member.v[:3])[1]
        if now * last < 0:
            times.append(world.time - h * abs(now) / (abs(now) + abs(before)))
            last = now
        before = now
    assert np.diff(times) == pytest.approx(half, rel=5e-3)


@pytest.mark.parametrize("h", [1 / 240, 1 / 60])
def test_free_chain_keeps_momentum_and_energy(h):
    figure, rng = chain(5, kind=JointKind.BALL, free_base=True), np.random.default_rng(3)
    world = World(gravity=(0, 0, 0))
    member = world.add(figure, State(figure.neutral(), rng.normal(size=figure.nv)), mask=0)
    start, brought = momentum(figure, member.q, member.v), energy(figure, member.q, member.v).kinetic
    world.step(h, steps=round(5.0 / h))
    now = momentum(figure, member.q, member.v)
    np.testing.assert_allclose(now[3:], start[3:], atol=1e-11 * np.abs(start).max())
    np.testing.assert_allclose(now[:3], start[:3], atol=2e-2 * np.abs(start[:3]).max())
    assert energy(figure, member.q, member.v).kinetic == pytest.approx(brought, rel=3e-3)


def test_throw_is_a_parabola():
    """Bodies in the air move exactly, at any step, also with their centre beside their origin."""
    builder = FigureBuilder("stick")
    builder.add("stick", None, joint.free(), MassProperties.principal(0.3, (0.2, 0, 0), (1e-3, 2e-3, 2e-3)))
    figure = builder.build()
    for h in (1e-3, 1 / 60, 0.1):
        world = World()
        member = world.add(figure, State(figure.neutral(), np.array([0, 0, 0, 1.0, 0.0, 5.0])))
        world.step(h, steps=round(0.8 / h))
        t = world.time
        np.testing.assert_allclose(member.q[:3], [t, 0, 5 * t - 0.5 * 9.81 * t * t], atol=1e-10)
        np.testing.assert_allclose(member.v[3:], [1, 0, 5 - 9.81 * t], atol=1e-10)
