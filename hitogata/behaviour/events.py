"""What all devices see at once (a clap, a synch pulse): found in each stream, and used to put their clocks right.

A clock found from arrivals is late by the least delay between device and recorder, which nothing in the stamps tells,
and that delay may differ from one start of the device to the next.  Events tell: times of them in each run of a
device's clock, less their median over streams, have a median, the shift of that run.  Where a run has enough events,
far enough apart, what is left of its drift is taken off too: the median slope of lines through two of them (Theil
1950).
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hitogata.behaviour.recording import Correction, Recording, Track
from hitogata.behaviour.streams import Array
from hitogata.errors import ArgumentError

HOLE, SHARE = 3.0, 5.0
"""Samples of a pulse may be apart by so many usual distances, or by so small a part of its width at half height.

Trapezoids across a hole h move the centre of a bump of standard deviation σ by at most about 0.03 h³ / σ²: with h a
fifth of its width, 2.4 σ, by 0.003 σ.
"""
EVENTS, LONG = 6, 10.0
"""A drift is found from so many events of a run at least, which lie so far apart [s]."""


def find_pulses(time: Any, signal: Any, *, threshold: float | None = None, apart: float = 0.2) -> Array:
    """Times of the middles of pulses, between samples.

    A pulse is where the signal is above the threshold; its time is that of its centre, ∫ (s - base) t / ∫ (s - base) by
    trapezoids: exact for any even shape, however few samples it has.  Pulses with samples missing are left out.

    Args:
        time: [s], shape (n,), rising.
        signal: shape (n,).
        threshold: above which it is a pulse; None: half between median and maximum.
        apart: what is nearer than this is one pulse [s].
    """
    time, signal = np.asarray(time, np.float64), np.asarray(signal, np.float64)
    good = np.isfinite(signal)
    time, signal = time[good], signal[good]
    if len(signal) < 3:
        return np.zeros(0)
    base = float(np.median(signal))
    top = float(signal.max())
    level = 0.5 * (base + top) if threshold is None else threshold
    above = np.flatnonzero(signal > level)
    if not len(above) or top - base < 1e-9:
        return np.zeros(0)
    starts = np.r_[0, np.flatnonzero(np.diff(time[above]) > apart) + 1]
    usual = float(np.median(np.diff(time)))
    found = []
    for i, j in zip(starts, np.r_[starts[1:], len(above)], strict=True):
        first, last = time[above[i]], time[above[j - 1]]
        near = np.flatnonzero((time >= first - apart) & (time <= last + apart))
        t, height = time[near], np.clip(signal[near] - base, 0.0, None)
        widest = max(HOLE * usual, (last - first) / SHARE)
        if len(t) < 3 or np.diff(np.r_[first - apart, t, last + apart]).max() > widest:
            continue
        found.append(float(np.trapezoid(height * t, t) / np.trapezoid(height, t)))
    return np.array(found)


def shared_events(times: Mapping[str, Array], *, within: float = 0.25) -> tuple[list[str], Array]:
    """Events that several streams saw: names, and times, shape (events, streams), NaN where a stream did not.

    Args:
        times: of events, by stream.
        within: times nearer than this are of one event [s].
    """
    names = list(times)
    every = sorted((float(t), k) for k, name in enumerate(names) for t in times[name])
    rows: list[Array] = []
    last = -np.inf
    for t, k in every:
        if t - last > within or not np.isnan(rows[-1][k]):
            rows.append(np.full(len(names), np.nan))
        rows[-1][k], last = t, t
    table = np.array(rows).reshape(len(rows), len(names))
    return names, table[np.isfinite(table).sum(axis=1) > 1]


def align_events(recording: Recording, channels: Mapping[str, str], *, within: float = 0.25) -> tuple[Recording, Array]:
    """Streams moved so that events which they saw fall together, each run of a device's clock by itself.

    Args:
        recording: with clocks.
        channels: by stream, the channel in which events are seen.
        within: how far apart times of one event may be before [s].

    Returns:
        The recording; and for each event the differences that are left, shape (events, streams) [s], NaN where a
        stream did not see it.
    """
    tracks = {name: recording.track(name) for name in channels}
    times = {name: find_pulses(t.time, t.channel(channels[name])) for name, t in tracks.items()}
    names, table = shared_events(times, within=within)
    if not len(table):
        seen = ", ".join(f"{n} {len(times[n])}" for n in names)
        raise ArgumentError(f"no event was seen by two streams within {within:g} s of each other (events: {seen})")
    owner, columns = _by_runs(table, [tracks[n] for n in names])
    shifts, slopes, at = _corrections(columns)
    for k in range(len(names)):  # runs that saw no event are shifted as the device's others are
        told = np.isfinite(columns[:, owner == k]).any(axis=0)
        shifts[np.flatnonzero(owner == k)[~told]] = float(np.median(shifts[owner == k][told])) if told.any() else 0.0
    found = {}
    for k, name in enumerate(names):
        own = [Correction(float(shifts[i]), float(slopes[i]), float(at[i])) for i in np.flatnonzero(owner == k)]
        found[tracks[name].topic] = tracks[name].corrected(own)
    left = columns - shifts - slopes * (columns - at)
    whole = np.stack([_merged(left[:, owner == k]) for k in range(len(names))], axis=1)
    moved = dataclasses.replace(recording, tracks=tuple(found.get(t.topic, t) for t in recording.tracks))
    return moved, whole - np.nanmedian(whole, axis=1, keepdims=True)


def _by_runs(table: Array, tracks: Sequence[Track]) -> tuple[Array, Array]:
    """A column for each run of each stream's clock: whose it is, shape (k,); times, shape (events, k)."""
    owner, columns = [], []
    for k, track in enumerate(tracks):
        order = np.argsort(track.time, kind="stable")
        near = np.searchsorted(track.time[order], np.nan_to_num(table[:, k])).clip(0, len(track) - 1)
        runs = track.runs[order][near]
        for run in range(max(len(track.clock.segments), 1)):
            owner.append(k)
            columns.append(np.where(runs == run, table[:, k], np.nan))
    return np.array(owner), np.stack(columns, axis=1)


