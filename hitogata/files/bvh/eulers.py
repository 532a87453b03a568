"""Angles of rotation channels and quaternions, all frames at once."""

import warnings
from collections.abc import Sequence

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.spatial import quat_multiply


def quats_of_angles(axes: Sequence[int], angles: FloatArray) -> FloatArray:
    """R_1 R_2 ... about axes (0, 1, 2 for x, y, z) by angles [rad], shape (n, k), as quaternions wxyz, shape (n, 4)."""
    result: FloatArray = np.zeros((len(angles), 4))
    result[:, 0] = 1.0
    for k, axis in enumerate(axes):
        turn = np.zeros((len(angles), 4))
        turn[:, 0], turn[:, 1 + axis] = np.cos(angles[:, k] / 2), np.sin(angles[:, k] / 2)
        result = quat_multiply(result, turn).astype(np.float64, copy=False)
    return result


def angles_of_quats(axes: Sequence[int], quats: FloatArray) -> FloatArray:
    """Angles [rad], shape (n, 3), with R_1 R_2 R_3 = R about three axes, no two neighbours alike.

    Of the two sets of angles that give a rotation, and their whole turns, each frame takes those nearest to the frame
    before.  Where the middle angle makes the outer axes coincide (gimbal lock), the third is zero.
    """
    from scipy.spatial.transform import Rotation

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of gimbal lock
        angles = Rotation.from_quat(quats, scalar_first=True).as_euler("".join("XYZ"[a] for a in axes))
    return _unbroken(angles, proper=axes[0] == axes[2])


def _unbroken(angles: FloatArray, *, proper: bool) -> FloatArray:
    """Angles without jumps between the two sets, and without jumps of whole turns."""
    # the other set: (a + π, π - b, c + π), or (a + π, -b, c + π) if first and last axis are the same
    other = angles + np.pi
    other[:, 1] = -angles[:, 1] if proper else np.pi - angles[:, 1]
    result = angles.copy()
    sets = np.stack([angles, other])
    for k in range(1, len(angles)):
        near = sets[:, k] - 2 * np.pi * np.round((sets[:, k] - result[k - 1]) / (2 * np.pi))
        result[k] = near[np.abs(near - result[k - 1]).sum(axis=1).argmin()]
    return result
