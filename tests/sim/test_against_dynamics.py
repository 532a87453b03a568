"""Without contact and limits, small steps of a world follow the equations of motion."""

import numpy as np
import pytest

from hitogata.dynamics import Integrator, difference, integrate, step
from hitogata.figure import FigureBuilder, JointKind, MassProperties, State, joint
from hitogata.library import chain
from hitogata.sim import World


@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize("kind", [JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL])
def test_world_converges_to_the_equations_of_motion(kind, free_base):
    figure, rng = chain(3, kind=kind, free_base=free_base), np.random.default_rng(7)
    bent = integrate(figure, figure.neutral(), 0.2 * rng.normal(size=figure.nv))  # no link touches another
    start = State(bent, rng.normal(size=figure.nv))
    truth = step(figure, start, 1e-4, steps=3000, integrator=Integrator.RUNGE_KUTTA_4)
    errors = []
    for h in (1e-3, 5e-4):
        world = World()
        member = world.add(figure, start)
        world.step(h, steps=round(0.3 / h))
        errors.append(np.abs(difference(figure, truth.q, member.q)).max())
    assert errors[1] < 5e-3
    # first order: half the step, half the error; sliders hung up move uniformly, and are exact
    assert errors[1] < max(0.65 * errors[0], 1e-12)


def test_two_figures_do_not_feel_each_other():
    figure, rng = chain(3, kind=JointKind.BALL, free_base=True), np.random.default_rng(1)
    starts = [State(figure.random(rng, spread=0.1), rng.normal(size=figure.nv)) for _ in range(2)]
    for k, start in enumerate(starts):
        start.q[0] += 10.0 * k
    together, alone = World(), World()
    members = [together.add(figure, start) for start in starts]
    single = alone.add(figure, starts[1])
    together.step(0.01, steps=50)
    alone.step(0.01, steps=50)
    np.testing.assert_allclose(members[1].q, single.q, rtol=0, atol=1e-12)


def test_damping_and_armature_count():
    builder = FigureBuilder("wheel")
    mass = MassProperties.principal(1.0, (0, 0, 0), (0.2, 0.2, 0.3))
    builder.add("wheel", None, joint.hinge(damping=0.5, armature=0.7), mass)
    world = World()
    wheel = world.add(builder.build(), State(np.zeros(1), np.array([2.0])))
    world.step(1e-3, steps=1000)
    assert wheel.v[0] == pytest.approx(2.0 * np.exp(-0.5), rel=1e-3)
