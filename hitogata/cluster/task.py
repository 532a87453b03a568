"""One attempt at an item, in the process of a worker: within its limits, its result written before it is told."""

import contextlib
import faulthandler
import os
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hitogata.cluster.items import Item, Policy, Work
from hitogata.cluster.results import Results
from hitogata.errors import HitogataError

LONGEST = 500
"""Letters of an error that stand in its line; the traceback has all of it."""


@dataclass(frozen=True)
class Attempt:
    """What a worker is sent.

    Attributes:
        item: what to do.
        work: what it is done by.
        results: where its result goes; None: it is only told.
        policy: its limits.
        token: of this attempt.
    """

    item: Item
    work: Work
    results: Results | None
    policy: Policy
    token: str

    @property
    def hang_file(self) -> Path:
        """Where this computer keeps what the process was doing when its time was over."""
        return Path(tempfile.gettempdir()) / f"hitogata-hang-{self.token}.txt"


@dataclass(frozen=True)
class Report:
    """What a worker tells.

    Attributes:
        result: None: it failed.
        error, traceback: why.
        final: whether another attempt would be in vain.
        seconds: spent.
    """

    result: bytes | None
    error: str = ""
    traceback: str = ""
    final: bool = False
    seconds: float = 0.0


def perform(attempt: Attempt) -> Report:
    """Do an item, unless its result is there already, and keep its result."""
    begun = time.perf_counter()
    results = attempt.results
    try:
        found = None if results is None else results.get(attempt.item.key)
        if found is None:
            with _bounded_time(attempt), _bounded_memory(attempt.policy.memory_limit):
                found = attempt.work(attempt.item.given)
            if not isinstance(found, bytes):
                raise TypeError(f"work must return bytes, got {type(found).__name__}")
            if results is not None and not results.put(attempt.item.key, found):
                found = results.get(attempt.item.key) or found  # another attempt was faster
        return Report(found, seconds=time.perf_counter() - begun)
    except Exception as error:
        said = " ".join(str(error).split())
        said = said if len(said) <= LONGEST else f"{said[:LONGEST]}..."
        line = f"{type(error).__name__}: {said}" if said else type(error).__name__
        final = isinstance(error, HitogataError | TypeError)
        return Report(None, line, traceback.format_exc(), final, time.perf_counter() - begun)


@contextlib.contextmanager
def _bounded_time(attempt: Attempt) -> Iterator[None]:
    """End the process when the time is over, wherever it hangs, with a note where that was."""
    limit = attempt.policy.time_limit
    if limit is None:
        yield
        return
    with attempt.hang_file.open("w", encoding="utf-8") as note:
        faulthandler.dump_traceback_later(limit, exit=True, file=note)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
    attempt.hang_file.unlink(missing_ok=True)


@contextlib.contextmanager
def _bounded_memory(limit: int | None) -> Iterator[None]:
    """Let the process have so much more data than it has now; more is a MemoryError."""
    resource: Any
    try:
        import resource
    except ImportError:  # not on this system
        resource = None
    held = _data()
    if limit is None or resource is None or held is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = held + limit if before[1] == resource.RLIM_INFINITY else min(held + limit, before[1])
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _data() -> int | None:
    """Data of this process [bytes], as the limit counts it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
