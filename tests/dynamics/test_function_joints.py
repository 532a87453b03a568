"""Joints that follow functions: a knee that rolls, a patella that follows it; differences and dense equations."""

import numpy as np
import pytest

from hitogata import dynamics
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Figure, FigureBuilder, MassProperties, Pose, State, joint
from hitogata.figure.mechanism import (
    Composed,
    Constant,
    CubicSpline,
    JointStep,
    Linear,
    Polynomial,
    Scaled,
    Sine,
    evaluate,
)
from hitogata.sim import World

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ROLL = CubicSpline((-2.1, -1.2, -0.5, 0.0, 0.2), (-0.0032, 0.0018, 0.004, 0.0041, 0.003))


def leg(roll=ROLL, damping=1.0) -> Figure:
    """A thigh on a ball joint, a knee of one coordinate, a patella that follows it, a foot."""
    builder = FigureBuilder("leg")
    add = lambda name, parent, hung, share: builder.add(
        name, parent, hung, MassProperties.principal(2 * share, (0.02, -0.2, 0.01), share * np.array([5, 3, 6]) / 100)
    )
    add("thigh", None, joint.ball(damping=0.1 * damping), 3.0)
    knee = (
        JointStep(False, X, roll, ("knee",)), JointStep(False, Y, Polynomial((0.01, -0.02, -0.4)), ("knee",)),
        JointStep(True, Z, Linear(), ("knee",), (0.01, 0.02, 0.0)), JointStep(True, X, Scaled(Sine(), 0.1), ("knee",)),
        JointStep(False, Z, Constant(0.03)),
    )  # fmt: skip
    hung = joint.function(("knee",), knee, name="tibiofemoral", armature=0.02, damping=0.3 * damping)
    add("shin", "thigh", hung, 1.0)
    slide = JointStep(False, Y, Polynomial((0.01, -0.02, -0.2)), ("knee",))
    patella = (slide, JointStep(True, Z, Linear((0.5, 0.1)), ("knee",)))
    add("patella", "thigh", joint.function((), patella, name="patellofemoral"), 0.1)
    add("foot", "shin", joint.hinge(Z, name="ankle", parent_frame=Pose((0, -0.4, 0))), 0.3)
    return builder.build()


def state(figure, seed=0, rows=None):
    rng = np.random.default_rng(seed)
    q = np.array([figure.random(rng, spread=0.4) for _ in range(rows or 1)])
    v, tau = rng.normal(size=(2, rows or 1, figure.nv))
    return (q, v, tau) if rows else (q[0], v[0], tau[0])


@pytest.mark.parametrize("frame", ["foot", "patella"])
def test_columns_and_their_rates_by_differences(frame):
    figure, h = leg(), 1e-6
    q, v, _ = state(figure)
    ahead, back = dynamics.integrate(figure, q, h * v), dynamics.integrate(figure, q, -h * v)
    at = figure.link_index(frame)
    places = [dynamics.forward_kinematics(figure, x).position[at] for x in (ahead, back)]
    assert np.allclose((places[0] - places[1]) / (2 * h), (dynamics.jacobian(figure, q, frame) @ v)[3:], atol=2e-9)
    rate = (dynamics.jacobian(figure, ahead, frame) - dynamics.jacobian(figure, back, frame)) / (2 * h)
    assert np.allclose(dynamics.jacobian_derivative(figure, q, v, frame), rate, atol=2e-9)
    assert np.allclose(dynamics.difference(figure, back, ahead), 2 * h * v, atol=1e-14)


def test_dynamics_fit_each_other_and_the_batch():
    figure = leg()
    q, v, tau = state(figure, rows=5)
    vdot = dynamics.forward_dynamics(figure, q, v, tau)
    assert np.allclose(dynamics.inverse_dynamics(figure, q, v, vdot), tau, atol=1e-12)
    M, c = dynamics.mass_matrix(figure, q), dynamics.bias(figure, q, v)
    damping = np.array([0.1, 0.1, 0.1, 0.3, 0.0])
    assert np.allclose(np.einsum("nij,nj->ni", M, vdot) + c + damping * v, tau, atol=1e-12)
    kinetic = dynamics.energy(figure, q, v).kinetic
    assert np.allclose(0.5 * np.einsum("ni,nij,nj->n", v, M, v), kinetic, rtol=1e-12)
    for k in range(5):
        own = dynamics.forward_dynamics(figure, q[k], v[k], tau[k], method=dynamics.Method.RECURSION)
        assert np.array_equal(own, vdot[k])
        assert np.allclose(dynamics.forward_dynamics(figure, q[k], v[k], tau[k]), vdot[k], rtol=1e-12, atol=1e-12)


