"""LCP instances of the literature."""

import numpy as np
import pytest

from hitogata.solve import Problem, Status, direct, lemke, projected_gauss_seidel
from tests.solve.cases import data_folder, read_lcp

SYMMETRIC = ("CPS_1", "deudeu", "mmc", "trivial")  # and positive semi-definite
MONOTONE = (*SYMMETRIC, "exp_murty", "ortiz")  # M + Mᵀ positive semi-definite
NAMES = (*MONOTONE, "CPS_2")


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
