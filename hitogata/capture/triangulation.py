"""Points from rays: a quick linear answer, and the point whose pixels fit best (Hartley and Sturm 1997), robustly.

A blob here is (u, v, weight, square root of its light); a camera takes part in a point with one blob at most.  A blob
that is darker than a whole marker at its distance is partly hidden, its centre is off, and it counts less.
"""

from collections.abc import Sequence

import numpy as np

from hitogata.capture.lens import pixel_of, pixel_slopes
from hitogata.figure import Pose
from hitogata.figure.values import FloatArray
from hitogata.lanes import kernel, struct
from hitogata.spatial import Sym3, Vec3, dot, inverse, solve3


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


# ------------------------------------------------------- kernels

MOST_CAMERAS = 64
"""That one set of kernels' memory has room for."""

STEPS = 8
"""Of Gauss-Newton at most."""


@struct
class Fix:
    """A point from pixels: how many cameras agree, root mean square error [px], standard deviation for 1 px [m]."""

    point: Vec3
    count: float
    error: float
    sigma: float


@kernel
def ray_start(cameras, rays, chosen):
    """The point nearest to the rays of the chosen blobs (one for each camera, -1: none): a start."""
    a, b = Sym3(1e-12, 0.0, 0.0, 1e-12, 0.0, 1e-12), Vec3(0.0, 0.0, 0.0)
    for c in range(chosen.shape[0]):
        if chosen[c] < 0:
            continue
        i = chosen[c]
        d = Vec3(rays[i, 0], rays[i, 1], rays[i, 2])
        at = cameras[c].pos
        a = a + Sym3(1.0 - d.x * d.x, -d.x * d.y, -d.x * d.z, 1.0 - d.y * d.y, -d.y * d.z, 1.0 - d.z * d.z)
        b = b + at - d * dot(d, at)
    return solve3(a, b)


HUBER = 0.25
"""Reprojection errors beyond this count less [px]."""


@kernel
def whole(depth, blob_light, light):
    """Weight of a blob by how much of its marker is to be seen; `light` is that of a whole one at 1 m, 0: not known."""
    part = blob_light * depth / light if light > 0.0 else 1.0
    part = min(part * part, 1.0)
    part = part * part * part
    return max(part * part, 1e-3)


@kernel
def fit_point(cameras, blobs, light, chosen, point):
    """Gauss-Newton on the reprojection errors of the chosen blobs: (point, sum of squares, sum of weights, JᵀJ)."""
    a, cost, weights = Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0, 0.0
    for _ in range(STEPS):
        a, g, cost, weights = Sym3(1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9), Vec3(0.0, 0.0, 0.0), 0.0, 0.0
        for c in range(chosen.shape[0]):
            if chosen[c] < 0:
                continue
            i = chosen[c]
            u, v, du, dv = pixel_slopes(cameras[c], point)
            eu, ev = u - blobs[i, 0], v - blobs[i, 1]
            size = eu * eu + ev * ev
            down = Vec3(cameras[c].rot.zx, cameras[c].rot.zy, cameras[c].rot.zz)
            trust = blobs[i, 2] * whole(dot(down, point - cameras[c].pos), blobs[i, 3], light[c])
            w = trust * (HUBER / np.sqrt(size) if size > HUBER * HUBER else 1.0)
            cost += trust * size
            weights += trust
            a = a + Sym3(
                w * (du.x * du.x + dv.x * dv.x), w * (du.x * du.y + dv.x * dv.y), w * (du.x * du.z + dv.x * dv.z),
                w * (du.y * du.y + dv.y * dv.y), w * (du.y * du.z + dv.y * dv.z), w * (du.z * du.z + dv.z * dv.z),
            )  # fmt: skip
            g = g + (du * eu + dv * ev) * w
        move = solve3(a, g)
        point = point - move
        if dot(move, move) < 1e-14:
            break
    return point, cost, weights, a


@kernel
def triangulate(cameras, blobs, rays, light, chosen, tolerance, fewest):
    """The point of the chosen blobs; the worst is dropped until all are within the tolerance [px].

    `chosen` is changed: dropped blobs become -1.  With fewer than `fewest` left, the count is 0.
    """
    nothing = Fix(Vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0)
    while True:
        left = 0
        for c in range(chosen.shape[0]):
            left += chosen[c] >= 0
        if left < fewest:
            return nothing
        point, cost, weights, a = fit_point(cameras, blobs, light, chosen, ray_start(cameras, rays, chosen))
        worst, at = 0.0, -1
        for c in range(chosen.shape[0]):
            if chosen[c] >= 0:
                u, v, depth = pixel_of(cameras[c], point)
                off = np.hypot(u - blobs[chosen[c], 0], v - blobs[chosen[c], 1])
                if not (depth > 0.0 and off < 1e9):
                    off = 1e9
                if off > worst:
                    worst, at = off, c
        if worst <= tolerance:
            inv = inverse(a)
            return Fix(point, float(left), np.sqrt(cost / weights), np.sqrt(inv.xx + inv.yy + inv.zz))
        chosen[at] = -1
