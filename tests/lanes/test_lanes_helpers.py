"""Numbers, masks and structs: helpers in plain Python, on arrays, and in kernels of every width."""

import operator

import numpy as np
import pytest
from numba.core.errors import TypingError

from hitogata.lanes import (
    X1,
    X4,
    X8,
    X16,
    absolute,
    all_lanes,
    any_lane,
    atan2,
    clip,
    copysign,
    floor,
    gather,
    inline,
    is_finite,
    maximum,
    minimum,
    negated,
    rint,
    sincos,
    sqrt,
    struct,
    where,
)
from hitogata.lanes.testing import VARIANTS, run_helper

variants = pytest.mark.parametrize(("width", "dtype"), VARIANTS, ids=str)
RNG = np.random.default_rng(7)
A, B = RNG.normal(size=(2, 37))
B[:5] = A[:5]


@struct
class Pair:
    a: float
    b: float

    @property
    def total(self):
        return self.a + self.b

    def __add__(self, o):
        return Pair(self.a + o.a, self.b + o.b)

    def __mul__(self, s):
        return Pair(self.a * s, self.b * s)

    def __rmul__(self, s):
        return self * s


@struct
class Nest:
    first: Pair
    second: float


def arithmetic(a, b):
    return (a + b, a - b, a * b, a / b, -a, +a, abs(a), 2.0 * a + 1.0, 3 - b, 1.0 / b,
            a + 0.0, a * 1.0, 0.0 * a, a / 1.0)


def functions(a, b):
    return (sqrt(absolute(a)), rint(a * 3.0), floor(a * 3.0), copysign(a, b), copysign(1.0, a), minimum(a, b),
            maximum(a, 0.0), clip(a, -0.5, 0.5), where(a < b, a, b), where(a < b, 1.0, -1.0), where(a < 0.0, b, 2.0))


def comparisons(a, b):
    return (a < b, a <= b, a > b, a >= b, a == b, a != b, a < 0.5, (a < b) & (b > 0.0), (a < b) | (b > 0.0),
            (a < b) ^ (b > 0.0), negated(a < b), is_finite(a), (a < b) & True)


def structs(a, b):
    p = Pair(a, b)
    q = Nest(p + p * 2.0 + 3.0 * p, 1.0)
    return q, q.first.total, where(a < b, p, Pair(0.0, a)), (a, (b, p))


@variants
@pytest.mark.parametrize("fn", [arithmetic, functions, comparisons, structs], ids=lambda f: f.__name__)
def test_kernel_agrees_with_numpy(fn, width, dtype):
    a, b = A.astype(dtype), B.astype(dtype)
    got, want = run_helper(fn, [a, b], width, dtype), fn(a, b)
    assert_close(got, want, 4 * np.finfo(dtype).eps)


def assert_close(got, want, tolerance):
    if hasattr(want, "__struct__"):
        got, want = ([getattr(x, name) for name in want.__struct__] for x in (got, want))
    if isinstance(want, tuple | list):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            assert_close(g, w, tolerance)
    else:
        np.testing.assert_allclose(got, np.broadcast_to(want, got.shape), rtol=tolerance, atol=tolerance)


def test_plain_python_numbers():
    assert where(1.0 < 2.0, 3.0, 4.0) == 3.0
    assert maximum(1.0, 2.0) == 2.0
    assert not negated(1.0 < 2.0)
    assert any_lane(True)
    assert not all_lanes(False)
    assert Pair(1.0, 2.0) == Pair(1.0, 2.0)
    assert 2.0 * Pair(1.0, 2.0) == Pair(2.0, 4.0)
    assert np.float64(2.0) * Pair(1.0, 2.0) == Pair(2.0, 4.0)
    s, c = sincos(0.5)
    assert (s, c) == (pytest.approx(np.sin(0.5)), pytest.approx(np.cos(0.5)))


def test_array_times_struct_is_a_struct_of_arrays():
    p = np.arange(3.0) * Pair(1.0, 2.0)
    assert isinstance(p, Pair)
    np.testing.assert_array_equal(p.b, [0.0, 2.0, 4.0])


