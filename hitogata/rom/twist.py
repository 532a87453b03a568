"""Twist limits: how far the bone may turn about itself, where it points.

`BoundaryTwist` carries limits at the knots of a region's boundary (Hanaoka 2010, 3.1): linear in the boundary's
parameter between them, and inside by the rule of `mean` and `blend`.  The cut of the boundary that the rule needs is
fixed here, by the region's own parameter: a saved range means the same after any change of tolerances.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.build import arcs_through
from hitogata.rom.frames import Array, interval, numbers
from hitogata.rom.region import Region, plain
from hitogata.rom.triangle import TriangleRegion

TWISTS: dict[str, type["Twist"]] = {}
"""Twist classes by name, for files."""

CUTS = 64
"""A boundary is cut into at least this many arcs: every segment into ceil(CUTS / segments) equal steps of its
parameter. Part of the meaning of a saved range: do not change."""


class Kind:
    """Numbers by which kernels know a twist's kind."""

    CONSTANT, MEAN, PRISMS, GAPS, EULER = 0, 1, 2, 3, 4


@dataclass(frozen=True)
class Twist:
    """Limits of twist; base of all kinds."""

    def __init_subclass__(cls) -> None:
        TWISTS[cls.__name__] = cls

    def table(self, region: Region, bone: Array) -> tuple[int, dict[str, Any], Array]:
        """Kind, constants and table rows for kernels (see `range_layout`)."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, for JSON."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {"kind": type(self).__name__, **{k: plain(v) for k, v in values.items() if v is not None}}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Twist":
        """The twist that `to_dict` wrote.

        Raises:
            RangeError: unknown kind or field, or values that no twist can have.
        """
        kind = data.get("kind") if isinstance(data, dict) else data
        if kind not in TWISTS:
            raise RangeError(f"unknown kind of twist {kind!r}; known: {', '.join(sorted(TWISTS))}")
        values = {k: v for k, v in data.items() if k != "kind"}
        unknown = set(values) - {f.name for f in dataclasses.fields(TWISTS[kind])}
        if unknown:
            raise RangeError(f"{kind} has no field {sorted(unknown)[0]!r}")
        try:
            return TWISTS[kind](**values)
        except TypeError as error:
            raise RangeError(f"{kind}: {error}") from None


@dataclass(frozen=True)
class FreeTwist(Twist):
    """No limit."""

    def table(self, region: Region, bone: Array) -> tuple[int, dict[str, Any], Array]:
        """See `Twist`."""
        return Kind.CONSTANT, {"low": -4.0, "high": 4.0}, np.empty((0, 0))


@dataclass(frozen=True)
class FixedTwist(Twist):
    """One twist only (Yamaguchi 2009, 5.2).

    Attributes:
        angle: the twist [rad].
    """

    angle: float = 0.0

    def __post_init__(self) -> None:
        angle, = numbers((self.angle,), "FixedTwist angle")
        object.__setattr__(self, "angle", angle)

    def table(self, region: Region, bone: Array) -> tuple[int, dict[str, Any], Array]:
        """See `Twist`."""
        return Kind.CONSTANT, {"low": self.angle, "high": self.angle}, np.empty((0, 0))


@dataclass(frozen=True)
class ConstantTwist(Twist):
    """The same limits everywhere (Yamaguchi 2009, 5.3).

    Attributes:
        low, high: [rad].
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = interval((self.low, self.high), "ConstantTwist (low, high)", may_be_empty=True)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def table(self, region: Region, bone: Array) -> tuple[int, dict[str, Any], Array]:
        """See `Twist`."""
        return Kind.CONSTANT, {"low": self.low, "high": self.high}, np.empty((0, 0))


@dataclass(frozen=True)
class _Listed(Twist):
    """Limits at a list of points."""

    low: Any
    high: Any

    def __post_init__(self) -> None:
        name = type(self).__name__
        for side in ("low", "high"):
            object.__setattr__(self, side, numbers(getattr(self, side), f"{name} {side}"))
        if len(self.low) != len(self.high):
            raise RangeError(f"{name}: {len(self.low)} low and {len(self.high)} high limits")
        for k, (a, b) in enumerate(zip(self.low, self.high, strict=True)):
            if a > b:
                raise RangeError(f"{name}: limits ({a}, {b}) at point {k} are empty: low must be at most high")


