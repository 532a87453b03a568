"""Hypothesis, forces, validity: at most three passes (Nakamura & Yamane 2000, §4.3, 4.9).

All six motions of every patch were whitened once, so that a pass picks rows of B = H A⁻¹ Hᵀ by its hypotheses, solves
the small system, and judges.  Rows of virtual links are held in every pass.
"""

from hitogata.lanes import kernel, sqrt, tail
from hitogata.loops.contacts.elimination import eliminate
from hitogata.loops.contacts.hypotheses import write_forces, write_held
from hitogata.loops.contacts.layout import CORNERS, MOST_PASSES, NONE, SLIDE, STICK, SURFACE
from hitogata.loops.contacts.pgs import sweep_forces
from hitogata.loops.contacts.validity import judge, press_corner
from hitogata.loops.pivots import factorise, product, solve


@kernel
def find_forces(bench, floor, patches, held, need, scale, impact, force):
    """Forces of all rows with B force = need where held, valid for every patch.

    Args:
        bench: with B in bench.reply; its first `held` rows are those of virtual links.
        floor: the patches, with their first hypotheses, and `rate`.
        patches: how many.
        held: rows of virtual links.
        need: change of every row that would be right, had all been held.
        scale: what `need` and forces are to be multiplied with to become velocities and impulses.
        impact: whether they are impulses; then what let go must not close.
        force: where the forces go.

    Returns:
        Passes taken; whether the forces are right: 1, the last pass was valid; 2, none was, and they were found by
        sweeps (`pgs`); 0, these did not settle either; and what `solve_pass` said of the last pass.
    """
    links = bench.links
    passes, good, rank = 0, 0, -1
    while passes < MOST_PASSES and good == 0:
        rank = solve_pass(bench, floor, patches, held, need, force)
        passes += 1
        good = 1
        for p in range(patches):
            after = tail(bench.spare, 5 * links.stride)
            row = held + 6 * p
            if floor.ints[p].slip != STICK:  # what sticks is judged by its forces alone
                for k in range(6):
                    total = product(bench.reply, (row + k) * links.stride, force, held + 6 * patches)
                    # the rate after: what was needed is what takes it to its target
                    after[k] = floor.rate[6 * p + k] + (total - need[row + k]) * scale + floor.goal[6 * p + k]
            hull, w = tail(floor.corner, 3 * CORNERS * p), tail(force, row)
            wrong = judge(floor.patch[p], floor.ints[p], hull, w, tail(floor.rate, 6 * p), after, floor.rules)
            if wrong == 1:
                good = 0
        if good == 1 and impact and press_again(bench, floor, patches, held, force):
            good = 0
    if good != 1:
        rank = -1
    if good == 0:
        good = 2 * sweep_forces(bench, floor, patches, held, need, scale, force)
    return passes, good, rank


@kernel
def press_again(bench, floor, patches, held, force):
    """Does a patch that let go close at a corner all the same?  Then that corner presses."""
    links, found, after = bench.links, False, tail(bench.spare, 5 * bench.links.stride)
    for p in range(patches):
        own, hull = floor.ints[p], tail(floor.corner, 3 * CORNERS * p)
        if own.state == NONE:
            for k in range(2, 5):
                change = product(bench.reply, (held + 6 * p + k) * links.stride, force, held + 6 * patches)
                after[k] = floor.rate[6 * p + k] + change
            fastest, corner = -floor.rules.still, -1
            for c in range(own.corners):
                speed = after[2] + hull[3 * c + 1] * after[3] - hull[3 * c] * after[4]
                if speed < fastest:
                    fastest, corner = speed, c
            if corner >= 0:
                press_corner(floor.patch[p], own, hull, corner)
                found = True
    return found


@kernel
def solve_pass(bench, floor, patches, held, need, force):
    """Forces of all rows under the present hypotheses.

    Where all motions of all patches are held, every row is an unknown, and B itself is the matrix.  Then its rank is
    returned, for `solve_whole`; else -1.
    """
    if whole(floor, patches):
        rows, left = held + 6 * patches, tail(bench.spare, bench.links.stride)
        rank = factorise(bench.reply, bench.factor, bench.order, bench.spare, left, rows, bench.links.stride,
                         floor.rules.tolerance)  # fmt: skip
        solve_whole(bench, rows, rank, need, force)
        return rank
    solve_some(bench, floor, patches, held, need, force)
    return -1


