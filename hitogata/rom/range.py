"""The range of motion of a ball joint: where the bone may point, and how far it may twist there."""

import json
import pathlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom import memory, poses
from hitogata.rom.contact import run
from hitogata.rom.decompose import swing_twist_of_matrix, swing_twist_of_quat
from hitogata.rom.frames import Array, interval, unit_rows
from hitogata.rom.range_layout import flat_range, single_range
from hitogata.rom.region import Region
from hitogata.rom.twist import ConstantTwist, FreeTwist, Twist
from hitogata.spatial import matrix_to_quat, quat_to_matrix


class PoseViolation(NamedTuple):
    """Where poses stand to their range; depths > 0 are outside.

    The axes are angular velocities in the parent frame: with ω that of the child relative to the parent, d(depth)/dt
    = −axis · ω.

    Attributes:
        swing_depth: −(distance of the bone from the boundary) [rad], shape (n,).
        swing_axis: unit vectors, shape (n, 3).
        twist_depth: how far the twist is beyond its nearer limit [rad], times cos(swing angle / 2), shape (n,).
        twist_axis: times the same cos(swing angle / 2); of length one where the limits do not change with swing,
            shape (n, 3).
    """

    swing_depth: Any
    swing_axis: Array
    twist_depth: Any
    twist_axis: Array


class HeldViolation(NamedTuple):
    """Where poses stand to their range, coming from the poses where they were held.

    Attributes:
        swing_depth, swing_axis, twist_depth, twist_axis: as in `PoseViolation`; the twist axis takes the limits to
            stay still.
        passed: whether the bone is allowed where it is, but passed through a forbidden part, shape (n,).
        quat_held: where the joint is held: pass it as `last` of the next step, shape (n, 4).
    """

    swing_depth: Any
    swing_axis: Array
    twist_depth: Any
    twist_axis: Array
    passed: Any
    quat_held: Array


