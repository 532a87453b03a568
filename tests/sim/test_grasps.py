"""Hands on a bar: what they carry, and when they let go."""

import math

import numpy as np
import pytest

from hitogata.contact import distance
from hitogata.dynamics import forward_kinematics, momentum
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Box, Capsule, Pose, State
from hitogata.library import human28, human40
from hitogata.sim import ContactMethod, Settings, World, bar_gap, grasp, grasp_again

H, G = 1 / 120, 9.81
UP = (0.0, 0.0, 1.0, 0.0)  # half a turn about y: an arm that hangs is raised


def hang(figure, frames, *, settings=None, **options):
    """A figure with its arms raised and both hands on a bar through its grips."""
    q = figure.neutral()
    for joint in ("shoulder_left", "shoulder_right"):
        q[figure.q_slice(joint)] = UP
    q[2] += 0.6
    world = World(settings=settings or Settings(longest_fast_step=math.inf))
    member = world.add(figure, State(q, np.zeros(figure.nv)))
    member.set_motor(400.0, 60.0)
    member.set_target(q)
    link, pose = figure.frame(frames[0])
    poses = forward_kinematics(figure, q)
    x, _, z = poses.position[link] + poses.rotation[link] @ pose.position
    bar = Capsule.between((x, -0.8, z), (x, 0.8, z), 0.016)
    return world, member, [grasp(member, frame, bar, **options) for frame in frames]


@pytest.mark.parametrize(("make", "frames"), [
    (human28, ("grip_left", "grip_right")), (human40, ("palm_left", "palm_right")),
])  # fmt: skip
def test_two_hands_carry_the_weight_and_then_one(make, frames):
    world, member, hands = hang(make(), frames)
    weight = G * member.figure.mass
    before = member.q[2]
    world.step(H, steps=1200)
    left, right = (hand.force for hand in hands)
    assert left[2] + right[2] == pytest.approx(weight, rel=0.01)
    assert left[2] == pytest.approx(right[2], rel=0.01)
    assert abs(member.q[2] - before) < 0.02  # springs of 2e5 N/m in each hand, and stiff arms
    hands[0].let_go()
    assert not hands[0].holds
    assert hands[1].holds
    world.step(H, steps=2400)
    assert hands[1].force[2] == pytest.approx(weight, rel=0.01)
    assert len(world.ties) == 2


@pytest.mark.parametrize("method", ContactMethod)
def test_forces_are_what_changes_momentum(method):
    """Over any time, whatever swings: the sum of forces is the change of momentum."""
    settings = Settings(longest_fast_step=math.inf, contacts=method)
    world, member, hands = hang(human28(), ("grip_left", "grip_right"), settings=settings)
    hands[1].let_go()
    figure, total, weight = member.figure, np.zeros(3), np.array([0.0, 0.0, -G * member.figure.mass])
    for _ in range(240):
        world.step(H)
        total += H * (hands[0].force + weight)
    moved = momentum(figure, member.q, member.v)[3:]
    assert np.linalg.norm(moved) > 1.0  # it swings
    np.testing.assert_allclose(total, moved, atol=1e-6)


def test_a_hand_breaks_at_its_strength():
    world, member, hands = hang(human28(), ("grip_left", "grip_right"), strength=500.0)
    world.step(H, steps=600)
    assert [hand.give_way() for hand in hands] == [False, False]  # 338 N each
    hands[0].let_go()
    fell_at = None
    for k in range(240):
        world.step(H)
        if hands[1].give_way():
            fell_at = k
            break
    assert fell_at is not None
    assert world.ties == []
    assert not hands[1].broken  # it is open
    height, speed = member.q[2], member.v[5]
    world.step(H, steps=60)
    assert member.q[2] < height + min(speed, 0.0) * 0.5 - 0.8  # it falls: g t²/2 is 1.2 m
    hands[1].let_go()  # again: nothing happens


def test_a_hand_turns_about_the_bar_alone():
    """A box on a bar swings about it like a pendulum, and stays across it."""
    world = World(settings=Settings(longest_fast_step=math.inf))
    body = world.add_body(Box((0.05, 0.05, 0.2)), mass=2.0, pose=Pose((0.2, 0.1, 1.0)))
    bar = Capsule.between((0.0, -1.0, 1.0), (0.0, 1.0, 1.0), 0.02)
    hold = grasp(body, "body", bar)
    np.testing.assert_allclose(hold.place, [0.0, 0.1, 1.0], atol=1e-12)
    world.step(H)
    assert hold.load < 2.0 * 2 * G  # held as it was: nothing snaps
    lowest = 1.0
    for _ in range(240):
        world.step(H)
        lowest = min(lowest, body.q[2])
        assert np.linalg.norm(body.q[[0, 2]] - [0.0, 1.0]) == pytest.approx(0.2, abs=2e-3)
        assert body.q[1] == pytest.approx(0.1, abs=1e-3)
        assert abs(body.q[4]) + abs(body.q[6]) < 1e-3  # no turn but that about y
    assert lowest == pytest.approx(0.8, abs=5e-3)


def test_the_same_hold_in_another_world():
    world, member, hands = hang(human28(), ("grip_left", "grip_right"), strength=700.0)
    world.step(H, steps=600)
    other = World(settings=world.settings)
    twin = other.add(member.figure, member.state)
    twin.set_motor(400.0, 60.0)
    twin.set_target(hang(human28(), ("grip_left", "grip_right"))[1].q)
    again = [grasp_again(hand, twin) for hand in hands]
    assert [hand.strength for hand in again] == [700.0, 700.0]
    other.step(H)
    world.step(H)
    for old, new in zip(hands, again, strict=True):
        np.testing.assert_allclose(new.force, old.force, rtol=0.02, atol=2.0)
    with pytest.raises(ArgumentError, match="other links"):
        grasp_again(hands[0], other.add(human40()))


@pytest.mark.parametrize("shift", [(0.2, 0.0, -0.09), (0.0, 0.1, -0.3), (0.1, 0.15, 0.1), (0.02, 0.0, -0.09)])
def test_gap_is_the_distance_of_the_shapes(shift):
    """Beside contact's own distance, for a hand that is a box."""
    figure = human40()
    member = World().add(figure)
    wrist = forward_kinematics(figure, member.q).position[figure.link_index("hand_left")]
    middle = wrist + shift
    bar = Capsule.between(middle - [0.0, 0.1, 0.6], middle + [0.0, 0.1, 0.6], 0.02)
    expected = distance(figure.link("hand_left").shapes[0], Pose(tuple(wrist)), bar, Pose())
    found = bar_gap(member, "hand_left", bar)
    if expected > -0.02:
        assert found == pytest.approx(expected, abs=2e-4)
    else:
        assert found < 0


def test_bad_input_changes_nothing():
    world = World()
    member = world.add(human28())
    bar = Capsule(0.02, 0.5)
    for wrong in (
        lambda: grasp(member, "hoof_left", bar),
        lambda: grasp(member, "grip_left", Box((1, 1, 1))),
        lambda: grasp(member, "grip_left", bar, strength=-1.0),
        lambda: grasp(member, "grip_left", bar, stiffness=math.nan),
        lambda: grasp("me", "grip_left", bar),
        lambda: bar_gap(member, "forearm_left", Box((1, 1, 1))),
    ):
        with pytest.raises(HitogataError):
            wrong()
    assert world.ties == []
