"""Joints of every kind, motors, fast motion; the recursions."""

import math

import numpy as np

from hitogata import dynamics
from hitogata.dynamics import Method
from hitogata.figure import Box, Capsule, Figure, FigureBuilder, MassProperties, Pose, State, joint
from hitogata.figure import JointKind as Kind
from hitogata.library import chain, human28
from hitogata.sim import World
from tests.golden.scene import Arrays, Running, golden, running, shaken, wave

H = 1 / 240


def moving(figure: Figure, spread: float = 0.5, speed: float = 1.0) -> State:
    """A bent pose, and velocities."""
    q = dynamics.integrate(figure, figure.neutral(), wave(figure.nv, spread))
    return State(q, wave(figure.nv, speed, 1.0))


def driven(kind: Kind, damping: float) -> Running:
    """A chain with springs towards another pose, at a rate."""
    world, figure = World(), chain(4, kind=kind)
    member = world.add(figure, moving(figure))
    member.set_motor(30.0, damping)
    member.set_target(dynamics.integrate(figure, figure.neutral(), wave(figure.nv, 0.4, 2.0)), wave(figure.nv, 0.3))
    member.push(wave(figure.nv, 2.0, 3.0))
    return running(world, H)


@golden()
def hinges(nudge: float) -> Running:
    """The motors' damping."""
    return driven(Kind.HINGE, 1.5 * nudge)


@golden()
def sliders(nudge: float) -> Running:
    """The motors' damping."""
    return driven(Kind.SLIDER, 8.0 * nudge)


@golden()
def balls(nudge: float) -> Running:
    """The motors' damping."""
    return driven(Kind.BALL, 1.5 * nudge)


@golden()
def universals(nudge: float) -> Running:
    """The motors' damping."""
    return driven(Kind.UNIVERSAL, 1.5 * nudge)


def turned(*quat: float) -> tuple[float, ...]:
    return tuple(np.array(quat) / np.linalg.norm(quat))


def everything(root: Kind = Kind.FREE, mass: float = 1.0) -> Figure:
    """A tree with joints of all kinds, in general directions, with damping, armature and effort limits."""
    builder = FigureBuilder("everything")
    kinds = [root, Kind.HINGE, Kind.BALL, Kind.SLIDER, Kind.FIXED, Kind.UNIVERSAL, Kind.HINGE]
    parents = [None, 0, 1, 1, 0, 4, 5]
    for k, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        moves = kind not in (Kind.FREE, Kind.FIXED)
        own = joint.Joint(
            kind,
            Pose(wave(3, 0.3, k) if k else (0, 0, 0), turned(*wave(4, 1.0, 2.0 * k)) if k else (1, 0, 0, 0)),
            Pose(wave(3, 0.1, 0.5 + k), turned(*wave(4, 1.0, 1.0 + k))),
            axis=wave(3, 1.0, k),
            axis2=wave(3, 1.0, k + 2.0),
            damping=0.2 * (k % 3) if moves else 0.0,
            armature=0.02 * (k % 2) if moves else 0.0,
            effort_limit=3.0 if k == 6 else math.inf,
        )
        box = Box((0.05 + 0.01 * k, 0.08, 0.11), pose=Pose(wave(3, 0.1, 3.0 * k), turned(*wave(4, 1.0, 4.0 * k))))
        body = box.mass_properties().scaled((1.0 + 0.3 * k) * (mass if k == 2 else 1.0))
        builder.add(f"link{k}", None if parent is None else f"link{parent}", own, body)
    return builder.build()


@golden()
def all_joints(nudge: float) -> Running:
    """The mass of one link."""
    world = World()
    for k, root in enumerate((Kind.FREE, Kind.FIXED, Kind.BALL)):
        figure = everything(root, nudge)
        member = world.add(figure, moving(figure, 0.6, 1.5))
        member.set_motor(10.0 * k, 0.5)
        member.pull("link6", (3.0, 1.0, 2.0), (0.1, 0.2, -0.3), at=(0.1, 0, 0))
    return running(world, H)


