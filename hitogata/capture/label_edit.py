"""Labels mended by hand: two labels exchanged, or one taken away, over the stretch in which they are wrong."""

import dataclasses
import enum
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.files import MarkerData

LEAP = 25.0
"""A label that moves faster has leapt to another point [m/s]."""


class Scope(enum.Enum):
    """Over which frames labels are changed.

    STRETCH: around the frame, as far as both labels' points go on: to where one is lost or found again, leaps, or both
        change places.
    ONWARD: from the frame to the end.
    FRAME: in this frame alone.
    """

    STRETCH = "this stretch"
    ONWARD = "from here on"
    FRAME = "this frame"


def exchange_labels(
    markers: MarkerData, first: str, second: str, frame: int, scope: Scope = Scope.STRETCH
) -> MarkerData:
    """The same points, two labels exchanged.

    Args:
        markers: labelled, or with points without labels ('*1', ...).
        first: a label.
        second: another.
        frame: in which it is seen that they are wrong.
        scope: how far around it.
    """
    a, b = markers.index(first), markers.index(second)
    rows = frames_of(markers, (a, b), frame, scope)
    return _permuted(markers, rows, [a, b], [b, a])


def remove_label(markers: MarkerData, label: str, frame: int, scope: Scope = Scope.STRETCH) -> MarkerData:
    """The same points, one of them without its label: it goes to a point without a label that is free there.

    Args:
        markers: labelled.
        label: that is wrong.
        frame: in which.
        scope: how far around it.
    """
    a = markers.index(label)
    rows = frames_of(markers, (a,), frame, scope)
    spare = [k for k, own in enumerate(markers.labelled) if not own and not markers.seen[rows, k].any()]
    if not spare:
        number = 1 + sum(not own for own in markers.labelled)
        while f"*{number}" in markers.labels:
            number += 1
        gap = np.full((markers.nframes, 1, 3), np.nan)
        residuals = None if markers.residuals is None else np.concatenate([markers.residuals, gap[..., 0]], axis=1)
        markers = dataclasses.replace(
            markers, labels=(*markers.labels, f"*{number}"), residuals=residuals,
            positions=np.concatenate([markers.positions, gap], axis=1),
        )  # fmt: skip
        spare = [len(markers.labels) - 1]
    return _permuted(markers, rows, [a, spare[0]], [spare[0], a])


def frames_of(markers: MarkerData, columns: tuple[int, ...], frame: int, scope: Scope) -> slice:
    """Frames that a scope means."""
    if not 0 <= frame < markers.nframes:
        raise ArgumentError(f"frame: 0 to {markers.nframes - 1} expected, got {frame}")
    if scope is Scope.FRAME:
        return slice(frame, frame + 1)
    if scope is Scope.ONWARD:
        return slice(frame, markers.nframes)
    breaks = np.zeros(markers.nframes + 1, dtype=bool)
    breaks[[0, -1]] = True
    for k in columns:
        breaks[1:-1] |= _breaks(markers.positions[:, k], markers.time)
    if len(columns) == 2:
        breaks[1:-1] |= _crossed(*(np.asarray(markers.positions[:, k]) for k in columns))
    edges = np.flatnonzero(breaks)
    start = int(edges[edges <= frame][-1])
    return slice(start, int(edges[edges > frame][0]))


def _breaks(x: FloatArray, time: FloatArray) -> Any:
    """Where a label's points begin, end or leap, between frames, shape (nt - 1,)."""
    seen: Any = np.isfinite(x).all(axis=1)
    with np.errstate(invalid="ignore"):
        speed = np.linalg.norm(np.diff(x, axis=0), axis=1) / np.maximum(np.diff(time), 1e-9)
    return (seen[1:] != seen[:-1]) | (speed > LEAP)


def _crossed(a: FloatArray, b: FloatArray) -> Any:
    """Where two labels go on each other's way rather than on their own, between frames, shape (nt - 1,)."""
    def steps(x: FloatArray, y: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(y[1:] - x[:-1], axis=1))

    with np.errstate(invalid="ignore"):
        return steps(a, b) + steps(b, a) < 0.5 * (steps(a, a) + steps(b, b))


def _permuted(markers: MarkerData, rows: slice, to: list[int], source: list[int]) -> MarkerData:
    positions = np.array(markers.positions)
    positions[rows, to] = markers.positions[rows][:, source]
    residuals = None
    if markers.residuals is not None:
        residuals = np.array(markers.residuals)
        residuals[rows, to] = markers.residuals[rows][:, source]
    return dataclasses.replace(markers, positions=positions, residuals=residuals)
