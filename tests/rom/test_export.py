"""Ranges in other engines' forms: exact where the form can say it, and honest where it cannot."""

import json

import numpy as np
import pytest

from hitogata.errors import ArgumentError, RangeError
from hitogata.rom import (
    BoundaryTwist,
    ConeRegion,
    ConstantTwist,
    EllipseRegion,
    RangeOfMotion,
    RectangleRegion,
    SplineRegion,
)
from hitogata.rom.export import Target, export_range, range_from_euler, rectangle_from_euler, rotation_grid, short_turn
from hitogata.rom.export_forms import EulerBox, Measure, MujocoBall, SwingEllipse, SwingPyramid, euler_angles
from hitogata.spatial import quat_exp, quat_multiply, quat_rotate

CONE = RangeOfMotion(ConeRegion((1.0, 0.0, 0.0), 0.8), ConstantTwist(-0.5, 0.7))


def test_cone_is_exact_for_cone_ellipse():
    for target in (Target.CONE, Target.ELLIPSE):
        e = export_range(CONE, target)
        assert e.wrongly_allowed + e.wrongly_forbidden < 0.02 * e.area
        assert e.share_wrongly_allowed + e.share_wrongly_forbidden < 0.04 * e.share
        np.testing.assert_allclose(e.form.twist, (-0.5, 0.7), atol=0.02)
    assert abs(export_range(CONE, Target.CONE).form.half_angle - 0.8) < 0.01


def test_turned_cone_moves_the_joint_frame():
    turn = quat_exp(np.array([0.1, 0.9, -0.5]))
    axis = quat_rotate(turn, np.array([1.0, 0.0, 0.0]))
    r = RangeOfMotion(ConeRegion(tuple(axis), 0.6), ConstantTwist(-0.4, 0.4), (0.0, 0.0, 1.0))
    e = export_range(r, Target.CONE)
    np.testing.assert_allclose(quat_rotate(np.array(e.form.quat_PJ), [1.0, 0, 0]), axis, atol=0.02)
    assert e.wrongly_allowed + e.wrongly_forbidden < 0.03 * e.area
    held = export_range(r, Target.CONE, centred=False)
    assert held.wrongly_allowed + held.wrongly_forbidden > e.wrongly_allowed + e.wrongly_forbidden
    # at the pose where the two joint frames meet, the engine sees no rotation
    rest = short_turn(np.array([0.0, 0.0, 1.0]), quat_rotate(np.array(e.form.quat_PJ), [1.0, 0, 0]))
    np.testing.assert_allclose(np.abs(e.form.in_joint(rest)[0]), [1, 0, 0, 0], atol=1e-12)


def test_jolt_pyramid_is_the_rectangle():
    y, z = (-0.8, 0.6), (-0.4, 1.2)
    r = range_from_euler((-0.5, 0.7), y, z)
    e = export_range(r, Target.PYRAMID, measure=Measure.TANGENT, centred=False)
    assert e.wrongly_allowed + e.wrongly_forbidden < 0.02 * e.area
    form = SwingPyramid(y=y, z=z, twist=(-0.5, 0.7), measure=Measure.TANGENT)
    q = rotation_grid(20_000)
    np.testing.assert_array_equal(form.allows(q), r.contains(q))


def test_physx_ellipse_formula():
    """Along its own axes the ellipse ends at y and z, in each measure."""
    for measure in Measure:
        form = SwingEllipse(y=0.5, z=1.1, measure=measure)
        for axis, limit in (((0, 1.0, 0), 0.5), ((0, 0, 1.0), 1.1)):
            for k, expect in ((0.999, True), (1.001, False)):
                assert form.allows(quat_exp(np.array(axis) * limit * k))[0] == expect


def test_mujoco_angle():
    e = export_range(RangeOfMotion(ConeRegion((1.0, 0.0, 0.0), 0.8), ConstantTwist(-0.8, 0.8)), Target.MUJOCO)
    assert isinstance(e.form, MujocoBall)
    assert 0.7 < e.form.angle < 1.1
    assert e.share_wrongly_allowed > 0.0
    assert 'type="ball"' in e.form.xml()
    assert e.form.allows(quat_exp(np.array([0.0, 0.0, e.form.angle * 0.99])))[0]


