"""Clips and tables that cannot be what was meant: named, and what there was is kept."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Trajectory
from hitogata.library import human28
from hitogata.motion import (
    Keyframe,
    clean_feet,
    find_contacts,
    make_loop,
    map_skeletons,
    retarget,
    with_keyframes,
)
from tests.motion.steps import stepping_walk

FIGURE = human28()


def still(samples: int, height: float = 0.0) -> Trajectory:
    q = np.tile(FIGURE.neutral(), (samples, 1))
    q[:, 2] += height
    return Trajectory(np.arange(samples) / 60, q, np.zeros((samples, FIGURE.nv)))


def test_tables_that_name_unknown_links_or_one_twice():
    with pytest.raises(FigureError, match="no link 'hed'"):
        map_skeletons(FIGURE, FIGURE, {"head": "hed"})
    with pytest.raises(FigureError, match="no link 'tail'"):
        map_skeletons(FIGURE, FIGURE, {"tail": "head"})
    with pytest.raises(ArgumentError, match="both follow 'shin_left'"):
        map_skeletons(FIGURE, FIGURE, {"shin_left": "shin_left", "shin_right": "shin_left"})


@pytest.mark.parametrize("samples", [1, 2])
def test_clips_of_no_length(samples):
    """A pose, or two: carried over as they are; a loop of them is refused."""
    clip = still(samples)
    found = retarget(clip, FIGURE, FIGURE)
    np.testing.assert_allclose(found.trajectory.q[:, 7:], clip.q[:, 7:], atol=1e-6)
    before = clip.q.copy()
    with pytest.raises(ArgumentError, match=r"sample|short"):
        make_loop(FIGURE, clip)
    np.testing.assert_array_equal(clip.q, before)


def test_nothing_to_carry_over():
    assert len(retarget(still(0), FIGURE, FIGURE).trajectory) == 0


def test_frames_without_contact():
    """In the air all the time: no foot is fixed, none is pulled down, and the motion stays what it was."""
    walk, _ = stepping_walk(FIGURE, seconds=1.0)
    q = walk.q.copy()
    q[:, 2] += 1.0 + 4.0 * walk.time
    q[:, 0] += 8.0 * walk.time
    flight = Trajectory(walk.time, q, walk.v)
    feet = find_contacts(FIGURE, flight, floor=0.0)
    assert not any(foot.contacts for foot in feet.values())
    cleaned = clean_feet(FIGURE, flight, feet=feet)
    np.testing.assert_array_equal(getattr(cleaned, "trajectory", cleaned).q, flight.q)
    found = retarget(flight, FIGURE, FIGURE, floor=None)
    assert found.feet is None
    np.testing.assert_allclose(found.trajectory.q[:, :3] - found.trajectory.q[0, :3], q[:, :3] - q[0, :3], atol=1e-6)


def test_keys_outside_the_clip():
    walk, _ = stepping_walk(FIGURE, seconds=1.0)
    before = walk.q.copy()
    for time in (-0.1, 2.0, np.nan):
        with pytest.raises(ArgumentError, match="keyframe"):
            with_keyframes(FIGURE, walk, [Keyframe(time, np.zeros(FIGURE.nv), 0.3)])
    np.testing.assert_array_equal(walk.q, before)
