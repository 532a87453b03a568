"""Forward dynamics with virtual links by assembly: rows close in the smallest piece that holds both their bodies.

The closed form (`closed_form`) gathers all rows in one matrix B; here each loop is closed by itself, inside the
assembly where its two ends meet (Yamane & Nakamura 2002), and rows to the world last of all.  Where rows depend on
each other, B tells the rank and the least forces, so the closed form answers.
"""

from typing import Any

import numpy as np

from hitogata.dynamics.assembly.executor import open_job
from hitogata.dynamics.assembly.expansion import followed_rates, followed_state, followers_of
from hitogata.dynamics.assembly.followers import open_followers
from hitogata.dynamics.assembly.plans import program_for
from hitogata.dynamics.assembly.sweeps import SINGULAR, assemble, disassemble, mobility
from hitogata.dynamics.batches import BAD_SIZE, scratch, status_of
from hitogata.dynamics.dispatch import REFUSED, Array, Input, check, no_torque, vector
from hitogata.dynamics.layout import GRAVITY, open_tree
from hitogata.dynamics.model import callable_model_of, model_of
from hitogata.errors import ArgumentError
from hitogata.lanes import X1, Floats, Ints, entry, kernel, lanes, open_memory, tail
from hitogata.loops.arguments import as_rows
from hitogata.loops.closed_form import meet
from hitogata.loops.followed import followed_closed_form
from hitogata.loops.forward import close_rows, report, result_size
from hitogata.loops.layout import LinkMemory, bench_size, open_bench
from hitogata.loops.link_set import Links, links_of
from hitogata.loops.recursion import standing_still
from hitogata.spatial import load6, power, store6

_NO_WRENCHES = np.zeros(0)
ROW = 14
"""Numbers of a row: wrenches on both bodies, target, bound."""


def ends_of(links: Links) -> tuple[tuple[int, int], ...]:
    """Bodies of each row of the rigid links, the second -1 for the world."""
    link = LinkMemory.layout_of(links.ints).field("link", links.ints)
    rows = np.repeat(np.stack([link.body_a, link.body_b], 1), link.count * link.rigid, axis=0)
    return tuple((int(a), int(b)) for a, b in rows)


def _program_of(links: Links) -> Array:
    """What the sweeps run, kept with the links."""
    found: Array | None = links.__dict__.get("_program")
    if found is None:
        found = program_for(links.figure, ends_of(links)).ints
        object.__setattr__(links, "_program", found)
    return found


