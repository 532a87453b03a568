"""Live: markers → labels → joint angles → smooth motion → torques with plate forces → muscle tensions with EMG.

    pipeline = LivePipeline(LiveBody(ik, muscles, plates, emg))
    with pipeline, Recorder("out.mcap", find=lsl_finder(), listener=pipeline.listen): ...
    pipeline.newest.muscles.activation; print(pipeline)

Each stage is a thread with its own bounded queue (`live_stage`).  Plates and EMG are looked up at the frame's time from
the last seconds, on the local clock; frames whose loads were not there yet are marked.  `replay` is the same offline.
"""

import dataclasses
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.behaviour.export import marker_channels
from hitogata.behaviour.live_emg import EmgChannels, LiveEmg
from hitogata.behaviour.live_frame import LiveFrame
from hitogata.behaviour.live_loads import ForcePlate, PlateLoads
from hitogata.behaviour.live_stage import ROOM, LiveStage, StageStatus
from hitogata.behaviour.live_steps import SPAN, Angles, Filtered, Labels, SmoothRates, Tensions, Torques
from hitogata.behaviour.recording import Recording
from hitogata.behaviour.streams import Samples, Stream, StreamKind
from hitogata.capture import MarkerIk, MarkerModel
from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.muscle import ForceOptions, LiveForces, MuscleSet

STAGES = ("labels", "angles", "motion", "torques", "muscles")
Step = Callable[[LiveFrame], LiveFrame | None]


@dataclass(frozen=True, eq=False)
class LiveBody:
    """Whose motion it is, and what measures it.

    Attributes:
        ik: of the figure that carries the markers.
        muscles: on that figure; None: the pipeline ends with torques.
        plates: that it walks on.
        emg: of its muscles.
        model: of the marker set, for points without labels.
        markers: name of the stream of markers; empty: the first of markers, or of points, that comes.
        options: how muscles share the work.
    """

    ik: MarkerIk
    muscles: MuscleSet | None = None
    plates: Sequence[ForcePlate] = ()
    emg: EmgChannels | None = None
    model: MarkerModel | None = None
    markers: str = ""
    options: ForceOptions | None = None

    def __post_init__(self) -> None:
        if self.muscles is not None and self.muscles.body is not self.ik.figure:
            raise ArgumentError("live: muscles must be on the very figure whose markers are followed")
        if self.emg is not None and self.muscles is None:
            raise ArgumentError("live: EMG is given, but no muscles")


@dataclass(frozen=True)
class LiveSettings:
    """How the pipeline runs.

    Attributes:
        span, lag: of `SmoothRates` [s].
        patience: how long to wait for plates and EMG that are not there yet [s].
        room: frames that may wait before each stage.
        dynamics_filter: a `DynamicsFilter` of the figure, in the place of smooth rates.
        kept: how long plates and EMG are kept [s].
    """

    span: float = SPAN
    lag: float = 0.0
    patience: float = 0.003
    room: int = ROOM
    dynamics_filter: Any = None
    kept: float = 10.0


