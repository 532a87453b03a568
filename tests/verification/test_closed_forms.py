"""Motions with a closed form: pendulums, spinning bodies, tops, projectiles, dampers."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from hitogata.dynamics import Integrator, forward_kinematics, link_velocities, step
from hitogata.figure import Figure, FigureBuilder, Joint, MassProperties, State, joint
from hitogata.spatial import quat_exp, quat_multiply, quat_to_matrix

RK4, G = Integrator.RUNGE_KUTTA_4, 9.81


def single(kind: Joint, mass: MassProperties) -> Figure:
    builder = FigureBuilder("single")
    builder.add("body", None, kind, mass)
    return builder.build()


def move(figure, state, seconds, h=1e-3, **options):
    steps = round(seconds / h)
    return step(figure, state, seconds / steps, steps=steps, integrator=RK4, **options)


@pytest.mark.parametrize("amplitude", [0.1, 1.5, 3.0])
def test_plane_pendulum(amplitude):
    """sin(θ/2) = k sn(K(k) - ω t), k = sin(amplitude/2), ω² = m g l / I."""
    mass, length, own = 2.0, 0.7, 0.05
    figure = single(joint.hinge(axis=(0, 1, 0)), MassProperties.principal(mass, (0, 0, -length), (own, own, own)))
    omega, k = np.sqrt(mass * G * length / (own + mass * length**2)), np.sin(amplitude / 2)
    for t in (0.3, 1.0, 2.7):
        end = move(figure, State(np.array([amplitude]), np.zeros(1)), t)
        sn = ellipj(ellipk(k**2) - omega * t, k**2)[0]
        assert end.q[0] == pytest.approx(2 * np.arcsin(k * sn), abs=1e-9)


def test_conical_pendulum():
    """A point mass on a ball joint circles at constant height: Ω² = g / (l cos θ)."""
    length, tilt = 0.8, 0.9
    figure = single(joint.ball(), MassProperties.principal(1.0, (0, 0, -length), (1e-9, 1e-9, 1e-9)))
    rate = np.sqrt(G / (length * np.cos(tilt)))
    start = State(quat_exp(np.array([0.0, tilt, 0.0])), np.array([0.0, 0.0, rate]))
    end = move(figure, start, 2.0)
    centre = quat_to_matrix(end.q) @ [0, 0, -length]
    turn = np.pi + rate * 2.0
    want = length * np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), -np.cos(tilt)])
    np.testing.assert_allclose(centre, want, atol=1e-8)


def spin_in_body(figure, state):
    return forward_kinematics(figure, state.q).rotation[0].T @ state.v[:3]


def test_symmetric_body_precesses():
    """ω_x + i ω_y turns at (C - A)/A ω_z in the body."""
    a, c = 0.3, 0.5
    figure = single(joint.free(), MassProperties.principal(1.0, (0, 0, 0), (a, a, c)))
    start = State(figure.neutral(), np.array([1.0, 0.4, 3.0, 0, 0, 0]))
    end = move(figure, start, 3.0, gravity=(0, 0, 0))
    turned = complex(1.0, 0.4) * np.exp(1j * (c - a) / a * 3.0 * 3.0)
    np.testing.assert_allclose(spin_in_body(figure, end), [turned.real, turned.imag, 3.0], atol=1e-9)


def test_asymmetric_body_follows_jacobi():
    """Euler's equations with ω_2 = 0 at t = 0: ω = (cn, sn, dn), or with cn and dn changed (Landau & Lifshitz §37)."""
    i1, i2, i3 = 0.2, 0.3, 0.45
    figure = single(joint.free(), MassProperties.principal(1.0, (0, 0, 0), (i1, i2, i3)))
    w1, w3 = 0.8, 2.0
    energy2, m2 = i1 * w1**2 + i3 * w3**2, (i1 * w1) ** 2 + (i3 * w3) ** 2
    assert m2 > energy2 * i2
    p = np.sqrt((i3 - i2) * (m2 - energy2 * i1) / (i1 * i2 * i3))
    k2 = (i2 - i1) * (energy2 * i3 - m2) / ((i3 - i2) * (m2 - energy2 * i1))
    amplitude = np.sqrt((energy2 * i3 - m2) / (i2 * (i3 - i2)))
    for t in (0.5, 2.0):
        end = move(figure, State(figure.neutral(), np.array([w1, 0, w3, 0, 0, 0])), t, gravity=(0, 0, 0))
        sn, cn, dn, _ = ellipj(p * t, k2)
        np.testing.assert_allclose(spin_in_body(figure, end), [w1 * cn, amplitude * sn, w3 * dn], atol=1e-8)


def test_heavy_top_precesses_steadily():
    """C ω_z Ω = m g l + (A - ...) Ω² cos θ: the slow steady precession of a fast top keeps its tilt."""
    mass, length, a, c, tilt, spin = 1.0, 0.1, 2e-3, 1e-3, 0.6, 200.0
    figure = single(joint.ball(), MassProperties.principal(mass, (0, 0, length), (a, a, c)))
    about = a + mass * length**2
    # about cosθ Ω² - C ω3 Ω + m g l = 0, with ω3 = spin + Ω cosθ the total spin about the axis
    roots = np.roots([(about - c) * np.cos(tilt), -c * spin, mass * G * length])
    slow = min(roots.real)
    tilted = quat_exp(np.array([0.0, tilt, 0.0]))
    axis = quat_to_matrix(tilted)[:, 2]
    start = State(tilted, spin * axis + slow * np.array([0.0, 0.0, 1.0]))
    t = 0.5
    end = move(figure, start, t, h=1e-4)
    turned = quat_multiply(quat_exp(np.array([0.0, 0.0, slow * t])), tilted)
    np.testing.assert_allclose(quat_to_matrix(end.q)[:, 2], quat_to_matrix(turned)[:, 2], atol=1e-7)


def test_projectile():
    figure = single(joint.free(), MassProperties.principal(3.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5)))
    v = np.array([0.0, 0.0, 0.0, 2.0, -1.0, 4.0])
    end = move(figure, State(figure.neutral(), v), 1.5)
    np.testing.assert_allclose(end.q[:3], v[3:] * 1.5 + [0, 0, -G * 1.5**2 / 2], atol=1e-11)
    np.testing.assert_allclose(link_velocities(figure, end.q, end.v)[0, 3:], v[3:] + [0, 0, -G * 1.5], atol=1e-11)


def test_damped_slider():
    """m v' = -d v: v = v0 exp(-d t / m)."""
    figure = single(joint.slider(axis=(1, 0, 0), damping=3.0), MassProperties.principal(2.0, (0, 0, 0), (1, 1, 1)))
    end = move(figure, State(np.zeros(1), np.array([1.0])), 1.0)
    assert end.v[0] == pytest.approx(np.exp(-1.5), abs=1e-12)
    assert end.q[0] == pytest.approx((1 - np.exp(-1.5)) * 2 / 3, abs=1e-12)


def test_armature_slows_a_hinge():
    """(I + armature) θ'' = tau."""
    figure = single(joint.hinge(armature=0.7), MassProperties.principal(1.0, (0, 0, 0), (0.2, 0.2, 0.3)))
    end = move(figure, State(np.zeros(1), np.zeros(1)), 1.0, tau=np.array([2.0]))
    assert end.q[0] == pytest.approx(1.0, abs=1e-12)
