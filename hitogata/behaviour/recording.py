"""A recording as arrays on one clock.

`open_recording` reads MCAP and XDF.  Every stream is a `Track`: raw stamps, arrivals and values as they came, and
`time`, on the recording's clock, found from all samples at once (`clock.fit_clock`), without the jitter of stamping
(`clock.steady`).  Nothing is made up: where nothing was measured, resampled arrays have NaN and a mask says so.
"""

import dataclasses
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hitogata.behaviour.clock import ClockMap, ClockSource, fit_clock, runs_backwards, steady, without_stamp
from hitogata.behaviour.streams import Array, Samples, Stream, StreamKind, joined
from hitogata.errors import ArgumentError, FileFormatError

ROUNDING = 1e-6
"""Times nearer than this are the same [s]."""


@dataclass(frozen=True)
class Gap:
    """Where a regular stream has no samples.

    Attributes:
        begin, end: times of the samples around it [s].
        lost: how many are missing, by their numbers, or else by the rate.
    """

    begin: float
    end: float
    lost: int


@dataclass(frozen=True)
class Correction:
    """What events take off times of one run of a device's clock: `shift + slope (time - at)` [s].

    Attributes:
        shift: at time `at` [s].
        slope: what is left of its drift [s/s].
        at: [s], on the recording's clock as it was.
    """

    shift: float = 0.0
    slope: float = 0.0
    at: float = 0.0


@dataclass(frozen=True, eq=False)
class Track:
    """One stream of a recording.

    Attributes:
        stream: what it is.
        topic: its name in the file.
        samples: as they came.
        round_trips: of LSL, local times and offsets [s], shape (k, 2).
        origin: local clock at the recording's time 0 [s].
        corrections: from events, one for each run of the device's clock; none: nothing is taken off.
        mended: times were found before and stand in `samples.local` (files of `write_recording`).
    """

    stream: Stream
    topic: str
    samples: Samples = field(repr=False)
    round_trips: Array = field(default_factory=lambda: np.zeros((0, 2)), repr=False)
    origin: float = 0.0
    corrections: tuple[Correction, ...] = ()
    mended: bool = False

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def clock(self) -> ClockMap:
        """From the device's stamps to the local clock."""
        return self._found[0]

    @property
    def runs(self) -> Array:
        """Of each sample the run of the device's clock that it belongs to, from 0, shape (n,)."""
        return self._found[2]

    @cached_property
    def local(self) -> Array:
        """Times of the samples on the recorder's clock [s], shape (n,); raw stamps are in `samples.raw`."""
        _, found, runs = self._found
        if self.corrections:
            shift, slope, at = np.array([(c.shift, c.slope, c.at) for c in self.corrections]).T
            found = found - shift[runs] - slope[runs] * (found - self.origin - at[runs])
        return found

    @cached_property
    def time(self) -> Array:
        """Of the samples, on the recording's clock [s], shape (n,); mended, raw stamps are in `samples.raw`."""
        found: Array = self.local - self.origin
        found.setflags(write=False)
        return found

    @cached_property
    def _found(self) -> tuple[ClockMap, Array, Array]:
        s = self.samples
        clock, local = self._fitted()
        return clock, s.local if self.mended and s.local is not None else local, clock.runs(len(s))

    def _fitted(self) -> tuple[ClockMap, Array]:
        """The clock, and samples' times by it."""
        s = self.samples
        trips = self.round_trips if len(self.round_trips) else None
        missing = without_stamp(s.raw)
        if missing.all() or runs_backwards(s.raw[~missing]):
            return ClockMap((), ClockSource.NOTHING), s.arrival.copy()
        if missing.any():
            part = dataclasses.replace(self, samples=s.part(~missing))
            clock, local = part._fitted()
            found = s.arrival.copy()
            found[~missing] = local
            whose = np.flatnonzero(~missing)
            segments = tuple(dataclasses.replace(g, first=int(whose[g.first])) for g in clock.segments)
            return dataclasses.replace(clock, segments=segments), found
        first = fit_clock(s.raw, s.arrival, round_trips=trips)
        breaks = [segment.first for segment in first.segments[1:]]
        even = steady(s.raw, self.stream.rate, s.numbers, breaks)
        again = fit_clock(even, s.arrival, round_trips=trips) if self.stream.rate > 0 else first
        return again, again.local(even)

    @property
    def values(self) -> Any:
        """Shape (n, nc); of text, a list of words."""
        return self.samples.values

    def channel(self, name: str) -> Array:
        """One channel, shape (n,)."""
        if name not in self.stream.labels:
            raise ArgumentError(f"{self.topic}: no channel {name!r}; there are: {', '.join(self.stream.labels[:12])}")
        column: Array = self.values[:, self.stream.labels.index(name)]
        return column

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """Where samples are missing: by numbers, else where two are more than two periods and 50 ms apart."""
        if self.stream.rate <= 0 or len(self) < 2:
            return ()
        step = np.diff(self.time)
        periods = np.round(step * self.stream.rate).astype(np.int64) - 1
        if self.samples.numbers is not None:
            jumps = np.diff(self.samples.numbers) - 1
            again = jumps < 0  # the device counts from 0 again
            lost = np.where(again, periods, jumps)
            at = np.flatnonzero((lost > 0) & (~again | (step > 2.0 / self.stream.rate)))
        else:
            lost = periods
            at = np.flatnonzero((step > 2.0 / self.stream.rate) & (step > 0.05))
        return tuple(Gap(float(self.time[i]), float(self.time[i + 1]), int(lost[i])) for i in at)

    def at(self, times: Any, *, widest: float | None = None) -> tuple[Array, Array]:
        """Values at other times, by straight lines between samples.

        Args:
            times: [s], shape (m,).
            widest: between samples further apart nothing is known [s]; None: three periods, at least 20 ms.

        Returns:
            Values, shape (m, nc), NaN where nothing is known; and where something is, shape (m,).
        """
        if self.stream.is_text:
            raise ArgumentError(f"{self.topic}: words have no values between them")
        times = np.asarray(times, np.float64)
        rate = self.stream.rate
        widest = widest if widest is not None else max(3.0 / rate, 0.02) if rate > 0 else np.inf
        out = np.full((len(times), len(self.stream.channels)), np.nan)
        if len(self) < 2:
            return out, np.zeros(len(times), bool)
        order = np.argsort(self.time, kind="stable")
        t, values = self.time[order], np.asarray(self.values, np.float64)[order]
        i = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
        span = t[i + 1] - t[i]
        known = (times >= t[0] - ROUNDING) & (times <= t[-1] + ROUNDING) & (span <= widest)
        share = ((times - t[i]) / np.where(span > 0, span, 1.0)).clip(0.0, 1.0)[:, None]
        out[known] = (values[i] * (1.0 - share) + values[i + 1] * share)[known]
        return out, known

    def corrected(self, by: Sequence[Correction]) -> "Track":
        """The same with these taken off as well, one for each run of the device's clock."""
        part = dataclasses.replace(self, samples=dataclasses.replace(self.samples, local=self.local), mended=True,
                                   corrections=tuple(by))  # fmt: skip
        part.__dict__["_found"] = (self.clock, self.local, self.runs)
        return part

    def within(self, begin: float, end: float) -> "Track":
        """Samples from one time to another; their times are those that all samples gave."""
        keep = (self.time >= begin - ROUNDING) & (self.time <= end + ROUNDING)
        part = dataclasses.replace(self, samples=self.samples.part(keep))
        clock, local, runs = self._found
        part.__dict__["_found"] = (clock, local[keep], runs[keep])
        return part


