"""The motion as it is wanted, in kernels: smoothed, on its footholds, and what it needs from the ground."""

from hitogata.dynamics.integration import advance, subtract
from hitogata.filter.linear_kernels import fill_gram, put_back, solve_cholesky
from hitogata.filter.range_kernels import clamp_joints
from hitogata.filter.state_kernels import load_matrix, look, look_at_soles, tree_of, turn_of
from hitogata.filter.tables import SOLE, BodyMemory, FrameTable, WorkMemory
from hitogata.lanes import (
    X1,
    Floats,
    Ints,
    Number,
    absolute,
    entry,
    kernel,
    lanes,
    maximum,
    minimum,
    open_memory,
    open_table,
)
from hitogata.spatial import cross, load3, store3

LONGEST = 0.5
"""No joint turns farther within a step [rad]."""
AT_END = 0.01
"""How readily joints move that were at the end of their range, against 1."""


@kernel
def find_misses(body, turn, place, work):
    """How far soles are from where they should be, into work.right: [rotation vector; way] of each, world axes."""
    for f in range(body.feet):
        here = load_matrix(work.soles, SOLE * f)
        store3(work.right, 6 * f, turn_of(load_matrix(turn, 9 * f) @ here.T))
        store3(work.right, 6 * f + 3, load3(place, 3 * f) - load3(work.soles, SOLE * f + 9))


@kernel
def fit_soles(body, wanted, turn, place, ease, give, rounds, work, q):
    """One pose.

    Args:
        body: a `BodyMemory`.
        wanted: coordinates.
        turn, place: of the soles.
        ease: how readily each velocity changes.
        give: how readily soles miss their places, against joints [rad²], [m²].
        rounds: how many steps.
        work: a `WorkMemory`.
        q: coordinates, written.
    """
    nv, count = body.nv, 6 * body.feet
    tree = tree_of(body)
    clamp_joints(body, wanted, q, work.watch, work.moved)
    for _ in range(rounds):
        look_at_soles(body, q, work)
        find_misses(body, turn, place, work)
        subtract(tree, q, wanted, work.wanted)
        for j in range(nv):
            work.ease[j] = ease[j] * AT_END if work.moved[j] == 1 else ease[j]
        fill_gram(work.jacobian, work.ease, count, nv, work.matrix, 0.0)
        for i in range(count):
            t = work.right[i]
            for j in range(nv):
                t -= work.jacobian[i * nv + j] * work.wanted[j]
            work.reply[i] = t
            work.matrix[i * count + i] += give[i]
        solve_cholesky(work.matrix, work.reply, count)
        put_back(work.jacobian, work.ease, work.reply, count, nv, work.change)
        size = 1e-9
        for j in range(nv):
            work.change[j] += work.wanted[j]
            size = maximum(size, absolute(work.change[j]))
        advance(tree, q, work.change, minimum(1.0, LONGEST / size), work.trial)
        clamp_joints(body, work.trial, q, work.watch, work.moved)


@entry(
    table=Ints(2), wanted=Floats(2), turn=Floats(2), place=Floats(2), ease=Floats(2), give=Floats(2),
    q=Floats(2, write=True),
)  # fmt: skip
def fit_rows(table, wanted, turn, place, ease, give, rounds, q):
    """`fit_soles` of many poses, one row each; table: a `FrameTable`."""
    given = open_table(FrameTable, table)
    body = open_memory(BodyMemory, given.body_floats, given.body_ints)
    work = open_memory(WorkMemory, given.work_floats, given.work_ints)
    for k in range(wanted.shape[0]):
        fit_soles(
            body, lanes(wanted, X1, k), lanes(turn, X1, k), lanes(place, X1, k), lanes(ease, X1, k),
            lanes(give, X1, k), rounds, work, lanes(q, X1, k),
        )  # fmt: skip


