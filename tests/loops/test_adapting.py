"""Following walks in contact: sampled targets and feedback; nothing holds the figure but its own torques."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import difference, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import State, Trajectory
from hitogata.files import read_bvh
from hitogata.library import human28, pendulum
from hitogata.loops.adapting import AdaptSettings, adapt
from hitogata.loops.contacts import ContactStage, ContactState
from hitogata.loops.contacts.trials import Trials
from hitogata.loops.servo import servo
from hitogata.motion import clean_feet, cut, level_feet, retarget_bvh
from tests.motion.steps import stepping_walk
from tests.reference import reference

H = 1 / 240
QUICK = AdaptSettings(rounds=2, samples=240, keep=40, refinements=1, fit_samples=200, pushes=6)


def walk(adapted, figure, **options):
    """Step by step along an adapted motion, and what is seen on the way."""
    guide = adapted.guide(ContactStage(figure), **options)
    errors, low, passes, touching, others, strong = [], 9.0, 0, 0, set(), 0
    while not guide.done:
        step = guide.step()
        errors.append(np.abs(difference(figure, guide.state.q, guide.reference.q[guide.count])))
        low, passes = min(low, guide.state.q[2]), max(passes, step.passes, step.impact_passes)
        down = {c.link for c in step.contacts if c.other is None and c.state is not ContactState.NONE}
        touching += bool(down)
        others |= down - {"foot_left", "foot_right"}
        assert not guide.torque[:6].any()  # nothing holds the root
        share = (np.abs(guide.torque[6:]) / adapted.limit[6:]).max()
        strong += share > 1.0  # in knocks the implicit damping within a step goes beyond
        assert share < 1.5
    assert strong < 0.1 * guide.count
    return guide, np.array(errors), low, passes, touching, others


def is_followed(adapted, figure, seconds, joints, place):
    guide, errors, low, passes, touching, others = walk(adapted, figure)
    assert guide.count * guide.reference.h > seconds
    assert low > 0.75
    assert passes <= 3
    assert not others  # it stands on its feet alone
    assert touching > 0.9 * guide.count
    assert errors[:, 6:].mean() < joints
    assert np.linalg.norm(errors[:, 3:6], axis=1).max() < place


def test_a_made_walk_is_followed_for_three_seconds():
    figure = human28()
    motion, _ = stepping_walk(figure, seconds=3.2, speed=0.8)
    told = []
    adapted = adapt(ContactStage(figure), motion, H, settings=QUICK, progress=lambda *what: told.append(what))
    is_followed(adapted, figure, 3.0, 0.15, 0.3)
    assert [t[:3] for t in told[:4]] == [("search", 1, 2), ("search", 2, 2), ("refine", 1, 1), ("rehearse", 1, 4)]
    assert told[-1] == ("rehearse", len(told) // 4, 4, adapted.rehearsals.stray.max())
    moved = adapted.trajectory.q[-1, 0] - adapted.trajectory.q[0, 0]
    assert moved == pytest.approx(motion.q[-1, 0] - motion.q[0, 0], abs=0.3)


def test_a_captured_walk_is_followed_for_three_seconds():
    figure = human28()
    motion = retarget_bvh(read_bvh(reference("bvh", "16_15.bvh")), figure).trajectory
    levelled = level_feet(figure, cut(figure, motion, 0.05, 3.35))
    motion = clean_feet(figure, levelled.trajectory).trajectory
    better = replace(QUICK, rounds=4, samples=400, keep=70, refinements=3, fit_samples=300, pushes=16)
    adapted = adapt(ContactStage(figure), motion, H / 2, settings=better)
    is_followed(adapted, figure, 3.0, 0.15, 0.3)


def test_the_same_seed_gives_the_same_walk_on_any_number_of_threads():
    figure = human28()
    motion, _ = stepping_walk(figure, seconds=0.45)
    small = AdaptSettings(rounds=1, samples=24, keep=6, refinements=1, fit_samples=80, pushes=3)
    one, two, other = (
        adapt(ContactStage(figure), motion, H, settings=small, threads=n, seed=s) for n, s in ((1, 3), (2, 3), (2, 4))
    )
    np.testing.assert_array_equal(one.path.offsets, two.path.offsets)
    np.testing.assert_array_equal(one.path.gains, two.path.gains)
    np.testing.assert_array_equal(one.trajectory.q, two.trajectory.q)
    assert np.abs(one.path.offsets - other.path.offsets).max() > 1e-3


def test_runs_are_those_of_the_stage_step_by_step():
    """Trials take the same steps as a stage with the servo's torques, whose law is written down elsewhere."""
    figure, rng = human28(), np.random.default_rng(0)
    motion, _ = stepping_walk(figure, seconds=0.3)
    stage, springs, limit = ContactStage(figure), servo(figure, 400.0, 40.0, H), np.full(figure.nv, 60.0)
    limit[:6] = 0.0
    trials = Trials(stage, springs, limit, threads=1)
    goal = np.concatenate([motion.q[6], motion.v[6]])
    offsets = np.zeros((2, 2, figure.nv))
    offsets[:, :, 6:] = 0.1 * rng.standard_normal((2, 2, figure.nv - 6))
    lifted = motion.q[6].copy()
    lifted[2] += 0.002  # falls to the ground first
    starts = [State(q, motion.v[6]) for q in (motion.q[6], lifted)]
    ends = trials.run(np.tile(goal, (8, 1)), np.concatenate([trials.start(s) for s in starts]), offsets)
    for k in range(2):
        state, change, aloft = starts[k], offsets[k, 1] - offsets[k, 0], 0
        stage.forget()
        for n in range(8):
            part = (n + 1) / 8  # a cubic from one offset to the other, at rest at both ends
            target = integrate(figure, motion.q[6], offsets[k, 0] + (3 * part**2 - 2 * part**3) * change)
            tau = springs.torques(state, target, motion.v[6] + 6 * (part - part**2) / (8 * H) * change)
            step = stage.step(state, H, np.clip(tau, -limit, limit), figure=springs.body)
            state = step.state
            aloft += all(c.other is not None or c.state is ContactState.NONE for c in step.contacts)
        assert ends.aloft[k] == pytest.approx(aloft / 8)
        assert aloft >= 2 * k  # lifted by 2 mm it falls for 20 ms
        np.testing.assert_allclose(ends.q[k], state.q, atol=1e-9)
        np.testing.assert_allclose(ends.v[k], state.v, atol=1e-7)
    again = trials.run(np.tile(goal, (8, 1)), ends.rows, offsets)
    assert again.finite.all()


