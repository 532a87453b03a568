"""`hitogata motion edit` and `contacts`: edits in order, files in and out, and complaints."""

import numpy as np
import pytest

from hitogata.dynamics import difference, frame_position
from hitogata.figure import Trajectory
from hitogata.files import bvh_from_trajectory, figure_from_bvh, read_bvh, trajectory_from_bvh, write_bvh
from hitogata.library import human28
from hitogata.motion import (
    blend,
    change_speed,
    clean_feet,
    cut,
    headings,
    level_feet,
    make_loop,
    mirror,
    repeat,
    resample,
    start_at,
)
from tests.cli.test_cli import fails
from tests.cli.test_motion import run
from tests.motion.steps import stepping_walk


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """A walk of human28 as .npz and .bvh files, and the motion itself."""
    folder = tmp_path_factory.mktemp("walk")
    figure = human28()
    motion, _ = stepping_walk(figure, turn=0.3)
    motion.save(folder / "walk.npz")
    write_bvh(bvh_from_trajectory(motion, figure), folder / "walk.bvh")
    return folder, figure, motion


def test_edits_in_order(walk, capsys):
    folder, figure, motion = walk
    out = folder / "out.npz"
    said, err = run(capsys, "edit", folder / "walk.npz", out, "--cut", "0.5:2.5", "--mirror", "--speed", "1.2",
                    "--resample", "100")  # fmt: skip
    wanted = resample(figure, change_speed(figure, mirror(figure, cut(figure, motion, 0.5, 2.5)), 1.2), 100)
    found = Trajectory.load(out)
    np.testing.assert_array_equal(found.q, wanted.q)
    np.testing.assert_array_equal(found.v, wanted.v)
    assert not err
    assert [line.split()[0] for line in said.splitlines()] == ["cut", "mirror", "speed", "resample", f"{out}:"]
    run(capsys, "edit", folder / "walk.npz", out, "--speed", "2", "--cut", "0.5:")  # not the other way round
    assert Trajectory.load(out).time[[0, -1]] == pytest.approx([0.5, 1.5])
    run(capsys, "edit", folder / "walk.npz", out, "--cut", "0.5:", "--speed", "2", "--cut", ":1.0")
    assert Trajectory.load(out).time[[0, -1]] == pytest.approx([0.5, 1.0])


def test_loops(walk, capsys):
    folder, figure, motion = walk
    out = folder / "out.npz"
    said, _ = run(capsys, "edit", folder / "walk.npz", out, "--loop", "--repeat", "3")
    np.testing.assert_array_equal(Trajectory.load(out).q, repeat(figure, make_loop(figure, motion), 3).q)
    assert "mm apart" in said
    run(capsys, "edit", folder / "walk.npz", out, "--loop", "remove", "--resample", "30")
    assert np.ptp(Trajectory.load(out).q[:, 0]) < 0.1
    run(capsys, "edit", folder / "walk.npz", out, "--loop-at", "0.2:1.3")
    assert Trajectory.load(out).time[-1] == pytest.approx(1.1)


def test_places(walk, capsys):
    folder, figure, motion = walk
    out = folder / "out.npz"
    run(capsys, "edit", folder / "walk.npz", out, "--move=-1,0.5", "--turn", "90")
    found = Trajectory.load(out)
    np.testing.assert_allclose(found.q[0, :3], motion.q[0, :3] + [-1, 0.5, 0], atol=1e-12)
    assert headings(figure, found.q)[0] == pytest.approx(headings(figure, motion.q)[0] + np.pi / 2)
    run(capsys, "edit", folder / "walk.npz", out, "--start", "2,3,45", "--floor", "0.25")
    found = Trajectory.load(out)
    np.testing.assert_allclose(found.q[:, 2], motion.q[:, 2] + 0.25, atol=1e-9)
    np.testing.assert_allclose(found.q[:, 3:], start_at(figure, motion, (2, 3), np.pi / 4).q[:, 3:], atol=1e-12)
    run(capsys, "edit", folder / "walk.npz", out, "--floor", "--warp", "0:0,1:2,3:4", "--start=-1,2")
    assert Trajectory.load(out).time[-1] == pytest.approx(4.0, abs=0.02)


