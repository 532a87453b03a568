"""Drags over a motion that plays: feet where the motion has them, hands where they are led, passes as layers."""

import numpy as np
import pytest

from hitogata.dynamics import difference, frame_position
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Figure, Link, MassProperties, Pose, Trajectory, joint, velocities_of
from hitogata.library import human28, human40, pendulum
from hitogata.motion import Player, add_layer, drag_along
from hitogata.motion.easing import ease
from hitogata.motion.player import frame_poses
from tests.motion.figures import waving
from tests.motion.steps import stepping_walk


@pytest.fixture(scope="module")
def walk():
    figure = human28()
    motion, _ = stepping_walk(figure)
    beside = frame_position(figure, motion.q, "chest") + [0.3, -0.25, 0.3]
    return figure, motion, beside


def feet_stay(figure, motion, result, tolerance=1e-4):
    for name in ("foot_left", "foot_right"):
        for a, b in zip(frame_poses(figure, motion.q, name), frame_poses(figure, result.q, name), strict=True):
            np.testing.assert_allclose(b, a, atol=tolerance)


def test_a_hand_is_led(walk):
    """The hand follows the path by its weight, feet stay, and nothing jumps."""
    figure, motion, beside = walk
    weight = ease((motion.time - 0.4) / 0.6) * ease((2.7 - motion.time) / 0.6)
    played = drag_along(figure, motion, {"grip_right": beside}, weight=weight)
    own = frame_position(figure, motion.q, "grip_right")
    led = frame_position(figure, played.trajectory.q, "grip_right")
    np.testing.assert_allclose(led, own + weight[:, None] * (beside - own), atol=1e-4)
    assert np.abs(led - own).max() > 0.4
    assert played.missed.max() < 1e-4
    feet_stay(figure, motion, played.trajectory)
    idle = weight == 0
    np.testing.assert_allclose(difference(figure, motion.q, played.trajectory.q)[idle], 0, atol=1e-5)
    jumps = [np.abs(np.diff(m.v, axis=0)).max() for m in (motion, played.trajectory)]
    assert jumps[1] < 1.3 * jumps[0]
    np.testing.assert_allclose(
        velocities_of(figure, motion.time, played.trajectory.q), played.trajectory.v, atol=1e-12
    )


def test_a_hand_with_light_fingers(walk):
    """A finger of one gram on the hand does not make all other joints sluggish: captured skeletons have such links."""
    human, motion, beside = walk
    light = MassProperties.principal(0.001, (0, 0, 0), (1e-8, 1e-8, 1e-8))
    finger = Link("finger", "forearm_right", joint.ball(parent_frame=Pose((0, 0, -0.27))), light)
    links = list(human.links)
    links.insert(human.link_index("forearm_right") + 1, finger)
    figure = Figure.from_links("with a finger", links)
    q = np.tile(figure.neutral(), (len(motion), 1))
    for name in human.joint_names:
        q[:, figure.q_slice(name)] = motion.q[:, human.q_slice(name)]
    moving = Trajectory(motion.time, q, velocities_of(figure, motion.time, q))
    for led in ("grip_right", "finger"):
        played = drag_along(figure, moving, {led: beside})
        assert played.missed.max() < 1e-4
        np.testing.assert_allclose(frame_position(figure, played.trajectory.q, led), beside, atol=1e-4)


def test_passes_are_layers(walk):
    """Right hand first, then the left on top: the layers give the same again, and the first can be taken back."""
    figure, motion, beside = walk
    one = drag_along(figure, motion, {"grip_right": beside})
    left = beside + [0.0, 0.55, -0.1]
    two = drag_along(figure, one.trajectory, {"grip_left": left, "grip_right": beside})
    again = add_layer(figure, add_layer(figure, motion, one.layer), two.layer)
    np.testing.assert_allclose(difference(figure, again.q, two.trajectory.q), 0, atol=1e-9)
    for name, path in (("grip_right", beside), ("grip_left", left)):
        np.testing.assert_allclose(frame_position(figure, again.q, name), path, atol=1e-4)
    feet_stay(figure, motion, again)
    half = add_layer(figure, motion, one.layer, 0.5)
    reach = [np.linalg.norm(frame_position(figure, m.q, "grip_right") - beside, axis=1).mean() for m in (motion, half)]
    assert 0.1 * reach[0] < reach[1] < 0.7 * reach[0]


