"""Where figures come into a world, states in parts, anchors and holds that move, kinematic bodies."""

import numpy as np
import pytest

from hitogata.dynamics import frame_position
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Pose, Sphere, State
from hitogata.library import chain, human28, virtual_human
from hitogata.pictures import Actor, write_replay
from hitogata.sim import KinematicBody, Settings, World, hold
from hitogata.spatial import quat_exp


def test_add_places_and_turns_a_figure() -> None:
    world, figure = World(), virtual_human()
    rest = frame_position(figure, figure.neutral(), "eyes")
    for at, facing in (((2.0, -1.0), None), ((0.3, 0.2, 0.5), 2.0), (None, -0.7)):
        member = world.add(figure, at=at, facing=facing)
        c, s = np.cos(facing or 0.0), np.sin(facing or 0.0)
        wanted = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ rest + [*(at or (0, 0, 0)), 0][:3]
        np.testing.assert_allclose(frame_position(figure, member.q, "eyes"), wanted, atol=1e-12)
    moving = State(figure.neutral(), np.r_[np.zeros(3), 1.0, 0.0, 0.0, np.zeros(figure.nv - 6)])
    turned = world.add(figure, moving, facing=np.pi / 2)
    np.testing.assert_allclose(turned.v[:6], [0, 0, 0, 0, 1, 0], atol=1e-12)
    for bad in ({"at": (1.0,)}, {"at": (1, 2, np.nan)}, {"facing": "east"}):
        with pytest.raises(ArgumentError):
            world.add(figure, **bad)
    with pytest.raises(ArgumentError, match="no free root"):
        world.add(chain(2), at=(0, 0))


def test_states_in_parts() -> None:
    world = World()
    ball = world.add_body(Sphere(0.1), mass=3.0, velocity=(6.0, 0, 0), angular_velocity=(0, 0, 1.0))
    np.testing.assert_array_equal(ball.v, [0, 0, 1, 6, 0, 0])
    human = world.add(human28())
    human.set_root(position=(0, 0, 2.0), velocity=(1, 2, 3))
    human.set_joints({"elbow_left": -0.5, "shoulder_left": (0.0, -0.3, 0.0)})
    human.set_joint("knee_left", rate=2.0)
    figure, q, v = human.figure, human.q, human.v
    np.testing.assert_allclose(q[:3], (0, 0, 2.0))
    np.testing.assert_allclose(q[figure.q_slice("shoulder_left")], quat_exp(np.array([0.0, -0.3, 0.0])))
    assert q[figure.q_slice("elbow_left")] == -0.5
    assert v[figure.v_slice("knee_left")] == 2.0
    np.testing.assert_allclose(v[3:6], (1, 2, 3))
    human.v = np.zeros(figure.nv)
    human.q = figure.neutral()
    np.testing.assert_array_equal(human.q, figure.neutral())
    before = human.q
    for bad in (lambda: human.set_joint("tail", 1.0), lambda: human.set_joint("base", 1.0),
                lambda: human.set_joint("elbow_left", (1, 2)), lambda: human.set_root(quat=(0, 0, 0, 0))):  # fmt: skip
        with pytest.raises((ArgumentError, Exception)) as error:
            bad()
        assert "Error" in type(error.value).__name__
    np.testing.assert_array_equal(human.q, before)


def test_replay_takes_actors_one_by_one(tmp_path) -> None:
    world = World()
    one, two = world.add(human28()), world.add(human28(), at=(1, 0))
    with world.record() as recording:
        world.step(1 / 60)
    actors = [Actor(m.figure, recording.trajectory(m)) for m in (one, two)]
    write_replay(tmp_path / "a.html", *actors)
    write_replay(tmp_path / "b.html", actors)
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()
    with pytest.raises(ArgumentError):
        write_replay(tmp_path / "c.html", human28())


def led_body(h: float, steps: int, speed: float, stiffness: float) -> tuple[float, float]:
    """A ball drawn by a spring whose anchor moves; how far behind it is, and its speed in the end."""
    world = World(gravity=(0, 0, 0))
    ball = world.add_body(Sphere(0.1), mass=2.0, velocity=(speed, 0, 0))
    spring = world.add_spring((ball, "body"), (0, 0, 0), stiffness=stiffness, damping=40.0)
    spring.move_anchor(velocity=(speed, 0, 0))
    world.step(h, steps=steps)
    np.testing.assert_allclose(spring.anchor, (speed * h * steps, 0, 0), atol=1e-9)
    return spring.anchor[0] - ball.q[0], ball.v[3]


