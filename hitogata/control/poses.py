"""Poses of a human on its way up and down: standing, protecting itself, and the key poses of getting up.

Angles are about the figure's left axis: positive bends forward what is above a joint, and backward what hangs below it.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, JointKind
from hitogata.figure.pose import FloatArray
from hitogata.spatial import quat_exp, quat_multiply

Angles = Mapping[str, Any]
"""Of joints: an angle about the left axis, or a rotation vector [rad]; `hip` means both hips, mirrored."""


def posed(figure: Figure, angles: Angles) -> FloatArray:
    """The neutral pose with some joints at other angles; joints that the figure has not are passed over."""
    q = figure.neutral()
    for name, value in angles.items():
        for side, mirror in (("", 1.0), ("_left", 1.0), ("_right", -1.0)):
            joint = name + side
            if joint not in figure.joint_names:
                continue
            kind = figure.links[figure.joint_index(joint)].joint.kind
            part = figure.q_slice(joint)
            if kind is JointKind.HINGE:
                axis = figure.links[figure.joint_index(joint)].joint.axis[1]
                q[part] = clipped(figure, joint, float(np.ravel(value)[-1 if np.size(value) == 1 else 1]) * axis)
            elif kind is JointKind.BALL:
                vector = np.array([0.0, float(value), 0.0]) if np.size(value) == 1 else np.array(value, float)
                if side:
                    vector = vector * [mirror, 1.0, mirror]
                q[part] = quat_multiply(quat_exp(vector), q[part])
    return q


def clipped(figure: Figure, joint: str, angle: float) -> float:
    """An angle inside the range of a hinge."""
    range_ = figure.links[figure.joint_index(joint)].joint.range
    return angle if range_ is None else min(max(angle, range_[0] + 0.02), range_[1] - 0.02)


def standing(figure: Figure, bend: float = 0.15) -> FloatArray:
    """Upright, knees a little bent, soles on z = 0."""
    q = posed(figure, {"hip": -bend, "knee": 2 * bend, "ankle": -bend, "elbow": -0.25})
    q[2] -= lowest(figure, q)
    return q


def lowest(figure: Figure, q: FloatArray) -> float:
    """Height of the lowest sole [m]."""
    from hitogata.control.whole_body import sole_corners

    poses, low = forward_kinematics(figure, q), math.inf
    for k, link in enumerate(figure.links):
        if link.name.startswith("foot"):
            corners = sole_corners(figure, link.name) @ poses.rotation[k].T + poses.position[k]
            low = min(low, float(corners[:, 2].min()))
    return low


def protecting(figure: Figure, forward: float, left: float) -> FloatArray:
    """Pose that a falling body takes: arms towards where it falls, chin to the chest if it falls back.

    Args:
        figure: the figure.
        forward: how much of its fall is forward, -1 to 1.
        left: to its left.
    """
    ahead, back = max(forward, 0.0), max(-forward, 0.0)
    q = posed(figure, {
        "hip": -0.4 - 0.5 * back, "knee": 0.6 + 0.4 * back, "ankle": 0.1, "waist": 0.2 * back - 0.05 * ahead,
        "spine": 0.25 * back, "neck": 0.3 * back - 0.25 * ahead, "head": 0.3 * back - 0.25 * ahead,
        "shoulder": (0.25, -1.2 * ahead + 0.5 * back - 0.3, 0.0), "elbow": -0.5 - 0.3 * ahead,
    })  # fmt: skip
    for side, toward in (("left", left), ("right", -left)):
        name = f"shoulder_{side}"
        if name in figure.joint_names and toward > 0.3:
            part = figure.q_slice(name)
            out = np.array([0.8 * toward if side == "left" else -0.8 * toward, 0.0, 0.0])
            q[part] = quat_multiply(quat_exp(out), q[part])
    return q


SITTING_UP = (
    # time [s], pitch of the pelvis, its height and way ahead from where it lies [rad, m], joints
    (0.8, -1.15, 0.13, 0.00, {"hip": -0.9, "knee": 1.5, "ankle": 0.0,
      "waist": 0.3, "spine": 0.3, "neck": 0.35, "head": 0.3,
      "shoulder": (0.15, -0.5, 0.0), "elbow": -0.6}),
    (1.7, -0.25, 0.16, 0.05, {"hip": -1.75, "knee": 2.1, "ankle": -0.1,
      "waist": 0.35, "spine": 0.3, "neck": 0.1, "head": 0.0,
      "shoulder": (0.1, -0.9, 0.0), "elbow": -0.3}),
    (2.6, 0.55, 0.42, 0.32, {"hip": -2.0, "knee": 2.0, "ankle": -0.33,
      "waist": 0.3, "spine": 0.2, "neck": -0.2, "head": -0.1,
      "shoulder": (0.1, -1.1, 0.0), "elbow": -0.3}),
)  # fmt: skip
"""From the back: curl, sit with the feet drawn in, squat."""

PUSHING_UP = (
    (0.9, 1.25, 0.24, 0.00, {"hip": -0.7, "knee": 1.2, "ankle": 0.6,
      "waist": 0.0, "spine": -0.05, "neck": -0.3, "head": -0.3,
      "shoulder": (0.35, -1.0, 0.0), "elbow": -1.3}),
    (1.7, 1.2, 0.46, -0.02, {"hip": -1.4, "knee": 1.6, "ankle": 0.5,
      "waist": 0.1, "spine": 0.0, "neck": -0.3, "head": -0.3,
      "shoulder": (0.15, -1.5, 0.0), "elbow": -0.2}),
    (2.6, 0.85, 0.46, 0.10, {"hip": -2.05, "knee": 1.85, "ankle": -0.33,
      "waist": 0.3, "spine": 0.2, "neck": -0.3, "head": -0.2,
      "shoulder": (0.1, -1.3, 0.0), "elbow": -0.2}),
)  # fmt: skip
"""From the belly: hands under the shoulders, on all fours, squat."""

UP = 3.5
"""When it stands [s]."""
