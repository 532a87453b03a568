"""Jacobians, velocities, accelerations and forces as derivatives: central differences along `integrate`.

With a step of 1e-5 a central difference of numbers of about 1 is good to 1e-10: its own error is h², rounding 1e-16/h.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata import dynamics
from hitogata.figure import Figure, JointKind
from tests.dynamics.cases import arguments, figures, named

H = 1e-5
TOLERANCE = 1e-8

pytestmark = pytest.mark.parametrize("figure", figures(), ids=named)


def frames(figure: Figure) -> list[str]:
    return [*figure.link_names, *(frame.name for link in figure.links for frame in link.frames)]


def poses(figure: Figure, q, frame: str, point=(0.0, 0.0, 0.0)):
    """Rotation, and position of a point, of a frame, for a batch of q."""
    i, place = figure.frame(frame)
    links = dynamics.forward_kinematics(figure, q)
    return links.rotation[:, i] @ place.rotation, links.position[:, i] + links.rotation[:, i] @ place.apply(point)


def rate(after, before):
    """[ω; velocity] that leads from one (rotation, position) to another in 2 H, one row each."""
    turn = Rotation.from_matrix(after[0]) * Rotation.from_matrix(before[0]).inv()
    return np.hstack([turn.as_rotvec(), after[1] - before[1]]) / (2 * H)


def close(ours, expected, tolerance=TOLERANCE):
    np.testing.assert_allclose(ours, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max(initial=0.0)))


def moved(figure: Figure, q, v, times):
    """Coordinates after moving with v for each of the times."""
    return dynamics.integrate(figure, q, np.multiply.outer(times, v))


def test_jacobian(figure):
    q = arguments(figure, None)["q"]
    steps = H * np.eye(figure.nv)
    ahead, behind = dynamics.integrate(figure, q, steps), dynamics.integrate(figure, q, -steps)
    for frame in frames(figure):
        close(dynamics.jacobian(figure, q, frame), rate(poses(figure, ahead, frame), poses(figure, behind, frame)).T)


def test_frame_position(figure):
    """Its rate is the Jacobian's lower half; of a batch as of one."""
    q = arguments(figure, None)["q"]
    steps = H * np.eye(figure.nv)
    near = np.concatenate([dynamics.integrate(figure, q, steps), dynamics.integrate(figure, q, -steps)])
    for frame in frames(figure):
        ahead, behind = np.split(dynamics.frame_position(figure, near, frame), 2)
        close(dynamics.jacobian(figure, q, frame)[3:], (ahead - behind).T / (2 * H))
        close(dynamics.frame_position(figure, near[0], frame), dynamics.frame_position(figure, near, frame)[0], 1e-14)


def test_jacobian_of_a_point(figure):
    q, point = arguments(figure, None)["q"], (0.3, -0.2, 0.5)
    steps = H * np.eye(figure.nv)
    ahead, behind = dynamics.integrate(figure, q, steps), dynamics.integrate(figure, q, -steps)
    for frame in frames(figure):
        expected = rate(poses(figure, ahead, frame, point), poses(figure, behind, frame, point)).T
        close(dynamics.jacobian(figure, q, frame, point=point), expected)


@pytest.mark.parametrize("point", [None, (0.3, -0.2, 0.5)])
def test_jacobian_derivative(figure, point):
    given = arguments(figure, None)
    q, v = given["q"], given["v"]
    near = moved(figure, q, v, [H, -H])
    for frame in frames(figure):
        after, before = dynamics.jacobian(figure, near, frame, point=point)
        close(dynamics.jacobian_derivative(figure, q, v, frame, point=point), (after - before) / (2 * H))


def test_velocities_and_accelerations_of_links(figure):
    given = arguments(figure, None)
    q, v, vdot = given["q"], given["v"], given["vdot"]
    near = moved(figure, q, v, [H, -H])
    velocities = dynamics.link_velocities(figure, q, v)
    accelerations = dynamics.link_accelerations(figure, q, v, vdot)
    for i, name in enumerate(figure.link_names):
        rotation, position = poses(figure, near, name)
        close(velocities[i], rate((rotation[:1], position[:1]), (rotation[1:], position[1:]))[0])
    # along the motion q(t) with q' = v + t vdot, to second order
    after, before = (
        dynamics.link_velocities(figure, dynamics.integrate(figure, q, t * v + t * t / 2 * vdot), v + t * vdot)
        for t in (H, -H)
    )
    close(accelerations, (after - before) / (2 * H))