@pytest.mark.parametrize("h", [1 / 240, 1 / 30])
def test_what_goes_along_with_its_anchor_feels_nothing(h: float) -> None:
    behind, speed = led_body(h, 30, 2.0, 500.0)
    assert abs(behind) < 1e-9
    assert speed == pytest.approx(2.0, abs=1e-9)


def test_a_moving_anchor_draws_as_one_moved_step_by_step() -> None:
    """The damper too: seen from the anchor, it is the same spring at rest."""
    results = []
    for moves in (False, True):
        world = World(gravity=(0, 0, 0))
        ball = world.add_body(Sphere(0.1), mass=2.0, velocity=(0.0 if moves else -1.5, 0, 0))
        spring = world.add_spring((ball, "body"), (0, 0, 0), stiffness=300.0, damping=10.0)
        if moves:
            spring.move_anchor(velocity=(1.5, 0, 0))
        world.step(1 / 240, steps=200)
        results.append(ball.q[0] - (spring.anchor[0] if moves else 0.0))
        snapshot = world.save()
        world.step(1 / 240, steps=5)
        after = ball.q
        world.restore(snapshot)
        world.step(1 / 240, steps=5)
        np.testing.assert_array_equal(after, ball.q)
    assert results[0] == pytest.approx(results[1], abs=1e-9)


def test_anchors_go_on_when_others_come_and_keep_awake() -> None:
    world = World(gravity=(0, 0, 0), settings=Settings(sleep_after=0.1))
    ball = world.add_body(Sphere(0.1), mass=2.0)
    spring = world.add_spring((ball, "body"), (0, 0, 0), stiffness=1e-3, damping=0.0)
    spring.move_anchor(velocity=(1.0, 0, 0))
    world.step(1 / 60, steps=30)
    world.add_body(Sphere(0.1), mass=1.0, pose=Pose((9.0, 0, 0)))
    world.step(1 / 60, steps=30)
    np.testing.assert_allclose(spring.anchor, (1.0, 0, 0), atol=1e-9)
    assert not ball.asleep
    with pytest.raises(ArgumentError, match="velocity"):
        spring.move_anchor((0, 0, 0), velocity=(0, 0))


def test_a_hold_moves_what_it_holds() -> None:
    world = World()
    box = world.add_body(Box((0.1, 0.1, 0.1)), mass=5.0, pose=Pose((1.0, 0, 1.0)))
    grip = hold((box, "body"), stiffness=1e5)
    spin = np.array([0.0, 0.0, 2.0])
    grip.move((1.0, 0, 1.0), velocity=(0.3, 0.0, 0.2), angular_velocity=spin)
    for k in range(60):
        t = k / 120
        turn = quat_exp(spin * t)
        grip.move((1.0 + 0.3 * t, 0, 1.0 + 0.2 * t), turn, (0.3, 0.0, 0.2), spin)
        world.step(1 / 120)
    np.testing.assert_allclose(box.q[:3], (1.15, 0, 1.1), atol=2e-3)
    np.testing.assert_allclose(box.q[3:], quat_exp(spin * 0.5), atol=5e-3)
    np.testing.assert_allclose(box.v, [0, 0, 2.0, 0.3, 0.0, 0.2], atol=0.02)
    assert np.linalg.norm(grip.force) == pytest.approx(5 * 9.81, rel=0.05)


def test_kinematic_bodies_push_and_are_not_pushed() -> None:
    world = World()
    lift = KinematicBody(world, Box((0.5, 0.5, 0.05)))
    load = world.add_body(Box((0.1, 0.1, 0.1)), mass=20.0, pose=Pose((0.2, 0.0, 0.15)))
    lift.set_velocity((0.0, 0.0, 0.4))
    world.step(1 / 60, steps=60)
    np.testing.assert_allclose(lift.position, (0, 0, 0.4), atol=1e-12)
    assert load.q[2] == pytest.approx(0.55, abs=1e-3)
    lift.move_to((1.0, 0.0, 0.4), quat_exp(np.array([0, 0, 0.5])), within=1.0)
    world.step(1 / 60, steps=60)
    np.testing.assert_allclose(lift.position, (1.0, 0, 0.4), atol=1e-9)
    np.testing.assert_allclose(lift.quat, quat_exp(np.array([0, 0, 0.5])), atol=1e-9)
    assert abs(load.contact_forces()[0, 2] - 20 * 9.81) < 20.0
    world.step(1 / 60, steps=30)
    np.testing.assert_allclose(lift.position, (1.0, 0, 0.4), atol=1e-9)
    assert 1.1 < load.q[0] < 1.25  # it began 0.2 from the middle, and slid a little at the start and at the end
    world.remove(lift.member)
    world.step(1 / 60, steps=30)
    assert load.q[2] < 0.4
