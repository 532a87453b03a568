"""Worlds side by side."""

import math

import numpy as np

from hitogata.dynamics import integrate
from hitogata.figure import Box, Pose, Sphere, State
from hitogata.library import chain, human28
from hitogata.rom import ConeRegion, ConstantTwist, RangeOfMotion
from hitogata.sim import World, WorldBatch
from tests.golden.scene import Arrays, Running, golden, shaken, wave
from tests.golden.scenes.ranges import limb

COUNT = 3


def batch(dtype: type, nudge: float) -> Running:
    """Humans that stand, with masses, motors, friction, gravity, limits, ranges and pulls of their own; a ball bounces,
    a chain swings on a spring."""
    world = World()
    world.add_ground()
    human = world.add(human28(ranges=True))
    human.set_motor(2000.0, 30.0)
    snake = chain(4)
    rope = world.add(snake, State(wave(4, 0.5), np.zeros(4)), group=2, mask=2)
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((2.0, 0.1, 0.12)), restitution=0.6)
    box = world.add_body(Box((0.1, 0.08, 0.06)), mass=1.0, pose=Pose((3.0, 0.1, 0.0598)))
    spring = world.add_spring((rope, "link3"), (0.3, 0.2, -0.6), stiffness=50.0, damping=1.0)
    worlds = WorldBatch(world, COUNT, dtype=dtype)
    states = {ball: State(np.tile(ball.q, (COUNT, 1)), np.outer([1.0, 1.1, 1.2], [0.5, 0.2, 0.1, 0.4, 0.1, -1.0])),
              box: State(np.tile(box.q, (COUNT, 1)), np.outer([1.0, 1.5, 0.5], [0, 0, 1.0, 0.7, 0.1, 0]))}  # fmt: skip
    worlds.reset(state=states)
    members = [worlds.member(m) for m in (human, rope, ball, box)]
    members[0].set_motor(np.array([2000.0, 1500.0, 2500.0]) * nudge, 30.0)
    members[0].set_mass(np.array([1.0, 1.1, 0.9]))
    members[0].pull("head", np.array([[3.0, 0, 0], [0, 4.0, 0], [-2.0, 1.0, 0]]), at=(0, 0, 0.1))
    members[0].set_limits("shin_left", np.array([-0.1, 0.02, -0.2]), 0.5)
    members[1].set_target(np.array([wave(4, 0.3, k) for k in range(COUNT)]))
    members[1].set_motor(5.0, 0.1)
    worlds.set_ground_friction(np.array([0.8, 0.6, 0.9]))
    worlds.set_gravity(np.array([[0, 0, -9.81], [0.1, 0, -9.7], [0, 0.2, -9.9]]))
    tie = worlds.tie(spring)

    def read() -> Arrays:
        return {
            "q": worlds.q.copy(), "v": worlds.v.copy(), "tie force": np.array(tie.force),
            "contact force": np.concatenate([m.contact_forces().reshape(COUNT, -1) for m in members], axis=1),
            "limit force": np.concatenate([m.limit_forces() for m in members], axis=1),
            "motor force": np.concatenate([m.motor_forces() for m in members], axis=1),
        }  # fmt: skip

    advance = lambda n: worlds.step(1 / 240, steps=n)
    return Running(advance, read, shake=lambda part: shaken(worlds.arrays.state)(part))


@golden(1e-6)
def batch_in_double(nudge: float) -> Running:
    """The stiffness of the humans' motors."""
    return batch(np.float64, nudge)


@golden(1e-3, bounds=(1e-4, 1e-4), nudge=1e-2)
def batch_in_single(nudge: float) -> Running:
    """The stiffness of the humans' motors."""
    return batch(np.float32, nudge)


@golden(1e-7)
def batch_of_ranges(nudge: float) -> Running:
    """The stiffness of the walls of three arms that are driven against ranges of their own."""
    world = World()
    figure = limb("arm", ConeRegion((0, 0, 1), 1.0), ConstantTwist(-0.5, 0.5), 0.0)
    start = integrate(figure, figure.neutral(), [0.5, 0.6, 0.1, 0.0])
    arm = world.add(figure, State(start, np.zeros(figure.nv)))
    arm.set_motor(40.0, 2.0)
    worlds = WorldBatch(world, COUNT)
    member = worlds.member(arm)
    own = [RangeOfMotion(ConeRegion((0, math.sin(a), math.cos(a)), b), ConstantTwist(-0.4, b / 2))
           for a, b in ((0.0, 0.5), (0.2, 0.6), (-0.3, 0.7))]  # fmt: skip
    member.set_wall(3000.0 * nudge, 20.0)
    member.set_range(figure.joint_names[0], own)
    member.set_target(np.array([integrate(figure, figure.neutral(), [*wave(3, 1.5, k), 0.3]) for k in range(COUNT)]))

    def read() -> Arrays:
        return {"q": worlds.q.copy(), "v": worlds.v.copy(), "limit force": np.array(member.limit_forces())}

    return Running(lambda n: worlds.step(1 / 240, steps=n), read, shake=lambda part: shaken(worlds.arrays.state)(part))
