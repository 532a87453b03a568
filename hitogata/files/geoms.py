"""Geoms of a compiled MuJoCo model as shapes."""

from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import (
    Box,
    Capsule,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    HeightField,
    Plane,
    Pose,
    Shape,
    Sphere,
)
from hitogata.files.contents import Contents, listed

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
            return Cylinder(size[0], size[1], **options)
        case mjtGeom.mjGEOM_ELLIPSOID:
            return Ellipsoid(tuple(size), **options)
        case mjtGeom.mjGEOM_HFIELD:
            return _field(model, int(model.geom_dataid[geom]), options)
        case mjtGeom.mjGEOM_MESH:
            return _mesh(model, int(model.geom_dataid[geom]), label, contents, options)
    contents.leave(f"{kind.name.removeprefix('mjGEOM_').lower()} geom", label)
    return None


def _field(model: Any, field: int, options: Any) -> Shape:
    """A height field; what MuJoCo gives it below its lowest point, solid ground has anyway."""
    first, rows, columns = (int(x[field]) for x in (model.hfield_adr, model.hfield_nrow, model.hfield_ncol))
    x, y, top, _ = model.hfield_size[field]
    heights = model.hfield_data[first : first + rows * columns].reshape(rows, columns).astype(np.float64)
    return HeightField(heights * top, (x, y), **options)


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
