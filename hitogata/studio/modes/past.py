"""The last minutes of a world, moment by moment, so that one can go back and take it up again from any of them."""

from collections import deque
from dataclasses import dataclass
from typing import Any

from hitogata.figure import State
from hitogata.figure.pose import FloatArray
from hitogata.studio.scenery import Thing

LARGEST = 80_000_000
"""Most bytes of the history."""

LONGEST = 180.0
"""Most of it that is kept [s]."""


@dataclass(frozen=True, eq=False)
class Moment:
    """A world after a frame.

    Attributes:
        time: of the mode [s].
        q: coordinates of all copies, shape (n, nq).
        snapshot: of the world, from which it goes on bit for bit ...
        composition: ... as long as it is made of the same members.
        states, things: of its members, for a world that is not.
    """

    time: float
    q: FloatArray
    snapshot: Any
    composition: tuple[int, ...]
    states: tuple[State, ...]
    things: tuple[tuple[Thing, State], ...]

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        parts = getattr(self.snapshot, "__dict__", {}).values()
        own = sum(getattr(part, "nbytes", 0) for part in parts)
        return own + self.q.nbytes * 3 + 400


class Past:
    """Moments, the oldest first; old ones are forgotten."""

    def __init__(self) -> None:
        self._moments: deque[Moment] = deque()
        self._size = 0

    def __len__(self) -> int:
        return len(self._moments)

    @property
    def span(self) -> tuple[float, float]:
        """Times of the first and the last moment [s]."""
        return (self._moments[0].time, self._moments[-1].time) if self._moments else (0.0, 0.0)

    def note(self, moment: Moment) -> None:
        """Keep a moment, the newest."""
        self._moments.append(moment)
        self._size += moment.size
        while self._size > LARGEST or moment.time - self._moments[0].time > LONGEST:
            self._size -= self._moments.popleft().size

    def at(self, time: float) -> Moment:
        """The last moment that is not after a time, or the first."""
        found = self._moments[0]
        low, high = 0, len(self._moments) - 1
        while low <= high:
            middle = (low + high) // 2
            if self._moments[middle].time <= time + 1e-9:
                found, low = self._moments[middle], middle + 1
            else:
                high = middle - 1
        return found

    def beside(self, moment: Moment, count: int) -> Moment:
        """So many moments after one, or before."""
        index = self._moments.index(moment)
        return self._moments[min(max(index + count, 0), len(self._moments) - 1)]

    def forget_after(self, moment: Moment) -> None:
        """What came later did not happen."""
        while self._moments and self._moments[-1] is not moment:
            self._size -= self._moments.pop().size

    def clear(self) -> None:
        """Forget all."""
        self._moments.clear()
        self._size = 0
