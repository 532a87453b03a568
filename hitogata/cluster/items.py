"""Items of work, what becomes of them, and how much they may take."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hitogata.errors import ArgumentError

Work = Callable[[Any], bytes]
"""What is done with an item: a function of a module (no lambda), the same answer whenever it is asked."""


@dataclass(frozen=True)
class Item:
    """A piece of work.

    Attributes:
        key: of its result: letters, digits, '.', '_', '-'; the same work has the same key.
        given: to the work; it is sent to another process.
    """

    key: str
    given: Any = None


@dataclass(frozen=True)
class Outcome:
    """What became of an item.

    Attributes:
        item: it.
        result: bytes; None: it failed.
        error: what went wrong in one line; "": nothing.
        traceback: of the error, or what the process said before it died.
        attempts: how often it was tried; 0: the result was there.
        seconds: of the last attempt.
    """

    item: Item
    result: bytes | None = field(repr=False)
    error: str = ""
    traceback: str = field(default="", repr=False)
    attempts: int = 1
    seconds: float = 0.0


@dataclass(frozen=True)
class Policy:
    """How much an item may take.

    Attributes:
        attempts: at most; errors that say that the input is bad (`HitogataError`) are not tried again.
        backoff: pause before the second attempt [s], doubled before each further one.
        longest_pause: [s].
        time_limit: of an attempt [s]; None: none.
        memory_limit: data that an attempt may add to its process [bytes]; None: none.
    """

    attempts: int = 3
    backoff: float = 0.5
    longest_pause: float = 60.0
    time_limit: float | None = None
    memory_limit: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.attempts, int) or self.attempts < 1:
            raise ArgumentError(f"policy: attempts must be 1 or more, got {self.attempts!r}")
        for name in ("backoff", "longest_pause", "time_limit", "memory_limit"):
            value = getattr(self, name)
            if value is None and name.endswith("limit"):
                continue
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < float("inf"):
                raise ArgumentError(f"policy: {name} must be a number, 0 or more, got {value!r}")
            if value == 0 and name.endswith("limit"):
                raise ArgumentError(f"policy: {name} must be greater than 0, or None")

    def pause(self, failures: int) -> float:
        """Pause after so many failures [s]."""
        return min(self.backoff * 2.0 ** (failures - 1), self.longest_pause)
