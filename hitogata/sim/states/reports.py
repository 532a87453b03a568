"""Contacts as states: what presses, how it holds, and what changed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_fields
from hitogata.loops.contacts.reports import Change, ContactState, PatchNumbers, Slip
from hitogata.sim.states.layout import Tally
from hitogata.sim.states.report_output import BY_SWEEPS

if TYPE_CHECKING:
    from hitogata.sim.members import Member
    from hitogata.sim.world_data import Arrays


@dataclass(frozen=True, eq=False)
class ContactPatch:
    """All points of the last step where two bodies touch along one normal.

    Attributes:
        a: (figure, link).
        b: the same, or None for the ground.
        state: how much of it presses.
        slip: how it holds across.
        change: what happened in the step that the first hypothesis did not say.
        by_sweeps: no hypothesis was consistent within three passes, and the sweeps solved it.
        place: middle of the region, in the world, shape (3,) [m].
        axes: R_WP, columns x, y and the normal (from b to a), shape (3, 3).
        wrench: [torque; force] on a about `place`, in these axes, mean over the step [N m, N], shape (6,).
        pressure: balance point of the pressure, in the world, shape (3,) [m].
        gap: least gap of its points, < 0: overlap [m].
        region: corners of the convex hull in the plane, from `place`, shape (n, 2) [m].
    """

    a: "tuple[Member, str]"
    b: "tuple[Member, str] | None"
    state: ContactState
    slip: Slip
    change: Change
    by_sweeps: bool
    place: FloatArray
    axes: FloatArray
    wrench: FloatArray
    pressure: FloatArray
    gap: float
    region: FloatArray

    @property
    def force(self) -> FloatArray:
        """Force on a, world axes [N], shape (3,)."""
        result: FloatArray = self.axes @ self.wrench[3:]
        return result


@dataclass(frozen=True)
class ContactTally:
    """How contact by states went so far.

    Attributes:
        steps: taken, pieces counted singly.
        islands: sets of figures that feel each other, summed over the steps; those with contacts, springs or ropes.
        swept: of these, how many the sweeps had to solve, because no hypothesis was consistent ...
        too_large: ... or because there were too many contacts.
        passes: how many of the others took 1, 2 and 3 passes.
    """

    steps: int
    islands: int
    swept: int
    too_large: int
    passes: tuple[int, int, int]


def contact_tally(arrays: "Arrays") -> ContactTally:
    """Counts so far."""
    if not arrays.stated:
        return ContactTally(0, 0, 0, 0, (0, 0, 0))
    told = record_fields(Tally, arrays.tally)
    _, first, second, third = (int(x) for x in told.passes)
    steps, islands, swept, large = (int(x) for x in (told.steps, told.islands, told.swept, told.too_large))
    return ContactTally(steps, islands, swept - large, large, (first, second, third))


def contact_patches(arrays: "Arrays") -> list[ContactPatch]:
    """Contacts of the last step."""
    owner: dict[int, tuple[Member, str]] = {}
    for member in arrays.contents.members:
        for link, body in zip(member.figure.link_names, arrays.span_of(member).body_of_link, strict=True):
            owner.setdefault(body, (member, link))
    result = []
    for row in arrays.last_patches():
        told = PatchNumbers(row)
        (member, link), b = owner[told.body_a], told.body_b
        change = Change(told.why & ~BY_SWEEPS) | (Change.NOTHING if told.known else Change.TOUCHED)
        result.append(ContactPatch(
            (member, link), owner[b] if b >= 0 else None, told.state, told.slip, change, bool(told.why & BY_SWEEPS),
            told.place, told.axes, told.wrench / arrays.piece_h_of(member), told.pressure, told.gap, told.region,
        ))  # fmt: skip
    return result
