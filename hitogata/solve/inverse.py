"""Weighted and singularity-robust inverses of Jacobians (Nakamura & Hanafusa 1986).

    pseudo-inverse     least |r − J x|, then least xᵀ W x:   J^# = W^-½ (J W^-½)⁺
    robust inverse     least |r − J x|²_R + k xᵀ W x:        J* = W⁻¹ Jᵀ (J W⁻¹ Jᵀ + k R⁻¹)⁻¹

Near a singular pose the pseudo-inverse asks for enormous speeds; the robust inverse gives up some accuracy instead, and
is continuous everywhere.  Worked out from the singular values σ of R^½ J W^-½: σ/(σ² + k) in place of 1/σ.

All functions take stacks: J of shape (..., m, n).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hitogata.errors import ArgumentError

Floats = NDArray[np.float64]

RANK = 1e-12
"""Singular values below this part of the largest count as zero."""


def sr_inverse(
    J: ArrayLike, k: ArrayLike, *, weights: ArrayLike | None = None, task_weights: ArrayLike | None = None
) -> Floats:
    """Singularity-robust inverse J* (Nakamura & Hanafusa 1986): least |r − J x|²_R + k xᵀ W x.

    Args:
        J: shape (..., m, n).
        k: damping ≥ 0, shape (...); 0 gives the weighted pseudo-inverse.
        weights: W > 0: what speed costs, shape (n,), or (n, n) symmetric and positive definite; None: ones.
        task_weights: R > 0: what errors cost, shape (m,), or (m, m) symmetric and positive definite; None: ones.

    Returns:
        Shape (..., n, m).
    """
    A = _matrix("J", J)
    damping = _finite("k", k)
    if (damping < 0).any():
        raise ArgumentError(f"k is {damping.min()}; damping is 0 or more")
    (left, _), (_, right) = _roots("task_weights", task_weights, A.shape[-2]), _roots("weights", weights, A.shape[-1])
    u, s, vt = np.linalg.svd(left @ A @ right, full_matrices=False)
    kept = s > RANK * s.max(axis=-1, keepdims=True, initial=0.0)
    shift = s * s + damping[..., None]
    gain = np.where(kept | (damping[..., None] > 0), s / np.where(shift > 0, shift, 1.0), 0.0)
    return right @ (_t(vt) * gain[..., None, :]) @ _t(u) @ left


def weighted_pseudo_inverse(A: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """A^#: of all x with least |r − A x|, A^# r has the least xᵀ W x.

    Args:
        A: shape (..., m, n).
        weights: W > 0, shape (n,), or (n, n) symmetric and positive definite; None: ones.

    Returns:
        Shape (..., n, m).
    """
    return sr_inverse(_matrix("A", A), 0.0, weights=weights)


def null_space_projector(A: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """N = 1 − A^# A: A N = 0, N² = N, and N x = x if A x = 0.

    Args:
        A: shape (..., m, n).
        weights: those of the pseudo-inverse; see `weighted_pseudo_inverse`.

    Returns:
        Shape (..., n, n).
    """
    array = _matrix("A", A)
    root, inverse = _roots("weights", weights, array.shape[-1])
    _, s, vt = np.linalg.svd(array @ inverse, full_matrices=False)
    kept = s > RANK * s.max(axis=-1, keepdims=True, initial=0.0)
    return np.eye(array.shape[-1]) - inverse @ (_t(vt) * kept[..., None, :]) @ vt @ root


def manipulability(J: ArrayLike) -> Floats:
    """√det(J Jᵀ), the product of the singular values (Yoshikawa 1985), shape (...)."""
    return np.linalg.svd(_matrix("J", J), compute_uv=False).prod(axis=-1)


def manipulability_damping(J: ArrayLike, *, threshold: float, most: float) -> Floats:
    """Damping that sets in near singular poses: k = most (1 − m/threshold)² for m < threshold, else 0.

    (Nakamura & Hanafusa 1986.)

    Args:
        J: shape (..., m, n).
        threshold: manipulability m below which to damp, > 0.
        most: damping at a singular pose, ≥ 0.

    Returns:
        k for `sr_inverse`, shape (...).
    """
    if not (threshold > 0 and np.isfinite(threshold) and most >= 0 and np.isfinite(most)):
        raise ArgumentError(f"threshold must be above 0 and most 0 or more, got {threshold!r} and {most!r}")
    return most * np.maximum(1.0 - manipulability(J) / threshold, 0.0) ** 2


def _t(a: Floats) -> Floats:
    return np.swapaxes(a, -1, -2)


def _finite(name: str, value: Any) -> Floats:
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected real numbers, got {value!r}") from None
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        at = tuple(int(k) for k in bad[0])
        raise ArgumentError(f"{name}{list(at) if at else ''} is {array[at]}; it must be finite")
    return array


def _matrix(name: str, value: Any) -> Floats:
    array = _finite(name, value)
    if array.ndim < 2:
        raise ArgumentError(f"{name}: expected shape (..., m, n), got {array.shape}")
    return array


def _roots(name: str, weights: Any, n: int) -> tuple[Floats, Floats]:
    """W^½ and its inverse."""
    if weights is None:
        return np.eye(n), np.eye(n)
    W = _finite(name, weights)
    if W.shape == (n,):
        if (W <= 0).any():
            at = int(np.argmax(W <= 0))
            raise ArgumentError(f"{name}[{at}] is {W[at]}; weights are above 0")
        return np.diag(np.sqrt(W)), np.diag(1.0 / np.sqrt(W))
    if W.shape != (n, n):
        raise ArgumentError(f"{name}: expected shape ({n},) or ({n}, {n}), got {W.shape}")
    values, vectors = np.linalg.eigh(W)
    if not np.allclose(W, W.T, rtol=1e-12, atol=0.0) or values[0] <= 0:
        raise ArgumentError(f"{name}: expected a symmetric positive definite matrix")
    return (vectors * np.sqrt(values)) @ vectors.T, (vectors / np.sqrt(values)) @ vectors.T
