"""Storage tables (.mot, .sto): header variants, odd times, and texts that are read again bit for bit."""

import copy
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FileContentWarning, FileFormatError
from hitogata.files import StorageTable, read_storage, write_storage
from hitogata.files.storage import StorageType

ROWS = "time\thip\tknee\n0\t1.5\t-2\n0.1\t1e-3\tnan\n0.2\t.5\t7\n"
VALUES = [[1.5, -2], [1e-3, np.nan], [0.5, 7]]

HEADS = {
    "version 1": ("Coordinates\nversion=1\nnRows=3\nnColumns=3\ninDegrees=yes\nendheader\n", True, "Coordinates"),
    "in radians": ("Coordinates\nversion=1\nnRows=3\nnColumns=3\ninDegrees=no\n\nendheader\n", False, "Coordinates"),
    "version 3": ("inDegrees=no\nDataType=double\nversion=3\nOpenSimVersion=4.4\nendheader\n", False, "table"),
    "SIMM": ("# SIMM\nname walk\ndatacolumns 3\ndatarows 3\notherdata 1\nrange 0 0.2\nendheader\n\n", None, "walk"),
    "in words": ("walk\nnRows=3\nnColumns=3\nUnits are S.I. units\nAngles are in degrees.\nendheader\n", True, "walk"),
    "with tabs": ("walk\t\t\nversion=1\t\t\nnRows=3\t\t\nnColumns=3\t\t\nendheader\t\t\n", None, "walk"),
    "in other letters": ("walk\nVERSION = 2\nNROWS = 3\nInDegrees = Yes\nEndHeader\n", True, "walk"),
}


def read(path, text):
    """Read without a warning."""
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_storage(path)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "table.sto"


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("change", [str, lambda s: s.replace("\n", "\r\n"), lambda s: s.replace("\n", "\t\n")])
def test_headers(file, head, change):
    text, degrees, name = HEADS[head]
    table = read(file, change(text + ROWS))
    assert (table.name, table.columns, table.in_degrees) == (name, ("hip", "knee"), degrees)
    np.testing.assert_array_equal(table.time, [0, 0.1, 0.2])
    np.testing.assert_array_equal(table.values, VALUES)
    assert not table.values.flags.writeable
    assert not table.warnings


@pytest.mark.parametrize(
    ("name", "head", "degrees"),
    [
        ("a.mot", "name walk\n", True),
        ("a.mot", "walk\nversion=1\n", None),
        ("a.mot", "walk\ninDegrees=no\n", False),
        ("a.sto", "name walk\n", None),
        ("a.sto", "walk\nAngles are in radians.\n", False),
    ],
)
def test_old_motions_are_in_degrees(tmp_path, name, head, degrees):
    """As OpenSim takes them."""
    assert read(tmp_path / name, head + "endheader\n" + ROWS).in_degrees is degrees


def test_blanks_between_numbers(file):
    table = read(file, "a\nendheader\n" + ROWS.replace("\t", "   "))
    np.testing.assert_array_equal(table.values, VALUES)
    np.testing.assert_array_equal(table.column("knee"), [-2, np.nan, 7])
    with pytest.raises(ArgumentError, match="no column 'toe'; there are: hip, knee"):
        table.column("toe")


def test_names_with_blanks_and_padding(file):
    table = read(file, "a\nendheader\n     time\t  hip left\t knee \n  0.0 \t 1 \t  2  \n")
    assert table.columns == ("hip left", "knee")
    np.testing.assert_array_equal(table.values, [[1, 2]])


def test_other_numbers_that_are_none(file):
    table = read(file, "endheader\ntime a b c d e\n0 NaN -nan 1.#QNAN -1.#IND nan(ind)\n")
    assert np.isnan(table.values).all()
    np.testing.assert_array_equal(read(file, "endheader\ntime a\n0 1D-3\n").values, [[1e-3]])


