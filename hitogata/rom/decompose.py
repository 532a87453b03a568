"""Bend and twist of a pose, from quaternions and from matrices (Yamaguchi 2009, ch. 5 and 6; Hanaoka 2010, 3.2).

q = q_b q_t and M = M_b M_t: the twist turns about the bone e, the bend takes e to c the short way.
"""

from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, unit_rows
from hitogata.spatial import quat_conjugate, quat_multiply


def swing_twist_of_quat(quat: Any, bone: Any) -> tuple[Array, Any]:
    """Direction of the bone and twist angle (Yamaguchi 2009, eq. 40, 44; Hanaoka 2010, eq. 3.27 with its 2 and
    brackets put right).

    Args:
        quat: unit quaternions wxyz, shape (4,) or (n, 4).
        bone: unit vector, shape (3,).

    Returns:
        Unit vectors (n, 3), and angles in [−π, π] [rad] (n,): the same for q and −q; 0 where the bone points
        backwards, where twist has no meaning.
    """
    q, alone = unit_rows(quat, 4, "quaternion")
    e = unit_rows(bone, 3, "bone")[0][0]
    w, v = q[:, :1], q[:, 1:]
    t = 2.0 * np.cross(v, e)
    c = e + w * t + np.cross(v, t)
    flip = np.where(w[:, 0] < 0.0, -1.0, 1.0)
    along, real = (v @ e) * flip, w[:, 0] * flip
    twist = 2.0 * np.arctan2(along, real)
    return (c[0], float(twist[0])) if alone else (c, twist)


def swing_twist_of_matrix(matrix: Any, bone: Any) -> tuple[Array, Any]:
    """Direction of the bone and twist angle (Yamaguchi 2009, eq. 29, 34, with d₀ left out: it cancels, at the
    identity and everywhere).

    Args:
        matrix: rotation matrices, shape (3, 3) or (n, 3, 3).
        bone: unit vector, shape (3,).
    """
    m = np.asarray(matrix, np.float64)
    alone = m.ndim == 2
    m = m.reshape(-1, 3, 3) if m.shape[-2:] == (3, 3) else m
    if m.ndim != 3 or np.ndim(matrix) > 3:
        raise RangeError(f"matrix: shape (3, 3) or (n, 3, 3) expected, got {np.shape(matrix)}")
    bad = ~(np.abs(m @ m.transpose(0, 2, 1) - np.eye(3)).max((1, 2)) <= 1e-6) | ~(np.linalg.det(m) > 0.0)
    if bad.any():
        raise RangeError(f"matrix {int(np.argmax(bad))} is not a rotation: {m[np.argmax(bad)].tolist()}")
    e = unit_rows(bone, 3, "bone")[0][0]
    c = m @ e
    spin = np.stack([m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]], 1) @ e
    twist = np.arctan2(spin, np.trace(m, axis1=1, axis2=2) - c @ e)
    return (c[0], float(twist[0])) if alone else (c, twist)


def bend_of(direction: Any, bone: Any) -> Array:
    """Matrix of the bend that takes the bone to a direction the short way (Yamaguchi 2009, eq. 26, 30).

    M_b = cos·1 + [e × c] + d₀ (e × c)(e × c)ᵀ with d₀ = 1/(1 + e·c), taken as (1 − e·c)/|e × c|² on the far side,
    where that keeps its digits.

    Args:
        direction: unit vectors, shape (3,) or (n, 3).
        bone: unit vector, shape (3,).

    Raises:
        RangeError: a direction opposite to the bone, where every bend is as short.
    """
    c, alone = unit_rows(direction, 3, "direction")
    e = unit_rows(bone, 3, "bone")[0][0]
    across, cos = np.cross(e, c), c @ e
    size2 = (across * across).sum(1)
    opposite = (cos < 0.0) & (size2 == 0.0)
    if opposite.any():
        raise RangeError(f"direction {int(np.argmax(opposite))} is opposite to the bone: its bend is not defined")
    far = cos < 0.0
    d0 = np.where(far, (1.0 - cos) / np.where(far, size2, 1.0), 1.0 / (1.0 + np.where(far, 0.0, cos)))
    zero = np.zeros(len(c))
    x, y, z = across.T
    skew = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], 1).reshape(-1, 3, 3)
    out = cos[:, None, None] * np.eye(3) + skew + d0[:, None, None] * across[:, :, None] * across[:, None, :]
    return out[0] if alone else out


def bend_twist_of_quat(quat: Any, bone: Any) -> tuple[Array, Array]:
    """q_b and q_t with q = q_b q_t, q_t with w ≥ 0 (Yamaguchi 2009, eq. 38, 39), shapes (n, 4).

    Where the bone points backwards twist has no meaning: q_t is then no rotation.
    """
    q, alone = unit_rows(quat, 4, "quaternion")
    e = unit_rows(bone, 3, "bone")[0][0]
    along = q[:, 1:] @ e
    size = np.hypot(q[:, 0], along)
    known = size > 1e-150
    scale = np.where(q[:, 0] < 0.0, -1.0, 1.0) / np.where(known, size, 1.0)
    real, part = np.where(known, q[:, 0] * scale, 1.0), np.where(known, along * scale, 0.0)
    twist = np.concatenate([real[:, None], part[:, None] * e], 1)
    bend = quat_multiply(q, quat_conjugate(twist))
    return (bend[0], twist[0]) if alone else (bend, twist)
