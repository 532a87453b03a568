"""Overlays of an actor as the viewer reads them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from hitogata.dynamics import LinkPoses
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.pictures.actor import Actor, range_of
from hitogata.pictures.overlays import Arrows, JointRange, Line, Marker, Overlay, Spindles, Trail
from hitogata.pictures.quantized_arrays import pack, pack_indices
from hitogata.pictures.range_surface import range_surface

Record = dict[str, Any]
RESOLUTION = 1e-4
"""Of places in a replay [m]."""

Rows = npt.NDArray[np.int64]


def overlay_record(overlay: Overlay, actor: Actor, rows: Rows, poses: LinkPoses) -> Record:
    """One overlay.

    Args:
        overlay: what to show.
        actor: whose it is.
        rows: rows of the trajectory that are shown, shape (n,).
        poses: of the links at these rows.
    """
    record = {"kind": type(overlay).__name__, "name": overlay.name, "colour": overlay.colour}
    match overlay:
        case Marker():
            tie = None if overlay.tied_to is None else _fixed_point(actor.figure, overlay.tied_to)
            points = _points(overlay.at, actor, rows, poses)
            return record | {"at": pack(points, resolution=RESOLUTION), "radius": overlay.radius, "tie": tie}
        case Trail():
            points = _points(overlay.at, actor, rows, poses)
            seconds = overlay.seconds
            return record | {"at": pack(points, resolution=RESOLUTION), "seconds": seconds, "width": overlay.width}
        case Line():
            points = overlay.points + np.array(actor.offset)
            return record | {"points": pack(points, resolution=RESOLUTION), "width": overlay.width}
        case Arrows():
            return record | _arrows(overlay, actor, rows)
        case JointRange():
            return record | _range(overlay, actor, rows)
        case Spindles():
            return record | _spindles(overlay, actor, rows)


def _points(at: Any, actor: Actor, rows: Rows, poses: LinkPoses) -> FloatArray:
    """Where a frame is, or where points given over time are, shape (n, 3), moved aside with the actor."""
    if isinstance(at, str):
        link, pose = actor.figure.frame(at)
        points = poses.position[:, link] + poses.rotation[:, link] @ np.array(pose.position)
    else:
        points = at[rows]
    moved: FloatArray = points + np.array(actor.offset)
    return moved


def _fixed_point(figure: Figure, frame: str) -> Record:
    link, pose = figure.frame(frame)
    return {"link": link, "point": list(pose.position)}


def _arrows(overlay: Arrows, actor: Actor, rows: Rows) -> Record:
    """Arrows of all times in one list; those of time k stand at starts[k] to starts[k + 1]."""
    at, vectors = overlay.at[rows] + np.array(actor.offset), overlay.vectors[rows]
    shown = (vectors != 0).any(-1)
    scale = overlay.scale
    if scale is None:  # by the large ones, not by a single impact
        scale = 0.5 / float(np.quantile(np.linalg.norm(vectors[shown], axis=-1), 0.95)) if shown.any() else 1.0
    return {
        "starts": pack_indices(np.concatenate([[0], np.cumsum(shown.sum(1))])),
        "at": pack(at[shown], resolution=RESOLUTION),
        "vectors": pack(vectors[shown] * scale, resolution=RESOLUTION),
    }


def _spindles(overlay: Spindles, actor: Actor, rows: Rows) -> Record:
    """Points of all times in one list, and the colour of each spindle in each time as a place in 64 shades."""
    points = overlay.at[rows] + np.array(actor.offset)
    shades = (255 * overlay.shades(np.linspace(0.0, 1.0, 64))).round().astype(int)
    return {
        "at": pack(points, resolution=RESOLUTION),
        "values": pack_indices(np.rint(63 * overlay.values[rows]).astype(np.int64).ravel()),
        "widths": overlay.widths.tolist(),
        "beads": points.shape[2],
        "palette": ["#" + "".join(f"{c:02x}" for c in shade) for shade in shades],
    }


def _range(overlay: JointRange, actor: Actor, rows: Rows) -> Record:
    """The region's sphere in the parent link (the world, -1, for the root), the bone in the link itself."""
    figure = actor.figure
    index = figure.joint_index(overlay.joint)
    joint, parent = figure.links[index].joint, figure.parents[index]
    range_ = range_of(figure, overlay)
    surface = range_surface(range_.swing)
    quat = figure.normalised(actor.trajectory.q[rows])[:, figure.q_slice(overlay.joint)]
    violation = range_.violation(quat)
    outside = np.maximum(violation.swing_depth, violation.twist_depth) > overlay.tolerance
    centre = np.array(joint.parent_frame.position) + (np.array(actor.offset) if parent < 0 else 0.0)
    return {
        "parent": parent,
        "centre": centre.tolist(),
        "quat": list(joint.parent_frame.quat),
        "radius": overlay.radius,
        "vertices": pack(surface.vertices, resolution=1e-4),
        "faces": pack_indices(surface.faces),
        "boundary": pack(surface.boundary, resolution=1e-4),
        "link": index,
        "bone": (joint.child_frame.rotation @ range_.bone_axis).tolist(),
        "outside": pack_indices(outside.astype(np.int64)),
    }
