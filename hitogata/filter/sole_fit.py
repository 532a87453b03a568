"""Poses nearest to some with the soles on their ways: damped Gauss-Newton steps, in kernels."""

from hitogata.dynamics.integration import advance, subtract
from hitogata.filter.linear_kernels import fill_gram, put_back, solve_cholesky
from hitogata.filter.range_kernels import clamp_joints
from hitogata.filter.state_kernels import load_matrix, look_at_soles, tree_of, turn_of
from hitogata.filter.tables import SOLE, BodyMemory, FrameTable, WorkMemory
from hitogata.lanes import X1, Floats, Ints, absolute, entry, kernel, lanes, maximum, minimum, open_memory, open_table
from hitogata.spatial import load3, store3

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
