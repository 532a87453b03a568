"""Labels of one frame without history: a beam search over the marker set, along the body.

Markers are placed in the order of the model, steady ones beside each other first.  The price of a partial labelling is
what its distances say (and, once three neighbours are placed, the marker's place in their frame): half the mean squared
deviation per coordinate, in standard deviations.  A marker may be missing, at a price; points may stay without a label.
The cheapest partial labellings are kept at each step.
"""

from typing import NamedTuple

import numpy as np

from hitogata.capture.arrays import IntArray
from hitogata.capture.marker_model import MarkerModel
from hitogata.figure.values import FloatArray
from hitogata.lanes import Floats, Ints, entry, kernel

BEAM = 200
"""Partial labellings that are kept."""

MISSING = 7.0
"""Price of a marker that is not there."""

FAR = 4.5
"""A distance that is off by so many standard deviations excludes."""

class Found(NamedTuple):
    """Labels of one frame.

    Attributes:
        points: index of each label's point, -1: missing, shape (nm,).
        price: of the labelling; lower is better.
        margin: by how much the cheapest labelling that differs in a third of its labels is dearer; small: ambiguous.
    """

    points: IntArray
    price: float
    margin: float


def search_labels(model: MarkerModel, points: FloatArray, *, beam: int = BEAM) -> Found:
    """Labels of the points of one frame.

    Args:
        model: of the marker set.
        points: [m], shape (n, 3), all finite.
        beam: partial labellings that are kept.
    """
    count = len(model.labels)
    given = np.ascontiguousarray(points, dtype=np.float64)
    if len(given) < 4:
        return Found(np.full(count, -1, dtype=np.int64), MISSING * count, 0.0)
    gaps = np.ascontiguousarray(np.linalg.norm(given[:, None] - given, axis=2))
    labels, prices = np.full((2, beam, count), -1, dtype=np.int64), np.zeros((2, beam))
    side = beam_search(given, gaps, model.order, model.steady, model.distance, model.spread, model.triples, model.local,
                       labels, prices)  # fmt: skip
    kept = prices[side]
    best = int(kept.argmin())
    other = (labels[side] != labels[side, best]).sum(axis=1) >= count // 3
    other &= kept < 1e8
    margin = float(kept[other].min() - kept[best]) if other.any() else np.inf
    return Found(labels[side, best].copy(), float(kept[best]), margin)


def price_labels(model: MarkerModel, points: FloatArray, labels: IntArray) -> FloatArray:
    """Prices of labellings, shape (nt,), each seen as a whole; to compare labellings of the same points.

    Args:
        model: of the marker set.
        points: of every frame [m], shape (nt, n, 3).
        labels: index of each label's point, -1: missing, shape (nt, nm).
    """
    prices = np.zeros(len(points))
    price_frames(np.ascontiguousarray(points), np.ascontiguousarray(labels), model.steady, model.distance, model.spread,
                 model.triples, model.local, prices)  # fmt: skip
    return prices


@kernel
def off_frame(points, a, b, c, p, local, triple):
    """Squared deviation of point p from its place in the frame of points a, b, c, in variances."""
    total = 0.0
    x, s = np.empty(3), np.empty(3)
    norm = 0.0
    for i in range(3):
        x[i] = points[b, i] - points[a, i]
        s[i] = points[c, i] - points[a, i]
        norm += x[i] * x[i]
    norm = 1.0 / np.sqrt(norm + 1e-18)
    for i in range(3):
        x[i] *= norm
    z0, z1, z2 = x[1] * s[2] - x[2] * s[1], x[2] * s[0] - x[0] * s[2], x[0] * s[1] - x[1] * s[0]
    norm = 1.0 / np.sqrt(z0 * z0 + z1 * z1 + z2 * z2 + 1e-18)
    z0, z1, z2 = z0 * norm, z1 * norm, z2 * norm
    y0, y1, y2 = z1 * x[2] - z2 * x[1], z2 * x[0] - z0 * x[2], z0 * x[1] - z1 * x[0]
    d0, d1, d2 = points[p, 0] - points[a, 0], points[p, 1] - points[a, 1], points[p, 2] - points[a, 2]
    e = d0 * x[0] + d1 * x[1] + d2 * x[2] - local[triple, 0]
    f = d0 * y0 + d1 * y1 + d2 * y2 - local[triple, 1]
    g = d0 * z0 + d1 * z1 + d2 * z2 - local[triple, 2]
    total = e * e + f * f + g * g
    return total / (local[triple, 3] * local[triple, 3])


