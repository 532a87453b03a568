"""Spinning tops, free and on a pivot: exact attitudes and Jacobi's elliptic functions; trees that keep their energy."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

from hitogata.dynamics import Integrator, energy, forward_kinematics, momentum, step
from hitogata.figure import Figure, FigureBuilder, Joint, JointKind, MassProperties, State, joint
from hitogata.library import chain
from tests.peers.builders import random_figure

G = 9.81
RK4 = Integrator.RUNGE_KUTTA_4


def single(kind: Joint, mass: MassProperties) -> Figure:
    builder = FigureBuilder("single")
    builder.add("body", None, kind, mass)
    return builder.build()


def attitude(figure: Figure, state: State) -> np.ndarray:
    return forward_kinematics(figure, state.q).rotation[0]


# ------------------------------------------------------- free of torque


def test_symmetric_body_in_space():
    """The body turns about the fixed momentum L at |L|/A, and in itself about its axis at (1 - C/A) ω3.

    So R(t) = exp(t L/A) R(0) exp(t (1 - C/A) ω3 e3)  (Landau & Lifshitz, Mechanics, §33).
    """
    a, c, omega = 0.3, 0.5, np.array([1.0, 0.4, 3.0])
    figure = single(joint.free(), MassProperties.principal(1.0, (0, 0, 0), (a, a, c)))
    start = Rotation.from_rotvec([0.4, -0.8, 0.3])
    quat = start.as_quat(scalar_first=True)
    state = State(np.array([0, 0, 0, *quat]), np.array([*start.apply(omega), 0, 0, 0]))
    L = start.apply([a, a, c] * omega)
    for t in (0.7, 3.0):
        end = step(figure, state, 1e-3, steps=round(t / 1e-3), integrator=RK4, gravity=(0, 0, 0))
        spun = Rotation.from_rotvec([0, 0, (1 - c / a) * omega[2] * t])
        want = (Rotation.from_rotvec(L / a * t) * start * spun).as_matrix()
        np.testing.assert_allclose(attitude(figure, end), want, rtol=0, atol=1e-9)


@pytest.mark.parametrize("omega", [(0.01, 3.0, 0.01), (0.3, 0.2, 4.0)], ids=["tumbling over", "nodding"])
def test_asymmetric_body_keeps_its_momentum_in_space(omega):
    """R I ω is fixed while all of it changes; the axis it spins about stays up, but the middle one turns over."""
    moments = np.array([0.2, 0.3, 0.45])
    figure = single(joint.free(), MassProperties.principal(1.0, (0, 0, 0), moments))
    state = State(figure.neutral(), np.array([*omega, 0, 0, 0]))
    axis, lowest = int(np.argmax(omega)), 1.0
    for _ in range(20):
        state = step(figure, state, 1e-3, steps=500, integrator=RK4, gravity=(0, 0, 0))
        R = attitude(figure, state)
        np.testing.assert_allclose(R @ (moments * (R.T @ state.v[:3])), moments * omega, rtol=0, atol=1e-9)
        lowest = min(lowest, R[axis, axis])
    assert lowest < -0.9 if axis == 1 else lowest > 0.9


# ------------------------------------------------------- on a pivot, in gravity


class Cubic:
    """u'² = k (u - u1)(u - u2)(u - u3), between u1 and u2: u = u1 + (u2 - u1) sn²(√(k (u3 - u1)) / 2 t)."""

    def __init__(self, coefficients):
        self.u1, self.u2, self.u3 = np.sort(np.roots(coefficients).real)
        self.m = (self.u2 - self.u1) / (self.u3 - self.u1)
        self.rate = np.sqrt(coefficients[0] * (self.u3 - self.u1)) / 2

    def __call__(self, t, *, high: bool):
        """From u2 if `high`, else from u1."""
        sn = ellipj(self.rate * t + (ellipk(self.m) if high else 0.0), self.m)[0]
        return self.u1 + (self.u2 - self.u1) * sn**2