class _Chain:
    """The steps of a body, and what of other streams they look up."""

    def __init__(self, body: LiveBody, settings: LiveSettings) -> None:
        self.body, self.settings = body, settings
        figure, patience = body.ik.figure, settings.patience
        self.loads = PlateLoads(figure, body.plates, span=settings.kept) if body.plates else None
        self.emg = None
        motion: Step = SmoothRates(figure, span=settings.span, lag=settings.lag)
        if settings.dynamics_filter is not None:
            motion = Filtered(settings.dynamics_filter)
        self.later: list[Step] = [Angles(body.ik), motion, Torques(figure, self.loads, patience=patience)]
        if body.muscles is not None:
            if body.emg is not None:
                names = [muscle.name for muscle in body.muscles.muscles]
                self.emg = LiveEmg(body.emg, names, span=settings.kept)
            self.later.append(Tensions(LiveForces(body.muscles, body.options), self.emg, patience=patience))
        self.labels: Labels | None = None
        self._scale = np.ones(1)
        self._key = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the stages."""
        return STAGES[: 1 + len(self.later)]

    def label(self, frame: LiveFrame) -> LiveFrame:
        """The first step, known once the stream of markers is."""
        assert self.labels is not None
        return self.labels(frame)

    def beside(self, stream: Stream, samples: Samples) -> None:
        """Samples of plates and EMG."""
        for each in (self.loads, self.emg):
            if each is not None:
                each.listen(stream, samples)

    def frames(self, stream: Stream, samples: Samples) -> Iterator[LiveFrame]:
        """Frames of the stream of markers; of others none."""
        if not self._is_ours(stream) or samples.local is None:
            return
        places = np.asarray(samples.values, np.float64)[:, : 3 * len(self._scale)].reshape(len(samples), -1, 3)
        places = places * self._scale[:, None]
        for k in range(len(samples)):
            yield LiveFrame(float(samples.local[k]), float(samples.arrival[k]), places[k])

    def _is_ours(self, stream: Stream) -> bool:
        if self._key:
            return stream.key == self._key
        known = stream.name == self.body.markers if self.body.markers else stream.kind in (
            StreamKind.MARKERS, StreamKind.POINTS)  # fmt: skip
        if known:
            labels, scale = marker_channels(stream)
            given = None if stream.kind is StreamKind.POINTS else labels
            self.labels = Labels(self.body.ik.markers.labels, given, self.body.model, stream.rate or 100.0)
            self._scale, self._key = scale, stream.key
        return known


class LivePipeline:
    """Runs while samples come; use it in a `with` statement, or close it."""

    def __init__(
        self, body: LiveBody, settings: LiveSettings | None = None, *, told: Callable[[LiveFrame], None] | None = None
    ) -> None:
        """Start its stages.

        Args:
            body: whose motion.
            settings: how.
            told: gets each frame that went through all stages, in the last one's thread; it must not take long.
        """
        self.settings = settings or LiveSettings()
        _warm(body, self.settings)
        self._chain, self._told = _Chain(body, self.settings), told
        self.newest: LiveFrame | None = None
        self.said = ""
        self._lock = threading.Lock()
        stages: list[LiveStage] = []
        then: Callable[[LiveFrame], None] = self._answer
        steps: list[Step] = [self._chain.label, *self._chain.later]
        for name, step in zip(reversed(self._chain.names), reversed(steps), strict=True):
            stages.insert(0, LiveStage(name, step, then, room=self.settings.room))
            then = stages[0].put
        self.stages = tuple(stages)

    def __enter__(self) -> "LivePipeline":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def listen(self, stream: Stream, samples: Samples) -> None:
        """Samples of any stream as they come, for `Recorder(listener=...)`; what does not fit is said, not raised."""
        try:
            self._chain.beside(stream, samples)
            with self._lock:
                frames = list(self._chain.frames(stream, samples))
        except ArgumentError as error:
            self.said = str(error)
            return
        for frame in frames:
            self.stages[0].put(frame)

    def settle(self, seconds: float = 5.0) -> bool:
        """Wait until all frames that came went through; whether that came."""
        return all(stage.settle(seconds) for stage in self.stages)

    def close(self) -> None:
        """End its stages."""
        for stage in self.stages:
            stage.close()

    @property
    def status(self) -> tuple[StageStatus, ...]:
        """How each stage does."""
        return tuple(stage.status for stage in self.stages)

    def __str__(self) -> str:
        return " | ".join(map(str, self.status)) + (f" | {self.said}" if self.said else "")

    def _answer(self, frame: LiveFrame) -> None:
        self.newest = frame
        if self._told is not None:
            self._told(frame)


def _warm(body: LiveBody, settings: LiveSettings) -> None:
    """Compile and make what first frames would wait for: a second of standing still through steps of their own."""
    figure, markers = body.ik.figure, body.ik.markers
    poses = forward_kinematics(figure, figure.neutral())
    links = np.asarray(markers.links)
    places = np.einsum("mij,mj->mi", poses.rotation[links], markers.places) + poses.position[links]
    chain = _Chain(body, dataclasses.replace(settings, patience=0.0, dynamics_filter=None))
    for time in np.arange(0.0, 1.0, max(0.02, settings.span / 6)):
        frame: LiveFrame | None = LiveFrame(float(time), 0.0, places, places)
        for step in chain.later:
            frame = None if frame is None else step(frame)


def replay(recording: Recording, body: LiveBody, settings: LiveSettings | None = None) -> list[LiveFrame]:
    """The same steps over a recording, one frame after the other: on the stamps that were known live.

    Args:
        recording: with a stream of markers.
        body: whose motion.
        settings: how; nothing is waited for, since all is there.
    """
    chosen = settings or LiveSettings()
    span = recording.end - recording.begin + 60.0
    chain = _Chain(body, dataclasses.replace(chosen, patience=0.0, kept=span))
    for track in recording.tracks:
        if len(track):
            chain.beside(track.stream, track.samples)
    found = []
    for track in recording.tracks:
        if len(track) and not track.stream.is_text:
            for frame in chain.frames(track.stream, track.samples):
                answer = _through(chain, frame)
                if answer is not None:
                    found.append(answer)
    if chain.labels is None:
        raise ArgumentError(f"{recording.name}: there is no stream of markers to follow")
    return found


def _through(chain: _Chain, frame: LiveFrame) -> LiveFrame | None:
    answer: LiveFrame | None = frame
    for step in (chain.label, *chain.later):
        if answer is None:
            return None
        answer = step(answer)
    return answer
