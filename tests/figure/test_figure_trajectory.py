"""Trajectories: saved and loaded bit for bit; what is not one is an error with the file's name."""

import json

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FileFormatError
from hitogata.figure import Trajectory
from hitogata.library import human28


def example(nt: int = 5) -> Trajectory:
    rng = np.random.default_rng(0)
    figure = human28()
    channels = {
        "contact forces": rng.normal(size=(nt, 4, 3)) * 1e-300,  # tiny numbers too
        "single": rng.normal(size=nt).astype(np.float32),
        "count": np.arange(nt),
        "touching": np.arange(nt) % 2 == 0,
        "missing": np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324] * nt)[:nt],
        "phase": np.array(["left", "right"] * nt)[:nt],
        "channel0": np.arange(nt),  # named like the file's own entries
        "header": np.arange(nt),
        "a/b.ü": np.zeros((nt, 0)),
    }
    time = np.cumsum(rng.uniform(0.001, 0.1, nt))
    return Trajectory(time, rng.normal(size=(nt, figure.nq)), rng.normal(size=(nt, figure.nv)), channels, figure.name)


@pytest.mark.parametrize("nt", [0, 1, 5])
def test_saved_and_loaded_bit_for_bit(tmp_path, nt):
    one = example(nt)
    one.save(tmp_path / "motion.npz")
    two = Trajectory.load(str(tmp_path / "motion.npz"))
    assert len(two) == nt
    assert two.figure_name == "human28"
    assert list(two.channels) == list(one.channels)
    pairs = [(getattr(one, name), getattr(two, name)) for name in ("time", "q", "v")]
    for a, b in pairs + [(one[name], two[name]) for name in one.channels]:
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tobytes() == b.tobytes()
    two.check(human28())


def test_float32_stays(tmp_path):
    one = Trajectory([0.0, 1.0], np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32))
    one.save(tmp_path / "m.npz")
    assert Trajectory.load(tmp_path / "m.npz").q.dtype == np.float32


def test_any_file_name(tmp_path):
    example().save(tmp_path / "motion")
    assert (tmp_path / "motion").exists()
    assert len(Trajectory.load(tmp_path / "motion")) == 5


GOOD = {"time": [0.0, 1.0], "q": np.zeros((2, 3)), "v": np.zeros((2, 3))}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": [0.0]}, "q has shape \\(2, 3\\), but there are 1 times"),
        ({"time": [[0.0, 1.0]]}, "time must have shape"),
        ({"time": [1.0, 0.0]}, "strictly rising"),
        ({"time": [0.0, 0.0]}, "strictly rising"),
        ({"time": [0.0, np.nan]}, "finite"),
        ({"time": ["a", "b"]}, "time: expected an array of numbers"),
        ({"q": np.zeros(2)}, "q must have shape"),
        ({"q": np.zeros((3, 3))}, "q has shape \\(3, 3\\)"),
        ({"q": [[0, 0], [0, np.nan]]}, "q\\[1\\] holds numbers that are not finite"),
        ({"v": [[np.inf], [0]]}, "v\\[0\\] holds"),
        ({"v": [[1], [2, 3]]}, "v: expected an array of numbers"),
        ({"v": np.zeros((2, 3), complex)}, "v: expected an array of numbers, got dtype complex"),
        ({"channels": {"force": np.zeros(3)}}, "force has shape \\(3,\\)"),
        ({"channels": {"force": 1.0}}, "force has shape"),
        ({"channels": {"q": np.zeros(2)}}, "channel must be a string of its own, got 'q'"),
        ({"channels": {3: np.zeros(2)}}, "got 3"),
        ({"channels": {"things": [object(), object()]}}, "'things' must hold numbers"),
        ({"channels": {"things": [[1], [2, 3]]}}, "'things' has rows"),
        ({"channels": [1, 2]}, "channels must be"),
    ],
)
def test_bad_values(change, message):
    with pytest.raises(ArgumentError, match=message):
        Trajectory(**{**GOOD, **change})


def test_unknown_channels_and_other_figures():
    motion = example()
    with pytest.raises(ArgumentError, match="no channel 'force'; there are: contact forces"):
        motion["force"]
    with pytest.raises(ArgumentError, match="q has 3 columns, figure 'human28' needs 43"):
        Trajectory(**GOOD).check(human28())


def write(path, **entries) -> None:
    with path.open("wb") as file:
        np.savez_compressed(file, **entries)


def header(**changes) -> np.ndarray:
    return np.array(json.dumps({"format": "hitogata trajectory 1", "figure": "f", "channels": [], **changes}))


def test_files_that_are_no_trajectory(tmp_path):
    path = tmp_path / "motion.npz"

    def fails(message: str = "") -> None:
        with pytest.raises(FileFormatError, match=f"motion\\.npz: .*{message}"):
            Trajectory.load(path)

    fails("no such file")
    path.mkdir()
    fails()
    path.rmdir()
    for data in (b"", b"hello", b"PK\x03\x04", b"\x93NUMPY"):
        path.write_bytes(data)
        fails("not a trajectory file")
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    fails("not a trajectory file")
    write(path, time=np.zeros(1))
    fails("header")
    write(path, header=np.array("{"), **GOOD)
    fails()
    write(path, header=np.array("[]"), **GOOD)
    fails()
    write(path, header=header(format="hitogata trajectory 9"), **GOOD)
    fails("format 'hitogata trajectory 9', this version reads")
    write(path, header=header(channels=["force"]), **GOOD)
    fails("channel0")
    write(path, header=header(), **{**GOOD, "time": [1.0, 0.0]})
    fails("strictly rising")
    write(path, header=header(), **{**GOOD, "q": np.array([object(), 1])})
    fails()


def test_damaged_files(tmp_path):
    path = tmp_path / "motion.npz"
    example(50).save(path)
    data = path.read_bytes()
    for cut in (100, len(data) // 2, len(data) - 10):
        path.write_bytes(data[:cut])
        with pytest.raises(FileFormatError, match=r"motion\.npz"):
            Trajectory.load(path)
    damaged = bytearray(data)
    start = data.index(b"q.npy") + 40
    damaged[start : start + 60] = bytes(60)
    path.write_bytes(damaged)
    with pytest.raises(FileFormatError, match=r"motion\.npz"):
        Trajectory.load(path)
