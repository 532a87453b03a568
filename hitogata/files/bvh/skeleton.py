"""A BVH file as it stands: joints, channels and frames, in the file's own unit, axes and degrees.

What leaves a `Bvh` (poses, figures, trajectories) is in metres and radians, with z up.
"""

import enum
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import values as checked
from hitogata.figure.values import FloatArray, Vector, floats


class Channel(enum.Enum):
    """One number of a frame: a shift along an axis, or a turn about one [deg]."""

    X_POSITION = "Xposition"
    Y_POSITION = "Yposition"
    Z_POSITION = "Zposition"
    X_ROTATION = "Xrotation"
    Y_ROTATION = "Yrotation"
    Z_ROTATION = "Zrotation"

    @property
    def axis(self) -> int:
        """0, 1, 2 for x, y, z of the file."""
        return "XYZ".index(self.value[0])

    @property
    def turns(self) -> bool:
        """Whether it is a rotation."""
        return self.value.endswith("rotation")


POSITIONS = (Channel.X_POSITION, Channel.Y_POSITION, Channel.Z_POSITION)
ROTATIONS = (Channel.X_ROTATION, Channel.Y_ROTATION, Channel.Z_ROTATION)


class Up(enum.Enum):
    """Which axis of the file points up.

    The axes are turned cyclically into ours: of a file with y up (the usual one), z becomes our x, x our y and y our
    z.  A figure that looks along z in the file, its left along x, looks along our x with its left along y.
    """

    X = 0
    Y = 1
    Z = 2

    @property
    def order(self) -> list[int]:
        """Which axis of the file each of our axes is."""
        return [(k + self.value + 1) % 3 for k in range(3)]

    def ours(self, axis: int) -> int:
        """Our axis that is an axis of the file."""
        return (axis - self.value - 1) % 3


class PositionChannels(enum.Enum):
    """What position channels hold; programs differ.

    REPLACE: the joint's place in its parent, instead of its offset (MotionBuilder, Blender, and most others).
    ADD: a shift that is added to the offset.
    """

    REPLACE = "replace"
    ADD = "add"


@dataclass(frozen=True)
class BvhJoint:
    """A joint of the file.

    Attributes:
        name: unique in the file.
        parent: index of the parent joint; -1 for the root.
        offset: from the parent, in the file's unit and axes.
        channels: in the file's order; rotations are applied in it, the first one outermost.
        ends: offsets of the end sites that hang on it (mostly none or one), in the file's unit and axes.
    """

    name: str
    parent: int
    offset: Vector
    channels: tuple[Channel, ...] = ()
    ends: tuple[Vector, ...] = ()

    @property
    def rotations(self) -> tuple[Channel, ...]:
        """Its rotation channels, in order."""
        return tuple(c for c in self.channels if c.turns)

    @property
    def positions(self) -> tuple[Channel, ...]:
        """Its position channels, in order."""
        return tuple(c for c in self.channels if not c.turns)


