"""Bad input is refused, with a message that names the point or value."""

import json

import numpy as np
import pytest

from hitogata.errors import HitogataError, RangeError
from hitogata.rom import (
    ArcLineRegion,
    ConeRegion,
    ConstantTwist,
    EllipseRegion,
    FreeTwist,
    OvalRegion,
    PlaneArc,
    PlaneLine,
    RangeOfMotion,
    RectangleRegion,
    Region,
    SplineRegion,
    SuperellipseRegion,
    TriangleRegion,
    Twist,
)
from tests.rom import cases

W = np.arange(6) * np.pi / 3


def spline(azimuth=W, angle=(1.0,) * 6, d_azimuth=(1.0,) * 6, d_angle=(0.0,) * 6, turns=1):
    return SplineRegion(azimuth, angle, d_azimuth, d_angle, turns)


def polygon(*corners):
    return ArcLineRegion([PlaneLine(corners[k], corners[(k + 1) % len(corners)]) for k in range(len(corners))])


def test_errors_are_hitogata_errors():
    assert issubclass(RangeError, HitogataError)
    assert issubclass(RangeError, ValueError)


@pytest.mark.parametrize("kind", [RectangleRegion, EllipseRegion, OvalRegion, SuperellipseRegion])
def test_empty_or_nonsense_boxes(kind):
    with pytest.raises(RangeError, match=r"s = \(0.5, -0.5\) is empty"):
        kind((0.5, -0.5), (0, 1))
    with pytest.raises(RangeError, match=r"t = \(1.0, 1.0\) is empty"):
        kind((-0.5, 0.5), (1, 1))
    with pytest.raises(RangeError, match="not finite"):
        kind((-np.inf, 0.5), (0, 1))
    with pytest.raises(RangeError, match="not finite"):
        kind((0, 1), (np.nan, 1))
    with pytest.raises(RangeError, match=r"\(min, max\) expected"):
        kind(0.5, (0, 1))
    with pytest.raises(RangeError, match="wide"):
        kind((0, 1e-9), (0, 1))


def test_superellipse_powers():
    with pytest.raises(RangeError, match=r"m = 0.5"):
        SuperellipseRegion((0, 1), (0, 1), 0.5, 2)
    with pytest.raises(RangeError, match=r"n = nan"):
        SuperellipseRegion((0, 1), (0, 1), 2, np.nan)


def test_spline_points():
    with pytest.raises(RangeError, match="2 points; at least 3"):
        SplineRegion([0, 3], [1, 1], [1, 1], [0, 0])
    with pytest.raises(RangeError, match="d_angle has 5 values, azimuth has 6"):
        spline(d_angle=(0.0,) * 5)
    with pytest.raises(RangeError, match=r"angle\[2\] = nan"):
        spline(angle=(1, 1, np.nan, 1, 1, 1))
    with pytest.raises(RangeError, match=r"azimuth\[1\] = inf"):
        spline(azimuth=(0, np.inf, 2, 3, 4, 5))
    with pytest.raises(RangeError, match="turns = 2"):
        spline(turns=2)


def test_spline_through_the_poles():
    with pytest.raises(RangeError, match=r"angle is -0.1 at point 3"):
        spline(angle=(1, 1, 1, -0.1, 1, 1))
    with pytest.raises(RangeError, match="angle is 0 at point 0"):
        spline(angle=(0, 1, 1, 1, 1, 1))
    with pytest.raises(RangeError, match=r"at point 2; it must stay between 0 and π"):
        spline(angle=(1, 1, np.pi, 1, 1, 1))
    with pytest.raises(RangeError, match="on segment 4"):                 # the points are fine, the curve is not
        spline(angle=(1, 1, 1, 1, 0.2, 0.2), d_angle=(0, 0, 0, 0, -2, 2))
    with pytest.raises(RangeError, match="on segment 1"):
        spline(angle=(1, 3, 3, 1, 1, 1), d_angle=(0, 2, -2, 0, 0, 0))


def test_spline_zero_speed():
    with pytest.raises(RangeError, match="stands still at point 2"):
        spline(d_azimuth=(1, 1, 0, 1, 1, 1))
    with pytest.raises(RangeError, match="stands still on segment 2"):     # it turns back on itself there
        SplineRegion([0, 1, 2, 2, 4, 5], [1] * 6, [1, 1, 0, 0, 1, 1], [0, 0, 0.5, -0.5, 0, 0])


