"""Pieces of motions, and pieces put together again."""

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory, velocities_of
from hitogata.library import human28, pendulum
from hitogata.motion import GroundMove, cut, join, move_root
from tests.motion.figures import every_joint, waving
from tests.motion.steps import stepping_walk


@pytest.fixture(scope="module")
def case():
    figure = every_joint()
    return figure, waving(figure)


def test_cut_at_samples(case):
    figure, motion = case
    piece = cut(figure, motion, 1.0, 1.8)
    rows = (motion.time > 0.999) & (motion.time < 1.801)
    np.testing.assert_array_equal(piece.q, motion.q[rows])
    np.testing.assert_array_equal(piece.v, motion.v[rows])
    np.testing.assert_array_equal(piece["step"], motion["step"][rows])
    assert cut(figure, motion).time[[0, -1]].tolist() == motion.time[[0, -1]].tolist()


def test_cut_between_samples(case):
    """Ends between samples are added, with velocities that fit."""
    figure, motion = case
    piece = cut(figure, motion, 1.0037, 1.8051)
    assert piece.time[[0, -1]].tolist() == [1.0037, 1.8051]
    np.testing.assert_allclose(velocities_of(figure, piece.time, piece.q), piece.v, atol=5e-3)
    np.testing.assert_allclose(piece["load"], np.sin(piece.time), atol=1e-4)
    tiny = cut(figure, motion, 1.0012, 1.0034)
    assert tiny.time.tolist() == [1.0012, 1.0034]
    np.testing.assert_allclose(tiny.v.mean(axis=0), velocities_of(figure, tiny.time, tiny.q)[0], atol=5e-5)


@pytest.mark.parametrize("at", [1.3, 1.2345])
def test_cut_and_join_is_the_original(case, at):
    figure, motion = case
    whole = join(figure, [cut(figure, motion, None, at), cut(figure, motion, at, None)])
    keep = np.isin(np.round(whole.time, 9), np.round(motion.time, 9))
    assert keep.sum() == len(motion)
    np.testing.assert_allclose(whole.time[keep], motion.time, atol=1e-12)
    np.testing.assert_allclose(difference(figure, whole.q[keep], motion.q), 0, atol=1e-12)
    np.testing.assert_array_equal(whole["step"][keep], motion["step"])
    np.testing.assert_allclose(whole.v[keep], motion.v, atol=1e-9 if at == 1.3 else 2e-2)


def test_join_with_a_gap_keeps_what_all_have(case):
    figure, motion = case
    first, second = cut(figure, motion, 0.5, 1.0), cut(figure, motion, 1.01, 2.0)
    second = Trajectory(second.time, second.q, second.v, {"load": second["load"], "other": second.time}, "every_joint")
    whole = join(figure, [first, second], gap=0.01)
    assert list(whole.channels) == ["load"]
    np.testing.assert_allclose(whole.time, motion.time[: len(whole)], atol=1e-12)
    np.testing.assert_allclose(whole.v[:-1], motion.v[: len(whole) - 1], atol=1e-9)
    assert len(join(figure, [motion] * 3)) == 3 * len(motion) - 2


def test_join_aligned():
    """A walk that goes on elsewhere is brought back to where the first one ended: the whole walk again."""
    figure = human28()
    walk, _ = stepping_walk(figure, turn=0.4)
    second = move_root(figure, cut(figure, walk, 1.5, None), GroundMove(2.0, (3.0, -1.0, 0.0)))
    whole = join(figure, [cut(figure, walk, None, 1.5), second], align=True)
    places = [forward_kinematics(figure, m.q).position for m in (walk, whole)]
    np.testing.assert_allclose(places[1], places[0], atol=0.002)  # velocities at a cut are known less well


def test_bad_input(case):
    figure, motion = case
    for start, end in ((0.0, 1.0), (1.0, 3.0), (-1.0, None)):
        with pytest.raises(ArgumentError, match=r"outside the motion, which goes from 0.5 to 2.5 s"):
            cut(figure, motion, start, end)
    for start, end in ((1.0, 1.0), (1.5, 1.2)):
        with pytest.raises(ArgumentError, match="nothing is left"):
            cut(figure, motion, start, end)
    with pytest.raises(ArgumentError, match="start: must be finite"):
        cut(figure, motion, float("nan"))
    with pytest.raises(ArgumentError, match="there are none"):
        join(figure, [])
    with pytest.raises(ArgumentError, match="must not be negative"):
        join(figure, [motion, motion], gap=-1)
    with pytest.raises(ArgumentError, match=r"motions\[1\]: 2 samples"):
        join(figure, [motion, Trajectory([0.0], motion.q[:1], motion.v[:1])])
    other = Trajectory(motion.time, motion.q, motion.v, figure_name="somebody")
    with pytest.raises(ArgumentError, match="'every_joint' and 'somebody'"):
        join(figure, [motion, other])
    swing = waving(pendulum())
    with pytest.raises(ArgumentError, match="not a free one"):
        join(pendulum(), [swing, swing], align=True)
