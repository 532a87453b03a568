"""A coupled range fitted to poses that were reached, and poses that were not.

1. Features: poses as places of a space whose distances are about angles: quaternions times two (both signs), angles,
   lengths over `length`.  Nearest neighbours are found there.
2. Scores: at each place of the grid a plane through the labels of the nearest poses (local linear regression, Cleveland
   1979), in terms of motion; allowed if positive.  How many poses, by cross-validation (Stone 1974).
3. How much each joint matters: its distances times 1, 0.6, 0.3 or 0, by cross-validation.  With 0 the range does not
   depend on it; more must be surely better.
4. Signed distance from where the score is zero (`distance`), as a field; then the field's weights near there are moved
   to where they tell the poses best.

Reached poses only: forbidden are places of the chart's box that are farther from every reached pose than `gap`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.coupled.chart import Chart, Kind
from hitogata.rom.coupled.distance import distances_from_sign, grid_points, spline_taps, spline_weights
from hitogata.rom.coupled.range import CoupledRange
from hitogata.rom.coupled.regions import MOST, Axis, Field, box
from hitogata.rom.frames import Array

COUNTS = (8, 12, 18, 26, 36)
"""Numbers of neighbours that are tried."""

FOLDS = 5

ASKED = 4000
"""Poses that each choice is asked for, at the most."""

SHARES = (0.6, 0.3, 0.0)
"""By which a joint's distances are multiplied ..."""

SURELY = 2.0
"""... and if that is 0, one that knows the joint must be better by so many standard deviations (McNemar 1947)."""

RIDGE = 0.02
"""Of the planes' slopes."""

CHUNK = 20_000

SOFT = 0.06
"""Distance at which a pose is told surely [rad]."""

REACH = 0.6
"""Poses farther from the boundary than this do not move it [rad]."""

TIE = 5.0
"""Of the change of a weight [1/rad²]: as much as some of the poses about it weigh."""

ROUNDS = 60

FEWEST = 100
"""Poses that are needed."""

BEYOND = 0.1
"""How far the grid goes beyond the disc of directions."""

PLACES = 400_000
"""Of the grid, at the most."""


@dataclass(frozen=True)
class CoupledFit:
    """A fitted range, and how it was chosen.

    Attributes:
        range: the range.
        neighbours: of each plane.
        error: share of poses told wrong by cross-validation.
        ignored: joints that proved not to matter.
        gap: with reached poses only, how far from them still counts as reached [rad]; else 0.
    """

    range: CoupledRange
    neighbours: int
    error: float
    ignored: tuple[str, ...]
    gap: float


def fit_coupled(
    charts: Sequence[Chart], reached: Any, forbidden: Any = None, *, gap: float | None = None, spacing: float = 0.22,
    length: float = 1.0, name: str = "fitted range",
) -> CoupledFit:  # fmt: skip
    """Fit one range over the coordinates of several joints.

    Args:
        charts: the coordinates; see `hitogata.rom.coupled.chart`.
        reached: poses that are allowed, rows of q in the charts' order, shape (n, nq).
        forbidden: poses that are not, shape (m, nq); None: nothing is known of them.
        gap: with reached poses only, how far from them still counts as reached [rad]; None: from their spacing.
        spacing: of the grid [rad].
        length: see `CoupledRange`.
        name: of the range.

    Raises:
        RangeError: too few poses, or of the wrong shape.
    """
    size = sum(c.size for c in charts)
    shell = CoupledRange(tuple(charts), box(*[(-1.0, 1.0)] * min(size, MOST)), length, name)
    good = _checked(shell, reached, "reached")
    gap_used = 0.0
    if forbidden is None:
        bad, gap_used = _background(shell, good, gap)
    else:
        bad = _checked(shell, forbidden, "forbidden")
    poses = np.concatenate([good, bad])
    labels = np.concatenate([np.ones(len(good)), -np.ones(len(bad))])
    mix = np.random.default_rng(0).permutation(len(poses))
    planes = Planes(shell, poses[mix], labels[mix], np.ones(len(shell.charts)))
    planes, count, error = _chosen(planes)
    axes = _axes(shell, poses, spacing)
    score = planes.scores(_grid_poses(shell, axes), count)
    distance = distances_from_sign(axes, score.reshape([a.count for a in axes]))
    weights = _sharpened(axes, spline_weights(axes, distance), shell.coordinates(planes.poses), planes.labels)
    field = Field(axes, weights)
    ignored = tuple(c.joint for c, used in zip(shell.charts, planes.used, strict=True) if not used)
    return CoupledFit(CoupledRange(shell.charts, field, length, name), count, error, ignored, gap_used)


