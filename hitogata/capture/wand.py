"""Wand and L-frame: rigid bars with markers at known distances, found again in images of nothing else.

A wand has markers on one line, unevenly spaced, so that its two ends differ; waved through the room it gives the
cameras their places, lenses and the scale.  An L-frame lies on the floor and says where the origin and the axes are.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.capture.blobs import Blobs
from hitogata.capture.camera import Camera, undistort
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, array

MOST_BLOBS = 8
"""In images with more blobs than this nothing is searched for."""

STRAIGHT = 0.06
"""Points lie on a line if they are within this part of their length from it (before the lens is known)."""


@dataclass(frozen=True)
class Wand:
    """Markers on a line.

    Attributes:
        marks: places along the line [m], rising; the second is nearer to the first than to the last.
    """

    marks: tuple[float, ...] = (0.0, 0.18, 0.5)

    def __post_init__(self) -> None:
        marks = tuple(float(x) for x in array(self.marks, (3,), "wand: marks"))
        object.__setattr__(self, "marks", marks)
        if not marks[0] < marks[1] < marks[2]:
            raise ArgumentError(f"wand: marks must rise, got {marks}")
        if not 0.1 < (marks[1] - marks[0]) / (marks[2] - marks[0]) < 0.45:
            raise ArgumentError(f"wand: the second marker must be 10 to 45 % along from the first, got {marks}")

    @property
    def length(self) -> float:
        """Between the outer markers [m]."""
        return self.marks[2] - self.marks[0]


@dataclass(frozen=True)
class LFrame:
    """Four markers on the floor: along +x the corner, one nearer to it, one at the end; and one along +y.

    Attributes:
        along: places of the second and third marker on x [m].
        aside: place of the fourth marker on y [m].
        height: of the markers' centres above the floor [m].
    """

    along: tuple[float, float] = (0.2, 0.6)
    aside: float = 0.35
    height: float = 0.0

    def __post_init__(self) -> None:
        near, far = self.along
        if not (0 < near < 0.45 * far and self.aside > 0 and np.isfinite([far, self.aside, self.height]).all()):
            raise ArgumentError(f"L-frame: the second marker must be nearer to the corner than to the end, got {self}")

    @property
    def points(self) -> FloatArray:
        """The markers in the world [m], shape (4, 3)."""
        places = [(0.0, 0.0), (self.along[0], 0.0), (self.along[1], 0.0), (0.0, self.aside)]
        return np.array([(x, y, self.height) for x, y in places])


def _ordered(points: FloatArray) -> tuple[float, list[int]]:
    """(how far three points are off a line, of its length; their order from the end that has the middle nearer)."""
    gaps = np.linalg.norm(points[:, None] - points, axis=2)
    a, c = np.unravel_index(int(gaps.argmax()), gaps.shape)
    b = 3 - a - c
    way = points[c] - points[a]
    side = points[b] - points[a]
    long = float(gaps[a, c])
    off = abs(way[0] * side[1] - way[1] * side[0]) / max(long * long, 1e-30)
    order = [int(a), int(b), int(c)] if gaps[a, b] < gaps[b, c] else [int(c), int(b), int(a)]
    return float(off), order


def find_wand(camera: Camera, blobs: Blobs) -> FloatArray:
    """Pixels of a wand's three markers in the order of its marks, shape (3, 2); NaN if there is no wand, or two."""
    return _only(camera, blobs, 3)


def find_l_frame(camera: Camera, blobs: Blobs) -> FloatArray:
    """Pixels of an L-frame's markers in the order of `LFrame.points`, shape (4, 2); NaN if there is none, or two."""
    return _only(camera, blobs, 4)


def _only(camera: Camera, blobs: Blobs, count: int) -> FloatArray:
    """Markers of a wand (3) or an L-frame (4): three on a line, and one that is not."""
    nothing = np.full((count, 2), np.nan)
    pixels = blobs.centres[blobs.table[:, 5] != 2]
    if not count <= len(pixels) <= MOST_BLOBS:
        return nothing
    flat = undistort(camera, pixels)
    found = []
    for triple in itertools.combinations(range(len(pixels)), 3):
        off, order = _ordered(flat[list(triple)])
        if off < STRAIGHT:
            found.append((off, [triple[k] for k in order]))
    found.sort(key=lambda pair: pair[0])
    if not found or (len(found) > 1 and found[1][0] < 3 * found[0][0] + 0.01):
        return nothing
    rest = [k for k in range(len(pixels)) if k not in found[0][1]]
    if count == 4 and len(rest) != 1:
        return nothing
    picked: FloatArray = pixels[found[0][1] + (rest if count == 4 else [])]
    return picked


def observe(cameras: Sequence[Camera], frames: Iterable[Sequence[Blobs]], what: Any) -> FloatArray:
    """Pixels of a wand or an L-frame in all images, shape (nt, nc, 3 or 4, 2); NaN where it is not seen.

    Args:
        cameras: with lenses that are about right.
        frames: blobs of every camera, frame by frame.
        what: a `Wand` or an `LFrame`.
    """
    find, count = (find_l_frame, 4) if isinstance(what, LFrame) else (find_wand, 3)
    seen = [[find(camera, blobs) for camera, blobs in zip(cameras, frame, strict=True)] for frame in frames]
    return np.array(seen).reshape(-1, len(cameras), count, 2)
