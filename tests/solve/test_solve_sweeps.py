"""Projected Gauss-Seidel: one problem and lanes of problems."""

import itertools

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.lanes import X1, X4, X8, X16
from hitogata.solve import Disc, Problem, Status, direct, projected_gauss_seidel, residuals_of, sweep_batch
from hitogata.solve import batch as batch_module
from tests.solve.cases import contacts, plain_sweeps, psd


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 30])
@pytest.mark.parametrize("symmetric", [True, False])
def test_same_as_a_plain_loop(n, symmetric):
    rng = np.random.default_rng(n)
    A, _ = psd(rng, n, 2 * n)
    if not symmetric:
        A = A + 0.3 * rng.normal(size=(n, n))
    p = Problem(A, rng.normal(size=n), -rng.random(n), rng.random(n))
    for sweeps in (0, 1, 5):
        s = projected_gauss_seidel(p, sweeps=sweeps)
        assert s.iterations == sweeps
        assert np.allclose(s.lam, plain_sweeps(p, sweeps), atol=1e-13)


def test_better_the_more_sweeps_and_energy_falls():
    rng = np.random.default_rng(2)
    A, _ = psd(rng, 40, 60)
    p = Problem(A, rng.normal(size=40))
    energies = []
    for sweeps in (0, 1, 2, 5, 20, 100):
        lam = projected_gauss_seidel(p, sweeps=sweeps).lam
        energies.append(0.5 * lam @ p.A @ lam + p.b @ lam)
    assert all(later < sooner for sooner, later in itertools.pairwise(energies))
    assert projected_gauss_seidel(p, sweeps=2000).converged


def test_tolerance_stops_early():
    rng = np.random.default_rng(2)
    A, _ = psd(rng, 40, 80)
    p = Problem(A, rng.normal(size=40))
    used = []
    for tolerance in (1e-3, 1e-6, 1e-9, 1e-12):
        s = projected_gauss_seidel(p, sweeps=5000, tolerance=tolerance)
        assert s.converged
        assert s.residuals.relative <= tolerance
        used.append(s.iterations)
    assert used == sorted(used)
    assert used[-1] < 5000
    assert projected_gauss_seidel(p, sweeps=3, tolerance=1e-12).status is Status.MAX_ITERATIONS


def test_warm_start_saves_sweeps():
    """Like a simulation: the next problem is near the last one."""
    rng = np.random.default_rng(6)
    cold = warm = 0
    p = contacts(rng, 8, 2, soft=0.01)
    last = projected_gauss_seidel(p, sweeps=5000, tolerance=1e-8)
    for _ in range(20):
        p = Problem(p.A, p.b + 1e-3 * rng.normal(size=p.n), discs=p.discs)
        cold += projected_gauss_seidel(p, sweeps=5000, tolerance=1e-6).iterations
        last = projected_gauss_seidel(p, sweeps=5000, tolerance=1e-6, start=last)
        warm += last.iterations
    assert warm < 0.7 * cold
    again = projected_gauss_seidel(p, sweeps=5000, tolerance=2e-6, start=last)
    assert again.iterations == 0


def test_start_is_brought_within_bounds():
    p = Problem(np.eye(3), [-1.0, 0, 0], discs=[Disc(0, 1, 2, 0.5)])
    s = projected_gauss_seidel(p, sweeps=0, start=[2.0, 3.0, 4.0])
    assert np.allclose(s.lam, [2.0, 0.6, 0.8])
    assert projected_gauss_seidel(p, sweeps=0, start=[-2.0, 3.0, 4.0]).lam.tolist() == [0, 0, 0]


def test_redundant_rows_share():
    """A table on 12 legs: every leg carries the same, by symmetry of the start and of the sweeps' limit in w."""
    angle = 2 * np.pi * np.arange(12) / 12
    J = np.stack([np.ones(12), np.cos(angle), np.sin(angle)], axis=1)
    p = Problem(J @ J.T, J @ [-1.0, 0.0, 0.0])
    s = projected_gauss_seidel(p, sweeps=2000, tolerance=1e-12)
    assert s.converged
    assert np.allclose(s.w, direct(p).w, atol=1e-11)
    assert s.lam.sum() == pytest.approx(1.0)


def test_trouble_is_told():
    grows = Problem([[1.0, 5.0], [5.0, 1.0]], [-1.0, 1.0], -np.inf, np.inf)
    assert projected_gauss_seidel(grows, sweeps=2000).status is Status.DIVERGED
    assert projected_gauss_seidel(grows, sweeps=10).status is Status.MAX_ITERATIONS
    none = Problem([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0])
    assert projected_gauss_seidel(none, sweeps=1000).status is Status.MAX_ITERATIONS
    flat = Problem([[0.0, 0.0], [0.0, 1.0]], [-1.0, -1.0])
    s = projected_gauss_seidel(flat)
    assert s.status is Status.SINGULAR
    assert s.lam.tolist() == [0.0, 1.0]


