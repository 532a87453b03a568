"""Following motions in contact, and implicit springs."""

import numpy as np
import pytest

from hitogata.dynamics import difference, frame_position
from hitogata.errors import ArgumentError
from hitogata.figure import State, Trajectory
from hitogata.library import human28, pendulum
from hitogata.loops.contacts import ContactStage
from hitogata.loops.follower import Follower
from hitogata.loops.reference import reference_of
from hitogata.loops.servo import servo

H = 1 / 480


def squats(seconds=3.2, depth=0.8) -> Trajectory:
    """human28 bends its knees twice, feet flat, arms to the front."""
    figure = human28()
    time = np.arange(0, seconds, 0.01)
    bend = depth * 0.5 * (1 - np.cos(2 * np.pi * time / 1.6))
    q = np.tile(figure.neutral(), (len(time), 1))
    half, none = bend / 4, np.zeros(len(time))

    def about_y(angle):  # half angles
        return np.stack([np.cos(angle), none, np.sin(angle), none], 1)

    for side in ("left", "right"):
        q[:, figure.q_slice(f"hip_{side}")] = about_y(-half)
        q[:, figure.q_slice(f"knee_{side}")] = bend[:, None]
        q[:, figure.q_slice(f"ankle_{side}")] = about_y(-half)
        q[:, figure.q_slice(f"shoulder_{side}")] = about_y(-0.5 * bend)
    q[:, 2] -= frame_position(figure, q, "sole_left")[:, 2]
    return Trajectory(time, q, np.zeros((len(time), figure.nv)), figure_name=figure.name)


def follow(figure, motion, **options):
    follower = Follower(ContactStage(figure, friction=0.8), motion, H, **options)
    passes, apart, touching = 0, 0.0, 0
    while not follower.done and follower.state.q[2] > 0.6:
        step = follower.step()
        passes = max(passes, step.passes, step.impact_passes)
        off = difference(figure, follower.state.q, follower.reference.q[follower.count - 1])
        apart = max(apart, np.abs(off[6:]).max())
        touching += any(c.link.startswith("foot") for c in step.contacts)
    return follower, passes, apart, touching


def test_squats_are_followed_for_three_seconds():
    figure = human28()
    follower, passes, apart, touching = follow(figure, squats())
    assert follower.done
    assert len(follower.reference) * H > 3.0
    assert passes <= 3
    assert apart < 0.1
    assert touching == follower.count
    assert np.abs(follower.shift).max() < 0.05
    with pytest.raises(ArgumentError, match="over"):
        follower.step()


def test_reference_stands_on_the_floor_and_is_smooth():
    figure, motion = human28(), squats()
    raised = Trajectory(motion.time, motion.q + np.eye(figure.nq)[2] * 0.05, motion.v, figure_name=figure.name)
    ref = reference_of(figure, raised, H, ["foot_left", "foot_right"])
    assert np.abs(ref.height["foot_left"]).max() < 1e-3
    step = difference(figure, ref.q[100:-101], ref.q[101:-100]) / H
    assert np.abs(step - ref.v[100:-101]).max() < 0.1
    with pytest.raises(ArgumentError, match="two samples"):
        reference_of(figure, Trajectory(motion.time[:1], motion.q[:1], motion.v[:1], figure_name=figure.name), H, [])
    with pytest.raises(ArgumentError, match="free root"):
        Follower(ContactStage(pendulum()), motion, H)


def test_servo_is_stable_at_any_stiffness():
    """A spring of 1e6 N m/rad at 1/60 s holds the figure's joints where they are, standing."""
    figure = human28()
    q = figure.neutral()
    q[2] -= frame_position(figure, q, "sole_left")[2]
    springs, stage, state = servo(figure, 1e6, 10.0, 1 / 60), ContactStage(figure), State(q, np.zeros(figure.nv))
    for _ in range(120):
        state = stage.step(state, 1 / 60, springs.torques(state, q), figure=springs.body).state
    assert np.abs(difference(figure, state.q, q)).max() < 1e-3
