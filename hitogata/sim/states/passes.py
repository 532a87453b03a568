"""Hypothesis, impulses, validity: at most three passes (Nakamura & Yamane 2000, §4.3, 4.9)."""

from typing import NamedTuple

from hitogata.constraints.islands import CHAINED
from hitogata.constraints.layout import SPRING
from hitogata.constraints.points import prepare_point
from hitogata.lanes import kernel, packed, sqrt, tail
from hitogata.loops.contacts.elimination import eliminate
from hitogata.loops.contacts.hypotheses import write_forces, write_held
from hitogata.loops.contacts.layout import CORNERS, MOST_PASSES, SLIDE, STICK, SURFACE
from hitogata.loops.contacts.passes import picked
from hitogata.loops.contacts.validity import judge
from hitogata.loops.pivots import product
from hitogata.sim.states.active_points import find_pressing
from hitogata.sim.states.held_rows import list_plain
from hitogata.sim.states.impulse_application import push_all, take_back, worst_closing, write_impulses
from hitogata.sim.states.layout import MOST_ROWS
from hitogata.sim.states.patch_collection import BLEND, gather, slow
from hitogata.sim.states.response import fill_replies

MISSED = 1e-4
"""A limit or contact that is not held may be closed at, beyond what its law allows, by no more than this [m/s]."""

STILL = 1e-7
"""What moves slower stands still [m/s], [rad/s]."""

DEPENDENT = 1e-10
"""Share of the largest pivot below which a row depends on the others."""


class Sliding(NamedTuple):
    """What `judge` needs to know of the rules."""

    still: float
    blend: float


@kernel
def solve_by_states(scene, rows, n, around, room, law, first):
    """Impulses of an island; returns how many patches it has, from `first` on, and the worst speed left to mend.

    The latter is below zero if there is no consistent answer: then nothing has changed, and the sweeps must do it.
    """
    if rows.islands.heap[n] == CHAINED:
        note(rows, n, room.tally, 0, -1.0, False)
        return 0, -1.0
    prepare_some(rows, n)
    plain, count, passes, worst, fits = list_plain(rows, n, room), 0, 0, -1.0, True
    find_pressing(rows, n, room)
    while passes < MOST_PASSES and worst < 0.0 and fits:
        if plain <= MOST_ROWS:
            count = gather(scene, rows, n, around, room, law, first, plain)
        fits = plain <= MOST_ROWS and count < MOST_ROWS
        if fits:
            fill_replies(rows, room, plain, count, first)
            good = False
            while passes < MOST_PASSES and not good:
                solve_pass(room, plain, count, first)
                passes += 1
                good = judge_all(room, plain, count, first, law)
            if good and not within_limits(rows, room, plain):
                passes, good = MOST_PASSES, False  # springs at their limits are the business of the sweeps
            if good:
                write_impulses(scene, rows, n, room, plain, count, first)
                push_all(rows, n, room, plain, count, first, 1.0)
                worst = worst_closing(rows, n)
                if worst > MISSED:  # contacts close that nobody thought of
                    take_back(rows, n, around, room, plain, count, first, law, MISSED)
                    worst = -1.0
    note(rows, n, room.tally, passes, worst, fits)
    if not fits:
        count = 0
    return count, worst


@kernel
def within_limits(rows, room, plain):
    """Is no spring's impulse greater than it may be?"""
    for r in range(plain):
        own = room.row_int[r]
        if own.point >= 0 and own.axis == 0 and rows.point_int[own.point].kind == SPRING:
            p, most = room.row[r].impulse, rows.point[own.point].friction
            p = p * p + room.row[r + 1].impulse * room.row[r + 1].impulse
            if p + room.row[r + 2].impulse * room.row[r + 2].impulse > most * most:
                return False
    return True


@kernel
def note(rows, n, tally, passes, worst, fits):
    """Count what happened to an island with contacts."""
    if rows.islands.point_start[n + 1] > rows.islands.point_start[n]:
        tally.islands += 1.0
        if worst >= 0.0:
            tally.passes[passes] += 1.0
        else:
            tally.swept += 1.0
            if not fits:
                tally.too_large += 1.0


