"""Rows of virtual links, from Python: values, Jacobian, and the acceleration that velocities alone bring."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics.batches import scratch, status_of
from hitogata.dynamics.dispatch import Array, Input
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.model import callable_model_of
from hitogata.lanes import X1, entry, kernel, lanes, open_memory
from hitogata.loops.arguments import as_rows, run
from hitogata.loops.layout import LinkMemory, bench_size, open_bench
from hitogata.loops.link_set import Links, links_of
from hitogata.loops.recursion import begin, drift_only
from hitogata.loops.rows import find_drifts, no_motion, write_rows
from hitogata.loops.whitening import project_row


@dataclass(frozen=True, eq=False)
class LinkRows:
    """Rows of virtual links; shapes are for one state, a batch has a leading axis.

    Attributes:
        value: zero while a link holds [m, rad], shape (rows,).
        jacobian: H with rate = H v, shape (rows, nv).
        rate: of the value [m/s, rad/s], shape (rows,).
        bias: Ḣ v, the value's acceleration for vdot = 0 [m/s², rad/s²], shape (rows,).
    """

    value: Array
    jacobian: Array
    rate: Array
    bias: Array


def link_rows(links: Links, q: Any, v: Any = None, *, threads: int | None = 1) -> LinkRows:
    """Values, Jacobian and rates of all rows of virtual links, rigid ones first.

    Args:
        links: the virtual links, with their figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv); None: at rest.
        threads: to share a batch over; None: one per core.
    """
    model = callable_model_of(links_of(links).figure)
    inputs = (Input("q", q, (model.nq,)), Input("v", model.zeros if v is None else v, (model.nv,)))
    if model.follows:
        from hitogata.loops.followed import followed_rows  # it needs this module

        (q, v), single = as_rows(inputs, links.figure)
        found = followed_rows(links, q, v)
        parts = (found.value, found.jacobian, found.rate, found.bias)
        return LinkRows(*[part[0] if single else part for part in parts])
    rows, nv = links.rows, model.nv
    out = run(links, model, inputs, np.zeros(1), rows * (nv + 3), (0.0, 0.0, 0.0), threads, read_rows)
    jacobian = out[..., 3 * rows :].reshape(*out.shape[:-1], rows, nv)
    return LinkRows(out[..., :rows], jacobian, out[..., rows : 2 * rows], out[..., 2 * rows : 3 * rows])


@entry
def read_rows(ints, floats, link_ints, link_floats, q, v, numbers, out, first, end):
    """Rows of a batch; a row of out is [values | rates | bias | Jacobian]."""
    tree, status = open_tree(ints, floats), 0
    held = open_memory(LinkMemory, link_floats, link_ints)
    memory, order = scratch(bench_size(tree, held.rows), out, X1), np.empty(held.rows + 1, np.int64)
    bench = open_bench(tree, link_ints, link_floats, lanes(memory, X1), lanes(order, X1))
    for n in range(first, end):
        status = max(status, read_one(bench, lanes(q, X1, n), lanes(v, X1, n), lanes(out, X1, n), out.shape[1]))
    return status


@kernel
def read_one(bench, q, v, out, size):
    """One state."""
    tree, limbs, links = bench.tree, bench.limb, bench.links
    begin(tree, limbs, q, v)
    drift_only(tree, limbs)
    write_rows(tree, limbs, links)
    find_drifts(limbs, links, no_motion())
    for k in range(links.total):
        link = links.link[k]
        for n in range(link.first, link.first + link.count):
            row = links.row[n]
            out[n] = row.value
            out[links.rows + n] = row.rate
            out[2 * links.rows + n] = row.drift
            at = 3 * links.rows + n * tree.nv
            project_row(tree, limbs, link.body_a, link.body_b, row.on_a, row.on_b, at, out)
    return status_of(tree, q, v, None, None, out, size)
