"""Springs, ropes, holds, grasps, strands."""

import numpy as np

from hitogata.dynamics import frame_position
from hitogata.figure import Box, Capsule, FigureBuilder, Pose, Sphere, State, joint
from hitogata.library import cap_of_roots, chain, human28, strand
from hitogata.loops import Turning
from hitogata.sim import Strands, World, grasp, hold
from tests.golden.scene import Arrays, Running, golden, running, shaken, wave

H = 1 / 240


@golden()
def springs_and_ropes(nudge: float) -> Running:
    """The stiffness of a rope; springs from soft to very stiff, one with a limit, between figures and to the world."""
    world = World()
    snake = chain(5, free_base=True)
    q = snake.neutral()
    q[7:] = wave(4, 0.4)
    one = world.add(snake, State(q, wave(snake.nv, 0.5)), mask=0)
    ball = world.add_body(Sphere(0.1), mass=3.0, pose=Pose((0.5, 0.2, 0.1)), mask=0)
    world.add_spring((one, "link0"), (0.1, 0.0, 0.6), stiffness=400.0, damping=4.0)
    world.add_spring((one, "link2", (0.01, 0, 0)), (ball, "body", (0, 0.05, 0)), stiffness=2e3, damping=1.0)
    world.add_spring((ball, "body"), (1.0, 0.2, 0.1), stiffness=1e3, damping=1.0, force_limit=20.0)
    world.add_rope((one, "link4"), (0.0, 0.3, 0.5), length=1.17, stiffness=1e5 * nudge, damping=100.0)
    world.add_rope((ball, "body"), (0.5, 0.0, 0.7), length=0.63, stiffness=1e7, damping=0.0)
    return running(world, H)


@golden()
def holds(nudge: float) -> Running:
    """The stiffness of a weld; a hinge, a pin, and a hold that breaks."""
    world = World()
    arm = world.add(chain(3), State(wave(3, 0.3), wave(3, 0.5)), mask=0)
    boxes = [world.add_body(Box((0.1, 0.05, 0.08)), mass=2.0, pose=Pose((0.4 * k + 0.3, 0.1, -0.3))) for k in range(4)]
    hold((arm, "link2"), (boxes[0], "body"), stiffness=2e4 * nudge)
    about = {"turning": Turning.HINGE, "axis": (0.2, 1.0, 0.1)}
    hold((boxes[0], "body", (0.15, 0, 0)), (boxes[1], "body"), **about, stiffness=2e4)
    hold((boxes[1], "body", (0.2, 0, 0)), (boxes[2], "body"), turning=Turning.FREE, stiffness=2e4)
    hold((boxes[3], "body", (0, 0, 0.1)), stiffness=2e4, force_limit=25.0)
    boxes[3].pull("body", (3.0, 4.0, 2.0))
    return running(world, H)


@golden(1e-7)
def hanging_on_a_bar(nudge: float) -> Running:
    """The stiffness of the springs in a human's joints, that hangs by both hands on a bar."""
    world, human = World(), human28(ranges=True)
    q = human.neutral()
    member = world.add(human, State(q, wave(human.nv, 0.3)))
    hands = [frame_position(human, q, name) for name in ("grip_left", "grip_right")]
    middle = (hands[0] + hands[1]) / 2
    bar = Capsule.between(middle + (0, 1.0, 0), middle - (0, 1.0, 0), 0.015)
    member.set_motor(40.0 * nudge, 2.0)
    for name in ("grip_left", "grip_right"):
        grasp(member, name, bar)
    return running(world, H)


@golden(1e-7)
def strands(nudge: float) -> Running:
    """The wind's speed, over hair on a head that turns."""
    world, builder = World(), FigureBuilder("head")
    builder.add("head", None, joint.hinge((0.1, 0, 1)), shapes=(Sphere(0.1),), density=1000.0)
    host = world.add(builder.build(), State(np.zeros(1), np.array([2.0])))
    host.set_motor(50.0, 1.0)
    hair = Strands(world, host, "head", strand(5), cap_of_roots(4, radius=0.1))
    hair.wind((2.0 * nudge, 1.0, 0.0))

    def read() -> Arrays:
        return {"q": hair.q, "v": np.concatenate([m.v for m in world.members])}  # forces: of roots of a thousand tons

    return Running(lambda n: world.step(1 / 120, steps=n), read, shake=lambda part: shaken(world.arrays.state)(part))
