"""What is odd about the numbers and names of a capture file: units, times, labels."""

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.files.lengths import LengthUnit, nearest_unit

BODY_SIZES = 0.1, 12.0
"""Largest extent of the markers of one frame that is not doubted [m]: from a hand to a group in a hall."""

MOST_NAMES = 20
"""How many changed names are told."""

BODY = 1.7
"""Extent of the markers on a standing adult [m]."""


def size_doubts(positions: FloatArray, unit: LengthUnit, remedy: str) -> list[str]:
    """Whether markers [m], shape (nt, nm, 3), look as if their unit were another one than `unit`.

    Markers of one frame are about as far apart as a body is tall: their median extent shows a factor of 1000.
    """
    step = max(1, len(positions) // 200)
    some = positions[::step]
    enough = (~np.isnan(some).any(axis=2)).sum(axis=1) >= 4
    if not enough.any():
        return []
    low, high = np.fmin.reduce(some, axis=1), np.fmax.reduce(some, axis=1)  # these pass over NaN
    size = float(np.median((high - low).max(axis=1)[enough]))
    if BODY_SIZES[0] <= size <= BODY_SIZES[1] or not 0 < size < np.inf:
        return []
    guess = nearest_unit(size * unit.per_metre, BODY)
    found = size * unit.per_metre / guess.per_metre
    if guess is unit or not BODY / 4 <= found <= BODY * 2:
        return [
            f"the markers of a frame are {size:.3g} m apart: is the unit {unit.value!r} right? say it with {remedy}"
        ]
    return [
        f"the markers of a frame are {size:.3g} m apart, in {guess.value} they would be {found:.3g} m: the file says "
        f"{unit.value!r}, but its numbers look like {guess.value}; say it with {remedy}"
    ]


def time_doubts(time: FloatArray) -> list[str]:
    """What is odd about times [s]: they stand still, go back or are not even."""
    steps = np.diff(time)
    if not len(steps):
        return []
    found = []
    usual = float(np.median(steps))
    still = np.abs(steps) <= 1e-6 * abs(usual)
    for bad, what in ((~still & (steps < 0), "goes back"), (still, "stands still")):
        if bad.any():
            at = int(bad.argmax())
            found.append(f"time {what} at {bad.sum()} places, first from {time[at]:g} s in row {at + 1}")
    jump = (np.abs(steps - usual) > max(0.25 * abs(usual), 1e-12)) & (steps > 0) & ~still
    if jump.any():
        at = int(jump.argmax())
        found.append(
            f"time is not even: {jump.sum()} steps are not the usual {usual:.6g} s, "
            f"first {steps[at]:.6g} s behind {time[at]:g} s in row {at + 1}"
        )
    return found


def unique_labels(labels: list[str], what: str) -> tuple[tuple[str, ...], list[str]]:
    """Labels of which no two are the same, a number behind a second one; and what was changed."""
    taken = set(labels)
    seen: set[str] = set()
    following: dict[str, int] = {}  # number to try next, so that many of one name take no time
    result, notes = [], []
    for label in labels:
        new, k = label, following.get(label, 2)
        while new in seen or (new != label and new in taken):
            new, k = f"{label}_{k}", k + 1
        if new != label:
            following[label] = k
            notes.append(f"a second {what} {label!r} is called {new!r}")
        seen.add(new)
        result.append(new)
    if len(notes) > MOST_NAMES:
        notes[MOST_NAMES:] = [f"{len(notes) - MOST_NAMES} more are called likewise"]
    return tuple(result), notes
