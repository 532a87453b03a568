"""Damaged capture files: read, or refused with their name; never a crash, a hang or a memory that grows."""

import time
import tracemalloc
import warnings

import numpy as np
import pytest

from hitogata.errors import FileContentWarning, FileFormatError
from hitogata.files import MarkerData, read_c3d, read_storage, read_trc, write_c3d, write_storage, write_trc
from tests.files.c3d_cases import body, c3d_bytes
from tests.files.test_c3d_plates import plate_file
from tests.files.test_c3d_write import recording
from tests.files.test_storage import random_table


def mutated(data: bytes, rng: np.random.Generator, head: int) -> bytes:
    """Bytes changed, cut, put in or taken out, mostly in the head."""
    result = bytearray(data)
    match rng.integers(0, 5):
        case 0:
            return bytes(result[: rng.integers(0, len(result))])
        case 1:
            at = int(rng.integers(0, head))
            del result[at : at + int(rng.integers(1, 40))]
        case 2:
            at = int(rng.integers(0, head))
            result[at:at] = rng.integers(0, 256, int(rng.integers(1, 40))).astype(np.uint8).tobytes()
        case _:
            for _ in range(rng.integers(1, 8)):
                at = int(rng.integers(0, head if rng.random() < 0.85 else len(result)))
                result[at] = int(rng.choice([0, 1, 9, 32, 45, 48, 57, 127, 128, 255, rng.integers(0, 256)]))
    return bytes(result)


def attempt(reader, path) -> str:
    """What a reader says of a file; '' if it reads it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            reader(path)
        except FileFormatError as error:
            return str(error)
    return ""


def survive(reader, path, data: bytes, head: int, times: int, seed: int) -> None:
    """Mutations are read whole or refused by name, in little time and memory."""
    rng = np.random.default_rng(seed)
    refused = 0
    for k in range(times):
        damaged = mutated(data, rng, head)
        path.write_bytes(damaged)
        start = time.perf_counter()
        if k % 20 == 0:
            tracemalloc.start()
        error = attempt(reader, path)
        refused += error != ""
        assert not error or str(path) in error
        if k % 20 == 0:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 12 * len(damaged) + 2_000_000
        assert time.perf_counter() - start < 10
    assert 0 < refused < times


def test_c3d(tmp_path):
    write_c3d(recording(), tmp_path / "a.c3d")
    plate_file(tmp_path / "b.c3d", 4)
    whole = c3d_bytes(body() * 10000, np.zeros((20, 6)), np.ones((40, 2)), samples=2, scale=0.1, processor=85)
    for k, data in enumerate([(tmp_path / "a.c3d").read_bytes(), (tmp_path / "b.c3d").read_bytes(), whole]):
        survive(read_c3d, tmp_path / "damaged.c3d", data, 2048, 250, k)


def test_trc(tmp_path):
    places = body(30)
    places[4:8, 2] = np.nan
    text = write_trc(MarkerData(tuple("ABCDEF"), np.arange(30) / 100, 100, places)).encode()
    survive(read_trc, tmp_path / "damaged.trc", text, 700, 300, 1)


def test_storage(tmp_path):
    survive(read_storage, tmp_path / "damaged.sto", write_storage(random_table()).encode(), 600, 300, 2)


def test_files_made_to_take_long(tmp_path):
    """Many columns of one name, a number without end: linear in the size of the file."""
    path = tmp_path / "long.sto"
    start = time.perf_counter()
    path.write_text("endheader\ntime" + "\ta" * 50000 + "\n")
    with pytest.warns(FileContentWarning, match="49979 more are called likewise"):
        assert read_storage(path).columns[-1] == "a_50000"
    path.write_text("endheader\ntime a\n0 " + "1" * 300000 + "x\n")
    with pytest.raises(FileFormatError, match=":3: column 2: a number is expected"):
        read_storage(path)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: b"", "not a C3D file"),
        (lambda d: d[:100], "not a C3D file"),
        (lambda d: b"HIERARCHY" + d[9:], "not a C3D file: its second byte is not 0x50"),
        (lambda d: bytes([200]) + d[1:], "byte 0: parameters are said to be in block 200"),
        (lambda d: d[:515] + b"\7" + d[516:], "byte 515: the kind of processor is 7"),
        (lambda d: d[:-700], r"20 frames of 6 points and 0 analog channels .* it is cut or damaged; 12 whole frames"),
        (lambda d: d.replace(b"USED", b"USED\xff", 1), "byte .*outside of the parameter section|damaged|of type"),
        (lambda d: d[:514] + b"\1" + d[515:], "byte|need"),
    ],
)
def test_errors_say_what_is_wrong(tmp_path, change, told):
    data = c3d_bytes(body() * 1000, np.zeros((20, 6)), changes={"NOTES": {f"N{k}": (2, (), [k]) for k in range(60)}})
    (tmp_path / "a.c3d").write_bytes(change(data))
    with pytest.raises(FileFormatError, match=f"a.c3d: .*({told})"):
        read_c3d(tmp_path / "a.c3d")


def test_numbers_that_cannot_be(tmp_path):
    for changes, told in (
        ({"RATE": (4, (), [np.nan])}, ""),  # the header has it, too
        ({"SCALE": (4, (), [0.0])}, ""),
    ):
        (tmp_path / "a.c3d").write_bytes(c3d_bytes(body() * 1000, np.zeros((20, 6)), changes={"POINT": changes}))
        assert read_c3d(tmp_path / "a.c3d").markers.rate == 100, told
    for options, told in (({"rate": 0.0}, "POINT:RATE must be above zero"), ({"rate": np.nan}, "POINT:RATE")):
        (tmp_path / "a.c3d").write_bytes(c3d_bytes(body() * 1000, np.zeros((20, 6)), **options))
        with pytest.raises(FileFormatError, match=told):
            read_c3d(tmp_path / "a.c3d")


def test_files_that_are_not_there(tmp_path):
    for reader in (read_c3d, read_trc, read_storage):
        with pytest.raises(FileFormatError, match="none: no such file"):
            reader(tmp_path / "none")
        with pytest.raises(FileFormatError, match="cannot be read"):
            reader(tmp_path)
