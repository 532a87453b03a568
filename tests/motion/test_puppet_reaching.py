"""Dragging the right hand of a human with clinical ranges; toes, heels and left hand pinned (the paper's figure 7)."""

import numpy as np
import pytest

from hitogata.dynamics import centre_of_mass, difference, forward_kinematics, integrate
from hitogata.motion import Priority, Puppet, PuppetSettings, Status
from tests.motion import puppet_cases as cases

FIGURE, DT = cases.human(), 1 / 60
DEGREE = np.pi / 180
STANDING = ("human28", "virtual_human")


def pinned(count=None, *, name="human28", settings=None, pins=Priority.SECOND, weight=1.0, drag=Priority.FIRST):
    """A puppet, its pins, and the handle of its hand."""
    stand = cases.standing(name)
    q = stand.figure.neutral()
    puppet = Puppet(stand.figure, q if count is None else np.tile(q, (count, 1)), settings=settings)
    held = [puppet.pin(frame, point=point, priority=pins, weight=weight) for frame, point in stand.pins]
    return puppet, held, puppet.drag(stand.hand[0], point=stand.hand[1], priority=drag)


def out_of_reach(count=200) -> np.ndarray:
    """Places 2 to 3 m from the waist: farther than arm and trunk can go from the feet."""
    rng = np.random.default_rng(1)
    way = rng.normal(size=(count, 3))
    return (0, 0, 1.0) + way / np.linalg.norm(way, axis=1, keepdims=True) * rng.uniform(2.0, 3.0, (count, 1))


@pytest.mark.parametrize("name", STANDING)
@pytest.mark.parametrize("count", [None, 200])
def test_targets_within_reach_are_reached(name, count):
    """One by one, and as a batch."""
    stand, poses = cases.standing(name), cases.reachable(name=name)
    targets = stand.hand_at(poses)
    puppet, _, hand = pinned(count, name=name)
    if count is None:
        ends, status = [], []
        for target in targets:
            puppet.place(stand.figure.neutral())
            puppet.set_target(hand, position=target)
            status.append(puppet.solve().status)
            ends.append(puppet.q)
        q = np.array(ends)
    else:
        puppet.set_target(hand, position=targets)
        status, q = puppet.solve().status, puppet.q
    assert set(status) == {Status.REACHED}
    assert np.linalg.norm(stand.hand_at(q) - targets, axis=1).max() < 1e-4
    assert stand.pins_off(q).max() < 1e-4
    assert cases.beyond(stand.figure, q).max() < 1e-6


@pytest.mark.parametrize("name", STANDING)
def test_frames_lead_there_too(name):
    """The target moves to its place in 2 s, and rests; nothing but frames of 1/60 s."""
    stand, poses = cases.standing(name), cases.reachable(name=name)
    targets, start = stand.hand_at(poses), stand.hand_at(stand.figure.neutral())
    puppet, _, hand = pinned(200, name=name)
    worst = 0.0
    for k in range(240):
        t = min(1.0, k / 120)
        puppet.set_target(hand, position=start + (targets - start) * (3 - 2 * t) * t * t)
        before = puppet.q
        puppet.step(DT)
        worst = max(worst, float(cases.turns(stand.figure, before, puppet.q).max()))
    q = puppet.q
    assert np.linalg.norm(stand.hand_at(q) - targets, axis=1).max() < 1e-3
    assert stand.pins_off(q).max() < 1e-3
    assert cases.beyond(stand.figure, q).max() < 1e-6
    assert worst < 5 * DEGREE


LEVELS = {
    "drag before pins": (Priority.SECOND, 1.0, Priority.FIRST),
    "pins before drag": (Priority.FIRST, 1.0, Priority.SECOND),
    "one level, pins 100": (Priority.SECOND, 100.0, Priority.SECOND),
    "one level, even": (Priority.SECOND, 1.0, Priority.SECOND),
}


@pytest.mark.parametrize("name", STANDING)
@pytest.mark.parametrize("levels", LEVELS, ids=str)
def test_targets_out_of_reach(levels, name):
    """The higher level has its way to a millimetre; on one level, pins move as their weight allows.

    On one level the energy ½ Σ w e² never rises above that of the hand's error alone, so that a pin of weight w moves
    by √(w_hand/w) times that error at the most.  All comes to rest, without a joint that jumps or trembles: from frame
    to frame, velocities change by less than 0.02° per frame in the mean.
    """
    pins, weight, drag = LEVELS[levels]
    stand = cases.standing(name)
    figure = stand.figure
    targets, start = out_of_reach(), stand.hand_at(figure.neutral())
    puppet, _, hand = pinned(200, name=name, pins=pins, weight=weight, drag=drag)
    worst = rest = 0.0
    last, trembling = np.zeros((200, figure.nv)), []
    for k in range(600):
        t = min(1.0, k / 240)
        puppet.set_target(hand, position=start + (targets - start) * (3 - 2 * t) * t * t)
        before = puppet.q
        puppet.step(DT)
        rest = float(cases.turns(figure, before, puppet.q).max())
        worst = max(worst, rest)
        trembling.append(np.abs(puppet.v - last) * DT)
        last = puppet.v
    q = puppet.q
    error = np.linalg.norm(stand.hand_at(q) - targets, axis=1)
    off = stand.pins_off(q)
    assert np.isfinite(q).all()
    assert cases.beyond(figure, q).max() < 1e-6
    assert worst < 5 * DEGREE
    assert rest < 1 * DEGREE
    assert np.mean(trembling[-120:], axis=0).max() < 0.02 * DEGREE
    if drag is Priority.FIRST:
        assert error.max() < 1e-3
        assert np.median(off) > 0.1
    else:
        assert error.min() > 0.1
        bound = 1e-3 if pins is Priority.FIRST else np.linalg.norm(targets - start, axis=1) / np.sqrt(weight)
        assert (off < bound).all()


