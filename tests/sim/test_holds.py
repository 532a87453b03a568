"""Links held to each other while a world runs: what they carry, how they turn, when they break."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata.dynamics import forward_kinematics, momentum
from hitogata.errors import HitogataError
from hitogata.figure import Box, Pose, Sphere, State
from hitogata.library import human28
from hitogata.loops.virtual_links import Turning
from hitogata.sim import ContactMethod, Settings, World, hold

H, G = 1 / 120, 9.81
PLAIN = Settings(longest_fast_step=math.inf)


def two_bodies(gravity=(0.0, 0.0, 0.0), settings=PLAIN):
    world = World(gravity=gravity, settings=settings)
    a = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0, name="a", group=1, mask=2)
    b = world.add_body(Box((0.1, 0.05, 0.1)), mass=1.0, name="b", group=1, mask=2, pose=Pose((0.5, 0.0, 0.0)))
    return world, a, b


def turn_between(a, b):
    """Turn of b against a [rad], in a's axes."""
    r_a, r_b = (forward_kinematics(m.figure, m.q).rotation[0] for m in (a, b))
    return Rotation.from_matrix(r_a.T @ r_b).as_rotvec()


@pytest.mark.parametrize("turning", [Turning.HELD, Turning.HINGE, Turning.FREE])
def test_loose_bodies_move_as_one_and_turn_as_they_may(turning):
    """In free space: momentum of both is kept, held motions are held, the others are not."""
    world, a, b = two_bodies()
    axis = (0, 0, 1) if turning is Turning.HINGE else None
    held = hold((a, "a", (0.25, 0.0, 0.0)), (b, "b"), turning=turning, axis=axis)
    a.state = State(a.q, np.array([0.0, 0.0, 1.0, 0.0, 0.2, 0.0]))  # turns about z
    b.state = State(b.q, np.array([0.6, 0.0, -1.0, 0.0, 0.2, 0.0]))  # turns about x, and the other way about z
    before = sum(momentum(m.figure, m.q, m.v)[3:] for m in (a, b))
    world.step(H, steps=240)
    after = sum(momentum(m.figure, m.q, m.v)[3:] for m in (a, b))
    np.testing.assert_allclose(after, before, atol=1e-9)
    assert held.gap < 1e-4
    turn = turn_between(a, b)
    if turning is Turning.HELD:
        assert np.linalg.norm(turn) < 2e-3
    elif turning is Turning.HINGE:
        assert np.linalg.norm(turn[:2]) < 2e-3
        assert abs(turn[2]) > 0.1
    else:
        assert np.linalg.norm(turn[:2]) > 0.1


def test_a_weld_carries_weight_and_moment():
    """A beam welded at its end: force m g, and its moment about the weld, where it has sunk to."""
    world = World(settings=Settings(tolerance=0.0, sweeps=200))
    beam = world.add_body(Box((0.5, 0.02, 0.02)), mass=4.0, name="beam")
    weld = hold((beam, "beam", (-0.4, 0.0, 0.0)), width=0.2)
    world.step(1 / 60, steps=600)
    np.testing.assert_allclose(weld.force, [0.0, 0.0, 4.0 * G], atol=1e-6)
    arm = beam.q[:3] - np.mean([tie.places[0] for tie in weld.ties], axis=0)
    np.testing.assert_allclose(arm, [0.4, 0.0, 0.0], atol=1e-3)
    np.testing.assert_allclose(weld.torque, np.cross(arm, [0.0, 0.0, 4.0 * G]), atol=1e-6)
    assert weld.gap < 2e-4


@pytest.mark.parametrize("method", ContactMethod)
@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 0.1])
def test_a_bag_in_the_hand_of_a_standing_human(method, h):
    world = World(settings=Settings(contacts=method))
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    link, pose = human.figure.frame("grip_left")
    poses = forward_kinematics(human.figure, human.q)
    x, y, z = poses.position[link] + poses.rotation[link] @ pose.position
    bag = world.add_body(Box((0.05, 0.03, 0.1)), mass=5.0, name="bag", pose=Pose((x, y, z - 0.15)))
    grip = hold((human, "grip_left"), (bag, "bag"))
    world.step(h, steps=round(5 / h))
    np.testing.assert_allclose(grip.force, [0.0, 0.0, -5.0 * G], atol=0.05)
    assert grip.gap < 2e-4
    assert human.q[2] > 0.9  # it stands
    ground = sum(c.force for c in world.contacts())
    assert ground[2] == pytest.approx((human.figure.mass + 5.0) * G, rel=1e-3)