@dataclass(frozen=True)
class BoundaryTwist(_Listed):
    """Limits at the knots of the boundary, and at the poles (Hanaoka 2010, eq. 3.16, 3.17 with its weights put right).

    Attributes:
        low, high: at each knot [rad], shape (segments,).
        pole: (low, high) where the bone points as at rest (θ = 0), which must then be inside; None: no value of its
            own.
        antipole: (low, high) where it points the opposite way (θ = 180°).
    """

    pole: Any = None
    antipole: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("pole", "antipole"):
            if getattr(self, name) is not None:
                value = interval(getattr(self, name), f"BoundaryTwist {name}", may_be_empty=True)
                object.__setattr__(self, name, value)

    def table(self, region: Region, bone: Array) -> tuple[int, dict[str, Any], Array]:
        """See `Twist`."""
        if len(self.low) != region.segments:
            raise RangeError(f"BoundaryTwist has limits for {len(self.low)} knots; "
                             f"{type(region).__name__} has {region.segments}")
        constants: dict[str, Any] = {}
        for name, value, place in (("pole", self.pole, bone), ("antipole", self.antipole, -bone)):
            if value is not None:
                if not region.distance(place) > 1e-9:
                    raise RangeError(f"BoundaryTwist {name} = {value}, but that direction is not inside the region")
                constants |= {name: 1.0, f"{name}_low": value[0], f"{name}_high": value[1]}
        return Kind.MEAN, constants, cut_rows(region, np.array(self.low), np.array(self.high))

    def at(self, u: Any) -> tuple[Array, Array]:
        """Low and high on the boundary at parameters u, linear between knots (Hanaoka 2010, eq. 3.16)."""
        k = np.arange(len(self.low) + 1.0)
        u = np.mod(np.asarray(u, np.float64), len(self.low))
        return np.interp(u, k, [*self.low, self.low[0]]), np.interp(u, k, [*self.high, self.high[0]])


@dataclass(frozen=True)
class PrismTwist(_Listed):
    """Limits at the vertices of a `TriangleRegion`, linear over each triangle: prisms (Yamane and Nakamura, in
    Hanaoka 2010, 1.4).

    Attributes:
        low, high: at each vertex [rad], shape (vertices,).
    """

    def table(self, region: Region, bone: Array) -> tuple[int, dict[str, Any], Array]:
        """See `Twist`."""
        if not isinstance(region, TriangleRegion):
            raise RangeError(f"PrismTwist needs a TriangleRegion, not {type(region).__name__}")
        if len(self.low) != len(region.vertices):
            raise RangeError(f"PrismTwist has limits for {len(self.low)} vertices; "
                             f"the region has {len(region.vertices)}")
        if np.linalg.norm(bone - region.bone) > 1e-9:
            raise RangeError(f"PrismTwist needs the region's own bone {region.bone.tolist()}, not {bone.tolist()}")
        rows = []
        for i, j, k in region.triangles:
            corners = np.array([region.vertices[v] for v in (i, j, k)])
            inverse = np.linalg.inv(np.column_stack([np.ones(3), corners]))       # rows: 1, a, b; columns: corners
            values = [inverse @ np.array([side[v] for v in (i, j, k)]) for side in (self.low, self.high)]
            rows.append(np.concatenate([inverse.T.ravel(), *values]))
        return Kind.PRISMS, {"across": region.across}, np.array(rows)


def cut_rows(region: Region, low: Array, high: Array) -> Array:
    """Arcs along the boundary with limits at their ends (see `mean.Cut`), by equal steps of the region's parameter."""
    n = region.segments
    steps = -(-CUTS // n)
    u = np.arange(n * steps) / steps
    a, m, b = region.at(u), region.at(u + 0.5 / steps), region.at((u + 1.0 / steps) % n)
    mid, _, axis, height, radius, half = arcs_through(a, m, b)
    cos, sin = np.cos(half)[:, None], np.sin(half)[:, None]
    pull = axis * (cos * height[:, None]) + mid * radius[:, None]
    k = np.arange(n + 1.0)
    start, stop = ([np.interp(v, k, np.append(x, x[0])) for x in (low, high)] for v in (u, u + 1.0 / steps))
    return np.concatenate([pull, cos, 4.0 * radius[:, None] * sin, a, b, np.stack([*start, *stop], 1)], 1)
