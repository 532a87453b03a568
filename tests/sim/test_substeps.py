"""Large steps are cut into pieces while something moves fast."""

import math
from dataclasses import replace

import numpy as np
import pytest

from hitogata.figure import Figure, FigureBuilder, MassProperties, Pose, State, joint
from hitogata.rom import ConeRegion, RangeOfMotion
from hitogata.sim import Settings, World
from hitogata.sim.layout import PIECES


def arm(limit: float = math.radians(40)) -> Figure:
    builder = FigureBuilder("arm")
    mass = MassProperties.principal(3.0, (0, 0, 0.15), (0.03, 0.03, 0.01))
    shoulder = replace(joint.ball(name="shoulder"), range=RangeOfMotion(ConeRegion((0, 0, 1), limit)))
    builder.add("arm", None, shoulder, mass)
    return builder.build()


def angle(q: np.ndarray) -> float:
    """Between the bone (z) and where it points at rest."""
    x, y = q[1:3]
    return math.acos(np.clip(1 - 2 * (x * x + y * y), -1, 1))


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 0.1])
def test_a_sudden_load_on_a_range_wall(h):
    """500 N at the hand, at once, from rest: beyond the 40° cone by no more than 1°."""
    world = World(gravity=(0.0, 0.0, 0.0))
    member = world.add(arm())
    member.set_motor(0.0, 1.0)
    member.pull("arm", force=(500.0, 0, 0), at=(0, 0, 0.3))
    worst = 0.0
    for _ in range(round(2.0 / h)):
        world.step(h)
        worst = max(worst, angle(member.q))
    assert math.degrees(worst) - 40 < 1.0


def test_pieces_are_taken_only_while_something_is_fast():
    world = World(gravity=(0.0, 0.0, 0.0))
    member = world.add(arm(math.radians(170)))
    member.set_motor(20.0, 2.0)
    world.step(0.1)
    assert world.arrays.counts[PIECES] == 1
    member.state = State(member.q, np.array([0, 5.0, 0]))
    world.step(0.1)
    assert world.arrays.counts[PIECES] == 4
    assert world.arrays.last_h == pytest.approx(0.025)
    world.step(0.1, steps=100)
    assert world.arrays.counts[PIECES] == 1


def test_pieces_agree_with_small_steps():
    """A step of 0.1 s in four pieces is four steps of 0.025 s, bit for bit."""
    ends = []
    for h, steps in ((0.1, 1), (0.025, 4)):
        world = World()
        member = world.add(arm(math.radians(170)), State(np.array([1.0, 0, 0, 0]), np.array([0, 6.0, 1.0])))
        world.step(h, steps=steps)
        ends.append(member.q)
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-14)


def test_pieces_can_be_turned_off():
    world = World(settings=Settings(longest_fast_step=math.inf))
    world.add(arm(), State(np.array([1.0, 0, 0, 0]), np.array([0, 9.0, 0])))
    world.step(0.1)
    assert world.arrays.last_h == 0.1


def test_interpenetrating_bodies_part_without_explosion():
    from hitogata.figure import Box

    world = World()
    world.add_ground()
    boxes = [world.add_body(Box((0.2, 0.2, 0.2)), mass=5.0, pose=Pose((0.05 * k, 0.03 * k, 0.15))) for k in range(4)]
    fastest = 0.0
    for _ in range(240):
        world.step(1 / 60)
        fastest = max(fastest, *(np.abs(b.v[3:]).max() for b in boxes))
    assert fastest < 4.0
    assert all(b.q[2] > 0.15 for b in boxes)
    assert max(np.abs(b.v).max() for b in boxes) < 0.05
