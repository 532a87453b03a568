"""What is led through a world from outside, step by step; a world calls it before and after every step."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from hitogata.sim.members import Member


class Led(Protocol):
    """Something whose motion is given, as that of a strand's root."""

    def lead(self, h: float) -> None:
        """Before a step of h [s]: tell what is led how to move."""

    def follow(self, h: float) -> None:
        """After a step of h [s]."""

    def together(self) -> "Sequence[Member]":
        """Figures that sleep together or not at all: who leads, and then who is led."""

    def leaving_with(self, member: "Member") -> "set[Member]":
        """A figure leaves the world: forget it; returns what must go with it."""
