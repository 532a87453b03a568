"""Calibration: from images of a waved wand and an L-frame to cameras with lenses and places, and how sure they are.

Start values come from pairs of cameras (`relative_poses`), then everything is adjusted together (`bundle`), sightings
that do not fit are dropped, and the L-frame says where the world is.  What is wrong is said by name in the report, and
the rest is still calibrated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hitogata.capture.arrays import IntArray
from hitogata.capture.bundle import Adjusted, Bundle, Sightings, adjust
from hitogata.capture.camera import Camera, undistort
from hitogata.capture.relative_poses import SHARED, Pair, chained, pairs_of, relative_pose
from hitogata.capture.triangulation import ray_points
from hitogata.capture.wand import LFrame, Wand
from hitogata.errors import HitogataError
from hitogata.figure import Pose
from hitogata.figure.values import FloatArray

MISFIT = 0.5
"""Reprojection error beyond which a camera is looked for that does not fit the others [px]."""

TRIED = 60
"""Frames by which it is looked for."""


class CalibrationError(HitogataError, ValueError):
    """Cameras cannot be calibrated from what was seen; the message says why."""


@dataclass(frozen=True)
class CameraReport:
    """How well one camera is known.

    Attributes:
        name: of the camera.
        sightings: of markers that were used, and that were dropped as wrong.
        dropped: as said.
        rms: reprojection error, root mean square over u and v [px].
        worst: largest reprojection error [px].
        place_sigma: standard deviation of its place [m].
        turn_sigma: of its direction [rad].
        focal_sigma: of its focal length [px].
    """

    name: str
    sightings: int
    dropped: int
    rms: float
    worst: float
    place_sigma: float
    turn_sigma: float
    focal_sigma: float


@dataclass(frozen=True, eq=False)
class Calibration:
    """Calibrated cameras.

    Attributes:
        cameras: those that could be calibrated, in the given order.
        reports: one for each.
        rms: reprojection error over all [px].
        wand_rms: of the wand's length, from its ends triangulated freely [m].
        covariance: of all cameras (turn 3, place 3, lens 9 each), shape (15 nc, 15 nc).
        converged: whether the adjustment did.
        problems: what is wrong or doubtful, by name.
    """

    cameras: tuple[Camera, ...]
    reports: tuple[CameraReport, ...]
    rms: float
    wand_rms: float
    covariance: FloatArray
    converged: bool
    problems: tuple[str, ...]

    def __str__(self) -> str:
        count, wand = len(self.cameras), 1e3 * self.wand_rms
        lines = [f"{count} cameras: reprojection {self.rms:.3f} px rms, wand {wand:.2f} mm rms"]
        lines += [
            f"  {r.name}: {r.sightings} sightings ({r.dropped} dropped), {r.rms:.3f} px rms, {r.worst:.2f} px at most; "
            f"place ±{1e3 * r.place_sigma:.2f} mm, direction ±{1e3 * r.turn_sigma:.3f} mrad, "
            f"focal ±{r.focal_sigma:.2f} px"
            for r in self.reports
        ]
        return "\n".join(lines + [f"  ! {problem}" for problem in self.problems])


def calibrate(
    guesses: Sequence[Camera], wand_pixels: FloatArray, wand: Wand, *, frame_pixels: FloatArray | None = None,
    l_frame: LFrame | None = None,
) -> Calibration:  # fmt: skip
    """Calibrate cameras.

    Args:
        guesses: names, sizes and focal lengths that are about right (within some 20 %); their poses do not matter.
        wand_pixels: of the wand, shape (nt, nc, 3, 2), NaN where not seen (`observe`).
        wand: that was waved.
        frame_pixels: of the L-frame, shape (nt, nc, 4, 2); None: the world is the first camera's frame.
        l_frame: that lay on the floor.

    Raises:
        CalibrationError: fewer than two cameras can be joined.
    """
    problems: list[str] = []
    cameras = tuple(guesses)
    wand_pixels = np.asarray(wand_pixels, dtype=np.float64)
    pairs, kept = _joined(cameras, wand_pixels, wand, problems)
    poses = chained(len(cameras), pairs)
    lost = [cameras[c].name for c in kept if c not in poses]
    if lost:
        names = ", ".join(lost)
        problems.append(f"cameras {names} share fewer than {SHARED} frames of the wand with the others: left out")
    order = [c for c in kept if c in poses]
    if len(order) < 2:
        why = "; ".join(problems) or "no wand"
        raise CalibrationError(f"calibration: fewer than two cameras can be joined; {why}")
    found, seen = _adjusted(cameras, wand_pixels, wand, pairs, order)
    if _rms(found) > MISFIT and len(order) > 3:
        order, told = _without_misfit(cameras, wand_pixels, wand, pairs, order, found)
        problems += told
        if told:
            found, seen = _adjusted(cameras, wand_pixels, wand, pairs, order)
    pixels, count = wand_pixels[:, order], np.bincount(seen.camera, minlength=len(order))
    found, seen = _without_outliers(found, seen)
    if frame_pixels is not None:
        found, seen = _in_the_world(found, seen, np.asarray(frame_pixels)[:, order], l_frame or LFrame(), problems)
    _look_for_degeneracy(found, problems)
    return _report(found, seen, pixels, wand, count, problems)


def _joined(
    cameras: tuple[Camera, ...], pixels: FloatArray, wand: Wand, problems: list[str]
) -> tuple[list[Pair], list[int]]:
    """Pairs of cameras that saw the wand together; those that saw nothing or are mirrored are told and left out."""
    seen = np.isfinite(pixels).all(axis=(2, 3)).sum(axis=0)
    kept = [c for c in range(len(cameras)) if seen[c] >= SHARED]
    for c in sorted(set(range(len(cameras))) - set(kept)):
        problems.append(f"camera {cameras[c].name} sees the wand in {seen[c]} frames, {SHARED} are needed: left out")
    pairs = [p for p in pairs_of(cameras, pixels, wand.length) if p.a in kept and p.b in kept]
    for c in list(kept):
        mine = [p for p in pairs if c in (p.a, p.b)]
        if mine and max(p.agreeing for p in mine) < 0.6 and len(kept) > 2:
            flipped = _mirrored_share(cameras, pixels, max(mine, key=lambda p: p.frames), c, wand)
            why = "its images are mirrored" if flipped > 0.8 else "its sightings fit those of no other camera"
            problems.append(f"camera {cameras[c].name}: {why}: left out")
            kept.remove(c)
            pairs = [p for p in pairs if c not in (p.a, p.b)]
    return pairs, kept


def _mirrored_share(cameras: tuple[Camera, ...], pixels: FloatArray, pair: Pair, c: int, wand: Wand) -> float:
    """Share of points of a pair that agree once the images of camera c are flipped."""
    flat = [undistort(cameras[k], pixels[:, k]) for k in (pair.a, pair.b)]
    both = np.isfinite(flat[0]).all(axis=(1, 2)) & np.isfinite(flat[1]).all(axis=(1, 2))
    flat[0 if c == pair.a else 1] = flat[0 if c == pair.a else 1] * np.array([-1.0, 1.0])
    return relative_pose(flat[0][both], flat[1][both], wand.length, 2.0 / cameras[c].focal[0])[1]


def _adjusted(
    cameras: tuple[Camera, ...], pixels: FloatArray, wand: Wand, pairs: list[Pair], order: list[int]
) -> tuple[Adjusted, Sightings]:
    """Some of the cameras adjusted together."""
    poses = chained(len(cameras), [p for p in pairs if p.a in order and p.b in order])
    placed = tuple(cameras[c].with_intrinsics(cameras[c].intrinsics, poses.get(c, Pose())) for c in order)
    bundle, seen = _started(placed, pixels[:, order], wand)
    return adjust(bundle, seen, sigma=1.0), seen


def _without_misfit(
    cameras: tuple[Camera, ...], pixels: FloatArray, wand: Wand, pairs: list[Pair], order: list[int], found: Adjusted
) -> tuple[list[int], list[str]]:
    """The cameras without the one that keeps all others from fitting, if there is one, and what to say of it.

    Two cameras alone may agree well with mirrored images (one opposite the other sees nearly the mirror image), but not
    all together.
    """
    thin = pixels[:: max(1, len(pixels) // TRIED)]
    best, rms = None, _rms(found)
    for c in order:
        others = [k for k in order if k != c]
        if len(chained(len(cameras), [p for p in pairs if p.a in others and p.b in others])) < len(others):
            continue  # it holds them together
        without, _ = _adjusted(cameras, thin, wand, pairs, others)
        if _rms(without) < rms:
            best, rms = (c, without), _rms(without)
    if best is None or rms > 0.3 * _rms(found):
        return order, []
    c, without = best
    others = [k for k in order if k != c]
    points = _triangulated(without.bundle.cameras, pixels[:, others])
    mirrored = _handedness(points.reshape(-1, 3), undistort(cameras[c], pixels[:, c]).reshape(-1, 2)) < 0
    why = "its images are mirrored" if mirrored else "its sightings do not fit those of all others"
    return others, [f"camera {cameras[c].name}: {why}: left out"]


def _rms(found: Adjusted) -> float:
    """Of the reprojection errors [px]."""
    return float(np.sqrt((found.errors**2).mean()))


def _handedness(points: FloatArray, seen: FloatArray) -> float:
    """Sign of the determinant of a camera's matrix, by direct linear transformation (Hartley and Zisserman 2004, 7.1)
    of points (n, 3), before the camera, and where it sees them (n, 2): negative if its images are mirrored."""
    good = np.isfinite(points).all(axis=1) & np.isfinite(seen).all(axis=1)
    X, (u, v) = np.c_[points[good], np.ones(good.sum())], seen[good].T[:, :, None]
    rows = np.concatenate([np.hstack([X, 0 * X, -u * X]), np.hstack([0 * X, X, -v * X])])
    P = np.linalg.svd(rows, full_matrices=False)[2][-1].reshape(3, 4)
    return float(np.sign(np.linalg.det(P[:, :3])) * np.sign(np.median(X @ P[2])))


def _started(cameras: tuple[Camera, ...], pixels: FloatArray, wand: Wand) -> tuple[Bundle, Sightings]:
    """First places of the wand from the first places of the cameras, and what was seen of it."""
    marks = np.array(wand.marks) - np.mean(wand.marks)
    points = _triangulated(cameras, pixels)
    whole = np.isfinite(points).all(axis=(1, 2))
    points, pixels = points[whole], pixels[whole]
    way = points[:, 2] - points[:, 0]
    way /= np.maximum(np.linalg.norm(way, axis=1), 1e-9)[:, None]
    way[np.linalg.norm(way, axis=1) < 0.5] = (1.0, 0.0, 0.0)
    frame, camera, mark = np.nonzero(np.isfinite(pixels).all(axis=3))
    seen = Sightings(camera, frame, mark, pixels[frame, camera, mark])
    guesses = np.array([camera.intrinsics for camera in cameras])
    return Bundle(cameras, points.mean(axis=1), way, marks, np.zeros((0, 3)), guesses), seen


def _triangulated(cameras: Sequence[Camera], pixels: FloatArray) -> FloatArray:
    """Points of pixels, shape (nt, nc, n, 2), as shape (nt, n, 3)."""
    flat = np.stack([undistort(camera, pixels[:, c]) for c, camera in enumerate(cameras)], axis=1)
    poses = [camera.pose for camera in cameras]
    return np.stack([ray_points(poses, flat[:, :, k]) for k in range(pixels.shape[2])], axis=1)


def _without_outliers(found: Adjusted, seen: Sightings) -> tuple[Adjusted, Sightings]:
    """Adjusted again without sightings beyond five standard deviations, until there are none."""
    for _ in range(4):
        size = np.linalg.norm(found.errors, axis=1)
        good = size < max(5 * found.sigma, 0.2)
        if good.all():
            break
        seen = seen.kept(good)
        found = adjust(found.bundle, seen, sigma=max(found.sigma, 0.01))
    return found, seen


def _in_the_world(
    found: Adjusted, seen: Sightings, pixels: FloatArray, l_frame: LFrame, problems: list[str]
) -> tuple[Adjusted, Sightings]:
    """Turned and moved so that the L-frame is where it is known to be, and adjusted again with it."""
    cameras, known = found.bundle.cameras, l_frame.points
    mean = np.full((1, *pixels.shape[1:]), np.nan)
    for c in range(len(cameras)):
        mine = pixels[np.isfinite(pixels[:, c]).all(axis=(1, 2)), c]
        if len(mine):
            mean[0, c] = np.median(mine, axis=0)
    points = _triangulated(cameras, mean)[0]
    if not np.isfinite(points).all():
        problems.append("the L-frame is seen by fewer than two cameras: the world is the first camera's frame")
        return found, seen
    place = _fitted(points, known)
    error = float(np.sqrt(np.square(place.apply(points) - known).sum(axis=1).mean()))
    if error > 0.02:
        problems.append(f"the L-frame's markers are {1e3 * error:.0f} mm off its known shape: wrong frame, or mixed up")
    moved = tuple(camera.with_intrinsics(camera.intrinsics, place @ camera.pose) for camera in cameras)
    if np.mean([camera.pose.position[2] for camera in moved]) < 0:
        problems.append("the cameras are below the floor of the L-frame: all images are mirrored, or the L-frame is "
                        "turned over")  # fmt: skip
    middle, way = place.apply(found.bundle.middle), found.bundle.way @ place.rotation.T
    bundle = replace(found.bundle, cameras=moved, middle=middle, way=way, known=known)
    at = np.argwhere(np.isfinite(mean[0]).all(axis=2))
    more = Sightings(
        np.concatenate([seen.camera, at[:, 0]]), np.concatenate([seen.frame, np.full(len(at), -1)]),
        np.concatenate([seen.mark, at[:, 1]]), np.concatenate([seen.pixel, mean[0][at[:, 0], at[:, 1]]]),
    )  # fmt: skip
    return adjust(bundle, more, sigma=max(found.sigma, 0.01)), more


def _fitted(points: FloatArray, known: FloatArray) -> Pose:
    """The motion that brings points nearest to known ones (Kabsch 1976)."""
    a, b = points - points.mean(axis=0), known - known.mean(axis=0)
    u, _, vt = np.linalg.svd(b.T @ a)
    turn = u @ np.diag([1, 1, np.sign(np.linalg.det(u @ vt))]) @ vt
    return Pose.from_matrix(turn, known.mean(axis=0) - turn @ points.mean(axis=0))


def _look_for_degeneracy(found: Adjusted, problems: list[str]) -> None:
    """Say what the wand's way does not determine."""
    places = found.bundle.middle - found.bundle.middle.mean(axis=0)
    spread = np.linalg.svd(places, compute_uv=False) / np.sqrt(max(len(places), 1))
    if spread[2] < 0.08 * spread[0]:
        across = f"{1e3 * spread[2]:.0f} mm across it"
        problems.append(f"the wand moved almost in a plane ({across}): lenses are uncertain; wave it all about")
    if len(places) < 50:
        problems.append(f"the wand was seen by two cameras or more in {len(places)} frames only; 200 are good")
    for c, camera in enumerate(found.bundle.cameras):
        sigma = _deviation(found.covariance[15 * c + 6, 15 * c + 6])
        if sigma > 0.01 * camera.focal[0]:
            problems.append(f"camera {camera.name}: focal length known to ±{sigma:.1f} px only")
    if not found.converged:
        problems.append(f"the adjustment did not converge in {found.steps} steps")


