"""`hitogata warmup`: compile all kernels once, with progress; later processes load them from disk.

A room that has kernels of its own adds them by a function `warm()` in its module `warming`: an iterator of (name,
callable).
"""

import argparse
import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

ROOMS = (
    "lanes",
    "spatial",
    "solve",
    "rom",
    "figure",
    "files",
    "dynamics",
    "contact",
    "constraints",
    "sim",
    "loops",
    "motion",
    "capture",
    "muscle",
)
"""Rooms that are asked for work."""

Task = tuple[str, Callable[[], object]]


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--rooms", nargs="*", metavar="ROOM", choices=ROOMS, default=None, help=f"only these rooms: {', '.join(ROOMS)}"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run every task; 1 if one failed."""
    tasks = [t for room in (args.rooms or ROOMS) for t in tasks_of(room)]
    begun = time.perf_counter()
    failed = 0
    for k, (name, task) in enumerate(tasks, 1):
        print(f"[{k:>2}/{len(tasks)}] {name:<44}", end="", flush=True)
        start = time.perf_counter()
        try:
            task()
        except Exception as error:  # the others are still worth warming
            failed += 1
            print(f" failed: {' '.join(str(error).split())[:120]}")
            continue
        print(f" {time.perf_counter() - start:6.2f} s")
    print(f"hitogata is warm: {len(tasks) - failed} of {len(tasks)} in {time.perf_counter() - begun:.1f} s")
    if failed:
        print(f"hitogata: error: {failed} of {len(tasks)} did not compile", file=sys.stderr)
    return 1 if failed else 0


def tasks_of(room: str) -> Iterator[Task]:
    """The work of one room."""
    if room == "rom":
        yield from _rom()
    elif room == "dynamics":
        yield from _dynamics()
    name = f"hitogata.{room}.warming"
    if importlib.util.find_spec(f"hitogata.{room}") and importlib.util.find_spec(name):
        yield from importlib.import_module(name).warm()


def _rom() -> Iterator[Task]:
    import numpy as np

    from hitogata.rom import BoundaryTwist, RangeOfMotion, RectangleRegion, SplineRegion

    region = SplineRegion.through(np.arange(5) * 1.2, [0.6, 0.9, 0.7, 1.1, 0.8])
    ranges = (
        RangeOfMotion(region, BoundaryTwist([-0.5] * 5, [0.5] * 5)),
        RangeOfMotion(RectangleRegion((-0.5, 0.5), (-0.4, 0.6))),
    )
    for n, width in ((1, "one"), (8, "many")):
        p, q = np.tile([0.0, 0.6, 0.8], (n, 1)), np.tile([0.8, 0.6, 0.0, 0.0], (n, 1))
        for name in ("contains", "distance", "nearest", "contact"):
            yield f"rom: {name} of {width}", partial(_call, [r.swing for r in ranges], name, p)
        for name in ("contains", "violation", "clamp"):
            yield f"rom: {name} of {width} (pose)", partial(_call, ranges, name, q)
        yield f"rom: twist limits of {width}", partial(_call, ranges, "twist_limits", p)
        yield f"rom: violation with memory of {width}", partial(_call, ranges, "violation_from", q, q)


def _call(things: Any, name: str, *arguments: Any) -> None:
    for thing in things:
        getattr(thing, name)(*arguments)


def _dynamics() -> Iterator[Task]:
    import numpy as np

    from hitogata import dynamics
    from hitogata.library import human28

    figure = human28()
    q0 = np.array(figure.neutral())
    for n, width in ((0, "one"), (8, "many")):
        q = q0 if n == 0 else np.tile(q0, (n, 1))
        v = np.zeros((figure.nv,) if n == 0 else (n, figure.nv))
        calls: dict[str, Callable[[], object]] = {
            "forward dynamics": partial(dynamics.forward_dynamics, figure, q, v, v),
            "inverse dynamics": partial(dynamics.inverse_dynamics, figure, q, v, v),
            "mass matrix": partial(dynamics.mass_matrix, figure, q),
            "kinematics": partial(dynamics.forward_kinematics, figure, q),
        }
        for name, call in calls.items():
            yield f"dynamics: {name} of {width}", call
    for method in (dynamics.Method.ASSEMBLY, dynamics.Method.SEGMENTS):
        task = partial(dynamics.forward_dynamics, figure, q0, np.zeros(figure.nv), method=method)
        yield f"dynamics: forward dynamics by {method.value}", task
