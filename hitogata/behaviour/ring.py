"""The last seconds of a stream, looked up at any time while it still comes in."""

import threading
import time as clock

import numpy as np

from hitogata.behaviour.streams import Array


class Ring:
    """Samples of a stream on the local clock; one thread adds, any looks up.

    Values between samples are those of a straight line, so that an answer depends on the two samples around it alone,
    whatever has come since.
    """

    def __init__(self, channels: int, *, span: float = 10.0, hole: float = 0.05) -> None:
        """Without samples.

        Args:
            channels: of each sample.
            span: seconds that are kept.
            hole: between samples further apart than this nothing is known [s].
        """
        self._span, self._hole = span, hole
        self._time, self._values = np.empty(1024), np.empty((1024, channels))
        self._count = 0
        self._more = threading.Condition()

    def add(self, time: Array, values: Array) -> None:
        """Samples that came; times that run back are those of the newest sample.

        Args:
            time: local clock [s], shape (n,).
            values: shape (n, channels).
        """
        if not len(time):
            return
        with self._more:
            newest = self._time[self._count - 1] if self._count else -np.inf
            rising = np.maximum.accumulate(np.maximum(np.asarray(time, np.float64), newest))
            old = int(np.searchsorted(self._time[: self._count], rising[-1] - self._span))
            if self._count + len(rising) > len(self._time):
                kept = self._count - old
                size = max(1024, 2 * (kept + len(rising)))
                times, table = np.empty(size), np.empty((size, self._values.shape[1]))
                times[:kept], table[:kept] = self._time[old : self._count], self._values[old : self._count]
                self._time, self._values, self._count = times, table, kept
            end = self._count + len(rising)
            self._time[self._count : end], self._values[self._count : end] = rising, values
            self._count = end
            self._more.notify_all()

    def at(self, time: float, patience: float = 0.0) -> tuple[Array, bool]:
        """Values at a time, and whether they were measured there.

        Args:
            time: local clock [s].
            patience: how long to wait for samples after it [s].

        Returns:
            Values, shape (channels,): the newest where the stream is not yet so far, NaN where there is none near.
        """
        end = clock.monotonic() + patience
        with self._more:
            while not (self._count and self._time[self._count - 1] >= time):
                left = end - clock.monotonic()
                if left <= 0 or not self._more.wait(left):
                    break
            t = self._time[: self._count]
            i = int(np.searchsorted(t, time, side="left"))
            if i == len(t):
                near = i > 0 and time - t[-1] <= self._hole
                return (self._values[i - 1].copy() if near else np.full(self._values.shape[1], np.nan)), False
            if i == 0:
                known = bool(t[0] == time)
                return (self._values[0].copy() if known else np.full(self._values.shape[1], np.nan)), known
            step = t[i] - t[i - 1]
            if step > self._hole:
                return np.full(self._values.shape[1], np.nan), False
            share = (time - t[i - 1]) / step if step > 0 else 1.0
            found: Array = self._values[i - 1] * (1.0 - share) + self._values[i] * share
            return found, True
