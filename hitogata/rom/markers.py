"""Pose of a ball joint from markers on its two segments, any of them hidden at any time (Hanaoka 2010, 4.2).

The thesis puts three markers on the shoulder and four around the elbow.  Each segment is rigid: where its markers lie
in it is found from all frames together, and so is the joint's centre, as the point that keeps still in both (SCoRE:
Ehrig et al. 2006, "A survey of formal methods for determining the centre of rotation of ball joints", J. Biomech.
39:2798).  Three markers then give a segment's pose in a frame.  Where only two are seen, the centre, known from the
other segment, is the third point.  What cannot be known stays NaN.
"""

import enum
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.rom.decompose import swing_twist_of_quat
from hitogata.rom.fit import RangeFit, fit_range
from hitogata.rom.frames import Array
from hitogata.spatial import matrix_to_quat, quat_exp, quat_to_matrix

SPREAD = 0.01
"""Points give a pose if they spread at least this far across their longest direction [m]."""


SURE = 1.5
"""A pose is sure if its standard deviation is at most so many times that of a usual frame with all markers."""


class Known(enum.IntEnum):
    """How a frame's pose is known.

    HIDDEN: not at all.  CENTRE: with the joint's centre as third point of one segment.  MARKERS: by three markers or
    more on both segments.
    """

    HIDDEN = 0
    CENTRE = 1
    MARKERS = 2


@dataclass(frozen=True)
class JointMotion:
    """Motion of a ball joint, from markers.

    The parent's frame P has its origin at the joint's centre; at the rest frame its axes are those of the world.

    Attributes:
        quat: pose of the child relative to the parent, identity at rest, wxyz, shape (nt, 4); NaN where not known.
        direction: of the bone in P, unit, shape (nt, 3); NaN where not known.
        twist: of the bone about itself [rad], shape (nt,); NaN where not known.
        centre: of the joint (shoulder), world [m], shape (nt, 3); NaN where not known.
        end: of the bone (elbow), world [m], shape (nt, 3); NaN where not known.
        known: how each frame is known (`Known`), shape (nt,), int.
        spread: standard deviation of the pose's angle that the markers seen leave [rad], shape (nt,); NaN where not
            known.
        bone: direction of the bone at rest in P, shape (3,).
        length: from centre to end [m].
        marker_error: root mean square distance of seen markers from the rigid segments [m].
        centre_error: root mean square distance between the joint's centres of the two segments [m].
    """

    quat: Array
    direction: Array
    twist: Array
    centre: Array
    end: Array
    known: Any
    spread: Array
    bone: Array
    length: float
    marker_error: float
    centre_error: float

    @property
    def poses(self) -> Array:
        """The poses that are known, wxyz, shape (k, 4)."""
        return self.quat[self.known > 0]

    @property
    def sure(self) -> Any:
        """Frames whose pose is known about as well as by all markers, shape (nt,), bool.

        Two markers nearly in line with the joint's centre leave a turn about that line open: such poses, a few at
        the edge of the cloud, would widen a range that is fitted around them.
        """
        full = self.spread[self.known == Known.MARKERS]
        limit = SURE * float(np.median(full)) if len(full) else np.inf
        return (self.known > 0) & (np.nan_to_num(self.spread, nan=np.inf) <= limit)

    def fit(self, **options: Any) -> RangeFit:
        """`fit_range` of the poses that are sure."""
        return fit_range(self.quat[self.sure], bone=self.bone, **options)

    def __str__(self) -> str:
        n = len(self.known)
        seen, helped = (int((self.known == k).sum()) for k in (Known.MARKERS, Known.CENTRE))
        return (
            f"{n} frames: {seen} known by markers, {helped} with the joint's centre, {n - seen - helped} not known; "
            f"bone {self.length * 1e3:.1f} mm; markers to {self.marker_error * 1e3:.2f} mm, "
            f"centre to {self.centre_error * 1e3:.2f} mm"
        )


class _Segment(NamedTuple):
    """Markers in the segment's frame (k, 3), and its pose in each frame, NaN where not known."""

    markers: Array
    rotation: Array
    origin: Array
    error: float


