"""LCP instances of the literature."""

import numpy as np
import pytest

from hitogata.solve import Problem, Status, direct, lemke, projected_gauss_seidel
from tests.solve.cases import all_solutions, data_folder, read_lcp

SYMMETRIC = ("CPS_1", "deudeu", "mmc", "trivial")  # and positive semi-definite
MONOTONE = (*SYMMETRIC, "exp_murty", "ortiz")  # M + Mᵀ positive semi-definite
NAMES = (*MONOTONE, "CPS_2")
ONLY = {  # by trying all patterns (below); of CPS_2 also Cottle, Pang & Stone 2009, example 4.4.7
    "CPS_2": [0, 1, 3],
    "deudeu": [4 / 3, 7 / 3],
    "exp_murty": [0, 0, 0, 0, 0, 1],
    "ortiz": [2 / 3, 0, 1 / 3, 0],
}


def instance(name):
    path = data_folder() / "lcp" / f"lcp_{name}.dat"
    if not path.exists():
        pytest.skip(f"{path.name} not found")
    return Problem(*read_lcp(path))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("solve", [direct, lemke])
def test_direct(name, solve):
    p = instance(name)
    s = solve(p)
    assert s.status is Status.CONVERGED
    assert s.residuals.natural <= 1e-10
    assert s.residual(p).relative <= 1e-14


def test_matrices_are_stored_by_columns():
    """The first line of CPS_2 is the first column; by rows (0, 1, 3) would not solve it."""
    p = instance("CPS_2")
    assert p.A[:, 0].tolist() == [0, 2, -1]
    assert p.speeds(np.array([0.0, 1.0, 3.0])).tolist() == [2, 0, 0]


@pytest.mark.parametrize("name", ONLY)
@pytest.mark.parametrize("solve", [direct, lemke])
def test_the_only_solution_is_found(name, solve):
    p = instance(name)
    (only,) = all_solutions(p)
    np.testing.assert_allclose(only, ONLY[name], atol=1e-12)
    np.testing.assert_allclose(solve(p).lam, only, atol=1e-12)


@pytest.mark.parametrize("name", MONOTONE)
def test_sweeps_agree_on_the_monotone_ones(name):
    p = instance(name)
    assert np.linalg.eigvalsh(p.A + p.A.T)[0] >= -1e-12 * np.abs(p.A).max()
    assert p.symmetric == (name in SYMMETRIC)
    s, exact = projected_gauss_seidel(p, sweeps=2000, tolerance=1e-13), direct(p)
    assert s.status is Status.CONVERGED
    assert np.abs(s.w - exact.w).max() <= 1e-9 * max(1.0, np.abs(p.b).max())


def test_sweeps_say_what_they_cannot_do():
    p = instance("CPS_2")  # zeros on the diagonal
    assert projected_gauss_seidel(p, sweeps=100).status is Status.SINGULAR
