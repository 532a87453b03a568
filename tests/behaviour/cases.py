"""Streams whose truth is known."""

import numpy as np

from hitogata.behaviour import Channel, Samples, Stream, StreamKind


def device_samples(seconds, rate, *, drift=0.0, jitter=0.0, stamp_jitter=0.0, restarts=(), seed=0, least=2e-4):
    """True times, raw stamps and arrivals of a device that is (1 + drift) fast and hands samples on late."""
    rng = np.random.default_rng(seed)
    true = 1000.0 + np.arange(0, seconds, 1 / rate)
    raw = 5.0 + (true - 1000.0) * (1 + drift)
    for at, to in restarts:
        after = true > 1000.0 + at
        raw[after] = to + (true[after] - 1000.0 - at) * (1 + drift)
    raw = raw + stamp_jitter * rng.uniform(-1, 1, len(true))
    arrival = np.maximum.accumulate(true + least + jitter * rng.uniform(0, 1, len(true)))
    return true, raw, arrival


def stream(name="s", rate=100.0, channels=3, **more):
    return Stream(name, StreamKind.OTHER, rate, tuple(Channel(f"c{k}", "m") for k in range(channels)), **more)


def samples(n, channels=3, *, first=0, rate=100.0, numbered=False, seed=0):
    rng = np.random.default_rng(seed)
    raw = 7.0 + np.arange(first, first + n) / rate
    numbers = np.arange(first, first + n) if numbered else None
    return Samples(raw, raw + 3.0, rng.normal(size=(n, channels)).astype("<f4"), raw + 3.0, numbers)
