"""Meshes, cylinders, ellipsoids and height fields in worlds side by side: each world is the single one."""

import numpy as np

from hitogata.figure import Box, ConvexMesh, Cylinder, Ellipsoid, HeightField, Pose, State
from hitogata.sim import Settings, World, WorldBatch

H, WORLDS = 1 / 120, 5
RNG = np.random.default_rng(4)
SPEEDS = RNG.normal(size=(4, WORLDS, 6)) * np.array([2.0, 2.0, 2.0, 0.5, 0.5, 0.2])
EXACT = Settings(tolerance=0.0, sweeps=400)  # see `test_batch`
HILLS = HeightField(0.05 * np.sin(np.arange(64.0)).reshape(8, 8), (3.0, 3.0))


def a_world() -> World:
    """Four bodies over a height field and a plane below; two of them fall on each other."""
    world = World(settings=EXACT)
    world.add_ground(HILLS)
    world.add_body(Cylinder(0.1, 0.1), mass=1.0, pose=Pose((0, 0, 0.3)))
    world.add_body(Ellipsoid((0.1, 0.12, 0.15)), mass=1.0, pose=Pose((0.05, 0.02, 0.6)))
    world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pose=Pose((0.7, 0.02, 0.3)))
    corners = np.array([(1, 1, -1), (-1, 1, -1), (0, -1, -1), (0, 0, 1.0)]) * 0.12
    world.add_body(ConvexMesh(corners), mass=1.0, pose=Pose((0.7, 0.05, 0.7)))
    return world


def test_each_world_is_the_single_one():
    """To rounding over any step; on bumpy ground that is 2e-9 after five."""
    world = a_world()
    batch, touched = WorldBatch(world, WORLDS), 0
    members = zip(world.members, SPEEDS, strict=True)
    batch.reset(state={member: State(np.tile(member.q, (WORLDS, 1)), v) for member, v in members})
    for _ in range(60):
        singles = [batch.world(k) for k in range(WORLDS)]
        batch.step(H)
        for k, single in enumerate(singles):
            single.step(H)
            touched += len(single.contacts())
            for own, member in zip(single.members, batch.members, strict=True):
                np.testing.assert_allclose(member.q[k], own.q, rtol=0, atol=1e-13)
    assert touched > 1000
    assert np.ptp(batch.q, axis=0).max() > 0.01  # they went different ways
    assert batch.alive.all()
