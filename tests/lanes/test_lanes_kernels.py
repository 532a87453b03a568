"""Kernels: views, records, loops and branches, packing, at every width."""

import pathlib
import re
import runpy

import numpy as np
import pytest
from numba.core.errors import TypingError

from hitogata.lanes import (
    X1,
    X4,
    X8,
    X16,
    aligned_zeros,
    any_lane,
    entry,
    from_blocks,
    gather,
    given,
    inline,
    kernel,
    lanes,
    pack,
    packed,
    record,
    records,
    reuse,
    size,
    struct,
    tail,
    to_blocks,
    unpack,
    view_or_none,
    where,
)
from hitogata.lanes.testing import VARIANTS

variants = pytest.mark.parametrize(("width", "dtype"), VARIANTS, ids=str)
RNG = np.random.default_rng(3)


@struct
class Point:
    x: float
    y: float

    def __add__(self, o):
        return Point(self.x + o.x, self.y + o.y)

    def __mul__(self, s):
        return Point(self.x * s, self.y * s)


@record
class Ball:
    place: Point
    speed: Point
    mass: float
    half: float = reuse("speed", 1)
    both: Point = reuse("speed")


@record
class Parent:
    index: int
    kind: int


@kernel
def move(count, balls, h):
    for i in range(count):
        ball = balls[i]
        ball.place = ball.place + ball.speed * h
        if i == 0:
            ball.half = 7.0
        else:
            ball.both = ball.place


