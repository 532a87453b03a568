import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from hitogata.figure import Box, Capsule, ConvexMesh, FigureBuilder, Plane, Pose, Sphere, joint
from hitogata.library import human28
from hitogata.pictures import Camera, draw_figure


def test_camera_axes_are_a_rotation():
    axes = Camera(azimuth=0.7, elevation=0.3).axes
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_camera_from_the_front_sees_left_on_its_right_and_up_above():
    right, up, near = Camera(azimuth=0.0, elevation=0.0).project(np.array([[0.0, 1.0, 2.0]]))[0]
    assert (right, up, near) == pytest.approx((1.0, 2.0, 0.0))


def drawn(figure, q, **options):
    _, axes = plt.subplots()
    draw_figure(axes, figure, q, **options)
    outlines = [patch.get_xy() for patch in axes.patches]
    plt.close()
    return outlines


def test_outlines_have_the_size_of_the_shapes():
    builder = FigureBuilder("ball")
    builder.add("ball", None, joint.free(), shapes=[Sphere(0.3)])
    (outline,) = drawn(builder.build(), np.array([0.0, 2.0, 1.0, 1, 0, 0, 0]), camera=Camera(0.0, 0.0))
    np.testing.assert_allclose(np.hypot(*(outline - [2.0, 1.0]).T), 0.3, atol=1e-12)


def test_every_solid_shape_is_drawn_and_planes_are_not():
    builder = FigureBuilder("all")
    corners = np.random.default_rng(0).normal(size=(12, 3))
    shapes = [Sphere(0.1), Capsule(0.1, 0.2), Box((0.1, 0.2, 0.3)), ConvexMesh(corners)]
    builder.add("all", None, joint.fixed(), shapes=shapes)
    builder.add(
        "floor", "all", joint.fixed(parent_frame=Pose((0, 0, -1))), builder.build().links[0].mass, shapes=[Plane()]
    )
    assert len(drawn(builder.build(), np.zeros(0))) == 4


def test_human_fits_its_height():
    human = human28()
    points = np.concatenate(drawn(human, human.neutral(), camera=Camera(0.0, 0.0)))
    assert points[:, 1].min() == pytest.approx(0.0, abs=1e-9)
    assert 1.6 < points[:, 1].max() < 1.9


def test_colours_by_name_of_shape_or_link():
    builder = FigureBuilder("face")
    builder.add("head", None, joint.free(), shapes=[Sphere(0.3), Sphere(0.1, pose=Pose((0.3, 0, 0)), name="nose")])
    builder.add("hat", "head", joint.ball(parent_frame=Pose((0, 0, 0.4))), shapes=[Box((0.2, 0.2, 0.1))])
    _, axes = plt.subplots()
    figure = builder.build()
    draw_figure(axes, figure, figure.neutral(), colour="#00ff00", colours={"nose": "#ff0000", "hat": "#0000ff"})
    strongest = sorted(int(np.argmax(patch.get_facecolor()[:3])) for patch in axes.patches)
    assert strongest == [0, 1, 2]
    plt.close()
