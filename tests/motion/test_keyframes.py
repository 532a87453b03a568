"""Keyframes: met exactly, falling off smoothly, feet that stand stay."""

import numpy as np
import pytest

from hitogata.dynamics import difference
from hitogata.errors import ArgumentError
from hitogata.library import human28
from hitogata.motion import Keyframe, with_keyframes
from hitogata.motion.keyframes import bell, keyframe_layer
from hitogata.motion.player import frame_poses
from tests.motion.steps import stepping_walk


@pytest.fixture(scope="module")
def walk():
    figure = human28()
    motion, down = stepping_walk(figure, seconds=2.0)
    return figure, motion, down


def change(figure, **turns):
    row = np.zeros(figure.nv)
    for joint, turn in turns.items():
        row[figure.v_slice(joint)] = turn
    return row


def test_keyframes_are_met_and_fall_off(walk):
    """Two near each other, of unlike fall-off: each pose is what was set; beyond, the motion is the old one."""
    figure, motion, _ = walk
    keys = [Keyframe(0.8, change(figure, shoulder_right=(0, -1.2, 0)), 0.4),
            Keyframe(1.0, change(figure, shoulder_right=(0, -0.4, 0), neck=(0, 0, 0.5)), 0.6)]  # fmt: skip
    layer = keyframe_layer(figure, motion, keys)
    for key in keys:
        k = int(np.argmin(np.abs(motion.time - key.time)))
        np.testing.assert_allclose(layer.changes[k], key.change, atol=1e-9)
    out = (motion.time < 0.4) | (motion.time > 1.6)
    np.testing.assert_array_equal(layer.changes[out], 0)
    result = with_keyframes(figure, motion, keys)
    np.testing.assert_array_equal(result.q[out], motion.q[out])
    corners = np.abs(np.diff(layer.changes, 2, axis=0)).max() / np.abs(np.diff(layer.changes, axis=0)).max()
    assert corners < 0.5  # no corners: the speed of a change takes several frames to change


def test_feet_that_stand_stay(walk):
    """Hips set lower: standing feet keep their poses, the knees bend; a foot that was led itself moves."""
    figure, motion, down = walk
    row = change(figure)
    row[5] = -0.06
    result = with_keyframes(figure, motion, [Keyframe(1.0, row, 0.5)])
    k = int(np.argmin(np.abs(motion.time - 1.0)))
    np.testing.assert_allclose(result.q[k, 2], motion.q[k, 2] - 0.06, atol=1e-3)
    for side in ("left", "right"):
        places = [frame_poses(figure, m.q, f"foot_{side}")[0] for m in (motion, result)]
        off = np.linalg.norm(places[1] - places[0], axis=1)
        assert off[down[side]].max() < 1e-3
        assert side == "right" or off[~down[side]].max() > 0.01  # the left one is in the air at 1.0 s
    side = "left" if down["left"][k] else "right"
    led = with_keyframes(
        figure, motion, [Keyframe(1.0, change(figure, **{f"hip_{side}": (0, -0.5, 0)}), 0.3, {f"foot_{side}"})]
    )
    here, there = (frame_poses(figure, m.q, f"foot_{side}")[0][k] for m in (motion, led))
    assert np.linalg.norm(there - here) > 0.1


def test_none_is_the_motion(walk):
    figure, motion, _ = walk
    np.testing.assert_allclose(difference(figure, motion.q, with_keyframes(figure, motion, []).q), 0, atol=1e-12)
    np.testing.assert_allclose(bell(np.array([0.0, 0.5, 1.0, 2.0])), [1.0, 3 / 16, 0.0, 0.0])


def test_bad_input(walk):
    figure, motion, _ = walk
    with pytest.raises(ArgumentError, match=r"keyframe at 9 s: the motion goes from 0 to 2"):
        with_keyframes(figure, motion, [Keyframe(9.0, change(figure))])
    with pytest.raises(ArgumentError, match="same time"):
        with_keyframes(figure, motion, [Keyframe(1.0, change(figure)), Keyframe(1.0, change(figure))])
    with pytest.raises(ArgumentError, match="needs 34"):
        with_keyframes(figure, motion, [Keyframe(1.0, np.zeros(3))])
    with pytest.raises(ArgumentError, match="fall_off"):
        Keyframe(1.0, change(figure), 0.0)
    with pytest.raises(ArgumentError, match="finite"):
        Keyframe(1.0, change(figure) * np.nan)
