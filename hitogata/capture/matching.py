"""Matching: which blobs of several cameras are one marker, by epipolar geometry; points, without ghosts.

Where points are expected (tracked markers) the blob nearest to their pixels is taken, if they choose each other.  What
is left is searched: every two rays of two cameras that pass each other closely make a candidate; the other cameras vote
for it with blobs near its pixels; candidates with most votes come first, and take their blobs away from the others.
Points that only two cameras vote for are mostly ghosts, and are not believed unless they were expected.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hitogata.capture.arrays import IntArray
from hitogata.capture.blobs import Blobs
from hitogata.capture.camera import Camera, pack_cameras
from hitogata.capture.lens import CameraRow, pixel_of, undistorted
from hitogata.capture.triangulation import MOST_CAMERAS, triangulate
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.lanes import Floats, Ints, entry, kernel, records, view_or_none
from hitogata.spatial import Vec3, cross, dot

MOST_CANDIDATES, MOST_POINTS = 20000, 1024


@dataclass(frozen=True, kw_only=True)
class MatchSettings:
    """When rays belong together.

    Attributes:
        tolerance: of a blob's place [px].
        fewest: cameras that must see a new point.
        expected: cameras that must see a point that was expected.
        sigma: standard deviation of a point for errors of 1 px, at most [m]; it is larger, and the point is dropped,
            where few cameras see only parts of a marker.
    """

    tolerance: float = 1.0
    fewest: int = 3
    expected: int = 2
    sigma: float = 0.1

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tolerance) and self.tolerance > 0):
            raise ArgumentError(f"matching: tolerance must be positive, got {self.tolerance}")
        if not self.sigma > 0:
            raise ArgumentError(f"matching: sigma must be positive, got {self.sigma}")
        if not 2 <= self.expected <= self.fewest:
            raise ArgumentError(f"matching: 2 ≤ expected ≤ fewest is needed, got {self.expected}, {self.fewest}")


@dataclass(frozen=True, eq=False)
class Points:
    """Reconstructed points of one frame.

    Attributes:
        positions: [m], shape (n, 3).
        cameras: how many see each, shape (n,).
        errors: reprojection errors, root mean square [px], shape (n,).
        sigmas: standard deviations of the places for errors of 1 px [m], shape (n,).
        expected: index of the expected point each is, or -1, shape (n,).
        blobs: index of the blob of each camera, or -1, shape (n, nc).
    """

    positions: FloatArray
    cameras: FloatArray
    errors: FloatArray
    sigmas: FloatArray
    expected: IntArray
    blobs: IntArray

    def __len__(self) -> int:
        return len(self.positions)


_WEIGHTS = np.array([1.0, 0.3, 0.03, 1.0, 0.03, 0.03, 0.03, 0.03])
"""Of blobs by how they came about: alone, split, merged, at the edge."""


class Matcher:
    """Makes points of blobs; keeps its memory between frames."""

    def __init__(self, cameras: Sequence[Camera], settings: MatchSettings | None = None) -> None:
        if not 2 <= len(cameras) <= MOST_CAMERAS:
            raise ArgumentError(f"matching needs 2 to {MOST_CAMERAS} cameras, got {len(cameras)}")
        self.cameras, self.settings = tuple(cameras), settings or MatchSettings()
        s = self.settings
        self._rows = pack_cameras(cameras)
        self._options = np.array([s.tolerance, s.fewest, s.expected, s.sigma])
        self._candidates = np.empty((MOST_CANDIDATES, 4))
        self._out = np.empty((MOST_POINTS, 7))
        self._chosen = np.empty((MOST_POINTS, len(cameras)), dtype=np.int64)
        self._light = np.zeros(len(cameras))
        self._frames = 0

    def __call__(
        self, blobs: Sequence[Blobs], *, expected: FloatArray | None = None, gates: FloatArray | None = None
    ) -> Points:
        """Points of a frame.

        Args:
            blobs: of every camera.
            expected: points that were tracked so far, where they should be now [m], shape (k, 3).
            gates: how far from there they may be [m], shape (k,).
        """
        if len(blobs) != len(self.cameras):
            raise ArgumentError(f"matching: {len(self.cameras)} cameras, but blobs of {len(blobs)}")
        starts = np.cumsum([0, *(len(each) for each in blobs)]).astype(np.int64)
        table = np.concatenate([each.table for each in blobs]) if len(blobs) else np.zeros((0, 6))
        spots = np.empty((len(table), 4))
        spots[:, :2] = table[:, :2]
        spots[:, 2] = _WEIGHTS[table[:, 5].astype(np.int64) & 7] / np.maximum(1.0, table[:, 4]) ** 2
        spots[:, 3] = np.sqrt(table[:, 3])
        near = np.zeros((0, 3)) if expected is None else np.ascontiguousarray(expected, dtype=np.float64)
        reach = np.full(len(near), 0.02) if gates is None else np.ascontiguousarray(gates, dtype=np.float64)
        count = match(self._rows, spots, starts, near, reach, self._options, self._light, self._candidates, self._out,
                      self._chosen)  # fmt: skip
        out, chosen = self._out[:count].copy(), self._chosen[:count].copy()
        self._learn(out[:, :3], chosen, spots[:, 3])
        blob = np.where(chosen >= 0, chosen - starts[:-1], -1)
        return Points(out[:, :3], out[:, 3], out[:, 4], out[:, 5], out[:, 6].astype(np.int64), blob)

    def _learn(self, points: FloatArray, chosen: IntArray, light: FloatArray) -> None:
        """How bright a whole marker is in each camera at 1 m: above, blobs are whole; below, something hides a part."""
        self._frames += 1
        if self._frames > 10 and self._frames % 10:
            return
        for c, row in enumerate(self._rows):
            seen = chosen[:, c] >= 0
            if seen.sum() >= 5:
                depth = (points[seen] - row[18:21]) @ row[15:18]
                whole = float(np.sort(light[chosen[seen, c]] * depth)[int(0.7 * seen.sum())])
                self._light[c] = whole if self._light[c] == 0 else 0.9 * self._light[c] + 0.1 * whole


# ------------------------------------------------------- kernels


@kernel
def world_rays(cameras, spots, starts, rays):
    """Unit directions of the blobs' rays in the world; blobs beyond a fold of the lens are taken out of use."""
    for c in range(starts.shape[0] - 1):
        for i in range(starts[c], starts[c + 1]):
            x, y, good = undistorted(cameras[c].lens, spots[i, 0], spots[i, 1])
            way = cameras[c].rot.T @ Vec3(x, y, 1.0)
            way = way / np.sqrt(dot(way, way))
            rays[i, 0], rays[i, 1], rays[i, 2] = way.x, way.y, way.z
            if not good:
                spots[i, 2] = 0.0


