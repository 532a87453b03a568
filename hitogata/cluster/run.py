"""Items through workers, one result each: what is there is not done again, what fails is tried again, after a while.

Items are drawn one by one as workers are free, and outcomes are handed out one by one: however many there are, memory
holds those under way.
"""

import heapq
import itertools
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hitogata.cluster.items import Item, Outcome, Policy, Work
from hitogata.cluster.results import Results
from hitogata.cluster.task import Attempt
from hitogata.cluster.workers import Event, Workers

GRACE = 15.0
"""A process that does not end itself when its time is over is ended by us so much later [s]."""

QUEUE = 4
"""Times the room of the workers: so many failed items may wait for another attempt before new ones are held back."""


@dataclass
class _Under:
    item: Item
    attempts: int
    end: float
    attempt: Attempt


def run_items(
    work: Work,
    items: Iterable[Item],
    results: Results | None,
    workers: Workers,
    *,
    policy: Policy | None = None,
) -> Iterator[Outcome]:
    """Do all items; outcomes come as they are ready.

    Args:
        work: what is done with each item's `given`: an importable function that returns bytes.
        items: with keys of their own.
        results: where results are kept; an item whose result is there is not done; None: they are only handed out.
        workers: started ones.
        policy: limits and attempts.

    Yields:
        One outcome for each item; failed ones too, at the end of their attempts.
    """
    return _Run(work, iter(items), results, workers, policy or Policy()).outcomes()


class _Run:
    def __init__(
        self, work: Work, items: Iterator[Item], results: Results | None, workers: Workers, policy: Policy
    ) -> None:
        self.work, self.items, self.results, self.workers, self.policy = work, items, results, workers, policy
        self.under: dict[str, _Under] = {}
        self.waiting: list[tuple[float, int, Item, int]] = []
        self.numbers = itertools.count()
        self.name = f"{time.time_ns():x}"
        self.exhausted = False

    def outcomes(self) -> Iterator[Outcome]:
        try:
            while True:
                yield from self._fill()
                if not self.under and not self.waiting and self.exhausted:
                    return
                for event in self.workers.wait(self._patience()):
                    outcome = self._over(event)
                    if outcome is not None:
                        yield outcome
                self._overdue()
        finally:
            for token in list(self.under):
                self.workers.kill(token)

    def _fill(self) -> Iterator[Outcome]:
        """Begin attempts while there is room; items whose results are there are handed out at once."""
        while len(self.under) < self.workers.room():
            if self.waiting and self.waiting[0][0] <= time.monotonic():
                _, _, item, attempts = heapq.heappop(self.waiting)
                self._begin(item, attempts + 1)
                continue
            if self.exhausted or len(self.waiting) >= QUEUE * self.workers.room():
                return
            following = next(self.items, None)
            if following is None:
                self.exhausted = True
                return
            Results.check_key(following.key)
            found = None if self.results is None else self.results.get(following.key)
            if found is not None:
                yield Outcome(following, found, attempts=0)
            else:
                self._begin(following, 1)

    def _begin(self, item: Item, attempts: int) -> None:
        token = f"{self.name}-{next(self.numbers)}"
        limit = self.policy.time_limit
        end = float("inf") if limit is None else time.monotonic() + limit + GRACE
        attempt = Attempt(item, self.work, self.results, self.policy, token)
        self.under[token] = _Under(item, attempts, end, attempt)
        self.workers.submit(attempt)

    def _patience(self) -> float:
        ends = [each.end for each in self.under.values()]
        if self.waiting and len(self.under) < self.workers.room():
            ends.append(self.waiting[0][0])
        return min(max(min(ends, default=0.0) - time.monotonic(), 0.0), 1.0)

    def _over(self, event: Event) -> Outcome | None:
        under = self.under.pop(event.token, None)
        if under is None:
            return None
        report = event.report
        if report is not None and report.result is not None:
            return Outcome(under.item, report.result, attempts=under.attempts, seconds=report.seconds)
        if report is None:  # it may have died after its result was kept
            found = None if self.results is None else self.results.get(under.item.key)
            if found is not None:
                return Outcome(under.item, found, attempts=under.attempts)
            error, text = self._death(under, event)
        else:
            error, text = report.error, report.traceback
        if under.attempts < self.policy.attempts and not (report is not None and report.final):
            ready = time.monotonic() + self.policy.pause(under.attempts)
            heapq.heappush(self.waiting, (ready, next(self.numbers), under.item, under.attempts))
            return None
        seconds = 0.0 if report is None else report.seconds
        return Outcome(under.item, None, error, text, under.attempts, seconds)

    def _death(self, under: _Under, event: Event) -> tuple[str, str]:
        note = under.attempt.hang_file
        try:
            where = note.read_text(encoding="utf-8")
            note.unlink()
        except OSError:
            where = ""
        if where.strip():
            return f"took longer than its {self.policy.time_limit:g} s", where
        last = event.said.strip().rpartition("\n")[2].strip()[:200]
        return f"its process died: {last}" if last else "its process died", event.said

    def _overdue(self) -> None:
        now = time.monotonic()
        for token, under in self.under.items():
            if now > under.end:
                under.end = float("inf")
                self.workers.kill(token)
