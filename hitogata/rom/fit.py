"""A range of motion from measured poses (Hanaoka 2010, ch. 4).

Two kinds of data.  *Poses that were reached*: the cloud's own edge becomes the boundary, with holes and bays narrower
than a gap closed, and twist limits that hold
all but a share of the poses.  *Poses with labels*, allowed and forbidden: boundary and limits part the two as well as
they can.

The bone's directions give a field on the sphere, its level line the boundary, a Hermite spline through few points the
region.  Twist limits are values at the vertices
of a mesh (or at the boundary's points and the pole), found by smooth optimisation.  Nothing is random: the same poses
give the same range.
"""

import enum
import time
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from hitogata.errors import ArgumentError, RangeError
from hitogata.rom.decompose import swing_twist_of_quat
from hitogata.rom.fit_boundary import boundary_weights
from hitogata.rom.fit_cloud import filled, local_share, lonely, signed_distance, typical_gap
from hitogata.rom.fit_mesh import Mesh, hexagonal_mesh
from hitogata.rom.fit_report import FitReport, Progress, report_of
from hitogata.rom.fit_swing import Curve, deepest, loops, resampled, sphere_grid, spline_around
from hitogata.rom.fit_twist import enclose, first_guess, separate, wrapped
from hitogata.rom.frames import Array, Bone, unit_rows
from hitogata.rom.meshtwist import MeshTwist, directions_of_disc
from hitogata.rom.range import RangeOfMotion
from hitogata.rom.region import Region
from hitogata.rom.twist import BoundaryTwist, ConstantTwist, FreeTwist, Twist

GRID = 12_000
"""Directions at which fields are taken (0.03 rad apart)."""

FEWEST = 20
"""Least number of poses to fit a range to."""


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


class RangeFit(NamedTuple):
    """A fitted range and what it does.

    Attributes:
        range: the range of motion.
        report: counts, areas, outliers.
    """

    range: RangeOfMotion
    report: FitReport


class Samples(NamedTuple):
    """Poses as directions and twists, with labels."""

    p: Array
    twist: Array
    allowed: Any


def fit_range(
    quats: Any,
    *,
    forbidden: Any = None,
    bone: Bone | Any = Bone.Z,
    margin: float = 0.0,
    gap: float | None = None,
    outliers: float = 0.01,
    points: int | None = None,
    twist: TwistForm = TwistForm.MESH,
    spacing: float | None = None,
    quiet: bool = False,
) -> RangeFit:
    """Fit a free-form range to poses.

    Args:
        quats: poses that were reached (child in parent; identity at rest), wxyz, shape (n, 4), n ≥ 20.
        forbidden: poses known to be impossible, wxyz, shape (m, 4); None: only reached poses are known.
        bone: direction of the bone at rest, parent frame: a `Bone` or a unit vector, shape (3,).
        margin: tightness [rad]: how far the range reaches beyond the outermost poses, in swing and twist; negative:
            within them.
        gap: without `forbidden`: bays and holes of the cloud narrower than twice this are closed [rad]; None: from the
            poses' own spacing.
        outliers: greatest share of reached poses that may be rejected as lonely; 0: none.
        points: number of constraint points; None: as few as follow the boundary to a tolerance.
        twist: how the limits depend on swing.
        spacing: side of the mesh's triangles in the sin(γ/2) disc; None: 0.2 to 0.6, by the number of poses.
        quiet: say nothing on stderr (otherwise progress is shown when the fit takes more than two seconds).

    Returns:
        The range and its report.

    Raises:
        ArgumentError: an option that makes no sense.
        RangeError: too few poses, not unit quaternions, or no single region can be drawn around them.
    """
    begun = time.perf_counter()
    say = Progress(quiet)
    axis = _checked(bone, margin, gap, outliers, points, twist, spacing)
    reached = _poses(quats, "quats", FEWEST)
    banned = np.empty((0, 4)) if forbidden is None else _poses(forbidden, "forbidden", 1)
    say("rejecting outliers", 0.0)
    alone = lonely(reached, outliers)
    kept = reached[~alone]
    labelled = len(banned) > 0
    s = _samples(kept, banned, axis)
    steps = (
        _Labelled(s, axis, margin, points, twist, spacing, say)
        if labelled
        else _Reached(s, axis, margin, gap, points, twist, spacing, say)
    )
    fitted = steps.run()
    say("checking", 0.95)
    report = report_of(fitted, reached, banned, alone, steps.stray, time.perf_counter() - begun)
    say.done()
    return RangeFit(fitted, report)


