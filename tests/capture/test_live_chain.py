"""Blobs to joint angles, frame by frame: right from the first frames on, through frames in which little is seen."""

import numpy as np
import pytest

from hitogata.capture import LiveChain, MarkerIk, MarkerSet, learn_markers, spread_markers
from hitogata.errors import ArgumentError
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from tests.capture.test_labelling import walk
from tests.capture.test_matching import CAMERAS, blobs_of

RATE = 120.0


def test_from_blobs_to_angles() -> None:
    human = virtual_human()
    markers, q = spread_markers(human, 41), sample_walk(strides=2, rate=RATE).q  # in ranges
    q = np.concatenate([0.2 * q[:, :1], q[:, 1:]], axis=1)           # stays before the cameras
    places = markers.positions(human, q)
    chain = LiveChain(CAMERAS, learn_markers(places[::7], markers.labels), RATE, MarkerIk(human, markers))
    rng = np.random.default_rng(0)
    right, off = 0, []
    for k in range(60):
        blind = 30 <= k < 33
        frame = chain(blobs_of(places[k], rng, hidden=1.0 if blind else 0.1, false=2))
        assert frame.time == pytest.approx(k / RATE)
        assert frame.seen_by.shape == (len(frame.points), len(CAMERAS))
        if blind:
            assert frame.q is not None                              # it stays where it was
            continue
        given = frame.labels >= 0
        right += int((np.linalg.norm(frame.markers[given] - places[k][given], axis=1) < 0.01).sum())
        if frame.q is not None:
            gaps = np.linalg.norm(markers.positions(human, frame.q) - places[k], axis=1)
            off.append(float(np.sqrt((gaps**2).mean())))
    assert right > 0.95 * 41 * 57
    assert len(off) > 50
    assert np.median(off) < 0.002


def test_labels_must_be_shared() -> None:
    human = virtual_human()
    markers = spread_markers(human, 41)
    model = learn_markers(markers.positions(human, walk(human, 20)), markers.labels)
    other = MarkerSet(tuple(f"x{k}" for k in range(41)), markers.links, markers.places)
    with pytest.raises(ArgumentError, match="share fewer than three labels"):
        LiveChain(CAMERAS, model, RATE, MarkerIk(human, other))
