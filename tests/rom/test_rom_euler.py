"""Boxes of Euler angles and of components of the bend's quaternion."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata.errors import RangeError
from hitogata.rom import (
    Beyond,
    EulerOrder,
    EulerRegion,
    EulerTwist,
    QuaternionRegion,
    RangeOfMotion,
    RectangleRegion,
    Target,
    export_range,
)
from hitogata.rom.decompose import swing_twist_of_quat
from hitogata.rom.euler import clamp_angles, clamp_components
from tests.rom import cases, oracle
from tests.rom.poses import bones, random_quats, rotation, wxyz

PAPER = np.deg2rad((-40, 20)), np.deg2rad((-10, 110))


def to_half_turn(angle, middle):
    return (angle - middle + np.pi) % (2 * np.pi) - np.pi


@pytest.mark.parametrize(("order", "letters"), [(EulerOrder.YZX, "YZX"), (EulerOrder.ZYX, "ZYX")])
def test_a_range_of_euler_angles_by_scipys_angles(order, letters):
    y, z, x = (-0.7, 0.4), (-0.3, 1.2), (-0.5, 0.9)
    rom = RangeOfMotion(EulerRegion(y, z, order), EulerTwist(*x, order))
    q = random_quats(20_000, 3)
    angles = dict(zip(letters, rotation(q).as_euler(letters).T, strict=True))
    inside = np.all([abs(to_half_turn(angles[k], sum(r) / 2)) <= np.ptp(r) / 2 for k, r in zip("YZX", (y, z, x),
                                                                                              strict=True)], axis=0)
    assert inside.sum() > 100
    assert (rom.contains(q) == inside).all()
    assert rom.contains(rom.clamp(q)).all()


@pytest.mark.parametrize("longitude", [np.deg2rad((-40, 20)), (0.2, 1.9)])
def test_a_range_through_the_pole_is_the_image_of_its_angles(longitude):
    region = EulerRegion(longitude, PAPER[1], beyond="through")
    rom = RangeOfMotion(region, EulerTwist(-0.4, 0.3))
    rng = np.random.default_rng(0)
    box = np.array([longitude, PAPER[1], (-0.4, 0.3)])
    angles = rng.uniform(box[:, 0] - 0.4, box[:, 1] + 0.4, (20_000, 3))
    q = wxyz(Rotation.from_euler("YZX", angles))
    inside = ((angles >= box[:, 0]) & (angles <= box[:, 1])).all(1)
    assert rom.contains(q)[inside].all()
    depth = np.abs(angles[:, 1] - np.pi / 2) > 0.5                       # near the pole angles are near each other
    near = depth & ~inside & (angles[:, 1] > 0.4)
    assert not rom.contains(q)[near].any()


def test_gradient_of_limits():
    rom = RangeOfMotion(EulerRegion((-1.0, 1.2), (-1.3, 1.1)), EulerTwist(-0.2, 0.3))
    q = random_quats(2000, 1)
    q = q[(rom.swing.distance(bones(q, (1, 0, 0))) > 0.02) & (np.abs(swing_twist_of_quat(q, (1, 0, 0))[1]) < 2.0)]
    q = q[rom.violation(q).twist_depth > 1e-3]                                # the row within the limits is another
    v, e = rom.violation(q), 1e-6
    cos = np.sqrt((1 + bones(q, (1, 0, 0))[:, 0]) / 2)

    def depth(turned):
        return rom.violation(turned).twist_depth / np.sqrt((1 + bones(turned, (1, 0, 0))[:, 0]) / 2)

    for axis in np.eye(3):
        more, less = (wxyz(Rotation.from_rotvec(s * e * axis) * rotation(q)) for s in (1, -1))
        rate = cos * (depth(more) - depth(less)) / (2 * e)
        assert len(q) > 100
        assert np.abs(rate + v.twist_axis @ axis).max() < 1e-6


def test_small_boxes_are_about_the_rectangle_of_the_plane():
    """Yamaguchi 2009, 2.2: s = tan(y/2), t = tan(z/2) carries small limits over."""
    y, z = np.deg2rad((-8, 4)), np.deg2rad((-2, 6))
    plane = RectangleRegion(np.tan(y / 2), np.tan(z / 2))
    for region in (EulerRegion(y, z), QuaternionRegion(np.sin(y / 2), np.sin(z / 2))):
        assert np.abs(plane.distance(region.boundary(400))).max() < 1e-3
        assert abs(region.area / plane.area - 1) < 0.01


def test_angles_brought_to_their_limits_go_a_long_way_round_near_the_pole():
    region = EulerRegion(np.deg2rad((-40, 20)), np.deg2rad((-10, 80)))
    p = region.direction(np.deg2rad(190.0), np.deg2rad(10.0))                   # behind: over the pole is nearer
    exact, cheap = oracle.angle(region.nearest(p), p), oracle.angle(clamp_angles(region, p), p)
    assert exact < np.deg2rad(91) < np.deg2rad(126) < cheap
    assert region.distance(clamp_angles(region, cases.random_points(np.random.default_rng(0), 1000))).min() > -1e-12


def test_components_brought_to_their_limits_are_not_nearest():
    region = QuaternionRegion((-0.3, 0.2), (-0.1, 0.9))
    p = cases.random_points(np.random.default_rng(0), 5000)
    held = clamp_components(region, p)
    assert region.distance(held).min() > -1e-12
    more = oracle.angle(held, p) - oracle.angle(region.nearest(p), p)
    assert more.min() > -1e-9
    assert more.max() > 0.3


@pytest.mark.parametrize("region", [EulerRegion(*PAPER, beyond=b) for b in Beyond] + [QuaternionRegion((-0.3, 0.1),
                                                                                                      (0.2, 0.5))])
def test_files(region, tmp_path):
    rom = RangeOfMotion(region, EulerTwist(-0.1, 0.2))
    rom.save(tmp_path / "range.json")
    again = RangeOfMotion.load(tmp_path / "range.json")
    assert again == rom
    assert (again.flat == rom.flat).all()


def test_exported_as_what_it_is():
    rom = RangeOfMotion(EulerRegion((-0.7, 0.4), (-0.3, 1.2), "zyx"), EulerTwist(-0.5, 0.9, "zyx"))
    export = export_range(rom, Target.EULER)
    assert export.wrongly_allowed + export.wrongly_forbidden < 0.01
    assert export.share_wrongly_allowed + export.share_wrongly_forbidden < 1e-3


@pytest.mark.parametrize(("make", "message"), [
    (lambda: EulerRegion((-4, 4), (0, 1)), "less than a turn"),
    (lambda: EulerRegion((0, 1), (-2, 2)), "both poles"),
    (lambda: EulerRegion((-2, 2), (0, 2), beyond="through"), "twice"),
    (lambda: EulerRegion((0, 1), (0, 1), "xyz"), "yzx, zyx expected, got 'xyz'"),
    (lambda: EulerRegion((0, 1), (1.2, 2.1), beyond="cap"), "all there is"),
    (lambda: QuaternionRegion((0, 0.8), (0, 0.8)), "no bend"),
    (lambda: RangeOfMotion(EulerRegion((0, 1), (0, 1)), EulerTwist(0, 1), bone=(0, 1, 0)), "x axis"),
])  # fmt: skip
def test_bad_boxes(make, message):
    with pytest.raises(RangeError, match=message):
        make()
