"""Rotations of whole numpy arrays: shapes, dtypes, errors (the arithmetic is tested with the helpers)."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata.errors import ArgumentError
from hitogata.spatial import (
    matrix_to_quat,
    quat_conjugate,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_rotate,
    quat_slerp,
    quat_to_matrix,
    quat_unit,
)

RNG = np.random.default_rng(17)
Q = Rotation.random(6, random_state=3).as_quat(canonical=True, scalar_first=True).reshape(2, 3, 4)


def test_shapes():
    assert quat_multiply(Q, Q[0, 0]).shape == (2, 3, 4)
    assert quat_conjugate(Q).shape == (2, 3, 4)
    assert quat_log(Q).shape == (2, 3, 3)
    assert quat_to_matrix(Q).shape == (2, 3, 3, 3)
    assert quat_rotate(Q, [0.0, 0.0, 1.0]).shape == (2, 3, 3)
    assert quat_rotate(Q[0, 0], RNG.normal(size=(5, 3))).shape == (5, 3)
    assert quat_slerp(Q[0, 0], Q[0, 1], np.linspace(0, 1, 7)).shape == (7, 4)
    assert quat_exp([0.0, 0.0, 0.0]).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert quat_exp(np.zeros((0, 3))).shape == (0, 4)


def test_round_trips():
    np.testing.assert_allclose(quat_exp(quat_log(Q)), Q, atol=1e-15)
    np.testing.assert_allclose(matrix_to_quat(quat_to_matrix(Q)), Q, atol=1e-15)
    np.testing.assert_allclose(quat_multiply(Q, quat_conjugate(Q)), np.broadcast_to([1, 0, 0, 0], Q.shape), atol=1e-15)
    np.testing.assert_allclose(quat_unit(Q * 2.0), Q, atol=1e-15)
    np.testing.assert_allclose(quat_rotate(Q, [1.0, 2.0, 3.0]), quat_to_matrix(Q) @ [1.0, 2.0, 3.0], atol=1e-14)


def test_dtypes():
    q = Q.astype(np.float32)
    for got in (quat_multiply(q, q), quat_log(q), quat_exp(quat_log(q)), quat_to_matrix(q),
                matrix_to_quat(quat_to_matrix(q)), quat_rotate(q, q[..., 1:]), quat_slerp(q, q[0, 0], 0.5)):
        assert got.dtype == np.float32
    assert quat_exp([0, 0, 1]).dtype == np.float64
    np.testing.assert_allclose(quat_exp([0, 0, 1]), [np.cos(0.5), 0, 0, np.sin(0.5)], atol=1e-16)


def test_errors():
    with pytest.raises(ArgumentError, match=r"4 numbers along the last axis, not shape \(3,\)"):
        quat_log([1.0, 0.0, 0.0])
    with pytest.raises(ArgumentError, match=r"\(\.\.\., 3, 3\)"):
        matrix_to_quat(np.eye(4))
