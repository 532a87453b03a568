"""Contact points of two shapes, from Python."""

import math
from typing import Any, NamedTuple

import numpy as np

from hitogata.contact.bounds import place_shapes
from hitogata.contact.boxes import SPARE
from hitogata.contact.layout import FAR, MOST_SLOTS, BodyPose, ContactPoint, Found, ShapePlace, open_shapes
from hitogata.contact.narrowphase import touch
from hitogata.contact.narrowphase_all_shapes import SPARE_ANY, touch_any
from hitogata.contact.shapes import Surface, compile_shapes, kind_of
from hitogata.dynamics.batches import scratch
from hitogata.errors import ArgumentError
from hitogata.figure import HeightField, Pose, Shape
from hitogata.figure.pose import FloatArray
from hitogata.lanes import X1, Floats, Ints, entry, kernel, lanes, pack, records, tail, unpack

_NUMBERS: int = ContactPoint.SIZE  # type: ignore[attr-defined]

FIELD_SLOTS = 24
"""Points of one pair that are kept from a height field."""


class PairPoints(NamedTuple):
    """Contact points of two shapes A and B, nearest first or in the order of their features.

    Attributes:
        position: midway between the two surfaces, world, shape (n, 3) [m].
        normal: unit, from B to A: the way A must go to get free, shape (n, 3).
        gap: between the surfaces along the normal; < 0 where they overlap, shape (n,) [m].
        feature: which corner, edge or end; the same in the next step, shape (n,).
    """

    position: FloatArray
    normal: FloatArray
    gap: FloatArray
    feature: np.ndarray[tuple[int, ...], np.dtype[np.int64]]

    def __len__(self) -> int:
        """Number of points."""
        return len(self.gap)


def contact_points(
    shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose, *, margin: float = 0.0
) -> PairPoints:
    """Points where two shapes touch, or are nearer than the margin.

    Args:
        shape_a: any shape; its own pose counts.
        pose_a: of the link that carries it, in the world.
        shape_b: the other; two planes or height fields are not a pair.
        pose_b: of the link that carries it.
        margin: points with a gap below it are reported; may be infinite [m].

    Returns:
        At most four points, on a height field four for each side they lie on; at least one if the shapes are nearer
        than the margin.
    """
    if not (isinstance(margin, int | float | np.number) and not math.isnan(margin)):
        raise ArgumentError(f"margin: expected a number, got {margin!r}")
    for name, pose in (("pose_a", pose_a), ("pose_b", pose_b)):
        if not isinstance(pose, Pose):
            raise ArgumentError(f"{name}: expected a Pose, got {pose!r}")
    poses = np.concatenate([_flat(pose_a), _flat(pose_b)])[None]
    points = pair_points(shape_a, shape_b, poses, float(margin))[0]
    points = points[points[:, 6] < min(margin, FAR / 2)]
    return PairPoints(points[:, :3], points[:, 3:6], points[:, 6], points[:, 7].astype(np.int64))


def distance(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> float:
    """Distance between two shapes [m]; minus the depth where they overlap, the shortest way that parts them.

    Args:
        shape_a: any shape; its own pose counts.
        pose_a: of the link that carries it, in the world.
        shape_b: the other.
        pose_b: of the link that carries it.
    """
    return float(contact_points(shape_a, pose_a, shape_b, pose_b, margin=math.inf).gap.min())


def pair_points(shape_a: Shape, shape_b: Shape, poses: Any, margin: float, *, width: Any = None) -> Any:
    """Many poses of two shapes at once.

    Args:
        shape_a: first shape.
        shape_b: second shape.
        poses: [R_WA | p_WA | R_WB | p_WB] of their links, matrices row by row, shape (n, 24), float64 or float32.
        margin: points with a gap below it are reported [m].
        width: figures side by side; None: one.  Planes, spheres, capsules and boxes only.

    Returns:
        [position, normal, gap, feature, 0, 0, 0], shape (n, 5, 11), on height fields (n, 24, 11); gap is FAR where
        there is no point, and may lie beyond the margin where neighbours have one.
    """
    swap = kind_of(shape_a) < kind_of(shape_b)
    table = compile_shapes([Surface(shape_a, 0), Surface(shape_b, 1)])
    if not len(table.pairs):
        raise ArgumentError("two planes or height fields have no contact points")
    margin = min(margin, FAR / 2)
    slots = FIELD_SLOTS if HeightField in (type(shape_a), type(shape_b)) else MOST_SLOTS
    out = np.empty((len(poses), slots * _NUMBERS), poses.dtype)
    if not table.plain:
        if width is not None:
            raise ArgumentError("width: only planes, spheres, capsules and boxes are tested side by side")
        one_pair_of_any(table.ints, table.floats_for(poses.dtype), poses, *map(int, table.pairs[0]), margin, out)
    elif width is None:
        one_pair(table.ints, table.floats_for(poses.dtype), poses, *map(int, table.pairs[0]), margin, out)
    else:
        a, b = map(int, table.pairs[0])
        pair_rows(table.ints, table.floats_for(poses.dtype), poses, a, b, margin, out, width)
    points = out.reshape(len(poses), slots, _NUMBERS)
    if swap:
        points[..., 3:6] *= -1
    return points


def _flat(pose: Pose) -> FloatArray:
    return np.concatenate([pose.rotation.ravel(), pose.position])


# ------------------------------------------------------- entries


@entry(ints=Ints(1), floats=Floats(1), poses=Floats(2), out=Floats(2, write=True))
def one_pair(ints, floats, poses, a, b, margin, out):
    """Rows of poses, one after the other."""
    run_rows(touch, SPARE, ints, floats, poses, a, b, margin, out, X1)


@entry(ints=Ints(1), floats=Floats(1), poses=Floats(2), out=Floats(2, write=True))
def pair_rows(ints, floats, poses, a, b, margin, out, width):
    """Rows of poses, `width` at a time."""
    run_rows(touch, SPARE, ints, floats, poses, a, b, margin, out, width)


@entry(ints=Ints(1), floats=Floats(1), poses=Floats(2), out=Floats(2, write=True))
def one_pair_of_any(ints, floats, poses, a, b, margin, out):
    """Rows of poses of shapes of any kinds, one after the other."""
    run_rows(touch_any, SPARE_ANY, ints, floats, poses, a, b, margin, out, X1)


@kernel
def run_rows(touch, room, ints, floats, poses, a, b, margin, out, width):
    """Rows of poses: for each the points of shapes a and b."""
    slots = out.shape[1] // ContactPoint.SIZE
    size = 2 * (BodyPose.SIZE + ShapePlace.SIZE) + slots * ContactPoint.SIZE + room
    work = scratch(size, out, width)
    view = lanes(work, width)
    places, numbers = tail(view, 2 * BodyPose.SIZE), tail(view, 2 * (BodyPose.SIZE + ShapePlace.SIZE))
    spare, points = tail(numbers, slots * ContactPoint.SIZE), records(numbers, ContactPoint)
    shapes = open_shapes(ints, floats)
    for row in range(0, poses.shape[0], width.n):
        pack(poses, row, view)
        for k in range(slots * ContactPoint.SIZE):
            numbers[k] = 0.0
        for k in range(slots):
            points[k].gap = FAR
        place_shapes(shapes, records(view, BodyPose), records(places, ShapePlace), 0.0)
        touch(Found(points, slots, margin, shapes.eps), 0, shapes, records(places, ShapePlace), a, b, spare)
        unpack(numbers, out, row)
    return work.size