@kernel
def nearest_spot(camera, spots, first, end, taken, point, reach):
    """The free blob nearest to a point's pixel within a distance [px], or -1; and how far it is."""
    u, v, depth = pixel_of(camera, point)
    best, at = reach, -1
    if depth > 0.0:
        for i in range(first, end):
            if not taken[i] and spots[i, 2] > 0.0:
                off = np.hypot(spots[i, 0] - u, spots[i, 1] - v)
                if off < best:
                    best, at = off, i
    return at, best


@kernel
def store(out, which_blobs, n, fix, chosen, taken, which):
    """Write a point and take its blobs away from others."""
    out[n, 0], out[n, 1], out[n, 2] = fix.point.x, fix.point.y, fix.point.z
    out[n, 3], out[n, 4], out[n, 5], out[n, 6] = fix.count, fix.error, fix.sigma, which
    for c in range(chosen.shape[0]):
        which_blobs[n, c] = chosen[c]
        if chosen[c] >= 0:
            taken[chosen[c]] = True


@kernel
def follow(cameras, spots, rays, starts, near, gates, options, light, taken, out, which_blobs):
    """Expected points: blobs and points must choose each other in the image of a camera."""
    nc, count = starts.shape[0] - 1, 0
    choice = np.empty((near.shape[0], nc), np.int64)
    owner, closest = np.full(spots.shape[0], -1), np.full(spots.shape[0], 1e9)
    for k in range(near.shape[0]):
        point = Vec3(near[k, 0], near[k, 1], near[k, 2])
        for c in range(nc):
            camera = cameras[c]
            depth = dot(Vec3(camera.rot.zx, camera.rot.zy, camera.rot.zz), point - camera.pos)
            reach = options[0] + gates[k] * camera.lens.fx / max(depth, 0.1)
            at, off = nearest_spot(camera, spots, starts[c], starts[c + 1], taken, point, reach)
            choice[k, c] = at
            if at >= 0 and off < closest[at]:
                closest[at], owner[at] = off, k
    for k in range(near.shape[0]):
        chosen = choice[k]
        for c in range(nc):
            if chosen[c] >= 0 and owner[chosen[c]] != k:
                chosen[c] = -1
        fix = triangulate(cameras, spots, rays, light, chosen, options[0], int(options[2]))
        off = fix.point - Vec3(near[k, 0], near[k, 1], near[k, 2])
        near_enough = dot(off, off) < 4.0 * gates[k] * gates[k]
        if fix.count > 0.0 and near_enough and fix.sigma < options[3] and count < out.shape[0]:
            store(out, which_blobs, count, fix, chosen, taken, float(k))
            count += 1
    return count


