"""Contact of all pairs of shapes, friction, restitution, stacks, heaps, thin things."""

import math
from dataclasses import replace

import numpy as np

from hitogata.dynamics import integrate
from hitogata.figure import (
    Box,
    Capsule,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    HeightField,
    Plane,
    Pose,
    Shape,
    Sphere,
    State,
)
from hitogata.library import chain, human28
from hitogata.sim import World
from tests.golden.scene import Arrays, Running, golden, running, wave

H = 1 / 240
TILT = (math.cos(0.15), math.sin(0.15) * 0.6, math.sin(0.15) * 0.8, 0.0)
"""A turn by 0.3 rad: nothing is parallel."""

PLAIN = (Sphere(0.12), Capsule(0.08, 0.12), Box((0.1, 0.14, 0.08)))
POINTS = np.array([[x, y, z * (1 + 0.2 * x)] for x in (-0.12, 0.1) for y in (-0.09, 0.11) for z in (-0.08, 0.1)])
CAN, EGG = Cylinder(0.1, 0.09), Ellipsoid((0.1, 0.14, 0.08))
MESH = ConvexMesh(np.vstack([POINTS, [0.15, 0.01, 0.02]]))
GRID = np.linspace(-1, 1, 11)
FIELD = HeightField(0.03 * np.outer(np.cos(2 * GRID), np.sin(3 * GRID + 0.4)), (0.8, 0.8))


def pairs(moving: tuple[Shape, ...], still: tuple[Shape, ...], speed: float, *, chaotic: bool = False) -> Running:
    """Each of some shapes on each of others, all at their places side by side, barely apart."""
    world = World()
    for i, below in enumerate(still):
        for k, above in enumerate(moving):
            # fields and planes are level; solids lie tilted at a height of their own
            x, y, flat = 2.0 * i, 2.0 * k, isinstance(below, HeightField | Plane)
            if k == 0 or not isinstance(below, Plane):  # one plane is enough for all
                at = Pose((x, y, 0.0)) if flat else Pose((x, y, 0.5), TILT)
                world.add_ground(replace(below, pose=at))
            height = (0.125 if flat else 0.74) + 0.08 * isinstance(above, Capsule)
            pose = Pose((x + (0.06 if flat else 0.02), y - 0.023, height), TILT)
            body = world.add_body(above, density=600.0, pose=pose)
            body.state = State(body.q, np.array([0.3, -0.2, 0.5, 0.1, 0.05 * i, -0.5 * speed]))

    def physics() -> Arrays:
        heights = np.array([m.q[2] for m in world.members])
        return {"height": heights, "energy": np.array([world.energy().total])}

    return running(world, H, physics if chaotic else None)


@golden(1e-6)
def pairs_of_primitives(nudge: float) -> Running:
    """The speed at which spheres, capsules and boxes fall on planes, spheres, capsules and boxes."""
    return pairs(PLAIN, (Plane(), *PLAIN), nudge)


@golden(height=1e-2, energy=1e-3)
def pairs_with_meshes(nudge: float) -> Running:
    """The speed at which solids fall on cylinders, meshes and a height field."""
    solids = (*PLAIN, CAN, MESH)
    return pairs(solids, (FIELD, CAN, MESH), nudge, chaotic=True)


@golden(bounds=(1e-6, 1e-5), nudge=1e-4, height=1e-2, energy=1e-3)
def pairs_with_ellipsoids(nudge: float) -> Running:
    """The speed at which solids fall on ellipsoids and these on them.

    Where both are round, GJK and EPA end by a tolerance of a gap, which leaves its square root to the contact point.
    """
    return pairs((*PLAIN, CAN, MESH, EGG), (EGG,), nudge, chaotic=True)


@golden(1e-9)
def sliding(nudge: float) -> Running:
    """The coefficient of friction, of boxes and a ball thrown along the ground; one stops, one turns."""
    world = World()
    world.add_ground(friction=0.4 * nudge)
    for k, shape in enumerate((Box((0.1, 0.15, 0.05)), Box((0.2, 0.1, 0.1)), Sphere(0.1))):
        z = (0.05, 0.1, 0.1)[k] - 1e-5
        body = world.add_body(shape, density=500.0, pose=Pose((0, 1.0 * k, z)), friction=0.4)
        body.state = State(body.q, np.array([0, 0, 0.0 if k == 0 else 2.0, 0.8 + k, 0.3, 0.0]))
    return running(world, H)


@golden(1e-6)
def bouncing(nudge: float) -> Running:
    """The coefficient of restitution; balls on the ground, and a row of balls."""
    world = World()
    world.add_ground(restitution=0.3)
    for k in range(3):
        ball = world.add_body(Sphere(0.1), mass=1.0 + k, pose=Pose((0.05 * k, 1.0 * k, 0.105)), restitution=0.8 * nudge)
        ball.state = State(ball.q, np.array([0.0, 1.0 * k, 0.0, 0.3, 0.0, -2.0]))
    for k in range(4):
        ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0.2001 * k, -1.0, 0.8)), restitution=0.9 * nudge)
        ball.state = State(ball.q, np.array([0.0, 0, 0, 3.0 * (k == 0), 0.0, 0.1]))
    return running(world, H)


