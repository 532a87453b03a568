"""Forces that can be read: contacts, ties, motors, limits and joints; pulls from outside; recording."""

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_kinematics, inverse_dynamics
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Box, Pose, Sphere, State
from hitogata.library import chain, human28
from hitogata.sim import Settings, World
from hitogata.sim.pair_list import PAIRS

G = 9.81


def test_a_hanging_chain_feels_the_weight_below_each_joint():
    figure = chain(5)
    world = World()
    member = world.add(figure)
    member.set_motor(50.0, 20.0)
    world.step(1 / 60, steps=1200)
    masses = np.array([link.mass.mass for link in figure.links])
    below = np.cumsum(masses[::-1])[::-1]
    forces = member.joint_forces()
    np.testing.assert_allclose(forces[:, 5], below * G, rtol=1e-6)
    np.testing.assert_allclose(forces[:, 3:5], 0, atol=1e-5)


def test_forces_of_a_standing_human_balance():
    world = World()
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    world.step(1 / 60, steps=3600)
    figure, forces = human.figure, human.joint_forces()
    np.testing.assert_allclose(forces[0], 0, atol=1e-3)  # nothing holds the free base
    hip = figure.link_index("thigh_left")
    legs = sum(link.mass.mass for link in figure.links if link.name.split("_")[0] in ("thigh", "shin", "foot"))
    both = forces[hip, 5] + forces[figure.link_index("thigh_right"), 5]
    assert both == pytest.approx(-(69 - legs) * G, rel=1e-4)  # the pelvis stands on them
    torque = inverse_dynamics(figure, human.q, np.zeros(figure.nv), np.zeros(figure.nv))
    arm = figure.v_slice("shoulder_left")
    np.testing.assert_allclose(human.motor_forces()[arm], torque[arm], atol=1e-3)
    np.testing.assert_allclose(human.contact_forces().sum(0), [0, 0, 69 * G], atol=0.1)


def test_motor_torque_is_what_the_joint_feels_about_its_axis():
    figure = human28()
    world = World(gravity=(0.0, 0.0, 0.0))
    human = world.add(figure)
    human.set_motor(100.0, 5.0)
    target = figure.neutral()
    target[figure.q_slice("elbow_left")] = -1.0
    human.set_target(target)
    before = human.q
    world.step(1 / 100)
    axis = forward_kinematics(figure, before).rotation[figure.link_index("forearm_left")][:, 1]
    felt = human.joint_forces()[figure.link_index("forearm_left"), :3] @ axis
    limits = human.limit_forces()[figure.link_index("forearm_left"), 0]
    motor = human.motor_forces()[figure.v_slice("elbow_left")][0]
    assert limits == 0
    assert felt == pytest.approx(motor, rel=1e-9)
    assert difference(figure, before, human.q)[figure.v_slice("elbow_left")][0] < 0


def test_a_wall_pushes_back_with_the_load_it_carries():
    figure = human28()
    world = World(gravity=(0.0, 0.0, 0.0))
    human = world.add(figure)
    human.set_motor(2000.0, 100.0)
    human.set_motor(0.0, 5.0, ["knee_left"])
    tau = np.zeros(figure.nv)
    tau[figure.v_slice("knee_left")] = -30.0  # against the limit of the straight knee
    tau[:6] = 0.0
    human.push(tau)
    world.step(1 / 60, steps=600)
    assert human.limit_forces()[figure.link_index("shin_left"), 0] == pytest.approx(30.0, rel=0.02)


@pytest.mark.parametrize("hard", [False, True])
def test_soft_walls_give_way_in_proportion_and_hard_ones_do_not(hard):
    world = World(gravity=(0.0, 0.0, 0.0))
    human = world.add(human28())
    human.set_motor(3000.0, 100.0)
    human.set_motor(0.0, 5.0, ["knee_left"])
    human.set_wall(np.inf if hard else 300.0, 10.0)
    cut = human.figure.v_slice("knee_left")
    for load in (15.0, 30.0):
        tau = np.zeros(human.figure.nv)
        tau[cut] = -load
        human.push(tau)
        world.step(1 / 60, steps=900)
        beyond = -human.q[human.figure.q_slice("knee_left")][0]
        assert beyond == pytest.approx(0.0 if hard else load / 300.0, abs=2e-4 if hard else 1e-3)


