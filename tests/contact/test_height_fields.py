"""Height fields: which triangle, edge or node holds a shape, and none between triangles in one plane."""

import numpy as np
import pytest

from hitogata.contact import contact_points
from hitogata.contact.shapes import Surface, compile_shapes
from hitogata.contact.tables import DIAGONAL, RIGHT, UP, sharp_edges
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Box, Capsule, Cylinder, Ellipsoid, HeightField, Plane, Pose, Sphere
from hitogata.spatial import quat_exp
from tests.contact.convex_cases import mesh_of

SHAPES = {
    "sphere": Sphere(0.1), "capsule": Capsule(0.06, 0.1), "box": Box((0.15, 0.05, 0.04)),
    "mesh": mesh_of(Box((0.15, 0.05, 0.04))), "cylinder": Cylinder(0.1, 0.05),
    "ellipsoid": Ellipsoid((0.1, 0.08, 0.05)),
}  # fmt: skip


def plane_of_triangles(slope_x=0.0, slope_y=0.0, nodes=21):
    x = np.linspace(-1, 1, nodes)
    return HeightField(slope_x * x[None, :] + slope_y * x[:, None], (1.0, 1.0))


def turned_plane(slope_x, slope_y):
    """The plane with these slopes."""
    n = np.array([-slope_x, -slope_y, 1.0])
    n /= np.linalg.norm(n)
    axis = np.cross([0, 0, 1], n)
    size = np.linalg.norm(axis)
    turn = axis / size * np.arcsin(size) if size > 0 else axis
    return Plane(pose=Pose(quat=tuple(quat_exp(turn)))), n


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("slope", [(0.0, 0.0), (0.3, 0.0), (0.2, -0.4)])
def test_triangles_in_one_plane_are_a_plane(name, slope):
    """The same points as on a plane, wherever the shape stands and however it is turned; normals up to rounding."""
    rng = np.random.default_rng(0)
    field = plane_of_triangles(*slope)
    plane, n = turned_plane(*slope)
    assert not (sharp_edges(field)[1:-1, 1:-1]).any()
    for _ in range(60):
        x, y = rng.uniform(-0.6, 0.6, 2)
        pose = Pose((x, y, slope[0] * x + slope[1] * y + rng.uniform(0.0, 0.12)), tuple(quat_exp(rng.normal(size=3))))
        ours = contact_points(SHAPES[name], pose, field, Pose(), margin=0.01)
        theirs = contact_points(SHAPES[name], pose, plane, Pose(), margin=0.01)
        assert (len(ours) > 0) == (len(theirs) > 0)
        if len(ours):
            np.testing.assert_allclose(ours.normal, np.repeat(n[None], len(ours), 0), atol=1e-12)
            assert ours.gap.min() == pytest.approx(theirs.gap.min(), abs=1e-12)


def test_ridge_and_valley():
    """A box lies on a ridge with the normal of its own face; a ball in a valley touches both sides."""
    x = np.abs(np.linspace(-1, 1, 21))[None, :] * np.ones((21, 1))
    ridge, valley = HeightField(-x, (1.0, 1.0)), HeightField(x, (1.0, 1.0))
    on_top = contact_points(Box((0.3, 0.2, 0.1)), Pose((0.02, 0, 0.0999)), ridge, Pose())
    np.testing.assert_allclose(on_top.normal, np.repeat([[0, 0, 1.0]], len(on_top), 0), atol=1e-9)
    assert on_top.gap.min() == pytest.approx(-1e-4, abs=1e-9)
    assert np.ptp(on_top.position[:, 1]) > 0.35
    np.testing.assert_allclose(on_top.position[:, 0], 0, atol=1e-9)
    ball = contact_points(Sphere(0.1), Pose((0, 0.013, 0.1 * np.sqrt(2) - 1e-4)), valley, Pose())
    assert len(ball) == 2
    np.testing.assert_allclose(np.sort(ball.normal[:, 0]), np.sqrt(0.5) * np.array([-1, 1]), atol=1e-9)
    np.testing.assert_allclose(ball.gap, -1e-4 * np.sqrt(0.5), atol=1e-9)


