"""Time of impact of two moving shapes, from Python."""

import math
from typing import Any

import numpy as np

from hitogata.contact.boxes import SPARE
from hitogata.contact.conservative_advancement import PASSING, SLOTS, Path, gap_of, share_before_impact, stand_still
from hitogata.contact.field_gaps import gap_of_any
from hitogata.contact.layout import ContactPoint, ShapePlace, open_shapes
from hitogata.contact.narrowphase import touch
from hitogata.contact.narrowphase_all_shapes import SPARE_ANY, touch_any
from hitogata.contact.shapes import Surface, compile_shapes
from hitogata.dynamics.batches import scratch
from hitogata.errors import ArgumentError
from hitogata.figure import Pose, Shape
from hitogata.lanes import X1, Floats, Ints, entry, kernel, lanes, pack, records, tail, unpack


def time_of_impact(
    shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose, *, motion_a: Any = (0.0,) * 6,
    motion_b: Any = (0.0,) * 6,
) -> float:  # fmt: skip
    """When two moving shapes that would pass through each other begin to; see `conservative_advancement`.

    Passing is to overlap by more than the inradius of the thinner shape.

    Args:
        shape_a: any shape; its own pose counts.
        pose_a: of the link that carries it, in the world, at the start.
        shape_b: the other; two planes or height fields are not a pair, and planes stand still.
        pose_b: of the link that carries it.
        motion_a: [rotation vector; shift of the origin] of link a until the end, world axes, shape (6,) [rad], [m].
        motion_b: the same of link b.

    Returns:
        Share of the motion, at most 1, after which they touch: the overlap is a quarter of what passing is.  1 if they
        do not pass.
    """
    for name, pose in (("pose_a", pose_a), ("pose_b", pose_b)):
        if not isinstance(pose, Pose):
            raise ArgumentError(f"{name}: expected a Pose, got {pose!r}")
    motions = [np.asarray(motion, float) for motion in (motion_a, motion_b)]
    for name, motion in zip(("motion_a", "motion_b"), motions, strict=True):
        if motion.shape != (6,) or not np.isfinite(motion).all():
            raise ArgumentError(f"{name}: expected 6 finite numbers, got {motion.tolist()!r}")
    rows = [[*pose.rotation.ravel(), *pose.position, *m[3:], *m[:3]]
            for pose, m in zip((pose_a, pose_b), motions, strict=True)]  # fmt: skip
    return float(impact_shares(shape_a, shape_b, np.array([[*rows[0], *rows[1]]]))[0])


def impact_shares(shape_a: Shape, shape_b: Shape, paths: Any, *, width: Any = None) -> Any:
    """`time_of_impact` for many motions at once.

    Args:
        shape_a: first shape.
        shape_b: second shape.
        paths: [R, p, shift, turn] of both links, matrices row by row, shape (n, 36), float64 or float32.
        width: figures side by side; None: one.  Planes, spheres, capsules and boxes only.

    Returns:
        Shares, shape (n,).
    """
    table = compile_shapes([Surface(shape_a, 0), Surface(shape_b, 1)])
    if not len(table.pairs):
        raise ArgumentError("two planes or height fields have no contact points")
    a, b = map(int, table.pairs[0])
    if math.isinf(table.floats[1]):
        raise ArgumentError("planes and height fields do not move into each other")
    out = np.empty((len(paths), 1), paths.dtype)
    floats = table.floats_for(paths.dtype)
    if not table.plain:
        if width is not None:
            raise ArgumentError("width: only planes, spheres, capsules and boxes are tested side by side")
        shares_of_any(table.ints, floats, paths, a, b, out)
    else:
        shares_of(table.ints, floats, paths, a, b, out, X1 if width is None else width)
    return out[:, 0]


@entry(ints=Ints(1), floats=Floats(1), paths=Floats(2), out=Floats(2, write=True))
def shares_of(ints, floats, paths, a, b, out, width):
    """Rows of paths, `width` at a time."""
    run_paths(gap_of, touch, SPARE, ints, floats, paths, a, b, out, width)


@entry(ints=Ints(1), floats=Floats(1), paths=Floats(2), out=Floats(2, write=True))
def shares_of_any(ints, floats, paths, a, b, out):
    """Rows of paths of shapes of any kinds, one after the other."""
    run_paths(gap_of_any, touch_any, SPARE_ANY, ints, floats, paths, a, b, out, X1)


@kernel
def run_paths(find_gap, touch, room, ints, floats, paths, a, b, out, width):
    """Rows of paths: for each the share before the impact of shapes a and b."""
    work = scratch(3 * Path.SIZE + 2 * ShapePlace.SIZE + SLOTS * ContactPoint.SIZE + room + 1, out, width)
    view = lanes(work, width)
    own, places = tail(view, Path.SIZE), tail(view, 3 * Path.SIZE)
    points = tail(places, 2 * ShapePlace.SIZE)
    result = tail(points, SLOTS * ContactPoint.SIZE)
    spare, shapes = tail(result, 1), open_shapes(ints, floats)
    for row in range(0, paths.shape[0], width.n):
        stand_still(records(view, Path)[0])
        pack(paths, row, own)
        result[0] = share_before_impact(
            find_gap, touch, shapes, records(view, Path), records(places, ShapePlace), a, b, view[0] == view[0],
            PASSING, view[0] * 0.0 + 1.0, records(points, ContactPoint), spare,
        )  # fmt: skip
        unpack(result, out, row)
    return work.size
