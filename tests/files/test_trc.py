"""TRC files: header variants, units, gaps, axes, and texts that are read again."""

import warnings

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FileContentWarning, FileFormatError
from hitogata.files import Axes, LengthUnit, MarkerData, read_trc, write_trc
from tests.files.c3d_cases import body

KEYS = "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
HEAD = "PathFileType\t4\t(X/Y/Z)\ta.trc\n" + KEYS + "100.0\t100.0\t3\t2\tmm\t100.0\t1\t3\n"
LABELS = "Frame#\tTime\tR.Heel\t\t\tL Toe\t\t\n"
XYZ = "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
ROWS = "1\t0.00\t1000\t2000\t3000\t-1\t-2\t-3\n2\t0.01\t\t\t\t4\t5\t6\n3\t0.02\t7\t8\t9\t\t\t\n"
PLACES = np.array([[[1, 2, 3], [-0.001, -0.002, -0.003]], [[np.nan] * 3, [0.004, 0.005, 0.006]],
                   [[0.007, 0.008, 0.009], [np.nan] * 3]])  # fmt: skip


def read(path, text, **options):
    """Read without a warning."""
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_trc(path, **options)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "markers.trc"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + LABELS + XYZ + "\n" + ROWS,
        HEAD + LABELS + XYZ + ROWS,
        HEAD + "Frame#\tTime\t\tR.Heel\t\tL Toe\n" + "\t" + XYZ + "\n" + ROWS,  # names that are not above their columns
        HEAD + LABELS + ROWS,
        (HEAD + LABELS + XYZ + "\n" + ROWS).replace("\n", "\r\n"),
        (HEAD + LABELS + XYZ + "\n" + ROWS).replace("\n", "\t\n"),
        HEAD + LABELS + XYZ + "\n" + ROWS.replace("7\t8\t9\t\t\t", "7\t8\t9"),  # the last gap is left out
        KEYS + HEAD.splitlines()[2] + "\n" + LABELS + XYZ + ROWS,
        HEAD + LABELS + XYZ + "\n" + ROWS.replace("\t\t\t\t", "\tnan\tNaN\tnan\t"),
        HEAD.replace("100.0\t100.0", "  100.0\t 100.00") + LABELS + XYZ + "\n" + ROWS.replace("\t1000", "\t  1000.0"),
    ],
)
def test_variants(file, text):
    markers = read(file, text)
    assert markers.labels == ("R.Heel", "L Toe")
    assert (markers.rate, markers.unit, markers.residuals) == (100, LengthUnit.MILLIMETRE, None)
    np.testing.assert_array_equal(markers.time, [0, 0.01, 0.02])
    np.testing.assert_allclose(markers.positions, PLACES, rtol=1e-15)
    np.testing.assert_array_equal(markers.seen, [[True, True], [False, True], [True, False]])
    np.testing.assert_allclose(markers.marker("L Toe")[1], [0.004, 0.005, 0.006])


def test_blanks_between_numbers(file):
    rows = "1 0.00 1 2 3 4 5 6\n2 0.01 1 2 3 4 5 6\n3 0.02 1 2 3 4 5 6\n"
    text = (HEAD + LABELS.replace("L Toe", "LToe") + XYZ + "\n").replace("\t", " ") + rows
    np.testing.assert_allclose(read(file, text).positions[0], [[0.001, 0.002, 0.003], [0.004, 0.005, 0.006]])


@pytest.mark.parametrize(
    ("name", "unit"),
    [("m", "METRE"), ("Meters", "METRE"), ("cm", "CENTIMETRE"), ("millimeter", "MILLIMETRE"), ("inches", "INCH")],
)
def test_names_of_units(file, name, unit):
    markers = MarkerData(tuple("ABCDEF"), np.arange(20) / 50, 50, body())
    text = write_trc(markers, unit=LengthUnit[unit]).replace(f"\t{LengthUnit[unit].value}\t", f"\t{name}\t")
    np.testing.assert_allclose(read(file, text).positions, body(), rtol=3e-16)


def test_written_and_read_again(file):
    places = body(50, 6)
    places[3:9, 2], places[7, 0] = np.nan, np.nan
    markers = MarkerData(("R.ASIS", "b c", "*3", "ä", "e", "f"), np.arange(50) / 60 + 3.38, 60, places)
    for unit in LengthUnit:
        text = write_trc(markers, file, unit=unit)
        assert file.read_text(encoding="utf-8") == text
        again = read(file, text)
        assert (again.labels, again.rate, again.unit) == (markers.labels, 60, unit)
        np.testing.assert_array_equal(again.time, markers.time)
        np.testing.assert_array_equal(again.seen, markers.seen)
        np.testing.assert_allclose(again.positions, places, rtol=0 if unit is LengthUnit.METRE else 3e-16)
    for axes in set(Axes) - {Axes.FROM_FILE}:
        again = read(file, write_trc(markers, unit=LengthUnit.METRE, axes=axes), axes=axes)
        np.testing.assert_array_equal(again.positions, places)


