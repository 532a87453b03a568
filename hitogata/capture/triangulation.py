"""Points from rays: a quick linear answer, for starts."""

from collections.abc import Sequence

import numpy as np

from hitogata.figure import Pose
from hitogata.figure.values import FloatArray


def ray_points(poses: Sequence[Pose], flat: FloatArray) -> FloatArray:
    """Points nearest to rays: Σ (I - d dᵀ) (p - c) = 0 over the cameras that see them.

    Args:
        poses: of the cameras, X_WC.
        flat: normalised coordinates, shape (n, nc, 2); NaN where not seen.

    Returns:
        Points [m], shape (n, 3); NaN where fewer than two rays, or only parallel ones, are there.
    """
    a, b, count = np.zeros((len(flat), 3, 3)), np.zeros((len(flat), 3)), np.zeros(len(flat))
    for c, pose in enumerate(poses):
        local = np.concatenate([flat[:, c], np.ones((len(flat), 1))], axis=1)
        seen = np.isfinite(local).all(axis=1)
        way = np.where(seen[:, None], local, 0.0) @ pose.rotation.T
        way /= np.maximum(np.linalg.norm(way, axis=1), 1e-12)[:, None]
        across = (np.eye(3) - way[:, :, None] * way[:, None, :]) * seen[:, None, None]
        a += across
        b += across @ np.array(pose.position)
        count += seen
    good = (count >= 2) & (np.linalg.det(a) > 1e-9)
    points = np.full((len(flat), 3), np.nan)
    points[good] = np.linalg.solve(a[good], b[good][..., None])[..., 0]
    return points
