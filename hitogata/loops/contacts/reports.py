"""What a contact step tells: states, wrenches, where contacts press, and what changed."""

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitogata.dynamics.calling import Array
from hitogata.figure import State
from hitogata.loops.contacts import layout
from hitogata.loops.contacts.reporting import REPORT
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
    """What some steps did.

    Attributes:
        state: where the figure is.
        vdot: accelerations of the last step, without impacts, shape (nv,).
        passes: most passes that a step took for its forces.
        impact_passes: and for impacts.
        impact_steps: steps with an impact.
        swept: steps in which no hypothesis was valid after three passes: their forces were found by sweeps over the
            corners of all contacts.
        unresolved: steps in which these did not settle.
        steps: steps taken.
        links: virtual links that held in the last step.
        broken: handle, and time since the start [s], of every virtual link that broke.
    """

    __slots__ = ("_counts", "_numbers", "_stage", "broken", "impact_passes", "impact_steps", "links", "passes",
                 "state", "steps", "swept", "unresolved", "vdot")  # fmt: skip

    def __init__(
        self, stage: "ContactStage", state: State, vdot: Array, numbers: Array, tally: list[float], links: Links,
        broken: tuple[tuple[LinkHandle, float], ...],
    ) -> None:  # fmt: skip
        self.state, self.vdot, self._stage, self._numbers, self.links = state, vdot, stage, numbers, links
        self._counts, self.broken = (int(tally[0]), int(tally[1])), broken
        self.steps, self.passes, self.impact_passes = int(tally[2]), int(tally[3]), int(tally[4])
        self.impact_steps, self.unresolved, self.swept = int(tally[5]), int(tally[6]), int(tally[8])

    def wrench(self, handle: LinkHandle) -> Array:
        """[torque; force] of a virtual link on its child, about the origin of C in the axes of P, shape (6,)."""
        at = 2 * layout.MOST_PATCHES * REPORT + 6 * self.links.index(handle)
        return self._numbers[at : at + 6].copy()

    def _reports(self, first: int, count: int) -> tuple[ContactReport, ...]:
        rows = self._numbers[first * REPORT : (first + count) * REPORT].reshape(count, REPORT)
        return tuple(self._stage._report(row) for row in rows)

    @property
    def contacts(self) -> tuple[ContactReport, ...]:
        """Contacts of the last step; those that let go in it too."""
        return self._reports(0, self._counts[0])

    @property
    def impacts(self) -> tuple[ContactReport, ...]:
        """Impacts of the last step; their wrenches are impulses."""
        return self._reports(layout.MOST_PATCHES, self._counts[1])
