"""What free flight keeps: energy and momentum; and the order of the integrators."""

import numpy as np
import pytest

from hitogata.dynamics import GRAVITY, Integrator, difference, energy, momentum, step
from hitogata.figure import JointKind, State
from hitogata.library import chain, human28

RK4 = Integrator.RUNGE_KUTTA_4


def thrown(seed):
    """A throw: a somersault of 2 rad/s, limbs loose at 0.5 rad/s."""
    figure, rng = human28(), np.random.default_rng(seed)
    v = np.concatenate([[0.3, 2.0, 0.6], [1.0, 0.0, 5.0], 0.5 * rng.normal(size=28)])
    return figure, State(figure.neutral(), v)


@pytest.mark.parametrize("seed", range(3))
def test_ten_seconds_keep_energy_and_momentum(seed):
    figure, start = thrown(seed)
    end = step(figure, start, 1e-3, steps=10_000, integrator=RK4)
    before, after = energy(figure, start.q, start.v), energy(figure, end.q, end.v)
    assert abs(after.total - before.total) / before.kinetic < 1e-8
    p0, p1 = momentum(figure, start.q, start.v), momentum(figure, end.q, end.v)
    p1[3:] -= figure.mass * np.array(GRAVITY) * 10.0
    for part in (slice(0, 3), slice(3, 6)):
        assert np.linalg.norm(p1[part] - p0[part]) / np.linalg.norm(p0[part]) < 1e-10


@pytest.mark.parametrize(
    ("kind", "free_base"),
    [
        (kind, free)
        for kind in (JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL)
        for free in (True, False)
        if free or kind is not JointKind.SLIDER  # sliders alone, hung up, move uniformly: any method is exact
    ],
)
@pytest.mark.parametrize(("integrator", "order"), [(RK4, 4), (Integrator.SEMI_IMPLICIT_EULER, 1)])
def test_order(kind, free_base, integrator, order):
    figure, rng = chain(3, kind=kind, free_base=free_base), np.random.default_rng(4)
    start = State(figure.random(rng, spread=0.1), 0.5 * rng.normal(size=figure.nv))
    truth = step(figure, start, 0.2 / 4096, steps=4096, integrator=RK4)
    coarse, fine = (
        np.abs(difference(figure, truth.q, step(figure, start, 0.2 / n, steps=n, integrator=integrator).q)).max()
        for n in (16, 32)
    )
    assert 2 ** (order - 0.35) < coarse / fine < 2 ** (order + 0.5)


def test_semi_implicit_euler_neither_gains_nor_loses_in_the_long_run():
    figure = chain(1)
    state = State(np.array([1.0]), np.zeros(1))
    start = energy(figure, state.q, state.v).total
    drifts = []
    for _ in range(200):
        state = step(figure, state, 0.01, steps=50)
        drifts.append(float(energy(figure, state.q, state.v).total - start))
    swing = 9.81 * 0.1 * (1 - np.cos(1.0))
    assert np.abs(drifts).max() < 0.1 * swing
    assert abs(np.mean(drifts[100:]) - np.mean(drifts[:100])) < 0.01 * swing
