"""One clock: where each device's stamps lie on the local clock, with offset, drift and restarts.

A sample stamped `raw` by its device arrives at `arrival` on the local clock, always after some delay:

    arrival = raw + offset + drift raw + delay,      delay ≥ 0

so the line that lies below all points (raw, arrival - raw), and as close as can be, is offset and drift (Moon, Skelly
& Towsley 1999): it is the edge of their lower convex hull above their mean.  Delays of a loaded computer or network are
only ever positive, so they do not pull it up.  Of each second only the least delayed sample is kept, which makes eight
hours a small problem; drift that changes with temperature is followed by such lines in windows, joined at knots.

Where stamps are on the clock of LSL, its round trips tell the offset without the least delay (`round_trips`).
Otherwise that, some tenths of a millisecond on a wire, stays as an error; events that all devices see take it away
(`events`).  A clock that jumps (a device was started again, or set back) begins a new segment.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.behaviour.streams import Array
from hitogata.errors import ArgumentError

WINDOW = 1.0
"""Of so many seconds the least delayed sample is kept."""
KNOTS, SPAN = 60.0, 300.0
"""Distance of knots, and length of the windows around them whose lines give their offsets [s]."""
JUMP = 0.1
"""A change between stamps and arrivals by more than this, that stays, is a clock that jumped [s]."""
LOOK = 2.0
"""How much of what follows is asked whether a change stays [s]."""
MOST_DRIFT = 1e-3
"""A line steeper than this is not a clock's [s/s]."""


class ClockSource(enum.Enum):
    """What an offset was found from."""

    ARRIVALS = "arrivals"
    ROUND_TRIPS = "round trips"
    NOTHING = "nothing"  # no arrivals: stamps are taken as they are


@dataclass(frozen=True, eq=False)
class ClockSegment:
    """One run of a device's clock, between restarts.

    Attributes:
        first: index of its first sample.
        knots: raw stamps [s], shape (k,), rising.
        offsets: local minus raw there [s], shape (k,); linear between, and beyond by the slope at the ends.
        spread: of the least delays of each second about the line [s], 95th percentile: how sure the offset is.
    """

    first: int
    knots: Array
    offsets: Array
    spread: float

    def local(self, raw: Array) -> Array:
        """Raw stamps on the local clock, shape (n,)."""
        k, o = self.knots, self.offsets
        if len(k) == 1:
            return raw + o[0]
        i = np.clip(np.searchsorted(k, raw) - 1, 0, len(k) - 2)
        slope = (o[1:] - o[:-1]) / (k[1:] - k[:-1])
        found: Array = raw + o[i] + slope[i] * (raw - k[i])
        return found

    @property
    def drift(self) -> float:
        """Mean drift: by how much the local clock is faster than the device's [s/s]."""
        k, o = self.knots, self.offsets
        return 0.0 if len(k) == 1 else float((o[-1] - o[0]) / (k[-1] - k[0]))


@dataclass(frozen=True, eq=False)
class ClockMap:
    """From a device's stamps to the local clock.

    Attributes:
        segments: one for each run of the device's clock.
        source: what it was found from.
    """

    segments: tuple[ClockSegment, ...]
    source: ClockSource

    def local(self, raw: Array) -> Array:
        """Stamps of all samples, in order, on the local clock, shape (n,)."""
        out = np.array(raw, dtype=np.float64)
        ends = [s.first for s in self.segments[1:]] + [len(out)]
        for segment, end in zip(self.segments, ends, strict=True):
            out[segment.first : end] = segment.local(out[segment.first : end])
        return out

    def runs(self, count: int) -> Array:
        """Of so many samples, in order, the segment that each belongs to."""
        firsts = np.array([s.first for s in self.segments[1:]], np.int64)
        return np.searchsorted(firsts, np.arange(count), side="right")

    def __str__(self) -> str:
        runs = "; ".join(f"drift {1e6 * s.drift:+.1f} ppm, ± {1e3 * s.spread:.2f} ms" for s in self.segments)
        return f"by {self.source.value}: {runs}"