def test_other_motions(walk, capsys):
    folder, figure, _ = walk
    out = folder / "out.npz"
    run(capsys, "edit", folder / "walk.npz", out, "--cut", ":2", "--join", folder / "walk.npz")
    assert Trajectory.load(out).time[-1] == pytest.approx(5.0)
    run(capsys, "edit", folder / "walk.npz", out, "--fade", folder / "walk.npz", "0.5")
    assert Trajectory.load(out).time[-1] == pytest.approx(5.5, abs=0.02)
    run(capsys, "edit", folder / "walk.bvh", folder / "out.bvh", "--fade-in-phase", folder / "walk.bvh", "0.3")
    assert read_bvh(folder / "out.bvh").names == figure.link_names


def test_drag(walk, capsys):
    """The hand is led away and back, feet stay as they are; nothing changes before and after."""
    folder, figure, motion = walk
    out = folder / "out.npz"
    said, _ = run(capsys, "edit", folder / "walk.npz", out, "--drag", "grip_right", "0.5:0,0,0", "1:0.1,-0.05,0.2",
                  "1.5:0,0,0")  # fmt: skip
    assert "off by 0.0 mm" in said
    found = Trajectory.load(out)
    for frame in ("grip_right", "foot_left", "foot_right"):
        way = frame_position(figure, found.q, frame) - frame_position(figure, motion.q, frame)
        middle = int(np.argmin(np.abs(motion.time - 1.0)))
        assert way[middle] == pytest.approx((0.1, -0.05, 0.2) if frame == "grip_right" else (0, 0, 0), abs=1e-4)
        outside = (motion.time <= 0.5) | (motion.time >= 1.5)
        assert np.abs(way[outside]).max() < 1e-4
    run(capsys, "edit", folder / "walk.npz", out, "--drag", "grip_right", "0:0,0,0.1")
    way = frame_position(figure, Trajectory.load(out).q, "grip_right") - frame_position(figure, motion.q, "grip_right")
    np.testing.assert_allclose(way, np.tile([0, 0, 0.1], (len(motion), 1)), atol=1e-4)


def test_blend(walk, capsys):
    folder, figure, motion = walk
    mirror(figure, motion).save(folder / "mirrored.npz")
    run(capsys, "edit", folder / "walk.npz", folder / "out.npz", "--blend", folder / "mirrored.npz", "0.25")
    wanted = blend(figure, motion, Trajectory.load(folder / "mirrored.npz"), 0.25, match=True)
    np.testing.assert_array_equal(Trajectory.load(folder / "out.npz").q, wanted.q)


def test_clean_feet(walk, capsys):
    """Sped up in space but not in its steps, it slides; then it does not."""
    folder, figure, motion = walk
    q = motion.q.copy()
    q[:, :2] *= 1.1
    Trajectory(motion.time, q, motion.v, figure_name=figure.name).save(folder / "slides.npz")
    said, _ = run(capsys, "edit", folder / "slides.npz", folder / "out.npz", "--clean-feet")
    assert "left: 3 contacts, slide" in said
    cleaned = clean_feet(figure, Trajectory.load(folder / "slides.npz"))
    np.testing.assert_array_equal(Trajectory.load(folder / "out.npz").q, cleaned.trajectory.q)
    assert max(x.max() for x in cleaned.after.values()) < 0.005


def test_level(walk, capsys):
    """As the function does it."""
    folder, figure, motion = walk
    run(capsys, "edit", folder / "walk.npz", folder / "out.npz", "--level")
    wanted = level_feet(figure, Trajectory.load(folder / "walk.npz")).trajectory
    np.testing.assert_array_equal(Trajectory.load(folder / "out.npz").q, wanted.q)
    assert len(wanted) == len(motion)


