"""Maximal coordinates pose the same problem as reduced ones, and have the same answer where the sweeps come to rest."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_dynamics, forward_kinematics, joint_reactions, momentum
from hitogata.errors import HitogataError
from hitogata.figure import Box, Figure, JointKind, Pose, Sphere, State
from hitogata.library import chain, human28
from hitogata.rom import ConeRegion, ConstantTwist, RangeOfMotion
from hitogata.rom.human import human_ranges
from hitogata.sim import Coordinates, Settings, World, WorldError
from hitogata.sim.layout import PIECES
from tests.peers.builders import random_figure

PLAIN = {"keep_energy": False, "slow_taut": False, "longest_fast_step": np.inf}
ROOTS = [JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL]


def both(**settings) -> list[World]:
    """Worlds in reduced and in maximal coordinates that solve their steps to the end."""
    full = Settings(**{"sweeps": 200000, "tolerance": 1e-11, **PLAIN, **settings})
    return [World(settings=full, coordinates=c) for c in (Coordinates.REDUCED, Coordinates.MAXIMAL)]


def maximal(**settings) -> World:
    return World(settings=Settings(**settings), coordinates=Coordinates.MAXIMAL)


def ranged_human() -> Figure:
    ranges = {name: found.range for name, found in human_ranges().items()}
    links = [
        replace(link, joint=replace(link.joint, range=ranges[link.joint.name]))
        if link.joint.kind is JointKind.BALL and link.joint.name in ranges
        else link
        for link in human28().links
    ]
    return Figure.from_links("ranged human", links)


def ranged_tree(rng: np.random.Generator, root: JointKind) -> Figure:
    """A random tree of all joint kinds, some with damping and armature; a ball on each link, a range in each joint."""
    cone = RangeOfMotion(ConeRegion((0, 0, 1), 0.4), ConstantTwist(-0.2, 0.3))
    ranges = {JointKind.BALL: cone, JointKind.UNIVERSAL: ((-0.2, 0.3), (-0.4, 0.1))}
    links = []
    for link in random_figure(rng, 24, root=root).links:
        kind = link.joint.kind
        limit = None if kind in (JointKind.FREE, JointKind.FIXED) else ranges.get(kind, (-0.3, 0.2))
        shape = Sphere(0.15, pose=Pose(link.mass.centre))
        links.append(replace(link, shapes=(shape,), joint=replace(link.joint, range=limit)))
    return Figure.from_links("ranged tree", links)


def drive(world: World, figure: Figure, rng: np.random.Generator, q: np.ndarray):
    """A figure in motion, with motors, moving targets, pushes, pulls, springs and a taut rope; one step."""
    member = world.add(figure, State(q, rng.normal(size=figure.nv)))
    member.set_motor(200.0, 3.0)
    member.set_target(figure.neutral(), rng.normal(size=figure.nv))
    member.push(10 * rng.normal(size=figure.nv))
    names, at = figure.link_names, forward_kinematics(figure, q).position
    member.pull(names[-1], 50 * rng.normal(size=3), 5 * rng.normal(size=3), at=(0.1, 0.2, 0.3))
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)
    a, b = np.unravel_index(apart.argmax(), apart.shape)
    ties = [
        world.add_spring((member, names[-1]), (member, names[0]), stiffness=1000.0, damping=10.0),
        world.add_spring((member, names[2]), at[2] + rng.normal(size=3), stiffness=500.0, damping=0.0),
        world.add_rope((member, names[a]), (member, names[b]), length=0.6 * apart[a, b], stiffness=1e5, damping=1e3),
    ]
    world.step(0.005)
    assert world.arrays.counts[PIECES] == 1, "only reduced coordinates look at what would pass, and cut their step"
    assert len(world.contacts()) > 0
    assert np.any(member.limit_forces() > 0)
    assert np.linalg.norm(ties[-1].force) > 1.0
    return member, ties


def check_same(reduced, maximal) -> None:
    (a, ties_a), (b, ties_b) = reduced, maximal
    np.testing.assert_allclose(b.v, a.v, rtol=0, atol=1e-6)
    for name in ("limit_forces", "motor_forces"):
        np.testing.assert_allclose(getattr(b, name)(), getattr(a, name)(), rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose([t.force for t in ties_b], [t.force for t in ties_a], rtol=1e-6, atol=1e-3)


@pytest.mark.parametrize("theta", [0.55, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_human_with_everything_at_once(seed, theta):
    figure, done = ranged_human(), []
    for world in both(theta=theta):
        rng = np.random.default_rng(seed)
        world.add_ground()
        q = figure.random(rng, spread=0.3)
        q[:7] = figure.neutral()[:7]
        q[2] = 0.85
        done.append(drive(world, figure, rng, q))
    check_same(*done)


@pytest.mark.parametrize("root", ROOTS)
def test_random_trees_with_everything_at_once(root):
    done = []
    for world in both():
        rng = np.random.default_rng(ROOTS.index(root))
        figure = ranged_tree(rng, root)
        q = figure.random(rng, spread=0.3)
        height = forward_kinematics(figure, q).position[:, 2].min()
        world.add_ground(Box((50, 50, 1), pose=Pose((0, 0, height - 0.8))))
        done.append(drive(world, figure, rng, q))
    check_same(*done)


@pytest.mark.parametrize("root", ROOTS)
def test_small_steps_follow_the_equations_of_motion_and_joints_carry_their_reactions(root):
    """In the second step: in the first nothing has turned yet, and centrifugal forces come from turning."""
    rng, h = np.random.default_rng(ROOTS.index(root)), 1e-6
    figure = random_figure(rng, 24, root=root)
    world = maximal(sweeps=200000, tolerance=1e-13, joint_correction=0.0, **PLAIN)
    member = world.add(figure, State(figure.random(rng, spread=0.7), rng.normal(size=figure.nv)))
    tau = rng.normal(size=figure.nv)
    member.push(tau)
    world.step(h)
    q, v = member.q, member.v
    world.step(h)
    vdot = forward_dynamics(figure, q, v, tau)
    np.testing.assert_allclose((member.v - v) / h, vdot, rtol=0, atol=1e-4 * np.abs(vdot).max())
    truth = joint_reactions(figure, q, v, vdot)
    np.testing.assert_allclose(member.joint_forces(), truth, rtol=0, atol=1e-4 * np.abs(truth).max())


def test_joint_forces_are_those_of_reduced_coordinates():
    members = []
    for world in both():
        rng = np.random.default_rng(5)
        figure = random_figure(rng, 24, root=JointKind.FREE)
        member = world.add(figure, State(figure.random(rng, spread=0.7), rng.normal(size=figure.nv)))
        member.set_motor(100.0, 2.0)
        member.pull(figure.link_names[3], (10.0, 20.0, 30.0))
        member.push(rng.normal(size=figure.nv))
        world.step(0.02)
        members.append(member)
    np.testing.assert_allclose(members[1].joint_forces(), members[0].joint_forces(), rtol=1e-6, atol=1e-6)


def test_loose_bodies_are_the_same_in_both():
    """With as many sweeps in both, and sweeps only."""
    states = []
    for c in Coordinates:
        world = World(coordinates=c, settings=Settings(keep_energy=False, tolerance=0.0))
        world.add_ground()
        for k in range(3):
            turn = Pose((0.05 * k, 0.02 * k, 0.3 + 0.35 * k), tuple(np.array([0.8, 0.6, 0, 0])))
            world.add_body(Box((0.1, 0.15, 0.08)), mass=1.0 + k, pose=turn)
        world.step(1 / 240, steps=80)  # slow enough that nothing is looked at for passing
        states.append(np.concatenate([m.q for m in world.members]))
    np.testing.assert_allclose(states[1], states[0], rtol=0, atol=1e-9)


# ------------------------------------------------------- coordinates


@pytest.mark.parametrize("root", ROOTS)
def test_coordinates_come_back_from_the_poses_of_bodies(root):
    rng = np.random.default_rng(ROOTS.index(root))
    figure = random_figure(rng, 24, root=root)
    world = World(gravity=(0.0, 0.0, 0.0), coordinates=Coordinates.MAXIMAL)
    q = figure.random(rng, spread=1.0)
    for link, start in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.kind in (JointKind.HINGE, JointKind.UNIVERSAL):
            q[start] += 4 * np.pi  # whole turns are kept
    member = world.add(figure, State(q, np.zeros(figure.nv)))
    world.step(1e-9)
    np.testing.assert_allclose(difference(figure, q, member.q), 0, atol=1e-9)
    np.testing.assert_allclose(member.q, q, atol=1e-9)  # quaternions keep their sign
    assert member.joint_gaps().max() < 1e-9


def test_a_wheel_counts_its_turns():
    angles = []
    for world in both():
        world.add_ground(Box((1, 1, 1), pose=Pose((0, 0, -5))))
        wheel = world.add(chain(1, kind=JointKind.HINGE), State(np.zeros(1), np.array([20.0])))
        world.step(0.002, steps=500)
        angles.append(wheel.q[0])
    assert angles[0] > 4 * np.pi
    assert angles[1] == pytest.approx(angles[0], rel=2e-3)


def test_setting_a_state_closes_the_joints_and_leaves_others_alone():
    world = maximal(sweeps=5)
    one, other = world.add(chain(4)), world.add(chain(4, kind=JointKind.BALL))
    other.state = State(other.q, np.full(other.figure.nv, 1.0))
    world.step(0.02, steps=20)
    gaps, q = other.joint_gaps(), other.q
    assert gaps.max() > 1e-6
    one.state = State(np.full(4, 0.3), np.full(4, 0.1))
    assert np.array_equal(one.q, np.full(4, 0.3))
    assert np.array_equal(one.v, np.full(4, 0.1))
    assert one.joint_gaps().max() == 0
    assert np.array_equal(other.joint_gaps(), gaps)
    assert np.array_equal(other.q, q)


def test_same_bits_after_restoring_in_the_middle():
    world = maximal(sweeps=30)
    world.add_ground()
    human = world.add(human28())
    human.set_motor(500.0, 10.0)
    world.step(1 / 60, steps=20)
    middle = world.save()
    world.step(1 / 60, steps=20)
    first = human.q
    world.restore(middle)
    world.step(1 / 60, steps=20)
    assert np.array_equal(human.q, first)


def test_figures_come_and_go():
    world = maximal()
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    world.step(1 / 60, steps=5)
    box = world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pose=Pose((2, 0, 0.5)))
    world.step(1 / 60, steps=60)
    assert box.q[2] == pytest.approx(0.1, abs=0.01)
    assert human.q[2] > 0.95
    world.remove(human)
    world.step(1 / 60, steps=5)
    with pytest.raises(HitogataError, match="removed"):
        human.joint_gaps()


def test_a_bad_step_is_undone():
    world = maximal()
    arm = world.add(chain(3))
    world.step(0.01, steps=5)
    good = arm.q
    arm.push(np.full(3, 1e308))
    with pytest.raises(WorldError, match=r"t = 0\.05 s"):
        world.step(1.0)
    assert np.array_equal(arm.q, good)
    arm.push(np.zeros(3))
    world.step(0.01)


def test_momentum_is_kept_however_few_the_sweeps():
    figure, rng = chain(5, kind=JointKind.BALL, free_base=True), np.random.default_rng(0)
    world = World(gravity=(0, 0, 0), coordinates=Coordinates.MAXIMAL, settings=Settings(sweeps=2, tolerance=0.0))
    masses = np.array([link.mass.mass for link in figure.links])
    member = world.add(figure, State(figure.random(rng, spread=0.5), rng.normal(size=figure.nv)))
    member.set_motor(5.0, 0.1)
    start = momentum(figure, member.q, member.v)[3:]
    world.step(0.01, steps=50)
    assert member.joint_gaps().max() > 1e-5, "the joints were solved, so nothing is shown"
    loose = world.arrays.loose
    state = world.arrays.state[loose.start : loose.start + loose.forest.state.floats]
    centres = loose.forest.state.field("carried", state).centre  # velocities of centres of mass
    np.testing.assert_allclose(masses @ centres, start, atol=1e-12)


# ------------------------------------------------------- bad input


@pytest.mark.parametrize("coordinates", ["maximal", None, 1])
def test_coordinates_must_be_coordinates(coordinates):
    with pytest.raises(HitogataError, match="coordinates"):
        World(coordinates=coordinates)


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan])
def test_bad_correction(share):
    with pytest.raises(HitogataError, match="joint_correction"):
        Settings(joint_correction=share)
