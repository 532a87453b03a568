"""Charts: the coordinates that a range of several joints is about.

| chart               | of joint                 | coordinates                                                     |
|---------------------|--------------------------|-----------------------------------------------------------------|
| `Angle(joint)`      | hinge, slider, universal | its coordinate [rad], [m]                                       |
| `SwingTwist(joint)` | ball, free               | a, b of the bone in the disc of 2 sin(γ/2), and its twist [rad] |
| `Position(joint)`   | free                     | x, y, z of its origin [m]                                       |

With e the bone at rest, c = R e the bone now and f, g at right angles to e, the disc is a = c·f k, b = c·g k with
k = √(2/(1 + c·e)): Lambert's, which keeps areas and is even near rest.  Its rim, 2 from the middle, is the direction
opposite to the bone.  Lengths are divided by `CoupledRange.length`, so that all coordinates count as angles.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, unit_rows
from hitogata.spatial import quat_multiply, quat_rotate

CHARTS: dict[str, type["Chart"]] = {}
"""Chart classes by name, for files."""


class Kind:
    """Numbers by which kernels know a chart's kind."""

    ANGLE, SWING_TWIST, POSITION = 0, 1, 2


@dataclass(frozen=True)
class Chart:
    """Coordinates of one joint; base of all kinds.

    Attributes:
        joint: its name in the figure.
    """

    joint: str

    kind: ClassVar[int] = Kind.ANGLE
    size: ClassVar[int] = 1
    """Number of coordinates, and of velocities."""
    nq: ClassVar[int] = 1
    """Numbers of q that it reads."""

    def __init_subclass__(cls) -> None:
        CHARTS[cls.__name__] = cls

    def __post_init__(self) -> None:
        if not isinstance(self.joint, str) or not self.joint:
            raise RangeError(f"{type(self).__name__}: joint: a name expected, got {self.joint!r}")

    def coordinates(self, q: Array, length: float) -> Array:
        """Coordinates (n, size) of rows of q (n, nq)."""
        raise NotImplementedError

    def poses(self, y: Array, length: float) -> Array:
        """Rows of q (n, nq) with these coordinates (n, size)."""
        raise NotImplementedError

    @property
    def frame(self) -> Array:
        """e, f, g of a swing and twist, 9 numbers; zeros for others."""
        return np.zeros(9)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"kind": type(self).__name__} | {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    @staticmethod
    def from_dict(data: Any) -> "Chart":
        """The chart that `to_dict` wrote."""
        if not isinstance(data, dict) or data.get("kind") not in CHARTS:
            raise RangeError(f"unknown chart {data!r}; known: {', '.join(sorted(CHARTS))}")
        try:
            return CHARTS[data["kind"]](**{k: v for k, v in data.items() if k != "kind"})
        except TypeError as error:
            raise RangeError(f"{data['kind']}: {error}") from None


@dataclass(frozen=True)
class Angle(Chart):
    """The coordinate of a hinge or slider, or one of a universal, compound or function joint.

    Attributes:
        index: which one of the joint's, from 0 to 5.
        metres: whether it is a length (of a slider).
    """

    index: int = 0
    metres: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.index not in range(6):
            raise RangeError(f"Angle of {self.joint!r}: index 0 to 5 expected, got {self.index!r}")

    def coordinates(self, q: Array, length: float) -> Array:
        """See `Chart`."""
        return q / length if self.metres else q

    def poses(self, y: Array, length: float) -> Array:
        """See `Chart`."""
        return y * length if self.metres else y


@dataclass(frozen=True)
class SwingTwist(Chart):
    """Swing and twist of a ball joint, or of a free one.

    Attributes:
        bone: its direction at rest, unit, in the parent's frame, shape (3,).
    """

    bone: Any = (1.0, 0.0, 0.0)

    kind: ClassVar[int] = Kind.SWING_TWIST
    size: ClassVar[int] = 3
    nq: ClassVar[int] = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        bone, _ = unit_rows(self.bone, 3, f"SwingTwist bone of {self.joint!r}")
        object.__setattr__(self, "bone", tuple(bone[0].tolist()))

    @property
    def frame(self) -> Array:
        """e, f, g."""
        e = np.array(self.bone)
        f = np.eye(3)[np.argmin(np.abs(e))]
        f = f - e * (e @ f)
        f /= np.linalg.norm(f)
        return np.concatenate([e, f, np.cross(e, f)])

    def coordinates(self, q: Array, length: float) -> Array:
        """See `Chart`."""
        e, f, g = self.frame.reshape(3, 3)
        c = quat_rotate(q, e)
        k = np.sqrt(2.0 / np.maximum(1.0 + c @ e, 1e-30))
        twist = 2.0 * np.arctan2(q[:, 1:] @ e, q[:, 0])
        return np.stack([c @ f * k, c @ g * k, twist - 2.0 * np.pi * np.round(twist / (2.0 * np.pi))], 1)

    def poses(self, y: Array, length: float) -> Array:
        """See `Chart`; beyond the rim, those on it."""
        e, f, g = self.frame.reshape(3, 3)
        a, b, twist = y.T
        size = np.hypot(a, b)
        half = np.arcsin(np.minimum(size / 2.0, 1.0))
        axis = (np.outer(a, np.cross(e, f)) + np.outer(b, np.cross(e, g))) / np.maximum(size, 1e-300)[:, None]
        swing = np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axis], 1)
        turn = np.concatenate([np.cos(twist / 2.0)[:, None], np.outer(np.sin(twist / 2.0), e)], 1)
        quat: Array = quat_multiply(swing, turn)
        return quat


@dataclass(frozen=True)
class Position(Chart):
    """Where a free joint's origin is, in the parent's frame."""

    kind: ClassVar[int] = Kind.POSITION
    size: ClassVar[int] = 3
    nq: ClassVar[int] = 3

    def coordinates(self, q: Array, length: float) -> Array:
        """See `Chart`."""
        return q / length

    def poses(self, y: Array, length: float) -> Array:
        """See `Chart`."""
        return y * length
