"""Ranges from poses: Jiang and Liu's learned arm, made-up ranges, tracks, outliers, bad input."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from hitogata.errors import ArgumentError, RangeError
from hitogata.rom import BoundaryTwist, RangeOfMotion, SplineRegion
from hitogata.rom.fit import RangeFit, TwistForm, fit_range
from hitogata.rom.fit_boundary import boundary_weights
from hitogata.rom.fit_cloud import filled, lonely
from hitogata.rom.fit_swing import loops, sphere_grid
from hitogata.rom.meshtwist import MeshTwist, directions_of_disc, disc_of_directions
from hitogata.spatial import quat_exp, quat_multiply, quat_to_matrix
from tests.reference import reference

SPLINE = SplineRegion.through(np.radians([0, 60, 120, 180, 240, 300]), np.radians([60, 40, 80, 110, 70, 50]))
TRUE = RangeOfMotion(SPLINE, BoundaryTwist(np.linspace(-0.5, -0.3, 6), np.full(6, 0.8), (-1.0, 0.3)))


def uniform(n, seed):
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def overlap(a, b):
    return (a & b).sum() / max((a | b).sum(), 1)


@pytest.fixture(scope="module")
def reached():
    q = uniform(100_000, 1)
    return q[TRUE.contains(q)]


# ---------------------------------------------------------------- the learned arm


def arm_net():
    """Jiang and Liu's net: allowed(quats, elbow)."""
    data = np.load(reference("joint_rom", "net_larm_decoded.npz"))
    w = [(data[f"arm_W{k}"], data[f"arm_b{k}"]) for k in range(4)]

    def allowed(q, elbow):
        r = quat_to_matrix(q)  # Euler angles z, x, y of the left shoulder; the bone along y
        qz, qx = np.arctan2(-r[:, 0, 1], r[:, 1, 1]), np.arcsin(np.clip(r[:, 2, 1], -1, 1))
        qy = np.arctan2(-r[:, 2, 0], r[:, 2, 2])
        e = np.full(len(q), np.cos(elbow))
        x = np.stack([np.cos(qz), np.sin(qz), np.cos(qx), np.sin(qx), np.cos(qy + 2 * np.pi / 3), e], 1)
        for a, b in w[:3]:
            x = np.tanh(x @ a + b)
        return (x @ w[3][0] + w[3][1])[:, 0] > 0.0

    return allowed


@pytest.mark.parametrize("elbow", [0.3, 1.2, 2.0])
def test_learned_arm(elbow, record_property):
    """From 20,000 poses: intersection over union ≥ 0.90 and agreement ≥ 97 % on 10⁴ unseen rotations."""
    allowed = arm_net()
    q, unseen = uniform(20_000, 1), uniform(10_000, 999)
    good = allowed(q, elbow)
    fit = fit_range(q[good], forbidden=q[~good], bone=(0.0, 1.0, 0.0), outliers=0.0, quiet=True)
    truth, told = allowed(unseen, elbow), fit.range.contains(unseen)
    both, agreement = overlap(truth, told), (truth == told).mean()
    record_property("overlap", float(both))
    record_property("agreement", float(agreement))
    assert both >= 0.90
    assert agreement >= 0.97
    assert fit.report.points <= 32


@pytest.mark.parametrize("n", [2000, 10_000])
@pytest.mark.parametrize("elbow", [0.3, 1.2, 2.0])
def test_learned_arm_beside_the_nearest_neighbours(elbow, n):
    allowed = arm_net()
    q, unseen = uniform(n, 2), uniform(10_000, 998)
    good, truth = allowed(q, elbow), allowed(unseen, elbow)
    fit = fit_range(q[good], forbidden=q[~good], bone=(0.0, 1.0, 0.0), outliers=0.0, quiet=True)
    near = good[cKDTree(np.concatenate([q, -q])).query(unseen, 5)[1] % n].mean(1) > 0.5
    assert overlap(truth, fit.range.contains(unseen)) > overlap(truth, near) + 0.01


# ---------------------------------------------------------------- reached poses only


@pytest.mark.parametrize(
    ("form", "least"),
    [(TwistForm.MESH, 0.90), (TwistForm.BOUNDARY, 0.92), (TwistForm.CONSTANT, 0.70), (TwistForm.FREE, 0.1)],
)
def test_reached_only(reached, form, least):
    fit = fit_range(reached[:2000], twist=form, quiet=True)
    unseen = uniform(40_000, 7)
    assert overlap(TRUE.contains(unseen), fit.range.contains(unseen)) > least
    assert abs(fit.report.area - SPLINE.area) < 0.06 * SPLINE.area
    assert fit.report.coverage > 0.96
    assert 5 <= fit.report.points <= 32


