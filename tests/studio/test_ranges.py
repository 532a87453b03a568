"""Editing ranges: what is dragged is where it was dragged to, and the rest stays."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError, RangeError
from hitogata.library import virtual_human
from hitogata.rom import (
    BoundaryTwist,
    ConeRegion,
    ConstantTwist,
    EllipseRegion,
    OvalRegion,
    RangeOfMotion,
    RectangleRegion,
    SplineRegion,
    SuperellipseRegion,
)
from hitogata.rom.human import human_ranges
from hitogata.rom.outline import to_plane
from hitogata.spatial import quat_conjugate, quat_rotate
from hitogata.studio.ranges import edits
from hitogata.studio.ranges.kinds import Kind, converted, from_polar, kind_of, plane_of, to_polar

TURN = (0.5, -0.5, 0.1, 0.7)
TURN = tuple(np.array(TURN) / np.linalg.norm(TURN))
BOX = {"s": (-0.4, 0.7), "t": (-0.6, 0.3), "quat_PR": TURN}
REGIONS = {
    Kind.RECTANGLE: RectangleRegion(**BOX),
    Kind.ELLIPSE: EllipseRegion(**BOX),
    Kind.OVAL: OvalRegion(**BOX),
    Kind.SUPERELLIPSE: SuperellipseRegion(**BOX, m=3.0, n=2.5),
    Kind.CONE: ConeRegion((0.0, 0.6, 0.8), 0.9, quat_PR=TURN),
    Kind.SPLINE: SplineRegion.through(np.arange(7) * 0.9, [0.8, 1.0, 0.7, 1.2, 0.9, 0.6, 1.0], quat_PR=TURN),
}


def bone_angle(region, p):
    return np.arccos(np.clip(p @ region.bone, -1, 1))


@pytest.mark.parametrize("kind", REGIONS, ids=lambda kind: kind.value)
def test_disc(kind):
    """The disc's centre is the bone, its radius the angle from it; there and back is the same place."""
    region, rng = REGIONS[kind], np.random.default_rng(1)
    p = rng.normal(size=(50, 3))
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    azimuth, angle = to_polar(region, p).T
    np.testing.assert_allclose(angle, bone_angle(region, p), atol=1e-7)
    np.testing.assert_allclose(from_polar(region, azimuth, angle), p, atol=1e-12)


def test_disc_of_a_spline_has_its_own_coordinates():
    region = REGIONS[Kind.SPLINE]
    way = to_polar(region, region.knots)
    np.testing.assert_allclose(np.mod(way[:, 0] - region.azimuth + np.pi, 2 * np.pi), np.pi, atol=1e-9)
    np.testing.assert_allclose(way[:, 1], region.angle, atol=1e-9)


def test_plane_is_that_of_the_region():
    region = REGIONS[Kind.RECTANGLE]
    p = region.boundary(40)
    s, t = to_plane(quat_rotate(quat_conjugate(np.array(TURN)), p))
    np.testing.assert_allclose(plane_of(region, p), np.stack([s, t], 1), atol=1e-12)


@pytest.mark.parametrize("kind", REGIONS, ids=lambda kind: kind.value)
def test_handles_lie_on_the_boundary(kind):
    region = REGIONS[kind]
    azimuth, angle = edits.handles(RangeOfMotion(region)).T
    np.testing.assert_allclose(region.distance(from_polar(region, azimuth, angle)), 0.0, atol=1e-7)


@pytest.mark.parametrize("kind", REGIONS, ids=lambda kind: kind.value)
@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_moved_point_is_where_it_was_dragged(kind, index):
    """Dragged outwards along its own meridian by 0.1 rad, the boundary goes through the new place."""
    range_ = RangeOfMotion(REGIONS[kind], (-0.5, 0.7))
    azimuth, angle = edits.handles(range_)[index]
    new = edits.move_point(range_, index, azimuth, angle + 0.1)
    assert kind_of(new.swing) is kind
    place = from_polar(range_.swing, azimuth, angle + 0.1)
    limit = 0.02 if kind in (Kind.ELLIPSE, Kind.SUPERELLIPSE, Kind.OVAL) else 1e-7  # their other axis has moved along
    assert abs(new.swing.distance(place)) < limit
    assert new.swing.area > range_.swing.area
    assert new.twist == ConstantTwist(-0.5, 0.7)


def test_points_of_a_spline_stay_when_another_moves():
    range_ = RangeOfMotion(REGIONS[Kind.SPLINE])
    new = edits.move_point(range_, 2, range_.swing.azimuth[2] + 0.1 + 2 * np.pi, 0.9)
    assert new.swing.azimuth[2] == pytest.approx(range_.swing.azimuth[2] + 0.1)  # whole turns do not count
    kept = [0, 1, 3, 4, 5, 6]
    np.testing.assert_array_equal(np.array(new.swing.angle)[kept], np.array(range_.swing.angle)[kept])


def test_a_point_far_from_the_others_does_not_shoot_over():
    """Neighbours at 175°: tangents through all of them would pass 180°, calmer ones do not."""
    range_ = RangeOfMotion(SplineRegion.through(np.arange(8) * np.pi / 4, [3.05] * 4 + [2.9] * 4))
    new = edits.move_point(range_, 1, np.pi / 4, 0.6)
    assert new.swing.angle[1] == 0.6
    assert max(new.swing.polar_at(np.linspace(0, 7.99, 400))[1]) < np.pi
    back = edits.move_point(new, 1, np.pi / 4, 3.05)
    np.testing.assert_allclose(back.swing.d_angle, range_.swing.d_angle, atol=1e-12)  # smooth again


