"""What behaviour mode shows: streams and frames by time, of a recording or live."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hitogata.behaviour import Recording, ShapeTarget, Stream, StreamKind, Target
from hitogata.behaviour.live_frame import LiveFrame
from hitogata.behaviour.live_loads import plates_of
from hitogata.behaviour.live_pipeline import LiveBody, replay
from hitogata.behaviour.watch import LiveWatch
from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray

BEHIND = 0.15
"""Live, what is shown is so old: streams come late by less than this [s]."""
OLD = 0.25
"""Samples older than this are not shown as of now [s]."""
LEAST = 20.0
"""Forces below this are not drawn [N]."""


@dataclass(eq=False)
class BehaviourTake:
    """Streams on one clock, and what of a body was found from them.

    Attributes:
        recording: that is replayed; None: live.
        watch: what comes live; None: a recording.
        body: whose motion it is, with its muscles.
        targets: that gaze may meet.
        frames: of the recording, by time.
    """

    recording: Recording | None = None
    watch: LiveWatch | None = None
    body: LiveBody | None = None
    targets: Sequence[Target | ShapeTarget] = ()
    frames: Sequence[LiveFrame] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if (self.recording is None) == (self.watch is None):
            raise ArgumentError("behaviour mode shows a recording or what comes live")
        if self.watch is not None:
            self.body = self.watch.body
        elif self.body is not None and not self.frames:
            assert self.recording is not None
            self.frames = replay(self.recording, self.body)
        self._times = [f.time - self.origin for f in self.frames]

    @property
    def origin(self) -> float:
        """Local clock at time 0 [s]."""
        return self.recording.tracks[0].origin if self.recording is not None and self.recording.tracks else 0.0

    @property
    def span(self) -> tuple[float, float]:
        """First and last time [s]."""
        if self.recording is None:
            assert self.watch is not None
            now = self.watch.now() - BEHIND
            return now, now
        return self.recording.begin, self.recording.end

    def streams(self) -> dict[str, Stream]:
        """By their keys."""
        if self.recording is not None:
            return {t.topic: t.stream for t in self.recording.tracks if not t.stream.is_text}
        assert self.watch is not None
        return {key: log.stream for key, log in list(self.watch.logs.items()) if not log.stream.is_text}

    def of_kind(self, kind: StreamKind) -> list[str]:
        """Keys of streams of a kind."""
        return [key for key, stream in self.streams().items() if stream.kind is kind]

    def between(self, key: str, begin: float, end: float) -> tuple[FloatArray, FloatArray]:
        """Times and values of a stream."""
        if self.recording is None:
            assert self.watch is not None
            return self.watch.logs[key].between(begin, end)
        track = self.recording.track(key)
        i, j = np.searchsorted(track.time, [begin, end])
        return track.time[i:j], np.asarray(track.values[i:j], np.float64)

    def newest(self, key: str, time: float) -> FloatArray | None:
        """The last sample at a time, if it is not old."""
        found, values = self.between(key, time - OLD, time + 1e-9)
        return values[-1] if len(found) else None

    def frame(self, time: float) -> LiveFrame | None:
        """Of the body, the last at a time."""
        if self.watch is not None:
            frames = list(self.watch.frames)[-60:]
            return next((f for f in reversed(frames) if time - OLD <= f.time <= time), None)
        i = bisect.bisect_right(self._times, time + 1e-9) - 1
        return self.frames[i] if i >= 0 and time - self._times[i] <= OLD else None

    def gaze(self, time: float) -> tuple[FloatArray, FloatArray] | None:
        """Origin and direction of the ray [m]."""
        for key in self.of_kind(StreamKind.GAZE):
            sample, labels = self.newest(key, time), self.streams()[key].labels
            wanted = [f"{what}.{axis}" for what in ("origin", "direction") for axis in "xyz"]
            if sample is not None and set(wanted) <= set(labels):
                ray = sample[[labels.index(name) for name in wanted]]
                if np.isfinite(ray).all() and np.linalg.norm(ray[3:]) > 0:
                    return ray[:3], ray[3:] / np.linalg.norm(ray[3:])
        return None

    def forces(self, time: float) -> list[tuple[FloatArray, FloatArray]]:
        """Where on the floor plates push [m], and how much [N]."""
        found = []
        for key in self.of_kind(StreamKind.FORCE_PLATE):
            stream = self.streams()[key]
            plates = [p for p in (self.body.plates if self.body is not None else ()) if p.stream == stream.name]
            sample = self.newest(key, time)
            for plate in plates or plates_of(stream):
                if sample is None:
                    continue
                wrench = plate.wrench(sample[[stream.labels.index(c) for c in plate.channels]])
                if np.isfinite(wrench).all() and wrench[5] > LEAST:
                    found.append((np.array([-wrench[1] / wrench[5], wrench[0] / wrench[5], 0.0]), wrench[3:]))
        return found

