"""Joints that follow functions in worlds: beside the dense equations of `dynamics`, side by side, with all there is."""

import numpy as np
import pytest

from hitogata import dynamics
from hitogata.dynamics.follower_model import tree_model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Capsule, FigureBuilder, MassProperties, Pose, State, joint
from hitogata.figure.expansion import expansion_of
from hitogata.figure.mechanism import (
    Composed,
    CubicSpline,
    JointStep,
    Linear,
    MultivariatePolynomial,
    NaturalSpline,
    Polynomial,
    Product,
    Scaled,
    Sine,
    Sum,
)
from hitogata.sim import Coordinates, Settings, World, WorldBatch

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ROLL = CubicSpline((-2.1, -1.2, -0.5, 0.0, 0.2), (-0.0032, 0.0018, 0.004, 0.0041, 0.003))


def mass(m):
    return MassProperties.principal(m, (0.02, 0.01, -0.2), 0.01 * m * np.array([5, 6, 3]))


LONG = NaturalSpline((-2.1, -1.8, -1.5, -1.2, -0.9, -0.5, -0.2, 0.0, 0.2),
                     (-0.0032, -0.001, 0.0005, 0.0018, 0.003, 0.004, 0.0042, 0.0041, 0.003), 7)  # fmt: skip
"""Of degree 7, which no table holds."""


def leg(root=None, limit=(-2.0, 0.1), roll=ROLL):
    """A knee that rolls, a patella behind the thigh that follows it, toes that follow the ankle, a spring of two."""
    builder, free = FigureBuilder("leg"), joint.free() if root is None else root
    builder.add("thigh", None, free, mass(6.0), shapes=[Capsule(0.06, 0.15, pose=Pose((0, 0, -0.2)))])
    knee = (
        JointStep(False, X, roll, ("knee",)), JointStep(False, Z, Polynomial((0.01, -0.02, -0.4)), ("knee",)),
        JointStep(True, Y, Linear(), ("knee",), (0.01, 0.0, 0.02)), JointStep(True, X, Scaled(Sine(), 0.1), ("knee",)),
    )  # fmt: skip
    hung = joint.function(("knee",), knee, name="tibiofemoral", range=limit)
    builder.add("shin", "thigh", hung, mass(3.0), shapes=[Capsule(0.05, 0.15, pose=Pose((0, 0, -0.2)))])
    slide = JointStep(False, Z, Polynomial((0.01, -0.02, -0.2)), ("knee",))
    patella = (slide, JointStep(True, Y, Linear((0.5, 0.1)), ("knee",)))
    builder.add("patella", "thigh", joint.function((), patella), mass(0.1))
    builder.add("foot", "shin", joint.hinge(Y, name="ankle", parent_frame=Pose((0, 0, -0.4))), mass(1.0))
    both = MultivariatePolynomial((0.0, 0.02, 0.1, -0.05, 0.03, 0.2), 2, 2)
    builder.add("toes", "foot", joint.function((), (JointStep(True, Y, both, ("ankle", "knee")),)), mass(0.2))
    return builder.build()


def shared():
    """Coordinates of branches that others follow: a hinge on one arm moves the other, a joint its parent."""
    builder = FigureBuilder("shared")
    lean = Composed(Polynomial((0.2, 0.5, 0.0)), ((Linear((1.0, 0.5, 0.1)), (0, 1)),), 2)
    trunk = (JointStep(False, Z, Sum((Linear((0.1, 0.0)), Sine(0.05, 2.0))), ("lift",)),
             JointStep(True, X, Product((Linear((0.2, 1.0)), Linear())), ("lift", "swing")),
             JointStep(True, Y, lean, ("swing", "lift")))  # fmt: skip
    builder.add("trunk", None, joint.function(("lift",), trunk, name="base"), mass(5.0))
    builder.add("left", "trunk", joint.hinge(X, name="swing", parent_frame=Pose((0, 0.2, 0))), mass(2.0))
    follow = (JointStep(True, X, Linear((-0.5, 0.2)), ("swing",)), JointStep(True, Y, Linear(), ("own",)))
    builder.add("right", "trunk", joint.function(("own",), follow, parent_frame=Pose((0, -0.2, 0))), mass(2.0))
    return builder.build()


def state(figure, seed):
    rng = np.random.default_rng(seed)
    return State(figure.random(rng, spread=0.3), rng.normal(size=figure.nv))