class Planes:
    """Labelled poses, to be asked for scores between them.

    Args:
        shell: says what poses are.
        poses: shape (n, nq).
        labels: 1 or -1, shape (n,).
        used: by what distances of each chart are multiplied; 0 for those that do not matter.
    """

    def __init__(self, shell: CoupledRange, poses: Array, labels: Array, used: Array) -> None:
        from scipy.spatial import cKDTree

        self.shell, self.poses, self.labels, self.used = shell, poses, labels, used
        self.columns = np.repeat(used > 0.0, [c.size for c in shell.charts])
        every = [poses]
        for k, c in enumerate(shell.charts):
            if c.kind == Kind.SWING_TWIST:
                every += [self._other_sign(p, k) for p in every]
        self.many = len(every)
        self.tree = cKDTree(self.features(np.concatenate(every)))

    def _other_sign(self, poses: Array, chart: int) -> Array:
        at = sum(c.nq for c in self.shell.charts[:chart])
        other = poses.copy()
        other[:, at : at + 4] *= -1.0
        return other

    def features(self, poses: Array) -> Array:
        """Poses as places of a space in which distance is about an angle."""
        parts, at = [], 0
        for c, used in zip(self.shell.charts, self.used, strict=True):
            factor = 2.0 if c.kind == Kind.SWING_TWIST else self.shell._scale(c)
            parts.append(poses[:, at : at + c.nq] * (factor * used))
            at += c.nq
        return np.concatenate(parts, 1)

    def scores(self, poses: Array, count: int) -> Array:
        """Score at poses, > 0: allowed; shape (n,)."""
        out = np.empty(len(poses))
        for first in range(0, len(poses), CHUNK):
            part = poses[first : first + CHUNK]
            out[first : first + CHUNK] = self._scores(part, min(count, len(self.poses)))
        return out

    def _scores(self, poses: Array, count: int) -> Array:
        far, near = self.tree.query(self.features(poses), count)
        near = near % len(self.poses)
        n, metric = len(poses), np.repeat([self.shell._scale(c) for c in self.shell.charts],
                                          [c.size for c in self.shell.charts])  # fmt: skip
        motion = self.shell._between(np.repeat(poses, count, 0), self.poses[near.ravel()]) * metric
        h = far[:, -1:] * 1.001 + 1e-12
        x = np.concatenate([np.ones((n, count, 1)), motion[:, self.columns].reshape(n, count, -1) / h[..., None]], 2)
        w = (1.0 - (far / h) ** 2)[..., None] + 1e-3
        normal = np.swapaxes(x, 1, 2) @ (x * w)
        k = np.arange(1, x.shape[2])
        normal[:, k, k] += RIDGE * w.sum((1, 2))[:, None]
        right = np.swapaxes(x, 1, 2) @ (self.labels[near][..., None] * w)
        score: Array = np.linalg.solve(normal, right)[:, 0, 0]
        return score

    def some(self, keep: Any, used: Array | None = None) -> "Planes":
        """The same with some of the poses, or other charts."""
        return Planes(self.shell, self.poses[keep], self.labels[keep], self.used if used is None else used)


def _sharpened(axes: Sequence[Axis], weights: Array, y: Array, labels: Array) -> Array:
    """The weights near to those given that tell the poses best: logistic loss of the distance over `SOFT`, and `TIE`
    times the square of each weight's change."""
    from scipy.optimize import minimize

    taps, start = spline_taps(axes, y), weights.ravel()
    near = np.abs(taps @ start) < REACH                              # the others say nothing
    taps, sign = taps[near], labels[near] / SOFT
    back = taps.T.tocsr()

    def loss(change: Array) -> tuple[float, Array]:
        score = (taps @ (start + change)) * sign
        told = 1.0 / (1.0 + np.exp(np.clip(score, -50.0, 50.0)))
        value = np.logaddexp(0.0, -score).sum() + TIE * (change @ change)
        return float(value), back @ (-told * sign) + 2.0 * TIE * change

    found = minimize(loss, np.zeros_like(start), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS, "maxcor": 8})
    better: Array = (start + found.x).reshape(weights.shape)
    return better


