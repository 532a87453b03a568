"""The whole chain for one frame after the other: blobs of all cameras in, labelled points and joint angles out.

Matching → tracking → labelling → inverse kinematics, each beginning where the frame before ended.  Coordinates that no
marker tells stay as they were.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hitogata.capture.arrays import BoolArray, IntArray
from hitogata.capture.blobs import Blobs
from hitogata.capture.camera import Camera
from hitogata.capture.ik import MarkerIk, Wishes
from hitogata.capture.ik_start import first_pose
from hitogata.capture.labelling import Labeller
from hitogata.capture.marker_model import MarkerModel
from hitogata.capture.matching import Matcher, MatchSettings
from hitogata.capture.tracking import Tracker, TrackSettings
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.files import MarkerData

ENOUGH = 0.7
"""Share of the set's markers from which the first pose is found."""

STAY = 1e-6
"""Weight of the last frame's coordinates, beside 1 for a marker: they count where no marker tells [m²/rad²]."""


@dataclass(frozen=True, eq=False)
class LiveFrame:
    """What is known of a frame.

    Attributes:
        time: since the first frame [s].
        points: [m], shape (n, 3).
        labels: index of each label's point, -1: missing, shape (nm,).
        confidence: of each label, 0 to 1, shape (nm,).
        seen_by: which cameras see each point, shape (n, nc).
        q: coordinates of the figure, shape (nq,); None: not known yet, or nobody asked.
    """

    time: float
    points: FloatArray
    labels: IntArray
    confidence: FloatArray
    seen_by: BoolArray
    q: FloatArray | None

    @property
    def markers(self) -> FloatArray:
        """Places of the labels [m], shape (nm, 3), NaN where missing."""
        places = np.full((len(self.labels), 3), np.nan)
        given = self.labels >= 0
        places[given] = self.points[self.labels[given]]
        return places


def marker_data(frames: Sequence[LiveFrame], labels: Sequence[str], rate: float) -> MarkerData:
    """What came live as markers of a trial; points without a label as `*1`, `*2` ...

    Args:
        frames: one after the other.
        labels: of the marker set.
        rate: frames per second [Hz].
    """
    nt, nm = len(frames), len(labels)
    rest = [np.setdiff1d(np.arange(len(f.points)), f.labels[f.labels >= 0]) for f in frames]
    most = max((len(each) for each in rest), default=0)
    places = np.full((nt, nm + most, 3), np.nan)
    for k, (frame, spare) in enumerate(zip(frames, rest, strict=True)):
        places[k, :nm] = frame.markers
        places[k, nm : nm + len(spare)] = frame.points[spare]
    names = (*labels, *(f"*{k + 1}" for k in range(most)))
    return MarkerData(names, np.arange(nt) / rate, rate, places, name="live")


class LiveChain:
    """From blobs to joint angles, frame by frame."""

    def __init__(
        self, cameras: Sequence[Camera], model: MarkerModel, rate: float, ik: MarkerIk | None = None, *,
        match: MatchSettings | None = None, track: TrackSettings | None = None,
    ) -> None:  # fmt: skip
        """A chain without history.

        Args:
            cameras: calibrated.
            model: of the marker set.
            rate: frames per second [Hz].
            ik: of a figure that carries markers of the model's labels; None: labels only.
            match: when rays belong together.
            track: how points are followed.
        """
        self.cameras, self.model, self.rate, self.ik = tuple(cameras), model, rate, ik
        self._matcher, self._tracker = Matcher(cameras, match), Tracker(rate, track)
        self._labeller, self._count = Labeller(model, rate), 0
        self._q: FloatArray | None = None
        if ik is not None:
            column = {label: k for k, label in enumerate(model.labels)}
            self._columns = np.array([column.get(label, -1) for label in ik.markers.labels])
            if (self._columns >= 0).sum() < 3:
                raise ArgumentError(
                    f"the figure's markers {', '.join(ik.markers.labels[:6])} ... share fewer than three labels with "
                    f"the model's {', '.join(model.labels[:6])} ..."
                )

    def __call__(self, blobs: Sequence[Blobs]) -> LiveFrame:
        """The next frame."""
        place, gate = self._tracker.predict()
        points = self._matcher(blobs, expected=place, gates=gate)
        self._tracker.update(points)
        labels, sure = self._labeller(points.positions)
        time = self._count / self.rate
        self._count += 1
        frame = LiveFrame(time, points.positions, labels, sure, points.blobs >= 0, None)
        return frame if self.ik is None else self._posed(frame)

    def frames(self, source: Iterable[Sequence[Blobs]]) -> Iterator[LiveFrame]:
        """All frames of a source (`CameraProcesses`, or blobs of files)."""
        return map(self, source)

    def _posed(self, frame: LiveFrame) -> LiveFrame:
        ik, found = self.ik, frame.markers
        assert ik is not None
        target = np.where((self._columns >= 0)[:, None], found[self._columns], np.nan)[None]
        weight: FloatArray = np.asarray(np.isfinite(target).all(axis=2), dtype=np.float64)
        if self._q is None:
            if weight.sum() < max(3, ENOUGH * (self._columns >= 0).sum()):
                return frame
            self._q, _ = first_pose(ik, target, weight, None)
        wish = Wishes(self._q, np.full(ik.figure.nv, STAY))
        self._q = ik.frames(target, weight, self._q, wish, variances=False).q[0]
        return LiveFrame(frame.time, frame.points, frame.labels, frame.confidence, frame.seen_by, self._q)
