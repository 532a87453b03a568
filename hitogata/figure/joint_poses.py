"""Where a joint's coordinates put its child frame, many samples at once, with numpy alone."""

from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.joint import Joint
from hitogata.figure.pose import IDENTITY
from hitogata.figure.values import FloatArray
from hitogata.spatial import quat_exp, quat_multiply, quat_rotate


def joint_motion(joint: Joint, q: FloatArray) -> tuple[Any, Any]:
    """Orientation (n, 4) and position (n, 3) [m] of a joint's frame M in F, for its coordinates, shape (n, nq)."""
    turn, place = np.tile([1.0, 0.0, 0.0, 0.0], (len(q), 1)), np.zeros((len(q), 3))
    if joint.quat_start is not None:
        return q[:, joint.quat_start :], q[:, :3] if joint.floating else place
    if joint.follows:
        raise FigureError(f"joint {joint.name!r} follows functions of coordinates, which is not known here")
    for k, screw in enumerate(joint.screws):
        if screw.before != IDENTITY:
            place = place + quat_rotate(turn, np.array(screw.before.position))
            turn = quat_multiply(turn, np.array(screw.before.quat))
        along = q[:, k : k + 1] * np.array(screw.axis)
        if screw.slide:
            place = place + quat_rotate(turn, along * screw.slide)
        if screw.turn:
            step = quat_exp(along * screw.turn)
            turn = step if k == 0 and screw.before == IDENTITY else quat_multiply(turn, step)
    return turn, place
