"""What a labeller knows of a marker set: distances, how they change, and where each marker is beside its neighbours.

Learned from frames with labels: one static pose, a trial of an archive, or poses of a figure that carries the set.
For two markers: mean distance and its standard deviation; small where they sit on one segment.  For one marker: its
place in the frame of any three of its steadiest neighbours, and how steady that is (the frame: origin at the first, x
to the second, z across all three; so left and right are told apart).
"""

import itertools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.capture.marker_set import MarkerSet
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray, floats
from hitogata.files import MarkerData

NEIGHBOURS = 6
"""Of a marker, the steadiest."""

USED = 8
"""Distances of a marker that are looked at in a search, the steadiest."""

TRIPLES = 20
"""Frames of three neighbours for each marker, the steadiest first."""

LEAST = 0.004
"""Standard deviations are at least this [m]: skin moves, and another day's markers sit a little elsewhere."""

UNSEEN = (1.5, 0.1)
"""What changes will change more than was seen: standard deviations are multiplied by the first number, and so much of
the distance is added where it is not steady."""

STEADY = 0.005
"""A distance that changes less than this is that of two markers on one segment [m]."""

FEW = 10
"""Frames below which the changes of distances are guessed from their lengths."""

GUESS = (0.006, 0.10)
"""Guessed standard deviation of a distance: so much, and so much of it."""


@dataclass(frozen=True, eq=False)
class MarkerModel:
    """Distances and neighbourhoods of a marker set.

    Attributes:
        labels: of the markers.
        distance: means [m], shape (nm, nm).
        spread: standard deviations [m], shape (nm, nm).
        triples: three neighbours for each frame, -1 where there are not so many, shape (nm, TRIPLES, 3).
        local: place of the marker in those frames, and its standard deviation [m], shape (nm, TRIPLES, 4).
        order: in which markers are searched.
        steady: the markers before each in that order whose distances to it are steadiest, or -1, shape (nm, USED).
    """

    labels: tuple[str, ...]
    distance: FloatArray
    spread: FloatArray
    triples: Any
    local: FloatArray
    order: Any
    steady: Any


