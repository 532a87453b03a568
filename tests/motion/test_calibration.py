"""Calibration poses at the beginning of a motion; references without one."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.cli import main
from hitogata.dynamics import forward_kinematics
from hitogata.figure import Trajectory
from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh, write_bvh
from hitogata.library import human28, human40, virtual_human
from hitogata.motion import calibration_length, retarget_bvh, without_calibration
from tests.motion.cases import walk, with_other_frames
from tests.motion.odd import walk_bvh, with_calibration
from tests.reference import reference

CMU = ["02_01", "02_03", "02_04", "05_02", "07_01", "13_11", "13_35", "16_15", "16_17"]


def of_file(bvh):
    figure = figure_from_bvh(bvh)
    return figure, trajectory_from_bvh(bvh, figure)


@pytest.mark.parametrize("frames", [1, 5])
def test_a_rest_pose_before_the_motion_is_recognised(frames):
    bvh = walk_bvh()
    assert calibration_length(*of_file(bvh)) == 0
    figure, motion = of_file(with_calibration(bvh, frames=frames))
    assert calibration_length(figure, motion) == frames
    shown, left_out = without_calibration(figure, motion)
    assert left_out == frames
    np.testing.assert_array_equal(shown.q, motion.q[frames:])
    assert shown.time[0] == motion.time[frames]
    assert np.abs(shown.v).max() < 0.5 * np.abs(motion.v).max()  # without the jump


def test_what_is_no_calibration_stays():
    bvh = walk_bvh()
    bent = bvh.values[20].copy()
    bent[[bvh.starts[bvh.index(name)] for name in ("LeftForeArm", "RightForeArm")]] += 80
    for odd in (with_calibration(bvh, bent), replace(bvh, values=bvh.values[:5])):  # bent limbs; too short to know
        assert calibration_length(*of_file(odd)) == 0
    figure = human40()
    begins = walk(figure)  # a motion that begins in the neutral pose, and goes on from there
    still = np.tile(figure.neutral(), (10, 1))
    assert calibration_length(figure, replace(begins, time=begins.time[:10], q=still, v=begins.v[:10] * 0)) == 0


def test_it_is_the_reference_and_left_out():
    bvh, figure = walk_bvh(), human28()
    plain = retarget_bvh(bvh, figure)
    found = retarget_bvh(with_calibration(bvh), figure)
    assert (found.reference, found.calibration, found.first) == (0, 1, 1)
    assert "calibration" in str(found)
    np.testing.assert_allclose(found.trajectory.q, plain.trajectory.q, atol=1e-6)
    kept = retarget_bvh(with_calibration(bvh), figure, keep_calibration=True)
    assert len(kept.trajectory) == bvh.nframes + 1


@pytest.mark.parametrize("name", CMU)
def test_captured_clips_begin_with_one(name):
    """Velocities at the cut are those of the motion; they were 116 rad/s and more."""
    bvh = read_bvh(reference("bvh", f"{name}.bvh"))
    figure, motion = of_file(bvh)
    shown, left_out = without_calibration(figure, motion)
    assert left_out == 1
    before, after = (np.sqrt((it.v[0, 6:] ** 2).mean()) for it in (motion, shown))
    assert np.abs(motion.v[0, 6:]).max() > 50
    assert after < 0.5 * before


@pytest.mark.parametrize("seed", range(2))
def test_a_heap_without_a_frame_that_stands(seed):
    """A run whose rest pose is a heap of bones: soles and trunk are level, as with the rest pose that stands."""
    bvh = read_bvh(reference("bvh", "02_03.bvh"))
    figure = virtual_human()
    run = replace(bvh, values=bvh.values[1:])
    heap = with_other_frames(run, np.random.default_rng(seed))
    straight, found = (retarget_bvh(it, figure, feet=False, ranges=False) for it in (run, heap))
    assert straight.stands == "its neutral pose"
    assert found.stands == "a pose made from its anatomy"
    a, b = (forward_kinematics(figure, it.trajectory.q).rotation for it in (straight, found))
    for name, limit in (("pelvis", 12), ("chest", 12), ("head", 25), ("thigh_left", 25), ("shin_right", 25)):
        i = figure.link_index(name)
        turn = np.einsum("tji,tjk->tik", a[:, i], b[:, i])
        angle = np.degrees(np.arccos(np.clip((np.trace(turn, axis1=1, axis2=2) - 1) / 2, -1, 1)))
        assert np.median(angle) < limit, name


def test_on_the_command_line(tmp_path, capsys):
    write_bvh(with_calibration(walk_bvh()), tmp_path / "walk.bvh")
    for extra, count in (([], 181), (["--keep-calibration"], 182)):
        for figure in ([], ["--figure", "human28"]):
            out = tmp_path / "out.npz"
            assert main(["motion", "convert", str(tmp_path / "walk.bvh"), str(out), *figure, *extra]) == 0
            assert len(Trajectory.load(out)) == count
        assert main(["motion", "edit", str(tmp_path / "walk.bvh"), str(tmp_path / "o.bvh"), "--loop", *extra]) == 0
    text = capsys.readouterr()
    assert "calibration" in text.err
    assert "calibration" in text.out
