"""Spatial algebra against dense 6 x 6 matrices and Pinocchio."""

import numpy as np
import pytest

from hitogata.spatial import (
    Force,
    Inertia,
    Mat3,
    Motion,
    Sym3,
    Vec3,
    articulated,
    cross_force,
    cross_motion,
    force_to_child,
    force_to_parent,
    inertia_to_parent,
    motion_to_child,
    motion_to_parent,
    power,
    rigid_inertia,
    rigid_to_parent,
    rows,
    solve6,
)

pin = pytest.importorskip("pinocchio", reason="pip install pin")

RNG = np.random.default_rng(9)
SWAP = np.r_[3:6, 0:3]          # Pinocchio puts linear before angular
CLOSE = {"rtol": 1e-12, "atol": 1e-13}
UPPER = np.triu_indices(3)


def vec(a):
    return Vec3(*a)


def six(x):
    return np.array([x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z])


def spatial(kind, a):
    return kind(vec(a[:3]), vec(a[3:]))


def square(x):
    return np.array([[r.x, r.y, r.z] for r in rows(x)])


def dense(x):
    """6 x 6 array of an Inertia."""
    return np.block([[square(x.rot), square(x.mix)], [square(x.mix).T, square(x.lin)]])


@pytest.fixture(params=range(5))
def setting(request):
    pin.seed(request.param)
    X = pin.SE3.Random()
    a, b = np.random.default_rng(request.param).normal(size=(2, 6))
    return X, Mat3(*X.rotation.ravel()), vec(X.translation), a, b


def test_frames(setting):
    X, rot, pos, a, _ = setting
    motion, force = X.toActionMatrix()[np.ix_(SWAP, SWAP)], X.toDualActionMatrix()[np.ix_(SWAP, SWAP)]
    m, f = spatial(Motion, a), spatial(Force, a)
    np.testing.assert_allclose(six(motion_to_parent(rot, pos, m)), motion @ a, **CLOSE)
    np.testing.assert_allclose(six(motion_to_child(rot, pos, m)), np.linalg.solve(motion, a), **CLOSE)
    np.testing.assert_allclose(six(force_to_parent(rot, pos, f)), force @ a, **CLOSE)
    np.testing.assert_allclose(six(force_to_child(rot, pos, f)), np.linalg.solve(force, a), **CLOSE)


def test_cross_products(setting):
    _, _, _, a, b = setting
    v = pin.Motion(a[SWAP])
    m, f = cross_motion(spatial(Motion, a), spatial(Motion, b)), cross_force(spatial(Motion, a), spatial(Force, b))
    np.testing.assert_allclose(six(m), (v.action @ b[SWAP])[SWAP], **CLOSE)
    np.testing.assert_allclose(six(f), (-v.action.T @ b[SWAP])[SWAP], **CLOSE)
    assert power(spatial(Force, a), spatial(Motion, b)) == pytest.approx(a @ b)


@pytest.mark.parametrize("kind", [Motion, Force])
def test_arithmetic(setting, kind):
    _, _, _, a, b = setting
    x, y = spatial(kind, a), spatial(kind, b)
    for got, want in ((x + y, a + b), (x - y, a - b), (-x, -a), (x * 2.0, 2 * a), (2.0 * x, 2 * a)):
        assert isinstance(got, kind)
        np.testing.assert_array_equal(six(got), want)


def test_rigid_inertia(setting):
    X, rot, pos, a, _ = setting
    body = pin.Inertia.Random()
    rigid = rigid_inertia(body.mass, vec(body.lever), Sym3(*body.inertia[UPPER]))
    want = body.matrix()[np.ix_(SWAP, SWAP)]
    np.testing.assert_allclose(dense(articulated(rigid)), want, **CLOSE)
    np.testing.assert_allclose(six(rigid @ spatial(Motion, a)), want @ a, **CLOSE)
    moved = X.act(body).matrix()[np.ix_(SWAP, SWAP)]
    np.testing.assert_allclose(dense(articulated(rigid_to_parent(rot, pos, rigid))), moved, **CLOSE)
    np.testing.assert_allclose(dense(articulated(rigid + rigid)), 2 * want, **CLOSE)


def test_articulated_inertia(setting):
    X, rot, pos, a, _ = setting
    m = np.random.default_rng(1).normal(size=(6, 6))
    m = m @ m.T
    inertia = Inertia(Sym3(*m[:3, :3][UPPER]), Mat3(*m[:3, 3:].ravel()), Sym3(*m[3:, 3:][UPPER]))
    np.testing.assert_allclose(six(inertia @ spatial(Motion, a)), m @ a, **CLOSE)
    force = X.toDualActionMatrix()[np.ix_(SWAP, SWAP)]
    moved = inertia_to_parent(rot, pos, inertia)
    np.testing.assert_allclose(dense(moved), force @ m @ force.T, **CLOSE)
    np.testing.assert_allclose(dense(moved + inertia - moved), m, atol=1e-12)
    np.testing.assert_allclose(six(solve6(inertia, spatial(Force, a))), np.linalg.solve(m, a), rtol=1e-10)
