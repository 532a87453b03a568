"""Odd, but allowed: extremes of size, mass and step, handles misused, worlds copied, histories that go back."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Box, Capsule, FigureBuilder, MassProperties, Pose, Sphere, State, joint
from hitogata.library import chain, human28
from hitogata.sim import Coordinates, Settings, World
from hitogata.sim.layout import PIECES

BOTH = pytest.mark.parametrize("coordinates", list(Coordinates), ids=lambda c: c.value)


def standing(**options) -> World:
    world = World(**options)
    world.add_ground()
    world.add(human28()).set_motor(2000.0, 30.0)
    return world


# ------------------------------------------------------- extremes


@BOTH
def test_a_world_of_nothing(coordinates):
    world = World(coordinates=coordinates)
    world.step(0.1, steps=3)
    world.restore(world.save())
    with world.record():
        world.step(0.1)
    world.add_ground()
    world.step(0.1)
    ball = world.add_body(Sphere(0.1), mass=1.0)
    world.step(0.1)
    world.remove(ball)
    world.step(0.1)
    assert world.time == pytest.approx(0.7)
    assert world.contacts() == world.members == world.ties == []
    assert world.residual == 0.0


@pytest.mark.parametrize("shape", [Sphere(0.1), Box((0.1, 0.1, 0.1)), Capsule(0.1, 0.2)], ids=repr)
def test_what_begins_at_the_same_place_parts(shape):
    """Five bodies in one place, half in the ground."""
    world = World()
    world.add_ground()
    bodies = [world.add_body(shape, mass=1.0) for _ in range(5)]
    fastest = 0.0
    for _ in range(300):
        world.step(1 / 60)
        fastest = max(fastest, *(np.linalg.norm(body.v[3:]) for body in bodies))
    assert fastest < 6.0 * world.settings.push_out_speed  # each of five pushes the others
    assert all(contact.gap > -1e-3 for contact in world.contacts())


@pytest.mark.parametrize("mass", [1e-30, 1e-9, 1e9, 1e30])
def test_masses(mass):
    """The heavier the firmer, the lighter the same: a box comes to rest, and weighs what it should."""
    world = World()
    world.add_ground()
    box = world.add_body(Box((0.1, 0.1, 0.1)), mass=mass, pose=Pose((0, 0, 0.5)))
    world.step(1 / 60, steps=180)
    assert box.q[2] == pytest.approx(0.1, abs=1e-3)
    assert box.contact_forces()[0, 2] == pytest.approx(9.81 * mass, rel=1e-9)


@pytest.mark.parametrize("h", [1e-300, 1e-30, 1e-9, 1.0, 10.0])
def test_steps(h):
    world = standing()
    human = world.members[0]
    for length in (h, 1 / 60, h):
        world.step(length, steps=5)
    assert np.abs(human.v).max() < 1.0
    assert human.q[2] == pytest.approx(1.0, abs=0.01) if h < 1 else 0.0 < human.q[2] < 1.1  # it may fall
    assert all(contact.gap > -0.01 for contact in world.contacts())


def test_steps_in_more_than_one_call(monkeypatch):
    """Kernels take so many steps at once; more are more calls, and nothing changes."""
    ends = []
    for most in (3, 10_000):
        monkeypatch.setattr("hitogata.sim.world.MOST_AT_ONCE", most)
        world = standing()
        world.step(1 / 60, steps=20)
        ends.append([world.time, *world.members[0].q])
    assert ends[0] == ends[1]


def test_a_figure_that_cannot_move():
    builder = FigureBuilder("post")
    mass = MassProperties.principal(1.0, (0, 0, 0), (1, 1, 1))
    builder.add("post", None, joint.fixed(), mass, shapes=[Box((0.1, 0.1, 0.1), pose=Pose((0, 0, 0.5)))])
    for coordinates in Coordinates:
        world = World(coordinates=coordinates)
        post = world.add(builder.build())
        ball = world.add_body(Sphere(0.1), mass=2.0, pose=Pose((0, 0, 0.75)))
        post.set_motor(10.0, 1.0)
        post.set_wall(10.0)
        post.set_target([])
        post.push([])
        post.pull("post", (1.0, 2.0, 3.0))
        world.step(1 / 60, steps=120)
        assert post.q.shape == post.v.shape == post.motor_forces().shape == (0,)
        assert ball.q[2] == pytest.approx(0.7, abs=1e-3)
        weight = [0.0, 0.0, (2.0 + 1.0) * 9.81]  # of the ball and its own
        np.testing.assert_allclose(post.joint_forces()[0, 3:], np.subtract(weight, [1.0, 2.0, 3.0]), atol=1e-3)


def test_thousands_of_bodies():
    """They come and go at once, however many there are: all is laid out when it is next needed."""
    world = World()
    world.add_ground()
    ball = Sphere(0.05)
    balls = [world.add_body(ball, mass=1.0, pose=Pose((0.2 * (k % 50), 0.2 * (k // 50), 0.05))) for k in range(2000)]
    world.step(1 / 60, steps=2)
    for one in balls[::2]:
        world.remove(one)
    world.step(1 / 60, steps=2)
    assert len(world.members) == 1000
    assert len(world.contacts()) == 1000
    np.testing.assert_allclose([one.q[2] for one in balls[1::2]], 0.05, atol=1e-3)


# ------------------------------------------------------- refused


@pytest.mark.parametrize("name", ["gravity", "settings", "coordinates", "time", "members", "ties", "arrays"])
def test_what_a_world_is_cannot_be_set(name):
    """Nothing would come of it, or much later."""
    world = standing()
    with pytest.raises(AttributeError):
        setattr(world, name, getattr(world, name))


def test_lists_of_what_is_in_a_world_are_copies():
    world = standing()
    human = world.members[0]
    world.add_spring((human, "head"), (0, 0, 2.0), stiffness=10.0, damping=1.0)
    world.members.clear()
    world.ties.clear()
    assert (len(world.members), len(world.ties)) == (1, 1)
    world.step(1 / 60)


def test_what_a_figure_and_a_spring_are_cannot_be_set():
    world = standing()
    human = world.members[0]
    spring = world.add_spring((human, "head"), (0, 0, 2.0), stiffness=10.0, damping=1.0)
    for thing, names in ((human, ("figure", "friction", "restitution", "group", "mask", "ignored", "world")),
                         (spring, ("ends", "stiffness", "damping", "length", "world"))):  # fmt: skip
        for name in names:
            with pytest.raises(AttributeError):
                setattr(thing, name, getattr(thing, name))


def test_arrays_that_were_given_may_be_used_on():
    """What the user does to them later is none of the world's business."""
    point, q = np.array([0.0, 0.0, 1.0]), np.array([5.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0])
    world = World(gravity=(0, 0, 0))
    ball = world.add_body(Sphere(0.1), mass=1.0)
    state = State(q, np.zeros(6))
    other = world.add(ball.figure, state)
    spring = world.add_spring((ball, "body"), point, stiffness=10.0, damping=10.0)
    for array in (point, q, state.q):
        array.setflags(write=True)
        array[:] = math.nan
    world.step(1 / 60, steps=600)
    np.testing.assert_allclose(ball.q[:3], [0, 0, 1.0], atol=1e-2)
    np.testing.assert_array_equal(other.q, [5, 0, 0.5, 1, 0, 0, 0])
    moved = np.array([1.0, 0.0, 0.0])
    spring.move_anchor(moved)
    moved[:] = math.nan
    np.testing.assert_array_equal(spring.ends[1], [1, 0, 0])


