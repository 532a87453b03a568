"""Passive scenes never gain energy: kinetic, of gravity, of motors' springs, ties, walls and overlaps at the start.

Positions and velocities of a step stand half a step apart, so potentials are taken in the middle of the step (of its
last piece); the velocity belongs to where that began.
"""

import os
from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import energy, integrate, momentum
from hitogata.figure import Box, Figure, JointKind, Pose, Sphere, State, joint
from hitogata.library import bear, chain, human28
from hitogata.sim import World
from tests.peers.builders import random_figure
from tests.sim.scenes import (
    ROOTS,
    bare,
    dressed,
    kinetic_energy,
    overlap_energy,
    potential_energy,
    random_scene,
    wall_energy,
)

STEPS = [1 / 240, 1 / 60, 1 / 30, 0.1]


def greatest_gain(world: World, h: float, steps: int) -> float:
    """Greatest excess over the energy at the start, as a share of what there was above the lowest place reached."""
    members = world.members
    back = {m: integrate(m.figure, m.q, -0.5 * h * m.v) for m in members}
    here = {m: m.q for m in members}
    start = sum(energy(m.figure, m.q, m.v).kinetic + wall_energy(m, m.q) for m in members)
    start += max(potential_energy(world, here), potential_energy(world, back))
    gain, lowest = -np.inf, np.inf
    for k in range(steps):
        world.step(h)
        start += overlap_energy(world) if k == 0 else 0.0
        now = world.energy()
        gain, lowest = max(gain, now.total - start), min(lowest, now.total - now.kinetic)
    return gain / max(start - lowest, 1e-3)


MANY = int(os.environ.get("HITOGATA_FUZZ", "0"))
HARD = [62, 525, 1005, 1123, 1215, 1227]
"""Jams under a million newtons, a rope that begins 0.7 m too long across a slider, a figure that spins on a rope."""


@pytest.mark.parametrize("first", range(0, MANY or 60, 10))
def test_random_scenes(first):
    """Figures in each other, in the ground and beyond their ranges, springs of up to 1e7 N/m, ropes; any step.

    HITOGATA_FUZZ=2000 takes that many scenes, for 200 steps each.
    """
    for seed in range(first, first + 10):
        scene = random_scene(seed, driven=False)
        assert greatest_gain(scene.world, scene.h, 200 if MANY else 80) < 0.01, str(scene)


@pytest.mark.parametrize("seed", HARD)
def test_scenes_that_once_gained(seed):
    scene = random_scene(seed, driven=False)
    assert greatest_gain(scene.world, scene.h, 200) < 0.01, str(scene)


@pytest.mark.parametrize("h", STEPS)
def test_figures_falling_in_a_heap(h):
    world, rng = World(), np.random.default_rng(5)
    world.add_ground()
    for k, figure in enumerate([human28(), bear(), human28(), chain(6, kind=JointKind.BALL, free_base=True)]):
        q, v = figure.neutral(), 0.5 * rng.normal(size=figure.nv)
        quat = rng.normal(size=4)
        q[:3], q[3:7] = (0.1 * k, 0.05 * k, 1.0 + 1.2 * k), quat / np.linalg.norm(quat)
        world.add(figure, State(q, v))
    assert greatest_gain(world, h, round(3 / h)) < 1e-3
    assert all(np.abs(m.v).max() < 30 for m in world.members)


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("stiffness", [10.0, 1e3, 1e5, 1e7])
def test_undamped_springs(stiffness, h):
    """Far from rest, on a figure in free fall."""
    figure, rng = bare(human28()), np.random.default_rng(2)
    world = World()
    member = world.add(figure, State(figure.neutral(), rng.normal(size=34)))
    target = figure.random(rng, spread=0.7)
    target[:7] = figure.neutral()[:7]
    member.set_motor(stiffness, 0.0)
    member.set_target(target)
    assert greatest_gain(world, h, 200) < 2e-3


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("kind", [JointKind.HINGE, JointKind.UNIVERSAL])
def test_chain_that_falls_against_its_limits(kind, h):
    plain = chain(6, kind=kind)
    range_ = (-0.4, 0.6) if kind is JointKind.HINGE else ((-0.4, 0.6), (-0.2, 0.5))
    hinge = joint.hinge if kind is JointKind.HINGE else joint.universal
    links = []
    for link in plain.links:
        axes = {"axis": link.joint.axis} | ({"axis2": link.joint.axis2} if kind is JointKind.UNIVERSAL else {})
        own = hinge(**axes, parent_frame=link.joint.parent_frame, range=range_)
        links.append(replace(link, joint=own))
    figure = Figure("limited chain", tuple(links))
    world = World(gravity=(9.81, 3.0, 0.0))
    world.add(figure, State(figure.neutral(), np.full(figure.nv, 2.0)))
    assert greatest_gain(world, h, round(4 / h)) < 0.3 * h


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("seed", range(3))
def test_overlapping_figures_part_without_explosion(seed, h):
    """Two humans and a box in one place, in the ground: nothing is faster than pushing out and falling make it."""
    world, rng = World(gravity=(0.0, 0.0, 0.0)), np.random.default_rng(seed)
    world.add_ground()
    for k in range(2):
        figure = human28()
        q = figure.random(rng, spread=0.3)
        q[:3] = 0.05 * k, 0.0, 0.5
        world.add(figure, State(q, np.zeros(figure.nv)))
    world.add_body(Box((0.2, 0.2, 0.2)), mass=10.0, pose=Pose((0.1, 0.1, 0.4)))
    assert greatest_gain(world, h, round(2 / h)) < 1e-3
    for m in world.members:
        speed = np.linalg.norm(momentum(m.figure, m.q, m.v)[3:]) / m.figure.mass
        assert speed < 3.0 * world.settings.push_out_speed  # ground, box, human, human: three pairs that part


@pytest.mark.parametrize("h", STEPS)
def test_balls_and_boxes_in_a_pit(h):
    world, rng = World(), np.random.default_rng(3)
    world.add_ground()
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        world.add_ground(Box((0.1 if x else 1.0, 0.1 if y else 1.0, 0.5), pose=Pose((0.8 * x, 0.8 * y, 0.5))))
    for k in range(12):
        shape = Sphere(0.15) if k % 2 else Box((0.12, 0.15, 0.1))
        quat = rng.normal(size=4)
        at = Pose((*rng.uniform(-0.4, 0.4, 2), 0.5 + 0.3 * k), tuple(quat / np.linalg.norm(quat)))
        world.add_body(shape, mass=float(rng.choice([0.1, 1.0, 20.0])), pose=at)
    assert greatest_gain(world, h, round(3 / h)) < 1e-3


@pytest.mark.parametrize("seed", [41, 70, 75])
def test_contacts_bounce_from_what_joints_let_them_close_at(seed):
    """Links of a figure bounce off each other, with friction: a rate that no joint allows must not be thrown back."""
    rng, root = np.random.default_rng(seed), ROOTS[seed % 6]
    figure = random_figure(rng, 12, root=root)
    links = zip(dressed(figure, "figure", rng).links, figure.links, strict=True)
    figure = Figure("bouncing", tuple(replace(link, joint=without_range.joint) for link, without_range in links))
    world = World(gravity=(0.0, 0.0, 0.0))
    member = world.add(figure, State(figure.neutral(), 5.0 * rng.normal(size=figure.nv)), restitution=1.0)
    start = energy(figure, member.q, member.v).kinetic
    for _ in range(200):
        world.step(1 / 60)
        assert kinetic_energy(member) < 1.003 * start
