"""What runs attempts: so many at once, each told about when it is done or its process has died."""

from dataclasses import dataclass
from typing import Any, Protocol

from hitogata.cluster.task import Attempt, Report
from hitogata.errors import HitogataError


class WorkerStartError(HitogataError):
    """Workers cannot be started, or a cluster cannot be reached."""


@dataclass(frozen=True)
class Event:
    """An attempt is over.

    Attributes:
        token: of the attempt.
        report: None: its process died.
        said: by the process before it died.
    """

    token: str
    report: Report | None
    said: str = ""


class Workers(Protocol):
    """Processes that do attempts."""

    def reach(self) -> None:
        """See, at once, that they can be started."""

    def start(self, warm: Any = None) -> None:
        """Make ready; `warm()` is called once on each computer before any attempt."""

    def room(self) -> int:
        """How many attempts may be under way."""

    def submit(self, attempt: Attempt) -> None:
        """Begin an attempt."""

    def wait(self, timeout: float) -> list[Event]:
        """Attempts that are over since the last call; waits for the first one, so long at most [s]."""

    def kill(self, token: str) -> None:
        """End an attempt, with its process; an event tells when it is over."""

    def close(self) -> None:
        """End all."""
