"""The lens of one camera from views of a board: every view's pose and the lens together, so that the pixels fit best.

Squared reprojection errors (Huber's beyond three standard deviations) and the priors of `bundle`, by
Levenberg-Marquardt with analytic derivatives.  A view has six unknowns (turn and place of the camera before the board)
and meets only the nine of the lens, so views are eliminated first (Schur complement, as in `bundle`; Zhang 2000, "A
flexible new technique for camera calibration", for the problem):

    (U - sum W_i V_i^-1 W_i^T) dl = -g_l + sum W_i V_i^-1 g_i,     dx_i = -V_i^-1 (g_i + W_i^T dl).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hitogata.capture.bundle import HUBER, lens_spread
from hitogata.capture.camera import Camera, project_with_derivatives
from hitogata.figure import Pose
from hitogata.figure.values import FloatArray
from hitogata.spatial import quat_exp, quat_multiply


class LensFit(NamedTuple):
    """Result of `fit_lens`.

    Attributes:
        views: the camera as it stood before the board in each view, all with the same lens.
        errors: reprojection errors [px], shape (nv, n, 2); NaN where a corner was not seen.
        covariance: of the lens, in the order of `INTRINSICS`, shape (9, 9).
        sigma: standard deviation of a pixel coordinate, robust [px].
        converged: whether the last step was small.
    """

    views: tuple[Camera, ...]
    errors: FloatArray
    covariance: FloatArray
    sigma: float
    converged: bool


class _Normal(NamedTuple):
    cost: float
    errors: FloatArray
    u: FloatArray
    v: FloatArray
    w: FloatArray
    gl: FloatArray
    gv: FloatArray


def fit_lens(
    views: Sequence[Camera], points: FloatArray, pixels: FloatArray, guess: FloatArray, *, sigma: float = 0.1,
    steps: int = 60,
) -> LensFit:  # fmt: skip
    """The lens and poses that fit the pixels best.

    Args:
        views: the camera in each view, to start from, all with the same lens.
        points: of the board [m], shape (n, 3).
        pixels: of them, shape (nv, n, 2); NaN where not seen.
        guess: of the lens, for the priors, shape (9,).
        sigma: standard deviation of a pixel coordinate, about [px].
        steps: of Levenberg-Marquardt at most.
    """
    views, damping, converged = tuple(views), 1e-3, False
    now = _normal(views, points, pixels, guess, sigma)
    for _ in range(steps):
        s, right, inverse = _reduced(now, damping)
        dl: FloatArray = np.asarray(np.linalg.solve(s, right), dtype=np.float64)
        dv = -(inverse @ (now.gv + dl @ now.w)[..., None])[..., 0]
        trial = tuple(_moved(view, step, dl) for view, step in zip(views, dv, strict=True))
        then = _normal(trial, points, pixels, guess, sigma)
        if np.isfinite(then.cost) and then.cost < now.cost:
            converged = now.cost - then.cost < 1e-10 * now.cost
            views, now, damping = trial, then, max(damping * 0.2, 1e-12)
        else:
            converged = bool(np.abs(dl).max() < 1e-9)
            damping *= 5
        if converged or damping > 1e9:
            break
    found = max(float(1.4826 * np.nanmedian(np.abs(now.errors))), 1e-9)
    s, *_ = _reduced(_normal(views, points, pixels, guess, found), 0.0)
    covariance: FloatArray = np.asarray(np.linalg.inv(s), dtype=np.float64)
    return LensFit(views, now.errors, covariance, found, converged)


def _normal(
    views: tuple[Camera, ...], points: FloatArray, pixels: FloatArray, guess: FloatArray, sigma: float
) -> _Normal:
    """Cost, errors and the blocks of the normal equations."""
    spread = lens_spread(views[0], guess)
    off = (views[0].intrinsics - guess) / spread
    u, gl, cost = np.diag(1 / spread**2), off / spread, float(off @ off)
    v, w, gv = np.empty((len(views), 6, 6)), np.empty((len(views), 9, 6)), np.empty((len(views), 6))
    errors = np.empty_like(pixels)
    for k, view in enumerate(views):
        found = project_with_derivatives(view, points)
        errors[k] = found.pixels - pixels[k]
        seen = np.isfinite(errors[k]).all(axis=1)
        error = np.where(seen[:, None], errors[k], 0.0)
        size = np.linalg.norm(error, axis=1) / sigma
        cost += float(np.where(size > HUBER, HUBER * (2 * size - HUBER), size * size).sum())
        weight = seen * np.minimum(1.0, HUBER / np.maximum(size, 1e-300)) / sigma**2
        by_lens, by_pose = found.by_lens, found.by_pose
        heavy_lens, heavy_pose = by_lens * weight[:, None, None], by_pose * weight[:, None, None]
        u += np.einsum("nki,nkj->ij", heavy_lens, by_lens)
        gl += np.einsum("nki,nk->i", heavy_lens, error)
        v[k] = np.einsum("nki,nkj->ij", heavy_pose, by_pose)
        w[k] = np.einsum("nki,nkj->ij", heavy_lens, by_pose)
        gv[k] = np.einsum("nki,nk->i", heavy_pose, error)
    return _Normal(cost, errors, u, v, w, gl, gv)


def _reduced(n: _Normal, damping: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The Schur complement of the views, its right side, and V⁻¹."""
    inverse: FloatArray = np.asarray(np.linalg.inv(n.v + damping * n.v * np.eye(6)), dtype=np.float64)
    wv = n.w @ inverse
    s = n.u + damping * n.u * np.eye(9) - (wv @ n.w.transpose(0, 2, 1)).sum(axis=0)
    return s, (wv @ n.gv[..., None]).sum(axis=0)[:, 0] - n.gl, inverse


def _moved(view: Camera, step: FloatArray, by_lens: FloatArray) -> Camera:
    quat = quat_multiply(quat_exp(step[:3]), np.array(view.pose.quat))
    pose = Pose(tuple(np.array(view.pose.position) + step[3:]), tuple(quat / np.linalg.norm(quat)))
    values = view.intrinsics + by_lens
    values[:2] = np.maximum(values[:2], 0.2 * view.intrinsics[:2])
    return view.with_intrinsics(values, pose)
