"""Markers over time: what TRC and C3D files have in common."""

import enum
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, floats, positive
from hitogata.files.lengths import LengthUnit

Residuals = np.ndarray[tuple[int, ...], np.dtype[np.floating[Any]]]
"""Residuals need no more digits than the 8 bits they have in C3D files."""

PART = 1 << 12
"""Places that are turned or looked through at a time, so that no second array as large as the first is made."""


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
        residuals: of the reconstruction [m], of 32 or 64 bits, shape (nt, nm), read-only, NaN in gaps; None: the file
            has none.
        unit: the unit of the file, in which it is written again.
        warnings: what was odd about the file.
        name: of the recording.
    """

    labels: tuple[str, ...]
    time: FloatArray = field(repr=False)
    rate: float
    positions: FloatArray = field(repr=False)
    residuals: Residuals | None = field(default=None, repr=False)
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
        for part in _parts(positions):
            infinite = np.isinf(positions[part])
            if not infinite.any():
                continue
            frame, marker, _ = np.argwhere(infinite)[0] + (part.start, 0, 0)
            raise ArgumentError(f"markers: frame {frame}, marker {self.labels[marker]!r} is infinite; NaN is a gap")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "positions", positions)
        if self.residuals is not None:
            object.__setattr__(self, "residuals", _frozen(self.residuals, "residuals", shape, narrow=True))

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
        return ~np.asarray(np.isnan(self.positions).any(axis=2))

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


def turn_places(positions: FloatArray, turn: FloatArray) -> None:
    """Turn places, shape (nt, nm, 3), in place by a rotation (3, 3)."""
    if np.array_equal(turn, np.eye(3)):
        return
    for part in _parts(positions):
        positions[part] = positions[part] @ turn.T + 0.0  # + 0.0: no negative zeros


def _parts(positions: FloatArray) -> list[slice]:
    """Stretches of frames of about `PART` places, one after the other."""
    step = max(1, PART // max(positions.shape[1], 1))
    return [slice(start, start + step) for start in range(0, len(positions), step)]


def _check_labels(labels: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for label in labels:
        if not isinstance(label, str) or not label or label != label.strip() or set(label) & set("\t\r\n"):
            raise ArgumentError(f"markers: a label is a text without outer spaces, tabs and line ends, got {label!r}")
        if label in seen:
            raise ArgumentError(f"markers: duplicate label {label!r}")
        seen.add(label)


def _frozen(value: Any, what: str, shape: tuple[int | None, ...], *, narrow: bool = False) -> FloatArray:
    """A read-only view of numbers in a shape, None for any length; `narrow`: those of 32 bits are kept."""
    array = floats(value, f"markers: {what}")
    array = array if narrow and array.dtype == np.float32 else array.astype(np.float64, copy=False)
    if array.ndim != len(shape) or any(n not in (None, m) for n, m in zip(shape, array.shape, strict=True)):
        text = ", ".join("n" if n is None else str(n) for n in shape)
        raise ArgumentError(f"markers: {what} must have shape ({text}), got {array.shape}")
    view = array.view()
    view.setflags(write=False)
    return view