def test_a_solve_out_of_reach_ends_and_says_so():
    puppet, _, hand = pinned(64, pins=Priority.FIRST, drag=Priority.SECOND)
    puppet.set_target(hand, position=out_of_reach(64))
    found = puppet.solve(2000)
    assert Status.REACHED not in found.status
    assert (found.position > 0.1).all()
    assert cases.standing().pins_off(puppet.q).max() < 1e-3
    assert cases.beyond(FIGURE, puppet.q).max() < 1e-6


def test_a_jump_of_the_target_is_followed_at_a_bounded_pace():
    puppet, _, hand = pinned()
    limit = 3.0
    puppet.set_speed_limit(turn=limit)
    for target in cases.point_of(FIGURE, cases.reachable()[:10], *cases.HAND):
        puppet.set_target(hand, position=target)
        for _ in range(60):
            before = puppet.q
            puppet.step(DT)
            assert cases.turns(FIGURE, before, puppet.q).max() <= limit * DT * (1 + 1e-9)


def test_more_iterations_follow_more_exactly():
    start = cases.point_of(FIGURE, FIGURE.neutral(), *cases.HAND)
    errors = []
    for iterations in (1, 3):
        puppet, held, hand = pinned(settings=PuppetSettings(ramp=0.01))
        off = 0.0
        for k in range(120):
            puppet.set_target(hand, position=start + (0.25 * np.sin(k / 12), -0.1, 0.3 * (1 - np.cos(k / 12))))
            puppet.step(DT, iterations=iterations)
            off = max(off, *(puppet.residual(pin).position for pin in held))
        errors.append(off)
    assert errors[1] < 0.5 * errors[0]


def test_drag_while_a_motion_plays():
    """Wanted joint values and pins that follow a motion; the hand is led elsewhere, and the rest goes on as it was."""
    figure = cases.human()
    start = figure.neutral()
    start[figure.q_slice("knee_left")] = start[figure.q_slice("knee_right")] = 0.4
    start[figure.q_slice("elbow_right")] = -0.8
    sway = np.zeros(figure.nv)
    sway[figure.v_slice("waist")], sway[figure.v_slice("hip_left")] = (0.1, 0.1, 0.2), (0.0, -0.3, 0.0)
    sway[figure.v_slice("knee_left")] = 0.3
    puppet = Puppet(figure, start)
    sole, hand = puppet.pin("sole_left"), puppet.drag("grip_right")
    joints = [n for n in figure.joint_names if n not in ("shoulder_right", "elbow_right")]
    off = []
    for k in range(180):
        q = integrate(figure, start, sway * np.sin(k / 20))
        puppet.set_posture(q, time=0.01, joints=joints)
        puppet.set_target(sole, position=cases.frame_of(figure, q, "sole_left"))
        target = cases.frame_of(figure, q, "grip_right") + (0.0, 0.05, 0.1 * min(1.0, k / 60))
        puppet.set_target(hand, position=target)
        puppet.step(DT)
        if k > 60:
            off.append(np.abs(difference(figure, puppet.q, q)[figure.v_slice("waist")]).max())
            assert np.linalg.norm(cases.frame_of(figure, puppet.q, "grip_right") - target) < 1e-3
            foot = cases.frame_of(figure, q, "sole_left")
            assert np.linalg.norm(cases.frame_of(figure, puppet.q, "sole_left") - foot) < 1e-2
    assert max(off) < 0.05


def test_balance_over_the_feet():
    """Reaching far forward, hips go back: the centre of mass stays over the feet, and without balance it does not."""
    found = {}
    for balanced in (True, False):
        puppet = Puppet(FIGURE)
        feet = [puppet.pin(frame, point=point) for frame, point in cases.FEET]
        if balanced:
            puppet.balance(feet)
        puppet.drag(cases.HAND[0], point=cases.HAND[1], position=(0.75, -0.2, 0.9))
        assert puppet.solve().status is Status.REACHED
        found[balanced] = centre_of_mass(FIGURE, puppet.q)[0]
    heel, toe = (cases.point_of(FIGURE, FIGURE.neutral(), "foot_left", p)[0] for p in (cases.HEEL, cases.TOE))
    assert heel < found[True] < toe
    assert found[False] > toe


def test_gaze_follows():
    puppet = Puppet(FIGURE)
    for frame, point in cases.FEET:
        puppet.pin(frame, point=point)
    head = puppet.look_at("eyes", (2.0, 0.0, 1.6))
    for target in ((2.0, 1.5, 1.0), (1.0, -2.0, 2.2), (0.6, 0.3, 0.4)):
        puppet.set_target(head, position=target)
        for _ in range(90):
            puppet.step(DT)
        link, pose = FIGURE.frame("eyes")
        poses = forward_kinematics(FIGURE, puppet.q)
        way = np.array(target) - cases.frame_of(FIGURE, puppet.q, "eyes")
        ahead = poses.rotation[link] @ pose.rotation[:, 0]
        assert np.linalg.norm(np.cross(ahead, way)) < 1e-3 * (ahead @ way)
