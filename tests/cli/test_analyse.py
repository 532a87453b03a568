"""`hitogata analyse`: bad input is one line and exit code 2, and nothing is written."""

import socket

import pytest

from hitogata.cli import main
from hitogata.pipeline.sample import sample_trial


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def refused(capsys, out, *arguments):
    code = main(["analyse", *arguments, "-o", str(out)])
    said = capsys.readouterr().err.strip().splitlines()
    assert code == 2
    assert len(said) == 1
    assert not out.exists()
    return said[0]


def test_unknown_stages_and_settings(capsys, out):
    assert "did you mean 'muscles'" in refused(capsys, out, "sample", "--off", "muscle")
    assert "did you mean 'cutoff'" in refused(capsys, out, "sample", "--set", "torques.cut_off=3")
    assert "STAGE.NAME=VALUE" in refused(capsys, out, "sample", "--set", "nonsense")
    assert "has no setting 'on'" in refused(capsys, out, "sample", "--off", "body")


def test_no_mass(capsys, out, tmp_path):
    (tmp_path / "alone.trc").write_bytes(sample_trial().read_bytes())
    assert "mass is not known" in refused(capsys, out, str(tmp_path / "alone.trc"))
    assert "MASS,HEIGHT is expected" in refused(capsys, out, "sample", "--subject", "heavy")
    assert "MASS,HEIGHT is expected" in refused(capsys, out, "sample", "--subject", "-70")


def test_mixed_models(capsys, out, tmp_path):
    (tmp_path / "a.osim").write_text("")
    (tmp_path / "b.osim").write_text("")
    (tmp_path / "walk.bvh").write_text("")
    models = ["--model", str(tmp_path / "a.osim"), "--model", str(tmp_path / "b.osim")]
    assert "one model for all" in refused(capsys, out, "sample", *models)
    assert "its own skeleton" in refused(capsys, out, str(tmp_path / "walk.bvh"), *models[:2])
    assert "no such file" in refused(capsys, out, "sample", "--model", str(tmp_path / "c.osim"))
    assert "an .osim file is expected" in refused(capsys, out, "sample", "--model", "gate")
    (tmp_path / "walk.mot").write_text("")
    assert "give it, --model" in refused(capsys, out, str(tmp_path / "walk.mot"))


def test_nothing_to_analyse(capsys, out, tmp_path):
    assert "no trial there" in refused(capsys, out, str(tmp_path / "*.c3d"))
    (tmp_path / "empty").mkdir()
    assert "no trial there" in refused(capsys, out, str(tmp_path / "empty"))
    assert "no such file" in refused(capsys, out, str(tmp_path / "walk.c3d"))


def test_settings_files(capsys, out, tmp_path):
    assert "No such file" in refused(capsys, out, "sample", "--settings", str(tmp_path / "none.toml"))
    (tmp_path / "bad.toml").write_text("[anglez]\n")
    assert "did you mean 'angles'" in refused(capsys, out, "sample", "--settings", str(tmp_path / "bad.toml"))


def test_unreachable_clusters(capsys, out):
    pytest.importorskip("ray", reason="Ray is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert f"no Ray cluster at '127.0.0.1:{port}'" in refused(capsys, out, "sample", "--ray", f"127.0.0.1:{port}")
    assert "HOST:PORT" in refused(capsys, out, "sample", "--ray", "nowhere")


def test_limits(capsys, out):
    assert "attempts must be 1" in refused(capsys, out, "sample", "--attempts", "0")
    assert "workers: 1 or more" in refused(capsys, out, "sample", "--workers", "0")
    assert "time_limit" in refused(capsys, out, "sample", "--time-limit", "-3")


def test_settings_are_printed(capsys, out):
    assert main(["analyse", "sample", "-o", str(out), "--print-settings", "--set", "torques.cutoff=4"]) == 0
    assert "cutoff = 4.0" in capsys.readouterr().out
    assert not out.exists()