def learn_markers(markers: MarkerData | FloatArray, labels: tuple[str, ...] | None = None) -> MarkerModel:
    """Learn a marker set from frames with labels.

    Args:
        markers: `MarkerData` (points without labels are left out), or positions [m], shape (nt, nm, 3), NaN in gaps.
        labels: of the markers, for positions.

    Raises:
        ArgumentError: fewer than four markers, or one that is never seen with others.
    """
    if isinstance(markers, MarkerData):
        labels = tuple(label for label, named in zip(markers.labels, markers.labelled, strict=True) if named)
        positions = markers.positions[:, markers.labelled]
    else:
        positions = floats(markers, "markers").astype(np.float64)
        if positions.ndim != 3 or positions.shape[2] != 3:
            raise ArgumentError(f"markers: expected positions of shape (nt, nm, 3), got {positions.shape}")
        labels = tuple(labels or (f"m{k + 1}" for k in range(positions.shape[1])))
    if len(labels) != positions.shape[1] or len(labels) < 4:
        raise ArgumentError(f"markers: a set needs four markers or more, and a label for each, got {len(labels)}")
    positions = positions[:: max(1, len(positions) // 400)]
    still = is_still(positions)
    distance, spread = _distances(positions, labels, still)
    triples, local = _neighbourhoods(positions, spread, still)
    order = _order(spread)
    return MarkerModel(labels, distance, spread, triples, local, order, _steady(spread, order))


def model_of(figure: Figure, markers: MarkerSet, *, bend: float = 0.2, poses: int = 300, seed: int = 0) -> MarkerModel:
    """What a figure's marker set looks like in all its poses.

    Args:
        figure: with joints.
        markers: on it.
        bend: standard deviation of joint angles about the neutral pose [rad].
        poses: that are tried; hinges stay within their ranges.
        seed: of the poses.
    """
    from hitogata.dynamics import integrate

    rng = np.random.default_rng(seed)
    v = np.zeros((poses, figure.nv))
    for i, link in enumerate(figure.links):
        if link.parent is not None:
            at = figure.v_starts[i]
            v[:, at : at + link.joint.nv] = rng.normal(0, bend, (poses, link.joint.nv))
    start = np.repeat(figure.neutral()[None], poses, axis=0)
    q = np.asarray(integrate(figure, start, v))
    for i, link in enumerate(figure.links):
        if link.joint.nq == 1 and link.joint.range is not None:
            low, high = link.joint.range
            at = figure.q_starts[i]
            q[:, at] = np.clip(np.abs(q[:, at]) * (1 if high >= -low else -1), low, high)
    return learn_markers(markers.positions(figure, q), markers.labels)


def is_still(positions: FloatArray) -> bool:
    """Whether markers keep their distances to each other all the time, as in a static pose: it tells no changes.

    Args:
        positions: [m], shape (nt, nm, 3), NaN in gaps.
    """
    some = np.asarray(positions)[:: max(1, len(positions) // 100)]
    gaps = np.linalg.norm(some[:, :, None] - some[:, None], axis=3)
    told = np.isfinite(gaps).sum(axis=0) > 1
    if not told.any():
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return bool(np.percentile(np.nanstd(gaps, axis=0)[told], 90) < STEADY)


def _distances(positions: FloatArray, labels: tuple[str, ...], still: bool) -> tuple[FloatArray, FloatArray]:
    gaps = np.linalg.norm(positions[:, :, None] - positions[:, None], axis=3)
    known = np.isfinite(gaps).sum(axis=0)
    hidden = np.flatnonzero(np.diag(known) == 0)
    if len(hidden):
        names = ", ".join(labels[k] for k in hidden)
        raise ArgumentError(f"markers: {names} cannot be learned: never seen in these frames; leave them out")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # pairs that are never seen together
        mean = np.nanmean(gaps, axis=0)
    apart = known == 0
    mean[apart] = np.nanmean(mean)
    known[apart], gaps[:, apart] = FEW, np.linspace(0.0, 2.0, len(gaps))[:, None]  # nothing is known of them
    guess = GUESS[0] + GUESS[1] * mean
    return mean, np.where(still | (known < FEW), guess, widened(np.nanvar(gaps, axis=0), mean))


def widened(variance: FloatArray, length: FloatArray) -> FloatArray:
    """Standard deviation to expect of a distance beyond the poses it was learned from [m]."""
    free = np.minimum(variance / STEADY**2, 1.0)
    result: FloatArray = np.sqrt(UNSEEN[0] ** 2 * variance + LEAST**2 + free * (UNSEEN[1] * length) ** 2)
    return result


def frames_of(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Axes of the frames of three points as rows, shape (..., 3, 3); see the module's head."""
    x = b - a
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    z = np.cross(x, c - a)
    z = z / np.linalg.norm(z, axis=-1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=-2)


def _neighbourhoods(positions: FloatArray, spread: FloatArray, still: bool) -> tuple[Any, FloatArray]:
    count = positions.shape[1]
    triples, local = np.full((count, TRIPLES, 3), -1), np.full((count, TRIPLES, 4), np.inf)
    for m in range(count):
        near = [int(k) for k in np.argsort(spread[m]) if k != m][:NEIGHBOURS]
        found = []
        for a, b, c in itertools.combinations(near, 3):
            with np.errstate(invalid="ignore", divide="ignore"):
                axes = frames_of(positions[:, a], positions[:, b], positions[:, c])
            at = (axes @ (positions[:, m] - positions[:, a])[..., None])[..., 0]
            at = at[np.isfinite(at).all(axis=1)]
            if not len(at):
                continue
            long = np.linalg.norm(at, axis=1).mean()
            sigma = GUESS[0] + GUESS[1] * long if still or len(at) < FEW else widened(at.var(axis=0).sum(), long)
            found.append((float(sigma), (a, b, c), at.mean(axis=0)))
        found.sort(key=lambda each: each[0])
        for k, (sigma, three, at) in enumerate(found[:TRIPLES]):
            triples[m, k], local[m, k, :3], local[m, k, 3] = three, at, sigma
    return triples, local


def _order(spread: FloatArray) -> Any:
    """Markers so that each is steady beside three that come before it; the first ones are the steadiest."""
    steady = spread + 10 * np.eye(len(spread))
    order = [int(np.sort(steady, axis=1)[:, :3].sum(axis=1).argmin())]
    while len(order) < len(spread):
        rest = np.setdiff1d(np.arange(len(spread)), order)
        near = np.sort(steady[rest][:, order], axis=1)[:, :3]
        order.append(int(rest[near.mean(axis=1).argmin()]))
    return np.array(order, dtype=np.int64)


def _steady(spread: FloatArray, order: Any) -> Any:
    """The markers before each one in the order whose distances to it are steadiest, shape (nm, USED)."""
    steady = np.full((len(order), USED), -1, dtype=np.int64)
    for k, m in enumerate(order):
        before = order[:k]
        best = before[np.argsort(spread[m, before], kind="stable")][:USED]
        steady[m, : len(best)] = best
    return steady
