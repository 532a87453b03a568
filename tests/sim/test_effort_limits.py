"""Effort limits: motors and springs give no more than they may, and the right force for all else.

Oracles: closed forms, and the boxed linear complementarity problem of a step, set up from the mass matrix and solved
by `hitogata.solve`, which knows nothing of the world's step.
"""

import copy
import dataclasses
import math

import numpy as np
import pytest

from hitogata.dynamics import difference, inverse_dynamics, mass_matrix
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Box, FigureBuilder, MassProperties, Pose, Sphere, State, joint
from hitogata.files import read_mjcf
from hitogata.library import chain, human28, virtual_human
from hitogata.sim import ContactMethod, Coordinates, Settings, World, WorldBatch, hold
from hitogata.solve import Problem, principal_pivoting

G = 9.81
METHODS = {
    "sweeps": {}, "states": {"settings": Settings(contacts=ContactMethod.STATES)},
    "maximal": {"coordinates": Coordinates.MAXIMAL, "settings": Settings(sweeps=2000, tolerance=1e-12)},
}  # fmt: skip


def arm(limit: float, **options):
    builder = FigureBuilder("arm")
    mass = MassProperties.principal(1.0, (1, 0, 0), (0.01, 0.01, 0.01))
    builder.add("arm", None, joint.hinge(axis=(0, 1, 0), effort_limit=limit, **options), mass)
    return builder.build()


# ------------------------------------------------------- closed forms


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("stiffness", [10.0, 1e4, 1e9])
def test_an_arm_too_heavy_for_its_motor_falls_as_it_must(options, stiffness):
    """(m g l - L)/I from rest, in the first step, whatever the spring; and the motor gives L to the bit."""
    world = World(**options)
    member = world.add(arm(1.0))
    member.set_motor(stiffness, 0.0)
    member.state = State(np.array([0.1]), np.zeros(1))
    target = np.array([-1.0])
    member.set_target(target)
    h, lever = 1e-3, math.cos(0.1)
    world.step(h)
    assert member.motor_forces()[0] == -1.0
    assert member.v[0] == pytest.approx(h * (G * lever - 1.0) / 1.01, rel=1e-9)
    assert member.joint_forces()[0, 1] == pytest.approx(-1.0, rel=1e-9)  # what the joint feels about its axis
    world.step(h, steps=400)
    assert member.motor_forces()[0] == -1.0
    assert member.q[0] > 0.5


def test_energy_of_a_limited_fall():
    """A constant torque: kinetic energy is weight's work less L times the angle, to first order in h."""
    missed = []
    for h in (1e-3, 5e-4):
        world = World(settings=Settings(keep_energy=False))
        member = world.add(arm(3.0))
        member.set_motor(1e5, 10.0)
        world.step(h, steps=round(0.6 / h))
        angle, speed = member.q[0], member.v[0]
        missed.append(abs(0.5 * 1.01 * speed**2 - (G * math.sin(angle) - 3.0 * angle)))
    assert missed[0] < 0.1
    assert missed[1] < 0.6 * missed[0]


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
def test_no_limit_and_a_great_one_are_the_same_and_none_is_limp(options):
    ends = {}
    for limit in (math.inf, 1e9, 0.0, None):
        world = World(**options)
        world.add_ground()
        human = world.add(human28())
        if limit is not None:
            human.set_motor(2000.0, 30.0)
            human.set_effort_limit(limit)
        human.pull("head", (3.0, 0.0, 0.0))  # so that it falls if nothing holds it
        world.step(1 / 60, steps=30)
        ends[limit] = human.q
    assert np.array_equal(ends[math.inf], ends[1e9])
    np.testing.assert_allclose(ends[0.0], ends[None], rtol=0, atol=1e-9)
    assert np.abs(ends[0.0] - ends[1e9]).max() > 0.01


def test_strong_enough_motors_hold_and_leave_their_limits_again():
    world = World()
    member = world.add(arm(12.0))
    member.set_motor(1e4, 300.0)
    member.pull("arm", force=(0, 0, -5.0), at=(1, 0, 0))
    world.step(1 / 60, steps=20)
    assert member.motor_forces()[0] == -12.0
    assert (fallen := member.q[0]) > 0.1
    member.pull("arm")
    world.step(1 / 60, steps=600)
    assert abs(member.q[0]) < 0.01 < fallen
    assert member.motor_forces()[0] == pytest.approx(-G, rel=1e-3)


# ------------------------------------------------------- the boxed problem


