"""Poses: decomposition, clamp, violation and its axes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata.rom import (
    Bone,
    BoundaryTwist,
    ConeRegion,
    ConstantTwist,
    EllipseRegion,
    FixedTwist,
    FreeTwist,
    PrismTwist,
    RangeOfMotion,
    RectangleRegion,
    Region,
    bend_of,
    bend_twist_of_quat,
    swing_twist_of_matrix,
    swing_twist_of_quat,
)
from tests.rom import cases, oracle
from tests.rom.poses import bones, pose_at, random_quats, rotation, wxyz


def boundary_twist(region, seed=0, **poles):
    draw = np.random.default_rng(seed)
    n = region.segments
    return BoundaryTwist(-1.2 + 0.5 * draw.uniform(-1, 1, n), 1.0 + 0.8 * draw.uniform(-1, 1, n), **poles)


def ranges():
    smooth, reentrant, outside = cases.smooth()[0], cases.reentrant()[0], cases.pole_outside()[0]
    both = cases.pole_outside(clockwise=True)[0]
    rectangle = RectangleRegion((-0.36, 0.18), (-0.09, 1.4))
    triangles = cases.triangles()[0]
    return {
        "spline": RangeOfMotion(smooth, boundary_twist(smooth, 1, pole=(-1.0, 1.5))),
        "re-entrant": RangeOfMotion(reentrant, boundary_twist(reentrant, 2, pole=(-1.0, 1.5))),
        "pole outside": RangeOfMotion(outside, boundary_twist(outside, 3)),
        "both poles": RangeOfMotion(both, boundary_twist(both, 4, pole=(-1.0, 1.5), antipole=(-0.5, 2.0))),
        "rectangle": RangeOfMotion(rectangle, boundary_twist(rectangle, 5, pole=(-0.2, 0.4))),
        "oval, constant": RangeOfMotion(cases.CASES["oval, tall"]()[0], ConstantTwist(-0.5, 0.8)),
        "ellipse, fixed": RangeOfMotion(EllipseRegion((-0.4, 0.2), (-0.1, 1.4)).with_bone(Bone.Z), FixedTwist()),
        "cone, wrapping": RangeOfMotion(ConeRegion((0, 0.6, 0.8), 2.0), ConstantTwist(2.0, 4.5)),
        "cone, free": RangeOfMotion(ConeRegion((0, 0.6, 0.8), 1.0), FreeTwist()),
        "triangles": RangeOfMotion(triangles, PrismTwist([-1, -0.5, -0.8, -0.9, -1, -0.2], [1, 0.5, 0.8, 0.9, 1, 0.3])),
        "another bone": RangeOfMotion(cases.notch()[0], ConstantTwist(-1, 1), bone=(0.6, 0, 0.8)),
    }


RANGES = ranges()


# ------------------------------------------------------- decomposition


@pytest.mark.parametrize("bone", [(1, 0, 0), (0, 0, 1), (0.36, -0.48, 0.8)])
def test_swing_and_twist_from_quaternion_and_matrix(bone):
    q = random_quats(2000)
    c, twist = swing_twist_of_quat(q, bone)
    assert np.abs(c - bones(q, bone)).max() < 1e-14
    back = rotation(pose_at(c, bone, twist))
    assert (back * rotation(q).inv()).magnitude().max() < 1e-12
    cm, tm = swing_twist_of_matrix(rotation(q).as_matrix(), bone)
    assert np.abs(cm - c).max() < 1e-14
    least = np.linalg.norm(c + np.array(bone), axis=1).min()
    assert np.abs(np.exp(1j * tm) - np.exp(1j * twist)).max() < 1e-9 / least**2
    assert np.abs(swing_twist_of_quat(-q, bone)[1] - twist).max() < 1e-15
    bend, part = bend_twist_of_quat(q, bone)
    assert ((rotation(bend) * rotation(part)) * rotation(q).inv()).magnitude().max() < 1e-14
    assert np.abs(rotation(part).apply(bone) - bone).max() < 1e-14
    assert np.abs(bend_of(c, bone) - rotation(bend).as_matrix()).max() < 1e-11 / least


def test_decomposition_at_rest_and_near_half_a_turn():
    e = (1.0, 0, 0)
    c, twist = swing_twist_of_quat([1.0, 0, 0, 0], e)
    assert (c == e).all()
    assert twist == 0
    assert swing_twist_of_matrix(np.eye(3), e)[1] == 0
    assert np.abs(bend_of(e, e) - np.eye(3)).max() == 0
    for near in (1e-3, 1e-6):
        q = pose_at(np.array([-np.cos(near), np.sin(near), 0]), e, 0.7)[0]
        assert abs(swing_twist_of_quat(q, e)[1] - 0.7) < 1e-14 / near
        assert abs(swing_twist_of_matrix(rotation(q).as_matrix(), e)[1] - 0.7) < 1e-14 / near**2
    assert np.isfinite(swing_twist_of_quat([0.0, 0, 1, 0], e)[1])


# ------------------------------------------------------- clamp


@pytest.mark.parametrize("name", RANGES)
def test_clamp(name):
    rom = RANGES[name]
    e = rom.bone_axis
    q = random_quats(4000, 3)
    held = rom.clamp(q)
    inside = rom.contains(q)
    assert inside.any() or name == "ellipse, fixed"
    assert rom.contains(held).all()
    assert (held[inside] == q[inside]).all()
    assert (rom.clamp(held) == held).all()
    assert (np.sum(held * q, 1) >= -1e-12).all()
    c, d = bones(q, e), bones(held, e)
    assert np.abs(oracle.angle(c, d) - np.maximum(-rom.swing.distance(c), 0)).max() < 1e-12        # least swing
    before, after = swing_twist_of_quat(q, e)[1], swing_twist_of_quat(held, e)[1]
    low, high = rom.twist_limits(d)
    turn = lambda x: (x + np.pi) % (2 * np.pi) - np.pi
    kept = np.abs(turn(before - (low + high) / 2)) <= (high - low) / 2
    assert np.abs(turn(after - before))[kept].max(initial=0) < 1e-9                             # twist kept if allowed
    moved = np.minimum(np.abs(turn(after - low)), np.abs(turn(after - high)))[~kept]
    assert moved.max(initial=0) < 1e-9                                                         # else at its limit
    single = rom.clamp(q[0])
    assert np.abs(single - held[0]).max() < 1e-14
    m = rom.clamp_matrix(rotation(q[:50]).as_matrix())
    assert np.abs(m - rotation(held[:50]).as_matrix()).max() < 1e-12


def test_clamp_by_the_papers_formulas():
    """Yamaguchi 2009, eq. 41 to 46, for a bone along x."""
    rom = RANGES["rectangle"]
    q = random_quats(500, 9)
    d = rom.swing.nearest(bones(q, (1, 0, 0)))
    psi = swing_twist_of_quat(q, (1, 0, 0))[1]
    low, high = rom.twist_limits(d)
    middle, half = (low + high) / 2, (high - low) / 2
    psi = middle + np.clip((psi - middle + np.pi) % (2 * np.pi) - np.pi, -half, half)
    x, y, z = d.T
    root = np.sqrt(2 * (1 + x))
    q1 = np.stack([np.sqrt((1 + x) / 2), 0 * x, -z / root, y / root], 1)
    q2 = np.stack([np.cos(psi / 2), np.sin(psi / 2), 0 * x, 0 * x], 1)
    expected = rotation(q1) * rotation(q2)
    assert (rotation(rom.clamp(q)) * expected.inv()).magnitude().max() < 1e-9


# ------------------------------------------------------- violation


@pytest.mark.parametrize("name", RANGES)
def test_axes_are_derivatives_of_the_depths(name):
    rom = RANGES[name]
    e = rom.bone_axis
    q = random_quats(6000, 4)
    v = rom.violation(q)
    c = bones(q, e)
    assert np.abs(v.swing_depth + rom.swing.distance(c)).max() < 1e-13
    assert np.abs(np.linalg.norm(v.swing_axis, axis=1) - 1).max() < 1e-12
    half = lambda x: np.linalg.norm(bones(x, e) + e, axis=1) / 2
    h, swing, twist = 1e-6, [], []
    for axis in np.eye(3):
        a, b = (wxyz(Rotation.from_rotvec(k * h * axis) * rotation(q)) for k in (1, -1))
        va, vb = rom.violation(a), rom.violation(b)
        swing.append((vb.swing_depth - va.swing_depth) / (2 * h))
        twist.append((vb.twist_depth / half(b) - va.twist_depth / half(a)) / (2 * h) * half(q))
    swing, twist = np.stack(swing, 1), np.stack(twist, 1)
    smooth = np.abs(np.linalg.norm(swing, axis=1) - 1) < 1e-4                     # not within 1e-6 of the medial axis
    assert smooth.mean() > 0.999
    assert np.abs(swing - v.swing_axis)[smooth].max() < 1e-6
    inside = (v.swing_depth < -1e-3) & (v.twist_depth > 1e-5) & (half(q) > 0.05) & smooth
    error = np.abs(twist - v.twist_axis).max(1)[inside]
    assert np.sort(error)[:max(len(error) - 3, 0)].max(initial=0) < 1e-6          # a few straddle a kink of the limits
    # outside, and within both limits, the limits are taken to stay still: the half vector
    still = (v.swing_depth > 0) | (v.twist_depth < 0)
    hv = cases.unit(c + e)
    assert np.abs(np.abs(np.sum(v.twist_axis * hv, 1)) - 1)[still & (half(q) > 1e-3)].max() < 1e-9


def test_contains_agrees_with_violation():
    for rom in RANGES.values():
        q = random_quats(3000, 6)
        v = rom.violation(q)
        clear = (np.abs(v.swing_depth) > 1e-9) & (np.abs(v.twist_depth) > 1e-9)
        assert (rom.contains(q) == ((v.swing_depth < 0) & (v.twist_depth < 0)))[clear].all()
        assert rom.contains(q[0]) == rom.contains(q)[0]


def test_axes_on_the_boundary_are_unit_and_lead_in():
    for case in cases.CASES.values():
        region = case()[0]
        b = region.at(np.linspace(0.013, region.segments - 0.1, 57))
        _, _, axis = region.contact(b)
        assert np.abs(np.linalg.norm(axis, axis=1) - 1).max() < 1e-9
        step = 1e-3 * min(1, region.area, 4 * np.pi - region.area) ** 0.5
        further = cases.unit(b + step * np.cross(axis, b))
        assert (region.distance(further) > 0).mean() > 0.95
        _, _, axis = region.contact(region.knots)
        assert np.abs(np.linalg.norm(axis, axis=1) - 1).max() < 1e-9


# ------------------------------------------------------- frames and files


def test_bone_conventions():
    region = RectangleRegion((-0.36, 0.18), (-0.09, 1.4))
    on_z = region.with_bone(Bone.HANAOKA)
    assert np.abs(region.bone - [1, 0, 0]).max() == 0
    assert np.abs(on_z.bone - [0, 0, 1]).max() < 1e-15
    assert Bone.YAMAGUCHI is Bone.X
    assert Bone.HANAOKA is Bone.Z
    p = cases.random_points(np.random.default_rng(0), 500)
    assert np.abs(region.distance(p) - on_z.distance(p[:, [1, 2, 0]])).max() < 1e-14     # (x, y, z) to (z, x, y)
    assert np.abs(on_z.with_bone(Bone.X).distance(p) - region.distance(p)).max() == 0
    s, t = -p[:, 2] / (p[:, 0] + 1), p[:, 1] / (p[:, 0] + 1)
    assert (region.contains(p) == ((s >= -0.36) & (s <= 0.18) & (t >= -0.09) & (t <= 1.4))).all()
    spline = cases.smooth()[0]
    assert np.abs(spline.bone - [0, 0, 1]).max() == 0
    assert np.abs(spline.with_bone(Bone.X).bone - [1, 0, 0]).max() < 1e-15


def test_files(tmp_path):
    for k, rom in enumerate(RANGES.values()):
        path = tmp_path / f"{k}.json"
        rom.save(path)
        assert RangeOfMotion.load(path) == rom
    for k, case in enumerate(cases.CASES.values()):
        region = case()[0]
        path = tmp_path / f"region{k}.json"
        region.save(path)
        again = Region.load(path)
        assert again == region
        assert (again.flat == region.flat).all()