def joint_from_markers(parent: Any, child: Any, *, rest: Any = None, end: Any = None) -> JointMotion:
    """Centre, bone and pose of a ball joint in every frame.

    Args:
        parent: markers of the parent segment (torso), world [m], shape (nt, ≥ 3, 3); NaN where hidden.
        child: markers of the child segment (upper arm at the elbow), same; four around the elbow in the thesis.
        rest: number of the frame that is the rest pose, or of several that are averaged (held still, they lessen
            noise);
            None: the first in which both segments are known by markers.
        end: end of the bone in terms of the child's markers: weights that sum to 1, shape (k,); None: the middle of the
            circle through them.

    Raises:
        ArgumentError: wrong shapes, a marker that is never seen with others, or a joint that hardly moves.
    """
    p, c = _checked(parent, "parent"), _checked(child, "child")
    if len(p) != len(c):
        raise ArgumentError(f"parent has {len(p)} frames, child has {len(c)}")
    first, second = _rigid(p, "parent"), _rigid(c, "child")
    both = np.isfinite(first.origin[:, 0]) & np.isfinite(second.origin[:, 0])
    if both.sum() < 10:
        raise ArgumentError(f"both segments show three markers in {int(both.sum())} frames; at least 10 are needed")
    at_first, at_second, centre_error = _centre(first, second, both)
    a = _with_centre(p, first, at_first, _moved(second, at_second))
    b = _with_centre(c, second, at_second, _moved(first, at_first))
    known = np.where(both, Known.MARKERS, Known.HIDDEN)
    rescued = ~both & np.isfinite(a.origin[:, 0]) & np.isfinite(b.origin[:, 0])
    known = np.where(rescued, Known.CENTRE, known)
    a, b, loose = _joined(p, c, a, b, at_first, at_second, known > 0)
    frames = np.atleast_1d(int(np.argmax(both)) if rest is None else np.asarray(rest))
    if frames.ndim != 1 or not np.issubdtype(frames.dtype, np.integer) or not len(frames):
        raise ArgumentError(f"rest = {rest!r}: a frame's number or several expected")
    for k in frames:
        if not 0 <= k < len(p) or known[k] == Known.HIDDEN:
            raise ArgumentError(f"rest = {k}: a frame from 0 to {len(p) - 1} whose pose is known is needed")
    tip = _middle(second.markers) if end is None else _weighted(end, second.markers)
    return _motion(a, b, known, loose, frames, at_first, at_second, tip, centre_error)


def _checked(markers: Any, what: str) -> Array:
    x = np.array(markers, np.float64)
    if x.ndim != 3 or x.shape[2] != 3 or x.shape[1] < 3:
        raise ArgumentError(f"{what}: markers of shape (frames, at least 3, 3) expected, got {x.shape}")
    if np.isinf(x).any():
        raise ArgumentError(
            f"{what}: infinite position in frame {int(np.argmax(np.isinf(x).any((1, 2))))}; hidden markers are NaN"
        )
    x[np.isnan(x).any(2)] = np.nan
    return x


# ---------------------------------------------------------------- rigid segments


def _aligned(template: Array, seen: Array) -> tuple[Array, Array, Array]:
    """Least-squares poses of a template (k, 3) on points (n, k, 3), all seen: R (n, 3, 3), t (n, 3), residuals (n, k,
    3).

    Singular value decomposition of the covariance (Arun, Huang and Blostein 1987; Umeyama 1991 for the sign).
    """
    middle, centre = template.mean(0), seen.mean(1)
    h = np.einsum("ki,nkj->nij", template - middle, seen - centre[:, None])
    u, _, vt = np.linalg.svd(h)
    flip = np.ones((len(seen), 3))
    flip[:, 2] = np.sign(np.linalg.det(np.einsum("nij,njk->nik", u, vt)))
    r = np.einsum("nji,nj,nkj->nik", vt, flip, u)
    t = centre - r @ middle
    return r, t, seen - np.einsum("nij,kj->nki", r, template) - t[:, None]


def _spread(points: Array) -> float:
    """How far points reach across their longest direction [m]: the second singular value."""
    return float(np.linalg.svd(points - points.mean(0), compute_uv=False)[1])


def _poses(template: Array, x: Array, fewest: int = 3) -> tuple[Array, Array, Array]:
    """Poses in all frames that show enough of the template; NaN elsewhere.  Also residuals (nt, k, 3)."""
    r = np.full((len(x), 3, 3), np.nan)
    t = np.full((len(x), 3), np.nan)
    residuals = np.full(x.shape, np.nan)
    seen = np.isfinite(x[:, :, 0]) & np.isfinite(template[:, 0])
    for pattern in np.unique(seen, axis=0):
        if pattern.sum() >= fewest and _spread(template[pattern]) > SPREAD:
            rows = np.nonzero((seen == pattern).all(1))[0]
            r[rows], t[rows], rest = _aligned(template[pattern], x[rows][:, pattern])
            residuals[np.ix_(rows, np.nonzero(pattern)[0])] = rest
    return r, t, residuals


