"""Labelling: names for points, from what is known of the marker set; swaps and ghosts found, and how sure each name is.

The frame in which the search is surest comes first; from there labels are followed forwards and backwards
(`label_track`).  Where most are lost, the search begins anew.
"""

from dataclasses import dataclass

import numpy as np

from hitogata.capture.label_search import MISSING, Found, search_labels
from hitogata.capture.label_track import follow_labels, no_state
from hitogata.capture.marker_model import MarkerModel
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, positive
from hitogata.files import MarkerData

SURE = 0.55
"""Price per marker of a search's labelling, of a missing marker's, below which it is believed."""

TRIES = 6
"""Frames that are searched for a start, at most."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """Markers with labels.

    Attributes:
        markers: the set's labels, and after them what is left without a label ('*1', ...: each point of a frame that
            got no name goes to the first free one).
        points: index of each label's point in the input, -1: missing, shape (nt, nm).
        confidence: of each label, 0 to 1, 0 where it is missing, shape (nt, nm).
        searches: how often labels were searched without history.
        problems: what is wrong, by name.
    """

    markers: MarkerData
    points: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    confidence: FloatArray
    searches: int
    problems: tuple[str, ...]

    def report(self) -> str:
        """A line for each label: how often it is seen, how sure, where it is missing longest."""
        lines = []
        for m, label in enumerate(self.markers.labels[: self.points.shape[1]]):
            seen = self.points[:, m] >= 0
            sure = self.confidence[seen, m].mean() if seen.any() else 0.0
            lines.append(f"{label:<24} seen {100 * seen.mean():5.1f} %, sure {sure:.2f}, longest gap {_longest(~seen)} frames")
        return "\n".join(lines + [f"! {problem}" for problem in self.problems])


class Labeller:
    """Labels frames as they come: live."""

    def __init__(self, model: MarkerModel, rate: float) -> None:
        """A labeller without history.

        Args:
            model: of the marker set.
            rate: frames per second [Hz].
        """
        self.model, self._step = model, 1.0 / positive(rate, "rate", error=ArgumentError)
        self._state = no_state(len(model.labels))
        self._known, self.searches, self._wait = False, 0, 0

    def __call__(self, points: FloatArray) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], FloatArray]:
        """Index of each label's point, -1: missing, shape (nm,), and how sure, for points [m], shape (n, 3)."""
        given = np.ascontiguousarray(points, dtype=np.float64).reshape(1, -1, 3)
        counts, count = np.array([given.shape[1]]), len(self.model.labels)
        labels, sure = np.full((1, count), -1, dtype=np.int64), np.zeros((1, count))
        if not self._known:
            self._wait = max(0, self._wait - 1)
            if self._wait == 0 and given.shape[1] >= 4:
                self.searches += 1
                found = search_labels(self.model, given[0])
                self._known, self._wait = believed(found, count, given.shape[1]), 10
                labels[0] = found.points if self._known else -1
                self._state = no_state(count)
            if not self._known:
                return labels[0], sure[0]
        follow_labels(given, counts, self.model.triples, self.model.local, self._state, labels, sure, self._step, 0)
        if 2 * (labels[0] >= 0).sum() < min(count, given.shape[1]):
            self._known = False
        return labels[0], sure[0]


def believed(found: Found, markers: int, points: int) -> bool:
    """Whether a labelling without history is good enough to start from."""
    placed = int((found.points >= 0).sum())
    price = found.price - MISSING * (markers - placed)
    return placed >= 0.6 * min(markers, points) and placed >= 4 and price < SURE * MISSING * placed


