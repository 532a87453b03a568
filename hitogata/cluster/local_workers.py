"""Workers that are processes of this computer, one attempt each at a time; those that die are replaced."""

import contextlib
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

from hitogata.cluster.task import Attempt
from hitogata.cluster.worker_process import receive, send
from hitogata.cluster.workers import Event, WorkerStartError
from hitogata.errors import ArgumentError

SAID = 4000
"""Of what a process said before it died, so many bytes are kept."""


@dataclass(eq=False)
class _Process:
    running: Any
    log: Any
    token: str | None = None
    ready: bool = False

    def said(self) -> str:
        """The end of its standard error."""
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), SAID, max(0, size - SAID)).decode("utf-8", "replace")


class LocalWorkers:
    """Processes of this computer.

    Args:
        count: how many; None: one for each core that this process may use.
    """

    def __init__(self, count: int | None = None) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
            raise ArgumentError(f"workers: 1 or more are expected, got {count!r}")
        self.count = count or cores
        self._processes: list[_Process] = []
        self._selector = selectors.DefaultSelector()
        self._pending: deque[Attempt] = deque()
        self._failed_starts = 0

    def __enter__(self) -> "LocalWorkers":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reach(self) -> None:
        """This computer is at hand."""

    def start(self, warm: Any = None) -> None:
        """Start the first process, warm it, then the others: what it compiled they load."""
        self._processes.append(self._spawn())
        if warm is not None:
            first = self._processes[0]
            try:
                receive(first.running.stdout)
                send(first.running.stdin, ("warm", warm))
                receive(first.running.stdout)
            except (EOFError, BrokenPipeError):
                said = first.said().strip().rpartition("\n")[2]
                self.close()
                raise WorkerStartError(f"a worker died while it got ready: {said}") from None
            first.ready = True
        while len(self._processes) < self.count:
            self._processes.append(self._spawn())

    def room(self) -> int:
        """One attempt for each process."""
        return self.count

    @property
    def pids(self) -> list[int]:
        """Numbers of the processes."""
        return [process.running.pid for process in self._processes]

    def submit(self, attempt: Attempt) -> None:
        """Give an attempt to a process that is free, or to the next one that is."""
        self._pending.append(attempt)
        self._assign()

    def _spawn(self) -> _Process:
        log = tempfile.TemporaryFile()  # noqa: SIM115, it lives as long as the process
        command = [sys.executable, "-c", "from hitogata.cluster.worker_process import main; main()"]
        path = os.pathsep.join(p for p in sys.path if p)
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} if self.count > 1 else {}
        environment = threads | os.environ | {"PYTHONPATH": path}
        try:
            running = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment
            )
        except OSError as error:
            raise WorkerStartError(f"a worker cannot be started: {error}") from None
        process = _Process(running, log)
        assert running.stdout is not None
        self._selector.register(running.stdout, selectors.EVENT_READ, process)
        return process

    def _assign(self) -> None:
        for process in self._processes:
            if not self._pending:
                return
            if process.ready and process.token is None:
                attempt = self._pending.popleft()
                process.token = attempt.token
                with contextlib.suppress(BrokenPipeError):  # it died: its end of input tells
                    send(process.running.stdin, ("attempt", attempt))

    def wait(self, timeout: float) -> list[Event]:
        """Attempts that are over."""
        events: list[Event] = []
        end = time.monotonic() + timeout
        while not events:
            left = end - time.monotonic()
            for key, _ in self._selector.select(max(left, 0.0)):
                event = self._heard(key.data)
                if event is not None:
                    events.append(event)
            self._assign()
            if time.monotonic() >= end:
                break
        return events

    def _heard(self, process: _Process) -> Event | None:
        try:
            message = receive(process.running.stdout)
        except EOFError:
            return self._died(process)
        if not process.ready:
            process.ready = True
            self._failed_starts = 0
            return None
        token, process.token = process.token, None
        return None if token is None else Event(token, message)

    def _died(self, process: _Process) -> Event | None:
        """Replace a process that is gone; one that keeps dying before it is ready is an error."""
        self._selector.unregister(process.running.stdout)
        process.running.kill()
        process.running.wait()
        said = process.said()
        if not process.ready:
            self._failed_starts += 1
            if self._failed_starts > 3 * self.count + 3:
                raise WorkerStartError(f"workers die when they start: {said.strip().rpartition(chr(10))[2]}")
        self._shut(process)
        self._processes[self._processes.index(process)] = self._spawn()
        return None if process.token is None else Event(process.token, None, said)

    @staticmethod
    def _shut(process: _Process) -> None:
        for stream in (process.running.stdin, process.running.stdout, process.log):
            with contextlib.suppress(OSError):
                stream.close()

    def kill(self, token: str) -> None:
        """End the process of an attempt."""
        self._pending = deque(each for each in self._pending if each.token != token)
        for process in self._processes:
            if process.token == token:
                process.running.kill()

    def close(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.running.kill()
        for process in self._processes:
            process.running.wait()
            self._shut(process)
        self._processes.clear()
        self._selector.close()
