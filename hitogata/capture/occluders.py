"""What hides markers: the shapes of a figure's links, as segments from the camera to a marker meet them.

Spheres, capsules, boxes and ellipsoids are exact; a cylinder is taken as the capsule of its axis, other shapes as balls
of half their bounding radius.  Planes hide nothing.
"""

from typing import NamedTuple

import numpy as np

from hitogata.capture.arrays import IntArray
from hitogata.dynamics import LinkPoses
from hitogata.figure import Box, Capsule, Cylinder, Ellipsoid, Figure, Plane, Pose, Shape
from hitogata.figure.values import FloatArray, Vector
from hitogata.lanes import inline, kernel, record
from hitogata.spatial import Mat3, Vec3, dot

CAPSULE, BOX, ELLIPSOID = 0, 1, 2


@record
class Occluder:
    """A shape in the camera's frame: `rot` has the shape's axes as rows; `reach` is that of a ball around it."""

    rot: Mat3
    pos: Vec3
    size: Vec3
    kind: float
    reach: float


ROW = 17
"""Numbers of an `Occluder`."""


class Occluders(NamedTuple):
    """Shapes of a figure, in their links' frames.

    Attributes:
        links: index of each shape's link, shape (ns,).
        poses: of each in its link.
        sizes: kind, three sizes and the radius of the ball around it, shape (ns, 5).
    """

    links: IntArray
    poses: tuple[Pose, ...]
    sizes: FloatArray

    def rows(self, poses: LinkPoses, camera: Pose) -> FloatArray:
        """The shapes in a camera's frame, for kernels, shape (ns, ROW); links posed as given (one state)."""
        rows = np.zeros((len(self.links), ROW))
        if len(rows):
            turn = camera.rotation.T
            local = np.array([pose.rotation for pose in self.poses])
            at = np.array([pose.position for pose in self.poses])
            links, place = poses.rotation[self.links], poses.position[self.links]
            world = (links @ at[..., None])[..., 0] + place
            rows[:, :9] = (turn @ (links @ local)).transpose(0, 2, 1).reshape(-1, 9)
            rows[:, 9:12] = (world - np.array(camera.position)) @ turn.T
            rows[:, 12:15], rows[:, 15], rows[:, 16] = self.sizes[:, 1:4], self.sizes[:, 0], self.sizes[:, 4]
        return rows


def occluders_of(figure: Figure) -> Occluders:
    """The shapes of a figure that hide markers."""
    shapes = [(i, s) for i, link in enumerate(figure.links) for s in link.shapes if not isinstance(s, Plane)]
    sizes = np.array([_sizes(s) for _, s in shapes]).reshape(-1, 5)
    return Occluders(np.array([i for i, _ in shapes], dtype=np.int64), tuple(s.pose for _, s in shapes), sizes)


def _sizes(shape: Shape) -> tuple[float, ...]:
    reach = shape.bounding_radius
    if isinstance(shape, Capsule | Cylinder):
        return (CAPSULE, shape.radius, shape.half_length, 0.0, shape.radius + shape.half_length)
    vectors: Vector | None = None
    if isinstance(shape, Box):
        vectors, kind = shape.half_sizes, BOX
    elif isinstance(shape, Ellipsoid):
        vectors, kind = shape.half_axes, ELLIPSOID
    if vectors is not None:
        return (kind, *vectors, reach)
    radius = getattr(shape, "radius", reach / 2)
    return (CAPSULE, radius, 0.0, 0.0, radius)


@inline
def _squared(a):
    return dot(a, a)


@kernel
def hides(shape, end, swell):
    """Whether the segment from the camera (the origin) to `end` meets a shape made thicker by `swell` [m]."""
    start = shape.rot @ (-shape.pos)
    along = shape.rot @ end
    size = shape.size
    if shape.kind == BOX:
        return _crosses_box(start, along, size + Vec3(swell, swell, swell))
    if shape.kind == ELLIPSOID:
        fat = Vec3(1.0 / (size.x + swell), 1.0 / (size.y + swell), 1.0 / (size.z + swell))
        a = Vec3(start.x * fat.x, start.y * fat.y, start.z * fat.z)
        d = Vec3(along.x * fat.x, along.y * fat.y, along.z * fat.z)
        t = min(max(-dot(a, d) / dot(d, d), 0.0), 1.0)
        return _squared(a + d * t) < 1.0
    radius = size.x + swell
    return _segment_gap(start, along, size.y) < radius * radius


@kernel
def _crosses_box(start, along, half):
    """Slabs: where the segment is within each pair of faces."""
    low, high = 0.0, 1.0
    for k in range(3):
        a, d, h = (start.x, along.x, half.x) if k == 0 else (start.y, along.y, half.y) if k == 1 else (
            start.z, along.z, half.z)  # fmt: skip
        if abs(d) < 1e-12:
            if abs(a) > h:
                return False
        else:
            near, far = (-h - a) / d, (h - a) / d
            low, high = max(low, min(near, far)), min(high, max(near, far))
    return low < high


@kernel
def _segment_gap(start, along, half):
    """Squared distance of the segment start + t along, 0 ≤ t ≤ 1, from the z axis between ∓half (Ericson 2005)."""
    aa, az = dot(along, along), along.z
    free = aa - az * az
    t = 0.0
    if free > 1e-14 * aa:  # nearest points of the two lines
        t = min(max((az * start.z - dot(along, start)) / free, 0.0), 1.0)
    z = start.z + t * az
    if abs(z) > half:
        z = min(max(z, -half), half)
        t = min(max((az * z - dot(along, start)) / aa, 0.0), 1.0)
        z = min(max(start.z + t * az, -half), half)
    gap = start + along * t - Vec3(0.0, 0.0, z)
    return dot(gap, gap)
