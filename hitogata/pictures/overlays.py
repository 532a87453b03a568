"""What a replay may show beside a figure: markers, trails, lines, arrows, ranges of motion.

Each has a name, under which viewers switch it on and off; overlays of several actors may share one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.figure.values import floats
from hitogata.rom import RangeOfMotion

_COLOUR = re.compile("#[0-9a-fA-F]{6}")


@dataclass(frozen=True, eq=False)
class Marker:
    """A ball that moves, such as the pointer a hand is tied to.

    Attributes:
        name: of the overlay.
        at: where it is at each time of the trajectory, world, shape (nt, 3) [m]; or the name of a frame or link.
        radius: [m].
        tied_to: name of a frame or link; a thin line is drawn to it.
        colour: "#rrggbb".
    """

    name: str
    at: Any
    radius: float = 0.03
    tied_to: str | None = None
    colour: str = "#d1495b"

    def __post_init__(self) -> None:
        _check_overlay(self)
        object.__setattr__(self, "at", place(self.at, f"marker {self.name!r}: at"))
        positive(self.radius, f"marker {self.name!r}: radius")


@dataclass(frozen=True, eq=False)
class Trail:
    """The way a point has come, up to the time shown.

    Attributes:
        name: of the overlay.
        at: where it is at each time of the trajectory, world, shape (nt, 3) [m]; or the name of a frame or link.
        seconds: how long it stays [s]; None: from the beginning.
        width: [pixels].
        colour: "#rrggbb".
    """

    name: str
    at: Any
    seconds: float | None = None
    width: float = 3.0
    colour: str = "#3f7fbf"

    def __post_init__(self) -> None:
        _check_overlay(self)
        object.__setattr__(self, "at", place(self.at, f"trail {self.name!r}: at"))
        positive(self.width, f"trail {self.name!r}: width")
        if self.seconds is not None:
            positive(self.seconds, f"trail {self.name!r}: seconds")


@dataclass(frozen=True, eq=False)
class Line:
    """A line that stands still, such as a path to follow.

    Attributes:
        name: of the overlay.
        points: its corners, world, shape (n, 3) [m].
        width: [pixels].
        colour: "#rrggbb".
    """

    name: str
    points: Any
    width: float = 2.0
    colour: str = "#8a8f98"

    def __post_init__(self) -> None:
        _check_overlay(self)
        points = vectors(self.points, 2, f"line {self.name!r}: points")
        if len(points) < 2:
            raise ArgumentError(f"line {self.name!r}: a line needs two points or more, got {len(points)}")
        object.__setattr__(self, "points", points)
        positive(self.width, f"line {self.name!r}: width")


@dataclass(frozen=True, eq=False)
class Arrows:
    """Arrows that change over time, such as contact forces; an arrow of no length is not drawn.

    Attributes:
        name: of the overlay.
        at: where they begin, world, shape (nt, n, 3) [m].
        vectors: where they point and how large they are, world axes, shape (nt, n, 3), in any unit.
        scale: length in the picture of one unit [m]; None: one in twenty is longer than 0.5 m.
        colour: "#rrggbb".
    """

    name: str
    at: Any
    vectors: Any
    scale: float | None = None
    colour: str = "#e08e0b"

    def __post_init__(self) -> None:
        _check_overlay(self)
        at, arrows = (vectors(getattr(self, x), 3, f"arrows {self.name!r}: {x}") for x in ("at", "vectors"))
        if at.shape != arrows.shape:
            raise ArgumentError(f"arrows {self.name!r}: at has shape {at.shape}, vectors {arrows.shape}")
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "vectors", arrows)
        if self.scale is not None:
            positive(self.scale, f"arrows {self.name!r}: scale")

    @classmethod
    def ragged(cls, name: str, frames: Sequence[Sequence[tuple[Any, Any]]], **options: Any) -> "Arrows":
        """From lists of (begin, vector) pairs, one list for each time, each as long as it likes."""
        pairs = [[(at, vector) for at, vector in frame] for frame in frames]
        both = np.zeros((len(pairs), max([len(frame) for frame in pairs], default=0), 2, 3))
        for row, frame in zip(both, pairs, strict=True):
            if frame:
                row[: len(frame)] = vectors(frame, 3, f"arrows {name!r}: frames")
        return cls(name, both[:, :, 0], both[:, :, 1], **options)


@dataclass(frozen=True, eq=False)
class JointRange:
    """The range of motion of a ball joint, on a small sphere about it that moves with the parent link.

    Shown are the region where the bone may point, its boundary, and the bone; this turns red where swing or twist are
    out of range by more than `tolerance`.

    Attributes:
        name: of the overlay.
        joint: name of the joint or its link.
        range: the range; None: the one the figure's joint has.
        radius: of the sphere [m].
        tolerance: [rad].
        colour: "#rrggbb".
    """

    name: str
    joint: str
    range: RangeOfMotion | None = None
    radius: float = 0.2
    tolerance: float = 0.01
    colour: str = "#3f93c1"

    def __post_init__(self) -> None:
        _check_overlay(self)
        if self.range is not None and not isinstance(self.range, RangeOfMotion):
            raise ArgumentError(f"range {self.name!r}: a RangeOfMotion expected, got {self.range!r}")
        positive(self.radius, f"range {self.name!r}: radius")
        positive(self.tolerance, f"range {self.name!r}: tolerance")


@dataclass(frozen=True, eq=False)
class Spindles:
    """Strings that move and change their colour, thick in the middle, such as muscles.

    Attributes:
        name: of the overlay.
        at: their points at each time of the trajectory, world, shape (nt, n, k, 3) [m].
        values: what colours them, 0 to 1, shape (nt, n).
        widths: of their middles [pixels], shape (n,).
        palette: colours of 0 to 1, "#rrggbb", at even distances.
        colour: in lists of overlays, "#rrggbb".
    """

    name: str
    at: Any
    values: Any
    widths: Any
    palette: tuple[str, ...] = ("#fae68c", "#f79e33", "#d92919", "#8c050f")
    colour: str = "#d92919"

    def __post_init__(self) -> None:
        _check_overlay(self)
        what = f"spindles {self.name!r}"
        points, values = floats(self.at, f"{what}: at"), floats(self.values, f"{what}: values")
        widths = floats(self.widths, f"{what}: widths")
        if points.ndim != 4 or points.shape[2] < 2 or points.shape[3] != 3 or not np.isfinite(points).all():
            raise ArgumentError(f"{what}: at must be finite, shape (nt, n, k, 3), got {points.shape}")
        if values.shape != points.shape[:2] or widths.shape != points.shape[1:2]:
            raise ArgumentError(
                f"{what}: values of shape {points.shape[:2]} and widths of shape {points.shape[1:2]} are expected, "
                f"got {values.shape} and {widths.shape}"
            )
        if not np.isfinite(values).all() or not (widths > 0).all():
            raise ArgumentError(f"{what}: values must be finite, widths positive")
        if len(self.palette) < 2:
            raise ArgumentError(f"{what}: a palette needs two colours or more")
        for each in self.palette:
            check_colour(each, what)
        object.__setattr__(self, "at", points)
        object.__setattr__(self, "values", np.clip(values, 0.0, 1.0))
        object.__setattr__(self, "widths", widths)

    def shades(self, values: FloatArray) -> FloatArray:
        """Colours of values, shape (..., 3), 0 to 1."""
        stops = np.array([[int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)] for c in self.palette])
        at = np.linspace(0.0, 1.0, len(stops))
        return np.stack([np.interp(values, at, stops[:, k]) for k in range(3)], axis=-1)


Overlay = Marker | Trail | Line | Arrows | JointRange | Spindles


# ---------------------------------------------------------------- checks


def check_colour(value: Any, what: str) -> None:
    """Raise ArgumentError unless it is a colour "#rrggbb"."""
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise ArgumentError(f'{what}: colour must look like "#c8956c", got {value!r}')


def check_text(value: Any, what: str) -> None:
    """Raise ArgumentError unless it is a string."""
    if not isinstance(value, str):
        raise ArgumentError(f"{what}: expected a string, got {value!r}")


def positive(value: Any, what: str) -> None:
    """Raise ArgumentError unless it is a finite number above zero."""
    if not isinstance(value, int | float | np.number) or not 0 < float(value) < float("inf"):
        raise ArgumentError(f"{what}: must be a positive number, got {value!r}")


def vectors(value: Any, ndim: int, what: str) -> FloatArray:
    """Finite vectors, shape (..., 3) with `ndim` axes, read-only."""
    array: FloatArray = np.array(floats(value, what), dtype=np.float64)
    if array.ndim != ndim or array.shape[-1] != 3:
        letters = ", ".join(("nt", "n")[: ndim - 1]) if ndim > 2 else "n"
        raise ArgumentError(f"{what}: expected shape ({letters}, 3), got {array.shape}")
    bad = ~np.isfinite(array)
    if bad.any():
        first = tuple(int(k) for k in np.argwhere(bad)[0])
        raise ArgumentError(f"{what}{list(first)} is {array[first]}: every number must be finite")
    array.setflags(write=False)
    return array


def place(value: Any, what: str) -> str | FloatArray:
    """The name of a frame, or points over time, shape (nt, 3)."""
    return value if isinstance(value, str) else vectors(value, 2, what)


def _check_overlay(overlay: Any) -> None:
    kind = type(overlay).__name__
    if not isinstance(overlay.name, str) or not overlay.name.strip():
        raise ArgumentError(f"{kind}: name must be a string that is not empty, got {overlay.name!r}")
    check_colour(overlay.colour, f"{kind} {overlay.name!r}")
