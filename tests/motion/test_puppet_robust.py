"""What cannot be done, and what nobody should ask for: bounded, smooth, finite."""

import contextlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hitogata.errors import ArgumentError, HitogataError
from hitogata.library import chain, virtual_human
from hitogata.motion import Hold, Priority, Puppet, Status
from hitogata.spatial import quat_exp
from tests.motion import puppet_cases as cases

FIGURE, DT, DEGREE = cases.human(), 1 / 60, np.pi / 180
GRIPS = ("grip_left", "grip_right", "sole_left", "sole_right", "eyes", "pelvis", "chest", "thigh_left")


def frames(puppet, count):
    """Steps; returns the largest turn of any joint in each, and the largest change of its velocities from the last."""
    turns, jerks, last = [], [], puppet.v
    for _ in range(count):
        before = puppet.q
        puppet.step(DT)
        turns.append(cases.turns(puppet.figure, before, puppet.q).max())
        jerks.append(np.abs(puppet.v - last).max() * DT)
        last = puppet.v
    return np.array(turns), np.array(jerks)


def test_pins_that_contradict_each_other_settle_between():
    """Two pins of one point, 0.6 m apart: it comes to rest at their mean, weighted."""
    puppet = Puppet(FIGURE)
    for name in ("sole_left", "sole_right"):
        puppet.pin(name, priority=Priority.FIRST)
    at = cases.point_of(FIGURE, puppet.q, *cases.HAND) + (0.25, 0.1, 0.3)
    puppet.pin("grip_right", position=at + (0.3, 0.0, 0.0), weight=1.0)
    puppet.pin("grip_right", position=at - (0.3, 0.0, 0.0), weight=3.0)
    turns, _ = frames(puppet, 240)
    assert turns.max() < 5 * DEGREE
    assert turns[-1] < 1e-4
    assert cases.point_of(FIGURE, puppet.q, *cases.HAND) == pytest.approx(at - (0.15, 0.0, 0.0), abs=1e-3)


@pytest.mark.parametrize("away", [(0, 0, -0.8), (0, 0, -0.62), (0.7, 0, 0), (0, 0, -0.3), (0, 0, 0), (0.05, 0, 0.9)])
@pytest.mark.parametrize("priority", Priority, ids=lambda p: p.name)
def test_straight_arm(away, priority):
    """Fixed to the world, stretched (singular), pulled out of reach, across, inwards, into its own shoulder, and up."""
    puppet = Puppet(cases.arm())
    hand = puppet.drag("lower", point=(0, 0, -0.3), position=away, priority=priority)
    turns, _ = frames(puppet, 400)
    assert turns.max() <= 5.0 * DT
    assert turns[-1] < 0.2 * DEGREE
    least = max(0.0, np.linalg.norm(away) - 0.6)
    assert puppet.residual(hand).position >= least - 1e-9
    if np.linalg.norm(away) > 0.6:
        assert puppet.residual(hand).position < least + 0.02


def test_arm_follows_a_target_that_leaves_its_reach_and_returns():
    """Through the singular pose and back, without a jump: the change of speed from frame to frame stays small."""
    puppet = Puppet(cases.arm(), [np.cos(0.3), 0, -np.sin(0.3), 0, -1.2])
    hand = puppet.drag("lower", point=(0, 0, -0.3))
    start = cases.point_of(puppet.figure, puppet.q, "lower", (0, 0, -0.3))
    frames(puppet, 15)
    all_turns, all_jerks = [], []
    for k in range(240):
        reach = 0.5 * (1 - np.cos(2 * np.pi * k / 240)) * 0.5
        puppet.set_target(hand, position=start + start / np.linalg.norm(start) * reach)
        turns, jerks = frames(puppet, 1)
        all_turns.append(turns[0])
        all_jerks.append(jerks[0])
    assert max(all_turns) < 5 * DEGREE
    assert max(all_jerks) < 4 * DEGREE
    assert puppet.residual(hand).position < 1e-3


def test_nothing_asked_for_nothing_moves():
    puppet = Puppet(FIGURE)
    q = puppet.q
    for _ in range(5):
        assert puppet.step(DT) == (0.0, 0.0)
    assert np.abs(puppet.q - q).max() < 1e-12
    assert puppet.solve().status is Status.REACHED


def test_every_pin_removed():
    """What was asked for lets go within the ramp; then the figure rests."""
    puppet = Puppet(FIGURE)
    handles = [puppet.pin(name) for name in GRIPS]
    puppet.set_target(handles[1], position=(0.5, -0.3, 1.3))
    frames(puppet, 30)
    for handle in handles:
        puppet.release(handle)
    turns, jerks = frames(puppet, 40)
    assert turns.max() < 5 * DEGREE
    assert jerks.max() < 1 * DEGREE
    assert turns[-20:].max() < 1e-12
    assert puppet.handles == ()