def solved(figure, q, target, motor, rate, limits, push, h, theta=0.65):
    """v⁺ and motor forces of a step from rest: rows v + p/(h C) + K e/C - rate = 0, |p| <= h L."""
    stiffness, damping = motor
    passive = np.array([link.joint.damping for link in figure.links for _ in range(link.joint.nv)])
    free = np.array([link.joint.nv == 6 for link in figure.links for _ in range(link.joint.nv)])
    matrix = mass_matrix(figure, q) + h * np.diag(passive)  # with armature
    force = push - inverse_dynamics(figure, q, np.zeros(figure.nv), np.zeros(figure.nv))
    damper = np.maximum(damping + passive + (2 * theta - 1) * h * stiffness, theta * h * stiffness) - passive
    error, rows = difference(figure, target, q), np.flatnonzero(~free)
    inverse = np.linalg.inv(matrix)
    a = inverse[np.ix_(rows, rows)] + np.diag(1 / (h * damper[rows]))
    b = (inverse @ force * h)[rows] + stiffness * error[rows] / damper[rows] - rate[rows]
    found = principal_pivoting(Problem(a, b, -h * limits[rows], h * limits[rows]))
    p = np.zeros(figure.nv)
    p[rows] = found.lam
    return inverse @ (force * h + p), p / h


@pytest.mark.parametrize("make", [lambda: chain(6), human28, virtual_human], ids=["chain", "human28", "virtual human"])
@pytest.mark.parametrize("options", [METHODS["sweeps"], METHODS["states"]], ids=["sweeps", "states"])
def test_a_step_from_rest_is_the_boxed_problem(make, options):
    figure, rng, held = make(), np.random.default_rng(5), 0
    settings = dataclasses.replace(options.get("settings", Settings()), longest_fast_step=math.inf)
    for _ in range(12):
        world = World(settings=settings)
        member = world.add(figure, mask=2)  # nothing touches
        q = figure.normalised(figure.neutral() + 0.05 * rng.normal(size=figure.nq))
        target = figure.normalised(q + 0.1 * rng.normal(size=figure.nq))
        stiffness, damping = float(np.exp(rng.uniform(2, 8))), float(np.exp(rng.uniform(0, 3)))
        h, rate, push = float(np.exp(rng.uniform(-7, -3))), rng.normal(size=figure.nv), rng.normal(size=figure.nv)
        member.state = State(q, np.zeros(figure.nv))
        member.set_motor(stiffness, damping)
        member.set_target(target, rate)
        member.push(push)
        for name, link in zip(figure.joint_names, figure.links, strict=True):
            if link.joint.nv in (1, 2, 3):
                member.set_effort_limit(float(np.exp(rng.uniform(0, 5))), [name])
            member.set_wall(1e-9)
        limits = member.effort_limits()
        world.step(h)
        v, force = solved(figure, q, target, (stiffness, damping), rate, limits, push, h)
        told = member.motor_forces()
        assert (np.abs(told) <= limits).all()
        scale = np.abs(force).max()
        np.testing.assert_allclose(told, force, rtol=1e-6, atol=1e-6 * scale)
        moved = difference(figure, q, member.q) / h  # positions move with the velocity that is solved for
        np.testing.assert_allclose(moved, v, rtol=1e-6, atol=1e-6 * np.abs(v).max())
        held += (np.abs(told) == limits).sum()
    assert held > 20


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
def test_motors_keep_their_law_while_figures_stand_and_fall(options):
    """With contacts, limits and substeps: each force is its law's, cut off at its limit."""
    world = World(**options)
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    human.set_effort_limit(4.0)
    human.set_effort_limit(15.0, ["knee_left", "knee_right"])
    human.push(np.concatenate([np.zeros(3), [60.0], np.zeros(human.figure.nv - 4)]))
    figure, limits, h, full, free = human.figure, human.effort_limits(), 1 / 120, 0, 0
    neutral, theta = figure.neutral(), world.settings.theta
    for _ in range(60):
        before = human.q
        world.step(h)
        force = human.motor_forces()
        assert (np.abs(force) <= limits).all()
        assert (human.peak_motor_forces() <= limits).all()
        if world.arrays.step_h != world.arrays.last_h:
            continue  # cut: forces are means of several
        passive = np.array([link.joint.damping for link in figure.links for _ in range(link.joint.nv)])
        damper = np.maximum(30.0 + passive + (2 * theta - 1) * h * 2000.0, theta * h * 2000.0) - passive
        law = -2000.0 * difference(figure, neutral, before) - damper * difference(figure, before, human.q) / h
        law[:6] = 0.0
        np.testing.assert_allclose(force, np.clip(law, -limits, limits), rtol=1e-8, atol=1e-7)
        full += (np.abs(force) == limits).sum()
        free += (np.abs(force[6:]) < limits[6:]).sum()
    assert full > 20
    assert free > 20


