"""What a puppet hands out: handles of what was asked for, and how well it is met."""

import enum
from dataclasses import dataclass
from typing import Any, NamedTuple


class Hold(enum.Enum):
    """What a pin or drag holds of a frame."""

    POSITION = "position"
    ORIENTATION = "orientation"
    POSE = "pose"


class Priority(enum.Enum):
    """Level of a goal: what stands in the second gives way to what stands in the first, however light that is."""

    FIRST = 1
    SECOND = 2


class Status(enum.Enum):
    """How a solve ended."""

    MAX_ITERATIONS = 0
    REACHED = 1
    STALLED = 2


@dataclass(frozen=True, eq=False)
class Handle:
    """One thing that was asked of a puppet; made by `Puppet.pin`, `drag`, `look_at` or `balance`.

    Attributes:
        what: the word for it.
        frame: name of the link or frame; empty for balance.
    """

    what: str
    frame: str

    def __str__(self) -> str:
        return f"{self.what} of {self.frame!r}" if self.frame else self.what


class Residuals(NamedTuple):
    """The largest errors of all that is asked for; numbers, or shape (n,) for n characters.

    Attributes:
        position: of points [m].
        angle: of orientations and gazes [rad].
    """

    position: Any
    angle: Any


class Solution(NamedTuple):
    """How a solve ended; numbers, or shape (n,) for n characters.

    Attributes:
        status: a `Status`, or a tuple of them: reached, stalled (out of reach, or stuck), or out of iterations.
        iterations: taken.
        position: largest error of points [m].
        angle: largest error of orientations and gazes [rad].
    """

    status: Any
    iterations: Any
    position: Any
    angle: Any
