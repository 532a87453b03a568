"""C3D files, made byte by byte, and what is read of them."""

import warnings

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FileContentWarning
from hitogata.files import Axes, LengthUnit, read_c3d
from tests.files.c3d_cases import DEC, INTEL, MIPS, body, c3d_bytes, texts


def read(path, data, **options):
    """Read without a warning."""
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_c3d(path, **options)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "walk.c3d"


@pytest.mark.parametrize("processor", [INTEL, DEC, MIPS])
@pytest.mark.parametrize("scale", [-0.1, 0.1])
def test_points_and_analog_of_every_processor(file, processor, scale):
    places = body()
    numbers = np.rint(places * 1000 / 0.1) if scale > 0 else places * 1000
    analog = np.arange(20 * 4 * 3).reshape(-1, 3) - 100.0
    data = c3d_bytes(numbers, np.full((20, 6), 5 * 256 + 7), analog, samples=4, scale=scale, processor=processor,
                     units=["V", "N", "Nmm"], first=11)  # fmt: skip
    c3d = read(file, data)
    assert c3d.markers.labels == tuple(f"M{k}" for k in range(6))
    np.testing.assert_allclose(c3d.markers.positions, places, atol=5.1e-5 if scale > 0 else 1.3e-7)
    np.testing.assert_allclose(c3d.markers.residuals, 0.0007, rtol=1e-6)  # the low byte; the high byte is of cameras
    assert (c3d.markers.rate, c3d.analog.rate, c3d.samples) == (100, 400, 4)
    np.testing.assert_allclose(c3d.markers.time, 0.1 + np.arange(20) / 100)
    np.testing.assert_allclose(c3d.analog.time, 0.1 + np.arange(80) / 400)
    np.testing.assert_array_equal(c3d.analog.values, analog)
    assert c3d.analog.units == ("V", "N", "Nmm")
    assert c3d.markers.unit is LengthUnit.MILLIMETRE
    assert not c3d.warnings


def test_gaps_are_gaps(file):
    places, marks = body() * 1000, np.zeros((20, 6))
    marks[3, 1], marks[4:9, 2] = -1, -300
    places[3, 1] = 777
    c3d = read(file, c3d_bytes(places, marks))
    np.testing.assert_array_equal(c3d.markers.seen, marks >= 0)
    assert np.isnan(c3d.markers.positions[3, 1]).all()
    assert np.isnan(c3d.markers.residuals[marks < 0]).all()
    assert (c3d.markers.residuals[marks >= 0] == 0).all()


def test_numbers_that_are_not_finite_are_gaps_and_told(file):
    places, marks = body() * 1000, np.zeros((20, 6))
    places[3, 1, 2], places[4, 2, 0], marks[5, 0] = np.inf, np.nan, np.nan
    file.write_bytes(c3d_bytes(places, marks))
    with pytest.warns(
        FileContentWarning, match="1 points have no valid residual.*frame 5, number 1.*2 points are not fin"
    ):
        c3d = read_c3d(file)
    assert (~c3d.markers.seen).sum() == 3


def test_analog_is_scaled(file):
    raw = np.arange(40.0).reshape(20, 2)
    scaling = {"SCALE": (4, (2,), [2.0, 0.5]), "OFFSET": (2, (2,), [3, -4]), "GEN_SCALE": (4, (), [10.0])}
    c3d = read(file, c3d_bytes(body() * 1000, np.zeros((20, 6)), raw, changes={"ANALOG": scaling}))
    np.testing.assert_allclose(c3d.analog.values, (raw - [3, -4]) * [20, 5])
    np.testing.assert_allclose(c3d.analog.channel("A1"), (raw[:, 1] + 4) * 5)
    with pytest.raises(ArgumentError, match="no channel 'EMG'; there are: A0, A1"):
        c3d.analog.channel("EMG")


def test_unsigned_analog(file):
    raw = np.array([[0, 32768, 65535]] * 20)
    changes = {"ANALOG": {"FORMAT": (-1, (8,), ["UNSIGNED"]), "OFFSET": (2, (3,), [32768] * 3)}}
    c3d = read(file, c3d_bytes(body() * 1000, np.zeros((20, 6)), raw, scale=0.1, changes=changes))
    np.testing.assert_array_equal(c3d.analog.values[0], [-32768, 0, 32767])


def test_points_without_labels_and_labels_that_stand_twice(file):
    changes = {"POINT": {"LABELS": texts(["A", "", "B", "A"])}}
    file.write_bytes(c3d_bytes(body() * 1000, np.zeros((20, 6)), changes=changes))
    with pytest.warns(FileContentWarning, match="a second point 'A' is called 'A_2'"):
        c3d = read_c3d(file)
    assert c3d.markers.labels == ("A", "*2", "B", "A_2", "*5", "*6")
    np.testing.assert_array_equal(c3d.markers.labelled, [True, False, True, True, False, False])


def test_more_than_255_points(file):
    nm = 300
    labels = [f"L{k}" for k in range(nm)]
    changes = {"POINT": {"LABELS": texts(labels[:255]), "LABELS2": texts(labels[255:])}}
    data = c3d_bytes(body(3, nm) * 1000, np.zeros((3, nm)), changes=changes)
    assert read(file, data).markers.labels == tuple(labels)


