"""Repair of a file whose labels are wrong in places: learned from where they agree, then labelled anew.

A label that is right keeps its distances to its steadiest partners (those on its own segment, or across a joint); a
wrong one does not.  Medians over the trial tell these distances as long as each label is right more often than not
(breakdown point one half: Rousseeuw & Leroy 1987).  In every frame a label is believed if half of its partners that are
believed themselves agree, by weight; the rest is left out, and a marker set learned from what remains.
"""

from dataclasses import dataclass, replace

import numpy as np

from hitogata.capture.arrays import BoolArray
from hitogata.capture.labelling import Labelled, label
from hitogata.capture.marker_model import learn_markers
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.files import MarkerData

PARTNERS = 8
"""Of a label, the steadiest."""

FRAMES = 1500
"""By which medians are found, at most, spread over the trial."""

AGREE = (4.0, 0.012)
"""A distance agrees if it is off its median by less than so many standard deviations, or by so much [m]."""

NOISE = 0.008
"""Of a distance on one segment [m]: partners weigh by the inverse square of their spread and this."""

AGAIN, SETTLED = 3, 0.002
"""Labels that were found are learned from again, so many times at most, until fewer than this share of them change."""

ROUNDS = 4
"""Of votes: who is found wrong votes no more."""


@dataclass(frozen=True, eq=False)
class Repaired:
    """Mended labels.

    Attributes:
        labelled: the trial with its new labels.
        doubted: samples whose label did not agree with its partners before, shape (nt, nm) of the labels.
        changed: how many samples have another label now, or none.
    """

    labelled: Labelled
    doubted: BoolArray
    changed: int

    def report(self) -> str:
        """What was wrong, and a line for each label."""
        share = 100 * float(self.doubted.mean()) if self.doubted.size else 0.0
        head = f"{share:.1f} % of the labels did not agree with their partners; {self.changed} changed"
        return f"{head}\n{self.labelled.report()}"


def repair_labels(markers: MarkerData) -> Repaired:
    """Mend the labels of a trial by what it knows of its own marker set.

    Args:
        markers: labelled, wrongly in places; points without labels may be any.

    Raises:
        ArgumentError: fewer than four labels, or one that is never seen with others.
    """
    own = [k for k, labelled in enumerate(markers.labelled) if labelled and markers.seen[:, k].any()]
    if len(own) < 4:
        raise ArgumentError(f"{markers.name}: {len(own)} labels that are ever seen; four are needed to tell them apart")
    places = np.asarray(markers.positions)[:, own]
    good = agreeing(places)
    good[:, ~good.any(axis=0)] = True
    doubted = np.isfinite(places).all(axis=2) & ~good
    known = replace(
        markers, labels=tuple(markers.labels[k] for k in own), positions=np.where(good[..., None], places, np.nan),
        residuals=None,
    )  # fmt: skip
    found = label(learn_markers(known), markers)
    for _ in range(AGAIN):
        if not (found.points >= 0).any(axis=0).all():
            break  # a label that is not found cannot be learned again
        better = label(learn_markers(_kept(found)), markers)
        settled = (better.points != found.points).mean() < SETTLED
        found = better
        if settled:
            break
    column = np.array(own)
    before = np.where(markers.seen[:, own], column, -1)
    now = found.points
    changed = int(((before != now) & ((before >= 0) | (now >= 0))).sum())
    return Repaired(found, doubted, changed)


def label_by_pose(pose: MarkerData, trial: MarkerData) -> Repaired:
    """Labels from a static pose: a weak model, so what it tells is learned from and the trial labelled again.

    Args:
        pose: labelled, one frame or more in which nothing moves.
        trial: points of any names.

    Raises:
        ArgumentError: as of `learn_markers` and `repair_labels`.
    """
    first = label(learn_markers(pose), trial)
    count = first.points.shape[1]
    guessed = replace(first.markers, labels=first.markers.labels[:count],
                      positions=first.markers.positions[:, :count])  # fmt: skip
    known = [bool(guessed.seen[:, k].any()) for k in range(count)]
    if not all(known):
        lost = ", ".join(name for name, own in zip(guessed.labels, known, strict=True) if not own)
        if sum(known) < 4:
            return Repaired(first, np.zeros(first.points.shape, bool), 0)
        raise ArgumentError(f"{trial.name}: {lost} of the pose found in no frame; label a few frames by hand")
    better = repair_labels(guessed)
    found = better.labelled
    if (found.points >= 0).any(axis=0).all():
        found = label(learn_markers(_kept(found)), trial)
    return Repaired(found, better.doubted, int((found.points != first.points).sum()))


def _kept(labelled: Labelled) -> MarkerData:
    """The set's labels alone, where they agree; all of a label that nowhere does."""
    count = labelled.points.shape[1]
    places = np.asarray(labelled.markers.positions)[:, :count]
    good = agreeing(places)
    good[:, ~good.any(axis=0)] = True
    return replace(labelled.markers, labels=labelled.markers.labels[:count], residuals=None,
                   positions=np.where(good[..., None], places, np.nan))  # fmt: skip


def agreeing(places: FloatArray) -> BoolArray:
    """Which labels keep their distances to their partners, shape (nt, nm).

    Args:
        places: of the labels [m], shape (nt, nm, 3), NaN where hidden.
    """
    nt, nm = places.shape[:2]
    some = places[np.unique(np.linspace(0, nt - 1, min(nt, FRAMES)).astype(int))]
    median, spread = np.full((nm, nm), np.nan), np.full((nm, nm), np.inf)
    for i in range(nm):
        gaps = np.linalg.norm(some - some[:, i : i + 1], axis=2)
        told = np.isfinite(gaps).sum(axis=0) >= min(10, len(some))
        told[i] = False
        median[i, told] = np.nanmedian(gaps[:, told], axis=0)
        spread[i, told] = 1.4826 * np.nanmedian(np.abs(gaps[:, told] - median[i, told]), axis=0)
    partners = np.argsort(spread, axis=1)[:, : min(PARTNERS, nm - 1)]
    seen: BoolArray = np.asarray(np.isfinite(places).all(axis=2))
    near = np.take_along_axis(spread, partners, axis=1)
    weight = np.where(np.isfinite(near), 1.0 / (NOISE + near) ** 2, 0.0)  # who is not steady has little to say
    agree = np.zeros((nt, nm, partners.shape[1]), dtype=bool)
    there = np.zeros_like(agree)
    for i in range(nm):
        for k, j in enumerate(partners[i]):
            if np.isfinite(spread[i, j]):
                off = np.abs(np.linalg.norm(places[:, i] - places[:, j], axis=1) - median[i, j])
                there[:, i, k] = seen[:, i] & seen[:, j]
                agree[:, i, k] = off < max(AGREE[0] * spread[i, j], AGREE[1])
    good = seen.copy()
    for _ in range(ROUNDS):
        votes = weight * (there & good[:, partners])
        yes, asked = (votes * agree).sum(axis=2), votes.sum(axis=2)
        good = seen & ((asked == 0) | (2 * yes >= asked))
    return good
