"""Twist limits with a gap, against the definition of allowed twists on a fine circle."""

import numpy as np
import pytest

from hitogata.errors import RangeError
from hitogata.lanes import X1, X4, X8
from hitogata.rom import ConeRegion, MeshTwist, RangeOfMotion, SplineRegion, poses
from hitogata.rom.fit_mesh import Mesh
from hitogata.spatial import quat_exp, quat_multiply

VERTICES = [(-1.0, -1.0), (1.0, -1.0), (0.0, 1.2), (0.05, -0.1)]
TRIANGLES = [(0, 1, 3), (1, 2, 3), (2, 0, 3)]
TURN = 2 * np.pi
CASES = {
    "both": ([-2.4, -2.0, -1.8, -2.2], [2.3, 2.0, 1.9, 1.5], [0.3, -0.4, 0.2, 0.1], [0.6, -0.5, 0.4, 0.2]),
    "gap across the ends": (
        [-2.4, -2.0, -1.8, -2.2],
        [2.3, 2.0, 1.9, 1.5],
        [2.2, 1.8, -2.0, 2.0],
        [0.6, 0.5, 0.4, 0.7],
    ),
    "gap alone": ([-4.0] * 4, [4.0] * 4, [3.0, 3.3, 2.8, 3.1], [0.5, 0.9, 0.2, -0.3]),
    "some turns on": ([5.0, 5.5, 4.8, 5.2], [9.0, 9.2, 8.8, 9.5], [0.4, 0.6, 0.5, 0.7], [0.3, -0.2, 0.5, 0.4]),
    "gap takes all": ([-0.5] * 4, [0.5] * 4, [0.1] * 4, [2.0, 0.2, 0.3, 0.1]),
}


def range_of(name, region=None):
    low, high, middle, half = CASES[name]
    region = region or ConeRegion((0, 0, 1), 2.0)
    return RangeOfMotion(region, MeshTwist(low, high, VERTICES, TRIANGLES, middle, half))


def at_directions(name, p):
    """Low, high, middle and half width at directions, by the mesh's weights."""
    mesh = Mesh(np.array([0.0, 0.0, 1.0]), np.array(VERTICES), np.array(TRIANGLES))
    return [mesh.weights(p) @ np.array(x) for x in CASES[name]]


def allowed(name, p, twist):
    """By definition: within the interval, and not within the gap."""
    low, high, middle, half = at_directions(name, p)

    def off(angle, centre):
        return np.abs((angle - centre + np.pi) % TURN - np.pi)

    inside = (off(twist, (low + high) / 2) <= (high - low) / 2) | (high - low >= TURN)
    return inside & ~(off(twist, middle) < half)


def random_poses(n, seed):
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


@pytest.mark.parametrize("name", CASES)
def test_what_is_allowed(name):
    r, q = range_of(name), random_poses(20_000, 1)
    p, twist = r.swing_twist(q)
    truth = allowed(name, p, twist) & r.swing.contains(p)
    assert 0.01 < truth.mean() < 0.9
    assert (r.contains(q) == truth).mean() > 0.9999  # rounding at the limits


@pytest.mark.parametrize("name", ["both", "gap alone", "some turns on"])
def test_depth_is_the_way_to_the_nearest_allowed_twist(name):
    r, q = range_of(name), random_poses(300, 2)
    p, twist = r.swing_twist(q)
    q, p, twist = (x[r.swing.distance(p) > 1e-3] for x in (q, p, twist))
    circle = np.linspace(-np.pi, np.pi, 7201)[:-1]
    away = np.abs((circle - twist[:, None] + np.pi) % TURN - np.pi)
    free = allowed(name, np.repeat(p, len(circle), 0), np.tile(circle, len(p))).reshape(len(p), -1)
    to_free, to_banned = np.where(free, away, 9).min(1), np.where(~free, away, 9).min(1)
    truth = np.where(to_free < 2e-3, -to_banned, to_free)
    cos = np.linalg.norm(p + [0, 0, 1], axis=1) / 2
    depth = r.violation(q).twist_depth / cos
    outside = truth > 2e-3
    assert outside.sum() >= 15
    assert np.abs(depth - truth)[outside].max() < 2e-3
    assert (depth[~outside] < 2e-3).all()