def test_more_than_65535_frames(file):
    nt = 70000
    places = np.tile(body(1, 5) * 1000, (nt, 1, 1))
    ends = {"ACTUAL_START_FIELD": (2, (2,), [1, 0]), "ACTUAL_END_FIELD": (2, (2,), [nt % 65536, nt // 65536])}
    for changes in ({"TRIAL": ends}, {"POINT": {"LONG_FRAMES": (4, (), [nt])}}):
        assert read(file, c3d_bytes(places, np.zeros((nt, 5)), changes=changes)).markers.nframes == nt


def test_events(file):
    group = {
        "USED": (2, (), [2]), "TIMES": (4, (2, 2), [1, 2.5, 0, 0.25]), "LABELS": texts(["Strike", "Off"]),
        "CONTEXTS": texts(["Left", "Right"]), "SUBJECTS": texts(["Anna"]),
    }  # fmt: skip
    data = c3d_bytes(body() * 1000, np.zeros((20, 6)), changes={"EVENT": group}, header_events=[(9.0, "X")])
    off, strike = read(file, data).events
    assert (off.label, off.context, off.subject, off.time) == ("Off", "Right", "", 0.25)
    assert (strike.label, strike.context, strike.subject, strike.time) == ("Strike", "Left", "Anna", 62.5)


@pytest.mark.parametrize("processor", [INTEL, DEC, MIPS])
def test_events_of_the_header(file, processor):
    events = [(1.5, "LTO"), (0.5, "RHS")]
    data = c3d_bytes(body() * 1000, np.zeros((20, 6)), header_events=events, processor=processor)
    assert [(event.label, event.time) for event in read(file, data).events] == [("RHS", 0.5), ("LTO", 1.5)]


@pytest.mark.parametrize(("unit", "per_metre"), [("m", 1), ("cm", 100), ("Millimeters", 1000), ("in", 1 / 0.0254)])
def test_units(file, unit, per_metre):
    c3d = read(file, c3d_bytes(body() * per_metre, np.zeros((20, 6)), unit=unit))
    np.testing.assert_allclose(c3d.markers.positions, body(), atol=2e-7)


def test_metres_for_millimetres_are_told(file):
    for unit, per_metre, found in (("mm", 1, "look like m;"), ("m", 1000, "look like mm;"), ("mm", 1e5, "is the unit")):
        file.write_bytes(c3d_bytes(body() * per_metre, np.zeros((20, 6)), unit=unit))
        with pytest.warns(FileContentWarning, match=f"{found}.*unit="):
            c3d = read_c3d(file)
        assert len(c3d.warnings) == 1
    right = read(file, c3d_bytes(body(), np.zeros((20, 6)), unit="mm"), unit=LengthUnit.METRE)
    np.testing.assert_allclose(right.markers.positions, body(), atol=2e-7)


def test_an_unknown_unit_is_told(file):
    file.write_bytes(c3d_bytes(body() * 1000, np.zeros((20, 6)), unit="ell"))
    with pytest.warns(FileContentWarning, match="POINT:UNITS 'ell'.*mm is taken"):
        read_c3d(file)


def test_axes(file):
    places = body() * 1000
    screen = {"X_SCREEN": (-1, (2,), ["+X"]), "Y_SCREEN": (-1, (2,), ["+Y"])}
    data = c3d_bytes(places[..., [0, 2, 1]] * (1, 1, -1), np.zeros((20, 6)), changes={"POINT": screen})  # y up, z right
    file.write_bytes(data)
    with pytest.warns(FileContentWarning, match=r"\+Y is up"):
        kept = read_c3d(file)
    np.testing.assert_allclose(kept.markers.positions[..., 1], body()[..., 2], atol=2e-7)
    for axes in (Axes.FROM_FILE, Axes.Y_UP_X_FORWARD):
        np.testing.assert_allclose(read(file, data, axes=axes).markers.positions, body(), atol=2e-7)
    cyclic = read(file, data, axes=Axes.Y_UP_Z_FORWARD).markers.positions
    np.testing.assert_allclose(cyclic, body()[..., [1, 0, 2]] * (-1, 1, 1), atol=2e-7)
    for axes in set(Axes) - {Axes.FROM_FILE}:
        assert np.linalg.det(axes.matrix) == pytest.approx(1)


def test_header_and_parameters_that_disagree(file):
    """The one that fits into the file is taken."""
    for changes in ({"USED": (2, (), [600])}, {"FRAMES": (2, (), [9000])}, {"RATE": (4, (), [50.0])}):
        file.write_bytes(c3d_bytes(body() * 1000, np.zeros((20, 6)), changes={"POINT": changes}))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            c3d = read_c3d(file)
        assert c3d.markers.positions.shape == (20, 6, 3)
        assert len(told) == ("FRAMES" not in changes)


def test_a_file_without_anything(file):
    c3d = read(file, c3d_bytes(np.zeros((0, 0, 3)), np.zeros((0, 0))))
    assert (c3d.markers.nframes, c3d.markers.labels, c3d.analog.labels) == (0, (), ())


def test_only_analog(file):
    c3d = read(file, c3d_bytes(np.zeros((20, 0, 3)), np.zeros((20, 0)), np.ones((100, 2)), samples=5))
    assert c3d.analog.values.shape == (100, 2)
    assert c3d.markers.positions.shape == (20, 0, 3)


def test_bad_options(file):
    with pytest.raises(ArgumentError, match="axes"):
        read_c3d(file, axes="y")
    with pytest.raises(ArgumentError, match="unit"):
        read_c3d(file, unit="mm")
