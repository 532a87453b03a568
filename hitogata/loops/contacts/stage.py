"""A figure on the ground, with contact by hypothesis and validity, from Python."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hitogata.contact import Surface, joined_bodies, surfaces_of
from hitogata.contact.shapes import compile_shapes
from hitogata.dynamics.calling import Array, Input, check, vector
from hitogata.dynamics.layout import GRAVITY, model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Plane, Shape, State
from hitogata.lanes import record_offsets, record_size
from hitogata.loops.checking import as_rows, positive
from hitogata.loops.contacts import layout
from hitogata.loops.contacts.reporting import REPORT
from hitogata.loops.contacts.reports import Change, ContactReport, ContactState, ContactStep, Slip
from hitogata.loops.contacts.running import TALLY, run_steps, scratch_sizes
from hitogata.loops.link_set import Links, links_of

_NOTHING = np.zeros((1, 0))
_KEPT = record_size(layout.Rules) + layout.MEMORY
"""Numbers of scratch that a step leaves to the next."""
_CROWDED = record_offsets(layout.Rules)["crowded"]


@dataclass(frozen=True)
class ContactSettings:
    """Numbers of the method.

    Attributes:
        touch: points nearer than this touch [m].
        impact_speed: what closes faster is an impact [m/s].
        still: slower than this is not sliding [m/s].
        correction: share of an overlap that a step takes back (C8: a prescribed acceleration of the contact).
        push_out: fastest way out of an overlap [m/s].
        static_share: static friction by kinetic friction, at least 1.
        blend: k of the laws 1 - e^(-k l) and e^(-k l) between sliding and turning, times the region's radius.
        tolerance: as for `constrained_dynamics`.
    """

    touch: float = 2e-4
    impact_speed: float = 0.02
    still: float = 1e-3
    correction: float = 0.2
    push_out: float = 0.5
    static_share: float = 1.0
    blend: float = 1.4
    tolerance: float = 1e-10

    def __post_init__(self) -> None:
        for f in fields(self):
            positive(f.name, getattr(self, f.name))
        if self.static_share < 1.0:
            raise ArgumentError(f"static_share: must be at least 1, got {self.static_share!r}")


class ContactStage:
    """A figure, what stands around it, and the method of Nakamura & Yamane 2000, §4.

    Args:
        figure: the figure; or its `Links`, which hold besides the contacts.
        scenery: shapes fixed in the world; None: the plane z = 0.
        friction: kinetic coefficient of all shapes.
        restitution: of all shapes.
        settings: numbers of the method.
    """

    def __init__(
        self,
        figure: Figure | Links,
        *,
        scenery: Iterable[Shape] | None = None,
        friction: float = 0.8,
        restitution: float = 0.0,
        settings: ContactSettings | None = None,
    ) -> None:
        self.links = Links(figure) if isinstance(figure, Figure) else links_of(figure)
        self.figure, self.settings = self.links.figure, settings or ContactSettings()
        if not isinstance(self.settings, ContactSettings):
            raise ArgumentError(f"settings: expected ContactSettings, got {self.settings!r}")
        positive("friction", friction)
        if positive("restitution", restitution) > 1.0:
            raise ArgumentError(f"restitution: must be from 0 to 1, got {restitution!r}")
        mu, e = float(friction), float(restitution)
        self.friction = mu
        around = [Plane()] if scenery is None else scenery
        still = [Surface(shape, friction=mu, restitution=e) for shape in around]
        self.table = compile_shapes(
            [*surfaces_of(self.figure, in_bodies=True, friction=mu, restitution=e), *still],
            joined=joined_bodies(self.figure, in_bodies=True, grandparents=True),
        )
        if not self.table.plain:
            raise ArgumentError(
                f"figure {self.figure.name!r}, or what is around it, has shapes other than planes, spheres, capsules "
                "and boxes, which a ContactStage does not know: use a World with contact by states"
            )
        self._model = model_of(self.figure)
        self._prepare()

    def _prepare(self) -> None:
        numbers, whole = scratch_sizes(self._model.ints, self._model.floats, self.links.ints, self.table.count)
        self._scratch, self._whole = np.zeros(numbers), np.zeros(whole, np.int64)
        self._h = -1.0

    def hold(self, links: Links) -> None:
        """Hold by other virtual links from now on."""
        if links_of(links).figure is not self.figure:
            raise ArgumentError("links: they are of another figure")
        memory = self._scratch[:_KEPT].copy()
        self.links = links
        h = self._h
        self._prepare()
        self._scratch[: len(memory)] = memory
        self._h = h

    def forget(self) -> None:
        """Forget where contacts were: the figure was put elsewhere."""
        self._scratch[record_size(layout.Rules)] = 0.0

    def room(self, h: float) -> tuple[Array, Array]:
        """Numbers and whole numbers of scratch for runs beside the stage's own state, with time step h [s]."""
        numbers = np.zeros_like(self._scratch)
        self._write_rules(numbers, float(h))
        return numbers, np.zeros_like(self._whole)

    def _write_rules(self, scratch: Array, h: float) -> None:
        for name, place in record_offsets(layout.Rules).items():
            scratch[place] = h if name == "h" else getattr(self.settings, name, 0.0)

    def step(
        self,
        state: State,
        h: float,
        tau: Any = None,
        *,
        steps: int = 1,
        wrenches: Any = None,
        gravity: tuple[float, float, float] = GRAVITY,
        figure: Figure | None = None,
    ) -> ContactStep:
        """Move on by `steps` steps of h, with constant forces; virtual links that pass their limits break on the way.

        Args:
            state: of the figure.
            h: time step [s].
            tau: generalized forces [N m], [N], shape (nv,); None: none.
            steps: how many.
            wrenches: external [torque; force] on each link of the figure, as for `forward_dynamics`.
            gravity: acceleration of gravity, world axes [m/s²].
            figure: the same figure with other armature and damping, such as those of implicit springs.
        """
        model = self._model if figure is None else model_of(figure)
        if not isinstance(state, State) or state.q.ndim != 1:
            raise ArgumentError("state: expected the State of one figure")
        if (type(steps) is not int and not isinstance(steps, np.integer)) or steps < 1:
            raise ArgumentError(f"steps: must be a whole number, 1 or more, got {steps!r}")
        if self._h != h:
            if positive("h", h) == 0.0:
                raise ArgumentError("h: must be a positive number of seconds, got 0")
            self._write_rules(self._scratch, float(h))
            self._h = float(h)
        if model.nv != self._model.nv or model.nlinks != self._model.nlinks:
            raise ArgumentError("figure: expected the stage's own with other armature or damping")
        push, nq, nv = model.zeros if tau is None else tau, model.nq, model.nv
        outside, out = _NOTHING, np.empty(nq + 2 * nv)
        q, v = state.q, state.v
        plain = wrenches is None and type(push) is np.ndarray and push.dtype == np.float64 and push.flags.forc
        if not (plain and push.shape == v.shape == (nv,) and q.shape == (nq,)):
            rows, _ = as_rows(self._inputs(state, push, wrenches), self.figure)
            q, v, push, outside = rows[0][0], rows[1][0], rows[2][0], rows[3]
        out[:nq] = q
        out[nq : nq + nv] = v
        before = self._scratch[:_KEPT].copy()
        floats = model.floats if gravity is GRAVITY else model.floats_for(vector("gravity", gravity), np.float64)
        tally, links, broken, counts, left = np.zeros(TALLY), self.links, [], [0.0] * TALLY, int(steps)
        while left:
            links, done = self.links, counts[2]
            report = np.empty(2 * layout.MOST_PATCHES * REPORT + 6 * len(links.links))
            status = run_steps(
                model.ints, floats, links.ints, links.floats, self.table.ints, self.table.floats, self.table.pairs,
                push, outside, self._scratch, self._whole, left, out, report, tally,
            )  # fmt: skip
            if status or self._scratch[_CROWDED] > 0.0:
                self._scratch[:_KEPT] = before  # the stage is as it was
                check(status, self.figure, self._inputs(state, push, wrenches))
                raise ArgumentError(
                    f"figure {self.figure.name!r}: more than {layout.MOST_PATCHES} regions or {layout.MOST_CONTACTS} "
                    "points touch at once, which is more than a ContactStage has room for: give the figure or its "
                    "surroundings fewer shapes, or use a World"
                )
            counts = tally.tolist()
            left -= int(counts[2] - done)
            if counts[7] >= 0:
                handle = links.handles[int(counts[7])]
                broken.append((handle, (int(steps) - left) * float(h)))
                self.hold(links.remove(handle))
        state = State(out[:nq], out[nq : nq + nv])
        return ContactStep(self, state, out[nq + nv :], report, counts, links, tuple(broken))

    def _inputs(self, state: State, tau: Any, wrenches: Any) -> tuple[Input, ...]:
        model = self._model
        return (
            Input("q", state.q, (model.nq,)),
            Input("v", state.v, (model.nv,)),
            Input("tau", tau, (model.nv,)),
            Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
        )

    def _report(self, row: Array) -> ContactReport:
        a, b, state, slip, why, known, _, corners = (int(x) for x in row[:8])
        place, axes, w = row[8:11].copy(), row[11:20].reshape(3, 3).T.copy(), row[20:26]
        change = Change(why) if known else Change(why) | Change.TOUCHED
        return ContactReport(
            self._link(a), self._link(b) if b >= 0 else None, ContactState(state), Slip(slip), change, place, axes,
            np.concatenate([w[3:], w[:3]]), place + axes[:, :2] @ row[26:28], float(row[29]),
            row[30 : 30 + 2 * corners].reshape(corners, 2).copy(),
        )  # fmt: skip

    def _link(self, body: int) -> str:
        return self.figure.link_names[self._model.body_of_link.index(body)]
