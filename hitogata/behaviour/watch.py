"""Streams watched while they come in: the last seconds of each, a live pipeline, recordings begun at any time."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hitogata.behaviour.live_frame import LiveFrame
from hitogata.behaviour.live_pipeline import LiveBody, LivePipeline, LiveSettings
from hitogata.behaviour.recorder import Recorder
from hitogata.behaviour.streams import Array, Samples, Stream
from hitogata.errors import ArgumentError

KEPT = 12.0
"""Seconds of each stream that are kept to be shown."""


class StreamLog:
    """The last seconds of a stream on the local clock."""

    def __init__(self, stream: Stream, span: float = KEPT) -> None:
        self.stream, self._span = stream, span
        self._parts: deque[tuple[Array, Any]] = deque()
        self._lock = threading.Lock()

    def add(self, samples: Samples) -> None:
        """Samples that came."""
        assert samples.local is not None
        with self._lock:
            self._parts.append((samples.local, samples.values))
            while len(self._parts) > 1 and self._parts[0][0][-1] < samples.local[-1] - self._span:
                self._parts.popleft()

    def between(self, begin: float, end: float) -> tuple[Array, Array]:
        """Times and values from one time to another, shapes (n,), (n, nc)."""
        with self._lock:
            parts = [p for p in self._parts if p[0][-1] >= begin and p[0][0] <= end]
        if not parts or self.stream.is_text:
            return np.zeros(0), np.zeros((0, len(self.stream.channels)))
        time_, values = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
        keep = (time_ >= begin) & (time_ <= end)
        return time_[keep], np.asarray(values[keep], np.float64)


class _Tap:
    """What one recorder hears, as an inlet of another."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.queue: queue.SimpleQueue[Samples] = queue.SimpleQueue()

    def receive(self, timeout: float = 0.2) -> Samples | None:
        """See `Inlet`."""
        try:
            return self.queue.get(timeout=timeout)
        except queue.Empty:
            return None

    def round_trip(self, timeout: float = 2.0) -> float | None:
        """None: arrivals tell the clock."""
        return None

    def close(self) -> None:
        """Nothing."""


class LiveWatch:
    """Devices watched, without a file until one is begun."""

    def __init__(
        self, *, inlets: Sequence[Any] = (), find: Callable[[], Sequence[Any]] | None = None,
        body: LiveBody | None = None, settings: LiveSettings | None = None,
    ) -> None:  # fmt: skip
        """Begin to watch.

        Args:
            inlets, find: as of `Recorder`.
            body: whose motion is followed; None: streams only.
            settings: of its pipeline.
        """
        self.body = body
        self.logs: dict[str, StreamLog] = {}
        self.frames: deque[LiveFrame] = deque(maxlen=3000)
        self.pipeline = None if body is None else LivePipeline(body, settings, told=self.frames.append)
        self._taps: dict[str, _Tap] = {}
        self._lock = threading.Lock()
        self.recorder: Recorder | None = None
        self.watcher = Recorder(None, inlets=inlets, find=find, listener=self._heard)

    def __enter__(self) -> "LiveWatch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def now(self) -> float:
        """Local clock [s]."""
        return time.monotonic()

    def record(self, path: str) -> None:
        """Begin a file of all streams, also those that come later."""
        if self.recorder is not None:
            raise ArgumentError(f"{self.recorder.path} is being recorded; stop it first")
        with self._lock:
            recorder = Recorder(path)
            self._taps = {}
            for key, log in self.logs.items():
                self._tap(recorder, key, log.stream)
            self.recorder = recorder

    def stop_recording(self) -> str:
        """End the file; its path."""
        if self.recorder is None:
            raise ArgumentError("nothing is being recorded")
        with self._lock:
            recorder, self.recorder = self.recorder, None
            taps, self._taps = self._taps, {}
        end = time.monotonic() + 2.0
        while any(not tap.queue.empty() for tap in taps.values()) and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.05)
        recorder.stop()
        return recorder.path

    def close(self) -> None:
        """End everything."""
        if self.recorder is not None:
            self.stop_recording()
        self.watcher.stop()
        if self.pipeline is not None:
            self.pipeline.close()

    def _heard(self, stream: Stream, samples: Samples) -> None:
        key = f"{stream.key} {len(stream.channels)}"
        with self._lock:
            if key not in self.logs:
                self.logs[key] = StreamLog(stream)
                if self.recorder is not None:
                    self._tap(self.recorder, key, stream)
            if key in self._taps:
                self._taps[key].queue.put(Samples(samples.raw, samples.arrival, samples.values, None, samples.numbers))
        self.logs[key].add(samples)
        if self.pipeline is not None:
            self.pipeline.listen(stream, samples)

    def _tap(self, recorder: Recorder, key: str, stream: Stream) -> None:
        self._taps[key] = _Tap(stream)
        recorder.add(self._taps[key])
