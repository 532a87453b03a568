"""Running a kernel on one state, or on rows of a batch.

Every kernel of this room that Python calls has the same form:

    core(tree, work, q, v, x, wrenches, options, out)

with tree: the figure; work: its scratch, a flat view; q, v, x, wrenches: flat views, or None where it does not need
them (x stands for tau, vdot, or other coordinates); options: what else it takes (a frame, a time step); out: flat view
of its result.
"""

import numpy as np

from hitogata.dynamics.layout import BALL, FREE, open_tree
from hitogata.lanes import (
    X1,
    absolute,
    all_lanes,
    given,
    inline,
    is_finite,
    kernel,
    lanes,
    pack,
    tail,
    unpack,
    view_or_none,
    where,
)

GOOD, BAD_SIZE, BAD_VALUE = 0, 1, 2
"""What an entry returns; `calling` finds out what was wrong and says it."""


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
    core(tree, lanes(work, X1), states, view_or_none(v), view_or_none(x), view_or_none(wrenches), options, results)
    return status_of(tree, states, results, out.size)


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
        core(tree, own, q_lanes, given(v, v_lanes), given(x, x_lanes), given(wrenches, push_lanes), options, results)
        status = max(status, status_of(tree, q_lanes, results, out.shape[1]))
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
def status_of(tree, q, out, count):
    """GOOD if the quaternions of q are unit and the results are finite, else BAD_VALUE.

    Bad numbers in any argument reach the results, so that those alone need looking at; but a free joint's position, on
    which accelerations do not depend.
    """
    wrong = 0.0
    for k in range(count):
        wrong = wrong + out[k] * 0.0
    for i in range(tree.bodies):
        joint = tree.joint[i]
        at = joint.iq
        if joint.kind == FREE:
            wrong = wrong + off_finite(q[at], q[at + 1], q[at + 2])
            at = at + 3
        if joint.kind == FREE or joint.kind == BALL:
            wrong = wrong + off_unit(q[at], q[at + 1], q[at + 2], q[at + 3])
    if all_lanes(wrong == 0.0):
        return GOOD
    return BAD_VALUE


@inline
def off_unit(w, x, y, z):
    """1 unless the norm of a quaternion is 1 within 1e-6 (also for NaN)."""
    return where(absolute(w * w + x * x + y * y + z * z - 1.0) < 2e-6, 0.0, 1.0)


@inline
def off_finite(x, y, z):
    """1 unless all are finite."""
    return where(is_finite(x + y + z), 0.0, 1.0)