def assembled_dynamics(
    links: Links, q: Any, v: Any, tau: Any, wrenches: Any, gravity: Any, numbers: Array
) -> Array:
    """What `constrained_dynamics` finds, by assembly, for one state; the form of the result is told in `close_rows`."""
    figure = links_of(links).figure
    model, program = callable_model_of(figure), _program_of(links)
    if wrenches is None and gravity is GRAVITY and not model.follows:
        try:
            out = np.empty(result_size(links))
            same = (model.ints, model.floats, links.ints, links.floats, program)
            if not assemble_links(*same, q, v, model.zeros if tau is None else tau, _NO_WRENCHES, numbers, out):
                return out
        except REFUSED:
            pass  # lists, other dtypes, strided arrays, or a batch: seen to below
    inputs = (
        Input("q", q, (model.nq,)),
        Input("v", v, (model.nv,)),
        Input("tau", no_torque(model, q, v) if tau is None else tau, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    rows, single = as_rows(inputs, figure)
    if not single:
        raise ArgumentError("assembly takes one state; for a batch leave method to its default, the closed form")
    pull = vector("gravity", gravity)
    if model.follows:
        return assembled_or_dense(links, inputs, rows, numbers, pull)
    floats = model.floats_for(pull, np.float64)
    out = np.empty(result_size(links))
    state, given = [r[0] for r in rows], (model.ints, floats, links.ints, links.floats)
    status = assemble_links(*given, program, *state, numbers, out)
    if status == SINGULAR:
        status = close_rows(*given, *rows, numbers, out[None], 0, 1)
    check(status, figure, inputs)
    return out


def assembled_or_dense(links: Links, inputs: Any, rows: list[Any], numbers: Array, gravity: Any) -> Array:
    """The same for one state of a figure whose joints follow functions; see `dynamics.assembly.followers`.

    Args:
        links: the virtual links.
        inputs: q, v, tau and wrenches as they were given.
        rows: the same as arrays of one row each.
        numbers: stabilise, tolerance.
        gravity: world axes [m/s²].
    """
    figure, (q, v, tau, wrenches) = links.figure, (r[0] for r in rows)
    model = model_of(followers_of(figure).tree)
    given = followed_state(figure, q, v, tau)
    tree_rates, rates = np.empty(result_size(links) - figure.nv + model.nv), np.empty(given.coordinates)
    status = assemble_followed(
        model.ints, model.floats_for(gravity, np.float64), links.ints, links.floats, _program_of(links), given.theta,
        given.speed, given.push, wrenches, numbers, tree_rates, given.numbers, rates,
    )  # fmt: skip
    if status == SINGULAR:
        return followed_closed_form(links, inputs, rows, numbers, gravity)[0]
    vdot, idle = followed_rates(figure, v, tau, tree_rates, rates)
    check(status or idle, figure, inputs)
    return np.concatenate([vdot, tree_rates[model.nv :]])


@entry(ints=Ints(1), floats=Floats(1), link_ints=Ints(1), link_floats=Floats(1), program=Ints(1), q=Floats(1),
       v=Floats(1), tau=Floats(1), wrenches=Floats(1), numbers=Floats(1), out=Floats(1, write=True))  # fmt: skip
def assemble_links(ints, floats, link_ints, link_floats, program, q, v, tau, wrenches, numbers, out):
    """One state; wrenches may be empty."""
    tree = open_tree(ints, floats)
    if q.size != tree.nq or v.size != tree.nv or tau.size != tree.nv:
        return BAD_SIZE
    held = open_memory(LinkMemory, link_floats, link_ints)
    rows = (ROW + 1) * (held.held + 1)
    memory = scratch(bench_size(tree, held.rows) + program[1] + rows + 6 * tree.bodies, out, X1)
    order = np.empty(held.rows + 1, np.int64)
    links = (link_ints, link_floats)
    return join_links(tree, links, program, q, v, tau, wrenches, numbers, out, memory, order, None)


@entry(ints=Ints(1), floats=Floats(1), link_ints=Ints(1), link_floats=Floats(1), program=Ints(1), q=Floats(1),
       v=Floats(1), tau=Floats(1), wrenches=Floats(1), numbers=Floats(1), out=Floats(1, write=True), shares=Floats(1),
       rates=Floats(1, write=True))  # fmt: skip
def assemble_followed(ints, floats, link_ints, link_floats, program, q, v, tau, wrenches, numbers, out, shares, rates):
    """The same in the tree of a figure whose joints follow functions, the first nv of `out` those of the tree."""
    tree = open_tree(ints, floats)
    held = open_memory(LinkMemory, link_floats, link_ints)
    rows = (ROW + 1) * (held.held + 1)
    memory = scratch(bench_size(tree, held.rows) + program[1] + rows + 6 * tree.bodies, out, X1)
    order = np.empty(held.rows + 1, np.int64)
    followers = open_followers(lanes(shares, X1), lanes(rates, X1), program[2], tree.bodies, program[3])
    links = (link_ints, link_floats)
    return join_links(tree, links, program, q, v, tau, wrenches, numbers, out, memory, order, followers)


@kernel
def join_links(tree, given, program, q, v, tau, wrenches, numbers, out, memory, order, followers):
    """The same in a given scratch, which the caller holds."""
    link_ints, link_floats = given
    whole, own = lanes(memory, X1), open_memory(LinkMemory, link_floats, link_ints)
    held = own.held
    bench = open_bench(tree, link_ints, link_floats, whole, lanes(order, X1))
    state, speed, torque, result = lanes(q, X1), lanes(v, X1), lanes(tau, X1), lanes(out, X1)
    meet(bench, state, speed, lanes(wrenches, X1), wrenches.size > 0)
    rows = tail(whole, bench_size(tree, own.rows))
    forces = tail(rows, ROW * (held + 1))
    write_ends(bench, rows, numbers[0])
    job = open_job(program, tail(forces, held + 1))
    status = assemble(job, tree, bench.limb, speed, torque, rows, followers)
    if status == SINGULAR:
        return status
    disassemble(job, tree, bench.limb, result, forces, None, followers)
    for n in range(held):
        bench.links.row[n].force = forces[n]
    report(bench, tail(result, tree.nv))
    end = out.size - 2
    result[end], result[end + 1] = held, 0.0
    return status_of(tree, state, speed, torque, None, result, out.size)


@kernel
def write_ends(bench, out, stabilise):
    """Rows of rigid links as the sweeps take them: target of minus their acceleration through bodies, and bound."""
    links, limbs = bench.links, bench.limb
    for k in range(links.total):
        link = links.link[k]
        if link.rigid == 1:
            for n in range(link.first, link.first + link.count):
                row, at = links.row[n], ROW * n
                store6(out, at, row.on_a)
                store6(out, at + 6, row.on_b)
                target = row.swing + stabilise * (2.0 * row.rate + stabilise * row.value)
                bound = bound_of(limbs[link.body_a], row.on_a)
                if link.body_b >= 0:
                    bound = bound + bound_of(limbs[link.body_b], row.on_b)
                else:
                    target = target + power(load6(out, at + 6), standing_still(bench.tree))
                out[at + 12] = target
                out[at + 13] = bound


@kernel
def bound_of(limb, wrench):
    """Scale of a row's mobility at one of its bodies; of a massless one, none."""
    if limb.own.mass > 0.0:
        return mobility(limb.own, wrench)
    return 0.0
