"""Pictures of ranges: they are drawn, show what they should, and complain clearly."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from hitogata.errors import ArgumentError
from hitogata.rom import (
    BoundaryTwist,
    ConeRegion,
    ConstantTwist,
    FreeTwist,
    RangeOfMotion,
    RectangleRegion,
    SplineRegion,
)
from hitogata.rom.plot import TwistColour, plot_polar, plot_range, polar_frame, polar_of, twist_values
from hitogata.rom.plot_globe import camera, default_view, plot_sphere
from hitogata.spatial import quat_exp

SPLINE = SplineRegion.through(np.radians([0, 60, 120, 180, 240, 300]), np.radians([60, 40, 80, 110, 70, 50]))
RANGE = RangeOfMotion(SPLINE, BoundaryTwist(np.linspace(-0.5, -0.3, 6), np.linspace(0.3, 1.4, 6), (-1.0, 0.3)))
TRAIL = quat_exp(np.outer(np.linspace(0, 1, 20), [0.3, 0.9, 0.1]))


def image(path):
    import matplotlib.image

    return matplotlib.image.imread(path)


@pytest.mark.parametrize(
    "range_",
    [
        RANGE,
        RangeOfMotion(RectangleRegion((-0.6, 0.4), (-0.3, 0.9)), ConstantTwist(-0.5, 0.5)),
        RangeOfMotion(ConeRegion((0.0, 0.0, 1.0), 2.8), FreeTwist()),
    ],
)
def test_picture_is_written(range_, tmp_path):
    path = tmp_path / "range.png"
    plot_range(range_, path, title="a range", trail=TRAIL, cloud=TRAIL)
    pixels = image(path)[..., :3]
    assert pixels.shape[1] > 1500
    assert (pixels > 0.97).all(2).mean() > 0.3  # light theme
    assert (pixels < 0.9).any(2).mean() > 0.1  # and something on it


def test_every_colour(tmp_path):
    for colour in TwistColour:
        plot_range(RANGE, tmp_path / f"{colour.value}.png", colour=colour)
    p = SPLINE.knots
    low, high = np.degrees(RANGE.twist_limits(p))
    np.testing.assert_allclose(twist_values(RANGE, p, TwistColour.WIDTH), high - low)
    np.testing.assert_allclose(twist_values(RANGE, p, TwistColour.LOW), low)


def test_polar_plane_shows_the_spline_s_own_numbers():
    ax = plot_polar(RANGE, colour_bar=False)
    shown = {line.get_label(): line for line in ax.get_lines()}
    points = shown["6 constraint points"]
    np.testing.assert_allclose(points.get_xdata(), SPLINE.azimuth)
    np.testing.assert_allclose(points.get_ydata(), SPLINE.angle)
    phi, theta = polar_of(SPLINE.knots, polar_frame(RANGE))
    np.testing.assert_allclose(np.mod(phi, 2 * np.pi), np.mod(SPLINE.azimuth, 2 * np.pi), atol=1e-9)
    np.testing.assert_allclose(theta, SPLINE.angle, atol=1e-12)
    assert {"boundary", "bone at rest", "tangents"} <= set(shown)


def test_sphere_from_any_side():
    for view in ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], default_view(RANGE)):
        look = camera(np.array(view))
        np.testing.assert_allclose(look @ look.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(look) > 0
        plot_sphere(RANGE, view=view, pixels=60, trail=TRAIL)


def test_share_of_coloured_pixels_is_the_region(tmp_path):
    """Seen along its axis, a cone of 30° fills sin²30° of the disc."""
    from hitogata.rom.plot_globe import _image

    cone = RangeOfMotion(ConeRegion((1.0, 0.0, 0.0), np.radians(30)), ConstantTwist(-0.5, 0.5))
    pixels = _image(cone, camera(np.array([1.0, 0.0, 0.0])), TwistColour.WIDTH, 300)
    disc = pixels[..., 3] > 0.5
    blue = disc & (pixels[..., 2] > pixels[..., 0] + 0.05)
    assert blue.sum() / disc.sum() == pytest.approx(0.25, abs=0.01)


def test_bad_input(tmp_path):
    with pytest.raises(ArgumentError, match="a RangeOfMotion expected"):
        plot_range(SPLINE)
    with pytest.raises(ArgumentError, match="a TwistColour expected"):
        plot_polar(RANGE, colour="width")
    with pytest.raises(ArgumentError, match="pixels"):
        plot_sphere(RANGE, pixels=3)
    with pytest.raises(ArgumentError, match=r"picture\.xyz"):
        plot_range(RANGE, tmp_path / "picture.xyz")
