"""Feet that rest lie flat: soles brought level by one turn of each ankle for the whole motion.

A skeleton file says where bones are, not where soles are: if it was drawn with spread legs, feet that stood flat come
over rolled onto their edges, by the same angle all the time.  Where all of a sole rests, it must have been level; so
with u the sole's normal in the foot's frame and R_k the foot's rotations then,

    C u = mean of R_kᵀ z          (the shortest such turn)          R' = R C          in all samples.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.values import FloatArray
from hitogata.motion.foot_contacts import RestLimits, find_contacts
from hitogata.motion.inputs import check_free_root, check_motion
from hitogata.motion.root_placement import UP, put_on_floor
from hitogata.spatial import matrix_to_quat, quat_exp, quat_multiply, quat_rotate


@dataclass(frozen=True, eq=False)
class Levelled:
    """A motion whose feet rest on flat soles.

    Attributes:
        trajectory: the motion.
        before: angle between sole and floor where the whole sole rests, by foot [rad], shape (nrest,).
        after: the same, now.
    """

    trajectory: Trajectory
    before: Mapping[str, FloatArray]
    after: Mapping[str, FloatArray]

    def __str__(self) -> str:
        lines = []
        for name, angles in self.before.items():
            was, now = (np.degrees(np.mean(x)) if len(x) else 0.0 for x in (angles, self.after[name]))
            lines.append(f"{name}: sole off level by {was:.1f} deg where it rests, now {now:.1f} deg")
        return "\n".join(lines)


def level_feet(
    figure: Figure,
    trajectory: Trajectory,
    feet: Mapping[str, Sequence[str]] | None = None,
    *,
    limits: RestLimits | None = None,
    floor: float | None = 0.0,
) -> Levelled:
    """Turn each ankle by one angle for the whole motion, so that soles are level where all of them rests.

    Feet that never rest as a whole stay as they are.  Velocities are computed anew, channels dropped.

    Args:
        figure: the figure, with a free root; its ankles are ball joints.
        trajectory: its motion.
        feet: links of each foot, by any name, the one at the ankle first; None: found by names.
        limits: what counts as rest.
        floor: then put the motion on a floor at this height [m], as `put_on_floor` does; None: do not.
    """
    check_motion(figure, trajectory, least=3)
    check_free_root(figure, "level_feet")
    q = np.array(trajectory.q, np.float64)
    rotation, neutral = forward_kinematics(figure, q).rotation, forward_kinematics(figure, figure.neutral()).rotation
    before, after = {}, {}
    for name, foot in find_contacts(figure, trajectory, feet, limits=limits).items():
        index = figure.link_index(foot.links[0])
        joint = figure.links[index].joint
        if not joint.is_ball:
            raise ArgumentError(f"level_feet: joint {joint.name!r} of {foot.links[0]!r} is not a ball joint")
        flat = foot.resting.all(axis=1)
        ups, sole = np.swapaxes(rotation[flat, index], 1, 2) @ UP, neutral[index].T @ UP
        turn = _turn_from(sole, ups.mean(axis=0)) if len(ups) else np.array([1.0, 0.0, 0.0, 0.0])
        before[name] = np.arccos(np.clip(ups @ sole, -1.0, 1.0))
        after[name] = np.arccos(np.clip(ups @ quat_rotate(turn, sole), -1.0, 1.0))
        frame = matrix_to_quat(joint.child_frame.rotation)  # R(q) = ... R_BMᵀ: C goes over into the joint's frame
        inside = quat_multiply(quat_multiply(frame * [1, -1, -1, -1], turn), frame)
        part = figure.q_slice(joint.name)
        q[:, part] = quat_multiply(q[:, part], inside)
    result = replace(trajectory, q=q, v=velocities_of(figure, trajectory.time, q), channels={})
    return Levelled(result if floor is None else put_on_floor(figure, result, floor=floor), before, after)


def _turn_from(a: FloatArray, b: FloatArray) -> FloatArray:
    """Quaternion of the shortest turn from one direction to another."""
    axis = np.cross(a, b)
    size, along = float(np.linalg.norm(axis)), float(a @ b)
    return np.asarray(quat_exp(axis / max(size, 1e-300) * np.arctan2(size, along)), np.float64)
