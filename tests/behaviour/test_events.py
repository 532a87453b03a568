"""Events that all devices see: found between samples, and each run of a device's clock put right by them."""

import numpy as np
import pytest

from hitogata.behaviour import (
    Channel,
    Samples,
    Stream,
    StreamKind,
    align_events,
    find_pulses,
    greatest_difference,
    open_recording,
    write_recording,
)
from hitogata.behaviour.recording import recording_of
from hitogata.behaviour.sources import PULSE, pulse

EVENTS = tuple(np.arange(2.0, 58.0, 2.0))


def device(rate, drift, runs):
    """Samples of a device: runs of its clock as (begin, end, first stamp, delay), each sample with a pulse's height."""
    raw, arrival, values, true = [], [], [], []
    for begin, end, start, delay in runs:
        t = np.arange(begin, end, 1 / rate)
        true.append(t)
        raw.append(start + (t - begin) * (1 + drift))
        arrival.append(t + delay)
        values.append(pulse(t, EVENTS))
    stamps, came, seen, when = (np.concatenate(x) for x in (raw, arrival, values, true))
    return Samples(stamps, came, seen[:, None].astype("<f4")), when


def stream(name, rate):
    return Stream(name, StreamKind.OTHER, rate, (Channel("sync", "1"),))


def test_each_run_is_put_right_and_the_file_keeps_it(tmp_path):
    parts = {
        "steady": (500.0, 1e-4, [(0.0, 60.0, 3.0, 0.001)]),
        "again": (100.0, -1e-4, [(0.0, 25.0, 7.0, 0.004), (26.1, 60.0, 7.0, 0.030)]),
        "other": (60.0, 5e-5, [(0.0, 60.0, 90.0, 0.012)]),
    }
    made = {f"/{n}": (stream(n, p[0]), *device(*p)) for n, p in parts.items()}
    found = recording_of({t: (s, samples, []) for t, (s, samples, _) in made.items()}, [], [], "r")
    aligned, left = align_events(found, dict.fromkeys(parts, "sync"))
    assert greatest_difference(left) < 2e-4
    off = {t: aligned.track(t).local - when for t, (_, _, when) in made.items()}
    middle = np.median(np.concatenate(list(off.values())))
    for each in off.values():
        np.testing.assert_allclose(each, middle, atol=3e-4)
    assert len(aligned.track("again").corrections) == 2
    path = str(tmp_path / "r.mcap")
    write_recording(aligned, path)
    again = open_recording(path)
    for name in parts:
        np.testing.assert_array_equal(again.track(name).time, aligned.track(name).time)
        np.testing.assert_array_equal(again.track(name).samples.raw, found.track(name).samples.raw)


def test_a_drift_that_arrivals_hide_is_found_from_events():
    hidden = 40e-6  # delays that grow look like a clock that is slow
    samples, when = device(200.0, 0.0, [(0.0, 60.0, 5.0, 0.0)])
    grown = Samples(samples.raw, samples.arrival + hidden * when, samples.values)
    parts = {f"/{k}": (stream(str(k), 200.0), s, []) for k, s in enumerate((samples, samples, grown))}
    found = recording_of(parts, [], [], "r")
    aligned, left = align_events(found, dict.fromkeys("012", "sync"))
    assert greatest_difference(left) < 1e-6
    assert aligned.track("2").corrections[0].slope == pytest.approx(hidden, rel=1e-3)


def test_pulses_with_short_holes_are_told_and_cut_ones_are_not():
    t = np.arange(0.0, 6.0, 1e-3)
    seen = pulse(t, (1.0, 3.0, 5.0))
    small = (t > 0.93) & (t < 0.95)  # a lost datagram
    large = (t > 2.9) & (t < 2.97)
    tail = (t > 5.1) & (t < 5.9)  # the device goes away
    keep = ~(small | large | tail)
    (found,) = find_pulses(t[keep], seen[keep])
    assert found == pytest.approx(1.0, abs=0.003 * PULSE)
