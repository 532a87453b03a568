"""Far from the origin, very light and very heavy, very long, and with nothing that moves."""

import dataclasses

import numpy as np
import pytest

from hitogata import dynamics
from hitogata.dynamics import Integrator
from hitogata.figure import Figure, FigureBuilder, JointKind, MassProperties, Pose, State, joint
from hitogata.library import chain, human28
from tests.dynamics.cases import FUNCTIONS, arguments

BODY = MassProperties(2.0, (0.1, 0.2, -0.3), (0.3, 0.4, 0.5, 0.01, 0.02, -0.03))


# ------------------------------------------------------- far away


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_a_figure_far_away_moves_as_at_home(function):
    """100 km off, what does not depend on the place keeps its digits."""
    figure, far = human28(), np.array([1e5, -2e5, 5e4])
    home = arguments(figure, 4)
    away = {**home, **{name: home[name].copy() for name in ("q", "start", "end")}}
    for name in ("q", "start", "end"):
        away[name][:, :3] += far
        home[name][:, :3] = away[name][:, :3] - far  # what is left of the digits of the position itself
    for a, b in zip(function(figure, away), function(figure, home), strict=True):
        shape, moved = a.shape[1:], b
        places = function.name in ("forward_kinematics", "frame_position", "centre_of_mass")
        if places and shape[-1] == 3 and shape[-2:] != (3, 3):
            moved = b + far
        elif function.name in ("step", "integrate") and shape == (figure.nq,):
            moved = b.copy()
            moved[:, :3] += far
        elif function.name == "motion_columns":  # velocities of the point at the world's origin
            moved = b.copy()
            moved[..., 3:] -= np.cross(b[..., :3], far)
        elif function.name == "energy" and np.abs(a - b).max() > 1:  # the potential
            moved = b - figure.mass * far @ dynamics.GRAVITY
        scale = np.abs(moved).max()
        np.testing.assert_allclose(a, moved, rtol=0, atol=1e-14 * scale)


# ------------------------------------------------------- light and heavy


def scaled(figure: Figure, length: float, mass: float) -> Figure:
    """A figure of another size: lengths and masses times a factor."""

    def place(pose: Pose) -> Pose:
        return Pose(tuple(length * x for x in pose.position), pose.quat)

    links = []
    for link in figure.links:
        m = link.mass
        inertia = tuple(mass * length**2 * x for x in m.inertia)
        links.append(dataclasses.replace(
            link, shapes=(),
            joint=dataclasses.replace(link.joint, parent_frame=place(link.joint.parent_frame),
                                      child_frame=place(link.joint.child_frame)),
            mass=MassProperties(mass * m.mass, tuple(length * x for x in m.centre), inertia),
        ))  # fmt: skip
    return Figure(figure.name, tuple(links))


@pytest.mark.parametrize(("length", "mass"), [(0.02, 1e-5), (50.0, 1e6), (1.0, 1e-9), (1e-3, 1.0)],
                         ids=["mouse", "giant", "feather", "doll of lead"])  # fmt: skip
def test_figures_of_any_size_move_alike(length, mass):
    """With time running as √length, a figure of another size and mass makes the same motion."""
    figure, rate = human28(), 1 / np.sqrt(length)
    other = scaled(figure, length, mass)
    given = arguments(figure, None)
    q, v = given["q"], given["v"]
    q_other, v_other = q.copy(), v * rate
    q_other[:3] *= length
    v_other[3:6] *= length
    weight = mass * length  # of a torque: m g l
    vdot = dynamics.forward_dynamics(figure, q, v, given["tau"])
    tau = given["tau"] * weight
    tau[3:6] /= length
    expected = vdot * rate**2
    expected[3:6] *= length
    ours = dynamics.forward_dynamics(other, q_other, v_other, tau)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    np.testing.assert_allclose(dynamics.inverse_dynamics(other, q_other, v_other, ours), tau, rtol=0,
                               atol=1e-12 * weight * np.abs(vdot).max())  # fmt: skip


@pytest.mark.parametrize("ratio", [1e-9, 1e-6, 1e6, 1e9])
def test_links_of_very_different_mass(ratio):
    """A light body on a heavy one, or the other way: the equation of motion holds for each joint by itself."""
    builder = FigureBuilder("pair")
    builder.add("a", None, joint.ball(), BODY)
    light = MassProperties(BODY.mass * ratio, BODY.centre, tuple(ratio * x for x in BODY.inertia))
    builder.add("b", "a", joint.ball(parent_frame=Pose((0.3, 0.1, 0.2))), light)
    figure = builder.build()
    given = arguments(figure, None)
    q, v, tau = given["q"], given["v"], given["tau"] * [1, 1, 1, ratio, ratio, ratio]
    vdot = dynamics.forward_dynamics(figure, q, v, tau)
    back = dynamics.inverse_dynamics(figure, q, v, vdot)
    forces = np.abs(dynamics.mass_matrix(figure, q)) @ np.abs(vdot)
    assert (np.abs(back - tau) <= 1e-13 * forces + 1e-300).all()


