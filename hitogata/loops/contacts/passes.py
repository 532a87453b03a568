"""Hypothesis, forces, validity: at most three passes (Nakamura & Yamane 2000, §4.3, 4.9).

All six motions of every patch were whitened once, so that a pass picks rows of B = H A⁻¹ Hᵀ by its hypotheses, solves
the small system, and judges.  Rows of virtual links are held in every pass.
"""

from hitogata.lanes import kernel, sqrt, tail
from hitogata.loops.contacts.elimination import eliminate
from hitogata.loops.contacts.hypotheses import write_forces, write_held
from hitogata.loops.contacts.layout import CORNERS, MOST_PASSES, SLIDE
from hitogata.loops.contacts.sweeping import sweep_forces
from hitogata.loops.contacts.validity import judge
from hitogata.loops.pivots import factorise, solve


@kernel
def find_forces(bench, floor, patches, held, need, scale, force):
    """Forces of all rows with B force = need where held, valid for every patch.

    Args:
        bench: with B in bench.reply; its first `held` rows are those of virtual links.
        floor: the patches, with their first hypotheses, and `rate`.
        patches: how many.
        held: rows of virtual links.
        need: change of every row that would be right, had all been held.
        scale: what `need` and forces are to be multiplied with to become velocities and impulses.
        force: where the forces go.

    Returns:
        Passes taken, and whether the forces are right: 1, the last pass was valid; 2, none was, and they were found by
        sweeps (`sweeping`); 0, these did not settle either.
    """
    links = bench.links
    passes, good = 0, 0
    while passes < MOST_PASSES and good == 0:
        solve_pass(bench, floor, patches, held, need, force)
        passes += 1
        good = 1
        for p in range(patches):
            after = tail(bench.spare, 5 * links.stride)
            row = held + 6 * p
            for k in range(6):
                total = product(bench.reply, (row + k) * links.stride, force, held + 6 * patches)
                # the rate after: what was needed is what takes it to its target
                after[k] = floor.rate[6 * p + k] + (total - need[row + k]) * scale + floor.goal[6 * p + k]
            hull, w = tail(floor.corner, 3 * CORNERS * p), tail(force, row)
            wrong = judge(floor.patch[p], floor.ints[p], hull, w, tail(floor.rate, 6 * p), after, floor.rules[0])
            if wrong == 1:
                good = 0
    if good == 0:
        good = 2 * sweep_forces(bench, floor, patches, held, need, scale, force)
    return passes, good


@kernel
def solve_pass(bench, floor, patches, held, need, force):
    """Forces of all rows under the present hypotheses."""
    links, spare = bench.links, bench.spare
    stride, rows, matrix = links.stride, held + 6 * patches, bench.work
    count, slides = held, 0
    for p in range(patches):
        g, f = tail(floor.held, 36 * p), tail(floor.forces, 36 * p)
        own = write_held(floor.patch[p], floor.ints[p], g)
        write_forces(floor.patch[p], g, own, f)
        floor.first[p] = count
        floor.many[p] = own
        count += own
        if own > 0 and (floor.ints[p].slip == SLIDE or floor.patch[p].spin != 0.0):
            slides = 1
    right, x, moved = tail(spare, 2 * stride), tail(spare, 3 * stride), tail(spare, 4 * stride)
    for n in range(held):
        right[n] = need[n]
        for m in range(held):
            matrix[n * stride + m] = bench.reply[n * stride + m]
    for p in range(patches):
        for k in range(floor.many[p]):
            column, f = floor.first[p] + k, tail(floor.forces, 36 * p + 6 * k)
            for n in range(held):
                matrix[n * stride + column] = picked(bench.reply, n * stride + held + 6 * p, f)
            for o in range(patches):
                for m in range(6):  # what this force does to the six motions of each patch ...
                    moved[m] = picked(bench.reply, (held + 6 * o + m) * stride + held + 6 * p, f)
                for i in range(floor.many[o]):  # ... and to those of them that are held
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
            for k in range(floor.many[p]):
                total = total + floor.forces[36 * p + 6 * k + m] * x[floor.first[p] + k]
            force[held + 6 * p + m] = total
    return rows


@kernel
def product(row, at, column, count):
    """Σ row[at + n] column[n], in four sums that do not wait for each other."""
    a, b, c, d, whole = 0.0, 0.0, 0.0, 0.0, count // 4 * 4
    for n in range(0, whole, 4):
        a = a + row[at + n] * column[n]
        b = b + row[at + n + 1] * column[n + 1]
        c = c + row[at + n + 2] * column[n + 2]
        d = d + row[at + n + 3] * column[n + 3]
    for n in range(whole, count):
        a = a + row[at + n] * column[n]
    return a + b + (c + d)


@kernel
def picked(view, at, six):
    """Product of six numbers with six others."""
    return (view[at] * six[0] + view[at + 1] * six[1] + view[at + 2] * six[2] + view[at + 3] * six[3]
            + view[at + 4] * six[4] + view[at + 5] * six[5])  # fmt: skip


@kernel
def solve_system(bench, floor, right, x, count, slides):
    """Symmetric unless something slides."""
    stride, spare, tolerance = bench.links.stride, bench.spare, floor.rules[0].tolerance
    if slides == 0:
        left, work = tail(spare, stride), tail(spare, 4 * stride)
        rank = factorise(bench.work, bench.factor, bench.order, spare, left, count, stride, tolerance)
        solve(bench.factor, bench.order, spare, bench.small, work, right, x, count, rank, stride)
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
