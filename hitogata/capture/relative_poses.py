"""First places of cameras: essential matrices of pairs that saw the same wand, chained along a tree.

OpenCV finds the essential matrix of a pair (Nister 2004, RANSAC) and its relative pose; the known length of the wand
gives the scale.  Pairs are joined, best first, until all cameras hang together.
"""

import importlib
from typing import Any, NamedTuple

import numpy as np

from hitogata.capture.arrays import BoolArray
from hitogata.capture.camera import Camera, undistort
from hitogata.capture.triangulation import ray_points
from hitogata.errors import MissingDependencyError
from hitogata.figure import Pose
from hitogata.figure.values import FloatArray

SHARED = 15
"""Frames that two cameras must share to be joined."""


def opencv() -> Any:
    """OpenCV, or an error that names the install."""
    try:
        return importlib.import_module("cv2")
    except ImportError:
        raise MissingDependencyError(
            "calibration starts from OpenCV's essential matrices: pip install 'hitogata[capture]' "
            "(opencv-python-headless)"
        ) from None


class Pair(NamedTuple):
    """Two cameras: X_AB of camera b in camera a (metric), and the share of points that agree with it."""

    a: int
    b: int
    pose: Pose
    agreeing: float
    frames: int


def relative_pose(a: FloatArray, b: FloatArray, length: float, tolerance: float) -> tuple[Pose, float]:
    """Camera b in camera a, and the share of points that fit.

    Args:
        a, b: normalised coordinates of a wand's markers, shape (n, 3, 2).
        length: of the wand [m].
        tolerance: in normalised coordinates.
    """
    cv2 = opencv()
    cv2.setRNGSeed(0)
    p, q = (np.ascontiguousarray(x.reshape(-1, 2)) for x in (a, b))
    matrix, mask = cv2.findEssentialMat(p, q, np.eye(3), cv2.RANSAC, 0.999, tolerance)
    if matrix is None or matrix.shape[0] < 3:
        return Pose(), 0.0
    good, turn, shift, _ = cv2.recoverPose(matrix[:3], p, q, np.eye(3), mask=mask.copy())
    pose = Pose.from_matrix(turn.T, (-turn.T @ shift).ravel())  # OpenCV: p_B = turn p_A + shift
    identity = Pose()
    ends = [ray_points((identity, pose), np.stack([a[:, k], b[:, k]], axis=1)) for k in (0, 2)]
    lengths = np.linalg.norm(ends[1] - ends[0], axis=1)
    scale = length / float(np.median(lengths)) if np.median(lengths) > 0 else 1.0
    return Pose(tuple(np.array(pose.position) * scale), pose.quat), float(good) / len(p)


def pairs_of(cameras: tuple[Camera, ...], pixels: FloatArray, length: float) -> list[Pair]:
    """All pairs that share enough frames; pixels of the wand, shape (nt, nc, 3, 2)."""
    flat = np.stack([undistort(camera, pixels[:, c]) for c, camera in enumerate(cameras)], axis=1)
    seen: BoolArray = np.asarray(np.isfinite(flat).all(axis=(2, 3)))
    pairs = []
    for a in range(len(cameras)):
        for b in range(a + 1, len(cameras)):
            both = seen[:, a] & seen[:, b]
            if both.sum() >= SHARED:
                tolerance = 2.0 / min(cameras[a].focal[0], cameras[b].focal[0])
                pose, share = relative_pose(flat[both, a], flat[both, b], length, tolerance)
                pairs.append(Pair(a, b, pose, share, int(both.sum())))
    return pairs


def chained(count: int, pairs: list[Pair]) -> dict[int, Pose]:
    """Poses of cameras in the frame of the one with the best pairs, along the best tree; some may be missing."""
    worth = {(p.a, p.b): p.agreeing * np.sqrt(p.frames) for p in pairs if p.agreeing > 0.4}
    if not worth:
        return {}
    root = max(range(count), key=lambda c: sum(w for key, w in worth.items() if c in key))
    poses = {root: Pose()}
    by_key = {(p.a, p.b): p.pose for p in pairs}
    while True:
        open_pairs = [(w, key) for key, w in worth.items() if (key[0] in poses) != (key[1] in poses)]
        if not open_pairs:
            return poses
        _, (a, b) = max(open_pairs)
        pose = by_key[a, b]
        if a in poses:
            poses[b] = poses[a] @ pose
        else:
            poses[a] = poses[b] @ pose.inverse()