def test_axes(file):
    places = body()
    text = write_trc(MarkerData(tuple("ABCDEF"), np.arange(20) / 50, 50, places), unit=LengthUnit.METRE)
    x, y, z = np.moveaxis(places, 2, 0)
    for axes, ours in ((Axes.KEEP, (x, y, z)), (Axes.Y_UP_X_FORWARD, (x, -z, y)), (Axes.Y_UP_Z_FORWARD, (z, x, y)),
                       (Axes.X_UP, (y, z, x))):  # fmt: skip
        np.testing.assert_array_equal(read(file, text, axes=axes).positions, np.stack(ours, 2))
    for axes in (Axes.FROM_FILE, "y"):
        with pytest.raises(ArgumentError, match="axes"):
            read_trc(file, axes=axes)
        with pytest.raises(ArgumentError, match="axes"):
            write_trc(read_trc(file), axes=axes)


GOOD = HEAD + LABELS + XYZ + "\n" + ROWS


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD.replace("\t3\t2\tmm", "\t9\t2\tmm"), "9 frames are announced, but there are 3"),
        (GOOD.replace("\t3\t2\tmm", "\t3\t7\tmm"), "7 markers are announced, but 2 have labels"),
        (GOOD.replace("4\t5\t6", "4\t\t6"), "1 markers have only some of x, y, z.*first 'L Toe' in line 8"),
        (GOOD.replace("4\t5\t6", "0\t0\t0.0"), "1 places are 0, 0, 0, first of 'L Toe' in line 8.*zeros_are_gaps"),
        (GOOD.replace("L Toe", "R.Heel"), "a second marker 'R.Heel' is called 'R.Heel_2'"),
        (GOOD.replace("0.02", "0.01"), "time stands still"),
        (GOOD.replace("100.0\t100.0", "30\t30"), "DataRate is 30 Hz, but times go on by 0.01 s"),
    ],
)
def test_odd_files_are_read_and_told(file, text, told):
    file.write_text(text)
    with pytest.warns(FileContentWarning, match=told):
        assert read_trc(file).nframes == 3


def test_zeros_that_are_gaps(file):
    markers = read(file, GOOD.replace("4\t5\t6", "0\t0\t0.0"), zeros_are_gaps=True)
    assert np.isnan(markers.positions[1]).all()


def test_metres_for_millimetres_are_told(file):
    markers = MarkerData(tuple("ABCDEF"), np.arange(20) / 50, 50, body())
    text = write_trc(markers, unit=LengthUnit.METRE)
    file.write_text(text.replace("\tm\t", "\tmm\t"))
    with pytest.warns(FileContentWarning, match="0.0017.* m apart.*says 'mm', but its numbers look like m;.*unit="):
        read_trc(file)
    file.write_text(write_trc(markers, unit=LengthUnit.MILLIMETRE).replace("\tmm\t", "\tm\t"))
    with pytest.warns(FileContentWarning, match="says 'm', but its numbers look like mm;"):
        wrong = read_trc(file)
    assert len(wrong.warnings) == 1
    read(file, file.read_text(), unit=LengthUnit.MILLIMETRE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ":1: not a TRC file"),
        ("hello\n", "not a TRC file: no line with DataRate; it begins with 'hello'"),
        (KEYS, ":2: DataRate"),
        (GOOD.replace("100.0\t100.0", "fast\t100"), ":3: DataRate: a number is expected, got 'fast'"),
        (GOOD.replace("100.0\t100.0", "0\t100"), ":3: DataRate must be above zero"),
        (GOOD.replace("\tmm\t", "\tell\t"), ":3: Units 'ell' are not known; say them with unit="),
        (HEAD, "the line 'Frame#, Time"),
        (HEAD + "Frame#\n", ":4: 'Frame#' and 'Time' are expected"),
        (GOOD.replace("\t5\t", "\tfive\t"), ":8: column 7: a number is expected, got 'five'"),
        (GOOD.replace("4\t5\t6", "4\t5\t6\t7"), ":8: a row of 8 numbers is expected, got 9"),
        (GOOD.replace("0.01", "nan"), ":8: the time is not a number"),
        (GOOD.replace("0.01", ""), ":8: the time is not a number"),
    ],
)
def test_bad_files(file, text, told):
    file.write_text(text)
    with pytest.raises(FileFormatError, match=f"markers.trc.*{told}"):
        read_trc(file)


def test_rows_that_are_mostly_missing_do_not_fill_the_memory(file):
    labels = "\t\t\t".join(f"m{k}" for k in range(20000))
    file.write_text(HEAD + f"Frame#\tTime\t{labels}\n" + "1\t0.0\t\n" * 5000)
    with pytest.raises(FileFormatError, match="60002 columns are announced"):
        read_trc(file)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"labels": ("a", "a")}, "duplicate label 'a'"),
        ({"labels": ("a", " b")}, "without outer spaces"),
        ({"labels": ("a",)}, r"shape \(3, 1, 3\)"),
        ({"rate": 0}, "rate"),
        ({"time": (0, 1, np.nan)}, "time of frame 2"),
        ({"positions": np.full((3, 2, 3), np.inf)}, "frame 0, marker 'a' is infinite"),
        ({"residuals": np.zeros((3, 1))}, r"residuals must have shape \(3, 2\)"),
        ({"unit": "mm"}, "LengthUnit"),
    ],
)
def test_bad_markers(change, told):
    good = {"labels": ("a", "b"), "time": (0, 1, 2), "rate": 1, "positions": np.zeros((3, 2, 3))}
    markers = MarkerData(**good)
    assert "2 markers, 3 frames" in str(markers)
    assert not markers.positions.flags.writeable
    with pytest.raises(ArgumentError, match="no 'c'; there are: a, b"):
        markers.marker("c")
    with pytest.raises(ArgumentError, match=told):
        MarkerData(**{**good, **change})
