"""Lenses of cameras from images of a chessboard: start values by OpenCV, then `fit_lens`; what is doubtful is said.

Each camera is by itself: the board tells focal lengths, principal point and distortion, not where the cameras stand.
The wand does (`calibrate`), and is better off with lenses that are known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.capture.board import Board
from hitogata.capture.camera import Camera
from hitogata.capture.lens_fit import LensFit, fit_lens
from hitogata.capture.relative_poses import opencv
from hitogata.figure import Pose
from hitogata.figure.values import FloatArray

VIEWS = 4
"""Of the board at least."""

WRONG = 0.5
"""Corners are not dropped if they are nearer than this to where they should be [px]: wrong ones are pixels off."""

REACH = 0.7
"""Part of the way from the middle of the image to its corners that the board should reach."""


@dataclass(frozen=True)
class LensReport:
    """How well one lens is known.

    Attributes:
        name: of the camera.
        views: in which the whole board was seen.
        dropped: corners beyond five standard deviations, taken out as wrong.
        rms: reprojection error, root mean square over u and v [px]; NaN: not calibrated.
        worst: largest reprojection error [px].
        sigmas: standard deviations of the lens, in the order of `INTRINSICS`.
    """

    name: str
    views: int
    dropped: int = 0
    rms: float = np.nan
    worst: float = np.nan
    sigmas: tuple[float, ...] = (np.nan,) * 9


@dataclass(frozen=True, eq=False)
class LensCalibration:
    """Cameras with calibrated lenses.

    Attributes:
        cameras: all that were given, at the poses that were given; those that could not be calibrated are as they were.
        reports: one for each.
        problems: what is wrong or doubtful, by name.
    """

    cameras: tuple[Camera, ...]
    reports: tuple[LensReport, ...]
    problems: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"{r.name}: {r.views} views of the board ({r.dropped} corners dropped), reprojection {r.rms:.3f} px rms, "
            f"{r.worst:.2f} px at most; focal ±{max(r.sigmas[:2]):.2f} px, centre ±{max(r.sigmas[2:4]):.2f} px"
            for r in self.reports
            if np.isfinite(r.rms)
        ]
        return "\n".join(lines + [f"! {problem}" for problem in self.problems])


def calibrate_lenses(guesses: Sequence[Camera], pixels: Sequence[FloatArray], board: Board) -> LensCalibration:
    """Calibrate lenses.

    Args:
        guesses: names, sizes and focal lengths that are about right.
        pixels: of the board's corners in each camera's images, shape (nt, n, 2), NaN where not seen (`observe_board`).
        board: that was shown, tilted to all sides, all over the image.
    """
    cameras, reports, problems = [], [], []
    for guess, seen in zip(guesses, pixels, strict=True):
        whole = seen[np.isfinite(seen).all(axis=(1, 2))]
        if len(whole) < VIEWS:
            problems.append(
                f"camera {guess.name}: the whole board is seen in {len(whole)} images, {VIEWS} are needed and 20 good: "
                "its lens is left as it was; check the number of inner corners"
            )
            cameras.append(guess)
            reports.append(LensReport(guess.name, len(whole)))
            continue
        found = _fitted(guess, whole, board)
        cameras.append(guess.with_intrinsics(found.views[0].intrinsics, guess.pose))
        size = np.linalg.norm(found.errors, axis=2)
        dropped = int(np.isnan(size).sum())
        sigmas = tuple(float(x) for x in np.sqrt(np.maximum(np.diag(found.covariance), 0.0)))
        report = LensReport(guess.name, len(whole), dropped, _rms(found), float(np.nanmax(size)), sigmas)
        reports.append(report)
        problems += [f"camera {guess.name}: {doubt}" for doubt in _doubts(guess, whole, found, report)]
    return LensCalibration(tuple(cameras), tuple(reports), tuple(problems))


def _fitted(guess: Camera, pixels: FloatArray, board: Board) -> LensFit:
    """The lens, fitted again without wrong corners, beyond five standard deviations, until there are none."""
    found = fit_lens(_started(guess, pixels, board), board.points, pixels, guess.intrinsics)
    for _ in range(4):
        wrong = np.linalg.norm(found.errors, axis=2) > max(5 * found.sigma, WRONG)
        if not wrong.any():
            break
        pixels = np.where((wrong | np.isnan(found.errors[..., 0]))[..., None], np.nan, pixels)
        found = fit_lens(found.views, board.points, pixels, guess.intrinsics, sigma=max(found.sigma, 0.01))
    return found


def _started(guess: Camera, pixels: FloatArray, board: Board) -> tuple[Camera, ...]:
    """The camera in each view, by OpenCV."""
    cv2 = opencv()
    points = [board.points.astype(np.float32)] * len(pixels)
    matrix = np.array([[guess.focal[0], 0.0, guess.centre[0]], [0.0, guess.focal[1], guess.centre[1]], [0.0, 0.0, 1.0]])
    _, matrix, lens, turns, shifts = cv2.calibrateCamera(
        points, [view.astype(np.float32) for view in pixels], guess.size, matrix, np.array(guess.distortion),
        flags=cv2.CALIB_USE_INTRINSIC_GUESS,
    )  # fmt: skip
    values = np.array([matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2], *lens.ravel()[:5]])
    return tuple(guess.with_intrinsics(values, _pose(cv2, *pair)) for pair in zip(turns, shifts, strict=True))


def _pose(cv2: Any, turn: FloatArray, shift: FloatArray) -> Pose:
    """X_BC of the camera in the board's frame; OpenCV: p_C = R p_B + shift."""
    R_CB = cv2.Rodrigues(turn)[0]
    return Pose.from_matrix(R_CB.T, (-R_CB.T @ shift).ravel())


def _rms(found: LensFit) -> float:
    return float(np.sqrt(np.nanmean(np.square(found.errors))))


def _doubts(guess: Camera, pixels: FloatArray, found: LensFit, report: LensReport) -> list[str]:
    """What the views do not determine, in words."""
    doubts = []
    if not found.converged:
        doubts.append("the adjustment did not converge")
    if report.rms > 1.0:
        doubts.append(f"reprojection {report.rms:.1f} px: the board is not flat, or its corners were mixed up")
    if report.sigmas[0] > 0.01 * found.views[0].focal[0]:
        doubts.append(f"focal length known to ±{report.sigmas[0]:.1f} px only: tilt the board to all sides")
    middle = (np.array(guess.size) - 1) / 2
    reach = float(np.linalg.norm(pixels - middle, axis=2).max() / np.linalg.norm(middle))
    if reach < REACH:
        doubts.append(f"the board reaches {reach:.0%} of the way to the image's corners: distortion is not told beyond")
    return doubts
