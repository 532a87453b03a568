"""How long does it take to read a BVH file, per megabyte, beside other Python readers?

The readers of PyPI are optional: pip install bvh bvhtoolbox.  Each ends with all numbers of the file as floats.
"""

import importlib.util
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.timing import best, table
from hitogata.files import bvh_from_trajectory, read_bvh, write_bvh
from hitogata.files.bvh import Bvh
from hitogata.library import human40
from tests.motion.cases import walk


def example(megabytes: float) -> Bvh:
    """A walk of human40, over and over."""
    figure = human40()
    bvh = bvh_from_trajectory(walk(figure), figure)
    size = len(write_bvh(bvh, decimals=6)) / 1e6
    values = np.tile(bvh.values, (max(1, round(megabytes / size)), 1))
    return Bvh(bvh.joints, values, bvh.frame_time, bvh.scale)


def peers(path: Path) -> dict[str, Callable[[], object]]:
    """Other readers that are installed."""
    found: dict[str, Callable[[], object]] = {}
    if importlib.util.find_spec("bvh"):
        import bvh

        def plain() -> object:
            return np.array(bvh.Bvh(path.read_text()).frames, dtype=float)

        found["bvh"] = plain
    if importlib.util.find_spec("bvhtoolbox"):
        import bvhtoolbox

        def tree() -> object:
            return np.array(bvhtoolbox.BvhTree(path.read_text()).frames, dtype=float)

        found["bvhtoolbox"] = tree
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.bvh"
        rows = []
        for megabytes in (0.3, 3.0):
            write_bvh(example(megabytes), path, decimals=6)
            size = path.stat().st_size / 1e6
            own = best(lambda: read_bvh(path), repeats=20) / size
            rows.append([f"hitogata, {size:.1f} MB", f"{1e3 * own:.1f}", ""])
            for name, read in peers(path).items():
                other = best(read, repeats=3) / size
                rows.append([f"{name}, {size:.1f} MB", f"{1e3 * other:.1f}", f"{other / own:.1f}"])
        write_bvh(example(100.0), path, decimals=6)
        size = path.stat().st_size / 1e6
        own = best(lambda: read_bvh(path), repeats=2)
        tracemalloc.start()
        bvh = read_bvh(path)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        rows.append([f"hitogata, {size:.0f} MB", f"{1e3 * own / size:.1f}", ""])
        table("Reading BVH files", ["", "ms per MB", "× hitogata"], rows)
        print(f"  {size:.0f} MB, {bvh.nframes} frames: {own:.2f} s, {peak:.0f} MB of memory at most, file included")


if __name__ == "__main__":
    main()