def test_zero_weights_and_locked_joints():
    puppet = Puppet(FIGURE)
    start = puppet.q
    none = puppet.pin("grip_right", position=(2.0, 0.0, 1.0), weight=0.0)
    frames(puppet, 30)
    assert np.abs(puppet.q - start).max() < 1e-12
    puppet.set_weight(none, 1.0)
    puppet.set_mobility(0.0)
    frames(puppet, 120)
    locked = puppet.q
    turns, _ = frames(puppet, 60)
    assert turns.max() < 1e-12, "nothing may move"
    puppet.set_mobility(1.0, ["shoulder_right", "elbow_right"])
    frames(puppet, 120)
    moved = [n for n in FIGURE.joint_names if np.abs(puppet.q - locked)[FIGURE.q_slice(n)].max() > 1e-6]
    assert set(moved) <= {"shoulder_right", "elbow_right"}
    assert moved


def test_weights_that_change_do_not_jump():
    """A tug of war between two hands whose weights are swapped again and again."""
    puppet = Puppet(FIGURE)
    puppet.pin("sole_left", priority=Priority.FIRST)
    left = puppet.pin("grip_left", position=(0.3, 1.2, 1.2), weight=1.0)
    right = puppet.pin("grip_right", position=(0.3, -1.2, 1.2), weight=0.01)
    frames(puppet, 120)
    for k in range(6):
        puppet.set_weight(left, 0.01 if k % 2 == 0 else 1.0)
        puppet.set_weight(right, 1.0 if k % 2 == 0 else 0.01)
        turns, jerks = frames(puppet, 20)
        assert turns.max() < 5 * DEGREE
        assert jerks.max() < 1.5 * DEGREE


def test_switching_pins_every_frame_keeps_the_speed_limits():
    """Other links pinned and dragged in every frame, levels changed, limits of their own on some joints."""
    rng = np.random.default_rng(0)
    puppet = Puppet(FIGURE)
    puppet.set_speed_limit(turn=2.0, slide=1.0)
    puppet.set_speed_limit(turn=0.5, joints=["knee_left", "shoulder_right"])
    limits = {"knee_left": 0.5, "shoulder_right": 0.5}
    held = [puppet.pin(name) for name in GRIPS[:4]]
    worst = 0.0
    for _ in range(300):
        puppet.release(held.pop(rng.integers(len(held))))
        name = GRIPS[rng.integers(len(GRIPS))]
        at = cases.point_of(FIGURE, puppet.q, "chest", (0, 0, 0)) + rng.normal(size=3) * 0.6
        level, other = rng.choice(np.array(Priority), size=2)
        held.append(puppet.drag(name, position=at, priority=level, weight=rng.uniform(0.1, 10)))
        puppet.set_priority(held[0], other)
        before = puppet.q
        puppet.step(DT)
        for joint, turn in zip(FIGURE.joint_names, cases.turns(FIGURE, before, puppet.q)[:, 0], strict=True):
            assert turn <= limits.get(joint, 2.0) * DT * (1 + 1e-9)
            worst = max(worst, float(turn))
        assert np.linalg.norm(puppet.q[:3] - before[:3]) <= 1.0 * DT * (1 + 1e-9)
        assert cases.beyond(FIGURE, puppet.q).max() < 1e-6
    assert worst > 0.5 * DT, "the limits were never near"


def test_a_joint_set_outside_its_range_comes_in_gently():
    puppet = Puppet(FIGURE)
    q = FIGURE.neutral()
    q[FIGURE.q_slice("knee_left")] = -0.4
    q[FIGURE.q_slice("shoulder_left")] = np.cos(0.8), 0.0, np.sin(0.8), 0.0  # 92° backwards; 60° are allowed
    puppet.place(q)
    start = cases.beyond(FIGURE, q)[0]
    turns, _ = frames(puppet, 3)
    assert 0 < cases.beyond(FIGURE, puppet.q)[0] < start
    assert turns.max() <= 5.0 * DT
    frames(puppet, 60)
    assert cases.beyond(FIGURE, puppet.q)[0] < 1e-6


def stepped_or_stayed(puppet) -> bool:
    try:
        puppet.step(DT)
    except HitogataError:
        return False
    return True


@pytest.mark.parametrize(("far", "weight", "mobility"), [(1e49, 1.0, 1.0), (1e49, 1e49, 1e49), (1.0, 1e-49, 1e49)])
def test_absurd_numbers(far, weight, mobility):
    """The figure goes where it can; or it is an error, and changes nothing.  Afterwards it is as good as new."""
    puppet = Puppet(FIGURE)
    hand = puppet.drag("grip_right", weight=weight)
    frames(puppet, 20)
    puppet.set_target(hand, position=(far, -far, far))
    puppet.set_mobility(mobility)
    for _ in range(30):
        before = puppet.q
        stepped = stepped_or_stayed(puppet)
        assert stepped or (puppet.q == before).all()
        assert np.isfinite(puppet.q).all()
        assert cases.turns(FIGURE, before, puppet.q).max() <= 5.0 * DT
    puppet.set_mobility(1.0)
    puppet.set_weight(hand, 1.0)
    frames(puppet, 900)
    puppet.set_target(hand, position=cases.point_of(FIGURE, puppet.q, *cases.HAND) + (0.1, 0.1, 0.1))
    frames(puppet, 60)
    assert puppet.residual(hand).position < 1e-3


