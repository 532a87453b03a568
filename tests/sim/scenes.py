"""Random scenes for a world: figures of all joints with shapes and ranges, motors, springs and ropes; their energy."""

import functools
from dataclasses import dataclass, field, replace

import numpy as np

from hitogata.dynamics import difference, energy, forward_kinematics, integrate
from hitogata.dynamics.model import model_of
from hitogata.figure import Box, Capsule, Figure, JointKind, Pose, Shape, Sphere, State
from hitogata.rom import ConeRegion, ConstantTwist, FixedTwist, FreeTwist, RangeOfMotion
from hitogata.sim import Member, Settings, Tie, World
from tests.peers.builders import random_figure
from tests.rom.cases import CASES as REGIONS

ROOTS = [JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL]


@dataclass
class Scene:
    """A world, what is in it, and the step to take it by."""

    world: World
    h: float
    name: str
    members: list[Member] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = ", ".join(f"{m.figure.links[0].joint.kind.value} {m.figure.nv}" for m in self.members)
        return f"{self.name}, h {self.h:.4g} s: {kinds}"


# ------------------------------------------------------- figures


@functools.cache
def region(name: str):
    return REGIONS[name]()[0]


def random_range(rng: np.random.Generator) -> RangeOfMotion:
    """Any region that the tests of ranges know, or a cone; any kind of twist."""
    if rng.random() < 0.5:
        axis = rng.normal(size=3)
        swing = ConeRegion(axis / np.linalg.norm(axis), rng.uniform(0.1, 3.0))
    else:
        swing = region(sorted(REGIONS)[rng.integers(len(REGIONS))])
    low, high = np.sort(rng.uniform(-2.5, 2.5, 2))
    twist = [FreeTwist(), FixedTwist(float(rng.uniform(-1, 1))), ConstantTwist(low, high)][rng.integers(3)]
    return RangeOfMotion(swing, twist)


def random_interval(rng: np.random.Generator) -> tuple[float, float]:
    """Wide, narrow, without any room, or one-sided."""
    a, b = np.sort(rng.uniform(-1.5, 1.5, 2))
    return [(a, b), (a, a + 1e-3), (a, a), (-np.inf, b)][rng.choice(4, p=[0.7, 0.1, 0.1, 0.1])]


def random_limits(kind: JointKind, rng: np.random.Generator):
    """A range for a joint of a kind; for some, none."""
    if kind in (JointKind.FREE, JointKind.FIXED) or rng.random() < 0.25:
        return None
    if kind is JointKind.BALL:
        return random_range(rng)
    if kind is JointKind.UNIVERSAL:
        return random_interval(rng), random_interval(rng)
    return random_interval(rng)


def random_shape(rng: np.random.Generator, at) -> Shape:
    quat, size = rng.normal(size=4), rng.uniform(0.03, 0.2, 3)
    pose = Pose(tuple(at), tuple(quat / np.linalg.norm(quat)))
    shapes = Sphere(size[0], pose=pose), Capsule(size[0], size[1], pose=pose), Box(tuple(size), pose=pose)
    return shapes[rng.integers(3)]


def dressed(figure: Figure, name: str, rng: np.random.Generator) -> Figure:
    """A figure with shapes at its centres of mass, and ranges: overlapping, and beyond its ranges, as chance will."""
    links = []
    for link in figure.links:
        shapes = (random_shape(rng, link.mass.centre),) if rng.random() < 0.8 else ()
        links.append(
            replace(link, joint=replace(link.joint, range=random_limits(link.joint.kind, rng)), shapes=shapes)
        )
    return Figure(name, tuple(links))


def bare(figure: Figure) -> Figure:
    """The same figure without shapes and ranges."""
    links = tuple(replace(link, shapes=(), joint=replace(link.joint, range=None)) for link in figure.links)
    return Figure(figure.name, links)


# ------------------------------------------------------- scenes


