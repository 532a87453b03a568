"""Joint angles of a whole trial at once: what a frame tells badly, the frames around it tell.

    min over q   Σ_t Σ_m w_tm |y_tm - x_m(q_t)|² / σ²  +  Σ_t |(q_{t+1} ⊖ q_t) - (q_t ⊖ q_{t-1})|² / (a dt²)²

The first term is marker inverse kinematics with the markers' own noise σ, the second says that accelerations are of the
size a (Kalman smoothing as least squares: Bell 1994).  A joint that its markers tell well is hardly touched; one that
they tell badly, a spine of many ball joints or a limb with few markers in sight, follows what many frames agree upon,
and where nothing tells it, it goes the way of the least acceleration.  Gauss-Newton; the normal equations of a window
of frames are one banded system.  Turns between frames are taken to be small in its derivatives.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solveh_banded

from hitogata.capture.fit_kinematics import marker_derivatives, placed_body
from hitogata.capture.ik import JointAngles, MarkerIk, Wishes, matched_trial
from hitogata.capture.ik_layout import intervals
from hitogata.dynamics import difference, integrate
from hitogata.errors import ArgumentError
from hitogata.figure.expansion import expansion_of
from hitogata.figure.values import FloatArray, positive
from hitogata.files import MarkerData

WINDOW, OVERLAP = 300, 40
"""Frames that are solved at once, and those on either side that are solved with them and thrown away."""

LEAST_SIGMA = 1e-5
"""Noise of markers that are exact [m]."""

STIFF = 1e12
"""By how much a coordinate counts that is to stay."""


@dataclass(frozen=True)
class SmoothSettings:
    """How angles are smoothed.

    Attributes:
        turning: size of the accelerations of turns [rad/s²].
        shifting: of shifts [m/s²].
        iterations: at most.
        tolerance: it is done when no coordinate changes by more [rad, m].
    """

    turning: float = 30.0
    shifting: float = 10.0
    iterations: int = 6
    tolerance: float = 1e-4

    def __post_init__(self) -> None:
        for name in ("turning", "shifting", "tolerance"):
            positive(getattr(self, name), f"SmoothSettings: {name}", error=ArgumentError)
        if self.iterations < 1:
            raise ArgumentError(f"SmoothSettings: iterations must be 1 or more, got {self.iterations}")


def smooth_angles(
    angles: JointAngles, trial: MarkerData | FloatArray, *, settings: SmoothSettings | None = None
) -> JointAngles:
    """Joint angles of a trial, smoothed where markers tell them badly.

    Standard deviations stay those of the frames by themselves.

    Args:
        angles: of the trial.
        trial: that they were found from.
        settings: of the smoothing.
    """
    settings = settings or SmoothSettings()
    target, time, _, _ = matched_trial(angles.markers, trial)
    if len(time) != len(angles.q):
        raise ArgumentError(f"the trial has {len(time)} frames, the angles have {len(angles.q)}")
    if len(time) < 3:
        return angles
    problem = _Problem(angles, np.nan_to_num(target), np.asarray(time), settings)
    q = angles.q.copy()
    cost = problem.cost(q)
    for _ in range(settings.iterations):
        change = problem.change(q)
        for share in (1.0, 0.5, 0.25):
            tried = problem.moved(q, share * change)
            new = problem.cost(tried)
            if new < cost:
                q, cost = tried, new
                break
        else:
            break
        if np.abs(change).max() < settings.tolerance:
            break
    q = problem.in_ranges(q)
    places = angles.markers.positions(angles.figure, q)
    seen = np.isfinite(angles.residuals)
    residuals = np.where(seen, np.linalg.norm(np.nan_to_num(target) - places, axis=2), np.nan)
    return replace(angles, q=q, places=places, residuals=residuals)


class _Window(NamedTuple):
    """Frames that are solved, and those of them that are kept."""

    frames: slice
    kept: slice


@dataclass(eq=False)
class _Problem:
    """The trial."""

    angles: JointAngles
    target: FloatArray
    time: FloatArray
    settings: SmoothSettings

    def __post_init__(self) -> None:
        figure, dt = self.angles.figure, np.diff(self.time)
        base = expansion_of(figure)
        self.plain = figure if base is None else base.plain
        step = float(np.median(dt))
        even = (np.abs(dt - step) < 0.5 * step).astype(float)
        size = np.where(_turning(figure, self.angles.q[0]), self.settings.turning, self.settings.shifting)
        self.smooth = 1.0 / (size * step**2) ** 2                    # of each velocity
        self.joined = even[:-1] * even[1:]                           # of frames 1 ... nt - 2: no jump of time there
        self.weight = self.angles.weights / max(self.angles.sigma, LEAST_SIGMA) ** 2
        still = np.all(self.angles.deviations == 0, axis=0)
        self.still, self.free = still, np.flatnonzero(~still)
        self.stays = (self.angles.deviations == 0)[:, self.free]
        self.low, self.high, self.place = intervals(figure)

    def cost(self, q: FloatArray) -> float:
        """Of the whole trial."""
        miss = self.angles.markers.positions(self.angles.figure, q) - self.target
        bends = self._bends(q)
        return float((self.weight * (miss**2).sum(axis=2)).sum() + (bends**2 @ self.smooth).sum())

    def _bends(self, q: FloatArray) -> FloatArray:
        """(q_{t+1} ⊖ q_t) - (q_t ⊖ q_{t-1}), 0 where time jumps, shape (nt - 2, nv)."""
        steps = difference(self.plain, q[:-1], q[1:])
        bends: FloatArray = (steps[1:] - steps[:-1]) * self.joined[:, None]
        return bends

    def change(self, q: FloatArray) -> FloatArray:
        """Gauss and Newton's step for all frames, shape (nt, nv)."""
        found = np.zeros((len(q), self.angles.figure.nv))
        bends = self._bends(q)[:, self.free] * self.smooth[self.free]
        down = np.zeros((len(q), len(self.free)))                    # of the second term: -Dᵀ bends
        down[2:] -= bends
        down[1:-1] += 2 * bends
        down[:-2] -= bends
        for window in _windows(len(q)):
            found[window.frames.start + window.kept.start : window.frames.start + window.kept.stop, self.free] = (
                self._solved(q, down, window.frames)[window.kept]
            )
        return found

    def _solved(self, q: FloatArray, down: FloatArray, frames: slice) -> FloatArray:
        """Changes of the frames of a window while all others stay."""
        figure, n, nf = self.angles.figure, frames.stop - frames.start, len(self.free)
        ones, none = np.ones((figure.nlinks, 3)), np.zeros((len(self.angles.markers.labels), 3))
        found = marker_derivatives(figure, self.angles.markers, ones, none, q[frames])
        root = np.sqrt(self.weight[frames])[:, :, None, None]
        J = (found.by_v[..., self.free] * root).reshape(n, -1, nf)
        miss = ((self.target[frames] - found.places) * root[..., 0]).reshape(n, -1, 1)
        H = J.transpose(0, 2, 1) @ J
        right = (J.transpose(0, 2, 1) @ miss)[..., 0] + down[frames]
        stays = self.stays[frames]
        H += np.eye(nf) * (STIFF * stays)[:, :, None]
        return solveh_banded(self._banded(H, frames), np.where(stays, 0.0, right).ravel(), lower=True).reshape(n, nf)

    def _banded(self, H: FloatArray, frames: slice) -> FloatArray:
        """H of each frame and DᵀD between frames, lower form: row k of it holds the k-th diagonal."""
        n, nf = H.shape[:2]
        weights = np.zeros((3, n))  # of DᵀD, between frames 0, 1 and 2 apart
        joined = np.zeros(len(self.time))
        joined[1:-1] = self.joined
        for t in range(n):
            middle = frames.start + t
            before = joined[middle - 1] if middle > 0 else 0.0
            after = joined[middle + 1] if middle + 1 < len(joined) else 0.0
            weights[0, t] = 4 * joined[middle] + before + after
            weights[1, t] = -2 * (joined[middle] + after)
            weights[2, t] = after
        smooth = self.smooth[self.free]
        rows = np.zeros((2 * nf + 1, n * nf))
        for k in range(nf):
            rows[k].reshape(n, nf)[:, : nf - k] = np.einsum("nii->ni", H[:, k:, : nf - k])
        rows[0] += np.outer(weights[0], smooth).ravel()
        rows[0] += 1e-9 * rows[0].max()
        for apart in (1, 2):
            rows[apart * nf].reshape(n, nf)[: n - apart] += np.outer(weights[apart, : n - apart], smooth)
        return rows

    def moved(self, q: FloatArray, change: FloatArray) -> FloatArray:
        """The coordinates a change further; balls may leave their ranges, all others stay within."""
        new = np.asarray(integrate(self.plain, q, change))
        for v, at in enumerate(self.place):
            if at >= 0:
                new[:, at] = np.clip(new[:, at], self.low[v], self.high[v])
        return new

    def in_ranges(self, q: FloatArray) -> FloatArray:
        """Frames with balls beyond their ranges, solved again near to where they are, by inverse kinematics."""
        figure, outside, near = self.angles.figure, np.zeros(len(q), bool), q.copy()
        for link, iq in zip(figure.links, figure.q_starts, strict=True):
            if link.joint.is_ball and link.joint.range is not None:
                near[:, iq : iq + 4] = link.joint.range.clamp(q[:, iq : iq + 4])
                outside |= np.abs((near[:, iq : iq + 4] * q[:, iq : iq + 4]).sum(axis=1)) < 1 - 1e-12
        if not outside.any():
            return q
        solver = MarkerIk(figure, self.angles.markers, held=self.still)
        sigma = max(self.angles.sigma, LEAST_SIGMA)
        wish = Wishes(near[outside], 6 * self.smooth * sigma**2)     # 6: of a frame between four that stay, in DᵀD
        q[outside] = solver.frames(
            self.target[outside], self.angles.weights[outside], near[outside], wish, variances=False
        ).q  # fmt: skip
        return q


def _turning(figure: Any, q: FloatArray) -> Any:
    """Which velocities turn, shape (nv,), bool."""
    body, found = placed_body(figure, np.ones((figure.nlinks, 3)), q[None]), np.zeros(figure.nv, bool)
    for columns in body.columns:
        for column in columns:
            found[column.velocity] |= bool(np.abs(column.turn).max() > 1e-9)
    return found


def _windows(count: int) -> Iterator[_Window]:
    """Windows over all frames."""
    for start in range(0, count, WINDOW):
        stop = min(start + WINDOW, count)
        low, high = max(0, start - OVERLAP), min(count, stop + OVERLAP)
        yield _Window(slice(low, high), slice(start - low, stop - low))
