"""Lit solids: outlines and light against closed form, near before far."""

import numpy as np
import pytest

from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, FigureBuilder, Pose, Sphere, joint
from hitogata.pictures import Camera
from hitogata.pictures.shading import GROUND_LIGHT, SKY_LIGHT, SUN, SUN_LIGHT, Frame, draw_solids

CAMERA = Camera(azimuth=0.7, elevation=0.4)
SIZE, SCALE = (160, 120), 100.0


def drawn(*shapes, camera=CAMERA, opacity=1.0):
    """Black pictures with shapes of one link at the origin, white but for their names' colours."""
    builder = FigureBuilder("thing")
    builder.add("body", None, joint.free(), shapes=shapes, total_mass=1.0)
    figure = builder.build()
    picture = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    colours = {"red": "#ff0000", "blue": "#0000ff"}
    actor = (figure, figure.neutral(), (0.0, 0.0, 0.0), "#ffffff", colours, opacity)
    draw_solids(picture, Frame(camera, (0.0, 0.0), SCALE, SIZE), [actor])
    return picture


def hull_area(points):
    """Area of the outline of points on the picture [m²]."""
    from scipy.spatial import ConvexHull

    return ConvexHull(CAMERA.project(points)[:, :2]).volume


def turned(seed):
    quat = np.random.default_rng(seed).normal(size=4)
    return tuple(quat / np.linalg.norm(quat))


@pytest.mark.parametrize("seed", range(4))
def test_outlines(seed):
    """Pixels that are covered, beside the area of the shadow along the camera's direction."""
    pose, rng = Pose((0.05, -0.1, 0.08), turned(seed)), np.random.default_rng(seed)
    line = CAMERA.axes @ pose.rotation[:, 2]
    shape = Capsule(0.12, 0.3, pose=pose)
    wanted = np.pi * 0.12**2 + 2 * 0.12 * 2 * shape.half_length * np.hypot(*line[:2])
    assert (drawn(shape).sum(-1) > 0).sum() / SCALE**2 == pytest.approx(wanted, rel=0.06)
    half = np.array([0.1, 0.22, 0.3])
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    for own, points in (
        (Box(tuple(half), pose=pose), corners * half),
        (ConvexMesh(rng.normal(size=(20, 3)) * 0.15, pose=pose), None),
        (Cylinder(0.2, 0.15, pose=pose), None),
    ):
        if isinstance(own, ConvexMesh):
            points = own.vertices
        if isinstance(own, Cylinder):
            angle = np.linspace(0, 2 * np.pi, 200)
            points = np.concatenate([np.column_stack([0.2 * np.cos(angle), 0.2 * np.sin(angle), np.full(200, z)])
                                     for z in (-own.half_length, own.half_length)])  # fmt: skip
        wanted = hull_area(pose.apply(points))
        assert (drawn(own).sum(-1) > 0).sum() / SCALE**2 == pytest.approx(wanted, rel=0.08)
    normals = (CAMERA.axes @ pose.rotation) * half
    form = normals[:2] @ normals[:2].T  # the shadow of an ellipsoid: x (A Aᵀ)⁻¹ x = 1
    wanted = np.pi * np.sqrt(np.linalg.det(form))
    assert (drawn(Ellipsoid(tuple(half), pose=pose)).sum(-1) > 0).sum() / SCALE**2 == pytest.approx(wanted, rel=0.06)


def test_light_of_a_ball():
    """Lambert's law at every pixel inside the rim."""
    picture = drawn(Sphere(0.4))
    x = (np.arange(SIZE[0]) + 0.5 - SIZE[0] / 2) / SCALE
    y = (SIZE[1] / 2 - np.arange(SIZE[1]) - 0.5) / SCALE
    u, v = np.meshgrid(x, y)
    inside = u * u + v * v < 0.37**2
    seen = np.stack([u, v, np.sqrt(np.where(inside, 0.16 - u * u - v * v, 0.0))], -1)[inside] / 0.4
    normal = seen @ CAMERA.axes
    up = 0.5 + 0.5 * normal[:, 2:]
    light = GROUND_LIGHT + (SKY_LIGHT - GROUND_LIGHT) * up + SUN_LIGHT * np.maximum(normal @ SUN, 0.0)[:, None]
    wanted = np.minimum(light, 1.0) ** (1 / 2.2)
    np.testing.assert_allclose(picture[inside] / 255.0, wanted, atol=0.02)


def test_what_is_near_hides_what_is_far():
    """A ball before another; seen from the other side it is the other way round; half transparent, half as bright."""
    near, far = Pose(tuple(0.5 * CAMERA.axes[2])), Pose(tuple(-0.5 * CAMERA.axes[2]))
    balls = Sphere(0.2, pose=near, name="red"), Sphere(0.2, pose=far, name="blue")
    middle = drawn(*balls)[SIZE[1] // 2, SIZE[0] // 2]
    assert middle[0] > 100 > middle[2]
    behind = Camera(azimuth=CAMERA.azimuth + np.pi, elevation=-CAMERA.elevation)
    middle = drawn(*balls, camera=behind)[SIZE[1] // 2, SIZE[0] // 2]
    assert middle[2] > 60 > middle[0]
    full, half = (drawn(balls[0], opacity=x)[SIZE[1] // 2, SIZE[0] // 2, 0] / 255 for x in (1.0, 0.5))
    assert half**2.2 == pytest.approx(0.5 * full**2.2, rel=0.02)
