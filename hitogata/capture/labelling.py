"""Labelling: names for points, from what is known of the marker set; swaps and ghosts found, and how sure each name is.

The frame in which the search is surest comes first; from there labels are followed forwards and backwards
(`label_track`).  At regular frames a search without history checks them: where it is clearly better, its labels are
followed back to the check before, and each frame takes the better of the two labellings.
"""

from dataclasses import dataclass

import numpy as np

from hitogata.capture.arrays import BoolArray, IntArray
from hitogata.capture.label_search import MISSING, Found, price_labels, search_labels
from hitogata.capture.label_track import follow_labels, no_state
from hitogata.capture.marker_model import MarkerModel
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, positive
from hitogata.files import MarkerData

SURE = 0.55
"""Price per marker of a search's labelling, of a missing marker's, below which it is believed."""

TRIES = 6
"""Frames that are searched for a start, about."""

CHECK = 40
"""Frames after which a search without history checks the labels that were followed."""

SPARE = 15
"""Live: frames in which labels and points are left over, after which a search without history is made."""

BETTER = 3.0
"""By so much its price must be lower to be believed instead."""


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
    points: IntArray
    confidence: FloatArray
    searches: int
    problems: tuple[str, ...]

    def report(self) -> str:
        """A line for each label: how often it is seen, how sure, where it is missing longest."""
        lines = []
        for m, label in enumerate(self.markers.labels[: self.points.shape[1]]):
            seen = self.points[:, m] >= 0
            sure = self.confidence[seen, m].mean() if seen.any() else 0.0
            gap = _longest(~seen)
            lines.append(f"{label:<24} seen {100 * seen.mean():5.1f} %, sure {sure:.2f}, longest gap {gap} frames")
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
        self._known, self.searches, self._wait, self._spare = False, 0, 0, 0

    def __call__(self, points: FloatArray) -> tuple[IntArray, FloatArray]:
        """Index of each label's point, -1: missing, shape (nm,), and how sure, for points [m], shape (n, 3)."""
        given = np.ascontiguousarray(points, dtype=np.float64).reshape(1, -1, 3)
        counts, count = np.array([given.shape[1]]), len(self.model.labels)
        labels, sure = np.full((1, count), -1, dtype=np.int64), np.zeros((1, count))
        if not self._known:
            self._wait = max(0, self._wait - 1)
            if self._wait == 0:
                self._begin(given, labels)
            if not self._known:
                return labels[0], sure[0]
        follow_labels(given, counts, self.model.triples, self.model.local, self._state, labels, sure, self._step)
        placed = int((labels[0] >= 0).sum())
        if 2 * placed < min(count, given.shape[1]) and self._begin(given, labels):  # lost, but found anew at once
            follow_labels(given, counts, self.model.triples, self.model.local, self._state, labels, sure, self._step)
            placed = int((labels[0] >= 0).sum())
        self._spare = self._spare + 1 if placed < min(count, given.shape[1]) else 0
        if self._spare >= SPARE:
            self._spare, labels[0] = 0, self._searched(given, labels[0])
        return labels[0], sure[0]

    def _begin(self, given: FloatArray, labels: IntArray) -> bool:
        """Search this frame without history; whether what is found is believed."""
        if given.shape[1] < 4:
            self._known = False
            return False
        self.searches += 1
        count = labels.shape[1]
        found = search_labels(self.model, given[0])
        self._known, self._wait = believed(found, count, given.shape[1]), 10
        if self._known:
            labels[0], self._state = found.points, no_state(count)
        return self._known

    def _searched(self, given: FloatArray, labels: IntArray) -> IntArray:
        """Labels of a search without history if they are clearly better than those that were followed."""
        self.searches += 1
        found = search_labels(self.model, given[0])
        now, new = (price_labels(self.model, given, each[None])[0] for each in (labels, found.points))
        if not new + BETTER < now:
            return labels
        fresh = no_state(len(labels))
        counts, sure, start = np.array([given.shape[1]]), np.zeros((1, len(labels))), found.points[None].copy()
        follow_labels(given, counts, self.model.triples, self.model.local, fresh, start, sure, self._step)
        changed = found.points != labels
        self._state[changed] = fresh[changed]
        return found.points


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

    def __init__(self, model: MarkerModel, points: FloatArray, counts: IntArray, step: float, labels: IntArray,
                 sure: FloatArray) -> None:  # fmt: skip
        self.model, self.points, self.counts, self.step = model, points, counts, step
        self.labels, self.sure, self.searches = labels, sure, 0
        self.leaps: list[int] = []

    def all_frames(self) -> list[str]:
        """Label everything; what is wrong."""
        start, found = self._start()
        if found is None:
            return ["no frame shows the marker set: nothing is labelled; wrong set, wrong unit, or too few points"]
        for frames in (np.arange(start, -1, -1), np.arange(start, len(self.points))):
            self._way(frames, found.points)
        share = (self.labels >= 0).sum(axis=1) / np.minimum(np.maximum(self.counts, 1), self.labels.shape[1])
        lost = np.flatnonzero((share < 0.5) & (self.counts >= 4))
        told = []
        if self.leaps:
            first = ", ".join(str(k) for k in sorted(self.leaps)[:5]) + " ..." * (len(self.leaps) > 5)
            told.append(f"all points leap at once {len(self.leaps)} times (frames {first}): frames are missing, or "
                        "time jumps; labels were searched anew there")  # fmt: skip
        if not len(lost):
            return told
        return [*told, f"most labels are lost in {len(lost)} frames, the first is frame {lost[0]}"]

    def _way(self, frames: IntArray, labels: IntArray) -> None:
        """Label frames in an order, from the labels of the first on, checked by searches.

        Where most labels are lost from one frame to the next, all points have leapt: time jumped, or frames were
        dropped.  There a search begins anew.
        """
        state, k = no_state(self.labels.shape[1]), 0
        while k < len(frames) - 1:
            part = frames[k : k + CHECK + 1]
            there, sure = self._followed(part, labels, state)
            leap = self._leap(part, there)
            anew = None if leap is None else self._search(part[leap])
            if leap is not None and anew is not None:
                self.labels[part[:leap]], self.sure[part[:leap]] = there[:leap], sure[:leap]
                labels, state = anew.points, no_state(self.labels.shape[1])
                self.labels[part[leap]], self.sure[part[leap]] = labels, np.where(labels >= 0, 0.5, 0.0)
                self.leaps.append(int(part[leap]))
                k += leap
                continue
            last = part[-1]
            self.searches += 1
            found = search_labels(self.model, self.points[last, : self.counts[last]])
            better = price_labels(self.model, self.points[last][None], found.points[None])[0] + BETTER
            if better < price_labels(self.model, self.points[last][None], there[-1:])[0]:
                back, sure_back = self._followed(part[::-1], found.points, no_state(self.labels.shape[1]))
                points = self.points[part]
                take = price_labels(self.model, points, back[::-1]) < price_labels(self.model, points, there)
                take[-1] = True
                there[take], sure[take] = back[::-1][take], sure_back[::-1][take]
                state = no_state(self.labels.shape[1])
            self.labels[part], self.sure[part] = there, sure
            labels = there[-1]
            k += CHECK
        if len(frames) == 1:
            self.labels[frames[0]] = labels

    def _leap(self, frames: IntArray, labels: IntArray) -> int | None:
        """The first of these frames, after the first, in which most labels are lost at once; None: there is none."""
        placed = (labels >= 0).sum(axis=1)
        room = np.minimum(self.counts[frames], labels.shape[1])
        lost = np.flatnonzero((2 * placed[1:] < room[1:]) & (2 * placed[:-1] >= room[:-1]) & (room[1:] >= 4))
        return int(lost[0]) + 1 if len(lost) else None

    def _search(self, frame: int) -> Found | None:
        """Labels of a frame without history, if they are to be believed."""
        self.searches += 1
        count = int(self.counts[frame])
        found = search_labels(self.model, self.points[frame, :count])
        return found if believed(found, self.labels.shape[1], count) else None

    def _followed(self, frames: IntArray, start: IntArray, state: FloatArray) -> tuple[IntArray, FloatArray]:
        """Labels of frames in an order, and how sure; the first frame's are given."""
        labels = np.full((len(frames), self.labels.shape[1]), -1, dtype=np.int64)
        sure = np.zeros(labels.shape)
        labels[0] = start
        points, counts = np.ascontiguousarray(self.points[frames]), np.ascontiguousarray(self.counts[frames])
        follow_labels(points, counts, self.model.triples, self.model.local, state, labels, sure, self.step)
        return labels, sure

    def _start(self) -> tuple[int, Found | None]:
        """A frame that the search is sure of: the surest of a few."""
        best: tuple[float, int, Found] | None = None
        for t in range(0, len(self.points), max(1, len(self.points) // TRIES)):
            self.searches += 1
            found = search_labels(self.model, self.points[t, : self.counts[t]])
            if believed(found, len(self.model.labels), int(self.counts[t])) and (best is None or found.price < best[0]):
                best = (found.price, t, found)
                if found.price < 0.25 * MISSING * len(self.model.labels) and found.margin > MISSING:
                    break
        return (0, None) if best is None else best[1:]


def _named(
    model: MarkerModel, markers: MarkerData, points: FloatArray, counts: IntArray, labels: IntArray
) -> MarkerData:
    """Labelled markers, and the points without labels behind them."""
    nt = len(labels)
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


def _longest(gone: BoolArray) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], gone.astype(int), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))
