"""Figures that do not touch are islands: each moves, bit for bit, as if it were alone."""

import math

import numpy as np

from hitogata.constraints.islands import sort
from hitogata.figure import Box, Pose, Sphere, State
from hitogata.lanes import X1, entry, lanes
from hitogata.library import human28
from hitogata.sim import Settings, World

WHOLE = Settings(longest_fast_step=math.inf)
"""Steps are not cut: whether they are hangs on the fastest of all figures."""


def stand(world: World, x: float) -> list:
    """A human who falls over, and two boxes on each other beside it."""
    human = human28()
    q = human.neutral()
    q[0] = x
    v = np.zeros(human.nv)
    v[4] = 1.0
    member = world.add(human, State(q, v))
    member.set_motor(200.0, 10.0)
    places = [Pose((x + 0.45, 0.02 * k, 0.11 + 0.21 * k)) for k in range(2)]
    return [member, *(world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0, pose=place) for place in places)]


def test_two_crowds_move_as_each_alone():
    both, worlds = World(settings=WHOLE), [World(settings=WHOLE), World(settings=WHOLE)]
    both.add_ground()
    together = [stand(both, x) for x in (0.0, 10.0)]
    alone = []
    for world, x in zip(worlds, (0.0, 10.0), strict=True):
        world.add_ground()
        alone.append(stand(world, x))
    for _ in range(240):
        both.step(1 / 60)
        for world in worlds:
            world.step(1 / 60)
    for crowd, single in zip(together, alone, strict=True):
        for a, b in zip(crowd, single, strict=True):
            np.testing.assert_array_equal(a.q, b.q)
            np.testing.assert_array_equal(a.v, b.v)
    assert abs(together[0][0].q[2] - human28().neutral()[2]) > 0.3  # it fell, so there was something to solve


def test_a_spring_makes_one_island_of_two():
    """A jam at one end of a spring is felt at the other within the step: momentum goes through."""
    world = World(gravity=(0, 0, 0), settings=WHOLE)
    left = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((-1, 0, 0)))
    right = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((1, 0, 0)))
    world.add_spring((left, "body"), (right, "body"), stiffness=1e6, damping=0.0)
    world.step(1e-3)
    assert left.v[3] > 0.1
    np.testing.assert_allclose(left.v[3], -right.v[3], rtol=1e-9)


@entry
def sorted_by(keys, start, count, order):
    """`islands.sort`, called from Python."""
    sort(lanes(keys, X1), keys.size, lanes(start, X1), count, lanes(order, X1))


def test_rows_are_sorted_by_island_and_keep_their_order():
    rng = np.random.default_rng(3)
    for count in (1, 2, 7):
        keys = rng.integers(0, count, 40)
        start, order = np.empty(count + 2, np.int64), np.empty(40, np.int64)
        sorted_by(keys, start, count, order)
        np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
        np.testing.assert_array_equal(start[: count + 1], np.searchsorted(np.sort(keys), np.arange(count + 1)))
