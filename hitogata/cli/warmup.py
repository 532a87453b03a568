"""`hitogata warmup`: compile all kernels once, with progress; later processes load them from disk.

A room that has kernels of its own adds them by a function `warm()` in its module `warmup`: an iterator of (name,
callable).  Rooms are shared out over processes; the tasks of a room are done in order, in one process, as kernels that
several of its entries call are then compiled once.
"""

import argparse
import importlib
import importlib.util
import multiprocessing
import os
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

HEAVY = ("sim", "loops", "motion", "contact")
"""Rooms that take longest: in several processes, they begin first."""

Task = tuple[str, Callable[[], object]]


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--rooms", nargs="*", metavar="ROOM", choices=ROOMS, default=None, help=f"only these rooms: {', '.join(ROOMS)}"
    )
    parser.add_argument(
        "--only", nargs="*", metavar="TEXT", default=None, help="only tasks with one of these texts in their names"
    )
    parser.add_argument("--processes", type=_count, default=None, help="work side by side (default: one per core)")
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return count


def run(args: argparse.Namespace) -> int:
    """Run every task; 1 if one failed."""
    from hitogata.lanes import cores

    tasks = {room: sum(1 for _ in tasks_of(room, args.only)) for room in args.rooms or ROOMS}
    rooms = sorted((room for room in tasks if tasks[room]), key=lambda r: HEAVY.index(r) if r in HEAVY else len(HEAVY))
    processes, total = min(args.processes or cores(), len(rooms)), sum(tasks.values())
    if args.only and not total:
        print(f"hitogata: error: no task has {' or '.join(map(repr, args.only))} in its name", file=sys.stderr)
        return 2
    begun = time.perf_counter()
    if processes > 1:
        spawn = multiprocessing.get_context("spawn")  # a fork would inherit threads' locks
        with spawn.Pool(processes, _join, (spawn.Value("i", 0), total)) as pool:
            failed = sum(pool.imap_unordered(partial(_warm, only=args.only), rooms))
    else:
        _join(multiprocessing.Value("i", 0), total, quiet=False)
        failed = sum(_warm(room, args.only) for room in tasks if tasks[room])
    print(f"hitogata is warm: {total - failed} of {total} in {time.perf_counter() - begun:.1f} s")
    if failed:
        print(f"hitogata: error: {failed} of {total} did not compile", file=sys.stderr)
    return 1 if failed else 0


_progress: tuple[Any, int] = (None, 0)


def _join(done: Any, total: int, quiet: bool = True) -> None:
    """Before the first room of a process: how many tasks are done, in all processes, and how many there are."""
    global _progress
    _progress = done, total
    if quiet:  # lines about single entries would mingle
        os.environ["HITOGATA_QUIET"] = "1"


def _warm(room: str, only: list[str] | None = None) -> int:
    """Run the tasks of a room; returns how many failed."""
    failed, (done, total) = 0, _progress
    for name, task in tasks_of(room, only):
        start, end = time.perf_counter(), ""
        try:
            task()
        except Exception as error:  # the others are still worth warming
            failed += 1
            end = f" failed: {' '.join(str(error).split())[:120]}"
        with done.get_lock():
            done.value += 1
            end = end or f" {time.perf_counter() - start:6.2f} s"
            print(f"[{done.value:>2}/{total}] {name:<44}{end}", flush=True)
    return failed


def tasks_of(room: str, only: list[str] | None = None) -> Iterator[Task]:
    """The work of one room; only: what must be in the names of tasks, one or another of it."""
    for name, task in _all_tasks(room):
        if only is None or any(text in name for text in only):
            yield name, task


def _all_tasks(room: str) -> Iterator[Task]:
    if room == "rom":
        yield from _rom()
    elif room == "dynamics":
        yield from _dynamics()
    name = f"hitogata.{room}.warmup"
    if importlib.util.find_spec(f"hitogata.{room}") and importlib.util.find_spec(name):
        yield from importlib.import_module(name).warm()


def _rom() -> Iterator[Task]:
    import numpy as np

    from hitogata.rom import BoundaryTwist, RangeOfMotion, RectangleRegion, SplineRegion
    from hitogata.rom.coupled import Angle, CoupledRange, SwingTwist, box

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
        coupled = CoupledRange((SwingTwist("ball"), Angle("hinge")), box((-1, 1), None, None, (0, 1)))
        pose = np.column_stack([q, np.full(n, 1.5)])
        yield f"rom: of several joints, of {width}", partial(_call, [coupled], "nearest", pose)


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
