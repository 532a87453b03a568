"""Tracking: points of each frame become trajectories that keep their number, by where they should be next.

A track's next place is predicted at constant acceleration (constant velocity while it is young); its gate is what an
acceleration that is not known can do in a frame, and grows while the track is not seen.  The matching follows tracks in
the images; what is left over and tracks that were lost are joined by the cheapest assignment (Hungarian method: Kuhn
1955; scipy's).  Tracks that never get old enough are ghosts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hitogata.capture.arrays import BoolArray, IntArray
from hitogata.capture.blobs import Blobs
from hitogata.capture.camera import Camera
from hitogata.capture.matching import Matcher, MatchSettings, Points
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, positive
from hitogata.files import MarkerData


@dataclass(frozen=True, kw_only=True)
class TrackSettings:
    """How points are followed.

    Attributes:
        acceleration: largest change of velocity that is not foreseen [m/s²].
        noise: of a point's place [m].
        speed: of a new point, at most [m/s].
        patience: how long a track that is not seen is kept [s].
        youth: frames until a track is believed.
    """

    acceleration: float = 60.0
    noise: float = 0.003
    speed: float = 6.0
    patience: float = 0.1
    youth: int = 4

    def __post_init__(self) -> None:
        for name in ("acceleration", "noise", "speed", "patience", "youth"):
            positive(getattr(self, name), f"tracking: {name}", error=ArgumentError)


class Tracker:
    """Tracks over frames."""

    def __init__(self, rate: float, settings: TrackSettings | None = None) -> None:
        """A tracker without tracks.

        Args:
            rate: frames per second [Hz].
            settings: how points are followed.
        """
        self.settings, self.step = settings or TrackSettings(), 1.0 / positive(rate, "rate", error=ArgumentError)
        self.numbers = np.zeros(0, dtype=np.int64)
        self._next = 0
        self._place = np.zeros((0, 3))
        self._velocity = np.zeros((0, 3))
        self._acceleration = np.zeros((0, 3))
        self._age = np.zeros(0, dtype=np.int64)
        self._missed = np.zeros(0, dtype=np.int64)

    def predict(self) -> tuple[FloatArray, FloatArray]:
        """Where tracks should be in the next frame [m], shape (n, 3), and how far from there they may be."""
        s, t = self.settings, self.step * (1 + self._missed)
        place = self._place + t[:, None] * self._velocity + 0.5 * t[:, None] ** 2 * self._acceleration
        return place, np.where(self._age < 2, s.speed * t, s.noise + 0.5 * s.acceleration * t**2)

    @property
    def believed(self) -> BoolArray:
        """Which tracks are old enough, shape (n,)."""
        return self._age >= self.settings.youth

    def update(self, points: Points) -> IntArray:
        """Take over the points of the next frame; the number of each point's track, shape (len(points),)."""
        place, gate = self.predict()
        track = points.expected.copy()
        lost = np.setdiff1d(np.arange(len(place)), track)
        free = np.flatnonzero(track < 0)
        if len(lost) and len(free):
            track[free] = _assigned(points.positions[free], place[lost], gate[lost], lost)
        seen = track >= 0
        self._move(track[seen], points.positions[seen], np.setdiff1d(np.arange(len(place)), track[seen]))
        numbers = np.full(len(points), -1, dtype=np.int64)
        numbers[seen] = self.numbers[track[seen]]
        numbers[~seen] = self._begin(points.positions[~seen])
        self._forget()
        return numbers

    def _move(self, tracks: IntArray, places: FloatArray, missed: IntArray) -> None:
        t = (self.step * (1 + self._missed[tracks]))[:, None]
        velocity = (places - self._place[tracks]) / t
        old, young = self._velocity[tracks], (self._age[tracks] < 2)[:, None]
        change = np.where(young, 0.0, (velocity - old) / t)
        blend = 0.5 * change + 0.5 * self._acceleration[tracks]
        self._acceleration[tracks] = np.where(young, 0.0, np.clip(blend, -100.0, 100.0))
        self._velocity[tracks] = velocity + 0.5 * t * self._acceleration[tracks]
        self._place[tracks] = places
        self._age[tracks] += 1
        self._missed[tracks] = 0
        self._missed[missed] += 1
        self._acceleration[missed] = 0.0  # what is not seen goes straight on

    def _begin(self, places: FloatArray) -> IntArray:
        n = len(places)
        numbers = np.arange(self._next, self._next + n)
        self._next += n
        self.numbers = np.concatenate([self.numbers, numbers])
        self._place = np.concatenate([self._place, places])
        self._velocity = np.concatenate([self._velocity, np.zeros((n, 3))])
        self._acceleration = np.concatenate([self._acceleration, np.zeros((n, 3))])
        self._age = np.concatenate([self._age, np.ones(n, dtype=np.int64)])
        self._missed = np.concatenate([self._missed, np.zeros(n, dtype=np.int64)])
        return numbers

    def _forget(self) -> None:
        young = self._age < self.settings.youth
        keep = self._missed * self.step <= np.where(young, 1.5 * self.step, self.settings.patience)
        for name in ("numbers", "_place", "_velocity", "_acceleration", "_age", "_missed"):
            setattr(self, name, getattr(self, name)[keep])