def test_peak():
    heights = np.zeros((3, 3))
    heights[1, 1] = 0.5
    peak = HeightField(heights, (1.0, 1.0))
    ball = contact_points(Sphere(0.2), Pose((0.03, -0.02, 0.695)), peak, Pose(), margin=0.01)
    assert len(ball) == 1
    way = np.array([0.03, -0.02, 0.195])
    np.testing.assert_allclose(ball.normal[0], way / np.linalg.norm(way), atol=1e-9)
    assert ball.gap[0] == pytest.approx(np.linalg.norm(way) - 0.2, abs=1e-12)
    box = contact_points(Box((0.3, 0.3, 0.1)), Pose((0.1, 0, 0.599)), peak, Pose())
    assert len(box) == 1
    np.testing.assert_allclose(box.position[0], [0, 0, 0.4995], atol=1e-9)
    np.testing.assert_allclose(box.normal[0], [0, 0, 1], atol=1e-9)


def test_ledge_is_not_felt_from_above():
    """A box on the upper floor near a cliff touches the floor alone, though it is a little below the cliff's top."""
    steps = np.where(np.linspace(-1, 1, 21) > 0.05, -1.0, 0.0)[None, :] * np.ones((21, 1))
    points = contact_points(Box((0.1, 0.1, 0.1)), Pose((0.0, 0.01, 0.0999)), HeightField(steps, (1.0, 1.0)), Pose())
    assert points.normal[:, 2].min() > 1 - 1e-9
    assert points.gap.min() == pytest.approx(-1e-4, abs=1e-9)
    assert len(points) >= 4


def test_what_sank_in_is_pushed_up():
    field = plane_of_triangles()
    for shape in SHAPES.values():
        points = contact_points(shape, Pose((0.013, 0.02, -0.5)), field, Pose())
        assert points.gap.min() < -0.4
        np.testing.assert_allclose(points.normal, np.repeat([[0, 0, 1.0]], len(points), 0), atol=1e-12)


def test_sharp_edges_beside_brute_force():
    """An edge is sharp if the corner beyond it lies below the plane of the triangle on this side, and on the border."""
    field = HeightField(np.random.default_rng(2).normal(size=(5, 6)), (1.0, 1.0))
    bits, columns = sharp_edges(field), 6
    beside: dict[tuple[int, int], list[np.ndarray]] = {}
    for face in field.faces:
        for k in range(3):
            beside.setdefault((min(face[k], face[k - 2]), max(face[k], face[k - 2])), []).append(face)
    for (i, j), faces in beside.items():
        sharp = len(faces) == 1
        if not sharp:
            a, b, c = field.vertices[faces[0]]
            other = next(k for k in faces[1] if k not in (i, j))
            sharp = np.dot(np.cross(b - a, c - a), field.vertices[other] - a) < 0
        bit = {1: RIGHT, columns: UP, columns + 1: DIAGONAL}[j - i]
        assert bool(bits[i // columns, i % columns] & bit) == sharp


def test_bad_fields_are_named():
    with pytest.raises(FigureError, match="row 1, column 0 is nan"):
        HeightField([[0, 0], [np.nan, 0]], (1, 1))
    with pytest.raises(FigureError, match="at least 2 rows"):
        HeightField([[0, 0]], (1, 1))
    with pytest.raises(FigureError, match="half size y"):
        HeightField(np.zeros((2, 2)), (1, 0))
    with pytest.raises(FigureError, match="no volume"):
        _ = HeightField(np.zeros((2, 2)), (1, 1)).volume
    field = HeightField(np.zeros((2, 2)), (1, 1))
    with pytest.raises(ArgumentError, match="planes or height fields"):
        contact_points(field, Pose(), Plane(), Pose())


def test_a_sweep_lists_shapes_and_not_their_tables():
    """Tables of terrain and meshes stand behind the shapes in one array; numbers in them are no kinds of shapes."""
    shapes = [plane_of_triangles(), SHAPES["mesh"], Plane(), *[Sphere(0.1)] * 3]
    table = compile_shapes([Surface(shape, body) for body, shape in enumerate(shapes, -1)])
    np.testing.assert_array_equal(table.new_sweep(), [0, 5, 0, 0, 0, 1, 3, 4, 5])