def label(model: MarkerModel, markers: MarkerData) -> Labelled:
    """Labels for markers, whatever they are called now.

    Args:
        model: of the marker set.
        markers: points of every frame; their own labels and their order mean nothing.
    """
    seen = markers.seen
    counts = seen.sum(axis=1).astype(np.int64)
    nt, nm, room = markers.nframes, len(model.labels), max(1, int(counts.max(initial=1)))
    points, source = np.zeros((nt, room, 3)), np.full((nt, room + 1), -1, dtype=np.int64)
    frame, column = np.nonzero(seen)
    slot = (np.cumsum(seen, axis=1) - 1)[frame, column]
    points[frame, slot], source[frame, slot] = markers.positions[frame, column], column
    labels, sure = np.full((nt, nm), -1, dtype=np.int64), np.zeros((nt, nm))
    run = _Run(model, points, counts, 1.0 / markers.rate, labels, sure)
    problems = run.all_frames()
    picked = np.where(labels >= 0, np.take_along_axis(source, np.maximum(labels, 0), axis=1), -1)
    return Labelled(_named(model, markers, points, counts, labels), picked, sure, run.searches, tuple(problems))


class _Run:
    """Labelling of a whole trial."""

    def __init__(self, model: MarkerModel, points: FloatArray, counts: FloatArray, step: float, labels: FloatArray,
                 sure: FloatArray) -> None:  # fmt: skip
        self.model, self.points, self.counts, self.step = model, points, counts, step
        self.labels, self.sure, self.searches = labels, sure, 0

    def all_frames(self) -> list[str]:
        """Label everything; what is wrong."""
        start, found = self._start(0)
        if found is None:
            return ["no frame shows the marker set: nothing is labelled; wrong set, wrong unit, or too few points"]
        self._follow(start, found, back=True)
        problems = []
        while found is not None:
            end = self._follow(start, found, back=False)
            if end >= len(self.points):
                break
            problems.append(f"most labels are lost about frame {end - 1}")
            start, found = self._start(end)
        return problems

    def _start(self, first: int) -> tuple[int, Found | None]:
        """A frame from `first` on that the search is sure of: the surest of a few."""
        left = len(self.points) - first
        best: tuple[float, int, Found] | None = None
        for k in range(min(TRIES, left)):
            t = first + k * max(1, min(25, left // TRIES))
            self.searches += 1
            found = search_labels(self.model, self.points[t, : self.counts[t]])
            if believed(found, len(self.model.labels), int(self.counts[t])) and (best is None or found.price < best[0]):
                best = (found.price, t, found)
                if found.price < 0.25 * MISSING * len(self.model.labels) and found.margin > MISSING:
                    break
        return (first, None) if best is None else best[1:]

    def _follow(self, start: int, found: Found, *, back: bool) -> int:
        """Follow labels from a frame on; the first frame that is not labelled."""
        side = slice(start, None, -1) if back else slice(start, None)
        points, counts = np.ascontiguousarray(self.points[side]), np.ascontiguousarray(self.counts[side])
        labels, sure = np.full((len(points), self.labels.shape[1]), -1, dtype=np.int64), np.zeros((len(points), 1))
        sure = np.zeros(labels.shape)
        labels[0] = found.points
        state = no_state(labels.shape[1])
        end = follow_labels(points, counts, self.model.triples, self.model.local, state, labels, sure, self.step, 0)
        lost = 5 if end < len(points) else 0
        self.labels[side][: end - lost], self.sure[side][: end - lost] = labels[: end - lost], sure[: end - lost]
        return start + end


def _named(model: MarkerModel, markers: MarkerData, points: FloatArray, counts: FloatArray, labels: FloatArray) -> MarkerData:
    """Labelled markers, and the points without labels behind them."""
    nt, nm = labels.shape
    placed = np.where((labels >= 0)[..., None], points[np.arange(nt)[:, None], np.maximum(labels, 0)], np.nan)
    free = np.arange(points.shape[1])[None] < counts[:, None]
    frame, which = np.nonzero(labels >= 0)
    free[frame, labels[frame, which]] = False
    most = int(free.sum(axis=1).max(initial=0))
    rest = np.full((nt, most, 3), np.nan)
    frame, point = np.nonzero(free)
    rest[frame, (np.cumsum(free, axis=1) - 1)[frame, point]] = points[frame, point]
    names = model.labels + tuple(f"*{k + 1}" for k in range(most))
    return MarkerData(names, markers.time, markers.rate, np.concatenate([placed, rest], axis=1), unit=markers.unit,
                      warnings=markers.warnings, name=markers.name)  # fmt: skip


def _longest(gone: FloatArray) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], gone.astype(int), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))