def test_more_poses_fit_better(reached):
    unseen = uniform(40_000, 8)
    truth = TRUE.contains(unseen)
    scores = [overlap(truth, fit_range(reached[:n], quiet=True).range.contains(unseen)) for n in (200, 1000, 4000)]
    assert scores[0] < scores[1] < scores[2]
    assert scores[2] > 0.95


def test_labels_improve_the_fit(reached):
    q, unseen = uniform(20_000, 3), uniform(40_000, 9)
    truth = TRUE.contains(unseen)
    good = TRUE.contains(q)
    alone = overlap(truth, fit_range(q[good], quiet=True).range.contains(unseen))
    fit = fit_range(q[good], forbidden=q[~good], quiet=True)
    assert overlap(truth, fit.range.contains(unseen)) > max(0.85, alone - 0.03)
    assert fit.report.forbidden == (~good).sum()
    assert fit.report.agreement > 0.97
    assert "forbidden poses forbidden" in str(fit.report)


def test_margin_is_tightness(reached):
    areas = [fit_range(reached[:1500], margin=m, quiet=True).report.area for m in (-0.1, 0.0, 0.1)]
    assert areas[0] < areas[1] - 0.3 < areas[2] - 0.6


def test_points_can_be_chosen(reached):
    assert fit_range(reached[:2000], points=9, quiet=True).range.swing.segments == 9


def test_outliers_are_found_and_listed(reached):
    bad = uniform(15, 5)
    bad = bad[~TRUE.contains(bad)]
    q = np.concatenate([reached[:3000], bad])
    report = fit_range(q, quiet=True).report
    caught = set(report.outliers)
    assert len(caught & set(range(3000, len(q)))) >= 0.7 * len(bad)
    assert len(caught & set(range(3000))) <= 6
    assert fit_range(q, outliers=0.0, quiet=True).report.outliers == ()


def test_same_poses_same_range(reached):
    a, b = (fit_range(reached[:500], quiet=True).range.to_dict() for _ in range(2))
    assert a == b


def test_bone_axis_and_sign_of_quaternions_do_not_matter(reached):
    """The same poses, seen with the bone along x: the same range, turned."""
    third = np.array([0.5, 0.5, 0.5, 0.5])  # z to x, x to y, y to z
    q = reached[:1500]
    turned = (
        quat_multiply(third, quat_multiply(q, third * [1, -1, -1, -1]))
        * np.where(np.arange(len(q)) % 2, 1, -1)[:, None]
    )
    a, b = fit_range(q, quiet=True), fit_range(turned, bone=(1.0, 0.0, 0.0), quiet=True)
    assert abs(a.report.area - b.report.area) < 0.05
    unseen = uniform(20_000, 11)
    back = quat_multiply(third, quat_multiply(unseen, third * [1, -1, -1, -1]))
    assert (a.range.contains(unseen) == b.range.contains(back)).mean() > 0.995


def test_tracks_are_bridged():
    """Poses along a few tracks, as a capture gives them, not spread evenly."""
    t = np.linspace(0.0, 1.0, 1500)
    q = quat_exp(
        np.stack([0.9 * np.sin(14 * np.pi * t), 1.1 * np.sin(10 * np.pi * t), 0.1 * np.sin(22 * np.pi * t)], 1)
    )
    report = fit_range(q, quiet=True, margin=0.05).report
    assert report.coverage > 0.93
    assert 1.0 < report.area < 5.0


def test_re_entrant_cloud():
    """A horseshoe: the bay stays out."""
    phi = np.linspace(0.3, 2 * np.pi - 0.3, 4000)
    rng = np.random.default_rng(2)
    theta = 0.9 + 0.25 * rng.uniform(-1, 1, len(phi))
    axis = np.stack([-np.sin(phi), np.cos(phi), np.zeros_like(phi)], 1)
    fit = fit_range(quat_exp(axis * theta[:, None]), gap=0.1, quiet=True)
    assert fit.report.coverage > 0.9
    assert not fit.range.swing.contains(np.array([0.0, 0.0, 1.0]))
    assert not fit.range.swing.contains(np.array([np.sin(0.9), 0.0, np.cos(0.9)]))


# ---------------------------------------------------------------- parts


def test_boundary_weights_are_the_kernels(reached):
    p = sphere_grid(2000)
    p = p[SPLINE.contains(p)]
    twist = TRUE.twist
    w = boundary_weights(SPLINE, p, np.array([0.0, 0.0, 1.0]))
    low, high = TRUE.twist_limits(p)
    np.testing.assert_allclose(w @ np.append(twist.low, twist.pole[0]), low, atol=1e-10)
    np.testing.assert_allclose(w @ np.append(twist.high, twist.pole[1]), high, atol=1e-10)


