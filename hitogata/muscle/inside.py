"""Points of wires that lie inside a surface of their own: no string can go around it from there, so it passes through.

As in OpenSim, such a segment is straight, and a length may jump as the point comes out.
"""

from typing import Any

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.muscle.bodies import poses_and_columns
from hitogata.muscle.geometry import active_points, tables_of
from hitogata.muscle.paths import MovingPoint
from hitogata.muscle.tables import CYLINDER, ELLIPSOID, SPHERE, TORUS
from hitogata.muscle.wires import MuscleSet

MARGIN = 1e-6
"""Depth that does not count, as a part of the surface's sizes: points may lie on it."""
MOST = 20
"""Notes that are written."""


def notes_on_points_inside(muscles: MuscleSet, q: FloatArray, frames: Any = None) -> tuple[str, ...]:
    """One note for each wire and surface with a point inside in some poses (n, nq); frames: their numbers (n,).

    Points that move in their bodies or hang on nodes are not looked at, nor surfaces with a side site, whose strings
    may run inside.
    """
    paths, n = tables_of(muscles).arrays, len(q)
    poses = poses_and_columns(muscles.body, q)[1].reshape(n, -1, 3, 4)
    world, carried = len(paths.tree) - 1, poses.shape[1] - 1
    numbers = np.arange(n) if frames is None else frames
    counted, notes = active_points(muscles, q), list[str]()
    for w, wire in enumerate(muscles.wires):
        for surface, first, last in paths.wraps[paths.wires[w, 2] : paths.wires[w, 3]]:
            kind, body = paths.surfaces[surface, :2]
            deep = np.zeros(n, np.bool_)
            for k in range(first, last + 1):
                own = paths.points[paths.wires[w, 0] + k, 0]
                if isinstance(wire.path.points[k], MovingPoint) or (carried <= own < world) or carried <= body < world:
                    continue
                here = _placed(poses[:, -1 if own == world else own], paths.places[paths.wires[w, 0] + k])
                there = _back(poses[:, -1 if body == world else body], here)
                local = (there - paths.shapes[surface, 3:12:4]) @ paths.shapes[surface, :12].reshape(3, 4)[:, :3]
                deep |= counted[w][:, k] & (_depth(kind, local, paths.shapes[surface, 12:15]) < 1.0 - MARGIN)
            if deep.any():
                notes.append(
                    f"{wire.name}: a point of it lies inside {muscles.surfaces[surface].name!r} in {deep.sum()} of {n} "
                    f"frames (first: {numbers[deep][0]}), where it does not go around it: move the point or "
                    f"make the surface smaller"
                )
    more = len(notes) - MOST
    return tuple(notes[:MOST]) + ((f"{more} more wires have points inside their surfaces",) if more > 0 else ())


def _placed(pose: FloatArray, place: FloatArray) -> FloatArray:
    """A place of a body in the world, for poses (n, 3, 4)."""
    result: FloatArray = pose[:, :, :3] @ place + pose[:, :, 3]
    return result


def _back(pose: FloatArray, place: FloatArray) -> FloatArray:
    """Places of the world (n, 3) in a body."""
    result: FloatArray = np.einsum("nij,ni->nj", pose[:, :, :3], place - pose[:, :, 3])
    return result


def _depth(kind: int, at: FloatArray, sizes: Any) -> FloatArray:
    """How far out points (n, 3) in a surface's frame are: 1 on it, less inside; others: infinite."""
    if kind == SPHERE:
        out = np.linalg.norm(at, axis=1) / sizes[0]
    elif kind == CYLINDER:
        out = np.where(np.abs(at[:, 2]) <= sizes[1], np.hypot(at[:, 0], at[:, 1]) / sizes[0], np.inf)
    elif kind == ELLIPSOID:
        out = np.linalg.norm(at / sizes, axis=1)
    elif kind == TORUS:
        out = np.hypot(np.hypot(at[:, 0], at[:, 1]) - sizes[1], at[:, 2]) / sizes[0]
    else:
        out = np.full(len(at), np.inf)
    return out
