"""Through singular poses: where rows of closed loops become dependent for a moment.

A parallelogram with all links in line could go on as a parallelogram or crossed.  There B has a pivot that vanishes
like the square of the way to that pose, and the part of the force that keeps the motion on its branch is a small error
divided by it.  The motion itself is smooth: velocity tells the branch.  So within a small zone about the pose the
accelerations (and forces) are the means of those at poses on both sides,

    a(t) = ½ (a(t - τ) + a(t + τ)) + O(τ²)

which are found by moving along ±τ v, and back onto the links, and are far enough away for B to be regular.  Within the
zone, drift is put right only in directions that can be told from rounding.

`notes` has what is remembered of a run: [rank elsewhere, border of the zone, stages of the step in the zone, those of
them that found no regular poses].
"""

from hitogata.dynamics.integration import advance
from hitogata.lanes import absolute, kernel, maximum, minimum, tail
from hitogata.loops.closed_form import close, couple, hold, meet, unknowns
from hitogata.loops.recursion import give_way

ZONE = 1e-8
"""Least pivot at the border of the zone, by the least pivot elsewhere: 1e-4 of the way."""

OUTSIDE = 100.0
"""Pivots on both sides are greater than the border's by this."""

WAY = 2e-3
"""First try of τ times the fastest velocity [rad, m]."""

TRIES = 8
"""Of ways, each twice as long."""

NOTES = 4

SMALL = 1e-7
"""A correction greater than this is followed by another [rad, m]."""


@kernel
def room_size(tree, rows):
    """Numbers of scratch."""
    return tree.nq + 3 * tree.nv + rows + 8


@kernel
def look_around(bench, room, q, v, tau, tolerance, notes):
    """Rank and least pivot here or beside, where it goes or would begin to; and the border of the zone."""
    tree, way = bench.tree, tail(room, bench.tree.nq)
    for k in range(tree.nv):
        way[k] = v[k]
    if fastest_of(v, tree.nv) == 0.0:
        close(bench, q, v, tau, v, False, 0.0, tolerance, True, way)
    fastest = fastest_of(way, tree.nv)
    rank, least = pivots(bench, q, v, tau, tolerance)
    for side in range(2):
        if fastest > 0.0:
            advance(tree, q, way, (2.0 * side - 1.0) * 100.0 * WAY / fastest, room)
            more, pivot = pivots(bench, room, v, tau, tolerance)
            if more > rank or (more == rank and pivot > least):
                rank, least = more, pivot
    notes[0] = rank
    notes[1] = ZONE * minimum(least, 1.0)


@kernel
def fastest_of(v, count):
    """Largest velocity."""
    most = 0.0
    for k in range(count):
        most = maximum(most, absolute(v[k]))
    return most


@kernel
def pivots(bench, q, v, tau, tolerance):
    """Rank and least pivot of the rigid links' rows in a pose."""
    meet(bench, q, v, v, False)
    give_way(bench.tree, bench.limb, v, tau)
    return couple(bench, bench.links.held, tolerance, 0.0, True)


@kernel
def close_through(bench, room, q, v, tau, wrenches, pushed, stabilise, tolerance, firm, notes, out):
    """Accelerations into `out`, forces into the rows, as `close`; in a singular pose too.

    Not so with compliant links that are too stiff for the step: then it is only seen.
    """
    links = bench.links
    stiff = unknowns(links) > links.held
    if stiff:
        rank, least = pivots(bench, q, v, tau, tolerance)
        close(bench, q, v, tau, wrenches, pushed, stabilise, tolerance, firm, out)
    else:
        rank, _, least = close(bench, q, v, tau, wrenches, pushed, stabilise, tolerance, firm, out)
    if links.held == 0:
        return
    if rank > notes[0]:  # it was singular until now
        notes[0] = rank
    if rank == notes[0] and least >= notes[1]:
        notes[1] = maximum(notes[1], ZONE * minimum(least, 1.0))
        return
    notes[2] = notes[2] + 1.0
    way, fastest, found = WAY, fastest_of(v, bench.tree.nv), 0
    while fastest > 0.0 and not stiff and found == 0 and way < WAY * 2.0**TRIES:
        found = mean_of_sides(bench, room, q, v, tau, wrenches, pushed, stabilise, tolerance, notes, way / fastest)
        way = 2.0 * way
    if found == 0:
        notes[3] = notes[3] + 1.0
        close(bench, q, v, tau, wrenches, pushed, stabilise, maximum(tolerance, notes[1]), firm, out)
        return
    mean, forces = tail(room, bench.tree.nq + 2 * bench.tree.nv), tail(room, bench.tree.nq + 3 * bench.tree.nv)
    meet(bench, q, v, wrenches, pushed)
    for k in range(bench.tree.nv):
        out[k] = mean[k]
    for n in range(links.rows):
        links.row[n].force = forces[n]


