"""`hitogata motion`: what it prints and writes, and how it complains."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from hitogata.cli import main
from hitogata.figure import Trajectory
from hitogata.files import bvh_from_trajectory, bvh_poses, figure_from_bvh, read_bvh, trajectory_from_bvh, write_bvh
from hitogata.files.bvh import Up
from hitogata.library import human28, human40
from tests.cli.test_cli import fails
from tests.files.bvh_cases import PLAIN
from tests.motion.cases import walk


@pytest.fixture
def human(tmp_path):
    """A walk of human40 as a .bvh file in cm."""
    figure = human40()
    path = tmp_path / "walk.bvh"
    write_bvh(bvh_from_trajectory(walk(figure), figure), path)
    return path


def run(capsys, *arguments) -> tuple[str, str]:
    assert main(["motion", *map(str, arguments)]) == 0
    said = capsys.readouterr()
    return said.out, said.err


def test_info(human, tmp_path, capsys):
    out, err = run(capsys, "info", human)
    assert "15 joints, 5 end sites, 40 channels" in out
    assert "15 of 15 joints known" in out
    assert "61 frames at 30 per second, 2.000 s" in out
    assert "0.01 m, guessed; y is up" in out
    assert not err
    out, err = run(capsys, "info", human, "--joints", "--scale", "0.02", "--up", "z")
    assert "0.02 m; z is up" in out
    assert "left upper arm" in out
    assert err.startswith("hitogata: ")
    assert "up=Up.Y" in err
    walk(human28()).save(tmp_path / "walk.npz")
    out, _ = run(capsys, "info", tmp_path / "walk.npz")
    assert "human28: nq 43, nv 34" in out
    assert "61 samples, 2.000 s" in out


def test_to_a_trajectory_and_back(human, tmp_path, capsys):
    out, _ = run(capsys, "convert", human, tmp_path / "a.npz", "--mass", "60")
    assert "61 samples of Figure 'walk'" in out
    assert "60 kg" in out
    motion, bvh = Trajectory.load(tmp_path / "a.npz"), read_bvh(human)
    np.testing.assert_array_equal(motion.q, trajectory_from_bvh(bvh).q)
    run(capsys, "convert", tmp_path / "a.npz", tmp_path / "b.bvh", "--source", human)
    np.testing.assert_allclose(bvh_poses(read_bvh(tmp_path / "b.bvh")).position, bvh_poses(bvh).position, atol=1e-9)


def test_to_another_figure(human, tmp_path, capsys):
    out, _ = run(capsys, "convert", human, tmp_path / "a.npz", "--figure", "human28", "--no-floor", "--fps", "60")
    assert "13 pairs, by names" in out
    motion = Trajectory.load(tmp_path / "a.npz")
    assert motion.figure_name == "human28"
    assert len(motion) == 121
    truth = walk(human28())
    same = np.abs(np.einsum("ni,ni->n", motion.q[::2, 3:7], truth.q[:, 3:7]))
    np.testing.assert_allclose(same, 1, atol=1e-9)
    run(capsys, "convert", tmp_path / "a.npz", tmp_path / "b.npz", "--figure", "human40")
    assert Trajectory.load(tmp_path / "b.npz").q.shape == (121, human40().nq)
    run(capsys, "convert", human, tmp_path / "c.bvh", "--figure", "human28", "--decimals", "3", "--out-up", "z")
    assert read_bvh(tmp_path / "c.bvh", up=Up.Z).names == human28().link_names
    out, _ = run(capsys, "convert", tmp_path / "a.npz", tmp_path / "d.npz", "--figure", human)
    assert "13 pairs" in out
    assert Trajectory.load(tmp_path / "d.npz").q.shape[1] == figure_from_bvh(read_bvh(human)).nq


def test_to_another_unit_and_rate(human, tmp_path, capsys):
    bvh = read_bvh(human)
    run(capsys, "convert", human, tmp_path / "a.bvh", "--out-scale", "0.0254", "--out-up", "x")
    other = read_bvh(tmp_path / "a.bvh", scale=0.0254, up=Up.X)
    assert other.joints != bvh.joints
    np.testing.assert_allclose(bvh_poses(other).position, bvh_poses(bvh).position, atol=1e-12)
    np.testing.assert_allclose(bvh_poses(other).ends, bvh_poses(bvh).ends, atol=1e-12)
    np.testing.assert_allclose(bvh_poses(other).rotation, bvh_poses(bvh).rotation, atol=1e-12)
    run(capsys, "convert", human, tmp_path / "b.bvh", "--fps", "10")
    slow = read_bvh(tmp_path / "b.bvh")
    assert (slow.nframes, slow.frame_time) == (21, pytest.approx(0.1))
    np.testing.assert_allclose(bvh_poses(slow).position, bvh_poses(bvh, slice(None, None, 3)).position, atol=1e-9)


def test_positions_in_another_unit(human, tmp_path, capsys):
    """Offsets in cm, positions in m: told, and read right when the unit is said."""
    bvh = read_bvh(human)
    shifts = [not c.turns for joint in bvh.joints for c in joint.channels]
    write_bvh(replace(bvh, values=bvh.values * np.where(shifts, 0.01, 1.0)), tmp_path / "mixed.bvh")
    _, err = run(capsys, "info", tmp_path / "mixed.bvh")
    assert "position_scale=1\n" in err
    _, err = run(capsys, "convert", tmp_path / "mixed.bvh", tmp_path / "a.npz", "--position-scale", "1")
    assert not err
    np.testing.assert_allclose(Trajectory.load(tmp_path / "a.npz").q, trajectory_from_bvh(bvh).q, atol=1e-12)


def test_uneven_times_become_even(tmp_path, capsys):
    figure = human28()
    motion = walk(figure)
    keep = np.array([k for k in range(len(motion)) if k % 7 != 3])
    Trajectory(motion.time[keep], motion.q[keep], motion.v[keep], figure_name="human28").save(tmp_path / "a.npz")
    run(capsys, "convert", tmp_path / "a.npz", tmp_path / "a.bvh")
    again = read_bvh(tmp_path / "a.bvh")
    assert (again.nframes, again.frame_time) == (61, pytest.approx(1 / 30))


def test_a_reader_that_stops(human):
    """Output into a pipe that is closed: no complaint, no traceback."""
    code = "import sys; from hitogata.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "motion", "info", str(human), "--joints"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_complaints(human, tmp_path, capsys):
    (tmp_path / "bad.bvh").write_text(PLAIN.replace("91.5", "x"))
    assert "bad.bvh:43: a finite number" in fails(capsys, "motion", "info", str(tmp_path / "bad.bvh"))
    assert "no such file" in fails(capsys, "motion", "info", str(tmp_path / "none.bvh"))
    assert ".mot or .sto expected, got .fbx" in fails(capsys, "motion", "info", "walk.fbx")
    out = str(tmp_path / "out.npz")
    assert "no figure 'dog'" in fails(capsys, "motion", "convert", str(human), out, "--figure", "dog")
    for rate in ("-1", "nan", "inf"):
        assert f"--fps {float(rate)}" in fails(capsys, "motion", "convert", str(human), out, "--fps", rate)
    assert "would make 2e+12 samples" in fails(capsys, "motion", "convert", str(human), out, "--fps", "1e12")
    assert "scale: must be positive" in fails(
        capsys, "motion", "convert", str(human), str(tmp_path / "o.bvh"), "--figure", "human28", "--out-scale", "0"
    )
    assert "frame 9999" in fails(
        capsys, "motion", "convert", str(human), out, "--figure", "human28", "--reference", "9999"
    )
    (tmp_path / "text.npz").write_text("HIERARCHY")
    assert "text.npz: not a trajectory file (no .npz archive)" in fails(
        capsys, "motion", "info", str(tmp_path / "text.npz")
    )
    figure = human28()
    Trajectory([0.0], figure.neutral()[None], np.zeros((1, figure.nv))).save(tmp_path / "whose.npz")
    assert "--source" in fails(capsys, "motion", "convert", str(tmp_path / "whose.npz"), str(tmp_path / "o.bvh"))
    one = Trajectory([0.0], figure.neutral()[None], np.zeros((1, figure.nv)), figure_name="Bob")
    one.save(tmp_path / "bob.npz")
    assert "bob.npz: a motion of 'Bob': give --source" in fails(
        capsys, "motion", "convert", str(tmp_path / "bob.npz"), str(tmp_path / "o.bvh")
    )
    assert "needs 51" in fails(capsys, "motion", "convert", str(tmp_path / "whose.npz"), out, "--source", "human40")
    assert not (tmp_path / "out.npz").exists()
