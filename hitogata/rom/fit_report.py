"""What a fitted range allows and forbids, and progress while it is fitted."""

import dataclasses
import os
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.rom.fit_mesh import Mesh
from hitogata.rom.fit_swing import sphere_grid
from hitogata.rom.fit_twist import TURN, wrapped
from hitogata.rom.frames import Array
from hitogata.rom.meshtwist import MeshTwist
from hitogata.rom.range import RangeOfMotion
from hitogata.rom.twist import FreeTwist


@dataclass(frozen=True)
class FitReport:
    """What a fitted range does with the poses it was fitted to.

    Attributes:
        reached: number of poses given as reached (allowed).
        forbidden: number of poses given as forbidden.
        outliers: which of the reached poses were rejected, numbers of rows, shape (k,).
        points: number of constraint points.
        area: solid angle of the region [sr].
        share: of all rotations that the range allows, 0 to 1.
        coverage: share of the reached poses, outliers left out, that the range allows.
        wrongly_forbidden: which of those it forbids, numbers of rows.
        wrongly_allowed: which of the forbidden poses it allows, numbers of rows.
        agreement: share of all labelled poses that the range tells right; without forbidden poses the same as
            `coverage`.
        overlap: intersection over union of poses allowed by the labels and by the range.
        twist_width: least, mean and greatest width of the twist limits over the region [rad]; full turns count 2π.
        boundary_error: greatest distance of the spline from the level line it follows [rad].
        seconds: time taken.
    """

    reached: int
    forbidden: int
    outliers: tuple[int, ...]
    points: int
    area: float
    share: float
    coverage: float
    wrongly_forbidden: tuple[int, ...]
    wrongly_allowed: tuple[int, ...]
    agreement: float
    overlap: float
    twist_width: tuple[float, float, float]
    boundary_error: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, for JSON."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(self).items()}

    def __str__(self) -> str:
        low, mean, high = np.degrees(self.twist_width)
        lines = [
            f"poses       {self.reached} reached ({len(self.outliers)} outliers), {self.forbidden} forbidden",
            f"region      {self.points} points, {self.area:.3f} sr ({self.area / (4 * np.pi):.1%} of the sphere), "
            f"boundary to {np.degrees(self.boundary_error):.1f} deg",
            f"twist       {low:.0f} to {high:.0f} deg wide, {mean:.0f} on average; "
            f"{self.share:.1%} of all rotations allowed",
            f"coverage    {self.coverage:.2%} of reached poses allowed ({len(self.wrongly_forbidden)} forbidden)",
        ]
        if self.forbidden:
            kept = 1.0 - len(self.wrongly_allowed) / self.forbidden
            lines += [
                f"            {kept:.2%} of forbidden poses forbidden ({len(self.wrongly_allowed)} allowed)",
                f"agreement   {self.agreement:.2%}, intersection over union {self.overlap:.3f}",
            ]
        return "\n".join([*lines, f"time        {self.seconds:.1f} s"])


def report_of(
    fitted: RangeOfMotion, reached: Array, banned: Array, alone: Any, stray: float, seconds: float
) -> FitReport:
    """The report of a range and its poses."""
    allowed = fitted.contains(reached)
    wrong = fitted.contains(banned) if len(banned) else np.zeros(0, bool)
    width, share = twist_widths(fitted)
    hits, misses = int((allowed & ~alone).sum()), int((~allowed & ~alone).sum())
    return FitReport(
        reached=len(reached),
        forbidden=len(banned),
        outliers=_rows(alone),
        points=fitted.swing.segments,
        area=fitted.swing.area,
        share=share,
        coverage=hits / max(hits + misses, 1),
        wrongly_forbidden=_rows(~allowed & ~alone),
        wrongly_allowed=_rows(wrong),
        agreement=(hits + int((~wrong).sum())) / max(hits + misses + len(banned), 1),
        overlap=hits / max(hits + misses + int(wrong.sum()), 1),
        twist_width=(float(width.min()), float(width.mean()), float(width.max())),
        boundary_error=stray,
        seconds=seconds,
    )


def twist_widths(fitted: RangeOfMotion, count: int = 20_000) -> tuple[Array, float]:
    """Widths of the twist limits at even directions of the region [rad].

    And the share of all rotations that the range allows.
    """
    p = sphere_grid(count)
    p = p[fitted.swing.contains(p)]
    if len(p) == 0:
        p = fitted.swing.boundary(64)
    if isinstance(fitted.twist, FreeTwist):
        width = np.full(len(p), 2.0 * np.pi)
    else:
        low, high = fitted.twist_limits(p)
        width = np.clip(high - low, 0.0, 2.0 * np.pi)
        if isinstance(fitted.twist, MeshTwist) and fitted.twist.gap_half:
            width -= gap_widths(fitted.twist, fitted.bone_axis, p, (low + high) / 2.0, width / 2.0)
    return width, float(fitted.swing.area / (4.0 * np.pi) * width.mean() / (2.0 * np.pi))


def gap_widths(twist: MeshTwist, bone: Array, p: Array, middle: Array, half: Array) -> Array:
    """How much of the interval middle ± half (at directions p) lies in the gap of a mesh [rad]."""
    weights = Mesh(bone, np.array(twist.vertices), np.array(twist.triangles)).weights(p)
    gap, reach = wrapped(weights @ np.array(twist.gap_middle) - middle), weights @ np.array(twist.gap_half)
    reach = np.clip(reach, 0.0, np.pi)
    parts = [np.minimum(half, gap + k + reach) - np.maximum(-half, gap + k - reach) for k in (-TURN, 0.0, TURN)]
    return np.asarray(np.maximum(parts, 0.0).sum(0))


def _rows(which: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.nonzero(which)[0])


class Progress:
    """Steps of a fit on stderr, once it has taken two seconds; HITOGATA_QUIET=1 silences it."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet or sys.stderr is None or os.environ.get("HITOGATA_QUIET", "0") not in ("", "0")
        self.begun = time.perf_counter()
        self.shown = False

    def __call__(self, step: str, fraction: float) -> None:
        """Say which step begins, and how much is done (0 to 1)."""
        if not self.quiet and time.perf_counter() - self.begun > 2.0:
            self.shown = True
            print(f"\rhitogata: fitting a range, {fraction:4.0%}  {step:<24}", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        """End the line."""
        if self.shown:
            print(
                f"\rhitogata: fitted a range in {time.perf_counter() - self.begun:.1f} s{'':<32}",
                file=sys.stderr,
                flush=True,
            )