def _chosen(planes: Planes) -> tuple[Planes, int, float]:
    """Which charts matter, how many neighbours, and the share that is told wrong."""
    fold = np.arange(len(planes.poses)) % FOLDS == 0
    asked = np.flatnonzero(fold)[:ASKED]
    used = planes.used
    wrong, count = _wrong(planes, ~fold, asked, used)
    for k, c in enumerate(planes.shell.charts):
        for share in SHARES:
            fewer = used.copy()
            fewer[k] = share
            if len(used) < 2 or not fewer.any() or (c.kind == Kind.SWING_TWIST and share > 0.0):
                continue
            other, its_count = _wrong(planes, ~fold, asked, fewer)
            only_it, only_this = int((other & ~wrong).sum()), int((wrong & ~other).sum())
            slack = SURELY * np.sqrt(only_it + only_this) if share == 0.0 else 0.0
            if only_it - only_this <= slack:
                used, wrong, count = fewer, other, its_count
    return planes.some(slice(None), used), count, float(wrong.mean())


def _wrong(planes: Planes, keep: Array, asked: Array, used: Array) -> tuple[Array, int]:
    """Which of the poses asked are told wrong, with the best number of neighbours; and that."""
    fitted = planes.some(keep, used)
    tried = [((fitted.scores(planes.poses[asked], k) > 0.0) != (planes.labels[asked] > 0.0), k) for k in COUNTS]
    return min(tried, key=lambda pair: int(pair[0].sum()))


def _checked(shell: CoupledRange, poses: Any, what: str) -> Array:
    rows, _ = shell._rows(poses)
    if len(rows) < FEWEST:
        raise RangeError(f"{shell.name}: {what}: at least {FEWEST} poses are needed, got {len(rows)}")
    return rows


def _background(shell: CoupledRange, good: Array, gap: float | None) -> tuple[Array, float]:
    """Poses that are farther than `gap` from all that were reached."""
    planes = Planes(shell, good, np.ones(len(good)), np.ones(len(shell.charts)))
    if gap is None:
        gap = 1.5 * float(np.quantile(planes.tree.query(planes.features(good), 7)[0][:, -1], 0.95))
    rng, n, parts, at = np.random.default_rng(0), max(4 * len(good), 20_000), [], 0
    for c in shell.charts:
        part = good[:, at : at + c.nq]
        if c.kind == Kind.SWING_TWIST:
            quat = rng.normal(size=(n, 4))
            parts.append(quat / np.linalg.norm(quat, axis=1, keepdims=True))
        else:
            room = 2.0 * gap / shell._scale(c)
            parts.append(rng.uniform(part.min(0) - room, part.max(0) + room, (n, c.nq)))
        at += c.nq
    poses = np.concatenate(parts, 1)
    far = planes.tree.query(planes.features(poses))[0] > gap
    if far.sum() < FEWEST:
        raise RangeError(f"{shell.name}: with a gap of {gap:.3g} rad nothing is left: a smaller gap is needed")
    return poses[far], gap


def _axes(shell: CoupledRange, poses: Array, spacing: float) -> list[Axis]:
    """A grid over the charts, of about this spacing, or as fine as there may be places."""
    y = shell.coordinates(poses)
    while True:
        axes, at = [], 0
        for c in shell.charts:
            for j in range(c.size):
                if c.kind == Kind.SWING_TWIST and j == 2:
                    axes.append(Axis(-np.pi, np.pi, max(8, round(2.0 * np.pi / spacing)), turns=True))
                    continue
                low, high = float(y[:, at + j].min()), float(y[:, at + j].max())
                if c.kind == Kind.SWING_TWIST:
                    low, high = -2.0 - BEYOND, 2.0 + BEYOND
                if high - low < 1e-6:
                    raise RangeError(f"{shell.name}: coordinate {at + j} (of joint {c.joint!r}) is {low} in all poses")
                axes.append(Axis(low, high, max(4, round((high - low) / spacing) + 1)))
            at += c.size
        if np.prod([float(a.count) for a in axes]) <= PLACES:
            return axes
        spacing *= 1.1


def _grid_poses(shell: CoupledRange, axes: Sequence[Axis]) -> Array:
    """Poses of all places of a grid."""
    y, parts, at = grid_points(axes), [], 0
    for c in shell.charts:
        parts.append(c.poses(y[:, at : at + c.size], shell.length))
        at += c.size
    return np.concatenate(parts, 1)
