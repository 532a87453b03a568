"""Lengths, lengthening speeds and moment arms of wires, for one pose or many."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.mechanism import Constant, evaluate
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.lanes import share
from hitogata.muscle.bodies import Skeleton, poses_and_columns, skeleton_of
from hitogata.muscle.circles import SIZE
from hitogata.muscle.lengths import lengths_of_rows
from hitogata.muscle.paths import ConditionalPoint, MovingPoint, Surface, SurfaceKind
from hitogata.muscle.tables import PathFrames, PathResults, PathScratch, PathTables
from hitogata.muscle.wires import MuscleSet

_KINDS = {kind: k for k, kind in enumerate(SurfaceKind)}
"""As numbered in `tables`."""
SLACK = 1e-5
"""By how much a coordinate may be out of a conditional point's range, as in OpenSim [rad or m]."""


@dataclass(frozen=True, eq=False)
class WireGeometry:
    """Wires in n poses; without the leading axis for one pose.

    Attributes:
        lengths: [m], shape (n, nw), in the order of the set's wires.
        jacobian: dL by the body's velocities, shape (n, nw, nv): L̇ = J v, and unit tension makes the forces -Jᵀ.
            Of a mechanism v are the rates of coordinates.
        node_jacobian: dL by the places of nodes in their bodies' frames, shape (n, nw, 3 nodes).
        stations: if asked for, points of the path in the world (3), and the surface that it follows to the next one
            (-1: straight on, -2: no more points), shape (n, nw, k, 4).
    """

    lengths: FloatArray
    jacobian: FloatArray
    node_jacobian: FloatArray
    stations: FloatArray | None = None

    @property
    def moment_arms(self) -> FloatArray:
        """Force on each coordinate per tension [m, or 1 for coordinates that slide]: -J, same shape."""
        result: FloatArray = -self.jacobian
        return result

    def lengthening_speeds(self, v: ArrayLike) -> FloatArray:
        """L̇ [m/s] at velocities v, shape (n, nv) or (nv,): shape (n, nw) or (nw,)."""
        result: FloatArray = (self.jacobian @ np.asarray(v, np.float64)[..., None])[..., 0]
        return result


def wire_geometry(
    muscles: MuscleSet,
    q: ArrayLike,
    *,
    nodes: ArrayLike | None = None,
    stations: bool = False,
    threads: int | None = 1,
) -> WireGeometry:
    """Lengths of all wires and their exact Jacobian.

    Args:
        muscles: the set.
        q: coordinates of its body, shape (nq,) or (n, nq); a mechanism's couplings must be kept (`followed`).
        nodes: places of nodes in their bodies' frames [m], shape (n, k, 3); None: where they rest.
        stations: keep the paths, for drawing.
        threads: to share a batch over; None: one per core.
    """
    given = floats(q, "q")
    if not np.isfinite(given).all():
        raise ArgumentError(f"q: row {int(np.argwhere(~np.isfinite(np.atleast_2d(given)))[0][0])} is not finite")
    tables = tables_of(muscles)
    rows, poses, columns = poses_and_columns(muscles.body, given)
    n, nc = len(rows), tables.skeleton.count
    if muscles.nodes:
        poses, columns = _with_nodes(muscles, poses, columns, nodes)
    frames = PathFrames(poses, columns, *_points(tables, rows))
    nm, most, wraps = len(muscles.wires), tables.most, tables.wraps
    jacobian = np.empty((n, nm, nc + 3 * len(muscles.nodes)))
    kept = np.empty((n if stations else 0, nm, most, 4))
    results = PathResults(np.empty((n, nm)), jacobian, kept)

    def run(first: int, end: int) -> int:
        room = PathScratch(
            np.empty((most, 4)), np.empty((most, 3), np.int64), np.empty((wraps + 2, SIZE)),
            np.empty((wraps + 1, 2), np.int64), np.zeros((poses.shape[1], 6)),
        )  # fmt: skip
        return int(lengths_of_rows(tables.arrays, frames, results, room, first, end))

    if n == 1 or threads == 1:
        run(0, n)
    else:
        share(n, threads, run)
    if not np.isfinite(results.lengths).all():
        row, wire = np.argwhere(~np.isfinite(results.lengths))[0]
        raise ArgumentError(f"length of {muscles.wires[wire].name!r} in row {row} is not finite: look at its path")
    pick: Any = 0 if given.ndim == 1 else slice(None)
    return WireGeometry(
        results.lengths[pick], jacobian[pick][..., :nc], jacobian[pick][..., nc:], kept[pick] if stations else None
    )


