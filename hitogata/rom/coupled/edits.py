"""Changes of ranges over several joints: walls moved, added and taken away, a brush on fields, sections to look at.

Each gives a new range; places and lengths are those of the charts' coordinates (`CoupledRange.coordinates`).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.coupled.chart import SwingTwist
from hitogata.rom.coupled.distance import grid_points, spline_taps, spline_weights
from hitogata.rom.coupled.range import CoupledRange
from hitogata.rom.coupled.regions import Axis, Field, Polytope

Array = np.ndarray[Any, np.dtype[Any]]

PLACES = 200_000
"""Of a field that a polytope becomes, at the most."""

BEYOND = 0.5
"""A field goes so far beyond the polytope that it was [rad, or lengths in units of `length`]."""

DISC = 1.999
"""Coordinates a and b of a swing end here: 2 is the bone opposite to rest."""


def grown(range_: CoupledRange, by: float) -> CoupledRange:
    """All walls moved outwards (by > 0) or inwards."""
    region = range_.region
    if isinstance(region, Field):
        return replace(range_, region=replace(region, values=np.asarray(region.values, np.float64) + by))
    normals, offsets = _faces(range_)
    return _polytope(range_, normals, offsets + by * np.linalg.norm(normals, axis=1))


def moved_wall(range_: CoupledRange, wall: int, by: float) -> CoupledRange:
    """One face of a polytope moved outwards (by > 0) or inwards."""
    normals, offsets = _faces(range_, wall)
    offsets[wall] += by * np.linalg.norm(normals[wall])
    return _polytope(range_, normals, offsets)


def with_wall(range_: CoupledRange, q: Any, normal: Any) -> CoupledRange:
    """One more face of a polytope, through a pose; normal: outwards, in the charts' coordinates."""
    normals, offsets = _faces(range_)
    way = np.asarray(normal, np.float64)
    size = float(np.linalg.norm(way))
    if way.shape != (range_.dofs,) or not (np.isfinite(size) and size > 1e-9):
        raise RangeError(f"{range_.name}: normal: {range_.dofs} numbers, not all 0, expected, got {normal!r}")
    way = way / size
    at = float(way @ range_.coordinates(q)[0])
    return _polytope(range_, np.vstack([normals, way]), np.append(offsets, at))


def without_wall(range_: CoupledRange, wall: int) -> CoupledRange:
    """A polytope without one of its faces."""
    normals, offsets = _faces(range_, wall)
    if len(offsets) == 1:
        raise RangeError(f"{range_.name}: its last wall cannot be taken away; remove the range")
    return _polytope(range_, np.delete(normals, wall, 0), np.delete(offsets, wall))


def as_field(range_: CoupledRange, places: int = PLACES) -> CoupledRange:
    """The same range as a field, which a brush can change; corners become as round as the grid is coarse."""
    if isinstance(range_.region, Field):
        return range_
    normals, offsets = _faces(range_)
    count = max(8, int(places ** (1.0 / range_.dofs)))
    axes = [
        Axis(-np.pi, np.pi, count, True) if turns else Axis(low, high, count)
        for (low, high), turns in zip(extent(range_), turning(range_), strict=True)
    ]
    size = np.linalg.norm(normals, axis=1)
    distance = ((offsets - grid_points(axes) @ normals.T) / size).min(axis=1).reshape([a.count for a in axes])
    return replace(range_, region=Field(axes, spline_weights(axes, distance)))


def brushed(range_: CoupledRange, q: Any, radius: float, *, allowed: bool) -> CoupledRange:
    """A field in which all poses about one are allowed, or forbidden.

    Args:
        range_: whose region is a field; see `as_field`.
        q: the pose, shape (nq,).
        radius: how far about it, in the charts' coordinates.
        allowed: whether they become allowed.
    """
    region = range_.region
    if not isinstance(region, Field):
        raise RangeError(f"{range_.name}: a brush needs a field; make it one with as_field first")
    if not (np.isfinite(radius) and radius > 0.0):
        raise RangeError(f"{range_.name}: radius = {radius}: more than 0 expected")
    axes, points = region.axes, grid_points(region.axes)
    values = (spline_taps(axes, points) @ np.asarray(region.values, np.float64).ravel()).reshape(region.values.shape)
    way = points - range_.coordinates(q)[0]
    for k, axis in enumerate(axes):
        if axis.turns:
            way[:, k] = np.mod(way[:, k] + np.pi, 2.0 * np.pi) - np.pi
    within = (radius - np.linalg.norm(way, axis=1)).reshape(values.shape)
    new = np.maximum(values, within) if allowed else np.minimum(values, -within)
    return replace(range_, region=Field(axes, spline_weights(axes, new)))


# ------------------------------------------------------- sections


