"""When things come and go, the others do not notice; what is read after restoring is what it was."""

import numpy as np
import pytest

from hitogata.figure import Box, Capsule, FigureBuilder, JointKind, MassProperties, Pose, Sphere, State, joint
from hitogata.library import chain, human28
from hitogata.sim import World

FAR = Pose((50.0, 0.0, 30.0))


def busy_world():
    """A human that tumbles on the ground with a rope and a spring, a stack of boxes."""
    world, rng = World(), np.random.default_rng(3)
    world.add_ground()
    figure = human28()
    v = np.concatenate([[1.0, 3.0, 0.5, 1.0, 0.0, -1.0], rng.normal(size=28)])
    human = world.add(figure, State(figure.neutral(), v))
    boxes = [world.add_body(Box((0.2, 0.2, 0.1)), mass=4.0, pose=Pose((3.0, 0, 0.1 + 0.2 * k))) for k in range(3)]
    ties = [
        world.add_rope((human, "head"), (0, 0, 2.5), length=1.0),
        world.add_spring((human, "forearm_left"), (human, "thigh_left"), stiffness=500.0, damping=5.0),
    ]
    return world, [human, *boxes], ties


def come_and_go(what: str, world: World) -> None:
    """Something far away comes, or comes and goes."""
    if what == "a body":
        world.add_body(Sphere(0.1), mass=1.0, pose=FAR)
    elif what == "a figure that goes again":
        world.remove(world.add(human28(), State(np.array([*FAR.position, *human28().neutral()[3:]]), np.zeros(34))))
    elif what == "ground":
        world.add_ground(Box((1.0, 1.0, 1.0), pose=FAR))
    elif what == "many springs":
        ball = world.add_body(Capsule(0.1, 0.2), mass=1.0, pose=FAR)
        for _ in range(50):
            world.add_spring((ball, "body"), FAR.position, stiffness=1.0, damping=1.0)
    elif what == "the state of another":
        ball = world.add_body(Sphere(0.1), mass=1.0, pose=FAR)
        world.step(1 / 60)
        ball.state = State(ball.q, np.ones(6))


@pytest.mark.parametrize(
    "what", ["a body", "a figure that goes again", "ground", "many springs", "the state of another"]
)
def test_others_do_not_notice(what):
    """Bit for bit: in the middle of a tumble, with contacts, ropes and limits at work."""
    ends, forces = [], []
    for comes in (False, True):
        world, members, ties = busy_world()
        world.step(1 / 60, steps=20)
        if comes:
            come_and_go(what, world)
        elif what == "the state of another":
            world.step(1 / 60)
        forces.append([*(m.joint_forces() for m in members), *(t.force for t in ties), members[0].motor_forces(),
                       members[0].limit_forces(), members[1].contact_forces()])  # fmt: skip
        world.step(1 / 60, steps=20)
        ends.append(np.concatenate([*(m.q for m in members), *(m.v for m in members), *(t.force for t in ties)]))
    assert np.array_equal(*ends)
    for a, b in zip(*forces, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-9)


def test_what_stands_below_a_removed_body_stays():
    world = World()
    world.add_ground()
    boxes = [world.add_body(Box((0.2, 0.2, 0.1)), mass=4.0, pose=Pose((0, 0, 0.1 + 0.2 * k))) for k in range(4)]
    world.step(1 / 60, steps=120)
    contacts = [c for c in world.contacts() if all(end is None or end[0] is not boxes[3] for end in (c.a, c.b))]
    world.remove(boxes[3])
    for now, before in zip(world.contacts(), contacts, strict=True):
        assert (now.a, now.b) == (before.a, before.b)
        np.testing.assert_array_equal(now.force, before.force)
    world.step(1 / 60, steps=60)
    assert all(np.abs(box.v).max() < 1e-3 for box in boxes[:3])


def test_forces_read_after_restoring_are_those_of_then():
    world, members, ties = busy_world()

    def read():
        parts = [*(m.joint_forces() for m in members), *(m.contact_forces() for m in members), *(t.force for t in ties)]
        return np.concatenate([np.ravel(x) for x in [*parts, members[0].motor_forces(), members[0].limit_forces()]])

    for h in (1 / 60, 0.1):  # at 0.1 s in pieces
        world.step(h, steps=10)
        saved, then = world.save(), read()
        world.step(1 / 60, steps=7)
        assert not np.array_equal(read(), then)
        world.restore(saved)
        np.testing.assert_array_equal(read(), then)


def test_restoring_moves_anchors_back():
    world = World(gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(Sphere(0.1), mass=1.0)
    spring = world.add_spring((ball, "body"), (0.0, 0.0, 1.0), stiffness=100.0, damping=10.0)
    saved = world.save()
    spring.move_anchor((5.0, 0.0, 0.0))
    world.restore(saved)
    np.testing.assert_array_equal(spring.ends[1], [0, 0, 1.0])
    world.add_spring((ball, "body"), (0.0, 0.0, 1.0), stiffness=1.0, damping=1.0)  # all ties are laid out anew
    world.step(1 / 60, steps=600)
    np.testing.assert_allclose(ball.q[:3], [0, 0, 1.0], atol=1e-6)


def test_nothing_is_read_of_a_figure_that_was_not_there():
    world = World()
    figure = chain(3)
    member = world.add(figure)
    for _ in range(2):
        assert not member.joint_forces().any()
        assert not member.motor_forces().any()
        assert not member.limit_forces().any()
        world.step(1 / 60)
        assert member.joint_forces().any()
        member.state = State.rest(figure)


# ------------------------------------------------------- forces of all kinds of joints


def test_motor_forces_of_joints_without_a_name():
    figure = chain(3, kind=JointKind.BALL)
    world = World()
    member = world.add(figure)
    member.set_motor(500.0, 50.0)
    bent = figure.neutral()
    bent[:4] = np.cos(0.4), np.sin(0.4), 0, 0
    member.set_target(bent)
    world.step(1 / 60, steps=600)
    lever = 0.1 * np.array([1.0, 1.0, 1.0]) + 0.2 * np.arange(3)  # of the links' weights about the first joint
    assert member.motor_forces()[0] == pytest.approx(9.81 * lever.sum() * np.sin(2 * np.arcsin(member.q[1])), rel=0.05)


def test_limit_forces_of_both_axes_of_a_universal_joint():
    builder = FigureBuilder("gimbal")
    mass = MassProperties.principal(1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    builder.add("gimbal", None, joint.universal((1, 0, 0), (0, 1, 0), range=((-0.2, 0.2), (-0.3, 0.3))), mass)
    world = World()
    member = world.add(builder.build())
    member.set_motor(0.0, 1.0)
    member.push((3.0, -7.0))
    world.step(1 / 60, steps=600)
    np.testing.assert_allclose(member.limit_forces(), [[3.0, 7.0]], rtol=1e-3)
