"""What the actions of `hitogata capture` share: files of points, the threshold of blobs."""

import argparse
import pathlib
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

from hitogata.errors import ArgumentError


def add_threshold(parser: argparse.ArgumentParser) -> None:
    """Add --threshold."""
    parser.add_argument("--threshold", type=int, default=40, help="grey level above which markers are (default 40)")


def counted(frames: Iterable[Any], what: str) -> Iterator[Any]:
    """The same; how many have gone by is told on stderr, a few times a second."""
    count, told = 0, 0.0
    for count, frame in enumerate(frames, start=1):
        yield frame
        now = time.monotonic()
        if now - told > 0.3:
            told = now
            print(f"\r{what}: {count} frames", end="", file=sys.stderr, flush=True)
    print(f"\r{what}: {count} frames", file=sys.stderr, flush=True)


def points_kind(path: str) -> str:
    """The ending of a file of points: .c3d or .trc."""
    kind = pathlib.Path(path).suffix.lower()
    if kind not in (".c3d", ".trc"):
        raise ArgumentError(f"{path}: points are read and written as .c3d or .trc")
    return kind


def read_points(path: str) -> Any:
    """What is in a file of points: a `C3d`, or `MarkerData` of a .trc file."""
    from hitogata.files import read_c3d, read_trc

    return read_c3d(path) if points_kind(path) == ".c3d" else read_trc(path)


def markers_of(path: str) -> Any:
    """The `MarkerData` of a file."""
    whole = read_points(path)
    return getattr(whole, "markers", whole)


def write_points(what: Any, path: str) -> None:
    """Write a `C3d` or `MarkerData`."""
    from hitogata.files import write_c3d, write_trc

    if points_kind(path) == ".c3d":
        write_c3d(what, path)
    else:
        write_trc(what, path)