@golden()
def tumbling(nudge: float) -> Running:
    """The moment of inertia of a racket about one axis.  A human turns over, too: steps follow its curves."""
    world, human = World(gravity=(0, 0, 0)), human28()
    builder, body = FigureBuilder("racket"), MassProperties.principal(1.3, (0.1, 0, 0.02), (0.01, 0.03 * nudge, 0.035))
    builder.add("racket", None, joint.free(), body)
    world.add(builder.build(), State(np.array([5.0, 0, 0, 1, 0, 0, 0]), np.array([0.4, 9.0, 0.3, 0.1, 0.2, 0.3])))
    v = wave(human.nv, 2.0)
    v[:3] = 4.0, 6.0, 1.0
    world.add(human, State(human.neutral(), v))
    return running(world, 1 / 60)


@golden()
def taut(nudge: float) -> Running:
    """The stiffness of a spring that draws an arm out of its reach; beside it a light chain carries a stone."""
    world, arm = World(), chain(3, kind=Kind.BALL)
    member = world.add(arm, moving(arm, 0.3, 0.5), mask=0)
    member.set_motor(0.0, 0.1)
    world.add_spring((member, "link2"), (6.0, 1.0, -2.0), stiffness=300.0 * nudge, damping=2.0)
    carrier = chain(5, kind=Kind.BALL, mass=0.1)
    carried = world.add(carrier, State(moving(carrier, 0.1).q, np.zeros(carrier.nv)), mask=0)
    carried.set_motor(0.0, 0.01)
    stone = world.add_body(Capsule(0.1, 0.1), mass=20.0, pose=Pose((0.2, 0.1, -1.0)), mask=0)
    world.add_spring((carried, "link4", (0, 0, -0.2)), (stone, "body"), stiffness=1e4, damping=100.0)
    return running(world, 1 / 60)


@golden()
def recursions(nudge: float) -> Running:
    """Gravity, of every function of `dynamics` along a motion by Runge and Kutta's method."""
    figure, gravity, h = everything(), (0.1, 0.2, -9.81 * nudge), 1 / 200
    start = moving(figure)
    state, tau, wrenches = np.concatenate([start.q, start.v]), wave(figure.nv, 2.0), np.zeros((figure.nlinks, 6))
    wrenches[3] = wave(6, 1.5)

    def advance(steps: int) -> None:
        for _ in range(steps):
            q, v = np.split(state, [figure.nq])
            after = dynamics.step(figure, State(q, v), h, tau, gravity=gravity)
            state[:] = np.concatenate([after.q, after.v])

    def read() -> Arrays:
        q, v = np.split(state, [figure.nq])
        given = {"gravity": gravity, "wrenches": wrenches}
        vdot = dynamics.forward_dynamics(figure, q, v, tau, **given)
        poses = dynamics.forward_kinematics(figure, q)
        energy = dynamics.energy(figure, q, v, gravity=gravity)
        return {
            "q": q.copy(), "v": v.copy(), "vdot": vdot,
            "vdot by assembly": dynamics.forward_dynamics(figure, q, v, tau, method=Method.ASSEMBLY, **given),
            "tau": dynamics.inverse_dynamics(figure, q, v, vdot, **given),
            "bias": dynamics.bias(figure, q, v, gravity=gravity),
            "mass matrix": dynamics.mass_matrix(figure, q),
            "jacobian": dynamics.jacobian(figure, q, "link6"),
            "jacobian derivative": dynamics.jacobian_derivative(figure, q, v, "link6"),
            "reactions": dynamics.joint_reactions(figure, q, v, tau, **given),
            "positions": poses.position, "rotations": poses.rotation,
            "velocities": dynamics.link_velocities(figure, q, v),
            "accelerations": dynamics.link_accelerations(figure, q, v, vdot),
            "momentum": dynamics.momentum(figure, q, v),
            "centre of mass": dynamics.centre_of_mass(figure, q),
            "energy": np.array([energy.kinetic, energy.potential]),
        }  # fmt: skip

    return Running(advance, read, shake=shaken(state))