def test_spline_winding():
    with pytest.raises(RangeError, match=r"point 5 to 6.28.* at point 0, more than half a turn: .* wind 1 times"):
        spline(azimuth=(0, 0.5, 1, 1, 0.5, 0.2), angle=(1, 1, 1, 1.5, 1.5, 1.2))
    with pytest.raises(RangeError, match="does not wind 0 times"):
        spline(turns=0)
    with pytest.raises(RangeError, match="does not wind -1 times"):
        spline(turns=-1)
    with pytest.raises(RangeError, match="not unwrapped"):
        spline(azimuth=np.mod(W + 3, 2 * np.pi))


def test_spline_self_crossing_names_the_segments():
    azimuth, angle = (np.array(x, float) for x in cases.REENTRANT)
    angle[[3, 6]] = angle[[6, 3]]                                          # a knot in the mouth
    with pytest.raises(RangeError, match=r"crosses itself: segments? \d+"):
        SplineRegion.through(azimuth, angle)
    w = np.arange(8) * np.pi / 4                                           # a figure of eight
    with pytest.raises(RangeError, match=r"crosses itself: segments \d and \d meet near"):
        SplineRegion.through(1 + 0.5 * np.cos(w + 0.2), 1.5 + 0.4 * np.sin(2 * w + 0.4), turns=0)
    with pytest.raises(RangeError, match=r"segment 0 meets itself"):       # a loop within one segment
        SplineRegion([0, 0.4, 2.5, 4.5], [1, 1, 1, 1], [3, 3, 1, 1], [1, -1, 0, 0])


def test_curves_that_nearly_cross_are_fine():
    gap = 0.002
    region = polygon((-1, -1), (1, -1), (1, 1), (gap, 1), (gap, -0.9), (-gap, -0.9), (-gap, 1), (-1, 1))
    assert region.area > 3
    assert cases.hook()[0].area > 0


def test_arcs_and_lines():
    with pytest.raises(RangeError, match=r"segment 1 ends at \(1, 1\) but segment 2 starts at \(0.9, 1\): a gap"):
        ArcLineRegion([PlaneLine((0, 0), (1, 0)), PlaneLine((1, 0), (1, 1)), PlaneLine((0.9, 1), (0, 0))])
    with pytest.raises(RangeError, match=r"segment 1 ends at .* but segment 0 starts at"):
        ArcLineRegion([PlaneLine((0, 0), (1, 0)), PlaneArc((0.5, 0), 0.5, 0, 3)])
    with pytest.raises(RangeError, match="segments 1 and 3 meet near"):
        polygon((0, 0), (1, 0), (0, 1), (1, 1))
    with pytest.raises(RangeError, match=r"cusp.*segment 0"):
        ArcLineRegion([PlaneLine((0, 0), (1, 0)), PlaneLine((1, 0), (0, 0))])
    with pytest.raises(RangeError, match="meet near"):                     # a line through an arc
        ArcLineRegion([PlaneLine((0, 0), (1, 0)), PlaneArc((1, 0.5), 0.5, -np.pi / 2, np.pi / 2),
                       PlaneLine((1, 1), (1.4, -0.5)), PlaneLine((1.4, -0.5), (0, 0))])
    with pytest.raises(RangeError, match=r"touch|meet"):                    # a corner on an edge
        polygon((0, 0), (1, 0), (1, 1), (0.5, 0.0), (0, 1))
    with pytest.raises(RangeError, match="no length"):
        PlaneLine((0, 0), (0, 0))
    with pytest.raises(RangeError, match="radius = -1"):
        PlaneArc((0, 0), -1, 0, 1)
    with pytest.raises(RangeError, match="at most one turn"):
        PlaneArc((0, 0), 1, 0, 7)
    with pytest.raises(RangeError, match="segment 0 is 'x'"):
        ArcLineRegion(["x"])
    with pytest.raises(RangeError, match="no segments"):
        ArcLineRegion([])


