"""Markers over time: what TRC and C3D files have in common."""

import enum
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, floats, positive
from hitogata.files.lengths import LengthUnit, nearest_unit

BODY_SIZES = 0.1, 12.0
"""Largest extent of the markers of one frame that is not doubted [m]: from a hand to a group in a hall."""

BODY = 1.7
"""Extent of the markers on a standing adult [m]."""


class Axes(enum.Enum):
    """Which directions of the file become our x, y and z; ours is z up.

    KEEP: as they stand.
    FROM_FILE: as the file says which axis is up (C3D: POINT:X_SCREEN becomes x, POINT:Y_SCREEN becomes z).
    Y_UP_X_FORWARD: y up, x forward, z to the right, as OpenSim has it: ours are (x, -z, y).
    Y_UP_Z_FORWARD: y up, z forward, x to the left, as BVH files mostly have it: ours are (z, x, y).
    X_UP: x up: ours are (y, z, x).
    """

    KEEP = "keep"
    FROM_FILE = "from file"
    Y_UP_X_FORWARD = "y up, x forward"
    Y_UP_Z_FORWARD = "y up, z forward"
    X_UP = "x up"

    @property
    def matrix(self) -> FloatArray:
        """The rotation from the file's axes to ours, shape (3, 3); not for FROM_FILE."""
        rows = {
            Axes.KEEP: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
            Axes.Y_UP_X_FORWARD: ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
            Axes.Y_UP_Z_FORWARD: ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
            Axes.X_UP: ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
        }.get(self)
        if rows is None:
            raise ArgumentError(f"{self}: only a file says which axes these are")
        return np.array(rows, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class MarkerData:
    """Places of markers over time.

    Attributes:
        labels: of the markers, unique; one that begins with '*' is a point without a label.
        time: of the frames [s], shape (nt,).
        rate: frames per second [Hz], as the file says.
        positions: [m], shape (nt, nm, 3), read-only; NaN is a gap.
        residuals: of the reconstruction [m], shape (nt, nm), read-only, NaN in gaps; None: the file has none.
        unit: the unit of the file, in which it is written again.
        warnings: what was odd about the file.
        name: of the recording.
    """

    labels: tuple[str, ...]
    time: FloatArray = field(repr=False)
    rate: float
    positions: FloatArray = field(repr=False)
    residuals: FloatArray | None = field(default=None, repr=False)
    unit: LengthUnit = LengthUnit.MILLIMETRE
    warnings: tuple[str, ...] = ()
    name: str = "markers"

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "warnings", tuple(self.warnings))
        _check_labels(self.labels)
        object.__setattr__(self, "rate", positive(self.rate, "markers: rate", error=ArgumentError))
        if not isinstance(self.unit, LengthUnit):
            raise ArgumentError(f"markers: unit must be of LengthUnit, got {self.unit!r}")
        time = _frozen(self.time, "time", (None,))
        if not np.isfinite(time).all():
            raise ArgumentError(f"markers: time of frame {int((~np.isfinite(time)).argmax())} is not finite")
        shape = (len(time), len(self.labels))
        positions = _frozen(self.positions, "positions", (*shape, 3))
        if np.isinf(positions).any():
            frame, marker = np.argwhere(np.isinf(positions))[0, :2]
            raise ArgumentError(f"markers: frame {frame}, marker {self.labels[marker]!r} is infinite; NaN is a gap")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "positions", positions)
        if self.residuals is not None:
            object.__setattr__(self, "residuals", _frozen(self.residuals, "residuals", shape))

    @property
    def nframes(self) -> int:
        """Number of frames."""
        return len(self.time)

    @cached_property
    def labelled(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which markers have a label of their own, shape (nm,)."""
        return np.array([not label.startswith("*") for label in self.labels], dtype=bool)

    @cached_property
    def seen(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which markers have a place in which frames, shape (nt, nm)."""
        seen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = ~np.isnan(self.positions).any(axis=2)
        return seen

    def index(self, label: str) -> int:
        """Index of a marker by its label."""
        try:
            return self.labels.index(label)
        except ValueError:
            raise ArgumentError(f"markers: no {label!r}; there are: {', '.join(self.labels)}") from None

    def marker(self, label: str) -> FloatArray:
        """Places of one marker [m], shape (nt, 3); NaN is a gap."""
        return self.positions[:, self.index(label)]

    def __str__(self) -> str:
        span = float(self.time[-1] - self.time[0]) if len(self.time) else 0.0
        gaps = 100 * (1 - self.seen.mean()) if self.seen.size else 0.0
        return (
            f"MarkerData {self.name!r}: {len(self.labels)} markers, {self.nframes} frames at {self.rate:g} Hz, "
            f"{span:.3f} s, {gaps:.1f} % gaps"
        )


def size_doubts(positions: FloatArray, unit: LengthUnit, remedy: str) -> list[str]:
    """Whether markers [m], shape (nt, nm, 3), look as if their unit were another one than `unit`.

    Markers of one frame are about as far apart as a body is tall: their median extent shows a factor of 1000.
    """
    step = max(1, len(positions) // 200)
    some = positions[::step]
    seen = ~np.isnan(some).any(axis=2)
    some, seen = some[seen.sum(axis=1) >= 4], seen[seen.sum(axis=1) >= 4]
    if not len(some):
        return []
    low = np.where(seen[..., None], some, np.inf).min(axis=1)
    high = np.where(seen[..., None], some, -np.inf).max(axis=1)
    size = float(np.median((high - low).max(axis=1)))
    if BODY_SIZES[0] <= size <= BODY_SIZES[1] or not 0 < size < np.inf:
        return []
    guess = nearest_unit(size * unit.per_metre, BODY)
    found = size * unit.per_metre / guess.per_metre
    if guess is unit or not BODY / 4 <= found <= BODY * 2:
        return [f"the markers of a frame are {size:.3g} m apart: is the unit {unit.value!r} right? say it with {remedy}"]
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
    result, notes = [], []
    for label in labels:
        new, k = label, 2
        while new in seen or (new != label and new in taken):
            new, k = f"{label}_{k}", k + 1
        if new != label:
            notes.append(f"a second {what} {label!r} is called {new!r}")
        seen.add(new)
        result.append(new)
    return tuple(result), notes


def _check_labels(labels: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for label in labels:
        if not isinstance(label, str) or not label or label != label.strip() or set(label) & set("\t\r\n"):
            raise ArgumentError(f"markers: a label is a text without outer spaces, tabs and line ends, got {label!r}")
        if label in seen:
            raise ArgumentError(f"markers: duplicate label {label!r}")
        seen.add(label)


def _frozen(value: Any, what: str, shape: tuple[int | None, ...]) -> FloatArray:
    """A read-only view of numbers in a shape; None stands for any length."""
    array = floats(value, f"markers: {what}").astype(np.float64, copy=False)
    if array.ndim != len(shape) or any(n not in (None, m) for n, m in zip(shape, array.shape, strict=True)):
        text = ", ".join("n" if n is None else str(n) for n in shape)
        raise ArgumentError(f"markers: {what} must have shape ({text}), got {array.shape}")
    view = array.view()
    view.setflags(write=False)
    return view