def test_power_is_the_rate_of_energy():
    """d/dt (kinetic + potential) = v · (tau - D v), along the fourth-order step."""
    figure, h = leg(Polynomial((0.003, 0.004))), 1e-4
    q, v, tau = state(figure, 1)
    total = []
    for sign in (1, -1):
        dt = np.array([h * sign])[0]
        a = dynamics.forward_dynamics(figure, q, v, tau)
        ahead = dynamics.integrate(figure, q, dt * v + 0.5 * dt * dt * a)
        energy = dynamics.energy(figure, ahead, v + dt * a)
        total.append(energy.kinetic + energy.potential)
    power = v @ (tau - np.array([0.1, 0.1, 0.1, 0.3, 0.0]) * v)
    assert (total[0] - total[1]) / (2 * h) == pytest.approx(power, abs=1e-4)
    after = dynamics.step(figure, State(q, v), 1e-3, steps=2, integrator=dynamics.Integrator.RUNGE_KUTTA_4)
    assert np.isfinite(after.q).all()


def test_a_free_swing_keeps_its_energy():
    """Over the ends of the spline, where its bend jumps; from where the step of fourth order has lost 1e-6."""
    figure, rows = leg(damping=0.0), dynamics.Integrator.DORMAND_PRINCE_8
    start = State(np.r_[0.6, 0.0, 0.8, 0.0, -0.5, 0.3], np.array([1.0, 0.5, -2.0, -4.0, 1.0]))
    first, reached, state = dynamics.energy(figure, start.q, start.v), [], start
    for _ in range(5):
        state = dynamics.step(figure, state, 0.1, steps=2, integrator=rows)
        now = dynamics.energy(figure, state.q, state.v)
        assert now.kinetic + now.potential == pytest.approx(first.kinetic + first.potential, abs=1e-9)
        reached.append(state.q[4])
    assert min(reached) < 0.0 < 0.2 < max(reached)
    many = dynamics.step(figure, State(start.q[None], start.v[None]), 0.05, steps=4, integrator=rows)
    one = dynamics.step(figure, start, 0.2, integrator=rows)
    assert np.allclose(many.q[0], one.q, atol=1e-11)


def test_composed_functions_have_exact_derivatives():
    function = Composed(Polynomial((1.0, -2.0, 0.5, 1.0)), ((Linear((0.5, -1.5, 0.2)), (2, 0)),), 3)
    x, h = np.array([[0.3, 0.1, -0.4]]), 1e-5
    _, gradient, hessian = evaluate(function, x)
    for k in range(3):
        step = h * np.eye(3)[k]
        up, down = evaluate(function, x + step), evaluate(function, x - step)
        assert gradient[0, k] == pytest.approx((up[0] - down[0])[0] / (2 * h), abs=1e-9)
        assert np.allclose(hessian[0, k], (up[1] - down[1])[0] / (2 * h), atol=1e-8)


def test_compound_joints_are_screws_one_after_the_other():
    builder = FigureBuilder("planar")
    builder.add("body", None, joint.planar(), MassProperties.principal(2.0, (0.1, 0, 0), (0.1, 0.1, 0.2)))
    builder.add("arm", "body", joint.gimbal(), MassProperties.principal(1.0, (0, 0.2, 0), (0.1, 0.1, 0.2)))
    figure, q = builder.build(), np.array([0.3, -0.2, 0.5, 0.1, 0.2, -0.3])
    assert figure.nq == 6
    assert np.allclose(dynamics.forward_kinematics(figure, q).position[0], [0.3, -0.2, 0.0])
    v = np.random.default_rng(0).normal(size=6)
    vdot = dynamics.forward_dynamics(figure, q, v)
    assert np.allclose(dynamics.inverse_dynamics(figure, q, v, vdot), 0.0, atol=1e-12)
    world = World(gravity=(0.0, 0.0, 0.0))
    member = world.add(figure, State(q, v))
    before = world.energy().total
    world.step(1e-3, steps=100)
    assert world.energy().total == pytest.approx(before, rel=1e-4)
    assert member.limit_forces().shape == (2, 2)


def test_bad_input():
    figure = leg()
    with pytest.raises(ArgumentError, match=r"'tibiofemoral' follows functions.*dynamics"):
        dynamics.motion_columns(figure, figure.neutral())
    builder = FigureBuilder("lost")
    mass = MassProperties.principal(1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    builder.add("body", None, joint.function(("a",), (JointStep(True, Z, Linear(), ("b",)),), name="j"), mass)
    with pytest.raises(FigureError, match=r"joint 'j'.*no coordinate 'b'.*a"):
        dynamics.mass_matrix(builder.build(), [0.0])
    with pytest.raises(FigureError, match=r"six coordinates"):
        joint.function(tuple("abcdefg"), ())
    with pytest.raises(FigureError, match=r"neither turns nor slides"):
        joint.compound((joint.Screw(Z, 0.0, 0.0),))
    q, v, _ = state(figure)
    with pytest.raises(ArgumentError, match=r"v\[3\].*'tibiofemoral'"):
        dynamics.forward_dynamics(figure, q, np.where(np.arange(5) == 3, np.nan, v))
