"""Activations of muscles from EMG while it comes in: band-pass, rectified, low-pass, normalised, without looking ahead.

The chain of `emg`, forwards only: second order where there it is fourth, so that an envelope of 6 Hz is about 40 ms
late, which is about as late as a muscle's force (Cavanagh & Komi 1979: 30 to 100 ms).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hitogata.behaviour.emg import BAND, LOW
from hitogata.behaviour.ring import Ring
from hitogata.behaviour.streams import Array, Samples, Stream
from hitogata.errors import ArgumentError

LATE = "EMG late"


@dataclass(frozen=True)
class EmgChannels:
    """Which channels are which muscles.

    Attributes:
        stream: name of the stream.
        muscles: the muscle of each channel, by the channel's name.
        reference: envelope of full activation of each of these channels, in the stream's unit.
        band, low: edges of the band-pass and of the low-pass [Hz].
    """

    stream: str
    muscles: Mapping[str, str]
    reference: Mapping[str, float]
    band: tuple[float, float] = BAND
    low: float = LOW

    def __post_init__(self) -> None:
        for channel in self.muscles:
            if not self.reference.get(channel, 0.0) > 0:
                raise ArgumentError(f"EMG channel {channel!r}: its reference, an envelope above 0, is missing")


class LiveEmg:
    """Activations at any time of the last seconds."""

    def __init__(self, channels: EmgChannels, muscles: Sequence[str], *, span: float = 10.0) -> None:
        """For muscles.

        Args:
            channels: of the stream.
            muscles: names of all, in order.
            span: seconds that are kept.
        """
        unknown = [name for name in channels.muscles.values() if name not in muscles]
        if unknown:
            raise ArgumentError(f"EMG: no muscle is called {unknown[0]!r}; there are: {', '.join(muscles[:12])} ...")
        self.channels = channels
        self._places = [list(muscles).index(name) for name in channels.muscles.values()]
        self._count = len(muscles)
        self._ring = Ring(len(self._places), span=span)
        self._filter: _Chain | None = None

    def listen(self, stream: Stream, samples: Samples) -> None:
        """Samples of any stream; those of its own are kept."""
        if stream.name != self.channels.stream or stream.is_text or samples.local is None:
            return
        if self._filter is None:
            missing = [c for c in self.channels.muscles if c not in stream.labels]
            if missing:
                raise ArgumentError(f"{stream.key}: EMG channel {missing[0]!r} is not there")
            self._filter = _Chain(self.channels, stream)
        self._ring.add(samples.local, self._filter(np.asarray(samples.values, np.float64)))

    def at(self, time: float, patience: float = 0.0) -> tuple[Array, tuple[str, ...]]:
        """Activations at a time, shape (muscles,), NaN where none was measured; and what is wrong."""
        found = np.full(self._count, np.nan)
        values, known = self._ring.at(time, patience)
        found[self._places] = values
        return found, () if known else (LATE,)


@dataclass
class _Chain:
    """The filters with their state."""

    channels: EmgChannels
    stream: Stream
    columns: list[int] = field(init=False)

    def __post_init__(self) -> None:
        from scipy.signal import butter

        rate, (low, high) = self.stream.rate, self.channels.band
        high = min(high, 0.45 * rate)
        if not (0 < low < high and 0 < self.channels.low < 0.5 * rate):
            raise ArgumentError(f"{self.stream.key}: EMG of {rate:g} Hz cannot be filtered at {low:g} to {high:g} Hz")
        self.columns = [self.stream.labels.index(c) for c in self.channels.muscles]
        self._top = np.array([self.channels.reference[c] for c in self.channels.muscles])
        self._band = butter(2, (low, high), "bandpass", fs=rate, output="sos")
        self._low = butter(2, self.channels.low, "lowpass", fs=rate, output="sos")
        self._states = [np.zeros((len(s), 2, len(self.columns))) for s in (self._band, self._low)]

    def __call__(self, values: Array) -> Array:
        from scipy.signal import sosfilt

        given = values[:, self.columns]
        good = np.isfinite(given)
        passed, self._states[0] = sosfilt(self._band, np.where(good, given, 0.0), axis=0, zi=self._states[0])
        smooth, self._states[1] = sosfilt(self._low, np.abs(passed), axis=0, zi=self._states[1])
        found: Array = np.where(good, np.clip(smooth / self._top, 0.0, 1.0), np.nan)
        return found
