"""The recorder: all devices into one file, whatever becomes of devices, disk or recorder.

A thread for each stream receives; one thread finds new streams; one writes, five times a second, so that a kill
loses a fifth of a second.  Blocks wait in memory while the disk is slow or full, up to a bound; beyond it the oldest
are let go, counted and noted in the file.  Devices come and go: those that come back under their name go on in their
channel.
"""

import dataclasses
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.behaviour.clock import LiveClock, runs_backwards, without_stamp
from hitogata.behaviour.mcap_file import NOTES, ROUND_TRIPS, McapWriter
from hitogata.behaviour.streams import Samples, Stream, joined
from hitogata.errors import HitogataError

PERIOD = 0.2
"""Seconds between writes."""
TRIPS = 5.0
"""Seconds between round trips."""
JUDGED = 5.0
"""Seconds over which a rate is compared with what was promised."""
SLOW = 2.0
"""A disk that has not taken what it was given after so long is said to be slow [s]."""
QUIET = 2.0
"""A regular stream that sends nothing for so long is said to be silent [s]."""


@dataclass
class StreamStatus:
    """How a stream does.

    Attributes:
        stream: its description.
        topic: its name in the file.
        received, written: samples.
        lost: numbered samples that never came.
        dropped: samples let go since the disk could not take them.
        rate: samples per second of the last seconds [Hz].
        delay: of the newest sample, on its live clock [s].
        alive: something came lately, or its sender is there.
        jumps: times its clock was set or the device began again.
    """

    stream: Stream
    topic: str
    received: int = 0
    written: int = 0
    lost: int = 0
    dropped: int = 0
    rate: float = 0.0
    delay: float = 0.0
    alive: bool = True
    jumps: int = 0
    silent: bool = False
    _recent: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=256), repr=False)
    _number: int = field(default=-1, repr=False)
    _stamp: float = field(default=float("nan"), repr=False)
    _backwards: int = field(default=0, repr=False)
    _since: tuple[float, int] = field(default=(0.0, -1), repr=False)