@dataclass(frozen=True, eq=False)
class Recording:
    """Streams that were recorded together.

    Attributes:
        tracks: the streams.
        notes: what the recorder said, by time.
        problems: what is damaged or missing in the file, in words.
        name: of the recording.
    """

    tracks: tuple[Track, ...]
    notes: tuple[Mapping[str, Any], ...] = ()
    problems: tuple[str, ...] = ()
    name: str = "recording"

    def track(self, name: str) -> Track:
        """The stream of this name, topic or kind (if it is the only one of its kind)."""
        same = [t for t in self.tracks if name in (t.stream.name, t.topic, t.stream.key)]
        same = same or [t for t in self.tracks if t.stream.kind.name.lower() == name.lower()]
        if len(same) != 1:
            names = ", ".join(repr(t.stream.name) for t in self.tracks)
            what = f"{len(same)} streams are" if same else "no stream is"
            raise ArgumentError(f"{self.name}: {what} called {name!r}; there are: {names}")
        return same[0]

    @property
    def begin(self) -> float:
        """Time of the first sample [s]."""
        return min((float(a.min()) for a in self._times()), default=0.0)

    @property
    def end(self) -> float:
        """Time of the last sample [s]."""
        return max((float(a.max()) for a in self._times()), default=0.0)

    def _times(self) -> list[Array]:
        """Of all streams, those that are numbers."""
        good = (t.time[np.isfinite(t.time)] for t in self.tracks)
        return [a for a in good if len(a)]

    def resample(
        self, rate: float, names: Sequence[str] | None = None, *, begin: float | None = None, end: float | None = None
    ) -> tuple[Array, dict[str, Array], dict[str, Array]]:
        """All streams of numbers at the same even times.

        Args:
            rate: [Hz].
            names: of streams; None: all but words and streams without a rate.
            begin, end: [s]; None: all there is.

        Returns:
            Times, shape (m,); values by topic, shape (m, nc), NaN where nothing was measured; and by topic where
            something was, shape (m,).
        """
        if not rate > 0:
            raise ArgumentError(f"rate: must be positive, got {rate!r}")
        chosen = [self.track(n) for n in names] if names is not None else [
            t for t in self.tracks if not t.stream.is_text and t.stream.rate > 0]  # fmt: skip
        first, last = self.begin if begin is None else begin, self.end if end is None else end
        times = first + np.arange(max(0, int(np.floor((last - first) * rate + 1e-9)) + 1)) / rate
        values, masks = {}, {}
        for track in chosen:
            values[track.topic], masks[track.topic] = track.at(times)
        return times, values, masks

    def cut(self, begin: float, end: float) -> "Recording":
        """What was between two times [s]."""
        if not end > begin:
            raise ArgumentError(f"cut: the end, {end!r} s, must be after the beginning, {begin!r} s")
        tracks = tuple(t.within(begin, end) for t in self.tracks)
        return dataclasses.replace(self, tracks=tracks)

    def __str__(self) -> str:
        lines = [f"{self.name}: {len(self.tracks)} streams, {self.end - self.begin:.1f} s"]
        for t in self.tracks:
            kind, rate = t.stream.kind.name.lower().replace("_", " "), t.stream.rate
            missing = sum(g.lost for g in t.gaps)
            gaps = f", {len(t.gaps)} gaps of {missing} samples" if t.gaps else ""
            how = f"{rate:g} Hz" if rate > 0 else "irregular"
            lines.append(f"  {t.topic}: {kind}, {len(t.stream.channels)} channels, {how}, {len(t)} samples{gaps}")
            if len(t):
                lines.append(f"    clock {t.clock}")
        return "\n".join([*lines, *(f"  {p}" for p in self.problems)])