def _rigid(x: Array, what: str) -> _Segment:
    """Template of a segment from all frames.

    Begun with the frame that shows most, grown marker by marker, then averaged.
    """
    seen = np.isfinite(x[:, :, 0])
    for k in range(x.shape[1]):
        if not seen[:, k].any():
            raise ArgumentError(f"{what} marker {k} is hidden in every frame")
    order = np.argsort(-seen.sum(1), kind="stable")
    start = next((i for i in order[:200] if seen[i].sum() >= 3 and _spread(x[i][seen[i]]) > SPREAD), None)
    if start is None:
        raise ArgumentError(f"{what}: no frame shows three markers that are not in line")
    template = x[start] - x[start][seen[start]].mean(0)
    for _ in range(30):
        r, t, _ = _poses(template, x)
        local = np.einsum("nji,nkj->nki", r, x - t[:, None])
        count = np.isfinite(local[:, :, 0]).sum(0)
        fresh = np.where(count[:, None] > 0, np.nansum(local, 0) / np.maximum(count, 1)[:, None], template)
        change = np.nanmax(np.abs(fresh - template))
        grown = np.isfinite(fresh[:, 0]).sum() > np.isfinite(template[:, 0]).sum()
        template = fresh
        if change < 1e-9 and not grown:
            break
    missing = ~np.isfinite(template[:, 0])
    if missing.any():
        raise ArgumentError(f"{what} marker {int(np.argmax(missing))} is never seen together with three of the others")
    r, t, residuals = _poses(template, x)
    return _Segment(template, r, t, float(np.sqrt(np.nanmean((residuals**2).sum(2)))))


# ---------------------------------------------------------------- the centre


def _centre(a: _Segment, b: _Segment, both: Any) -> tuple[Array, Array, float]:
    """The point that keeps still in both segments.

    R₁c₁ + t₁ = R₂c₂ + t₂ in all frames, robustly (Ehrig et al. 2006).
    """
    left = np.concatenate([a.rotation[both], -b.rotation[both]], 2)
    right = b.origin[both] - a.origin[both]
    weight = np.ones(len(left))
    c = np.zeros(6)
    for _ in range(15):
        m = (left * weight[:, None, None]).reshape(-1, 6)
        if np.linalg.svd(left.reshape(-1, 6), compute_uv=False)[-1] < 0.05 * np.sqrt(len(left)):
            raise ArgumentError("the joint hardly moves, or about one axis only: its centre cannot be found")
        c = np.linalg.lstsq(m, (right * weight[:, None]).reshape(-1), rcond=None)[0]
        miss = np.linalg.norm(left @ c - right, axis=1)
        limit = 2.5 * max(float(np.median(miss)), 1e-12)
        weight = np.sqrt(np.minimum(1.0, limit / np.maximum(miss, 1e-15)))
    return c[:3], c[3:], float(np.sqrt((miss**2).mean()))


def _moved(s: _Segment, point: Array) -> Array:
    """A point of the segment in the world, shape (nt, 3)."""
    return np.einsum("nij,j->ni", s.rotation, point) + s.origin


def _with_centre(x: Array, s: _Segment, at: Array, centre: Array) -> _Segment:
    """Poses by three markers; where only two are seen, by these and the joint's centre."""
    bare = ~np.isfinite(s.origin[:, 0])
    r, t, _ = _poses(np.concatenate([s.markers, at[None]]), np.concatenate([x, centre[:, None]], 1))
    return s._replace(
        rotation=np.where(bare[:, None, None], r, s.rotation), origin=np.where(bare[:, None], t, s.origin)
    )


