"""Times and tables: the minimum of many repeats, and ratios against a peer in the same run."""

import os
import platform
import time
from collections.abc import Callable, Sequence

import hitogata


def best(
    run: Callable[[], object], *, repeats: int = 200, loops: int = 1, seconds: float = 3.0,
    clock: Callable[[], float] = time.perf_counter,
) -> float:  # fmt: skip
    """Least time of one of `loops` calls inside run() [s], over up to `repeats` runs or some seconds.

    clock: `time.process_time` for processor time, of all threads together.
    """
    least, end = float("inf"), time.perf_counter() + seconds
    run()
    for _ in range(repeats):
        start = clock()
        run()
        least = min(least, clock() - start)
        if time.perf_counter() > end:
            break
    return least / loops


def calls(function: Callable[..., object], *args: object, loops: int = 200, **options: float) -> float:
    """Least time of one call from Python [s]; results are thrown away, as in a simulation loop."""
    span = range(loops)

    def run() -> None:
        for _ in span:
            function(*args)

    return best(run, loops=loops, **options)  # type: ignore[arg-type]


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; the first column is text, the others are numbers."""
    widths = [max(len(str(row[k])) for row in [head, *rows]) for k in range(len(head))]
    print(f"\n{title}")
    for row in [head, ["-" * w for w in widths], *rows]:
        first, *others = (str(c) for c in row)
        print(
            "  " + "  ".join([first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(others, widths[1:], strict=True))])
        )


def machine() -> str:
    """Processor and versions, for the head of a report."""
    from importlib.metadata import version

    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    packages = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy", "pin", "mujoco"))
    own = f"hitogata {hitogata.__version__}"  # not installed, if run from its folder
    return f"{model}, {os.cpu_count()} cores; Python {platform.python_version()}; {own}, {packages}"
