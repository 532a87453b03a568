"""Bringing a figure to where its virtual links hold, and saying so where they do not."""

from typing import Any

import numpy as np

from hitogata.dynamics.batches import scratch, status_of
from hitogata.dynamics.dispatch import Array, Input, check
from hitogata.dynamics.integration import advance
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.model import callable_model_of
from hitogata.errors import ArgumentError
from hitogata.figure import State
from hitogata.lanes import X1, entry, kernel, lanes, open_memory, tail
from hitogata.loops.arguments import as_rows, check_finite, positive
from hitogata.loops.closed_form import meet
from hitogata.loops.layout import LinkMemory, bench_size, open_bench
from hitogata.loops.link_set import LinkHandle, Links, links_of
from hitogata.loops.pivots import TOLERANCE
from hitogata.loops.row_values import link_rows
from hitogata.loops.singular import settle_once

CLOSED = 1e-6
"""How far apart links may be that `closed` has brought together [m, rad]."""

APART, DRIFTED = 1e-5, 1e-2
"""How far apart rigid links may be where motion begins; and where nothing is put right on the way [m, rad]."""


WAYS_OUT = 10
"""Steps that may lead away from the links, so that a search does not end where they are near but do not meet."""


def closed(
    links: Links, state: State, *, tolerance: float = CLOSED, iterations: int = 50, rank_tolerance: float = TOLERANCE
) -> State:
    """The nearest state in which all rigid links hold, in the metric of the mass matrix.

    Newton's method on the rows' values, with shorter steps where the whole one would not bring them nearer.  Loops that
    hold more than they need (a planar four-bar closed by a hinge) contradict themselves by the error of their geometry;
    that part is least in the sense of least squares, and may be up to `tolerance`.

    Args:
        links: the virtual links, with their figure.
        state: of one figure; a guess.
        tolerance: how far apart links may be at the end [m, rad].
        iterations: most steps of Newton's method.
        rank_tolerance: as `tolerance` of `constrained_dynamics`.

    Raises:
        ArgumentError: the links cannot be closed from there, or contradict each other.
    """
    model = callable_model_of(links_of(links).figure)
    if not isinstance(state, State):
        raise ArgumentError("state: expected the State of one figure")
    inputs = (Input("q", state.q, (model.nq,)), Input("v", state.v, (model.nv,)))
    rows, single = as_rows(inputs, links.figure)
    if not single:
        raise ArgumentError("state: expected the State of one figure")
    if not isinstance(iterations, int | np.integer) or iterations < 0:
        raise ArgumentError(f"iterations: must be a whole number, not negative, got {iterations!r}")
    most = positive("tolerance", tolerance)
    out: Array = np.concatenate([rows[0][0], rows[1][0], np.zeros(1)])
    rank = positive("rank_tolerance", rank_tolerance)
    if model.follows:
        from hitogata.loops.followed import followed_closed  # SciPy's splines, for those who need them

        check_finite(links.figure, inputs, out)
        q, v = followed_closed(links, rows[0][0], rows[1][0], rank, int(iterations), WAYS_OUT)
        out = np.concatenate([q, v, np.zeros(1)])
    else:
        figure, held = (model.ints, model.floats), (links.ints, links.floats)
        check(close_up(*figure, *held, model.zeros, rank, int(iterations), out), links.figure, inputs)
    result = State(out[: model.nq].copy(), out[model.nq : -1].copy())
    handle, gap = farthest(links, link_rows(links, result.q).value)
    if handle is not None and gap > most:
        raise ArgumentError(
            f"the virtual links cannot be closed from this pose: {gap:.3g} m or rad are left at {named(links, handle)} "
            f"after {iterations} steps (tolerance {most:g}); start nearer, or remove links that contradict each other"
        )
    return result