def test_hand_in_hand_between_figures_and_a_closed_loop():
    """Two humans that hang by their heads and hold each other by a hand: a loop through the world."""
    world, figure = World(settings=PLAIN), human28()
    link, pose = figure.frame("grip_left")
    poses = forward_kinematics(figure, figure.neutral())
    aside = (poses.position[link] + poses.rotation[link] @ pose.position)[1]
    pair = [world.add(figure) for _ in range(2)]
    for k, human in enumerate(pair):
        q = figure.neutral()
        q[1] = 2 * aside * k
        human.state = State(q, np.zeros(figure.nv))
        human.set_motor(300.0, 30.0)
    hang = [hold((human, "head"), turning=Turning.FREE) for human in pair]
    hands = hold((pair[0], "grip_left"), (pair[1], "grip_right"), turning=Turning.FREE)
    total, weight = np.zeros(3), np.array([0.0, 0.0, -2 * figure.mass * G])
    for _ in range(240):
        world.step(H)
        total += H * (hang[0].force + hang[1].force + weight)
    moved = sum(momentum(figure, human.q, human.v)[3:] for human in pair)
    np.testing.assert_allclose(total, moved, atol=1e-6)  # what holds, and weight, is all that moves them
    assert hands.gap < 1e-3
    assert np.linalg.norm(hands.force) > 1.0


def test_it_breaks_at_its_limits():
    for limits, pull in (({"force_limit": 30.0}, 31.0), ({"torque_limit": 3.0}, 31.0)):
        world = World(gravity=(0.0, 0.0, 0.0), settings=PLAIN)
        ball = world.add_body(Sphere(0.1), mass=1.0, name="ball")
        held = hold((ball, "ball", (-0.1, 0.0, 0.0)), **limits)
        ball.pull("ball", (0.0, 0.0, 0.9 * pull if "force_limit" in limits else 0.8 * pull))
        world.step(H, steps=240)
        assert held.holds
        ball.pull("ball", (0.0, 0.0, 1.1 * pull))
        world.step(H, steps=240)
        assert not held.holds
        assert not held.broken
        assert world.ties == []
        assert ball.v[5] > 1.0
        held.let_go()  # again: nothing happens


def test_letting_go_and_removing():
    world, a, b = two_bodies(gravity=(0.0, 0.0, -G))
    top, between = hold((a, "a")), hold((a, "a", (0.25, 0.0, 0.0)), (b, "b"), force_limit=1e4)
    world.step(H, steps=240)
    np.testing.assert_allclose(top.force, [0.0, 0.0, 3.0 * G], atol=0.02)
    world.remove(b)
    assert not between.holds
    world.step(H, steps=240)
    np.testing.assert_allclose(top.force, [0.0, 0.0, 2.0 * G], atol=0.02)
    top.let_go()
    world.step(H, steps=60)
    assert a.v[5] == pytest.approx(-G * 0.5, rel=0.01)


def test_bad_input_changes_nothing():
    world, a, b = two_bodies()
    other = World().add_body(Sphere(0.1), mass=1.0)
    for wrong in (
        lambda: hold((0.0, 0.0, 0.0)),
        lambda: hold((a, "hoof")),
        lambda: hold((a, "a"), (a, "a")),
        lambda: hold((a, "a"), (other, "body")),
        lambda: hold((a, "a"), (1.0, 2.0, 3.0)),
        lambda: hold((a, "a"), turning=Turning.GIMBAL),
        lambda: hold((a, "a"), turning=Turning.HINGE),
        lambda: hold((a, "a"), turning=Turning.HINGE, axis=(0, 0, 0)),
        lambda: hold((a, "a"), axis=(0, 0, 1)),
        lambda: hold((a, "a", (math.nan, 0, 0)), (b, "b")),
        lambda: hold((a, "a"), stiffness=0.0),
        lambda: hold((a, "a"), width=-1.0),
        lambda: hold((a, "a"), force_limit=math.nan),
    ):
        with pytest.raises(HitogataError):
            wrong()
    assert world.ties == []