@kernel
def cross_rays(cameras, spots, rays, starts, tolerance, taken, candidates):
    """Candidates: points where two rays pass each other, at least as near as the tolerance; their number."""
    nc, count = starts.shape[0] - 1, 0
    for a in range(nc):
        for b in range(a + 1, nc):
            base = cameras[b].pos - cameras[a].pos
            wide_a, wide_b = tolerance / cameras[a].lens.fx, tolerance / cameras[b].lens.fx
            for i in range(starts[a], starts[a + 1]):
                if taken[i] or spots[i, 2] <= 0.0:
                    continue
                d = Vec3(rays[i, 0], rays[i, 1], rays[i, 2])
                for j in range(starts[b], starts[b + 1]):
                    if taken[j] or spots[j, 2] <= 0.0:
                        continue
                    e = Vec3(rays[j, 0], rays[j, 1], rays[j, 2])
                    n = cross(d, e)
                    nn = dot(n, n)
                    if nn < 1e-4:  # nearly parallel: the place is not told
                        continue
                    s, t = dot(cross(base, e), n) / nn, dot(cross(base, d), n) / nn
                    gap, wide = dot(base, n), 1.5 * (s * wide_a + t * wide_b)
                    if s > 0.0 and t > 0.0 and gap * gap < wide * wide * nn and count < candidates.shape[0]:
                        p = (cameras[a].pos + d * s + cameras[b].pos + e * t) * 0.5
                        candidates[count, 0], candidates[count, 1], candidates[count, 2] = p.x, p.y, p.z
                        count += 1
    return count


@kernel
def votes(cameras, spots, starts, taken, point, reach, chosen):
    """Blobs near a point's pixels, one for each camera, into `chosen`: (their number, sum of squared distances)."""
    count, total = 0, 0.0
    for c in range(starts.shape[0] - 1):
        chosen[c], off = nearest_spot(cameras[c], spots, starts[c], starts[c + 1], taken, point, reach)
        if chosen[c] >= 0:
            count += 1
            total += off * off
    return count, total


@entry(cameras=Floats(2), spots=Floats(2, write=True), starts=Ints(1), near=Floats(2), gates=Floats(1),
       options=Floats(1), light=Floats(1), candidates=Floats(2, write=True), out=Floats(2, write=True),
       which_blobs=Ints(2, write=True))  # fmt: skip
def match(cameras, spots, starts, near, gates, options, light, candidates, out, which_blobs):
    """All points of a frame into `out`; their number."""
    rig = records(view_or_none(cameras), CameraRow)
    rays, taken = np.empty((spots.shape[0], 3)), np.zeros(spots.shape[0], np.bool_)
    world_rays(rig, spots, starts, rays)
    count = follow(rig, spots, rays, starts, near, gates, options, light, taken, out, which_blobs)
    found = cross_rays(rig, spots, rays, starts, options[0], taken, candidates)
    chosen = np.empty(starts.shape[0] - 1, np.int64)
    reach = 2.0 * options[0]
    for k in range(found):
        point = Vec3(candidates[k, 0], candidates[k, 1], candidates[k, 2])
        n, total = votes(rig, spots, starts, taken, point, reach, chosen)
        candidates[k, 3] = total / max(n, 1) - 1e6 * n if n >= options[1] else 1.0
    order = np.argsort(candidates[:found, 3])
    for m in range(found):
        k = order[m]
        if candidates[k, 3] > 0.0 or count == out.shape[0]:
            break
        point = Vec3(candidates[k, 0], candidates[k, 1], candidates[k, 2])
        n, _ = votes(rig, spots, starts, taken, point, reach, chosen)
        if n < options[1]:
            continue
        fix = triangulate(rig, spots, rays, light, chosen, options[0], int(options[1]))
        if fix.count > 0.0 and fix.sigma < options[3]:
            store(out, which_blobs, count, fix, chosen, taken, -1.0)
            count += 1
    return count
