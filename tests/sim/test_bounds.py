"""With HITOGATA_CHECK=1 (`make checked`): no kernel steps out of its memory, in worlds, blocks, stages and puppets.

HITOGATA_FUZZ=500 takes that many random worlds; otherwise a few.
"""

import os

import numpy as np
import pytest

from hitogata.figure import State
from hitogata.lanes import CHECKED
from hitogata.library import human28
from hitogata.loops.contacts import ContactStage
from hitogata.sim import World, WorldBatch
from tests.motion import puppet_cases
from tests.motion.test_puppet_batches import prepared
from tests.sim.scenes import random_scene

pytestmark = pytest.mark.skipif(not CHECKED, reason="needs HITOGATA_CHECK=1: make checked")


def test_random_worlds_stay_in_their_memory():
    for seed in range(int(os.environ.get("HITOGATA_FUZZ", "20"))):
        scene = random_scene(seed)
        scene.world.step(scene.h, steps=20)
        for member in scene.members:
            assert np.isfinite(member.joint_forces()).all()
            assert np.isfinite(member.v).all()
        scene.world.contacts()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_blocks_stay_in_their_memory(dtype):
    world = World()
    world.add_ground()
    figure = world.add(human28(ranges=True))
    world.add_spring((figure, "head"), (0.0, 0.0, 2.0), stiffness=100.0)
    batch = WorldBatch(world, 9, dtype=dtype)
    batch.step(1 / 60, steps=40)
    assert batch.alive.all()


def test_a_stage_stays_in_its_memory():
    stage = ContactStage(human28())
    state = State(stage.figure.neutral(), 0.05 * np.sin(np.arange(34.0)))
    for _ in range(20):
        step = stage.step(state, 1 / 240, -0.5 * state.v)
        state = step.state
    assert step.contacts


def test_puppets_stay_in_their_memory():
    poses = puppet_cases.reachable()[:1]
    targets = puppet_cases.point_of(puppet_cases.human(), poses, *puppet_cases.HAND)
    puppet = prepared(poses[0], targets[0])
    for _ in range(5):
        puppet.step(1 / 60)
    puppet.solve(iterations=5)
