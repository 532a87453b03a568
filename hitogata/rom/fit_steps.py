"""What all fits of a range share: directions at which fields are taken, region, mesh, the finished range."""

import enum
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from hitogata.errors import RangeError
from hitogata.rom.decompose import swing_twist_of_quat
from hitogata.rom.fit_mesh import Mesh, hexagonal_mesh
from hitogata.rom.fit_report import Progress
from hitogata.rom.fit_swing import Curve, deepest, loops, resampled, sphere_grid, spline_around
from hitogata.rom.frames import Array
from hitogata.rom.meshtwist import MeshTwist, directions_of_disc
from hitogata.rom.range import RangeOfMotion
from hitogata.rom.region import Region
from hitogata.rom.twist import BoundaryTwist, ConstantTwist, Twist

GRID = 12_000
"""Directions at which fields are taken (0.03 rad apart)."""


class TwistForm(enum.Enum):
    """How fitted twist limits depend on swing.

    MESH: values inside too (`MeshTwist`): fits best.  BOUNDARY: values at the constraint points and the pole
    (`BoundaryTwist`; Hanaoka 2010): easiest to edit.
    CONSTANT: the same everywhere.  FREE: no limit.
    """

    MESH = "mesh"
    BOUNDARY = "boundary"
    CONSTANT = "constant"
    FREE = "free"


@dataclass(frozen=True)
class Options:
    """What is asked of a fit; see `fit_range`."""

    bone: Array
    margin: float = 0.0
    points: int | None = None
    form: TwistForm = TwistForm.MESH
    spacing: float | None = None


class Samples(NamedTuple):
    """Poses (wxyz), their directions and twists, with labels; rows go together."""

    quats: Array
    p: Array
    twist: Array
    allowed: Any

    def some(self, which: Any) -> "Samples":
        """Only the rows told (booleans or numbers)."""
        return Samples(*(column[which] for column in self))


def samples_of(reached: Array, banned: Array, bone: Array) -> Samples:
    """Samples from allowed and forbidden poses."""
    quats = np.concatenate([reached, banned])
    p, psi = swing_twist_of_quat(quats, bone)
    return Samples(quats, p / np.linalg.norm(p, axis=1, keepdims=True), psi, np.arange(len(p)) < len(reached))


def left_of(line: Array, p: Array) -> Any:
    """Which directions p (n, 3) lie on the left of a closed line (k, 3), by the side of its nearest step."""
    which = cKDTree(line).query(p)[1]
    along = np.roll(line, -1, 0) - np.roll(line, 1, 0)
    return (np.cross(line[which], along[which]) * p).sum(1) > 0.0


def usual_spacing(s: Samples) -> float:
    """Side of triangles such that a few allowed poses lie in each, 0.2 to 0.6."""
    return float(np.clip(1.6 / np.sqrt(max(int(s.allowed.sum()), 1) / 40.0), 0.2, 0.6))


class Fit:
    """One fit; `stray` is the distance of the spline from the level line."""

    def __init__(self, s: Samples, options: Options, say: Progress) -> None:
        self.s, self.say, self.bone, self.margin = s, say, options.bone, options.margin
        self.points, self.form = options.points, options.form
        self.grid = sphere_grid(GRID)
        self.stray = 0.0
        self.spacing = options.spacing or usual_spacing(s)

    def run(self) -> RangeOfMotion:
        """The fitted range."""
        raise NotImplementedError

    def region(self, field: Array, blur: float, tolerance: float) -> Region:
        """The spline around the largest part where the field is positive."""
        lines = loops(self.grid, field)
        if not lines:
            raise RangeError(
                "the poses leave no boundary: "
                + ("every direction is allowed" if (field > 0.0).all() else "no direction is allowed often enough")
            )
        line = resampled(self.outer(lines)[0], 600, blur)
        inside = (field > 0.0) & left_of(line, self.grid)
        curve: Curve = spline_around(
            line, deepest(self.grid, line, inside), self.bone, points=self.points, tolerance=tolerance
        )
        self.stray = curve.stray
        return curve.region

    def outer(self, lines: list[Array]) -> tuple[Array, float]:
        """The line that holds most of the allowed poses in the least room (not that of a hole), and their share."""
        p, grid = self.s.p[self.s.allowed][:: max(1, len(self.s.p) // 4000)], self.grid[::8]
        held = [(float(left_of(x, p).mean()), float(left_of(x, grid).mean())) for x in lines[:12]]
        k = max(range(len(held)), key=lambda k: held[k][0] - held[k][1])
        return lines[k], held[k][0]

    def vertices(self, places: Array) -> tuple[Any, Array, Any]:
        """Mesh over places, directions of its vertices, pairs of neighbours."""
        mesh = hexagonal_mesh(places, self.bone, self.spacing)
        return mesh, directions_of_disc(mesh.vertices, self.bone), mesh.edges

    def ring(self, region: Region) -> tuple[Array, Any, Any]:
        """Places of a boundary's values: knots, and the pole if it is inside; pairs of neighbours; the pole."""
        n = region.segments
        pole = self.bone if region.distance(self.bone) > 0.1 else None
        places = region.knots if pole is None else np.concatenate([region.knots, pole[None]])
        edges = [(i, (i + 1) % n) for i in range(n)] + ([(i, n) for i in range(n)] if pole is not None else [])
        return places, np.array(edges), pole

    def finished(self, region: Region, values: Array, mesh: Mesh | None) -> RangeOfMotion:
        """The range with middles and half widths at the places of its form, widened by the margin."""
        half = np.maximum(values[1] + self.margin, 0.0)
        low, high = values[0] - half, values[0] + half
        n = region.segments
        twist: Twist
        if self.form is TwistForm.MESH:
            assert mesh is not None
            twist = MeshTwist(low, high, mesh.vertices, mesh.triangles)
        elif self.form is TwistForm.BOUNDARY:
            twist = BoundaryTwist(low[:n], high[:n], (float(low[n]), float(high[n])) if len(low) > n else None)
        else:
            twist = ConstantTwist(float(low[0]), float(high[0]))
        return self.made(region, twist)

    def made(self, region: Region, twist: Twist) -> RangeOfMotion:
        """The range."""
        return RangeOfMotion(region, twist, tuple(self.bone.tolist()))
