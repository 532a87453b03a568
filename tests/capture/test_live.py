"""Cameras in processes of their own: the same blobs as here, ends and errors told."""

import functools

import numpy as np
import pytest

from hitogata.capture.blobs import find_blobs
from hitogata.capture.live import CameraLostError, CameraProcesses


def spots(count: int, seed: int):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        image = np.zeros((64, 64), dtype=np.uint8)
        for x, y in rng.integers(5, 59, (4, 2)):
            image[y : y + 3, x : x + 3] = 200
        yield image


def broken():
    yield np.zeros((64, 64), dtype=np.uint8)
    raise OSError("cable pulled")


def test_blobs_of_processes() -> None:
    with CameraProcesses([functools.partial(spots, 5, 1), functools.partial(spots, 5, 2)], patience=120) as live:
        frames = list(live)
    assert len(frames) == 5
    for seed, here in ((1, 0), (2, 1)):
        for frame, image in zip(frames, spots(5, seed), strict=True):
            assert np.array_equal(frame[here].table, find_blobs([image])[0].table)


def test_a_lost_camera_is_named() -> None:
    with (
        CameraProcesses([functools.partial(spots, 9, 1), broken], patience=120) as live,
        pytest.raises(CameraLostError, match="camera 2: OSError: cable pulled"),
    ):
        list(live)