def test_other_encodings(file):
    for data in (("\ufeff" + "a\nendheader\n" + ROWS).encode("utf-16"), b"\xef\xbb\xbfendheader\n" + ROWS.encode()):
        np.testing.assert_array_equal(read(file, data).values, VALUES)
    assert read(file, b"endheader\ntime\tFu\xdf\n0\t1\n").columns == ("Fuß",)
    np.testing.assert_array_equal(read(file, ("endheader\n" + ROWS).replace("\n", "\r")).values, VALUES)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("walk\nnRows=3\n" + ROWS, "line 3: the names of the columns come without 'endheader'"),
        ("nRows=5\nendheader\n" + ROWS, "line 1: 5 rows are announced, but there are 3"),
        ("a\nnColumns=7\nendheader\n" + ROWS, "line 2: 7 columns are announced, but 3 are named"),
        ("endheader\ntime a\n0 1\n1 1\n1 2\n2 1\n3 1\n", "time stands still at 1 places, first from 1 s in row 2"),
        ("endheader\ntime a\n0 1\n1 1\n.5 2\n2 1\n3 1\n", "time goes back at 1 places, first from 1 s in row 2"),
        (
            "endheader\ntime a\n0 1\n1 1\n2 1\n5 2\n6 1\n",
            "not even: 1 steps are not the usual 1 s, first 3 s behind 2 s",
        ),
        ("endheader\ntime a a a_2 a\n0 1 2 3 4\n", "a second column 'a' is called 'a_3'.*'a' is called 'a_4'"),
    ],
)
def test_odd_files_are_read_and_told(file, text, told):
    file.write_text(text)
    with pytest.warns(FileContentWarning, match=f"table.sto: .*{told}"):
        table = read_storage(file)
    assert len(table.warnings) >= 1
    assert len(table.time) == len(table.values) > 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "neither 'endheader' nor"),
        ("hello\nworld\n", "neither 'endheader' nor"),
        ("a\nendheader\n", ":3: the file ends where the names of the columns"),
        ("endheader\nhip knee\n1 2\n", ":2: the first column must be 'time', got 'hip'"),
        ("endheader\ntime\t\tknee\n1\t2\t3\n", ":2: column 2 has no name"),
        ("endheader\ntime a Time\n1 2 3\n", ":2: a second column is called 'time'"),
        ("endheader\ntime a\n1 2\n\n1 2 3\n", ":5: a row of 2 numbers is expected, got 3"),
        ("endheader\ntime a\n1 2\n1\n", ":4: a row of 2 numbers is expected, got 1"),
        ("endheader\ntime a\n1 two\n", ":3: column 2: a number is expected, got 'two'"),
        ("endheader\ntime a\n1 2,5\n", ":3: column 2: .* with a point"),
        ("endheader\ntime a\n1 1e999\n", ":3: column 2: a number is expected, got '1e999'"),
        ("endheader\ntime a\n1 inf\n", ":3: column 2: a number is expected, got 'inf'"),
        ("endheader\ntime a\n1 1_0\n", ":3: column 2"),
        ("endheader\ntime a\n1 2\nnan 3\n", ":4: the time is not a number"),
        ("nRows=many\nendheader\n" + ROWS, ":1: nRows: a whole number"),
        ("a\ninDegrees=perhaps\nendheader\n" + ROWS, ":2: inDegrees is yes or no"),
        ("a\nversion=new\nendheader\n" + ROWS, ":2: version"),
        ("DataType=Mat33\nendheader\n" + ROWS, ":1: DataType 'Mat33' is not known"),
        ("DataType=Vec3\nendheader\n" + ROWS, ":4: .*'hip': 3 numbers with commas"),
        ("DataType=Vec3\nendheader\ntime a\n0 1,2,3 4,5,6\n", ":4: a time and 1 cells are expected, got 2"),
    ],
)
def test_bad_files(file, text, told):
    file.write_text(text)
    with pytest.raises(FileFormatError, match=f"table.sto.*{told}"):
        read_storage(file)


def test_no_file(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        read_storage(tmp_path / "none.mot")
    (tmp_path / "zeros.mot").write_bytes(b"\0" * 100)
    with pytest.raises(FileFormatError, match="not a text file"):
        read_storage(tmp_path / "zeros.mot")


def random_table(kind=StorageType.DOUBLE, degrees=True) -> StorageTable:
    rng = np.random.default_rng(5)
    cell = () if kind is StorageType.DOUBLE else (kind.value,)
    values = rng.normal(size=(50, 4, *cell)) * 10.0 ** rng.integers(-300, 300, (50, 4, *cell))
    values[3, 1] = np.nan
    time = np.sort(rng.uniform(-1, 1, 50))
    meta = {"DataRate": "100.5", "Units": "a = b"}
    return StorageTable(("a", "b c", "d/e", "ä"), time, values, degrees, kind, "my table", meta, ("Hello there",))


@pytest.mark.parametrize("kind", StorageType)
@pytest.mark.parametrize("degrees", [True, False, None])
def test_written_and_read_again_bit_for_bit(file, kind, degrees):
    table = random_table(kind, degrees)
    text = write_storage(table, file)
    assert file.read_text(encoding="utf-8") == text
    with pytest.warns(FileContentWarning, match="not even"):
        again = read_storage(file)
    np.testing.assert_array_equal(again.time, table.time)
    np.testing.assert_array_equal(again.values, table.values)
    for what in ("columns", "in_degrees", "kind", "name", "metadata", "comments"):
        assert getattr(again, what) == getattr(table, what)
    assert write_storage(again) == text


def test_tables_are_copied():
    table = random_table()
    for again in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        np.testing.assert_array_equal(again.values, table.values)
        assert again.metadata == table.metadata
    assert "50 rows, 4 columns" in str(table)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"values": np.zeros((50, 3))}, r"shape \(50, 4\)"),
        ({"values": np.full((50, 4), np.inf)}, "row 0, column 'a' is infinite"),
        ({"time": np.full(50, np.nan)}, "time must be finite"),
        ({"columns": ("a", "a", "b", "c")}, "duplicate column 'a'"),
        ({"columns": ("a", "TIME", "b", "c")}, "second time column"),
        ({"columns": ("a", "x\ty", "b", "c")}, "without outer spaces, tabs"),
        ({"name": "two\nlines"}, "single lines"),
        ({"comments": ("endheader",)}, "single lines"),
        ({"metadata": {"nRows": "3"}}, "from the table itself"),
        ({"metadata": {"a=b": "3"}}, "no '='"),
        ({"metadata": {"a": "3\n"}}, "single lines"),
        ({"in_degrees": "yes"}, "in_degrees"),
        ({"kind": 3}, "StorageType"),
    ],
)
def test_bad_tables(change, told):
    with pytest.raises(ArgumentError, match=told):
        replace(random_table(), **change)
