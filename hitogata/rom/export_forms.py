"""Ranges as other engines write them: what each allows.

All measure in a joint frame J with x along the axis about which twist is counted.  `quat_PJ` places it on the parent,
`quat_CJ` on the child (in the child's axes);
the pose in J is conj(quat_PJ) · quat · quat_CJ.  Swing of a pose is the short turn that takes x to the bone, (w, 0, y,
z) as a quaternion.
"""

import dataclasses
import enum
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.rom.frames import Array, unit_rows
from hitogata.spatial import quat_conjugate, quat_multiply, quat_rotate

IDENTITY = (1.0, 0.0, 0.0, 0.0)
Pair = tuple[float, float]


class Measure(enum.Enum):
    """How an engine turns a swing quaternion (w, 0, y, z) into two coordinates.

    QUARTER: tan(angle/4) = (y, z)/(1 + w), PhysX's cone and pyramid.  SINE: sin(angle/2) = (y, z), Jolt's cone.
    TANGENT: tan(angle/2) = (y, z)/w, Jolt's pyramid, and the stereographic plane of `RectangleRegion`.  ANGLE: each
    4 atan((y, z)/(1 + w)) by itself, Unreal's Chaos.
    """

    QUARTER = "quarter"
    SINE = "sine"
    TANGENT = "tangent"
    ANGLE = "angle"

    def coordinates(self, p: Array) -> Array:
        """Coordinates (n, 2) of bone directions (n, 3) given in J."""
        w = np.sqrt(np.maximum((1.0 + p[:, 0]) / 2.0, 0.0))
        yz = np.stack([-p[:, 2], p[:, 1]], 1) / (2.0 * np.maximum(w, 1e-9))[:, None]
        if self is Measure.QUARTER:
            return yz / (1.0 + w)[:, None]
        if self is Measure.ANGLE:
            return 4.0 * np.arctan(yz / (1.0 + w)[:, None])
        return yz if self is Measure.SINE else yz / np.maximum(w, 1e-9)[:, None]

    def of_angle(self, angle: Any) -> Any:
        """Coordinate of a swing angle [rad]."""
        if self is Measure.QUARTER:
            return np.tan(np.asarray(angle) / 4.0)
        if self is Measure.ANGLE:
            return np.asarray(angle)
        return np.sin(np.asarray(angle) / 2.0) if self is Measure.SINE else np.tan(np.asarray(angle) / 2.0)

    def to_angle(self, x: Any) -> Any:
        """Swing angle [rad] of a coordinate."""
        if self is Measure.QUARTER:
            return 4.0 * np.arctan(x)
        if self is Measure.ANGLE:
            return np.asarray(x)
        return 2.0 * np.arcsin(np.clip(x, -1.0, 1.0)) if self is Measure.SINE else 2.0 * np.arctan(x)


@dataclass(frozen=True)
class EngineRange:
    """What all forms share.

    Attributes:
        quat_PJ: joint frame on the parent, wxyz.
        quat_CJ: joint frame on the child, wxyz.
    """

    quat_PJ: tuple[float, ...] = IDENTITY
    quat_CJ: tuple[float, ...] = IDENTITY

    def in_joint(self, quat: Any) -> Array:
        """Poses in the joint frame, wxyz, shape (n, 4)."""
        q, _ = unit_rows(quat, 4, "quaternion")
        return quat_multiply(quat_multiply(quat_conjugate(np.array(self.quat_PJ)), q), np.array(self.quat_CJ))

    def bone_in_joint(self, p: Any) -> Array:
        """Bone directions of the parent frame (n, 3) in the joint frame."""
        return quat_rotate(quat_conjugate(np.array(self.quat_PJ)), unit_rows(p, 3, "point")[0])

    def allows(self, quat: Any) -> Any:
        """Whether the engine allows poses, wxyz, shape (n, 4)."""
        raise NotImplementedError

    def allows_bone(self, p: Any) -> Any:
        """Whether the engine lets the bone point along p (n, 3), at some twist."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, for JSON; angles in rad."""
        out: dict[str, Any] = {"form": type(self).__name__}
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            out[f.name] = (
                value.value if isinstance(value, enum.Enum) else list(value) if isinstance(value, tuple) else value
            )
        return out


@dataclass(frozen=True)
class MujocoBall(EngineRange):
    """MuJoCo's ball joint: `range="0 angle"` limits the angle of the whole rotation, swing and twist in one.

    Attributes:
        angle: [rad].
    """

    angle: float = 0.0

    def allows(self, quat: Any) -> Any:
        """See `EngineRange`."""
        q, _ = unit_rows(quat, 4, "quaternion")
        return 2.0 * np.arccos(np.minimum(np.abs(q[:, 0]), 1.0)) <= self.angle

    def allows_bone(self, p: Any) -> Any:
        """See `EngineRange`."""
        return np.arccos(np.clip(self.bone_in_joint(p)[:, 0], -1.0, 1.0)) <= self.angle

    def xml(self) -> str:
        """The joint's attributes in MJCF (degrees, MuJoCo's default)."""
        return f'type="ball" limited="true" range="0 {np.degrees(self.angle):.6g}"'


