import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hitogata.errors import ArgumentError
from hitogata.solve import Problem, Status, direct, lemke, principal_pivoting, projected_gauss_seidel
from tests.solve.cases import all_solutions, psd, to_rounding

INF = np.inf
SOLVERS = [principal_pivoting, lemke, direct]


def bounds(rng, n, kind):
    low, high = np.zeros(n), np.full(n, INF)
    if kind == "box":
        low, high = -rng.random(n), rng.random(n)
    elif kind == "mixed":
        pick = rng.integers(0, 5, n)
        low = np.choose(pick, [0.0, -INF, -1.0, -INF, 0.3])
        high = np.choose(pick, [INF, INF, 0.5, 0.2, 0.3])
    elif kind == "equal":
        low[: n // 2] = -INF
    return low, high


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize("kind", ["lcp", "box", "mixed", "equal"])
def test_against_all_patterns(solve, kind):
    rng = np.random.default_rng(11)
    for n in (1, 2, 3, 5, 6):
        for _ in range(5):
            A, _ = psd(rng, n)
            p = Problem(A, rng.normal(size=n), *bounds(rng, n, kind))
            s = solve(p)
            assert s.status is Status.CONVERGED
            assert to_rounding(p, s)
            (first, *_) = all_solutions(p)
            assert np.allclose(s.lam, first, atol=1e-7 * np.abs(first).max(), rtol=1e-7)


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize("kind", ["lcp", "box", "mixed", "equal"])
@pytest.mark.parametrize(("n", "rank"), [(20, 20), (20, 6), (50, 15), (50, 80)])
def test_redundant_rows(solve, kind, n, rank):
    """A of any rank, b in its range: a solution exists, w is unique."""
    rng = np.random.default_rng(n + rank)
    A, G = psd(rng, n, rank)
    low, high = bounds(rng, n, kind)
    p = Problem(A, G @ rng.normal(size=rank), low, high)
    s = solve(p)
    assert s.status is Status.CONVERGED
    assert to_rounding(p, s)
    assert np.allclose(s.w, direct(p).w, atol=1e-9 * np.abs(p.b).max())


@pytest.mark.parametrize("rank", [60, 200, 300])
@pytest.mark.parametrize("kind", ["lcp", "box", "mixed", "equal"])
def test_big(rank, kind):
    rng = np.random.default_rng(rank)
    A, G = psd(rng, 200, rank)
    p = Problem(A, G @ rng.normal(size=rank), *bounds(rng, 200, kind))
    s = principal_pivoting(p)
    assert s.status is Status.CONVERGED
    assert to_rounding(p, s)
    again = principal_pivoting(p, start=s)
    assert again.converged
    assert again.iterations <= 0.1 * s.iterations
    assert principal_pivoting(p).lam.tobytes() == s.lam.tobytes()


def test_big_lemke():
    rng = np.random.default_rng(5)
    A, G = psd(rng, 200, 120)
    p = Problem(A, G @ rng.normal(size=120))
    s = lemke(p)
    assert s.converged
    assert to_rounding(p, s)
    assert lemke(p).lam.tobytes() == s.lam.tobytes()


def test_stiff_scales():
    """Rows of very different units: 1e-6 to 1e6."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        A, _ = psd(rng, 30, 40)
        t = 10.0 ** rng.uniform(-6, 6, 30)
        p = Problem(A * np.outer(t, t), rng.normal(size=30) * t)
        plain = principal_pivoting(Problem(A, p.b / t))
        for solve in (principal_pivoting, lemke):
            s = solve(p)
            assert to_rounding(p, s)
            assert np.allclose(s.lam * t, plain.lam, atol=1e-9 * plain.lam.max())


@pytest.mark.parametrize("n", [1, 4, 10, 40])
def test_matrices_that_are_not_symmetric(n):
    """Positive definite plus skew (always solvable), and P-matrices of Murty's kind."""
    rng = np.random.default_rng(n)
    for _ in range(10):
        A, _ = psd(rng, n)
        K = rng.normal(size=(n, n)) * 3
        low, high = bounds(rng, n, "mixed")
        p = Problem(A + 0.01 * np.eye(n) + K - K.T, rng.normal(size=n), low, high)
        s = direct(p)
        assert s.converged
        assert to_rounding(p, s)
    murty = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
    for q in (-np.ones(n), -(2.0 ** np.arange(n)) if n < 30 else -np.ones(n), rng.normal(size=n)):
        p = Problem(murty, q)
        assert to_rounding(p, direct(p))


def test_general_matrices_are_solved_or_say_so():
    """Any matrix: if the method gives up, the oracle must agree when NO_SOLUTION is claimed."""
    rng = np.random.default_rng(4)
    solved = missed = none = 0
    for _ in range(150):
        p = Problem(rng.normal(size=(4, 4)), rng.normal(size=4))
        s, truth = lemke(p), all_solutions(p)
        if s.converged:
            assert s.residuals.natural <= 1e-10
            solved += 1
        elif truth:
            assert s.status in (Status.RAY, Status.MAX_ITERATIONS)
            missed += 1
        else:
            assert s.status in (Status.RAY, Status.NO_SOLUTION)
            none += 1
    assert solved > 65
    assert none > 65
    assert missed <= 1


@pytest.mark.parametrize("solve", SOLVERS)
def test_problems_without_solution(solve):
    # w1 = λ1 - λ2 - 1 ≥ 0 and w2 = λ2 - λ1 - 1 ≥ 0 add up to -2 ≥ 0
    assert solve(Problem([[1, -1], [-1, 1]], [-1, -1])).status is Status.NO_SOLUTION
    # two equalities that ask for different speeds
    assert solve(Problem(np.ones((2, 2)), [1, 2], -INF, INF)).status is Status.NO_SOLUTION
    # nothing can move, and it must
    s = solve(Problem(np.zeros((1, 1)), [-1]))
    assert s.status is Status.NO_SOLUTION
    assert s.residuals.natural == 1.0
    # bounds make it solvable
    s = solve(Problem([[1, -1], [-1, 1]], [-1, -1], 0.0, 1.0))
    assert s.converged
    assert s.lam.tolist() == [1, 1]


@pytest.mark.parametrize("solve", SOLVERS)
def test_degenerate(solve):
    n = 12
    assert solve(Problem(np.ones((n, n)), -np.ones(n))).residuals.natural <= 1e-14
    assert solve(Problem(np.zeros((n, n)), np.zeros(n))).converged
    assert solve(Problem(np.eye(n), np.zeros(n))).lam.tolist() == [0.0] * n
    assert solve(Problem(np.ones((n, n)), np.zeros(n), -INF, INF)).converged
    assert solve(Problem(np.eye(n), np.ones(n), 0.0, 0.0)).lam.tolist() == [0.0] * n
    # a table on 12 legs: three numbers carry it, all legs alike
    angle = 2 * np.pi * np.arange(n) / n
    J = np.stack([np.ones(n), np.cos(angle), np.sin(angle)], axis=1)
    s = solve(Problem(J @ J.T, J @ [-1.0, 0.0, 0.0]))
    assert s.converged
    assert np.allclose(s.w, 0, atol=1e-13)
    assert s.lam.sum() == pytest.approx(1.0)


def test_a_matrix_that_does_not_fit_is_told():
    with pytest.raises(ArgumentError, match="not symmetric"):
        principal_pivoting(Problem([[1, 1], [0, 1]], [1, 1]))
    saddle = Problem([[1, 2], [2, 1]], [-1, -1])
    assert principal_pivoting(saddle).status is Status.INDEFINITE
    assert direct(saddle).converged  # by Lemke
    rng = np.random.default_rng(1)
    A, _ = psd(rng, 8)
    values, vectors = np.linalg.eigh(A)
    values[0] = -2.0
    s = principal_pivoting(Problem((vectors * values) @ vectors.T, rng.normal(size=8)))
    assert s.status in (Status.INDEFINITE, Status.CONVERGED, Status.NO_SOLUTION)


def test_equality_rows_leave_no_rounding_behind():
    """A row that the equality rows hold still cannot be helped by the rounding of their solution."""
    G = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, -3.0], [1.0, -3.0], [3.0, 1.0]])
    low = np.array([0.0, -INF, 0.0, 0.0, -INF, 0.0])
    for turned in (np.eye(2), np.array([[0.6, 0.8], [-0.8, 0.6]])):
        p = Problem(G @ turned @ turned.T @ G.T, np.array([0.0, 0.0, 0.0, 0.0, 0.0, -1.0]), low, np.full(6, INF))
        assert lemke(p).status is principal_pivoting(p).status is Status.NO_SOLUTION


