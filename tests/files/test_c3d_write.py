"""C3D files written, and read again."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.files import C3d, LengthUnit, MarkerData, read_c3d, write_c3d
from hitogata.files.c3d import AnalogData, Event, Parameter, ParameterType
from tests.files.c3d_cases import body


def read(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_c3d(path)


def recording(nt: int = 20, samples: int = 4, first: int = 5) -> C3d:
    rng = np.random.default_rng(3)
    places = body(nt)
    places[3, 1], places[5:9, 2] = np.nan, np.nan
    residuals = np.where(np.isnan(places[..., 0]), np.nan, rng.integers(0, 256, places.shape[:2]) * 1e-4)
    time = (np.arange(nt) + first) / 100
    labels = ("LASI", "RASI", "*3", "Knie links äöü", "*5", "HEAD")
    markers = MarkerData(labels, time, 100, places, residuals)
    analog = AnalogData(("EMG 1", "EMG 2"), ("V", "mV"), 100 * samples, np.arange(nt * samples) / (100 * samples)
                        + time[0], rng.normal(size=(nt * samples, 2)))  # fmt: skip
    events = (Event("Foot Strike", 0.1, "Left", "Anna", "the heel"), Event("Foot Off", 75.5, "Right"))
    made = {"MANUFACTURER": {"COMPANY": Parameter("COMPANY", ParameterType.TEXT, (4,), ("Wir.",))},
            "POINT": {"SCALE": Parameter("SCALE", ParameterType.REAL, (), np.array([-0.1])),
                      "LABELS2": Parameter("LABELS2", ParameterType.TEXT, (3, 1), ("old",))}}  # fmt: skip
    return C3d(markers, analog, events, (), made)


@pytest.mark.parametrize("unit", [None, LengthUnit.METRE, LengthUnit.INCH])
def test_everything_comes_back(tmp_path, unit):
    c3d = recording()
    write_c3d(c3d, tmp_path / "a.c3d", unit=unit)
    again = read(tmp_path / "a.c3d")
    assert again.markers.labels == c3d.markers.labels
    assert again.markers.unit is (unit or LengthUnit.MILLIMETRE)
    np.testing.assert_allclose(again.markers.positions, c3d.markers.positions, rtol=1.2e-7)
    np.testing.assert_array_equal(again.markers.seen, c3d.markers.seen)
    np.testing.assert_allclose(again.markers.residuals, c3d.markers.residuals, atol=1e-9)
    np.testing.assert_allclose(again.markers.time, c3d.markers.time)
    np.testing.assert_allclose(again.analog.time, c3d.analog.time)
    np.testing.assert_allclose(again.analog.values, c3d.analog.values, rtol=1.2e-7)
    assert (again.analog.labels, again.analog.units) == (c3d.analog.labels, c3d.analog.units)
    for event, want in zip(again.events, c3d.events, strict=True):
        assert event.time == pytest.approx(want.time, rel=1e-7)
        assert replace(event, time=want.time) == want
    assert again.parameters["MANUFACTURER"]["COMPANY"].values == ("Wir.",)
    assert "LABELS2" not in again.parameters["POINT"]


def test_a_second_time_bit_for_bit(tmp_path):
    write_c3d(recording(), tmp_path / "a.c3d")
    write_c3d(read(tmp_path / "a.c3d"), tmp_path / "b.c3d")
    assert (tmp_path / "a.c3d").read_bytes() == (tmp_path / "b.c3d").read_bytes()


def test_whole_numbers(tmp_path):
    c3d = recording()
    write_c3d(c3d, tmp_path / "whole.c3d", integers=True)
    write_c3d(c3d, tmp_path / "real.c3d")
    again = read(tmp_path / "whole.c3d")
    largest = np.nanmax(np.abs(c3d.markers.positions))
    np.testing.assert_allclose(again.markers.positions, c3d.markers.positions, atol=0.51 * max(largest / 32000, 1e-4))
    np.testing.assert_array_equal(again.markers.seen, c3d.markers.seen)
    np.testing.assert_allclose(again.analog.values, c3d.analog.values, atol=np.abs(c3d.analog.values).max() / 60000)
    assert (tmp_path / "whole.c3d").stat().st_size < (tmp_path / "real.c3d").stat().st_size
    gap = replace(c3d.analog, values=np.full_like(c3d.analog.values, np.nan))
    with pytest.raises(ArgumentError, match="NaN"):
        write_c3d(replace(c3d, analog=gap), tmp_path / "never.c3d", integers=True)
    assert not (tmp_path / "never.c3d").exists()


def test_markers_alone(tmp_path):
    markers = MarkerData(("A", "B"), np.arange(3) / 50, 50, np.ones((3, 2, 3)), unit=LengthUnit.METRE)
    write_c3d(markers, tmp_path / "a.c3d")
    again = read(tmp_path / "a.c3d")
    np.testing.assert_array_equal(again.markers.positions, 1)
    assert (again.analog.labels, again.plates, again.events) == ((), (), ())


def test_many_labels_and_frames(tmp_path):
    labels = tuple(f"marker number {k}" for k in range(600))
    markers = MarkerData(labels, np.arange(2) / 50, 50, body(2, 600))
    write_c3d(markers, tmp_path / "a.c3d")
    assert read(tmp_path / "a.c3d").markers.labels == labels
    long = MarkerData(("A",), np.arange(70000) / 100, 100, np.zeros((70000, 1, 3)))
    write_c3d(long, tmp_path / "long.c3d", integers=True)
    assert read(tmp_path / "long.c3d").markers.nframes == 70000
    late = replace(long, time=long.time + 1000)
    write_c3d(late, tmp_path / "late.c3d", integers=True)
    np.testing.assert_allclose(read(tmp_path / "late.c3d").markers.time[[0, -1]], [1000, 1699.99])


def test_nothing(tmp_path):
    write_c3d(MarkerData((), np.empty(0), 100, np.empty((0, 0, 3))), tmp_path / "a.c3d")
    assert read(tmp_path / "a.c3d").markers.nframes == 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"time": np.array([0, 0.01, 0.05])}, "even times: frame 2 is at 0.05 s"),
        ({"time": np.arange(3) / 100 - 1}, "begins at time 0"),
        ({"labels": ("A" * 300, "B")}, "at most 255 letters"),
    ],
)
def test_what_the_format_cannot_hold(tmp_path, change, told):
    markers = MarkerData(("A", "B"), np.arange(3) / 100, 100, np.ones((3, 2, 3)))
    with pytest.raises(ArgumentError, match=told):
        write_c3d(replace(markers, **change), tmp_path / "a.c3d")
    assert not (tmp_path / "a.c3d").exists()


def test_bad_arguments(tmp_path):
    c3d = recording()
    with pytest.raises(ArgumentError, match="expected C3d or MarkerData"):
        write_c3d("markers", tmp_path / "a.c3d")
    with pytest.raises(ArgumentError, match="unit"):
        write_c3d(c3d, tmp_path / "a.c3d", unit="mm")
    with pytest.raises(ArgumentError, match="whole number for each of 20 frames"):
        replace(c3d, analog=AnalogData(("A",), ("V",), 100, np.zeros(7), np.zeros((7, 1))))
    with pytest.raises(ArgumentError, match="label of its own"):
        AnalogData(("A", "A"), ("", ""), 1, np.zeros(1), np.zeros((1, 2)))
    with pytest.raises(ArgumentError, match="shape"):
        AnalogData(("A",), ("",), 1, np.zeros(1), np.zeros((1, 2)))
