"""A BVH file from any figure's motion."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind, Link, Trajectory, resampled
from hitogata.figure.joint_poses import joint_motion
from hitogata.figure.rates import even_times
from hitogata.figure.values import FloatArray, Vector
from hitogata.files.bvh.eulers import angles_of_quats
from hitogata.files.bvh.figures import end_name
from hitogata.files.bvh.skeleton import POSITIONS, Bvh, BvhJoint, Channel, Up, positive
from hitogata.files.bvh.trajectories import even_step, values_from_trajectory
from hitogata.spatial import quat_conjugate, quat_multiply, quat_rotate

ORDER = (Channel.Z_ROTATION, Channel.X_ROTATION, Channel.Y_ROTATION)
"""Rotation channels of a ball joint: with y up the last is the turn about the vertical, as MotionBuilder writes it."""


def bvh_from_trajectory(
    trajectory: Trajectory,
    figure: Figure,
    *,
    skeleton: Bvh | None = None,
    frame_time: float | None = None,
    scale: float = 0.01,
    up: Up = Up.Y,
    order: Sequence[Channel] = ORDER,
) -> Bvh:
    """A figure's motion as a BVH file.

    Links become joints with the links' names, at the places of the figure's joints; at rest (all angles zero) the
    skeleton has the figure's neutral pose.  Ball joints have three rotations, hinges about an axis of the file one,
    other hinges and universal joints three, fixed joints none; sliders have positions.  Shapes, masses and velocities
    are not in the format.  The end site of a last link is its frame "<link>_end" if it has one, else as far behind the
    centre of mass as the joint is before it.

    Args:
        trajectory: of the figure.
        figure: any figure.
        skeleton: the file from which the figure was made with `figure_from_bvh`: its channels, unit and axes are used,
            and `scale`, `up` and `order` are not.
        frame_time: sample the motion anew at this step [s]; None: its times are even.
        scale: length of the file's unit [m].
        up: axis of the file that points up.
        order: three rotation channels, the first one outermost.

    Raises:
        ArgumentError: the times are not even, and no frame_time is given.
    """
    trajectory.check(figure)
    if not len(trajectory):
        raise ArgumentError("trajectory: it has no samples")
    if frame_time is not None:
        first, last = (float(trajectory.time[k]) for k in (0, -1))
        times = even_times(first, last, positive(frame_time, "frame_time"))
        trajectory = resampled(figure, trajectory, times)
    step = even_step(trajectory, frame_time or 1 / 30)
    if skeleton is not None:
        return values_from_trajectory(trajectory, figure, skeleton)
    if len(order) != 3 or {c.axis for c in order if c.turns} != {0, 1, 2}:
        raise ArgumentError(f"order: expected the three rotation channels, got {[c.value for c in order]}")
    return _Export(trajectory, figure, positive(scale, "scale"), up, tuple(order)).bvh(step)


class _Export:
    """Poses of a figure's joints, and what a BVH file says of them.

    With N_i the orientation of link i in the neutral pose, the file's frame of it has the orientation G_i = R_i N_i⁻¹:
    parallel to the world at rest.
    """

    def __init__(
        self, trajectory: Trajectory, figure: Figure, scale: float, up: Up, order: tuple[Channel, ...]
    ) -> None:
        self.figure, self.scale, self.up, self.order = figure, scale, up, order
        turns, self.places = self._kinematics(trajectory.q)
        neutral, places = self._kinematics(figure.neutral()[None])
        self.neutral_places = places[:, 0]
        self.neutral_turns = neutral[:, 0]
        self.turns = quat_multiply(turns, quat_conjugate(neutral))
        self.to_file = np.argsort(up.order)

    def _kinematics(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Orientation of each link, shape (nlinks, n, 4), and place of its joint's M, shape (nlinks, n, 3)."""
        count, n = self.figure.nlinks, len(q)
        turns, places = np.empty((count, n, 4)), np.empty((count, n, 3))
        origins = np.empty((count, n, 3))
        for i, (link, parent) in enumerate(zip(self.figure.links, self.figure.parents, strict=True)):
            joint = link.joint
            start = self.figure.q_starts[i]
            turn, shift = joint_motion(joint, q[:, start : start + joint.nq])
            base = turns[parent] if parent >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
            origin = origins[parent] if parent >= 0 else np.zeros(3)
            frame = quat_multiply(base, joint.parent_frame.quat)
            places[i] = origin + quat_rotate(base, joint.parent_frame.position) + quat_rotate(frame, shift)
            turns[i] = quat_multiply(quat_multiply(frame, turn), quat_conjugate(joint.child_frame.quat))
            origins[i] = places[i] - quat_rotate(turns[i], joint.child_frame.position)
        return turns, places

    def bvh(self, step: float) -> Bvh:
        joints: list[BvhJoint] = []
        columns: list[FloatArray] = []
        taken: set[str] = set()
        for i, link in enumerate(self.figure.links):
            parent = self.figure.parents[i]
            channels = self._channels(link, i)
            turn, shift = self.turns[i], self.places[i]
            offset = self.neutral_places[i]
            if parent >= 0:
                back = quat_conjugate(self.turns[parent])
                turn = quat_multiply(back, turn)
                shift = quat_rotate(back, shift - self.places[parent])
                offset = offset - self.neutral_places[parent]
            joints.append(BvhJoint(_writable(link.name, taken), parent, self._vector(offset), channels, self._ends(i)))
            columns += self._values(channels, turn, shift)
        values = np.stack(columns, axis=1) if columns else np.empty((self.turns.shape[1], 0))
        return Bvh(tuple(joints), values, step, self.scale, self.up, name=self.figure.name)

    def _channels(self, link: Link, i: int) -> tuple[Channel, ...]:
        joint = link.joint
        if any(screw.slide for screw in joint.screws):
            return (*POSITIONS, *self.order) if any(screw.turn for screw in joint.screws) else POSITIONS
        match joint.kind:
            case JointKind.FREE:
                return (*POSITIONS, *self.order)
            case JointKind.FIXED:
                return ()
            case JointKind.HINGE:
                frame = quat_multiply(self.neutral_turns[i], joint.child_frame.quat)
                along = np.abs(quat_rotate(frame, np.array(joint.axis)))
                axis = int(along.argmax())
                if along[axis] > 1 - 1e-12:
                    return (next(c for c in self.order if c.axis == self.up.order[axis]),)
        return self.order

    def _values(self, channels: tuple[Channel, ...], turn: Any, shift: Any) -> list[FloatArray]:
        places = (shift / self.scale)[:, self.to_file]
        axes = [self.up.ours(c.axis) for c in channels if c.turns]
        if len(axes) == 1:
            angles = 2 * np.unwrap(np.arctan2(turn[:, 1 + axes[0]], turn[:, 0]), period=np.pi)[:, None]
        elif axes:
            angles = angles_of_quats(axes, turn)
        result, k = [], 0
        for channel in channels:
            result.append(np.degrees(angles[:, k]) if channel.turns else places[:, channel.axis])
            k += channel.turns
        return result

    def _ends(self, i: int) -> tuple[Vector, ...]:
        """End sites of a link without children."""
        if i in self.figure.parents:
            return ()
        link = self.figure.links[i]
        own = [np.array(f.pose.position) for f in link.frames if f.name.startswith(end_name(link.name, 0))]
        points = np.array(own or [2 * np.array(link.mass.centre) - link.joint.child_frame.position])
        turned = quat_rotate(self.neutral_turns[i], points - link.joint.child_frame.position)
        return tuple(self._vector(point) for point in turned)

    def _vector(self, metres: Any) -> Vector:
        x, y, z = (metres / self.scale)[self.to_file].tolist()
        return x, y, z


def _writable(name: str, taken: set[str]) -> str:
    """A name as other programs read it: one word, no braces."""
    word = re.sub(r"[\s{}]+", "_", name)
    while word in taken:
        word += "_"
    taken.add(word)
    return word