@kernel
def gap_of(points, a, b):
    """Distance of two points."""
    x, y, z = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1], points[a, 2] - points[b, 2]
    return np.sqrt(x * x + y * y + z * z)


@entry(points=Floats(3), labels=Ints(2), steady=Ints(2), distance=Floats(2), spread=Floats(2), triples=Ints(3),
       local=Floats(3), prices=Floats(1, write=True))  # fmt: skip
def price_frames(points, labels, steady, distance, spread, triples, local, prices):
    """Price of each frame's labelling."""
    room = points.shape[1]
    gaps = np.empty((room, room))
    for t in range(points.shape[0]):
        total = 0.0
        for i in range(room):
            for j in range(room):
                gaps[i, j] = gap_of(points[t], i, j)
        for m in range(labels.shape[1]):
            price = MISSING
            if labels[t, m] >= 0:
                price = price_of(points[t], gaps, labels[t], m, labels[t, m], steady, distance, spread, triples, local)
                price = min(price, 3.0 * MISSING) if price >= 0.0 else 3.0 * MISSING
            total += price
        prices[t] = total


@kernel
def price_of(points, gaps, held, m, p, steady, distance, spread, triples, local):
    """Price of giving marker m the point p beside those that are placed, or -1 if a distance excludes it."""
    total, count = 0.0, 0
    for k in range(steady.shape[1]):
        n = steady[m, k]
        if n < 0:
            break
        if held[n] < 0:
            continue
        off = (gaps[p, held[n]] - distance[m, n]) / spread[m, n]
        if abs(off) > FAR:
            return -1.0
        total += off * off
        count += 1
    price = 1.5 * total / max(count, 1)
    for k in range(triples.shape[1]):
        a, b, c = triples[m, k, 0], triples[m, k, 1], triples[m, k, 2]
        if a >= 0 and held[a] >= 0 and held[b] >= 0 and held[c] >= 0:
            off = off_frame(points, held[a], held[b], held[c], p, local[m], k)
            if off > 3.0 * FAR * FAR:
                return -1.0
            return 0.5 * (price + 0.5 * off)
    return price


@entry(points=Floats(2), gaps=Floats(2), order=Ints(1), steady=Ints(2), distance=Floats(2), spread=Floats(2),
       triples=Ints(3), local=Floats(3), labels=Ints(3, write=True), prices=Floats(2, write=True))  # fmt: skip
def beam_search(points, gaps, order, steady, distance, spread, triples, local, labels, prices):
    """Place one marker after the other; the side of `labels` and `prices` that holds the last partial labellings."""
    room, count, n = labels.shape[1], order.shape[0], points.shape[0]
    alive, side = 1, 0
    trial_price = np.empty(room * (n + 1))
    trial_from = np.empty(room * (n + 1), np.int64)
    trial_point = np.empty(room * (n + 1), np.int64)
    taken = np.zeros(n, np.bool_)
    for k in range(count):
        m, tried = order[k], 0
        for h in range(alive):
            held = labels[side, h]
            for i in range(n):
                taken[i] = False
            for j in range(k):
                if held[order[j]] >= 0:
                    taken[held[order[j]]] = True
            trial_price[tried], trial_from[tried], trial_point[tried] = prices[side, h] + MISSING, h, -1
            tried += 1
            for p in range(n):
                if taken[p]:
                    continue
                price = price_of(points, gaps, held, m, p, steady, distance, spread, triples, local)
                if price >= 0.0:
                    trial_price[tried], trial_from[tried], trial_point[tried] = prices[side, h] + price, h, p
                    tried += 1
        best = np.argsort(trial_price[:tried])
        kept = min(tried, room)
        for r in range(kept):
            t = best[r]
            for j in range(count):
                labels[1 - side, r, j] = labels[side, trial_from[t], j]
            labels[1 - side, r, m] = trial_point[t]
            prices[1 - side, r] = trial_price[t]
        alive, side = kept, 1 - side
    for r in range(alive, room):
        prices[side, r] = 1e9
    return side
