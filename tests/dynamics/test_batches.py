"""A batch is what one state after the other gives: for every public function, any length, any number of threads."""

import numpy as np
import pytest

from hitogata import dynamics
from hitogata.library import human28, human40
from tests.dynamics.cases import FUNCTIONS, arguments, figures, named

FIGURES = figures()
every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=str)


def close(batch, single, tolerance):
    """Relative to the largest entry of the array; results of about 1 that vanish are compared with 0.1."""
    batch, single = np.asarray(batch), np.asarray(single)
    assert batch.shape == single.shape
    scale = max(0.1, np.abs(single).max(initial=0.0))
    np.testing.assert_allclose(batch, single, rtol=0, atol=tolerance * scale)


def one_by_one(function, figure, given, count):
    """Results of single calls, stacked."""
    rows = [function(figure, {name: a[k] for name, a in given.items()}) for k in range(count)]
    return [np.stack(parts) for parts in zip(*rows, strict=True)]


def test_no_public_function_is_missing():
    recordings = {"recorded_dynamics"}  # of a whole recording, see tests/files
    assert {f.name for f in FUNCTIONS} == {name for name in dynamics.__all__ if name.islower()} - recordings


@every_function
@pytest.mark.parametrize("figure", FIGURES, ids=named)
def test_float64(function, figure):
    """17 rows: two full registers and one row more, at any width."""
    given = arguments(figure, 17)
    for batch, single in zip(function(figure, given), one_by_one(function, figure, given, 17), strict=True):
        assert batch.dtype == np.float64
        close(batch, single, 1e-12)


@every_function
@pytest.mark.parametrize("figure", [human28(), human40(), *FIGURES[1:]], ids=named)
def test_float32(function, figure):
    """Against single calls in float64 with the same (rounded) numbers."""
    given = arguments(figure, 17, dtype=np.float32)
    for batch, single in zip(function(figure, given), one_by_one(function, figure, given, 17), strict=True):
        assert batch.dtype == np.float32
        close(batch, single, 1e-4)


@every_function
@pytest.mark.parametrize("count", [1, 3, 7, 17])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_any_length_and_any_number_of_threads_give_the_same(function, count, dtype):
    figure = FIGURES[1]
    whole = function(figure, arguments(figure, 17, dtype=dtype))
    given = {name: a[:count] for name, a in arguments(figure, 17, dtype=dtype).items()}
    for threads in (1, 2, 5, None):
        for part, full in zip(function(figure, given, threads=threads), whole, strict=True):
            assert np.array_equal(part, full[:count])


@every_function
def test_an_empty_batch(function):
    figure = FIGURES[0]
    one = function(figure, arguments(figure, None))
    for dtype in (np.float64, np.float32):
        for empty, single in zip(function(figure, arguments(figure, 0, dtype=dtype)), one, strict=True):
            assert empty.shape == (0, *np.shape(single))
            assert empty.dtype == dtype


@every_function
def test_a_single_argument_counts_for_the_whole_batch(function):
    """Whether one of several arguments is single, or all but one are."""
    figure = FIGURES[1]
    batch, single = arguments(figure, 5), arguments(figure, None, seed=1)
    names = function.takes if len(function.takes) > 1 else ()
    for name in names:
        if function.name == "step" and name in ("q", "v"):
            continue  # a State holds both, of one figure or of a batch
        for mixed in ({**batch, name: single[name]}, {**single, name: batch[name]}):
            repeated = {k: a if a.ndim == batch[k].ndim else np.stack([a] * 5) for k, a in mixed.items()}
            for a, b in zip(function(figure, mixed), function(figure, repeated), strict=True):
                assert np.array_equal(a, b)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f.has("gravity")], ids=str)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 1e-4)])
def test_another_gravity(function, dtype, tolerance):
    """It reaches batches as it reaches one state, and matters."""
    figure, gravity = FIGURES[1], (0.3, -1.2, 4.5)
    given = arguments(figure, 3, dtype=dtype)
    last = {name: a[2] for name, a in given.items()}
    batch, single, usual = (
        function(figure, given, gravity=gravity),
        function(figure, last, gravity=gravity),
        function(figure, last),
    )
    for a, b in zip(batch, single, strict=True):
        close(a[2], b, tolerance)
    assert any(not np.allclose(a, b, rtol=1e-6) for a, b in zip(single, usual, strict=True))


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f.has("out")], ids=str)
@pytest.mark.parametrize(("count", "dtype"), [(None, np.float64), (5, np.float64), (5, np.float32)])
def test_results_into_a_given_array(function, count, dtype):
    figure = FIGURES[1]
    given = arguments(figure, count, dtype=dtype)
    (expected,) = function(figure, given)
    out = np.full_like(expected, np.nan)
    (result,) = function(figure, given, out=out)
    assert result is out
    assert np.array_equal(out, expected)
