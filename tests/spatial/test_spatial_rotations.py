"""Quaternions, rotation vectors and matrices against scipy, and at the edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hitogata.spatial import (
    Mat3,
    Quaternion,
    Vec3,
    between,
    conjugate,
    quat_exp,
    quat_log,
    quaternion_of,
    rotate,
    rotation,
    rotation_vector,
    turn_about,
    turn_by,
    turned_about_z,
    unit,
)

RNG = np.random.default_rng(11)
N = 500
AXES = RNG.normal(size=(N, 3))
AXES /= np.linalg.norm(AXES, axis=1)[:, None]
EDGES = [0.0, 1e-300, 1e-160, 1e-30, 1e-15, 1e-12, 1e-8, 1e-4, 1.0, np.pi / 2, np.pi - 1e-6, np.pi - 1e-12, np.pi]


def numbers(x):
    return np.stack(np.broadcast_arrays(*[getattr(x, name) for name in x.__struct__]), -1)


def vec(a):
    return Vec3(*np.moveaxis(a, -1, 0))


def quat(a):
    return Quaternion(*np.moveaxis(a, -1, 0))


def mat(a):
    return Mat3(*np.moveaxis(a.reshape(*a.shape[:-2], 9), -1, 0))


def scipy_of(q):
    return Rotation.from_quat(q, scalar_first=True)


def random_quats(n=N):
    q = RNG.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def test_product_conjugate_and_rotate():
    a, b, v = random_quats(), random_quats(), RNG.normal(size=(N, 3))
    product = scipy_of(numbers(quat(a) @ quat(b)))
    np.testing.assert_allclose(product.as_matrix(), scipy_of(a).as_matrix() @ scipy_of(b).as_matrix(), atol=1e-14)
    np.testing.assert_allclose(numbers(quat(a) @ conjugate(quat(a))), np.tile([1, 0, 0, 0], (N, 1)), atol=1e-15)
    np.testing.assert_allclose(numbers(rotate(quat(a), vec(v))), scipy_of(a).apply(v), atol=1e-14)
    np.testing.assert_allclose(numbers(unit(quat(a) * 3.0)), a, atol=1e-15)
    np.testing.assert_array_equal(numbers(quat(a).v), a[:, 1:])
    np.testing.assert_array_equal(numbers(-quat(a) + quat(b) - quat(a)), -a + b - a)


def test_matrix_there_and_back():
    q = random_quats()
    np.testing.assert_allclose(numbers(rotation(quat(q))).reshape(N, 3, 3), scipy_of(q).as_matrix(), atol=1e-15)
    back = numbers(quaternion_of(rotation(quat(q))))
    assert (back[:, 0] >= 0).all()
    np.testing.assert_allclose(back, q * np.sign(q[:, :1]), atol=5e-16)


@pytest.mark.parametrize("angle", EDGES)
def test_matrix_to_quaternion_at_the_edges(angle):
    axes = np.concatenate([AXES, np.eye(3), -np.eye(3), [[1, 1, 0], [0, 1, -1]] / np.sqrt([[2]])])
    want = Rotation.from_rotvec(axes * angle).as_matrix()
    got = quaternion_of(mat(want))
    np.testing.assert_allclose(numbers(rotation(got)).reshape(-1, 3, 3), want, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(numbers(got), axis=1), 1.0, atol=3e-16)


def test_matrix_to_quaternion_evens_out_a_warped_matrix():
    m = scipy_of(random_quats()).as_matrix() + RNG.normal(size=(N, 3, 3)) * 1e-6
    q = numbers(quaternion_of(mat(m)))
    np.testing.assert_allclose(scipy_of(q).as_matrix(), m, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=3e-16)


@pytest.mark.parametrize("angle", EDGES)
def test_exp_and_log_at_the_edges(angle):
    with np.errstate(under="ignore"):
        r = AXES * angle
        q = numbers(turn_by(vec(r)))
        assert np.isfinite(q).all()
        np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=3e-16)
        np.testing.assert_allclose(q[:, 0], np.cos(angle / 2), atol=5e-16)
        np.testing.assert_allclose(q[:, 1:], AXES * np.sin(angle / 2), rtol=1e-15)     # however small
        back = numbers(rotation_vector(quat(q)))
        if angle < np.pi - 1e-9:
            np.testing.assert_allclose(back, r, rtol=2e-15, atol=4e-16 * angle)
        else:  # either axis is right at half a turn
            np.testing.assert_allclose(np.abs(np.sum(back * AXES, axis=1)), angle, rtol=1e-15)
        np.testing.assert_allclose(numbers(rotation_vector(-quat(q))), back, rtol=0, atol=0)


@pytest.mark.parametrize("past", [1e-12, 1e-6, 1.0, np.pi - 1e-9])
def test_log_beyond_half_a_turn_goes_the_other_way(past):
    q = turn_by(vec(AXES * (np.pi + past)))
    np.testing.assert_allclose(numbers(rotation_vector(q)), -AXES * (np.pi - past), rtol=1e-14, atol=4e-15)
    full = turn_by(vec(AXES * (2 * np.pi - 1e-9)))
    np.testing.assert_allclose(numbers(rotation_vector(full)), -AXES * 1e-9, atol=4e-15)


def test_log_of_half_turns_is_the_same_for_both_signs():
    for q in ([0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1], [0.0, 0.6, -0.8, 0], [-0.0, 0, 0.6, 0.8]):
        a, b = (numbers(rotation_vector(quat(s * np.array(q, float)))) for s in (1, -1))
        np.testing.assert_array_equal(a, b)
        assert np.linalg.norm(a) == pytest.approx(np.pi, abs=1e-15)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-10, 10), min_size=3, max_size=3), st.lists(st.floats(-3, 3), min_size=3, max_size=3))
def test_exp_and_log_against_scipy(r, s):
    with np.errstate(under="ignore"):
        got = scipy_of(quat_exp(r)).as_matrix()
        np.testing.assert_allclose(got, Rotation.from_rotvec(r).as_matrix(), atol=3e-15)
        # log is what exp undoes
        again = scipy_of(quat_exp(quat_log(quat_exp(s))))
        np.testing.assert_allclose(again.as_matrix(), Rotation.from_rotvec(s).as_matrix(), atol=3e-15)


def test_exp_and_log_by_finite_differences():
    # d(exp(r)) = exp(r) · (J dr / 2), J the right Jacobian of SO(3) (Chirikjian 2012, eq. 10.86)
    r, dr = AXES * RNG.uniform(1e-3, 3.0, size=(N, 1)), RNG.normal(size=(N, 3))
    angle = np.linalg.norm(r, axis=1)[:, None]
    cross = np.cross(r, dr)
    spin = dr - (1 - np.cos(angle)) / angle**2 * cross + (angle - np.sin(angle)) / angle**3 * np.cross(r, cross)
    h = 1e-6
    rate = (quat_exp(r + h * dr) - quat_exp(r - h * dr)) / (2 * h)
    want = numbers(turn_by(vec(r)) @ Quaternion(0.0, *(0.5 * spin.T)))
    np.testing.assert_allclose(rate, want, atol=1e-9)
    # and back: turning on by spin changes the logarithm by dr
    ahead, behind = (numbers(rotation_vector(turn_by(vec(r)) @ turn_by(vec(s * h * spin)))) for s in (1, -1))
    np.testing.assert_allclose((ahead - behind) / (2 * h), dr, atol=2e-8)


def test_turns_about_axes():
    angle = RNG.uniform(-7, 7, size=N)
    np.testing.assert_allclose(numbers(turn_about(vec(AXES), angle)), quat_exp(AXES * angle[:, None]), atol=1e-15)
    e = scipy_of(random_quats()).as_matrix()
    got = numbers(turned_about_z(mat(e), np.sin(angle), np.cos(angle))).reshape(N, 3, 3)
    np.testing.assert_allclose(got, e @ Rotation.from_euler("z", angle[:, None]).as_matrix(), atol=1e-15)


def test_between():
    a, b = random_quats(), random_quats()
    for t in (0.0, 0.3, 1.0):
        got = scipy_of(numbers(between(quat(a), quat(b), t)))
        want = scipy_of(a) * Rotation.from_rotvec(t * (scipy_of(a).inv() * scipy_of(b)).as_rotvec())
        np.testing.assert_allclose(got.as_matrix(), want.as_matrix(), atol=4e-15)
    np.testing.assert_allclose(numbers(between(quat(a), quat(-a), 0.5)), a, atol=1e-15)
