"""The one loop of steps: of a single world, and of worlds side by side in lanes.

A step in which something is fast is cut into pieces (`pieces`).  A piece is taken again if motors were supposed to be
at their limits that are not, if something turned too far in it (in more pieces), or if something would pass something
else (to where they touch, see `impacts`).

Worlds side by side take the same steps, but not the same pieces of them: h is a number per world, and a world whose
step is done, or that has become non-finite, is put back after each further piece.
"""

from typing import Any, NamedTuple

from hitogata.dynamics.layout import Tree
from hitogata.lanes import all_lanes, any_lane, kernel, lanes, maximum, minimum, negated, records, where
from hitogata.sim.contact_lists import Lists, list_at, next_list, save_list, take_list
from hitogata.sim.impacts import MOST_RETAKES
from hitogata.sim.layout import CAPACITY, CONTACTS, EARLIER, FOUND, LAST_LIST, START, START_COUNT, TIES, open_law
from hitogata.sim.motors import suppose
from hitogata.sim.pair_list import PAIRS, ROOM
from hitogata.sim.pieces import MOST_PIECES, fastest, pieces_for
from hitogata.sim.point_rows import Neighbours, Surroundings
from hitogata.sim.substeps import TIME, Told, forget_earlier


class Kind(NamedTuple):
    """The kernels in which worlds differ.

    touch, find_gap: find the points of a pair of shapes, and its gap; see `point_rows.Surroundings`.
    core(parts, around, law, old contacts, passes, start, going, last_try): takes a piece; returns how many contacts
        there were, what `pieces.sliding` says, what `motors.note_motors` does, and the share of the piece after which
        something would pass.
    note(parts, told, around, law, contacts, counts, start, more): sums up what a piece did that is not the last of its
        step; returns how much room for contacts that took.
    log(told, counts, around, contacts, begin, h, taken, several): a piece counts.
    stand(done, fails): which worlds are not put back.
    take_back(worlds, earlier, saved): a step could not be taken, after so many pieces; was the list of contacts saved?
    parts: whatever these need.
    """

    touch: Any
    find_gap: Any
    core: Any
    note: Any
    log: Any
    stand: Any
    take_back: Any
    parts: Any


class Kept(NamedTuple):
    """Flat views of the state and of springs and ropes: now, before the step, before its last piece."""

    state: lanes  # type: ignore[valid-type]
    before: lanes  # type: ignore[valid-type]
    piece: lanes  # type: ignore[valid-type]
    states: int
    ties: lanes  # type: ignore[valid-type]
    old_ties: lanes  # type: ignore[valid-type]
    piece_ties: lanes  # type: ignore[valid-type]
    tie_numbers: int
    tie: records  # type: ignore[valid-type]


class Worlds(NamedTuple):
    """Views of the worlds that take steps."""

    kept: Kept
    lists: Lists
    neighbours: Neighbours
    told: Told
    tree: Tree  # of the joints,
    views: Any  # and their state: when they turn fast, a step is cut
    checked: Any  # the state that must stay finite
    guess: lanes  # type: ignore[valid-type]  # (nv,): see `motors`
    law: lanes  # type: ignore[valid-type]  # see `layout.open_law`
    fall: float
    islands: float
    zero: float  # of the width of the worlds


