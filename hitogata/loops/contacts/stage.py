"""A figure on the ground, with contact by hypothesis and validity, from Python."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from hitogata.contact import Surface, joined_bodies, surfaces_of
from hitogata.contact.shapes import compile_shapes
from hitogata.dynamics.batches import BAD_SIZE
from hitogata.dynamics.dispatch import REFUSED, Array, Input, check, vector
from hitogata.dynamics.layout import GRAVITY
from hitogata.dynamics.model import Model, model_of
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Figure, Plane, Shape, State
from hitogata.lanes import record_offsets
from hitogata.loops.arguments import as_rows, positive
from hitogata.loops.assembly import check_together
from hitogata.loops.contacts.entries import BROKEN, CROWDED, run_steps
from hitogata.loops.contacts.layout import MOST_CONTACTS, MOST_PATCHES, Rules, SpringMemory, StageMemory, StageTable
from hitogata.loops.contacts.reports import ContactStep, StepLayouts
from hitogata.loops.contacts.settings import ContactSettings
from hitogata.loops.link_set import LinkHandle, Links, links_of
from hitogata.loops.row_values import link_rows
from hitogata.loops.servo import Servo

_NONE: tuple[tuple[LinkHandle, float], ...] = ()


class _Setup(NamedTuple):
    """What steps need that hangs on none of their states: for which arguments, arrays by address, sizes of results."""

    h: float = -1.0
    springs: Servo | None = None
    gravity: Any = None
    figure: Figure | None = None
    pull: Any = None
    table: Array = np.zeros((0, 2), np.int64)
    arrays: tuple[Array, ...] = ()  # stay alive, and where they are
    layouts: Any = None


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
        self._outside = np.zeros(6 * self._model.nlinks)
        self._prepare()

        self._new: frozenset[LinkHandle] = frozenset(self.links.handles)

    def _prepare(self) -> None:
        self._layout = StageMemory.layout(
            tree=self._model, links=len(self.links.links), rows=self.links.rows, shapes=self.table.count
        )
        self._scratch, self._whole = self._layout.new_floats(), self._layout.new_ints()
        self._setup = _Setup()

    def _floor(self, scratch: Array) -> Any:
        """Views of the floor in some scratch."""
        return self._layout.open(scratch).patches.floor

    def hold(self, links: Links) -> None:
        """Hold by other virtual links from now on."""
        if links_of(links).figure is not self.figure:
            raise ArgumentError("links: they are of another figure")
        old_floor = self._floor(self._scratch)
        old = dict(self.links.links)
        self._new = frozenset(h for h, link in links.links if old.get(h) is not link or h in self._new)
        self.links = links
        self._prepare()
        floor = self._floor(self._scratch)
        floor.rules.rows[:], floor.memory[:], floor.kept[:] = old_floor.rules.rows, old_floor.memory, old_floor.kept

    def forget(self) -> None:
        """Forget where contacts were: the figure was put elsewhere."""
        self._floor(self._scratch).memory[:] = 0.0

    def table_for(self, model: Model, h: float) -> tuple[Array, tuple[Array, ...]]:
        """A `StageTable` for runs beside the stage's own state, with time step h [s], and its arrays, to be kept."""
        scratch = self._layout.new_floats()
        self._write_rules(scratch, float(h))
        return self._table(model, model.floats, scratch, self._layout.new_ints(), np.zeros(0))

    def _table(
        self, model: Model, floats: Array, scratch: Array, whole: Array, gains: Array
    ) -> tuple[Array, tuple[Array, ...]]:
        links, table = self.links, self.table
        arrays = {
            "ints": model.ints, "floats": floats, "link_ints": links.ints, "link_floats": links.floats,
            "shape_ints": table.ints, "shape_floats": table.floats, "pairs": table.pairs.reshape(-1),
            "scratch": scratch, "whole": whole, "wrenches": self._outside, "springs": gains,
        }  # fmt: skip
        return StageTable.of(**arrays), tuple(arrays.values())

    def _write_rules(self, scratch: Array, h: float) -> None:
        rules = self._floor(scratch).rules
        for name in record_offsets(Rules):
            getattr(rules, name)[...] = h if name == "h" else getattr(self.settings, name, 0.0)

    def _set_up(self, h: float, springs: Servo | None, gravity: Any, figure: Figure | None) -> _Setup:
        """What steps with such arguments need; kept until others come."""
        if positive("h", h) == 0.0:
            raise ArgumentError("h: must be a positive number of seconds, got 0")
        if springs is not None:
            if not isinstance(springs, Servo) or springs.figure is not self.figure:
                raise ArgumentError("springs: expected a Servo of the stage's own figure, as servo(figure, ...) gives")
            if springs.h != h:
                raise ArgumentError(f"springs: they were made for steps of {springs.h!r} s, not of {h!r} s")
            if figure is not None:
                raise ArgumentError("figure: give the springs or a figure with their armature, not both")
        model = model_of(springs.body if springs else self.figure if figure is None else figure)
        if model.nv != self._model.nv or model.nlinks != self._model.nlinks:
            raise ArgumentError("figure: expected the stage's own with other armature or damping")
        floats = model.floats if gravity is GRAVITY else model.floats_for(vector("gravity", gravity), np.float64)
        layout = SpringMemory.layout(nv=model.nv)
        gains = layout.new_floats()
        if springs:
            own = layout.open(gains)
            own.stiffness[:], own.damping[:] = springs.stiffness, springs.damping
        self._write_rules(self._scratch, float(h))
        table, arrays = self._table(model, floats, self._scratch, self._whole, gains)
        layouts = StepLayouts(model.nq, model.nv, len(self.links.links))
        same = gravity if type(gravity) is tuple else None  # an array may change unseen
        self._setup = _Setup(h, springs, same, figure, gravity, table, arrays, layouts)
        return self._setup

    def step(
        self,
        state: State,
        h: float,
        tau: Any = None,
        *,
        steps: int = 1,
        springs: Servo | None = None,
        target: Any = None,
        velocity: Any = None,
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
            springs: implicit ones in the joints, whose torques come on top: of every step, from where it begins.
            target: coordinates that they pull to, shape (nq,).
            velocity: of the target, shape (nv,); None: at rest.
            wrenches: external [torque; force] on each link of the figure, as for `forward_dynamics`.
            gravity: acceleration of gravity, world axes [m/s²].
            figure: the same figure with other armature and damping, such as those of implicit springs whose torques
                are in `tau`.
        """
        if not isinstance(state, State):
            raise ArgumentError("state: expected the State of one figure")
        if type(steps) is not int or steps < 1:
            steps = _whole(steps)
        if (springs is None) != (target is None):
            raise ArgumentError("springs, target: give both or none")
        if self._new:
            self._check_new(state)
        setup, model = self._setup, self._model
        if setup.h != h or setup.springs is not springs or setup.gravity is not gravity or setup.figure is not figure:
            setup = self._set_up(h, springs, gravity, figure)
        none = model.zeros
        push, pace = none if tau is None else tau, none if velocity is None else velocity
        goal, led, pushed = none if target is None else target, int(springs is not None), 0
        links, broken = self.links, _NONE
        out, report = setup.layouts.new()
        try:
            status = BAD_SIZE
            if wrenches is None:
                status = run_steps(setup.table, state.q, state.v, push, goal, pace, led, 0, 0, steps, out, report)
        except REFUSED:
            status = BAD_SIZE  # lists, other dtypes, strided arrays: seen to below
        if status:
            inputs = self._inputs(state, push, target, velocity, wrenches)
            if status == BAD_SIZE:
                q, v, push, goal, pace = self._brought(inputs)
                pushed = int(wrenches is not None)
                status = run_steps(setup.table, q, v, push, goal, pace, led, pushed, 0, steps, out, report)
            if status == BROKEN:
                status, report, links, broken = self._go_on(setup, push, goal, pace, led, pushed, steps, out, report)
            self._check(status, inputs, float(setup.h))
        return ContactStep(self, setup.layouts, out, report, links, broken)

    def _go_on(
        self, setup: _Setup, push: Array, goal: Array, pace: Array, led: int, pushed: int, steps: int, out: Array,
        report: Array,
    ) -> tuple[int, Array, Links, tuple[tuple[LinkHandle, float], ...]]:  # fmt: skip
        """Take the steps that are left after a virtual link broke, without it; and so on."""
        first, links, status = self.links, self.links, BROKEN
        broken: list[tuple[LinkHandle, float]] = []
        h = float(setup.h)
        while status == BROKEN:
            links, result = self.links, setup.layouts.result.open(out)
            taken, handle = int(result.steps), links.handles[int(result.broken)]
            broken.append((handle, taken * h))
            self.hold(links.remove(handle))
            if taken == steps:
                return 0, report, links, tuple(broken)
            setup = self._set_up(setup.h, setup.springs, setup.pull, setup.figure)
            links, report = self.links, setup.layouts.new()[1]
            q, v = result.q, result.v
            status = run_steps(setup.table, q, v, push, goal, pace, led, pushed, taken, steps, out, report)
        if status:
            self.hold(first)
        return status, report, links, tuple(broken)

    def _check_new(self, state: State) -> None:
        """Links that have come since the last step must be together."""
        if state.q.ndim != 1:
            raise ArgumentError("state: expected the State of one figure")
        check_together(self.links, link_rows(self.links, state.q).value, only=self._new)
        self._new = frozenset()

    def _check(self, status: int, inputs: tuple[Input, ...], h: float) -> None:
        """Say what was wrong; the stage is as it was."""
        if status == CROWDED:
            raise ArgumentError(
                f"figure {self.figure.name!r}: more than {MOST_PATCHES} regions or {MOST_CONTACTS} "
                "points touch at once, which is more than a ContactStage has room for: give the figure or its "
                "surroundings fewer shapes, or use a World"
            )
        try:
            check(status, self.figure, inputs)
        except ArgumentError:
            raise
        except HitogataError as error:
            raise ArgumentError(f"h: {error}; or steps of {h:g} s are too long: take shorter ones") from None

    def _brought(self, inputs: tuple[Input, ...]) -> list[Array]:
        """Arguments as arrays that kernels know; wrenches go to their own place."""
        if inputs[0].value.ndim != 1:
            raise ArgumentError("state: expected the State of one figure")
        rows, single = as_rows(inputs, self.figure)
        if not single:
            raise ArgumentError("tau, target, velocity, wrenches: expected those of one state, got a batch")
        if inputs[-1].value is not None:
            self._outside[:] = rows[-1][0]
        return [row[0] for row in rows[:-1]]

    def _inputs(self, state: State, tau: Any, target: Any, velocity: Any, wrenches: Any) -> tuple[Input, ...]:
        model = self._model
        return (
            Input("q", state.q, (model.nq,)),
            Input("v", state.v, (model.nv,)),
            Input("tau", tau, (model.nv,)),
            Input("target", state.q if target is None else target, (model.nq,)),
            Input("velocity", model.zeros if velocity is None else velocity, (model.nv,)),
            Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_setup": _Setup()}  # addresses are not those of a copy

    def link_of(self, body: int) -> str:
        """Name of a link by its body."""
        return self.figure.link_names[self._model.body_of_link.index(body)]


def _whole(steps: Any) -> int:
    """A number of steps, or an ArgumentError."""
    if type(steps) is bool or not isinstance(steps, int | np.integer) or steps < 1:
        raise ArgumentError(f"steps: must be a whole number, 1 or more, got {steps!r}")
    return int(steps)
