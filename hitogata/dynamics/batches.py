"""Running a kernel on one state, or on rows of a batch.

Every kernel of this room that Python calls has the same form:

    core(tree, work, q, v, x, wrenches, options, out)

with tree: the figure; work: its scratch, a flat view; q, v, x, wrenches: flat views, or None where it does not need
them (x stands for tau, vdot, or other coordinates); options: what else it takes (a frame, a time step); out: flat view
of its result.
"""

import numpy as np

from hitogata.dynamics.joints import off_coordinates
from hitogata.dynamics.layout import open_tree
from hitogata.lanes import (
    X1,
    all_lanes,
    given,
    kernel,
    lanes,
    pack,
    tail,
    unpack,
    view_or_none,
)

GOOD, BAD_SIZE, BAD_VALUE = 0, 1, 2
"""What an entry returns; `dispatch` finds out what was wrong and says it."""


@kernel
def run_one(core, size, ints, floats, q, v, x, wrenches, options, out):
    """One state with x like v.  `size`: numbers of scratch per body."""
    if length(x, ints[2]) != ints[2]:
        return BAD_SIZE
    return run_any(core, size, ints, floats, q, v, x, wrenches, options, out)


@kernel
def run_any(core, size, ints, floats, q, v, x, wrenches, options, out):
    """One state; the size of x is the caller's care."""
    if q.size != ints[1] or length(v, ints[2]) != ints[2] or length(wrenches, 6 * ints[3]) != 6 * ints[3]:
        return BAD_SIZE
    work = scratch(ints[0] * size, out, X1)
    return _run_one(core, ints, floats, q, v, x, wrenches, options, out, work)


@kernel
def _run_one(core, ints, floats, q, v, x, wrenches, options, out, work):
    tree, states, results = open_tree(ints, floats), lanes(q, X1), lanes(out, X1)
    v_view, x_view, pushes = view_or_none(v), view_or_none(x), view_or_none(wrenches)
    core(tree, lanes(work, X1), states, v_view, x_view, pushes, options, results)
    return status_of(tree, states, v_view, x_view, pushes, results, out.size)


@kernel
def run_rows(core, size, ints, floats, q, v, x, wrenches, options, out, first, end, width):
    """Rows first to end of a batch, `width` at a time."""
    numbers = ints[0] * size + 2 * ints[1] + ints[2] + 6 * ints[3] + out.shape[1]
    work = scratch(numbers, out, width)
    return _run_rows(core, size, ints, floats, q, v, x, wrenches, options, out, first, end, width, work)


@kernel
def _run_rows(core, size, ints, floats, q, v, x, wrenches, options, out, first, end, width, work):
    tree, status, own = open_tree(ints, floats), GOOD, lanes(work, width)
    q_lanes = tail(own, tree.bodies * size)
    v_lanes = tail(q_lanes, tree.nq)
    x_lanes = tail(v_lanes, tree.nv)
    push_lanes = tail(x_lanes, tree.nq)
    results = tail(push_lanes, 6 * tree.links)
    for row in range(first, end, width.n):
        pack(q, row, q_lanes)
        pack_if(v, row, v_lanes)
        pack_if(x, row, x_lanes)
        pack_if(wrenches, row, push_lanes)
        v_now, x_now, pushes = given(v, v_lanes), given(x, x_lanes), given(wrenches, push_lanes)
        core(tree, own, q_lanes, v_now, x_now, pushes, options, results)
        status = max(status, status_of(tree, q_lanes, v_now, x_now, pushes, results, out.shape[1]))
        unpack(results, out, row)
    return status


# ------------------------------------------------------- arguments that may be None


@kernel
def length(array, otherwise):
    """Size of an array, or `otherwise` if there is none."""
    if array is None:
        return otherwise
    return array.size


@kernel
def pack_if(array, row, view):
    """Pack the rows of an array, if there is one."""
    if array is not None:
        pack(array, row, view)


# ------------------------------------------------------- scratch, and the check every kernel ends with


@kernel
def scratch(count, like, width):
    """Room for `count` lane elements, on a 64-byte border; the caller holds it while views of it are in use."""
    raw = np.empty(count * width.n + 64, like.dtype)
    skip = (-raw.ctypes.data % 64) // raw.itemsize
    return raw[skip:]


@kernel
def status_of(tree, q, v, x, wrenches, out, count):
    """GOOD if arguments and results are finite, and the quaternions of q unit; else BAD_VALUE.

    Results alone would not do: not every argument reaches them (the angle of an arm does not move the head).
    """
    wrong = off_finite(out, count)
    for i in range(tree.bodies):
        if tree.joint[i].count > 0:
            wrong = wrong + off_coordinates(tree.joint[i], q)
    if v is not None:
        wrong = wrong + off_finite(v, tree.nv)
    if x is not None:
        wrong = wrong + off_finite(x, tree.nv)
    if wrenches is not None:
        wrong = wrong + off_finite(wrenches, 6 * tree.links)
    if all_lanes(wrong == 0.0):
        return GOOD
    return BAD_VALUE


@kernel
def off_finite(view, count):
    """0 if all numbers are finite, else NaN.  Four sums, that additions do not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = count - count % 4
    for k in range(0, whole, 4):
        a, b = a + view[k] * 0.0, b + view[k + 1] * 0.0
        c, d = c + view[k + 2] * 0.0, d + view[k + 3] * 0.0
    for k in range(whole, count):
        a = a + view[k] * 0.0
    return (a + b) + (c + d)
