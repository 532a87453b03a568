"""Where inverse kinematics begins: the root laid under the markers of one frame, turned other ways if that fails."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.dynamics import forward_kinematics, integrate, jacobian
from hitogata.errors import ArgumentError
from hitogata.figure.expansion import expansion_of
from hitogata.figure.values import FloatArray, floats
from hitogata.spatial import matrix_to_quat, quat_exp, quat_log, quat_to_matrix

if TYPE_CHECKING:
    from hitogata.capture.ik import MarkerIk

TURNS = 8
"""Turns about the vertical that are tried."""

FAR = 0.05
"""Markers this far from the body, rms [m]: perhaps it looks the wrong way."""

WIDENED = (8.0, 4.0, 2.0, 1.0)
"""Scales of outliers, one after the other, times what is asked for."""

STEPS = 12
"""Iterations of the search for the root, for those whose root is neither free nor of six screws."""


def first_pose(
    solver: "MarkerIk", target: FloatArray, weight: FloatArray, start: Any
) -> tuple[FloatArray, int]:
    """Coordinates of the frame with which to begin, and its number: of those that show most markers, the first.

    Outliers are told apart by and by: at first all markers count alike, then the scale comes down to what is asked for
    (graduated non-convexity: Blake & Zisserman 1987).

    Args:
        solver: of the figure.
        target: places of the markers [m], shape (nt, nm, 3).
        weight: shape (nt, nm).
        start: coordinates, or None: the neutral pose, with its root laid under the markers.
    """
    figure = solver.figure
    counts = (weight > 0).sum(axis=1)
    if not len(counts) or counts.max() < 3:
        raise ArgumentError("trial: no frame shows three markers of the set")
    first = int(np.argmax(counts >= min(counts.max(), 0.9 * weight.shape[1])))
    if start is not None:
        q = floats(start, "start").astype(np.float64)
        if q.shape != (figure.nq,):
            raise ArgumentError(f"start: expected shape ({figure.nq},), got {q.shape}")
        return _graduated(solver, target[first], weight[first], [q]), first
    turns = iter(_rooted(solver, figure.neutral(), target[first], weight[first]))
    tried = [next(turns)]
    found = _graduated(solver, target[first], weight[first], tried)
    miss = solver.markers.positions(figure, found) - target[first]
    seen = weight[first] > 0
    if np.sqrt((miss[seen] ** 2).sum(axis=1).mean()) > FAR:
        found = _graduated(solver, target[first], weight[first], [found, *turns])
    return found, first


def _graduated(solver: "MarkerIk", target: FloatArray, weight: FloatArray, tried: list[FloatArray]) -> FloatArray:
    """The solution of least cost, outliers told apart by and by."""
    with solver.scale_of_outliers(0.0):
        found = _best(solver, target, weight, tried)
    for factor in WIDENED if solver.settings.outlier > 0 else ():
        with solver.scale_of_outliers(factor * solver.settings.outlier):
            found = _best(solver, target, weight, [found])
    return found


def _best(solver: "MarkerIk", target: FloatArray, weight: FloatArray, tried: list[FloatArray]) -> FloatArray:
    """The solution of least cost."""
    n = len(tried)
    found = solver.frames(
        np.repeat(target[None], n, axis=0), np.repeat(weight[None], n, axis=0), np.array(tried), variances=False
    )
    return found.q[int(np.argmin(found.cost))]


def _rooted(solver: "MarkerIk", neutral: FloatArray, target: FloatArray, weight: FloatArray) -> Iterator[FloatArray]:
    """The neutral pose, its root as the markers lie (Arun, Huang & Blostein 1987), then turned about the vertical."""
    figure = solver.figure
    seen = weight > 0
    here = solver.markers.positions(figure, neutral)[seen]
    there = target[seen]
    u, _, vt = np.linalg.svd((here - here.mean(axis=0)).T @ (there - there.mean(axis=0)))
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
    upright = (_turned(np.array([0.0, 0.0, 2 * np.pi * k / TURNS])) for k in range(TURNS))
    for R in (vt.T @ flip @ u.T, *upright):
        yield root_moved(figure, neutral, R, there.mean(axis=0) - R @ here.mean(axis=0))


def _turned(vector: FloatArray) -> FloatArray:
    return np.asarray(quat_to_matrix(quat_exp(vector)))


def root_moved(figure: Any, q: FloatArray, R: FloatArray, p: FloatArray) -> FloatArray:
    """Coordinates of the pose in which the root is moved by x → R x + p, as nearly as its joint can (Gauss-Newton)."""
    base = expansion_of(figure)
    plain = figure if base is None else base.plain
    joint = figure.links[0].joint
    before = forward_kinematics(figure, q)
    goal_R, goal_p = R @ before.rotation[0], R @ before.position[0] + p
    q, own = q.copy(), slice(0, joint.nv)
    if not joint.nv:
        return q
    for _ in range(STEPS):
        now = forward_kinematics(figure, q)
        J = np.asarray(jacobian(figure, q, figure.link_names[0]))[:, own]
        turn = goal_R @ now.rotation[0].T
        error = np.concatenate([_log(turn), goal_p - now.position[0]])
        change = np.zeros(figure.nv)
        change[own] = np.linalg.lstsq(J.T @ J + 1e-9 * np.eye(J.shape[1]), J.T @ error, rcond=None)[0]
        size = np.abs(change).max()
        q = np.asarray(integrate(plain, q, change * min(1.0, 1.0 / max(size, 1e-12))))
        if size < 1e-10:
            break
    return q


def _log(R: FloatArray) -> FloatArray:
    """Rotation vector of a rotation matrix."""
    return np.asarray(quat_log(matrix_to_quat(R)))
