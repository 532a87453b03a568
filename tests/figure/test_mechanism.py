"""Mechanisms whose joints follow functions, against finite differences, closed forms and one another."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FigureError
from hitogata.figure.mechanism import (
    Constant,
    Coupling,
    CubicSpline,
    JointStep,
    Linear,
    Mechanism,
    MechanismBody,
    MechanismJoint,
    MultivariatePolynomial,
    NaturalSpline,
    PiecewiseConstant,
    PiecewiseLinear,
    Polynomial,
    Product,
    Scaled,
    Sine,
    Step,
    Sum,
    coupling_matrix,
    evaluate,
    followed,
    generalized_gravity,
    mechanism_inverse_dynamics,
    mechanism_mass_matrix,
    mechanism_motion,
)

X5, Y5 = (-1.0, -0.2, 0.3, 0.9, 2.0), (0.3, -0.1, 0.5, 0.2, 0.4)
FUNCTIONS = [
    Constant(0.7),
    Linear((0.3, -0.2)),
    Linear((0.3, -0.2, 0.7)),
    Polynomial((0.4, -0.3, 0.2, 1.0)),
    CubicSpline(X5, Y5),
    CubicSpline(X5[:3], Y5[:3]),
    CubicSpline(X5[:2], Y5[:2]),
    NaturalSpline((*X5, 2.7, 3.1), (*Y5, 0.0, 1.0), 5),
    NaturalSpline(X5, Y5, 3),
    PiecewiseLinear(X5, Y5),
    PiecewiseConstant(X5, Y5),
    Sine(0.4, 2.0, 0.3, 0.1),
    Step(-0.5, 1.5, 0.2, 0.9),
    Scaled(Polynomial((1.0, 0.0, 0.0)), -0.4),
    Sum((Polynomial((1.0, 0.0, 0.0)), Sine())),
    Product((Sine(), Sine(phase=1.0), Polynomial((0.5, 1.0)))),
    MultivariatePolynomial((0.1, 0.2, 0.3, 0.4, 0.5, 0.6), 2, 2),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: type(f).__name__)
def test_derivatives_are_exact(function):
    m = function.arguments or 2
    rng, h = np.random.default_rng(1), 1e-6
    x = rng.uniform(-1.5, 2.5, (40, m))
    if isinstance(function, PiecewiseLinear | PiecewiseConstant | CubicSpline | NaturalSpline | Step):
        knots = np.array(getattr(function, "x", (-0.5, 1.5)))
        x = x[(np.abs(x[:, :1] - knots) > 1e-3).all(axis=1)]
    _, gradient, hessian = evaluate(function, x)
    for k in range(m):
        step = np.zeros(m)
        step[k] = h
        high, low = evaluate(function, x + step), evaluate(function, x - step)
        np.testing.assert_allclose((high[0] - low[0]) / (2 * h), gradient[:, k], atol=1e-7)
        np.testing.assert_allclose((high[1] - low[1]) / (2 * h), hessian[:, k], atol=1e-6)


def test_splines_pass_their_points_and_go_on_straight():
    spline = CubicSpline(X5, Y5)
    np.testing.assert_allclose(evaluate(spline, np.array(X5)[:, None])[0], Y5, atol=1e-14)
    cubic = np.polynomial.Polynomial((0.3, -1.0, 0.5, 0.7))  # end conditions from four points: a cubic is kept whole
    kept = CubicSpline(X5, tuple(cubic(np.array(X5))))
    at = np.linspace(-1, 2, 50)
    np.testing.assert_allclose(evaluate(kept, at[:, None])[0], cubic(at), atol=1e-13)
    beyond = evaluate(spline, np.array([[3.0], [4.0], [5.0]]))[0]
    np.testing.assert_allclose(beyond[2] - 2 * beyond[1] + beyond[0], 0, atol=1e-13)


def knee() -> Mechanism:
    """A free body that carries a knee which rolls and slides, a shin, and a kneecap that follows."""
    turns = [JointStep(True, axis, Linear(), (f"a{k}",)) for k, axis in enumerate(np.eye(3))]
    shifts = [JointStep(False, axis, Linear(), (f"x{k}",)) for k, axis in enumerate(np.eye(3))]
    roll = (
        JointStep(False, (1, 0, 0), CubicSpline(X5, tuple(0.02 * y for y in Y5)), ("flexion",)),
        JointStep(False, (0, 1, 0), Sum((Linear((0.3, 0.1, 0.0)), Constant(-0.4))), ("flexion", "slack")),
        JointStep(True, (0, 0, 1), Linear(), ("flexion",), (0.01, 0.02, 0.0)),
        JointStep(True, (1, 0.2, 0), Polynomial((0.1, 0.2, 0.0)), ("flexion",)),
    )
    inertia = (0.12, 0.03, 0.11, 0.004, -0.002, 0.001)
    return Mechanism.of(
        "leg",
        [
            MechanismBody("cap", 0.1, (0.01, 0, 0), tuple(0.01 * x for x in inertia)),
            MechanismBody("thigh", 8.0, (0, -0.17, 0.01), inertia),
            MechanismBody("shin", 3.5, (0.01, -0.19, 0), tuple(0.5 * x for x in inertia)),
            MechanismBody("frame"),
        ],
        [
            MechanismJoint("cap", "thigh", "cap", ("beta",), (JointStep(True, (0, 0, 1), Linear(), ("beta",)),)),
            MechanismJoint("root", None, "thigh", ("a0", "a1", "a2", "x0", "x1", "x2"), (*shifts, *turns)),
            MechanismJoint("frame", "thigh", "frame"),
            MechanismJoint("knee", "frame", "shin", ("flexion", "slack"), roll),
        ],
        [Coupling("beta", Polynomial((0.2, 0.7, 0.1)), ("flexion",))],
        (0.0, -9.8, 0.0),
    )


def test_columns_and_rates_are_derivatives_of_poses():
    leg, rng, h = knee(), np.random.default_rng(2), 1e-6
    q, qd = rng.uniform(-1, 1, (8, 9)), rng.normal(size=(8, 9))
    motion = mechanism_motion(leg, q, qd)
    high, low = mechanism_motion(leg, q + h * qd), mechanism_motion(leg, q - h * qd)
    np.testing.assert_allclose((high.columns - low.columns) / (2 * h), motion.column_rates, atol=1e-8)
    for b in range(len(leg.bodies)):
        spin = (high.rotation[:, b] - low.rotation[:, b]) / (2 * h) @ motion.rotation[:, b].transpose(0, 2, 1)
        omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
        np.testing.assert_allclose(omega, motion.velocity[:, b, :3], atol=1e-8)
        speed = (high.position[:, b] - low.position[:, b]) / (2 * h)
        expected = motion.velocity[:, b, 3:] + np.cross(motion.velocity[:, b, :3], motion.position[:, b])
        np.testing.assert_allclose(speed, expected, atol=1e-8)


def test_inverse_dynamics_is_lagranges_equation():
    """τ = M q̈ + Ṁ q̇ - ½ ∂(q̇ᵀ M q̇) - gravity, by differences of M and of the potential."""
    leg, rng, h = knee(), np.random.default_rng(3), 1e-5
    q, qd, qdd = rng.uniform(-1, 1, 9), rng.normal(size=9), rng.normal(size=9)
    M = mechanism_mass_matrix(leg, q)[0]
    assert np.linalg.eigvalsh(M).min() > 0
    shifted = np.concatenate([q + h * np.eye(9), q - h * np.eye(9)])
    around = mechanism_mass_matrix(leg, shifted)
    dM = (around[:9] - around[9:]) / (2 * h)
    c = np.einsum("kij,k,j->i", dM, qd, qd) - 0.5 * np.einsum("kij,i,j->k", dM, qd, qd)
    motion = mechanism_motion(leg, shifted)
    centres = motion.position + np.einsum("nbij,bj->nbi", motion.rotation, [body.centre for body in leg.bodies])
    potential = 9.8 * np.einsum("nb,b->n", centres[:, :, 1], [body.mass for body in leg.bodies])
    g = (potential[:9] - potential[9:]) / (2 * h)
    np.testing.assert_allclose(generalized_gravity(leg, q)[0], -g, atol=1e-7)
    np.testing.assert_allclose(mechanism_inverse_dynamics(leg, q, qd, qdd).tau[0], M @ qdd + c + g, atol=1e-6)


def test_wrenches_and_reactions_balance():
    leg, rng = knee(), np.random.default_rng(4)
    q, qd, qdd, wrench = rng.uniform(-1, 1, 9), rng.normal(size=9), rng.normal(size=9), rng.normal(size=(1, 4, 6))
    plain, pushed = (mechanism_inverse_dynamics(leg, q, qd, qdd, w) for w in (None, wrench))
    h = 1e-6
    high, low = mechanism_motion(leg, q + h * np.eye(9)), mechanism_motion(leg, q - h * np.eye(9))
    moved = (high.position - low.position) / (2 * h)  # virtual work of the forces' part
    forces = wrench[0, :, 3:]
    torques = wrench[0, :, :3] - np.cross(plain.motion.position[0], forces)
    spin = np.einsum("kbij,blj->kbil", (high.rotation - low.rotation) / (2 * h), plain.motion.rotation[0])
    turned = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
    work = np.einsum("kbi,bi->k", moved, forces) + np.einsum("kbi,bi->k", turned, torques)
    np.testing.assert_allclose(plain.tau[0] - pushed.tau[0], work, atol=1e-7)
    root = leg.body_index("thigh")
    np.testing.assert_allclose(pushed.reactions[0, root, 3:], pushed.tau[0, leg.index("x0") : leg.index("x2") + 1])


def test_couplings_are_followed_exactly():
    leg, rng, h = knee(), np.random.default_rng(5), 1e-6
    q, qd, qdd = rng.uniform(-1, 1, (3, 9)), rng.normal(size=(3, 9)), rng.normal(size=(3, 9))
    full, rate, push = followed(leg, q, qd, qdd)
    x = q[:, leg.index("flexion")]
    np.testing.assert_allclose(full[:, leg.index("beta")], 0.2 * x**2 + 0.7 * x + 0.1, atol=1e-15)
    later, before = followed(leg, q + h * qd, qd + h * qdd), followed(leg, q - h * qd, qd - h * qdd)
    np.testing.assert_allclose((later[0] - before[0]) / (2 * h), rate, atol=1e-8)
    np.testing.assert_allclose((later[1] - before[1]) / (2 * h), push, atol=1e-8)
    free = [leg.index(name) for name in leg.free_coordinates]
    np.testing.assert_allclose(np.einsum("nij,nj->ni", coupling_matrix(leg, q), qd[:, free]), rate, atol=1e-14)


def test_bad_mechanisms_are_refused_by_name():
    bodies = [MechanismBody("a"), MechanismBody("b")]
    turn = (JointStep(True, (0, 0, 1), Linear(), ("q",)),)
    with pytest.raises(FigureError, match="do not hang on the world"):
        Mechanism.of("m", bodies, [MechanismJoint("j", "b", "a"), MechanismJoint("k", "a", "b")])
    joints = [MechanismJoint("j", None, "a", ("q",), turn), MechanismJoint("k", "a", "b", ("q",), turn)]
    with pytest.raises(FigureError, match="duplicate coordinate 'q'"):
        Mechanism.of("m", bodies, joints)
    two = [
        MechanismJoint("j", None, "a", ("q",), turn),
        MechanismJoint("k", "a", "b", ("r",), (JointStep(True, (0, 0, 1), Linear(), ("r",)),)),
    ]
    with pytest.raises(FigureError, match="circle: 'q', 'r'"):
        Mechanism.of("m", bodies, two, [Coupling("q", Linear(), ("r",)), Coupling("r", Linear(), ("q",))])
    with pytest.raises(FigureError, match="x must rise"):
        CubicSpline((0, 1, 1), (0, 0, 0))
    with pytest.raises(ArgumentError, match="'r' is not finite"):
        mechanism_motion(Mechanism.of("m", bodies, two), [0.0, np.nan])
