import numpy as np
import pytest

from hitogata.behaviour import ClockSource, LiveClock, fit_clock, steady
from hitogata.behaviour.clock import lower_line, restarts
from hitogata.errors import ArgumentError
from tests.behaviour.cases import device_samples


def test_lower_line_is_the_linear_programme():
    from scipy.optimize import linprog

    rng = np.random.default_rng(1)
    for _ in range(20):
        x = np.sort(rng.uniform(0, 100, 40))
        y = 0.3 + 1e-4 * x + rng.exponential(0.01, 40)
        best = linprog([-40.0, -(x - x[0]).sum()], A_ub=np.c_[np.ones(40), x - x[0]], b_ub=y, bounds=[(None, None)] * 2)
        at, slope = lower_line(x, y)
        assert (y - at - slope * (x - x[0])).min() > -1e-12
        assert -(40 * at + slope * (x - x[0]).sum()) == pytest.approx(best.fun, abs=1e-9)


@pytest.mark.parametrize(("rate", "drift"), [(250, 1e-4), (60, -1e-4), (1000, 2e-4)])
def test_drift_and_offset_under_jitter(rate, drift):
    true, raw, arrival = device_samples(400, rate, drift=drift, jitter=5e-3)
    found = fit_clock(raw, arrival)
    assert found.source is ClockSource.ARRIVALS
    assert found.segments[0].drift == pytest.approx(-drift, abs=3e-6)
    error = found.local(raw) - true - 2e-4
    assert np.abs(error).max() < 1e-3


def test_clocks_that_are_set_begin_new_segments():
    true, raw, arrival = device_samples(300, 100, drift=1e-4, jitter=5e-3, restarts=((100, 0.0), (200, 1e4)))
    found = fit_clock(raw, arrival)
    assert len(found.segments) == 3
    assert np.abs(found.local(raw) - true).max() < 1e-3


@pytest.mark.parametrize("step", [-0.3, 0.3, -40.0])
def test_small_settings_of_a_clock_are_seen(step):
    _, raw, arrival = device_samples(60, 100, jitter=5e-3)
    raw[3000:] += step
    assert restarts(raw, arrival) == [0, 3000]


def test_delays_and_absences_are_no_restarts():
    _, raw, arrival = device_samples(60, 100, drift=1e-4, jitter=5e-3)
    held = arrival.copy()
    late = (arrival > 1020) & (arrival < 1023)  # three seconds come at once
    held[late] = 1023 + 1e-4 * np.arange(late.sum())
    assert restarts(raw, held) == [0]
    here = (arrival < 1030) | (arrival > 1035)
    assert restarts(raw[here], arrival[here]) == [0]


def test_drift_that_changes_is_followed():
    t = np.arange(0, 3600, 0.02)
    raw = t + 20e-6 * 3600 / (2 * np.pi) * np.sin(2 * np.pi * t / 3600)  # ± 20 ppm within the hour
    arrival = t + 1e-4 + np.random.default_rng(0).uniform(0, 5e-3, len(t))
    error = fit_clock(raw, arrival).local(raw) - t
    assert np.ptp(error) < 2e-3
    assert np.ptp(raw - t) > 0.02


def test_stamps_of_lsl_take_its_round_trips():
    t = np.arange(0, 120, 0.01)
    raw = t - 4321.0
    arrival = t + 3e-3 + np.random.default_rng(0).uniform(0, 5e-3, len(t))
    trips = np.c_[np.arange(0, 120, 5.0), np.full(24, 4321.0)]
    found = fit_clock(raw, arrival, round_trips=trips)
    assert found.source is ClockSource.ROUND_TRIPS
    assert np.abs(found.local(raw) - t).max() < 1e-9  # the least delay of 3 ms is not taken for an offset
    drifting = fit_clock(raw * (1 + 1e-4), arrival, round_trips=trips)
    assert drifting.source is ClockSource.ARRIVALS


def test_jitter_of_stamps_is_taken_away_but_gaps_stay():
    true, raw, _ = device_samples(100, 120, stamp_jitter=5e-3)
    keep = (true < 1040) | (true > 1043)
    even = steady(raw[keep], 120.0)
    assert np.abs(even - (true[keep] - 995.0)).max() < 1e-3
    assert np.diff(even).max() == pytest.approx(3.0, abs=0.02)
    numbers = np.flatnonzero(np.random.default_rng(2).random(len(true)) > 0.1)  # lost ones do not shift the others
    assert np.abs(steady(raw[numbers], 120.0, numbers) - (true[numbers] - 995.0)).max() < 1e-3
    assert (steady(raw, 0.0) == raw).all()


def test_live_clock_follows():
    true, raw, arrival = device_samples(200, 100, drift=1e-4, jitter=5e-3, restarts=((100, 0.0),))
    live = LiveClock()
    found = np.concatenate([live.local(raw[i : i + 5], arrival[i : i + 5]) for i in range(0, len(raw), 5)])
    assert live.begun == 1
    settled = np.r_[2000:10000, 12000:20000]
    assert np.abs(found - true)[settled].max() < 2e-3


def test_eight_hours_stay_small():
    live, rng = LiveClock(), np.random.default_rng(0)
    worst = 0.0
    for k in range(0, 8 * 3600, 4):
        raw = np.array([k * 1.0001])
        local = live.local(raw, np.array([k + 2e-4 + rng.uniform(0, 1e-3)]))
        worst = max(worst, abs(float(local[0]) - k)) if k > 60 else worst
    assert worst < 2e-3
    assert len(live._x) <= 302


def test_bad_input():
    with pytest.raises(ArgumentError, match="one of each"):
        fit_clock(np.zeros(3), np.zeros(4))
    nothing = fit_clock(np.full(3, np.nan), np.arange(3.0))
    assert nothing.source is ClockSource.NOTHING


def test_a_delay_that_lasts_to_the_end_is_no_restart():
    rng, k = np.random.default_rng(3), np.arange(600)
    true = 10.0 + k / 120.0
    arrival = true + 2e-4 + rng.uniform(0.0, 5e-3, len(k))
    arrival[180:] = np.maximum(true[180:] + 0.3, true[180] + 1.6)  # it stalls, and is late to the end, 3.5 s
    found = fit_clock(5.0 + k / 120.0, np.maximum.accumulate(arrival))
    assert len(found.segments) == 1
    np.testing.assert_allclose(np.diff(found.local(5.0 + k / 120.0)), 1 / 120.0, atol=1e-5)


def test_what_is_late_at_first_is_no_restart():
    rng, k = np.random.default_rng(4), np.arange(360)
    raw, true = 5.0 + k / 120.0, 10.0 + k / 120.0
    arrival = np.maximum.accumulate(true + 2e-4 + rng.uniform(0.0, 5e-3, len(k)))
    arrival[:12] = true[11] + 0.15  # stamped late: the receiver had to wait for the processor
    assert len(fit_clock(raw, arrival).segments) == 1
    live = LiveClock()
    found = np.concatenate([live.local(raw[i : i + 12], arrival[i : i + 12]) for i in range(0, len(k), 12)])
    assert live.begun == 0
    np.testing.assert_allclose(found[120:], true[120:], atol=6e-3)