@dataclass(frozen=True, eq=False)
class _Tables:
    arrays: PathTables
    most: int
    wraps: int
    skeleton: Skeleton
    conditional: tuple[ConditionalPoint, ...]
    moving: tuple[MovingPoint, ...]


def tables_of(muscles: MuscleSet) -> _Tables:
    """Tables for the kernels, made once and kept with the set."""
    known: _Tables | None = muscles.compiled.get("paths")
    if known is None:
        known = muscles.compiled["paths"] = _compile(muscles)
    return known


def _compile(muscles: MuscleSet) -> _Tables:
    skeleton = skeleton_of(muscles.body)
    names = [*skeleton.bodies, *(node.name for node in muscles.nodes)]
    place: dict[str | None, int] = {name: k for k, name in enumerate(names)}
    place[None] = len(names)
    parents = [*skeleton.parents]
    columns = [*skeleton.columns]
    for k, node in enumerate(muscles.nodes):
        parents.append(place[node.body] if node.body is not None else -1)
        columns.append((len(skeleton.targets) + 3 * k, len(skeleton.targets) + 3 * k + 3))
    tree = [[p, *c] for p, c in zip(parents, columns, strict=True)] + [[-1, 0, 0]]
    surface_at = {surface.name: k for k, surface in enumerate(muscles.surfaces)}
    chains: list[int] = []
    wires: list[list[int]] = []
    points: list[list[int]] = []
    movers: list[list[int]] = []
    wraps: list[list[int]] = []
    places: list[tuple[float, ...]] = []
    conditions = 0
    for wire in muscles.wires:
        row = [len(points), 0, len(wraps), 0, len(chains), 0]
        path, touched = wire.path, set()
        for point in path.points:
            condition = moving = -1
            if isinstance(point, ConditionalPoint):
                condition, conditions = conditions, conditions + 1
            if isinstance(point, MovingPoint):
                moving = len(movers)
                movers.append([skeleton.coordinates.index(name) if name else -1 for name in point.coordinates])
            points.append([place[point.body], condition, moving])
            places.append((0.0, 0.0, 0.0) if isinstance(point, MovingPoint) else point.place)
            touched.add(place[point.body])
        for wrap in path.wraps:
            end = len(path.points) - 1
            first, last = wrap.first or 0, end if wrap.last is None else wrap.last
            wraps.append([surface_at[wrap.surface], first, last])
            touched.add(place[muscles.surfaces[surface_at[wrap.surface]].body])
        chains += _between(touched, parents, len(names))
        row[1], row[3], row[5] = len(points), len(wraps), len(chains)
        wires.append(row)
    targets = [*skeleton.targets, *range(skeleton.count, skeleton.count + 3 * len(muscles.nodes))]
    arrays = PathTables(
        _ints(tree, 3), np.array(targets, np.int64), _ints(wires, 6), np.array(chains, np.int64), _ints(points, 3),
        np.array(places, np.float64).reshape(-1, 3), _ints(movers, 3), _ints(wraps, 3),
        _ints([_surface_ints(s, place[s.body]) for s in muscles.surfaces], 4),
        np.array([_surface_floats(s) for s in muscles.surfaces], np.float64).reshape(-1, 19),
    )  # fmt: skip
    most_wraps = max((row[3] - row[2] for row in wires), default=0)
    most = max((row[1] - row[0] + 2 * (row[3] - row[2]) for row in wires), default=0) + 2
    every = [point for wire in muscles.wires for point in wire.path.points]
    conditional = tuple(point for point in every if isinstance(point, ConditionalPoint))
    return _Tables(
        arrays, most, most_wraps, skeleton, conditional, tuple(p for p in every if isinstance(p, MovingPoint))
    )


def _between(touched: set[int], parents: list[int], world: int) -> list[int]:
    """Bodies that move some touched bodies and not the others, the outermost first."""
    lines: list[set[int]] = []
    for body in touched:
        line: set[int] = set()
        at = -1 if body == world else body
        while at >= 0:
            line.add(at)
            at = parents[at]
        lines.append(line)
    if not lines:
        return []
    every, common = set(lines[0]), set(lines[0])
    for line in lines[1:]:
        every, common = every | line, common & line
    return sorted(every - common, reverse=True)