def test_bad_input_is_refused():
    figure = human28()
    motion, _ = stepping_walk(figure, seconds=0.3)
    stage = ContactStage(figure)
    with pytest.raises(ArgumentError, match="whole number of steps"):
        adapt(stage, motion, 0.03)
    with pytest.raises(ArgumentError, match="shorter than a window"):
        adapt(stage, motion, H, settings=AdaptSettings(window=0.5))
    with pytest.raises(ArgumentError, match="waist"):
        adapt(stage, motion, H, stiffness={"hip": 1.0})
    with pytest.raises(ArgumentError, match="samples"):
        AdaptSettings(samples=0)
    with pytest.raises(ArgumentError, match="free root"):
        adapt(ContactStage(pendulum()), motion, H)
    with pytest.raises(ArgumentError, match="another figure"):
        Trials(stage, servo(human28(), 1.0, 1.0, H), 1.0)
    still = Trajectory(motion.time, motion.q, motion.v, figure_name=figure.name)
    adapted = adapt(stage, still, H, settings=AdaptSettings(rounds=1, samples=8, keep=2, refinements=0))
    assert len(adapted.pushed) == 0
    guide = adapted.guide(stage)
    while not guide.done:
        guide.step()
    with pytest.raises(ArgumentError, match="over"):
        guide.step()
    with pytest.raises(ArgumentError, match="other joints"):
        adapted.guide(ContactStage(pendulum()))
