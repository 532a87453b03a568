"""Kinds of regions one can choose, and how one becomes another."""

import enum
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.figure.pose import FloatArray, turn_from_z
from hitogata.rom import (
    BoundaryTwist,
    ConeRegion,
    EllipseRegion,
    OvalRegion,
    RangeOfMotion,
    RectangleRegion,
    Region,
    SplineRegion,
    SuperellipseRegion,
)
from hitogata.rom.frames import Bone, quat_between
from hitogata.rom.twist import PrismTwist
from hitogata.spatial import quat_conjugate, quat_multiply, quat_rotate

POINTS = 12
"""Of a spline that another region becomes."""


class Kind(enum.Enum):
    """A region's kind, as the page calls it."""

    SPLINE = "spline"
    RECTANGLE = "rectangle"
    ELLIPSE = "ellipse"
    OVAL = "oval"
    SUPERELLIPSE = "superellipse"
    CONE = "cone"
    OTHER = "other"


_CLASSES: dict[Kind, type[Region]] = {
    Kind.SPLINE: SplineRegion, Kind.RECTANGLE: RectangleRegion, Kind.ELLIPSE: EllipseRegion,
    Kind.OVAL: OvalRegion, Kind.SUPERELLIPSE: SuperellipseRegion, Kind.CONE: ConeRegion,
}  # fmt: skip
BOXES = (Kind.RECTANGLE, Kind.ELLIPSE, Kind.OVAL, Kind.SUPERELLIPSE)
"""Kinds that are given by a box of the stereographic plane."""


def kind_of(region: Region) -> Kind:
    """Its kind."""
    return next((kind for kind, class_ in _CLASSES.items() if type(region) is class_), Kind.OTHER)


def disc_quat(region: Region) -> FloatArray:
    """Turns the polar disc's frame D (z along the bone at rest) into the parent frame P, wxyz."""
    turn: Any
    if isinstance(region, ConeRegion):
        turn = np.array(turn_from_z(region.axis))
    else:
        turn = quat_between(Bone.Z, region.bone_R)
    return np.asarray(quat_multiply(np.array(region.quat_PR), turn), np.float64)


def to_polar(region: Region, p: FloatArray) -> FloatArray:
    """Azimuth and angle [rad] on a region's disc of directions in the parent frame: (..., 3) to (..., 2)."""
    x, y, z = np.moveaxis(np.asarray(quat_rotate(quat_conjugate(disc_quat(region)), p)), -1, 0)
    return np.stack([np.arctan2(y, x), np.arctan2(np.hypot(x, y), z)], -1)


def from_polar(region: Region, azimuth: Any, angle: Any) -> FloatArray:
    """The opposite of `to_polar`."""
    s = np.sin(angle)
    p = np.stack([s * np.cos(azimuth), s * np.sin(azimuth), np.cos(angle) * np.ones_like(azimuth)], -1)
    return np.asarray(quat_rotate(disc_quat(region), p), np.float64)


def plane_of(region: Region, p: FloatArray) -> FloatArray:
    """(s, t) of directions in the parent frame, in the stereographic plane over a region's disc: (..., 3) to (..., 2).

    s = −z/(x+1), t = y/(x+1) for a bone along x (Yamaguchi 2009); x, y, z there are z, x, y on the disc.
    """
    x, y, z = np.moveaxis(np.asarray(quat_rotate(quat_conjugate(disc_quat(region)), p)), -1, 0)
    return np.stack([-y, x], -1) / (1.0 + z)[..., None]


def converted(range_: RangeOfMotion, kind: Kind) -> RangeOfMotion:
    """The range with a region of another kind that lies about the same; twist limits are those at the new knots.

    Raises:
        RangeError: the region reaches round the back of the bone, or does not hold it, and the kind cannot.
    """
    region = range_.swing
    if kind is Kind.OTHER or kind is kind_of(region):
        return range_
    if kind is Kind.SPLINE:
        new = _spline(region)
    elif kind is Kind.CONE:
        angle = float(to_polar(region, region.boundary(180))[:, 1].mean())
        new = ConeRegion((0.0, 0.0, 1.0), angle, quat_PR=tuple(disc_quat(region)))
    else:
        new = _boxed(region, kind)
    return with_region(range_, new)


