"""A ball joint inside its range of motion, at small and very large steps; intervals of hinges."""

import numpy as np
import pytest

from hitogata.figure import FigureBuilder, MassProperties, Pose, State, joint
from hitogata.rom import ConeRegion, ConstantTwist, RangeOfMotion
from hitogata.sim import World


def arm(range_):
    builder = FigureBuilder("arm")
    tilted = Pose((0, 0, 2), (np.cos(0.6), 0, np.sin(0.6), 0))
    mass = MassProperties.principal(2.0, (0, 0, -0.3), (0.02, 0.02, 0.005))
    builder.add("arm", None, joint.ball(range=range_, parent_frame=tilted), mass)
    return builder.build()


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 0.1])
def test_arm_falls_against_its_wall_and_stays(h):
    range_ = RangeOfMotion(ConeRegion((0, 0, -1), np.radians(40)), ConstantTwist(-0.5, 0.5), bone=(0, 0, -1))
    world = World()
    member = world.add(arm(range_), State(np.array([1.0, 0, 0, 0]), np.array([0.3, -2.0, 3.0])))
    depths = []
    for _ in range(round(5 / h)):
        world.step(h)
        found = range_.violation(member.q)
        depths.append((float(found.swing_depth), float(found.twist_depth)))
    assert np.degrees(np.max(depths)) < 1.0
    assert np.max(depths) > -1e-3, "the arm never came to its wall"


def test_without_its_range_the_arm_falls_further():
    range_ = RangeOfMotion(ConeRegion((0, 0, -1), np.radians(40)), bone=(0, 0, -1))
    world = World()
    member = world.add(arm(None), State(np.array([1.0, 0, 0, 0]), np.array([0.3, -2.0, 3.0])))
    worst = -np.inf
    for _ in range(120):
        world.step(1 / 60)
        worst = max(worst, float(range_.violation(member.q).swing_depth))
    assert np.degrees(worst) > 20


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 0.1])
def test_hinge_stops_at_its_limit(h):
    builder = FigureBuilder("door")
    mass = MassProperties.principal(1.0, (0.4, 0, 0), (0.01, 0.05, 0.05))
    builder.add("door", None, joint.hinge(axis=(0, 1, 0), range=(-0.3, 0.8)), mass)
    world = World()
    door = world.add(builder.build())
    angles = []
    for _ in range(round(3 / h)):
        world.step(h)
        angles.append(door.q[0])
    assert max(angles) < 0.8 + np.radians(1)
    assert angles[-1] == pytest.approx(0.8, abs=1e-3)


def block(range_, kind=joint.slider):
    builder = FigureBuilder("block")
    mass = MassProperties.principal(1.0, (0, 0, 0), (0.05, 0.05, 0.05))
    builder.add("block", None, kind(axis=(1, 0, 0), range=range_), mass)
    return builder.build()


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 0.1])
@pytest.mark.parametrize("kind", [joint.slider, joint.hinge])
@pytest.mark.parametrize("width", [0.0, 1e-3, 0.02])
def test_a_joint_with_little_room_stays_in_it_however_fast(width, kind, h):
    """Both ends count: the one ahead, not only the nearer one.  The wall's damper stops it within m v/d."""
    world = World(gravity=(0.0, 0.0, 0.0))
    beyond = 1.0 * 5.0 / world.settings.range_damping
    member = world.add(block((0.3, 0.3 + width), kind), State(np.array([0.3]), np.array([5.0])))
    for _ in range(20):
        world.step(h)
        assert -1e-4 < member.q[0] - 0.3 < width + beyond
    world.step(h, steps=round(1 / h))
    assert abs(member.v[0]) < 1e-3


def test_force_of_the_end_that_pushes():
    world = World(gravity=(0.0, 0.0, 0.0))
    member = world.add(block((-0.001, 0.001)))
    for push in (7.0, -3.0):
        member.push([push])
        world.step(1 / 60, steps=200)
        np.testing.assert_allclose(member.limit_forces(), [[abs(push), 0.0]], rtol=1e-3)
