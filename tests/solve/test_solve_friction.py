"""Friction discs against closed forms, a fine search, polygons, and a convex program."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hitogata.errors import ArgumentError
from hitogata.solve import (
    Disc,
    Problem,
    Status,
    friction_newton,
    lemke,
    projected_gauss_seidel,
    with_pyramids,
)
from tests.solve.cases import contacts

ONE = (Disc(0, 1, 2, 0.5),)


def test_block_on_the_ground():
    """Unit mass pressed by 1: sticks below μ, slides above, decelerated by μ."""
    for speed, left in ((0.3, 0.0), (0.5, 0.0), (0.8, 0.3)):
        p = Problem(np.eye(3), [-1.0, 0.6 * speed, 0.8 * speed], discs=ONE)
        s = projected_gauss_seidel(p)
        assert s.converged
        assert s.lam[0] == pytest.approx(1.0)
        assert np.allclose(s.w[1:], [0.6 * left, 0.8 * left], atol=1e-12)


def test_no_pressure_no_friction():
    s = projected_gauss_seidel(Problem(np.eye(3), [1.0, 2.0, 3.0], discs=ONE))
    assert s.lam.tolist() == [0, 0, 0]
    s = projected_gauss_seidel(Problem(np.eye(3), [-1.0, 2.0, 3.0], discs=[Disc(0, 1, 2, 0.0)]))
    assert s.lam.tolist() == [1, 0, 0]


def by_angle(p):
    """One contact: the angle of the sliding friction by bisection on a fine grid; the impulse or None."""
    mu = p.discs[0].mu
    stick = np.linalg.solve(p.A, -p.b)
    if stick[0] >= 0 and np.hypot(*stick[1:]) <= mu * stick[0]:
        return stick

    def at(angle):
        pull = np.array([1.0, mu * np.cos(angle), mu * np.sin(angle)])
        lam = pull * (-p.b[0] / (p.A[0] @ pull))
        w = p.speeds(lam)
        return lam, w[1] * pull[2] - w[2] * pull[1], w[1] * pull[1] + w[2] * pull[2]

    angles = np.linspace(0, 2 * np.pi, 721)
    for a, b in itertools.pairwise(angles):
        if at(a)[1] * at(b)[1] <= 0:
            for _ in range(60):
                middle = 0.5 * (a + b)
                a, b = (a, middle) if at(a)[1] * at(middle)[1] <= 0 else (middle, b)
            lam, _, along = at(a)
            if along <= 0 and lam[0] >= 0:
                return lam
    return None


def test_one_contact_against_a_search_by_angle():
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(60):
        G = rng.normal(size=(3, 5))
        p = Problem(G @ G.T, [-1.0, *rng.normal(size=2)], discs=[Disc(0, 1, 2, 0.3)])
        truth = by_angle(p)
        if truth is not None:
            seen += 1
            for solve in (lambda p: projected_gauss_seidel(p, sweeps=20000, tolerance=1e-12), friction_newton):
                s = solve(p)
                assert s.converged
                assert np.allclose(s.lam, truth, atol=1e-8 * np.abs(truth).max())
    assert seen > 50


@pytest.mark.parametrize(("points", "bodies"), [(4, 1), (8, 2), (20, 5)])
@pytest.mark.parametrize("soft", [0.0, 1e-3])
def test_sweeps_and_newton_agree(points, bodies, soft):
    rng = np.random.default_rng(points)
    for _ in range(4):
        p = contacts(rng, points, bodies, mu=0.5, soft=soft)
        fine, rough = friction_newton(p), projected_gauss_seidel(p, sweeps=100000, tolerance=1e-11)
        assert fine.converged
        assert fine.residuals.relative <= 1e-12
        assert rough.converged
        assert np.allclose(fine.w, rough.w, atol=1e-6)
        if soft:
            assert np.allclose(fine.lam, rough.lam, atol=1e-5)


def test_polygons_come_closer_with_more_sides():
    rng = np.random.default_rng(2)
    errors = dict.fromkeys((4, 8, 16, 64), 0.0)
    for _ in range(6):
        p = contacts(rng, 4, 1, mu=0.4, soft=0.01)
        exact = friction_newton(p)
        for sides in errors:
            polygons = with_pyramids(p, sides=sides)
            s = lemke(polygons.problem)
            assert s.converged
            lam = polygons.impulses(s.lam)
            assert (np.hypot(lam[1::3], lam[2::3]) <= 0.4 * lam[::3] + 1e-9).all()
            errors[sides] = max(errors[sides], float(np.abs(p.speeds(lam) - exact.w).max()))
    assert errors[4] > errors[16] > errors[64]
    assert errors[64] < 0.02


def test_fixed_pressure_is_a_convex_program():
    """With λ_n held, friction is the least of ½ λᵀAλ + bᵀλ over discs: compare with projected gradient."""
    rng = np.random.default_rng(7)
    G = rng.normal(size=(12, 14))
    A, b = G @ G.T, rng.normal(size=12) * 3
    press = rng.uniform(0.5, 2, 4)
    low, high = np.full(12, -np.inf), np.full(12, np.inf)
    low[::3] = high[::3] = press
    p = Problem(A, b, low, high, [Disc(3 * k, 3 * k + 1, 3 * k + 2, 0.7) for k in range(4)])
    x = p.projected(np.zeros(12))
    for _ in range(200000):
        new = p.projected(x - p.speeds(x) / np.linalg.eigvalsh(A)[-1])
        if np.abs(new - x).max() < 1e-15:
            break
        x = new
    s = projected_gauss_seidel(p, sweeps=5000, tolerance=1e-13)
    assert s.converged
    assert np.allclose(s.lam, x, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.floats(0, 1))
def test_friction_never_leaves_its_disc(seed, points, mu):
    rng = np.random.default_rng(seed)
    p = contacts(rng, points, 2, mu=mu, soft=1e-3)
    for sweeps in (1, 5, 20):
        s = projected_gauss_seidel(p, sweeps=sweeps)
        normal, t = s.lam[::3], np.hypot(s.lam[1::3], s.lam[2::3])
        assert (normal >= 0).all()
        assert (t <= mu * normal * (1 + 1e-12) + 1e-15).all()
        assert s.status in (Status.CONVERGED, Status.MAX_ITERATIONS)


def test_bad_options():
    p = Problem(np.eye(3), [-1.0, 0, 0], discs=ONE)
    with pytest.raises(ArgumentError, match="sides is 2"):
        with_pyramids(p, sides=2)
    with pytest.raises(ArgumentError, match="rounds is 0"):
        friction_newton(p, rounds=0)