@kernel
def mean_of_sides(bench, room, q, v, tau, wrenches, pushed, stabilise, tolerance, notes, time):
    """Means of accelerations and forces some time before and after, into `room`; 0 if it is singular there too.

    Of means over times τ and 2 τ, so that their errors cancel: (4 mean(τ) - mean(2 τ))/3 + O(τ⁴).
    """
    tree, links = bench.tree, bench.links
    place, speed, part = room, tail(room, tree.nq), tail(room, tree.nq + tree.nv)
    mean, forces = tail(room, tree.nq + 2 * tree.nv), tail(room, tree.nq + 3 * tree.nv)
    for k in range(tree.nv):
        mean[k] = 0.0
    for n in range(links.rows):
        forces[n] = 0.0
    for n in range(4):
        far, weight = 1.0, 2.0 / 3.0
        if n > 1:
            far, weight = 2.0, -1.0 / 6.0
        advance(tree, q, v, (2.0 * (n % 2) - 1.0) * far * time, place)
        for k in range(tree.nv):
            speed[k] = v[k]
        settle(bench, place, speed, tau, tolerance, 0.0, True, part)
        rank, _, least = close(bench, place, speed, tau, wrenches, pushed, stabilise, tolerance, True, part)
        if rank < notes[0] or least < OUTSIDE * notes[1]:
            return 0
        for k in range(tree.nv):
            mean[k] = mean[k] + weight * part[k]
        for m in range(links.rows):
            forces[m] = forces[m] + weight * links.row[m].force
    return 1


# ------------------------------------------------------- what has drifted


@kernel
def settle(bench, q, v, tau, tolerance, drop, correct, turn):
    """Bring values and rates of rows to their goals, by Newton's method; `turn`: room for nv numbers.

    Rows whose pivot is below `drop` are left as they are; and those of rigid links, unless `correct`.
    """
    again, turns = True, 0
    while again and turns < 4:
        again = settle_once(bench, q, v, tau, tolerance, drop, correct, turn) > SMALL
        turns += 1


@kernel
def settle_once(bench, q, v, tau, tolerance, drop, correct, turn):
    """One step of Newton's method on values, one on rates; returns the greatest change of a coordinate."""
    tree, links = bench.tree, bench.links
    meet(bench, q, v, v, False)
    give_way(tree, bench.limb, v, tau)
    count, right, change = unknowns(links), tail(bench.spare, 2 * links.stride), tail(bench.change, tree.nv)
    rank, _ = couple(bench, count, tolerance, drop, True)
    for n in range(count):
        right[n] = 0.0
        if settled(links, n, correct):
            right[n] = links.row[n].goal - links.row[n].value
    hold(bench, count, rank, right)
    for k in range(tree.nv):
        turn[k] = change[k]
    for n in range(count):
        right[n] = 0.0
        if settled(links, n, correct):
            right[n] = links.row[n].goal_rate - links.row[n].rate
    hold(bench, count, rank, right)
    for k in range(tree.nv):
        v[k] = v[k] + change[k]
    advance(tree, q, turn, 1.0, q)
    return fastest_of(turn, tree.nv)


@kernel
def settled(links, n, correct):
    """Whether a row is brought to its goal."""
    return (correct and n < links.held) or links.row[n].lag > 0.0
