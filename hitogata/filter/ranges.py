"""Joints kept in their ranges: the same range objects as in simulation and inverse kinematics."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.motion.foot_contacts import BoolArray
from hitogata.rom import RangeOfMotion
from hitogata.spatial import quat_to_matrix

CLOSE = 1e-9
"""What counts as outside [rad] or [m]; puts joints that far inside where they are clamped."""


@dataclass(frozen=True, eq=False)
class JointRanges:
    """Ranges of a figure's joints.

    Attributes:
        plain: places in q and v, and limits, of coordinates with limits: four arrays of one length.
        balls: first coordinate, first velocity and range of ball joints.
        names: of the joints, by place in v, shape (nv,).
    """

    plain: tuple[Any, Any, FloatArray, FloatArray]
    balls: tuple[tuple[int, int, RangeOfMotion], ...]
    names: tuple[str, ...]


def joint_ranges(figure: Figure) -> JointRanges:
    """The ranges that a figure has."""
    iq: list[int] = []
    iv: list[int] = []
    low: list[float] = []
    high: list[float] = []
    balls: list[tuple[int, int, RangeOfMotion]] = []
    names: list[str] = []
    for k, (link, q0, v0) in enumerate(zip(figure.links, figure.q_starts, figure.v_starts, strict=True)):
        joint = link.joint
        names += [figure.joint_names[k]] * joint.nv
        if joint.range is None:
            continue
        if isinstance(joint.range, RangeOfMotion):
            balls.append((q0, v0, joint.range))
        elif joint.quat_start is None:
            limits = np.reshape(joint.range, (-1, 2))
            iq += range(q0, q0 + joint.nq)
            iv += range(v0, v0 + joint.nv)
            low += limits[:, 0].tolist()
            high += limits[:, 1].tolist()
    plain = np.array(iq, int), np.array(iv, int), np.array(low), np.array(high)
    return JointRanges(plain, tuple(balls), tuple(names))


def clamped(ranges: JointRanges, q: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Poses (n, nq) with every joint in its range, and which velocities belong to joints that were not, (n, nv)."""
    result, moved = q.copy(), np.zeros((len(q), len(ranges.names)), np.bool_)
    iq, iv, low, high = ranges.plain
    if len(iq):
        inside = np.clip(q[:, iq], low, high)
        moved[:, iv] = np.abs(inside - q[:, iq]) > CLOSE
        result[:, iq] = inside
    for q0, v0, limit in ranges.balls:
        quat = q[:, q0 : q0 + 4]
        outside = ~np.atleast_1d(limit.contains(quat))
        if outside.any():
            held = limit.clamp(quat[outside])
            result[outside, q0 : q0 + 4] = held
            moved[outside, v0 : v0 + 3] = True
    return result, moved


def beyond(ranges: JointRanges, q: FloatArray) -> FloatArray:
    """How far the joint that is farthest out of its range is [rad] or [m], shape (n,)."""
    worst = np.zeros(len(q))
    iq, _, low, high = ranges.plain
    if len(iq):
        x = q[:, iq]
        worst = np.maximum(worst, np.maximum(low - x, x - high).max(axis=1))
    for q0, _, limit in ranges.balls:
        quat = q[:, q0 : q0 + 4]
        outside = np.flatnonzero(~np.atleast_1d(limit.contains(quat)))
        if len(outside):
            a, b = (quat_to_matrix(x) for x in (quat[outside], limit.clamp(quat[outside])))
            turn = np.clip((np.einsum("nij,nij->n", a, b) - 1) / 2, -1, 1)
            worst[outside] = np.maximum(worst[outside], np.arccos(turn))
    return worst
