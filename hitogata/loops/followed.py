"""Virtual links on figures whose joints follow functions: rows of their trees of screws, times G.

The tree (`figure.expansion`) has rows H_θ and moves by θ̇ = G v, θ̈ = G v̇ + Ġ v.  So the figure has

    H = H_θ G        Ḣ v = Ḣ_θ θ̇ + H_θ Ġ v

and with its own M and forces the closed form is that of `closed_form`, here dense and in numpy, state by state:

    B = H M⁻¹ Hᵀ        B f = target - Ḣ v - H M⁻¹ (τ - b)        v̇ = M⁻¹ (τ - b) + M⁻¹ Hᵀ f

Where rows depend on each other, f is the least in Σ f_i² times the mobility of a row's point (of its turning).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitogata.dynamics import integrate, inverse_dynamics, mass_matrix
from hitogata.dynamics.batches import BAD_VALUE, scratch
from hitogata.dynamics.dispatch import Array, check
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.model import model_of
from hitogata.errors import HitogataError
from hitogata.figure.expansion import Expansion, expansion_of
from hitogata.lanes import X1, Floats, Ints, entry, lanes, open_memory
from hitogata.loops.arguments import check_finite
from hitogata.loops.closed_form import meet
from hitogata.loops.forward import report, result_size
from hitogata.loops.layout import LinkMemory, bench_size, open_bench
from hitogata.loops.link_set import Links
from hitogata.loops.pivots import TOLERANCE
from hitogata.loops.row_values import LinkRows, link_rows
from hitogata.loops.virtual_links import Turning

NOTHING = 1e-15
"""Share of the greatest mobility of a row below which its own is rounding: nothing moves it."""

MET = 1e-28
"""Sum of squares of rows' values that is rounding."""


def expansion_for(links: Links) -> Expansion:
    """The tree of the figure of these links."""
    expansion = expansion_of(links.figure)
    assert expansion is not None
    return expansion


def on_tree(links: Links) -> Links:
    """The same links on the tree, made once and kept with them."""
    found: Links | None = links.__dict__.get("_on_tree")
    if found is None:
        found = Links(expansion_for(links).tree, links.links)
        object.__setattr__(links, "_on_tree", found)
    return found


def _welds(links: Links) -> Links:
    """The tree's links with all six motions held, to measure mobility by."""
    found: Links | None = links.__dict__.get("_welds")
    if found is None:
        held: dict[str, Any] = {"slides": (False,) * 3, "turning": Turning.HELD, "length": None, "compliance": 0.0}
        found = Links(expansion_for(links).tree, tuple((h, replace(link, **held)) for h, link in links.links))
        object.__setattr__(links, "_welds", found)
    return found


def followed_rows(links: Links, q: Array, v: Array) -> LinkRows:
    """What `link_rows` tells, for rows of q and v."""
    theta, G, bend, _ = expansion_for(links).rates(q, v)
    found = link_rows(on_tree(links), theta, np.einsum("nij,nj->ni", G, v))
    bias = found.bias + np.einsum("nij,nj->ni", found.jacobian, bend)
    return LinkRows(found.value, found.jacobian @ G, found.rate, bias)


# ------------------------------------------------------- one state


@dataclass
class Rows:
    """The rows of one state, and what their forces do.

    Attributes:
        links: the virtual links.
        value, jacobian, rate, bias: as of `LinkRows`.
        factor: M⁻¹.
        scale: of each row, 1/√ of the mobility of its point, or of its turning.
        lag: of each row, see `compliance`; 0: its force is that of now.
        firm: whether rows with a lag keep to `pull`.
        tolerance: share of its mobility below which a row counts as dependent.
    """

    links: Links
    value: Array
    jacobian: Array
    rate: Array
    bias: Array
    factor: Array
    scale: Array
    lag: Array
    tolerance: float
    firm: bool = False

    @property
    def unknown(self) -> Array:
        """Numbers of the rows whose forces are unknown: those of rigid links, and those with a lag."""
        held = np.arange(self.links.rows) < self.links.held
        return np.flatnonzero(held | (self.lag > 0.0))

    def solve(self, right: Array, rows: Array) -> tuple[Array, int, float]:
        """Forces f of some rows with B f = right, rank, and greatest residual."""
        H, scale = self.jacobian[rows], self.scale[rows]
        if not len(rows):
            return np.zeros(0), 0, 0.0
        B = H @ self.factor @ H.T + np.diag(self._softness(rows))
        size, vectors = np.linalg.eigh(scale[:, None] * B * scale)
        kept = size > max(self.tolerance, len(rows) * 1e-16)
        inner = vectors[:, kept] / size[kept] @ vectors[:, kept].T
        force: Array = scale * (inner @ (scale * right))
        rank = int(kept.sum())
        residual = 0.0 if rank == len(rows) else float(np.abs(B @ force - right).max())
        return force, rank, residual

    def _softness(self, rows: Array) -> Array:
        """Compliance on the diagonal of B."""
        soft = np.zeros(len(rows))
        for k, row in enumerate(rows):
            if self.lag[row] > 0.0 and not self.firm:
                compliance, relaxation = softness_of(self.links)[:, row]
                soft[k] = compliance / (self.lag[row] * (self.lag[row] + relaxation))
        return soft

    def reply(self, force: Array, rows: Array) -> Array:
        """Change of v by forces of some rows."""
        change: Array = self.factor @ (self.jacobian[rows].T @ force)
        return change


