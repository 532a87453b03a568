"""What somebody looks at: the first surface that a gaze ray meets, and how sure that is.

A gaze stream has the ray's origin [m] and direction, and the pupil's diameter; the surfaces are spheres, capsules and
boxes of links, or discs and triangles of a scene, here as `Target`s.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.behaviour.streams import Array
from hitogata.errors import ArgumentError


@dataclass(frozen=True)
class Target:
    """A ball that can be looked at.

    Attributes:
        name: of what it is.
        centre: [m], shape (3,), or of each frame, shape (n, 3).
        radius: [m].
    """

    name: str
    centre: Any
    radius: float


def looked_at(origins: Any, directions: Any, targets: Sequence[Target]) -> tuple[Array, Array]:
    """The first target that each ray meets.

    A ball of radius r about c is met at s where |o + s d - c| = r, with s = b - √(b² - |c - o|² + r²), b = d·(c - o).

    Args:
        origins: [m], shape (n, 3).
        directions: shape (n, 3), of any length but 0; NaN: not measured.
        targets: what there is.

    Returns:
        Indices of targets, -1 for none, shape (n,); and where rays meet them [m], NaN for none, shape (n, 3).
    """
    o, d = np.asarray(origins, np.float64), np.asarray(directions, np.float64)
    if o.shape != d.shape or o.ndim != 2 or o.shape[1] != 3:
        raise ArgumentError(f"origins and directions: shapes (n, 3) expected, got {o.shape} and {d.shape}")
    with np.errstate(invalid="ignore", divide="ignore"):
        d = d / np.linalg.norm(d, axis=1, keepdims=True)
        nearest, found = np.full(len(o), np.inf), np.full(len(o), -1)
        for k, target in enumerate(targets):
            way = np.broadcast_to(np.asarray(target.centre, np.float64), o.shape) - o
            b = np.einsum("ni,ni->n", d, way)
            inside = b * b - np.einsum("ni,ni->n", way, way) + target.radius**2
            near = b - np.sqrt(np.where(inside >= 0, inside, np.nan))
            near = np.where(near >= 0, near, b + np.sqrt(np.where(inside >= 0, inside, np.nan)))  # from within
            hit = (near >= 0) & (near < nearest)
            nearest, found = np.where(hit, near, nearest), np.where(hit, k, found)
    nearest[~np.isfinite(nearest)] = np.nan
    points = o + nearest[:, None] * d
    return found, points
