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


TWIST = 10.0
"""How much faster than a joint turns its twist may near a limit, at the most (limits change with swing)."""


class RangeWatch:
    """Ranges of one body, looked at again only where joints have turned far enough to have left them.

    A joint that is d inside its range is inside as long as it has turned by less than d: swing changes no faster than
    the joint turns, twist no faster than `TWIST` times that.

    Args:
        ranges: of the joints.
    """

    def __init__(self, ranges: JointRanges) -> None:
        self.ranges = ranges
        self._quats = np.zeros((len(ranges.balls), 4))
        self._cosines = np.full(len(ranges.balls), 2.0)
        self._places = np.array([q0 for q0, _, _ in ranges.balls], int)[:, None] + np.arange(4)

    def clamped(self, q: FloatArray) -> tuple[FloatArray, BoolArray]:
        """A pose (nq,) with every joint in its range, and which velocities belong to joints that were not, (nv,)."""
        ranges, result = self.ranges, q.copy()
        moved = np.zeros(len(ranges.names), np.bool_)
        iq, iv, low, high = ranges.plain
        if len(iq):
            result[iq] = np.clip(q[iq], low, high)
            moved[iv] = np.abs(result[iq] - q[iq]) > CLOSE
        if not ranges.balls:
            return result, moved
        quats = q[self._places]
        near = np.abs((quats * self._quats).sum(axis=1)) <= self._cosines
        for k in np.flatnonzero(near):
            q0, v0, limit = ranges.balls[k]
            quat = quats[k]
            found = limit.violation(quat)
            depth = max(float(found.swing_depth), TWIST * float(found.twist_depth))
            if depth < 0:
                inside = min(-float(found.swing_depth), -float(found.twist_depth) / TWIST)
                self._quats[k], self._cosines[k] = quat, np.cos(0.5 * min(0.98 * inside, 3.0))
            else:
                self._cosines[k] = 2.0
                if not limit.contains(quat):
                    result[q0 : q0 + 4] = limit.clamp(quat)
                    moved[v0 : v0 + 3] = True
        return result, moved