@kernel
def run_steps(kind, worlds, dead, steps, timing):
    """Steps of h; returns how many are left, how many each world took, which are non-finite, and room for contacts that
    was lacking, or 0: then all worlds are where that step began.

    dead: worlds that take no steps; timing: h, and what `pieces_for` is to know.
    """
    (h, longest, fast_turn), kept, lists, told = timing, worlds.kept, worlds.lists, worlds.told
    tree, views, counts, zero, lacking, total = worlds.tree, worlds.views, lists.counts, worlds.zero, 0, worlds.zero
    while steps > 0 and lacking == 0 and not all_lanes(dead):
        forget_substeps(worlds)
        keep_start(kept, lists)
        start, start_ties = kept.before, kept.old_ties
        left, taken = zero + h, zero
        pieces = where(dead, 0.0, pieces_for(fastest(tree, views, left), (0.0, 0.0), left, longest, fast_turn, 0.0))
        again, first, saved, passes, earlier = dead & negated(dead), True, False, zero, zero
        share, retakes, parts_of_pieces, patience = zero + 1.0, zero, zero, zero + 1.0
        while any_lane(pieces > 0.0):
            if not first:
                copy(kept.state, kept.piece, kept.states)
                copy(kept.ties, kept.piece_ties, kept.tie_numbers)
                start, start_ties = kept.piece, kept.piece_ties
            going, earlier = pieces > 0.0, taken
            length = where(going, left / maximum(pieces, 1.0) * share, h)
            law = open_law(worlds.law, length, patience * length / h, views.last[0], worlds.fall, worlds.islands)
            around = look_around(worlds.neighbours, lists, kept.tie)
            found, slide, mistaken, impact = kind.core(
                kind.parts, around, law, counts[CONTACTS], passes, start, going, retakes >= MOST_RETAKES
            )
            counts[FOUND] = found
            if found > counts[CAPACITY] or around.broad.head[PAIRS] > around.broad.head[ROOM]:
                lacking = max(found, 1)
                break
            used, well = taken - parts_of_pieces, finite_state(worlds.checked)
            needed = pieces_for(fastest(tree, views, left), slide, left, longest, fast_turn, used)
            supposing = going & (mistaken > 0.0)  # once more, with other motors at their limits
            retry = going & negated(supposing) & (needed > pieces) & negated(again) & (used + pieces < MOST_PIECES)
            hits = going & negated(supposing | retry) & (impact < 1.0)  # once more, to where something touches
            done = going & negated(retry | supposing | hits)
            fails = done & negated(well)
            done, dead = done & well, dead | fails
            put_back(kept, start, start_ties, kind.stand(done, fails), fails)
            if any_lane(supposing | retry | hits):
                suppose(worlds.guess, views.motor, tree.nv, supposing | retry | hits)
            passes = where(supposing, passes + 1.0, 0.0)
            patience = where(supposing | retry | hits, 0.0, patience)  # what is taken again is to cost no more
            views.last[0] = where(done, length, views.last[0])
            more = maximum(minimum(needed, MOST_PIECES - used), pieces + 1.0)  # too far in one go: once more
            part, begin = done & (share < 1.0), total * h + h - left
            pieces = where(dead, 0.0, where(retry, more, where(done & (share >= 1.0), pieces - 1.0, pieces)))
            left, taken = where(done, left - length, left), where(done, taken + 1.0, taken)
            parts_of_pieces = where(part, parts_of_pieces + 1.0, parts_of_pieces)
            share = where(hits, share * impact, where(supposing, share, 1.0))
            retakes = where(hits, retakes + 1.0, retakes)
            again = retry | (again & (supposing | hits))
            if first and any_lane(pieces > 0.0):
                save_list(lists)
                saved = True
            listed = found
            found = take_list(lists, found, done | dead)
            if found > counts[CAPACITY]:
                lacking = found
                break
            several = done & (pieces > 0.0)
            if any_lane(several):
                wanted = kind.note(kind.parts, told, around, law, listed, counts, start, several)
                if wanted > counts[CAPACITY]:
                    counts[FOUND] = wanted
                    lacking = wanted
                    break
            if any_lane(done):
                kind.log(told, counts, around, listed, begin, length, taken, any_lane(several))
            first = False
        if lacking > 0:
            copy(kept.before, kept.state, kept.states)
            copy(kept.old_ties, kept.ties, kept.tie_numbers)
            kind.take_back(worlds, earlier, saved)
        else:
            if any_lane(dead) and all_lanes(dead):
                kind.take_back(worlds, earlier, saved)
            total = where(dead, total, total + 1.0)
            steps -= 1
    return steps, total, dead, lacking


@kernel
def look_around(neighbours, lists, ties):
    """Views of the shapes, and of the contacts of this step and of the last."""
    old, n = lists.counts[LAST_LIST], neighbours
    contacts, points = list_at(lists, next_list(old))
    old_contacts, old_points = list_at(lists, old)
    return Surroundings(
        n.touch, n.find_gap, n.near, n.shapes, n.skins, n.work, n.broad, contacts, points, old_contacts, old_points,
        lists.counts[CAPACITY], lists.counts[TIES], ties, n.tie_ints,
    )  # fmt: skip


@kernel
def forget_substeps(worlds):
    """Before a step: what the earlier pieces of the last one did is told no more."""
    told, counts = worlds.told, worlds.lists.counts
    if any_lane(told.sums.head[TIME] > 0.0):
        forget_earlier(told.sums, told.numbers, worlds.kept.tie, counts[TIES])
        counts[EARLIER] = 0


@kernel
def copy(source, target, count):
    """Copy numbers of all worlds."""
    for k in range(count):
        target[k] = source[k]


@kernel
def keep_start(kept, lists):
    """Note where the step begins."""
    copy(kept.state, kept.before, kept.states)
    copy(kept.ties, kept.old_ties, kept.tie_numbers)
    lists.counts[START], lists.counts[START_COUNT] = lists.counts[LAST_LIST], lists.counts[CONTACTS]


@kernel
def put_back(kept, start, start_ties, standing, fails):
    """Worlds that are not done with their piece stand where it began; those that failed, where their step began."""
    if not all_lanes(standing):
        for k in range(kept.states):
            kept.state[k] = where(standing, kept.state[k], where(fails, kept.before[k], start[k]))
        for k in range(kept.tie_numbers):
            kept.ties[k] = where(standing, kept.ties[k], where(fails, kept.old_ties[k], start_ties[k]))


@kernel
def finite(view, count):
    """Are all numbers finite?"""
    total = 0.0
    for k in range(count):
        total = total + view[k] * 0.0
    return total == 0.0


@kernel
def finite_state(state):
    """Are all places and velocities finite?"""
    return finite(state.q, state.nq) & finite(state.v, state.nv)
