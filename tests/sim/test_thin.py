"""Nothing thin passes anything, at any step.  HITOGATA_RODS=1000 shoots so many of each kind."""

import os

import numpy as np
import pytest

from hitogata.dynamics import energy
from hitogata.figure import Box, Pose, Sphere, State
from hitogata.library import human28
from hitogata.sim import ContactMethod, Settings, World, WorldBatch
from hitogata.sim.impacts import MOST_RETAKES
from hitogata.sim.layout import PIECES
from hitogata.sim.pieces import MOST_PIECES
from tests.sim.thin_scenes import PLAIN, ROD, SHAPED, STEPS, WALL, on_wall, random_pose, random_velocity, shoot

SHOTS = int(os.environ.get("HITOGATA_RODS", "0"))


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("name", PLAIN)
def test_nothing_thin_passes(name, h):
    count = SHOTS or (60 if name == "rod on wall" else 12)
    assert [seed for seed in range(count) if PLAIN[name](seed, h)] == []


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("name", SHAPED)
def test_other_shapes_do_not_pass(name, h):
    assert [seed for seed in range(SHOTS or 12) if SHAPED[name](seed, h)] == []


@pytest.mark.parametrize("h", [1 / 240, 0.1])
def test_contact_by_states_holds_too(h):
    run = on_wall(ROD, contacts=ContactMethod.STATES)
    assert [seed for seed in range(SHOTS or 30) if run(seed, h)] == []


def test_only_turning_pieces_are_asked_for_can_be_turned_off():
    """Without pieces for what turns fast, impacts still end substeps."""
    run = on_wall(ROD, longest_fast_step=np.inf)
    assert [seed for seed in range(20) if run(seed, 1 / 60)] == []


@pytest.mark.parametrize("h", STEPS)
def test_rods_gain_no_energy_and_work_is_bounded(h):
    for seed in range(10):
        world = World(gravity=(0.0, 0.0, 0.0))
        world.add_ground(WALL)
        shot = shoot(world, ROD, np.random.default_rng(seed))
        start = energy(shot.figure, shot.q, shot.v).kinetic
        for _ in range(20):
            world.step(h)
            assert energy(shot.figure, shot.q, shot.v).kinetic < 1.02 * start
            assert world.arrays.counts[PIECES] <= MOST_PIECES + MOST_RETAKES


def test_the_same_bits_again():
    """Retaken substeps leave nothing behind: from a snapshot, and in a second world."""
    ends = []
    for _ in range(2):
        world = World(gravity=(0.0, 0.0, 0.0))
        world.add_ground(WALL)
        shot = shoot(world, ROD, np.random.default_rng(19))
        saved = world.save()
        for _ in range(2):
            world.restore(saved)
            world.step(1 / 240, steps=30)
            ends.append(np.concatenate([shot.q, shot.v]))
    assert all(np.array_equal(end, ends[0]) for end in ends)


@pytest.mark.parametrize("h", [1 / 1000, 1 / 60])
def test_an_elastic_ball_comes_back_from_a_thin_wall(h):
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_ground(WALL, restitution=1.0)
    ball = world.add_body(Sphere(0.002), mass=0.01, pose=Pose((-0.3, 0, 0)), restitution=1.0)
    ball.state = State(ball.q, np.array([0, 0, 0, 100.0, 0, 0]))
    world.step(h, steps=max(2, round(0.006 / h)))
    assert ball.q[0] < 0.0
    assert ball.v[3] == pytest.approx(-100.0, rel=0.02)


def test_calm_worlds_take_one_substep():
    world = World()
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    plate = world.add_body(Box((0.2, 0.2, 0.001)), mass=0.5, pose=Pose((1.0, 0, 0.001)))
    for _ in range(60):
        world.step(1 / 60)
        assert world.arrays.counts[PIECES] == 1
    assert plate.q[2] > 0.0005


@pytest.mark.parametrize("h", [1 / 240, 1 / 30])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_batches_of_rods(h, dtype):
    """In batches as in single worlds: none passes, and neighbours do not matter."""
    world, count = World(gravity=(0.0, 0.0, 0.0), settings=Settings()), SHOTS or 48
    world.add_ground(WALL)
    shot = world.add_body(ROD, mass=0.1, pose=Pose((-0.5, 0, 0)))
    q, v = np.zeros((count, 7)), np.zeros((count, 6))
    for k in range(count):
        rng = np.random.default_rng(k)
        pose = random_pose(rng, -0.5)
        q[k], v[k] = [*pose.position, *pose.quat], random_velocity(rng)
    batch = WorldBatch(world, count, dtype=dtype)
    batch.reset(state={shot: State(q, v)})
    for _ in range(round(0.2 / h)):
        batch.step(h)
        assert (batch.q[:, 0] < 0.0).all()
    few = WorldBatch(world, 3, dtype=dtype)
    few.reset(state={shot: State(q[:3], v[:3])})
    few.step(h, steps=round(0.2 / h))
    assert np.array_equal(few.q, batch.q[:3])