@pytest.mark.parametrize("name", CASES)
def test_axes_by_finite_differences(name):
    """d(depth)/dt = −axis · ω, depth without its cos(θ/2), both sides times it."""
    r, rng = range_of(name), np.random.default_rng(3)
    q = random_poses(400, 3)
    p, _ = r.swing_twist(q)
    v = r.violation(q)
    use = (r.swing.distance(p) > 0.01) & (v.twist_depth > 0.01)
    q, p = q[use], p[use]
    omega, h = rng.normal(size=(len(q), 3)), 1e-6

    def depth(x):
        return r.violation(x).twist_depth / (np.linalg.norm(r.swing_twist(x)[0] + [0, 0, 1], axis=1) / 2)

    rate = (depth(quat_multiply(quat_exp(h * omega), q)) - depth(quat_multiply(quat_exp(-h * omega), q))) / (2 * h)
    told = -(r.violation(q).twist_axis * omega).sum(1) / (np.linalg.norm(p + [0, 0, 1], axis=1) / 2)
    good = np.abs(rate - told) < 1e-5 * (1 + np.abs(told))
    assert good.mean() > 0.97  # the others stand where a triangle or a side ends


@pytest.mark.parametrize("name", CASES)
def test_clamped_poses_are_allowed(name):
    r, q = range_of(name), random_poses(3000, 4)
    assert r.contains(r.clamp(q)).mean() > 0.999
    inside = r.contains(q)
    assert np.array_equal(r.clamp(q)[inside], q[inside])


def test_a_twist_does_not_jump_the_gap():
    """With memory the joint is held on the side it came from, however far it turns in a step."""
    r = range_of("both")
    last = quat_exp(np.array([0.0, 0.0, -0.9]))
    now = quat_exp(np.array([0.0, 0.0, 1.1]))
    assert r.contains(last)
    assert r.contains(now)
    held = r.violation_from(last, now)
    _, low_edge = r.swing_twist(held.quat_held)
    _, _, middle, half = at_directions("both", np.array([[0.0, 0.0, 1.0]]))
    assert half[0] > 0.1
    assert low_edge == pytest.approx(middle[0] - half[0], abs=1e-9)
    assert held.twist_depth == pytest.approx(1.1 - (middle[0] - half[0]), abs=1e-9)


@pytest.mark.parametrize(("width", "dtype"), [(X1, "f8"), (X4, "f8"), (X8, "f4")])
def test_every_width(width, dtype):
    from hitogata.lanes import aligned_zeros

    r, q = range_of("both"), random_poses(64, 5)
    expected = r.violation(q)
    out = np.empty((64, 8), dtype)
    work = aligned_zeros((2, 24 * width.n), np.dtype(dtype).type)
    poses.violation_rows(np.ascontiguousarray(q, dtype), r.flat if dtype == "f8" else r.flat32, out, work, width)
    far = np.abs(expected.twist_depth) > 1e-3
    tolerance = 1e-12 if dtype == "f8" else 2e-4
    assert np.abs(out[:, 4] - expected.twist_depth)[far].max() < tolerance


def test_file_and_bad_input(tmp_path):
    spline = SplineRegion.through(np.radians([0, 60, 120, 180, 240, 300]), np.radians([60, 40, 80, 110, 70, 50]))
    r = range_of("both", spline)
    r.save(tmp_path / "r.json")
    again, q = RangeOfMotion.load(tmp_path / "r.json"), random_poses(2000, 6)
    assert np.array_equal(r.contains(q), again.contains(q))
    assert np.array_equal(r.violation(q).twist_axis, again.violation(q).twist_axis)
    low, high, middle, half = CASES["both"]
    with pytest.raises(RangeError, match=r"4 vertices need as many gap_middle and gap_half.*got 2 and 4"):
        MeshTwist(low, high, VERTICES, TRIANGLES, middle[:2], half)
    with pytest.raises(RangeError, match="got 4 and 3"):
        MeshTwist(low, high, VERTICES, TRIANGLES, middle, half[:3])
    with pytest.raises(RangeError, match="not finite"):
        MeshTwist(low, high, VERTICES, TRIANGLES, [np.nan, 0, 0, 0], half)
