"""`hitogata muscles`: a recording's tables, pictures and page; errors in one line."""

import numpy as np
import pytest

from hitogata.cli import main
from hitogata.files import bvh_from_trajectory, read_storage, write_bvh
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from tests.reference import reference


@pytest.fixture
def arm():
    return str(reference("opensim_so_arm26/arm26.osim")), str(reference("opensim_so_arm26/arm26_InverseKinematics.mot"))


def test_report(arm, tmp_path, capsys):
    model, motion = arm
    window = ["--window", "0.25", "0.4"]
    assert main(["muscles", motion, "--model", model, "-o", str(tmp_path), "--cost", "cubes", *window]) == 0
    said = capsys.readouterr().out
    assert "6 muscles" in said
    assert "solved" in said
    page = (tmp_path / "index.html").read_text()
    for name in ("BIClong", "stride.png", "activations.png", "r_elbow_flex"):
        assert name in page
    table = read_storage(tmp_path / "activation.sto")
    lines = (tmp_path / "activation.csv").read_text().splitlines()
    assert lines[0] == "time," + ",".join(table.columns)
    np.testing.assert_allclose([float(x) for x in lines[1].split(",")[1:]], table.values[0], atol=1e-6)
    assert (tmp_path / "stride.png").stat().st_size > 10_000
    pressed = read_storage(tmp_path / "contact.sto")
    assert "r_ulna_radius_hand_force_y" in pressed.columns
    assert np.isfinite(pressed.values).all()


def test_errors(arm, tmp_path, capsys):
    model, motion = arm
    emg = tmp_path / "emg.sto"
    emg.write_text("emg\nversion=1\nnRows=2\nnColumns=2\ninDegrees=no\nendheader\ntime\tTongue\n0\t0.1\n2\t0.2\n")
    common = ["muscles", motion, "--model", model, "-o", str(tmp_path / "out"), "--window", "0.25", "0.3"]
    assert main([*common, "--emg", str(emg)]) == 2
    assert "'Tongue': no such muscle" in capsys.readouterr().err
    assert main([*common[:-2], "5", "6"]) == 2
    assert "not within the data" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_bvh_file_goes_to_the_built_in_body(tmp_path, capsys):
    walk, figure = sample_walk(strides=1, rate=30.0), virtual_human()
    file = tmp_path / "walk.bvh"
    write_bvh(bvh_from_trajectory(walk, figure), file)
    out = tmp_path / "report"
    assert main(["muscles", str(file), "-o", str(out)]) == 0
    assert "366 muscles" in capsys.readouterr().out
    page = (out / "index.html").read_text()
    assert "leg, right" in page
    assert '"Spindles"' in (out / "replay.html").read_text()
    assert read_storage(out / "force.sto").values.shape[1] == 366
    assert main(["muscles", str(file), "-o", str(out), "--emg", "x.sto"]) == 2
    assert "--emg goes with a recording" in capsys.readouterr().err
    assert main(["muscles", "walk.mot", "-o", str(out)]) == 2
    assert "--model" in capsys.readouterr().err
