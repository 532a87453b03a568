"""A stage of the live pipeline: a thread, its bounded queue, and how late its answers are."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import HitogataError

ROOM = 8
"""Frames that may wait before a stage."""
REMEMBERED = 4096
"""Answers of which the latencies are kept."""


@dataclass(frozen=True)
class StageStatus:
    """How a stage does.

    Attributes:
        name: of the stage.
        done: frames answered.
        dropped: frames let go since it was late.
        failed: frames that it could not answer.
        p50, p99: of the time from a marker frame's arrival to the answer [s]; NaN: none yet.
        said: what was wrong with the last frame that failed.
    """

    name: str
    done: int
    dropped: int
    failed: int
    p50: float
    p99: float
    said: str

    def __str__(self) -> str:
        if not self.done:
            return f"{self.name} -"
        lost = "".join(f" {what} {n}" for what, n in (("late", self.dropped), ("failed", self.failed)) if n)
        return f"{self.name} {1e3 * self.p50:.1f}/{1e3 * self.p99:.1f} ms{lost}"


class LiveStage:
    """Takes frames in order while it keeps up; when its queue is full, the newest alone, and counts the rest."""

    def __init__(
        self, name: str, step: Callable[[Any], Any], then: Callable[[Any], None], *, room: int = ROOM
    ) -> None:  # fmt: skip
        """Start its thread.

        Args:
            name: of the stage.
            step: from a frame, with its `arrival`, to its answer; None: none yet.
            then: gets each answer, in the stage's thread.
            room: frames that may wait.
        """
        self.name, self._step, self._then, self._room = name, step, then, room
        self._waiting: deque[Any] = deque()
        self._more = threading.Condition()
        self._ended, self._busy = False, False
        self._done = self._dropped = self._failed = 0
        self._said = ""
        self._error: BaseException | None = None
        self._late: deque[float] = deque(maxlen=REMEMBERED)
        self._thread = threading.Thread(target=self._run, name=f"live {name}", daemon=True)
        self._thread.start()

    def put(self, frame: Any) -> None:
        """The next frame; never waits."""
        with self._more:
            if len(self._waiting) >= self._room:
                self._dropped += len(self._waiting)
                self._waiting.clear()
            self._waiting.append(frame)
            self._more.notify_all()

    def forget(self) -> None:
        """Latencies so far do not count: what began was compiled meanwhile."""
        self._late.clear()

    def settle(self, seconds: float) -> bool:
        """Wait until nothing waits; whether that came."""
        with self._more:
            return self._more.wait_for(lambda: not self._waiting and not self._busy, seconds)

    def close(self) -> None:
        """End; what waits is let go.

        Raises:
            BaseException: what ended the stage before.
        """
        with self._more:
            self._ended = True
            self._more.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=10.0)
        if self._error is not None:
            raise self._error

    @property
    def status(self) -> StageStatus:
        """How it does."""
        late = np.array(self._late)
        p50, p99 = np.percentile(late, (50, 99)) if len(late) else (np.nan, np.nan)
        return StageStatus(self.name, self._done, self._dropped, self._failed, float(p50), float(p99), self._said)

    def _run(self) -> None:
        while True:
            with self._more:
                self._busy = False
                self._more.notify_all()
                self._more.wait_for(lambda: self._waiting or self._ended)
                if self._ended:
                    return
                frame = self._waiting.popleft()
                self._busy = True
            try:
                self._take(frame)
            except HitogataError as error:
                self._failed += 1
                self._said = str(error)
            except BaseException as error:  # told by close(): a thread has no other voice
                self._error, self._said = error, f"{type(error).__name__}: {error}"
                with self._more:
                    self._busy, self._ended = False, True
                    self._waiting.clear()
                    self._more.notify_all()
                return

    def _take(self, frame: Any) -> None:
        answer = self._step(frame)
        if answer is None:
            return
        self._late.append(time.monotonic() - frame.arrival)
        self._done += 1
        self._then(answer)
