import numpy as np
import pytest
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

from hitogata.behaviour import ShapeTarget, Target, band_passed, envelope, figure_targets, looked_at, normalised
from hitogata.errors import ArgumentError
from hitogata.figure.meshes import ConvexMesh
from hitogata.figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere
from hitogata.library import virtual_human
from hitogata.spatial import quat_rotate


def test_envelope_of_a_modulated_carrier():
    """The mean of |sin| is 2/π, so the envelope is 2/π times the modulation."""
    rate = 2000.0
    t = np.arange(0, 6, 1 / rate)
    modulation = 1.0 + 0.5 * np.sin(2 * np.pi * 1.0 * t)
    raw = modulation * np.sin(2 * np.pi * 120.0 * t) + 3.0 + 0.5 * np.sin(2 * np.pi * 2.0 * t)
    found = envelope(raw, rate)
    inner = slice(2000, -2000)
    assert found[inner] == pytest.approx(2 / np.pi * modulation[inner], rel=0.02)
    assert np.abs(band_passed(np.full(8000, 5.0), rate)).max() < 1e-9


def test_gaps_of_emg_stay_gaps():
    raw = np.random.default_rng(0).normal(size=(4000, 2))
    raw[1000:1200, 1] = np.nan
    found = envelope(raw, 1000.0)
    assert np.isnan(found[1000:1200, 1]).all()
    assert np.isfinite(found[:1000]).all()
    shares = normalised(found)
    assert 0.9 < np.nanmax(shares) < 2.0
    with pytest.raises(ArgumentError, match="one positive number per channel"):
        normalised(found, [1.0])
    with pytest.raises(ArgumentError, match="cannot be passed"):
        band_passed(raw, 30.0)


def test_rays_meet_the_nearest_ball():
    targets = [Target("far", (10.0, 0, 0), 1.0), Target("near", (5.0, 0.2, 0), 0.5)]
    o = np.zeros((4, 3))
    d = np.array([[2.0, 0, 0], [0, 1.0, 0], [10, 0.95, 0], [np.nan, 0, 0]])
    found, points = looked_at(o, d, targets)
    assert found.tolist() == [1, -1, 0, -1] or found.tolist() == [1, -1, 1, -1]
    assert np.linalg.norm(points[0] - [5.0, 0.2, 0]) == pytest.approx(0.5)
    assert np.isnan(points[1]).all()
    rng = np.random.default_rng(0)
    o, d = rng.normal(size=(200, 3)), rng.normal(size=(200, 3))
    found, points = looked_at(o, d, targets)
    s = np.linspace(0, 30, 30001)
    for k in range(200):  # marching along the ray
        way = o[k] + s[:, None] * d[k] / np.linalg.norm(d[k])
        outside = np.stack([np.linalg.norm(way - np.array(t.centre), axis=1) - t.radius for t in targets])
        hits = np.flatnonzero((outside < 0).any(axis=0))
        assert (found[k] >= 0) == (len(hits) > 0)
        if len(hits):
            assert np.linalg.norm(points[k] - way[hits[0]]) < 2e-3


def inside(shape, p):
    """Which points, shape (n, 3), lie in a solid, by its definition."""
    x, y, z = p.T
    match shape:
        case Sphere(radius=r):
            return x * x + y * y + z * z < r * r
        case Ellipsoid(half_axes=(a, b, c)):
            return (x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2 < 1
        case Box(half_sizes=h):
            return (np.abs(p) < h).all(axis=1)
        case Cylinder(radius=r, half_length=h):
            return (x * x + y * y < r * r) & (np.abs(z) < h)
        case Capsule(radius=r, half_length=h):
            return x * x + y * y + (z - np.clip(z, -h, h)) ** 2 < r * r
        case Plane():
            return z < 0
    return Delaunay(shape.vertices).find_simplex(p) >= 0


SHAPES = (
    Sphere(0.5), Ellipsoid((0.3, 0.6, 0.9)), Box((0.3, 0.5, 0.2)), Cylinder(0.4, 0.7), Capsule(0.3, 0.6), Plane(),
    Capsule(0.3, 0.0), ConvexMesh(np.random.default_rng(2).normal(size=(30, 3)) * 0.4),
)  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_rays_meet_every_shape_where_they_first_cross_it(shape):
    rng = np.random.default_rng(1)
    n, place, quat = 150, rng.normal(size=3), rng.normal(size=4)
    quat /= np.linalg.norm(quat)
    o, d = rng.normal(size=(n, 3)) * 1.5 + place, rng.normal(size=(n, 3))
    d[:10] = np.eye(3)[np.arange(10) % 3]  # along axes, also those of the shape's own frame
    d[10:20] = quat_rotate(quat, np.eye(3)[np.arange(10) % 3])
    found, points = looked_at(o, d, [ShapeTarget("it", shape, place, quat)])
    s = np.linspace(0.0, 8.0, 16001)
    back = Rotation.from_quat(quat, scalar_first=True).inv()
    for k in range(n):
        way = o[k] + s[:, None] * d[k] / np.linalg.norm(d[k])
        within = inside(shape, back.apply(way - place))
        change = np.flatnonzero(within[1:] != within[:-1])
        if len(change):
            assert found[k] == 0
            assert np.linalg.norm(points[k] - way[change[0] + 1]) < 6e-4
        elif found[k] == 0 and np.linalg.norm(points[k] - o[k]) < 8.0:  # it only touches, between two steps
            assert inside(shape, back.apply(points[k : k + 1] - place) * (1 - 2e-3)).all()


def test_hands_that_are_looked_at():
    figure = virtual_human()
    q = np.tile(figure.neutral(), (2, 1))
    q[1, 0] += 1.0  # it has gone forward
    targets = figure_targets(figure, q)
    hand = next(t for t in targets if t.name == "hand_left")
    eye = np.array([[0.6, 0.1, 1.6]] * 2)
    found, points = looked_at(eye, np.asarray(hand.position) - eye, [hand, *targets])
    assert (found == 0).all() or {targets[k - 1].name for k in found if k > 0} <= {t.name for t in targets}
    alone, at = looked_at(eye, np.asarray(hand.position) - eye, [hand])
    assert (alone == 0).all()
    assert np.isfinite(points).all()
    assert np.linalg.norm(at - hand.position, axis=1).max() < 0.15
    assert (np.linalg.norm(points - eye, axis=1) <= np.linalg.norm(at - eye, axis=1) + 1e-9).all()
