"""Loose bodies against closed forms: sliding, bouncing, stacking; nothing gains energy."""

import numpy as np
import pytest

from hitogata.figure import Box, Capsule, Pose, Sphere, State
from hitogata.sim import Settings, World

G = 9.81


def test_block_slides_as_far_as_coulomb_says():
    world = World()
    world.add_ground(friction=0.5)
    block = world.add_body(Box((0.2, 0.2, 0.1)), mass=2.0, pose=Pose((0, 0, 0.1)), friction=0.5)
    block.state = State(block.q, np.array([0, 0, 0, 3.0, 0, 0]))
    world.step(1 / 240, steps=720)
    assert block.q[0] == pytest.approx(3.0**2 / (2 * 0.5 * G), rel=0.01)
    assert np.abs(block.v).max() < 1e-9


def test_block_stays_on_a_slope_that_is_not_too_steep():
    """The slope is a level ground in tilted gravity."""
    tilt = np.arctan(0.4)
    ends = {}
    for friction in (0.45, 0.35):
        world = World(gravity=(G * np.sin(tilt), 0.0, -G * np.cos(tilt)))
        world.add_ground(friction=friction)
        block = world.add_body(Box((0.2, 0.2, 0.1)), mass=2.0, pose=Pose((0, 0, 0.1)), friction=friction)
        world.step(1 / 60, steps=120)
        ends[friction] = block.q[0]
    assert abs(ends[0.45]) < 1e-3
    assert ends[0.35] == pytest.approx(0.5 * G * (np.sin(tilt) - 0.35 * np.cos(tilt)) * 4, rel=0.03)


@pytest.mark.parametrize("h", [1 / 240, 1 / 60])
def test_ball_with_restitution_one_keeps_its_height(h):
    world = World()
    world.add_ground(restitution=1.0)
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 1.1)), restitution=1.0)
    heights = []
    for _ in range(round(5 / h)):
        world.step(h)
        heights.append(ball.q[2])
    assert max(heights[round(1 / h) :]) == pytest.approx(1.1, rel=0.01)
    assert min(heights) > 0.05


def test_ten_boxes_stand_for_twenty_seconds():
    world = World()
    world.add_ground()
    boxes = [world.add_body(Box((0.2, 0.2, 0.1)), mass=4.0, pose=Pose((0, 0, 0.1 + 0.2 * k))) for k in range(10)]
    world.step(1 / 60, steps=1200)
    for k, box in enumerate(boxes):
        np.testing.assert_allclose(box.q[:3], [0, 0, 0.1 + 0.2 * k], atol=0.01)
        assert np.abs(box.v).max() < 0.01


def test_figures_and_bodies_come_and_go():
    world = World()
    world.add_ground()
    a = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 0.5)))
    world.step(1 / 60, steps=10)
    b = world.add_body(Capsule(0.1, 0.2), mass=1.0, pose=Pose((1, 0, 0.5)))
    before = a.q
    world.step(1 / 60, steps=10)
    assert a.q[2] < before[2]
    world.remove(a)
    world.step(1 / 60, steps=100)
    assert b.q[2] > 0.05
    assert len(world.members) == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_heap_never_gains_energy(seed):
    rng = np.random.default_rng(seed)
    world = World()
    world.add_ground()
    bodies = []
    for k in range(8):
        shape = [Sphere(0.1), Capsule(0.08, 0.15), Box((0.1, 0.15, 0.08))][k % 3]
        quat = rng.normal(size=4)
        at = Pose((*rng.uniform(-0.3, 0.3, 2), 0.4 + 0.35 * k), tuple(quat / np.linalg.norm(quat)))
        bodies.append(world.add_body(shape, mass=1.0, pose=at))

    def energy() -> float:
        return sum(0.5 * b.v[3:] @ b.v[3:] + G * b.q[2] for b in bodies)

    start = energy()
    for _ in range(40):
        world.step(1 / 60, steps=5)
        assert energy() < start + 1e-6
    assert all(0.0 < b.q[2] < 1.5 for b in bodies)


@pytest.mark.parametrize("h", [1 / 1000, 1 / 60, 0.1])
def test_heavy_ball_sinks_in_as_far_as_its_weight_says(h):
    """As far as one of `contact_mass` does; or with the stiffness as set, whatever the mass."""
    for contact_mass, carried in ((10.0, 10.0), (np.inf, 1000.0)):
        world = World(settings=Settings(contact_mass=contact_mass, contact_depth=np.inf))
        world.add_ground()
        ball = world.add_body(Sphere(0.5), mass=1000.0, pose=Pose((0, 0, 0.5)))
        world.step(h, steps=round(40 / h))  # lightly damped: d/(2 sqrt(k m)) = 0.05
        assert 0.5 - ball.q[2] == pytest.approx(carried * G / world.settings.contact_stiffness, rel=1e-4)
        assert abs(ball.v[5]) < 1e-4


@pytest.mark.parametrize("h", [1 / 1000, 1 / 60, 0.1])
@pytest.mark.parametrize("mass", [1e-3, 1.0, 1000.0])
def test_contacts_harden(mass, h):
    """F = k depth (x² + 1)/2, x = overlap/depth, with k in proportion to mass: all sink in by the same."""
    depth = 2e-6
    world = World(settings=Settings(contact_depth=depth))
    world.add_ground()
    ball = world.add_body(Sphere(0.5), mass=mass, pose=Pose((0, 0, 0.5)))
    world.step(h, steps=round(4 / h))
    x, k = (0.5 - ball.q[2]) / depth, world.settings.contact_stiffness / world.settings.contact_mass
    assert x > 2.0
    assert k * depth * (x * x + 1) / 2 == pytest.approx(G, rel=1e-4)


@pytest.mark.parametrize("speed", [0.2, 1.0, 5.0])
def test_overlapping_bodies_are_parted_no_faster_than_told(speed):
    world = World(gravity=(0.0, 0.0, 0.0), settings=Settings(push_out_speed=speed))
    world.add_ground()
    ball = world.add_body(Sphere(0.5), mass=1.0, pose=Pose((0, 0, 0.1)))
    fastest = 0.0
    for _ in range(240):
        world.step(1 / 120)
        fastest = max(fastest, ball.v[5])
    assert 0.9 * speed < fastest <= speed * (1 + 1e-9)
    assert ball.q[2] > 0.5 - 1e-3