@dataclass(frozen=True, eq=False)
class Bvh:
    """A skeleton and its motion, as in a BVH file.

    Attributes:
        joints: in the file's order, which is depth-first.
        values: all channels of all frames, shape (nframes, nchannels), read-only; positions in the file's unit,
            rotations in degrees.
        frame_time: time between frames [s].
        scale: length of the file's unit [m].
        up: axis of the file that points up.
        position_channels: what position channels hold.
        scale_guessed: whether `scale` was guessed (a BVH file does not say its unit).
        name: of the motion.
    """

    joints: tuple[BvhJoint, ...]
    values: FloatArray = field(repr=False)
    frame_time: float
    scale: float = 0.01
    up: Up = Up.Y
    position_channels: PositionChannels = PositionChannels.REPLACE
    scale_guessed: bool = False
    name: str = "motion"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        check_joints(self.joints)
        values = floats(self.values, "bvh: values").astype(np.float64, copy=False)
        if values.ndim != 2 or values.shape[1] != self.nchannels:
            raise ArgumentError(f"bvh: values must have shape (frames, {self.nchannels}), got {values.shape}")
        if not np.isfinite(values).all():
            raise ArgumentError(f"bvh: frame {int((~np.isfinite(values).all(axis=1)).argmax())} is not finite")
        values = values.view()
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        for what in ("frame_time", "scale"):
            object.__setattr__(self, what, positive(getattr(self, what), f"bvh: {what}"))
        for what, kind in (("up", Up), ("position_channels", PositionChannels)):
            if not isinstance(getattr(self, what), kind):
                raise ArgumentError(f"bvh: {what} must be of {kind.__name__}, got {getattr(self, what)!r}")

    @cached_property
    def nchannels(self) -> int:
        """Numbers of a frame."""
        return sum(len(joint.channels) for joint in self.joints)

    @property
    def nframes(self) -> int:
        """Number of frames."""
        return len(self.values)

    @property
    def time(self) -> FloatArray:
        """Time of each frame [s], from 0, shape (nframes,)."""
        time: FloatArray = np.arange(self.nframes, dtype=np.float64) * self.frame_time
        return time

    @property
    def duration(self) -> float:
        """Time from the first frame to the last [s]."""
        return max(self.nframes - 1, 0) * self.frame_time

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the joints, in order."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of each joint's parent; -1 for the root."""
        return tuple(joint.parent for joint in self.joints)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Column of each joint's first channel."""
        return tuple(np.cumsum([0, *(len(joint.channels) for joint in self.joints)])[:-1].tolist())

    def index(self, name: str) -> int:
        """Index of a joint by name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise ArgumentError(f"bvh: no joint {name!r}; there are: {', '.join(self.names)}") from None

    def offset(self, joint: int) -> FloatArray:
        """Offset of a joint from its parent [m], z up, shape (3,)."""
        return self.metres(self.joints[joint].offset)

    def metres(self, points: Any) -> FloatArray:
        """Points of the file, shape (..., 3), in metres and with z up."""
        result: FloatArray = np.asarray(points, dtype=np.float64)[..., self.up.order] * self.scale
        return result

    def translations(self, joint: int, frames: slice = slice(None)) -> FloatArray:
        """Place of a joint in its parent, in the file's unit and axes, shape (n, 3); (1, 3) if it does not move."""
        it, start = self.joints[joint], self.starts[joint]
        if not it.positions:
            return np.array([it.offset])
        values = self.values[frames]
        result = np.repeat([it.offset], len(values), axis=0)
        for k, channel in enumerate(it.channels):
            if not channel.turns:
                replace = self.position_channels is PositionChannels.REPLACE
                result[:, channel.axis] = values[:, start + k] + (0.0 if replace else it.offset[channel.axis])
        return result

    def __str__(self) -> str:
        return (
            f"Bvh {self.name!r}: {len(self.joints)} joints, {self.nchannels} channels, {self.nframes} frames, "
            f"{self.duration:.3f} s, unit {self.scale:g} m"
        )


def positive(value: Any, what: str) -> float:
    """One finite number above zero, or ArgumentError."""
    return checked.positive(value, what, error=ArgumentError)


def check_joints(joints: tuple[BvhJoint, ...]) -> None:
    """One root, depth-first order, unique names that can be written, no position twice."""
    if not joints:
        raise ArgumentError("bvh: a skeleton needs at least one joint")
    seen: set[str] = set()
    path: list[int] = []  # from the root to the last joint
    for i, joint in enumerate(joints):
        if not isinstance(joint, BvhJoint):
            raise ArgumentError(f"bvh: joints must be BvhJoint, got {joint!r}")
        name = joint.name
        if not isinstance(name, str) or not name or name != " ".join(name.split()) or set(name) & set("{}"):
            raise ArgumentError(f"bvh: a joint needs a name without braces, line breaks and outer spaces, got {name!r}")
        if name in seen:
            raise ArgumentError(f"bvh: duplicate joint {name!r}")
        seen.add(name)
        while path and path[-1] != joint.parent:
            path.pop()
        if (joint.parent == -1) != (i == 0) or (i > 0 and not path):
            raise ArgumentError(f"bvh: joint {name!r}: one root comes first, and joints in depth-first order")
        path.append(i)
        if len(set(joint.positions)) < len(joint.positions):
            raise ArgumentError(f"bvh: joint {name!r}: a position channel stands twice")
        for vector in (joint.offset, *joint.ends):
            if len(vector) != 3 or not np.isfinite(vector).all():
                raise ArgumentError(f"bvh: joint {name!r}: an offset is three finite numbers, got {vector}")
