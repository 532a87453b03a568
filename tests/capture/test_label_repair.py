"""Files with wrong labels mended, and labels from a static pose."""

import numpy as np
import pytest

from hitogata.capture import label, label_by_pose, learn_markers, repair_labels, spread_markers
from hitogata.capture.label_repair import agreeing
from hitogata.capture.marker_model import is_still
from hitogata.capture.trial_check import side_pairs
from hitogata.errors import ArgumentError
from hitogata.files import MarkerData, read_c3d
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from tests.capture.test_labelling import walk
from tests.reference import reference


def spoiled(places, stretches, seed=0):
    """Two labels change places, again and again."""
    rng, wrong = np.random.default_rng(seed), places.copy()
    for _ in range(stretches):
        a, b = rng.choice(places.shape[1], 2, replace=False)
        start, long = rng.integers(len(places) - 20), rng.integers(10, len(places) // 9)
        wrong[start : start + long, [a, b]] = wrong[start : start + long, [b, a]]
    return wrong


def score(found, places):
    """F1 of labels whose points are the true ones."""
    mine = found.markers.positions[:, : places.shape[1]]
    right = (np.abs(mine - places) < 1e-9).all(axis=2)
    return 2 * right.sum() / (np.isfinite(mine[..., 0]).sum() + np.isfinite(places[..., 0]).sum())


def figure_trial():
    human = virtual_human()
    markers = spread_markers(human, 41)
    return markers, markers.positions(human, walk(human))


def test_wrong_labels_are_found_and_mended():
    markers, places = figure_trial()
    wrong = spoiled(places, 40)
    off = (wrong != places).any(axis=2)
    assert 0.03 < off.mean() < 0.2
    assert (~agreeing(wrong))[off].mean() > 0.6
    assert (~agreeing(wrong))[~off].mean() < 0.02
    mended = repair_labels(MarkerData(markers.labels, np.arange(len(places)) / 120, 120.0, wrong))
    assert score(mended.labelled, places) > 0.999
    assert mended.changed >= off.sum()
    assert "did not agree" in mended.report()


def test_recorded_trial_with_one_label_in_six_wrong():
    data = read_c3d(reference("markers_c3d", "cmu_02_05.c3d")).markers
    places = np.array(data.positions)
    wrong = spoiled(places, 75, seed=1)
    seen = np.isfinite(places[..., 0])
    assert (np.abs(np.nan_to_num(wrong) - np.nan_to_num(places)).max(axis=2) > 0)[seen].mean() > 0.12
    mended = repair_labels(MarkerData(data.labels, data.time, data.rate, wrong))
    assert score(mended.labelled, places) > 0.995


def test_labels_from_a_static_pose():
    human = virtual_human()
    markers, rng = spread_markers(human, 41), np.random.default_rng(0)
    places = markers.positions(human, sample_walk(strides=2).q)
    still = markers.positions(human, np.repeat(human.neutral()[None], 30, axis=0)) + rng.normal(0, 5e-4, (30, 41, 3))
    assert is_still(still)
    assert not is_still(places)
    pose = MarkerData(markers.labels, np.arange(30) / 120, 120.0, still)
    order = rng.permutation(41)
    names = tuple(f"*{k + 1}" for k in range(41))
    trial = MarkerData(names, np.arange(len(places)) / 120, 120.0, places[:, order])
    first, found = label(learn_markers(pose), trial), label_by_pose(pose, trial).labelled
    assert score(found, places) > score(first, places) + 0.03        # what it told of itself helps
    assert score(found, places) > 0.88


def test_sides_of_usual_names():
    found = side_pairs(("Me:LASI", "Me:RASI", "LKNE", "RKNE", "heel_left", "heel_right", "LUMB", "C7"))
    assert found == {"Me:LASI": "Me:RASI", "LKNE": "RKNE", "heel_left": "heel_right"}


def test_too_few_labels():
    with pytest.raises(ArgumentError, match="four are needed"):
        repair_labels(MarkerData(("a", "b", "c"), np.arange(5) / 5, 5.0, np.zeros((5, 3, 3))))