def _spline(region: Region) -> Region:
    """Through points of the boundary, evenly spaced; the bone at rest must be inside."""
    if not region.contains(region.bone):
        raise RangeError("the bone's direction at rest is not in this region: it cannot become a spline around it")
    way = to_polar(region, region.boundary(360))
    azimuth = np.unwrap(way[:, 0])
    at = azimuth[0] + np.arange(POINTS) * (2 * np.pi / POINTS)
    if abs(azimuth[-1] - azimuth[0]) < 1.5 * np.pi or (np.diff(azimuth) <= 0).any():
        chosen = way[:: 360 // POINTS]
        return SplineRegion.through(np.unwrap(chosen[:, 0]), chosen[:, 1], quat_PR=tuple(disc_quat(region)))
    angle = np.interp(at, np.append(azimuth, azimuth[0] + 2 * np.pi), np.append(way[:, 1], way[0, 1]))
    return SplineRegion.through(at, angle, quat_PR=tuple(disc_quat(region)))


def _boxed(region: Region, kind: Kind) -> Region:
    """The box around the boundary in the stereographic plane; narrower, where a round region in it would leave out the
    bone at rest that was inside."""
    if isinstance(region, RectangleRegion | EllipseRegion | OvalRegion | SuperellipseRegion):
        s, t, quat = region.s, region.t, region.quat_PR
    else:
        if region.contains(-region.bone):
            raise RangeError(f"this region holds the direction opposite to the bone: no {kind.value} can")
        plane = plane_of(region, region.boundary(360))
        s, t = (tuple(map(float, (x.min(), x.max()))) for x in plane.T)
        quat = tuple(quat_multiply(disc_quat(region), quat_between(Bone.X, Bone.Z)).tolist())
    if kind is not Kind.RECTANGLE:
        s, t = (tuple(float(x) for x in np.clip(pair, -_FARTHEST, _FARTHEST)) for pair in (s, t))
    made = _made(kind, s, t, quat)
    wanted = 0.5 * float(region.distance(region.bone))
    for _ in range(_TRIES if wanted > 0 else 0):
        if float(made.distance(made.bone)) >= wanted:
            break
        s, t = _more_even(s), _more_even(t)
        made = _made(kind, s, t, quat)
    return made


_FARTHEST, _TRIES, _PULL = float(np.tan(np.radians(75))), 40, 0.9
"""Round regions reach 150° from the bone at the most; longer sides are pulled in so often, each time by so much."""


def _made(kind: Kind, s: Any, t: Any, quat: Any) -> Region:
    if kind is Kind.SUPERELLIPSE:
        return SuperellipseRegion(s, t, 3.0, 3.0, quat_PR=quat)
    made: Any = _CLASSES[kind]
    result: Region = made(s, t, quat_PR=quat)
    return result


def _more_even(sides: tuple[float, float]) -> tuple[float, float]:
    """Two sides of a box, the one that is farther from the bone pulled in."""
    low, high = sides
    if -low > high:
        return min(_PULL * low, -high), high
    return low, max(_PULL * high, -low)


def with_region(range_: RangeOfMotion, region: Region) -> RangeOfMotion:
    """The range with another region; twist limits at knots are carried over to the new ones."""
    twist = range_.twist
    if isinstance(twist, BoundaryTwist | PrismTwist) or type(twist).__name__ == "MeshTwist":
        same = isinstance(twist, BoundaryTwist) and len(twist.low) == region.segments
        if not same:
            low, high = range_.twist_limits(region.knots)
            twist = BoundaryTwist(low, np.maximum(low, high))
        elif not region.contains(region.bone):
            twist = BoundaryTwist(twist.low, twist.high)
    return RangeOfMotion(region, twist, range_.bone)
