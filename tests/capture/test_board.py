"""Lenses from filmed chessboards, against the true lens."""

import numpy as np
import pytest

from hitogata.capture import lens_fit
from hitogata.capture.board import Board, find_corners, observe_board
from hitogata.capture.camera import Camera, project
from hitogata.capture.camera_files import write_cameras
from hitogata.capture.film import FilmSettings
from hitogata.capture.film_board import film_board
from hitogata.capture.lens_calibration import _started, calibrate_lenses
from hitogata.cli import main
from hitogata.errors import ArgumentError
from hitogata.figure import Pose
from hitogata.spatial import quat_exp

pytest.importorskip("cv2")
BOARD = Board(8, 6, 0.03)
SIZE = (400, 300)
TRUE = Camera("c0", SIZE, (431.0, 428.0), (203.0, 146.5), (-0.21, 0.06, 8e-4, -5e-4, 0.0), Pose((1, 2, 3)))
GUESS = Camera("c0", SIZE, (400, 400), (199.5, 149.5), pose=Pose((1, 2, 3)))


def shown(count: int, seed: int = 0, tilt: float = 0.5) -> list[Pose]:
    """Poses of the board before the camera, in the world."""
    rng, poses = np.random.default_rng(seed), []
    middle = BOARD.points.mean(axis=0)
    for _ in range(count):
        turn = Pose((0, 0, 0), tuple(quat_exp(rng.uniform(-tilt, tilt, 3)))).rotation
        depth = rng.uniform(0.42, 0.62)
        at = np.array([*rng.uniform(-1, 1, 2) * (0.24 * depth, 0.15 * depth), depth])
        poses.append(TRUE.pose @ Pose.from_matrix(turn, at - turn @ middle))
    return poses


@pytest.fixture(scope="module")
def seen() -> np.ndarray:
    return observe_board(BOARD, film_board(TRUE, BOARD, shown(24), settings=FilmSettings(samples=3)))


def true_pixels(poses: list[Pose]) -> np.ndarray:
    return np.array([project(TRUE, pose.apply(BOARD.points)) for pose in poses])


def test_corners_are_where_they_are(seen) -> None:
    whole = np.isfinite(seen).all(axis=(1, 2))
    assert whole.sum() >= 10
    true = true_pixels(shown(24))[whole]
    off = [min(np.sqrt(np.square(a - b).mean()) for b in (t, t[::-1])) for a, t in zip(seen[whole], true, strict=True)]
    assert np.median(off) < 0.06


def test_lens_is_found(seen) -> None:
    found = calibrate_lenses([GUESS], [seen], BOARD)
    camera, report = found.cameras[0], found.reports[0]
    assert found.problems == ()
    assert report.rms < 0.08
    assert camera.pose == GUESS.pose
    assert np.all(np.abs(camera.intrinsics - TRUE.intrinsics)[:4] < 5 * np.array(report.sigmas[:4]))
    assert np.abs(camera.intrinsics - TRUE.intrinsics)[:4].max() < 1.0
    u, v = np.meshgrid(np.linspace(-0.35, 0.35, 9), np.linspace(-0.25, 0.25, 7))
    rays = TRUE.pose.apply(np.stack([u, v, np.ones_like(u)], axis=-1).reshape(-1, 3))
    assert np.abs(project(camera, rays) - project(TRUE, rays)).max() < 0.8


def test_wrong_corners_do_little_harm() -> None:
    poses = shown(12, 3)
    pixels = true_pixels(poses) + np.random.default_rng(0).normal(0, 0.05, (12, 48, 2))
    clean = calibrate_lenses([GUESS], [pixels.copy()], BOARD)
    pixels[::3, 7] += 4.0
    found = calibrate_lenses([GUESS], [pixels], BOARD)
    off = np.abs(found.cameras[0].intrinsics - clean.cameras[0].intrinsics)
    assert np.all(off < np.array(clean.reports[0].sigmas))
    assert (clean.reports[0].dropped, found.reports[0].dropped) == (0, 4)
    assert found.reports[0].rms < 0.06


def test_step_is_the_dense_one() -> None:
    """The Schur complement solves the normal equations of a dense Jacobian by finite differences."""
    pixels = true_pixels(shown(4, 5)) + np.random.default_rng(1).normal(0, 0.05, (4, 48, 2))
    views, guess = _started(GUESS, pixels, BOARD), GUESS.intrinsics
    normal = lens_fit._normal(views, BOARD.points, pixels, guess, 1.0)
    s, right, inverse = lens_fit._reduced(normal, 0.0)
    dl = np.linalg.solve(s, right)
    dv = -(inverse @ (normal.gv + dl @ normal.w)[..., None])[..., 0]

    def residuals(x: np.ndarray) -> np.ndarray:
        moved = [lens_fit._moved(view, step, x[:9]) for view, step in zip(views, x[9:].reshape(-1, 6), strict=True)]
        off = (moved[0].intrinsics - guess) / lens_fit.lens_spread(moved[0], guess)
        return np.concatenate([(np.array([project(m, BOARD.points) for m in moved]) - pixels).ravel(), off])

    h, n = 1e-6, 9 + 24
    jacobian = np.stack([(residuals(h * e) - residuals(-h * e)) / (2 * h) for e in np.eye(n)], axis=1)
    dense, *_ = np.linalg.lstsq(jacobian, -residuals(np.zeros(n)), rcond=None)
    assert np.allclose(np.concatenate([dl, dv.ravel()]), dense, rtol=1e-3, atol=1e-5)


def test_what_the_views_do_not_tell_is_said() -> None:
    few = true_pixels(shown(3))
    assert "seen in 3 images" in calibrate_lenses([GUESS], [few], BOARD).problems[0]
    middle = BOARD.points.mean(axis=0)
    straight = [TRUE.pose @ Pose(tuple(np.array((0, 0, 0.8 + 0.02 * k)) - middle)) for k in range(8)]
    noise = np.random.default_rng(2).normal(0, 0.05, (8, 48, 2))
    told = calibrate_lenses([GUESS], [true_pixels(straight) + noise], BOARD).problems
    assert any("tilt the board" in problem for problem in told)
    assert any("of the way to the image's corners" in problem for problem in told)
    assert np.isnan(find_corners(BOARD, np.zeros((300, 400), np.uint8))).all()
    with pytest.raises(ArgumentError, match="columns of inner corners"):
        Board(2, 6, 0.03)


def test_command(tmp_path, capsys) -> None:
    write_cameras([GUESS], tmp_path / "guess.toml")
    np.save(tmp_path / "c0.npy", list(film_board(TRUE, BOARD, shown(8, 1, 0.4), settings=FilmSettings(samples=2))))
    out, guess = str(tmp_path / "lenses.toml"), str(tmp_path / "guess.toml")
    begin = ["capture", "calibrate", str(tmp_path), "--cameras", guess, "-o", out, "--board"]
    assert main([*begin, "8x6:30"]) == 0
    assert "8 views of the board (0 corners dropped), reprojection 0.0" in capsys.readouterr().out
    assert main([*begin, "8by6"]) != 0
    assert "COLUMNSxROWS:MM" in capsys.readouterr().err
    assert main([*begin, "5x5:30"]) != 0
    assert "check the number of inner corners" in capsys.readouterr().err