@pytest.mark.parametrize(("tilt", "spin", "precession"), [(0.6, 60.0, 0.0), (1.2, 40.0, 5.0), (2.0, 30.0, -3.0)])
def test_heavy_top_nutates(tilt, spin, precession):
    """A top let go at a tilt, spinning and precessing (Goldstein, Classical Mechanics, § 5.7), u = cos θ:

    u'² = (2 E/A - 2 m g l u/A)(1 - u²) - (b - a u)²      a = C ω3/A,  b = L_z/A,  E without that of ω3
    φ'  = (b - a u)/(1 - u²)
    """
    mass, length, own, c = 1.2, 0.15, 4e-3, 2e-3
    figure = single(joint.ball(), MassProperties.principal(mass, (0, 0, length), (own, own, c)))
    A, weight = own + mass * length**2, mass * G * length
    start = Rotation.from_rotvec([0, tilt, 0])
    axis, u0 = start.apply([0, 0, 1]), np.cos(tilt)
    omega = spin * axis + precession * np.array([0, 0, 1.0])
    a, b = c * (spin + precession * u0) / A, (c * (spin + precession * u0) * u0 + A * precession * (1 - u0**2)) / A
    alpha, beta = precession**2 * (1 - u0**2) + 2 * weight * u0 / A, 2 * weight / A
    u = Cubic([beta, -(alpha + a**2), 2 * a * b - beta, alpha - b**2])
    high = abs(u0 - u.u2) < abs(u0 - u.u1)
    assert min(abs(u0 - u.u2), abs(u0 - u.u1)) < 1e-7  # a root may be double at a cusp
    state = State(start.as_quat(scalar_first=True), omega)
    t = 0.0
    for _ in range(5):
        state, t = step(figure, state, 5e-5, steps=2000, integrator=RK4), t + 0.1
        x, y, z = attitude(figure, state)[:, 2]
        assert z == pytest.approx(u(t, high=high), abs=1e-7)
        phi = quad(lambda s: (b - a * u(s, high=high)) / (1 - u(s, high=high) ** 2), 0, t, limit=400, epsabs=1e-11)[0]
        assert np.exp(1j * phi) == pytest.approx(complex(x, y) / np.hypot(x, y), abs=1e-6)


def test_spherical_pendulum():
    """The same cubic without spin: a point mass swings between two heights while it goes round."""
    length, tilt, round_rate = 0.8, 2.2, 2.5  # tilt from the vertical above
    figure = single(joint.ball(), MassProperties.principal(1.0, (0, 0, length), (1e-10, 1e-10, 1e-10)))
    u0 = np.cos(tilt)
    alpha, beta, b = round_rate**2 * (1 - u0**2) + 2 * G / length * u0, 2 * G / length, round_rate * (1 - u0**2)
    u = Cubic([beta, -alpha, -beta, alpha - b**2])
    high = abs(u0 - u.u2) < abs(u0 - u.u1)
    start = Rotation.from_rotvec([0, tilt, 0])
    # no spin about the rod: ω is what the swinging needs, p × p'
    p = start.apply([0, 0, 1])
    state = State(start.as_quat(scalar_first=True), np.cross(p, np.cross([0, 0, round_rate], p)))
    for k in range(1, 6):
        state = step(figure, state, 1e-3, steps=400, integrator=RK4)
        assert attitude(figure, state)[2, 2] == pytest.approx(u(0.4 * k, high=high), abs=1e-8)


# ------------------------------------------------------- whole trees


@pytest.mark.parametrize("free_base", [False, True], ids=["hung", "free"])
def test_a_chain_of_universal_joints_keeps_its_energy(free_base):
    figure, rng = chain(5, kind=JointKind.UNIVERSAL, free_base=free_base), np.random.default_rng(3)
    state = State(figure.random(rng, spread=0.3), rng.normal(size=figure.nv) * 0.5)
    before = energy(figure, state.q, state.v)
    state = step(figure, state, 5e-4, steps=4000, integrator=RK4)
    after = energy(figure, state.q, state.v)
    assert abs(after.kinetic - before.kinetic) > 1  # there was something to keep
    assert after.total - before.total == pytest.approx(0, abs=1e-8 * abs(after.kinetic))


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_of_all_joints_with_armature_keeps_its_energy(seed):
    """And, being free, its momentum: geared rotors add energy but, as `momentum` says, no momentum."""
    drawn = random_figure(np.random.default_rng(seed), 24, root=JointKind.FREE)
    links = [dataclasses.replace(link, joint=dataclasses.replace(link.joint, damping=0.0)) for link in drawn.links]
    figure = Figure(drawn.name, tuple(links))
    assert any(link.joint.armature for link in figure.links)
    rng = np.random.default_rng(seed)
    state = State(figure.random(rng, spread=0.3), rng.normal(size=figure.nv) * 0.3)
    before, moved = energy(figure, state.q, state.v), momentum(figure, state.q, state.v)
    state = step(figure, state, 5e-4, steps=2000, integrator=RK4, gravity=(0, 0, 0))
    after = energy(figure, state.q, state.v)
    assert after.kinetic == pytest.approx(before.kinetic, rel=1e-8)
    np.testing.assert_allclose(momentum(figure, state.q, state.v), moved, rtol=0, atol=1e-9 * np.abs(moved).max())
