"""Contact by states, sleep, maximal coordinates, effort limits, things that come and go."""

import numpy as np

from hitogata.figure import Box, Capsule, Pose, Sphere, State
from hitogata.library import chain, human28
from hitogata.sim import ContactMethod, Coordinates, Settings, World
from tests.golden.scene import Arrays, Running, golden, reading, running, wave
from tests.golden.scenes.contacts import TILT

H = 1 / 240


@golden(1e-6)
def states(nudge: float) -> Running:
    """The friction of a box that slides and tips, beside a human that stands, by hypothesis and validity."""
    world = World(settings=Settings(contacts=ContactMethod.STATES))
    world.add_ground(friction=0.5)
    box = world.add_body(Box((0.05, 0.1, 0.15)), mass=3.0, pose=Pose((2.0, 0, 0.151)), friction=0.5 * nudge)
    box.state = State(box.q, np.array([0, 0, 0.5, 1.0, 0.3, 0.0]))
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    run = running(world, H)

    def read() -> Arrays:
        patches = world.contact_patches()
        return {**run.read(), "patches": np.array(len(patches))}

    return Running(run.advance, read, shake=run.shake)


@golden(1e-6)
def sleep(nudge: float) -> Running:
    """The mass of a box of a stack that falls asleep, beside a chain that swings on."""
    world = World(settings=Settings(sleep_after=0.3))
    world.add_ground()
    for k in range(3):
        world.add_body(Box((0.1, 0.1, 0.1)), mass=4.0 * nudge, pose=Pose((0.01 * k, 0.007 * k, 0.1 + 0.2 * k)))
    world.add(chain(3), State(wave(3, 0.5), wave(3)), group=2, mask=2)
    run = running(world, 1 / 60)

    def read() -> Arrays:
        return {**run.read(), "asleep": np.array([m in world.asleep for m in world.members])}

    return Running(run.advance, read)


@golden(1e-7)
def maximal(nudge: float) -> Running:
    """The mass of a ball on a rope, in maximal coordinates; a figure in contact beside it."""
    world = World(coordinates=Coordinates.MAXIMAL, settings=Settings(sweeps=60, tolerance=0.0))
    world.add_ground()
    snake = chain(4, free_base=True)
    q = snake.neutral()
    q[:3], q[7:] = (0.0, 0.0, 0.7), wave(3, 0.3)
    q[3:7] = TILT
    world.add(snake, State(q, wave(snake.nv, 0.4))).set_motor(20.0, 1.0)
    ball = world.add_body(Sphere(0.1), mass=2.0 * nudge, pose=Pose((1.0, 0, 0.5)))
    world.add_rope((ball, "body"), (1.2, 0.1, 0.9), length=0.4)
    run = running(world, H)

    def read() -> Arrays:
        left = ("energy",)  # of reduced coordinates
        return {k: a for k, a in run.read().items() if k not in left}

    return Running(run.advance, read, shake=run.shake)


@golden(1e-7)
def effort_limits(nudge: float) -> Running:
    """The greatest torque of one joint of an arm that holds more than it can."""
    world = World()
    arm = world.add(chain(4), State(wave(4, 0.8), np.zeros(4)))
    arm.set_motor(500.0, 5.0)
    arm.set_target(wave(4, 0.8, 1.0))
    arm.set_effort_limit(6.0)
    arm.set_effort_limit(2.0 * nudge, ["link1"])
    return running(world, H)


@golden(1e-6)
def coming_and_going(nudge: float) -> Running:
    """The length of a rope; a body comes after five steps, the rope goes, a pull ends, a state is set, on the way."""
    world = World()
    world.add_ground()
    snake = chain(4, free_base=True)
    q = snake.neutral()
    q[2], q[7:] = 1.2, wave(3, 0.4)
    one = world.add(snake, State(q, wave(snake.nv, 0.3)))
    rope = world.add_rope((one, "link0"), (0.1, 0.1, 1.6), length=0.3 * nudge)
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0.5, 0.3, 0.12), TILT))
    one.pull("link3", (3.0, 1.0, 0.0))
    at, taken = Pose((1.0, 1.0, 0.11), TILT), 0

    def advance(steps: int) -> None:
        nonlocal taken
        for _ in range(steps):
            if taken == 5:
                world.add_body([Capsule(0.05, 0.1), Box((0.03, 0.08, 0.05))], mass=0.7, pose=at)
            elif taken == 7:
                world.remove_tie(rope)
                one.pull("link3")
            elif taken == 20:
                world.remove(ball)
            elif taken == 30:
                one.state = State(one.q, 0.5 * one.v)
            world.step(1 / 120)
            taken += 1

    return Running(advance, lambda: reading(world))
