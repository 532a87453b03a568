"""Declared memory: places, numpy views and kernel views tell the same; what does not fit is named."""

import copy
import pickle

import numpy as np
import pytest

from hitogata.lanes import (
    X1,
    X4,
    Count,
    Given,
    LayoutError,
    Memory,
    Table,
    entry,
    float_array,
    floats_of,
    int_array,
    ints_of,
    lanes,
    many,
    memory_sizes,
    number,
    numbers,
    one,
    open_memory,
    open_table,
    part,
    record,
    rounded_up,
    same,
    several,
    whole,
    wholes,
)
from hitogata.lanes.memory_layout import Fields
from hitogata.spatial import Vec3


@record
class Ball:
    pos: Vec3
    mass: float


@record
class Link:
    parent: int
    kind: int


class Inner(Memory):
    """A part."""

    room = Count()
    value = numbers(room, 2)
    index = wholes(room)


class Outer(Memory):
    """Everything at once."""

    bodies, nv = Count(stored=True), Count(stored=True)
    extra = Count()
    row = rounded_up(nv)
    ball = many(Ball, bodies)
    link = many(Link, bodies)
    v = numbers(nv)
    matrix = numbers(extra, row)
    again = same(matrix, Ball, 2)
    time = number()
    flag = whole()
    inner = part(Inner, room=nv * 2 + 1)
    middle = one(Ball)
    last = numbers(3)


class Tail(Memory):
    """Shaped by another memory."""

    outer = Given()
    room = numbers(outer.row, outer.bodies)
    end = numbers(1)


@entry
def write(floats, ints, extra, more, width, block):
    outer = open_memory(Outer, lanes(floats, width, block), lanes(ints, X1), extra)
    for i in range(outer.bodies):
        ball = outer.ball[i]
        ball.mass, ball.pos = 1.0 + i, Vec3(2.0 + i, 3.0, 4.0)
        outer.link[i].parent = i - 1
    for k in range(outer.nv):
        outer.v[k] = outer.v[k] * 0.0 + 10.0 + k
    for k in range(extra * outer.row):
        outer.matrix[k] = outer.v[0] * 0.0 + 100.0 + k
    outer.time = outer.v[0] * 0.5
    outer.flag = 7
    outer.inner.value[2 * (outer.inner.room - 1) + 1] = outer.time + 1.0
    outer.inner.index[outer.inner.room - 1] = 9
    outer.middle.mass = outer.time * 2.0
    outer.last[2] = outer.v[0] - 3.0
    tail = open_memory(Tail, lanes(more, width, block), outer)
    for k in range(outer.row * outer.bodies):
        tail.room[k] = outer.time * 0.0 + 5.0
    tail.end[0] = outer.time
    return outer.row


GIVEN = {"bodies": 3, "nv": 5, "extra": 2}


@pytest.mark.parametrize(("width", "dtype"), [(X1, np.float64), (X4, np.float64), (X4, np.float32)])
def test_kernels_write_what_numpy_reads(width, dtype):
    layout = Outer.layout(**GIVEN)
    floats, ints = layout.new_floats(dtype, blocks=2, width=width.n), layout.new_ints()
    ends = Tail.layout(outer=layout)
    more = ends.new_floats(dtype, blocks=2, width=width.n)
    assert write(floats, ints, 2, more, width, 1) == layout.row == 8
    fields = layout.open(floats, ints, axis=1)
    assert not floats[0].any()
    assert (fields.ball.mass[1] == [[1.0] * width.n, [2.0] * width.n, [3.0] * width.n]).all()
    assert fields.ball.pos.shape == (2, 3, 3, width.n)
    assert (fields.ball.pos[1, 1, :, 0] == [3.0, 3.0, 4.0]).all()
    assert list(fields.link.parent) == [-1, 0, 1]
    assert (fields.v[1, :, 0] == 10 + np.arange(5)).all()
    assert (fields.matrix[1, :, :, -1].ravel() == 100 + np.arange(16)).all()
    assert (fields.again.rows[1, 1, :, 0] == [104, 105, 106, 107]).all()
    assert fields.time[1, 0] == 5.0
    assert fields.flag == 7
    assert fields.inner.value.shape == (2, 11, 2, width.n)
    assert fields.inner.value[1, 10, 1, 0] == 6.0
    assert list(fields.inner.index) == [0] * 10 + [9]
    assert fields.middle.mass[1, 0] == 10.0
    assert fields.last[1, 2, 0] == 7.0
    assert ints[:2].tolist() == [3, 5]
    world = layout.open_world(floats, width.n)
    assert world.last[2] == 7.0
    world.last[2] = 8.0
    assert floats[1, -1, 0] == 8.0
    assert ends.open(more, axis=1).end[1, 0, 0] == 5.0
    assert not np.isin(more[0], 5.0).any()


@record
class Strip:
    head: float
    row: several(3)
    end: float


class Sized(Memory):
    """Made of the size of another."""

    strip = many(Strip, 2)
    rest = numbers(floats_of(Inner, room=4))
    whole_rest = wholes(ints_of(Inner, room=4))


class Both(Table):
    """Two arrays."""

    first = float_array()
    second = int_array()


@entry
def write_strips(table, room):
    arrays = open_table(Both, table)
    sized = open_memory(Sized, arrays.first, arrays.second)
    for i in range(2):
        for k in range(3):
            sized.strip[i].row[k] = 10.0 * i + k
    inner = open_memory(Inner, sized.rest, sized.whole_rest, room)
    inner.index[room - 1] = len(arrays.second)
    floats, ints = memory_sizes(Inner, room)
    stored, _ = memory_sizes(Outer, 3, 5, 2)
    return floats, ints, stored