def extent(range_: CoupledRange) -> list[tuple[float, float]]:
    """Low and high of each coordinate, a little beyond what the region allows."""
    region = range_.region
    if isinstance(region, Field):
        return [(a.low, a.high) for a in region.axes]
    from scipy.optimize import linprog

    normals, offsets = _faces(range_)
    found, most = [], _most(range_)
    for k in range(range_.dofs):
        way, ends = np.zeros(range_.dofs), []
        for sign in (1.0, -1.0):
            way[k] = sign
            best = linprog(way, normals, offsets, bounds=[(-m, m) for m in most])
            ends.append(sign * float(best.fun) if best.status == 0 else -sign * most[k])
        low, high = ends
        found.append((max(-most[k], low - BEYOND), min(most[k], high + BEYOND)))
    return found


def turning(range_: CoupledRange) -> list[bool]:
    """Whether each coordinate comes back after a turn, as a twist does."""
    return [isinstance(c, SwingTwist) and k == 2 for c in range_.charts for k in range(c.size)]


def coordinate_names(range_: CoupledRange) -> list[str]:
    """Of each coordinate, the joint and which of its numbers."""
    parts = {1: ("",), 3: (" a", " b", " twist")}
    names = []
    for c in range_.charts:
        own = parts[c.size] if isinstance(c, SwingTwist) or c.size == 1 else (" x", " y", " z")
        more = f"[{getattr(c, 'index', 0)}]" if getattr(c, "index", 0) else ""
        names += [f"{c.joint}{more}{part}" for part in own]
    return names


def at_coordinates(range_: CoupledRange, y: Any) -> Array:
    """Poses of coordinates of the charts, shape (n, dofs)."""
    rows, parts, at = np.atleast_2d(np.asarray(y, np.float64)), [], 0
    for c in range_.charts:
        parts.append(c.poses(rows[:, at : at + c.size], range_.length))
        at += c.size
    return np.concatenate(parts, 1)


def section(range_: CoupledRange, q: Any, across: int, up: int, count: int = 48) -> tuple[Array, Array, Array]:
    """Room over two coordinates, the others as in a pose.

    Args:
        range_: the range.
        q: the pose, shape (nq,).
        across: number of the coordinate along the first axis of the result.
        up: that along the second.
        count: places along each.

    Returns:
        Places across and up, shape (count,) each, and room there, shape (count, count); NaN where a swing has no place.
    """
    ends = extent(range_)
    places = [np.linspace(*ends[k], count) for k in (across, up)]
    x, y = np.meshgrid(*places, indexing="ij")
    rows = np.repeat(range_.coordinates(q), x.size, 0)
    rows[:, across], rows[:, up] = x.ravel(), y.ravel()
    real, at = np.ones(len(rows), np.bool_), 0
    for c in range_.charts:
        if isinstance(c, SwingTwist):
            real &= np.hypot(rows[:, at], rows[:, at + 1]) < DISC
        at += c.size
    room = np.full(len(rows), np.nan)
    room[real] = range_.room(at_coordinates(range_, rows[real]))
    return places[0], places[1], room.reshape(count, count)


def outline(x: Array, y: Array, room: Array) -> Array:
    """Where a section's room is zero: pieces of lines, linear between places, shape (n, 2, 2)."""
    pieces = []
    inside = room > 0.0
    known = np.isfinite(room)
    cell = known[:-1, :-1] & known[1:, :-1] & known[:-1, 1:] & known[1:, 1:]
    mixed = cell & ~((inside[:-1, :-1] == inside[1:, :-1]) & (inside[:-1, :-1] == inside[:-1, 1:])
                     & (inside[:-1, :-1] == inside[1:, 1:]))  # fmt: skip
    for i, j in zip(*np.nonzero(mixed), strict=True):
        corners = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
        met = []
        for a, b in zip(corners, (*corners[1:], corners[0]), strict=True):
            if inside[a] != inside[b]:
                t = room[a] / (room[a] - room[b])
                met.append((x[a[0]] + t * (x[b[0]] - x[a[0]]), y[a[1]] + t * (y[b[1]] - y[a[1]])))
        pieces += [met[k : k + 2] for k in range(0, len(met), 2)]
    return np.array(pieces, np.float64).reshape(-1, 2, 2)


def _most(range_: CoupledRange) -> list[float]:
    """How far coordinates may go at all: swings and twists around, others as far as anything does."""
    around: list[float] = []
    for c in range_.charts:
        around += [DISC, DISC, float(np.pi)] if isinstance(c, SwingTwist) else [2.0 * np.pi] * c.size
    return around


def _faces(range_: CoupledRange, wall: int = 0) -> tuple[Array, Array]:
    region = range_.region
    if not isinstance(region, Polytope):
        raise RangeError(f"{range_.name}: a {type(region).__name__} has no faces; use grown or brushed")
    if not 0 <= wall < len(region.offsets):
        raise RangeError(f"{range_.name}: wall {wall}: it has {len(region.offsets)}")
    return np.array(region.normals, np.float64), np.array(region.offsets, np.float64)


def _polytope(range_: CoupledRange, normals: Array, offsets: Array) -> CoupledRange:
    return replace(range_, region=Polytope(normals.tolist(), offsets.tolist()))