def test_cones_and_triangles():
    with pytest.raises(RangeError, match="half_angle = 0"):
        ConeRegion((0, 0, 1), 0)
    with pytest.raises(RangeError, match="half_angle = 4"):
        ConeRegion((0, 0, 1), 4)
    with pytest.raises(RangeError, match=r"ConeRegion axis 0 is .* its length 2 is not 1"):
        ConeRegion((0, 0, 2), 1)
    with pytest.raises(RangeError, match="vertex 1 is"):
        TriangleRegion([(0, 0), (1.2, 0), (0, 1)], [(0, 1, 2)])
    with pytest.raises(RangeError, match=r"triangle 0 is \(0, 1, 3\)"):
        TriangleRegion([(0, 0), (0.2, 0), (0, 0.5)], [(0, 1, 3)])
    with pytest.raises(RangeError, match="has no area"):
        TriangleRegion([(0, 0), (0.2, 0), (0.4, 0)], [(0, 1, 2)])
    with pytest.raises(RangeError, match="more than one outline"):
        TriangleRegion([(0, 0), (0.2, 0), (0, 0.2), (-0.1, -0.1), (-0.3, -0.1), (-0.1, -0.4)], [(0, 1, 2), (3, 4, 5)])
    with pytest.raises(RangeError, match="passes vertex 0 twice"):
        TriangleRegion([(0, 0), (0.2, 0), (0, 0.2), (-0.2, 0), (0, -0.2)], [(0, 1, 2), (0, 3, 4)])
    with pytest.raises(RangeError, match="same side of edge"):
        TriangleRegion([(0, 0), (0.2, 0), (0, 0.2), (0.1, 0.3)], [(0, 1, 2), (0, 1, 3)])


def test_points_off_the_sphere():
    region = RectangleRegion((-0.5, 0.5), (-0.5, 0.5))
    for ask in (region.contains, region.distance, region.nearest, region.contact):
        with pytest.raises(RangeError, match=r"point 1 is .* its length 1.00001"):
            ask([[1, 0, 0], [1.00001, 0, 0]])
        with pytest.raises(RangeError, match="point 0"):
            ask([0.0, np.nan, 1.0])
        with pytest.raises(RangeError, match="shape"):
            ask([1.0, 0])
    assert region.contains([1 + 1e-7, 0, 0])                               # rounding is no error
    rom = RangeOfMotion(region, ConstantTwist(-1, 1))
    for ask in (rom.contains, rom.violation, rom.clamp, rom.swing_twist):
        with pytest.raises(RangeError, match=r"quaternion 0 is .* its length 2"):
            ask([2.0, 0, 0, 0])
    with pytest.raises(RangeError, match="matrix 0 is not a rotation"):
        rom.swing_twist(np.eye(3) * 2)
    with pytest.raises(RangeError, match="last: shape"):
        rom.violation_from([1.0, 0, 0, 0], [[1.0, 0, 0, 0], [1.0, 0, 0, 0]])
    with pytest.raises(RangeError, match="quat_PR"):
        RectangleRegion((0, 1), (0, 1), quat_PR=(1, 1, 0, 0))


def test_empty_batches_are_fine():
    region = RectangleRegion((-0.5, 0.5), (-0.5, 0.5))
    assert region.distance(np.empty((0, 3))).shape == (0,)
    assert region.nearest(np.empty((0, 3))).shape == (0, 3)


def test_ranges_and_twists():
    with pytest.raises(RangeError, match="a region expected"):
        RangeOfMotion("shoulder")
    with pytest.raises(RangeError, match="a twist expected"):
        RangeOfMotion(ConeRegion((0, 0, 1), 1), "free")
    with pytest.raises(RangeError, match=r"twist = \(1.0, -1.0\) is empty"):
        RangeOfMotion(ConeRegion((0, 0, 1), 1), (1, -1))
    assert RangeOfMotion(ConeRegion((0, 0, 1), 1), (-1, 1)).twist == ConstantTwist(-1, 1)
    assert RangeOfMotion(ConeRegion((0, 0, 1), 1)).twist == FreeTwist()
    with pytest.raises(RangeError, match="is empty"):
        ConstantTwist(1, -1)
    with pytest.raises(RangeError, match="not finite"):
        ConstantTwist(np.nan, 1)


def test_files(tmp_path):
    with pytest.raises(RangeError, match="unknown kind of region 'Blob'"):
        Region.from_dict({"kind": "Blob"})
    with pytest.raises(RangeError, match="no field 'r'"):
        Region.from_dict({"kind": "ConeRegion", "r": 1})
    with pytest.raises(RangeError, match=r"ConeRegion: .*half_angle"):
        Region.from_dict({"kind": "ConeRegion", "axis": [0, 0, 1]})
    with pytest.raises(RangeError, match="unknown kind of twist"):
        Twist.from_dict({"kind": "Blob"})
    with pytest.raises(RangeError, match="swing, twist and bone"):
        RangeOfMotion.from_dict({"swong": 1})
    path = tmp_path / "x.json"
    path.write_text("{")
    with pytest.raises(RangeError, match=r"x\.json: not JSON"):
        RangeOfMotion.load(path)
    path.write_text(json.dumps({"swing": {"kind": "ConeRegion", "axis": [0, 0, 1], "half_angle": -1}}))
    with pytest.raises(RangeError, match=r"x\.json: ConeRegion half_angle"):
        RangeOfMotion.load(path)
