"""Arrays made in an entry live as long as views of them may be in use, and no longer."""

import resource

import numpy as np

from hitogata.lanes import X1, Floats, entry, kernel, lanes

SIZE = 300_000
"""Numbers of an array that goes back to the system as soon as it is freed."""


@kernel
def fill(view, count, value):
    """Set all numbers."""
    for k in range(count):
        view[k] = value


@kernel
def total(view, count):
    """Sum of all numbers."""
    value = 0.0
    for k in range(count):
        value += view[k]
    return value


@entry(out=Floats(1, write=True))
def use_views_late(out, count, turns):
    """Views are used when their arrays are no longer named; one array is made anew in each turn of a loop."""
    memory = np.empty(count)
    view, first = lanes(memory, X1), 0.0
    for _ in range(turns):
        again = np.empty(count)
        other = lanes(again, X1)
        fill(view, count, 1.0)
        fill(other, count, 2.0)
        first += total(other, count)
    out[0] = first
    out[1] = total(view, count)
    return count


def test_views_outlive_the_names_of_their_arrays():
    out = np.zeros(2)
    use_views_late(out, SIZE, 3)
    assert list(out) == [6.0 * SIZE, SIZE]


def test_nothing_is_left_behind():
    out = np.zeros(2)
    use_views_late(out, SIZE, 2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        use_views_late(out, SIZE, 2)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # [kB]; an array has 2,300
