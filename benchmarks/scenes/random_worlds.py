"""Random worlds without anything that drives them, of four families: figures, bodies, hung trees, strands.

Figures lie in each other, in the ground and beyond their ranges, with springs of up to 1e7 N m/rad in their joints,
and springs and ropes of up to 1e7 N/m between links metres apart.  Bodies of all shapes stand in stacks or fly about,
elastic or not, some of them held to each other, on springs or on ropes.
"""

import math
from collections.abc import Callable

import numpy as np

from hitogata.figure import Box, Capsule, Cylinder, Ellipsoid, JointKind, Pose, Shape, Sphere, State
from hitogata.library import cap_of_roots, strand
from hitogata.loops.virtual_links import Turning
from hitogata.sim import Member, Settings, Strands, World, hold
from tests.peers.builders import random_figure
from tests.sim.scenes import Scene, any_size, dressed, random_scene

STEPS, SHARES = (1 / 1000, 1 / 240, 1 / 60, 1 / 30, 0.1), (0.04, 0.11, 0.35, 0.25, 0.25)
"""Steps [s], and how often each is taken: long ones gain most easily, and cost least."""

MASSES = 0.1, 1.0, 1.0, 10.0, 100.0
SHAPED = 20
"""One world in so many has cylinders and ellipsoids."""


def passive_world(seed: int, *, settings: Settings | None = None) -> Scene:
    """The world of a seed, with the step to take it by."""
    rng = np.random.default_rng([seed, 7])
    make = (figures, figures, bodies, hung)[seed % 4] if seed % 40 != 7 else strands
    scene = make(seed, rng, settings)
    scene.h = float(rng.choice(STEPS, p=SHARES))
    return scene


def figures(seed: int, rng: np.random.Generator, settings: Settings | None) -> Scene:
    """One to three figures of any joints, with any springs and ropes."""
    scene = random_scene(seed, driven=False, settings=settings)
    if rng.random() < 0.3:
        put_holds(scene, rng)
    return scene


def bodies(seed: int, rng: np.random.Generator, settings: Settings | None) -> Scene:
    """Up to nine bodies, in a stack or anywhere."""
    world = World(settings=settings)
    scene = Scene(world, 0.0, f"seed {seed}, bodies")
    world.add_ground(friction=float(rng.uniform(0, 1.5)), restitution=float(rng.choice([0.0, 0.5, 1.0])))
    kinds = 5 if seed % SHAPED == 2 else 3
    stack, bounce = rng.random() < 0.4, float(rng.choice([0.0, 0.0, 0.6, 1.0]))
    for k in range(rng.integers(2, 10)):
        shape = Box(tuple(rng.uniform(0.1, 0.2, 3))) if stack else body_shape(rng, kinds)
        at = (0.02 * rng.normal(), 0.02 * rng.normal(), 0.2 + 0.42 * k) if stack else tuple(rng.uniform(-0.5, 1.5, 3))
        turn = (1.0, 0.0, 0.0, 0.0) if stack else tuple(unit(rng.normal(size=4)))
        body = world.add_body(
            shape, mass=float(rng.choice(MASSES)), pose=Pose(at, turn), friction=float(rng.uniform(0, 1.2)),
            restitution=bounce, name=f"body{k}",
        )  # fmt: skip
        if not stack:
            body.state = State(body.q, rng.normal(size=6) * rng.choice([0.0, 3.0, 20.0]))
        scene.members.append(body)
    put_links(scene, rng)
    return scene


def body_shape(rng: np.random.Generator, kinds: int) -> Shape:
    """A shape about 0.2 m wide."""
    a, b, c = rng.uniform(0.05, 0.2, 3)
    shapes = [Sphere(a), Capsule(a, b), Box((a, b, c)), Cylinder(a, b), Ellipsoid((a, b, c))]
    return shapes[rng.integers(kinds)]


def hung(seed: int, rng: np.random.Generator, settings: Settings | None) -> Scene:
    """A tree of any joints, fast, that hangs on the world, and another one beside it; no springs in its joints."""
    world = World(settings=settings)
    scene = Scene(world, 0.0, f"seed {seed}, hung")
    for k in range(rng.integers(1, 3)):
        root = (JointKind.BALL, JointKind.HINGE, JointKind.UNIVERSAL, JointKind.FREE)[rng.integers(4)]
        figure = random_figure(rng, int(rng.integers(max(root.nv, 1), 20)), root=root)
        if rng.random() < 0.5:
            figure = dressed(figure, f"tree{k}", rng)
        v = rng.normal(size=figure.nv) * rng.choice([0.0, 2.0, 10.0, 30.0])
        scene.members.append(world.add(figure, State(figure.random(rng, spread=1.0), v)))
    put_links(scene, rng)
    return scene


def strands(seed: int, rng: np.random.Generator, settings: Settings | None) -> Scene:
    """Strands that fall from a ball that stands still."""
    from hitogata.figure import FigureBuilder, joint

    world, builder = World(settings=settings), FigureBuilder("head")
    scene = Scene(world, 0.0, f"seed {seed}, strands")
    builder.add("head", None, joint.fixed(), shapes=(Sphere(0.1),), density=1000.0)
    head = world.add(builder.build())
    hair = Strands(world, head, "head", strand(int(rng.integers(2, 8))), cap_of_roots(6, radius=0.105))
    scene.members += [head, *hair.members]
    return scene


def put_links(scene: Scene, rng: np.random.Generator) -> None:
    """Springs, ropes and holds between any two, or one and the world; of any stiffness, as far apart as they are."""
    for _ in range(rng.choice([0, 0, 1, 3])):
        a, b = end(scene, rng), end(scene, rng)
        other = b if rng.random() < 0.6 else rng.normal(size=3)
        kind, stiffness, damping = rng.integers(2), any_size(rng, 10.0, 1e7), any_size(rng, 1e-2, 1e3)
        if kind == 0:
            scene.world.add_spring(a, other, stiffness=stiffness, damping=damping + 1e-2)
        else:
            length = float(rng.uniform(0.05, 1.5))
            scene.world.add_rope(a, other, length=length, stiffness=stiffness + 10.0, damping=damping)
    put_holds(scene, rng)


def put_holds(scene: Scene, rng: np.random.Generator) -> None:
    """Holds between links, or a link and the world."""
    for _ in range(rng.choice([0, 0, 1, 2])):
        a, b = end(scene, rng), end(scene, rng)
        turning = (Turning.FREE, Turning.HINGE, Turning.HELD)[rng.integers(3)]
        other = b if rng.random() < 0.7 and b[:2] != a[:2] else None
        axis = rng.normal(size=3) if turning is Turning.HINGE else None
        hold(a, other, turning=turning, axis=axis, stiffness=float(10 ** rng.uniform(3, 7)),
             damping=float(10 ** rng.uniform(-1, 3)))  # fmt: skip


def end(scene: Scene, rng: np.random.Generator) -> tuple[Member, str]:
    """A link of any figure."""
    member = scene.members[rng.integers(len(scene.members))]
    return member, member.figure.link_names[rng.integers(member.figure.nlinks)]


def unit(a: np.ndarray) -> np.ndarray:
    """Its direction."""
    return a / math.sqrt(a @ a)


Maker = Callable[[int, np.random.Generator, Settings | None], Scene]
