"""Fits to few labelled poses: beside the nearest neighbours, and the parts that choose and regularise."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from hitogata.rom import BoundaryTwist, ConeRegion, ConstantTwist, EllipseRegion, MeshTwist, RangeOfMotion, SplineRegion
from hitogata.rom.decompose import swing_twist_of_quat
from hitogata.rom.fit import fit_range
from hitogata.rom.fit_choice import Model, Race, chosen, fewer
from hitogata.rom.fit_gapped import poses_at
from hitogata.rom.fit_gaps import gaps_of
from hitogata.rom.fit_local import LocalPlanes
from hitogata.rom.fit_mesh import Mesh, hexagonal_mesh
from hitogata.rom.fit_report import Progress, twist_widths
from hitogata.rom.fit_steps import Options, samples_of
from hitogata.rom.fit_swing import sphere_grid
from hitogata.rom.meshtwist import directions_of_disc, disc_of_directions

Z = np.array([0.0, 0.0, 1.0])
W = np.arange(8) * np.pi / 4
CORNERS, FACES = [(-1.0, -1.0), (1.0, -1.0), (0.0, 1.2), (-0.1, 0.0)], [(0, 1, 3), (1, 2, 3), (2, 0, 3)]
DENTED = SplineRegion.through(W, [1.5, 1.3, 0.5, 1.2, 1.6, 1.4, 1.2, 1.4])
RANGES = {
    "convex": RangeOfMotion(ConeRegion((0, 0, 1), 1.2), ConstantTwist(-0.9, 0.6)),
    "dent": RangeOfMotion(DENTED, BoundaryTwist(-0.9 + 0.3 * np.sin(W), 0.8 + 0.4 * np.cos(W), (-1.0, 1.0))),
    "twist turns with swing": RangeOfMotion(
        ConeRegion((0, 0, 1), 1.5), MeshTwist([-1.8, 0.2, -0.4, -0.7], [0.1, 1.6, 1.7, 0.6], CORNERS, FACES)
    ),
    "thin": RangeOfMotion(EllipseRegion((-0.8, 0.8), (-0.16, 0.2)), ConstantTwist(-0.8, 1.2)),
    "gap": RangeOfMotion(
        ConeRegion((0, 0, 1), 1.5),
        MeshTwist([-2.2] * 4, [2.0, 2.2, 1.8, 2.1], CORNERS, FACES, [0.0, 0.5, -0.3, 0.2], [0.5, -0.3, 0.6, 0.5]),
    ),
}


def uniform(n, seed):
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def overlap(a, b):
    return (a & b).sum() / max((a | b).sum(), 1)


def neighbours(q, labels, unseen):
    return labels[cKDTree(np.concatenate([q, -q])).query(unseen, 5)[1] % len(q)].mean(1) > 0.5


# ---------------------------------------------------------------- the whole


@pytest.mark.parametrize("n", [2000, 10_000])
@pytest.mark.parametrize("name", RANGES)
def test_better_than_the_nearest_neighbours(name, n):
    r, q, unseen = RANGES[name], uniform(n, 41), uniform(20_000, 42)
    labels, truth = r.contains(q), r.contains(unseen)
    fit = fit_range(q[labels], forbidden=q[~labels], bone=r.bone_axis, outliers=0.0, quiet=True)
    told, near = fit.range.contains(unseen), neighbours(q, labels, unseen)
    assert overlap(truth, told) > overlap(truth, near) + 0.01
    assert (told == truth).mean() > (near == truth).mean()


@pytest.mark.parametrize(("name", "model"), [("convex", Model.INTERVAL), ("dent", Model.INTERVAL), ("gap", Model.GAP)])
def test_the_model_follows_the_range(name, model):
    r, q = RANGES[name], uniform(6000, 43)
    labels = r.contains(q)
    s = samples_of(q[labels], q[~labels], r.bone_axis)
    assert chosen(s, Options(r.bone_axis), Progress(True)) is model
    assert chosen(s.some(slice(0, 300)), Options(r.bone_axis), Progress(True)) is Model.INTERVAL  # too few to choose


def test_margin_widens_limits_and_narrows_the_gap():
    r, q = RANGES["gap"], uniform(6000, 44)
    labels = r.contains(q)
    tight, usual, loose = (
        fit_range(q[labels], forbidden=q[~labels], margin=m, outliers=0.0, quiet=True) for m in (-0.05, 0.0, 0.05)
    )
    assert tight.report.share < usual.report.share - 0.01 < loose.report.share - 0.02
    assert np.max(loose.range.twist.gap_half) < np.max(usual.range.twist.gap_half) - 0.04


def test_share_counts_the_gap():
    fit = twist_widths(RANGES["gap"])[1]
    assert fit == pytest.approx(RANGES["gap"].contains(uniform(200_000, 45)).mean(), abs=0.004)


# ---------------------------------------------------------------- cross-validation


def test_fewer_mistakes_in_standard_deviations():
    a, b = np.zeros(100, bool), np.zeros(100, bool)
    assert fewer(a, b) == 0.0
    a[:30], b[20:24] = True, True  # 20–23 are wrong in both
    assert fewer(a, b) == pytest.approx(26 / np.sqrt(26))
    b[50:60] = True
    assert fewer(a, b) == pytest.approx((26 - 10) / 6.0)
    assert fewer(b, a) == -fewer(a, b)


def test_a_model_is_asked_only_for_poses_it_has_not_seen(monkeypatch):
    q = uniform(500, 46)
    labels = RANGES["convex"].contains(q)
    s = samples_of(q[labels], q[~labels], Z)
    race, asked = Race(s, Options(Z), Progress(True)), []

    def told(model, seen, quats):
        assert not {tuple(x) for x in seen.quats} & {tuple(x) for x in quats}
        assert len(seen.p) + len(quats) == len(s.p)
        asked.append(quats)
        return np.zeros(len(quats), bool)

    monkeypatch.setattr(race, "told", told)
    race.gain(Model.INTERVAL, Model.INTERVAL)
    assert sorted(map(tuple, np.concatenate(asked))) == sorted(map(tuple, s.quats))  # each once


# ---------------------------------------------------------------- parts


def test_local_planes_find_a_plane_between_labels():
    """Labels by a plane through the rotations near the identity: scores change sign there, neighbours at random."""
    rng = np.random.default_rng(47)
    v = rng.uniform(-0.2, 0.2, (3000, 3))
    q = np.concatenate([np.ones((3000, 1)), v], 1) / np.sqrt(1 + (v * v).sum(1))[:, None]
    normal = np.array([0.6, -0.64, 0.48])
    labels = v[:2000] @ normal > 0.03
    planes = LocalPlanes(q[:2000] * rng.choice([-1.0, 1.0], 2000)[:, None], labels)
    truth = v[2000:] @ normal > 0.03
    wrong = ((planes.scores(q[2000:], 20) > 0) != truth).mean()
    assert wrong < 0.5 * (neighbours(q[:2000], labels, q[2000:]) != truth).mean()


def test_left_out_means_without_its_own_label():
    q = uniform(800, 48)
    labels = RANGES["convex"].contains(q)
    planes = LocalPlanes(q, labels)
    for k in (0, 17, int(np.flatnonzero(labels)[0])):
        others = np.arange(800) != k
        alone = LocalPlanes(q[others], labels[others]).scores(q[k : k + 1], 14)
        assert planes.left_out(np.array([k]), 14)[0] == pytest.approx(alone[0], abs=1e-9)


def test_poses_at_have_direction_and_twist():
    p = sphere_grid(500)
    twist = np.linspace(-3.1, 3.1, 500)
    bone = np.array([0.6, 0.0, 0.8])
    direction, turned = swing_twist_of_quat(poses_at(p, twist, bone), bone)
    np.testing.assert_allclose(direction, p, atol=1e-9)
    np.testing.assert_allclose(turned, twist, atol=1e-7)


def test_gaps_of_a_circle():
    twists = (np.arange(90) + 0.5) * (2 * np.pi / 90) - np.pi
    away = np.minimum(np.abs(twists - 0.4) - 0.5, np.abs(np.mod(twists, 2 * np.pi) - 3.0) - 0.3)
    first, second = gaps_of(away, twists)
    assert (np.mod(first.middle, 2 * np.pi), first.half) == pytest.approx((0.4, 0.5), abs=1e-9)
    assert (np.mod(second.middle, 2 * np.pi), second.half) == pytest.approx((3.0, 0.3), abs=1e-9)
    assert gaps_of(np.ones(90), twists) == []
    assert gaps_of(-np.ones(90), twists)[0].half == np.pi


def test_hinges_and_steps_of_a_mesh():
    """A linear function does not bend; a fold bends over its edges alone, by its height."""
    p = sphere_grid(4000)
    mesh = hexagonal_mesh(p[p[:, 2] > 0.3], Z, 0.15)
    x, y = mesh.vertices.T
    np.testing.assert_allclose(mesh.hinges @ (2.0 + 0.7 * x - 0.3 * y), 0.0, atol=1e-12)
    fold = mesh.hinges @ np.maximum(y, 0.0)
    assert set(np.round(np.abs(fold), 9)) == {0.0, round(0.15 * np.sqrt(3) / 2, 9)}
    assert mesh.hinges.shape[0] == 3 * len(mesh.triangles) - len(mesh.edges)  # edges with a triangle on either side
    length = np.abs(mesh.steps @ mesh.vertices)
    np.testing.assert_allclose(np.hypot(*length.T), 0.15, atol=1e-12)


def test_even_mesh_is_even_in_angle_and_covers_what_lies_behind():
    """Sides seen from the middle of the sphere: near 2·spacing along a meridian everywhere, also 150° from the bone."""
    p = sphere_grid(20_000)
    mesh = hexagonal_mesh(p, Z, 0.1, even=True)
    inner = np.linalg.norm(mesh.vertices, axis=1) < np.sin(1.3)
    v = directions_of_disc(mesh.vertices, Z)
    i, j = mesh.edges[inner[mesh.edges].all(1)].T
    polar = np.abs(np.arccos(v[i, 2]) - np.arccos(v[j, 2]))
    assert 0.19 < polar.max() < 0.21
    weights = mesh.weights(p)
    inside = p[:, 2] > np.cos(2.9)  # the outermost sides are straight, and cut a little off the disc's edge
    assert weights[inside].data.min() > -1e-9  # every direction lies in a triangle: none is missing
    np.testing.assert_allclose(weights @ mesh.vertices, disc_of_directions(p, Z), atol=1e-9)
    (ax, ay), (bx, by), (cx, cy) = (mesh.vertices[mesh.triangles[:, k]].T for k in range(3))
    assert len(set(np.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)))) == 1


def test_weights_find_the_triangle():
    """Linear functions are met everywhere, inside and outside; weights inside are shares."""
    p = sphere_grid(6000)
    mesh: Mesh = hexagonal_mesh(p[(p[:, 2] > 0.2) & (p[:, 0] < 0.5)], Z, 0.12)
    inside = p[(p[:, 2] > 0.2) & (p[:, 0] < 0.5)]
    assert mesh.weights(inside).data.min() > -1e-9
    a = mesh.vertices @ [0.3, -0.8]
    np.testing.assert_allclose(mesh.weights(p) @ a, disc_of_directions(p, Z) @ [0.3, -0.8], atol=1e-9)