def _corrections(columns: Array) -> tuple[Array, Array, Array]:
    """Shift, slope and their time for each column; of columns without events zeros.

    First shifts alone, so that what one device's restart does to the median over streams is no drift of the others.
    A slope that all have is not seen by events: the middle one is taken for the recorder's clock.
    """
    seen = np.isfinite(columns)
    centre = np.array([float(np.nanmean(c)) if np.isfinite(c).any() else 0.0 for c in columns.T])
    shifts, slopes = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
    sloped = np.array([s.sum() >= EVENTS and np.ptp(c[s]) >= LONG for c, s in zip(columns.T, seen.T, strict=True)])
    for round_ in range(60):  # medians over streams and over events, in turn
        left = columns - shifts - slopes * (columns - centre)
        off = left - np.nanmedian(left, axis=1, keepdims=True)
        step = np.zeros((2, columns.shape[1]))
        for k in np.flatnonzero(seen.any(axis=0)):
            x, y = columns[seen[:, k], k] - centre[k], off[seen[:, k], k]
            if round_ >= 30 and sloped[k]:
                step[1, k] = _median_slope(x, y)
            step[0, k] = np.median(y - step[1, k] * x)
        shifts, slopes = shifts + step[0], slopes + step[1]
    common = float(np.median(slopes[sloped])) if sloped.any() else 0.0
    told = seen.any(axis=0)
    middle = float(centre[told].mean())
    return shifts - np.where(told, common * (centre - middle), 0.0), slopes - np.where(told, common, 0.0), centre


def _median_slope(x: Array, y: Array) -> float:
    """Of the lines through points half of them apart (Theil's incomplete method)."""
    half = len(x) // 2
    return float(np.median((y[half:] - y[: len(y) - half]) / (x[half:] - x[: len(x) - half])))


def _merged(columns: Array) -> Array:
    """The one number of each row that is there, or NaN."""
    return np.where(np.isfinite(columns).any(axis=1), np.nansum(columns, axis=1), np.nan)


def greatest_difference(left: Sequence[Sequence[float]] | Array) -> float:
    """Between any two streams at any event [s]."""
    table = np.asarray(left, np.float64)
    return float(np.nanmax(np.nanmax(table, axis=1) - np.nanmin(table, axis=1)))


def track_events(track: Track, channel: str) -> Array:
    """Times of pulses in a channel of a stream [s]."""
    return find_pulses(track.time, track.channel(channel))