@kernel
def prepare_some(rows, n):
    """Laws of ties and bouncing contacts hang on their own replies."""
    islands, end = rows.islands, 0
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if rows.point_int[p].tie == 1 or rows.point[p].bounce > 0.0:
            end = prepare_point(rows, p, end)


@kernel
def solve_pass(room, plain, patches, first):
    """Impulses of all rows under the present hypotheses, into the rows and the patches' wrenches."""
    if all_held(room, plain, patches, first):
        solve_whole(room, plain, patches, first)
    else:
        solve_some(room, plain, patches, first)


@kernel
def all_held(room, plain, patches, first):
    """Are all plain rows held, and all motions of all patches?"""
    for r in range(plain):
        if room.row_int[r].held == 0:
            return False
    for i in range(first, first + patches):
        if room.ints[i].state != SURFACE or room.ints[i].slip != STICK or room.patch[i].spin != 0.0:
            return False
    return True


@kernel
def solve_whole(room, plain, patches, first):
    """Impulses where every row is an unknown, and B itself the matrix."""
    count = plain + 6 * patches
    for r in range(count):
        room.right[r] = -(room.row[r].speed + room.row[r].bias)
    solve_scaled(room, room.reply, count, False)
    for r in range(count):
        room.row[r].impulse = room.unknown[r]
    for k in range(6 * patches):
        room.force[6 * first + k] = room.unknown[plain + k]


@kernel
def solve_some(room, plain, patches, first):
    """Impulses where only some rows are held."""
    count, slides = choose_unknowns(room, plain, patches, first)
    for r in range(plain):
        if room.column[r] >= 0:
            at = room.column[r]
            room.right[at] = -(room.row[r].speed + room.row[r].bias)
            for s in range(plain):
                if room.column[s] >= 0:
                    room.matrix[at * MOST_ROWS + room.column[s]] = room.reply[r * MOST_ROWS + s]
    for i in range(patches):
        for k in range(room.unknowns[i]):
            fill_unknown(room, plain, patches, i, k)
    solve_scaled(room, room.matrix, count, slides)
    for r in range(plain):
        room.row[r].impulse = 0.0
        if room.column[r] >= 0:
            room.row[r].impulse = room.unknown[room.column[r]]
    for i in range(patches):
        for m in range(6):
            total = 0.0
            for k in range(room.unknowns[i]):
                total = total + room.forces[36 * i + 6 * k + m] * room.unknown[room.first[i] + k]
            room.force[6 * (first + i) + m] = total
            room.row[plain + 6 * i + m].impulse = total


@kernel
def choose_unknowns(room, plain, patches, first):
    """Number what is held; returns how many, and whether sliding makes the matrix lopsided."""
    count, slides = 0, False
    for r in range(plain):
        room.column[r] = -1
        if room.row_int[r].held == 1:
            room.column[r] = count
            count += 1
    for i in range(patches):
        g = tail(room.held, 36 * i)
        own = write_held(room.patch[first + i], room.ints[first + i], g)
        write_forces(room.patch[first + i], g, own, tail(room.forces, 36 * i))
        room.first[i] = count
        room.unknowns[i] = own
        count += own
        if own > 0 and (room.ints[first + i].slip == SLIDE or room.patch[first + i].spin != 0.0):
            slides = True
    return count, slides


@kernel
def fill_unknown(room, plain, patches, i, k):
    """Column of the matrix for a held force of a patch; its row for plain unknowns; its right side."""
    at, rows_at = room.first[i] + k, plain + 6 * i
    f, g = tail(room.forces, 36 * i + 6 * k), tail(room.held, 36 * i + 6 * k)
    for s in range(plain):
        if room.column[s] >= 0:
            room.matrix[room.column[s] * MOST_ROWS + at] = picked(room.reply, s * MOST_ROWS + rows_at, f)
            room.matrix[at * MOST_ROWS + room.column[s]] = picked(room.reply, s * MOST_ROWS + rows_at, g)
    for o in range(patches):
        for m in range(6):  # what this force does to the six motions of each patch ...
            room.scale[m] = picked(room.reply, (plain + 6 * o + m) * MOST_ROWS + rows_at, f)
        for j in range(room.unknowns[o]):  # ... and to those of them that are held
            room.matrix[(room.first[o] + j) * MOST_ROWS + at] = picked(room.held, 36 * o + 6 * j, room.scale)
    total = 0.0
    for m in range(6):
        total = total - g[m] * (room.row[rows_at + m].speed + room.row[rows_at + m].bias)
    room.right[at] = total


