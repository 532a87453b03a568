"""Contacts as states: what presses, how it holds, and what changed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hitogata.figure.pose import FloatArray
from hitogata.loops.contacts.reports import Change, ContactState, Slip
from hitogata.sim.states.layout import ISLANDS, PASSES, STEPS, SWEPT, TALLY, TOO_LARGE
from hitogata.sim.states.reporting import BY_SWEEPS

if TYPE_CHECKING:
    from hitogata.sim.arrays import Arrays
    from hitogata.sim.members import Member


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
    t = [int(x) for x in arrays.states[:TALLY]]
    first, second, third = t[PASSES + 1 : PASSES + 4]
    return ContactTally(t[STEPS], t[ISLANDS], t[SWEPT] - t[TOO_LARGE], t[TOO_LARGE], (first, second, third))


def contact_patches(arrays: "Arrays") -> list[ContactPatch]:
    """Contacts of the last step."""
    owner: dict[int, tuple[Member, str]] = {}
    for member in arrays.contents.members:
        for link, body in zip(member.figure.link_names, arrays.span_of(member).body_of_link, strict=True):
            owner.setdefault(body, (member, link))
    result = []
    for row in arrays.last_patches():
        a, b, state, slip, why, known, _, corners = (int(x) for x in row[:8])
        place, axes = row[8:11].copy(), row[11:20].reshape(3, 3).T.copy()
        w = row[20:26] / arrays.piece_h_of(owner[a][0])
        change = Change(why & ~BY_SWEEPS) | (Change.NOTHING if known else Change.TOUCHED)
        result.append(ContactPatch(
            owner[a], owner[b] if b >= 0 else None, ContactState(state), Slip(slip), change, bool(why & BY_SWEEPS),
            place, axes, np.concatenate([w[3:], w[:3]]), place + axes[:, :2] @ row[26:28], float(row[29]),
            row[30 : 30 + 2 * corners].reshape(corners, 2).copy(),
        ))  # fmt: skip
    return result
