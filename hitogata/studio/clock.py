"""The studio's one thread that touches the model: commands in order, then a frame, sixty times a second."""

import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from hitogata.studio.guard import Guard

RATE = 60.0
"""Frames a second."""

LONGEST = 0.1
"""Longest time that one frame makes up for [s]: after a halt the world does not rush."""


class Clock:
    """Runs commands and frames, all in one thread, so that nothing else needs a lock.

    Args:
        frame: called with the seconds since the last frame.
        guard: runs both commands and frames.
        rate: frames a second.

    Attributes:
        frames, commands: taken so far.
        work: seconds of the last frames, with their commands.
    """

    def __init__(self, frame: Callable[[float], None], guard: Guard, *, rate: float = RATE) -> None:
        self._frame, self._guard, self._period = frame, guard, 1.0 / rate
        self._commands: deque[tuple[str, Callable[[], Any], threading.Event | None]] = deque()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hitogata-studio", daemon=True)
        self.frames, self.commands, self.work = 0, 0, deque[float](maxlen=600)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the present frame."""
        self._stop.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=10.0)

    def post(self, what: str, task: Callable[[], Any]) -> None:
        """Do this before the next frame; `what` names it if it fails."""
        self._commands.append((what, task, None))

    def ask(self, task: Callable[[], Any], *, timeout: float = 60.0) -> Any:
        """Do this before the next frame, wait for it and return its result, or raise its error."""
        if threading.current_thread() is self._thread:
            return task()
        done, result, errors = threading.Event(), list[Any](), list[Exception]()

        def run() -> None:
            try:
                result.append(task())
            except Exception as error:
                errors.append(error)

        self._commands.append(("", run, done))
        if not done.wait(timeout):
            raise TimeoutError("the studio did not answer")
        if errors:
            raise errors[0]
        return result[0]

    def _run(self) -> None:
        last = due = time.perf_counter()
        while not self._stop.is_set():
            begun = time.perf_counter()
            for _ in range(len(self._commands)):
                what, task, done = self._commands.popleft()
                self._guard.run(what, task)
                self.commands += done is None
                if done is not None:
                    done.set()
            self._guard.run("The frame", partial(self._frame, min(begun - last, LONGEST)))
            last = begun
            self.frames += 1
            now = time.perf_counter()
            self.work.append(now - begun)
            due = max(due + self._period, now - self._period)
            self._stop.wait(max(due - now, 0.0005))