@pytest.mark.parametrize("gravity", [(0, 0, -1e300), (1e200, 1e200, 0)])
def test_gravity_beyond_reason(gravity):
    with pytest.raises(ArgumentError, match="gravity: must be"):
        World(gravity=gravity)


def test_bouncing_never_gains():
    world = World()
    with pytest.raises(ArgumentError, match="restitution: must be 1 at the most"):
        world.add_ground(restitution=1.5)
    with pytest.raises(ArgumentError, match="restitution: must be 1 at the most"):
        world.add_body(Sphere(0.1), mass=1.0, restitution=5)


# ------------------------------------------------------- copies


@BOTH
@pytest.mark.parametrize("how", [copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))], ids=["copy", "pickle"])
def test_a_copy_goes_its_own_way(how, coordinates):
    """It begins with the same bits, and neither world moves the other."""
    world = standing(coordinates=coordinates)
    human = world.members[0]
    world.add_spring((human, "head"), (0.1, 0, 2.0), stiffness=100.0, damping=1.0)
    world.step(1 / 60, steps=3)
    twin = how(world)
    other, there = twin.members[0], human.q
    twin.step(1 / 60, steps=3)
    assert np.array_equal(human.q, there)
    world.step(1 / 60, steps=3)
    assert other.world is twin
    assert np.array_equal(human.q, other.q)
    other.push(np.full(34, 1.0))
    twin.step(1 / 60)
    world.step(1 / 60)
    assert not np.array_equal(human.q, other.q)


# ------------------------------------------------------- snapshots and recordings


