"""Forward dynamics with virtual links, from Python."""

from typing import Any

import numpy as np

from hitogata.dynamics.assembly import Method
from hitogata.dynamics.batches import BAD_SIZE, scratch, status_of
from hitogata.dynamics.dispatch import REFUSED, Array, Input, no_torque, vector
from hitogata.dynamics.layout import GRAVITY, open_tree
from hitogata.dynamics.model import callable_model_of
from hitogata.errors import ArgumentError
from hitogata.lanes import X1, Floats, Ints, entry, kernel, lanes, open_memory, tail
from hitogata.loops.arguments import as_rows, positive, run
from hitogata.loops.closed_form import close
from hitogata.loops.layout import LinkMemory, bench_size, open_bench
from hitogata.loops.link_set import LinkHandle, Links, links_of
from hitogata.loops.pivots import TOLERANCE
from hitogata.loops.rows import wrench_in_frame
from hitogata.spatial import store6


class Held:
    """Motion and forces of a figure held by virtual links; shapes are for one state, a batch has a leading axis.

    Attributes:
        links: the virtual links.
        numbers: all of it, as the kernel wrote it.
    """

    __slots__ = ("links", "numbers")

    def __init__(self, links: Links, numbers: Array) -> None:
        self.links, self.numbers = links, numbers

    def _part(self, k: int) -> Array:
        """Forces, values, rates: 0, 1, 2."""
        rows = self.links.rows
        first = self.links.figure.nv + k * rows
        result: Array = self.numbers[..., first : first + rows]
        return result

    @property
    def vdot(self) -> Array:
        """Accelerations, shape (nv,)."""
        result: Array = self.numbers[..., : self.links.figure.nv]
        return result

    @property
    def forces(self) -> Array:
        """Forces of all rows, shape (rows,) [N, N m]."""
        return self._part(0)

    @property
    def values(self) -> Array:
        """How far each row is from zero [m, rad], shape (rows,)."""
        return self._part(1)

    @property
    def rates(self) -> Array:
        """And how fast it moves [m/s, rad/s], shape (rows,)."""
        return self._part(2)

    @property
    def wrenches(self) -> Array:
        """On each link's child, [torque; force] about the origin of C in the axes of P, shape (links, 6) [N m, N]."""
        first, count = self.links.figure.nv + 3 * self.links.rows, len(self.links)
        return self.numbers[..., first : first + 6 * count].reshape(*self.numbers.shape[:-1], count, 6)

    @property
    def rank(self) -> Any:
        """How many of the rigid links' rows are independent."""
        rank = self.numbers[..., -2]
        return int(rank) if rank.ndim == 0 else rank.astype(np.int64)

    @property
    def residual(self) -> Any:
        """Greatest acceleration that contradicting rows leave unmet [m/s², rad/s²]."""
        residual = self.numbers[..., -1]
        return float(residual) if residual.ndim == 0 else residual

    @property
    def redundant(self) -> Any:
        """How many rows of rigid links say nothing new; their forces share the load, least Σ f_i² times the mobility of
        their point (of their turning)."""
        return self.links.held - self.rank

    def wrench(self, handle: LinkHandle) -> Array:
        """[torque; force] of a virtual link on its child, about the origin of C in the axes of P [N m, N]."""
        result: Array = self.wrenches[..., self.links.index(handle), :]
        return result


_PLAIN = np.array([0.0, TOLERANCE])


