"""Point masses in a world: the pendulum's closed form, the equations of motion, energy, contact."""

import numpy as np
import pytest
from scipy.special import ellipk

from hitogata.dynamics import Integrator, difference, step
from hitogata.figure import FigureBuilder, MassProperties, Pose, Sphere, State, joint
from hitogata.sim import World

POINT = MassProperties.point


def pendulum(length=0.7):
    builder = FigureBuilder("pendulum")
    builder.add("bob", None, joint.hinge(axis=(0, 1, 0)), POINT(2.0, (0, 0, -length)))
    return builder.build()


@pytest.mark.parametrize(("h", "tolerance"), [(1e-3, 2e-4), (1 / 240, 2e-3)])
def test_pendulum_period(h, tolerance):
    """T = 4 √(l/g) K(sin²(θ₀/2))."""
    world, start = World(), 1.2
    bob = world.add(pendulum(), State(np.array([start]), np.zeros(1)))
    crossings, before = [], start
    for k in range(round(8.0 / h)):
        world.step(h)
        now = float(bob.q[0])
        if before > 0 >= now:
            crossings.append((k + before / (before - now)) * h)
        before = now
    period = np.diff(crossings).mean()
    assert period == pytest.approx(4 * np.sqrt(0.7 / 9.81) * ellipk(np.sin(start / 2) ** 2), rel=tolerance)
    assert np.abs(bob.q).max() < start * 1.001


def linkage(radius=0.0):
    """A cart with a double pendulum, and a body with a weight on a ball joint; small spheres, or points."""

    def ball(mass, centre=(0.0, 0.0, 0.0)):
        return MassProperties.principal(mass, centre, (0.4 * mass * radius**2,) * 3)

    builder = FigureBuilder("linkage")
    builder.add("cart", None, joint.slider(axis=(1, 0, 0)), ball(1.5))
    builder.add("first", "cart", joint.hinge(axis=(0, 1, 0)), ball(1.0, (0, 0, -0.5)))
    builder.add(
        "second", "first", joint.hinge(axis=(0, 1, 0), parent_frame=Pose((0, 0, -0.5))), ball(0.7, (0, 0, -0.4))
    )
    body = MassProperties.principal(2.0, (0, 0, -0.2), (0.03, 0.04, 0.02))
    builder.add("body", "cart", joint.ball(parent_frame=Pose((0.3, 0.3, 0))), body)
    builder.add("weight", "body", joint.fixed(parent_frame=Pose((0, 0.1, -0.6))), ball(3.0))
    return builder.build()


def test_world_converges_to_the_equations_of_motion():
    figure, rng = linkage(), np.random.default_rng(2)
    start = State(figure.neutral(), rng.normal(size=figure.nv))
    truth = step(figure, start, 1e-4, steps=3000, integrator=Integrator.RUNGE_KUTTA_4)
    errors = []
    for h in (1e-3, 5e-4):
        world = World()
        member = world.add(figure, start)
        world.step(h, steps=round(0.3 / h))
        errors.append(np.abs(difference(figure, truth.q, member.q)).max())
    assert errors[1] < 5e-3
    assert errors[1] < max(0.65 * errors[0], 1e-12)


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 1 / 30])
def test_points_move_as_very_small_spheres(h):
    """Spheres of 1 mm differ by some 1e-6 of the inertia; those of 0.3 mm by a tenth of that."""
    ends = {}
    for radius in (0.0, 3e-4, 1e-3):
        figure, world = linkage(radius), World()
        member = world.add(figure, State(figure.neutral(), np.linspace(1.0, 3.0, figure.nv)))
        world.step(h, steps=round(1.0 / h))
        ends[radius] = member.v
    far, near = (np.abs(ends[r] - ends[0.0]).max() for r in (1e-3, 3e-4))
    assert far < 1e-4
    assert near < 0.2 * far + 1e-8


def test_a_point_mass_with_a_shape_comes_to_rest_on_the_ground():
    """Three sliders move it; its weight is what the ground gives."""
    builder = FigureBuilder("point")
    builder.add("x", None, joint.slider(axis=(1, 0, 0)), POINT(1e-3))
    builder.add("y", "x", joint.slider(axis=(0, 1, 0)), POINT(1e-3))
    builder.add("z", "y", joint.slider(axis=(0, 0, 1)), POINT(2.0), shapes=[Sphere(0.05)])
    world = World()
    world.add_ground()
    member = world.add(builder.build(), State(np.array([0.0, 0.0, 0.3]), np.zeros(3)))
    world.step(1 / 240, steps=480)
    assert member.q[2] == pytest.approx(0.05, abs=1e-3)
    assert np.abs(member.v).max() < 1e-3