@kernel
def smooth_pose(tree, q, k, weights, nv, work, out):
    """Pose k of several, shape (n, nq), with weights over its neighbours; beyond the ends the motion is mirrored."""
    n, half = q.shape[0], weights.shape[0] // 2
    now = lanes(q, X1, k)
    for j in range(nv):
        work.wanted[j] = 0.0
    for i in range(-half, half + 1):
        other = k + i
        inside = min(max(other, 0), n - 1)
        subtract(tree, now, lanes(q, X1, inside), work.change)
        if inside != other:
            back = min(max(2 * inside - other, 0), n - 1)
            subtract(tree, lanes(q, X1, back), lanes(q, X1, inside), work.after)
            for j in range(nv):
                work.change[j] += work.after[j]
        for j in range(nv):
            work.wanted[j] += weights[half + i] * work.change[j]
    advance(tree, now, work.wanted, 1.0, out)


@entry(table=Ints(2), q=Floats(2), weights=Floats(1), out=Floats(2, write=True))
def smooth_rows(table, q, weights, out):
    """Poses with a filter over them, on the manifold; see `reference.smoothed`."""
    given = open_table(FrameTable, table)
    body = open_memory(BodyMemory, given.body_floats, given.body_ints)
    work = open_memory(WorkMemory, given.work_floats, given.work_ints)
    tree = tree_of(body)
    for k in range(q.shape[0]):
        smooth_pose(tree, q, k, weights, body.nv, work, lanes(out, X1, k))


@kernel
def take_rates(tree, q, h, v, vdot):
    """Velocities with which poses were reached, and accelerations from frame to frame."""
    n, nv = v.shape[0], v.shape[1]
    for k in range(1, n):
        subtract(tree, lanes(q, X1, k - 1), lanes(q, X1, k), lanes(v, X1, k))
        for j in range(nv):
            v[k, j] /= h
    for j in range(nv):
        v[0, j], vdot[n - 1, j] = v[1, j], 0.0
        for k in range(1, n - 1):
            vdot[k, j] = (v[k + 1, j] - v[k, j]) / h
        vdot[0, j] = vdot[1, j] if n > 2 else 0.0
        v[0, j] = v[1, j] - h * vdot[0, j]


@entry(
    table=Ints(2), q=Floats(2), h=Number(), v=Floats(2, write=True), vdot=Floats(2, write=True),
    whole=Floats(2, write=True), soles=Floats(2, write=True),
)  # fmt: skip
def need_rows(table, q, h, v, vdot, whole, soles):
    """Rates of a motion, what its whole body needs, and its soles' frames.

    whole: com (3), its velocity (3), spin (3), inertia (9), force (3), torque about the centre of mass (3), rotation
    of the root (9), one row for each frame.
    """
    given = open_table(FrameTable, table)
    body = open_memory(BodyMemory, given.body_floats, given.body_ints)
    work = open_memory(WorkMemory, given.work_floats, given.work_ints)
    nv = body.nv
    take_rates(tree_of(body), q, h, v, vdot)
    for k in range(q.shape[0]):
        for i in range(body.nq):
            work.q[i] = q[k, i]
        for j in range(nv):
            work.v[j] = v[k, j]
        look(body, work)
        row = lanes(whole, X1, k)
        store3(row, 0, load3(work.com, 0))
        store3(row, 3, load3(work.com_rate, 0))
        store3(row, 6, load3(work.spin, 0))
        for i in range(9):
            row[9 + i] = work.inertia[i]
            row[24 + i] = work.turn[i]
        for i in range(6):
            t = work.bias[i]
            for j in range(nv):
                t += work.mass[i * nv + j] * vdot[k, j]
            work.reply[i] = t
        force = load3(work.reply, 3)
        store3(row, 18, force)
        store3(row, 21, load3(work.reply, 0) - cross(load3(work.com, 0) - load3(work.q, 0), force))
        for i in range(SOLE * body.feet):
            soles[k, i] = work.soles[i]
