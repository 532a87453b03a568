"""`hitogata motion info` of capture files."""

import numpy as np

from hitogata.cli import main
from hitogata.files import MarkerData, write_storage, write_trc
from tests.files.c3d_cases import body
from tests.files.test_c3d_plates import plate_file
from tests.files.test_storage import random_table


def test_recordings(tmp_path, capsys):
    path = plate_file(tmp_path / "walk.c3d", 2)
    assert main(["motion", "info", str(path), "--joints"]) == 0
    said = capsys.readouterr()
    assert "6 with labels, 0 without; unit of the file mm" in said.out
    assert "20 at 100 per second, 0.190 s; 0.0 % gaps" in said.out
    assert "plate 1     type 2; largest forces along x, y, z: 40, 30, 800 N" in said.out
    assert "M5 " in said.out
    assert "Nmm" in said.out
    assert not said.err


def test_markers_and_tables(tmp_path, capsys):
    places = body()
    places[5:10, 0] = np.nan
    write_trc(MarkerData(tuple("ABCDEF"), np.arange(20) / 50, 50, places), tmp_path / "walk.trc")
    assert main(["motion", "info", str(tmp_path / "walk.trc")]) == 0
    assert "4.2 % gaps" in capsys.readouterr().out
    write_storage(random_table(), tmp_path / "walk.mot")
    assert main(["motion", "info", str(tmp_path / "walk.mot"), "--joints"]) == 0
    said = capsys.readouterr()
    assert "my table: 4 columns, angles in degrees" in said.out
    assert "walk.mot: time is not even" in said.err


def test_complaints(tmp_path, capsys):
    (tmp_path / "walk.c3d").write_bytes(b"nothing")
    assert main(["motion", "info", str(tmp_path / "walk.c3d")]) == 2
    assert "walk.c3d: not a C3D file" in capsys.readouterr().err
    assert main(["motion", "info", "walk.xyz"]) == 2
    assert ".bvh, .npz, .c3d, .trc, .mot or .sto expected, got .xyz" in capsys.readouterr().err
