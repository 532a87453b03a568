"""What can be done to a range: points and tangents moved, points added and taken away, twist limits set."""

from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError, RangeError
from hitogata.figure.pose import FloatArray
from hitogata.rom import BoundaryTwist, ConeRegion, ConstantTwist, FixedTwist, FreeTwist, RangeOfMotion, SplineRegion
from hitogata.studio.ranges.kinds import BOXES, from_polar, kind_of, plane_of, to_polar, with_region

TANGENT = 3.0
"""A tangent's handle stands at a third of it, as that of a Bézier curve."""

_FEWEST = 4


def handles(range_: RangeOfMotion) -> FloatArray:
    """Where points can be dragged: azimuth and angle [rad], shape (n, 2).

    Points of a spline, sides of a box (+s, +t, −s, −t), four points of a cone; none of other regions.
    """
    region = range_.swing
    if isinstance(region, SplineRegion):
        return np.stack([region.azimuth, region.angle], 1)
    if kind_of(region) in BOXES:
        box: Any = region
        (s, t), (a, b) = box.centre, box.half
        sides = np.array([(s + a, t), (s, t + b), (s - a, t), (s, t - b)])
        x, y = sides[:, 1], -sides[:, 0]  # on the disc: see `plane_of`
        return np.stack([np.arctan2(y, x), 2.0 * np.arctan(np.hypot(x, y))], 1)
    return to_polar(region, region.knots) if isinstance(region, ConeRegion) else np.zeros((0, 2))


def tangents(range_: RangeOfMotion) -> FloatArray:
    """Handles of a spline's tangents, azimuth and angle [rad], shape (n, 2); none of other regions."""
    region = range_.swing
    if not isinstance(region, SplineRegion):
        return np.zeros((0, 2))
    return handles(range_) + np.stack([region.d_azimuth, region.d_angle], 1) / TANGENT


def move_point(range_: RangeOfMotion, index: int, azimuth: float, angle: float) -> RangeOfMotion:
    """Drag a handle to a place on the disc [rad]."""
    region = range_.swing
    _check(index, len(handles(range_)))
    if isinstance(region, SplineRegion):
        return with_region(range_, _moved(region, index, azimuth, angle))
    if isinstance(region, ConeRegion):
        return with_region(range_, replace(region, half_angle=float(angle)))
    s, t = plane_of(region, from_polar(region, np.array(azimuth), np.array(angle))).tolist()
    box: Any = region
    sides = [*box.s, *box.t]
    place = (1, 3, 0, 2)[index]
    sides[place] = s if place < 2 else t
    return with_region(range_, replace(box, s=tuple(sides[:2]), t=tuple(sides[2:])))


def move_tangent(range_: RangeOfMotion, index: int, azimuth: float, angle: float) -> RangeOfMotion:
    """Drag the handle of a spline's tangent to a place on the disc [rad]."""
    region = _spline(range_)
    _check(index, len(region.azimuth))
    d_azimuth, d_angle = list(region.d_azimuth), list(region.d_angle)
    d_azimuth[index] = TANGENT * _nearest_turn(azimuth - region.azimuth[index], d_azimuth[index] / TANGENT)
    d_angle[index] = TANGENT * (angle - region.angle[index])
    return with_region(range_, replace(region, d_azimuth=tuple(d_azimuth), d_angle=tuple(d_angle)))


def smooth_tangents(range_: RangeOfMotion) -> RangeOfMotion:
    """Tangents of a spline as its points want them."""
    region = _spline(range_)
    smooth = SplineRegion.through(region.azimuth, region.angle, turns=region.turns, quat_PR=region.quat_PR)
    return with_region(range_, smooth)


def add_point(range_: RangeOfMotion, azimuth: float, angle: float) -> RangeOfMotion:
    """A new point of a spline, on its boundary where that is nearest to a place on the disc [rad]."""
    region = _spline(range_)
    u = np.linspace(0.0, region.segments, 40 * region.segments, endpoint=False)
    near = region.at(u) @ from_polar(region, np.array(azimuth), np.array(angle))
    best = float(u[np.argmax(near)])
    k, low, high = int(best) + 1, *range_.twist_limits(region.knots)
    new = np.array([float(x) for x in region.polar_at(np.array(best))])
    points = np.insert(np.stack([region.azimuth, region.angle], 1), k, new, axis=0)
    at_new = range_.twist_limits(region.at(np.array(best)))
    spline = SplineRegion.through(points[:, 0], points[:, 1], turns=region.turns, quat_PR=region.quat_PR)
    return _with_limits(range_, spline, np.insert(low, k, at_new[0]), np.insert(high, k, at_new[1]))


