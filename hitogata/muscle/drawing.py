"""Muscles in pictures: spindles along their paths, yellow at rest to red at work; bones as sticks between joints."""

import itertools
from typing import Any

import numpy as np

from hitogata.figure.mechanism import Mechanism, mechanism_motion
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.muscle.bodies import poses_and_columns, skeleton_of
from hitogata.muscle.geometry import tables_of, wire_geometry
from hitogata.muscle.tables import CYLINDER, ELLIPSOID, SITED_CYLINDER, TORUS
from hitogata.muscle.wires import MuscleSet
from hitogata.pictures import Camera, Spindles

BEADS = 24
"""Pieces of a spindle."""
THIN, THICK = 0.7, 5.0
"""Widths of a tendon and of the strongest muscle's belly [points]."""
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""From OpenSim's axes (y up) to ours (z up)."""


def muscle_colours(values: ArrayLike) -> FloatArray:
    """Colours of values from 0 to 1: pale yellow, orange, dark red; shape (n, 3)."""
    x = np.clip(np.nan_to_num(np.asarray(values, np.float64)), 0.0, 1.0)
    stops = np.array([[0.98, 0.90, 0.55], [0.97, 0.62, 0.20], [0.85, 0.16, 0.10], [0.55, 0.02, 0.06]])
    return np.stack([np.interp(x, [0.0, 0.3, 0.7, 1.0], stops[:, k]) for k in range(3)], axis=-1)


def draw_muscles(
    axes: Any, muscles: MuscleSet, q: ArrayLike, values: ArrayLike, *, camera: Camera | None = None, shift: float = 0.0
) -> None:
    """Draw a set's muscles in one pose, with the bones they hang on.

    Args:
        axes: matplotlib axes with equal aspect; one unit is one metre.
        muscles: the set; mechanisms whose gravity points along -y are turned upright.
        q: coordinates, shape (nq,).
        values: activation, or tension over the greatest force, shape (nm,).
        camera: where to look from; None: from the front left.
        shift: to the right on the picture [m].
    """
    from matplotlib.collections import LineCollection

    camera = camera or Camera()
    body = muscles.body
    upright = Y_UP if isinstance(body, Mechanism) and abs(body.gravity[1]) > abs(body.gravity[2]) else np.eye(3)

    def seen(points: FloatArray) -> tuple[FloatArray, FloatArray]:
        projected = np.asarray(camera.project(points @ upright.T))
        return projected[..., :2] + np.array([shift, 0.0]), projected[..., 2]

    bones = [seen(line)[0] for line in _bones(muscles, np.asarray(q, np.float64))]
    axes.add_collection(LineCollection(bones, colors="#d9d4c7", linewidths=6.0, capstyle="round", zorder=1.0))
    axes.add_collection(LineCollection(bones, colors="#f3efe4", linewidths=3.5, capstyle="round", zorder=1.1))
    stations = wire_geometry(muscles, q, stations=True).stations
    assert stations is not None
    colours = muscle_colours(values)
    strength = np.array([muscle.max_force for muscle in muscles.muscles])
    thick = THIN + (THICK - THIN) * np.sqrt(strength / strength.max())
    _, poses, _ = poses_and_columns(body, np.asarray(q, np.float64))
    pieces, widths, shades, depths = [], [], [], []
    for k in range(len(muscles.muscles)):
        line, depth = seen(_even(path_line(muscles, stations[k], poses[0])))
        belly = np.sin(np.pi * (np.arange(BEADS) + 0.5) / BEADS) ** 1.5
        pieces += [line[i : i + 2] for i in range(BEADS)]
        widths += (THIN + (thick[k] - THIN) * belly).tolist()
        shades += [colours[k]] * BEADS
        depths += (0.5 * (depth[1:] + depth[:-1])).tolist()
    order = np.argsort(depths)
    edge = LineCollection([pieces[i] for i in order], colors=[0.45 * shades[i] for i in order],
                          linewidths=[widths[i] + 0.6 for i in order], zorder=2.0)  # fmt: skip
    fill = LineCollection([pieces[i] for i in order], colors=[shades[i] for i in order],
                          linewidths=[widths[i] for i in order], capstyle="round", zorder=2.1)  # fmt: skip
    axes.add_collection(edge)
    axes.add_collection(fill)