@entry
def run(array, h, width):
    for block in range(array.shape[0]):
        move(array.shape[1] // Ball.SIZE, records(array, Ball, width, block), h)


def test_layout():
    assert Ball.SIZE == 5
    assert Ball.OFFSETS == {"place": 0, "speed": 2, "mass": 4, "half": 3, "both": 2}
    assert size(Point) == 2
    with pytest.raises(TypeError, match="c overruns b"):
        @record
        class Wrong:
            b: float
            c: Point = reuse("b")
    with pytest.raises(TypeError, match=r"Odd\.name"):
        @record
        class Odd:
            name: str


@variants
def test_records(width, dtype):
    rows = RNG.normal(size=(21, 3 * Ball.SIZE)).astype(dtype)
    blocks = to_blocks(rows, width)
    run(blocks, dtype(0.5), width)
    got, want = from_blocks(blocks, len(rows)).reshape(21, 3, 5), rows.reshape(21, 3, 5).copy()
    want[..., :2] += want[..., 2:4] * dtype(0.5)
    want[:, 0, 3] = 7.0
    want[:, 1:, 2:4] = want[:, 1:, :2]
    np.testing.assert_allclose(got, want, rtol=4 * np.finfo(dtype).eps)


@entry
def follow(parents, values, width):
    """Integers that all figures share; parts of a flat array under other names; a loop-carried value."""
    parent = records(parents, Parent, X1)
    numbers = lanes(values, width)
    balls = records(tail(numbers, 2), Ball)
    total = 0.0                     # a number that becomes lanes
    for i in range(parents.shape[0]):
        if parent[i].kind == 1:
            total = total + balls[parent[i].index].mass
        else:
            total += numbers[0]
        if any_lane(total > 1e6):
            total = where(total > 1e6, 0.0, total)
    numbers[1] = total


@variants
def test_tail_and_shared_integers(width, dtype):
    rows = RNG.normal(size=(width.n, 2 + 3 * Ball.SIZE)).astype(dtype)
    rows[0, 0] = 2e6
    blocks = to_blocks(rows, width)
    follow(np.array([[2, 1], [0, 0], [1, 1]]), blocks[0], width)
    want = rows[:, 2 + 14] + rows[:, 0]
    want = np.where(want > 1e6, 0.0, want) + rows[:, 2 + 9]
    np.testing.assert_allclose(from_blocks(blocks, width.n)[:, 1], want, rtol=1e-6 if dtype is np.float32 else 1e-14)


@entry
def axpy(x, y, a, count, width):
    xs, ys = packed(lanes(x, width)), packed(lanes(y, width))
    for i in range(0, count, xs.step):
        ys[i] = ys[i] + xs[i] * a


@variants
def test_packed(width, dtype):
    x, y = RNG.normal(size=(2, 16, width.n)).astype(dtype)
    want = y.copy()
    want[:13] += x[:13] * dtype(3.0)
    axpy(x, y, dtype(3.0), 13, width)
    np.testing.assert_allclose(y[:13], want[:13], atol=4 * np.finfo(dtype).eps)


@inline
def three(table, start):
    a, b, c = gather(table, start, 3)
    return a + b * 10.0 + c * 100.0


@entry
def look_up(table, start, out, width):
    out_view, start_view = lanes(out, width), lanes(start, width)
    out_view[0] = three(lanes(table, X1), start_view[0])
    out_view[1] = gather(lanes(table, X1), start_view[0], 2)[1]


@variants
def test_gather(width, dtype):
    table, start = np.arange(50, dtype=dtype) ** 2, RNG.integers(0, 47, size=width.n)
    out = np.zeros((2, width.n), dtype)
    look_up(table, start.astype(dtype), out, width)
    np.testing.assert_array_equal(out[0], table[start] + 10 * table[start + 1] + 100 * table[start + 2])
    np.testing.assert_array_equal(out[1], table[start + 1])


@entry
def there_and_back(rows, out, blocks, width):
    for b in range(blocks.shape[0]):
        view = lanes(blocks, width, b)
        pack(rows, b * width.n, view)
        unpack(view, out, b * width.n)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("width", [X1, X4, X8, X16], ids=repr)
def test_packing(width, dtype):
    for n in (1, 2, 5, 8, 16, 35):
        for k in (1, 2, 3, 4, 5, 8, 9, 15, 16, 39):
            rows = RNG.normal(size=(n, k)).astype(dtype)
            out = np.full((n + 1, k), np.nan, dtype)    # one row more, to see that nothing is written there
            blocks = aligned_zeros((-(-n // width.n), k, width.n), dtype)
            there_and_back(rows, out[:n], blocks, width)
            np.testing.assert_array_equal(blocks, to_blocks(rows, width))
            np.testing.assert_array_equal(out[:n], rows)
            assert np.isnan(out[n]).all()


def test_packing_in_numpy():
    rows = RNG.normal(size=(5, 3))
    blocks = to_blocks(rows, X4, np.float32)
    assert blocks.shape == (2, 3, 4)
    assert blocks.dtype == np.float32
    assert blocks.ctypes.data % 64 == 0
    np.testing.assert_array_equal(blocks[1], np.repeat(rows[4:].T, 4, axis=1).astype(np.float32))
    np.testing.assert_array_equal(from_blocks(blocks, 5), rows.astype(np.float32))


@kernel
def double(view, bonus):
    if bonus is None:
        view[0] = view[0] * 2.0
    else:
        view[0] = view[0] * 2.0 + bonus[0]


@kernel
def triple(view, bonus):
    view[0] = view[0] * 3.0


@kernel
def apply(core, view, bonus):
    core(view, bonus)


@entry
def choose(x, bonus, width):
    view = lanes(x, width)
    apply(double, view, given(bonus, tail(view, 1)))
    apply(triple, view, None)


@entry
def choose_one(x, bonus):
    apply(double, lanes(x, X1), view_or_none(bonus))


@variants
def test_kernels_as_arguments_and_optional_arguments(width, dtype):
    x = np.ones((2, width.n), dtype)
    choose(x, None, width)
    np.testing.assert_array_equal(x[0], 6.0)
    x[:] = 1.0
    choose(x, x, width)
    np.testing.assert_array_equal(x[0], 9.0)
    one, bonus = np.ones(1, dtype), np.full(1, 5, dtype)
    choose_one(one, None)
    choose_one(one, bonus)
    assert one[0] == 9.0


@entry
def branching(x, width):
    view = lanes(x, width)
    if view[0] > 0.0:
        view[0] = 1.0


@entry
def whole_lanes(x, width):
    lanes(x, width)[0] = 1


def test_clear_errors():
    branching(np.zeros(16), X1)
    with pytest.raises(TypeError, match="lanes may disagree, so no `if` on them"):
        branching(np.zeros(16), X4)
    with pytest.raises(TypingError, match="lanes hold floats, not int64"):
        whole_lanes(np.zeros(16, np.int64), X4)
    with pytest.raises(TypingError, match="views need C-contiguous arrays"):
        whole_lanes(np.zeros(16)[::2], X4)


@pytest.mark.parametrize("function", [lanes, records, tail, packed])
def test_views_are_for_kernels(function):
    with pytest.raises(NotImplementedError):
        function(*[None] * {lanes: 2, records: 3, tail: 2, packed: 1}[function])


def test_aligned_zeros():
    for shape in (5, (3, 2), (0, 4)):
        a = aligned_zeros(shape, np.float32)
        assert a.shape == np.zeros(shape).shape
        assert a.ctypes.data % 64 == 0 or a.size == 0
        assert not a.any()


CLEAR = """
@entry
def clear_all(floats, ints, nv, rows):
    clear(floats, ints, nv, rows)

white = layout.open(floats, ints).white
white[:] = 1.0
clear_all(floats, ints, 34, 12)
assert not floats.any()
"""


def test_example_of_the_guide(tmp_path):
    guide = pathlib.Path(__file__).parents[2] / "docs" / "lanes.md"
    example, memory = re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
    use = "\nballs[..., 0] = 1.0\nballs[:, 2::4] = 3.0\nrun(balls, 0.5, X4)\n"
    (tmp_path / "guide.py").write_text(example + memory + CLEAR + use)
    names = runpy.run_path(str(tmp_path / "guide.py"))
    np.testing.assert_allclose(names["balls"][:, 0::4, 1:], 1.5)
    assert names["layout"].stride == 24
    assert names["white"].shape == (34, 24)
    assert names["dot"](names["Vec2"](1.0, 2.0), names["Vec2"](3.0, 4.0)) == 11.0