@pytest.mark.parametrize(
    "figure", [leg(limit=None), shared(), leg(limit=None, roll=LONG)], ids=["leg", "shared", "long"]
)
def test_steps_are_those_of_the_dense_equations_and_of_second_order(figure):
    start, errors = state(figure, 1), []
    wanted = dynamics.step(figure, start, 2e-3, steps=50, integrator=dynamics.Integrator.RUNGE_KUTTA_4)
    for n in (500, 1000, 2000):
        world = World()
        member = world.add(figure, start)
        before = world.energy().total
        world.step(1 / n, steps=n // 10)
        errors.append(np.abs(np.r_[member.q - wanted.q, member.v - wanted.v]).max())
        assert world.energy().total == pytest.approx(before, abs=2e-3)
    assert errors[2] < 2e-5
    assert errors[0] / errors[1] > 3.0


def test_what_follows_does_so_exactly():
    figure, start = shared(), state(shared(), 2)
    world = World()
    member = world.add(figure, start)
    member.set_motor(5.0, 1.0)
    world.step(1 / 60, steps=30)
    tables, expansion = tree_model_of(figure).followers, expansion_of(figure)
    inside = world.arrays.forest.state.open(world.arrays.state).q
    theta = expansion.places(member.q[None])[0]
    wanted = sorted(theta[each.q] for each in expansion.followed)
    got = sorted(inside[figure.nq : figure.nq + len(tables.bodies)])
    assert len(got) == len(wanted) + 1  # the hinge that others follow follows itself, too
    assert all(min(abs(w - g) for g in got) < 1e-13 for w in wanted)
    snapshot = world.save()
    world.step(1 / 60, steps=3)
    there = member.q
    world.restore(snapshot)
    world.step(1 / 60, steps=3)
    assert np.array_equal(member.q, there)


def hung():
    """Held by the thigh, above a floor."""
    world, figure = World(settings=Settings(tolerance=0.0, sweeps=400)), leg(joint.ball(parent_frame=Pose((0, 0, 1))))
    world.add_ground()
    return world, world.add(figure, state(figure, 3))


def test_motors_limits_and_contacts():
    world, member = hung()
    world.step(1 / 240, steps=480)
    knee = member.figure.q_slice("tibiofemoral").start
    assert -2.0 - 2e-3 < member.q[knee] < 0.1 + 2e-3
    member.push(np.r_[np.zeros(3), 300.0, 0.0])
    world.step(1 / 60, steps=120)
    assert member.q[knee] == pytest.approx(0.1 + 300.0 / 1e5, abs=2e-4)
    k = member.figure.link_index("shin")
    assert member.limit_forces()[k].max() == pytest.approx(300.0, rel=0.05)
    member.push(np.zeros(member.figure.nv))
    member.set_motor(500.0, 30.0)
    member.set_target(np.r_[1.0, 0, 0, 0, -0.8, 0.2])
    world.step(1 / 60, steps=120)
    assert np.abs(member.q[knee:] - [-0.8, 0.2]).max() < 0.05
    torque = dynamics.inverse_dynamics(member.figure, member.q, 0 * member.v, 0 * member.v)
    assert np.allclose(member.motor_forces(), torque, atol=0.02)
    member.set_effort_limit(2.0, ["tibiofemoral"])
    world.step(1 / 60, steps=60)
    assert abs(member.motor_forces()[3]) <= 2.0


def test_a_limp_leg_lies_on_the_floor():
    world, figure = World(), leg()
    world.add_ground()
    member = world.add(figure, State(np.r_[0, 0, 0.8, 0.8, 0.0, 0.6, 0.0, -0.5, 0.0], np.zeros(figure.nv)))
    for _ in range(4):
        world.step(1 / 60, steps=60)
        assert dynamics.forward_kinematics(figure, member.q).position[:2, 2].min() > -0.2
    weight = sum(link.mass.mass for link in figure.links) * 9.81
    assert member.contact_forces()[:, 2].sum() == pytest.approx(weight, rel=0.2)


def test_side_by_side_as_alone():
    world, member = hung()
    member.set_motor(50.0, 3.0)
    model, batch, small = world, WorldBatch(world, 5), WorldBatch(world, 5, dtype=np.float32)
    starts = [state(member.figure, k) for k in range(5)]
    for many in (batch, small):
        many.reset(state={member: State(np.array([s.q for s in starts]), np.array([s.v for s in starts]))})
        many.step(1 / 60, steps=5)
    small.step(1 / 60, steps=100)
    assert small.alive.all()
    assert np.isfinite(small.q).all()
    for k, start in enumerate(starts):
        member.state = start
        model.step(1 / 60, steps=5)
        assert np.abs(batch.q[k] - member.q).max() < 1e-9
        assert np.abs(batch.v[k] - member.v).max() < 1e-8
    batch.member(member).set_limits("tibiofemoral", -0.3, 0.0)
    batch.step(1 / 60, steps=60)
    assert (batch.q[:, member.figure.q_slice("tibiofemoral").start] > -0.32).all()


def test_three_turns_where_two_axes_meet():
    """A shoulder of three angles whose middle one is pushed to where the others do the same."""
    builder = FigureBuilder("arm")
    turns = tuple(JointStep(True, axis, Linear(), (name,)) for axis, name in ((X, "a"), (Y, "b"), (Z, "c")))
    wide = (-np.pi / 2, np.pi / 2)
    shoulder = joint.function(("a", "b", "c"), turns, range=(wide, wide, wide), name="shoulder")
    builder.add("arm", None, shoulder, mass(2.0))
    world = World()
    member = world.add(builder.build(), State([0.1, 1.0, 0.0], [1.0, 0.5, -2.0]))
    member.push([0.0, 30.0, 0.0])
    world.step(1 / 60, steps=600)
    assert member.q[1] == pytest.approx(np.pi / 2, abs=2e-3)
    small = WorldBatch(world, 5, dtype=np.float32)
    small.step(1 / 60, steps=600)
    assert small.alive.all()
    assert small.q[:, 1] == pytest.approx(np.full(5, np.pi / 2), abs=2e-3)


def test_bad_input():
    with pytest.raises(ArgumentError, match=r"'tibiofemoral' is a function joint, which maximal"):
        World(coordinates=Coordinates.MAXIMAL).add(leg())