# ---------------------------------------------------------------- input


def _checked(bone: Any, margin: Any, gap: Any, outliers: Any, points: Any, twist: Any, spacing: Any) -> Array:
    if not np.isfinite(margin) or abs(margin) > 1.0:
        raise ArgumentError(f"margin = {margin}: within ±1 rad expected")
    if gap is not None and not 0.0 < gap <= 1.0:
        raise ArgumentError(f"gap = {gap}: above 0, at most 1 rad expected")
    if not 0.0 <= outliers < 0.5:
        raise ArgumentError(f"outliers = {outliers}: a share from 0 to 0.5 expected")
    if points is not None and not 3 <= points <= 64:
        raise ArgumentError(f"points = {points}: 3 to 64 expected")
    if not isinstance(twist, TwistForm):
        raise ArgumentError(f"twist = {twist!r}: a TwistForm expected")
    if spacing is not None and not 0.03 <= spacing <= 1.0:
        raise ArgumentError(f"spacing = {spacing}: 0.03 to 1 expected")
    axis, _ = unit_rows(bone.value if isinstance(bone, Bone) else bone, 3, "bone")
    return axis[0]


def _poses(quats: Any, what: str, fewest: int) -> Array:
    rows, alone = unit_rows(quats, 4, what)
    if alone or len(rows) < fewest:
        raise ArgumentError(f"{what}: {len(rows)} poses; at least {fewest} are needed")
    return rows


def _samples(reached: Array, banned: Array, bone: Array) -> Samples:
    p, psi = swing_twist_of_quat(np.concatenate([reached, banned]), bone)
    p = p / np.linalg.norm(p, axis=1, keepdims=True)
    return Samples(p, psi, np.arange(len(p)) < len(reached))


# ---------------------------------------------------------------- the steps both kinds share


def left_of(line: Array, p: Array) -> Any:
    """Which directions p (n, 3) lie on the left of a closed line (k, 3), by the side of its nearest step."""
    which = cKDTree(line).query(p)[1]
    along = np.roll(line, -1, 0) - np.roll(line, 1, 0)
    return (np.cross(line[which], along[which]) * p).sum(1) > 0.0


class _Fit:
    """One fit; `stray` is the distance of the spline from the level line."""

    def __init__(
        self,
        s: Samples,
        bone: Array,
        margin: float,
        points: int | None,
        form: TwistForm,
        spacing: float | None,
        say: Progress,
    ) -> None:
        self.s, self.bone, self.margin, self.points, self.form, self.say = s, bone, margin, points, form, say
        self.grid = sphere_grid(GRID)
        self.stray = 0.0
        reached = int(s.allowed.sum())
        self.spacing = spacing or float(np.clip(1.6 / np.sqrt(max(reached, 1) / 40.0), 0.2, 0.6))

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


