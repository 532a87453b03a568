"""What misses each other does not feel it, at any step; what hits, does."""

import itertools

import numpy as np
import pytest

from hitogata.contact.pair_query import pair_points
from hitogata.figure import Box, Capsule, Plane, Pose, Shape, Sphere, State
from hitogata.sim import World, WorldBatch

SHAPES = {"ball": Sphere(0.1), "rod": Capsule(0.02, 0.1), "box": Box((0.05, 0.08, 0.1))}
PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))
STEPS = (1 / 1000, 1 / 240, 1 / 60)
SPEEDS = (1.0, 5.0, 50.0)


def random_pose(rng: np.random.Generator, *place: float) -> Pose:
    """There, turned anyhow."""
    quat = rng.normal(size=4)
    return Pose(place, tuple(quat / np.linalg.norm(quat)))


def least_gap(a: Shape, pose_a: Pose, b: Shape, pose_b: Pose) -> float:
    """Of shape A on 2 m of way along x, past B, to a micrometre: gaps are convex along a straight way."""
    rows, low, high, gap = np.zeros((201, 24)), 0.0, 2.0, np.zeros(201)
    rows[:, :9], rows[:, 12:21] = np.ravel(pose_a.rotation), np.ravel(pose_b.rotation)
    rows[:, 9:12], rows[:, 21:] = pose_a.position, pose_b.position
    for _ in range(3):
        way = np.linspace(low, high, 201)
        rows[:, 9] = pose_a.position[0] + way
        gap = pair_points(a, b, rows, 1e3)[:, :, 6].min(1)
        low, high = way[max(gap.argmin() - 1, 0)], way[min(gap.argmin() + 1, 200)]
    return gap.min()


def beside(a: Shape, pose: Pose, b: Shape, gap: float, rng: np.random.Generator) -> Pose:
    """A pose of B beside the way of A with this least gap, to a micrometre."""
    turned = random_pose(rng, 0.0, 0.0, 0.0)
    low, high = 0.0, 0.6
    for _ in range(24):
        y = 0.5 * (low + high)
        if least_gap(a, pose, b, Pose((0.0, y, 0.0), turned.quat)) < gap:
            low = y
        else:
            high = y
    return Pose((0.0, high, 0.0), turned.quat)


def fly_past(a: Shape, pose_a: Pose, b: Shape, pose_b: Pose, speed: float, h: float, restitution: float):
    """Velocities after it, of what flew and what stood."""
    world = World(gravity=(0.0, 0.0, 0.0))
    flown = world.add_body(a, mass=1.0, pose=pose_a, restitution=restitution)
    stood = world.add_body(b, mass=1.0, pose=pose_b)
    flown.state = State(flown.q, np.array([0, 0, 0, speed, 0, 0]))
    world.step(h, steps=int(np.ceil(2.1 / speed / h)))
    return flown.v - [0, 0, 0, speed, 0, 0], stood.v


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_what_misses_feels_nothing(a, b, h):
    rng = np.random.default_rng(3)
    for gap, speed in itertools.product((1e-4, 1e-3, 1e-2), SPEEDS):
        pose = random_pose(rng, -1.0 - rng.uniform(0.0, 0.5) * speed * h, 0.0, 0.0)
        other = beside(SHAPES[a], pose, SHAPES[b], gap, rng)
        for restitution in (0.0, 0.5):
            moved = fly_past(SHAPES[a], pose, SHAPES[b], other, speed, h, restitution)
            assert np.abs(moved).max() < 1e-12


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_what_hits_is_felt(a, b, h):
    rng = np.random.default_rng(4)
    for gap, speed in itertools.product((-1e-3, -1e-2), SPEEDS):
        pose = random_pose(rng, -1.0 - rng.uniform(0.0, 0.5) * speed * h, 0.0, 0.0)
        other = beside(SHAPES[a], pose, SHAPES[b], gap, rng)
        slowed, pushed = fly_past(SHAPES[a], pose, SHAPES[b], other, speed, h, 0.0)
        assert pushed[3] > 0.0
        np.testing.assert_allclose(slowed[3:], -pushed[3:], atol=1e-9 * speed)


def test_a_spinning_box_beside_the_ground():
    """A corner goes round above the ground, and does not come down as fast as it starts."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_ground(Plane())
    box = world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pose=Pose((0, 0, 0.1 * np.sqrt(2) + 1e-3)))
    box.state = State(box.q, np.array([10.0, 0, 0, 0, 0, 0]))
    world.step(1 / 60, steps=60)
    np.testing.assert_allclose(box.v, [10.0, 0, 0, 0, 0, 0], atol=1e-12)


def test_worlds_side_by_side():
    """Some miss, some hit: each as if it were alone."""
    world, ways = World(gravity=(0.0, 0.0, 0.0)), np.linspace(0.19, 0.21, 12)
    flown = world.add_body(Sphere(0.1), mass=1.0)
    stood = world.add_body(Sphere(0.1), mass=1.0)
    place, rest = np.zeros((12, 7)), np.zeros((12, 7))
    place[:, 3] = rest[:, 3] = 1.0
    place[:, 0], rest[:, 1] = -1.0, ways
    v = np.zeros((12, 6))
    v[:, 3] = 5.0

    def run(rows: slice) -> np.ndarray:
        batch = WorldBatch(world, len(ways[rows]))
        batch.reset(state={flown: State(place[rows], v[rows]), stood: State(rest[rows], 0.0 * v[rows])})
        batch.step(1 / 240, steps=100)
        return batch.v

    together = run(slice(None))
    assert np.array_equal(together[:3], run(slice(3)))
    missed = ways > 0.2
    still = np.concatenate([v[0], np.zeros(6)])
    assert np.abs(together[missed] - still).max() < 1e-12
    assert (np.abs(together[~missed] - still).max(1) > 1e-3).all()
