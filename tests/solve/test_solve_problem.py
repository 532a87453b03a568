import dataclasses

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.solve import Disc, Problem, Status, direct, projected_gauss_seidel, residuals_of

EYE = np.eye(3)


def test_bounds_of_numbers_spare_tangents():
    p = Problem(EYE, [1, 2, 3], discs=[Disc(0, 1, 2, 0.5)])
    assert p.low.tolist() == [0, -np.inf, -np.inf]
    assert p.high.tolist() == [np.inf] * 3


def test_arrays_are_copied_and_locked():
    A = np.eye(2)
    p = Problem(A, [1.0, 2.0])
    A[0, 0] = 7
    assert p.A[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        p.b[0] = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        p.b = np.zeros(2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"A": [[1, np.nan], [0, 1]], "b": [0, 0]}, r"A\[0, 1\] is nan"),
        ({"A": np.eye(2), "b": [0, np.inf]}, r"b\[1\] is inf"),
        ({"A": np.eye(2), "b": [0, 0, 0]}, r"A: expected shape \(3, 3\), got \(2, 2\)"),
        ({"A": np.eye(2), "b": 1.0}, "b: expected shape"),
        ({"A": np.eye(2), "b": ["x", "y"]}, "b: expected an array of real numbers"),
        ({"A": np.eye(2), "b": [0, 0], "low": [0, np.nan]}, r"low\[1\] is nan"),
        ({"A": np.eye(2), "b": [0, 0], "high": [-np.inf, 0]}, r"high\[0\] is -inf"),
        ({"A": np.eye(2), "b": [0, 0], "low": [0, 2], "high": [1, 1]}, r"low\[1\] is 2.0; it is above high"),
        ({"A": EYE, "b": [0, 0, 0], "discs": [Disc(0, 1, 3, 0.5)]}, r"discs\[0\].tangent2: expected a row from 0 to 2"),
        ({"A": EYE, "b": [0, 0, 0], "discs": [Disc(0, 1, 2, -0.5)]}, r"discs\[0\].mu is -0.5"),
        ({"A": EYE, "b": [0, 0, 0], "discs": [Disc(0, 1, 2, np.nan)]}, r"discs\[0\].mu is nan"),
        ({"A": EYE, "b": [0, 0, 0], "discs": [Disc(0, 1, 1, 0.5)]}, "row 1 is a tangent"),
        ({"A": EYE, "b": [0, 0, 0], "discs": [Disc(0, 0, 1, 0.5)]}, "its normal, row 0, is a tangent"),
        ({"A": EYE, "b": [0, 0, 0], "discs": [(0, 1, 2, 0.5)]}, "expected a Disc"),
        ({"A": EYE, "b": [0, 0, 0], "low": -1.0, "discs": [Disc(0, 1, 2, 0.5)]}, "a normal row needs 0 or more"),
        ({"A": EYE, "b": [0, 0, 0], "low": [0, 0, 0], "discs": [Disc(0, 1, 2, 0.5)]}, "tangents of a disc are un"),
    ],
)
def test_bad_problems_are_named(arguments, words):
    with pytest.raises(ArgumentError, match=words):
        Problem(**arguments)


def test_bad_options_are_named():
    p = Problem(EYE, [1, 2, 3])
    with pytest.raises(ArgumentError, match=r"start\[1\] is nan"):
        projected_gauss_seidel(p, start=[0, np.nan, 0])
    with pytest.raises(ArgumentError, match="start: expected shape"):
        direct(p, start=[0.0])
    with pytest.raises(ArgumentError, match="sweeps is -1"):
        projected_gauss_seidel(p, sweeps=-1)
    with pytest.raises(ArgumentError, match=r"sweeps is 2\.5"):
        projected_gauss_seidel(p, sweeps=2.5)
    with pytest.raises(ArgumentError, match="tolerance is nan"):
        projected_gauss_seidel(p, tolerance=np.nan)
    with pytest.raises(ArgumentError, match="with_pyramids"):
        direct(Problem(EYE, [1, 2, 3], discs=[Disc(0, 1, 2, 0.5)]))


def test_no_rows():
    p = Problem(np.zeros((0, 0)), [])
    for solve in (direct, projected_gauss_seidel):
        assert solve(p).status is Status.CONVERGED
        assert solve(p).lam.shape == (0,)


def test_natural_residual_by_hand():
    p = Problem([[4.0, 0.0], [0.0, 1.0]], [-8.0, 3.0])
    r = residuals_of(p, np.array([1.0, 0.5]))
    # w = (-4, 3.5): |1 - max(1 + 4, 0)| = 4, |0.5 - max(0.5 - 3.5, 0)| = 0.5
    assert r.natural == 4.0
    # scaled by s = (1/2, 1): λ/s = 2, s w = -2: 2; and 0.5; relative to the largest of |s b| = (4, 3)
    assert r.relative == pytest.approx(2.0 / 4.0)
    assert residuals_of(p, np.array([2.0, 0.0])).natural == 0.0
    assert residuals_of(p, np.array([np.nan, 0.0])).natural == np.inf


def test_friction_residual_by_hand():
    p = Problem(EYE, [-1.0, 3.0, 4.0], discs=[Disc(0, 1, 2, 0.5)])
    assert residuals_of(p, np.array([1.0, -0.3, -0.4])).friction == pytest.approx(0.0, abs=1e-15)
    assert residuals_of(p, np.array([1.0, 0.3, 0.4])).friction == pytest.approx(1.0)  # pulls the wrong way
    assert residuals_of(p, np.array([1.0, -0.3, -0.4])).natural == 0.0


def test_relative_residual_has_no_unit():
    rng = np.random.default_rng(3)
    G = rng.normal(size=(6, 6))
    b, lam, t = rng.normal(size=6), np.abs(rng.normal(size=6)), np.exp(rng.normal(size=6) * 5)
    one = residuals_of(Problem(G @ G.T, b), lam).relative
    two = residuals_of(Problem(np.outer(t, t) * (G @ G.T), t * b), lam / t).relative
    assert one == pytest.approx(two, rel=1e-10)


def test_solution_recomputes_its_residual():
    p = Problem([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
    s = projected_gauss_seidel(p, sweeps=3)
    assert s.residual(p) == s.residuals
    assert s.status is Status.MAX_ITERATIONS
    assert np.allclose(s.w, p.A @ s.lam + p.b, atol=1e-15)
