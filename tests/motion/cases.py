"""A walk for tests: made of sines, on any of the built-in humans; and skeletons whose frames are turned at will."""

from dataclasses import replace

import numpy as np

from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.files.bvh import Bvh, bvh_poses
from hitogata.files.bvh.eulers import angles_of_quats
from hitogata.files.bvh.skeleton import ROTATIONS
from hitogata.spatial import matrix_to_quat, quat_exp, quat_multiply


def walk(figure: Figure, *, seconds: float = 2.0, rate: float = 30.0, heading: float = 0.4) -> Trajectory:
    """Legs and arms swing, knees and elbows bend, hips and chest turn; it walks off in a direction [rad]."""
    time = np.arange(int(seconds * rate) + 1) / rate
    phase = 2 * np.pi * time / 1.1
    q = np.repeat(figure.neutral()[None], len(time), axis=0)
    forward = np.array([np.cos(heading), np.sin(heading), 0.0])
    q[:, :3] += np.outer(1.2 * time, forward)
    q[:, 2] += 0.02 * np.cos(2 * phase) - 0.03
    q[:, 3:7] = quat_multiply(quat_exp([0, 0, heading]), quat_exp(np.outer(0.08 * np.sin(phase), [0.3, 0.1, 1.0])))

    def turn(joint: str, *parts: tuple[np.ndarray, tuple[float, float, float]]) -> None:
        quats = quat_exp(np.zeros((len(time), 3)))
        for angle, axis in parts:
            quats = quat_multiply(quats, quat_exp(np.outer(angle, axis)))
        q[:, figure.q_slice(joint)] = quats

    turn("waist", (0.1 * np.sin(phase + 2), (0.0, 0.3, -1.0)))
    turn("neck", (0.2 * np.sin(0.7 * phase), (0.1, 0.4, 1.0)))
    for side, shift, y in (("left", 0.0, 1.0), ("right", np.pi, -1.0)):
        turn(f"hip_{side}", (-0.15 - 0.45 * np.sin(phase + shift), (0, 1, 0)), (0.08 * np.cos(phase), (1, 0, 0.5 * y)))
        q[:, figure.q_slice(f"knee_{side}")] = (0.5 + 0.4 * np.sin(phase + shift + 1.0))[:, None]
        turn(f"ankle_{side}", (0.2 * np.sin(phase + shift), (0, 1, 0)), (0.1 * np.cos(phase), (1, 0, 0)))
        turn(f"shoulder_{side}", (0.5 * np.sin(phase + shift), (0, 1, 0)), (0.2 + 0 * time, (y, 0, 0)),
             (0.3 * np.cos(phase + shift), (0, 0, 1)))  # fmt: skip
        q[:, figure.q_slice(f"elbow_{side}")] = (-0.7 + 0.3 * np.sin(phase + shift))[:, None]
        if f"hand_{side}" in figure.link_names:
            turn(f"wrist_{side}", (0.3 * np.sin(1.3 * phase), (0.3, 1, 0)))
    return Trajectory(time, q, velocities_of(figure, time, q), figure_name=figure.name)


def with_other_frames(bvh: Bvh, rng: np.random.Generator) -> Bvh:
    """The same motion of the same joints, their frames turned: at rest the skeleton is a heap of bones."""
    poses = bvh_poses(bvh)
    order = np.argsort(bvh.up.order)  # back to the file's axes
    turns = [np.eye(3)] * len(bvh.joints)
    for i in range(len(bvh.joints)):
        m, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turns[i] = m * np.sign(np.linalg.det(m))
    joints, columns = [], []
    worlds = []
    for i, it in enumerate(bvh.joints):
        world = poses.rotation[:, i][:, order][..., order] @ turns[i]
        worlds.append(world)
        back = turns[it.parent].T if it.parent >= 0 else np.eye(3)
        local = np.swapaxes(worlds[it.parent], 1, 2) @ world if it.parent >= 0 else world
        joints.append(
            replace(
                it,
                offset=tuple((back @ np.array(it.offset)).tolist()),
                ends=tuple(tuple((turns[i].T @ np.array(end)).tolist()) for end in it.ends),
                channels=(*it.positions, *ROTATIONS),
            )
        )
        columns.append(bvh.values[:, bvh.starts[i] : bvh.starts[i] + len(it.positions)])
        columns.append(np.degrees(angles_of_quats([0, 1, 2], matrix_to_quat(local))))
    return replace(bvh, joints=tuple(joints), values=np.hstack(columns))
