"""Capture mode: markers of a trial or live, the body fitted into them; wrong labels are dragged to their points."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hitogata.capture import Camera, LiveFrame, MarkerSet, Scope, exchange_labels, remove_label
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.studio.capture_trial import CaptureTrial, Sighting, trial_of
from hitogata.studio.modes.mode import Grip, Mode

KEPT = 60.0
"""Of what comes live, the last of it is kept [s]."""


@dataclass(eq=False)
class LiveFeed:
    """What comes live.

    Attributes:
        labels: of the marker set.
        rate: frames per second [Hz].
        figure: whose joint angles come with the frames, if they do.
        marker_set: on it.
        cameras: that see it.
    """

    labels: tuple[str, ...]
    rate: float
    figure: Figure | None = None
    marker_set: MarkerSet | None = None
    cameras: Sequence[Camera] = ()
    frames: deque[LiveFrame] = field(init=False)
    ended: str | None = None
    count: int = 0
    begun: float = 0.0

    def __post_init__(self) -> None:
        self.frames = deque(maxlen=max(2, round(KEPT * self.rate)))

    def take(self, source: Iterable[LiveFrame], done: Callable[[], object] | None = None) -> None:
        """Take frames until they end; in a thread of its own."""
        self.begun = time.monotonic()
        try:
            for frame in source:
                self.frames.append(frame)
                self.count += 1
                if self.ended is not None:
                    break
            self.ended = self.ended or "the source has ended"
        except Exception as error:  # told on the page: a thread has no other voice
            self.ended = f"{type(error).__name__}: {error}"
        if done is not None:
            done()

    @property
    def pace(self) -> float:
        """Frames per second that came."""
        return self.count / max(time.monotonic() - self.begun, 1e-6)

    def trial(self) -> CaptureTrial:
        """What came, as a trial."""
        frames = list(self.frames)
        if not frames:
            raise ArgumentError("nothing has come yet")
        return trial_of(frames, self.labels, self.rate, figure=self.figure, marker_set=self.marker_set,
                        cameras=self.cameras)  # fmt: skip


@dataclass
class Capturing(Mode):
    """A trial plays; or frames come live.

    Attributes:
        trial: that is shown; None: live.
        feed: what comes live; None: a trial.
        index: frame.
        playing: whether time goes on.
        loop: whether it begins again at its end.
        speed: of time.
        chosen: label that was clicked last.
        scope: how far edits of labels reach.
    """

    trial: CaptureTrial | None = None
    feed: LiveFeed | None = None
    index: int = 0
    playing: bool = True
    loop: bool = True
    speed: float = 1.0
    chosen: str | None = None
    scope: Scope = Scope.STRETCH
    _at: float = 0.0

    def __post_init__(self) -> None:
        if (self.trial is None) == (self.feed is None):
            raise ArgumentError("capture mode shows a trial or what comes live")
        self._show()

    # ------------------------------------------------------- time

    def advance(self, seconds: float) -> None:
        """See `Mode`."""
        self.time += seconds
        if self.trial is None:
            self._show()
            return
        if not self.playing or self.trial.markers.nframes < 2:
            return
        times = self.trial.markers.time
        self._at += seconds * self.speed
        if self._at > times[-1] - times[0]:
            self._at = 0.0 if self.loop else float(times[-1] - times[0])
            self.playing = self.playing and self.loop
        self.index = max(0, int(np.searchsorted(times - times[0], self._at + 1e-9, side="right")) - 1)
        self._show()

    def play(self, on: bool) -> None:
        """Go on, or stand still."""
        self.playing = on

    def seek(self, index: int) -> None:
        """Go to a frame, and stand still."""
        if self.trial is not None:
            self.playing = False
            self.index = int(np.clip(index, 0, self.trial.markers.nframes - 1))
            self._at = float(self.trial.markers.time[self.index] - self.trial.markers.time[0])
            self._show()

    def _show(self) -> None:
        """The body in its pose of now."""
        q = self.pose
        if q is not None and len(q) == self.stage.figure.nq:
            self.stage.q[0] = q

    # ------------------------------------------------------- what is there

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the columns of `places`; points without one begin with '*'."""
        if self.trial is not None:
            return self.trial.markers.labels
        assert self.feed is not None
        newest = self.feed.frames[-1] if self.feed.frames else None
        spare = 0 if newest is None else len(newest.points) - int((newest.labels >= 0).sum())
        return (*self.feed.labels, *(f"*{k + 1}" for k in range(spare)))

    @property
    def places(self) -> FloatArray:
        """Of the points now [m], shape (n, 3), NaN where missing."""
        if self.trial is not None:
            return np.asarray(self.trial.markers.positions[self.index])
        assert self.feed is not None
        if not self.feed.frames:
            return np.full((len(self.feed.labels), 3), np.nan)
        frame = self.feed.frames[-1]
        spare = np.setdiff1d(np.arange(len(frame.points)), frame.labels[frame.labels >= 0])
        return np.concatenate([frame.markers, frame.points[spare]])

    @property
    def pose(self) -> FloatArray | None:
        """Coordinates of the body now, shape (nq,); None: there is none."""
        if self.trial is not None:
            return None if self.trial.angles is None else np.asarray(self.trial.angles.q[self.index])
        assert self.feed is not None
        return self.feed.frames[-1].q if self.feed.frames else None

    @property
    def cameras(self) -> tuple[Camera, ...]:
        """That took it."""
        return tuple(self.trial.cameras if self.trial is not None else self.feed.cameras if self.feed else ())

    def rays(self) -> FloatArray:
        """From cameras to points [m], shape (n, 2, 3)."""
        if self.trial is not None:
            return self.trial.rays(self.index, self.chosen)
        assert self.feed is not None
        if not self.feed.frames or not self.feed.cameras:
            return np.zeros((0, 2, 3))
        points, seen_by = Sighting(self.feed.frames[-1].points, self.feed.frames[-1].seen_by)
        n, c = np.nonzero(seen_by)
        eyes = np.array([camera.pose.position for camera in self.feed.cameras])
        return np.stack([eyes[c], points[n]], axis=1).reshape(-1, 2, 3)

    def residual(self) -> float | None:
        """Of the chosen marker from the body now [m]."""
        trial = self.trial
        if trial is None or trial.angles is None or self.chosen not in trial.angles.markers.labels:
            return None
        off = float(trial.angles.residuals[self.index, trial.angles.markers.labels.index(self.chosen)])
        return off if np.isfinite(off) else None

    def nearest(self, origin: FloatArray, direction: FloatArray, within: float) -> str | None:
        """The label whose point is nearest to a ray, if it is near enough [m]."""
        away = self.places - origin
        along = away @ direction
        off = np.linalg.norm(away - along[:, None] * direction, axis=1)
        off[~(np.isfinite(off) & (along > 0))] = np.inf
        best = int(off.argmin())
        return self.labels[best] if off[best] < within else None

    # ------------------------------------------------------- labels

    def move_label(self, label: str, target: str) -> None:
        """The point that is called `target` is `label`: both labels are exchanged."""
        trial = self._trial()
        if label == target:
            return
        self.trial = trial.with_markers(exchange_labels(trial.markers, label, target, self.index, self.scope))
        self.chosen = label
        self._show()

    def take_label(self, label: str) -> None:
        """The point is no marker of the set, or not this one."""
        trial = self._trial()
        self.trial = trial.with_markers(remove_label(trial.markers, label, self.index, self.scope))
        self._show()

    def change(self, trial: CaptureTrial, index: int | None = None) -> None:
        """Another trial of the same time."""
        self.trial = trial
        self.index = min(self.index if index is None else index, trial.markers.nframes - 1)
        self._show()

    def _trial(self) -> CaptureTrial:
        if self.trial is None:
            raise ArgumentError("labels of a trial can be changed; stop what comes live first")
        return self.trial

    # ------------------------------------------------------- figures are not touched

    def refigure(self) -> None:
        """See `Mode`."""
        self._show()

    def grab(self, who: object, copy: int, link: int, place: FloatArray) -> None:
        """Bodies follow their markers: they are not dragged here."""

    def take(self, grip: Grip) -> None:
        """See `Mode`."""

    def release(self, grip: Grip) -> None:
        """See `Mode`."""

    def click(self, copy: int, link: int, ray: FloatArray) -> None:
        """See `Mode`."""

    def close(self) -> None:
        """See `Mode`; what came live ends."""
        if self.feed is not None:
            self.feed.ended = self.feed.ended or "the mode was left"