def test_bvh_keeps_its_skeleton(walk, capsys):
    """Channels, unit and joints are those of the file; frames are even, also after a cut between them."""
    folder, _, _ = walk
    before = read_bvh(folder / "walk.bvh")
    run(capsys, "edit", folder / "walk.bvh", folder / "a.bvh", "--mirror", "--mirror")
    after = read_bvh(folder / "a.bvh")
    assert after.joints == before.joints
    figure = figure_from_bvh(before)
    motions = [trajectory_from_bvh(bvh, figure) for bvh in (before, after)]
    np.testing.assert_allclose(difference(figure, motions[0].q, motions[1].q), 0, atol=1e-9)
    run(capsys, "edit", folder / "walk.bvh", folder / "b.bvh", "--cut", "0.505:1.013", "--decimals", "4")
    cut_file = read_bvh(folder / "b.bvh")
    assert cut_file.frame_time == pytest.approx(1 / 60)
    assert cut_file.nframes == 31
    run(capsys, "edit", folder / "walk.npz", folder / "c.bvh", "--cut", "1:2")
    assert read_bvh(folder / "c.bvh").nframes == 61


def test_contacts(walk, capsys):
    folder, _, _ = walk
    out, _ = run(capsys, "contacts", folder / "walk.npz")
    assert "left     3 contacts" in out
    assert "links foot_right" in out
    other, _ = run(capsys, "contacts", folder / "walk.bvh")
    assert "contacts" in other
    high, _ = run(capsys, "contacts", folder / "walk.npz", "--floor", "-3")
    assert "left     0 contacts, 0 %" in high


def test_complaints(walk, tmp_path, capsys):
    folder, _, _ = walk
    source, out = str(folder / "walk.npz"), str(tmp_path / "out.npz")

    def said(*edits):
        return fails(capsys, "motion", "edit", source, out, *map(str, edits))

    assert "--cut: end: 9 s is outside the motion, which goes from 0 to 3 s" in said("--cut", "1:9")
    assert "--cut: expected FROM:TO" in said("--cut", "1")
    assert "--cut: expected 1 numbers" in said("--cut", "1:x")
    assert "--repeat: it must come right after --loop" in said("--loop", "--mirror", "--repeat", "2")
    assert "--speed: speed: must be positive" in said("--speed", "0")
    assert "--resample: rate" in said("--resample", "nan")
    assert "--move: expected 2 or 3 numbers" in said("--move", "1")
    assert "--warp: expected 2 numbers with ':'" in said("--warp", "1:2,3")
    assert "--fade: first: it lasts 3 s, the overlap 5 s" in said("--fade", source, "5")
    assert "--drag: expected LINK and one T:X,Y,Z" in said("--drag", "grip_right")
    assert "--drag: times must rise" in said("--drag", "grip_right", "1:0,0,0", "1:0,0,0.1")
    assert "--drag: expected 3 numbers" in said("--drag", "grip_right", "1:0,0")
    assert "did you mean 'grip_right'" in said("--drag", "grip_rihgt", "1:0,0,0")
    assert "--blend: weight: must be from 0 to 1, got 2" in said("--blend", source, "2")
    assert "--resample: steps of 1e-09 s would make 3e+09 samples" in said("--resample", "1e9")
    assert "no such file" in said("--join", tmp_path / "none.npz")
    assert ".bvh or .npz expected" in said("--join", "walk.fbx")
    assert ".bvh or .npz expected" in fails(capsys, "motion", "edit", source, "out.mp4", "--mirror")
    assert not (tmp_path / "out.npz").exists()
    motion = Trajectory.load(source)
    Trajectory(motion.time, motion.q, motion.v).save(tmp_path / "whose.npz")
    assert "give --source" in fails(capsys, "motion", "edit", str(tmp_path / "whose.npz"), out, "--mirror")
