"""Random scenes with everything in them, at steps from 1 ms to 0.1 s: finite and bounded.

HITOGATA_FUZZ=2000 takes that many scenes, for 200 steps each; otherwise a few hundred, for fewer steps.
"""

import os

import numpy as np
import pytest

from tests.sim.scenes import random_scene

MANY = int(os.environ.get("HITOGATA_FUZZ", "0"))
COUNT, STEPS, GROUP = (MANY, 200, 50) if MANY else (300, 60, 25)

FASTEST, FARTHEST = 2e5, 1e5
"""Springs of 1e7 N/m begin metres from rest; 100 N m turn a body of 0.01 kg m² for up to 20 s: some rightly get so fast
[m/s], [rad/s], and so far [m], [rad]."""


@pytest.mark.parametrize("first", range(0, COUNT, GROUP))
def test_random_scenes_stay_finite_and_bounded(first):
    for seed in range(first, min(first + GROUP, COUNT)):
        scene = random_scene(seed)
        for _ in range(STEPS // 10):
            scene.world.step(scene.h, steps=10)
            for member in scene.members:
                assert np.abs(member.v).max(initial=0.0) < FASTEST, f"{scene}: fast"
                assert np.abs(member.q).max(initial=0.0) < FARTHEST, f"{scene}: far"
        for member in scene.members:
            forces = member.joint_forces(), member.motor_forces(), member.limit_forces(), member.contact_forces()
            assert all(np.isfinite(force).all() for force in forces), f"{scene}: forces"
        assert all(np.isfinite(tie.force).all() for tie in scene.world.ties), f"{scene}: ties"


def test_a_scene_is_not_empty():
    """The scenes above do have in them what they should."""
    scenes = [random_scene(seed) for seed in range(30)]
    joints = [link.joint for scene in scenes for member in scene.members for link in member.figure.links]
    assert {joint.kind.value for joint in joints} == {"free", "ball", "hinge", "slider", "universal", "fixed"}
    assert sum(joint.range is not None for joint in joints) > 100
    assert sum(len(scene.world.ties) for scene in scenes) > 20
    touching = limited = 0
    for scene in scenes:
        scene.world.step(scene.h, steps=10)
        touching += bool(scene.world.contacts())
        limited += any(member.limit_forces().any() for member in scene.members)
    assert min(touching, limited) > 8
