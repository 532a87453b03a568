"""What all modes share."""

import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.figure.pose import FloatArray
from hitogata.studio.leash import Leash
from hitogata.studio.stage import Stage


@dataclass(eq=False)
class Grip:
    """A hand on a link, as long as the mouse is down.

    Attributes:
        copy: of the figure.
        link: index.
        point: in the link's frame [m], shape (3,).
        leash: from it to the pointer.
        handle: what the mode keeps with it.
    """

    copy: int
    link: int
    point: FloatArray
    leash: Leash
    handle: Any = None


class MarkKind(enum.Enum):
    """What a mark on the page stands for."""

    PIN = "pin"
    HELD = "held"


@dataclass(frozen=True)
class Mark:
    """A ball on the page.

    Attributes:
        kind: of it.
        position: [m], shape (3,).
    """

    kind: MarkKind
    position: FloatArray


@dataclass
class Mode(ABC):
    """How the stage moves on, and what touching a figure does.

    Attributes:
        stage: what is moved; a mode writes `stage.q`.
        grips: hands on links, by whose they are.
        time: since the mode was entered [s].
        news: (title, text) of what happened and should be told; whoever tells it empties the list.
    """

    stage: Stage
    grips: dict[Any, Grip] = field(default_factory=dict)
    time: float = 0.0
    news: list[tuple[str, str]] = field(default_factory=list)

    @abstractmethod
    def advance(self, seconds: float) -> None:
        """Go on by some time [s]."""

    @abstractmethod
    def refigure(self) -> None:
        """The stage's figure, copies or floor changed: begin anew from where it is."""

    def close(self) -> None:  # noqa: B027  # most modes have nothing to put away
        """The mode is left."""

    # ------------------------------------------------------- the mouse

    def grab(self, who: Any, copy: int, link: int, place: FloatArray) -> None:
        """Somebody takes hold of a link at a place in the world [m]."""
        self.let_go(who)
        matrix = self.stage.poses().matrices[copy, link]
        grip = Grip(copy, link, matrix[:, :3].T @ (np.asarray(place) - matrix[:, 3]), Leash(place))
        self.take(grip)
        self.grips[who] = grip

    def lead(self, who: Any, pointer: FloatArray) -> None:
        """The pointer moved [m]."""
        if who in self.grips:
            self.grips[who].leash.lead(pointer)

    def let_go(self, who: Any) -> None:
        """The mouse was released."""
        if who in self.grips:
            self.release(self.grips.pop(who))

    def let_all_go(self) -> None:
        """Nobody holds anything any more."""
        for who in list(self.grips):
            self.release(self.grips.pop(who))

    @abstractmethod
    def take(self, grip: Grip) -> None:
        """Begin to hold."""

    @abstractmethod
    def release(self, grip: Grip) -> None:
        """Hold no longer."""

    @abstractmethod
    def click(self, copy: int, link: int, ray: FloatArray) -> None:
        """A link was clicked, seen along a direction of the world."""

    # ------------------------------------------------------- what is shown

    def velocity(self) -> FloatArray:
        """Velocities of the first copy, shape (nv,); zero where a mode knows none."""
        return np.zeros(self.stage.figure.nv)

    def marks(self) -> list[Mark]:
        """Balls on the page."""
        return []

    def painted(self) -> dict[tuple[int, int], str]:
        """Links that are shown in another colour, by (copy, link), and as what: a key of `view.colours.LINKS`."""
        return {(grip.copy, grip.link): "held" for grip in self.grips.values()}

    def leashes(self) -> list[tuple[FloatArray, FloatArray]]:
        """Lines from where links are held to where they should be."""
        matrices = self.stage.poses().matrices if self.grips else None
        lines = []
        for grip in self.grips.values():
            assert matrices is not None
            matrix = matrices[grip.copy, grip.link]
            lines.append((matrix[:, :3] @ grip.point + matrix[:, 3], grip.leash.place))
        return lines