def test_a_long_chain_pulled_straight():
    """Sixty hinges, all parallel: singular in every pose it is pulled into."""
    figure = chain(60)
    puppet = Puppet(figure)
    hand = puppet.drag(figure.link_names[-1], speed=1.0)
    for target in ((40.0, 0, 0), (0, 0, 40.0), (0, 0, 0)):
        puppet.set_target(hand, position=target)
        turns, _ = frames(puppet, 60)
        assert np.isfinite(puppet.q).all()
        assert turns.max() <= 5.0 * DT * (1 + 1e-9)


# ------------------------------------------------------- fuzz

FIGURES = (FIGURE, virtual_human(), virtual_human(fixed_base=True))
COORDINATE = st.floats(-3, 3)
POINT = st.tuples(COORDINATE, COORDINATE, COORDINATE)
WEIGHT = st.sampled_from([0.0, 1e-6, 0.1, 1.0, 30.0, 1e6])
INDEX = st.integers(0, 99)
ACTION = st.one_of(
    st.tuples(st.just("hold"), INDEX, st.sampled_from(Hold), POINT, POINT, WEIGHT, st.sampled_from(Priority)),
    st.tuples(st.just("look"), INDEX, POINT, WEIGHT),
    st.tuples(st.just("balance"), st.lists(st.tuples(COORDINATE, COORDINATE), min_size=1, max_size=5), WEIGHT),
    st.tuples(st.just("target"), INDEX, POINT),
    st.tuples(st.just("turn"), INDEX, POINT),
    st.tuples(st.just("weight"), INDEX, WEIGHT),
    st.tuples(st.just("level"), INDEX, st.sampled_from(Priority)),
    st.tuples(st.just("release"), INDEX),
    st.tuples(st.just("mobility"), INDEX, WEIGHT),
    st.tuples(st.just("posture"), st.floats(0.01, 10)),
    st.tuples(st.just("limit"), st.floats(0.1, 10)),
    st.tuples(st.just("solve"), st.integers(1, 8)),
)


def moving_links(figure) -> list[str]:
    """Links that a joint moves."""
    return [name for name, link in zip(figure.link_names, figure.links, strict=True) if link.joint.nv]


def act(puppet: Puppet, action) -> None:
    """One line of a script."""
    what, *more = action
    links, joints, handles = moving_links(puppet.figure), puppet.figure.joint_names, puppet.handles
    handle = handles[more[0] % len(handles)] if handles and isinstance(more[0], int) else None
    if what == "hold":
        index, hold, at, turn, weight, priority = more
        given = {"position": at, "point": np.array(turn) * 0.1} if hold is not Hold.ORIENTATION else {}
        given |= {"orientation": quat_exp(turn)} if hold is not Hold.POSITION else {}
        puppet.pin(links[index % len(links)], hold=hold, weight=weight, priority=priority, **given)
    elif what == "look":
        puppet.look_at(links[more[0] % len(links)], more[1], weight=more[2])
    elif what == "balance":
        with contextlib.suppress(ArgumentError):  # there is one, or it has not let go yet
            puppet.balance(more[0], weight=more[1])
    elif what == "mobility":
        puppet.set_mobility(more[1], [joints[more[0] % len(joints)]])
    elif what == "posture":
        puppet.set_posture(puppet.figure.neutral(), time=more[0])
    elif what == "limit":
        puppet.set_speed_limit(turn=more[0])
    elif what == "solve":
        puppet.solve(more[0])
    elif handle is not None and what in ("target", "turn"):
        target = {"position": more[1]} if what == "target" else {"orientation": quat_exp(more[1])}
        with contextlib.suppress(ArgumentError):  # it holds none
            puppet.set_target(handle, **target)
    elif handle is not None and what == "weight":
        puppet.set_weight(handle, more[1])
    elif handle is not None and what == "level":
        puppet.set_priority(handle, more[1])
    elif handle is not None and what == "release":
        puppet.release(handle)


@settings(max_examples=1000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(FIGURES), st.lists(ACTION, min_size=1, max_size=8), st.sampled_from([1 / 240, 1 / 60, 0.1]),
    st.booleans(),
)  # fmt: skip
def test_scripts_of_pins_drags_and_weights(figure, script, dt, settled):
    """Whatever is asked for: finite, unit quaternions, within all ranges and speed limits."""
    puppet, limit = Puppet(figure), 5.0
    for action in script:
        act(puppet, action)
        limit = action[1] if action[0] == "limit" else limit
        before = puppet.q
        puppet.step(dt)
        assert cases.turns(figure, before, puppet.q).max() <= limit * dt * (1 + 1e-9)
    if settled:
        for _ in range(5):
            puppet.step(dt)
    q = puppet.q
    assert np.isfinite(q).all()
    for start in figure.quat_starts:
        assert abs(np.linalg.norm(q[start : start + 4]) - 1) < 1e-9
    assert cases.beyond(figure, q).max() < 1e-6