def remove_point(range_: RangeOfMotion, index: int) -> RangeOfMotion:
    """A spline without one of its points."""
    region = _spline(range_)
    _check(index, len(region.azimuth))
    if len(region.azimuth) <= _FEWEST:
        raise ArgumentError(f"a spline keeps at least {_FEWEST} points")
    low, high = range_.twist_limits(region.knots)
    azimuth, angle, low, high = (np.delete(x, index) for x in (region.azimuth, region.angle, low, high))
    spline = SplineRegion.through(azimuth, angle, turns=region.turns, quat_PR=region.quat_PR)
    return _with_limits(range_, spline, low, high)


def knot_limits(range_: RangeOfMotion) -> tuple[FloatArray, FloatArray]:
    """Low and high twist at the knots [rad], each shape (knots,)."""
    if isinstance(range_.twist, BoundaryTwist):
        return np.array(range_.twist.low), np.array(range_.twist.high)
    low, high = range_.twist_limits(range_.swing.knots)
    return np.maximum(low, -np.pi), np.minimum(high, np.pi)


def set_twist(range_: RangeOfMotion, index: int, low: float, high: float) -> RangeOfMotion:
    """Twist limits at a knot [rad]; at the others they stay."""
    lows, highs = knot_limits(range_)
    _check(index, len(lows))
    lows[index], highs[index] = low, high
    return RangeOfMotion(range_.swing, BoundaryTwist(lows, highs, _pole(range_)), range_.bone)


def _pole(range_: RangeOfMotion) -> Any:
    """What twist was allowed at rest stays allowed there."""
    if isinstance(range_.twist, BoundaryTwist):
        return range_.twist.pole
    if not range_.swing.distance(range_.bone_axis) > 1e-6:
        return None
    low, high = range_.twist_limits(range_.bone_axis)
    return max(low, -np.pi), min(high, np.pi)


def _with_limits(range_: RangeOfMotion, region: SplineRegion, low: Any, high: Any) -> RangeOfMotion:
    if isinstance(range_.twist, ConstantTwist | FixedTwist | FreeTwist):
        return RangeOfMotion(region, range_.twist, range_.bone)
    return RangeOfMotion(region, BoundaryTwist(low, np.maximum(low, high)), range_.bone)


def _moved(region: SplineRegion, index: int, azimuth: float, angle: float) -> SplineRegion:
    """One point elsewhere; tangents that were smooth become so again, those set by hand stay."""
    points, by_hand = np.stack([region.azimuth, region.angle], 1), np.ones(len(region.azimuth), bool)
    for calm in (False, True):
        d_azimuth, d_angle = _smooth(points, region.turns, calm=calm)
        same = np.isclose(d_azimuth, region.d_azimuth, atol=1e-9) & np.isclose(d_angle, region.d_angle, atol=1e-9)
        by_hand &= ~same
    points[index] = _nearest_turn(azimuth, points[index, 0]), angle
    for calm in (False, True):
        d_azimuth, d_angle = _smooth(points, region.turns, calm=calm)
        d_azimuth, d_angle = np.where(by_hand, region.d_azimuth, d_azimuth), np.where(by_hand, region.d_angle, d_angle)
        try:
            return replace(region, azimuth=points[:, 0], angle=points[:, 1], d_azimuth=d_azimuth, d_angle=d_angle)
        except RangeError:
            if calm:
                raise
    raise AssertionError("not reached")


def _smooth(points: FloatArray, turns: int, *, calm: bool) -> tuple[FloatArray, FloatArray]:
    """Tangents along half the step from the point before to the point after (`SplineRegion.through`).

    Calm ones keep the angle between those of its neighbours, so that it does not shoot over 0 or 180° where one point
    is far from the others (Fritsch & Carlson 1980).
    """
    before, after = np.roll(points, 1, 0), np.roll(points, -1, 0)
    before[0, 0] -= 2 * np.pi * turns
    after[-1, 0] += 2 * np.pi * turns
    d_azimuth, d_angle = ((after - before) / 2).T
    if calm:
        down, up = (points - before)[:, 1], (after - points)[:, 1]
        most = np.where(down * up > 0, 3 * np.minimum(np.abs(down), np.abs(up)), 0.0)
        d_angle = np.clip(d_angle, -most, most)
    return d_azimuth, d_angle


def _nearest_turn(angle: float, near: float) -> float:
    """An angle, whole turns added so that it is the nearest to another."""
    return float(angle + 2 * np.pi * np.round((near - angle) / (2 * np.pi)))


def _spline(range_: RangeOfMotion) -> SplineRegion:
    if not isinstance(range_.swing, SplineRegion):
        raise ArgumentError(f"a {kind_of(range_.swing).value} has no points of its own: make it a spline first")
    return range_.swing


def _check(index: int, count: int) -> None:
    if not 0 <= index < count:
        raise ArgumentError(f"there is no point {index}: there are {count}")