numbers = st.integers(-3, 3).map(float)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_small_whole_numbers(data):
    """Degenerate by nature: A = G Gᵀ of small whole numbers, any bounds; all solvers agree on w or on the status."""
    n, rank = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    G = np.array(data.draw(st.lists(st.lists(numbers, min_size=rank, max_size=rank), min_size=n, max_size=n)))
    b = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)))
    pick = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    low, high = np.choose(pick, [0.0, -INF, -1.0, -INF, 1.0]), np.choose(pick, [INF, INF, 2.0, 0.0, 1.0])
    p = Problem(G @ G.T, b, low, high)
    one, two = principal_pivoting(p), lemke(p)
    assert one.status is two.status
    assert one.status in (Status.CONVERGED, Status.NO_SOLUTION)
    if one.converged:
        assert to_rounding(p, one)
        assert to_rounding(p, two)
        assert np.allclose(one.w, two.w, atol=1e-10 * max(1, np.abs(one.w).max()))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_sweeps_agree_with_pivots(seed, n):
    rng = np.random.default_rng(seed)
    A, _ = psd(rng, n, int(rng.integers(1, n + 3)))
    compliance = np.eye(n) * 0.05 * np.trace(A) / n
    p = Problem(A + compliance, rng.normal(size=n), *bounds(rng, n, rng.choice(["lcp", "box", "mixed", "equal"])))
    s, exact = projected_gauss_seidel(p, sweeps=20000, tolerance=1e-12), direct(p)
    assert s.converged
    assert np.allclose(s.lam, exact.lam, atol=1e-8 * max(1, np.abs(exact.lam).max()))