def random_scene(seed: int, *, driven: bool = True, settings: Settings | None = None) -> Scene:
    """One to three figures that may lie in each other, in the ground and beyond their ranges; any step.

    Args:
        seed: of all choices.
        driven: with pushes, pulls, moving targets, bouncing surfaces, and walls of any kind; otherwise nothing brings
            energy in.
    """
    rng = np.random.default_rng([seed, 2024])
    world = World(settings=settings)
    scene = Scene(world, float(np.exp(rng.uniform(np.log(1e-3), np.log(0.1)))), f"seed {seed}")
    if rng.random() < 0.6:
        world.add_ground(friction=float(rng.uniform(0, 1.5)))
        if rng.random() < 0.3:
            world.add_ground(Box((0.5, 0.5, 0.2), pose=Pose((0.3, 0, 0.1))))
    for k in range(rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1])):
        root = ROOTS[rng.choice(6, p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1])]
        figure = dressed(random_figure(rng, int(rng.integers(max(root.nv, 1), 26)), root=root), f"figure{k}", rng)
        q = figure.random(rng, spread=float(rng.choice([0.0, 0.5, 2.0])))
        if rng.random() < 0.3:
            q = figure.neutral()
        if root is JointKind.FREE:
            q[:3] = *rng.uniform(-1, 1, 2), rng.uniform(0, 2)
        v = rng.normal(size=figure.nv) * rng.choice([0.0, 1.0, 10.0])
        bounce, friction = float(rng.choice([0.0, 0.0, 0.5, 1.0])), float(rng.uniform(0, 1.5))
        member = world.add(figure, State(q, v), friction=friction, restitution=bounce if driven else 0.0)
        put_motors(member, rng, driven)
        scene.members.append(member)
    put_ties(scene, rng)
    return scene


def any_size(rng: np.random.Generator, low: float, high: float) -> float:
    """0, or anything between, evenly in its logarithm."""
    return 0.0 if rng.random() < 0.25 else float(np.exp(rng.uniform(np.log(low), np.log(high))))


def put_motors(member: Member, rng: np.random.Generator, driven: bool) -> None:
    """Springs of up to 1e7 N m/rad and dampers of up to 1e3 N m s/rad in all joints, with targets anywhere."""
    figure = member.figure
    joints = [n for n, k in zip(figure.joint_names, figure.links, strict=True) if k.joint.kind is not JointKind.FREE]
    for name in joints:
        member.set_motor(any_size(rng, 1.0, 1e7), any_size(rng, 1e-2, 1e3), [name])
        if driven and rng.random() < 0.2:
            member.set_wall(float(rng.choice([np.inf, 10.0, 1e4, 1e9])), any_size(rng, 1e-2, 1e4), [name])
    if joints and rng.random() < 0.8:
        rate = rng.normal(size=figure.nv) * rng.choice([0.0, 3.0])
        member.set_target(figure.random(rng, spread=1.0), rate if driven else None)
    if driven and rng.random() < 0.3:
        member.push(rng.normal(size=figure.nv) * 20.0)
    if driven and rng.random() < 0.3:
        member.pull(figure.link_names[-1], rng.normal(size=3) * 100.0, rng.normal(size=3) * 5.0, at=rng.normal(size=3))


def put_ties(scene: Scene, rng: np.random.Generator) -> None:
    """Springs and ropes of up to 1e7 N/m between links, or a link and the world, however far apart these are."""
    for _ in range(rng.choice([0, 1, 2, 4])):
        ends: list = []
        for _ in range(2):
            member = scene.members[rng.integers(len(scene.members))]
            ends.append((member, member.figure.link_names[rng.integers(member.figure.nlinks)]))
        if rng.random() < 0.4:
            ends[1] = rng.normal(size=3)
        stiffness, damping = any_size(rng, 1.0, 1e7), float(np.exp(rng.uniform(np.log(1e-2), np.log(1e3))))
        if rng.random() < 0.5:
            scene.world.add_spring(*ends, stiffness=stiffness, damping=damping)
        else:
            scene.world.add_rope(*ends, length=float(rng.uniform(0.01, 2.0)), stiffness=stiffness, damping=damping)


