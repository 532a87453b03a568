"""What is wrong with a trial before any body is fitted to it: units, mirrors, swapped sides, jumps, too few markers.

Each is told in a sentence; nothing is changed, and the rest is done as well as it can be.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hitogata.capture.fit_prior import overall_size
from hitogata.capture.ik import IkSettings, matched_trial, solve_ik
from hitogata.capture.marker_set import MarkerSet
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.files import MarkerData
from hitogata.files.names import left_right_pairs

LARGEST, SMALLEST = 2.2, 0.45
"""Sizes of the trial beside the figure beyond which a unit is doubted."""

UNITS = {1000.0: "millimetres taken for metres", 100.0: "centimetres taken for metres", 0.001: "metres taken for "
         "millimetres", 0.01: "metres taken for centimetres", 39.37: "inches taken for metres"}  # fmt: skip
"""Mix-ups, by how much larger the trial seems."""

POSES = 6
"""Frames in which sides are looked at."""

BETTER = 0.7
"""The trial mirrored, or its sides swapped, is told if the body fits by this much closer."""

FASTEST = 25.0
"""Markers on a person do not move faster [m/s]."""


def check_trial(figure: Figure, markers: MarkerSet, trial: MarkerData | FloatArray) -> tuple[str, ...]:
    """Problems of a trial, in words.

    Args:
        figure: of about the person's size.
        markers: on it.
        trial: labelled markers, or places in the order of the set [m], shape (nt, nm, 3).
    """
    target, time, absent, _ = matched_trial(markers, trial)
    seen: Any = np.isfinite(target).all(axis=2)
    told = []
    if absent:
        told.append(f"the trial has no {', '.join(absent)}: labels of the set that it lacks")
    told += _lonely(figure, markers, seen)
    here = markers.positions(figure, figure.neutral())
    rich = np.flatnonzero(seen.sum(axis=1) >= max(4, 0.7 * seen.sum(axis=1).max(initial=0)))
    if len(rich):
        told += _size(here, target[rich], seen[rich])
        told += _sides(figure, markers, target[rich[:: -(-len(rich) // POSES)]])
    if isinstance(trial, MarkerData):
        told += _times(time, trial.rate)
        told += _jumps(markers, target, time)
    return tuple(told)


def _lonely(figure: Figure, markers: MarkerSet, seen: Any) -> list[str]:
    """Links with fewer than three markers ever seen: their pose is told with the help of their neighbours alone."""
    ever = seen.any(axis=0)
    counts = np.bincount(markers.links[ever], minlength=figure.nlinks)
    moving = [k for k, link in enumerate(figure.links) if link.joint.nv]
    none = [figure.link_names[k] for k in moving if counts[k] == 0]
    few = [f"{figure.link_names[k]} ({counts[k]})" for k in moving if 0 < counts[k] < 3]
    told = []
    if none:
        told.append(f"no marker on {', '.join(none)}: their joints keep their rest, or follow what hangs on them")
    if few:
        told.append(f"fewer than three markers on {', '.join(few)}: told with the help of their joints")
    return told


def _size(here: FloatArray, target: FloatArray, seen: Any) -> list[str]:
    """The spread of all markers beside that of the figure in its neutral pose."""
    ratios = []
    for places, own in zip(target, seen, strict=True):
        a, b = (x[own] - x[own].mean(axis=0) for x in (here, places))
        ratios.append(np.sqrt((b**2).sum() / max(float((a**2).sum()), 1e-12)))
    size = float(np.median(ratios))
    if SMALLEST < size < LARGEST:
        return []
    guess = min(UNITS, key=lambda factor: abs(np.log(size / factor)))
    words = UNITS[guess] if 0.4 < size / guess < 2.5 else "another figure, or wrong labels"
    return [f"the trial is {size:.3g} times as large as the figure: {words}?"]


def _sides(figure: Figure, markers: MarkerSet, target: FloatArray) -> list[str]:
    """Whether the body gets closer to mirrored places, or to labels of the other side: distances say nothing, but knees
    bend one way."""
    pairs = side_pairs(markers.labels)
    order = np.arange(len(markers.labels))
    for left, right in pairs.items():
        a, b = markers.labels.index(left), markers.labels.index(right)
        order[a], order[b] = b, a
    target = target / overall_size(markers, target, np.isfinite(target).all(axis=2).astype(float))
    plain = _misfit(figure, markers, target)
    mirrored = _misfit(figure, markers, target * [1.0, -1.0, 1.0])
    swapped = _misfit(figure, markers, target[:, order]) if pairs else np.inf
    if swapped < BETTER * plain and swapped <= mirrored:
        return [f"left and right are swapped: with the labels of the other side the markers fit {plain / swapped:.1f} "
                "times as closely"]  # fmt: skip
    if mirrored < BETTER * plain:
        return [f"the trial is mirrored: its mirror image fits {plain / mirrored:.1f} times as closely; an axis is "
                "upside down, or a file's axes are left-handed"]  # fmt: skip
    return []


def side_pairs(labels: Sequence[str]) -> dict[str, str]:
    """Left markers and their right ones: by words (thigh_left, RightHeel), or by a first L or R (LASI, Me:RKNE)."""
    found = dict(left_right_pairs(labels))
    taken, known = {*found, *found.values()}, set(labels)
    for label in labels:
        subject, colon, own = label.rpartition(":")
        if label in taken or own[:1] not in ("L", "l"):
            continue
        other = f"{subject}{colon}{'R' if own[0] == 'L' else 'r'}{own[1:]}"
        if len(own) > 1 and other in known and other not in taken:
            found[label] = other
    return found


def _misfit(figure: Figure, markers: MarkerSet, target: FloatArray) -> float:
    """Root mean square distance of the markers from the body in its best poses [m]."""
    try:
        found = solve_ik(figure, markers, target, settings=IkSettings(predict=False, fill=False, iterations=60))
    except ArgumentError:  # no frame shows three markers
        return np.inf
    return found.rms + 1e-9


def _times(time: FloatArray, rate: float) -> list[str]:
    steps = np.diff(time)
    bad = np.flatnonzero((steps <= 0) | (steps > 1.5 / rate))
    if not len(bad):
        return []
    where = ", ".join(f"{time[k]:.3f} to {time[k + 1]:.3f} s" for k in bad[:3])
    return [f"time jumps {len(bad)} times: {where}{' ...' if len(bad) > 3 else ''}"]


def _jumps(markers: MarkerSet, target: FloatArray, time: FloatArray) -> list[str]:
    """Markers that leap there and back: labels that were swapped, or ghosts."""
    speed = np.linalg.norm(np.diff(target, axis=0), axis=2) / np.maximum(np.diff(time), 1e-6)[:, None]
    found = {markers.labels[k]: int((speed[:, k] > FASTEST).sum()) for k in range(len(markers.labels))}
    worst = sorted((label for label in found if found[label]), key=lambda label: -found[label])
    if not worst:
        return []
    names = ", ".join(f"{label} ({found[label]})" for label in worst[:5])
    return [f"markers leap faster than {FASTEST:g} m/s: {names}; wrong labels, which `capture label` mends"]