def fit_clock(raw: Any, arrival: Any, *, round_trips: Any = None) -> ClockMap:
    """Find a device's clock from its samples' stamps and arrivals.

    Args:
        raw: stamps [s], shape (n,), in the order in which samples came.
        arrival: local clock [s], shape (n,).
        round_trips: of LSL: local times and offsets [s], shape (k, 2); used where stamps turn out to be on LSL's
            clock of the sender, not on one of the device's own.
    """
    raw, arrival = np.asarray(raw, np.float64), np.asarray(arrival, np.float64)
    if raw.shape != arrival.shape or raw.ndim != 1:
        raise ArgumentError(f"raw and arrival: one of each per sample expected, got {raw.shape} and {arrival.shape}")
    good = np.isfinite(raw) & np.isfinite(arrival)
    if not good.any():
        return ClockMap((ClockSegment(0, np.zeros(1), np.zeros(1), 0.0),), ClockSource.NOTHING)
    if round_trips is not None and len(round_trips) and on_senders_clock(raw[good], arrival[good], round_trips):
        return _from_round_trips(np.asarray(round_trips, np.float64))
    starts = restarts(raw, arrival)
    segments = []
    for first, end in zip(starts, [*starts[1:], len(raw)], strict=True):
        keep = good[first:end]
        if keep.any():
            segments.append(_segment(first, raw[first:end][keep], arrival[first:end][keep]))
    if segments and segments[0].first > 0:
        s = segments[0]
        segments[0] = ClockSegment(0, s.knots, s.offsets, s.spread)
    return ClockMap(tuple(segments), ClockSource.ARRIVALS)


# ------------------------------------------------------- restarts


def restarts(raw: Array, arrival: Array) -> list[int]:
    """Indices of the first samples of runs of a clock, 0 among them.

    A run ends where arrival - raw changes by more than `JUMP` and what follows within `LOOK` seconds does not come
    back: late samples come back, since a delay passes, a clock that was set does not.
    """
    lag = arrival - raw
    step = np.flatnonzero(~(np.abs(np.diff(lag)) <= JUMP)) + 1
    starts, floor = [0], np.inf
    begin = 0
    for i in step:
        if i < begin or not np.isfinite(lag[i]):
            continue
        before = lag[max(begin, i - 2000) : i]
        recent = arrival[max(begin, i - 2000) : i] > arrival[i - 1] - LOOK
        floor = float(np.nanmin(before[recent])) if recent.any() and np.isfinite(before[recent]).any() else np.inf
        ahead = lag[i : np.searchsorted(arrival[i:], arrival[i] + LOOK) + i + 1]
        # A delay that passes: among what comes next the least lag is again what it was, or still falls towards it.
        level = float(np.nanmin(ahead))
        if abs(level - floor) <= JUMP:
            continue
        if level < floor and 0.0 < raw[i] - raw[i - 1] <= JUMP:  # stamps go on as before: what came first was late
            continue
        if level > floor and _catches_up(raw[i:], lag[i:], floor):
            continue
        # Stamps go on as before and the end is near: a delay that had no time to pass.
        if level > floor and 0.0 < raw[i] - raw[i - 1] <= JUMP and raw[-1] - raw[i] < lag[i] - floor + LOOK:
            continue
        starts.append(int(i))
        begin = int(i)
    return starts


def _catches_up(raw: Array, lag: Array, floor: float) -> bool:
    """Whether lags come back to the floor, as those of samples that had to wait do: within what had to wait itself."""
    waited = lag[0] - floor
    near = raw <= raw[0] + waited + LOOK
    return bool((lag[near] <= floor + JUMP).any()) and waited > 0


# ------------------------------------------------------- lines below


def least_delayed(raw: Array, lag: Array, window: float = WINDOW) -> tuple[Array, Array]:
    """Of each window of raw time the sample with the least lag: raw stamps and lags, both rising in raw."""
    bins = np.floor((raw - raw.min()) / window)
    order = np.lexsort((lag, bins))
    first = np.r_[True, np.diff(bins[order]) > 0]
    chosen = order[first]
    return raw[chosen], lag[chosen]


def lower_line(x: Array, y: Array) -> tuple[float, float]:
    """The line below all points that is nearest to them: its value at x[0] and its slope.

    Minimises Σ (y - a - b x) with a + b x ≤ y: the edge of the lower convex hull above the mean of x.
    """
    if len(x) == 1 or x[-1] <= x[0]:
        return float(y.min()), 0.0
    hull = [0]
    for i in range(1, len(x)):
        if x[i] == x[hull[-1]]:
            if y[i] >= y[hull[-1]]:
                continue
            hull.pop()
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (y[b] - y[a]) * (x[i] - x[a]) >= (y[i] - y[a]) * (x[b] - x[a]):
                hull.pop()
            else:
                break
        hull.append(i)
    middle = float(x.mean())
    k = int(np.clip(np.searchsorted(x[hull], middle) - 1, 0, max(len(hull) - 2, 0)))
    if len(hull) == 1:
        return float(y[hull[0]]), 0.0
    a, b = hull[k], hull[k + 1]
    slope = float((y[b] - y[a]) / (x[b] - x[a]))
    if abs(slope) > MOST_DRIFT:
        return float(y.min()), 0.0
    return float(y[a] + slope * (x[0] - x[a])), slope


