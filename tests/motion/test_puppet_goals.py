"""Goals of every kind, met: orientations, poses, heights, wanted joint values; with a free and a fixed base."""

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_kinematics
from hitogata.library import virtual_human
from hitogata.motion import Hold, Puppet, Status
from hitogata.spatial import matrix_to_quat
from tests.motion import puppet_cases as cases

DT = 1 / 60


def orientation_of(figure, q, link) -> np.ndarray:
    """A link's orientation in the world, quaternion, shape (..., 4)."""
    return matrix_to_quat(forward_kinematics(figure, q).rotation[..., figure.link_index(link), :, :])


def apart(a, b) -> np.ndarray:
    """Angle between orientations [rad]."""
    return 2 * np.arccos(np.clip(np.abs(np.sum(a * b, axis=-1)), 0.0, 1.0))


@pytest.mark.parametrize("hold", [Hold.ORIENTATION, Hold.POSE], ids=lambda hold: hold.name)
@pytest.mark.parametrize("online", [False, True], ids=["solve", "frames"])
def test_orientations_are_reached(hold, online):
    """The virtual human's right hand is turned, or placed and turned, as in 100 poses that keep feet and left hand."""
    stand, poses = cases.standing("virtual_human"), cases.reachable(name="virtual_human")[::2]
    figure = stand.figure
    puppet = Puppet(figure, np.tile(figure.neutral(), (len(poses), 1)))
    for frame, point in stand.pins:
        puppet.pin(frame, point=point)
    link, point = stand.hand
    places, turns = stand.hand_at(poses), orientation_of(figure, poses, link)
    given = {"point": point, "position": places} if hold is Hold.POSE else {}
    puppet.drag(link, hold=hold, orientation=turns, **given)
    if online:
        for _ in range(600):
            puppet.step(DT)
        met = puppet.step(DT)
        reached = (met.position < 1e-4) & (met.angle < 1e-4)
    else:
        reached = np.array([status is Status.REACHED for status in puppet.solve(1000).status])
    assert reached.mean() > 0.95  # a way downhill may end at a wall
    q = puppet.q
    assert cases.beyond(figure, q).max() < 1e-6
    assert apart(orientation_of(figure, q, link), turns)[reached].max() < 2e-4
    assert stand.pins_off(q)[reached].max() < 1e-3
    if hold is Hold.POSE:
        assert np.linalg.norm(stand.hand_at(q) - places, axis=1)[reached].max() < 1e-3


def test_orientation_pins_hold():
    """Soles and head keep their orientations while the hand goes down; without these pins they do not."""
    figure, links = cases.human(), ("foot_left", "foot_right", "head")
    rest, off = figure.neutral(), {}
    for pinned in (True, False):
        puppet = Puppet(figure)
        for frame, point in cases.FEET:
            puppet.pin(frame, point=point)
        for link in links if pinned else ():
            puppet.pin(link, hold=Hold.ORIENTATION)
        puppet.drag("grip_right", position=(0.45, -0.2, 0.8))
        assert puppet.solve().status is Status.REACHED
        off[pinned] = [float(apart(orientation_of(figure, x, n), orientation_of(figure, rest, n)))
                       for n in links for x in (puppet.q,)]  # fmt: skip
    assert max(off[True]) < 1e-4
    assert off[False][2] > 0.1


def test_a_height_is_held_and_the_rest_is_free():
    """A pin of one axis: the hand stays 1.1 m high while the pelvis goes aside, and is free to go along."""
    figure = cases.human()
    puppet = Puppet(figure)
    for frame, point in cases.FEET:
        puppet.pin(frame, point=point)
    hand = puppet.pin("grip_right", position=(0, 0, 1.1), axes=(0, 0, 1))
    puppet.solve()
    before = cases.frame_of(figure, puppet.q, "grip_right")
    pelvis = cases.frame_of(figure, puppet.q, "pelvis")
    puppet.drag("pelvis", position=pelvis + (0.05, 0.1, -0.05))
    assert puppet.solve().status is Status.REACHED
    after = cases.frame_of(figure, puppet.q, "grip_right")
    assert after[2] == pytest.approx(1.1, abs=1e-4)
    assert np.linalg.norm(after[:2] - before[:2]) > 0.01
    assert puppet.residual(hand).position < 1e-4


@pytest.mark.parametrize("time", [0.1, 0.5, 2.0])
def test_wanted_joint_values_in_their_time(time):
    """What nothing else moves goes 63 % of its way in the time given, and then all of it; a dragged hand stays."""
    figure = cases.without_ranges(cases.human())
    wanted = figure.random(np.random.default_rng(0), spread=0.1)
    wanted[:7] = figure.neutral()[:7]
    puppet = Puppet(figure)
    puppet.set_speed_limit(turn=100.0)
    joints = figure.joint_names[1:]
    puppet.set_posture(time=time, joints=joints)
    for _ in range(150):  # until it has taken hold
        puppet.step(DT)
    puppet.set_posture(wanted, time=time, joints=joints)
    start = np.abs(difference(figure, puppet.q, wanted)[6:])
    frames = round(time / DT)
    for _ in range(frames):
        puppet.step(DT)
    left = np.abs(difference(figure, puppet.q, wanted)[6:])
    moved = start > 0.02
    share = left[moved] / start[moved]
    np.testing.assert_allclose(share, (1 + DT / time) ** -frames, atol=5e-3)  # 37 %, in finite steps
    hand = puppet.drag("grip_right")
    place = cases.frame_of(figure, puppet.q, "grip_right")
    for _ in range(round(12 * time / DT)):
        puppet.step(DT)
    assert puppet.residual(hand).position < 1e-3
    assert np.linalg.norm(cases.frame_of(figure, puppet.q, "grip_right") - place) < 1e-3
    assert np.abs(difference(figure, puppet.q, wanted)[figure.v_slice("hip_left")]).max() < 1e-3


def test_a_fixed_base_stays():
    """The virtual human with its pelvis fixed to the world: the hand reaches what arm and trunk allow, nothing else."""
    figure = virtual_human(fixed_base=True)
    rng = np.random.default_rng(2)
    poses = cases.clamped(figure, np.stack([figure.random(rng, spread=0.4) for _ in range(200)]))
    targets = cases.frame_of(figure, poses, "palm_right")
    start = figure.neutral()
    start[figure.q_slice("elbow_right")] = -0.6  # an arm stretched altogether does not always know how to bend
    puppet = Puppet(figure, np.tile(start, (200, 1)))
    hand = puppet.drag("palm_right", position=targets)
    assert set(puppet.solve(1000).status) == {Status.REACHED}
    q = puppet.q
    assert np.linalg.norm(cases.frame_of(figure, q, "palm_right") - targets, axis=1).max() < 1e-4
    assert puppet.residual(hand).position.max() < 1e-4
    assert cases.beyond(figure, q).max() < 1e-6
    legs = np.r_[figure.q_slice("hip_left"), figure.q_slice("knee_left"), figure.q_slice("ankle_right")]
    assert np.abs(q[:, legs] - figure.neutral()[legs]).max() < 1e-12
    pelvis = forward_kinematics(figure, q).position[:, 0]
    assert np.ptp(pelvis, axis=0).max() < 1e-15