def _assigned(points: FloatArray, places: FloatArray, gates: FloatArray, lost: IntArray) -> IntArray:
    """The lost track each point continues, or -1: all distances together least, none beyond its gate."""
    from scipy.optimize import linear_sum_assignment

    gap = np.linalg.norm(points[:, None] - places, axis=2) / gates
    rows, columns = linear_sum_assignment(np.minimum(gap, 10.0))
    found = np.full(len(points), -1)
    good = gap[rows, columns] < 1.0
    found[rows[good]] = lost[columns[good]]
    return found


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Markers from blobs.

    Attributes:
        markers: one for each track, without labels ('*1', ...); residuals are reprojection errors brought to [m].
        points: of each frame, as the matching found them.
        tracks: number of each point's track, frame by frame.
    """

    markers: MarkerData
    points: tuple[Points, ...]
    tracks: tuple[IntArray, ...]


def reconstruct(
    cameras: Sequence[Camera], frames: Iterable[Sequence[Blobs]], rate: float, *,
    match: MatchSettings | None = None, track: TrackSettings | None = None,
) -> Reconstruction:  # fmt: skip
    """Tracks from the blobs of all cameras.

    Args:
        cameras: calibrated.
        frames: blobs of every camera, frame by frame.
        rate: frames per second [Hz].
        match: when rays belong together.
        track: how points are followed.
    """
    matcher, tracker = Matcher(cameras, match), Tracker(rate, track)
    points, tracks = [], []
    for blobs in frames:
        place, gate = tracker.predict()
        points.append(matcher(blobs, expected=place, gates=gate))
        tracks.append(tracker.update(points[-1]))
    youth = tracker.settings.youth
    ages = np.bincount(np.concatenate(tracks), minlength=1) if tracks and any(map(len, tracks)) else np.zeros(1)
    kept = np.flatnonzero(ages >= youth)
    column = np.full(len(ages), -1)
    column[kept] = np.arange(len(kept))
    positions, residuals = np.full((len(points), len(kept), 3), np.nan), np.full((len(points), len(kept)), np.nan)
    for t, (found, numbers) in enumerate(zip(points, tracks, strict=True)):
        at = column[numbers] if len(numbers) else np.zeros(0, dtype=int)
        positions[t, at[at >= 0]] = found.positions[at >= 0]
        residuals[t, at[at >= 0]] = (found.errors * found.sigmas)[at >= 0]
    labels = tuple(f"*{k + 1}" for k in range(len(kept)))
    data = MarkerData(labels, np.arange(len(points)) / rate, rate, positions, residuals)
    return Reconstruction(data, tuple(points), tuple(tracks))
