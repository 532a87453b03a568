"""What all devices see at once (a clap, a synch pulse): found in each stream, and used to take constant delays away.

A clock found from arrivals is late by the least delay between device and recorder, which nothing in the stamps tells.
Events tell: each stream's times of them, less their median over streams, have a median, its shift.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hitogata.behaviour.recording import Recording, Track
from hitogata.behaviour.streams import Array
from hitogata.errors import ArgumentError

HOLE = 3.0
"""Samples of a pulse further apart than so many usual distances are too few to tell its time."""


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
        first, last = above[i], above[j - 1]
        near = np.flatnonzero((time >= time[first] - apart) & (time <= time[last] + apart))
        t, height = time[near], np.clip(signal[near] - base, 0.0, None)
        inner = (t >= time[first]) & (t <= time[last])
        if len(t) < 3 or np.diff(t)[inner[1:] | inner[:-1]].max(initial=0.0) > HOLE * usual:
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
    """Streams shifted so that events which they saw fall together.

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
    shifts = np.zeros(len(names))
    for _ in range(20):  # medians over streams and over events, in turn
        left = table - shifts
        centre = np.nanmedian(left, axis=1, keepdims=True)
        step = np.array([np.nanmedian(c) if np.isfinite(c).any() else 0.0 for c in (left - centre).T])
        shifts += step
        if np.abs(step).max() < 1e-9:
            break
    moved = {tracks[n].topic: tracks[n].shifted(float(s)) for n, s in zip(names, shifts, strict=True)}
    found = dataclasses.replace(recording, tracks=tuple(moved.get(t.topic, t) for t in recording.tracks))
    left = table - shifts
    return found, left - np.nanmedian(left, axis=1, keepdims=True)


def greatest_difference(left: Sequence[Sequence[float]] | Array) -> float:
    """Between any two streams at any event [s]."""
    table = np.asarray(left, np.float64)
    return float(np.nanmax(np.nanmax(table, axis=1) - np.nanmin(table, axis=1)))


def track_events(track: Track, channel: str) -> Array:
    """Times of pulses in a channel of a stream [s]."""
    return find_pulses(track.time, track.channel(channel))
