"""Thin things that are shot at each other, and whether they passed; each told by where it is, not by contacts."""

from collections.abc import Callable

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import (
    Box,
    Capsule,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    Figure,
    FigureBuilder,
    HeightField,
    MassProperties,
    Plane,
    Pose,
    Shape,
    Sphere,
    State,
    joint,
)
from hitogata.sim import Settings, World

ROD, WALL = Capsule(0.003, 0.2), Box((0.005, 60.0, 60.0))
STEPS = (1 / 1000, 1 / 240, 1 / 60, 1 / 30, 0.1)
SLANT = Pose((0, 0, 0), (np.sqrt(0.5), 0, -np.sqrt(0.5), 0))
"""Turns z to -x: what is upright lies against the shot."""


def random_pose(rng: np.random.Generator, x: float) -> Pose:
    """Somewhere before the wall, turned anyhow."""
    q = rng.normal(size=4)
    return Pose((x - rng.uniform(0, 0.3), 0, 0), tuple(q / np.linalg.norm(q)))


def random_velocity(rng: np.random.Generator) -> np.ndarray:
    """10 to 300 m/s towards the wall, somewhat aslant, spinning at 1 to 300 rad/s."""
    v = 10 * 30 ** rng.uniform()
    return np.array([*rng.normal(size=3) * 10 ** rng.uniform(0, 2.5), v, *rng.normal(size=2) * 0.2 * v])


def axis_of(q: np.ndarray, k: int = 2) -> np.ndarray:
    """Column of the rotation matrix of a free body."""
    return np.array(Pose(tuple(q[:3]), tuple(q[3:7])).rotation)[:, k]


def shoot(world: World, shape: Shape, rng: np.random.Generator, mass: float = 0.1, x: float = -0.5, **more: float):
    """Shoot a shape along +x."""
    shot = world.add_body(shape, mass=mass, pose=random_pose(rng, x), **more)
    shot.state = State(shot.q, random_velocity(rng))
    return shot


def fly(world: World, shot, h: float, passed: Callable[[], bool]) -> bool:
    """Until well after the hit: did it pass at the end of any step?"""
    for _ in range(int(np.ceil((1.5 / shot.v[3] + 0.05) / h)) + 2):
        world.step(h)
        if passed():
            return True
    return False


def on_wall(shape: Shape, wall: Shape = WALL, deep: float = 0.0, **settings) -> Callable[[int, float], bool]:
    """At a wall that stands: the middle of the shot must not come beyond `deep`, nor the ends of a rod's axis."""

    def run(seed: int, h: float) -> bool:
        rng, world = np.random.default_rng(seed), World(gravity=(0.0, 0.0, 0.0), settings=Settings(**settings))
        world.add_ground(wall)
        shot = shoot(world, shape, rng)
        half = shape.half_length if isinstance(shape, Capsule) else 0.0
        return fly(world, shot, h, lambda: shot.q[0] + half * abs(axis_of(shot.q)[0]) > deep)

    return run


def on_moving_plate(seed: int, h: float) -> bool:
    """A rod meets a plate of 2 mm that comes towards it, turning: seen from the plate, its middle must not pass."""
    rng, world = np.random.default_rng(seed), World(gravity=(0.0, 0.0, 0.0))
    plate = world.add_body(Box((0.001, 10.0, 10.0)), mass=20.0)
    plate.state = State(plate.q, np.array([*rng.normal(size=3), -rng.uniform(0, 50), 0, 0]))
    shot = shoot(world, ROD, rng, x=-1.0)
    return fly(world, shot, h, lambda: (shot.q[:3] - plate.q[:3]) @ axis_of(plate.q, 0) > 0.0)


def on_fence(seed: int, h: float) -> bool:
    """A rod meets rods of its own kind that stand 8 mm apart, so that none fits in between."""
    rng, world = np.random.default_rng(seed), World(gravity=(0.0, 0.0, 0.0))
    for y in 0.008 * np.arange(-60, 61):
        world.add_ground(Capsule(0.003, 5.0, pose=Pose((0, y, 0))))
    shot = shoot(world, ROD, rng)
    shot.state = State(shot.q, shot.v * [1, 1, 1, 1, 0, 0])
    return fly(world, shot, h, lambda: shot.q[0] > 0.0 and abs(shot.q[1]) < 0.25)