def constrained_dynamics(
    links: Links,
    q: Any,
    v: Any,
    tau: Any = None,
    *,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
    stabilise: float = 0.0,
    tolerance: float = TOLERANCE,
    threads: int | None = 1,
    method: Method = Method.AUTO,
) -> Held:
    """Accelerations and constraint forces of a figure held by virtual links, in O(n) and one small solve.

    Nakamura & Yamane 2000, eq. 20: M v̇ + c = τ - D v + Σ Jᵀ f + Hᵀ f_C with H v̇ + Ḣ v = 0 for all rigid links.

    Args:
        links: the virtual links, with their figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        tau: generalized forces [N m], [N], shape (nv,) or (n, nv); None: none.
        wrenches: external [torque; force] on each link, as for `forward_dynamics`.
        gravity: acceleration of gravity, world axes [m/s²].
        stabilise: s of H v̇ + Ḣ v = -2 s rate - s² value, which brings back what has drifted [1/s].
        tolerance: rows of which less than this part is left, given the others, count as dependent.
        threads: to share a batch over; None: one per core.
        method: AUTO and RECURSION are the closed form; ASSEMBLY closes each loop where its ends meet (one state).  One
            state of a figure whose joints follow functions goes by assembly, and RECURSION is dense equations in numpy.
    """
    if method is Method.ASSEMBLY:
        from hitogata.loops.assembled import assembled_dynamics  # it needs this module

        numbers = np.array([positive("stabilise", stabilise), positive("tolerance", tolerance)])
        return Held(links_of(links), assembled_dynamics(links, q, v, tau, wrenches, gravity, numbers))
    if method not in (Method.AUTO, Method.RECURSION):
        raise ArgumentError(f"method: expected AUTO, RECURSION or ASSEMBLY for closed loops, got {method!r}")
    if threads == 1 and wrenches is None and gravity is GRAVITY and stabilise == 0.0 and tolerance == TOLERANCE:
        try:
            figure = links.figure
            ints, floats, nv, zeros = figure.compiled.get("hot") or callable_model_of(figure).hot
            fresh = np.empty(nv + 3 * links.rows + 6 * len(links.links) + 2)  # not `result_size`: this is quick
            given = zeros if tau is None else tau
            if not close_single(ints, floats, links.ints, links.floats, q, v, given, _PLAIN, fresh):
                return Held(links, fresh)
        except (AttributeError, *REFUSED):
            pass  # a batch, lists, other dtypes, strided arrays, no Links: seen to below
    model = callable_model_of(links_of(links).figure)
    inputs = (
        Input("q", q, (model.nq,)),
        Input("v", v, (model.nv,)),
        Input("tau", no_torque(model, q, v) if tau is None else tau, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    numbers = np.array([positive("stabilise", stabilise), positive("tolerance", tolerance)])
    if model.follows:
        return Held(links, _followed(links, inputs, numbers, gravity, method))
    return Held(links, run(links, model, inputs, numbers, result_size(links), gravity, threads, close_rows))


def result_size(links: Links) -> int:
    """Numbers of a row of what `close_rows` writes."""
    return links.figure.nv + 3 * links.rows + 6 * len(links) + 2


def _followed(links: Links, inputs: Any, numbers: Array, gravity: Any, method: Method) -> Array:
    """The same for figures whose joints follow functions: one state by assembly, a batch or RECURSION in numpy."""
    from hitogata.loops.assembled import assembled_or_dense  # it needs this module
    from hitogata.loops.followed import followed_closed_form

    rows, single = as_rows(inputs, links.figure)
    pull = vector("gravity", gravity)
    if single and method is Method.AUTO:
        return assembled_or_dense(links, inputs, rows, numbers, pull)
    found = followed_closed_form(links, inputs, rows, numbers, pull)
    result: Array = found[0] if single else found
    return result


# ------------------------------------------------------- entries


@entry(ints=Ints(1), floats=Floats(1), link_ints=Ints(1), link_floats=Floats(1), q=Floats(1), v=Floats(1),
       tau=Floats(1), numbers=Floats(1), out=Floats(1, write=True))  # fmt: skip
def close_single(ints, floats, link_ints, link_floats, q, v, tau, numbers, out):
    """One state, without external wrenches; out as in `close_rows`."""
    tree = open_tree(ints, floats)
    if q.size != tree.nq or v.size != tree.nv or tau.size != tree.nv:
        return BAD_SIZE
    held = open_memory(LinkMemory, link_floats, link_ints)
    memory, order = scratch(bench_size(tree, held.rows), out, X1), np.empty(held.rows + 1, np.int64)
    bench = open_bench(tree, link_ints, link_floats, lanes(memory, X1), lanes(order, X1))
    speed = lanes(v, X1)
    return close_one(bench, lanes(q, X1), speed, lanes(tau, X1), speed, False, lanes(numbers, X1), lanes(out, X1),
                     out.size)  # fmt: skip


@entry
def close_rows(ints, floats, link_ints, link_floats, q, v, tau, wrenches, numbers, out, first, end):
    """Rows of a batch; a row of out is [v̇ | forces | values | rates | wrenches | rank | residual]."""
    tree, status = open_tree(ints, floats), 0
    held = open_memory(LinkMemory, link_floats, link_ints)
    memory, order = scratch(bench_size(tree, held.rows), out, X1), np.empty(held.rows + 1, np.int64)
    bench = open_bench(tree, link_ints, link_floats, lanes(memory, X1), lanes(order, X1))
    for n in range(first, end):
        push, pushed = lanes(wrenches, X1, n), wrenches.shape[1] > 0
        state = lanes(q, X1, n), lanes(v, X1, n), lanes(tau, X1, n)
        given, result = lanes(numbers, X1), lanes(out, X1, n)
        status = max(status, close_one(bench, *state, push, pushed, given, result, out.shape[1]))
    return status


@kernel
def close_one(bench, q, v, tau, wrenches, pushed, numbers, out, size):
    """One state."""
    tree, links = bench.tree, bench.links
    rank, off, _ = close(bench, q, v, tau, wrenches, pushed, numbers[0], numbers[1], False, out)
    rows = links.rows
    report(bench, tail(out, tree.nv))
    at = tree.nv + 3 * rows + 6 * links.total
    out[at] = rank
    out[at + 1] = off
    return status_of(tree, q, v, tau, None, out, size)


@kernel
def report(bench, out):
    """[forces | values | rates | wrenches] of all rows and links."""
    links = bench.links
    rows = links.rows
    for n in range(rows):
        row = links.row[n]
        out[n] = row.force
        out[rows + n] = row.value
        out[2 * rows + n] = row.rate
    for k in range(links.total):
        wrench = wrench_in_frame(bench.limb, links.link[k], links.number[k], links.row)
        store6(out, 3 * rows + 6 * k, wrench)
