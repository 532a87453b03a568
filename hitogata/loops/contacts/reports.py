"""What a contact step tells: states, wrenches, where contacts press, and what changed."""

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hitogata.dynamics.dispatch import Array
from hitogata.figure import State
from hitogata.lanes import record_fields
from hitogata.loops.contacts import layout
from hitogata.loops.contacts.layout import PatchReport, StepReport, StepResult
from hitogata.loops.link_set import LinkHandle, Links

if TYPE_CHECKING:
    from hitogata.loops.contacts.stage import ContactStage


class ContactState(enum.Enum):
    """How much of a contact presses."""

    NONE = layout.NONE
    POINT = layout.POINT
    LINE = layout.LINE
    SURFACE = layout.SURFACE


class Slip(enum.Enum):
    """How a contact holds across."""

    STICK = layout.STICK
    PIVOT = layout.PIVOT
    SLIDE = layout.SLIDE


class Change(enum.Flag):
    """What a contact did in a step that its first hypothesis, from places and velocities, did not say."""

    NOTHING = 0
    LIFTED = layout.LIFTED  # it would have had to pull
    ROLLED = layout.ROLLED  # its pressure left the region: onto an edge or a corner
    SLID = layout.SLID  # friction was not enough
    SPUN = layout.SPUN  # friction was not enough against turning
    STOPPED = layout.STOPPED  # sliding or turning came to an end
    TOUCHED = 32  # it is new


@dataclass(frozen=True, eq=False)
class ContactReport:
    """One contact of the last step.

    Attributes:
        link: of the figure.
        other: the link it touches; None: the world.
        state: how much of it presses.
        slip: how it holds across.
        change: what happened that the first hypothesis did not say.
        place: middle of the region, in the world, shape (3,) [m].
        axes: R_WP, columns x, y and the normal (towards `link`), shape (3, 3).
        wrench: [torque; force] on `link` about `place`, in these axes, mean over the step [N m, N]; of an impact, times
            time [N m s, N s], shape (6,).
        pressure: balance point of the pressure, in the world, shape (3,) [m].
        gap: least gap of its points, < 0: overlap [m].
        region: corners of the convex hull in the plane, shape (n, 2), from `place` [m].
    """

    link: str
    other: str | None
    state: ContactState
    slip: Slip
    change: Change
    place: Array
    axes: Array
    wrench: Array
    pressure: Array
    gap: float
    region: Array

    @property
    def force(self) -> Array:
        """Force on `link`, world axes [N], shape (3,)."""
        result: Array = self.axes @ self.wrench[3:]
        return result


class PatchNumbers:
    """A `PatchReport` read: what a step tells of a patch, whose bodies are still numbers.

    Attributes:
        body_a, body_b: bodies; -1: the world.
        why, known: bits; whether it was there in the last step.
        others: as those of a `ContactReport`.
    """

    def __init__(self, row: Array) -> None:
        told = record_fields(PatchReport, row)
        self.body_a, self.body_b, self.why = int(told.body_a), int(told.body_b), int(told.why)
        self.known, self.state, self.slip = bool(told.known), ContactState(int(told.state)), Slip(int(told.slip))
        self.place, self.axes = told.place.copy(), np.column_stack([told.x, told.y, told.z])
        self.wrench = np.concatenate([told.turn, told.push])
        self.pressure = self.place + self.axes[:, 0] * told.press_x + self.axes[:, 1] * told.press_y
        self.gap, corners = float(told.least), int(told.corners)
        self.region = told.hull[: 2 * corners].reshape(corners, 2).copy()


class StepLayouts:
    """Where results and reports of steps lie."""

    def __init__(self, nq: int, nv: int, links: int) -> None:
        self.result, self.report = StepResult.layout(nq=nq, nv=nv), StepReport.layout(links=links)
        self.sizes = self.result.floats, self.report.floats
        self.q, self.v = self.result.place("q").part, self.result.place("v").part

    def new(self) -> tuple[Array, Array]:
        """Room for a result and a report."""
        return np.empty(self.sizes[0]), np.empty(self.sizes[1])


class ContactStep:
    """What some steps did.  It has arrays of its own: later steps do not change it.

    Attributes:
        state: where the figure is.
        links: virtual links that held in the last step.
        broken: handle, and time since the start [s], of every virtual link that broke.
    """

    __slots__ = ("_layouts", "_numbers", "_report", "_stage", "broken", "links", "state")

    def __init__(
        self, stage: "ContactStage", layouts: StepLayouts, numbers: Array, report: Array, links: Links,
        broken: tuple[tuple[LinkHandle, float], ...],
    ) -> None:  # fmt: skip
        self._stage, self._layouts, self._numbers, self._report = stage, layouts, numbers, report
        self.state = State.unchecked(numbers[layouts.q], numbers[layouts.v])
        self.links, self.broken = links, broken

    # Most of this is never asked for: it is looked up only when it is.

    def _tally(self, name: str) -> int:
        return int(self._numbers[self._layouts.result.place(name).start])

    @property
    def vdot(self) -> Array:
        """Accelerations of the last step, without impacts, shape (nv,)."""
        return self._numbers[self._layouts.result.place("vdot").part]

    @property
    def steps(self) -> int:
        """Steps taken."""
        return self._tally("steps")

    @property
    def passes(self) -> int:
        """Most passes that a step took for its forces."""
        return self._tally("passes")

    @property
    def impact_passes(self) -> int:
        """Most passes that an impact took."""
        return self._tally("knocks")

    @property
    def impact_steps(self) -> int:
        """Steps with an impact."""
        return self._tally("impacts")

    @property
    def swept(self) -> int:
        """Steps in which no hypothesis was valid after three passes: their forces were found by sweeps over the corners
        of all contacts."""
        return self._tally("swept")

    @property
    def unresolved(self) -> int:
        """Steps in which these did not settle."""
        return self._tally("unresolved")

    def wrench(self, handle: LinkHandle) -> Array:
        """[torque; force] of a virtual link on its child, about the origin of C in the axes of P, shape (6,)."""
        wrenches = StepReport.layout(links=len(self.links)).field("wrench", self._report)
        wrench: Array = wrenches[self.links.index(handle)].copy()
        return wrench

    def _reports(self, name: str, count: int) -> tuple[ContactReport, ...]:
        rows = self._layouts.report.field(name, self._report).rows[:count]
        return tuple(self._read(PatchNumbers(row)) for row in rows)

    def _read(self, told: PatchNumbers) -> ContactReport:
        link_of = self._stage.link_of
        return ContactReport(
            link_of(told.body_a), link_of(told.body_b) if told.body_b >= 0 else None, told.state, told.slip,
            Change(told.why) if told.known else Change(told.why) | Change.TOUCHED, told.place, told.axes, told.wrench,
            told.pressure, told.gap, told.region,
        )  # fmt: skip

    @property
    def contacts(self) -> tuple[ContactReport, ...]:
        """Contacts of the last step; those that let go in it too."""
        return self._reports("patch", self._tally("patches"))

    @property
    def impacts(self) -> tuple[ContactReport, ...]:
        """Impacts of the last step; their wrenches are impulses."""
        return self._reports("impact", self._tally("struck"))