def _segment(first: int, raw: Array, arrival: Array) -> ClockSegment:
    x, y = least_delayed(raw, arrival - raw)
    knots, offsets = line_knots(x, y)
    whole = ClockSegment(first, knots, offsets, 0.0)
    spread = float(np.percentile(np.abs(x + y - whole.local(x)), 95)) if len(x) > 1 else 0.0
    return ClockSegment(first, knots, offsets, spread)


def line_knots(x: Array, y: Array) -> tuple[Array, Array]:
    """Knots and offsets of lines below points, in windows about `KNOTS` seconds apart and `SPAN` long."""
    length = float(x[-1] - x[0])
    if length <= SPAN:
        at, slope = lower_line(x, y)
        if length == 0.0:
            return x[:1].copy(), np.array([at])
        return np.array([x[0], x[-1]]), np.array([at, at + slope * length])
    knots = np.linspace(x[0], x[-1], max(2, round(min(length / KNOTS, len(x))) + 1))
    offsets = np.empty(len(knots))
    for k, knot in enumerate(knots):
        centre = min(max(knot, x[0] + SPAN / 2), x[-1] - SPAN / 2)
        i, j = np.searchsorted(x, [centre - SPAN / 2, centre + SPAN / 2])
        if j - i < 2:
            i, j = max(0, min(i, len(x) - 2)), min(len(x), max(j, i + 2))
        at, slope = lower_line(x[i:j], y[i:j])
        offsets[k] = at + slope * (knot - x[i])
    return knots, offsets


# ------------------------------------------------------- round trips


def on_senders_clock(raw: Array, arrival: Array, round_trips: Any) -> bool:
    """Whether stamps are of LSL's clock on the sending computer, so that its round trips tell their offset.

    Then delays against that clock are never negative, begin below a tenth of a second, and do not drift.
    """
    trips = np.asarray(round_trips, np.float64)
    delay = arrival - raw - np.interp(arrival, trips[:, 0], trips[:, 1])
    x, y = least_delayed(arrival, delay)
    _, slope = lower_line(x, y)
    drifts = abs(slope) * (x[-1] - x[0]) > 1e-3
    return bool(y.min() > -1e-3 and np.median(y) < 0.1 and not drifts)


def _from_round_trips(trips: Array) -> ClockMap:
    """Offsets at the senders' times; of every ten seconds the median."""
    bins = np.floor((trips[:, 0] - trips[0, 0]) / 10.0).astype(np.int64)
    knots, offsets = [], []
    for b in np.unique(bins):
        offset = float(np.median(trips[bins == b, 1]))
        knots.append(float(np.median(trips[bins == b, 0])) - offset)
        offsets.append(offset)
    spread = float(np.percentile(np.abs(trips[:, 1] - np.median(trips[:, 1])), 95))
    return ClockMap((ClockSegment(0, np.array(knots), np.array(offsets), spread),), ClockSource.ROUND_TRIPS)


# ------------------------------------------------------- stamps that tell nothing


def without_stamp(raw: Array, before: float = np.nan) -> Any:
    """Which samples have no stamp: not a number, or 0 again and again.

    Args:
        raw: stamps [s], shape (n,).
        before: stamp of the sample before them.
    """
    nothing: Any = raw == 0.0
    again = nothing & (np.r_[before == 0.0, nothing[:-1]] | np.r_[nothing[1:], False])
    return ~np.isfinite(raw) | again


def runs_backwards(raw: Array, before: float = np.nan) -> bool:
    """Whether most stamps are before those of the samples before them."""
    step = np.diff(np.r_[before, raw] if np.isfinite(before) else raw)
    return len(step) > 0 and bool(2 * (step < 0).sum() > len(step))


# ------------------------------------------------------- while it comes in