@golden(1e-6)
def stack(nudge: float) -> Running:
    """The mass of the box on top of seven others, shifted and turned: Newton's method."""
    world = World()
    world.add_ground()
    for k in range(8):
        turn = Pose((0.015 * math.sin(2.0 * k), 0.01 * math.cos(3.0 * k), 0.1 + 0.1999 * k),
                    (math.cos(0.1 * k), 0, 0, math.sin(0.1 * k)))  # fmt: skip
        world.add_body(Box((0.1, 0.12, 0.1)), mass=4.0 * (nudge if k == 7 else 1.0), pose=turn)
    return running(world, 1 / 60)


@golden(energy=1e-3, height=1e-3)
def heap(nudge: float) -> Running:
    """The first speed of limp chains that fall into a pit; chaotic."""
    world = World()
    world.add_ground()
    for x, y, half in ((0.6, 0, (0.1, 0.7, 0.5)), (-0.6, 0, (0.1, 0.7, 0.5)), (0, 0.6, (0.7, 0.1, 0.5)),
                       (0, -0.6, (0.7, 0.1, 0.5))):  # fmt: skip
        world.add_ground(Box(half, pose=Pose((x, y, 0.5))))
    figure = chain(6, free_base=True, length=0.15)
    for k in range(12):
        q = figure.neutral()
        q[:3], q[7:] = (0.25 * math.sin(2.1 * k), 0.25 * math.cos(3.3 * k), 0.25 + 0.14 * k), wave(5, 0.5, k)
        q[3:7] = math.sqrt(0.5), math.sqrt(0.5) * math.sin(k), math.sqrt(0.5) * math.cos(k), 0.0
        v = wave(figure.nv, 0.5, k)
        v[5] = -2.0 * nudge
        world.add(figure, State(q, v)).set_motor(0.5, 0.02)

    def physics() -> Arrays:
        """At 100 steps most has landed."""
        places = np.array([m.q[:3] for m in world.members])
        assert np.abs(places[:, :2]).max() < 0.55  # no one went through a wall
        return {"energy": np.array([world.energy().gravity]), "height": np.array([places[:, 2].mean()])}

    return running(world, 1 / 120, physics)


@golden(1e-7)
def standing(nudge: float) -> Running:
    """The stiffness of the motors of a human on the ground, that is pulled at its head."""
    world = World()
    world.add_ground()
    figure = human28(ranges=True)
    human = world.add(figure)
    human.set_motor(2000.0 * nudge, 30.0)
    human.set_target(integrate(figure, figure.neutral(), np.concatenate([np.zeros(6), wave(figure.nv - 6, 0.02)])))
    human.pull("head", (4.0, 3.0, 0.0))
    return running(world, H)


@golden(energy=1e-4, height=1e-4)
def falling(nudge: float) -> Running:
    """The stiffness of soft motors of a human that trips over a step; chaotic."""
    world = World()
    world.add_ground(friction=0.7)
    world.add_ground(Box((0.3, 0.3, 0.2), pose=Pose((0.6, 0.1, 0.2))))
    human = human28(ranges=True)
    member = world.add(human, State(human.neutral(), np.concatenate([[0.2, 2.0, 0.1, 1.2, 0.1, 0.0], wave(28)])))
    member.set_motor(60.0 * nudge, 2.0)

    def physics() -> Arrays:
        energy = world.energy()
        assert energy.kinetic > 0
        return {"energy": np.array([energy.total]), "height": np.array([member.q[2]])}

    return running(world, 1 / 60, physics)


@golden(1e-6)
def thin(nudge: float) -> Running:
    """The speed of a bullet and a spinning rod that are shot at thin walls: substeps that end at times of impact."""
    world = World(gravity=(0, 0, -1.0))
    world.add_ground(Box((0.004, 2.0, 2.0)))
    bullet = world.add_body(Sphere(0.004), mass=0.01, pose=Pose((-1.0, 0.1, 0.2)))
    bullet.state = State(bullet.q, np.array([0, 0, 0, 300.0 * nudge, 10.0, 3.0]))
    rod = world.add_body(Capsule(0.005, 0.2), mass=0.2, pose=Pose((0.4, -0.7, 0.5), TILT))
    rod.state = State(rod.q, np.array([10.0, 80.0, 3.0, -20.0, 0, 0]))
    missing = world.add_body(Box((0.05, 0.05, 0.05)), mass=0.2, pose=Pose((-3.0, 1.7, 2.07), TILT))
    missing.state = State(missing.q, np.array([1.0, 2.0, 3.0, 30.0, 0, 0]))
    return running(world, H)