# ------------------------------------------------------- energy


def kinetic_energy(member: Member) -> float:
    """Of the mean velocities of the last step, or of its last piece."""
    return member.energy().kinetic


def middle(member: Member) -> np.ndarray:
    """Halfway through the last step, or its last piece: where positions and velocities of a step are in time."""
    start = member.world.arrays.q_of(member, member.world.arrays.start)
    return integrate(member.figure, start, 0.5 * difference(member.figure, start, member.q))


def potential_energy(world: World, places: dict[Member, np.ndarray]) -> float:
    """Of gravity, motors' springs and ties, with all figures at given places."""
    total = sum(tie_energy(tie, places) for tie in world.ties)
    for member, q in places.items():
        rest = np.zeros(member.figure.nv)
        total += energy(member.figure, q, rest, gravity=world.gravity).potential + spring_energy(member, q)
    return float(total)


def spring_energy(member: Member, q: np.ndarray) -> float:
    """Of the springs in all joints."""
    figure, target = member.figure, member.world.arrays.controls_of(member).target
    error = difference(figure, target, q)
    return 0.5 * float(sum(k * e * e for k, e in zip(per_velocity(member, 0), error, strict=True)))


def per_velocity(member: Member, column: int) -> list[float]:
    """A number of the motors (0: spring, 2: wall's spring), for every velocity; 0 for those of a free base."""
    motors, result = member.world.arrays.controls_of(member).motor, []
    for link, body in zip(member.figure.links, model_of(member.figure).body_of_link, strict=True):
        kind = link.joint.kind
        bodies = [body - 1, body] if kind is JointKind.UNIVERSAL else [body] * kind.nv
        result += [0.0 if kind is JointKind.FREE else motors[b, column] for b in bodies]
    return result


def tie_energy(tie: Tie, places: dict[Member, np.ndarray]) -> float:
    ends = []
    for end in tie.ends:
        if isinstance(end, tuple) and isinstance(end[0], Member):
            link, pose = end[0].figure.frame(end[1])
            poses = forward_kinematics(end[0].figure, places[end[0]])
            held = end[2] if len(end) > 2 else np.zeros(3)
            ends.append(poses.position[link] + poses.rotation[link] @ pose.apply(held))
        else:
            ends.append(np.asarray(end, float))
    stretch = float(np.linalg.norm(ends[0] - ends[1]))
    return 0.5 * tie.stiffness * max(stretch - (tie.length or 0.0), 0.0) ** 2


def wall_energy(member: Member, q: np.ndarray) -> float:
    """Of the walls that joints are beyond."""
    figure, stiffness, total = member.figure, per_velocity(member, 2), 0.0
    for k, link in enumerate(figure.links):
        at, range_ = figure.v_starts[k], link.joint.range
        own = q[figure.q_starts[k] : figure.q_starts[k] + link.joint.nq]
        if range_ is None:
            continue
        if link.joint.kind is JointKind.BALL:
            found = range_.violation(own)
            depths = [max(found.swing_depth, 0.0), max(found.twist_depth, 0.0)]
        else:
            ends = np.reshape(range_, (-1, 2))
            depths = [max(low - x, x - high, 0.0) for (low, high), x in zip(ends, own, strict=True)]
        total += sum(0.5 * stiffness[at + i] * depth**2 for i, depth in enumerate(depths))
    return total


def overlap_energy(world: World) -> float:
    """Of all overlaps in the last step; heavy figures have stiffer contacts."""
    heaviest = max((m.figure.mass for m in world.members), default=0.0)
    firm = max(heaviest / world.settings.contact_mass, 1.0)
    return 0.5 * firm * world.settings.contact_stiffness * sum(min(c.gap, 0.0) ** 2 for c in world.contacts())


