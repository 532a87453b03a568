"""Foot-skate clean-up: feet stand, and the rest of the motion stays what it was."""

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory, velocities_of
from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh
from hitogata.library import human28, pendulum
from hitogata.motion import GroundMove, blend, clean_feet, find_contacts, foot_slides, move_root, retarget
from hitogata.motion.foot_contacts import point_places
from tests.motion.figures import waving
from tests.motion.steps import stepping_walk
from tests.motion.test_skating import sliding_walk
from tests.reference import reference


@pytest.mark.parametrize(("along", "around"), [(0.12, 0.0), (0.08, -0.04)])
def test_feet_stand(along, around):
    """For as long as a foot truly stands, its sole moves by less than 4 mm instead of centimetres."""
    figure = human28()
    moving, down = sliding_walk(figure, along=along, around=around)
    cleaned = clean_feet(figure, moving)
    assert cleaned.missed.max() < 1e-4
    for name, foot in cleaned.feet.items():
        before, after = (point_places(figure, m, foot.points) for m in (moving, cleaned.trajectory))
        edges = np.flatnonzero(np.diff(np.concatenate([[0], down[name], [0]]))).reshape(-1, 2)
        for first, end in edges[edges[:, 1] - edges[:, 0] > 20]:
            core = slice(first + 3, end - 3)
            assert np.ptp(before[core], axis=0).max() > 0.04
            assert np.ptp(after[core], axis=0).max() < 0.004
        assert (cleaned.after[name] < 0.12 * cleaned.before[name] + 0.001).all()
        own = foot_slides(figure, cleaned.trajectory, cleaned.feet)[name]
        np.testing.assert_allclose(own, cleaned.after[name], atol=1e-12)
    assert "contacts, slide" in str(cleaned)


def test_the_rest_stays():
    """Arms and trunk keep their joint values, the root moves by a little, smoothly; velocities fit."""
    figure = human28()
    moving, _ = sliding_walk(figure, along=0.12)
    cleaned = clean_feet(figure, moving).trajectory
    change = difference(figure, moving.q, cleaned.q)
    for name in ("chest", "head", "upper_arm_left", "forearm_right"):
        assert np.abs(change[:, figure.v_slice(name)]).max() < 1e-12
    assert np.abs(change[:, 3:6]).max() < 0.05
    assert np.abs(change).max() < 0.15
    np.testing.assert_allclose(velocities_of(figure, cleaned.time, cleaned.q), cleaned.v, atol=1e-12)
    jumps = [np.abs(np.diff(m.v, axis=0)).max() for m in (moving, cleaned)]
    assert jumps[1] < 1.3 * jumps[0]


def test_a_walk_that_stands_already():
    figure = human28()
    walk, _ = stepping_walk(figure, turn=0.4)
    cleaned = clean_feet(figure, walk)
    assert np.abs(difference(figure, walk.q, cleaned.trajectory.q)).max() < 0.01
    away = GroundMove(2.0, (5.0, 3.0, 0.0))
    other = clean_feet(figure, move_root(figure, walk, away)).trajectory
    wanted = move_root(figure, cleaned.trajectory, away)
    np.testing.assert_allclose(difference(figure, other.q, wanted.q), 0, atol=1e-4)  # as far as the solver goes


def test_a_blend_that_slides():
    """Half of a bend to the left and half of one to the right: feet slide, and do not afterwards."""
    figure = human28()
    left, right = (stepping_walk(figure, turn=turn)[0] for turn in (0.8, -0.4))
    half = blend(figure, left, right, 0.5)
    cleaned = clean_feet(figure, half)
    slides = [np.concatenate(list(x.values())).mean() for x in (cleaned.before, cleaned.after)]
    assert slides[0] > 0.01
    assert slides[1] < 0.2 * slides[0]


def test_feet_by_hand():
    figure = human28()
    moving, _ = sliding_walk(figure, along=0.1, seconds=1.5)
    named = clean_feet(figure, moving, {"left": ["foot_left"]})
    assert list(named.feet) == ["left"]
    found = find_contacts(figure, moving)
    both = clean_feet(figure, moving, found)
    assert both.feet is found


@pytest.mark.parametrize("name", ["02_01.bvh", "16_15.bvh"])
def test_captured_walks(name):
    """On the captured skeleton and carried over to human28: slides of centimetres become millimetres."""
    figure = figure_from_bvh(bvh := read_bvh(reference("bvh", name)))
    walk = trajectory_from_bvh(bvh, figure)
    human = human28()
    carried = retarget(walk, figure, human, feet=False, keep_calibration=True).trajectory
    for body, motion in ((figure, walk), (human, carried)):
        cleaned = clean_feet(body, motion)
        slides = [np.concatenate(list(x.values())).mean() for x in (cleaned.before, cleaned.after)]
        assert slides[0] > 0.015
        assert slides[1] < 0.006
        assert cleaned.missed.max() < 1e-4
        moved = forward_kinematics(body, cleaned.trajectory.q).position - forward_kinematics(body, motion.q).position
        assert np.abs(moved).max() < 0.06


def test_bad_input():
    figure = human28()
    walk, _ = stepping_walk(figure, seconds=0.3)
    with pytest.raises(ArgumentError, match="not a free one"):
        clean_feet(pendulum(), waving(pendulum()))
    with pytest.raises(ArgumentError, match="fade"):
        clean_feet(figure, walk, fade=0.0)
    with pytest.raises(ArgumentError, match="3 samples or more"):
        clean_feet(figure, Trajectory(walk.time[:2], walk.q[:2], walk.v[:2]))