def _joined(
    x: Array, y: Array, a: _Segment, b: _Segment, at_a: Array, at_b: Array, known: Any
) -> tuple[_Segment, _Segment, Array]:
    """Poses of both segments together, least squares of all markers seen, the joint's centre being one point.

    Gauss-Newton in nine unknowns per frame: the centre and two turns.  Also the standard deviation of the turn between
    the segments, for markers with a deviation of 1 m in each coordinate [rad], from the inverse of the normal matrix.
    """
    ra, rb = a.rotation[known], b.rotation[known]
    centre = (_moved(a, at_a)[known] + _moved(b, at_b)[known]) / 2.0
    arms = a.markers - at_a, b.markers - at_b
    seen = np.concatenate([np.isfinite(x[known][:, :, 0]), np.isfinite(y[known][:, :, 0])], 1)
    place = np.nan_to_num(np.concatenate([x[known], y[known]], 1))
    k, n = len(arms[0]), len(centre)
    for _ in range(6):
        spokes = np.concatenate([arms[0] @ ra.transpose(0, 2, 1), arms[1] @ rb.transpose(0, 2, 1)], 1)
        miss = (place - spokes - centre[:, None]) * seen[:, :, None]
        jac = np.zeros((n, spokes.shape[1], 3, 9))
        jac[:, :, :, :3] = np.eye(3)
        jac[:, :k, :, 3:6] = -_skew(spokes[:, :k])
        jac[:, k:, :, 6:9] = -_skew(spokes[:, k:])
        jac *= seen[:, :, None, None]
        flat = jac.reshape(n, -1, 9)
        step = np.linalg.solve(
            flat.transpose(0, 2, 1) @ flat + 1e-12 * np.eye(9),
            np.einsum("nij,ni->nj", flat, miss.reshape(n, -1))[..., None],
        )[..., 0]
        centre = centre + step[:, :3]
        ra, rb = (quat_to_matrix(quat_exp(step[:, i : i + 3])) @ r for i, r in ((3, ra), (6, rb)))
    between = np.concatenate([np.zeros((3, 3)), -np.eye(3), np.eye(3)], 1)
    covariance = between @ np.linalg.inv(flat.transpose(0, 2, 1) @ flat + 1e-12 * np.eye(9)) @ between.T
    loose = np.full(len(known), np.nan)
    loose[known] = np.sqrt(np.trace(covariance, axis1=1, axis2=2))
    out = []
    for s, r, at in ((a, ra, at_a), (b, rb, at_b)):
        rotation, origin = s.rotation.copy(), s.origin.copy()
        rotation[known], origin[known] = r, centre - r @ at
        out.append(s._replace(rotation=rotation, origin=origin))
    return out[0], out[1], loose


def _skew(v: Array) -> Array:
    """Matrices of the cross product with vectors (..., 3)."""
    out = np.zeros((*v.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., i, j], out[..., j, i] = -v[..., k], v[..., k]
    return out


# ---------------------------------------------------------------- the bone


def _middle(markers: Array) -> Array:
    """Middle of the circle through markers in nearly one plane, by least squares (three: their own circle)."""
    centre = markers.mean(0)
    _, _, axes = np.linalg.svd(markers - centre)
    flat = (markers - centre) @ axes[:2].T
    a = np.concatenate([2.0 * flat, np.ones((len(flat), 1))], 1)
    x = np.linalg.lstsq(a, (flat**2).sum(1), rcond=None)[0]
    return centre + x[:2] @ axes[:2]


def _weighted(weights: Any, markers: Array) -> Array:
    w = np.asarray(weights, np.float64)
    if w.shape != (len(markers),) or not abs(w.sum() - 1.0) < 1e-9:
        raise ArgumentError(f"end: {len(markers)} weights that sum to 1 expected, got {weights!r}")
    return w @ markers


def _mean_turn(r: Array) -> Array:
    """The rotation nearest to the mean of rotations (n, 3, 3)."""
    u, _, vt = np.linalg.svd(r.mean(0))
    return u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt


def _motion(
    a: _Segment, b: _Segment, known: Any, loose: Array, rest: Any, at_a: Array, at_b: Array, tip: Array,
    centre_error: float,
) -> JointMotion:  # fmt: skip
    hidden = known == Known.HIDDEN
    rest_a = _mean_turn(a.rotation[rest])  # the parent's frame: the world's axes at rest
    rest_b = rest_a @ _mean_turn(np.einsum("nji,njk->nik", a.rotation[rest], b.rotation[rest]))
    relative = np.einsum("nji,njk->nik", a.rotation @ rest_a.T, b.rotation @ rest_b.T)
    span = rest_b @ (tip - at_b)
    bone = span / np.linalg.norm(span)
    quat = np.full((len(known), 4), np.nan)
    quat[~hidden] = matrix_to_quat(relative[~hidden])
    direction, twist = np.full((len(known), 3), np.nan), np.full(len(known), np.nan)
    direction[~hidden], twist[~hidden] = swing_twist_of_quat(quat[~hidden], bone)
    centre, end = _moved(a, at_a), _moved(b, tip)
    centre = np.where(np.isfinite(centre), centre, _moved(b, at_b))
    error = float(np.sqrt((a.error**2 + b.error**2) / 2.0))
    return JointMotion(
        quat, direction, twist, centre, end, known.astype(int), loose * error, bone, float(np.linalg.norm(span)), error,
        centre_error,
    )  # fmt: skip
