"""How well the markers of a set can be told apart by their distances, which two would be mixed up, and what to move.

Two labels can be mixed up if exchanging them (alone, or with all others of their two segments, or left with right as a
whole) hardly changes the distances between markers.  The score of an exchange π is

    a(π) = √ mean over pairs of ((D_ij - D_π(i)π(j)) / s_ij)²,

over the pairs it changes, in standard deviations s of the distances; a set's score is that of its weakest exchange.
Below about 3, labels come from the order of the frames, not from the set.
"""

from dataclasses import dataclass

import numpy as np

from hitogata.capture.arrays import IntArray
from hitogata.capture.marker_model import MarkerModel, learn_markers
from hitogata.capture.marker_set import MarkerSet
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray

GROWN = 8
"""Exchanges of two labels, the weakest, that are grown to exchanges of groups."""


@dataclass(frozen=True)
class Asymmetry:
    """How well a set can be told apart.

    Attributes:
        score: of the weakest exchange, in standard deviations.
        exchange: the labels it exchanges, as pairs.
    """

    score: float
    exchange: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        pairs = ", ".join(f"{a}-{b}" for a, b in self.exchange)
        return f"asymmetry {self.score:.1f} standard deviations; easiest to mix up: {pairs}"


def asymmetry(model: MarkerModel) -> Asymmetry:
    """The score of a marker set, and the exchange that is the easiest to overlook."""
    weakest = np.inf
    pairs: tuple[tuple[str, str], ...] = ()
    for order in _exchanges(model):
        score = _score(model.distance, model.spread, order)
        if score < weakest:
            moved = [(int(a), int(b)) for a, b in enumerate(order) if b > a]
            weakest, pairs = score, tuple((model.labels[a], model.labels[b]) for a, b in moved)
    return Asymmetry(float(weakest), pairs)


def suggest_move(
    figure: Figure, markers: MarkerSet, *, reach: float = 0.04, tries: int = 10, seed: int = 0
) -> tuple[MarkerSet, str, Asymmetry]:
    """The marker of the weakest exchange moved on its segment so that the set is told apart best.

    Args:
        figure: that carries the set; distances are those of its neutral pose.
        markers: the set.
        reach: how far the marker may be moved across the skin [m].
        tries: places that are looked at for each marker.
        seed: of those places.

    Returns:
        The better set, the label that was moved, and the score of the better set.
    """
    rng = np.random.default_rng(seed)
    q = figure.neutral()
    score = lambda each: asymmetry(learn_markers(each.positions(figure, q)[None], each.labels))
    best, moved, now = markers, "", score(markers)
    for label in {name for pair in now.exchange for name in pair}:
        k = markers.labels.index(label)
        axis = _outward(figure, markers, k)
        for _ in range(tries):
            step = rng.standard_normal(3)
            step -= axis * (axis @ step)  # stay on the skin, about
            places = markers.places.copy()
            places[k] += step / np.linalg.norm(step) * reach * np.sqrt(rng.random())
            trial = MarkerSet(markers.labels, markers.links, places, markers.radius)
            found = score(trial)
            if found.score > now.score:
                best, moved, now = trial, label, found
    return best, moved, now


def _outward(figure: Figure, markers: MarkerSet, k: int) -> FloatArray:
    """Direction from the middle of the link's shapes to the marker."""
    shapes = figure.links[markers.links[k]].shapes
    middle = np.mean([s.pose.position for s in shapes], axis=0) if shapes else np.zeros(3)
    way: FloatArray = markers.places[k] - middle
    return way / max(float(np.linalg.norm(way)), 1e-9)


def _score(distance: FloatArray, spread: FloatArray, order: IntArray) -> float:
    """Root mean square change of the distances, over the pairs that an exchange changes."""
    there = np.ix_(order, order)
    off = (distance - distance[there]) / np.sqrt(0.5 * (spread**2 + spread[there] ** 2))
    touched = order != np.arange(len(order))
    pairs = np.triu(touched[:, None] | touched[None], 1)
    # a pair that is exchanged within itself keeps its distance and says nothing
    pairs &= ~((order[:, None] == np.arange(len(order))[None]) & (order[None] == np.arange(len(order))[:, None]))
    return float(np.sqrt(np.square(off[pairs]).mean())) if pairs.any() else np.inf


def _exchanges(model: MarkerModel) -> list[IntArray]:
    """Exchanges of two labels, and of whole groups: grown from each pair as long as that makes them harder to see."""
    count = len(model.labels)
    found = []
    for a in range(count):
        for b in range(a + 1, count):
            order = np.arange(count)
            order[a], order[b] = b, a
            found.append(order)
    scores = np.array([_score(model.distance, model.spread, order) for order in found])
    grown = []
    for k in np.argsort(scores)[:GROWN]:
        order, score = found[k].copy(), scores[k]
        while True:
            free = np.flatnonzero(order == np.arange(count))
            trials = [(i, j) for n, i in enumerate(free) for j in free[n + 1 :]]
            best = (float(score), -1, -1)
            for i, j in trials:
                order[i], order[j] = j, i
                best = min(best, (_score(model.distance, model.spread, order), int(i), int(j)))
                order[i], order[j] = i, j
            if best[1] < 0:
                break
            score = best[0]
            order[best[1]], order[best[2]] = best[2], best[1]
        grown.append(order)
    return found + grown
