"""Closed chains of arcs and lines in the stereographic plane (Yamaguchi 2009, 3.4.2): exact on the sphere."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import numbers
from hitogata.rom.outline import Outline, line_arc, plane_arc
from hitogata.rom.plane import LARGEST
from hitogata.rom.region import Region
from hitogata.rom.simple import check_simple

CLOSED = 1e-9
"""Largest gap between the end of one segment and the start of the next, in the plane."""


@dataclass(frozen=True)
class PlaneLine:
    """A straight segment of the plane.

    Attributes:
        start, end: (s, t).
    """

    start: Any
    end: Any

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            object.__setattr__(self, name, _pair(getattr(self, name), f"PlaneLine {name}"))
        if np.hypot(self.end[0] - self.start[0], self.end[1] - self.start[1]) < 1e-7:
            raise RangeError(f"PlaneLine from {self.start} to {self.end} has no length")


@dataclass(frozen=True)
class PlaneArc:
    """A circular arc of the plane, about `centre` from one angle to another [rad].

    Counter-clockwise if end_angle > start_angle, else clockwise (a dent); at most one turn.

    Attributes:
        centre: (s, t).
        radius: > 0.
        start_angle, end_angle: measured from +s towards +t [rad].
    """

    centre: Any
    radius: float
    start_angle: float
    end_angle: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _pair(self.centre, "PlaneArc centre"))
        radius, a, b = numbers((self.radius, self.start_angle, self.end_angle), "PlaneArc radius and angles")
        if not 1e-7 <= radius <= LARGEST:
            raise RangeError(f"PlaneArc radius = {radius}: 1e-7 to {LARGEST:g} expected")
        if not 1e-7 <= abs(b - a) <= 2.0 * np.pi + 1e-12:
            raise RangeError(f"PlaneArc from angle {a} to {b}: more than nothing and at most one turn expected")
        for name, value in (("radius", radius), ("start_angle", a), ("end_angle", b)):
            object.__setattr__(self, name, value)

    def point(self, angle: float) -> tuple[float, float]:
        """(s, t) at an angle."""
        return self.centre[0] + self.radius * np.cos(angle), self.centre[1] + self.radius * np.sin(angle)

    @property
    def start(self) -> tuple[float, float]:
        """Where it begins."""
        return self.point(self.start_angle)

    @property
    def end(self) -> tuple[float, float]:
        """Where it ends."""
        return self.point(self.end_angle)


@dataclass(frozen=True)
class ArcLineRegion(Region):
    """The region on the left of a closed chain of `PlaneLine` and `PlaneArc`.

    Counter-clockwise in the plane it is the inside; clockwise the outside, with the projection's own pole.  Knots:
    the starts of the segments.

    Attributes:
        segments_st: the chain; each segment begins where the one before ends, the first where the last ends.
    """

    segments_st: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            chain = tuple(_segment(x, k) for k, x in enumerate(self.segments_st))
        except TypeError as error:
            raise RangeError(f"ArcLineRegion: a sequence of PlaneLine and PlaneArc expected ({error})") from None
        object.__setattr__(self, "segments_st", chain)
        if not chain:
            raise RangeError("ArcLineRegion: no segments")
        for k, part in enumerate(chain):
            a, b = part.end, chain[(k + 1) % len(chain)].start
            gap = np.hypot(a[0] - b[0], a[1] - b[1])
            if gap > CLOSED:
                raise RangeError(f"ArcLineRegion: segment {k} ends at ({a[0]:.9g}, {a[1]:.9g}) but segment "
                                 f"{(k + 1) % len(chain)} starts at ({b[0]:.9g}, {b[1]:.9g}): a gap of {gap:.3g}")
        check_simple(self.pieces)

    def _outline(self) -> Outline:
        return Outline(len(self.segments_st), tuple(
            line_arc(x.start, x.end) if isinstance(x, PlaneLine)
            else plane_arc(x.centre, x.radius, x.start_angle, x.end_angle - x.start_angle) for x in self.segments_st))


def _pair(x: Any, what: str) -> tuple[float, ...]:
    pair = numbers(x, what)
    if len(pair) != 2 or max(abs(v) for v in pair) > LARGEST:
        raise RangeError(f"{what}: (s, t) within ±{LARGEST:g} expected, got {pair}")
    return pair


def _segment(x: Any, k: int) -> PlaneLine | PlaneArc:
    if isinstance(x, PlaneLine | PlaneArc):
        return x
    if isinstance(x, dict):
        for kind in (PlaneLine, PlaneArc):
            if set(x) == set(kind.__dataclass_fields__):
                return kind(**x)
    raise RangeError(f"ArcLineRegion: segment {k} is {x!r}, not a PlaneLine or PlaneArc")
