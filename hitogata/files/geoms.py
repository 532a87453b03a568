"""Geoms of a compiled MuJoCo model as shapes."""

from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Box, Capsule, ConvexMesh, Plane, Pose, Shape, Sphere
from hitogata.figure.pose import FloatArray
from hitogata.files.contents import Contents, listed

CORNERS = 32
"""Corners around a cylinder or ellipsoid: the mesh is inside by at most 0.5 % of the radius."""

CONVEX_TOLERANCE = 1e-3
"""A mesh counts as convex if its hull's volume is larger by less than this part."""


def shape_of(model: Any, geom: int, label: str, contents: Contents) -> Shape | None:
    """The shape of a geom, in its body's frame; None if there is none, and it is noted.

    Args:
        model: mujoco.MjModel.
        geom: its index.
        label: how to call it in notes.
        contents: where to note what is left out or changed.
    """
    from mujoco import mjtGeom

    kind = mjtGeom(int(model.geom_type[geom]))
    size = model.geom_size[geom]
    options: Any = {
        "pose": Pose(tuple(model.geom_pos[geom]), tuple(model.geom_quat[geom])),
        "name": model.geom(geom).name,
    }
    match kind:
        case mjtGeom.mjGEOM_SPHERE:
            return Sphere(size[0], **options)
        case mjtGeom.mjGEOM_CAPSULE:
            return Capsule(size[0], size[1], **options)
        case mjtGeom.mjGEOM_BOX:
            return Box(tuple(size), **options)
        case mjtGeom.mjGEOM_PLANE:
            return Plane(**options)
        case mjtGeom.mjGEOM_CYLINDER:
            contents.change(f"cylinder {listed([label])} is a convex mesh with {CORNERS} sides")
            return ConvexMesh(_cylinder(size[0], size[1]), **options)
        case mjtGeom.mjGEOM_ELLIPSOID:
            contents.change(f"ellipsoid {listed([label])} is a convex mesh with {CORNERS} sides")
            return ConvexMesh(_sphere() * size, **options)
        case mjtGeom.mjGEOM_MESH:
            return _mesh(model, int(model.geom_dataid[geom]), label, contents, options)
    contents.leave(f"{kind.name.removeprefix('mjGEOM_').lower()} geom", label)
    return None


def _circle(corners: int) -> FloatArray:
    angle = 2 * np.pi * np.arange(corners) / corners
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _cylinder(radius: float, half_length: float) -> FloatArray:
    ring = radius * _circle(CORNERS)
    return np.vstack([np.insert(ring, 2, z, axis=1) for z in (-half_length, half_length)])


def _sphere() -> FloatArray:
    """Points of a unit sphere: the poles, and rings as far apart as the corners on them."""
    rings = [np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])]
    for z, r in _circle(CORNERS)[1 : CORNERS // 2]:
        rings.append(np.insert(r * _circle(CORNERS), 2, z, axis=1))
    return np.vstack(rings)


def _mesh(model: Any, mesh: int, label: str, contents: Contents, options: Any) -> Shape | None:
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[first : first + count].astype(np.float64)
    try:
        shape = ConvexMesh(vertices, **options)
    except FigureError:
        contents.leave("flat mesh", label)
        return None
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    a, b, c = vertices[model.mesh_face[first : first + count]].swapaxes(0, 1)
    volume = abs(np.einsum("ij,ij->", a, np.cross(b, c))) / 6
    if volume < shape.volume * (1 - CONVEX_TOLERANCE):
        contents.change(f"mesh {listed([label])} is not convex: its convex hull is taken")
    return shape