def test_a_pull_acts_where_it_is_told():
    world = World(gravity=(0.0, 0.0, 0.0))
    box = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0)
    box.pull("body", force=(0, 0, 4.0), at=(0.1, 0, 0))
    world.step(1e-4, steps=100)
    np.testing.assert_allclose(box.v[3:], [0, 0, 0.02], atol=1e-12)
    assert box.v[1] == pytest.approx(-0.1 * 4.0 * 0.01 / (2 / 3 * 2.0 * 0.1**2), rel=1e-5)
    box.pull("body")
    speed = box.v
    world.step(1e-3, steps=100)
    np.testing.assert_allclose(box.v, speed, rtol=1e-6, atol=1e-9)


def test_a_pull_stays_when_others_come():
    world = World(gravity=(0.0, 0.0, 0.0))
    box = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0)
    box.pull("body", force=(0, 0, 4.0))
    world.add_body(Sphere(0.1), mass=1.0, pose=Pose((5, 0, 0)))
    world.step(0.01, steps=10)
    assert box.v[5] == pytest.approx(0.2)


def test_recording_gives_trajectories():
    world = World()
    world.add_ground()
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 0.1)))
    with world.record(every=2, contacts=True) as recording:
        world.step(1 / 100, steps=50)
    world.step(1 / 100)
    motion = recording.trajectory(ball)
    np.testing.assert_allclose(motion.time, np.arange(0, 0.51, 0.02), atol=1e-12)
    assert motion["contact_force"].shape == (26, 1, 3)
    np.testing.assert_allclose(motion["contact_force"][-1, 0], [0, 0, G], rtol=1e-3, atol=1e-9)
    assert np.array_equal(world.members[0].figure.neutral()[:2], motion.q[-1, :2])
    other = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((3, 0, 0.1)))
    with pytest.raises(ArgumentError, match="nothing was recorded"):
        recording.trajectory(other)


def test_recording_does_not_change_what_happens():
    ends = []
    for recorded in (False, True):
        world = World(settings=Settings(sweeps=10))
        world.add_ground()
        human = world.add(human28(), State(human28().neutral(), np.concatenate([[0, 1.0, 0, 0, 0, 0], np.zeros(28)])))
        if recorded:
            with world.record():
                world.step(1 / 60, steps=60)
        else:
            world.step(1 / 60, steps=60)
        ends.append(human.q)
    assert np.array_equal(*ends)


def test_groups_masks_and_ignored_pairs():
    heights = {}
    for name, mask in (("touching", 0xFFFF), ("through", 1)):
        world = World()
        world.add_ground()
        world.add_body(Box((0.5, 0.5, 0.1)), mass=50.0, pose=Pose((0, 0, 0.1)), group=2)
        ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 0.5)), mask=mask)
        world.step(1 / 60, steps=120)
        heights[name] = ball.q[2]
    assert heights["touching"] == pytest.approx(0.3, abs=2e-3)
    assert heights["through"] == pytest.approx(0.1, abs=2e-3)
    with pytest.raises(HitogataError, match="elbow_middle"):
        World().add(human28(), ignored=[("elbow_middle", "head")])


def test_more_contacts_than_there_was_room_for():
    world = World()
    world.add_ground()
    boxes = [world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pose=Pose((0.5 * k, 0, 0.1))) for k in range(100)]
    world.step(1 / 60, steps=5)
    assert len(world.contacts()) == 400
    np.testing.assert_allclose([b.q[2] for b in boxes], 0.1, atol=1e-3)


def test_many_shapes_are_swept_and_nothing_changes(monkeypatch):
    """A heap of figures and boxes, with all pairs listed and with a sweep: the same bits."""
    ends = []
    for many in (10_000, 10):
        monkeypatch.setattr("hitogata.sim.pair_list.MANY", many)
        world = World()
        world.add_ground()
        members = [world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pose=Pose((0.15 * k, 0, 0.3))) for k in range(12)]
        for k in range(3):
            q = human28().neutral()
            q[:3] += [0.4 * k, 0.1 * k, 0.3]
            members.append(world.add(human28(), State(q, np.zeros(34))))
        world.step(1 / 60, steps=60)
        ends.append(np.concatenate([m.q for m in members]))
    assert np.array_equal(*ends)


def test_room_for_pairs_grows():
    world = World()
    world.add_ground()
    for k in range(90):
        world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0.001 * k, 0.002 * (k % 7), 0.1)))
    world.step(1 / 60)
    assert world.arrays.pairs[PAIRS] > 8 * 91
    assert all(np.isfinite(m.q).all() for m in world.members)
