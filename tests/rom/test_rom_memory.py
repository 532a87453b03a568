"""Memory of the last pose: passing through a thin part in one step (Hanaoka 2010, fig. 3.3)."""

import numpy as np
import pytest

from hitogata.rom import ConeRegion, ConstantTwist, RangeOfMotion
from tests.rom import cases, oracle
from tests.rom.poses import bones, pose_at

CASES = {"re-entrant": cases.reentrant, "notch": cases.notch, "hook": cases.hook, "triangles": cases.triangles,
         "dent": cases.CASES["arcs and lines, with a dent"]}


def first_exit(region, a, b, steps=2000):
    """Angle after which the short way from a to b first leaves the region, by walking it; infinite if it does not."""
    whole = oracle.angle(a, b)
    k = np.linspace(0, 1, steps + 1)
    out = np.full(len(a), np.inf)
    for i in range(len(a)):
        x = (np.sin((1 - k) * whole[i])[:, None] * a[i] + np.sin(k * whole[i])[:, None] * b[i]) / np.sin(whole[i])
        outside = region.distance(cases.unit(x)) < 0
        if outside.any():
            out[i] = np.argmax(outside) / steps * whole[i]
    return out, whole / steps


@pytest.mark.parametrize("name", CASES)
def test_leaving_on_the_way_is_a_violation(name):
    region = CASES[name]()[0]
    rom = RangeOfMotion(region)
    e = rom.bone_axis
    rng = np.random.default_rng(1)
    a, b = cases.random_points(rng, 4000), cases.random_points(rng, 4000)
    b[::2] = region.nearest(b[::2])                                       # many that are allowed, at the wall
    b[::4] = cases.unit(b[::4] + 0.02 * a[::4])
    use = (region.distance(a) > 2e-3) & (np.abs(region.distance(b)) > 1e-9)
    a, b = a[use][:600], b[use][:600]
    v = rom.violation_from(pose_at(a, e), pose_at(b, e))
    leaves, step = first_exit(region, a, b)
    held = v.swing_depth > 0
    clear = np.isfinite(leaves) == held                                   # the walk may step over a grazing touch
    assert clear.mean() > 0.99
    assert held[np.isfinite(leaves)].all()
    inside = region.distance(b) > 0
    assert (v.passed == (held & inside)).all()
    assert v.passed.sum() > 3
    at = bones(v.quat_held, e)
    assert region.contains(cases.unit(at)).all()
    where = oracle.angle(at, a)
    passed = v.passed & clear
    assert (np.abs(where - leaves)[passed] < 1.01 * step[passed] + 1e-9).all()      # at the first crossing
    assert np.abs(region.distance(cases.unit(at[passed]))).max() < 1e-10
    assert np.abs(oracle.angle(at, b) - v.swing_depth)[held].max() < 1e-9
    back = np.cross(v.swing_axis, b)
    assert (np.sum(back * (at - b), 1)[held & (v.swing_depth < 3)] > 0).all()       # the axis leads back
    assert np.abs(v.quat_held[~held] - pose_at(b, e)[~held]).max() < 1e-12


def test_pass_through_a_thin_notch_in_one_step():
    region = cases.notch()[0]
    rom = RangeOfMotion(region)
    a, b = (cases.unit(oracle.on_sphere(np.array(s), np.array(0.6))) for s in (-0.1, 0.1))
    assert region.contains(a)
    assert region.contains(b)
    assert rom.contains(pose_at(b, rom.bone_axis)[0])                     # without memory nothing is wrong
    v = rom.violation_from(pose_at(a, rom.bone_axis)[0], pose_at(b, rom.bone_axis)[0])
    assert v.passed
    assert v.swing_depth > 0.05
    at = bones(v.quat_held, rom.bone_axis)
    s = -at[2] / (1 + at[0])
    assert -0.05 < s < 0                                                  # on the near wall
    # and it stays there while the pose stays beyond; going back sets it free
    again = rom.violation_from(v.quat_held, pose_at(b, rom.bone_axis)[0])
    assert again.swing_depth > 0.05
    free = rom.violation_from(v.quat_held, pose_at(a, rom.bone_axis)[0])
    assert free.swing_depth < 0


def test_outside_it_is_held_by_the_near_wall():
    """Just before the far wall of the notch: without memory it would be pulled to the far side."""
    region = cases.notch()[0]
    rom = RangeOfMotion(region)
    e = rom.bone_axis
    a = oracle.on_sphere(np.array(-0.1), np.array(0.6))
    b = oracle.on_sphere(np.array(0.03), np.array(0.6))
    assert not region.contains(b)
    near = bones(rom.violation_from(pose_at(a, e)[0], pose_at(b, e)[0]).quat_held, e)
    far = region.nearest(b)
    assert -near[2] < 0 < -far[2]
    # the held point is the nearest of the near wall: the pull is at right angles to it
    wall = region.at(np.array([4.0, 5.0]))
    axis = np.cross(wall[0], wall[1])
    assert abs(np.dot(np.cross(near, b), axis)) > 0


def test_sliding_along_a_dent_is_free():
    """Small steps along a wall that bulges into the region leave it on the way, but are no passing through."""
    region = cases.CASES["arcs and lines, with a dent"]()[0]
    rom = RangeOfMotion(region)
    e = rom.bone_axis
    path = region.at(np.linspace(3.1, 3.9, 60))                          # the dent
    _, _, axis = region.contact(path)
    path = cases.unit(path + 1e-6 * np.cross(axis, path))
    last = pose_at(region.at(3.1), e)[0]
    for p in path[1:]:
        v = rom.violation_from(last, pose_at(p, e)[0])
        assert not v.passed
        last = v.quat_held
    assert oracle.angle(bones(last, e), path[-1]) < 1e-5


def test_pushing_along_a_curved_wall_slides():
    """A joint pushed outward and sideways moves along the wall: the held point follows the nearest place."""
    region = ConeRegion((0, 0, 1), 0.8)
    rom = RangeOfMotion(region)
    e = rom.bone_axis
    last = pose_at(region.at(0.0), e)[0]
    for u in np.linspace(0, 2, 40):
        p = cases.unit(region.at(u) - 0.1 * e)
        v = rom.violation_from(last, pose_at(p, e)[0])
        last = v.quat_held
        assert abs(v.swing_depth + region.distance(p)) < 1e-9
        assert np.abs(bones(last, e) - region.nearest(p)).max() < 1e-9


def test_twist_is_counted_on():
    rom = RangeOfMotion(ConeRegion((0, 0, 1), 0.8), ConstantTwist(-2.0, 2.0))
    e = rom.bone_axis
    last, now = (pose_at(np.array([0, 0.1, 1]) / np.hypot(0.1, 1), e, t)[0] for t in (1.9, 3.5))
    v = rom.violation_from(last, now)
    h = np.linalg.norm(bones(now, e) + e) / 2
    assert abs(v.twist_depth / h - 1.5) < 1e-12                          # beyond the upper limit, not before the lower
    assert abs(rom.violation(now).twist_depth / h - (2 * np.pi - 3.5 - 2)) < 1e-12
    assert abs(rom.swing_twist(v.quat_held)[1] - 2.0) < 1e-12