def _deviation(variance: float) -> float:
    """Root of a variance; infinite where the normal equations are too singular to tell one (it came out negative)."""
    return float(np.sqrt(variance)) if variance >= 0 else float("inf")


def _report(
    found: Adjusted, seen: Sightings, pixels: FloatArray, wand: Wand, count: IntArray, problems: list[str]
) -> Calibration:
    cameras, reports = found.bundle.cameras, []
    size = np.linalg.norm(found.errors, axis=1)
    for c, camera in enumerate(cameras):
        mine = size[(seen.camera == c)]
        used = int(((seen.camera == c) & (seen.frame >= 0)).sum())
        var = np.diag(found.covariance)[15 * c : 15 * c + 15]
        place, turn = _deviation(var[3:6].sum()), _deviation(var[:3].sum())
        rms = float(np.sqrt(np.square(mine).mean() / 2)) if len(mine) else np.nan
        worst = float(mine.max()) if len(mine) else np.nan
        dropped, focal = int(count[c]) - used, _deviation(var[6])
        reports.append(CameraReport(camera.name, used, dropped, rms, worst, place, turn, focal))
    points = _triangulated(cameras, pixels)
    lengths = np.linalg.norm(points[:, 2] - points[:, 0], axis=1)
    lengths = lengths[np.isfinite(lengths)]
    error = lengths - wand.length
    good = np.abs(error) < 10 * max(1.4826 * float(np.median(np.abs(error))), 1e-6)
    rms = float(np.sqrt(np.square(size[np.isfinite(size)]).mean() / 2))
    wand_rms = float(np.sqrt(np.square(error[good]).mean()))
    return Calibration(cameras, tuple(reports), rms, wand_rms, found.covariance, found.converged, tuple(problems))