def _ints(rows: list[list[int]], width: int) -> Any:
    return np.array(rows, np.int64).reshape(-1, width)


def _surface_ints(surface: Surface, body: int) -> list[int]:
    axis = "xyz".index(surface.side.lstrip("+-")) if surface.side else 0
    return [_KINDS[surface.kind], body, axis, surface.site is not None]


def _surface_floats(surface: Surface) -> list[float]:
    """Pose, sizes as kernels want them, sign of the side, site."""
    s, kind = surface.sizes, surface.kind
    sizes = [s[0], s[0], s[0]]
    if kind is SurfaceKind.CYLINDER:
        sizes = [s[0], 0.5 * s[1], 0.0]
    elif kind is SurfaceKind.ELLIPSOID:
        sizes = [*s]
    elif kind is SurfaceKind.TORUS:
        sizes = [s[0], s[1], s[1]]
    sign = 0.0 if not surface.side else (-1.0 if surface.side.startswith("-") else 1.0)
    pose = np.column_stack([surface.pose.rotation, surface.pose.position])
    return [*pose.ravel(), *sizes, sign, *(surface.site or (0.0, 0.0, 0.0))]


def _points(tables: _Tables, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Places of moving points with their derivatives (n, k, 6), and which conditional points count (n, c)."""
    n, values = len(rows), tables.skeleton.values
    moving, active = np.zeros((n, len(tables.moving), 6)), np.zeros((n, len(tables.conditional)))
    for k, point in enumerate(tables.moving):
        moving[:, k] = _moved(point, tables.skeleton, rows)
    for k, condition in enumerate(tables.conditional):
        value = rows[:, values[condition.coordinate]]
        active[:, k] = (value >= condition.range[0] - SLACK) & (value <= condition.range[1] + SLACK)
    return moving, active


def active_points(muscles: MuscleSet, q: FloatArray) -> list[Any]:
    """Which points of each wire count at q (n, nq): booleans, shape (n, points of the wire)."""
    tables = tables_of(muscles)
    counts, at, found = _points(tables, q)[1] > 0, 0, []
    for wire in muscles.wires:
        mine = np.ones((len(q), len(wire.path.points)), np.bool_)
        for k, point in enumerate(wire.path.points):
            if isinstance(point, ConditionalPoint):
                mine[:, k], at = counts[:, at], at + 1
        found.append(mine)
    return found


def _moved(point: MovingPoint, skeleton: Skeleton, rows: FloatArray) -> FloatArray:
    result = np.zeros((len(rows), 6))
    for i, (function, name) in enumerate(zip(point.functions, point.coordinates, strict=True)):
        if isinstance(function, Constant):
            result[:, i] = function.value
            continue
        value, slope, _ = evaluate(function, rows[:, [skeleton.values[name]]])
        result[:, i], result[:, 3 + i] = value, slope[:, 0]
    return result


def _with_nodes(
    muscles: MuscleSet, poses: FloatArray, columns: FloatArray, nodes: ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Poses and columns with those of nodes, which slide along their bodies' axes."""
    n, nb, k = len(poses), poses.shape[1] - 1, len(muscles.nodes)
    places = np.broadcast_to([node.place for node in muscles.nodes], (n, k, 3))
    if nodes is not None:
        places = np.asarray(nodes, np.float64)
        if places.shape != (n, k, 3) and places.shape != (k, 3):
            raise ArgumentError(f"nodes: expected shape ({n}, {k}, 3), got {places.shape}")
        places = np.broadcast_to(places, (n, k, 3))
    skeleton = tables_of(muscles).skeleton
    grids = poses.reshape(n, nb + 1, 3, 4)
    all_poses = np.empty((n, nb + k + 1, 3, 4))
    all_poses[:, :nb], all_poses[:, -1] = grids[:, :nb], grids[:, nb]
    extra = np.zeros((n, 3 * k, 6))
    for i, node in enumerate(muscles.nodes):
        carrier = grids[:, nb if node.body is None else skeleton.bodies.index(node.body)]
        R = carrier[:, :, :3]
        all_poses[:, nb + i, :, :3] = R
        all_poses[:, nb + i, :, 3] = carrier[:, :, 3] + np.einsum("nij,nj->ni", R, places[:, i])
        extra[:, 3 * i : 3 * i + 3, 3:] = R.transpose(0, 2, 1)
    return all_poses.reshape(n, -1, 12), np.concatenate([columns, extra], axis=1)
