"""What a world knows of rest and sleep; see `sleep`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hitogata.figure.pose import FloatArray

if TYPE_CHECKING:
    from hitogata.sim.members import Member


@dataclass(frozen=True, eq=False)
class Nap:
    """A figure asleep, as it was when it fell asleep.

    Attributes:
        island: number of its island: who shares it wakes with it.
        h: length of the last step it took, or of that step's last piece [s].
        end: its part of the world's state as that step left it, flat: readings are those of that step.
        state: its part of the world's state, at rest; flat.
        control: its part of the world's control; flat.
    """

    island: int
    h: float
    end: FloatArray
    state: FloatArray
    control: FloatArray


@dataclass(eq=False)
class Sleep:
    """Rest and sleep of all figures of a world.

    Attributes:
        rest: how long each figure has been at rest [s], in the order of the figures.
        told: the control of the last step.
        naps: those asleep.
    """

    rest: FloatArray
    told: FloatArray
    naps: "dict[Member, Nap]" = field(default_factory=dict)

    def saved(self, index: "Mapping[Member, int]", patches: FloatArray) -> "SavedSleep":
        """Written down, with what contact by states reported; index: number of each figure."""
        naps = tuple((index[member], nap) for member, nap in self.naps.items())
        return SavedSleep(self.rest.copy(), self.told.copy(), naps, patches.copy())

    @classmethod
    def none(cls, figures: int, control: FloatArray) -> "Sleep":
        """So many figures, all awake."""
        return cls(np.zeros(figures), control.copy())


@dataclass(frozen=True, eq=False)
class SavedSleep:
    """`Sleep` of figures by their numbers, and what contact by states reported, shape (patches, numbers)."""

    rest: FloatArray
    told: FloatArray
    naps: tuple[tuple[int, Nap], ...]
    patches: FloatArray

    def opened(self, members: "Sequence[Member]") -> Sleep:
        """That of these figures."""
        return Sleep(self.rest.copy(), self.told.copy(), {members[k]: nap for k, nap in self.naps})
