"""Springs in joints and between points: the pendulum of Tazaki & Hasegawa, and forces in equilibrium."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from hitogata import library
from hitogata.errors import HitogataError
from hitogata.figure import Figure, FigureBuilder, Frame, MassProperties, Plane, Pose, Sphere, State, joint
from hitogata.library import human28
from hitogata.sim import Settings, World, WorldError

PAPER_AND_HARSH = [(2, 1), (20, 10), (200, 100), (200, 1), (2000, 1), (1e7, 0)]


def pendulum() -> Figure:
    builder = FigureBuilder("pendulum")
    mass = MassProperties.principal(1.0, (0, 0, -0.5), (1e-3, 1e-3, 1e-3))
    at = Pose((0, 0, 2))
    frames = [Frame("tip", Pose((0, 0, -0.5)))]
    builder.add("bob", None, joint.hinge(axis=(0, 1, 0), parent_frame=at), mass, frames=frames)
    return builder.build()


@pytest.mark.parametrize("longest_piece", [1 / 40, math.inf])
@pytest.mark.parametrize(("stiffness", "damping"), PAPER_AND_HARSH)
def test_pendulum_settles_at_a_tenth_of_a_second(stiffness, damping, longest_piece):
    world = World(settings=Settings(longest_fast_step=longest_piece))
    bob = world.add(pendulum(), State(np.array([np.pi / 2]), np.zeros(1)))
    bob.set_target(np.zeros(1))
    bob.set_motor(stiffness, damping)
    angles = []
    for _ in range(100):
        world.step(0.1)
        angles.append(bob.q[0])
    assert np.abs(angles).max() < np.pi / 2
    assert abs(angles[-1]) < 1e-6


@pytest.mark.parametrize("longest_piece", [1 / 40, math.inf])
@pytest.mark.parametrize(("stiffness", "damping"), PAPER_AND_HARSH)
def test_pendulum_comes_to_rest_on_a_floor_where_forces_balance(stiffness, damping, longest_piece):
    springs = {"contact_mass": math.inf, "contact_depth": math.inf}  # a floor of 1e5 N/m, whatever lies on it
    world = World(settings=Settings(longest_fast_step=longest_piece, **springs))
    world.add_ground(Plane(pose=Pose((0, 0, -0.4))), friction=0.0)
    bob = world.add(library.pendulum(), State(np.array([np.pi / 2]), np.zeros(1)), friction=0.0)
    touching = math.acos(0.38 / 0.5)  # 0.5 m long, a ball of 2 cm radius
    bob.set_target(np.array([touching]))
    bob.set_motor(stiffness, damping)
    angles = []
    for _ in range(600):
        world.step(0.1)
        angles.append(bob.q[0])

    def torque(q: float) -> float:
        ground = world.settings.contact_stiffness * max(0.0, 0.5 * math.cos(q) + 0.02 - 0.4)
        return (ground - 9.81) * 0.5 * math.sin(q) - stiffness * (q - touching)

    assert np.abs(np.array(angles) - touching).max() < np.pi / 2 - touching
    assert angles[-1] == pytest.approx(brentq(torque, 0.5 * touching, touching + 0.1, xtol=1e-12), abs=1e-7)


def test_spring_to_the_world_carries_the_weight():
    world = World()
    bob = world.add(pendulum())
    spring = world.add_spring((bob, "tip"), (0.5, 0.0, 2.0), stiffness=3000.0, damping=50.0)
    world.step(0.05, steps=200)
    q = bob.q[0]
    tip = np.array([-0.5 * np.sin(q), 0.0, 2 - 0.5 * np.cos(q)])
    np.testing.assert_allclose(spring.force, -3000.0 * (tip - [0.5, 0, 2]), rtol=1e-6, atol=1e-6)
    torque = np.cross(tip - [0, 0, 2], spring.force + [0, 0, -9.81])
    assert abs(torque[1]) < 1e-6


def test_rope_is_slack_until_its_length():
    world = World(gravity=(0.0, 0.0, 0.0))
    human = world.add(human28(), State(human28().neutral(), np.concatenate([[0, 0, 0, 0, 0, -1.0], np.zeros(28)])))
    rope = world.add_rope((human, "head"), (0, 0, 3.0), length=2.0)
    world.step(0.01, steps=20)
    assert np.all(rope.force == 0)
    assert human.v[5] == pytest.approx(-1.0)
    world.step(0.01, steps=100)
    assert human.v[5] > -0.5


def test_removed_things_cannot_be_used():
    world = World()
    bob = world.add(pendulum())
    spring = world.add_spring((bob, "tip"), (0, 0, 0), stiffness=1.0, damping=1.0)
    world.remove(bob)
    with pytest.raises(HitogataError, match="removed"):
        _ = bob.q
    with pytest.raises(HitogataError, match="removed"):
        _ = spring.force


@pytest.mark.parametrize("h", [0.0, -1.0, np.nan, np.inf])
def test_bad_step(h):
    with pytest.raises(HitogataError, match="h:"):
        World().step(h)


def test_a_world_that_becomes_non_finite_stops_in_its_last_good_state():
    world = World()
    bob = world.add(pendulum(), State(np.array([1.0]), np.zeros(1)))
    world.step(0.01, steps=5)
    good = bob.q
    bob.push(np.array([1e308]))
    with pytest.raises(WorldError, match=r"t = 0\.05 s") as caught:
        world.step(1.0, steps=3)
    assert np.array_equal(bob.q, good)
    assert caught.value.snapshot.time == pytest.approx(0.05)
    bob.push(np.zeros(1))
    world.step(0.01)


# ------------------------------------------------------- ropes


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 0.1])
def test_rope_holds_what_flies_away_fast(h):
    """A ball leaves at 40 m/s: the rope is taut when it gets there, not steps later."""
    world = World(gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(Sphere(0.1), mass=1.0)
    rope = world.add_rope((ball, "body"), (0.0, 0.0, 0.0), length=3.0)
    ball.state = State(ball.q, np.array([0, 0, 0, 40.0, 0, 0]))
    farthest, pulled = 0.0, 0.0
    for _ in range(round(1 / h)):
        world.step(h)
        farthest, pulled = max(farthest, np.linalg.norm(ball.q[:3])), max(pulled, np.linalg.norm(rope.force))
    assert farthest == pytest.approx(3.0, abs=0.05)
    assert pulled > 100.0


def test_rope_that_was_far_too_short_draws_its_ends_together_without_throwing_them():
    for stiffness in (1e4, 1e6, 1e8):
        world = World(gravity=(0.0, 0.0, 0.0))
        ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((3.0, 0, 0)))
        world.add_rope((ball, "body"), (0.0, 0.0, 0.0), length=0.4, stiffness=stiffness, damping=0.0)
        world.step(1 / 60)
        way = []
        for _ in range(120):
            world.step(1 / 60)
            way.append(ball.q[0])
        assert np.abs(way).max() < 2.7
        assert np.abs(way[-60:]).max() < 0.41


def test_slack_rope_does_not_pull():
    world = World(gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((1.0, 0, 0)))
    rope = world.add_rope((ball, "body"), (0.0, 0.0, 0.0), length=0.9)
    world.step(1 / 60)
    assert np.linalg.norm(rope.force) > 1
    ball.state = State(np.array([0.2, 0, 0, 1, 0, 0, 0]), np.zeros(6))
    world.step(1 / 60)
    assert not rope.force.any()