def test_strips_sizes_and_tables():
    layout = Sized.layout()
    floats, ints = layout.new_floats(), layout.new_ints()
    assert write_strips(Both.of(first=floats, second=ints), 4) == (8, 4, Outer.layout(**GIVEN).floats)
    fields = layout.open(floats, ints)
    assert (fields.strip.row == [[0, 1, 2], [10, 11, 12]]).all()
    assert floats[: layout.place("rest").start].tolist() == [0, 0, 1, 2, 0, 0, 10, 11, 12, 0]
    assert ints.tolist() == [0, 0, 0, 4]
    with pytest.raises(LayoutError, match="Both: lacks second"):
        Both.of(first=floats)
    with pytest.raises(LayoutError, match=r"Both\.second: expected int64, got float64"):
        Both.of(first=floats, second=floats)
    with pytest.raises(LayoutError, match="has two arrays of the name 'a'"):
        class Double(Table):
            a = int_array()
            a = float_array()


def test_every_number_has_one_place():
    """Fields one after the other, without gaps; those that share numbers begin where the others do."""
    layout = Outer.layout(**GIVEN)
    taken = {False: np.zeros(layout.floats, int), True: np.zeros(layout.ints, int)}
    taken[True][:2] += 1  # stored counts
    for name in ("ball", "link", "v", "matrix", "time", "flag", "middle", "last"):
        place = layout.place(name)
        taken[place.ints][place.part] += 1
    inner = layout.inner("inner")
    assert (inner.floats, inner.ints) == (22, 11)
    assert sorted(taken[False]) == [0] * 22 + [1] * (layout.floats - 22)
    assert sorted(taken[True]) == [0] * 11 + [1] * (layout.ints - 11)
    assert layout.place("again").start == layout.place("matrix").start


def test_rows_of_worlds_and_stored_counts():
    layout = Outer.layout(**GIVEN)
    rows = np.arange(4.0 * layout.floats).reshape(4, -1)
    fields = layout.open(rows, axis=1)
    assert (fields.v == rows[:, layout.place("v").part]).all()
    assert fields.ball.mass.shape == (4, 3)
    again = Outer.layout_of(layout.new_ints(), extra=2)
    assert (again.floats, again.ints, again.row) == (layout.floats, layout.ints, 8)


def test_what_does_not_fit_is_named():
    layout = Outer.layout(**GIVEN)
    with pytest.raises(LayoutError, match=r"Outer: lacks extra; does not know other"):
        Outer.layout(bodies=3, nv=5, other=2)
    with pytest.raises(LayoutError, match="Outer: nv must be a whole number, 0 or more, got -1"):
        Outer.layout(bodies=3, nv=-1, extra=2)
    with pytest.raises(LayoutError, match=rf"Outer: has {layout.floats} floats, got {layout.floats - 1}"):
        layout.open(np.zeros(layout.floats - 1))
    with pytest.raises(LayoutError, match="Outer: its floats are not an array of int64"):
        layout.open(np.zeros(layout.floats, np.int64))
    with pytest.raises(LayoutError, match="Outer: expected floats of float64, got float32"):
        layout.check(np.zeros(layout.floats, np.float32), None, dtype=np.float64)
    with pytest.raises(LayoutError, match="Outer has no field 'w'; it has ball"):
        layout.place("w")
    with pytest.raises(AttributeError, match="Outer has no field 'w' here"):
        _ = layout.open(np.zeros(layout.floats)).w


def test_declarations_that_cannot_be():
    with pytest.raises(LayoutError, match="Twice has two fields of the name 'v'"):
        class Twice(Memory):
            nv = Count()
            v = numbers(nv)
            v = numbers(nv + 1)

    with pytest.raises(LayoutError, match=r"Over.b: .* numbers do not fit into a"):
        class Over(Memory):
            a = numbers(4)
            b = same(a, float, 5)

    with pytest.raises(LayoutError, match=r"Kinds.b: a has numbers of another kind"):
        class Kinds(Memory):
            a = numbers(4)
            b = same(a, int, 4)

    with pytest.raises(LayoutError, match="a shape is made of counts and whole numbers, not of 'nv'"):
        class Text(Memory):
            v = numbers("nv")

    with pytest.raises(LayoutError, match="part Inner: lacks room; does not know size"):
        class Parts(Memory):
            v = part(Inner, size=3)


@entry
def open_wrongly(floats, ints):
    return open_memory(Inner, floats, ints, 2).room


@entry
def open_short(floats, ints):
    return open_memory(Inner, floats, ints).room


def test_kernels_complain_when_compiled():
    from numba.core.errors import TypingError

    with pytest.raises(TypingError, match="Inner: its floats are not int64"):
        open_wrongly(np.zeros(4, np.int64), np.zeros(2, np.int64))
    with pytest.raises(TypingError, match="Inner: its ints are an int64 view of width 1"):
        open_wrongly(np.zeros(4), np.zeros(2))
    with pytest.raises(TypingError, match=r"Inner is opened with \(floats, ints, room\), got 2 arguments"):
        open_short(np.zeros(4), np.zeros(2, np.int64))


def test_fields_that_are_not_there_are_told_and_copies_do_not_look_for_them():
    fields = Fields("Some", {"a": np.arange(3.0)})
    with pytest.raises(AttributeError, match="Some has no field 'b' here; it has a"):
        _ = fields.b
    for other in (copy.deepcopy(fields), pickle.loads(pickle.dumps(fields))):
        np.testing.assert_array_equal(other.a, fields.a)
