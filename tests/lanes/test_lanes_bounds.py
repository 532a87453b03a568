"""HITOGATA_CHECK=1: a step out of a view is an error that names the field; nothing else is written to."""

import os
import subprocess
import sys

import numpy as np
import pytest

from hitogata.lanes import (
    CHECKED,
    X1,
    X4,
    Count,
    Memory,
    OutOfBoundsError,
    entry,
    lanes,
    many,
    numbers,
    open_memory,
    packed,
    record,
    tail,
    wholes,
)

checked = pytest.mark.skipif(not CHECKED, reason="needs HITOGATA_CHECK=1")


@record
class Spot:
    x: float
    y: float


class Table(Memory):
    """Three fields."""

    count = Count()
    first = numbers(count)
    spot = many(Spot, count)
    order = wholes(count)
    last = numbers(count)


@entry
def fill(floats, ints, count, numbers_written, spots_written, orders_written, width):
    table = open_memory(Table, lanes(floats, width, 0), lanes(ints, X1), count)
    for k in range(numbers_written):
        table.first[k] = table.first[0] * 0.0 + 1.0
    for k in range(spots_written):
        table.spot[k].y = table.first[0] * 0.0 + 2.0
    for k in range(orders_written):
        table.order[k] = 3


@entry
def sum_of(floats, start, count):
    rest, total = tail(lanes(floats, X1), start), 0.0
    for k in range(count):
        total += rest[k]
    return total


@entry
def double(floats, count):
    view = packed(lanes(floats, X1))
    for k in range(0, count, view.step):
        view[k] = view[k] * 2.0


def room(width, count=3):
    layout = Table.layout(count=count)
    return layout, layout.new_floats(blocks=1, width=width.n), layout.new_ints()


@checked
@pytest.mark.parametrize("width", [X1, X4])
def test_a_step_out_of_a_field_is_named(width):
    layout, floats, ints = room(width)
    fill(floats, ints, 3, 3, 3, 3, width)
    assert (layout.open(floats, ints, axis=1).first == 1.0).all()
    with pytest.raises(OutOfBoundsError, match=rf"Table.first: {8 * width.n} bytes at {24 * width.n}, of"):
        fill(floats, ints, 3, 4, 3, 3, width)
    with pytest.raises(OutOfBoundsError, match=r"Table\.spot"):
        fill(floats, ints, 3, 3, 5, 3, width)
    with pytest.raises(OutOfBoundsError, match=r"Table\.order"):
        fill(floats, ints, 3, 3, 3, 4, width)
    fields = layout.open(floats, axis=1)
    assert (fields.spot.y == 2.0).all()
    assert not fields.spot.x.any()
    assert not fields.last.any()
    fill(floats, ints, 3, 3, 3, 3, width)  # and the next call is well


@checked
def test_a_wrong_size_is_named_when_it_is_opened():
    _, floats, ints = room(X1, count=4)
    with pytest.raises(OutOfBoundsError, match=r"Table\.last"):
        fill(floats, ints, 5, 0, 0, 0, X1)
    with pytest.raises(OutOfBoundsError, match=r"Table\.order"):
        fill(floats, ints[:-1], 4, 0, 0, 0, X1)


@checked
def test_arrays_and_tails_end_too():
    numbers_ = np.arange(6.0)
    assert sum_of(numbers_, 2, 4) == 14.0
    with pytest.raises(OutOfBoundsError, match="an array: 8 bytes at 32, of 32"):
        sum_of(numbers_, 2, 5)
    with pytest.raises(OutOfBoundsError, match="an array"):
        sum_of(numbers_, 7, 0)
    with pytest.raises(OutOfBoundsError, match="an array"):
        sum_of(numbers_, -1, 1)
    double(np.ones(8), 5)
    with pytest.raises(OutOfBoundsError, match="an array: 32 bytes at 32, of 40"):
        double(np.ones(5), 5)


@pytest.mark.skipif(CHECKED, reason="these are the checks themselves")
def test_checks_in_a_process_of_their_own():
    """The tests above, and those of views and records."""
    names = ("test_lanes_bounds.py", "test_lanes_memory.py")
    files = [os.path.join(os.path.dirname(__file__), name) for name in names]
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files], text=True,
                         env={**os.environ, "HITOGATA_CHECK": "1"}, capture_output=True, check=False)  # fmt: skip
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
