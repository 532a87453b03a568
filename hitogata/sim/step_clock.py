"""What the parts of a step cost."""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from hitogata.lanes import cycles, kernel
from hitogata.sim.world_model import IntArray

BROAD, NARROW, ROWS, FACTOR, SWEEPS, INTEGRATE, LAST, TIMES = range(8)
"""Places in the times, and their number; at LAST, when the clock was last looked at."""


class Clock(NamedTuple):
    """A kernel that notes that a part is over, and where; `silent` costs nothing."""

    note: Any
    times: Any


@kernel
def silent(times, part):
    """Note nothing."""


@kernel
def ticking(times, part):
    """Add the time since the last look to a part, if there is a place for it."""
    if len(times) > 0:
        now = cycles()
        times[part] += now - times[LAST]
        times[LAST] = now


@kernel
def started(times):
    """A clock that ticks if there are places for times."""
    if len(times) > 0:
        times[LAST] = cycles()
    return Clock(ticking, times)


@dataclass(frozen=True)
class Costs:
    """Where the time of a world's steps went, and how much there was to do.

    Attributes:
        broad: placing shapes, finding pairs that are near [s], per step like all times.
        narrow: finding their contact points.
        rows: limits, contacts and ties as rows, and how they feel each other.
        factor: places, mass matrix and its factor, the motion without limits and contacts.
        sweeps: solving for impulses.
        integrate: new velocities, momenta and places.
        pairs: pairs of shapes that were tested in the last step.
        contacts: contact points that were found in it.
        steps: how many steps were measured.
    """

    broad: float
    narrow: float
    rows: float
    factor: float
    sweeps: float
    integrate: float
    pairs: int
    contacts: int
    steps: int

    @property
    def total(self) -> float:
        """All of a step [s]."""
        return sum(getattr(self, field.name) for field in fields(self)[:6])

    def __str__(self) -> str:
        parts = ", ".join(f"{field.name} {1e6 * getattr(self, field.name):.3g}" for field in fields(self)[:6])
        return f"{1e6 * self.total:.4g} µs per step: {parts}; {self.pairs} pairs, {self.contacts} contact points"


def costs_of(times: IntArray, seconds: float, steps: int, *, pairs: int, contacts: int) -> Costs:
    """Costs per step, from the ticks of all parts and the seconds that all steps took together."""
    per_tick = seconds / steps / max(int(times[:LAST].sum()), 1)
    broad, narrow, rows, factor, sweeps, integrate = (per_tick * float(ticks) for ticks in times[:LAST])
    return Costs(broad, narrow, rows, factor, sweeps, integrate, pairs, contacts, steps)
