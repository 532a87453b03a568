"""Where a joint's coordinates put its child frame, many samples at once, with numpy alone."""

from typing import Any

import numpy as np

from hitogata.figure.joint import Joint, JointKind
from hitogata.figure.values import FloatArray
from hitogata.spatial import quat_exp, quat_multiply


def joint_motion(joint: Joint, q: FloatArray) -> tuple[Any, Any]:
    """Orientation (n, 4) and position (n, 3) [m] of a joint's frame M in F, for its coordinates, shape (n, nq)."""
    n = len(q)
    still, none = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)), np.zeros((n, 3))
    axis, axis2 = np.array(joint.axis), np.array(joint.axis2)
    match joint.kind:
        case JointKind.FREE:
            return q[:, 3:], q[:, :3]
        case JointKind.BALL:
            return q, none
        case JointKind.HINGE:
            return quat_exp(q * axis), none
        case JointKind.UNIVERSAL:
            return quat_multiply(quat_exp(q[:, :1] * axis), quat_exp(q[:, 1:] * axis2)), none
        case JointKind.SLIDER:
            return still, q * axis
        case _:
            return still, none