def test_tangents():
    """A handle stands at a third of the curve's derivative; dragged, the curve leaves towards it."""
    range_ = RangeOfMotion(REGIONS[Kind.SPLINE])
    h = 1e-6
    before, after = (np.stack(range_.swing.polar_at(np.array([3 + d])), 1)[0] for d in (0.0, h))
    lever = edits.tangents(range_)[3] - edits.handles(range_)[3]
    np.testing.assert_allclose(3 * lever, (after - before) / h, atol=1e-4)
    to = edits.handles(range_)[3] + [0.25, 0.1]
    new = edits.move_tangent(range_, 3, *to)
    np.testing.assert_allclose(edits.tangents(new)[3], to, atol=1e-12)
    moved = edits.move_point(new, 3, new.swing.azimuth[3], new.swing.angle[3] + 0.05)
    assert moved.swing.d_angle[3] == pytest.approx(new.swing.d_angle[3])  # set by hand: it stays
    assert edits.smooth_tangents(new).swing.d_angle == pytest.approx(range_.swing.d_angle)


def test_points_come_and_go():
    range_ = RangeOfMotion(REGIONS[Kind.SPLINE], BoundaryTwist(np.linspace(-1, -0.4, 7), np.linspace(0.3, 0.9, 7)))
    middle = np.array([float(x) for x in range_.swing.polar_at(np.array(4.5))])
    more = edits.add_point(range_, *middle)
    assert more.swing.segments == 8
    np.testing.assert_allclose(edits.handles(more)[5], middle, atol=0.02)
    np.testing.assert_allclose(more.twist.low[5], -0.55, atol=0.02)  # between those of its neighbours
    assert more.swing.area == pytest.approx(range_.swing.area, rel=0.02)
    less = edits.remove_point(more, 5)
    np.testing.assert_allclose(less.swing.angle, range_.swing.angle)
    np.testing.assert_allclose(less.twist.high, range_.twist.high, atol=0.03)


def test_twist_at_a_knot():
    range_ = RangeOfMotion(REGIONS[Kind.SPLINE], (-0.5, 0.7))
    new = edits.set_twist(range_, 2, -0.2, 0.1)
    low, high = new.twist_limits(new.swing.knots)
    np.testing.assert_allclose([low[2], high[2]], [-0.2, 0.1], atol=1e-6)
    np.testing.assert_allclose(np.delete(low, 2), -0.5, atol=1e-6)
    assert new.twist_limits(new.bone_axis) == pytest.approx((-0.5, 0.7))  # at rest as before


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.OTHER], ids=lambda kind: kind.value)
@pytest.mark.parametrize("joint", ["hip_left", "neck", "wrist_right"])
def test_every_kind_from_human_ranges(joint, kind):
    """The new region is about as large, holds the bone, and twist is unchanged where it was the same everywhere."""
    range_ = human_ranges()[joint].range
    new = converted(range_, kind)
    assert kind_of(new.swing) is kind
    assert new.swing.contains(new.swing.bone)
    np.testing.assert_allclose(new.swing.bone, range_.swing.bone, atol=1e-9)
    assert 0.5 < new.swing.area / range_.swing.area < 2.0
    assert new.twist == range_.twist


@pytest.mark.parametrize("kind", [k for k in REGIONS if k is not Kind.SPLINE], ids=lambda kind: kind.value)
def test_spline_of_a_simple_region_is_close(kind):
    range_ = RangeOfMotion(REGIONS[kind], BoundaryTwist([-0.4] * 4, [0.5] * 4))
    spline = converted(range_, Kind.SPLINE)
    assert np.abs(range_.swing.distance(spline.swing.boundary(200))).max() < (0.13 if kind is Kind.RECTANGLE else 0.06)
    np.testing.assert_allclose(spline.twist.low, -0.4, atol=1e-6)


def test_boxes_keep_their_box():
    for kind in (Kind.ELLIPSE, Kind.OVAL, Kind.SUPERELLIPSE):
        assert converted(RangeOfMotion(REGIONS[Kind.RECTANGLE]), kind).swing.s == REGIONS[Kind.RECTANGLE].s


def test_what_is_refused():
    cone, spline = RangeOfMotion(REGIONS[Kind.CONE]), RangeOfMotion(REGIONS[Kind.SPLINE])
    with pytest.raises(ArgumentError, match="cone has no points"):
        edits.add_point(cone, 0.0, 0.1)
    with pytest.raises(ArgumentError, match="no point 9: there are 7"):
        edits.move_point(spline, 9, 0.0, 0.5)
    with pytest.raises(RangeError, match="crosses itself"):
        edits.move_point(spline, 2, spline.swing.azimuth[4] + 0.3, 1.3)
    with pytest.raises(RangeError, match="no rectangle can"):
        converted(RangeOfMotion(SplineRegion.through(-np.arange(6) * np.pi / 3, [1.0] * 6, turns=-1)), Kind.RECTANGLE)
    four = RangeOfMotion(SplineRegion.through(np.arange(4) * np.pi / 2, [0.5] * 4))
    with pytest.raises(ArgumentError, match="at least 4"):
        edits.remove_point(four, 0)


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.OTHER])
@pytest.mark.parametrize("joint", ["shoulder_left", "hip_left"])
def test_another_kind_holds_the_bone_at_rest(joint, kind):
    """Also of a shoulder, whose range reaches nearly round the back on two sides."""
    range_ = virtual_human().links[virtual_human().joint_index(joint)].joint.range
    assert range_.contains([1.0, 0.0, 0.0, 0.0])
    swing = converted(range_, kind).swing
    assert swing.distance(swing.bone) >= 0.5 * range_.swing.distance(range_.swing.bone) - 1e-9
