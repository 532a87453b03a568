"""Blobs: bright spots of an image, with their centres to a few hundredths of a pixel.

Pixels above a threshold are gathered into runs and the runs into components (8 neighbours; union-find: Rosenfeld and
Pfaltz 1966).  A blob's centre is the centroid of what its pixels are brighter than the threshold: a pixel that is just
bright enough enters with weight zero, so centres move smoothly.  Long blobs are looked at as two discs that overlap
(see `merged`).  Images come from files, cameras or the film; blobs go to the matching.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.capture.merged import COLUMNS, DISCS, EDGE, split
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.lanes import Floats, Ints, entry, kernel


@dataclass(frozen=True, kw_only=True)
class BlobSettings:
    """What counts as a blob.

    Attributes:
        threshold: pixels brighter than this belong to blobs [grey levels].
        smallest: number of pixels of a blob, at least.
        largest: at most; larger ones are lamps or windows.
        elongation: of a blob, from which on it is looked at as two (ratio of its axes).
        edges: keep blobs that touch the image's edge, whose centres are wrong.
    """

    threshold: int = 40
    smallest: int = 2
    largest: int = 4000
    elongation: float = 1.25
    edges: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 254:
            raise ArgumentError(f"blobs: threshold must be from 0 to 254, got {self.threshold}")
        if not 1 <= self.smallest <= self.largest:
            raise ArgumentError(f"blobs: sizes must be 1 ≤ smallest ≤ largest, got {self.smallest}, {self.largest}")
        if not self.elongation >= 1:
            raise ArgumentError(f"blobs: elongation must be 1 or more, got {self.elongation}")


@dataclass(frozen=True, eq=False)
class Blobs:
    """Blobs of one image.

    Attributes:
        table: one row per blob, shape (n, 6): u, v [px], radius of a disc of its size [px], light above the threshold
            in all, elongation (ratio of its axes, 1 is round), and how it came about (0: alone, 1: one of two discs
            of a merged blob, 2: merged but not told apart, 4: at the image's edge).
        overflow: more was bright than fits; what is here is not all.
    """

    table: FloatArray
    overflow: bool = False

    def __len__(self) -> int:
        return len(self.table)

    @property
    def centres(self) -> FloatArray:
        """(u, v) [px], shape (n, 2)."""
        return self.table[:, :2]


MOST_RUNS, MOST_BLOBS = 16384, 2048


class BlobFinder:
    """Finds blobs in images; keeps its memory between them, so one for each camera."""

    def __init__(self, settings: BlobSettings | None = None) -> None:
        self.settings = settings or BlobSettings()
        s = self.settings
        self._runs = np.zeros((MOST_RUNS, 4), dtype=np.int64)
        self._sums = np.zeros((MOST_RUNS, 12))
        self._table = np.zeros((MOST_BLOBS, COLUMNS))
        self._limits = np.array([s.threshold, s.smallest, s.largest, s.edges], dtype=np.int64)

    def __call__(self, image: Any) -> Blobs:
        """Blobs of an image, shape (height, width), uint8."""
        if not (isinstance(image, np.ndarray) and image.ndim == 2 and image.dtype == np.uint8):
            what = f"{image.dtype} of shape {image.shape}" if isinstance(image, np.ndarray) else type(image).__name__
            raise ArgumentError(f"image: expected uint8 of shape (height, width), got {what}; convert colours to grey")
        flat = np.ascontiguousarray(image).reshape(-1)
        words = flat[: len(flat) // 8 * 8].view(np.uint64)
        count = find(flat, words, image.shape[1], self._limits, self._runs, self._sums, self._table,
                     self.settings.elongation)  # fmt: skip
        return Blobs(self._table[: abs(count) - (count < 0)].copy(), count < 0)


def find_blobs(images: Sequence[Any], settings: BlobSettings | None = None) -> list[Blobs]:
    """Blobs of several images."""
    finder = BlobFinder(settings)
    return [finder(image) for image in images]


# ------------------------------------------------------- kernels

ONES = np.uint64(0x0101010101010101)
LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
HIGH = np.uint64(0x8080808080808080)

ROW, FIRST, END, ROOT = 0, 1, 2, 3
"""Of a run: its row, first column, one past the last column, and a run above it in the union."""


@kernel
def bright(word, above, upper):
    """Whether one of eight bytes exceeds the threshold: low seven bits plus `above` carry into the eighth."""
    carry = (word & LOW) + above
    return ((carry & word if upper else carry | word) & HIGH) != np.uint64(0)


@kernel
def gather_runs(image, words, width, threshold, runs):
    """Runs of bright pixels, row by row; their number, or -1 if there are too many."""
    upper = threshold >= 128
    above = ONES * np.uint64((255 if upper else 127) - threshold)
    count, last = 0, -2
    whole = words.shape[0]
    tail = image.shape[0] - 8 * whole
    for w in range(whole + (1 if tail else 0)):
        if w < whole and not bright(words[w], above, upper):
            continue
        for at in range(8 * w, min(8 * w + 8, image.shape[0])):
            if image[at] <= threshold:
                continue
            if at == last + 1 and at % width:
                runs[count - 1, END] += 1
            else:
                if count == runs.shape[0]:
                    return -1
                runs[count, ROW], runs[count, FIRST], runs[count, ROOT] = at // width, at % width, count
                runs[count, END] = runs[count, FIRST] + 1
                count += 1
            last = at
    return count


@kernel
def root_of(runs, i):
    """The run that stands for a component; the way to it is halved."""
    while runs[i, ROOT] != i:
        runs[i, ROOT] = runs[runs[i, ROOT], ROOT]
        i = runs[i, ROOT]
    return i


@kernel
def join_runs(runs, count):
    """Unite runs that touch, also by corners, with those of the row above."""
    above = 0
    for i in range(count):
        while above < i and (
            runs[above, ROW] < runs[i, ROW] - 1
            or (runs[above, ROW] == runs[i, ROW] - 1 and runs[above, END] < runs[i, FIRST])
        ):
            above += 1
        j = above
        while j < i and runs[j, ROW] == runs[i, ROW] - 1 and runs[j, FIRST] <= runs[i, END]:
            a, b = root_of(runs, i), root_of(runs, j)
            runs[max(a, b), ROOT] = min(a, b)
            j += 1


@kernel
def add_runs(image, width, threshold, runs, count, sums):
    """Moments of each component at its root: weight, first and second moments about its first pixel, pixels, box."""
    for i in range(count):
        k = root_of(runs, i)
        if k == i:
            for m in range(12):
                sums[i, m] = 0.0
            sums[i, 7], sums[i, 8], sums[i, 9], sums[i, 10] = 1e9, 1e9, -1.0, -1.0
        row, y = runs[i, ROW], float(runs[i, ROW] - runs[k, ROW])
        for column in range(runs[i, FIRST], runs[i, END]):
            x = float(column - runs[k, FIRST])
            w = float(image[row * width + column]) - threshold
            sums[k, 0] += w
            sums[k, 1] += w * x
            sums[k, 2] += w * y
            sums[k, 3] += w * x * x
            sums[k, 4] += w * x * y
            sums[k, 5] += w * y * y
        sums[k, 6] += float(runs[i, END] - runs[i, FIRST])
        sums[k, 7], sums[k, 8] = min(sums[k, 7], float(runs[i, FIRST])), min(sums[k, 8], float(row))
        sums[k, 9], sums[k, 10] = max(sums[k, 9], float(runs[i, END])), max(sums[k, 10], float(row + 1))


@entry(limits=Ints(1), runs=Ints(2, write=True), sums=Floats(2, write=True), table=Floats(2, write=True))
def find(image, words, width, limits, runs, sums, table, elongation):
    """All blobs of an image into `table`; their number n, or -n - 1 if not everything had room."""
    threshold, height = limits[0], image.shape[0] // width
    count = gather_runs(image, words, width, threshold, runs)
    if count < 0:
        return -1
    join_runs(runs, count)
    add_runs(image, width, float(threshold), runs, count, sums)
    found = 0
    for i in range(count):
        if runs[i, ROOT] != i or sums[i, 6] < limits[1] or sums[i, 6] > limits[2]:
            continue
        left, top, right, bottom = int(sums[i, 7]), int(sums[i, 8]), int(sums[i, 9]), int(sums[i, 10])
        at_edge = left == 0 or top == 0 or right == width or bottom == height
        if at_edge and not limits[3]:
            continue
        if found + DISCS > table.shape[0]:
            return -found - 1
        w = sums[i, 0]
        mx, my = sums[i, 1] / w, sums[i, 2] / w
        xx, xy, yy = sums[i, 3] / w - mx * mx, sums[i, 4] / w - mx * my, sums[i, 5] / w - my * my
        middle, free = 0.5 * (xx + yy), np.sqrt(0.25 * (xx - yy) ** 2 + xy * xy)
        ratio = np.sqrt((middle + free + 0.02) / (max(middle - free, 0.0) + 0.02))
        row = table[found]
        row[0], row[1] = runs[i, FIRST] + mx, runs[i, ROW] + my
        row[2], row[3], row[4], row[5] = np.sqrt(sums[i, 6] / np.pi), w, ratio, float(EDGE if at_edge else 0)
        if ratio > elongation and sums[i, 6] >= 8.0 and not at_edge:
            angle = 0.5 * np.arctan2(2.0 * xy, xx - yy)
            found += split(image, width, height, float(threshold), table, found, angle, np.sqrt(middle + free))
        else:
            found += 1
    return found
