"""The closed form against the dense equations."""

import numpy as np
import pytest

from hitogata.loops import constrained_dynamics, link_rows
from tests.loops.cases import dense, random_loops


@pytest.mark.parametrize("seed", range(24))
def test_closed_form_is_the_dense_solution(seed):
    figure, links, q, v = random_loops(seed)
    tau = np.random.default_rng(seed + 100).normal(size=figure.nv) * 5
    held = constrained_dynamics(links, q, v, tau)
    matrix, right, nv = dense(figure, links, q, v, tau)
    rows = link_rows(links, q, v)
    H = rows.jacobian
    exact = np.linalg.lstsq(matrix, right, rcond=1e-12)[0]
    scale = 1 + np.abs(exact).max()
    np.testing.assert_allclose(held.vdot, exact[:nv], atol=1e-9 * scale)
    assert held.rank == np.linalg.matrix_rank(H, tol=1e-8)
    if held.rank == links.held:
        np.testing.assert_allclose(held.forces, exact[nv:], atol=1e-9 * scale)
    np.testing.assert_allclose(H.T @ held.forces, H.T @ exact[nv:], atol=1e-9 * scale)
    np.testing.assert_allclose(H @ held.vdot + rows.bias, 0.0, atol=1e-8 * scale)
