"""Figures with every kind of joint, frames turned at will, and smooth motions of all coordinates."""

from dataclasses import replace

import numpy as np

from hitogata.dynamics import integrate
from hitogata.figure import Figure, FigureBuilder, Joint, JointKind, MassProperties, Pose, Trajectory, velocities_of
from hitogata.figure import joint as joints
from hitogata.figure.joint_poses import joint_motion
from hitogata.spatial import quat_to_matrix

BODY = MassProperties.principal(1.0, (0.02, -0.03, 0.05), (0.01, 0.012, 0.015))


def random_turn(rng: np.random.Generator) -> np.ndarray:
    quat = rng.normal(size=4)
    return quat_to_matrix(quat / np.linalg.norm(quat))


def random_pose(rng: np.random.Generator) -> Pose:
    return Pose.from_matrix(random_turn(rng), rng.normal(size=3) * 0.2)


def every_joint(seed: int = 0) -> Figure:
    """A chain with a joint of each kind, in turned frames, on a free root whose own frame is turned too."""
    rng = np.random.default_rng(seed)
    kinds = [
        joints.free(), joints.ball(), joints.hinge(rng.normal(size=3)), joints.slider(rng.normal(size=3)),
        joints.universal(rng.normal(size=3), rng.normal(size=3)), joints.ball(), joints.fixed(),
    ]  # fmt: skip
    builder = FigureBuilder("every_joint")
    for k, hung in enumerate(kinds):
        placed = replace(hung, parent_frame=random_pose(rng), child_frame=random_pose(rng))
        builder.add(f"link{k}", f"link{k - 1}" if k else None, placed, BODY)
    return builder.build()


def waving(figure: Figure, *, seconds=2.0, rate=100.0, seed=1, size=0.8) -> Trajectory:
    """Every coordinate swings at its own pace; far-off orientations to begin with."""
    rng = np.random.default_rng(seed)
    pace, phase = rng.uniform(1.0, 3.0, figure.nv), rng.uniform(0, 6, figure.nv)
    start = figure.random(rng, spread=0.3)
    time = 0.5 + np.arange(round(seconds * rate) + 1) / rate
    q = integrate(figure, np.tile(start, (len(time), 1)), size * np.sin(np.outer(time, pace) + phase))
    channels = {"load": np.sin(time), "step": np.arange(len(time))}
    return Trajectory(time, q, velocities_of(figure, time, q), channels, figure.name)


class Twins:
    """A symmetric figure whose frames are not: each link, and each joint frame of the right side, is turned at will.

    Attributes:
        figure: neutral in a pose that is its own mirror image across y = 0.
        maps: by left or middle link: (right link, M, m): the point x of one becomes M x + m of the other.
    """

    def __init__(self, seed: int = 0) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.builder = FigureBuilder("twins")
        self.maps: dict[str, tuple[str, np.ndarray, np.ndarray]] = {}
        flip = np.diag([1.0, -1.0, 1.0])
        turn = random_turn(rng)  # of the root's frame against the world, in the neutral pose
        frame = random_pose(rng)
        child = Pose.from_matrix(random_turn(rng), (0.1, 0.05, -0.1))
        at = np.array([0.3, 0.11, 1.0])  # not in the middle plane
        X = frame.inverse() @ Pose.from_matrix(turn, at) @ child
        root = joints.free(parent_frame=frame, child_frame=child, rest=(*X.position, *X.quat))
        self.builder.add("trunk", None, root, BODY)
        self.maps["trunk"] = ("trunk", turn.T @ flip @ turn, turn.T @ (flip @ at - at))
        self._pair("arm", "trunk", joints.ball())
        self._pair("elbow", "arm", joints.hinge(rng.normal(size=3)))
        self._pair("wrist", "elbow", joints.universal(rng.normal(size=3), rng.normal(size=3)))
        self._pair("finger", "wrist", joints.slider(rng.normal(size=3)))
        self._pair("leg", "trunk", joints.ball())
        self._pair("boot", "leg", joints.fixed())
        self.figure = self.builder.build()

    def _pair(self, name: str, parent: str, hung: Joint) -> None:
        rng = self.rng
        above = "trunk" if parent == "trunk" else f"{parent}_left"
        above_right, up, shift = self.maps[above]
        M, m = -random_turn(rng), rng.normal(size=3) * 0.1
        rest = np.zeros(hung.nq) if hung.kind is JointKind.UNIVERSAL else rng.normal(size=hung.nq) * 0.5
        rest = rest / np.linalg.norm(rest) if hung.kind is JointKind.BALL else rest
        left = replace(hung, parent_frame=random_pose(rng), child_frame=random_pose(rng), rest=rest)
        self.builder.add(f"{name}_left", above, left, BODY)
        base, other = left.parent_frame.rotation, random_turn(rng)
        polar = 1.0 if hung.kind is JointKind.SLIDER else -1.0
        signs = rng.choice([-1.0, 1.0], size=2)
        axes = [s * polar * other.T @ up @ base @ a for s, a in zip(signs, (left.axis, left.axis2), strict=True)]
        there = rest * signs[0] if hung.kind is JointKind.SLIDER else rng.normal(size=hung.nq) * 0.5
        if hung.kind is JointKind.BALL:
            there /= np.linalg.norm(there)
        elif hung.kind is JointKind.UNIVERSAL:
            there = np.zeros(2)
        right = replace(hung, axis=axes[0], axis2=axes[1], rest=there)
        turns = [quat_to_matrix(joint_motion(it, np.reshape(it.rest, (1, -1)))[0][0]) for it in (left, right)]
        whole = up @ base @ turns[0] @ left.child_frame.rotation.T @ M.T  # of the right link in its parent
        child = whole.T @ other @ turns[1]
        right = replace(
            right,
            parent_frame=Pose.from_matrix(other, up @ left.parent_frame.position + shift),
            child_frame=Pose.from_matrix(child, M @ left.child_frame.position + m),
        )
        self.builder.add(f"{name}_right", above_right if parent == "trunk" else f"{parent}_right", right, BODY)
        self.maps[f"{name}_left"] = (f"{name}_right", M, m)
