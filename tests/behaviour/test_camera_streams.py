"""Cameras over LSL: blobs come back to the bit, with their numbers, to the end; too many are cut to the brightest."""

import threading
import time

import numpy as np
import pytest

from hitogata.behaviour import CameraOutlet, Samples, frames_of_stream
from hitogata.behaviour.camera_streams import MOST, blob_frames, blob_sample
from hitogata.capture import Blobs, CameraFrame, CameraLinkError
from hitogata.errors import ArgumentError


def blobs(count: int, seed: int) -> Blobs:
    return Blobs(np.random.default_rng(seed).uniform(1, 99, (count, 6)), False)


def back(row):
    return next(iter(blob_frames(Samples(np.zeros(1), np.zeros(1), row))))


def test_samples_are_frames() -> None:
    for count in (0, 3, MOST):
        frame = back(blob_sample(CameraFrame(5, blobs(count, count))))
        assert frame.number == 5
        assert np.array_equal(frame.seen.table, blobs(count, count).table)
        assert not frame.seen.overflow


def test_of_too_many_the_brightest_are_kept() -> None:
    many = blobs(MOST + 20, 1)
    frame = back(blob_sample(CameraFrame(0, many)))
    assert frame.seen.overflow
    assert len(frame.seen) == MOST
    assert frame.seen.table[:, 3].min() > np.sort(many.table[:, 3])[19]


def test_images_and_strange_samples_are_refused() -> None:
    with pytest.raises(ArgumentError, match="LSL carries blobs"):
        blob_sample(CameraFrame(0, np.zeros((4, 4), np.uint8)))
    row = blob_sample(CameraFrame(0, blobs(2, 0)))
    for place, value in ((0, -3.0), (1, MOST + 1.0), (4, np.nan)):
        bad = row.copy()
        bad[0, place] = value
        with pytest.raises(CameraLinkError, match="no blobs"):
            back(bad)


def test_over_lsl() -> None:
    pytest.importorskip("pylsl")
    outlet = CameraOutlet("camera of a test", 100.0)

    def camera() -> None:
        while not outlet.receivers:
            time.sleep(0.01)
        for k in range(20):
            outlet.send(CameraFrame(k, blobs(k % 5, k)))
        outlet.close()

    sender = threading.Thread(target=camera)
    sender.start()
    found = list(frames_of_stream("camera of a test", patience=60.0))
    sender.join()
    assert [frame.number for frame in found] == list(range(20))
    assert all(np.array_equal(frame.seen.table, blobs(k % 5, k).table) for k, frame in enumerate(found))