def muscle_spindles(
    muscles: MuscleSet, q: ArrayLike, values: ArrayLike, *, name: str = "muscles", beads: int = 7
) -> Spindles:
    """Muscles over a motion, for replay and film (`hitogata.pictures`).

    Args:
        muscles: the set.
        q: coordinates, shape (nt, nq).
        values: activation, or tension over the greatest force, shape (nt, nm); NaN is drawn as 0.
        name: of the overlay.
        beads: points of each muscle.
    """
    rows = np.atleast_2d(np.asarray(q, np.float64))
    stations = wire_geometry(muscles, rows, stations=True).stations
    assert stations is not None
    _, poses, _ = poses_and_columns(muscles.body, rows)
    points = np.empty((len(rows), len(muscles.muscles), beads, 3))
    for t in range(len(rows)):
        for k in range(len(muscles.muscles)):
            points[t, k] = _even(path_line(muscles, stations[t, k], poses[t]), beads - 1)
    if isinstance(muscles.body, Mechanism) and abs(muscles.body.gravity[1]) > abs(muscles.body.gravity[2]):
        points = points @ Y_UP.T
    strength = np.array([muscle.max_force for muscle in muscles.muscles])
    widths = 1.5 + 7.0 * np.sqrt(strength / strength.max())
    return Spindles(name, points, np.nan_to_num(np.asarray(values, np.float64)), widths)


def path_line(muscles: MuscleSet, stations: FloatArray, poses: FloatArray) -> FloatArray:
    """A path as a line of points (n, 3): straight parts, and bends put on their surfaces."""
    rows = stations[stations[:, 3] > -2]
    points = [rows[:1, :3]]
    for a, b in itertools.pairwise(rows):
        if a[3] >= 0:
            t = np.linspace(0.0, 1.0, 10)[1:-1, None]
            points.append(_on_surface(muscles, int(a[3]), poses, a[:3] * (1 - t) + b[:3] * t))
        points.append(b[None, :3])
    return np.concatenate(points)


def _on_surface(muscles: MuscleSet, surface: int, poses: FloatArray, points: FloatArray) -> FloatArray:
    """Points between two contacts pushed out to the surface: near enough for the eye."""
    tables = tables_of(muscles).arrays
    kind, body = tables.surfaces[surface, :2]
    outer, inner = poses[body].reshape(3, 4), tables.shapes[surface, :12].reshape(3, 4)
    R = outer[:, :3] @ inner[:, :3]
    p = outer[:, :3] @ inner[:, 3] + outer[:, 3]
    local, sizes = (points - p) @ R, tables.shapes[surface, 12:15]
    if kind in (CYLINDER, SITED_CYLINDER):
        local[:, :2] *= sizes[0] / np.maximum(np.hypot(local[:, 0], local[:, 1]), 1e-9)[:, None]
    elif kind == TORUS:
        rho = np.hypot(local[:, 0], local[:, 1])
        scale = sizes[0] / np.maximum(np.hypot(rho - sizes[1], local[:, 2]), 1e-9)
        local[:, :2] *= ((sizes[1] + (rho - sizes[1]) * scale) / rho)[:, None]
        local[:, 2] *= scale
    else:
        axes = sizes if kind == ELLIPSOID else np.full(3, sizes[0])
        local /= np.maximum(np.linalg.norm(local / axes, axis=1), 1e-9)[:, None]
    result: FloatArray = local @ R.T + p
    return result


def _even(line: FloatArray, pieces: int = BEADS) -> FloatArray:
    """A line's points at even distances."""
    far = np.concatenate([[0.0], np.linalg.norm(np.diff(line, axis=0), axis=1).cumsum()])
    at = np.linspace(0.0, far[-1], pieces + 1)
    return np.stack([np.interp(at, far, line[:, i]) for i in range(3)], axis=1)


def _bones(muscles: MuscleSet, q: FloatArray) -> list[FloatArray]:
    """Sticks from each joint to those that hang on its body; the last ones to the farthest point of a wire."""
    body = muscles.body
    skeleton = skeleton_of(body)
    _, poses, _ = poses_and_columns(body, q)
    grids = poses[0].reshape(-1, 3, 4)
    places = mechanism_motion(body, q).joint_origin[0] if isinstance(body, Mechanism) else grids[:-1, :, 3]
    sticks, parents = [], set(skeleton.parents)
    for k, parent in enumerate(skeleton.parents):
        if parent >= 0:
            sticks.append(np.stack([places[parent], places[k]]))
        if k not in parents:
            ends = [
                grids[k, :, :3] @ np.array(point.place) + grids[k, :, 3]
                for wire in muscles.wires
                for point in wire.path.points
                if point.body == skeleton.bodies[k] and hasattr(point, "place")
            ]
            if ends:
                sticks.append(np.stack([places[k], max(ends, key=lambda end: float(np.linalg.norm(end - places[k])))]))
    return sticks
