"""Regions of charts: which coordinates are allowed.

A `Polytope` is kept by its faces, each a wall of its own.  All others are a `Field`: signed distance over a grid, > 0
inside, as a quadratic B-spline, so that walls have no kinks.  `star` writes one.
"""

import base64
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, interval, numbers

MOST = 6
"""Coordinates of a range, at most."""

REGIONS: dict[str, type["ChartRegion"]] = {}
"""Region classes by name, for files."""


@dataclass(frozen=True)
class ChartRegion:
    """A set of coordinates; base of all kinds."""

    polytope: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        REGIONS[cls.__name__] = cls

    @property
    def size(self) -> int:
        """Number of coordinates."""
        raise NotImplementedError

    @property
    def walls(self) -> int:
        """Number of walls, each a row of a solver."""
        return 1

    @cached_property
    def flat(self) -> Array:
        """For kernels, see `layout`."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        raise NotImplementedError

    @classmethod
    def _from(cls, data: dict[str, Any]) -> Self:
        return cls(**data)

    @staticmethod
    def from_dict(data: Any) -> "ChartRegion":
        """The region that `to_dict` wrote."""
        if not isinstance(data, dict) or data.get("kind") not in REGIONS:
            kind = data.get("kind") if isinstance(data, dict) else data
            raise RangeError(f"unknown region of a chart {kind!r}; known: {', '.join(sorted(REGIONS))}")
        try:
            return REGIONS[data["kind"]]._from({k: v for k, v in data.items() if k != "kind"})
        except (TypeError, KeyError, ValueError) as error:
            raise RangeError(f"{data['kind']}: {error}") from None


@dataclass(frozen=True)
class Polytope(ChartRegion):
    """normals · y ≤ offsets.

    Attributes:
        normals: one row per face, shape (faces, size); scaled to length one.
        offsets: shape (faces,).
    """

    normals: Any
    offsets: Any

    polytope: ClassVar[bool] = True

    def __post_init__(self) -> None:
        try:
            rows = np.array(self.normals, np.float64)
        except (TypeError, ValueError):
            raise RangeError(f"Polytope normals: rows of numbers expected, got {self.normals!r}") from None
        offsets = np.array(numbers(self.offsets, "Polytope offsets"))
        if rows.ndim != 2 or not 1 <= rows.shape[1] <= MOST or len(rows) != len(offsets) or not np.isfinite(rows).all():
            raise RangeError(f"Polytope normals: shape ({len(offsets)}, 1 to {MOST}) expected, got {rows.shape}")
        length = np.linalg.norm(rows, axis=1)
        if not (length > 1e-12).all():
            raise RangeError(f"Polytope: normal {int(np.argmin(length))} is zero")
        length = np.where(np.abs(length - 1.0) < 1e-12, 1.0, length)            # read back as it was
        object.__setattr__(self, "normals", tuple(map(tuple, (rows / length[:, None]).tolist())))
        object.__setattr__(self, "offsets", tuple((offsets / length).tolist()))
        if self.middle is None:
            raise RangeError("Polytope: nothing fulfils all its faces")

    @cached_property
    def middle(self) -> Array | None:
        """A place well inside (the centre of the largest ball, or of one of radius 10); None: there is none."""
        from scipy.optimize import linprog

        n, rows = self.size, np.column_stack([self.normals, np.ones(len(self.offsets))])
        bounds = [(None, None)] * n + [(0.0, 10.0)]
        found = linprog([0.0] * n + [-1.0], rows, self.offsets, bounds=bounds)
        return found.x[:n] if found.status == 0 and found.x[n] > 1e-9 else None

    @property
    def size(self) -> int:
        """See `ChartRegion`."""
        return len(self.normals[0])

    @property
    def walls(self) -> int:
        """See `ChartRegion`."""
        return len(self.offsets)

    @cached_property
    def flat(self) -> Array:
        """Each face: its offset, then its normal."""
        return np.column_stack([self.offsets, self.normals]).ravel()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"kind": "Polytope", "normals": [list(row) for row in self.normals], "offsets": list(self.offsets)}


def box(*intervals: Any) -> Polytope:
    """A polytope of intervals (low, high), one per coordinate; None: no limit.

    Intervals of a `Position` and of a slider are in units of `CoupledRange.length`.
    """
    rows, offsets = [], []
    for k, limits in enumerate(intervals):
        if limits is None:
            continue
        low, high = interval(limits, f"box coordinate {k}")
        unit = np.eye(len(intervals))[k]
        rows += [-unit, unit]
        offsets += [-low, high]
    if not rows:
        raise RangeError("box: at least one interval expected")
    return Polytope(rows, offsets)


@dataclass(frozen=True)
class Axis:
    """Places of a grid along one coordinate.

    Attributes:
        low, high: the first and the last; of a turning coordinate a whole turn, where `high` is `low` again.
        count: how many, at least 3; of a turning one without the last.
        turns: whether it is an angle that comes back.
    """

    low: float
    high: float
    count: int
    turns: bool = False

    def __post_init__(self) -> None:
        low, high = interval((self.low, self.high), "Axis")
        if not isinstance(self.count, int) or self.count < 3:
            raise RangeError(f"Axis: at least 3 places expected, got {self.count!r}")
        if self.turns and abs(high - low - 2.0 * np.pi) > 1e-9:
            raise RangeError(f"Axis: from {low} to {high} is no whole turn")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def step(self) -> float:
        """Between neighbours."""
        return (self.high - self.low) / (self.count if self.turns else self.count - 1)

    @cached_property
    def places(self) -> Array:
        """Coordinates, shape (count,)."""
        return self.low + self.step * np.arange(self.count)


@dataclass(frozen=True)
class Field(ChartRegion):
    """A free form: signed distance over a grid, > 0 inside.

    Values are kept to single precision.  They are the weights of a quadratic B-spline, which passes near them.  Beyond
    an axis' ends distance falls by as much as one goes.

    Attributes:
        axes: one per coordinate.
        values: shape (count of each axis), about distances.
    """

    axes: Any
    values: Any = field(compare=False)
    _bytes: bytes = field(default=b"", init=False, repr=False)

    def __post_init__(self) -> None:
        axes = tuple(a if isinstance(a, Axis) else Axis(**a) for a in self.axes)
        if not 1 <= len(axes) <= MOST:
            raise RangeError(f"Field: 1 to {MOST} axes expected, got {len(axes)}")
        values, shape = np.array(self.values, np.float32), tuple(a.count for a in axes)
        if values.shape != shape or not np.isfinite(values).all():
            raise RangeError(f"Field values: finite numbers of shape {shape} expected, got shape {values.shape}")
        values.flags.writeable = False
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "_bytes", values.tobytes())

    @property
    def size(self) -> int:
        """See `ChartRegion`."""
        return len(self.axes)

    @cached_property
    def flat(self) -> Array:
        """Each axis (see `layout.FieldAxis`), then the values, turning ones with neighbours beyond their ends."""
        values, heads = self.values.astype(np.float64), []
        for k, axis in enumerate(self.axes):
            if axis.turns:
                values = np.take(values, np.arange(-2, axis.count + 2) % axis.count, axis=k)
        for k, axis in enumerate(self.axes):
            stride, shift = int(np.prod(values.shape[k + 1:])), 2.0 if axis.turns else 0.0
            heads.append([axis.low, 1.0 / axis.step, float(axis.count) if axis.turns else 0.0, shift,
                          values.shape[k] - 2.0, float(stride)])  # fmt: skip
        return np.concatenate([np.ravel(heads), values.ravel(), np.zeros(4)])

    def to_dict(self) -> dict[str, Any]:
        """For JSON; values as base64 of single precision."""
        axes = [{"low": a.low, "high": a.high, "count": a.count, "turns": a.turns} for a in self.axes]
        return {"kind": "Field", "axes": axes, "values": base64.b64encode(self._bytes).decode()}

    @classmethod
    def _from(cls, data: dict[str, Any]) -> Self:
        axes = [Axis(**a) for a in data["axes"]]
        values = np.frombuffer(base64.b64decode(data["values"], validate=True), np.float32)
        return cls(axes, values.reshape([a.count for a in axes]))


def star(axes: Any, centre: Any, directions: Any, radii: Any) -> Field:
    """A star shape as a field: from the centre, as far as `radii` in each direction, and between them smoothly.

    Args:
        axes: of the grid.
        centre: coordinates of a place from which all of it can be seen.
        directions: from there, shape (m, size), of any length; at least one on each side.
        radii: distance of the boundary, shape (m,), > 0.
    """
    from hitogata.rom.coupled.distance import distances_from_sign, grid_points

    grid, middle = [a if isinstance(a, Axis) else Axis(**a) for a in axes], np.array(numbers(centre, "star centre"))
    ways, far = np.array(directions, np.float64), np.array(numbers(radii, "star radii"))
    if ways.shape != (len(far), len(grid)) or len(middle) != len(grid) or not (far > 0.0).all():
        raise RangeError(f"star: directions ({len(far)}, {len(grid)}) and radii > 0 expected, got {ways.shape}")
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)

    def radius(way: Array) -> Array:
        """Weighted mean of the radii by nearness of directions (Shepard, power 4)."""
        weight = 1.0 / (1.0 - np.clip(way @ ways.T, -1.0, 1.0) + 1e-6) ** 2
        mean: Array = (weight @ far) / weight.sum(1)
        return mean

    def sign(y: Array) -> Array:
        way = y - middle
        size = np.linalg.norm(way, axis=1)
        out: Array = radius(way / np.maximum(size, 1e-12)[:, None]) - size
        return out
    return Field(grid, distances_from_sign(grid, sign(grid_points(grid)).reshape([a.count for a in grid])))
