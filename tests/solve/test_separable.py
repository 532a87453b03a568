"""Separable programs: optimality conditions of random ones, other solvers, lanes, bad input."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.solve import Pattern, separable_programs, sparse_separable_programs

K, M, N = 21, 6, 20


def problem(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(K, M, N)) * 40 * (rng.random((M, N)) < 0.4)
    b = np.einsum("kmn,kn->km", A, rng.uniform(0, 1, (K, N)) ** 3)
    b[::4] *= 4.0
    return A, b, rng


@pytest.mark.parametrize("power", [2.0, 3.0, 2.5])
def test_optimality(power):
    """x is least exactly if its gradient points out of the bounds: checked without multipliers."""
    A, b, rng = problem(0)
    w, low, high = rng.uniform(0.5, 2.0, (K, N)), 0.01, rng.uniform(0.3, 1.0, (K, N))
    found = separable_programs(A, b, weights=w, low=low, high=high, softness=2.0, power=power)
    assert found.residual.max() < 1e-9
    x, r = found.x, found.slack
    np.testing.assert_allclose(r, b - np.einsum("kmn,kn->km", A, x))
    gradient = power * w * x ** (power - 1) - 4.0 * np.einsum("kmn,km->kn", A, r)
    size = 1 + np.abs(gradient).max(axis=1, keepdims=True)
    bound = np.where(gradient > 0, x - low, high - x)
    assert (np.minimum(np.abs(gradient) / size, bound) < 1e-6).all()


def test_targets_and_start():
    A, b, rng = problem(1)
    t = rng.uniform(0, 1, N)
    found = separable_programs(A, b, weights=3.0, targets=t, low=-1.0, high=2.0)
    gradient = 6.0 * (found.x - t) - 2.0 * np.einsum("kmn,km->kn", A, found.slack)
    inside = (found.x > -1) & (found.x < 2)
    assert np.abs(gradient[inside]).max() < 1e-7
    again = separable_programs(A, b, weights=3.0, targets=t, low=-1.0, high=2.0, start=found.multipliers)
    np.testing.assert_allclose(again.x, found.x, atol=1e-10)
    assert again.steps.max() <= 2


def test_lanes_and_threads_do_not_matter():
    A, b, _ = problem(2)
    batch, shared = separable_programs(A, b), separable_programs(A, b, threads=2)
    assert np.array_equal(batch.x, shared.x)
    ones = np.concatenate([separable_programs(A[k : k + 1], b[k : k + 1]).x for k in range(K)])
    np.testing.assert_allclose(batch.x, ones, rtol=0, atol=1e-9)


@pytest.mark.parametrize("count", [5, 90, 600])
@pytest.mark.parametrize("power", [2.0, 3.0])
def test_successive_programs_go_on_from_the_last(count, power):
    """The same solutions in fewer steps; stretches are the same for any number of threads."""
    rng = np.random.default_rng(4)
    pattern = Pattern(
        M, N, np.arange(0, 2 * N + 1, 2), np.sort(rng.permuted(np.tile(range(M), (N, 1)), axis=1)[:, :2]).ravel()
    )
    phase = np.linspace(0.0, 6.0, count)[:, None]
    values = 30.0 * np.sin(phase * 0.1 + rng.uniform(0, 6, 2 * N))
    b = 40.0 * np.sin(phase + rng.uniform(0, 6, M))
    given = {"weights": np.ones(N), "low": np.full(N, 0.01), "softness": np.full(M, 100.0), "power": power}
    alone = sparse_separable_programs(pattern, values, b, **given)
    found = sparse_separable_programs(pattern, values, b, **given, successive=True)
    shared = sparse_separable_programs(pattern, values, b, **given, successive=True, threads=2)
    assert found.residual.max() < 1e-9
    np.testing.assert_allclose(found.x, alone.x, rtol=0, atol=1e-8)
    assert np.array_equal(found.x, shared.x)
    assert alone.steps.max() < 200  # they end where rounding does not let the residual fall further
    if count == 600 and power == 2.0:
        assert found.steps.mean() < 0.7 * alone.steps.mean()


def test_bad_input():
    A, b, _ = problem(3)
    with pytest.raises(ArgumentError, match=r"expected shapes"):
        separable_programs(A[0], b)
    b[2, 1] = np.nan
    with pytest.raises(ArgumentError, match=r"b: not usable at \(2, 1\)"):
        separable_programs(A, b)
    with pytest.raises(ArgumentError, match="softness"):
        separable_programs(A, np.zeros((K, M)), softness=0.0)
    with pytest.raises(ArgumentError, match="low"):
        separable_programs(A, np.zeros((K, M)), low=2.0)
    with pytest.raises(ArgumentError, match="power"):
        separable_programs(A, np.zeros((K, M)), power=1.0)
