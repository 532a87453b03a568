"""Natural reach: limbs before the trunk, in batches, over motions, frame by frame; nothing jumps where reach ends."""

from functools import cache

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_kinematics, frame_position
from hitogata.errors import FigureError
from hitogata.figure import Figure, JointKind, Trajectory
from hitogata.library import bear, chain, human28, human40, virtual_human
from hitogata.motion import Player, drag_along
from hitogata.motion.player import frame_poses
from hitogata.motion.reach import limb_of, trunk_links
from hitogata.spatial import matrix_to_quat
from tests.motion.puppet_cases import beyond, clamped
from tests.motion.steps import stepping_walk

DEGREE = np.pi / 180
ARM = ("shoulder_right", "elbow_right", "wrist_right")


@cache
def case(name: str) -> tuple[Figure, str]:
    return (human28(ranges=True), "grip_right") if name == "human28" else (virtual_human(), "palm_right")


@cache
def poses(name: str, count: int = 250) -> np.ndarray:
    """Half of them standing, half out of a walk (the virtual human: bent at random, its feet where they come to be)."""
    figure, rng = case(name)[0], np.random.default_rng(7)
    q = np.tile(figure.neutral(), (count, 1))
    if name == "human28":
        walk = clamped(figure, stepping_walk(figure)[0].q)
        q[count // 2 :] = walk[rng.integers(0, len(walk), count - count // 2)]
        return q
    for joint in figure.joint_names[1:]:
        part = figure.q_slice(joint)
        q[count // 2 :, part] += 0.12 * rng.normal(size=q[count // 2 :, part].shape)
    for link, at in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.kind is JointKind.BALL:
            q[:, at : at + 4] /= np.linalg.norm(q[:, at : at + 4], axis=1, keepdims=True)
    return clamped(figure, q)


def arm_targets(figure: Figure, q: np.ndarray, frame: str, rng: np.random.Generator) -> np.ndarray:
    """Places that a right arm reaches from a trunk that stays: arms at random in their ranges."""
    q = q.copy()
    for name in ARM:
        if name not in figure.joint_names:
            continue
        joint = figure.links[figure.joint_names.index(name)].joint
        if joint.kind is JointKind.BALL:
            found = np.empty((0, 4))
            while len(found) < len(q):
                quats = rng.normal(size=(4 * len(q), 4))
                quats /= np.linalg.norm(quats, axis=1, keepdims=True)
                if joint.range is not None:
                    out = joint.range.violation(quats)
                    quats = quats[np.maximum(out.swing_depth, out.twist_depth) < -0.02]
                found = np.concatenate([found, quats])
            q[:, figure.q_slice(name)] = found[: len(q)]
        else:
            q[:, figure.q_slice(name)] = rng.uniform(joint.range[0] + 0.03, joint.range[1] - 0.03, (len(q), 1))
    return frame_position(figure, q, frame)


def trunk_turns(figure: Figure, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """How far chest or pelvis turned in the world, whichever turned more, shape (n,) [rad]."""
    a, b = forward_kinematics(figure, before).rotation, forward_kinematics(figure, after).rotation
    angles = []
    for name in ("pelvis", "chest"):
        i = figure.link_index(name)
        quat = np.asarray(matrix_to_quat(np.swapaxes(a[:, i], 1, 2) @ b[:, i]))
        angles.append(2 * np.arctan2(np.linalg.norm(quat[:, 1:], axis=1), np.abs(quat[:, 0])))
    return np.max(angles, axis=0)


@pytest.mark.parametrize("name", ["human28", "virtual_human"])
def test_the_trunk_stays_within_the_arms_reach(name):
    """250 targets each, over standing and walking: the arm goes there, the trunk hardly turns, feet stay."""
    figure, frame = case(name)
    q = poses(name)
    targets = arm_targets(figure, q, frame, np.random.default_rng(11))
    motion = Trajectory(np.arange(len(q)) / 60, q, np.zeros((len(q), figure.nv)))
    played = drag_along(figure, motion, {frame: targets})
    got = played.trajectory.q
    assert trunk_turns(figure, q, got).max() < 5 * DEGREE
    assert np.linalg.norm(frame_position(figure, got, frame) - targets, axis=1).max() < 1e-3
    assert beyond(figure, got).max() < 1e-6
    assert played.missed.max() < 1e-3
    for foot in ("foot_left", "foot_right"):
        for a, b in zip(frame_poses(figure, q, foot), frame_poses(figure, got, foot), strict=True):
            np.testing.assert_allclose(b, a, atol=1e-3)


def outward(figure: Figure, frame: str, direction, speed=0.3) -> np.ndarray:
    """A way from 0.85 to 1.4 lengths of the arm from its shoulder, 60 places a second."""
    q = figure.neutral()[None]
    shoulder = frame_position(figure, q, "upper_arm_right")[0]
    length = np.linalg.norm(frame_position(figure, q, frame)[0] - shoulder)
    far = np.arange(0.85 * length, 1.4 * length, speed / 60)
    return shoulder + far[:, None] * (np.array(direction) / np.linalg.norm(direction))


WAYS = [(1, 0, 0), (0.7, -0.7, 0), (0.3, -1, 0.3), (1, 0, -0.5), (0.6, 0.3, 0.6), (0.5, -0.5, 0.7), (0.2, -0.2, 1.0)]


@pytest.mark.parametrize("name", ["human28", "virtual_human"])
def test_nothing_jumps_where_reach_ends(name):
    """Led out of the arm's reach at 0.3 m/s, straight up too: at most 5 degrees in a frame."""
    figure, frame = case(name)
    for direction in WAYS:
        path = outward(figure, frame, direction)
        still = Trajectory(np.arange(len(path)) / 60, np.tile(figure.neutral(), (len(path), 1)),
                           np.zeros((len(path), figure.nv)))  # fmt: skip
        got = drag_along(figure, still, {frame: path}).trajectory.q
        steps = np.abs(difference(figure, got[:-1], got[1:]))
        assert steps.max() < 5 * DEGREE, (direction, steps.max() / DEGREE)
        assert beyond(figure, got).max() < 1e-6
        if direction[2] <= 0.3:  # straight knees lift nobody higher
            assert np.linalg.norm(frame_position(figure, got, frame) - path, axis=1).max() < 1e-3, direction
            turns = trunk_turns(figure, still.q, got)
            assert turns[0] < 2 * DEGREE < turns[-1]


def test_frames_lead_there_too():
    """A player leads a hand out of reach and back, live: as smooth, and the trunk comes back with it."""
    figure, frame = case("human28")
    path = outward(figure, frame, (1, 0, -0.3))
    path = np.concatenate([path, path[::-1]])
    still = Trajectory(np.arange(len(path)) / 60, np.tile(figure.neutral(), (len(path), 1)),
                       np.zeros((len(path), figure.nv)))  # fmt: skip
    begun = drag_along(figure, still, {frame: path[:1].repeat(len(path), 0)}).trajectory
    player = Player(figure, begun)
    hand, rows = player.drag(frame), [player.q]
    for place in path[1:]:
        player.set_target(hand, position=place)
        rows.append(player.advance())
    q = np.array(rows)
    assert np.abs(difference(figure, q[:-1], q[1:])).max() < 5 * DEGREE
    turns = trunk_turns(figure, begun.q, q)
    assert turns.max() > 3 * DEGREE
    assert turns[-1] < 1 * DEGREE
    assert np.linalg.norm(frame_position(figure, q, frame) - path, axis=1).max() < 3e-3


def test_weights_stay_settable():
    """A locked elbow stays, a trunk that is as ready as an arm moves; unknown joints are named."""
    figure, frame = case("human28")
    path = outward(figure, frame, (1, 0, 0))[:3]
    still = Trajectory(np.arange(3) / 60, np.tile(figure.neutral(), (3, 1)), np.zeros((3, figure.nv)))
    usual, locked, ready = (
        drag_along(figure, still, {frame: path}, mobility=given).trajectory.q
        for given in (None, {"elbow_right": 0.0}, {"waist": 1.0})
    )
    assert abs(locked[0, figure.q_slice("elbow_right")] - figure.neutral()[figure.q_slice("elbow_right")]) < 1e-9
    assert trunk_turns(figure, still.q, ready).min() > 5 * trunk_turns(figure, still.q, usual).max()
    with pytest.raises(FigureError, match="tail"):
        drag_along(figure, still, {frame: path}, mobility={"tail": 1.0})


def test_what_a_trunk_is():
    """Links from which limbs branch off, and those between; fingers do not make a hand a trunk."""
    names = {figure.name: [figure.link_names[i] for i in sorted(trunk_links(figure))]
             for figure in (human28(), human40(), virtual_human(), bear())}  # fmt: skip
    assert names["human28"] == ["pelvis", "chest"]
    assert names["virtual_human"] == ["pelvis", "abdomen", "chest"]
    assert "hand_left" not in names["human40"]
    assert not any("arm" in name or "leg" in name for name in names["bear"])
    assert not trunk_links(chain(5))
    figure = virtual_human()
    limb = [figure.link_names[i] for i in limb_of(figure, "palm_right")]
    assert limb == ["upper_arm_right", "forearm_right", "hand_right"]
    assert not limb_of(figure, "chest")