class LiveClock:
    """A device's clock while samples come in: the line below those of the last minutes, bounded in memory.

    The newest answer, not a function of all samples as `fit_clock` is: stamps made with it are kept beside raw ones.

    Attributes:
        begun: how often the device was started again.
    """

    def __init__(self, span: float = SPAN) -> None:
        self._span = span
        self.begun = 0
        self._forget()

    def begin(self) -> None:
        """The device was started again."""
        self.begun += 1
        self._forget()

    def _forget(self) -> None:
        self._x: list[float] = []
        self._y: list[float] = []
        self._offset, self._slope, self._from = 0.0, 0.0, 0.0
        self._late = 0.0
        self._last = self._fitted = -np.inf

    def local(self, raw: Array, arrival: Array) -> Array:
        """Stamps of samples that just came, on the local clock, shape (n,)."""
        if len(raw) == 0:
            return raw.copy()
        back = np.flatnonzero(np.diff(raw, prepend=self._last) < -JUMP)
        if len(back) and back[0] > 0:  # set back among these samples
            first = self.local(raw[: back[0]], arrival[: back[0]])
            return np.concatenate([first, self.local(raw[back[0] :], arrival[back[0] :])])
        lag = arrival - raw
        if self._x and (len(back) or self._jumped(raw, lag)):
            if not len(back) and lag.min() < self._expected(raw) and 0.0 < raw[0] - self._last <= JUMP:
                self._forget()  # stamps go on as before: all that came until now was late
            else:
                self.begin()
        self._last = float(raw[-1])
        self._keep(raw, lag)
        found: Array = raw + self._offset + self._slope * (raw - self._from)
        return found

    def _expected(self, raw: Array) -> float:
        """The least lag, as known."""
        return float(self._offset + self._slope * (raw[-1] - self._from))

    def _jumped(self, raw: Array, lag: Array) -> bool:
        low = float(lag.min()) - self._expected(raw)
        if low < -JUMP:  # before its time: no delay does that
            return True
        self._late = self._late if low > JUMP and self._late else (float(raw[-1] + lag[-1]) if low > JUMP else 0.0)
        return bool(self._late and raw[-1] + lag[-1] - self._late > 2 * LOOK + low)

    def _keep(self, raw: Array, lag: Array) -> None:
        k = int(lag.argmin())
        new = not self._x or raw[k] - self._x[-1] >= WINDOW
        if new:
            self._x.append(float(raw[k]))
            self._y.append(float(lag[k]))
        elif lag[k] < self._y[-1]:
            self._y[-1] = float(lag[k])
            self._x[-1] = max(float(raw[k]), self._x[-2] if len(self._x) > 1 else float(raw[k]))
        else:
            return
        while self._x[-1] - self._x[0] > self._span:
            self._x.pop(0)
            self._y.pop(0)
        length = self._x[-1] - self._x[0]
        if length > 30.0 and self._x[-1] - self._fitted < 5.0 * WINDOW:
            return
        self._fitted = self._x[-1]
        x, y = np.array(self._x), np.array(self._y)
        if length < 10.0:  # too short for a drift
            self._offset, self._slope, self._from = float(y.min()), 0.0, float(x[0])
        else:
            self._offset, self._slope = lower_line(x, y)
            self._from = float(x[0])


def steady(raw: Array, rate: float, numbers: Array | None = None, breaks: Sequence[int] = ()) -> Array:
    """Stamps of a regular stream without the jitter of their stamping.

    Between breaks, stamps are laid on the line through them over sample numbers, by least squares without outliers:
    only where samples follow each other without a gap (of more than 50 ms and five periods; what is lost in a shorter
    one must have had numbers).

    Args:
        raw: stamps [s], shape (n,).
        rate: nominal [Hz]; 0: nothing is done.
        numbers: of the samples, so that lost ones do not shift the rest; None: counted.
        breaks: indices where the clock jumped.
    """
    out = np.array(raw, np.float64)
    if rate <= 0 or len(out) < 3:
        return out
    count = np.arange(len(out)) if numbers is None else np.asarray(numbers, np.int64)
    gap = np.abs(np.diff(out) - np.diff(count) / rate) > max(0.05, 5.0 / rate)
    starts = np.unique(np.r_[0, np.flatnonzero(gap | (np.diff(count) <= 0)) + 1, np.asarray(breaks, np.int64)])
    for i, j in zip(starts, np.r_[starts[1:], len(out)], strict=True):
        if j - i >= 10:
            out[i:j] = _on_lines(count[i:j].astype(np.float64), out[i:j], rate)
    return out


def _on_lines(n: Array, t: Array, rate: float) -> Array:
    """t as lines over n, in overlapping windows of a minute whose lines are blended, twice without outliers."""
    length = (n[-1] - n[0]) / rate
    centres = np.linspace(n[0], n[-1], max(2, round(length / 30.0) + 1))
    half = max((centres[1] - centres[0]), 1.0)
    value, weight = np.zeros(len(n)), np.zeros(len(n))
    for c in centres:
        i, j = np.searchsorted(n, [c - half, c + half + 0.5])
        x, y = n[i:j] - c, t[i:j]
        if len(x) < 3:
            continue
        at, slope = _line(x, y)
        off = np.abs(y - at - slope * x)
        keep = off <= max(3.0 * float(np.median(off)) / 0.6745, 1e-9)
        if keep.sum() >= 3:
            at, slope = _line(x[keep], y[keep])
        w = np.maximum(1.0 - np.abs(x) / half, 1e-9)
        value[i:j] += w * (at + slope * x)
        weight[i:j] += w
    result: Array = np.where(weight > 0, value / np.maximum(weight, 1e-300), t)
    return result


def _line(x: Array, y: Array) -> tuple[float, float]:
    """Least squares: value at 0, and slope."""
    mx, my = float(x.mean()), float(y.mean())
    dx = x - mx
    slope = float(dx @ (y - my)) / float(dx @ dx)
    return my - slope * mx, slope
