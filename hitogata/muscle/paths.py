"""Paths of wires: points on bodies, and surfaces that they bend around.  All are frozen values."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Pose
from hitogata.figure.mechanism import Function
from hitogata.figure.pose import IDENTITY
from hitogata.figure.values import Vector, interval, name, positive, vector


@dataclass(frozen=True)
class PathPoint:
    """A point of a path, fixed to a body.

    Attributes:
        body: name; None: the world.
        place: in the body's frame [m].
    """

    body: str | None
    place: Vector

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", vector(self.place, "point of a path"))


@dataclass(frozen=True)
class ConditionalPoint(PathPoint):
    """A point that counts while a coordinate is within a range.

    Attributes:
        coordinate: name.
        range: first and last value [rad or m].
    """

    coordinate: str = ""
    range: tuple[float, float] = (-np.inf, np.inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "range", interval(self.range, "range of a conditional point"))


@dataclass(frozen=True)
class MovingPoint:
    """A point whose x, y and z in a body follow functions of one coordinate each.

    Attributes:
        body: name; None: the world.
        functions: of x, y, z [m].
        coordinates: names; "" where a function is constant.
    """

    body: str | None
    functions: tuple[Function, Function, Function]
    coordinates: tuple[str, str, str]


AnyPoint = PathPoint | ConditionalPoint | MovingPoint


class SurfaceKind(Enum):
    """What a wrapping surface is: its sizes in its own frame [m]."""

    SPHERE = "sphere"
    """Radius."""
    CYLINDER = "cylinder"
    """Radius, length; along z."""
    ELLIPSOID = "ellipsoid"
    """Three half axes."""
    TORUS = "torus"
    """Radius of the tube, of the ring; about z."""
    SITED_SPHERE = "sphere with a side site"
    """Radius; MuJoCo's rules."""
    SITED_CYLINDER = "cylinder with a side site"
    """Radius; along z without end; MuJoCo's rules."""


_SIZES = {SurfaceKind.CYLINDER: 2, SurfaceKind.ELLIPSOID: 3, SurfaceKind.TORUS: 2}


@dataclass(frozen=True)
class Surface:
    """A surface that paths bend around.

    Attributes:
        name: unique in its set.
        kind: sphere, cylinder, ellipsoid, torus.
        body: that carries it; None: the world.
        sizes: as the kind says [m].
        pose: in the body.
        side: the half that strings go over: x, +x, -x ... -z; "": the shorter way.
        site: where strings pass, in the surface's frame [m], for the kinds with side sites.
    """

    name: str
    kind: SurfaceKind
    body: str | None
    sizes: tuple[float, ...]
    pose: Pose = IDENTITY
    side: str = ""
    site: Vector | None = None

    def __post_init__(self) -> None:
        name(self.name, "surface")
        count = _SIZES.get(self.kind, 1)
        if len(self.sizes) != count:
            raise FigureError(f"surface {self.name!r}: a {self.kind.value} has {count} sizes, got {self.sizes!r}")
        object.__setattr__(self, "sizes", tuple(positive(x, f"surface {self.name!r}: size") for x in self.sizes))
        if self.kind is SurfaceKind.TORUS and self.sizes[0] >= self.sizes[1]:
            raise FigureError(f"surface {self.name!r}: the tube of a torus must be thinner than its ring")
        if self.side and self.side.lstrip("+-") not in ("x", "y", "z"):
            raise FigureError(f"surface {self.name!r}: side {self.side!r}: x, -x, y, -y, z or -z is expected")
        if self.site is not None:
            object.__setattr__(self, "site", vector(self.site, f"surface {self.name!r}: side site"))


@dataclass(frozen=True)
class Wrap:
    """How a path uses a surface.

    Attributes:
        surface: name.
        first, last: points of the path, counted from 0, between which it may bend there; None: the path's ends.
    """

    surface: str
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True)
class Path:
    """Where a wire runs.

    Attributes:
        points: from origin to insertion; two or more always count.
        wraps: surfaces, in the order in which they are taken.
    """

    points: tuple[AnyPoint, ...]
    wraps: tuple[Wrap, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple(self.points))
        object.__setattr__(self, "wraps", tuple(self.wraps))
        if sum(not isinstance(point, ConditionalPoint) for point in self.points) < 2:
            raise FigureError(f"a path needs two points that always count, got {len(self.points)} points in all")
        for wrap in self.wraps:
            for at in (wrap.first, wrap.last):
                if at is not None and not 0 <= at < len(self.points):
                    raise FigureError(f"wrap around {wrap.surface!r}: the path has no point {at}")