@dataclass(frozen=True)
class RangeOfMotion:
    """A range of motion (Hanaoka 2010, ch. 3; Yamaguchi 2009, ch. 5).

    Attributes:
        swing: where the bone may point.
        twist: how far it may turn about itself there; a pair (low, high) is a `ConstantTwist`; None: no limit.
        bone: direction of the bone at rest, parent frame, shape (3,); default: that of the region.
    """

    swing: Region
    twist: Any = None
    bone: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.swing, Region):
            raise RangeError(f"RangeOfMotion swing: a region expected, got {self.swing!r}")
        if self.twist is None:
            object.__setattr__(self, "twist", FreeTwist())
        elif isinstance(self.twist, tuple | list | np.ndarray):
            low, high = interval(self.twist, "RangeOfMotion twist", may_be_empty=True)
            object.__setattr__(self, "twist", ConstantTwist(low, high))
        if not isinstance(self.twist, Twist):
            raise RangeError(f"RangeOfMotion twist: a twist expected, got {self.twist!r}")
        if self.bone is not None:
            bone, _ = unit_rows(self.bone, 3, "RangeOfMotion bone")
            object.__setattr__(self, "bone", tuple(bone[0].tolist()))
        _ = self.flat

    @property
    def bone_axis(self) -> Array:
        """The bone at rest, parent frame, shape (3,)."""
        return self.swing.bone if self.bone is None else np.array(self.bone)

    # ------------------------------------------------------- questions

    def swing_twist(self, quat: Any) -> tuple[Array, Any]:
        """Direction of the bone (n, 3) and twist angle [rad] (n,) of poses.

        Args:
            quat: unit quaternions wxyz (4,) or (n, 4), or rotation matrices (3, 3) or (n, 3, 3).
        """
        if np.ndim(quat) >= 2 and np.shape(quat)[-2:] == (3, 3):
            return swing_twist_of_matrix(quat, self.bone_axis)
        return swing_twist_of_quat(quat, self.bone_axis)

    def contains(self, quat: Any) -> Any:
        """Whether poses lie within the range (limits belong to it).

        Args:
            quat: unit quaternions wxyz, shape (4,) or (n, 4).

        Returns:
            bool, or booleans of shape (n,).
        """
        rows, alone = unit_rows(quat, 4, "quaternion")
        inside = run(poses.inside_rows, rows, 1, self.flat)[:, 0] > 0.5
        return bool(inside[0]) if alone else inside

    def violation(self, quat: Any) -> PoseViolation:
        """Depths and constraint axes of poses (Hanaoka 2010, 3.5 derived on the sphere).

        Args:
            quat: unit quaternions wxyz, shape (4,) or (n, 4).
        """
        rows, alone = unit_rows(quat, 4, "quaternion")
        out = run(poses.violation_rows, rows, 8, self.flat)
        if alone:
            return PoseViolation(float(out[0, 0]), out[0, 1:4], float(out[0, 4]), out[0, 5:8])
        return PoseViolation(*(np.ascontiguousarray(x) for x in (out[:, 0], out[:, 1:4], out[:, 4], out[:, 5:8])))

    def violation_from(self, last: Any, quat: Any) -> HeldViolation:
        """Violation with memory of where the joint was held (Hanaoka 2010, 3.3).

        The short way of the bone from `last` is followed: leaving the region on the way is a violation, even if the
        bone ends inside; the joint is then held where the way first crosses the boundary.  See `memory`.

        Args:
            last: pose at the last step, as it was held, wxyz, shape (4,) or (n, 4).
            quat: pose now, same shape.
        """
        rows, alone = unit_rows(quat, 4, "quaternion")
        before, _ = unit_rows(last, 4, "last quaternion")
        if before.shape != rows.shape:
            raise RangeError(f"last: shape {rows.shape} expected, as of quat, got {before.shape}")
        out = run(memory.violation_from_rows, rows, 13, before, self.flat)
        parts = out[:, 0], out[:, 1:4], out[:, 4], out[:, 5:8], out[:, 8] > 0.5, out[:, 9:13]
        if alone:
            swing, twist, passed = float(out[0, 0]), float(out[0, 4]), bool(out[0, 8] > 0.5)
            return HeldViolation(swing, out[0, 1:4], twist, out[0, 5:8], passed, out[0, 9:13])
        return HeldViolation(*(np.ascontiguousarray(x) for x in parts))

    def clamp(self, quat: Any) -> Array:
        """The allowed poses: bone moved by the least swing, then twist to its limit there (Yamaguchi 2009, eq. 46).

        Poses that are allowed come back unchanged.

        Args:
            quat: unit quaternions wxyz, shape (4,) or (n, 4).
        """
        rows, alone = unit_rows(quat, 4, "quaternion")
        given = np.atleast_2d(np.asarray(quat, np.float64))
        out = run(poses.clamp_rows, rows, 4, self.flat)
        out = np.where((out == rows).all(1)[:, None], given, out)
        return out[0] if alone else out

    def clamp_matrix(self, matrix: Any) -> Array:
        """`clamp` for rotation matrices, shape (3, 3) or (n, 3, 3) (Yamaguchi 2009, eq. 36)."""
        return quat_to_matrix(self.clamp(matrix_to_quat(np.asarray(matrix, np.float64))))

    def twist_limits(self, p: Any) -> tuple[Any, Any]:
        """Low and high twist [rad] where the bone points along p; where it would be held, if p is outside.

        A gap between them (`MeshTwist`) is not told.

        Args:
            p: unit vectors in the parent frame, shape (3,) or (n, 3).
        """
        rows, alone = unit_rows(p, 3, "point")
        out = run(poses.limit_rows, rows, 8, self.flat)
        return (float(out[0, 0]), float(out[0, 1])) if alone else (out[:, 0].copy(), out[:, 1].copy())

    # ------------------------------------------------------- what kernels read

    @cached_property
    def flat(self) -> Array:
        """The range for kernels (see `range_layout`), shape (size,), float64."""
        bone = self.bone_axis
        kind, constants, table = self.twist.table(self.swing, bone)
        return flat_range(bone, kind, constants, table, self.swing.flat)

    @cached_property
    def flat32(self) -> Any:
        """The range for kernels in single precision."""
        return single_range(self.flat)

    # ------------------------------------------------------- files

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, for JSON."""
        out: dict[str, Any] = {"swing": self.swing.to_dict(), "twist": self.twist.to_dict()}
        if self.bone is not None:
            out["bone"] = list(self.bone)
        return out

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "RangeOfMotion":
        """The range that `to_dict` wrote.

        Raises:
            RangeError: something is missing or unknown.
        """
        if not isinstance(data, dict) or "swing" not in data or not set(data) <= {"swing", "twist", "bone"}:
            found = sorted(data) if isinstance(data, dict) else data
            raise RangeError(f"a range has fields swing, twist and bone; got {found!r}")
        twist = Twist.from_dict(data["twist"]) if "twist" in data else FreeTwist()
        return RangeOfMotion(Region.from_dict(data["swing"]), twist, data.get("bone"))

    def save(self, path: str | pathlib.Path) -> None:
        """Write a JSON file."""
        pathlib.Path(path).write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def load(path: str | pathlib.Path) -> "RangeOfMotion":
        """Read a JSON file.

        Raises:
            RangeError: the file holds no range; the message names it.
        """
        try:
            return RangeOfMotion.from_dict(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise RangeError(f"{path}: not JSON ({error})") from None
        except RangeError as error:
            raise RangeError(f"{path}: {error}") from None
