import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hitogata.errors import ArgumentError
from hitogata.solve import (
    manipulability,
    manipulability_damping,
    null_space_projector,
    sr_inverse,
    weighted_pseudo_inverse,
)


def two_links(elbow):
    """Jacobian of the tip of a planar arm of two links of 1 m."""
    return np.array([[-np.sin(elbow), -np.sin(elbow)], [1 + np.cos(elbow), np.cos(elbow)]])


def test_normal_equations():
    rng = np.random.default_rng(0)
    for m, n in ((3, 7), (6, 6), (7, 3)):
        J, W, R = rng.normal(size=(m, n)), rng.uniform(0.1, 3, n), rng.uniform(0.1, 3, m)
        Wi = np.diag(1 / W)
        expected = Wi @ J.T @ np.linalg.inv(J @ Wi @ J.T + 0.3 * np.diag(1 / R))
        assert np.allclose(sr_inverse(J, 0.3, weights=W, task_weights=R), expected, atol=1e-12)
        assert np.allclose(sr_inverse(J, 0.3, weights=np.diag(W), task_weights=np.diag(R)), expected, atol=1e-12)
        assert np.allclose(sr_inverse(J, 0.0), np.linalg.pinv(J), atol=1e-12)


def test_it_is_the_least():
    """No small change lowers |r − J x|²_R + k xᵀWx."""
    rng = np.random.default_rng(1)
    J, r = rng.normal(size=(4, 6)), rng.normal(size=4)
    G = rng.normal(size=(6, 6))
    W, R = G @ G.T + np.eye(6), rng.uniform(0.1, 3, 4)

    def cost(x):
        return (r - J @ x) @ (R * (r - J @ x)) + 0.1 * x @ W @ x

    x = sr_inverse(J, 0.1, weights=W, task_weights=R) @ r
    for _ in range(100):
        assert cost(x + 1e-4 * rng.normal(size=6)) > cost(x)


def test_weighted_pseudo_inverse_prefers_light_joints():
    J = np.array([[1.0, 1.0]])
    assert np.allclose(weighted_pseudo_inverse(J, [1.0, 3.0]) @ [4.0], [3.0, 1.0])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 8), st.integers(0, 8))
def test_penrose(seed, m, n, rank):
    rng = np.random.default_rng(seed)
    rank = min(rank, m, n)
    A, W = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n)), rng.uniform(0.2, 5, n)
    P, N = weighted_pseudo_inverse(A, W), null_space_projector(A, W)
    size = 1 + np.abs(A).max() + np.abs(P).max()
    assert np.allclose(A @ P @ A, A, atol=1e-10 * size**2)
    assert np.allclose(P @ A @ P, P, atol=1e-10 * size**3)
    assert np.allclose(A @ P, (A @ P).T, atol=1e-10 * size**2)
    assert np.allclose(np.diag(W) @ P @ A, (np.diag(W) @ P @ A).T, atol=1e-9 * size**2)
    assert np.allclose(A @ N, 0, atol=1e-10 * size)
    assert np.allclose(N @ N, N, atol=1e-10)
    assert np.allclose(N, np.eye(n) - P @ A, atol=1e-10 * size**2)
    assert np.linalg.matrix_rank(N, tol=1e-8) == n - rank


def test_a_stretched_arm_stays_calm():
    """Nakamura & Hanafusa's point: bounded speeds through the singular pose, exact far from it, no jumps."""
    pull = np.array([1.0, 0.0])  # outwards, which a stretched arm cannot
    exact, calm, damping = [], [], []
    for elbow in np.linspace(-0.5, 0.5, 2001):
        J = two_links(elbow)
        k = manipulability_damping(J, threshold=0.3, most=0.02)
        exact.append(np.linalg.norm(np.linalg.pinv(J, rcond=1e-12) @ pull))
        calm.append(sr_inverse(J, k) @ pull)
        damping.append(float(k))
    speeds = np.linalg.norm(calm, axis=1)
    assert max(exact) > 1000
    assert speeds.max() < 10
    assert np.abs(np.diff(calm, axis=0)).max() < 0.05
    assert damping[0] == 0.0
    assert damping[1000] == pytest.approx(0.02)
    assert speeds[0] == pytest.approx(exact[0])
    assert np.linalg.norm(calm[1000]) < 1e-12


def test_manipulability():
    assert manipulability(two_links(0.7)) == pytest.approx(np.sin(0.7))
    assert manipulability_damping(two_links(0.0), threshold=0.1, most=0.5) == 0.5


def test_pin_and_drag_step():
    """θ̇ = J_P^# ṙ + W y, y = S* Δṗ, S = J_aux W: the pinned link obeys exactly, the other as far as it can."""
    rng = np.random.default_rng(5)
    pin, drag = rng.normal(size=(3, 10)), rng.normal(size=(3, 10))
    W = null_space_projector(pin)
    r, p = rng.normal(size=3), rng.normal(size=3)
    first = weighted_pseudo_inverse(pin) @ r
    rate = first + W @ (sr_inverse(drag @ W, 1e-12) @ (p - drag @ first))
    assert np.allclose(pin @ rate, r, atol=1e-12)
    assert np.allclose(drag @ rate, p, atol=1e-9)
    clash = sr_inverse(pin @ W, 1e-4) @ np.ones(3)  # drags what is pinned: nothing left to give
    assert np.linalg.norm(clash) < 1e-8


def test_stacks():
    rng = np.random.default_rng(3)
    J, k = rng.normal(size=(5, 3, 4)), rng.uniform(0, 1, 5)
    for i in range(5):
        assert np.allclose(sr_inverse(J, k)[i], sr_inverse(J[i], k[i]), atol=1e-14)
        assert np.allclose(null_space_projector(J)[i], null_space_projector(J[i]), atol=1e-14)
    assert manipulability_damping(J, threshold=1.0, most=1.0).shape == (5,)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[1, np.nan]], 0.1), r"J\[0, 1\] is nan"),
        (([1, 2], 0.1), "J: expected shape"),
        (([[1, 2]], -0.1), "k is -0.1"),
        (([[1, 2]], np.nan), "k is nan"),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises(ArgumentError, match=words):
        sr_inverse(*arguments)


def test_bad_weights():
    J = np.ones((2, 3))
    with pytest.raises(ArgumentError, match=r"weights\[1\] is 0"):
        sr_inverse(J, 0.1, weights=[1, 0, 1])
    with pytest.raises(ArgumentError, match=r"weights: expected shape \(3,\)"):
        weighted_pseudo_inverse(J, [1, 1])
    with pytest.raises(ArgumentError, match="symmetric positive definite"):
        weighted_pseudo_inverse(J, -np.eye(3))
    with pytest.raises(ArgumentError, match="threshold"):
        manipulability_damping(J, threshold=0.0, most=1.0)
