"""Joints that cannot take every orientation: the best they can do, all frames at once."""

import math

import numpy as np

from hitogata.figure import Joint
from hitogata.figure.values import FloatArray
from hitogata.motion.smooth_curve import smoothest
from hitogata.spatial import matrix_to_quat, quat_exp, quat_to_matrix

STRAIGHT, BENT = math.radians(5), math.radians(20)
"""Below the first bend, the plane of a hinge says nothing about its parent's twist; above the second, all."""

STEADY, STRONG = 0.1, 1000.0
"""Turns of a limb about its bone change no faster than in about this time [s], where they are not known so many times
better than their usual value."""

_KNOWN = 1e-6  # of the sum of weights: below it, a mean angle says nothing
_ROUNDS = 30
"""Of the fit of a universal joint: each halves the error at least, unless its axes are nearly parallel."""


def hinge_angles(axis: FloatArray, bone: FloatArray, wanted: FloatArray) -> FloatArray:
    """Angles that bring a bone as near as possible to wanted directions.

    Args:
        axis: of the hinge, unit, shape (3,).
        bone: at angle zero, shape (3,), not along the axis.
        wanted: directions in the same frame, shape (n, 3).

    Returns:
        Angles in (-π, π] [rad], shape (n,).
    """
    across = bone - axis * (axis @ bone)
    angles: FloatArray = np.arctan2(wanted @ np.cross(axis, across), wanted @ across)
    return angles


def twist_angles(axis: FloatArray, wanted: FloatArray) -> FloatArray:
    """Angles about an axis that come nearest to wanted rotations, shape (n, 3, 3); the twist of each [rad]."""
    quats = matrix_to_quat(wanted)
    angles: FloatArray = 2 * np.arctan2(quats[:, 1:] @ axis, quats[:, 0])
    return np.mod(angles + np.pi, 2 * np.pi) - np.pi


def universal_angles(joint: Joint, wanted: FloatArray) -> FloatArray:
    """Both angles of a universal joint nearest to wanted rotations, shape (n, 3, 3); in turns, each the best for the
    other; shape (n, 2) [rad]."""
    first, second = np.array(joint.axis), np.array(joint.axis2)
    angles = np.zeros((len(wanted), 2))
    for _ in range(_ROUNDS):
        turn = quat_to_matrix(quat_exp(-angles[:, 1:] * second))
        angles[:, 0] = twist_angles(first, wanted @ turn)
        turn = quat_to_matrix(quat_exp(-angles[:, :1] * first))
        angles[:, 1] = twist_angles(second, turn @ wanted)
    return angles


def inside(angles: FloatArray, limits: tuple[float, float] | None) -> FloatArray:
    """Angles [rad], shape (n,), in a range, by whole turns where that helps; without a range, without jumps."""
    if limits is None or not all(map(math.isfinite, limits)):
        result: FloatArray = np.unwrap(angles)
        return result
    low, high = limits
    middle = (low + high) / 2
    return np.clip(middle + np.mod(angles - middle + np.pi, 2 * np.pi) - np.pi, low, high)


def bend_twists(
    bone: FloatArray, axis: FloatArray, wanted: FloatArray, limits: tuple[float, float] | None
) -> tuple[FloatArray, FloatArray]:
    """Turns of a limb about its own bone that bring a hinge at its end into the plane of the wanted bend.

    A ball joint, a bone, a hinge across it and a second bone can point both bones wherever they are wanted: the turn
    puts the hinge's axis along ± bone × wanted, with the sign that bends into the hinge's range.  An almost straight
    limb has no plane: there the turn has no weight.

    Args:
        bone: directions of the first bone, unit, world, shape (n, 3).
        axis: directions of the hinge's axis before the turn, unit, world, shape (n, 3).
        wanted: directions of the second bone, unit, world, shape (n, 3).
        limits: range of the hinge, if any.

    Returns:
        Angles about `bone` in (-π, π] [rad], and how surely they are known, from 0 to 1, both of shape (n,).
    """
    normal = np.cross(bone, wanted)
    sine, cosine = np.linalg.norm(normal, axis=1), np.einsum("ni,ni->n", bone, wanted)
    across = axis - bone * np.einsum("ni,ni->n", axis, bone)[:, None]
    if limits is not None and limits[0] + limits[1] < 0:
        normal = -normal
    angles = np.arctan2(np.einsum("ni,ni->n", bone, np.cross(across, normal)), np.einsum("ni,ni->n", across, normal))
    if limits is None or limits[0] < -0.5 < 0.5 < limits[1]:  # bends both ways: the smaller turn
        angles = np.mod(angles + np.pi / 2, np.pi) - np.pi / 2
    part = np.clip((np.arctan2(sine, cosine) - STRAIGHT) / (BENT - STRAIGHT), 0.0, 1.0)
    return angles, part * part * (3 - 2 * part)


def steady_twists(time: FloatArray, angles: FloatArray, sure: FloatArray) -> FloatArray:
    """Turns of a limb about its bone, from `bend_twists`, without jumps [rad], shape (n,).

    What the limb's plane does not say is taken from where it does: the turn is led over from one bend to the next, and
    comes back to its usual value, the mean by weight, where the limb is straight for long.  So the limb turns about its
    bone as the source does, but for this slow change.

    Args:
        time: [s], shape (n,).
        angles: [rad], shape (n,).
        sure: weights from 0 to 1, shape (n,).
    """
    whole = complex(sure @ np.exp(1j * angles))
    if abs(whole) < _KNOWN * max(float(sure.max(initial=0.0)), 1e-12) or not sure.any():
        return np.zeros_like(angles)
    usual = float(np.angle(whole))
    away = np.mod(angles - usual + np.pi, 2 * np.pi) - np.pi
    weights = sure * STRONG
    return usual + smoothest(time, away[:, None], weights, span=STEADY, pull=1.0)[:, 0]