def test_ball_joints_are_limited_about_each_axis():
    builder = FigureBuilder("ball")
    builder.add("ball", None, joint.ball(effort_limit=2.0), MassProperties.principal(1.0, (0, 0, 0), (0.1, 0.2, 0.3)))
    world = World(gravity=(0, 0, 0))
    member = world.add(builder.build())
    member.set_motor(1e4, 1.0)
    turn = np.array([0.3, -0.2, 1e-6])
    member.set_target([math.sqrt(1 - turn @ turn / 4), *(turn / 2)])
    world.step(1e-3)
    np.testing.assert_array_equal(member.motor_forces()[:2], [2.0, -2.0])
    assert 0.0 < member.motor_forces()[2] < 2.0
    moved = difference(member.figure, member.figure.neutral(), member.q) / 1e-3
    np.testing.assert_allclose(moved[:2], [2e-3 / 0.1, -2e-3 / 0.2], rtol=1e-9)


def test_limits_of_files():
    """An MJCF joint with an actuator force range: the world's motors keep it."""
    xml = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" actuatorfrcrange="-1 1"/>
             <geom type="sphere" size="0.1" pos="1 0 0" mass="1"/></body></worldbody></mujoco>"""
    world = World()
    member = world.add(read_mjcf(xml))
    member.set_motor(1e4, 100.0)
    world.step(1 / 60, steps=10)
    assert member.motor_forces().tolist() == [-1.0]


# ------------------------------------------------------- batches


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_batches(dtype):
    """Neighbours with other limits, or none: each does what the single world does."""
    world = World(settings=Settings(tolerance=0.0))
    world.add_ground()
    human = world.add(human28())
    human.set_motor(1000.0, 20.0)
    bent = human.figure.neutral()
    bent[7:] += 0.4 * np.random.default_rng(2).normal(size=len(bent) - 7)
    human.set_target(human.figure.normalised(bent))
    limits = np.array([math.inf, 5.0, 30.0, 0.0, 100.0, 1.0, 60.0, 10.0, 20.0, 3.0])
    batch = WorldBatch(world, len(limits), dtype=dtype)
    them = batch.member(human)
    them.set_effort_limit(limits)
    singles = [copy.deepcopy(world) for _ in limits]
    for single, limit in zip(singles, limits, strict=True):
        single.members[0].set_effort_limit(float(limit))
    full = 0
    for _ in range(25):
        batch.step(1 / 60)
        assert (np.abs(them.motor_forces()) <= limits[:, None]).all()
        full += (np.abs(them.motor_forces()) == limits[:, None]).sum()
        for single in singles:
            single.step(1 / 60)
    accuracy = 1e-8 if dtype is np.float64 else 2e-3
    for k, single in enumerate(singles):
        np.testing.assert_allclose(them.q[k], single.members[0].q, rtol=0, atol=accuracy)
        if dtype is np.float64:
            np.testing.assert_allclose(them.motor_forces()[k], single.members[0].motor_forces(), rtol=1e-6, atol=1e-5)
    assert full > 500
    alone = WorldBatch(world, 1, dtype=dtype)
    alone.member(human).set_effort_limit(30.0)
    alone.step(1 / 60, steps=25)
    assert np.array_equal(alone.q[0], batch.q[2])  # neighbours do not matter, not for a bit


# ------------------------------------------------------- springs


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
def test_a_spring_with_a_limit_is_a_constant_force(options):
    world = World(gravity=(0, 0, 0), **options)
    ball = world.add_body(Sphere(0.1), mass=2.0)
    spring = world.add_spring((ball, "body"), (3.0, 4.0, 0.0), stiffness=1e4, damping=10.0, force_limit=10.0)
    world.step(0.01, steps=50)
    assert np.linalg.norm(spring.force) == pytest.approx(10.0, rel=1e-9)
    assert np.linalg.norm(spring.force) <= 10.0 * (1 + 1e-14)
    np.testing.assert_allclose(ball.v[3:], 0.5 * 10.0 / 2.0 * np.array([0.6, 0.8, 0]), rtol=1e-5, atol=1e-9)
    world.step(0.01, steps=400)
    assert spring.force_limit == 10.0


def test_a_limited_spring_on_a_lever_pulls_as_the_least_of_its_problem():
    """A spring at the corner of a long box: its reply is far from round.  The oracle finds the multiplier by bisection:
    (A + s + μ) p = -(u₀ + b), |p| = h F."""
    half, mass, h, limit = np.array([0.5, 0.05, 0.05]), 2.0, 0.01, 30.0
    corner, anchor = np.array([0.5, 0.05, 0.05]), np.array([0.9, 0.5, -0.3])
    world = World(gravity=(0, 0, 0), settings=Settings(tolerance=1e-13, sweeps=5000))
    box = world.add_body(Box(tuple(half)), mass=mass)
    spring = world.add_spring((box, "body", corner), anchor, stiffness=1e5, damping=100.0, force_limit=limit)
    world.step(h)
    moments = mass / 3.0 * (np.sum(half**2) - half**2)
    cross = np.array([[0, -corner[2], corner[1]], [corner[2], 0, -corner[0]], [-corner[1], corner[0], 0]])
    reply = np.eye(3) / mass - cross @ np.diag(1 / moments) @ cross
    damper = max(100.0 + 0.3 * h * 1e5, 0.65 * h * 1e5)
    bias, low, high = (corner - anchor) * 1e5 / damper, 0.0, 1e6
    for _ in range(200):
        middle = 0.5 * (low + high)
        p = -np.linalg.solve(reply + np.eye(3) * (1 / (h * damper) + middle), bias)
        low, high = (middle, high) if np.linalg.norm(p) > h * limit else (low, middle)
    np.testing.assert_allclose(spring.force * h, p, rtol=1e-6)


def test_a_limited_spring_holds_where_it_can():
    world = World()
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 1.0)))
    weak = world.add_spring((ball, "body"), (0, 0, 1.0), stiffness=1e4, damping=100.0, force_limit=9.0)
    world.step(1 / 60, steps=60)
    speed = ball.v[5]
    world.step(1 / 60, steps=60)
    assert ball.v[5] - speed == pytest.approx(-(G - 9.0), rel=1e-9)
    world.remove_tie(weak)
    ball.state = State(np.array([0, 0, 1.0, 1, 0, 0, 0]), np.zeros(6))
    world.add_spring((ball, "body"), (0, 0, 1.0), stiffness=1e4, damping=100.0, force_limit=10.0)
    world.step(1 / 60, steps=300)
    assert ball.q[2] == pytest.approx(1.0, abs=2e-3)


# ------------------------------------------------------- bad input


def test_bad_limits_are_named_and_change_nothing():
    world = World()
    human = world.add(human28())
    human.set_effort_limit(50.0)
    before = world.save()
    for bad in (-1.0, math.nan, "much", None, [1.0]):
        with pytest.raises(ArgumentError, match="limit: must be a number, 0 or more"):
            human.set_effort_limit(bad)
        with pytest.raises(ArgumentError, match="force_limit: must be a number, 0 or more"):
            world.add_spring((human, "head"), (0, 0, 1), stiffness=1.0, damping=1.0, force_limit=bad)
        with pytest.raises(ArgumentError, match="force_limit"):
            hold((human, "head"), force_limit=bad)
    with pytest.raises(ArgumentError, match="'pelvis' is a free joint, which has no motor"):
        human.set_effort_limit(1.0, ["knee_left", "pelvis"])
    with pytest.raises(FigureError, match="tail"):
        human.set_effort_limit(1.0, ["knee_left", "tail"])
    with pytest.raises(ArgumentError, match="joints"):
        human.set_effort_limit(1.0, 3)
    batch = WorldBatch(world, 2)
    with pytest.raises(ArgumentError, match="limit"):
        batch.members[0].set_effort_limit(-1.0)
    with pytest.raises(ArgumentError, match="no motor"):
        batch.members[0].set_effort_limit(1.0, ["pelvis"])
    assert np.array_equal(world.save().control, before.control)
    assert world.ties == []
    world.remove(human)
    with pytest.raises(ArgumentError, match="removed"):
        human.set_effort_limit(1.0)


@pytest.mark.parametrize("make", [joint.free, joint.fixed])
def test_joints_without_motors_have_no_limit(make):
    with pytest.raises(FigureError, match=r"effort_limit: a (free|fixed) joint has no motor"):
        make(effort_limit=5.0)
    assert make().effort_limit == math.inf
