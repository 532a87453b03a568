"""What the functions of the room say about each other: exact relations, to rounding."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata import dynamics
from hitogata.figure import Figure, JointKind
from hitogata.library import human28
from tests.dynamics.cases import arguments, figures, named

every_figure = pytest.mark.parametrize("figure", figures(), ids=named)


def close(ours, expected, tolerance=1e-11):
    """Relative to the largest entry."""
    scale = max(0.1, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(ours, expected, rtol=0, atol=tolerance * scale)


def constants(figure: Figure, name: str) -> np.ndarray:
    """Damping or armature of every velocity."""
    return np.array([getattr(link.joint, name) for link in figure.links for _ in range(link.joint.nv)])


# ------------------------------------------------------- the equation of motion


@every_figure
def test_mass_matrix_from_kinetic_energy(figure):
    """T is a quadratic form: M_ij = T(e_i + e_j) - T(e_i) - T(e_j)."""
    q, n = arguments(figure, None)["q"], figure.nv
    pairs = (np.eye(n)[:, None] + np.eye(n)[None]).reshape(-1, n)
    single = dynamics.energy(figure, q, np.eye(n)).kinetic
    both = dynamics.energy(figure, q, pairs).kinetic.reshape(n, n)
    M = dynamics.mass_matrix(figure, q)
    close(M, both - single[:, None] - single[None])
    assert np.linalg.eigvalsh(M).min() > 0


@every_figure
def test_equation_of_motion(figure):
    """M vdot + c + D v = tau + Σ Jᵀ f, from functions that share no code but the places of bodies."""
    given = arguments(figure, None)
    q, v, tau, wrenches = given["q"], given["v"], given["tau"], given["wrenches"]
    vdot = dynamics.forward_dynamics(figure, q, v, tau, wrenches=wrenches)
    pushes = sum(
        dynamics.jacobian(figure, q, name).T @ wrench for name, wrench in zip(figure.link_names, wrenches, strict=True)
    )
    inertial = dynamics.mass_matrix(figure, q) @ vdot
    left = inertial + dynamics.bias(figure, q, v) + constants(figure, "damping") * v
    scale = np.abs(inertial).max()
    np.testing.assert_allclose(left, tau + pushes, rtol=0, atol=1e-11 * scale)


@every_figure
@pytest.mark.parametrize("pushed", [False, True], ids=["", "pushed"])
def test_forward_and_inverse_dynamics_undo_each_other(figure, pushed):
    given = arguments(figure, None)
    q, v, tau, vdot = given["q"], given["v"], given["tau"], given["vdot"]
    wrenches = given["wrenches"] if pushed else None
    there = dynamics.inverse_dynamics(figure, q, v, vdot, wrenches=wrenches)
    close(dynamics.forward_dynamics(figure, q, v, there, wrenches=wrenches), vdot)
    there = dynamics.forward_dynamics(figure, q, v, tau, wrenches=wrenches)
    forces = np.abs(dynamics.mass_matrix(figure, q) @ there).max()
    back = dynamics.inverse_dynamics(figure, q, v, there, wrenches=wrenches)
    np.testing.assert_allclose(back, tau, rtol=0, atol=1e-12 * max(forces, np.abs(tau).max()))


@every_figure
def test_no_torque_is_zero_torque(figure):
    given = arguments(figure, None)
    q, v = given["q"], given["v"]
    zeros = np.zeros(figure.nv)
    assert np.array_equal(dynamics.forward_dynamics(figure, q, v), dynamics.forward_dynamics(figure, q, v, zeros))
    pushed = dynamics.forward_dynamics(figure, q, v, wrenches=np.zeros((figure.nlinks, 6)))
    close(pushed, dynamics.forward_dynamics(figure, q, v), 1e-13)


# ------------------------------------------------------- reactions


@every_figure
def test_reactions_obey_newton_on_every_link(figure):
    """On each link: its joint's wrench, less those it passes on, weight and pushes, make its momentum change."""
    given = arguments(figure, None)
    q, v, vdot, wrenches = given["q"], given["v"], given["vdot"], given["wrenches"]
    reactions = dynamics.joint_reactions(figure, q, v, vdot, wrenches=wrenches)
    poses = dynamics.forward_kinematics(figure, q)
    motion = dynamics.link_velocities(figure, q, v)
    change = dynamics.link_accelerations(figure, q, v, vdot)
    joints = [poses.position[i] + poses.rotation[i] @ link.joint.child_frame.position
              for i, link in enumerate(figure.links)]  # fmt: skip
    for i, link in enumerate(figure.links):
        R, omega, alpha = poses.rotation[i], motion[i, :3], change[i, :3]
        arm = R @ link.mass.centre
        centre, inertia = poses.position[i] + arm, R @ link.mass.matrix @ R.T
        a = change[i, 3:] + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
        force = link.mass.mass * np.array(dynamics.GRAVITY) + wrenches[i, 3:] + reactions[i, 3:]
        torque = (wrenches[i, :3] + np.cross(poses.position[i] - centre, wrenches[i, 3:])
                  + reactions[i, :3] + np.cross(joints[i] - centre, reactions[i, 3:]))  # fmt: skip
        for child, parent in enumerate(figure.parents):
            if parent == i:
                force = force - reactions[child, 3:]
                torque = torque - reactions[child, :3] - np.cross(joints[child] - centre, reactions[child, 3:])
        scale = np.abs(reactions).max()
        np.testing.assert_allclose(force, link.mass.mass * a, rtol=0, atol=1e-12 * scale)
        gyroscopic = inertia @ alpha + np.cross(omega, inertia @ omega)
        np.testing.assert_allclose(torque, gyroscopic, rtol=0, atol=1e-12 * scale)