def check_together(links: Links, value: Array, *, drifted: bool = False, only: Any = None) -> None:
    """An ArgumentError if the frames of a rigid link are apart.

    Args:
        links: the virtual links.
        value: of their rows.
        drifted: whether nothing is put right on the way, so that a little drift is to be expected.
        only: handles to look at; None: all.
    """
    handle, gap = farthest(links, value, only)
    if handle is None or gap <= (DRIFTED if drifted else APART):
        return
    link, own = links[handle], value[links.rows_of(handle)]
    slides = 1 if link.length is not None else 3 - sum(link.slides)
    away, turned = float(np.linalg.norm(own[:slides])), float(np.linalg.norm(own[slides:]))
    what = f"is {away:.3g} m longer or shorter than its length" if link.length is not None else (
        f"joins two frames that are {away:.3g} m apart" + (f", and turned by {turned:.3g} rad" if turned > 1e-9 else "")
    )
    raise ArgumentError(
        f"{named(links, handle)} {what}: nothing moved.  Bring the figure there with closed(links, state), or make the "
        "link where the figure is with here(figure, q, link)"
    )


def farthest(links: Links, value: Array, only: Any = None) -> tuple[LinkHandle | None, float]:
    """The rigid link that is farthest from holding, and how far [m, rad]."""
    worst: tuple[LinkHandle | None, float] = (None, 0.0)
    for handle, link in links.links:
        if link.rigid and (only is None or handle in only):
            gap = float(np.abs(value[links.rows_of(handle)]).max(initial=0.0))
            if gap > worst[1] or np.isnan(gap):
                worst = handle, gap
    return worst


def named(links: Links, handle: LinkHandle) -> str:
    """A virtual link and both its ends."""
    parent = links[handle].parent
    return f"{handle} to {'the world' if parent is None else repr(parent)}"


# ------------------------------------------------------- entries


@entry
def close_up(ints, floats, link_ints, link_floats, zeros, tolerance, iterations, out):
    """Newton's method on one state; out is [q | v | ...]."""
    tree = open_tree(ints, floats)
    held = open_memory(LinkMemory, link_floats, link_ints)
    size = bench_size(tree, held.rows)
    memory = scratch(size + 2 * tree.nv + 2 * tree.nq, out, X1)
    order = np.empty(held.rows + 1, np.int64)
    view = lanes(memory, X1)
    bench = open_bench(tree, link_ints, link_floats, view, lanes(order, X1))
    q, v = lanes(out, X1), tail(lanes(out, X1), tree.nq)
    close_links(bench, q, v, lanes(zeros, X1), tolerance, iterations, tail(view, size))
    return status_of(tree, q, v, None, None, q, tree.nq + tree.nv)


@kernel
def close_links(bench, q, v, none, tolerance, iterations, room):
    """Steps of Newton's method; those that bring the links no nearer are shortened, or else taken for a way out."""
    tree = bench.tree
    turn, rest, back, best = room, tail(room, tree.nv), tail(room, 2 * tree.nv), tail(room, 2 * tree.nv + tree.nq)
    copy(none, rest, tree.nv)
    copy(q, best, tree.nq)
    now = apart(bench, q, rest)
    least, stuck = now, 0
    for _ in range(iterations):
        copy(q, back, tree.nq)
        if stuck <= WAYS_OUT:
            settle_once(bench, q, rest, none, tolerance, 0.0, True, turn)
            copy(none, rest, tree.nv)
            share, new = 1.0, apart(bench, q, rest)
            while not new < now and share > 1e-2:
                share = 0.5 * share
                advance(tree, back, turn, share, q)
                new = apart(bench, q, rest)
            if not new < 0.999 * now:
                stuck += 1
                advance(tree, back, turn, 1.0, q)
                new = apart(bench, q, rest)
            if new < least:
                least = new
                copy(q, best, tree.nq)
            now = new
    copy(best, q, tree.nq)
    settle_once(bench, q, v, none, tolerance, 0.0, True, turn)  # velocities that the links allow there
    copy(best, q, tree.nq)


@kernel
def copy(source, target, count):
    """So many numbers."""
    for k in range(count):
        target[k] = source[k]


@kernel
def apart(bench, q, v):
    """Sum of the squares of the rigid rows' values."""
    meet(bench, q, v, v, False)
    total = 0.0
    for n in range(bench.links.held):
        total = total + bench.links.row[n].value * bench.links.row[n].value
    return total
