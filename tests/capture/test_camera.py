"""Cameras: projection against OpenCV and finite differences, undistortion as its inverse, files."""

import numpy as np
import pytest

from hitogata.capture.camera import Camera, pack_cameras, project, project_with_derivatives, rays, undistort
from hitogata.capture.camera_files import read_cameras, write_cameras
from hitogata.errors import ArgumentError, FileFormatError
from hitogata.figure import Pose
from hitogata.spatial import quat_exp, quat_multiply

DISTORTION = (-0.21, 0.06, 0.0013, -0.0021, 0.011)
CAMERA = Camera.looking_at("a", (3.0, -2.0, 2.1), (0.1, 0.2, 0.9), angle=1.0, distortion=DISTORTION)
POINTS = np.random.default_rng(1).uniform((-1, -1, 0), (1, 1, 2), (200, 3))


def turned(camera: Camera, delta: np.ndarray) -> Camera:
    """The camera turned by a rotation vector in world axes and moved."""
    quat = quat_multiply(quat_exp(delta[:3]), np.array(camera.pose.quat))
    pose = Pose(tuple(np.array(camera.pose.position) + delta[3:]), tuple(quat / np.linalg.norm(quat)))
    return camera.with_intrinsics(camera.intrinsics, pose)


def test_projection_is_opencvs() -> None:
    cv2 = pytest.importorskip("cv2")
    turn = CAMERA.pose.rotation.T
    matrix = np.array([[CAMERA.focal[0], 0, CAMERA.centre[0]], [0, CAMERA.focal[1], CAMERA.centre[1]], [0, 0, 1]])
    rvec, tvec = cv2.Rodrigues(turn)[0], -turn @ np.array(CAMERA.pose.position)
    theirs = cv2.projectPoints(POINTS, rvec, tvec, matrix, np.array(DISTORTION))[0][:, 0]
    assert np.abs(project(CAMERA, POINTS) - theirs).max() < 1e-9
    until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 500, 1e-14)
    back = cv2.undistortPoints(theirs[:, None], matrix, np.array(DISTORTION), criteria=until)[:, 0]
    assert np.abs(undistort(CAMERA, theirs) - back).max() < 1e-9


def test_derivatives_are_differences() -> None:
    found = project_with_derivatives(CAMERA, POINTS)
    assert np.array_equal(found.pixels, project(CAMERA, POINTS))
    h = 1e-6
    for k in range(3):
        step = np.eye(3)[k] * h
        slope = (project(CAMERA, POINTS + step) - project(CAMERA, POINTS - step)) / (2 * h)
        assert np.abs(slope - found.by_point[:, :, k]).max() < 1e-6
    for k in range(6):
        step = np.eye(6)[k] * h
        slope = (project(turned(CAMERA, step), POINTS) - project(turned(CAMERA, -step), POINTS)) / (2 * h)
        assert np.abs(slope - found.by_pose[:, :, k]).max() < 1e-6
    for k in range(9):
        step = np.eye(9)[k] * h
        ahead = CAMERA.with_intrinsics(CAMERA.intrinsics + step, CAMERA.pose)
        back = CAMERA.with_intrinsics(CAMERA.intrinsics - step, CAMERA.pose)
        slope = (project(ahead, POINTS) - project(back, POINTS)) / (2 * h)
        assert np.abs(slope - found.by_lens[:, :, k]).max() < 1e-6


def test_rays_go_back_to_their_points() -> None:
    arm = POINTS - np.array(CAMERA.pose.position)
    assert np.abs(rays(CAMERA, project(CAMERA, POINTS)) - arm / np.linalg.norm(arm, axis=1)[:, None]).max() < 1e-14


def test_points_that_are_not_seen() -> None:
    behind = np.array(CAMERA.pose.position) - CAMERA.pose.rotation[:, 2]
    assert np.isnan(project(CAMERA, behind)).all()
    strong = Camera("b", (512, 512), (300, 300), (255.5, 255.5), (-0.6, 0, 0, 0, 0))
    edge = 1 / np.sqrt(3 * 0.6)  # where r g(r) turns back
    assert np.isfinite(project(strong, [0.99 * edge, 0, 1])).all()
    assert np.isnan(project(strong, [1.01 * edge, 0, 1])).all()
    assert np.isnan(undistort(strong, [2000.0, 255.5])).all()


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_files_keep_every_bit(tmp_path, ending: str) -> None:
    cameras = (CAMERA, Camera('b "2"', (1024, 768), (800, 801.5), (500, 380), pose=Pose((1e-7, 2, 3))))
    write_cameras(cameras, tmp_path / f"cameras.{ending}")
    again = read_cameras(tmp_path / f"cameras.{ending}")
    assert again[1].name == 'b "2"'
    assert again[0].size == (512, 512)
    assert np.allclose(pack_cameras(again), pack_cameras(cameras), rtol=0, atol=1e-15)
    write_cameras(again, tmp_path / f"again.{ending}")
    assert np.array_equal(pack_cameras(read_cameras(tmp_path / f"again.{ending}")), pack_cameras(again))


@pytest.mark.parametrize(("text", "word"), [
    ("", "no cameras"), ("[[camera]]\nname = 'a'", "'size' is missing"), ("[[camera]\n", "line 1"),
    ("camera = [3]", "must be a table"), ("[[camera]]\nnom = 1", "'nom' is not known"),
])  # fmt: skip
def test_bad_files_are_named(tmp_path, text: str, word: str) -> None:
    path = tmp_path / "c.toml"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=word) as error:
        read_cameras(path)
    assert "c.toml" in str(error.value)


def test_bad_cameras_are_named() -> None:
    for bad, word in (({"size": (0, 5)}, "size"), ({"focal": (1, -1)}, "focal"), ({"distortion": (1,)}, "k1 k2"),
                      ({"centre": (np.nan, 0)}, "centre"), ({"name": ""}, "name")):  # fmt: skip
        with pytest.raises(ArgumentError, match=word):
            Camera(**{"name": "x", "size": (5, 5), "focal": (1, 1), "centre": (2, 2), **bad})
