"""What a contact step tells: states, wrenches, where contacts press, and what changed."""

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitogata.dynamics.calling import Array
from hitogata.figure import State
from hitogata.loops.contacts import layout
from hitogata.loops.contacts.reporting import REPORT
from hitogata.loops.contacts.running import TALLY
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


class ContactStep:
    """What some steps did.  It has arrays of its own: later steps do not change it.

    Attributes:
        state: where the figure is.
        links: virtual links that held in the last step.
        broken: handle, and time since the start [s], of every virtual link that broke.
    """

    __slots__ = ("_numbers", "_report", "_stage", "broken", "links", "state")

    def __init__(
        self, stage: "ContactStage", state: State, numbers: Array, report: Array, links: Links,
        broken: tuple[tuple[LinkHandle, float], ...],
    ) -> None:  # fmt: skip
        self._stage, self.state, self._numbers, self._report = stage, state, numbers, report
        self.links, self.broken = links, broken

    # Most of this is never asked for: it is looked up only when it is.

    def _tally(self, k: int) -> int:
        return int(self._numbers[k - TALLY])

    @property
    def vdot(self) -> Array:
        """Accelerations of the last step, without impacts, shape (nv,)."""
        return self._numbers[-TALLY - len(self.state.v) : -TALLY]

    @property
    def steps(self) -> int:
        """Steps taken."""
        return self._tally(2)

    @property
    def passes(self) -> int:
        """Most passes that a step took for its forces."""
        return self._tally(3)

    @property
    def impact_passes(self) -> int:
        """Most passes that an impact took."""
        return self._tally(4)

    @property
    def impact_steps(self) -> int:
        """Steps with an impact."""
        return self._tally(5)

    @property
    def swept(self) -> int:
        """Steps in which no hypothesis was valid after three passes: their forces were found by sweeps over the corners
        of all contacts."""
        return self._tally(8)

    @property
    def unresolved(self) -> int:
        """Steps in which these did not settle."""
        return self._tally(6)

    def wrench(self, handle: LinkHandle) -> Array:
        """[torque; force] of a virtual link on its child, about the origin of C in the axes of P, shape (6,)."""
        at = 2 * layout.MOST_PATCHES * REPORT + 6 * self.links.index(handle)
        return self._report[at : at + 6].copy()

    def _reports(self, first: int, count: int) -> tuple[ContactReport, ...]:
        rows = self._report[first * REPORT : (first + count) * REPORT].reshape(count, REPORT)
        return tuple(self._stage._report(row) for row in rows)

    @property
    def contacts(self) -> tuple[ContactReport, ...]:
        """Contacts of the last step; those that let go in it too."""
        return self._reports(0, self._tally(0))

    @property
    def impacts(self) -> tuple[ContactReport, ...]:
        """Impacts of the last step; their wrenches are impulses."""
        return self._reports(layout.MOST_PATCHES, self._tally(1))