class _Reached(_Fit):
    """Only poses that were reached are known."""

    def __init__(self, s: Samples, bone: Array, margin: float, gap: float | None, *rest: Any) -> None:
        super().__init__(s, bone, margin, *rest)
        self.gap = gap

    def bridging(self) -> float:
        """The least gap at which nearly all poses lie within one line: their spacing, or more (poses along tracks)."""
        gap = typical_gap(self.s.p)
        while gap < 0.6:
            lines = loops(self.grid, filled(self.grid, self.s.p, gap, 0.0))
            if lines and self.outer(lines)[1] > 0.93:
                break
            gap *= 1.25
        return gap

    def run(self) -> RangeOfMotion:
        """Swing, then twist."""
        self.say("drawing the boundary", 0.1)
        gap = self.bridging() if self.gap is None else self.gap
        region = self.region(
            filled(self.grid, self.s.p, gap, self.margin + 0.01), 0.03, float(np.clip(gap / 8.0, 0.015, 0.025))
        )
        if self.form is TwistForm.FREE:
            return self.made(region, FreeTwist())
        self.say("fitting twist limits", 0.4)
        inside = region.contains(self.s.p)
        p, psi = self.s.p[inside], self.s.twist[inside]
        near = int(np.clip(len(p) / 30, 8, 60))
        options = {"share": 0.004, "softness": 0.01, "stiffness": 2e-4}
        mesh = None
        if self.form is TwistForm.MESH:
            mesh, places, edges = self.vertices(
                np.concatenate([self.grid[region.contains(self.grid)], region.boundary(2000)])
            )
            values = enclose(mesh.weights(p), psi, first_guess(places, edges, p, psi, near), edges, **options)
        elif self.form is TwistForm.BOUNDARY:
            places, edges, pole = self.ring(region)
            values = enclose(
                boundary_weights(region, p, pole), psi, first_guess(places, edges, p, psi, near), edges, **options
            )
        else:
            places, edges = p.mean(0)[None], np.array([[0, 0]])
            values = enclose(np.ones((len(p), 1)), psi, first_guess(places, edges, p, psi, len(p)), edges, **options)
        return self.finished(region, values, mesh)


class _Labelled(_Fit):
    """Allowed and forbidden poses are known."""

    def run(self) -> RangeOfMotion:
        """Twist over the broad region, swing where twist then tells right more often than wrong, twist again."""
        s, near = self.s, int(np.clip(len(self.s.p) / 600, 15, 60))
        self.say("drawing the boundary", 0.05)
        share = local_share(self.grid, s.p, s.allowed, near)
        broad = self.grid[share > 0.08]
        good = s.allowed
        broad_mesh, places, edges = self.vertices(broad)
        weights = broad_mesh.weights(s.p)
        values = first_guess(places, edges, s.p[good], s.twist[good], near)
        about = local_share(s.p, self.grid, share > 0.04, 6) > 0.3
        wide = np.nonzero(about)[0]
        wide = wide[:: max(1, len(wide) // 15_000)]
        for k, softness in enumerate((0.3, 0.12)):
            self.say("fitting twist limits", 0.1 + 0.15 * k)
            values = separate(
                weights[wide], s.twist[wide], good[wide], values, edges, softness=softness, stiffness=3e-4
            )
        region = self.trusted(weights @ values[0], weights @ values[1])
        if self.form is TwistForm.FREE:
            return self.made(region, FreeTwist())
        inside = region.contains(s.p)
        p, psi, y = s.p[inside], s.twist[inside], good[inside]
        mesh = None
        if self.form is TwistForm.MESH:
            cover = np.concatenate([self.grid[region.contains(self.grid)], region.boundary(2000)])
            mesh, places, edges = self.vertices(cover)
            weights, at_broad = mesh.weights(p), broad_mesh.weights(places)
        elif self.form is TwistForm.BOUNDARY:
            places, edges, pole = self.ring(region)
            weights, at_broad = boundary_weights(region, p, pole), broad_mesh.weights(places)
        else:
            places, edges, weights = p.mean(0)[None], np.array([[0, 0]]), np.ones((len(p), 1))
        if self.form is TwistForm.CONSTANT:
            values = first_guess(places, edges, p[y], psi[y], int(y.sum()))
        else:
            values = np.stack([at_broad @ values[0], np.clip(at_broad @ values[1], 0.05, 4.0)])
        for k, softness in enumerate((0.2, 0.1, 0.05)):
            self.say("fitting twist limits", 0.6 + 0.08 * k)
            values = separate(weights, psi, y, values, edges, softness=softness, stiffness=1e-4)
        return self.finished(region, values, mesh)

    def trusted(self, middle: Array, half: Array) -> Region:
        """The region where poses within the twist limits are allowed more often than not."""
        self.say("drawing the boundary", 0.5)
        s = self.s
        within = np.abs(wrapped(s.twist - middle)) <= half
        near = int(np.clip(within.sum() / 300, 10, 40))
        field = local_share(self.grid, s.p[within], s.allowed[within], near) - 0.45
        if self.margin != 0.0:
            field = signed_distance(self.grid, field) + self.margin
        return self.region(field, 0.04, 0.02)