@kernel
def solve_scaled(room, given, count, slides):
    """given unknown = right, with rows and columns brought to one size first; room.matrix is overwritten."""
    for n in range(count):
        d = given[n * MOST_ROWS + n]
        room.scale[n] = 1.0
        if d > 0.0:
            room.scale[n] = 1.0 / sqrt(d)
    source, matrix, scale = packed(given), packed(room.matrix), packed(room.scale)
    for n in range(count):
        room.right[n] = room.right[n] * room.scale[n]
        for m in range(0, count, matrix.step):
            matrix[n * MOST_ROWS + m] = source[n * MOST_ROWS + m] * scale[m] * room.scale[n]
    if slides:
        eliminate(room.matrix, room.right, room.unknown, room.order, count, MOST_ROWS, DEPENDENT)
    else:
        solve_symmetric(room.matrix, room.right, room.unknown, count)
    for n in range(count):
        room.unknown[n] = room.unknown[n] * room.scale[n]


@kernel
def solve_symmetric(matrix, right, x, count):
    """By the factor U of matrix = Uᵀ D⁻¹ U, in its upper half; what depends on unknowns before it becomes zero.

    D is the diagonal of U, on which its reciprocals are left.  Several columns at once, up to three beyond the last.
    """
    many, rest = packed(matrix), packed(right)
    for n in range(count):
        row = n * MOST_ROWS
        for m in range(n // many.step * many.step, count, many.step):
            value = many[row + m]
            for k in range(n):
                value = value - many[k * MOST_ROWS + m] * (matrix[k * MOST_ROWS + n] * matrix[k * MOST_ROWS + k])
            many[row + m] = value
        if matrix[row + n] > DEPENDENT:
            matrix[row + n] = 1.0 / matrix[row + n]
        else:
            matrix[row + n] = 0.0
        value = right[n] * matrix[row + n]
        for m in range(n + 1, count, many.step):
            rest[m] = rest[m] - many[row + m] * value
    for n in range(count - 1, -1, -1):
        at = n * MOST_ROWS + n
        x[n] = (right[n] - product(matrix, at + 1, tail(x, n + 1), count - n - 1)) * matrix[at]


@kernel
def judge_all(room, plain, patches, first, law):
    """Are all impulses such as limits, ropes and rough floors can give?  If not, hypotheses have changed."""
    good, total = True, plain + 6 * patches
    for r in range(plain):
        own, row = room.row_int[r], room.row[r]
        if own.pushes == 1:
            if own.held == 1:
                if row.impulse < 0.0:
                    own.held = 0
                    good = False
            elif row.speed + row.bias + reply_to(room, r, total) < -MISSED:
                own.held = 1
                good = False
    for i in range(patches):
        p, at, after = first + i, plain + 6 * i, room.scale
        if room.ints[p].slip != STICK:  # what sticks is judged by its impulses alone
            for k in range(6):
                after[k] = room.row[at + k].speed + reply_to(room, at + k, total)
                if abs(after[k]) < STILL:
                    after[k] = 0.0
        rules = Sliding(slow(room.patch[p], law), BLEND)
        hull, w, rate = tail(room.corner, 3 * CORNERS * p), tail(room.force, 6 * p), tail(room.rate, 6 * p)
        if judge(room.patch[p], room.ints[p], hull, w, rate, after, rules) == 1:
            good = False
    return good


@kernel
def reply_to(room, r, total):
    """What all impulses do to a row's speed."""
    value = 0.0
    for s in range(total):
        value = value + room.reply[r * MOST_ROWS + s] * room.row[s].impulse
    return value