def test_arms_move_before_the_trunk(walk):
    """A place within the arm's reach is reached by the arm: trunk and root move far less."""
    figure, motion, beside = walk
    change = np.abs(drag_along(figure, motion, {"grip_right": beside}).layer.changes).max(axis=0)
    arm = max(change[figure.v_slice("shoulder_right")].max(), change[figure.v_slice("elbow_right")].max())
    assert change[figure.v_slice("waist")].max() < 0.4 * arm
    assert change[:3].max() < 0.2 * arm


def test_out_of_reach(walk):
    """A path beyond reach is not reached, and that is said; nothing becomes wild."""
    figure, motion, beside = walk
    played = drag_along(figure, motion, {"grip_right": beside + [3.0, 0.0, 0.0]})
    assert played.missed.min() > 0.5
    assert np.isfinite(played.trajectory.q).all()


def test_live(walk):
    """Nothing happens before a drag; then the hand goes along, feet stay; after the release it all dies away."""
    figure, motion, beside = walk
    player = Player(figure, motion)
    own = frame_position(figure, motion.q, "grip_right")
    hand = None
    while not player.done:
        k = player.index
        if k == 40:
            hand = player.drag("grip_right")
        if 40 <= k < 110:
            share = ease(np.array((k - 40) / 30))
            player.set_target(hand, position=own[k + 1] + share * (beside[k + 1] - own[k + 1]))
        if k == 110:
            player.release(hand)
        q = player.advance()
        np.testing.assert_array_equal(q, player.q)
    result = player.trajectory()
    led = frame_position(figure, result.q, "grip_right")
    np.testing.assert_allclose(led[71:111], beside[71:111], atol=1e-3)
    np.testing.assert_allclose(difference(figure, motion.q, result.q)[:41], 0, atol=1e-12)
    np.testing.assert_allclose(difference(figure, motion.q, result.q)[-20:], 0, atol=1e-12)
    feet_stay(figure, motion, result)
    jumps = [np.abs(np.diff(m.v, axis=0)).max() for m in (motion, result)]
    assert jumps[1] < 1.5 * jumps[0]
    assert player.missed.max() < 1e-3
    np.testing.assert_allclose(
        difference(figure, add_layer(figure, motion, player.layer()).q, result.q), 0, atol=1e-12
    )
    with pytest.raises(ArgumentError, match="at its end"):
        player.advance()
    np.testing.assert_allclose(player.seek(80), result.q[80], atol=1e-12)  # as it was played
    assert player.time == motion.time[80]
    for bad in (-1, len(motion)):
        with pytest.raises(ArgumentError, match="index"):
            player.seek(bad)
    player.rewind()
    assert player.index == 0
    assert player.time == motion.time[0]
    player.advance()


def test_other_pins():
    """A hand that is pinned stays on its way while the other is dragged; without pins the feet go along."""
    figure = human40()
    motion, _ = stepping_walk(figure, seconds=1.0)
    target = frame_position(figure, motion.q, "palm_right") + [0.15, -0.1, 0.3]
    held = drag_along(figure, motion, {"palm_right": target}, pins=["hand_left", "foot_left", "foot_right"])
    for a, b in zip(*(frame_poses(figure, m.q, "hand_left") for m in (motion, held.trajectory)), strict=True):
        np.testing.assert_allclose(b, a, atol=1e-4)
    loose = drag_along(figure, motion, {"palm_right": target}, pins=[])
    np.testing.assert_allclose(frame_position(figure, loose.trajectory.q, "palm_right"), target, atol=1e-4)


def test_bad_input(walk):
    figure, motion, beside = walk
    for bad in (-1.0, 2.0, np.nan, [0.5]):
        with pytest.raises(ArgumentError, match="weight"):
            drag_along(figure, motion, {"grip_right": beside}, weight=bad)
    for path in (beside[:-1], beside[:, :2], np.full((len(motion), 3), np.nan)):
        with pytest.raises(ArgumentError, match="paths: 'grip_right' needs finite places"):
            drag_along(figure, motion, {"grip_right": path})
    with pytest.raises(FigureError, match="no frame 'tail'"):
        drag_along(figure, motion, {"tail": beside})
    with pytest.raises(ArgumentError, match="list of names"):
        drag_along(figure, motion, {"grip_right": beside}, pins="foot_left")
    with pytest.raises(ArgumentError, match="no feet are known"):
        Player(pendulum(), waving(pendulum()))
    with pytest.raises(ArgumentError, match="settle"):
        Player(figure, motion, settle=0.0)
    with pytest.raises(ArgumentError, match="iterations"):
        Player(figure, motion, iterations=0)
    player, other = Player(figure, motion), Player(figure, motion)
    with pytest.raises(ArgumentError, match="none of this player's drags"):
        player.release(other.drag("grip_right"))
