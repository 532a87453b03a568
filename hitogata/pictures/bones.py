"""Bodies of figures that have no shapes: bones from joint to joint, as thick as those of a person of that size."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Capsule, Ellipsoid, Figure, Pose, Shape, Sphere
from hitogata.figure.pose import FloatArray

_TRUNK, _LIMB, _THIN, _HEAD = 0.055, 0.032, 0.006, 0.062
"""Radii in sizes of the whole figure: of the trunk, of the thickest and thinnest limbs, of a head."""

_SLIM = 0.15
"""Radius of a limb in its lengths."""


def with_bones(figure: Figure) -> Figure:
    """A figure whose links have these shapes, if it has none of its own."""
    if any(link.shapes for link in figure.links):
        return figure
    shapes: dict[int, list[Shape]] = {}
    for link, shape in bones(figure):
        shapes.setdefault(link, []).append(shape)
    links = [replace(link, shapes=tuple(shapes.get(k, ()))) for k, link in enumerate(figure.links)]
    return Figure(figure.name, tuple(links), figure.coupled)


def bones(figure: Figure) -> Iterator[tuple[int, Shape]]:
    """Shapes with the index of their link: capsules along bones, thick between the root and where limbs branch off.

    A link on which no other hangs goes to its frames; a head is an egg.  A figure all in one place gets balls.
    """
    places = forward_kinematics(figure, figure.neutral()).position
    size = max(float(np.ptp(places, axis=0).max()), 1e-3)
    trunk = _trunk(figure)
    for k, link in enumerate(figure.links):
        start = np.array(link.joint.child_frame.position)
        children = [j for j, parent in enumerate(figure.parents) if parent == k]
        ends = [(j, np.array(figure.links[j].joint.parent_frame.position)) for j in children]
        if not children:
            ends = [(-1, np.array(frame.pose.position)) for frame in link.frames]
        if "head" in link.name.lower() and len(children) == 0:
            yield k, _egg(start, ends, size)
            continue
        yield k, Sphere(_radius(0.0, size), pose=Pose(_triple(start)))
        for j, end in ends:
            length = float(np.linalg.norm(end - start))
            if length > 1e-6:
                thick = k in trunk and j in trunk
                radius = min(_TRUNK * size, 0.6 * length) if thick else _radius(length, size)
                yield k, Capsule.between(_triple(start), _triple(end), radius)


def _radius(length: float, size: float) -> float:
    """Of a limb's bone."""
    return float(np.clip(_SLIM * length, _THIN * size, _LIMB * size))


def _trunk(figure: Figure) -> set[int]:
    """Links between the root and those on which three chains or more meet, or two that are long."""
    depth = [1] * figure.nlinks
    for i in reversed(range(1, figure.nlinks)):
        parent = figure.parents[i]
        if parent >= 0:
            depth[parent] = max(depth[parent], depth[i] + 1)
    found: set[int] = set()
    for i in range(figure.nlinks):
        long = [k for k, parent in enumerate(figure.parents) if parent == i and depth[k] >= 3]
        if len(long) >= 2:
            k = i
            while k >= 0:
                found.add(k)
                k = figure.parents[k]
    return found


def _egg(start: FloatArray, ends: list[tuple[int, FloatArray]], size: float) -> Shape:
    """A head: from its joint along its bone, or a ball."""
    far = max((end for _, end in ends), key=lambda end: float(np.linalg.norm(end - start)), default=start)
    way = far - start
    length = float(np.linalg.norm(way))
    if length < 1e-6:
        return Sphere(_HEAD * size, pose=Pose(_triple(start)))
    return Ellipsoid((_HEAD * size,) * 3, pose=Pose(_triple(start + way * 0.5)))


def _triple(values: FloatArray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
