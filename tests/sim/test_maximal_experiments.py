"""The experiments of Tazaki & Hasegawa (2007) and Hanaoka (2010) in their own form: every link a loose body."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, State
from hitogata.library import chain, human28, pendulum, upper_body, virtual_human
from hitogata.sim import Coordinates, Settings, World

PLAIN = {"keep_energy": False, "slow_taut": False, "longest_fast_step": np.inf}


def maximal(**settings) -> World:
    return World(settings=Settings(**settings), coordinates=Coordinates.MAXIMAL)


def place_of(figure: Figure, frame: str, q: np.ndarray) -> np.ndarray:
    link, pose = figure.frame(frame)
    poses = forward_kinematics(figure, q)
    return poses.position[link] + poses.rotation[link] @ np.asarray(pose.position)


@pytest.mark.parametrize(("stiffness", "damping"), [(2, 1), (20, 10), (200, 100), (2000, 1), (1e7, 0)])
def test_pendulum_settles_at_a_tenth_of_a_second(stiffness, damping):
    angles = []
    for c in Coordinates:
        world = World(settings=Settings(theta=1.0, **PLAIN), coordinates=c)
        bob = world.add(pendulum(), State(np.array([np.pi / 2]), np.zeros(1)))
        bob.set_target(np.zeros(1))
        bob.set_motor(stiffness, damping)
        own = []
        for _ in range(100):
            world.step(0.1)
            own.append(bob.q[0])
        angles.append(own)
    assert np.abs(angles[1]).max() < np.pi / 2
    assert abs(angles[1][-1]) < 1e-6
    np.testing.assert_allclose(angles[1], angles[0], atol=1e-6)


def reach(coordinates: Coordinates, sweeps: int):
    """The right hand is drawn by a spring to a target that jumps; places of the hand, worst gap, gap at the end."""
    figure = upper_body()
    world = World(settings=Settings(sweeps=sweeps), coordinates=coordinates)
    member = world.add(figure)
    for joints, k in ((["waist", "spine"], 160.0), (["neck", "shoulder_left", "shoulder_right"], 40.0)):
        member.set_motor(k, k / 10, joints)
    member.set_motor(10.0, 1.0, ["elbow_left", "elbow_right"])
    hand = world.add_spring(
        (member, "palm_right"), place_of(figure, "palm_right", member.q), stiffness=3000.0, damping=100.0
    )
    places, worst = [], 0.0
    for target in ((0.4, -0.2, 1.2), (0.3, -0.6, 1.4), (0.2, -0.1, 1.6)):
        hand.move_anchor(target)
        for _ in range(60):
            world.step(0.1)
            worst = max(worst, member.joint_gaps()[:, 1].max())
        places.append(place_of(figure, "palm_right", member.q))
        assert np.linalg.norm(places[-1] - target) < 0.15
    return np.array(places), worst, member.joint_gaps().max()


def test_upper_body_reaches_for_a_target_that_jumps_at_a_tenth_of_a_second():
    truth, _, _ = reach(Coordinates.REDUCED, 50)
    places, worst, end = reach(Coordinates.MAXIMAL, 100)
    np.testing.assert_allclose(places, truth, atol=1e-5)
    assert worst < 0.03
    assert end < 1e-5


@pytest.mark.parametrize(("h", "sweeps"), [(1 / 240, 20), (1 / 60, 50), (1 / 30, 200), (0.1, 500)])
def test_human_stands_if_there_are_enough_sweeps(h, sweeps):
    """On ground of 1e5 N/m at each point; firmer ground takes more sweeps."""
    world = maximal(sweeps=sweeps, contact_mass=np.inf, contact_depth=np.inf)
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    disturbed = np.concatenate([np.zeros(6), 0.05 * np.random.default_rng(1).normal(size=28)])
    human.state = State(human.q, disturbed)
    worst = 0.0
    for _ in range(round(10 / h)):
        world.step(h)
        worst = max(worst, human.joint_gaps()[:, 1].max())
    assert human.q[2] > 0.95
    assert np.abs(human.v[6:]).max() < 0.01
    assert worst < 3e-4
    force = sum(contact.force for contact in world.contacts())
    np.testing.assert_allclose(force, [0.0, 0.0, 69 * 9.81], atol=69 * 9.81e-3)


def test_hand_of_a_virtual_human_is_led_around_the_shoulder():
    """Within the range of the shoulder, though the pointer leads out of it."""
    figure = virtual_human(fixed_base=True)
    world = maximal(sweeps=100)
    human = world.add(figure)
    human.set_motor(300.0, 10.0)
    human.set_motor(0.0, 2.0, ["shoulder_right", "elbow_right"])
    shoulder, cut = figure.link_index("upper_arm_right"), figure.q_slice("shoulder_right")
    range_, centre = figure.links[shoulder].joint.range, forward_kinematics(figure, human.q).position[shoulder]
    pointer = world.add_spring((human, "palm_right"), centre, stiffness=1000.0, damping=50.0)
    depths = []
    for k in range(240):
        turn = 2 * np.pi * k / 240
        pointer.move_anchor(centre + 0.5 * np.array([np.cos(turn), -0.4, -np.sin(turn)]))
        world.step(1 / 60)
        found = range_.violation(human.q[cut])
        depths.append((float(found.swing_depth), float(found.twist_depth)))
    assert np.max(depths) > -1e-3, "the arm never came to its wall"
    assert np.degrees(np.max(depths)) < 1.0
    assert human.joint_gaps()[:, 1].max() < 1e-3


def test_a_hanging_chain_feels_the_weight_below_each_joint():
    figure = chain(5)
    world = maximal(sweeps=100)
    member = world.add(figure)
    member.set_motor(50.0, 20.0)
    world.step(1 / 60, steps=1200)
    below = np.cumsum([link.mass.mass for link in figure.links][::-1])[::-1]
    np.testing.assert_allclose(member.joint_forces()[:, 5], below * 9.81, rtol=1e-5)
    np.testing.assert_allclose(member.joint_forces()[:, :5], 0, atol=1e-4)


def test_joints_of_a_falling_human_stay_together_and_come_to_rest():
    world = maximal(sweeps=50)
    world.add_ground()
    human = world.add(human28())
    human.set_motor(20.0, 2.0)
    human.state = State(human.q, np.concatenate([[0.5, 1.0, 0, 0.5, 0, 0], np.zeros(28)]))
    worst = np.zeros(2)
    for _ in range(5 * 240):
        world.step(1 / 240)
        worst = np.maximum(worst, human.joint_gaps().max(0))
    assert human.q[2] < 0.4
    assert np.abs(human.v).max() < 0.05
    assert worst[0] < 0.01
    assert worst[1] < 0.002
    assert human.joint_gaps().max() < 1e-5
