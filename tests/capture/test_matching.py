"""Points from blobs that are known: found, placed, tracked; ghosts are not."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from hitogata.capture.blobs import Blobs
from hitogata.capture.camera import project
from hitogata.capture.matching import Matcher, MatchSettings
from hitogata.capture.tracking import reconstruct
from hitogata.errors import ArgumentError
from tests.capture.rigs import cameras

CAMERAS = cameras()


def blobs_of(points: np.ndarray, rng: np.random.Generator, *, hidden: float = 0.3, false: int = 4) -> list[Blobs]:
    """What the cameras see of points: noise of 0.05 px, some hidden, some blobs that are nothing, in any order."""
    frame = []
    for camera in CAMERAS:
        pixels = project(camera, points)[rng.random(len(points)) > hidden]
        pixels = pixels[((pixels > 0) & (pixels < 511)).all(axis=1)]
        pixels = np.concatenate([pixels + rng.normal(0, 0.05, pixels.shape), rng.uniform(150, 360, (false, 2))])
        rng.shuffle(pixels)
        table = np.zeros((len(pixels), 6))
        table[:, :2], table[:, 2], table[:, 3], table[:, 4] = pixels, 2.0, 900.0, 1.0
        frame.append(Blobs(table))
    return frame


def test_points_are_found_without_history() -> None:
    rng, matcher = np.random.default_rng(0), Matcher(CAMERAS)
    right = ghosts = total = 0
    errors, scaled = [], []
    for _ in range(20):
        points = rng.uniform((-0.4, -0.4, 0.1), (0.4, 0.4, 1.8), (41, 3))
        found = matcher(blobs_of(points, rng))
        gaps = np.linalg.norm(found.positions[:, None] - points, axis=2)
        hit = gaps.min(axis=1) < 0.01
        right, ghosts, total = right + len(set(gaps.argmin(axis=1)[hit])), ghosts + (~hit).sum(), total + 41
        errors += list(gaps.min(axis=1)[hit])
        scaled += list(gaps.min(axis=1)[hit & (found.cameras > 4)] / found.sigmas[hit & (found.cameras > 4)] / 0.05)
    assert right / total > 0.98  # 98.9 % are seen by three cameras or more
    assert ghosts / total < 0.01
    assert np.sqrt(np.square(errors).mean()) < 0.001
    assert 0.8 < np.sqrt(np.square(scaled).mean()) < 1.25  # sigmas tell the truth


def test_tracks_keep_their_numbers_through_crossings() -> None:
    rng, t = np.random.default_rng(1), np.arange(100) / 120
    turn = np.stack([np.cos(5 * t), np.sin(5 * t)], axis=1)
    start = rng.uniform((-0.5, -0.5, 0.3), (0.5, 0.5, 1.7), (14, 3))
    paths = np.repeat(start[None], len(t), axis=0)
    paths[:, :7, :2] += 0.4 * turn[:, None]
    paths[:, 7] = np.stack([2 * (t - 0.4), 0 * t, 1 + 0 * t], axis=1)  # these two pass each other at 25 mm
    paths[:, 8] = np.stack([-2 * (t - 0.4), 0.025 + 0 * t, 1 + 0 * t], axis=1)
    found = reconstruct(CAMERAS, [blobs_of(p, rng, hidden=0.25, false=3) for p in paths], 120)
    assert 14 <= found.markers.positions.shape[1] <= 17
    assert found.markers.seen.sum() > 0.97 * 14 * 100
    for track in range(found.markers.positions.shape[1]):
        seen = found.markers.seen[:, track]
        gaps = np.linalg.norm(found.markers.positions[seen, track][:, None] - paths[seen], axis=2)
        assert len(set(gaps.argmin(axis=1))) == 1
        assert np.median(gaps.min(axis=1)) < 0.001


def test_nothing_seen_and_bad_input() -> None:
    nothing = [Blobs(np.zeros((0, 6)))] * 8
    assert len(Matcher(CAMERAS)(nothing)) == 0
    assert reconstruct(CAMERAS, [nothing] * 3, 100).markers.positions.shape == (3, 0, 3)
    with pytest.raises(ArgumentError, match="8 cameras, but blobs of 2"):
        Matcher(CAMERAS)(nothing[:2])
    with pytest.raises(ArgumentError, match="2 to 64 cameras"):
        Matcher(CAMERAS[:1])
    with pytest.raises(ArgumentError, match="tolerance"):
        MatchSettings(tolerance=-1)


def test_assignment_is_scipys() -> None:
    from hitogata.capture.assignment import assign

    rng = np.random.default_rng(2)
    for rows, columns in ((1, 1), (3, 5), (12, 12), (20, 31)):
        cost, found = rng.random((rows, columns)), np.empty(rows, dtype=np.int64)
        assign.py_func(cost, rows, columns, found)
        assert cost[np.arange(rows), found].sum() == pytest.approx(cost[linear_sum_assignment(cost)].sum(), abs=1e-12)