def test_a_snapshot_of_other_coordinates_is_refused():
    worlds = [standing(coordinates=coordinates) for coordinates in Coordinates]
    for one, other in (worlds, worlds[::-1]):
        before = other.save()
        with pytest.raises(ArgumentError, match="other coordinates"):
            other.restore(one.save())
        assert np.array_equal(other.save().state, before.state)


def spoilings(saved):
    for name in ("state", "start", "control", "ties", "counts", "contacts", "points"):
        yield name, getattr(saved, name)[:-1]
        yield name, None
        yield name, getattr(saved, name).astype(np.float32)
    yield "time", math.nan
    yield "time", "x"
    yield "unread", "x"
    yield "unread", frozenset([7])


def test_a_spoilt_snapshot_is_refused_and_nothing_changes():
    world = standing()
    world.step(0.1, steps=3)
    saved = world.save()
    assert saved.counts[PIECES] == 1
    world.step(1 / 60)
    before = pickle.dumps(world.save())
    for name, value in spoilings(saved):
        with pytest.raises(HitogataError, match=f"snapshot: .*{name}"):
            world.restore(dataclasses.replace(saved, **{name: value}))
        assert pickle.dumps(world.save()) == before
    world.restore(saved)


def test_a_recording_goes_back_with_its_world():
    world = standing()
    human = world.members[0]
    with world.record(contacts=True) as recording, world.record(every=3) as sparse:
        world.step(1 / 60, steps=4)
        saved, there = world.save(), human.q
        world.step(1 / 60, steps=7)
        world.restore(saved)
        np.testing.assert_allclose(sparse.trajectory(human).time, np.array([0, 3, 4]) / 60)
        human.push(np.full(34, 5.0))
        world.step(1 / 60, steps=4)
    motion = recording.trajectory(human)
    np.testing.assert_allclose(motion.time, np.arange(9) / 60, atol=1e-12)
    assert motion.channels["contact_force"].shape == (9, human.figure.nlinks, 3)
    np.testing.assert_array_equal(motion.q[4], there)
    np.testing.assert_array_equal(motion.q[8], human.q)
    np.testing.assert_allclose(sparse.trajectory(human).time, np.array([0, 3, 4, 7]) / 60)


def test_what_came_and_went_while_recording():
    world = World()
    first = world.add(chain(3))
    with world.record(contacts=True) as recording:
        world.step(0.01, steps=3)
        second = world.add_body(Sphere(0.1), mass=1.0)
        world.step(0.01, steps=3)
        world.remove(first)
        world.step(0.01, steps=3)
    assert len(recording.trajectory(first).time) == 7
    assert len(recording.trajectory(second).time) == 6


def test_a_rope_between_figures_goes_with_either():
    world = World()
    one, other = world.add(chain(2)), world.add(chain(2))
    rope = world.add_rope((one, "link1"), (other, "link1"), length=1.0)
    own = world.add_spring((one, "link1"), (0, 0, 0), stiffness=1.0, damping=1.0)
    world.remove(other)
    assert world.ties == [own]
    with pytest.raises(ArgumentError, match="removed"):
        _ = rope.force
    world.step(0.1, steps=3)


def test_one_figure_twice():
    """Two members of one figure are two: set one, and the other does not notice."""
    figure = human28()
    world = World(gravity=(0, 0, 0), settings=Settings(sweeps=20))
    far = figure.neutral()
    far[0] += 5.0
    one, other = world.add(figure), world.add(figure, State(far, np.zeros(34)))
    one.set_motor(100.0, 1.0)
    one.push(np.ones(34))
    world.step(1 / 60, steps=5)
    assert np.abs(one.v).max() > 0.1
    assert np.array_equal(other.q, far)


def test_a_spring_on_a_point_of_a_link():
    """It draws that point to the anchor; a free base feels nothing."""
    world = World(gravity=(0, 0, 0))
    ball = world.add_body(Sphere(0.1), mass=1.0)
    spring = world.add_spring((ball, "body", (0.1, 0.0, 0.0)), (1.0, 0.0, 0.0), stiffness=50.0, damping=20.0)
    world.step(1 / 60, steps=5)
    assert spring.force[0] > 0
    np.testing.assert_allclose(spring.force[1:], 0, atol=1e-12)
    np.testing.assert_allclose(ball.joint_forces(), 0, atol=1e-9)
    world.step(1 / 60, steps=1200)
    np.testing.assert_allclose(ball.q[:3], [0.9, 0, 0], atol=1e-6)
    with pytest.raises(ArgumentError, match="a: point in the frame"):
        world.add_spring((ball, "body", (0.1, math.nan, 0.0)), (1.0, 0.0, 0.0), stiffness=50.0, damping=20.0)