@kernel
def whole(floor, patches):
    """Does every patch stand on all of its region, and stick?"""
    for p in range(patches):
        own = floor.ints[p]
        if own.state != SURFACE or own.slip != STICK or floor.patch[p].spin != 0.0:
            return False
    return True


@kernel
def solve_whole(bench, rows, rank, need, force):
    """Forces with B force = need, by the factor of B that is there."""
    spare, stride = bench.spare, bench.links.stride
    left, work = tail(spare, stride), tail(spare, 4 * stride)
    solve(bench.factor, bench.order, spare, left, bench.small, work, need, force, rows, rank, stride)


@kernel
def solve_some(bench, floor, patches, held, need, force):
    """Forces where only some motions are held."""
    links, spare = bench.links, bench.spare
    stride, matrix = links.stride, bench.work
    count, slides = held, 0
    for p in range(patches):
        g, f = tail(floor.held, 36 * p), tail(floor.forces, 36 * p)
        own = write_held(floor.patch[p], floor.ints[p], g)
        write_forces(floor.patch[p], g, own, f)
        floor.first[p] = count
        floor.unknowns[p] = own
        count += own
        if own > 0 and (floor.ints[p].slip == SLIDE or floor.patch[p].spin != 0.0):
            slides = 1
    right, x, moved = tail(spare, 2 * stride), tail(spare, 3 * stride), tail(spare, 4 * stride)
    for n in range(held):
        right[n] = need[n]
        for m in range(held):
            matrix[n * stride + m] = bench.reply[n * stride + m]
    for p in range(patches):
        for k in range(floor.unknowns[p]):
            column, f = floor.first[p] + k, tail(floor.forces, 36 * p + 6 * k)
            for n in range(held):
                matrix[n * stride + column] = picked(bench.reply, n * stride + held + 6 * p, f)
            for o in range(patches):
                for m in range(6):  # what this force does to the six motions of each patch ...
                    moved[m] = picked(bench.reply, (held + 6 * o + m) * stride + held + 6 * p, f)
                for i in range(floor.unknowns[o]):  # ... and to those of them that are held
                    matrix[(floor.first[o] + i) * stride + column] = picked(floor.held, 36 * o + 6 * i, moved)
            g = tail(floor.held, 36 * p + 6 * k)
            for n in range(held):
                matrix[column * stride + n] = picked(bench.reply, n * stride + held + 6 * p, g)
            right[column] = picked(need, held + 6 * p, g)
    solve_system(bench, floor, right, x, count, slides)
    for n in range(held):
        force[n] = x[n]
    for p in range(patches):
        for m in range(6):
            total = 0.0
            for k in range(floor.unknowns[p]):
                total = total + floor.forces[36 * p + 6 * k + m] * x[floor.first[p] + k]
            force[held + 6 * p + m] = total


@kernel
def picked(view, at, six):
    """Product of six numbers with six others."""
    return (view[at] * six[0] + view[at + 1] * six[1] + view[at + 2] * six[2] + view[at + 3] * six[3]
            + view[at + 4] * six[4] + view[at + 5] * six[5])  # fmt: skip


@kernel
def solve_system(bench, floor, right, x, count, slides):
    """Symmetric unless something slides."""
    stride, spare, tolerance = bench.links.stride, bench.spare, floor.rules.tolerance
    if slides == 0:
        left, work = tail(spare, stride), tail(spare, 4 * stride)
        rank = factorise(bench.work, bench.factor, bench.order, spare, left, count, stride, tolerance)
        solve(bench.factor, bench.order, spare, left, bench.small, work, right, x, count, rank, stride)
    else:
        scale = spare
        for n in range(count):  # rows and columns of one size
            d = bench.work[n * stride + n]
            scale[n] = 1.0
            if d > 0.0:
                scale[n] = 1.0 / sqrt(d)
        for n in range(count):
            right[n] = right[n] * scale[n]
            for m in range(count):
                bench.work[n * stride + m] = bench.work[n * stride + m] * scale[n] * scale[m]
        eliminate(bench.work, right, x, bench.order, count, stride, tolerance)
        for n in range(count):
            x[n] = x[n] * scale[n]