def open_recording(path: str) -> Recording:
    """A recording from a file.

    Args:
        path: .mcap or .xdf (.xdfz).

    Raises:
        FileFormatError: nothing of it can be read.
    """
    suffix = pathlib.Path(path).suffix.lower()
    if suffix == ".mcap":
        return _from_mcap(path)
    if suffix in (".xdf", ".xdfz"):
        from hitogata.behaviour.xdf_file import read_xdf

        return read_xdf(path)
    raise FileFormatError(f"{path}: recordings are .mcap or .xdf")


def _from_mcap(path: str) -> Recording:
    from hitogata.behaviour.mcap_file import read_mcap

    found = read_mcap(path)
    parts = {topic: joined(blocks, found.streams[topic]) for topic, blocks in found.blocks.items()}
    trips: dict[str, list[tuple[float, float]]] = {topic: [] for topic in parts}
    for note in found.round_trips:
        if note.get("topic") in trips and isinstance(note.get("offset"), int | float):
            trips[note["topic"]].append((float(note["time"]), float(note["offset"])))
    recording = recording_of(
        {t: (found.streams[t], parts[t], trips[t]) for t in parts}, found.notes, found.problems, pathlib.Path(path).stem
    )
    tracks = tuple(dataclasses.replace(t, mended=t.topic in found.mended) for t in recording.tracks)
    return dataclasses.replace(recording, tracks=tracks)


def recording_of(
    parts: Mapping[str, tuple[Stream, Samples, Sequence[tuple[float, float]]]], notes: Sequence[Mapping[str, Any]],
    problems: Sequence[str], name: str,
) -> Recording:  # fmt: skip
    """A recording of streams by topic; its time 0 is the first arrival of all that is a number."""
    came = (s.arrival[np.isfinite(s.arrival)] for _, s, _ in parts.values())
    origin = min((float(a.min()) for a in came if len(a)), default=0.0)
    tracks = [
        Track(stream, topic, samples, np.array(trips, np.float64).reshape(-1, 2), origin)
        for topic, (stream, samples, trips) in parts.items()
    ]
    rest = [{**n, "time": float(n.get("time", origin)) - origin} for n in notes]
    return Recording(tuple(tracks), tuple(sorted(rest, key=lambda n: n["time"])), tuple(problems), name)


def write_recording(recording: Recording, path: str) -> None:
    """Write a recording (a cut, say) as .mcap or .xdf; raw stamps and arrivals stay beside mended ones."""
    suffix = pathlib.Path(path).suffix.lower()
    if suffix == ".xdf":
        from hitogata.behaviour.xdf_file import write_xdf

        write_xdf(recording, path)
        return
    if suffix != ".mcap":
        raise ArgumentError(f"{path}: recordings are written as .mcap or .xdf")
    from hitogata.behaviour.mcap_file import NOTES, ROUND_TRIPS, McapWriter

    writer = McapWriter(path)
    for track in recording.tracks:
        writer.add_stream(track.stream, track.topic, mended=True)
        s, local = track.samples, track.local
        for i in range(0, len(s), 4096):
            part = s.part(slice(i, i + 4096))
            writer.add_samples(track.topic, track.stream, dataclasses.replace(part, local=local[i : i + 4096]))
        for when, offset in track.round_trips:
            writer.add_note(ROUND_TRIPS, float(when), {"topic": track.topic, "offset": float(offset)})
        writer.commit()
    for note in recording.notes:
        origin = recording.tracks[0].origin if recording.tracks else 0.0
        writer.add_note(NOTES, float(note["time"]) + origin, {k: v for k, v in note.items() if k != "time"})
    writer.close()


def of_kind(recording: Recording, kind: StreamKind) -> tuple[Track, ...]:
    """Its streams of a kind."""
    return tuple(t for t in recording.tracks if t.stream.kind is kind)
