"""Shapes of figures as the viewer draws them: balls swept over boxes, meshes, planes."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from hitogata.dynamics import LinkPoses
from hitogata.errors import ArgumentError
from hitogata.figure import (
    Box,
    Capsule,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    Figure,
    HeightField,
    Plane,
    Shape,
    Sphere,
)
from hitogata.figure.meshes import points_on
from hitogata.figure.pose import FloatArray
from hitogata.pictures.bones import bones
from hitogata.pictures.quantized_arrays import pack, pack_indices

Record = dict[str, Any]
Meshed = ConvexMesh | Cylinder | Ellipsoid | HeightField


class Meshes:
    """Meshes of a scene, each kept once; round shapes and height fields among them."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._places: dict[bytes, int] = {}

    def add(self, mesh: Meshed) -> int:
        """The mesh's place in `records`."""
        key = mesh.vertices.tobytes() if isinstance(mesh, ConvexMesh | HeightField) else repr(mesh).encode()
        if key not in self._places:
            drawn = ConvexMesh(points_on(mesh)) if isinstance(mesh, Cylinder | Ellipsoid) else mesh
            self._places[key] = len(self.records)
            self.records.append({"vertices": pack(drawn.vertices, resolution=1e-4), "faces": pack_indices(drawn.faces)})
        return self._places[key]


def figure_records(figure: Figure, colour: str, link_colours: Any, meshes: Meshes) -> list[Record]:
    """Every shape of a figure, with its link and colour."""
    return [
        {"link": k, "colour": link_colours.get(figure.links[k].name, colour), **shape_record(shape, meshes)}
        for k, shape in drawn_shapes(figure)
    ]


def drawn_shapes(figure: Figure) -> Iterator[tuple[int, Shape]]:
    """Shapes with the index of their link; bones from joint to joint if the figure has no shapes."""
    if any(link.shapes for link in figure.links):
        yield from ((k, shape) for k, link in enumerate(figure.links) for shape in link.shapes)
        return
    yield from bones(figure)


def shape_record(shape: Shape, meshes: Meshes) -> Record:
    """One shape: the ball of `radius` swept over the box of half sizes `size`, or `mesh`, or `plane`."""
    pose = {"position": list(shape.pose.position), "quat": list(shape.pose.quat)}
    if isinstance(shape, Meshed):
        return {**pose, "mesh": meshes.add(shape)}
    if isinstance(shape, Plane):
        return {**pose, "plane": True}
    size, radius = _swept(shape)
    return {**pose, "size": size, "radius": radius}


def _swept(shape: Shape) -> tuple[list[float], float]:
    """Half sizes of a box [m] and radius of the ball that is swept over it [m]."""
    if isinstance(shape, Sphere):
        return [0.0, 0.0, 0.0], shape.radius
    if isinstance(shape, Capsule):
        return [0.0, 0.0, shape.half_length], shape.radius
    if isinstance(shape, Box):
        edge = min(0.035, 0.35 * min(shape.half_sizes))  # rounded within the box, to catch the light
        return [x - edge for x in shape.half_sizes], edge
    raise ArgumentError(f"a replay cannot draw a {type(shape).__name__}")


def world_boxes(figure: Figure, poses: LinkPoses) -> tuple[FloatArray, FloatArray]:
    """Corners of the boxes along the world's axes that hold a figure's shapes (but planes), each shape (n, 3) [m]."""
    lows, highs = [poses.position.min(1)], [poses.position.max(1)]
    for link, shape in drawn_shapes(figure):
        position, rotation = poses.position[:, link], poses.rotation[:, link]
        if isinstance(shape, Meshed):
            own = points_on(shape) if isinstance(shape, Cylinder | Ellipsoid) else shape.vertices
            points = position[:, None] + shape.pose.apply(own) @ np.swapaxes(rotation, 1, 2)
            lows.append(points.min(1))
            highs.append(points.max(1))
        elif not isinstance(shape, Plane):
            size, radius = _swept(shape)
            centre = position + rotation @ np.array(shape.pose.position)
            half = np.abs(rotation @ shape.pose.rotation) @ np.array(size) + radius
            lows.append(centre - half)
            highs.append(centre + half)
    return np.min(lows, axis=0), np.max(highs, axis=0)