def chain(links: int = 4) -> Figure:
    """Thin links of 0.2 m, joined by balls and hinges."""
    builder, bone = FigureBuilder("chain"), Capsule(0.003, 0.1, pose=Pose((0, 0, 0.1)))
    mass, above = MassProperties.principal(0.05, (0, 0, 0.1), (1.7e-4, 1.7e-4, 2.3e-7)), None
    for k in range(links):
        kind = joint.free() if above is None else (joint.ball if k % 2 else joint.hinge)(
            name=f"j{k}", parent_frame=Pose((0, 0, 0.2)))  # fmt: skip
        builder.add(f"l{k}", above, kind, mass, shapes=[bone])
        above = f"l{k}"
    return builder.build()


def figure_on_wall(seed: int, h: float) -> bool:
    """A chain of thin links: no link's middle passes."""
    rng, world, figure = np.random.default_rng(seed), World(gravity=(0.0, 0.0, 0.0)), chain()
    world.add_ground(WALL)
    q, v = figure.neutral(), np.zeros(figure.nv)
    pose = random_pose(rng, -0.5)
    q[:3], q[3:7], v[:6] = (-1.2, 0, 0), pose.quat, random_velocity(rng)
    v[6:] = rng.normal(size=figure.nv - 6) * 10
    shot = world.add(figure, State(q, v))

    def passed() -> bool:
        poses = forward_kinematics(figure, shot.q)
        return bool((poses.position + 0.1 * poses.rotation[..., 2])[:, 0].max() > 0.0)

    return fly(world, shot, h, passed)


def on_ridge(shape: Shape) -> Callable[[int, float], bool]:
    """At a height field with a ridge of 5 m across the way, 0.2 m thick at its foot."""
    heights = np.where(np.arange(81) == 40, 5.0, 0.0)

    def run(seed: int, h: float) -> bool:
        rng, world = np.random.default_rng(seed), World(gravity=(0.0, 0.0, 0.0))
        world.add_ground(HeightField(np.tile(heights, (3, 1)), (4.0, 60.0), pose=Pose((0, 0, -1.0))))
        shot = shoot(world, shape, rng)
        shot.state = State(shot.q, shot.v * [1, 1, 1, 1, 1, 0])
        return fly(world, shot, h, lambda: shot.q[0] > 0.0 and shot.q[2] < 3.9)

    return run


def on_ridges(shape: Shape) -> Callable[[int, float], bool]:
    """At a height field that stands upright, with ridges of 0.2 m: the middle must not come below the ground."""
    heights = np.where(np.arange(801) % 2 == 0, 0.2, 0.0)

    def run(seed: int, h: float) -> bool:
        rng, world = np.random.default_rng(seed), World(gravity=(0.0, 0.0, 0.0))
        world.add_ground(HeightField(np.tile(heights, (3, 1)), (40.0, 60.0), pose=SLANT))
        shot = shoot(world, shape, rng, x=-0.7)
        ground = np.linspace(-40.0, 40.0, 801)
        return fly(world, shot, h, lambda: -shot.q[0] < np.interp(shot.q[2], ground, heights) - 0.005)

    return run


def plate_mesh() -> ConvexMesh:
    """A plate of 2 mm, 0.2 m wide, turned in its own axes."""
    corners = np.array([[x, y, z] for x in (-0.001, 0.001) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
    turn = np.array(Pose((0, 0, 0), (0.8, 0.36, 0.48, 0)).rotation)
    return ConvexMesh(corners @ turn.T)


S = (-1.0, 1.0)
PLAIN = {
    "rod on wall": on_wall(ROD),
    "rod on plate": on_wall(ROD, Box((0.001, 60.0, 60.0))),
    "rod on ground": on_wall(ROD, Plane(pose=SLANT), deep=0.003),
    "plate on wall": on_wall(Box((0.001, 0.1, 0.15))),
    "ball on wall": on_wall(Sphere(0.002)),
    "ball on plate": on_wall(Sphere(0.002), Box((0.001, 60.0, 60.0))),
    "rod on moving plate": on_moving_plate,
    "rod on fence": on_fence,
    "figure on wall": figure_on_wall,
}
SHAPED = {
    "mesh on wall": on_wall(plate_mesh()),
    "cylinder on wall": on_wall(Cylinder(0.003, 0.2)),
    "ellipsoid on wall": on_wall(Ellipsoid((0.1, 0.05, 0.002))),
    "mesh on mesh": on_wall(plate_mesh(), ConvexMesh([[0.005 * x, 60 * y, 60 * z] for x in S for y in S for z in S])),
    "rod on ridge": on_ridge(ROD),
    "rod on ridges": on_ridges(ROD),
    "plate on ridges": on_ridges(Box((0.001, 0.1, 0.15))),
}
