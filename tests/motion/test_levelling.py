"""Soles that rest are level."""

import numpy as np
import pytest

from hitogata.dynamics import difference
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.library import human28, pendulum
from hitogata.motion import level_feet
from hitogata.spatial import quat_exp, quat_multiply
from tests.motion.steps import stepping_walk


def test_ankles_that_were_turned_are_turned_back():
    figure = human28()
    walk, _ = stepping_walk(figure, turn=0.3)
    q = walk.q.copy()
    for side, turn in (("left", (0.4, 0.1, 0.0)), ("right", (-0.35, 0.2, 0.0))):
        part = figure.q_slice(f"ankle_{side}")
        q[:, part] = quat_multiply(q[:, part], quat_exp(np.array(turn)))
    found = level_feet(figure, Trajectory(walk.time, q, walk.v, figure_name=figure.name), floor=None)
    assert np.abs(difference(figure, found.trajectory.q, walk.q)).max() < 1e-6
    for side in ("left", "right"):
        assert found.before[side].min() > 0.35
        assert found.after[side].max() < 1e-6
    assert "sole off level" in str(found)


def test_level_feet_stay_and_bad_figures_are_refused():
    figure = human28()
    walk, _ = stepping_walk(figure)
    same = level_feet(figure, walk).trajectory
    assert np.abs(difference(figure, same.q, walk.q)).max() < 1e-3
    with pytest.raises(ArgumentError):
        level_feet(pendulum(), walk)