class Recorder:
    """Records streams until it is stopped; use it in a `with` statement."""

    def __init__(
        self, path: str | None, *, inlets: Sequence[Any] = (), find: Callable[[], Sequence[Any]] | None = None,
        most_waiting: int = 256 << 20, said: Callable[[str], None] | None = None,
        listener: Callable[[Stream, Samples], None] | None = None,
    ) -> None:  # fmt: skip
        """Begin a file; `told` has what was noted lately, with seconds since the beginning.

        Args:
            path: .mcap, which must not exist; None: nothing is written, the listener alone gets what comes.
            inlets: open ones (`Inlet`, `DatagramInlet`).
            find: makes inlets of streams that are new; called again and again. See `lsl_finder`.
            most_waiting: bytes that may wait in memory for a disk.
            said: called with each note, in words.
            listener: gets all samples as they come (live pages and pipelines); it must not take long.
        """
        self.path = path or "(nowhere)"
        self._writer: Any = Nowhere() if path is None else McapWriter(path)
        self._find, self._most, self._said, self._listener = find, most_waiting, said, listener
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._queues: dict[str, deque[Samples]] = {}
        self._notes: deque[tuple[str, float, dict[str, Any]]] = deque()
        self._waiting = 0
        self._writing: float | None = None
        self._disk, self.began = "", time.monotonic()
        self.status: dict[str, StreamStatus] = {}
        self.told: deque[tuple[float, str]] = deque(maxlen=200)
        text = "watching" if path is None else f"recording {os.path.basename(path)}"
        self._note({"event": "begin", "wall": time.time(), "text": text})
        self._threads: list[threading.Thread] = []
        self._inlets: list[Any] = []
        for inlet in inlets:
            self.add(inlet)
        self._start(self._write_on, "writer")
        if find is not None:
            self._start(self._search, "search")

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # ------------------------------------------------------- from outside

    def add(self, inlet: Any) -> str:
        """Record a stream; its topic in the file."""
        stream: Stream = inlet.stream
        with self._lock:
            topic = next(t for t in _topics(stream) if t not in self.status)
            self.status[topic] = StreamStatus(stream, topic)
            self._queues[topic] = deque()
            self._inlets.append(inlet)
        self._note({"event": "stream", "topic": topic, "stream": stream.to_json(), "text": f"{stream.key}: recorded"})
        if any(s.stream.name == stream.name and s.alive for t, s in list(self.status.items()) if t != topic):
            self._note({"event": "twice", "topic": topic, "text": f"{stream.key}: two devices of one name; as {topic}"})
        unknown = stream.unknown_units()
        if unknown:
            text = f"{stream.key}: unknown units {', '.join(unknown)}: kept, not scaled"
            self._note({"event": "units", "topic": topic, "text": text})
        self._start(lambda: self._receive(inlet, topic), f"receive {topic}")
        return topic

    def mark(self, text: str) -> None:
        """Note something now."""
        self._note({"event": "mark", "text": text})

    @property
    def disk(self) -> str:
        """What is wrong with the disk; empty: nothing."""
        return self._disk

    @property
    def waiting(self) -> int:
        """Bytes of samples that wait for the disk."""
        return self._waiting

    def stop(self) -> None:
        """End: receive no more, write what waits, close the file."""
        if self._stop.is_set():
            return
        self._note({"event": "end", "text": "stopped"})
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=10.0)
        for inlet in self._inlets:
            inlet.close()
        if any(t.name == "writer" and t.is_alive() for t in self._threads):
            raise HitogataError(
                f"{self.path}: the disk does not answer; the file holds what was written before, and opens; "
                f"{self._waiting} bytes are lost"
            )
        try:
            self._flush()
            self._writer.close()
        except OSError as error:
            self._writer.abandon()
            raise HitogataError(
                f"{self.path}: {error.strerror}; the file holds what was written before, and opens; "
                f"{self._waiting} bytes are lost"
            ) from error

    # ------------------------------------------------------- threads

    def _start(self, target: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _search(self) -> None:
        known: set[str] = set()
        assert self._find is not None
        while not self._stop.is_set():
            try:
                for inlet in self._find():
                    self.add(inlet)
            except HitogataError as error:
                if str(error) not in known:
                    known.add(str(error))
                    self._note({"event": "error", "text": str(error)})
            self._stop.wait(0.5)

    def _receive(self, inlet: Any, topic: str) -> None:
        status, clock, asked = self.status[topic], LiveClock(), 0.0
        while not self._stop.is_set():
            now = time.monotonic()
            if now - asked > TRIPS:
                asked = now
                offset = inlet.round_trip(0.5)
                if offset is not None:
                    with self._lock:
                        self._notes.append((ROUND_TRIPS, now, {"topic": topic, "offset": offset}))
            try:
                got = inlet.receive(0.25)
            except HitogataError as error:
                status.alive = False
                self._note({"event": "gone", "topic": topic, "text": str(error)})
                return
            self._heard(status, now, got)
            if got is None:
                if inlet.stream != status.stream:
                    self._changed(inlet, status)
                    return
                continue
            got = dataclasses.replace(got, local=self._stamped(status, clock, got))
            self._count(status, got, clock)
            with self._lock:
                self._queues[topic].append(got)
                self._waiting += _size(got)
            self._watch_disk()
            if self._listener is not None:
                self._listener(status.stream, got)

    def _changed(self, inlet: Any, status: StreamStatus) -> None:
        """A device came back with other channels: it goes on as another stream."""
        status.alive = False
        topic = self.add(inlet)
        was, now = len(status.stream.channels), len(inlet.stream.channels)
        text = f"{status.stream.key}: its channels changed, {was} before, {now} now; it goes on as {topic}"
        self._note({"event": "channels", "topic": status.topic, "text": text})

    def _stamped(self, status: StreamStatus, clock: LiveClock, got: Samples) -> Any:
        """Samples on the local clock; where stamps tell nothing, their arrivals."""
        missing = without_stamp(got.raw, status._stamp)
        good = got.raw[~missing]
        back = runs_backwards(good, status._stamp)
        if len(good):
            if (np.diff(np.r_[status._stamp, good]) < 0).any() and not back and clock.begun == status.jumps:
                self._once(status, "order", f"{status.stream.key}: a stamp is before the one before it")
            status._stamp = float(good[-1])
        elif missing.any() and np.isfinite(got.raw[-1]):
            status._stamp = 0.0
        if missing.any():
            self._once(status, "stamps", f"{status.stream.key}: samples without a time stamp: arrival is taken")
        if back:
            status._backwards += 1
            if status._backwards > 2:  # once it is a clock that was set
                self._once(status, "backwards", f"{status.stream.key}: its clock runs backwards: arrival is taken")
        elif status._backwards <= 2:
            status._backwards = 0
        local = got.arrival.copy()
        if len(good) and status._backwards <= 2:
            local[~missing] = clock.local(good, got.arrival[~missing])
        return local

    def _heard(self, status: StreamStatus, now: float, got: Samples | None) -> None:
        last = status._recent[-1][0] if status._recent else self.began
        if got is not None:
            status._recent.append((now, len(got)))
            if status.silent:
                status.silent = False
                text = f"{status.stream.key}: sends again, after {now - last:.1f} s"
                self._note({"event": "gap", "topic": status.topic, "begin": last, "end": now, "text": text})
        elif status.stream.rate > 0 and now - last > QUIET and not status.silent:
            status.silent, status.rate = True, 0.0
            self._note({"event": "silent", "topic": status.topic, "text": f"{status.stream.key}: silent"})
        status.alive = not status.silent

    def _count(self, status: StreamStatus, got: Samples, clock: LiveClock) -> None:
        status.received += len(got)
        span = status._recent[-1][0] - status._recent[0][0]
        if span > 1.0:
            status.rate = sum(n for _, n in list(status._recent)[1:]) / span
        assert got.local is not None
        status.delay = float(got.arrival[-1] - got.local[-1])
        if clock.begun > status.jumps and status._backwards <= 2:
            status.jumps = clock.begun
            text = f"{status.stream.key}: its clock jumped, or it began again"
            self._note({"event": "clock", "topic": status.topic, "index": status.received - len(got), "text": text})
        if got.numbers is not None:
            if status._number >= 0 and got.numbers[0] > status._number:
                steps = np.diff(got.numbers, prepend=status._number)
            else:
                steps = np.diff(got.numbers)
            lost = int((steps[steps > 1] - 1).sum())
            if lost:
                status.lost += lost
            status._number = int(got.numbers[-1])
        begin, before = status._since
        if before < 0 or status.silent:
            status._since = float(got.arrival[-1]), status.received
        elif got.arrival[-1] - begin > JUDGED:
            sent = (status.received - before) / (float(got.arrival[-1]) - begin)
            status._since = float(got.arrival[-1]), status.received
            rate = status.stream.rate
            if rate > 0 and abs(sent / rate - 1.0) > 0.1 and not status.lost:
                self._once(status, "rate", f"{status.stream.key}: promises {rate:g} Hz, sends {sent:.1f} Hz")

    def _once(self, status: StreamStatus, event: str, text: str) -> None:
        told = status.__dict__.setdefault("_told", set())
        if event not in told:
            told.add(event)
            self._note({"event": event, "topic": status.topic, "text": text})

    def _note(self, note: dict[str, Any]) -> None:
        with self._lock:
            self._notes.append((NOTES, time.monotonic(), note))
            self.told.append((time.monotonic() - self.began, str(note["text"])))
        if self._said is not None:
            self._said(str(note["text"]))

    # ------------------------------------------------------- writing

    def _write_on(self) -> None:
        while not self._stop.wait(PERIOD):
            self._writing = time.monotonic()
            try:
                self._flush()
                if self._disk:
                    self._disk = ""
                    self._note({"event": "disk", "text": "the disk takes data again"})
            except OSError as error:
                if not self._disk:
                    self._disk = error.strerror or str(error)
                    self._note({"event": "disk", "text": f"{self.path}: {self._disk}; samples wait in memory"})
                self._let_go()
            finally:
                self._writing = None

    def _flush(self) -> None:
        """Write what waits; what the disk does not take waits on."""
        self._writer.commit()  # what was left over first
        with self._lock:
            notes = list(self._notes)
            self._notes.clear()
        for topic, stamp, note in notes:
            if note.get("event") == "stream":
                self._writer.add_stream(Stream.from_json(note["stream"]), note["topic"])
            self._writer.add_note(topic, stamp, note)
        self._writer.commit()
        for topic in list(self._queues):
            with self._lock:
                parts = list(self._queues[topic])
                self._queues[topic].clear()
                self._waiting -= sum(map(_size, parts))
            if parts:
                status = self.status[topic]
                block = joined(parts, status.stream)
                self._writer.add_samples(topic, status.stream, block)
                status.written += len(block)
                self._writer.commit()

    def _watch_disk(self) -> None:
        """While a write does not come back: say so, and keep what waits within its bound."""
        begun = self._writing
        if begun is not None and time.monotonic() - begun > SLOW and not self._disk:
            self._disk = f"takes no data for {SLOW:g} s"
            self._note({"event": "disk", "text": f"{self.path}: the disk is slow; samples wait in memory"})
        if self._waiting > self._most:
            self._let_go()

    def _let_go(self) -> None:
        """Too much waits for a full or slow disk: the oldest samples go."""
        with self._lock:
            while self._waiting > self._most and any(self._queues.values()):
                topic = max(self._queues, key=lambda t: len(self._queues[t]))
                gone = self._queues[topic].popleft()
                self._waiting -= _size(gone)
                status = self.status[topic]
                status.dropped += len(gone)
                text = f"{status.stream.key}: {len(gone)} samples let go, the disk did not take them"
                note: dict[str, Any] = {"event": "dropped", "topic": topic, "text": text}
                note |= {"begin": float(gone.arrival[0]), "end": float(gone.arrival[-1])}
                self._notes.append((NOTES, time.monotonic(), note))


class Nowhere:
    """A file that keeps nothing."""

    def add_stream(self, stream: Stream, topic: str) -> None:
        """See `McapWriter`, as all here."""

    def add_samples(self, topic: str, stream: Stream, samples: Samples) -> None:
        """Nothing."""

    def add_note(self, topic: str, stamp: float, note: dict[str, Any]) -> None:
        """Nothing."""

    def commit(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""

    def abandon(self) -> None:
        """Nothing."""


def _topics(stream: Stream) -> Any:
    """Names for it in a file, the best first."""
    yield f"/{stream.name}"
    if stream.source:
        yield f"/{stream.name}/{stream.source}"
    k = 2
    while True:
        yield f"/{stream.name}/{k}"
        k += 1


def _size(samples: Samples) -> int:
    values = samples.values
    each = sum(len(v) for v in values) if isinstance(values, list) else values.nbytes
    return int(each) + 32 * len(samples)


def lsl_finder(chosen: Callable[[Stream], bool] | None = None) -> Callable[[], Sequence[Any]]:
    """For `Recorder(find=...)`: inlets of LSL streams that were not there before.

    A stream whose sender comes back under its source name is not new: its inlet goes on.  One that is announced but
    does not answer is asked again the next time, and keeps no other from being found.

    Args:
        chosen: which streams; None: all.
    """
    from hitogata.behaviour.lsl import Inlet, StreamWatch

    watch: list[StreamWatch] = []
    known: set[str] = set()
    keys: set[tuple[str, str, str, int]] = set()

    def find() -> list[Any]:
        if not watch:
            watch.append(StreamWatch())
        made, failed = [], None
        for info in watch[0].found():
            identity = (info.name(), info.type(), info.source_id(), info.channel_count())
            if info.uid() in known or (info.source_id() and identity in keys):
                continue
            known.add(info.uid())
            keys.add(identity)
            try:
                inlet = Inlet(info, timeout=2.0)
            except HitogataError as error:
                known.discard(info.uid())
                keys.discard(identity)
                failed = error
                continue
            if chosen is None or chosen(inlet.stream):
                made.append(inlet)
            else:
                inlet.close()
        if failed is not None and not made:
            raise failed
        return made

    return find