def softness_of(links: Links) -> Array:
    """Compliance and relaxation of every row, shape (2, rows); 0 of rigid links."""
    found: Array | None = links.__dict__.get("_softness")
    if found is None:
        pairs = [(link.compliance, link.relaxation) for _, link in links.links for _ in range(link.rows)]
        found = np.array(pairs, np.float64).reshape(-1, 2).T
        object.__setattr__(links, "_softness", found)
    return found


def rows_at(links: Links, q: Array, v: Array, tolerance: float = TOLERANCE, lag: Array | None = None) -> Rows:
    """The rows of one state."""
    found = followed_rows(links, q[None], v[None])
    factor = inverse_of_mass(links, q)
    theta, G, _, _ = expansion_for(links).rates(q[None], v[None])
    every = link_rows(_welds(links), theta).jacobian[0] @ G[0]
    own = np.einsum("ij,jk,ik->i", every, factor, every).reshape(-1, 2, 3).sum(axis=2)  # of place, of turning
    reach, first = np.empty(links.rows), 0
    for k, (_, link) in enumerate(links.links):
        slides = 1 if link.length is not None else 3 - sum(link.slides)
        reach[first : first + slides], reach[first + slides : first + link.rows] = own[k]
        first += link.rows
    top = reach.max(initial=0.0)
    scale = np.where(reach > NOTHING * top, 1.0 / np.sqrt(np.maximum(reach, NOTHING * top + 1e-300)), 0.0)
    lags = np.zeros(links.rows) if lag is None else lag
    return Rows(links, found.value[0], found.jacobian[0], found.rate[0], found.bias[0], factor, scale, lags, tolerance)


def inverse_of_mass(links: Links, q: Array) -> Array:
    """M⁻¹ of a pose."""
    try:
        inverse: Array = np.linalg.inv(mass_matrix(links.figure, q))
    except np.linalg.LinAlgError:
        name = links.figure.name
        raise HitogataError(f"figure {name!r} is singular in this pose: a coordinate moves no mass") from None
    return inverse


# ------------------------------------------------------- constrained dynamics


@dataclass
class Closed:
    """Accelerations, and forces of all rows."""

    vdot: Array
    force: Array
    rank: int
    residual: float


def close_rows_of(
    rows: Rows, q: Array, v: Array, tau: Array, wrenches: Array, gravity: Any, stabilise: float,
    pull: Array | None = None,
) -> Closed:  # fmt: skip
    """The closed form of one state; see `closed_form.close`.

    Args:
        rows: of the state.
        q: coordinates; v: velocities.
        tau: generalized forces.
        wrenches: on the links, flat, or empty.
        gravity: world axes [m/s²].
        stabilise: s of -2 s rate - s² value.
        pull: accelerations that rows with a lag keep to, if they are firm.
    """
    links, figure = rows.links, rows.links.figure
    pushed = wrenches.reshape(-1, 6) if len(wrenches) else None
    load = tau - inverse_dynamics(figure, q, v, np.zeros_like(v), wrenches=pushed, gravity=gravity)
    force = np.zeros(links.rows)
    known = np.setdiff1d(np.arange(links.held, links.rows), rows.unknown)
    compliance, relaxation = softness_of(links)
    force[known] = -(rows.value[known] + relaxation[known] * rows.rate[known]) / compliance[known]
    free = rows.factor @ (load + rows.jacobian.T @ force)
    drift = rows.bias + rows.jacobian @ free
    target = -stabilise * (2.0 * rows.rate + stabilise * rows.value)
    late = rows.unknown[rows.unknown >= links.held]
    if len(late):
        s, behind = rows.lag[late], rows.lag[late] + relaxation[late]
        target[late] = -(rows.value[late] + behind * rows.rate[late]) / (s * behind)
        if rows.firm and pull is not None:
            target[late] = pull[late]
    found, rank, residual = rows.solve((target - drift)[rows.unknown], rows.unknown)
    force[rows.unknown] = found
    return Closed(free + rows.reply(found, rows.unknown), force, rank - len(late), residual)