# ------------------------------------------------------- long


@pytest.mark.parametrize("kind", [JointKind.HINGE, JointKind.BALL, JointKind.UNIVERSAL])
@pytest.mark.parametrize("free_base", [False, True], ids=["hung", "free"])
def test_a_chain_of_200_links(kind, free_base):
    """M vdot + c = tau, at 40 m of length; forces of 1e4 N."""
    figure = chain(200, kind=kind, free_base=free_base)
    given = arguments(figure, None)
    q, v, tau = given["q"] * 1.0, given["v"] * 0.3, given["tau"]
    vdot = dynamics.forward_dynamics(figure, q, v, tau)
    inertial, c = dynamics.mass_matrix(figure, q) @ vdot, dynamics.bias(figure, q, v)
    np.testing.assert_allclose(inertial + c, tau, rtol=0, atol=1e-11 * np.abs(inertial).max())
    np.testing.assert_allclose(dynamics.inverse_dynamics(figure, q, v, vdot), inertial + c, rtol=0,
                               atol=1e-11 * np.abs(inertial).max())  # fmt: skip


# ------------------------------------------------------- nothing moves


def statue() -> Figure:
    """Three links, all fixed."""
    builder = FigureBuilder("statue")
    builder.add("base", None, joint.fixed(parent_frame=Pose((0, 0, 1.0))), BODY)
    builder.add("body", "base", joint.fixed(parent_frame=Pose((0, 0, 0.5))), BODY)
    builder.add("head", "body", joint.fixed(child_frame=Pose((0, 0, -0.25))), BODY)
    return builder.build()


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@pytest.mark.parametrize("count", [None, 0, 3])
def test_a_figure_without_velocities(function, count):
    figure = statue()
    assert (figure.nq, figure.nv) == (0, 0)
    of_human = function(human28(), arguments(human28(), count))
    sizes = {human28().nq: 0, human28().nv: 0, human28().nlinks: figure.nlinks}
    for ours, theirs in zip(function(figure, arguments(figure, count)), of_human, strict=True):
        batch = [] if count is None else [count]
        assert list(np.shape(ours)) == batch + [sizes.get(n, n) for n in np.shape(theirs)[len(batch) :]]
        assert np.isfinite(ours).all()


def test_a_statue_stands():
    figure = statue()
    poses = dynamics.forward_kinematics(figure, [])
    np.testing.assert_allclose(poses.position, [[0, 0, 1], [0, 0, 1.5], [0, 0, 1.75]])
    weight = np.array([3.0, 2.0, 1.0]) * 2.0 * 9.81
    np.testing.assert_allclose(dynamics.joint_reactions(figure, [], [], [])[:, 3:], [[0, 0, w] for w in weight])
    np.testing.assert_allclose(dynamics.energy(figure, [], []), (0, 2 * 9.81 * (0.7 + 1.2 + 1.45)))
    assert not dynamics.momentum(figure, [], []).any()


@pytest.mark.parametrize("build", [joint.free, joint.ball, joint.hinge, joint.slider, joint.universal])
def test_a_single_body(build):
    """Newton and Euler by hand: force and torque about the joint that the motion needs."""
    builder = FigureBuilder("body")
    builder.add("body", None, build(child_frame=Pose((0.1, 0.0, 0.2))), BODY)
    figure = builder.build()
    given = arguments(figure, None)
    q, v, vdot = given["q"], given["v"], given["vdot"]
    R, origin = dynamics.forward_kinematics(figure, q).rotation[0], dynamics.forward_kinematics(figure, q).position[0]
    omega, (alpha, a) = dynamics.link_velocities(figure, q, v)[0, :3], np.split(
        dynamics.link_accelerations(figure, q, v, vdot)[0], 2)  # fmt: skip
    arm, inertia = R @ BODY.centre, R @ BODY.matrix @ R.T
    force = BODY.mass * (a + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm)) - dynamics.GRAVITY)
    pivot = origin + R @ [0.1, 0.0, 0.2]
    torque = inertia @ alpha + np.cross(omega, inertia @ omega) + np.cross(origin + arm - pivot, force)
    np.testing.assert_allclose(dynamics.joint_reactions(figure, q, v, vdot)[0], [*torque, *force], rtol=0, atol=1e-12)
    J = dynamics.jacobian(figure, q, "body", point=(0.1, 0.0, 0.2))
    tau = J.T @ [*torque, *force]
    np.testing.assert_allclose(dynamics.inverse_dynamics(figure, q, v, vdot), tau, rtol=0, atol=1e-12)
    np.testing.assert_allclose(dynamics.forward_dynamics(figure, q, v, tau), vdot, rtol=0, atol=1e-11)


def test_no_steps_change_nothing():
    figure = human28()
    given = arguments(figure, None)
    for integrator in Integrator:
        after = dynamics.step(figure, State(given["q"], given["v"]), 0.1, steps=0, integrator=integrator)
        assert np.array_equal(after.q, given["q"])
        assert np.array_equal(after.v, given["v"])
