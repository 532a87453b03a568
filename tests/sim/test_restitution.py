"""Impacts with restitution: where they happen, when, and what they keep."""

import math

import numpy as np
import pytest

from hitogata.figure import Box, Pose, Sphere, State
from hitogata.sim import World

STEPS = [1 / 30, 1 / 60, 1 / 240, 1e-3]
RADIUS = 0.1


def moving(member, velocity) -> None:
    member.state = State(member.q, np.concatenate([np.zeros(3), velocity]))


def tops(h: float, e: float, fall: float, count: int) -> list[float]:
    """Heights that a ball rises to after each impact: where its velocity changes its sign, by its energy."""
    world = World()
    world.add_ground(restitution=e)
    ball = world.add_body(Sphere(RADIUS), mass=1.0, pose=Pose((0, 0, RADIUS + fall)), restitution=e)
    found, before = [], -1.0
    while len(found) < count:
        world.step(h)
        now = ball.v[5]
        if before > 0.0 >= now:
            found.append(ball.q[2] - RADIUS + now * now / (2 * 9.81))
        before = now
        assert world.time < 20.0
    return found


@pytest.mark.parametrize("fall", [0.3, 1.3, 5.0])
@pytest.mark.parametrize("e", [1.0, 0.5])
@pytest.mark.parametrize("h", [1 / 60, 1 / 240, 1e-3, 1e-4])
def test_height(h, e, fall):
    """e² of the height, each time, at any step."""
    for k, top in enumerate(tops(h, e, fall, 2)):
        assert top == pytest.approx(fall * e ** (2 * k + 2), rel=0.005)


@pytest.mark.parametrize(("h", "beside"), [(1e-3, 1e-3), (1e-3, 1e-2), (1 / 240, 1e-2), (1 / 240, 0.05)])
def test_what_misses_does_not_collide(h, beside):
    """Gaps are linear within a step: right to (v h)²/4r, 1.1 mm at 1/240 s."""
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Sphere(RADIUS), mass=1.0, pose=Pose((-1, 0, 0)), restitution=0.5)
    b = world.add_body(Sphere(RADIUS), mass=1.0, pose=Pose((0, 2 * RADIUS + beside, 0)), restitution=0.5)
    moving(a, [5.0, 0, 0])
    world.step(h, steps=round(0.5 / h))
    assert not b.v.any()
    assert a.v[3:] == pytest.approx([5.0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("h", STEPS)
def test_oblique_impact_of_smooth_spheres(h):
    """Of what is along the line of centres, e is given back; what is across stays.  The line: by when they touch."""
    e, offset, speed = 0.7, 0.12, 3.0
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Sphere(RADIUS), mass=1.0, pose=Pose((-0.513, 0, 0)), restitution=e, friction=0.0)
    b = world.add_body(Sphere(RADIUS), mass=2.0, pose=Pose((0, offset, 0)), restitution=e, friction=0.0)
    moving(a, [speed, 0, 0])
    world.step(h, steps=round(1.0 / h))
    n = np.array([math.sqrt(4 * RADIUS**2 - offset**2), offset, 0]) / (2 * RADIUS)
    impulse = (1 + e) * speed * n[0] / (1 / 1.0 + 1 / 2.0)
    assert a.v[3:] + 2.0 * b.v[3:] == pytest.approx([speed, 0, 0], abs=1e-9)
    # The normal is that of the pose at the beginning of the step: wrong by what it turns within it.
    assert b.v[3:] == pytest.approx(impulse * n / 2.0, abs=1e-9 + 0.6 * speed * h / (2 * RADIUS) * impulse / 2.0)


@pytest.mark.parametrize("apart", [0.0, 1e-3])
@pytest.mark.parametrize("h", STEPS)
def test_cradle(h, apart):
    """The last ball goes, the others stay."""
    world = World(gravity=(0, 0, 0))
    pitch = 0.1 + apart
    places = [pitch * k - 0.3 * (k == 0) for k in range(5)]
    balls = [
        world.add_body(Sphere(0.05), mass=1.0, pose=Pose((x, 0, 0)), restitution=1.0, friction=0.0) for x in places
    ]
    moving(balls[0], [1.0, 0, 0])
    world.step(h, steps=math.ceil(0.6 / h))
    assert [ball.v[3] for ball in balls] == pytest.approx([0, 0, 0, 0, 1], abs=1e-4)


@pytest.mark.parametrize("h", [1 / 60, 1 / 240, 1e-3])
def test_elastic_gas_keeps_its_energy_in_its_box(h):
    world, rng = World(gravity=(0, 0, 0)), np.random.default_rng(0)
    for axis in range(3):
        for side in (-1, 1):
            at, size = np.zeros(3), np.full(3, 1.2)
            at[axis], size[axis] = side * 1.1, 0.1
            world.add_ground(Box(tuple(size), pose=Pose(tuple(at))), restitution=1.0, friction=0.0)
    balls = []
    for i in range(27):
        at = np.array([i % 3, i // 3 % 3, i // 9]) * 0.5 - 0.5
        balls.append(world.add_body(Sphere(RADIUS), mass=1.0, pose=Pose(tuple(at)), restitution=1.0, friction=0.0))
        moving(balls[-1], 2 * rng.normal(size=3))
    before = sum(b.v[3:] @ b.v[3:] for b in balls)
    world.step(h, steps=round(3.0 / h))
    assert sum(b.v[3:] @ b.v[3:] for b in balls) == pytest.approx(before, rel=0.01)
    assert max(abs(b.q[:3]).max() for b in balls) < 1.0 - RADIUS + 0.005


@pytest.mark.parametrize("speed", [-0.3, 0.06, 0.07])
def test_rounding_of_a_gap_of_zero_decides_nothing(speed):
    """A ball on the ground, thrown up so slowly that it is back within the step, or moving into it.

    A gap of 1e-15 m, or an overlap: both are what adding up its place may leave.
    """
    ends = []
    for off in (-1e-15, 0.0, 1e-15):
        world = World()
        world.add_ground(restitution=0.5)
        ball = world.add_body(Sphere(RADIUS), mass=1.0, pose=Pose((0, 0, RADIUS + off)), restitution=0.5)
        moving(ball, [0, 0, speed])
        world.step(1 / 60)
        ends.append(ball.v[5])
    np.testing.assert_allclose(ends, ends[1], atol=1e-9)
