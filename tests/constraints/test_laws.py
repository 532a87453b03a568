"""Laws of single rows, against closed forms: walls, springs, contacts, impacts."""

import numpy as np
import pytest

from hitogata.constraints.contacts import axes_along, hardened
from hitogata.constraints.limits import FIRM, RETURN, softness, wall_law
from hitogata.constraints.restitution import impact, impulse_of
from hitogata.constraints.springs import damper_of
from hitogata.spatial import Mat3, Vec3
from tests.constraints.plain import plain

RNG = np.random.default_rng(3)
HS, STIFF, DAMP = (1e-3, 1 / 60, 0.1), (1e-2, 1.0, 1e3, 1e7), (0.0, 0.3, 50.0, 1e4)
LAWS = [(h, k, d) for h in HS for k in STIFF for d in DAMP]


def one_sided(rate: float, mass: float, soft: float, bias: float) -> tuple[float, float]:
    """Rate after, and impulse, of u + soft p + bias >= 0, p >= 0, one of them zero, with u = rate + p/mass."""
    p = max(-(rate + bias) / (1 / mass + soft), 0.0)
    return rate + p / mass, p


@pytest.mark.parametrize(("h", "k", "d"), LAWS)
def test_a_wall_is_an_implicit_spring_and_damper_once_it_is_passed(h, k, d):
    mass, gap = 2.0, -0.01
    for rate in (-3.0, -0.1, 0.0, 0.01):
        u, p = one_sided(rate, mass, *wall_law(gap, k, d, h, 0.2))
        force = k * (-gap - h * u) - d * u  # at the end of the step
        assert p == pytest.approx(max(h * force, 0.0), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("h", "k", "d"), LAWS)
def test_a_wall_ahead_lets_the_joint_use_up_the_gap_and_pushes_with_what_is_beyond(h, k, d):
    mass, gap = 2.0, 0.02
    soft, bias = wall_law(gap, k, d, h, 0.2)
    for rate in (-0.9 * gap / h, 0.0, 1.0):  # does not come there within the step
        assert one_sided(rate, mass, soft, bias) == (rate, 0.0)
    u, p = one_sided(-5.0 * gap / h, mass, soft, bias)
    beyond = -(gap + h * u)
    assert beyond > 0.0
    assert p == pytest.approx((d + h * k) * beyond, rel=1e-9)  # of the way beyond alone


def test_a_hard_wall_gives_back_a_share_and_never_fast():
    soft, bias = wall_law(np.array([-0.001, -10.0, 0.3]), np.inf, 1.0, 0.01, 0.2)
    assert np.all(soft == 0.0)
    assert bias[0] == pytest.approx(0.2 * -0.001 / 0.01)
    assert bias[1] == -RETURN
    assert bias[2] == pytest.approx(0.3 / 0.01)
    assert softness(0.0, 7.0) == 7.0 * FIRM
    assert softness(0.5, 7.0) == 0.5


def spring_matrix(m: float, k: float, d: float, h: float, theta: float) -> np.ndarray:
    """(φ, u) after a step of a mass on a spring, by the row u⁺ + p/(h C) + K φ/C = 0."""
    c = damper_of(k, d, h, theta)
    # p = -h (K φ + C u⁺),  u⁺ = u + p/m
    u = np.array([-h * k, m]) / (m + h * c)
    return np.array([[1.0, 0.0] + h * u, u])


@pytest.mark.parametrize("theta", [0.5, 0.65, 1.0])
@pytest.mark.parametrize("h", HS)
def test_a_spring_never_gains_whatever_its_stiffness(h, theta):
    for k in 10.0 ** np.arange(-3, 13):
        for d in DAMP:
            radius = np.abs(np.linalg.eigvals(spring_matrix(1.0, k, d, h, theta))).max()
            assert radius <= 1.0 + 1e-9, (k, d)


def test_a_spring_that_steps_resolve_is_damped_as_it_should_be_and_others_die_out():
    h, theta = 1e-4, 0.5
    roots = np.linalg.eigvals(spring_matrix(1.0, 400.0, 2.0, h, theta))
    exact = np.exp(h * np.roots([1.0, 2.0, 400.0]))
    assert np.abs(np.sort_complex(roots) - np.sort_complex(exact)).max() < 5e-6
    for theta in (0.6, 0.65, 0.9):
        roots = np.linalg.eigvals(spring_matrix(1.0, 1e14, 0.0, 0.01, theta))
        np.testing.assert_allclose(np.abs(roots).max(), (1 - theta) / theta, rtol=1e-6)


def test_axes_of_a_contact_are_a_right_handed_frame_with_the_normal_last():
    normals = RNG.normal(size=(2000, 3))
    normals[:6] = np.vstack([np.eye(3), -np.eye(3)])
    normals[6:10] = [[1e-9, 0, -1], [0, -1e-9, -1], [1e-9, 1e-9, 1], [1e-3, 0, -1]]
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    found = axes_along(Vec3(*normals.T))
    assert isinstance(found, Mat3)
    rows = np.array([[getattr(found, a + b) * np.ones(len(normals)) for b in "xyz"] for a in "xyz"]).transpose(2, 0, 1)
    np.testing.assert_allclose(rows @ rows.transpose(0, 2, 1), np.broadcast_to(np.eye(3), rows.shape), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(rows), 1.0, atol=1e-12)
    np.testing.assert_allclose(rows[:, 2], normals, atol=0)


def test_a_deep_contact_has_the_force_that_was_promised():
    """F = k o, then k depth (x² + 1)/2: by the factor on k and the overlap of a spring with the same force."""
    depth, deep, k = 2e-5, 2e-3, 1e5
    for over in (1e-6, 1.9e-5, 5e-5, 1e-3):
        stiffer, gap = hardened(-over, depth, deep)
        x = over / depth
        expected = k * over if x <= 1 else k * depth * (x * x + 1) / 2
        assert k * stiffer * -gap == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("h", HS)
def test_time_of_impact_is_the_first_root_of_the_parabola(h):
    hits = 0
    for _ in range(400):
        gap, start, a = abs(RNG.normal()) * h, RNG.normal(), -abs(RNG.normal()) * 10.0
        roots = np.roots([0.5 * a, start, gap])
        later = [t.real for t in roots if abs(t.imag) < 1e-12 and t.real > 0 and start + a * t.real < 0]
        time, closing, found = impact(gap, start + a * h, a, h)
        expected = bool(later) and min(later) <= h
        assert bool(found) == expected
        if expected:
            hits += 1
            assert time == pytest.approx(min(later), rel=1e-7, abs=1e-12)
            assert closing == pytest.approx(-(start + a * min(later)), rel=1e-7)
    assert hits > 20


def test_an_impact_turns_the_speed_back_by_newtons_law_within_the_friction_cone():
    own, across = Mat3(2.0, 0.0, 0.3, 0.0, 2.0, -0.1, 0.3, -0.1, 1.5), 0.4
    u, closing = Vec3(0.7, -0.4, -3.0), 3.0
    for e in (0.0, 0.5, 1.0):
        p = impulse_of(u, closing, e, own, across, 0.0, 0.3)
        up = -(1 + e) * u.z / own.zz
        assert p.z == pytest.approx(up)
        assert np.hypot(p.x, p.y) <= 0.3 * p.z * (1 + 1e-12)
        assert p.x * (u.x + own.xz * up) + p.y * (u.y + own.yz * up) <= 0.0  # against what slides


def test_plain_kernels_are_the_kernels():
    from hitogata.constraints.islands import root_of

    assert plain(root_of)([0, 0, 1, 3, 2], 4) == 0