def test_mujoco_itself_agrees():
    """MuJoCo's own limit row appears exactly beyond the exported angle."""
    mujoco = pytest.importorskip("mujoco")
    form = MujocoBall(angle=0.7)
    xml = f"""<mujoco><worldbody><body><joint {form.xml()}/><geom size=".1"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    for k, expect in ((0.99, 0), (1.01, 1)):
        data.qpos[:] = quat_exp(np.array([0.3, -0.4, 0.5]) / np.sqrt(0.5) * 0.7 * k)
        mujoco.mj_forward(model, data)
        assert data.nefc == expect
        assert form.allows(np.array(data.qpos))[0] == (expect == 0)


def test_euler_box_round():
    x, y, z = (-0.3, 0.4), (-0.5, 0.7), (-0.6, 0.2)
    q = rotation_grid(30_000)
    a = euler_angles(q)
    back = [quat_exp(np.outer(a[:, k], np.eye(3)[k])) for k in range(3)]
    again = quat_multiply(back[2], quat_multiply(back[1], back[0]))
    np.testing.assert_allclose(np.abs((again * q).sum(1)), 1.0, atol=1e-12)
    box = EulerBox(x=x, y=y, z=z)
    e = export_range(range_from_euler(x, y, z), Target.EULER)
    for name in "xyz":
        np.testing.assert_allclose(getattr(e.form, name), getattr(box, name), atol=0.12)
    assert rectangle_from_euler(y, z) == RectangleRegion(tuple(np.tan(np.array(y) / 2)), tuple(np.tan(np.array(z) / 2)))
    # on the axes Euler limits and the rectangle are the same
    for angle in (y[0], y[1]):
        c = quat_rotate(quat_exp(np.array([0.0, angle, 0.0])), [1.0, 0, 0])
        assert abs(rectangle_from_euler(y, z).distance(c)) < 1e-12


def test_errors_are_measured():
    """The report agrees with a count of its own, on other points."""
    spline = SplineRegion.through(np.radians([0, 60, 120, 180, 240, 300]), np.radians([70, 30, 80, 100, 40, 60]))
    r = RangeOfMotion(spline, BoundaryTwist(np.full(6, -0.7), np.linspace(0.2, 0.9, 6), (-1.0, 0.3)))
    rng = np.random.default_rng(0)
    p = rng.normal(size=(40_000, 3))
    p /= np.linalg.norm(p, axis=1)[:, None]
    inside = spline.contains(p)
    wrong = {}
    for target in Target:
        e = export_range(r, target)
        theirs = e.form.allows_bone(p)
        assert abs((theirs & ~inside).mean() * 4 * np.pi - e.wrongly_allowed) < 0.12
        assert abs((inside & ~theirs).mean() * 4 * np.pi - e.wrongly_forbidden) < 0.12
        wrong[target] = e.wrongly_allowed + e.wrongly_forbidden
        assert json.loads(json.dumps(e.to_dict()))["form"]["form"] == type(e.form).__name__
        assert "sr wrongly allowed" in str(e)
    assert wrong[Target.ELLIPSE] <= wrong[Target.CONE] + 0.05


def test_ellipse_region_to_ellipse():
    r = RangeOfMotion(EllipseRegion((-0.3, 0.3), (-0.6, 0.6)), ConstantTwist(-1.0, 1.0))
    e = export_range(r, Target.ELLIPSE)
    assert e.wrongly_allowed + e.wrongly_forbidden < 0.06 * e.area
    np.testing.assert_allclose(sorted([e.form.y, e.form.z]), 2 * np.arctan([0.3, 0.6]), atol=0.05)


def test_bad_input():
    with pytest.raises(ArgumentError, match="a Target expected"):
        export_range(CONE, "cone")
    with pytest.raises(ArgumentError, match="only ELLIPSE and PYRAMID"):
        export_range(CONE, Target.CONE, measure=Measure.SINE)
    with pytest.raises(ArgumentError, match="within ±π"):
        rectangle_from_euler((-4.0, 1.0), (-1.0, 1.0))
    with pytest.raises(RangeError, match="is empty"):
        rectangle_from_euler((1.0, -1.0), (-1.0, 1.0))
