"""Vectors, matrices, transforms and loading against numpy."""

import numpy as np
import pytest

from hitogata.spatial import (
    Mat3,
    Motion,
    Place,
    Quaternion,
    Sym3,
    Vec3,
    cols,
    cross,
    cross_cols,
    determinant,
    diagonal,
    dot,
    from_cols,
    from_rows,
    inverse,
    length,
    load3,
    load6,
    load_down,
    load_quaternion,
    load_rotation,
    outer,
    place,
    rotated,
    rotation,
    rows,
    scaled,
    skew,
    solve3,
    store3,
    store6,
    store_quaternion,
    symmetric,
)

RNG = np.random.default_rng(5)
A, B = RNG.normal(size=(2, 3))
M, N = RNG.normal(size=(2, 3, 3))
S = M @ M.T + np.eye(3)
CLOSE = {"rtol": 1e-13, "atol": 1e-14}


def numbers(x):
    return np.array([getattr(x, name) for name in x.__struct__])


def mat(a):
    return Mat3(*a.ravel())


def sym(a):
    return Sym3(*a[np.triu_indices(3)])


def square(x):
    """3 x 3 array of a Mat3 or Sym3."""
    return np.array([numbers(row) for row in rows(x)])


def test_vectors():
    a, b = Vec3(*A), Vec3(*B)
    for got, want in ((a + b, A + B), (a - b, A - B), (-a, -A), (a * 2.0, A * 2), (2.0 * a, A * 2), (a / 4.0, A / 4),
                      (cross(a, b), np.cross(A, B)), (scaled(a, b), A * B)):
        np.testing.assert_allclose(numbers(got), want, **CLOSE)
    assert dot(a, b) == pytest.approx(A @ B)
    assert length(a) == pytest.approx(np.linalg.norm(A))


@pytest.mark.parametrize("left", [M, S], ids=["general", "symmetric"])
@pytest.mark.parametrize("right", [N, S], ids=["general", "symmetric"])
def test_products(left, right):
    x, y = (sym(m) if m is S else mat(m) for m in (left, right))
    np.testing.assert_allclose(square(x @ y), left @ right, **CLOSE)
    np.testing.assert_allclose(numbers(x @ Vec3(*A)), left @ A, **CLOSE)
    if type(x) is type(y):
        np.testing.assert_allclose(square(x + y), left + right, **CLOSE)
        np.testing.assert_allclose(square(x - y), left - right, **CLOSE)
    for got, want in ((x * 3.0, left * 3), (3.0 * x, left * 3), (-x, -left), (x.T, left.T)):
        np.testing.assert_allclose(square(got), want, **CLOSE)


def test_matrices():
    m, s, a, b = mat(M), sym(S), Vec3(*A), Vec3(*B)
    for got, want in ((from_rows(*rows(m)), M), (from_cols(*cols(m)), M), (from_cols(*rows(m)), M.T),
                      (diagonal(a), np.diag(A)), (outer(a, b), np.outer(A, B)), (symmetric(m, m.T), M @ M.T),
                      (rotated(m, s), M @ S @ M.T), (skew(a) @ m, np.cross(A, M.T).T),
                      (cross_cols(a, m), np.cross(A, M.T).T), (cross_cols(a, s), np.cross(A, S.T).T),
                      (inverse(m), np.linalg.inv(M)), (inverse(s), np.linalg.inv(S))):
        np.testing.assert_allclose(square(got), want, rtol=1e-12, atol=1e-13)
    assert isinstance(inverse(s), Sym3)
    assert determinant(m) == pytest.approx(np.linalg.det(M))
    assert determinant(s) == pytest.approx(np.linalg.det(S))
    np.testing.assert_allclose(numbers(solve3(m, a)), np.linalg.solve(M, A), rtol=1e-12)
    with pytest.raises(TypeError):
        m @ 2.0


def test_places():
    def matrix(x):
        return np.vstack([np.column_stack([square(x.rot), numbers(x.pos)]), [0, 0, 0, 1]])

    q, r = (Quaternion(*(x / np.linalg.norm(x))) for x in RNG.normal(size=(2, 4)))
    X_AB, X_BC = place(q, Vec3(*A)), Place(rotation(r), Vec3(*B))
    np.testing.assert_allclose(matrix(X_AB @ X_BC), matrix(X_AB) @ matrix(X_BC), **CLOSE)
    np.testing.assert_allclose(matrix(X_AB.inverse), np.linalg.inv(matrix(X_AB)), **CLOSE)
    np.testing.assert_allclose(numbers(X_AB @ Vec3(*B)), (matrix(X_AB) @ [*B, 1])[:3], **CLOSE)


def test_loading_and_storing():
    numbers_in = RNG.normal(size=12)
    np.testing.assert_array_equal(numbers(load3(numbers_in, 2)), numbers_in[2:5])
    np.testing.assert_array_equal(numbers(load_down(numbers_in, 1, 4)), numbers_in[[1, 5, 9]])
    m = load6(numbers_in, 3)
    assert isinstance(m, Motion)
    np.testing.assert_array_equal([*numbers(m.ang), *numbers(m.lin)], numbers_in[3:9])
    q = load_quaternion(numbers_in, 4)
    assert (q.w, q.x, q.y, q.z) == tuple(numbers_in[4:8])
    np.testing.assert_array_equal(square(load_rotation(numbers_in, 4)), square(rotation(q)))
    out = np.zeros(20)
    store3(out, 1, Vec3(*A))
    store6(out, 4, m)
    store_quaternion(out, 10, q)
    np.testing.assert_array_equal(out, [0, *A, *numbers_in[3:9], *numbers_in[4:8], *[0] * 6])
