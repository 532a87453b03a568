"""A range of motion from measured poses (Hanaoka 2010, ch. 4).

Two kinds of data.  *Poses that were reached*: the cloud's own edge becomes the boundary, with holes and bays narrower
than a gap closed, and twist limits that hold
all but a share of the poses.  *Poses with labels*, allowed and forbidden: boundary and limits part the two as well as
they can.

The bone's directions give a field on the sphere, its level line the boundary, a Hermite spline through few points the
region.  Twist limits are values at the vertices of a mesh (or at the boundary's points and the pole), found by smooth
optimisation; whether they have a gap (`MeshTwist`), by cross-validation (`fit_choice`).  Nothing is random: the same
poses give the same range.
"""

import time
from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.rom.fit_choice import labelled_range
from hitogata.rom.fit_cloud import lonely
from hitogata.rom.fit_reached import reached_range
from hitogata.rom.fit_report import FitReport, Progress, report_of
from hitogata.rom.fit_steps import Options, TwistForm, samples_of
from hitogata.rom.frames import Array, Bone, unit_rows
from hitogata.rom.range import RangeOfMotion

FEWEST = 20
"""Least number of poses to fit a range to."""


class RangeFit(NamedTuple):
    """A fitted range and what it does.

    Attributes:
        range: the range of motion.
        report: counts, areas, outliers.
    """

    range: RangeOfMotion
    report: FitReport


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
        spacing: side of the mesh's triangles in the sin(γ/2) disc; None: by the number of poses, 0.2 to 0.6, or 0.1 to
            0.15 if the limits have a gap.
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
    s, options = samples_of(kept, banned, axis), Options(axis, margin, points, twist, spacing)
    fitted, stray = labelled_range(s, options, say) if len(banned) else reached_range(s, options, say, gap)
    say("checking", 0.95)
    report = report_of(fitted, reached, banned, alone, stray, time.perf_counter() - begun)
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
