"""Meshes (OBJ, STL, PLY and whatever else trimesh reads) as convex shapes."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.errors import FigureError, FileContentWarning, FileFormatError, MissingDependencyError
from hitogata.figure import ConvexMesh, Pose
from hitogata.figure.pose import IDENTITY, FloatArray
from hitogata.figure.values import positive

SIZES = 1e-6, 1e6
"""A mesh must be larger than the former, and no larger than the latter [m]: other sizes are mistakes of scale."""

CONVEX_TOLERANCE = 1e-3
"""A mesh counts as convex if its hull's volume is larger by less than this part."""

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def read_mesh(
    path: str | Path, *, scale: float = 1.0, closed: bool = True, pose: Pose = IDENTITY, name: str | None = None
) -> ConvexMesh:
    """The convex hull of a mesh; a FileContentWarning if the mesh is not convex itself.

    Args:
        path: the file.
        scale: metres per unit of the file.
        closed: the mesh must be the surface of a solid: every edge between two faces, no face without area.  Otherwise
            any points will do.
        pose: of the shape in its link.
        name: of the shape; None: that of the file.

    Raises:
        FileFormatError: missing, no mesh, or not closed; names file, vertex or face.
        MissingDependencyError: the trimesh package is not installed.
    """
    vertices, faces = _load(Path(path), scale)
    if closed:
        _check_closed(Path(path), vertices, faces)
    shape = _hull(Path(path), vertices, "mesh", pose, Path(path).stem if name is None else name)
    if closed and _volume(vertices, faces) < shape.volume * (1 - CONVEX_TOLERANCE):
        warnings.warn(
            f"{path}: the mesh is not convex: its convex hull is taken; read_mesh_parts reads a mesh of convex parts",
            FileContentWarning, stacklevel=2,
        )  # fmt: skip
    return shape


def read_mesh_parts(path: str | Path, *, scale: float = 1.0, pose: Pose = IDENTITY) -> list[ConvexMesh]:
    """A compound shape: the convex hull of each part of a mesh whose faces hang together by edges.

    For bodies that are not convex, cut into convex parts beforehand.  Arguments and errors are those of `read_mesh`.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    vertices, faces = _load(Path(path), scale)
    _check_closed(Path(path), vertices, faces)
    _, side = np.unique(_sides(faces), axis=0, return_inverse=True)
    by_side = np.argsort(side.reshape(-1), kind="stable").reshape(-1, 2) % len(faces)  # two faces at each
    graph = coo_array((np.ones(len(by_side)), (by_side[:, 0], by_side[:, 1])), shape=(len(faces), len(faces)))
    _, label = connected_components(graph, directed=False)
    parts = []
    for k, part in enumerate(dict.fromkeys(label.tolist())):
        own = vertices[np.unique(faces[label == part])]
        parts.append(_hull(Path(path), own, f"part {k}", pose, f"{Path(path).stem}_{k}"))
    return parts


def _load(path: Path, scale: float) -> tuple[FloatArray, IntArray]:
    """Vertices [m], those in one place joined, and triangles."""
    try:
        import trimesh
    except ImportError:
        raise MissingDependencyError("meshes are read with the trimesh package: pip install hitogata[meshes]") from None
    positive(scale, "scale")
    if not path.is_file():
        raise FileFormatError(f"{path}: there is no such file")
    try:
        mesh: Any = trimesh.load(path, force="mesh", process=False)
        vertices = np.array(mesh.vertices, np.float64).reshape(-1, 3)
        faces = np.array(mesh.faces, np.int64).reshape(-1, 3)
    except Exception as error:  # its readers raise all kinds
        raise FileFormatError(f"{path}: not a mesh that can be read: {' '.join(str(error).split())}") from None
    if not len(vertices) or not len(faces):
        raise FileFormatError(f"{path}: the mesh is empty: {len(vertices)} vertices, {len(faces)} faces")
    bad = np.flatnonzero(~np.isfinite(vertices).all(1))
    if len(bad):
        raise FileFormatError(f"{path}: vertex {bad[0]} is not finite: {vertices[bad[0]].tolist()}")
    wrong = np.flatnonzero(((faces < 0) | (faces >= len(vertices))).any(1))
    if len(wrong):
        raise FileFormatError(
            f"{path}: face {wrong[0]} has the corners {faces[wrong[0]].tolist()}; there are {len(vertices)} vertices"
        )
    joined, number = np.unique(vertices, axis=0, return_inverse=True)
    size = float(np.ptp(joined * scale, axis=0).max())
    if not SIZES[0] <= size <= SIZES[1]:
        raise FileFormatError(f"{path}: the mesh is {size:.3g} m across; scale, metres per unit, is {scale}")
    return joined * scale, number.reshape(-1)[faces]


def _check_closed(path: Path, vertices: FloatArray, faces: IntArray) -> None:
    """Raise unless the faces are the surface of a solid."""
    size = np.ptp(vertices, axis=0).max()
    a, b, c = (vertices[faces[:, k]] / size for k in range(3))
    flat = np.flatnonzero(np.linalg.norm(np.cross(b - a, c - a), axis=1) <= 1e-12)
    if len(flat):
        raise FileFormatError(f"{path}: face {flat[0]} has no area; mend the mesh, or read it with closed=False")
    sides = _sides(faces)
    _, first, count = np.unique(sides, axis=0, return_index=True, return_counts=True)
    odd = np.flatnonzero(count != 2)
    if len(odd):
        k = odd[first[odd].argmin()]
        ends = vertices[sides[first[k]]].tolist()
        raise FileFormatError(
            f"{path}: an edge of face {first[k] % len(faces)}, from {ends[0]} to {ends[1]} m, belongs to {count[k]} "
            "face(s), not two: the mesh is no closed surface; mend it, or read it with closed=False"
        )
    _, first, count = np.unique(_ends(faces), axis=0, return_index=True, return_counts=True)
    twice = np.flatnonzero(count > 1)
    if len(twice):
        face = first[twice].min() % len(faces)
        raise FileFormatError(
            f"{path}: face {face} and one beside it go around their edge the same way: one of them is inside out; mend "
            "the mesh, or read it with closed=False"
        )


def _ends(faces: IntArray) -> IntArray:
    """Corners at the ends of all edges as the faces go around, shape (3 faces, 2): first one edge of each face, ..."""
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])


def _sides(faces: IntArray) -> IntArray:
    """The same, the lower corner first."""
    return np.sort(_ends(faces), axis=1)


def _volume(vertices: FloatArray, faces: IntArray) -> float:
    a, b, c = (vertices[faces[:, k]] - vertices[0] for k in range(3))
    return float(abs(np.einsum("ij,ij->", a, np.cross(b, c)))) / 6


def _hull(path: Path, vertices: FloatArray, what: str, pose: Pose, name: str) -> ConvexMesh:
    try:
        return ConvexMesh(vertices, pose=pose, name=name)
    except FigureError as error:
        raise FileFormatError(f"{path}: {what}: {error}") from None
