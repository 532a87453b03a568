"""Impact: velocities that change at once when constraints come up while something moves (Nakamura & Yamane 2000, §2.4).

With u = H v the rates of the rows before, and a restitution e for every row,

    u⁺ = -E u          f = -B⁻¹ (1 + E) u          v⁺ = v + A⁻¹ Hᵀ f          B = H A⁻¹ Hᵀ

The kinetic energy changes by -½ (uᵀ B⁻¹ u - (E u)ᵀ B⁻¹ (E u)).  With one restitution e <= 1 for all rows it never
grows; with different ones Newton's law may make it grow where rows are coupled (Kane & Levinson 1985).  Then all
restitutions are reduced by one factor, so that the energy just stays.

A contact does not pull.  With `contacts`, impulses of those links pass the conditions of contact forces, and the
hypothesis changes where they do not (see `contact_impact`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.dynamics.batches import scratch, status_of
from hitogata.dynamics.dispatch import Array, Input
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.model import callable_model_of
from hitogata.errors import ArgumentError
from hitogata.figure import State
from hitogata.lanes import X1, entry, kernel, lanes, minimum, open_memory, sqrt, tail
from hitogata.loops.arguments import as_rows, check_finite, positive, run
from hitogata.loops.closed_form import couple, hold, meet
from hitogata.loops.contact_impact import ContactOutcome, ContactRegion, strike_contacts
from hitogata.loops.forward import report
from hitogata.loops.layout import LinkMemory, bench_size, open_bench
from hitogata.loops.link_set import LinkHandle, Links, links_of
from hitogata.loops.pivots import TOLERANCE
from hitogata.loops.recursion import give_way


@dataclass(frozen=True, eq=False)
class Impact:
    """What an impact did.

    Attributes:
        links: the virtual links.
        state: after it; coordinates are as before.
        impulses: of all rows, shape (rows,) [N s, N m s].
        wrenches: on each link's child, [torque; force] times time about the origin of C in the axes of P, shape
            (links, 6) [N m s, N s].
        bounce: factor by which all restitutions were reduced, 1 if they were not.
        rank: how many of the rigid links' rows are independent.
        contacts: what became of links that were given as contacts, by handle.
        passes: hypotheses that were tried, 1 without contacts.
        valid: whether the impulses pass all conditions and nothing closes after them; if no hypothesis does, they are
            found by sweeps over the regions' corners, and False means that these did not settle.
    """

    links: Links
    state: State
    impulses: Array
    wrenches: Array
    bounce: float
    rank: int
    contacts: dict[LinkHandle, ContactOutcome] = field(default_factory=dict)
    passes: int = 1
    valid: bool = True

    def wrench(self, handle: LinkHandle) -> Array:
        """[torque; force] times time of a virtual link on its child, about the origin of C in the axes of P."""
        result: Array = self.wrenches[self.links.index(handle)]
        return result


def impact(
    links: Links,
    state: State,
    *,
    restitution: Any = 0.0,
    contacts: Mapping[LinkHandle, ContactRegion] | None = None,
    tolerance: float = TOLERANCE,
) -> Impact:
    """The velocities after the rigid links have come up at once.

    Args:
        links: the virtual links, with their figure.
        state: of one figure, before the impact.
        restitution: of all rows; or of every row, shape (rows,); or a dictionary from handles to a number or to one per
            row of that link, 0 for links that are not in it.  0: what is held stops; 1: it turns round.
        contacts: links that press and do not pull, with the region in which they do and its friction; each must hold
            all six motions (a weld), z of P is the normal towards the child, and its restitution is that of row z.
        tolerance: as for `constrained_dynamics`.
    """
    model = callable_model_of(links_of(links).figure)
    if not isinstance(state, State) or state.q.ndim != 1:
        raise ArgumentError("state: expected the State of one figure")
    inputs = (Input("q", state.q, (model.nq,)), Input("v", state.v, (model.nv,)))
    bounces = _restitutions(links, restitution)
    if contacts:
        if model.follows:
            raise ArgumentError(
                f"contacts: figure {links.figure.name!r} has joints that follow functions, whose impacts by hypothesis "
                "are not known; leave contacts out, or use a World"
            )
        found = strike_contacts(links, state, bounces, contacts, positive("tolerance", tolerance))
        return Impact(links, found.state, found.impulses, found.wrenches, 1.0, found.rank, found.outcomes,
                      found.passes, found.valid)  # fmt: skip
    numbers = np.concatenate([[positive("tolerance", tolerance)], bounces, np.zeros(model.nv)])
    rows, count = links.rows, len(links)
    size = model.nv + 3 * rows + 6 * count + 2
    if model.follows:
        from hitogata.loops.followed import followed_strike  # SciPy's splines, for those who need them

        (q, v), _ = as_rows(inputs, links.figure)
        check_finite(links.figure, inputs, q, v)
        out = followed_strike(links, q[0], v[0], bounces, numbers[0])
    else:
        out = run(links, model, inputs, numbers, size, (0.0, 0.0, 0.0), 1, strike_rows)
    at = model.nv + 3 * rows
    return Impact(
        links, State(state.q.copy(), out[: model.nv]), out[model.nv : model.nv + rows],
        out[at : at + 6 * count].reshape(count, 6), float(out[-1]), int(out[-2]),
    )  # fmt: skip


def _restitutions(links: Links, given: Any) -> Array:
    result = np.zeros(links.rows)
    parts = given.items() if isinstance(given, dict) else [(None, given)]
    for handle, value in parts:
        where = slice(0, links.rows) if handle is None else links.rows_of(handle)
        try:
            result[where] = np.asarray(value, np.float64)
        except (TypeError, ValueError):
            whose = "all rows" if handle is None else str(handle)
            raise ArgumentError(
                f"restitution of {whose}: expected a number or {where.stop - where.start} numbers, got {value!r}"
            ) from None
    bad = np.flatnonzero(~((result >= 0) & (result <= 1)))
    if len(bad):
        raise ArgumentError(f"restitution of row {bad[0]} is {result[bad[0]]}; it must be from 0 to 1")
    return result


@entry
def strike_rows(ints, floats, link_ints, link_floats, q, v, numbers, out, first, end):
    """One state; out is [v | impulses | values | rates before | wrenches | rank | bounce]."""
    tree, status = open_tree(ints, floats), 0
    held = open_memory(LinkMemory, link_floats, link_ints)
    memory, order = scratch(bench_size(tree, held.rows), out, X1), np.empty(held.rows + 1, np.int64)
    bench = open_bench(tree, link_ints, link_floats, lanes(memory, X1), lanes(order, X1))
    given = lanes(numbers, X1)
    bounces = tail(given, 1)
    for n in range(first, end):
        rank, bounce = strike(bench, lanes(q, X1, n), lanes(v, X1, n), bounces, tail(bounces, held.rows), given[0],
                              lanes(out, X1, n))  # fmt: skip
        at = tree.nv + 3 * held.rows + 6 * held.total
        out[n, at] = rank
        out[n, at + 1] = bounce
        status = max(status, status_of(tree, lanes(q, X1, n), lanes(v, X1, n), None, None, lanes(out, X1, n), at + 2))
    return status


@kernel
def strike(bench, q, v, bounces, none, tolerance, out):
    """New velocities into `out`, impulses and wrenches behind them; returns rank and how much of e was kept."""
    tree, links = bench.tree, bench.links
    meet(bench, q, v, v, False)
    give_way(tree, bench.limb, v, none)
    rank, _ = couple(bench, links.held, tolerance, 0.0, True)
    right, force = tail(bench.spare, 2 * links.stride), tail(bench.spare, 3 * links.stride)
    change = tail(bench.change, tree.nv)
    for n in range(links.held):
        right[n] = -links.row[n].rate
    hold(bench, links.held, rank, right)
    energy = 0.0
    for n in range(links.held):
        links.row[n].force = force[n]
        energy = energy + right[n] * force[n]
        right[n] = right[n] * bounces[n]
    for k in range(tree.nv):
        out[k] = v[k] + change[k]
    hold(bench, links.held, rank, right)
    back = 0.0
    for n in range(links.held):
        back = back + right[n] * force[n]
    keep = 1.0
    if back > energy:
        keep = minimum(sqrt(energy / back), 1.0)
    for n in range(links.held):
        links.row[n].force = links.row[n].force + force[n] * keep
    for n in range(links.held, links.rows):
        links.row[n].force = 0.0
    for k in range(tree.nv):
        out[k] = out[k] + change[k] * keep
    report(bench, tail(out, tree.nv))
    return rank, keep