@variants
def test_nan_and_infinity_keep_their_meaning(width, dtype):
    x = np.array([0.0, np.nan, np.inf, -np.inf, np.finfo(dtype).max, 1e-30])
    finite, same, differs, less = run_helper(lambda x: (is_finite(x), x == x, x != x, x < x), [x], width, dtype)
    np.testing.assert_array_equal(finite, [1, 0, 0, 0, 1, 1])
    np.testing.assert_array_equal(same, [1, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(differs, [0, 1, 0, 0, 0, 0])
    np.testing.assert_array_equal(less, 0)
    clipped = run_helper(lambda x: clip(x, -1.0, 1.0), [x], width, dtype)
    assert np.isnan(clipped[1])
    # of NaN and b, minimum and maximum take b, at every width
    low, high = run_helper(lambda x: (minimum(x, 2.0), maximum(2.0, x)), [x], width, dtype)
    assert low[1] == 2.0
    assert np.isnan(high[1])


@variants
def test_any_and_all_lanes(width, dtype):
    bits = np.array([[pattern >> (k % 4) & 1 for k in range(width.n)] for pattern in range(16)])
    some, every = run_helper(lambda x: (any_lane(x > 0.5), all_lanes(x > 0.5)), [bits.ravel()], width, dtype)
    np.testing.assert_array_equal(some.reshape(bits.shape), np.repeat(bits.any(1)[:, None], width.n, 1))
    np.testing.assert_array_equal(every.reshape(bits.shape), np.repeat(bits.all(1)[:, None], width.n, 1))


def test_gather_on_arrays():
    table, start = RNG.normal(size=50), RNG.integers(0, 47, size=21)
    for k, got in enumerate(gather(table, start.astype(float), 3)):
        np.testing.assert_array_equal(got, table[start + k])


@pytest.mark.parametrize("limit", [0.1, 4.0, 1e2, 1e6])
def test_sincos_accuracy(limit):
    x = np.concatenate([RNG.uniform(-limit, limit, 20000), [0.0, limit], np.arange(-8, 9) * np.pi / 4])
    exact = x.astype(np.longdouble)
    for width in (X1, X4, X8):
        s, c = run_helper(sincos, [x], width)
        assert np.abs(s - np.sin(exact)).max() < 2.3e-16
        assert np.abs(c - np.cos(exact)).max() < 2.3e-16
    assert (np.abs(s - np.sin(exact)) <= 3e-16 * np.abs(np.sin(exact)) + 1e-22 * max(limit, 10.0)).all()
    x = x.astype(np.float32)
    for width in (X1, X8, X16):
        s, c = run_helper(sincos, [x], width, np.float32)
        assert np.abs(s - np.sin(x.astype(float))).max() < 1.3e-7
        assert np.abs(c - np.cos(x.astype(float))).max() < 1.3e-7


@pytest.mark.parametrize(("width", "dtype"), [(X1, np.float64), (X4, np.float64), (X8, np.float32)])
def test_atan2_accuracy(width, dtype):
    y, x = RNG.normal(size=(2, 20000)) * 10.0 ** RNG.uniform(-8, 8, size=(2, 20000))
    corners = np.array([(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, -1), (1e-300, 1), (1, 1e-300)])
    y, x = np.concatenate([[y, x], corners.T], axis=1).astype(dtype)
    got, want = run_helper(atan2, [y, x], width, dtype), np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))
    assert got[20000] == 0.0
    assert (np.abs(got - want) <= 3 * np.spacing(np.abs(want.astype(dtype)))).all()


@pytest.mark.parametrize("op", [operator.add, operator.lt])
def test_widths_do_not_mix(op):
    from hitogata.lanes.stands import Stand
    from hitogata.lanes.types import Lanes, types

    with pytest.raises(TypingError, match="cannot mix float64x4 and float32x8"):
        op(Stand(None, Lanes(types.float64, 4), None), Stand(None, Lanes(types.float32, 8), None))


def test_branch_in_helper_is_refused_at_every_width():
    @inline
    def size(x):
        return x if x > 0.0 else -x

    for width in (X1, X4):
        with pytest.raises(TypeError, match="cannot branch on a value"):
            run_helper(size, [A], width)


def test_struct_fields_must_be_numbers():
    with pytest.raises(TypeError, match=r"Odd\.name"):
        @struct
        class Odd:
            name: str
