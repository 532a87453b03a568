"""Bundle adjustment: cameras, lenses and all places of the wand together, so that the pixels fit best.

Minimises the sum of squared reprojection errors (Huber's beyond a few standard deviations) by Levenberg-Marquardt with
analytic derivatives.  The wand of a frame has five unknowns (middle, direction), a camera fifteen (turn, place, lens);
frames meet only cameras, so they are eliminated first (Schur complement: Triggs et al. 2000, "Bundle adjustment: a
modern synthesis"):

    [U  W ] [dc]     [g_c]
    [Wᵀ V ] [df] = - [g_f],     (U - W V⁻¹ Wᵀ) dc = -g_c + W V⁻¹ g_f,     df = -V⁻¹ (g_f + Wᵀ dc).

Known points (an L-frame) fix where the world is; without them the first camera does not move.  Weak priors keep what
the pixels do not tell: see `PRIORS`.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from hitogata.capture.camera import Camera, project_with_derivatives
from hitogata.figure import Pose
from hitogata.figure.values import FloatArray
from hitogata.spatial import quat_exp, quat_multiply

PRIORS = (0.2, 0.2, 0.05, 0.05, 0.5, 0.5, 0.01, 0.01, 0.1)
"""How far lenses may be from the first guess, standard deviations: fx, fy (of the guess), cx, cy (of the width), k1 k2
p1 p2 k3."""


HUBER = 3.0
"""Errors beyond this many standard deviations count less."""


@dataclass(frozen=True, eq=False)
class Sightings:
    """What the cameras saw.

    Attributes:
        camera, frame, mark: index of the camera, of the wand's place and of its marker, shape (n,); frame -1: a known
            point, and `mark` is its index.
        pixel: (u, v), shape (n, 2).
    """

    camera: Any
    frame: Any
    mark: Any
    pixel: FloatArray

    def kept(self, mask: Any) -> "Sightings":
        """Those of a mask."""
        return Sightings(self.camera[mask], self.frame[mask], self.mark[mask], self.pixel[mask])


@dataclass(frozen=True, eq=False)
class Bundle:
    """All unknowns.

    Attributes:
        cameras: with their lenses.
        middle, way: of the wand in each frame: place of its mark 0 [m] and unit direction, shape (nf, 3).
        marks: places along the wand [m], shape (nm,).
        known: points whose place in the world is known [m], shape (k, 3).
        guesses: lenses before, for the priors, shape (nc, 9).
    """

    cameras: tuple[Camera, ...]
    middle: FloatArray
    way: FloatArray
    marks: FloatArray
    known: FloatArray
    guesses: FloatArray


class Adjusted(NamedTuple):
    """Result of `adjust`.

    Attributes:
        bundle: with all unknowns at the minimum.
        errors: reprojection errors [px], shape (n, 2).
        covariance: of the cameras' unknowns (turn 3, place 3, lens 9 each), shape (15 nc, 15 nc).
        sigma: standard deviation of a pixel coordinate, robust [px].
        steps: taken.
        converged: whether the last step was small.
    """

    bundle: Bundle
    errors: FloatArray
    covariance: FloatArray
    sigma: float
    steps: int
    converged: bool


class _Normal(NamedTuple):
    cost: float
    errors: FloatArray
    u: FloatArray
    v: FloatArray
    w: FloatArray
    gc: FloatArray
    gf: FloatArray


def points_of(bundle: Bundle, seen: Sightings) -> FloatArray:
    """Places in the world of what was seen [m], shape (n, 3)."""
    points = bundle.middle[seen.frame] + bundle.marks[seen.mark % len(bundle.marks), None] * bundle.way[seen.frame]
    fixed = seen.frame < 0
    if fixed.any():
        points[fixed] = bundle.known[seen.mark[fixed]]
    return points


def tangents(way: FloatArray) -> FloatArray:
    """Two unit vectors across each direction, shape (n, 3, 2)."""
    helper = np.eye(3)[np.abs(way).argmin(axis=1)]
    a = np.cross(way, helper)
    a /= np.linalg.norm(a, axis=1)[:, None]
    return np.stack([a, np.cross(way, a)], axis=2)


def _normal(bundle: Bundle, seen: Sightings, sigma: float) -> _Normal:
    """Cost, errors and the blocks of the normal equations."""
    nc, nf = len(bundle.cameras), len(bundle.middle)
    u, gc = np.zeros((nc, 15, 15)), np.zeros((nc, 15))
    v, gf, w = np.zeros((nf, 5, 5)), np.zeros((nf, 5)), np.zeros((nc, nf, 15, 5))
    points, across = points_of(bundle, seen), tangents(bundle.way)
    errors = np.full((len(points), 2), np.nan)
    cost = 0.0
    for c, camera in enumerate(bundle.cameras):
        at = np.flatnonzero(seen.camera == c)
        found = project_with_derivatives(camera, points[at])
        error = found.pixels - seen.pixel[at]
        errors[at] = error
        size = np.linalg.norm(error, axis=1) / sigma
        bad = ~np.isfinite(size)
        size[bad], error[bad] = 1e3 / sigma, 0.0
        cost += float(np.where(size > HUBER, HUBER * (2 * size - HUBER), size * size).sum())
        weight = np.where(bad, 0.0, np.minimum(1.0, HUBER / np.maximum(size, 1e-300))) / sigma**2
        by_camera = np.concatenate([found.by_pose, found.by_lens], axis=2)
        by_camera[bad], by_point = 0.0, np.where(bad[:, None, None], 0.0, found.by_point)
        weighed = by_camera * weight[:, None, None]
        u[c] = np.einsum("nki,nkj->ij", weighed, by_camera, optimize=True)
        gc[c] = np.einsum("nki,nk->i", weighed, error)
        free = seen.frame[at] >= 0
        frame = seen.frame[at][free]
        turn = by_point[free] @ across[frame] * bundle.marks[seen.mark[at][free], None, None]
        by_frame = np.concatenate([by_point[free], turn], axis=2)
        heavy = by_frame * weight[free, None, None]
        np.add.at(v, frame, np.einsum("nki,nkj->nij", heavy, by_frame))
        np.add.at(gf, frame, np.einsum("nki,nk->ni", heavy, error[free]))
        np.add.at(w[c], frame, np.einsum("nki,nkj->nij", by_camera[free], heavy))
        spread = lens_spread(camera, bundle.guesses[c])
        off = (camera.intrinsics - bundle.guesses[c]) / spread
        cost += float(off @ off)
        u[c, range(6, 15), range(6, 15)] += 1 / spread**2
        gc[c, 6:] += off / spread
    return _Normal(cost, errors, u, v, w, gc, gf)


def lens_spread(camera: Camera, guess: FloatArray) -> FloatArray:
    """How far a lens may be from a guess, standard deviations in the order of `INTRINSICS`: see `PRIORS`."""
    spread = np.array(PRIORS)
    spread[:2] *= guess[:2]
    spread[2:4] *= camera.size[0]
    return spread


def _reduced(n: _Normal, damping: float, held: bool) -> tuple[Any, Any, Any, Any]:
    """The Schur complement of the frames, its right side, W V⁻¹ as a matrix, and V⁻¹."""
    nc, nf = len(n.u), len(n.v)
    v = n.v + damping * n.v * np.eye(5) + 1e-9 * np.eye(5)
    inverse = np.linalg.inv(v)
    w = n.w.transpose(0, 2, 1, 3).reshape(15 * nc, 5 * nf)
    wv = (n.w @ inverse).transpose(0, 2, 1, 3).reshape(15 * nc, 5 * nf)
    s = -wv @ w.T
    for c in range(nc):
        block = slice(15 * c, 15 * c + 15)
        s[block, block] += n.u[c] + damping * n.u[c] * np.eye(15)
    right = -n.gc.ravel() + wv @ n.gf.ravel()
    if held:
        s[:6], s[:, :6], right[:6] = 0.0, 0.0, 0.0
        s[range(6), range(6)] = 1.0
    return s, right, wv, inverse


def _moved(bundle: Bundle, dc: FloatArray, df: FloatArray) -> Bundle:
    cameras = []
    for camera, step in zip(bundle.cameras, dc.reshape(-1, 15), strict=True):
        quat = quat_multiply(quat_exp(step[:3]), np.array(camera.pose.quat))
        pose = Pose(tuple(np.array(camera.pose.position) + step[3:6]), tuple(quat / np.linalg.norm(quat)))
        values = camera.intrinsics + step[6:]
        values[:2] = np.maximum(values[:2], 0.2 * camera.intrinsics[:2])
        cameras.append(camera.with_intrinsics(values, pose))
    steps = df.reshape(-1, 5)
    way = bundle.way + (tangents(bundle.way) @ steps[:, 3:, None])[..., 0]
    way /= np.linalg.norm(way, axis=1)[:, None]
    return replace(bundle, cameras=tuple(cameras), middle=bundle.middle + steps[:, :3], way=way)


def adjust(bundle: Bundle, seen: Sightings, *, sigma: float = 0.3, steps: int = 60) -> Adjusted:
    """The unknowns that fit the pixels best.

    Args:
        bundle: to start from.
        seen: what the cameras saw.
        sigma: standard deviation of a pixel coordinate, about [px].
        steps: of Levenberg-Marquardt at most.
    """
    held = not (seen.frame < 0).any()
    damping, taken, converged = 1e-3, 0, False
    now = _normal(bundle, seen, sigma)
    while taken < steps and not converged and damping < 1e9:
        taken += 1
        s, right, _, inverse = _reduced(now, damping, held)
        try:
            dc: Any = np.linalg.solve(s, right)
        except np.linalg.LinAlgError:
            damping *= 10
            continue
        wt_dc = np.einsum("cfij,ci->fj", now.w, dc.reshape(-1, 15))
        df = -(inverse @ (now.gf + wt_dc)[..., None])[..., 0].ravel()
        trial = _moved(bundle, dc, df)
        then = _normal(trial, seen, sigma)
        if np.isfinite(then.cost) and then.cost < now.cost:
            converged = now.cost - then.cost < 1e-9 * now.cost
            bundle, now, damping = trial, then, max(damping * 0.2, 1e-12)
        else:
            converged = bool(np.abs(dc).max() < 1e-10)
            damping *= 5
    errors = now.errors
    sizes = np.abs(errors[np.isfinite(errors).all(axis=1)])
    found = max(float(1.4826 * np.median(sizes)), 1e-9) if len(sizes) else np.inf
    s, *_ = _reduced(_normal(bundle, seen, found), 0.0, held)
    covariance: FloatArray = np.asarray(np.linalg.pinv(s, hermitian=True), dtype=np.float64)
    if held:
        covariance[:6], covariance[:, :6] = 0.0, 0.0
    return Adjusted(bundle, errors, covariance, found, taken, converged)
