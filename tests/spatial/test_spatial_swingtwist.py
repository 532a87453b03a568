"""Swing and twist: definitions, edges, and rows by finite differences."""

import numpy as np
import pytest

from hitogata.spatial import (
    Quaternion,
    Vec3,
    bone_of,
    dot,
    from_swing_twist,
    half_vector,
    length,
    quat_exp,
    quat_multiply,
    quat_rotate,
    swing_to,
    swing_twist,
    turn_about,
    twist_of,
    twist_row,
)

RNG = np.random.default_rng(13)
N = 400


def units(n, k):
    x = RNG.normal(size=(n, k))
    return x / np.linalg.norm(x, axis=1)[:, None]


def vec(a):
    return Vec3(*np.moveaxis(np.asarray(a, float), -1, 0))


def quat(a):
    return Quaternion(*np.moveaxis(np.asarray(a, float), -1, 0))


def numbers(x):
    return np.stack(np.broadcast_arrays(*[getattr(x, name) for name in x.__struct__]), -1)


Q, E = units(N, 4), units(N, 3)


def test_bone():
    np.testing.assert_allclose(numbers(bone_of(quat(Q), vec(E))), quat_rotate(Q, E), atol=1e-15)


def test_swing_and_twist_make_the_rotation():
    for q in (Q, -Q):
        swing, twist = swing_twist(quat(q), vec(E))
        np.testing.assert_allclose(numbers(swing @ twist), q, atol=5e-16)
        assert (twist.w >= 0).all()
        np.testing.assert_allclose(np.cross(numbers(twist.v), E), 0.0, atol=1e-15)     # twist is about e
        np.testing.assert_allclose(dot(swing.v, vec(E)), 0.0, atol=1e-15)              # swing is across e
        np.testing.assert_allclose(numbers(twist), numbers(turn_about(vec(E), twist_of(quat(q), vec(E)))), atol=1e-15)
    np.testing.assert_allclose(twist_of(quat(-Q), vec(E)), twist_of(quat(Q), vec(E)), atol=1e-15)


def test_from_swing_and_twist():
    c, angle = units(N, 3), RNG.uniform(-3.1, 3.1, N)
    q = from_swing_twist(vec(c), angle, vec(E))
    np.testing.assert_allclose(numbers(bone_of(q, vec(E))), c, atol=1e-14)
    np.testing.assert_allclose(twist_of(q, vec(E)), angle, atol=1e-13)
    swing, _ = swing_twist(q, vec(E))
    same = np.abs(np.sum(numbers(swing) * numbers(swing_to(vec(c), vec(E))), axis=-1))
    np.testing.assert_allclose(same, 1.0, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_backwards_bone(dtype):
    e = vec(np.array([0.0, 0.0, 1.0])[None].astype(dtype))
    for w, z in ((0.0, 0.0), (1e-20, 0.0), (0.0, -1e-20)):
        q = quat(np.array([[w, 0.6, 0.8, z]], dtype))
        swing, twist = swing_twist(q, e)
        assert np.isfinite(numbers(swing)).all()
        np.testing.assert_allclose(numbers(twist), [[1, 0, 0, 0]], atol=1e-7)
        np.testing.assert_allclose(numbers(swing), [[0, 0.6, 0.8, 0]], atol=1e-7)
    assert twist_of(quat([[0.0, 0.6, 0.8, 0.0]]), e) == 0.0
    h, cos = half_vector(vec([[0.0, 0.0, -1.0]]), vec([[0.0, 0.0, 1.0]]))
    assert cos == 0.0
    np.testing.assert_array_equal(numbers(h), 0.0)


def test_half_vector():
    c = quat_rotate(Q, E)
    h, cos = half_vector(vec(c), vec(E))
    np.testing.assert_allclose(length(h), 1.0, atol=1e-14)
    np.testing.assert_allclose(2 * cos**2 - 1, np.sum(c * E, axis=1), atol=1e-14)
    want = (E + c) / (1 + np.sum(E * c, axis=1))[:, None]
    np.testing.assert_allclose(numbers(twist_row(vec(c), vec(E))), want, rtol=1e-9)


def test_twist_row_by_finite_differences():
    c = quat_rotate(Q, E)
    good = (np.sum(c * E, axis=1) > -0.9) & (np.abs(twist_of(quat(Q), vec(E))) < 3.0)
    omega, h = RNG.normal(size=(N, 3)), 1e-6
    ahead, behind = (twist_of(quat(quat_multiply(quat_exp(s * h * omega), Q)), vec(E)) for s in (1, -1))
    want = np.sum(numbers(twist_row(vec(c), vec(E))) * omega, axis=1)
    np.testing.assert_allclose(((ahead - behind) / (2 * h))[good], want[good], atol=1e-7)
