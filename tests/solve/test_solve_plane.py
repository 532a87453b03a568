"""Friction in the plane, one tangent: closed forms, two directions by Lemke's method, and the same in space."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.solve import (
    Disc,
    Problem,
    friction_newton,
    lemke,
    projected_gauss_seidel,
    residuals_of,
    sweep_batch,
    with_pyramids,
)


def plane_contacts(rng, points, bodies, *, mu=0.5, soft=0.0):
    """Points of contact between unit bodies of the plane (x, z, turn) and the ground; rows normal, tangent."""
    J = np.zeros((2 * points, 3 * bodies))
    for c in range(points):
        angle = rng.uniform(0, 2 * np.pi)
        axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        for body, sign in zip(rng.choice(bodies + 1, 2, replace=False), (1, -1), strict=True):
            if body < bodies:
                x, z = rng.normal(size=2)
                J[2 * c : 2 * c + 2, 3 * body : 3 * body + 3] = sign * np.hstack([axes, axes @ [[-z], [x]]])
    discs = [Disc(2 * c, 2 * c + 1, None, mu) for c in range(points)]
    return Problem(J @ J.T + soft * np.eye(2 * points), J @ rng.normal(size=3 * bodies), discs=discs)


@pytest.mark.parametrize("solve", [projected_gauss_seidel, friction_newton])
@pytest.mark.parametrize(("speed", "left"), [(0.3, 0.0), (0.5, 0.0), (0.8, 0.3), (-0.8, -0.3)])
def test_block_on_a_line(solve, speed, left):
    """Unit mass pressed by 1: sticks below μ, slides above, slowed by μ."""
    s = solve(Problem(np.eye(2), [-1.0, speed], discs=[Disc(0, 1, None, 0.5)]))
    assert s.converged
    assert np.allclose(s.lam, [1.0, left - speed], atol=1e-12)
    assert s.w[1] == pytest.approx(left, abs=1e-12)


def test_residual_by_hand():
    p = Problem(np.eye(2), [-1.0, 3.0], discs=[Disc(0, 1, None, 0.5)])
    assert residuals_of(p, np.array([1.0, -0.5])).friction == pytest.approx(0.0, abs=1e-15)
    assert residuals_of(p, np.array([1.0, 0.5])).friction == 1.0  # pulls the wrong way
    assert p.projected([1.0, -2.0]).tolist() == [1.0, -0.5]


@pytest.mark.parametrize(("points", "bodies"), [(1, 1), (3, 1), (6, 2), (12, 4)])
def test_against_lemke(points, bodies):
    """Two directions are the whole interval: the linear complementarity problem is exact."""
    rng = np.random.default_rng(points)
    for _ in range(6):
        p = plane_contacts(rng, points, bodies, soft=1e-2)
        polygons = with_pyramids(p)
        assert polygons.problem.n == points * (1 + 2 + 1)
        s = lemke(polygons.problem)
        assert s.converged
        exact = polygons.impulses(s.lam)
        assert residuals_of(p, exact).relative < 1e-12
        fine, rough = friction_newton(p), projected_gauss_seidel(p, sweeps=100000, tolerance=1e-12)
        assert fine.converged
        assert rough.converged
        assert np.allclose(fine.lam, exact, atol=1e-8)
        assert np.allclose(rough.lam, exact, atol=1e-8)


def test_plane_is_space_without_the_other_tangent():
    rng = np.random.default_rng(5)
    flat = plane_contacts(rng, 5, 2, soft=0.01)
    rows = np.array([[3 * c, 3 * c + 1] for c in range(5)]).ravel()
    A, b = np.eye(15), np.zeros(15)
    A[np.ix_(rows, rows)], b[rows] = flat.A, flat.b
    space = Problem(A, b, discs=[Disc(3 * c, 3 * c + 1, 3 * c + 2, 0.5) for c in range(5)])
    for solve in (friction_newton, lambda p: projected_gauss_seidel(p, sweeps=20000, tolerance=1e-12)):
        one, two = solve(flat), solve(space)
        assert np.allclose(two.lam[rows], one.lam, atol=1e-9)
        assert np.allclose(two.lam[2::3], 0.0, atol=1e-12)


def test_both_kinds_and_rows_between():
    """A disc, a line of friction, and plain rows in one problem, in any order."""
    rng = np.random.default_rng(3)
    G = rng.normal(size=(7, 9))
    discs = [Disc(6, 0, None, 0.4), Disc(2, 5, 3, 0.7)]
    p = Problem(G @ G.T, rng.normal(size=7) - 1.0, discs=discs)
    fine, rough = friction_newton(p), projected_gauss_seidel(p, sweeps=50000, tolerance=1e-12)
    assert fine.converged
    assert rough.converged
    assert np.allclose(fine.lam, rough.lam, atol=1e-8)
    assert abs(fine.lam[0]) <= 0.4 * fine.lam[6] + 1e-12
    assert np.hypot(fine.lam[5], fine.lam[3]) <= 0.7 * fine.lam[2] + 1e-12
    w = fine.w
    assert w[1] * fine.lam[1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("form", [2, 3])
def test_lanes_give_the_same_bits_as_one(form):
    rng = np.random.default_rng(9)
    problems = [plane_contacts(rng, 4, 2, mu=float(mu), soft=0.01) for mu in rng.uniform(0.1, 1, 11)]
    discs = [tuple(row[:form]) for row in problems[0].disc_rows]
    A, b, mu = (np.stack([getattr(p, name) for p in problems]) for name in ("A", "b", "mu"))
    lam, residual = sweep_batch(A, b, discs=discs, mu=mu)
    warm, _ = sweep_batch(A, b, discs=discs, mu=mu, start=0.5 * lam)
    for k, p in enumerate(problems):
        assert np.array_equal(lam[k], projected_gauss_seidel(p).lam)
        assert np.array_equal(warm[k], projected_gauss_seidel(p, start=0.5 * lam[k]).lam)
        assert residual[k] / p.size <= 2 * residuals_of(p, lam[k]).relative + 1e-15


def test_bad_discs_are_named():
    with pytest.raises(ArgumentError, match=r"discs\[0\].tangent1: expected a row from 0 to 1, got None"):
        Problem(np.eye(2), [0, 0], discs=[Disc(0, None, 1, 0.5)])
    with pytest.raises(ArgumentError, match="row 1 is a tangent"):
        Problem(np.eye(3), [0, 0, 0], discs=[Disc(0, 1, None, 0.5), Disc(2, 1, None, 0.5)])
    with pytest.raises(ArgumentError, match="tangents of a disc are unbounded"):
        Problem(np.eye(2), [0, 0], low=[0, 0], discs=[Disc(0, 1, None, 0.5)])
    with pytest.raises(ArgumentError, match=r"discs\[0\]: expected \(normal, tangent\)"):
        sweep_batch(np.eye(2)[None], np.ones((1, 2)), discs=[(0,)], mu=0.5)
    with pytest.raises(ArgumentError, match="expected rows from 0 to 1"):
        sweep_batch(np.eye(2)[None], np.ones((1, 2)), discs=[(0, 2)], mu=0.5)
