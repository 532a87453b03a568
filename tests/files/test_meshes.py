"""Meshes from files: convex hulls, compound shapes, and what is wrong with a file."""

import builtins

import numpy as np
import pytest

from hitogata.errors import FigureError, FileContentWarning, FileFormatError, MissingDependencyError
from hitogata.figure import ConvexMesh, Cylinder, Ellipsoid
from hitogata.figure.meshes import points_on
from hitogata.files import read_mesh, read_mesh_parts

trimesh = pytest.importorskip("trimesh")
CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2), (3, 4, 8), (3, 8, 7), (1, 3, 7), (1, 7, 5),
         (2, 6, 8), (2, 8, 4)]  # fmt: skip


def write_obj(path, vertices=CUBE, faces=FACES):
    lines = [f"v {' '.join(map(str, v))}" for v in vertices] + [f"f {' '.join(map(str, f))}" for f in faces]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("suffix", [".obj", ".stl", ".ply"])
def test_cube_from_every_format(tmp_path, suffix):
    path = tmp_path / f"cube{suffix}"
    trimesh.creation.box((0.2, 0.4, 0.6)).export(path)
    mesh = read_mesh(path, scale=0.5)
    assert len(mesh.vertices) == 8
    assert mesh.name == "cube"
    assert mesh.volume == pytest.approx(0.1 * 0.2 * 0.3, rel=1e-6)


def test_not_convex_is_told(tmp_path):
    cubes = [trimesh.creation.box((1, 1, 1)).apply_translation((x, 0, 0)) for x in (0, 3)]
    two = trimesh.util.concatenate(cubes)
    two.export(tmp_path / "two.obj")
    with pytest.warns(FileContentWarning, match=r"two\.obj: the mesh is not convex"):
        assert read_mesh(tmp_path / "two.obj").volume == pytest.approx(4)
    parts = read_mesh_parts(tmp_path / "two.obj")
    assert [part.name for part in parts] == ["two_0", "two_1"]
    assert [part.volume for part in parts] == pytest.approx([1, 1])


BAD = {
    "nothing": ("", "not a mesh|empty"),
    "no faces": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", "empty"),
    "words": ("this is not a mesh\n", "not a mesh|empty"),
    "not a number": (
        "v 0 0 0\nv 1 nan 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n", "vertex 1 is not finite"
    ),
    "no such vertex": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "not a mesh|face 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_text_is_named(tmp_path, name):
    text, words = BAD[name]
    path = tmp_path / "bad.obj"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=rf"bad\.obj: .*({words})"):
        read_mesh(path)


def test_open_flat_and_shared_faces_are_named(tmp_path):
    with pytest.raises(FileFormatError, match=r"an edge of face \d+, .* belongs to 1 face"):
        read_mesh(write_obj(tmp_path / "open.obj", faces=FACES[1:]))
    assert read_mesh(tmp_path / "open.obj", closed=False).volume == pytest.approx(1)
    with pytest.raises(FileFormatError, match=r"an edge of face \d+, .* belongs to [34] face"):
        read_mesh(write_obj(tmp_path / "fin.obj", [*CUBE, (2, 2, 2)], [*FACES, (1, 2, 9), (1, 9, 2)]))
    with pytest.raises(FileFormatError, match="face 12 has no area"):
        read_mesh(write_obj(tmp_path / "sliver.obj", [*CUBE, (0, 0, 0.5)], [*FACES, (1, 2, 9)]))
    with pytest.raises(FileFormatError, match="in one plane"):
        read_mesh(write_obj(tmp_path / "flat.obj", CUBE[:4], [(1, 2, 3), (2, 3, 4), (3, 4, 1)]), closed=False)
    with pytest.raises(FileFormatError, match="no such file"):
        read_mesh(tmp_path / "missing.stl")


def test_faces_turned_inside_out_are_named(tmp_path):
    turned = [face[::-1] if k == 3 else face for k, face in enumerate(FACES)]
    with pytest.raises(FileFormatError, match=r"turned\.obj: face 3 and one beside it .* inside out"):
        read_mesh(write_obj(tmp_path / "turned.obj", faces=turned))
    every = [face[::-1] for face in FACES]
    assert read_mesh(write_obj(tmp_path / "every.obj", faces=every)).volume == pytest.approx(1)  # a habit, no mistake


def test_parts_that_meet_in_a_corner_are_two(tmp_path):
    """Joined by a vertex that belongs to no one surface: hulls of both, not of their union."""
    beyond = [(x + 1, y + 1, z + 1) for x, y, z in CUBE]
    faces = FACES + [tuple(k + 8 for k in face) for face in FACES]
    parts = read_mesh_parts(write_obj(tmp_path / "corner.obj", CUBE + beyond, faces))
    assert [part.volume for part in parts] == pytest.approx([1, 1])


@pytest.mark.parametrize("size", [1e-9, 1e200])
def test_sizes_nobody_means_are_told(tmp_path, size):
    path = write_obj(tmp_path / "odd.obj", [tuple(size * x for x in v) for v in CUBE])
    with pytest.raises(FileFormatError, match=r"odd\.obj: the mesh is 1e.* m across; scale"):
        read_mesh(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [("cut.stl", bytes(80) + (12).to_bytes(4, "little") + bytes(100)),
     ("long.stl", bytes(80) + (2**32 - 1).to_bytes(4, "little") + bytes(100)),
     ("cut.ply", b"ply\nformat ascii 1.0\nelement vertex 100\n"), ("picture.png", b"\x89PNG...."), ("bare", b"x")],
)  # fmt: skip
def test_files_that_are_no_meshes_are_named(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileFormatError, match=rf"{name}: (the mesh is empty|not a mesh)"):
        read_mesh(tmp_path / name)


def test_without_trimesh_the_install_is_named(tmp_path, monkeypatch):
    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", lambda name, *a, **k: _missing(real, name, *a, **k))
    with pytest.raises(MissingDependencyError, match=r"pip install hitogata\[meshes\]"):
        read_mesh(tmp_path / "cube.obj")


def _missing(real, name, *a, **k):
    if name == "trimesh":
        raise ImportError(name)
    return real(name, *a, **k)


def test_points_that_are_no_hull_are_named():
    with pytest.raises(FigureError, match="vertex 2 is not finite"):
        ConvexMesh([[0, 0, 0], [1, 0, 0], [0, np.inf, 0], [0, 0, 1]])
    with pytest.raises(FigureError, match="volume"):
        ConvexMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1e-13]])
    with pytest.raises(FigureError, match="at least 4"):
        ConvexMesh(np.zeros((3, 3)))


@pytest.mark.parametrize("shape", [Cylinder(0.2, 0.3), Ellipsoid((0.1, 0.2, 0.3))], ids=lambda s: type(s).__name__)
def test_mass_of_round_shapes(shape):
    """Beside a fine mesh of the same."""
    mesh = ConvexMesh(points_on(shape, corners=200))
    assert mesh.volume == pytest.approx(shape.volume, rel=2e-3)
    np.testing.assert_allclose(mesh.unit_inertia(), shape.unit_inertia(), atol=1e-3 * shape.unit_inertia().max())
    with pytest.raises(FigureError, match="must be positive"):
        type(shape)(*((0.1, -1) if isinstance(shape, Cylinder) else ((0.1, 0.2, 0.0),)))
