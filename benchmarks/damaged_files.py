"""Damaged C3D and TRC files: each is read or refused by name; time and memory of the worst.  `--times N` of each kind.

Files that the project makes itself, of each processor and number format, and those given by `--files A.c3d B.trc`.
Memory is traced in every twentieth attempt, as a multiple of the file (small files: beyond 64 kB).  ezc3d is no peer
here: it ends the process.
"""

import argparse
import sys
import tempfile
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np

from benchmarks.timing import table
from hitogata.errors import FileFormatError
from hitogata.files import MarkerData, read_c3d, read_trc, write_c3d, write_trc
from tests.files.c3d_cases import body, c3d_bytes
from tests.files.test_c3d_plates import plate_file
from tests.files.test_c3d_write import recording
from tests.files.test_capture_bad import mutated

SMALL = 65536


def own_files(folder):
    """C3D and TRC files of about 10 to 100 kB."""
    folder = Path(folder)
    write_c3d(recording(), folder / "a.c3d")
    write_c3d(recording(), folder / "whole.c3d", integers=True)
    plate_file(folder / "plates.c3d", 4)
    numbers = body() * 10000, np.zeros((20, 6)), np.ones((40, 2))
    (folder / "dec.c3d").write_bytes(c3d_bytes(*numbers, samples=2, scale=0.1, processor=85))
    places = np.random.default_rng(0).normal(0, 1, (120, 20, 3))
    places[3:9, 4] = np.nan
    labels = tuple(f"M{k}" for k in range(20))
    write_trc(MarkerData(labels, np.arange(120) / 100, 100, places), folder / "a.trc")
    return sorted(folder.glob("*.c3d")), sorted(folder.glob("*.trc"))


def attempted(path, data, times, rng):
    """How many were refused, warned of, crashed; the longest time [s]; the most memory by the file's size."""
    reader = read_c3d if path.suffix == ".c3d" else read_trc
    refused = told = crashed = unnamed = 0
    longest = most = 0.0
    target = path.with_name(f"damaged{path.suffix}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader(path)                                       # what is imported by the first call is not of the file
    for k in range(times):
        target.write_bytes(mutated(data, rng, min(len(data), 4096)))
        size, traced = max(target.stat().st_size, SMALL), k % 20 == 0
        if traced:
            tracemalloc.start()
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                kept = reader(target)
                told += bool(caught)
                del kept
            except FileFormatError as error:
                refused += 1
                unnamed += target.name not in str(error)
            except Exception as error:
                crashed += 1
                print(f"  {path.name} {k}: {type(error).__name__}: {error}")
        longest = max(longest, time.perf_counter() - start)
        if traced:
            most = max(most, tracemalloc.get_traced_memory()[1] / size)
            tracemalloc.stop()
    return refused, told, crashed, unnamed, longest, most


def main():
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--times", type=int, default=500)
    options.add_argument("--files", nargs="*", type=Path, default=[])
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "damaged_files"])
    rng, rows = np.random.default_rng(0), []
    with tempfile.TemporaryDirectory() as folder:
        for kind, paths in zip((".c3d", ".trc"), own_files(folder), strict=True):
            paths = [*paths, *(path for path in asked.files if path.suffix == kind)]
            for path in paths:
                data, own = path.read_bytes(), Path(folder) / path.name
                refused, told, crashed, unnamed, longest, most = attempted(own, data, asked.times // len(paths), rng)
                rows.append([path.name, f"{len(data) / 1e3:.0f}", str(asked.times // len(paths)), str(refused),
                             str(told), str(crashed), str(unnamed), f"{longest:.2f}", f"{most:.1f}"])  # fmt: skip
    head = ["", "kB", "damaged", "refused", "warned", "crashed", "unnamed", "longest [s]", "memory / file"]
    table("damaged files", head, rows)


if __name__ == "__main__":
    main()
