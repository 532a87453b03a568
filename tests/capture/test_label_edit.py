"""Labels mended by hand: what is exchanged, over which frames."""

import numpy as np
import pytest

from hitogata.capture import Scope, exchange_labels, remove_label
from hitogata.errors import ArgumentError
from hitogata.files import MarkerData


def trial():
    """Three markers a hand apart that move together; labels of the first two changed places from 20 to 39."""
    t = np.arange(60) / 100
    way = np.stack([np.sin(3 * t), np.cos(2 * t), 0 * t + 1], axis=1)
    true = way[:, None] + np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.15, 0]])
    wrong = true.copy()
    wrong[20:40, [0, 1]] = true[20:40, [1, 0]]
    residuals = np.arange(180.0).reshape(60, 3)
    return true, MarkerData(("a", "b", "c"), t, 100.0, wrong, residuals)


def test_a_stretch_ends_where_labels_change_places():
    true, data = trial()
    for frame in (20, 30, 39):
        mended = exchange_labels(data, "a", "b", frame)
        np.testing.assert_array_equal(mended.positions, true)
        np.testing.assert_array_equal(mended.residuals[25], data.residuals[25][[1, 0, 2]])
        np.testing.assert_array_equal(mended.residuals[50], data.residuals[50])
    onward = exchange_labels(data, "a", "b", 30, Scope.ONWARD)
    np.testing.assert_array_equal(onward.positions[:30], data.positions[:30])
    np.testing.assert_array_equal(onward.positions[50], data.positions[50][[1, 0, 2]])
    one = exchange_labels(data, "a", "b", 30, Scope.FRAME)
    assert (np.any(one.positions != data.positions, axis=(1, 2)).nonzero()[0] == [30]).all()
    np.testing.assert_array_equal(exchange_labels(one, "b", "a", 30, Scope.FRAME).positions, data.positions)


def test_a_label_taken_away_leaves_its_point():
    true, data = trial()
    gap = true.copy()
    gap[35:45, 2] = np.nan
    data = MarkerData(("a", "b", "c"), data.time, 100.0, gap)
    less = remove_label(data, "c", 50)
    assert less.labels == ("a", "b", "c", "*1")
    assert np.isnan(less.positions[45:, 2]).all()
    np.testing.assert_array_equal(less.positions[45:, 3], true[45:, 2])
    np.testing.assert_array_equal(less.positions[:35, 2], true[:35, 2])
    again = remove_label(less, "c", 10)
    assert again.labels == less.labels                              # the spare one was free there
    np.testing.assert_array_equal(again.positions[:35, 3], true[:35, 2])


def test_bad_input():
    _, data = trial()
    with pytest.raises(ArgumentError, match="no 'x'"):
        exchange_labels(data, "a", "x", 3)
    with pytest.raises(ArgumentError, match="0 to 59"):
        exchange_labels(data, "a", "b", 60)
