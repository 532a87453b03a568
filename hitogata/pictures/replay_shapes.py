"""Shapes of figures as the viewer draws them: balls swept over boxes, convex meshes, planes."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, ConvexMesh, Figure, Plane, Shape, Sphere
from hitogata.pictures.packing import pack, pack_indices

Record = dict[str, Any]
STICK = 0.012
"""Radius of the sticks that stand for a figure without shapes [m]."""


class Meshes:
    """Convex meshes of a scene, each kept once."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._places: dict[bytes, int] = {}

    def add(self, mesh: ConvexMesh) -> int:
        """The mesh's place in `records`."""
        key = mesh.vertices.tobytes()
        if key not in self._places:
            self._places[key] = len(self.records)
            self.records.append({"vertices": pack(mesh.vertices, resolution=1e-4), "faces": pack_indices(mesh.faces)})
        return self._places[key]


def figure_records(figure: Figure, colour: str, link_colours: Any, meshes: Meshes) -> list[Record]:
    """Every shape of a figure, with its link and colour."""
    return [
        {"link": k, "colour": link_colours.get(figure.links[k].name, colour), **shape_record(shape, meshes)}
        for k, shape in drawn_shapes(figure)
    ]


def drawn_shapes(figure: Figure) -> Iterator[tuple[int, Shape]]:
    """Shapes with the index of their link; sticks from joint to joint if the figure has no shapes."""
    if any(link.shapes for link in figure.links):
        yield from ((k, shape) for k, link in enumerate(figure.links) for shape in link.shapes)
        return
    for k, (link, parent) in enumerate(zip(figure.links, figure.parents, strict=True)):
        yield k, Sphere(1.5 * STICK, pose=link.joint.child_frame)
        if parent >= 0:
            start = figure.links[parent].joint.child_frame.position
            yield parent, Capsule.between(start, link.joint.parent_frame.position, STICK)


def shape_record(shape: Shape, meshes: Meshes) -> Record:
    """One shape: the ball of `radius` swept over the box of half sizes `size`, or `mesh`, or `plane`."""
    pose = {"position": list(shape.pose.position), "quat": list(shape.pose.quat)}
    if isinstance(shape, Sphere):
        return {**pose, "size": [0, 0, 0], "radius": shape.radius}
    if isinstance(shape, Capsule):
        return {**pose, "size": [0, 0, shape.half_length], "radius": shape.radius}
    if isinstance(shape, Box):
        edge = min(0.035, 0.35 * min(shape.half_sizes))  # rounded within the box, to catch the light
        return {**pose, "size": [x - edge for x in shape.half_sizes], "radius": edge}
    if isinstance(shape, ConvexMesh):
        return {**pose, "mesh": meshes.add(shape)}
    if isinstance(shape, Plane):
        return {**pose, "plane": True}
    raise ArgumentError(f"a replay cannot draw a {type(shape).__name__}")


def reach(shapes: Iterable[Shape]) -> float:
    """Radius of a ball about the link's origin that holds all its shapes but planes [m]."""
    return max((float(np.linalg.norm(shape.pose.position)) + _radius(shape) for shape in shapes), default=0.0)


def _radius(shape: Shape) -> float:
    """Of a ball about the shape's origin that holds it [m]."""
    if isinstance(shape, Sphere):
        return shape.radius
    if isinstance(shape, Capsule):
        return shape.radius + shape.half_length
    if isinstance(shape, Box):
        return float(np.linalg.norm(shape.half_sizes))
    return float(np.linalg.norm(shape.vertices, axis=1).max()) if isinstance(shape, ConvexMesh) else 0.0
