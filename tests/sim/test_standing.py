"""human28 stands on its feet by springs in its joints, at small and at very large steps."""

import numpy as np
import pytest

from hitogata.figure import State
from hitogata.library import human28
from hitogata.sim import World


def standing_world() -> tuple[World, object]:
    world = World()
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    disturbed = np.concatenate([np.zeros(6), 0.05 * np.random.default_rng(1).normal(size=28)])
    human.state = State(human.q, disturbed)
    return world, human


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 1 / 30, 0.1])
def test_human_stands_and_the_ground_carries_its_weight(h):
    world, human = standing_world()
    world.step(h, steps=round(10 / h))
    assert human.q[2] > 0.95
    assert np.abs(human.v[6:]).max() < 0.01
    force = sum(contact.force for contact in world.contacts())
    np.testing.assert_allclose(force, [0.0, 0.0, 69 * 9.81], atol=69 * 9.81e-3)


def test_same_bits_after_restoring_in_the_middle():
    world, human = standing_world()
    world.step(1 / 60, steps=30)
    middle = world.save()
    world.step(1 / 60, steps=30)
    first = human.q
    world.restore(middle)
    world.step(1 / 60, steps=30)
    assert np.array_equal(human.q, first)