def followed_closed_form(links: Links, inputs: Any, rows: list[Array], numbers: Array, gravity: Any) -> Array:
    """What `constrained_dynamics` finds, for rows of q, v, tau, wrenches; a row of the result as in `close_rows`."""
    out = np.empty((len(rows[0]), result_size(links)))
    for n, (q, v, tau, wrenches) in enumerate(zip(*rows, strict=True)):
        check_finite(links.figure, inputs, q, v, tau)
        own = rows_at(links, q, v, numbers[1])
        found = close_rows_of(own, q, v, tau, wrenches, gravity, numbers[0])
        out[n] = [*found.vdot, *report_of(links, q, v, found.force), found.rank, found.residual]
        check(BAD_VALUE * int(not np.isfinite(out[n]).all()), links.figure, inputs)
    return out


def report_of(links: Links, q: Array, v: Array, force: Array) -> Array:
    """[forces | values | rates | wrenches], as in `close_rows`."""
    expansion = expansion_for(links)
    theta, G, _, _ = expansion.rates(q[None], v[None])
    model, own = model_of(expansion.tree), on_tree(links)
    out = np.empty(3 * links.rows + 6 * len(links))
    report_forces(model.ints, model.floats, own.ints, own.floats, theta[0], G[0] @ v, force, out)
    return out


@entry(ints=Ints(1), floats=Floats(1), link_ints=Ints(1), link_floats=Floats(1), q=Floats(1), v=Floats(1),
       force=Floats(1), out=Floats(1, write=True))  # fmt: skip
def report_forces(ints, floats, link_ints, link_floats, q, v, force, out):
    """Given forces of rows in a state of the tree, as `close_rows` writes them."""
    tree = open_tree(ints, floats)
    held = open_memory(LinkMemory, link_floats, link_ints)
    memory, order = scratch(bench_size(tree, held.rows), out, X1), np.empty(held.rows + 1, np.int64)
    bench = open_bench(tree, link_ints, link_floats, lanes(memory, X1), lanes(order, X1))
    meet(bench, lanes(q, X1), lanes(v, X1), lanes(v, X1), False)
    for n in range(held.rows):
        bench.links.row[n].force = force[n]
    report(bench, lanes(out, X1))
    return 0


# ------------------------------------------------------- impact, and what has drifted


def followed_strike(links: Links, q: Array, v: Array, bounces: Array, tolerance: float) -> Array:
    """What `impact.strike` finds: [v | impulses | values | rates before | wrenches | rank | bounce]."""
    rows = rows_at(links, q, v, tolerance)
    held = np.arange(links.held)
    rate = rows.rate[held]
    stop, rank, _ = rows.solve(-rate, held)
    back, _, _ = rows.solve(-rate * bounces[held], held)
    energy, more = float(-rate @ stop), float(-(rate * bounces[held]) @ back)
    keep = min(np.sqrt(energy / more), 1.0) if more > energy else 1.0
    impulse = np.zeros(links.rows)
    impulse[held] = stop + keep * back
    after = v + rows.reply(impulse[held], held)
    return np.array([*after, *report_of(links, q, v, impulse), rank, keep])


def correction(rows: Rows, goal: Array, goal_rate: Array, settled: Array) -> tuple[Array, Array]:
    """Least changes of coordinates and velocities that bring rows to their goals; see `singular.settle_once`."""
    unknown = rows.unknown
    changes = []
    for want, now in ((goal, rows.value), (goal_rate, rows.rate)):
        force, _, _ = rows.solve(np.where(settled, want - now, 0.0)[unknown], unknown)
        changes.append(rows.reply(force, unknown))
    return changes[0], changes[1]


def followed_closed(
    links: Links, q: Array, v: Array, tolerance: float, iterations: int, ways_out: int
) -> tuple[Array, Array]:
    """The nearest pose in which all rigid links hold, and velocities that they allow; see `assembly.close_links`."""
    figure, none, held = links.figure, np.zeros(links.rows), np.arange(links.rows) < links.held
    still = np.zeros_like(v)

    def apart(q: Array) -> float:
        value = followed_rows(links, q[None], still[None]).value[0]
        return float(value[: links.held] @ value[: links.held])

    now = least = apart(q)
    best, stuck = q, 0
    for _ in range(iterations):
        if stuck > ways_out or now < MET:
            break
        turn, _ = correction(rows_at(links, q, still, tolerance), none, none, held)
        share, ahead = 1.0, integrate(figure, q, turn)
        while not (new := apart(ahead)) < now and share > 1e-2:
            share *= 0.5
            ahead = integrate(figure, q, share * turn)
        if not new < 0.999 * now:
            stuck += 1
            ahead = integrate(figure, q, turn)
            new = apart(ahead)
        q = ahead
        if new < least:
            least, best = new, q
        now = new
    _, change = correction(rows_at(links, best, v, tolerance), none, none, held)
    return best, v + change