@dataclass(frozen=True)
class _Swing(EngineRange):
    """Swing limits with one interval of twist."""

    twist: Pair = (-np.pi, np.pi)

    def allows_swing(self, x: Array) -> Any:
        """Whether a bone that points along x (n, 3), in J, is allowed."""
        raise NotImplementedError

    def allows_bone(self, p: Any) -> Any:
        """See `EngineRange`."""
        return self.allows_swing(self.bone_in_joint(p))

    def allows(self, quat: Any) -> Any:
        """See `EngineRange`."""
        q = self.in_joint(quat)
        return self.allows_swing(quat_rotate(q, np.array([1.0, 0.0, 0.0]))) & within(joint_twist(q), self.twist)


@dataclass(frozen=True)
class ConeTwist(_Swing):
    """A circular cone and an interval of twist (Bullet's cone-twist joint with both spans equal).

    Attributes:
        half_angle: of the cone about J's x [rad].
        twist: (low, high) [rad].
    """

    half_angle: float = 0.0

    def allows_swing(self, x: Array) -> Any:
        """See `_Swing`."""
        return np.arccos(np.clip(x[:, 0], -1.0, 1.0)) <= self.half_angle


@dataclass(frozen=True)
class SwingEllipse(_Swing):
    """An elliptic cone and an interval of twist (PhysX's D6 cone limit, Jolt's swing-twist cone).

    Attributes:
        y, z: greatest swing about J's y and z [rad].
        twist: (low, high) [rad].
        measure: QUARTER for PhysX and Unity, SINE for Jolt, ANGLE for Unreal.
    """

    y: float = 0.0
    z: float = 0.0
    measure: Measure = Measure.QUARTER

    def allows_swing(self, x: Array) -> Any:
        """See `_Swing`."""
        k = self.measure.coordinates(x) / self.measure.of_angle([self.y, self.z])
        return (k * k).sum(1) <= 1.0


@dataclass(frozen=True)
class SwingPyramid(_Swing):
    """Swing about y and about z each in an interval, and an interval of twist (PhysX's pyramid limit, Jolt's swing-
    twist pyramid).

    Attributes:
        y, z: (low, high) of the swing about J's y and z [rad].
        twist: (low, high) [rad].
        measure: QUARTER for PhysX, TANGENT for Jolt (then the region is a `RectangleRegion`, exactly).
    """

    y: Pair = (0.0, 0.0)
    z: Pair = (0.0, 0.0)
    measure: Measure = Measure.QUARTER

    def allows_swing(self, x: Array) -> Any:
        """See `_Swing`."""
        a = self.measure.to_angle(self.measure.coordinates(x))
        return within(a[:, 0], self.y) & within(a[:, 1], self.z)


@dataclass(frozen=True)
class EulerBox(EngineRange):
    """Three angles, each in an interval: R = Rz(z) Ry(y) Rx(x) in J, x the bone's twist.

    Attributes:
        x, y, z: (low, high) [rad]; y within ±π/2.
    """

    x: Pair = (-np.pi, np.pi)
    y: Pair = (-np.pi / 2.0, np.pi / 2.0)
    z: Pair = (-np.pi, np.pi)

    def allows(self, quat: Any) -> Any:
        """See `EngineRange`."""
        a = euler_angles(self.in_joint(quat))
        return within(a[:, 0], self.x) & within(a[:, 1], self.y) & within(a[:, 2], self.z)

    def allows_bone(self, p: Any) -> Any:
        """See `EngineRange`."""
        x = self.bone_in_joint(p)
        return within(-np.arcsin(np.clip(x[:, 2], -1.0, 1.0)), self.y) & within(np.arctan2(x[:, 1], x[:, 0]), self.z)


def within(angle: Array, limits: Pair) -> Any:
    """Whether angles lie in an interval, whole turns aside."""
    low, high = limits
    turn = 2.0 * np.pi
    return np.mod(angle - low, turn) <= min(high - low, turn)


def joint_twist(q: Array) -> Array:
    """Twist about x of poses (n, 4) in J [rad], within ±π."""
    sign = np.where(q[:, 0] < 0.0, -1.0, 1.0)
    return 2.0 * np.arctan2(q[:, 1] * sign, q[:, 0] * sign)


def euler_angles(q: Array) -> Array:
    """x, y, z [rad] of R = Rz Ry Rx, shape (n, 3), of quaternions (n, 4)."""
    w, x, y, z = q.T
    return np.stack(
        [
            np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
            np.arcsin(np.clip(2.0 * (w * y - x * z), -1.0, 1.0)),
            np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
        ],
        1,
    )
