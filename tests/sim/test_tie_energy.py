"""Springs, ropes and holds feed nothing, at any step: whirling, overstretched, held by a corner; nor do they lose where
steps can follow.

The oracle is the energy of the start: kinetic, of the velocities of bodies, and potential, by where ends are.
"""

import numpy as np
import pytest

from benchmarks.fuzz import energy_gain
from benchmarks.scenes.random_worlds import passive_world
from hitogata.figure import Box, FigureBuilder, MassProperties, Pose, Sphere, State, joint
from hitogata.sim import World, hold

STEPS = [1 / 240, 1 / 60, 0.1]


def test_energy_of_a_hold_is_by_its_points():
    """A hold that carries nothing has no energy, wherever its points are on its links."""
    world = World()
    a, b = (world.add_body(Sphere(0.1), mass=1.0, pose=Pose((x, 0, 0)), name=f"b{x}") for x in (0, 1))
    hold((a, "b0"), (b, "b1"))
    assert world.energy().ties == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("h", STEPS)
def test_a_ball_that_whirls_on_a_rope(h):
    """Fast, and on a short rope: up to 60 rad within a step.  It never comes to fly faster, nor far."""
    world = World(gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(Sphere(0.05), mass=1.0, pose=Pose((0.2, 0, 0)))
    ball.state = State(ball.q, np.array([0, 0, 0, 0, 120.0, 0]))
    world.add_rope((ball, "body"), (0.0, 0.0, 0.0), length=0.2, stiffness=1e6, damping=0.0)
    for _ in range(60):
        world.step(h)
        assert np.linalg.norm(ball.v[3:]) < 120.0 * (1 + 1e-3)
        assert np.linalg.norm(ball.q[:3]) < 1.5


@pytest.mark.parametrize("h", STEPS)
def test_a_body_that_spins_about_where_it_is_held(h):
    """By one point at its corner, which nobody foresees on its curve: never more energy than at the start."""
    world = World(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Box((0.2, 0.05, 0.05)), mass=1.0)
    body.state = State(body.q, np.array([0, 0, 10.0, 0, 2.0, 0]))
    world.add_spring((body, "body", (-0.2, 0, 0)), (-0.2, 0, 0), stiffness=1e6, damping=0.0)
    start = world.energy().total
    for _ in range(round(5 / h)):
        world.step(h)
        assert world.energy().total < start * (1 + 3e-3)


def test_a_soft_spring_between_spinning_bodies_is_left_alone():
    """Momentum is kept, and what the damper of a step costs, of first order, is all that is lost."""
    left = []
    for h in (1 / 240, 1 / 960, 1 / 3840):
        world = World(gravity=(0.0, 0.0, 0.0))
        a, b = (world.add_body(Box((0.2, 0.1, 0.05)), mass=1.0, pose=Pose((x, 0, 0)), name=f"b{x}") for x in (0, 1))
        a.state = State(a.q, np.array([0.5, 0, 3.0, 0, 0.5, 0]))
        ends = (a, "b0", (0.2, 0.1, 0)), (b, "b1", (-0.2, 0, 0))
        world.add_spring(*ends, stiffness=20.0, damping=1e-6, touching=False)
        start = world.energy().total
        world.step(h, steps=round(2 / h))
        momentum = a.v[3:] @ [0, 1, 0] + b.v[3:] @ [0, 1, 0]
        left.append(world.energy().total / start)
        assert momentum == pytest.approx(0.5, abs=1e-9)
    assert 0.7 < left[0] < left[1] < left[2] < 1 + 1e-6
    assert 1 - left[2] < 0.35 * (1 - left[1]) < 0.35 * 0.35 * (1 - left[0])


@pytest.mark.parametrize("seed", [33, 59, 86, 1199, 1329])
def test_worlds_that_once_gained(seed):
    """Ropes of 1e6 N/m stretched by metres, trees hung on them, a light body held at arm's length, curves."""
    assert energy_gain(passive_world(seed), 4.0) < 0.01


@pytest.mark.parametrize("limit", [1.0, 1e9])
@pytest.mark.parametrize("h", STEPS[:2])
def test_a_slack_rope_changes_nothing(h, limit):
    """An arm that falls against a motor, at its effort limit or not, as without the rope, bit for bit."""
    ends = []
    for rope in (False, True):
        builder = FigureBuilder("arm")
        mass = MassProperties.principal(1.0, (1, 0, 0), (0.01, 0.01, 0.01))
        builder.add("arm", None, joint.hinge(axis=(0, 1, 0), effort_limit=limit), mass)
        world = World()
        arm = world.add(builder.build())
        arm.set_motor(1e3, 1.0)
        arm.set_target(np.array([-1.0]))
        if rope:
            world.add_rope((arm, "arm"), (0.0, 0.0, 0.0), length=100.0, stiffness=1e5, damping=0.0)
        world.step(h, steps=60)
        ends.append((arm.q[0], arm.v[0]))
    assert ends[0] == ends[1]
