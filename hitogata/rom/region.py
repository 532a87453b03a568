"""What every region of swing can do.

A region is a part of the unit sphere: the directions in which the bone of a ball joint may point, in the parent frame.
"""

import dataclasses
import enum
import json
import pathlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom import contact
from hitogata.rom.build import Pieces, pieces_of, single
from hitogata.rom.frames import Array, Bone, quat_between, unit, unit_rows
from hitogata.rom.outline import Outline
from hitogata.spatial import quat_multiply, quat_rotate

KINDS: dict[str, type["Region"]] = {}
"""Region classes by name, for files."""


@dataclass(frozen=True)
class Region:
    """A region of the unit sphere; base of all kinds.

    A new kind is a frozen dataclass that defines `_outline`, the closed curve around it in the region's own frame.

    Attributes:
        quat_PR: turns the region's own frame R into the parent frame P, wxyz, shape (4,).
    """

    quat_PR: tuple[float, ...] = field(default=(1.0, 0.0, 0.0, 0.0), kw_only=True)

    bone_R: ClassVar[Bone] = Bone.X
    """The bone at rest in the region's own frame."""

    def __init_subclass__(cls) -> None:
        KINDS[cls.__name__] = cls

    def __post_init__(self) -> None:
        quat, _ = unit_rows(self.quat_PR, 4, f"{type(self).__name__} quat_PR")
        object.__setattr__(self, "quat_PR", tuple(quat[0].tolist()))

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: its fields; what follows from them is worked out anew (curves are functions)."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def _outline(self) -> Outline:
        raise NotImplementedError

    # ------------------------------------------------------- questions

    def contains(self, p: Any) -> Any:
        """Whether directions lie in the region; its boundary (1e-12 rad wide) belongs to it.

        Args:
            p: unit vectors in the parent frame, shape (3,) or (n, 3).

        Returns:
            bool, or booleans of shape (n,).
        """
        rows, alone = unit_rows(p, 3, "point")
        inside = contact.run(contact.contains_rows, rows, 1, self.flat)[:, 0] > 0.5
        return bool(inside[0]) if alone else inside

    def distance(self, p: Any) -> Any:
        """Geodesic distance to the boundary [rad], > 0 inside.

        Args:
            p: unit vectors in the parent frame, shape (3,) or (n, 3).

        Returns:
            float, or shape (n,).
        """
        rows, alone = unit_rows(p, 3, "point")
        out = contact.run(contact.distance_rows, rows, 1, self.flat)[:, 0]
        return float(out[0]) if alone else out

    def nearest(self, p: Any) -> Array:
        """The allowed direction nearest to each p along the sphere; p itself if it is allowed.

        Args:
            p: unit vectors in the parent frame, shape (3,) or (n, 3).

        Returns:
            Unit vectors, same shape.
        """
        rows, alone = unit_rows(p, 3, "point")
        given = np.atleast_2d(np.asarray(p, np.float64))
        out = contact.run(contact.nearest_rows, rows, 3, self.flat)
        out = np.where((out == rows).all(1)[:, None], given, out)
        return out[0] if alone else out

    def contact(self, p: Any) -> tuple[Any, Array, Array]:
        """Distance, nearest boundary point, and constraint axis in one search.

        Args:
            p: unit vectors in the parent frame, shape (3,) or (n, 3).

        Returns:
            distance [rad] (n,), > 0 inside; foot (n, 3), on the boundary also for p inside; axis (n, 3), the unit
            angular velocity (parent frame) that raises the distance fastest: d(distance)/dt = axis · ω.
        """
        rows, alone = unit_rows(p, 3, "point")
        out = contact.run(contact.contact_rows, rows, 7, self.flat)
        if alone:
            return float(out[0, 0]), out[0, 1:4], out[0, 4:7]
        return out[:, 0], np.ascontiguousarray(out[:, 1:4]), np.ascontiguousarray(out[:, 4:7])

    def boundary(self, n: int = 360) -> Array:
        """n points along the boundary in order of travel (region on the left), the first at the first knot, shape (n,
        3).

        Equal steps of the parameter u, whose whole numbers are the knots.
        """
        return self.at(np.arange(n) * (self.segments / n))

    def at(self, u: Any) -> Array:
        """Boundary points at parameters u (any shape); whole numbers are the knots.  Shape u.shape + (3,)."""
        return quat_rotate(np.array(self.quat_PR), unit(self.outline.at(np.asarray(u, np.float64))))

    @property
    def knots(self) -> Array:
        """The boundary points that may carry values (twist limits), shape (segments, 3)."""
        return self.at(np.arange(self.segments))

    @property
    def segments(self) -> int:
        """Number of segments of the boundary, and of knots."""
        return self.outline.segments

    @cached_property
    def area(self) -> float:
        """Solid angle [sr]."""
        return self.pieces.area()

    @property
    def bone(self) -> Array:
        """The bone at rest, parent frame, shape (3,)."""
        return quat_rotate(np.array(self.quat_PR), np.array(self.bone_R.value))

    # ------------------------------------------------------- frames

    def turned(self, quat: Any) -> Self:
        """The same region turned by a quaternion wxyz (parent frame)."""
        turn, _ = unit_rows(quat, 4, "quaternion")
        return dataclasses.replace(self, quat_PR=tuple(quat_multiply(turn[0], np.array(self.quat_PR)).tolist()))

    def with_bone(self, bone: Bone) -> Self:
        """The same region for a bone that points along another axis of the parent frame at rest.

        `Bone.YAMAGUCHI` is x, `Bone.HANAOKA` is z; the other axes follow in order.
        """
        return dataclasses.replace(self, quat_PR=tuple(quat_between(self.bone_R, bone).tolist()))

    # ------------------------------------------------------- what kernels read

    @cached_property
    def outline(self) -> Outline:
        """The boundary in the region's own frame."""
        return self._outline()

    @cached_property
    def pieces(self) -> Pieces:
        """The pieces of the boundary in the region's own frame."""
        return pieces_of(self.outline)

    @cached_property
    def flat(self) -> Array:
        """The region for kernels in the parent frame (see `layout`), shape (size,), float64."""
        return turned_pieces(self.pieces, np.array(self.quat_PR)).flat()

    @cached_property
    def flat32(self) -> np.ndarray:
        """The region for kernels in single precision."""
        return single(self.flat)

    # ------------------------------------------------------- files

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, for JSON."""
        out: dict[str, Any] = {"kind": type(self).__name__}
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.name == "quat_PR" and value == (1.0, 0.0, 0.0, 0.0):
                continue
            out[f.name] = plain(value)
        return out

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Region":
        """The region that `to_dict` wrote.

        Raises:
            RangeError: unknown kind or field, or values that no region can have.
        """
        if not isinstance(data, dict) or data.get("kind") not in KINDS:
            kind = data.get("kind") if isinstance(data, dict) else data
            raise RangeError(f"unknown kind of region {kind!r}; known: {', '.join(sorted(KINDS))}")
        values = {k: v for k, v in data.items() if k != "kind"}
        kind_ = KINDS[data["kind"]]
        unknown = set(values) - {f.name for f in dataclasses.fields(kind_)}
        if unknown:
            raise RangeError(f"{data['kind']} has no field {sorted(unknown)[0]!r}")
        try:
            return kind_(**values)
        except TypeError as error:
            raise RangeError(f"{data['kind']}: {error}") from None

    def save(self, path: str | pathlib.Path) -> None:
        """Write a JSON file."""
        pathlib.Path(path).write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def load(path: str | pathlib.Path) -> "Region":
        """Read a JSON file."""
        return Region.from_dict(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))


def turned_pieces(pieces: Pieces, quat: Array) -> Pieces:
    """Pieces with all their vectors turned."""
    if quat[0] == 1.0:
        return pieces
    rows = pieces.rows.copy()
    for k in (0, 3, 6, 16, 19, 22, 25):
        rows[:, k:k + 3] = quat_rotate(quat, rows[:, k:k + 3])
    polynomials = quat_rotate(quat, pieces.polynomials.reshape(-1, 3)).reshape(pieces.polynomials.shape)
    return dataclasses.replace(pieces, rows=rows, polynomials=polynomials)


def plain(value: Any) -> Any:
    """Tuples and dataclasses as lists and dicts, members of enums as their values."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    return value.value if isinstance(value, enum.Enum) else value
