"""`hitogata render` and `hitogata studio`, as far as they go without a browser."""

import numpy as np
import pytest
from matplotlib.image import imread

from hitogata.cli import main
from hitogata.figure import Trajectory
from hitogata.library import human28


@pytest.fixture
def motion(tmp_path):
    figure = human28()
    time = np.linspace(0.0, 0.3, 10)
    Trajectory(time, np.tile(figure.neutral(), (10, 1)), np.zeros((10, figure.nv)), figure_name="human28").save(
        tmp_path / "m.npz"
    )
    return str(tmp_path / "m.npz")


def test_figure_as_a_picture(tmp_path, capsys):
    assert main(["render", "bear", str(tmp_path / "a.png"), "--size", "160x120"]) == 0
    assert imread(tmp_path / "a.png").shape[:2] == (120, 160)
    assert "bear" in capsys.readouterr().out


def test_motion_as_a_page_and_a_film(tmp_path, motion):
    assert main(["render", motion, str(tmp_path / "a.html")]) == 0
    assert "human28" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert main(["render", motion, str(tmp_path / "a.gif"), "--size", "80x60", "--fps", "10"]) == 0
    assert (tmp_path / "a.gif").read_bytes()[:4] == b"GIF8"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["render", "bear", "a.txt"], "a.txt"),
        (["render", "nobody", "a.png"], "no figure 'nobody'"),
        (["render", "none.bvh", "a.png"], "none.bvh"),
        (["studio", "nobody"], "no figure 'nobody'"),
        (["studio", "--motion", "none.bvh"], "none.bvh"),
        (["studio", "--port", "99999"], "port"),
    ],
)
def test_bad_input(capsys, arguments, message):
    assert main(arguments) == 2
    err = capsys.readouterr().err.strip()
    assert err.startswith("hitogata: error:")
    assert message in err
    assert "\n" not in err


def test_other_hosts_are_warned_of(capsys, monkeypatch):
    """The warning comes before anything is opened."""
    assert main(["studio", "nobody", "--host", "0.0.0.0"]) == 2
    assert "warning: --host 0.0.0.0" in capsys.readouterr().err