@every_figure
def test_reactions_hold_the_torques_of_inverse_dynamics(figure):
    """Along a joint's own motions, the wrench it transmits is its torque, less damping and the rotor's inertia."""
    given = arguments(figure, None)
    q, v, vdot, wrenches = given["q"], given["v"], given["vdot"], given["wrenches"]
    reactions = dynamics.joint_reactions(figure, q, v, vdot, wrenches=wrenches)
    tau = dynamics.inverse_dynamics(figure, q, v, vdot, wrenches=wrenches)
    net = tau - constants(figure, "damping") * v - constants(figure, "armature") * vdot
    for i, (link, iv) in enumerate(zip(figure.links, figure.v_starts, strict=True)):
        J = dynamics.jacobian(figure, q, link.name, point=link.joint.child_frame.position)
        along = J[:, iv : iv + link.joint.nv].T @ reactions[i]
        np.testing.assert_allclose(along, net[iv : iv + link.joint.nv], rtol=0, atol=1e-12 * np.abs(reactions).max())


# ------------------------------------------------------- moving on the manifold


@every_figure
def test_difference_undoes_integrate(figure):
    given = arguments(figure, 50)
    q, change = given["q"], given["change"] / 2  # turns by less than half a turn: longer ones have a shorter way
    moved = dynamics.integrate(figure, q, change)
    close(dynamics.difference(figure, q, moved), change, 1e-14)
    close(dynamics.difference(figure, q, q), np.zeros_like(change), 1e-14)
    close(dynamics.integrate(figure, q, np.zeros(figure.nv)), q, 1e-15)


@every_figure
def test_integrate_undoes_difference(figure):
    """Up to the signs of quaternions: the poses are the same."""
    given = arguments(figure, 50)
    start, end = given["start"], given["end"]
    there = dynamics.integrate(figure, start, dynamics.difference(figure, start, end))
    close(dynamics.forward_kinematics(figure, there).matrices, dynamics.forward_kinematics(figure, end).matrices)


@every_figure
def test_integrate_turns_quaternions_in_the_parents_axes(figure):
    """quat' = exp(change) quat, and plain numbers add."""
    given = arguments(figure, None)
    q, change = given["q"], given["change"]
    moved = dynamics.integrate(figure, q, change)
    for link, iq, iv in zip(figure.links, figure.q_starts, figure.v_starts, strict=True):
        kind = link.joint.kind
        if kind in (JointKind.BALL, JointKind.FREE):
            at = iq + kind.nq - 4
            turned = Rotation.from_rotvec(change[iv : iv + 3]) * Rotation.from_quat(q[at : at + 4], scalar_first=True)
            expected = turned.as_quat(scalar_first=True)
            close(moved[at : at + 4], expected * np.sign(expected @ moved[at : at + 4]), 1e-15)
            assert abs(np.linalg.norm(moved[at : at + 4]) - 1) < 1e-15
            if kind is JointKind.FREE:
                close(moved[iq : iq + 3], q[iq : iq + 3] + change[iv + 3 : iv + 6], 1e-15)
        else:
            close(moved[iq : iq + kind.nq], q[iq : iq + kind.nq] + change[iv : iv + kind.nv], 1e-15)


@pytest.mark.parametrize("turns", [0.5, 1.0, 3.7, 1000.0])
def test_integrate_by_many_turns(turns):
    """The exponential has no branches: many turns are as good as the rest of them."""
    figure = human28()
    q, change = figure.neutral(), np.zeros(figure.nv)
    change[:3] = np.array([1.0, 2.0, 2.0]) / 3 * turns * 2 * np.pi
    rest = np.zeros(figure.nv)
    rest[:3] = np.array([1.0, 2.0, 2.0]) / 3 * (turns % 1) * 2 * np.pi
    a, b = (dynamics.forward_kinematics(figure, dynamics.integrate(figure, q, c)).rotation for c in (change, rest))
    close(a, b, 1e-15 * max(1.0, 2 * np.pi * turns))
