"""Calibration against true cameras: from pixels of a wand, with wrong sightings, blind and mirrored cameras."""

import sys

import numpy as np
import pytest

from hitogata.capture import bundle as bundles
from hitogata.capture.blobs import find_blobs
from hitogata.capture.calibration import CalibrationError, _started, calibrate
from hitogata.capture.camera import project
from hitogata.capture.film import film_points
from hitogata.capture.wand import Wand, observe
from hitogata.errors import ArgumentError, MissingDependencyError
from tests.capture.rigs import FRAME, WAND, cameras, guesses, sightings, waved

pytest.importorskip("cv2")
TRUE = cameras()
GUESSES = guesses(TRUE)
SEEN = sightings(TRUE, waved())
FLOOR = sightings(TRUE, np.repeat(FRAME.points[None], 10, axis=0), seed=2)


@pytest.fixture(scope="module")
def found():
    return calibrate(GUESSES, SEEN, WAND, frame_pixels=FLOOR, l_frame=FRAME)


def test_cameras_are_found(found) -> None:
    assert found.problems == ()
    assert found.converged
    assert found.rms == pytest.approx(0.03, rel=0.1)  # the noise that was put in
    assert found.wand_rms < 0.0005
    room = np.random.default_rng(3).uniform((-1, -1, 0.1), (1, 1, 1.9), (200, 3))
    for camera, true, report in zip(found.cameras, TRUE, found.reports, strict=True):
        off = np.linalg.norm(np.array(camera.pose.position) - true.pose.position)
        assert off < 4 * report.place_sigma + 1e-4  # the covariance tells the truth
        assert report.place_sigma < 0.005
        assert np.nanmax(np.abs(project(camera, room) - project(true, room))) < 0.6  # most of it is the L-frame's error


def test_a_few_wrong_sightings_do_no_harm(found) -> None:
    wrong = SEEN.copy()
    rng = np.random.default_rng(4)
    for t, c in zip(rng.integers(0, 150, 25), rng.integers(0, 8, 25), strict=True):
        wrong[t, c] = wrong[t, c, ::-1]  # ends taken for each other
    again = calibrate(GUESSES, wrong, WAND, frame_pixels=FLOOR, l_frame=FRAME)
    assert sum(report.dropped for report in again.reports) >= 20
    assert again.rms == pytest.approx(found.rms, rel=0.1)
    for a, b in zip(again.cameras, found.cameras, strict=True):
        assert np.allclose(a.pose.position, b.pose.position, atol=0.002)


def test_the_step_is_the_dense_one() -> None:
    """The Schur complement solves the normal equations of a dense Jacobian by finite differences."""
    few = SEEN[::15, :3]
    bundle, seen = _started(tuple(TRUE[:3]), few, WAND)
    normal = bundles._normal(bundle, seen, 1.0)
    s, right, _, inverse = bundles._reduced(normal, 0.0, True)
    dc = np.linalg.solve(s, right)
    df = -(inverse @ (normal.gf + np.einsum("cfij,ci->fj", normal.w, dc.reshape(-1, 15)))[..., None]).ravel()
    step = np.concatenate([dc, df])

    def residuals(x: np.ndarray) -> np.ndarray:
        moved = bundles._moved(bundle, x[:45], x[45:])
        parts = [(project(moved.cameras[c], bundles.points_of(moved, seen)[seen.camera == c]) -
                  seen.pixel[seen.camera == c]).ravel() for c in range(3)]  # fmt: skip
        lenses = zip(moved.cameras, moved.guesses, strict=True)
        priors = [(c.intrinsics - g) / bundles.lens_spread(c, g) for c, g in lenses]
        return np.concatenate(parts + priors)

    n, h = len(step), 1e-6
    jacobian = np.stack([(residuals(h * e) - residuals(-h * e)) / (2 * h) for e in np.eye(n)], axis=1)
    free = np.arange(n) >= 6  # the first camera is held
    dense, *_ = np.linalg.lstsq(jacobian[:, free], -residuals(np.zeros(n)), rcond=None)
    assert np.allclose(step[free], dense, rtol=1e-3, atol=1e-5)


def test_blind_mirrored_and_lonely_cameras_are_named() -> None:
    seen = SEEN.copy()
    seen[:, 2] = np.nan
    seen[..., 0][:, 5] = 511 - seen[..., 0][:, 5]
    cal = calibrate(GUESSES, seen, WAND)
    assert [camera.name for camera in cal.cameras] == ["c0", "c1", "c3", "c4", "c6", "c7"]
    assert any("camera c2 sees the wand in 0 frames" in p for p in cal.problems)
    assert any("c5: its images are mirrored" in p for p in cal.problems)
    assert cal.rms < 0.04


def test_all_mirrored_and_planar_are_named() -> None:
    flip = lambda pixels: pixels * np.array([-1, 1]) + np.array([511, 0])
    mirrored = calibrate(GUESSES, flip(SEEN), WAND, frame_pixels=flip(FLOOR), l_frame=FRAME)
    assert any("below the floor" in p for p in mirrored.problems)
    planar = calibrate(GUESSES[:4], sightings(TRUE[:4], waved(80, flat=True)), WAND)
    assert any("almost in a plane" in p for p in planar.problems)


def test_nothing_to_calibrate() -> None:
    with pytest.raises(CalibrationError, match="c1 sees the wand in 3 frames"):
        calibrate(GUESSES[:2], SEEN[:3, :2], WAND)
    with pytest.raises(ArgumentError, match="second marker"):
        Wand((0, 0.3, 0.5))


def test_without_opencv_the_install_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingDependencyError, match=r"hitogata\[capture\]"):
        calibrate(GUESSES[:2], SEEN[:, :2], WAND)


def test_wand_and_frame_are_found_in_images() -> None:
    points = waved()[::30]
    blobs = [find_blobs(images) for images in film_points(TRUE[:3], points, radius=0.0095)]
    pixels = observe(GUESSES[:3], blobs, WAND)
    true = np.stack([project(camera, points) for camera in TRUE[:3]], axis=1)
    seen = np.isfinite(pixels).all(axis=(2, 3))
    assert seen.mean() > 0.8
    assert np.abs(pixels[seen] - true[seen]).max() < 0.3
    floor = observe(GUESSES[:3], [find_blobs(next(film_points(TRUE[:3], FRAME.points[None], radius=0.0095)))], FRAME)
    assert np.abs(floor[0] - np.stack([project(camera, FRAME.points) for camera in TRUE[:3]])).max() < 0.3


def test_mirrored_images_that_agree_with_those_of_a_camera_opposite() -> None:
    """A mirrored camera seems to look from the other side: with one alone it agrees, with all it does not."""
    true = cameras(6)
    seen, floor = sightings(true, waved(100)), sightings(true, FRAME.points[None])
    seen[:, 3, ..., 0] = 511 - seen[:, 3, ..., 0]
    found = calibrate(guesses(true), seen, WAND, frame_pixels=floor, l_frame=FRAME)
    assert found.problems == ("camera c3: its images are mirrored: left out",)
    assert found.rms < 0.05
    assert [camera.name for camera in found.cameras] == ["c0", "c1", "c2", "c4", "c5"]