def test_velocities_and_accelerations_from_jacobians(figure):
    given = arguments(figure, None)
    q, v, vdot = given["q"], given["v"], given["vdot"]
    velocities, accelerations = (
        dynamics.link_velocities(figure, q, v), dynamics.link_accelerations(figure, q, v, vdot)
    )  # fmt: skip
    for i, name in enumerate(figure.link_names):
        J, Jdot = dynamics.jacobian(figure, q, name), dynamics.jacobian_derivative(figure, q, v, name)
        close(velocities[i], J @ v, 1e-13)
        close(accelerations[i], J @ vdot + Jdot @ v, 1e-13)


def test_gravity_in_the_bias_is_the_slope_of_the_potential(figure):
    q = arguments(figure, None)["q"]
    steps = H * np.eye(figure.nv)
    up, down = (
        dynamics.energy(figure, dynamics.integrate(figure, q, sign * steps), np.zeros(figure.nv)).potential
        for sign in (1, -1)
    )
    close(dynamics.bias(figure, q, np.zeros(figure.nv)), (up - down) / (2 * H))


def test_velocity_in_the_bias_from_the_mass_matrix(figure):
    """c = Mdot v - ∂T/∂q - ω × p: Lagrange's equations for rates of rotation (Euler-Poincaré), ω in fixed axes.

    Turning by η varies them by δω = η' + η × ω, so that a momentum p = ∂T/∂ω does the work p · (η × ω) = η · (ω × p).
    """
    given = arguments(figure, None)
    q, v = given["q"], given["v"]
    after, before = dynamics.mass_matrix(figure, moved(figure, q, v, [H, -H]))
    steps = H * np.eye(figure.nv)
    up, down = (dynamics.energy(figure, dynamics.integrate(figure, q, s * steps), v).kinetic for s in (1, -1))
    momentum = dynamics.mass_matrix(figure, q) @ v
    turning = np.zeros(figure.nv)
    for link, iv in zip(figure.links, figure.v_starts, strict=True):
        if link.joint.kind in (JointKind.BALL, JointKind.FREE):
            turn = slice(iv, iv + 3)
            turning[turn] = np.cross(v[turn], momentum[turn])
    expected = (after - before) / (2 * H) @ v - (up - down) / (2 * H) - turning
    close(dynamics.bias(figure, q, v, gravity=(0, 0, 0)), expected)


def test_power(figure):
    """The energy changes at the power of torques, dampers and external wrenches."""
    given = arguments(figure, None)
    q, v, tau, wrenches = given["q"], given["v"], given["tau"], given["wrenches"]
    vdot = dynamics.forward_dynamics(figure, q, v, tau, wrenches=wrenches)
    after, before = (
        dynamics.energy(figure, dynamics.integrate(figure, q, t * v + t * t / 2 * vdot), v + t * vdot).total
        for t in (H, -H)
    )
    damping = [link.joint.damping for link in figure.links for _ in range(link.joint.nv)]
    expected = tau @ v - damping @ v**2 + (wrenches * dynamics.link_velocities(figure, q, v)).sum()
    scale = np.abs(vdot).max() ** 2  # the energy's curvature, that a central difference does not see
    np.testing.assert_allclose((after - before) / (2 * H), expected, rtol=0, atol=TOLERANCE * scale)


def test_momentum(figure):
    """Linear momentum is the mass times the velocity of its centre; angular momentum sums over the links."""
    given = arguments(figure, None)
    q, v = given["q"], given["v"]
    after, before = dynamics.centre_of_mass(figure, moved(figure, q, v, [H, -H]))
    angular, linear = np.split(dynamics.momentum(figure, q, v), 2)
    close(linear, figure.mass * (after - before) / (2 * H))
    links, motion = dynamics.forward_kinematics(figure, q), dynamics.link_velocities(figure, q, v)
    expected = np.zeros(3)
    for i, link in enumerate(figure.links):
        R, omega = links.rotation[i], motion[i, :3]
        arm = R @ link.mass.centre
        place = links.position[i] + arm - dynamics.centre_of_mass(figure, q)
        spin = R @ link.mass.matrix @ R.T @ omega
        expected += spin + np.cross(place, link.mass.mass * (motion[i, 3:] + np.cross(omega, arm)))
    close(angular, expected, 1e-12)
