"""`hitogata device` and `hitogata record` on the command line."""

import numpy as np
import pytest

from hitogata.behaviour import write_recording
from hitogata.behaviour.recording import recording_of
from hitogata.cli import main
from tests.behaviour.cases import samples, stream


@pytest.fixture
def recorded(tmp_path):
    found = recording_of({"/s": (stream(), samples(200), [])}, [], [], "r")
    path = str(tmp_path / "r.mcap")
    write_recording(found, path)
    return path


def test_info_and_convert(recorded, tmp_path, capsys):
    assert main(["record", recorded, "--info"]) == 0
    said = capsys.readouterr().out
    assert "/s: other, 3 channels, 100 Hz, 200 samples" in said
    assert "clock by arrivals" in said
    table = str(tmp_path / "t.csv")
    assert main(["record", recorded, "--convert", table, "--begin", "0.5", "--end", "1.0", "--rate", "100"]) == 0
    rows = np.genfromtxt(table, delimiter=",", names=True)
    assert len(rows) == 51
    assert rows["time"][0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["device", "play", "no.csv"], "no.csv"),
        (["device", "play", "x.png"], "devices play .c3d"),
        (["device", "play", "sample:hand"], "markers, plate, gaze"),
        (["device", "play", "sample:tracker", "--loss", "0.1"], "--udp"),
        (["record", "r.mcap", "--udp", "nowhere"], "HOST:PORT"),
        (["record", "no.mcap", "--info"], "no.mcap"),
    ],
)
def test_bad_input(arguments, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_device_plays_its_time(capsys, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("time,a\n" + "\n".join(f"{k / 100},{k}" for k in range(50)))
    assert main(["device", "play", str(path), "--udp", "0", "--seconds", "0.3"]) == 0
    said = capsys.readouterr().out
    assert "udp 127.0.0.1:" in said
    assert '"lost": 0' in said
