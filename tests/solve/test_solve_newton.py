"""Newton's method for friction: its step against finite differences, its end against sweeps, large redundant scenes."""

import numpy as np
import pytest

from hitogata.solve import Disc, Problem, Status, friction_newton, projected_gauss_seidel
from hitogata.solve.natural_map import ScaledProblem
from hitogata.solve.newton_step import newton_step
from tests.solve.cases import brick_wall, contacts
from tests.solve.test_solve_plane import plane_contacts


@pytest.mark.parametrize("make", [contacts, plane_contacts])
def test_step_against_finite_differences(make):
    """Along Newton's step the map shrinks as (1 − t) Φ, to second order in t."""
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(40):
        p = make(rng, 6, 3, mu=0.5, soft=0.05)
        scaled = ScaledProblem(p)
        x = scaled.swept(scaled.projected(np.zeros(p.n)), 3)
        v = scaled.speeds(x)
        first = scaled.natural_map(x, v)
        closing = (x[scaled.normals] > 0) & ((x - v)[scaled.normals] <= 0)
        opening = (x[scaled.normals] <= 0) & ((x - v)[scaled.normals] > 0)
        size = np.linalg.norm(first)
        if closing.any() or opening.any() or size < 1e-8:
            continue  # where a contact opens or closes the step goes to the end at once, and not along the map
        step = newton_step(scaled, x, v, 0.0)
        errors = [
            np.linalg.norm(scaled.natural_map(x + t * step, v + t * (scaled.A @ step)) - (1 - t) * first) / (t * size)
            for t in (1e-3, 1e-4, 1e-5)
        ]
        rounding = 1e-14 * np.linalg.norm(x) / (1e-5 * size)
        assert errors[2] < 1e-3
        assert errors[2] < 0.2 * errors[0] + rounding
        seen += 1
    assert seen >= 8


def test_proximal_term_is_on_the_diagonal():
    rng = np.random.default_rng(1)
    p = contacts(rng, 4, 2)
    scaled, x, centre = ScaledProblem(p), rng.normal(size=12), rng.normal(size=12)
    plain = scaled.speeds(x)
    scaled.set_proximal(0.3, centre)
    assert np.allclose(scaled.speeds(x), plain + 0.3 * (x - centre), atol=1e-12)
    harder = Problem(p.A + np.diag(0.3 / p.scales**2), p.b - 0.3 * centre / p.scales, discs=p.discs)
    swept = projected_gauss_seidel(harder, sweeps=7, start=p.projected(x * p.scales)).lam
    assert np.allclose(scaled.swept(scaled.projected(x), 7) * p.scales, swept, atol=1e-12)
    scaled.set_proximal(0.0, centre)
    assert np.array_equal(scaled.speeds(x), plain)


@pytest.mark.parametrize("soft", [0.0, 1e-3])
@pytest.mark.parametrize("bodies", [60, 143])
def test_many_contacts(bodies, soft):
    p = contacts(np.random.default_rng(bodies), 286, bodies, mu=0.5, soft=soft)
    fine, rough = friction_newton(p), projected_gauss_seidel(p, sweeps=20000, tolerance=1e-11)
    assert fine.converged
    assert fine.residual(p).relative <= 1e-12
    assert rough.converged
    assert np.allclose(fine.w, rough.w, atol=1e-8)


@pytest.mark.parametrize(("soft", "kick"), [(0.0, 0.0), (1e-3, 0.0), (1e-3, 0.05), (1e-5, 0.05)])
def test_wall_where_sweeps_do_not_end(soft, kick):
    """288 contacts of 42 bricks: 3000 sweeps leave 1e-5 or more."""
    p = brick_wall(7, 6, soft=soft, kick=kick)
    assert len(p.discs) == 288
    assert projected_gauss_seidel(p, sweeps=3000, tolerance=1e-12).residuals.relative > 1e-5
    s = friction_newton(p)
    assert s.converged
    assert s.residual(p).relative <= 1e-12
    if not kick and not soft:  # it stands: the floor carries its weight, and nothing slides
        floor = s.lam[::3][:24]
        assert floor.sum() == pytest.approx(42 * 9.81 / 60, rel=1e-9)
        assert np.abs(s.w).max() < 1e-9


def test_what_cannot_be_solved_is_said():
    flat = Problem([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [-1.0, 0.0, 0.0], discs=[Disc(0, 1, 2, 0.5)])
    assert friction_newton(flat).status is Status.SINGULAR
    p = brick_wall(5, 2, kick=0.05)
    few = friction_newton(p, sweeps=1, rounds=1, tolerance=0.0)
    assert few.status is Status.MAX_ITERATIONS
    assert np.isfinite(few.lam).all()


def test_a_good_start_saves_steps():
    p = brick_wall(4, 3, soft=1e-3, kick=0.02)
    first = friction_newton(p)
    again = friction_newton(p, start=first)
    assert again.converged
    assert again.iterations < 0.2 * first.iterations