def test_mesh_twist_meets_its_vertices_and_survives_a_file(tmp_path):
    vertices = [(-0.6, -0.6), (0.6, -0.6), (0.0, 0.7), (0.0, -0.1)]
    mesh = MeshTwist([-1, -1, -1, -0.2], [0.5, 0.7, 1.0, 0.1], vertices, [(0, 1, 3), (1, 2, 3), (2, 0, 3)])
    r = RangeOfMotion(SPLINE, mesh)
    p = directions_of_disc(np.array(vertices[3:]), r.bone_axis)
    np.testing.assert_allclose(disc_of_directions(p, r.bone_axis), vertices[3:], atol=1e-12)
    np.testing.assert_allclose(np.ravel(r.twist_limits(p)), [-0.2, 0.1], atol=1e-12)
    r.save(tmp_path / "rom.json")
    again = RangeOfMotion.load(tmp_path / "rom.json")
    q = uniform(2000, 0)
    np.testing.assert_array_equal(r.contains(q), again.contains(q))


def test_mesh_twist_is_continuous(reached):
    """Slope of the limits ≤ 20 between directions 1e-6 apart, everywhere in a fitted region."""
    r = fit_range(reached[:1500], quiet=True).range
    p = sphere_grid(30_000)
    p = p[r.swing.distance(p) > 1e-5]
    step = np.random.default_rng(0).normal(size=p.shape)
    step -= p * (step * p).sum(1)[:, None]
    near = p + 1e-6 * step / np.linalg.norm(step, axis=1)[:, None]
    near /= np.linalg.norm(near, axis=1)[:, None]
    for a, b in zip(r.twist_limits(p), r.twist_limits(near), strict=True):
        assert np.abs(a - b).max() < 20e-6


def test_level_lines_go_round_with_the_field_on_their_left():
    grid = sphere_grid(3000)
    (line,) = loops(grid, grid[:, 2] - 0.5)
    np.testing.assert_allclose(line[:, 2], 0.5, atol=2e-3)
    turn = np.unwrap(np.arctan2(line[:, 1], line[:, 0]))
    assert turn[-1] - turn[0] > 6.0
    assert len(loops(grid, 0.5 - np.abs(grid[:, 2]))) == 2


def test_closing_fills_holes_but_not_the_sphere():
    grid = sphere_grid(8000)
    p = sphere_grid(600)
    p = p[p[:, 2] > 0.5]
    field = filled(grid, p, 0.2, 0.0)
    np.testing.assert_array_equal(field[grid[:, 2] > 0.6] > 0, True)
    np.testing.assert_array_equal(field[grid[:, 2] < 0.4] < 0, True)


def test_lonely():
    q = quat_exp(0.1 * np.random.default_rng(0).normal(size=(500, 3)))
    q = np.concatenate([q, uniform(3, 1)])
    assert list(np.nonzero(lonely(q, 0.02))[0]) == [500, 501, 502]
    assert not lonely(q, 0.0).any()


# ---------------------------------------------------------------- bad input


def test_bad_input(reached):
    assert isinstance(fit_range(reached[:100], quiet=True), RangeFit)
    with pytest.raises(ArgumentError, match="5 poses; at least 20"):
        fit_range(reached[:5])
    with pytest.raises(RangeError, match="quats 3 is"):
        fit_range(np.where(np.arange(30)[:, None] == 3, 2.0, reached[:30]))
    with pytest.raises(RangeError, match="quats 0 is"):
        fit_range(np.full((30, 4), np.nan))
    with pytest.raises(RangeError, match="shape"):
        fit_range(np.zeros((30, 3)))
    for option, text in (
        ({"margin": 2.0}, "margin = 2.0"), ({"gap": -0.1}, "gap"), ({"outliers": 0.9}, "outliers"),
        ({"points": 2}, "points = 2"),
        ({"twist": "mesh"}, "a TwistForm expected"), ({"spacing": 0.0}, "spacing"),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match=text):
            fit_range(reached[:100], **option)
    with pytest.raises(RangeError, match="bone"):
        fit_range(reached[:100], bone=(0.0, 0.0, 2.0))
    with pytest.raises(RangeError, match="MeshTwist: triangle 0"):
        MeshTwist([0, 0, 0], [1, 1, 1], [(0, 0), (1, 0), (2, 0)], [(0, 1, 2)])
    with pytest.raises(RangeError, match="as many vertices"):
        MeshTwist([0, 0], [1, 1], [(0, 0), (1, 0), (2, 1)], [(0, 1, 2)])