def test_same_bits():
    p = contacts(np.random.default_rng(3), 10, 3)
    first = projected_gauss_seidel(p, sweeps=100)
    assert projected_gauss_seidel(p, sweeps=100).lam.tobytes() == first.lam.tobytes()


# ------------------------------------------------------- lanes of problems


def many(rng, m, points=4):
    problems = [contacts(rng, points, 2, mu=float(mu), soft=0.01) for mu in rng.uniform(0.1, 1, m)]
    A, b = np.stack([p.A for p in problems]), np.stack([p.b for p in problems])
    mu = np.stack([p.mu for p in problems])
    return problems, A, b, mu, problems[0].disc_rows


@pytest.mark.parametrize("m", [1, 3, 8, 21])
def test_lanes_give_the_same_bits_as_one(m):
    problems, A, b, mu, discs = many(np.random.default_rng(m), m)
    lam, residual = sweep_batch(A, b, discs=discs, mu=mu)
    start = 0.5 * lam
    warm, _ = sweep_batch(A, b, discs=discs, mu=mu, start=start, threads=2)
    for k, p in enumerate(problems):
        assert np.array_equal(lam[k], projected_gauss_seidel(p).lam)
        assert np.array_equal(warm[k], projected_gauss_seidel(p, start=start[k]).lam)
        assert residual[k] / p.size <= 2 * residuals_of(p, lam[k]).relative + 1e-15


@pytest.mark.parametrize(("width", "dtype"), [(X1, "f8"), (X4, "f8"), (X8, "f8"), (X8, "f4"), (X16, "f4")])
def test_every_width(width, dtype, monkeypatch):
    monkeypatch.setattr(batch_module, "_width", lambda _: width)
    problems, A, b, mu, discs = many(np.random.default_rng(0), 13)
    lam, _ = sweep_batch(A.astype(dtype), b, discs=discs, mu=mu)
    assert lam.dtype == dtype
    for k, p in enumerate(problems):
        assert np.allclose(lam[k], projected_gauss_seidel(p).lam, atol=1e-13 if dtype == "f8" else 2e-4)


def test_boxes_and_rows_that_are_not_there():
    rng = np.random.default_rng(1)
    A = np.stack([psd(rng, 6, 12)[0] for _ in range(9)])
    b, low, high = rng.normal(size=(9, 6)), -rng.random((9, 6)), rng.random((9, 6))
    low[3, 4:], high[3, 4:] = 0, 0
    lam, _ = sweep_batch(A, b, low=low, high=high, sweeps=300)
    for k in range(9):
        assert np.allclose(lam[k], direct(Problem(A[k], b[k], low[k], high[k])).lam, atol=1e-9)
    small = direct(Problem(A[3][:4, :4], b[3, :4], low[3, :4], high[3, :4])).lam
    assert np.allclose(lam[3, :4], small, atol=1e-9)


def test_empty_batches():
    assert sweep_batch(np.zeros((0, 3, 3)), np.zeros((0, 3)))[0].shape == (0, 3)
    assert sweep_batch(np.zeros((2, 0, 0)), np.zeros((2, 0)))[0].shape == (2, 0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"A": np.eye(3)}, r"A: expected shape \(m, n, n\)"),
        ({"A": np.where(np.arange(9).reshape(1, 3, 3) == 5, np.nan, 1.0)}, r"A\[0, 1, 2\] is nan"),
        ({"b": [[1, np.inf, 2]]}, r"b\[0, 1\] is inf"),
        ({"b": [[1, 2]]}, "b: expected numbers of shape"),
        ({"mu": -1.0}, r"mu\[0, 0\] is -1"),
        ({"low": [[2, -np.inf, -np.inf]], "high": [[1, np.inf, np.inf]]}, r"low\[0, 0\] is above"),
        ({"low": [0, 0, 0]}, "tangents of a disc are unbounded"),
        ({"discs": [(0, 1, 3)]}, "expected rows from 0 to 2"),
        ({"discs": [(0, 1, 1)]}, "a tangent belongs to one disc"),
        ({"start": [[np.nan, 0, 0]]}, r"start\[0, 0\] is nan"),
    ],
)
def test_bad_batches_are_named(change, words):
    arguments = {"A": np.eye(3)[None], "b": np.ones((1, 3)), "discs": [(0, 1, 2)], "mu": 0.5, **change}
    with pytest.raises(ArgumentError, match=words):
        sweep_batch(arguments.pop("A"), arguments.pop("b"), **arguments)
