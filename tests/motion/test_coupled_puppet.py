"""Puppets keep to ranges over several joints."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics
from hitogata.motion import Puppet
from tests.sim.test_coupled_ranges import RANGES, arm


@pytest.mark.parametrize("kind", RANGES)
def test_a_hand_drawn_beyond_the_range(kind):
    """The arm stays within, and comes as near as any allowed pose that a search finds, or nearly."""
    range_ = RANGES[kind]
    figure = arm(range_)
    puppet = Puppet(figure)
    rng, best = np.random.default_rng(0), []
    hand = np.array([0.0, 0.0, -0.25])
    quat = rng.normal(size=(40_000, 4)) * (2.5, 1, 1, 1)
    poses = np.column_stack([quat / np.linalg.norm(quat, axis=1, keepdims=True), rng.uniform(-2.5, 0, len(quat))])
    poses = poses[range_.contains(poses)]
    placed = forward_kinematics(figure, poses)
    tips = placed.position[:, 1] + np.einsum("nij,j->ni", placed.rotation[:, 1], hand)
    for target in ((0.3, 0.3, 0.2), (-0.4, 0.1, -0.1), (0.1, -0.5, 0.0)):
        drag = puppet.drag("fore", point=hand, position=target)
        for _ in range(200):
            puppet.step(1 / 60)
        puppet.release(drag)
        assert range_.violation(puppet.q).depth < 1e-6
        here = forward_kinematics(figure, puppet.q)
        tip = here.position[1] + here.rotation[1] @ hand
        best.append((np.linalg.norm(tip - target), np.linalg.norm(tips - target, axis=1).min()))
    assert all(mine < there + 0.05 for mine, there in best), best
